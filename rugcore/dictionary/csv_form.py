r"""A dictionary as CSV: a line a column, to be read and edited in a spreadsheet.

Codes stand in one cell as `1 = married; 2 = single`, values from worst to best as `poor; fair; good`. In such a list a
backslash makes the next letter a plain one:
`\;`, `\=`, `\\`, a blank at either end; `\n` and `\r` are line breaks.
"""

import codecs
import csv
import io
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from rugcore.dictionary.entry import ColumnEntry, value_text
from rugcore.errors import InputError
from rugcore.explanations.reasons.wording import PLAIN_FIELDS, column_wording
from rugcore.writers import quoted_cell, unquoted_cell

NAME = "column"
# Heading -> field.
TEXTS = {"label": "label", "unit": "unit", "description": "description"}
PAIRS = {"values": "values", "special codes": "special"}
MARKS = {"protected": "protected", "left out": "left_out", "past fact": "past_fact"}
CHOICES = {"more of it": "effect", "may change": "change"}
NUMBERS = {"lowest": "lowest", "highest": "highest"}
REASONS = {f"reason if {name}": name for name in PLAIN_FIELDS}
REASONS_BY_VALUE = "reasons by value"
ORDER = "values from worst to best"
HEADINGS = (NAME, *TEXTS, *PAIRS, *MARKS, *CHOICES, *NUMBERS, *REASONS, REASONS_BY_VALUE, ORDER)

YES, NO = "yes", "no"
SAID_YES = {YES, "y", "true", "1", "x", "ja", "oui", "si", "sí", "evet"}
SAID_NO = {NO, "n", "false", "0", "", "nein", "non", "nee"}
DELIMITERS = ",;\t|"
UTF_16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)  # without one, any bytes would pass for UTF-16
LINE_BREAKS = {"n": "\n", "r": "\r"}


def written(columns: Mapping[str, ColumnEntry]) -> str:
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(HEADINGS)
    writer.writerows(_line(name, entry) for name, entry in columns.items())
    return text.getvalue()


def _line(name: str, entry: ColumnEntry) -> list[str]:
    words = [
        name,
        *(getattr(entry, field) for field in TEXTS.values()),
        *(_listed(getattr(entry, field)) for field in PAIRS.values()),
        *(YES if getattr(entry, field) else NO for field in MARKS.values()),
        *(getattr(entry, field) for field in CHOICES.values()),
    ]
    numbers = [getattr(entry, field) for field in NUMBERS.values()]
    reasons = [*(getattr(entry.wording, field) for field in REASONS.values()), _listed(entry.wording.values)]
    reasons.append("; ".join(_escaped(value) for value in entry.order))
    return [
        *(quoted_cell(word) for word in words),
        *("" if number is None else value_text(number) for number in numbers),  # -5 is a number there too
        *(quoted_cell(word) for word in reasons),
    ]


# -- reading -----------------------------------------------------------------------------------------------


def read(text: str | bytes) -> dict[str, ColumnEntry]:
    """Refuses what is no such file; columns in another order, or left out, are understood."""
    lines = _lines(_decoded(text) if isinstance(text, bytes) else text.removeprefix("\ufeff"))
    found: dict[str, ColumnEntry] = {}
    for number, cells in lines:
        name = cells.pop(NAME)
        if not name.strip():
            raise InputError(f"Expected the name of a column in line {number} of the data dictionary, but it has none.")
        if name in found:
            raise InputError(f"Expected one line a column, but the data dictionary has two for {name!r}.")
        try:
            found[name] = _entry(name, cells)
        except InputError as error:
            raise InputError(f"Line {number} of the data dictionary, on {name!r}, cannot be used. {error}") from error
    return found


def _decoded(data: bytes) -> str:
    for encoding in ("utf-16",) if data.startswith(UTF_16_MARKS) else ("utf-8-sig", "cp1252"):
        try:
            return data.decode(encoding)
        except UnicodeError:
            continue
    raise InputError("Expected a data dictionary as CSV, but it is no text. Save it as CSV from the spreadsheet.")


def _lines(text: str) -> Iterator[tuple[int, dict[str, str]]]:
    """The cells by heading, as they were before they were made harmless; lines without a cell are skipped."""
    first = text.lstrip().partition("\n")[0]
    delimiter = max(DELIMITERS, key=first.count)
    reader = csv.reader(io.StringIO(text.lstrip("\r\n"), newline=""), delimiter=delimiter)
    try:
        headings = [heading.strip().lower() for heading in next(reader, [])]
        _check(headings)
        for cells in reader:
            if any(cell.strip() for cell in cells):
                padded = [*cells, *[""] * (len(headings) - len(cells))]
                yield (
                    reader.line_num,
                    {heading: unquoted_cell(cell) for heading, cell in zip(headings, padded, strict=False) if heading},
                )
    except csv.Error as error:
        raise InputError(
            f"Expected a data dictionary as CSV, but line {reader.line_num} is damaged ({error})."
        ) from error


def _check(headings: list[str]) -> None:
    named = [heading for heading in headings if heading]
    if NAME not in named:
        raise InputError(
            f"Expected a data dictionary with a column {NAME!r} that holds the names of columns, but the file has "
            "none. Choose a file that was saved here, or write a new one."
        )
    unknown = [heading for heading in named if heading not in HEADINGS]
    if unknown or len(set(named)) < len(named):
        what = f"got {unknown[0]!r}" if unknown else "one of them stands there twice"
        raise InputError(f"Expected the headings {', '.join(HEADINGS)} in a data dictionary, but {what}.")


def _entry(name: str, cells: Mapping[str, str]) -> ColumnEntry:
    said: dict[str, Any] = {field: cells.get(heading, "") for heading, field in TEXTS.items()}
    said["values"] = _pairs(cells.get("values", ""))
    said["special"] = {_number(code, "a special code"): m for code, m in _pairs(cells.get("special codes", "")).items()}
    said |= {field: _mark(cells.get(heading, ""), heading) for heading, field in MARKS.items()}
    for heading, field in CHOICES.items():
        if word := cells.get(heading, "").strip().lower():
            said[field] = word
    for heading, field in NUMBERS.items():
        if number := cells.get(heading, "").strip():
            said[field] = _number(number, heading)
    said["order"] = tuple(_items(cells.get(ORDER, "")))
    texts: dict[str, Any] = {field: cells.get(heading, "") for heading, field in REASONS.items()}
    said["wording"] = column_wording(name, texts | {"values": _pairs(cells.get(REASONS_BY_VALUE, ""))})
    return ColumnEntry(**said)


def _mark(text: str, heading: str) -> bool:
    word = text.strip().lower()
    if word not in SAID_YES | SAID_NO:
        raise InputError(f"Expected yes or no under {heading!r}, but got {text!r}.")
    return word in SAID_YES


def _number(text: str, what: str) -> float:
    """A spreadsheet in another language writes 0,5."""
    for written_so in (text, text.replace(",", ".")):
        try:
            return float(written_so)
        except ValueError:
            continue
    raise InputError(f"Expected {what} to be a number, but got {text!r}.")


# -- pairs of code and meaning -----------------------------------------------------------------------------


def _listed(pairs: Mapping[Any, str]) -> str:
    return "; ".join(f"{_escaped(value_text(code))} = {_escaped(meaning)}" for code, meaning in pairs.items())


def _escaped(text: str) -> str:
    for letter in "\\;=":
        text = text.replace(letter, f"\\{letter}")
    text = text.replace("\n", "\\n").replace("\r", "\\r")
    stripped = text.strip()
    if stripped == text:
        return text
    before, _, after = text.partition(stripped) if stripped else (text, "", "")
    return "".join(f"\\{letter}" for letter in before) + stripped + "".join(f"\\{letter}" for letter in after)


def _items(text: str) -> Iterator[str]:
    for item in _parted(_letters(text), ";"):
        if "".join(letter for letter, _ in item).strip():
            yield _plain(item)


def _pairs(text: str) -> dict[str, str]:
    pairs = {}
    for item in _parted(_letters(text), ";"):
        if not "".join(letter for letter, _ in item).strip():
            continue
        sides = list(_parted(item, "="))
        if len(sides) != 2:
            raise InputError(f"Expected codes as 'code = meaning; code = meaning', but got {_plain(item)!r}.")
        pairs[_plain(sides[0])] = _plain(sides[1])
    return pairs


Letter = tuple[str, bool]  # and whether it is a plain one, whatever it looks like


def _letters(text: str) -> list[Letter]:
    found: list[Letter] = []
    source = iter(text)
    for letter in source:
        if letter == "\\":
            escaped = next(source, "\\")
            found.append((LINE_BREAKS.get(escaped, escaped), True))
        else:
            found.append((letter, False))
    return found


def _parted(letters: Iterable[Letter], at: str) -> list[list[Letter]]:
    parts: list[list[Letter]] = [[]]
    for letter in letters:
        if letter == (at, False):
            parts.append([])
        else:
            parts[-1].append(letter)
    return parts


def _plain(letters: list[Letter]) -> str:
    """Without the blanks around it, unless they are marked as plain letters."""
    while letters and letters[0][0].isspace() and not letters[0][1]:
        letters = letters[1:]
    while letters and letters[-1][0].isspace() and not letters[-1][1]:
        letters = letters[:-1]
    return "".join(letter for letter, _ in letters)
