"""Numbers of a report as a person writes them, the same in every format; and text from strangers, made harmless."""

import math
import re
from collections.abc import Callable

from rugcore.report.blocks import Column, Kind, Unit, Value

NOTHING = "n/a"  # a number that is not known
BEFORE_PERCENT = re.compile(r"(?<=\d) (?=%)")
NO_AMOUNT = 1e-12  # what a solver's rounding leaves of nothing
LEAST = 0.0001  # of an amount; what is smaller is told as such
DIGITS = 4  # of a number that is neither a count nor a share


def cell(value: Value, column: Column) -> str:
    """One value of a table."""
    if isinstance(value, tuple):
        return interval(value, column.kind)
    if isinstance(value, str) or value is None:
        return NOTHING if value is None else value
    return WRITERS[column.kind](value)


def interval(value: tuple[float | None, float | None, float | None], kind: Kind) -> str:
    """A value with its interval in brackets."""
    write = share if kind == "percent interval" else difference
    own, lower, upper = value
    if own is None:
        return NOTHING
    unit = " %" if kind == "percent interval" else ""
    if lower is None or upper is None:
        return f"{write(own)}{unit}"
    return f"{write(own)}{unit} ({write(lower)} to {write(upper)})"


def share(value: float) -> str:
    """0.8834 as 88.3."""
    return NOTHING if math.isnan(value) else f"{100 * value:.1f}"


def difference(value: float) -> str:
    """A difference of shares in points: 0.03 as 3.0, and no minus before nothing."""
    return share(0.0 if abs(value) < 0.0005 else value)


def percent(value: float) -> str:
    return NOTHING if math.isnan(value) else f"{share(value)} %"


def points(value: float) -> str:
    return NOTHING if math.isnan(value) else f"{difference(value)} points"


def count(value: float) -> str:
    return f"{value:,.0f}"


def number(value: float) -> str:
    """As many digits as matter."""
    if math.isnan(value):
        return NOTHING
    if abs(value) < NO_AMOUNT:
        return "0"
    if abs(value) < LEAST:
        return f"under {LEAST:g}" if value > 0 else f"above -{LEAST:g}"
    is_whole = float(value).is_integer() or abs(value) >= 10**DIGITS  # what follows the point of 12,023.4 says nothing
    return f"{value:,.0f}" if is_whole and abs(value) < 1e15 else f"{value:,.{DIGITS}g}"


def counted(n: int, noun: str) -> str:
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"


WRITERS: dict[Kind, Callable[[float], str]] = {
    "text": str,
    "count": count,
    "number": number,
    "percent": percent,
    "points": difference,
    "percent interval": percent,
    "points interval": difference,
}


def on_axis(value: float, unit: Unit) -> str:
    """A number beside an axis, without its unit: the title of the axis has that."""
    return f"{value:,.4g}" if unit == "number" else f"{100 * value:,.4g}"


def harmless(text: str) -> str:
    """On one line, without characters that cannot be seen or that turn text around them; 95 % is never torn apart."""
    seen = " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())
    return BEFORE_PERCENT.sub("\u00a0", seen)
