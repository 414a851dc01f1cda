"""The groups that the sensitive columns make, and how often each outcome is seen in them."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from rugcore.data_quality.bands import in_order_of_bands
from rugcore.data_quality.findings import Column, Finding
from rugcore.readers.columns import FEW
from rugcore.rules.words import value
from rugcore.tables.table import plain_value

MIN_CELL_SIZE = 30  # rows of one outcome in one group; with fewer, a rate is mostly chance
MOST_GROUPS = 50
BLANK = "(blank)"


@dataclass(frozen=True)
class Group:
    """Rows that agree in all sensitive columns; a blank (None) is a value like any other."""

    values: tuple[Hashable, ...]
    label: str
    n_rows: int
    counts: tuple[int, ...]  # rows of each class, in the order of Health.classes

    @property
    def base_rates(self) -> tuple[float, ...]:
        """Of each class among the rows with a known outcome; NaN if there is none."""
        n_known = sum(self.counts)
        return tuple(count / n_known if n_known else float("nan") for count in self.counts)


@dataclass(frozen=True)
class TinyCell:
    """One outcome in one group, seen too rarely to say anything about."""

    outcome: Hashable
    group: Group
    n_rows: int


def combined(kinds: np.ndarray, column: Column) -> tuple[np.ndarray, int]:
    """Tell rows of one kind apart where they differ in the column too; numbered by first appearance."""
    kinds, found = pd.factorize(kinds * (column.n_distinct + 1) + column.codes + 1)
    return kinds, len(found)


def classes_of(outcome: Column) -> tuple[Hashable, ...]:
    """In the order in which a person would look for them."""
    return tuple(plain_value(outcome.distinct[code]) for code in _sorted_codes(outcome))


def _sorted_codes(column: Column) -> list[int]:
    values = [plain_value(item) for item in column.distinct]
    try:
        return sorted(range(len(values)), key=values.__getitem__)
    except TypeError:  # text among numbers
        return sorted(range(len(values)), key=lambda code: str(values[code]))


def groups_of(columns: Sequence[Column], outcome: Column | None) -> tuple[Group, ...]:
    """The combinations of values that occur, blanks included; without an outcome no counts.

    The largest comes first, but bands of a number come in their order.
    """
    if not columns:
        return ()
    kinds, n_kinds = np.zeros(len(columns[0].codes), dtype=np.int64), 1
    for column in columns:
        kinds, n_kinds = combined(kinds, column)
    n_rows = np.bincount(kinds, minlength=n_kinds)
    counts = _counts(kinds, n_kinds, outcome)
    first_rows = np.flatnonzero(~pd.Series(kinds).duplicated().to_numpy())  # in the order of the kinds
    groups = [
        _group(columns, int(row), int(n), tuple(of_classes))
        for row, n, of_classes in zip(first_rows, n_rows, counts.tolist(), strict=True)
    ]
    by_size = sorted(groups, key=lambda group: (-group.n_rows, group.label))
    place_of = {label: place for place, label in enumerate(in_order_of_bands(group.label for group in by_size))}
    return tuple(sorted(by_size, key=lambda group: place_of[group.label]))


def _counts(kinds: np.ndarray, n_kinds: int, outcome: Column | None) -> np.ndarray:
    if outcome is None:
        return np.zeros((n_kinds, 0), dtype=np.int64)
    is_known = outcome.codes >= 0
    cells = kinds[is_known] * outcome.n_distinct + outcome.codes[is_known]
    table = np.bincount(cells, minlength=n_kinds * outcome.n_distinct).reshape(n_kinds, -1)
    return table[:, _sorted_codes(outcome)]


def _group(columns: Sequence[Column], row: int, n_rows: int, counts: tuple[int, ...]) -> Group:
    values = tuple(_value_at(column, row) for column in columns)
    return Group(values, ", ".join(BLANK if item is None else value(item) for item in values), n_rows, counts)


def _value_at(column: Column, row: int) -> Any:
    code = column.codes[row]
    return None if code < 0 else plain_value(column.distinct[code])


def tiny_cells(groups: Sequence[Group], classes: Sequence[Hashable], min_cell_size: int) -> tuple[TinyCell, ...]:
    """Outcomes that a group has too few rows of, none at all included."""
    return tuple(
        TinyCell(outcome, group, n_rows)
        for group in groups
        for outcome, n_rows in zip(classes, group.counts, strict=False)  # no counts where there are no classes
        if n_rows < min_cell_size
    )


def findings_on_groups(
    groups: Sequence[Group], tiny: Sequence[TinyCell], sensitive: tuple[str, ...], min_cell_size: int
) -> list[Finding]:
    names = ", ".join(repr(name) for name in sensitive)
    findings = []
    if len(groups) > MOST_GROUPS:
        words = f"{names} makes {len(groups):,} groups. Cut numbers into bands, or put rare values together."
        findings.append(Finding(sensitive, "many groups", "warning", words))
    if tiny:
        rarest = sorted(tiny, key=lambda cell: cell.n_rows)[:FEW]
        examples = "; ".join(
            f"{value(cell.outcome)!r} in group {cell.group.label!r}: {cell.n_rows:,}" for cell in rarest
        )
        words = (
            f"{len(tiny):,} pairs of outcome and group of {names} have fewer than {min_cell_size:,} rows, so rates "
            f"there are mostly chance (the smallest: {examples}). Put small groups together."
        )
        findings.append(Finding(sensitive, "tiny groups", "warning", words))
    return findings
