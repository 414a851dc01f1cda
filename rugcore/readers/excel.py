"""Spreadsheets: .xlsx, .xls and .ods. What is text in a cell stays text, and a date becomes text that reads as one.

Only a column of text such as 5,50 € is read as numbers, because nothing else can be meant.
"""

import json
import subprocess
import sys
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from rugcore.errors import InputError, RugError, missing_package
from rugcore.readers import content as limits
from rugcore.readers import workbook
from rugcore.readers.columns import ReadTable, header_of, listed, refuse_no_rows, without_empty_unnamed
from rugcore.readers.content import OLD_OFFICE, Content, unfolded_size
from rugcore.readers.numbers import has_unit, with_numbers

# Of the reading process, in bytes. The limit on the file lets through about thirty million cells, which need less than
# three billion bytes and about a minute. What a smaller file may need follows from its size when unpacked: a cell that
# is written takes five bytes there or more, and about a hundred in memory. A few cells far apart would take any amount,
# because the library makes room for all between them.
MAX_MEMORY = 4_000_000_000
LEAST_MEMORY = 400_000_000
MEMORY_PER_BYTE = 24
MAX_SECONDS = 300.0
PROTECTED = "EncryptedPackage".encode("utf-16-le")  # the part of an old office file that holds a protected new one
LARGEST_EXACT = 2.0**53  # whole numbers up to here are exact as floating point, which is how spreadsheets keep them


def read_excel(content: Content, sheet: str | None = None, text_columns: Collection[str] = ()) -> ReadTable:
    """The sheet of that name, or the first that is not empty."""
    if content.data.startswith(OLD_OFFICE) and PROTECTED in content.data:
        raise _protected(content)
    told, rows = _rows(content, sheet)
    header = header_of([_in_words(cell) for cell in rows[0]], content.name)
    while len(rows) > 1 and not any(cell is not None for cell in rows[-1]):
        rows.pop()
    refuse_no_rows(len(rows) - 1, content.name)
    columns = dict(zip(header.names, zip(*rows[1:], strict=True), strict=True))
    dates = [name for name, cells in columns.items() if any(isinstance(cell, dict) for cell in cells)]
    frame = pd.DataFrame({name: _column(cells, name in text_columns) for name, cells in columns.items()})
    frame, notes = without_empty_unnamed(frame, header, content.name)
    texts = [name for name, cells in columns.items() if name in text_columns or not has_unit(cells)]
    frame, notes_on_numbers = with_numbers(frame, texts)
    if dates:
        notes.append(f"Dates and times were kept as text: {listed(dates)}.")
    notes += [*_note_on_errors(told["errors"]), *_notes_on_cells(told), *notes_on_numbers]
    return ReadTable(frame, (*_note_on_sheets(told, sheet), *notes), tuple(told["sheets"]), told["sheet"])


def _note_on_errors(n_errors: int) -> list[str]:
    if not n_errors:
        return []
    cells = "1 cell was" if n_errors == 1 else f"{n_errors:,} cells were"
    return [f"{cells} read as blank because of an error there, such as #DIV/0! or #N/A."]


def _notes_on_cells(told: dict[str, Any]) -> list[str]:
    n_formulas, n_merged = told["formulas"], told["merged"]
    notes = []
    if n_formulas:
        cells = "1 cell holds a formula" if n_formulas == 1 else f"{n_formulas:,} cells hold formulas"
        notes.append(
            f"{cells} without a result and read as blank. Open the file in a spreadsheet and save it again, so that "
            "results are saved as well."
        )
    if n_merged:
        ranges = "1 range of cells is" if n_merged == 1 else f"{n_merged:,} ranges of cells are"
        notes.append(
            f"{ranges} merged: only the first cell of each has the value, and the others are read as blank. Undo the "
            "merging if the value holds for all."
        )
    return notes


def _note_on_sheets(told: dict[str, Any], wanted: str | None) -> list[str]:
    n_sheets = len(told["sheets"])
    if wanted is not None or n_sheets < 2:
        return []
    return [f"The file has {n_sheets} sheets; the first that is not empty, {told['sheet']!r}, was read."]


def _rows(content: Content, sheet: str | None) -> tuple[dict[str, Any], list[list[Any]]]:
    memory = min(LEAST_MEMORY + MEMORY_PER_BYTE * unfolded_size(content), MAX_MEMORY)
    program = [sys.executable, "-I", str(Path(workbook.__file__)), str(memory), str(limits.MAX_BYTES)]
    try:
        done = subprocess.run(
            [*program, *([] if sheet is None else [sheet])],
            input=content.data,
            capture_output=True,
            timeout=MAX_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise _too_large(content) from error
    lines = done.stdout.splitlines()
    told = json.loads(lines[0]) if lines else {"sheets": []}
    if done.returncode:
        raise _refusal(content, done, told["sheets"], sheet)
    return told, [json.loads(line) for line in lines[1:]]


def _refusal(
    content: Content, done: "subprocess.CompletedProcess[bytes]", sheets: Sequence[str], sheet: str | None
) -> RugError:
    if b"No module named 'python_calamine'" in done.stderr:
        return missing_package("Reading spreadsheets", "excel")
    if done.returncode == workbook.PROTECTED:
        return _protected(content)
    if done.returncode == workbook.NO_SUCH_SHEET:
        return InputError(f"Expected a sheet {sheet!r} in {content.name}, but it has only {listed(sheets)}.")
    if done.returncode == workbook.EMPTY:
        where = f"sheet {sheet!r} of {content.name}" if sheet else content.name
        return InputError(f"Expected {where} to hold a table, but there is nothing in it.")
    if done.returncode == workbook.TOO_LARGE or b"memory allocation" in done.stderr:
        return _too_large(content)
    return InputError(
        f"{content.name} is not a spreadsheet that can be read. It may be damaged, cut short or something else under "
        "this name; open it in a spreadsheet and save it again as .xlsx or CSV."
    )


def _protected(content: Content) -> InputError:
    return InputError(f"{content.name} is protected by a password. Save it again without one.")


def _too_large(content: Content) -> InputError:
    return InputError(
        f"The cells of {content.name} cover more than can be read as a spreadsheet. Delete stray cells far below or "
        "right of the table, or save it as CSV."
    )


def _column(cells: Sequence[Any], is_text: bool) -> pd.Series:
    """Numbers or true/false where all cells agree, and else text: a column is of one kind from top to bottom."""
    kinds = {type(cell) for cell in cells} - {type(None)}
    if not kinds:
        return pd.Series(np.full(len(cells), np.nan))
    if kinds == {bool} and not is_text:
        return pd.Series(cells, dtype=object if None in cells else bool)
    if kinds <= {int, float} and not is_text:
        return _numbers(np.array(cells, dtype=np.float64))
    return pd.Series([None if cell is None else _in_words(cell) for cell in cells], dtype="str")


def _numbers(numbers: np.ndarray) -> pd.Series:
    is_whole = (numbers == np.floor(numbers)) & (np.abs(numbers) < LARGEST_EXACT)
    return pd.Series(numbers.astype(np.int64) if is_whole.all() else numbers)


def _in_words(cell: Any) -> str:
    if isinstance(cell, dict):
        return str(cell[workbook.MOMENT])
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return "" if cell is None else str(cell)
