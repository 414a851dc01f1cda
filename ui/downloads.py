"""Files that a visitor takes home."""

import csv

import pandas as pd

# A spreadsheet takes a cell that begins so for a formula, and runs it.
FORMULA_BEGINNINGS = ("=", "+", "-", "@", "\t", "\r", "\n")


def harmless_cell(cell: object) -> object:
    """Text that no spreadsheet runs: a quote in front makes it text, and is not shown there."""
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(FORMULA_BEGINNINGS) else cell


def to_csv(frame: pd.DataFrame) -> bytes:
    """A table as CSV for a spreadsheet: UTF-8 with a mark, so that it reads letters beyond ASCII."""
    harmless = frame.astype(object).map(harmless_cell)
    harmless.columns = pd.Index([harmless_cell(str(name)) for name in frame.columns])
    text = harmless.to_csv(index=False, quoting=csv.QUOTE_NONNUMERIC)  # or a lone \r would begin a new line
    return text.encode("utf-8-sig")
