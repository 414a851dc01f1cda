"""Numbers as a person writes them."""

import math
import time

MINUTE, HOUR, DAY = 60, 3600, 86_400
NOTHING = "n/a"  # a number that does not exist


def percent(share: float) -> str:
    """A share of 0.8834 as "88.3 %"."""
    return NOTHING if math.isnan(share) else f"{100 * share:.1f} %"


def points(share: float) -> str:
    """A difference between two shares: 0.03 as "3.0 points"."""
    return NOTHING if math.isnan(share) else f"{100 * share:.1f} points"


def points_between(share: float, other: float) -> float:
    """How many points the second share is above the first, as a reader of both percentages works it out."""
    return round(round(100 * other, 1) - round(100 * share, 1), 1)


def whole(number: float) -> str:
    return f"{number:,.0f}"


def decimal(number: float) -> str:
    """One digit behind the point."""
    return NOTHING if math.isnan(number) else f"{number:,.1f}"


def thousandths(number: float) -> str:
    """Three digits behind the point."""
    return NOTHING if math.isnan(number) else f"{number:,.3f}"


def short(number: float) -> str:
    """As many digits as matter: 1, 0.3, 12,345."""
    return f"{number:,.0f}" if float(number).is_integer() else f"{number:,.4g}"


def counted(count: int, noun: str) -> str:
    """A number with its noun, in the plural where needed: "1 rule", "2,380 rows"."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def duration(seconds: float) -> str:
    """0.3 s, 12 s, 3 min 5 s, 2 h 10 min."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    if seconds < MINUTE:
        return f"{seconds:.0f} s"
    if seconds < HOUR:
        return f"{int(seconds // MINUTE)} min {int(seconds % MINUTE)} s"
    return f"{int(seconds // HOUR)} h {int(seconds % HOUR // MINUTE)} min"


def ago(moment: float, now: float | None = None) -> str:
    """How long a moment in seconds since 1970 is past."""
    seconds = max((time.time() if now is None else now) - moment, 0)
    for unit, noun in ((DAY, "day"), (HOUR, "hour"), (MINUTE, "minute")):
        if seconds >= unit:
            return f"{counted(int(seconds // unit), noun)} ago"
    return "just now"
