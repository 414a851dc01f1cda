"""From a table to one byte per cell: every number is binned once, every category numbered once."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from rugcore.parallel import in_parallel
from rugcore.rules.special import SpecialCodes
from rugcore.tables.columns import MOST_BINS, MOST_NAMED_VALUES, CategoryColumn, Column, NumberColumn
from rugcore.tables.table import Table, plain_value
from rugcore.tables.thresholds import cuts_at_quantiles, cuts_between_all

# Quantiles of this many rows are as good as quantiles of all; sorting more would not be linear in the rows.
ROWS_FOR_QUANTILES = 200_000
# Values without a place among those that go from worst to best; a tree tries every way to send them left or right.
MOST_BESIDE_AN_ORDER = 8


@dataclass(frozen=True)
class EncodedTable:
    """Codes with one line per column, so that a column lies together in memory."""

    columns: tuple[Column, ...]
    codes: np.ndarray  # (n_columns, n_rows), uint8

    @property
    def n_rows(self) -> int:
        return self.codes.shape[1]


def encode(
    table: Table,
    row_weight: np.ndarray,
    random_state: np.random.RandomState,
    max_bins: int = MOST_BINS,
    orders: Mapping[str, tuple[Any, ...]] | None = None,
) -> EncodedTable:
    """Learn the columns of a training table and encode it.

    Features with at most `max_bins` values keep a cut between every two of them; others are cut at quantiles. Columns
    of categories with an order, from worst to best, are given by name.
    """
    sample = sample_rows(table.n_rows, random_state)
    codes = np.empty((len(table.names), table.n_rows), dtype=np.uint8)
    columns: list[Column | None] = [None] * len(table.names)

    def learn(position: int) -> None:
        entries = table.column(position)
        if table.kinds[position] == "number":
            column: Column = _learn_numbers(table, position, entries, row_weight, sample, max_bins)
        else:
            order = (orders or {}).get(table.names[position], ())
            column = learn_categories(table.names[position], value_counts(entries), order)
        codes[position] = column.codes(entries)
        columns[position] = column

    in_parallel(learn, range(len(table.names)))
    return EncodedTable(tuple(column for column in columns if column is not None), codes)


def sample_rows(n_rows: int, random_state: np.random.RandomState) -> np.ndarray | None:
    """The numbers of the rows that quantiles are taken of, in order; None for all of them."""
    if n_rows <= ROWS_FOR_QUANTILES:
        return None
    return np.sort(random_state.randint(0, n_rows, ROWS_FOR_QUANTILES))


def _learn_numbers(
    table: Table,
    position: int,
    entries: np.ndarray,
    row_weight: np.ndarray,
    sample: np.ndarray | None,
    max_bins: int,
) -> NumberColumn:
    name = table.names[position]
    specials = table.specials.get(name, ())
    amounts = amounts_of(entries, specials)
    if sample is None:
        return learn_numbers(name, amounts, row_weight, max_bins, specials)
    every = partial(known_values, amounts)
    return learn_numbers(name, amounts[sample], row_weight[sample], max_bins, specials, every)


def amounts_of(numbers: np.ndarray, specials: SpecialCodes) -> np.ndarray:
    """Special codes are no amounts, and play no part in where to cut."""
    if not specials:
        return numbers
    return np.where(np.isin(numbers, [code.number for code in specials]), np.nan, numbers)


def known_values(numbers: np.ndarray) -> np.ndarray:
    """Every value that occurs, once, in any order: hashing all rows is still linear."""
    every = pd.unique(numbers)
    return every[~np.isnan(every)]


def learn_numbers(
    name: str,
    numbers: np.ndarray,
    row_weight: np.ndarray,
    max_bins: int,
    specials: SpecialCodes = (),
    every: Callable[[], np.ndarray] | None = None,
) -> NumberColumn:
    """A cut between every two values if they are few, else cuts at quantiles.

    `numbers` are those of all rows, or of a sample; `every` then tells all values: the sample may miss rare ones.
    """
    room = min(max_bins, MOST_BINS - len(specials))
    distinct, weight = _distinct(numbers, row_weight)
    if distinct.size > room:
        return NumberColumn(name, cuts_at_quantiles(distinct, weight, room), specials)
    known = distinct if every is None else np.sort(every())
    return NumberColumn(name, cuts_between_all(known if known.size <= room else distinct), specials)


def _distinct(numbers: np.ndarray, row_weight: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The known values in order, and the weight of each."""
    known = ~np.isnan(numbers)
    numbers, row_weight = numbers[known], row_weight[known]
    if not numbers.size:
        return numbers, row_weight
    if row_weight.min() == row_weight.max():
        ordered, cumulated = np.sort(numbers), np.arange(1.0, len(numbers) + 1)  # much faster than ordering pairs
    else:
        order = np.argsort(numbers, kind="stable")
        ordered, cumulated = numbers[order], np.cumsum(row_weight[order])
    last = np.flatnonzero(np.append(ordered[1:] != ordered[:-1], True))
    return ordered[last], np.diff(cumulated[last], prepend=0.0)


def value_counts(values: np.ndarray) -> dict[Any, int]:
    """How many rows have each value, in the order in which these first occur."""
    place, distinct = pd.factorize(values)
    n_rows = np.bincount(place[place >= 0], minlength=len(distinct)).tolist()
    return dict(zip(map(plain_value, distinct), n_rows, strict=True))


def learn_categories(name: str, counts: dict[Any, int], order: tuple[Any, ...] = ()) -> CategoryColumn:
    """Name every value, or the most frequent ones that occur more than once if there are too many.

    A value that is not named can still be reached by `is not`; a rule about a value seen once would only
    memorise. Where values have an `order`, from worst to best, these are named; so are a few others, and more of them
    are one kind.
    """
    if order:
        others = sorted(set(counts) - set(order), key=str)
        named_too = others if len(others) <= MOST_BESIDE_AN_ORDER else []
        return CategoryColumn(name, (*order, *named_too), len(named_too) < len(others), len(order))
    named = list(counts)
    if len(named) > MOST_NAMED_VALUES:
        repeated = [item for item in counts if counts[item] > 1]
        named = sorted(repeated, key=lambda item: (-counts[item], str(item)))[:MOST_NAMED_VALUES]
    return CategoryColumn(name, tuple(sorted(named, key=str)), has_unnamed=len(named) < len(counts))
