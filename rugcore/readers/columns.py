"""The columns of a table as read: their names, and what a person should know about them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import pandas as pd

from rugcore.errors import InputError

MAX_COLUMNS = 2_000
LIKE_A_DATE = r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}([T ].*)?"
MOSTLY = 0.8
FEW = 5  # names in a sentence


@dataclass(frozen=True, eq=False)
class ReadTable:
    """A table, and a sentence on everything about the file that was not plain."""

    frame: pd.DataFrame
    notes: tuple[str, ...] = ()
    sheets: tuple[str, ...] = ()  # of a spreadsheet: those that can be chosen
    sheet: str | None = None  # the one that was read


@dataclass(frozen=True)
class Header:
    """One name per column; where the file has none, the position is the name."""

    names: tuple[str, ...]
    unnamed: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def header_of(written: Sequence[str], file: str) -> Header:
    """Refuses names that could not be told apart, and more columns than a person could look through."""
    if len(written) > MAX_COLUMNS:
        raise InputError(
            f"Expected at most {MAX_COLUMNS:,} columns, but {file} has {len(written):,}. Keep those you need."
        )
    names = [name.strip() or f"column {position}" for position, name in enumerate(written, start=1)]
    _refuse_repeated(names, file)
    spaced = [name.strip() for name in written if name.strip() != name and name.strip()]
    notes = [f"Spaces around column names were removed: {listed(spaced)}."] if spaced else []
    unnamed = [name for name, as_written in zip(names, written, strict=True) if not as_written.strip()]
    return Header(tuple(names), tuple(unnamed), tuple(notes))


def _refuse_repeated(names: Sequence[str], file: str) -> None:
    """Numbering the repeated ones would make rules that speak of columns the file does not have."""
    if len(set(names)) == len(names):
        return
    twice = next(name for name in names if names.count(name) > 1)
    positions = [str(position) for position, name in enumerate(names, start=1) if name == twice]
    raise InputError(
        f"Expected every column to have its own name, but {twice!r} stands on {len(positions)} columns of {file} "
        f"(numbers {', '.join(positions)}). Rename or drop the repeated ones."
    )


def without_empty_unnamed(frame: pd.DataFrame, header: Header, file: str) -> tuple[pd.DataFrame, list[str]]:
    """Columns with neither name nor values are a spreadsheet's leftovers; those with values get a visible name."""
    empty = [name for name in header.unnamed if frame[name].isna().all()]
    kept = [name for name in header.unnamed if name not in empty]
    if len(kept) > (frame.shape[1] - len(empty)) / 2:
        raise InputError(
            f"Expected the names of the columns in the first line of {file}, but {len(kept)} columns with values "
            "have no name there. Remove titles and notes above the names."
        )
    notes = [f"Columns without a name are called by their position: {listed(kept)}."] if kept else []
    if empty:
        notes.append(f"Columns with neither a name nor a value were left out: {listed(empty)}.")
    return (frame.drop(columns=empty) if empty else frame), [*header.notes, *notes]


def listed(names: Iterable[str]) -> str:
    """A few names in quotes, and how many more."""
    names = list(names)
    more = f" and {len(names) - FEW:,} more" if len(names) > FEW else ""
    return ", ".join(repr(name) for name in names[:FEW]) + more


def refuse_no_rows(n_rows: int, file: str) -> None:
    if not n_rows:
        raise InputError(f"Expected rows under the column names, but {file} has none. Is it the file you meant?")


def remarks(frame: pd.DataFrame) -> list[str]:
    """What a person should know about how the columns were read; nothing is changed silently, or guessed."""
    return [remark for name in frame.columns for remark in _remarks_on(frame[name], str(name))]


def _remarks_on(column: pd.Series, name: str) -> list[str]:
    known = column.dropna()
    if not len(known):
        return []
    found = []
    is_text = not pd.api.types.is_numeric_dtype(column.dtype)
    if not pd.api.types.is_float_dtype(column.dtype) and len(known) > 20 and known.is_unique:
        found.append(f"Column {name!r} has a different value in every row, like an ID. Drop it if it is one.")
    elif is_text and known.astype(str).str.fullmatch(LIKE_A_DATE).mean() > MOSTLY:
        found.append(
            f"Column {name!r} looks like dates; each date is taken as a category. Write it as a number, such as the "
            "year, or drop it."
        )
    elif is_text:
        is_other = pd.to_numeric(known.astype(str).str.strip(), errors="coerce").isna()
        if is_other.mean() < 1 - MOSTLY:
            found.append(
                f"Column {name!r} is read as text because of {str(known[is_other].iloc[0])!r} and the like in "
                f"{int(is_other.sum())} rows. Leave those cells empty to have it read as numbers."
                if is_other.any()
                else f"Column {name!r} holds numbers with spaces around them and is read as text."
            )
    return found
