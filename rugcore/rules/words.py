"""Numbers and values as a person writes them, without losing a bit of them."""

import json
import math
import re
from decimal import Decimal
from typing import Any

import numpy as np

# Beyond these powers of ten a plain decimal is harder to read than scientific notation.
LARGEST_PLAIN = Decimal("1e16")
SMALLEST_PLAIN = Decimal("1e-6")

# Text that could be read as part of the rule around it: its words and signs, an opening bracket, nothing.
UNCLEAR = re.compile(
    r"""^$ | ^\s | \s$ | ^\( | ["<>,] | (^|\s)(and|or|nor|neither|is|not|missing|known)(\s|$) | ^(no|none)\s""",
    re.IGNORECASE | re.VERBOSE,
)

LIKE_A_NUMBER = re.compile(r"[-+]?[\d.,]+([eE][-+]?\d+)?")


def number(value: float) -> str:
    """Write a number with thousands separators; reading it back gives exactly `value`.

    >>> number(42000.0), number(0.4), number(-1234.5), number(2e-9)
    ('42,000', '0.4', '-1,234.5', '2e-09')
    """
    exact = Decimal(repr(float(value)))
    if exact and not SMALLEST_PLAIN <= abs(exact) < LARGEST_PLAIN:
        return repr(float(value))
    if exact == exact.to_integral_value():
        return f"{int(exact):,}"
    return f"{exact:,f}"


def measured(value: float) -> float:
    """A number that somebody measured, without digits that nobody meant: 0.800000011920929 is 0.8.

    A number with more than three decimals is the shortest one that is the same in single precision, if it is of that
    precision; others keep six digits, and never fewer than two behind the point. For values of people; a threshold is
    always written in full.

    >>> measured(0.800000011920929), measured(0.123456789), measured(41873.51829), measured(1234567.0)
    (0.8, 0.123457, 41873.52, 1234567.0)
    """
    if value == round(value, 3):
        return value
    single = np.float32(value)
    if float(single) == value:
        return float(str(single))
    return round(value, max(2, 5 - math.floor(math.log10(abs(value)))))


def cell(item: Any) -> str:
    """A value of a person inside a sentence: as `clear`, and of a number what was `measured`."""
    return number(measured(item)) if isinstance(item, float) and math.isfinite(item) else clear(item)


def read_number(text: str) -> float:
    """The inverse of `number`."""
    return float(text.replace(",", ""))


def value(item: Any) -> str:
    """A category as the user's table shows it."""
    if isinstance(item, bool) or not isinstance(item, int | float):
        return str(item)
    return number(item) if isinstance(item, float) else str(item)


def clear(item: Any) -> str:
    """A name or a category inside a rule: in quotes where it could be taken for something else.

    Without them a category called `missing` would read as a blank cell, and `car or boat` as two categories.

    >>> clear("car"), clear("missing"), clear("car or boat")
    ('car', '"missing"', '"car or boat"')
    """
    text = value(item)
    is_unclear = UNCLEAR.search(text) or not text.isprintable()
    return json.dumps(text, ensure_ascii=False) if is_unclear and isinstance(item, str) else text


def outcome(label: Any) -> str:
    """An outcome inside a sentence: also in quotes where it is more than one word.

    >>> outcome("good"), outcome("charged off"), outcome("did not reoffend"), outcome(">50K")
    ('good', '"charged off"', '"did not reoffend"', '">50K"')
    """
    text = clear(label)
    return quoted(text) if " " in text and not text.startswith('"') else text


def quoted(text: str) -> str:
    """In quotes, whatever it is."""
    return json.dumps(text, ensure_ascii=False)


def name(column: str) -> str:
    """A column inside a rule: also in quotes where it looks like a number, as in `25 < "3" <= 26`."""
    return json.dumps(column, ensure_ascii=False) if LIKE_A_NUMBER.fullmatch(column) else clear(column)


def either(items: tuple[Any, ...]) -> str:
    """`a`, `a or b`, `a, b or c`."""
    return either_text([clear(item) for item in items])


def neither(items: tuple[Any, ...]) -> str:
    """`not a`, `neither a nor b`, `neither a, b nor c`; "not a or b" could be read two ways."""
    return neither_text([clear(item) for item in items])


def either_text(texts: list[str]) -> str:
    """`either`, of texts that are clear already."""
    return _listed(texts, "or")


def neither_text(texts: list[str]) -> str:
    """`neither`, of texts that are clear already."""
    return f"not {texts[0]}" if len(texts) == 1 else f"neither {_listed(texts, 'nor')}"


def _listed(texts: list[str], joint: str) -> str:
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} {joint} {texts[-1]}"
