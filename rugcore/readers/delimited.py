"""CSV with any common delimiter and encoding.

The lines are counted through once before pandas reads them: pandas fills a line that is too short with blanks and
says nothing, and of one that is too long it drops the rest.
"""

import csv
import io
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import pandas as pd

from rugcore.errors import InputError
from rugcore.readers.codes import columns_of_codes, may_have_codes
from rugcore.readers.columns import Header, ReadTable, header_of, listed, refuse_no_rows, without_empty_unnamed
from rugcore.readers.content import Content, encoding_of, start_of
from rugcore.readers.long_numbers import with_long_numbers
from rugcore.readers.numbers import with_numbers
from rugcore.readers.portions import read_in_portions, with_blanks

DELIMITERS = ",;\t|"
NAMES_OF_DELIMITERS = {";": "semicolons (;)", "\t": "tabs", "|": "bars (|)"}
HINT = re.compile(r"sep=([,;\t|])\r?\n", re.IGNORECASE)  # a first line by which a spreadsheet knows the delimiter
SPACE = " \t\r\n"
LEAST_COLUMNS_OF_A_ROW = 3  # with fewer, a line of running text may look like a row

ROWS_AT_ONCE = 100_000  # as text a table takes several times the memory of numbers


@dataclass(frozen=True)
class Layout:
    """How the file is written."""

    encoding: str
    delimiter: str
    has_hint: bool
    other_delimiter: str = ""  # one that would cut all lines alike as well

    def text(self, content: Content) -> io.TextIOWrapper:
        text = io.TextIOWrapper(io.BytesIO(content.data), encoding=self.encoding, newline="")
        if self.has_hint:
            text.readline()
        return text


@dataclass(frozen=True)
class Line:
    """A row of the file; no fields if the line is blank."""

    number: int
    n_fields: int
    has_value: bool
    n_like_rows: int = 1  # lines of the file that went into it, if each of them looks like a row


@dataclass(frozen=True)
class Extent:
    """How far the table goes: rows up to the last one with a value."""

    n_rows: int
    n_empty_at_end: int
    n_blank_lines: int
    last_line: int  # where the last row begins
    swallowing: Line | None = None  # the first row that may have swallowed others


def read_delimited(content: Content, text_columns: Collection[str] = ()) -> ReadTable:
    """Only an empty field is a blank; a line of another length than the header is refused."""
    encoding, notes = encoding_of(content)
    layout = _layout(start_of(content, encoding), encoding)
    written = _header(content, layout)
    header = header_of(written, content.name)
    extent = _extent(content, layout, len(written))
    refuse_no_rows(extent.n_rows, content.name)
    frame = _parsed(content, layout, header, extent, text_columns)
    frame, notes_on_codes = _with_codes(frame, content, layout, header, extent)
    frame, notes_on_names = without_empty_unnamed(frame, header, content.name)

    def as_text(names: list[str], n_rows: int) -> pd.DataFrame:
        beginning = replace(extent, n_rows=min(n_rows, extent.n_rows))
        return _read(content, layout, header, beginning, usecols=names, dtype="str", low_memory=False)

    frame, notes_on_long = with_long_numbers(frame, text_columns, as_text)
    frame, notes_on_numbers = with_numbers(
        frame,
        text_columns,
        as_text,
        may_hold_lists=layout.delimiter == ",",
        may_have_points_for_thousands=layout.delimiter == ";",
    )
    notes += [*_notes_on(layout), *_notes_on_rows(extent), *notes_on_names, *notes_on_codes, *notes_on_long]
    return ReadTable(frame, (*notes, *notes_on_numbers))


def _notes_on(layout: Layout) -> list[str]:
    name, other = NAMES_OF_DELIMITERS.get(layout.delimiter), layout.other_delimiter
    if other:
        names = {",": "commas (,)"} | NAMES_OF_DELIMITERS
        return [
            f"Fields are taken to be separated by {names[layout.delimiter]}; {names[other]} would be possible as well. "
            "If they are meant, write the table with one of the two only."
        ]
    return [f"Fields are separated by {name}."] if name else []


def _notes_on_rows(extent: Extent) -> list[str]:
    notes = []
    if extent.n_blank_lines:
        notes.append(f"Blank lines between the rows were skipped: {extent.n_blank_lines:,}.")
    if (found := extent.swallowing) is not None:
        notes.append(
            f"Lines {found.number} to {found.number + found.n_like_rows - 1} were read as one row, because a field "
            "there is in double quotes over all of them, but each looks like a row of its own. If rows are missing, "
            "remove the stray quotes."
        )
    if extent.n_empty_at_end:
        notes.append(f"Rows without any value at the end were left out: {extent.n_empty_at_end:,}.")
    return notes


# --- How it is written --------------------------------------------------------------------------------------


def _layout(start: str, encoding: str) -> Layout:
    start = start.removeprefix("\ufeff")
    hint = HINT.match(start)
    if hint:
        return Layout(encoding, hint[1], has_hint=True)
    fits = {delimiter: _fit(start, delimiter) for delimiter in DELIMITERS}
    # Of two that fit alike, the comma is the one that also stands in names and in numbers: "Amount, EUR", "1,5".
    best = max(DELIMITERS, key=lambda delimiter: (*fits[delimiter], delimiter != "," and fits[delimiter][0] > 0.0))
    others = [other for other in DELIMITERS if other != best and fits[other][0] == 1.0 and fits[best][0] == 1.0]
    return Layout(encoding, best, has_hint=False, other_delimiter="".join(others[:1]))


def _fit(start: str, delimiter: str) -> tuple[float, int]:
    """The right delimiter cuts the header into several names, and most lines into as many fields."""
    try:
        widths = [len(record) for record in csv.reader(io.StringIO(start, newline=""), delimiter=delimiter) if record]
    except csv.Error:
        return 0.0, 0
    if not widths or widths[0] < 2:
        return 0.0, 0
    return sum(width == widths[0] for width in widths[1:]) / max(len(widths) - 1, 1), widths[0]


def _header(content: Content, layout: Layout) -> list[str]:
    reader = csv.reader(layout.text(content), delimiter=layout.delimiter)
    try:
        header = next((record for record in reader if not _is_blank(record)), None)
    except csv.Error as error:
        raise _endless_field(content, 1) from error
    if header is None:
        raise InputError(f"Expected {content.name} to be a table with column names, but it has only blank lines.")
    return header


def _is_blank(record: list[str]) -> bool:
    """As pandas sees it: a line of nothing but spaces. An empty field in quotes is a value of a single column."""
    return not record or (len(record) == 1 and bool(record[0]) and not record[0].strip(SPACE))


# --- How far it goes ----------------------------------------------------------------------------------------


def _extent(content: Content, layout: Layout, n_columns: int) -> Extent:
    """Counts the rows, and refuses the first that has more or fewer fields than the header."""
    n_rows = n_empty = n_blank = n_blank_so_far = last_line = 0
    swallowing: Line | None = None
    lines = _lines(content, layout)
    for line in lines:  # up to the header
        if line.n_fields:
            break
    for line in lines:
        if not line.n_fields:
            n_blank_so_far += 1
            continue
        if line.n_fields != n_columns:
            raise _ragged(content, layout, n_columns, line)
        last_line = line.number
        if line.n_like_rows > 1:
            swallowing = swallowing or line
        if line.has_value:
            n_rows, n_empty, n_blank = n_rows + n_empty + 1, 0, n_blank_so_far
        else:
            n_empty += 1
    return Extent(n_rows, n_empty, n_blank, last_line, swallowing)


def _lines(content: Content, layout: Layout) -> Iterator[Line]:
    text = layout.text(content)
    n_before = int(layout.has_hint)
    if b'"' in content.data:
        yield from _quoted_lines(content, text, layout.delimiter, n_before)
        return
    delimiter, empty = layout.delimiter, layout.delimiter + SPACE
    for number, line in enumerate(text, start=1 + n_before):  # four times as fast where no quotes can mislead
        n_delimiters = line.count(delimiter)
        has_value = bool(line.strip(empty))
        yield Line(number, n_delimiters + 1 if has_value or n_delimiters else 0, has_value)


def _quoted_lines(content: Content, text: io.TextIOWrapper, delimiter: str, n_before: int) -> Iterator[Line]:
    written = _Written(text)
    reader = csv.reader(written, delimiter=delimiter, strict=True)
    number = 1 + n_before
    try:
        for record in reader:
            n_lines = len(written.lines) if _looks_like_rows(written.lines, len(record), delimiter) else 1
            yield Line(number, 0 if _is_blank(record) else len(record), any(record), n_lines)
            written.lines.clear()
            number = reader.line_num + 1 + n_before
    except csv.Error as error:
        raise _stray_quote(content, number, reader.line_num + n_before) from error


class _Written:
    """The lines of a text, and those of the record that is being read."""

    def __init__(self, text: io.TextIOWrapper) -> None:
        self._text = text
        self.lines: list[str] = []

    def __iter__(self) -> Iterator[str]:
        for line in self._text:
            self.lines.append(line)
            yield line


def _looks_like_rows(lines: list[str], n_columns: int, delimiter: str) -> bool:
    """A stray quote makes one field of all lines up to the next one. Each of them then still looks like a row."""
    if len(lines) < 2 or n_columns < LEAST_COLUMNS_OF_A_ROW:
        return False
    return all(line.count(delimiter) == n_columns - 1 for line in lines)


def _ragged(content: Content, layout: Layout, n_columns: int, line: Line) -> InputError:
    fields = "1 field" if n_columns == 1 else f"{n_columns} fields"
    return InputError(
        f"Expected {fields} in every line of {content.name}, as in its header, but line {line.number} has "
        f"{line.n_fields}. Correct that line; a field that holds {layout.delimiter!r} or a line break must be in "
        "double quotes, and the quotes must be closed."
    )


def _stray_quote(content: Content, begins: int, ends: int) -> InputError:
    where = f"line {begins}" if begins >= ends else f"the field that begins in line {begins} and goes on to line {ends}"
    return InputError(
        f"Expected the quotes in {content.name} to be closed before the next delimiter, but in {where} they are not. "
        'Write a quote inside a field twice (""), close the quotes or remove them.'
    )


def _endless_field(content: Content, line: int) -> InputError:
    return InputError(
        f"Expected the quotes in {content.name} to be closed, but a field that begins in line {line} does not end. "
        "Close the quotes or remove them."
    )


# --- What it says -------------------------------------------------------------------------------------------


def _parsed(
    content: Content, layout: Layout, header: Header, extent: Extent, text_columns: Collection[str]
) -> pd.DataFrame:
    read = partial(
        _read,
        content,
        layout,
        header,
        extent,
        dtype=dict.fromkeys(text_columns, "str"),
        low_memory=False,  # in pieces of its own, pandas may take a column for numbers here and for text there
    )
    try:
        frame = read() if extent.n_rows <= ROWS_AT_ONCE else read_in_portions(read, ROWS_AT_ONCE, extent.n_rows)
    except pd.errors.ParserError as error:  # all else about the lines was found before
        raise _endless_field(content, extent.last_line) from error
    if len(frame) != extent.n_rows:
        raise InputError(
            f"Expected {extent.n_rows:,} rows in {content.name}, but {len(frame):,} were read: its quotes or line "
            "breaks are unclear. Save it again from a spreadsheet as CSV UTF-8."
        )
    return with_blanks(frame)


def _read(content: Content, layout: Layout, header: Header, extent: Extent, **options: Any) -> Any:
    return pd.read_csv(
        layout.text(content),
        sep=layout.delimiter,
        header=0,
        names=list(header.names),
        nrows=extent.n_rows,
        keep_default_na=False,
        na_values=[""],
        index_col=False,
        **options,
    )


def _with_codes(
    frame: pd.DataFrame, content: Content, layout: Layout, header: Header, extent: Extent
) -> tuple[pd.DataFrame, list[str]]:
    """Columns of codes as they are written, not as the numbers that pandas makes of them."""
    if layout.encoding != "utf-16" and not may_have_codes(content.data, layout.delimiter):
        return frame, []
    numbers = [name for name in frame.columns if pd.api.types.is_numeric_dtype(frame[name].dtype)]
    as_text = {"dtype": "str", "low_memory": False}
    if not numbers:
        return frame, []
    with _read(content, layout, header, extent, usecols=numbers, chunksize=ROWS_AT_ONCE, **as_text) as portions:
        codes = columns_of_codes(portions)
    if not codes:
        return frame, []
    written = _read(content, layout, header, extent, usecols=codes, **as_text)
    frame[codes] = written[codes].apply(lambda column: column.str.strip(" "))
    example = next(value for value in frame[codes[0]].dropna() if value.startswith("0"))
    return frame, [f"Codes such as {example!r} were kept as text, or they would lose their zeros: {listed(codes)}."]
