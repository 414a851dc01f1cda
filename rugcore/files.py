"""Tables from files: CSV with any common delimiter, or Parquet."""

import re
import warnings
import zipfile
from collections.abc import Collection
from pathlib import Path

import pandas as pd

from rugcore.errors import InputError

DELIMITERS = ",;\t|"
QUOTED = re.compile(r'"(?:[^"]|"")*"')
LIKE_A_DATE = r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}([T ].*)?"
MOSTLY = 0.8
DECIMAL_COMMA = r"[+-]?\d+(,\d+)?"
NOT_A_TABLE = (pd.errors.ParserError, pd.errors.ParserWarning, pd.errors.EmptyDataError)
NOT_READABLE = (OSError, EOFError, zipfile.BadZipFile)  # a damaged .gz or .zip says so in one of these


def read_file(path: str | Path, text_columns: Collection[str] = ()) -> pd.DataFrame:
    """Read a table; an empty CSV field is a blank, and all else is what it says (`None` and `NA` are text).

    What stands in `text_columns` of a CSV file is text even if it looks like numbers.
    """
    path = Path(path)
    if not path.is_file():
        what = "it is a folder" if path.is_dir() else f"there is no file {path}"
        raise InputError(f"Expected {path} to be a file with a table, but {what}.")
    if path.suffix.lower() in (".parquet", ".pq"):
        return _read_parquet(path)
    return _read_csv(path, text_columns)


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
            f"Column {name!r} looks like dates; each date is taken as a category. Make it a number or drop it."
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


def _read_parquet(path: Path) -> pd.DataFrame:
    try:
        return pd.read_parquet(path)
    except (OSError, ValueError) as error:
        raise InputError(f"{path} is not a Parquet file that can be read ({error}).") from error


def _read_csv(path: Path, text_columns: Collection[str]) -> pd.DataFrame:
    try:
        header = _header(path)
        delimiter = _delimiter(header)
        _refuse_repeated_names(path, delimiter)
        with warnings.catch_warnings():
            # A line with too many fields would otherwise shift the columns without a word.
            warnings.simplefilter("error", pd.errors.ParserWarning)
            frame = pd.read_csv(
                path,
                sep=delimiter,
                keep_default_na=False,
                na_values=[""],
                index_col=False,
                dtype=dict.fromkeys(text_columns, "str"),
                low_memory=False,  # in pieces, one column could become numbers here and text there
            )
    except UnicodeDecodeError as error:
        raise InputError(
            f"Expected {path} to be text in UTF-8, but it is not. Open it where it came from and "
            "save it again with the encoding UTF-8 (in a spreadsheet: CSV UTF-8)."
        ) from error
    except NOT_A_TABLE as error:
        raise InputError(f"{path} cannot be read as a table: {str(error).strip()}") from error
    except NOT_READABLE as error:
        raise InputError(f"{path} cannot be read ({error}).") from error
    return frame if delimiter == "," else _with_decimal_commas(frame, text_columns)


def _header(path: Path) -> str:
    """The first line, whatever it holds; also of a compressed file."""
    first = pd.read_csv(path, sep="\0", header=None, nrows=1, quoting=3, dtype=str, engine="python")
    return str(first.iloc[0, 0]) if first.size else ""


def _delimiter(header: str) -> str:
    """The delimiter that the header has most of, outside quotes."""
    text = QUOTED.sub("", header)
    return max(DELIMITERS, key=lambda delimiter: (text.count(delimiter), -DELIMITERS.index(delimiter)))


def _refuse_repeated_names(path: Path, delimiter: str) -> None:
    """pandas would number the repeated ones, and rules would speak of columns that the file does not have."""
    first = pd.read_csv(path, sep=delimiter, header=None, nrows=1, dtype=str, keep_default_na=False)
    names = first.iloc[0].tolist()
    twice = [name for name in names if name and names.count(name) > 1]
    if twice:
        raise InputError(
            f"Expected every column to have its own name, but {twice[0]!r} stands on {names.count(twice[0])} "
            f"columns of {path}. Rename or drop the repeated ones."
        )


def _with_decimal_commas(frame: pd.DataFrame, text_columns: Collection[str]) -> pd.DataFrame:
    """Numbers such as 3,5, as spreadsheets write them beside semicolons in much of the world."""
    for name in frame.columns.difference([*text_columns]):
        column = frame[name]
        if pd.api.types.is_string_dtype(column.dtype) and column.dropna().str.fullmatch(DECIMAL_COMMA).all():
            frame[name] = column.str.replace(",", ".").astype(float)
    return frame
