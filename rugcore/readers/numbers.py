"""Numbers that are text to pandas, such as 2.384,25 and $1,234.50 and 21,5 %: read where only one reading is possible.

1.234 may be a thousand or little more than one. It is read only if another value of its column, or another column of
the file, shows which sign stands before the decimals. All that was read so is said in a note, with an example.
"""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import pandas as pd

from rugcore.readers.columns import listed
from rugcore.rules.words import number

TRIED_FIRST = 1_000  # most columns of text can be told from numbers by a few values
DECIMAL_SIGNS = (",", ".")
SPACES = " \u00a0\u202f"
GAPS = f"{SPACES}'\u2019"  # between thousands, never before decimals
SIGN = "[+\u2212-]?"
# Digits are [0-9] here: for those of all scripts pandas would look at one value after the other, which takes long.
UNITS = (
    r"%|US\$|R\$|[€$£¥₹₽₺₩₪₴]|zł|kr|Kč|Ft|Fr\.|EUR|USD|GBP|CHF|JPY|CNY|INR|AUD|CAD|NZD|SEK|NOK|DKK|PLN|CZK|HUF|RON|BGN"
    "|BRL|MXN|ZAR|TRY|RUB|KRW|SGD|HKD|ILS|UAH"
)
UNIT_BEFORE = re.compile(rf"\s*{SIGN}({UNITS})[{SPACES}]?{SIGN}[0-9]")
UNIT_AFTER = re.compile(rf"[0-9][{SPACES}]?({UNITS})\s*$")
WITH_THOUSANDS = rf"{SIGN}[0-9]{{1,3}}([.,{GAPS}][0-9]{{3}})+([.,][0-9]+)?"
POSSIBLY_NUMBERS = rf"({WITH_THOUSANDS}|{SIGN}[0-9]+([.,][0-9]+)?)"

# The columns of those names as they stand in the file, so many rows of them.
AsText = Callable[[list[str], int], pd.DataFrame]


@dataclass(frozen=True)
class Reading:
    """How a column of text can be read as numbers."""

    unit: str  # nothing, or what stands at every number
    decimal_signs: tuple[str, ...]  # those with which every value is a number
    example: str  # with a sign between thousands, if there is one
    shows_sign: bool  # whether its values allow only one decimal sign

    @property
    def is_certain(self) -> bool:
        """Whether no other reading would give other numbers."""
        return len(self.decimal_signs) == 1

    def settled(self, decimal_sign: str) -> "Reading":
        return replace(self, decimal_signs=(decimal_sign,))


def with_numbers(
    frame: pd.DataFrame,
    text_columns: Collection[str],
    as_text: AsText | None = None,
    *,
    may_hold_lists: bool = False,
    may_have_points_for_thousands: bool = False,
) -> tuple[pd.DataFrame, list[str]]:
    """The frame with numbers for text where that is certain; `text_columns` stay text.

    `as_text` gives what stood in the file where pandas has read numbers. With `may_hold_lists` a lone comma, as in
    1,5, may part two items, and is no decimal sign. With `may_have_points_for_thousands` 1.000 may be a thousand, as in
    the files of countries that write decimal commas.
    """
    texts = [name for name in frame.columns if name not in text_columns and _is_text(frame[name])]
    readings = {name: found for name in texts if (found := _reading(frame[name], may_hold_lists)) is not None}
    has_doubt = bool(readings) or may_have_points_for_thousands
    points = _with_points(frame, text_columns, as_text) if as_text is not None and has_doubt else {}
    signs = _signs_of_file(readings, points)
    if len(signs) == 1:
        readings = {name: _settled(found, *signs) for name, found in readings.items()}
    certain = {name: found for name, found in readings.items() if found.is_certain}
    for name, found in certain.items():
        frame[name] = _numbers(frame[name], found)
    if signs == {","} and points and as_text is not None:
        certain |= _reread(frame, list(points), as_text)
    doubtful: list[str] = []
    if may_have_points_for_thousands and not signs and points and as_text is not None:
        doubtful = _with_doubtful_points(frame, list(points), as_text)
    unclear = [name for name in texts if name not in certain and (name in readings or _is_unclear(frame[name]))]
    return frame, [*_notes_on(certain), *_note_on_unclear(frame, [*unclear, *doubtful])]


def _is_text(column: pd.Series) -> bool:
    return pd.api.types.infer_dtype(column, skipna=True) == "string"


def _with_points(frame: pd.DataFrame, text_columns: Collection[str], as_text: AsText) -> dict[str, pd.Series]:
    """The first values, as they are written, of columns that pandas has read with a decimal point."""
    is_fraction = pd.api.types.is_float_dtype
    names = [name for name in frame.columns if name not in text_columns and is_fraction(frame[name].dtype)]
    beginnings = as_text(names, TRIED_FIRST) if names else pd.DataFrame()
    return {name: beginnings[name] for name in names if _has_point(frame[name], beginnings[name])}


def _has_point(column: pd.Series, beginning: pd.Series) -> bool:
    """Fractions, and also 2.000; whole numbers among blanks are fractions to pandas only."""
    return bool((column.dropna() % 1 != 0).any() or beginning.str.contains(".", regex=False).any())


def _with_doubtful_points(frame: pd.DataFrame, names: list[str], as_text: AsText) -> list[str]:
    """Make text of columns that may as well hold thousands, unless a later value of any shows that none does."""
    written = as_text(names, len(frame))
    if not all(_all_match(written[name], pattern(",")) for name in names):
        return []
    for name in names:
        frame[name] = written[name]
    return names


def _signs_of_file(readings: Mapping[str, Reading], points: Mapping[str, pd.Series]) -> set[str]:
    """The decimal signs that the columns show; a file that is of one piece has one."""
    shown = {found.decimal_signs[0] for found in readings.values() if found.shows_sign}
    return shown | {"." for beginning in points.values() if not _all_match(beginning, pattern(","))}


# --- How a column can be read -------------------------------------------------------------------------------


def pattern(decimal_sign: str, unit: str = "") -> str:
    """A number as a whole value. 0,125 has no thousands, and 007 is no number but a code."""
    group = _group_sign(decimal_sign)
    thousands = "|".join(rf"[1-9][0-9]{{0,2}}({sign}[0-9]{{3}})+" for sign in (re.escape(group), f"[{GAPS}]"))
    digits = rf"([0-9]{{1,2}}|[1-9][0-9]*|{thousands})({re.escape(decimal_sign)}[0-9]+)?"
    if not unit:
        return rf"( *{SIGN}{digits} *)"
    name, gap = re.escape(unit), f"[{SPACES}]?"
    return rf"( *(({SIGN}{name}{gap}|{name}{gap}{SIGN}){digits}|{SIGN}{digits}{gap}{name}) *)"


def _reading(column: pd.Series, may_hold_lists: bool) -> Reading | None:
    known = column.dropna()
    unit = _unit_of(known.iloc[0])
    signs = tuple(sign for sign in DECIMAL_SIGNS if _all_match(known, pattern(sign, unit)))
    has_marks = known.str.contains(_between_digits(".,")) if signs else pd.Series(dtype=bool)
    if not signs or not (unit or has_marks.any()):  # digits alone were made text because they are codes
        return None
    if signs == (",",) and may_hold_lists and not unit and not known.str.contains(_between_digits(".")).any():
        return None
    return _without_needless_doubt(Reading(unit, signs, _example(known, signs), len(signs) == 1), known)


def has_unit(cells: Iterable[object]) -> bool:
    """Whether the cells are text, and the first that is not empty ends or begins like an amount of something."""
    known = [cell for cell in cells if cell is not None]
    return all(isinstance(cell, str) for cell in known) and bool(known and _unit_of(str(known[0])))


def _unit_of(value: str) -> str:
    before, after = UNIT_BEFORE.match(value), UNIT_AFTER.search(value)
    if before and after:
        return ""
    found = before or after
    return str(found[1]) if found else ""


def _example(known: pd.Series, signs: Sequence[str]) -> str:
    has_group = known.str.contains(_between_digits("".join(_group_sign(sign) for sign in signs)))
    return str((known[has_group] if has_group.any() else known).iloc[0])


def _group_sign(decimal_sign: str) -> str:
    return "." if decimal_sign == "," else ","


def _between_digits(signs: str) -> str:
    return rf"[0-9][{signs}{GAPS}][0-9]"


def _without_needless_doubt(reading: Reading, known: pd.Series) -> Reading:
    """5 € is the same with either decimal sign, and so is 1 234 567; but 1 234 may be a code of two parts."""
    if reading.is_certain or known.str.contains(r"[0-9][.,][0-9]").any():
        return reading
    is_number = reading.unit or known.str.contains(rf"[0-9][{GAPS}][0-9]{{3}}[{GAPS}]").any()
    return reading.settled(".") if is_number else reading


def _settled(reading: Reading, decimal_sign: str) -> Reading:
    """What the rest of the file says about decimals; about a gap, as in 1 234, it says nothing."""
    if reading.is_certain or not re.search(r"[0-9][.,][0-9]", reading.example):
        return reading
    return reading.settled(decimal_sign)


def _reread(frame: pd.DataFrame, names: Sequence[str], as_text: AsText) -> dict[str, Reading]:
    """Thousands that pandas took for decimals: 2.384 in a file that writes 2,5."""
    texts = as_text(list(names), len(frame))
    found = {}
    for name in names:
        reading = _reading(texts[name], may_hold_lists=False)
        if reading is not None and "," in reading.decimal_signs:
            found[name] = reading.settled(",")
            frame[name] = _numbers(texts[name], found[name])
    return found


def _is_unclear(column: pd.Series) -> bool:
    beginning = column.dropna().iloc[:TRIED_FIRST]
    return bool(beginning.str.fullmatch(WITH_THOUSANDS).any()) and _all_match(column, POSSIBLY_NUMBERS)


def _all_match(column: pd.Series, value: str) -> bool:
    known = column.dropna()
    return bool(known.iloc[:TRIED_FIRST].str.fullmatch(value).all() and known.str.fullmatch(value).all())


def _numbers(column: pd.Series, reading: Reading) -> pd.Series:
    (decimal_sign,) = reading.decimal_signs
    group = _group_sign(decimal_sign)
    digits = column.str.replace(reading.unit, "", regex=False) if reading.unit else column
    digits = digits.str.replace(f"[{group}{GAPS}]", "", regex=True).str.replace("\u2212", "-", regex=False)
    return digits.str.replace(decimal_sign, ".", regex=False).astype(float)


# --- What is said about it ----------------------------------------------------------------------------------


def _notes_on(certain: dict[str, Reading]) -> list[str]:
    columns_of: dict[tuple[str, bool], list[str]] = {}
    for name, reading in certain.items():
        columns_of.setdefault((reading.unit, _is_decimal_comma_only(reading)), []).append(name)
    return [_note_on(certain[names[0]], names) for names in columns_of.values()]


def _is_decimal_comma_only(reading: Reading) -> bool:
    has_group = re.search(_between_digits(_group_sign(reading.decimal_signs[0])), reading.example)
    return not reading.unit and not has_group


def _note_on(reading: Reading, names: list[str]) -> str:
    if _is_decimal_comma_only(reading):
        return f"Decimal commas were read as numbers: {listed(names)}."
    what = f"Numbers with {reading.unit!r}" if reading.unit else "Numbers with thousands separators"
    as_number = number(float(_numbers(pd.Series([reading.example], dtype="str"), reading).iloc[0]))
    return f"{what} were read as numbers, such as {reading.example.strip()!r} as {as_number}: {listed(names)}."


def _note_on_unclear(frame: pd.DataFrame, names: list[str]) -> list[str]:
    if not names:
        return []
    example = frame[names[0]].dropna().iloc[0]
    return [
        f"Columns with values such as {example!r} were kept as text, because it is not certain which number that is: "
        f"{listed(names)}. Write numbers without thousands separators."
    ]
