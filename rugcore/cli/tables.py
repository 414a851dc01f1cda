"""Tables that come in through the command line, and the files that go out."""

import argparse
import sys
from collections.abc import Collection
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from rugcore.errors import InputError

if TYPE_CHECKING:
    from rugcore.dictionary import DataDictionary


def read_noted(path: str, text_columns: Collection[str] = ()) -> pd.DataFrame:
    """A table from a file; whatever was not plain about reading it is said."""
    from rugcore.readers import read_table_file

    table = read_table_file(path, text_columns=text_columns)
    for note in table.notes:
        print(f"Note: {note}", file=sys.stderr)
    return table.frame


def add_dictionary_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--dictionary", metavar="FILE", help="what columns and values mean, as the command dictionary wrote it"
    )


def read_dictionary(path: str | None) -> "DataDictionary":
    """An empty one if there is no file; what the file is, its content tells."""
    from rugcore.dictionary import DataDictionary

    if path is None:
        return DataDictionary()
    content = Path(path).read_bytes()
    is_json = content.lstrip(b"\xef\xbb\xbf \t\r\n").startswith((b"{", b"["))
    try:
        return DataDictionary.from_json(content) if is_json else DataDictionary.from_csv(content)
    except InputError as error:
        raise InputError(f"{path} cannot be used. {error}") from error


def read_in_words(path: str, model: Any, dictionary: "DataDictionary", also_text: Collection[str] = ()) -> pd.DataFrame:
    """A table in the words of the dictionary; what was text to the model is text here."""
    names = [dictionary.raw_name(name) for name in model.schema_.names_of("category")]
    return dictionary.applied(read_noted(path, text_columns=[*names, *also_text]))


def speak_in_words(options: argparse.Namespace, dictionary: "DataDictionary") -> None:
    """From here on columns are called as the dictionary shows them; a person has named them as in the file."""
    options.target = dictionary.shown_name(options.target)
    options.sensitive = [dictionary.shown_name(name) for name in options.sensitive]
    options.drop = [dictionary.shown_name(name) for name in getattr(options, "drop", [])]
    for said in ("special", "direction"):
        pairs = [(dictionary.shown_name(name), item) for name, item in getattr(options, said, [])]
        setattr(options, said, pairs)


def refuse_unknown(name: str, frame: pd.DataFrame, file: str, hint: str) -> None:
    names = [str(column) for column in frame.columns]
    if name not in names:
        alike = [other for other in names if other.lower() == name.lower()] or get_close_matches(name, names, 1)
        known = ", ".join(repr(other) for other in names)
        advice = f"Did you mean {alike[0]!r}?" if alike else hint
        raise InputError(f"Expected a column {name!r}, but {file} has only {known}. {advice}")


def refuse_bad_place(path: str | None, option: str = "--save") -> None:
    """Now rather than after all the work."""
    if path is not None and (Path(path).is_dir() or not Path(path).absolute().parent.is_dir()):
        raise InputError(f"Expected {option} to name a file in a folder that exists, but got {path}.")


def with_target(frame: pd.DataFrame, target: str) -> pd.DataFrame:
    is_known = frame[target].notna()
    if not is_known.all():
        print(f"{int((~is_known).sum())} rows without a value of {target!r} are left out.", file=sys.stderr)
    frame = frame[is_known]
    labels = frame[target]
    if pd.api.types.is_float_dtype(labels.dtype) and (labels == labels.round()).all():
        frame = frame.assign(**{target: labels.astype(int)})  # blanks had made 0 and 1 into 0.0 and 1.0
    return frame
