"""Numbers that are no amounts: -9 for "no such record", 999 for "unknown".

A code looks like one (all nines, 666, a small negative number, 0), and stands apart: on the other side of zero, or
farther from all other numbers than those spread. It is repeated exactly, and other columns often have it too.
"""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from rugcore.rules.words import cell

FEWEST_ROWS = 3  # with the code; once or twice may be chance
FEWEST_OTHERS = 4  # different numbers besides the codes: fewer are a scale, all of them codes, unless far away
BEYOND, LONG = 20, 100  # times the largest amount; a code of at least three digits
BEYOND_NO_AND_YES = 3
ENOUGH_TO_GO_ON = 10  # rows: among so many at the end of a tail, some would be one step further
BEYOND_A_SCALE = 5  # scales from -1 to 3 or so have no code
SEVERAL = 3  # columns
MOST_CODES = 5  # of one column, on one side; more are amounts
SMALL_NEGATIVE = 9  # -1 to -9
NINES = re.compile("9+[6-9]")  # 96 to 99, 996 to 999
REPEATED_DIGITS = frozenset("6789")  # 66, 777, 8888, 999
# How far apart from the rest, in units of how far the rest spreads: as far as the rest reaches, or half of it where the
# same code stands apart in another column too.
APART, APART_TOO = 1.0, 0.5
LIKE_PRICES = 0.5  # of the others end with the same digits
# Zero is an honest amount unless everything else is far away: a blood pressure, a year, a score.
MOST_ZEROS = 0.5  # of the rows; beyond it, it is what most people have
MANY_NUMBERS = 20  # different ones, for zero to stand apart from


@dataclass(frozen=True)
class Code:
    """A number of a column that looks like a code, and what shows it."""

    value: float
    n_rows: int
    sign: str  # in words: where it stands
    is_beyond: bool = False  # so far from all others that once is enough
    n_columns: int = 1  # that have it

    @property
    def is_certain(self) -> bool:
        """Without a look at other columns."""
        return self.is_beyond or self.n_rows >= FEWEST_ROWS


@dataclass(frozen=True, eq=False)
class Amounts:
    """The different numbers of a column, sorted, with how often each occurs."""

    values: np.ndarray
    counts: np.ndarray

    @classmethod
    def of(cls, numbers: np.ndarray) -> "Amounts":
        known = numbers[np.isfinite(numbers)]
        values, counts = np.unique(known, return_counts=True)
        return cls(values, counts)

    def count(self, value: float) -> int:
        place = int(np.searchsorted(self.values, value))
        is_there = place < len(self.values) and self.values[place] == value
        return int(self.counts[place]) if is_there else 0

    @property
    def negative(self) -> "Amounts":
        return self._part(0, int(np.searchsorted(self.values, 0.0)))

    @property
    def others(self) -> "Amounts":
        """Those that are not negative."""
        return self._part(int(np.searchsorted(self.values, 0.0)), len(self.values))

    @property
    def positive(self) -> "Amounts":
        return self._part(int(np.searchsorted(self.values, 0.0, side="right")), len(self.values))

    def _part(self, start: int, stop: int) -> "Amounts":
        return Amounts(self.values[start:stop], self.counts[start:stop])

    def quantile(self, share: float) -> float:
        place = np.searchsorted(np.cumsum(self.counts), share * self.counts.sum())
        return float(self.values[min(int(place), len(self.values) - 1)])


def special_codes(columns: Mapping[str, np.ndarray]) -> dict[str, tuple[Code, ...]]:
    """By column of numbers, those that look like codes; a column without any is not there."""
    amounts = {name: Amounts.of(numbers) for name, numbers in columns.items()}
    apart = {name: _codes(own, APART) for name, own in amounts.items()}
    clear = {name: [code for code in codes if code.is_certain] for name, codes in apart.items()}
    often = Counter(code.value for codes in apart.values() for code in codes)
    seen = {code.value for codes in clear.values() for code in codes} | {v for v, n in often.items() if n > 1}
    found = {name: _merged(clear[name], _shared(own, seen - {0.0})) for name, own in amounts.items()}
    together = _together(columns, {name: own for name, own in amounts.items() if not found[name]})
    found |= {name: _merged(found[name], codes) for name, codes in together.items()}
    n_columns = Counter(code.value for codes in found.values() for code in codes)
    return {
        name: tuple(replace(code, n_columns=n_columns[code.value]) for code in codes)
        for name, codes in found.items()
        if codes
    }


def _shared(own: Amounts, seen: set[float]) -> list[Code]:
    """Codes of other columns, which here are rarer or less far apart."""
    return [code for code in _codes(own, APART_TOO) if code.value in seen] if seen else []


def _merged(clear: list[Code], shared: list[Code]) -> list[Code]:
    by_value = {code.value: code for code in (*shared, *clear)}
    return [by_value[value] for value in sorted(by_value)]


def _codes(own: Amounts, apart: float) -> list[Code]:
    is_apart = _stand_apart(own) or _is_lone_minus_one(own)
    return [*(_negative(own) if is_apart else ()), *_high(own, apart), *_zero(own)]


def _negative(own: Amounts) -> list[Code]:
    """Negative numbers where amounts are not negative; all of them look like codes, or none is one."""
    below, others = own.negative, own.others.values
    if not 0 < len(below.values) <= MOST_CODES or not all(map(_is_negative_code, below.values)):
        return []
    is_beyond_few = len(others) > 1 and -below.values[-1] >= BEYOND_NO_AND_YES * max(float(others[-1]), 1.0)
    if len(others) < FEWEST_OTHERS and not is_beyond_few:
        return []
    pairs = zip(below.values.tolist(), below.counts.tolist(), strict=True)
    return [Code(value, count, "negative, where all others are not") for value, count in pairs]


def _stand_apart(own: Amounts) -> bool:
    """Whether there is a wider gap below the others than between them: -1 before 0, 1, 2 may be one step further."""
    below, others = own.negative.values, own.others.values
    has_gap = 0 < len(below) <= MOST_CODES and len(others) > 1
    return has_gap and float(others[0] - below[-1]) > float(np.diff(others).min())


def _is_lone_minus_one(own: Amounts) -> bool:
    """Many a -1 next to 0, 1, 2, and no -2: a tail that reaches so far would reach further."""
    below = own.negative
    is_lone = len(below.values) == 1 and below.values[0] == -1.0
    return is_lone and below.counts[0] >= ENOUGH_TO_GO_ON and float(own.values[-1]) >= BEYOND_A_SCALE


def _together(columns: Mapping[str, np.ndarray], amounts: Mapping[str, Amounts]) -> dict[str, list[Code]]:
    """Negative numbers next to the others that several columns have, and often in the same row: no tail does that."""
    found = {
        name: [code for code in _negative(own) if code.is_certain]
        for name, own in amounts.items()
        if not _is_scale(own)
    }
    shared = Counter(code.value for codes in found.values() for code in codes)
    is_code = {
        value: _meet([columns[name] == value for name, codes in found.items() if any(c.value == value for c in codes)])
        for value, n_columns in shared.items()
        if n_columns >= SEVERAL
    }
    return {name: [code for code in codes if is_code.get(code.value)] for name, codes in found.items()}


def _is_scale(own: Amounts) -> bool:
    """From -3 to 3, say."""
    return len(own.values) == 0 or float(own.values[-1]) < 2 * float(-own.values[0])


def _meet(columns: list[np.ndarray]) -> bool:
    """Whether those who have the code in one column mostly have it in another one as well, far more than by chance."""
    has = np.column_stack(columns)
    shares = has.mean(axis=0)
    with_others = [has[has[:, place]].sum(axis=1).mean() - 1 for place in range(has.shape[1])]
    by_chance = [shares.sum() - share for share in shares]
    return all(met >= 1 and met >= 2 * chance for met, chance in zip(with_others, by_chance, strict=True))


def _is_negative_code(value: float) -> bool:
    return bool(value == np.floor(value)) and (-value <= SMALL_NEGATIVE or _is_repeated(-value))


def _high(own: Amounts, apart: float) -> list[Code]:
    """The largest numbers, if they look like codes and there is a wide gap below them."""
    place = len(own.values)
    while place > 0 and len(own.values) - place < MOST_CODES and _is_repeated(float(own.values[place - 1])):
        place -= 1
    for start in range(place, len(own.values)):  # as many as stand apart together
        rest = Amounts(own.values[:start], own.counts[:start])
        if _is_far_above(float(own.values[start]), rest, apart):
            sign = f"far above all others, which end at {cell(float(rest.values[-1]))}"
            is_beyond = _is_beyond(float(own.values[start]), rest) and own.values[start] >= LONG
            pairs = zip(own.values[start:].tolist(), own.counts[start:].tolist(), strict=True)
            return [Code(value, count, sign, is_beyond) for value, count in pairs]
    return []


def _is_beyond(value: float, rest: Amounts) -> bool:
    """666 among 0 and 1: even once it is no amount."""
    return len(rest.values) > 1 and value >= BEYOND * max(float(rest.values[-1]), 1.0)


def _is_far_above(value: float, rest: Amounts, apart: float) -> bool:
    if (len(rest.values) < FEWEST_OTHERS and not _is_beyond(value, rest)) or _end_alike(value, rest):
        return False
    highest, middle = float(rest.values[-1]), rest.quantile(0.5)
    spread = rest.quantile(0.75) - rest.quantile(0.25)
    return value - highest >= apart * max(highest - middle, spread)


def _end_alike(value: float, rest: Amounts) -> bool:
    """Prices such as 4.99 and 9.99, or 199 and 499: among them 99.99 and 999 are nothing special."""
    ends = np.abs(rest.values - value) % (1 if value != np.floor(value) else 10)
    is_alike = np.isclose(np.minimum(ends, 1 - ends) if value != np.floor(value) else ends, 0.0, atol=1e-6)
    return bool(rest.counts[is_alike].sum() > LIKE_PRICES * rest.counts.sum())


def _zero(own: Amounts) -> list[Code]:
    rest = own.positive
    n_zeros = own.count(0.0)
    if not n_zeros or len(rest.values) < MANY_NUMBERS or len(own.negative.values):
        return []
    if not FEWEST_ROWS <= n_zeros <= MOST_ZEROS * own.counts.sum():
        return []
    spread = rest.quantile(0.75) - rest.quantile(0.25)
    lowest = float(rest.values[0])
    if lowest < spread or lowest < rest.quantile(0.01) - lowest:
        return []
    return [Code(0.0, n_zeros, f"far below all others, which begin at {cell(lowest)}")]


def _is_repeated(value: float) -> bool:
    """9, 99, 999, 666, 77, 996 to 998, also 9.99 and 999999.4: what people take for codes."""
    digits = f"{abs(value):.10g}".replace(".", "")
    whole = f"{np.floor(abs(value)):.0f}"
    if value <= 0 or "e" in digits:
        return False
    if value != np.floor(value):
        return (len(digits) >= 3 and set(digits) == {"9"}) or (len(whole) >= 3 and set(whole) == {"9"})
    if NINES.fullmatch(whole):
        return True
    return len(set(whole)) == 1 and (whole[0] in REPEATED_DIGITS if len(whole) > 1 else whole in "789")
