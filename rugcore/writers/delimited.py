"""Tables as CSV."""

import csv

import pandas as pd

from rugcore.writers.cells import harmless_cell


def to_csv(frame: pd.DataFrame) -> bytes:
    """A table as CSV for a spreadsheet: UTF-8 with a mark, so that it reads letters beyond ASCII."""
    harmless = frame.astype(object).map(harmless_cell)
    harmless.columns = pd.Index([harmless_cell(str(name)) for name in frame.columns])
    text = harmless.to_csv(index=False, quoting=csv.QUOTE_NONNUMERIC)  # or a lone \r would begin a new line
    return text.encode("utf-8-sig")
