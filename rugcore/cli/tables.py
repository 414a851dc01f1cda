"""Tables that come in through the command line, and the files that go out."""

import sys
from collections.abc import Collection
from difflib import get_close_matches
from pathlib import Path

import pandas as pd

from rugcore.errors import InputError


def read_noted(path: str, text_columns: Collection[str] = ()) -> pd.DataFrame:
    """A table from a file; whatever was not plain about reading it is said."""
    from rugcore.readers import read_table_file

    table = read_table_file(path, text_columns=text_columns)
    for note in table.notes:
        print(f"Note: {note}", file=sys.stderr)
    return table.frame


def refuse_unknown(name: str, frame: pd.DataFrame, file: str, hint: str) -> None:
    names = [str(column) for column in frame.columns]
    if name not in names:
        alike = [other for other in names if other.lower() == name.lower()] or get_close_matches(name, names, 1)
        known = ", ".join(repr(other) for other in names)
        advice = f"Did you mean {alike[0]!r}?" if alike else hint
        raise InputError(f"Expected a column {name!r}, but {file} has only {known}. {advice}")


def refuse_bad_place(path: str | None) -> None:
    """Now rather than after all the work."""
    if path is not None and (Path(path).is_dir() or not Path(path).absolute().parent.is_dir()):
        raise InputError(f"Expected --save to name a file in a folder that exists, but got {path}.")


def with_target(frame: pd.DataFrame, target: str) -> pd.DataFrame:
    is_known = frame[target].notna()
    if not is_known.all():
        print(f"{int((~is_known).sum())} rows without a value of {target!r} are left out.", file=sys.stderr)
    frame = frame[is_known]
    labels = frame[target]
    if pd.api.types.is_float_dtype(labels.dtype) and (labels == labels.round()).all():
        frame = frame.assign(**{target: labels.astype(int)})  # blanks had made 0 and 1 into 0.0 and 1.0
    return frame
