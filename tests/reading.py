"""Rules read back from their text alone, as a person with the table in hand would read them.

Written apart from the engine's own words, so that tests can hold the two against each other.
"""

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal

import numpy as np
import pandas as pd

QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')
NUMBER = r"-?[\d,]+(?:\.\d+)?(?:e[+-]\d+)?|-?\d+(?:\.\d+)?e[+-]\d+"
BETWEEN = re.compile(rf"(?P<low>{NUMBER}) < (?P<name>.+) <= (?P<high>{NUMBER})")
UP_TO = re.compile(rf"(?P<name>.+) <= (?P<high>{NUMBER})")
ABOVE = re.compile(rf"(?P<name>.+) > (?P<low>{NUMBER})")
KNOWN = re.compile(r"(?P<name>.+) is known")
BLANK = re.compile(r"(?P<name>.+) is missing")
IS_NOT = re.compile(r"(?P<name>.+?) is (?:not|neither) (?P<values>.+)")
IS = re.compile(r"(?P<name>.+?) is (?P<values>.+)")


@dataclass(frozen=True)
class Statement:
    """One condition as its text states it."""

    name: str
    covers_blank: bool
    low: float = -math.inf
    high: float = math.inf
    values: tuple[str, ...] | None = None  # as written; None if the statement is not about values
    is_negated: bool = False
    covers_known: bool = True
    special: tuple[str, ...] = ()  # special codes that an interval lets in, by what they stand for

    def holds(self, column: pd.Series, meanings: Mapping[float, str] | None = None) -> np.ndarray:
        """`meanings` are what the special codes of the column stand for."""
        return np.array([self._holds_for(cell, meanings or {}) for cell in column.tolist()], dtype=bool)

    def _holds_for(self, cell: object, meanings: Mapping[float, str]) -> bool:
        if pd.isna(cell):  # type: ignore[call-overload]
            return self.covers_blank
        if not self.covers_known:
            return False
        is_bounded = not (self.low == -math.inf and self.high == math.inf)
        if meanings and self.values is not None:
            return (meanings.get(cell) in self.values) != self.is_negated  # type: ignore[call-overload]
        if cell in meanings and is_bounded:
            return meanings[cell] in self.special  # type: ignore[index]
        if self.values is not None:
            return any(_is_written(cell, value) for value in self.values) != self.is_negated
        if self.low == -math.inf and self.high == math.inf:
            return True  # "is known", which text can be as well
        return self.low < float(cell) <= self.high  # type: ignore[arg-type]


def read_rule(text: str) -> list[Statement]:
    """The conditions of a rule, from `str(rule)`."""
    if text == "always":
        return []
    quoted: list[str] = []

    def hide(found: re.Match[str]) -> str:
        quoted.append(json.loads(found[0]))
        return f"\0{len(quoted) - 1}\0"

    parts = QUOTED.sub(hide, text).split(" and ")
    return [_statement(part, quoted) for part in parts]


def holds(
    text: str, table: pd.DataFrame, special_values: Mapping[str, Mapping[float, str]] | None = None
) -> np.ndarray:
    """The rows that satisfy every condition of the text; a special code is what it stands for, and no amount."""
    is_held = np.ones(len(table), dtype=bool)
    for statement in read_rule(text):
        is_held &= statement.holds(table[statement.name], (special_values or {}).get(statement.name))
    return is_held


def significant_digits(written: str) -> int:
    """Of a number as it is written: 42,000 has two, 0.25 has two, 0 has one."""
    mantissa = written.replace(",", "").lower().split("e")[0]
    digits = mantissa.replace(".", "").lstrip("-0").rstrip("0")
    return max(len(digits), 1)


def fits_in_gap(digits: int, below: float, above: float) -> bool:
    """Whether some number of that many digits, read as a float, lies in [below, above).

    Such a number is at least `below`, and then the smallest one is no larger; or it is a little less and is read
    as `below` itself, and then so is the largest one that is less.
    """
    exact = Decimal(below)
    candidates = [
        Context(prec=digits, rounding=rounding).create_decimal(exact) for rounding in (ROUND_CEILING, ROUND_FLOOR)
    ]
    return any(below <= float(candidate) < above for candidate in candidates)


def gap_around(threshold: float, numbers: np.ndarray) -> tuple[float, float]:
    """The largest number up to the threshold and the smallest above it."""
    known = numbers[~np.isnan(numbers)]
    return known[known <= threshold].max(), known[known > threshold].min()


def _statement(part: str, quoted: list[str]) -> Statement:
    text = part[1:-1] if part.startswith("(") else part
    for ending in (", or missing", " or missing"):
        if text.endswith(ending):
            return _body(text.removesuffix(ending), quoted, covers_blank=True)
    return _body(text, quoted, covers_blank=False)


def _body(text: str, quoted: list[str], covers_blank: bool) -> Statement:
    interval, *codes = re.split(r" or (?=\0\d+\0(?: or |$))", text)
    for form in (BETWEEN, UP_TO, ABOVE):
        if found := form.fullmatch(interval):
            bounds = {key: _number(value) for key, value in found.groupdict().items() if key != "name"}
            special = tuple(_plain(code, quoted) for code in codes)
            return Statement(_plain(found["name"], quoted), covers_blank, special=special, **bounds)
    if found := KNOWN.fullmatch(text):
        return Statement(_plain(found["name"], quoted), covers_blank)
    if found := BLANK.fullmatch(text):
        return Statement(_plain(found["name"], quoted), covers_blank=True, covers_known=False)
    if found := IS_NOT.fullmatch(text) or IS.fullmatch(text):
        values = tuple(_plain(value, quoted) for value in re.split(", | or | nor ", found["values"]))
        is_negated = found.re is IS_NOT
        return Statement(_plain(found["name"], quoted), covers_blank, values=values, is_negated=is_negated)
    raise AssertionError(f"this is not a condition: {text!r}")


def _plain(text: str, quoted: list[str]) -> str:
    return quoted[int(text[1:-1])] if text.startswith("\0") else text


def _number(text: str) -> float:
    return float(text.replace(",", ""))


def _is_written(cell: object, text: str) -> bool:
    if isinstance(cell, str | bool):
        return str(cell) == text
    return float(cell) == _number(text)  # type: ignore[arg-type]
