"""Numbers and values as a person writes them, without losing a bit of them."""

from decimal import Decimal
from typing import Any

# Beyond these powers of ten a plain decimal is harder to read than scientific notation.
LARGEST_PLAIN = Decimal("1e15")
SMALLEST_PLAIN = Decimal("1e-6")


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


def read_number(text: str) -> float:
    """The inverse of `number`."""
    return float(text.replace(",", ""))


def value(item: Any) -> str:
    """A category as the user's table shows it."""
    if isinstance(item, bool) or not isinstance(item, int | float):
        return str(item)
    return number(item) if isinstance(item, float) else str(item)


def either(items: tuple[Any, ...]) -> str:
    """`a`, `a or b`, `a, b or c`."""
    texts = [value(item) for item in items]
    if len(texts) == 1:
        return texts[0]
    return f"{', '.join(texts[:-1])} or {texts[-1]}"
