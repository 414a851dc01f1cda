"""Tables from files: CSV with any common delimiter, or Parquet."""

import csv
import warnings
from pathlib import Path

import pandas as pd

from rugcore.errors import InputError

DELIMITERS = ",;\t|"
BYTES_TO_LOOK_AT = 64 * 1024


def read_file(path: str | Path) -> pd.DataFrame:
    """Read a table; an empty CSV field is a blank, and everything else is what it says (`None` and `NA` are text)."""
    path = Path(path)
    if not path.is_file():
        raise InputError(f"Expected a file with a table, but there is no file {path}.")
    if path.suffix.lower() in (".parquet", ".pq"):
        return _read_parquet(path)
    return _read_csv(path)


def _read_parquet(path: Path) -> pd.DataFrame:
    try:
        return pd.read_parquet(path)
    except (OSError, ValueError) as error:
        raise InputError(f"{path} is not a Parquet file that can be read ({error}).") from error


def _read_csv(path: Path) -> pd.DataFrame:
    try:
        delimiter = _delimiter(path)
        with warnings.catch_warnings():
            # A line with too many fields would otherwise shift the columns without a word.
            warnings.simplefilter("error", pd.errors.ParserWarning)
            return pd.read_csv(path, sep=delimiter, keep_default_na=False, na_values=[""], index_col=False)
    except UnicodeDecodeError as error:
        raise InputError(f"Expected {path} to be text in UTF-8, but it is not. Save it as UTF-8.") from error
    except (pd.errors.ParserError, pd.errors.ParserWarning, pd.errors.EmptyDataError) as error:
        raise InputError(f"{path} cannot be read as a table: {error}") from error


def _delimiter(path: Path) -> str:
    """The delimiter that the header line has most of."""
    opener = pd.io.common.get_handle(path, "r", encoding="utf-8", compression="infer")
    with opener as handles:
        header = next(csv.reader([handles.handle.read(BYTES_TO_LOOK_AT).partition("\n")[0]], delimiter="\0"), [""])
    text = header[0] if header else ""
    return max(DELIMITERS, key=lambda delimiter: (text.count(delimiter), -DELIMITERS.index(delimiter)))
