"""A notion of parity on given rows: cells, rates, and the contrasts between groups.

A cell is the rows of one class in one group. A tally is the weight of every cell by decided class (cells by classes):
all rates can be read off it. Rates that are about everybody in some cells can also be taken of anything that has a sum
over a cell, such as the hinge loss of the linear program; then the same contrast is what epsilon bounds there.

Groups are compared in real pairs: with three groups, one is never held against "everybody else".
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from rugcore.fairness.groups import Groups
from rugcore.fairness.notions import Notion, Stratum, notion_of

# A gap is a difference of fractions; below this it is rounding.
ROUNDING = 1e-9
# The rate of a smaller cell moves by over three points with every row: it is shown as not estimable.
MIN_CELL_SIZE = 30


@dataclass(frozen=True)
class Cells:
    """How many rows, and how much weight, every class has in every group."""

    classes: tuple[Any, ...]
    groups: tuple[str, ...]
    count: np.ndarray  # (n_classes, n_groups)
    weight: np.ndarray  # the same shape; equal to `count` without sample weights

    @classmethod
    def of(
        cls, classes: Sequence[Any], class_codes: np.ndarray, groups: Groups, weight: np.ndarray | None = None
    ) -> "Cells":
        """From the class code, the group and the weight of every row."""
        shape = (len(classes), groups.n_groups)
        cell = cell_numbers(class_codes, groups)
        count = np.bincount(cell, minlength=shape[0] * shape[1]).reshape(shape)
        total = count if weight is None else np.bincount(cell, weight, shape[0] * shape[1]).reshape(shape)
        return cls(tuple(classes), groups.names, count, total.astype(float))

    @property
    def n_cells(self) -> int:
        return self.count.size

    def class_codes(self) -> np.ndarray:
        """The class code of every cell, in the order of `cell_numbers`."""
        return np.repeat(np.arange(len(self.classes)), len(self.groups))


def cell_numbers(class_codes: np.ndarray, groups: Groups) -> np.ndarray:
    """The cell of every row: class by class, group by group."""
    return class_codes.astype(np.int64) * groups.n_groups + groups.codes


@dataclass(frozen=True, eq=False)
class Rate:
    """The counted share of one group within one stratum of a notion."""

    stratum: Stratum
    group: str
    count: int  # rows that it may rest on
    cells: np.ndarray  # numbers of its cells, one for every class of the stratum
    weight: float  # of these rows
    least: float = 0.0  # where decisions settle who is looked at: with less weight the rate cannot be told
    view: int = 0  # rates of different views of the same people are not compared with each other

    @property
    def label(self) -> Any:
        """The class, or None for all of them."""
        return self.stratum.label

    def base(self, tally: np.ndarray) -> float:
        """The weight that it rests on."""
        return self._sum(tally, self.stratum.among)

    def hits(self, tally: np.ndarray) -> float:
        """The weight that it counts."""
        return self._sum(tally, self.stratum.counted)

    def mean(self, tally: np.ndarray) -> float:
        """The rate; NaN where it rests on nobody, or on too few."""
        base = self.base(tally)
        return self.hits(tally) / base if base > 0 and base >= self.least - ROUNDING else float("nan")

    def rows(self, tally: np.ndarray) -> float:
        """How many rows it rests on; weighted ones count on average."""
        return self.count * self.base(tally) / self.weight if self.weight > 0 else 0.0

    def mean_loss(self, cell_loss: np.ndarray) -> float:
        """The mean over its rows of anything that is summed over every cell; NaN without rows."""
        return float(cell_loss[self.cells].sum() / self.weight) if self.weight > 0 else float("nan")

    def _sum(self, tally: np.ndarray, marks: np.ndarray) -> float:
        return float(tally[self.cells][marks[list(self.stratum.class_codes)]].sum())


@dataclass(frozen=True, eq=False)
class Contrast:
    """The rate of one group minus that of another, within one stratum."""

    first: Rate
    second: Rate

    @property
    def label(self) -> Any:
        return self.first.label

    @property
    def pair(self) -> tuple[str, str]:
        return self.first.group, self.second.group

    def gap(self, tally: np.ndarray) -> float:
        """Signed: positive where the rate of the first group is the larger one."""
        return self.first.mean(tally) - self.second.mean(tally)

    def loss_gap(self, cell_loss: np.ndarray) -> float:
        """The same between mean losses."""
        return self.first.mean_loss(cell_loss) - self.second.mean_loss(cell_loss)

    def ordered(self, tally: np.ndarray) -> tuple[Rate, Rate]:
        """The worse rate first."""
        return (self.first, self.second) if self.gap(tally) >= 0 else (self.second, self.first)

    def __str__(self) -> str:
        return f"{self.pair[0]} against {self.pair[1]}" + ("" if self.label is None else f", class {self.label}")


@dataclass(frozen=True, eq=False)
class Parity:
    """A notion on given cells: its contrasts, and the rates that are too small to be compared."""

    notion: Notion
    contrasts: tuple[Contrast, ...]
    rates: tuple[Rate, ...]  # compared
    not_estimable: tuple[Rate, ...]  # left out, because of too few rows
    class_of_cell: np.ndarray  # code

    @property
    def n_cells(self) -> int:
        return len(self.class_of_cell)

    def wrong(self, tally: np.ndarray) -> np.ndarray:
        """The wrongly decided weight of every cell."""
        return np.asarray(tally.sum(axis=1) - tally[np.arange(self.n_cells), self.class_of_cell])

    def gaps(self, tally: np.ndarray) -> np.ndarray:
        """The signed gap of every contrast; NaN where decisions leave too few people behind a rate."""
        return np.array([contrast.gap(tally) for contrast in self.contrasts])

    def gap(self, tally: np.ndarray) -> float:
        """The largest gap over strata and pairs: what epsilon bounds. NaN if there is nothing to compare."""
        return _largest(self.gaps(tally))

    def strict_gap(self, tally: np.ndarray) -> float:
        """The same, but as large as can be where some gap cannot be told.

        A training that strives for small gaps must not make one vanish by selecting nobody of a group.
        """
        gaps = np.abs(self.gaps(tally))
        return 1.0 if np.isnan(gaps).any() else float(gaps.max(initial=0.0))

    def worst(self, tally: np.ndarray) -> Contrast | None:
        gaps = np.nan_to_num(np.abs(self.gaps(tally)), nan=-1.0)
        return self.contrasts[int(np.argmax(gaps))] if len(gaps) and gaps.max() >= 0 else None

    def loss_gap(self, cell_loss: np.ndarray) -> float:
        """The largest gap between mean losses."""
        return _largest(np.array([contrast.loss_gap(cell_loss) for contrast in self.contrasts]))

    def strata(self) -> list[list[Rate]]:
        """The rates that are compared with each other, class by class."""
        by_class: dict[Any, list[Rate]] = {}
        for rate in self.rates:
            by_class.setdefault((rate.view, rate.label), []).append(rate)
        return list(by_class.values())

    def beside(self, other: "Parity") -> "Parity":
        """Two views of the same people at once: the cells of the other follow those of this one."""
        seen = {id(rate): _seen_after(rate, self.n_cells) for rate in (*other.rates, *other.not_estimable)}
        contrasts = tuple(Contrast(seen[id(one.first)], seen[id(one.second)]) for one in other.contrasts)
        return Parity(
            notion=self.notion,
            contrasts=self.contrasts + contrasts,
            rates=self.rates + tuple(seen[id(rate)] for rate in other.rates),
            not_estimable=self.not_estimable,
            class_of_cell=np.concatenate([self.class_of_cell, other.class_of_cell]),
        )

    @cached_property
    def matrix(self) -> np.ndarray:
        """`matrix @ cell_loss` are the gaps between mean losses; one line per contrast, one column per cell."""
        matrix = np.zeros((len(self.contrasts), self.n_cells))
        for line, contrast in enumerate(self.contrasts):
            matrix[line, contrast.first.cells] = 1.0 / contrast.first.weight
            matrix[line, contrast.second.cells] = -1.0 / contrast.second.weight
        return matrix


def _largest(gaps: np.ndarray) -> float:
    known = np.abs(gaps[~np.isnan(gaps)])
    return float(known.max()) if len(known) else float("nan")


def _seen_after(rate: Rate, n_cells: int) -> Rate:
    return replace(rate, cells=rate.cells + n_cells, view=rate.view + 1)


def tally_of(cell: np.ndarray, decided: np.ndarray, weight: np.ndarray, n_cells: int, n_classes: int) -> np.ndarray:
    """The weight of every cell by decided class."""
    flat = np.bincount(cell.astype(np.int64) * n_classes + decided, weight, n_cells * n_classes)
    return np.asarray(flat.reshape(n_cells, n_classes))


def parity(
    notion: Notion | str, cells: Cells, positive: int | None = None, min_cell_size: int = MIN_CELL_SIZE
) -> Parity:
    """The contrasts of a notion; `positive` is the code of the positive class, which some notions need."""
    notion = notion_of(notion)
    compared: list[Rate] = []
    left_out: list[Rate] = []
    contrasts: list[Contrast] = []
    for stratum in notion.strata(cells.classes, positive):
        rates = [_rate(cells, stratum, group, min_cell_size) for group in range(len(cells.groups))]
        large = [rate for rate in rates if rate.count >= max(min_cell_size, 1) and rate.weight > 0]
        compared += large
        left_out += [rate for rate in rates if rate not in large]
        contrasts += [Contrast(first, second) for first, second in combinations(large, 2)]
    return Parity(notion, tuple(contrasts), tuple(compared), tuple(left_out), cells.class_codes())


def _rate(cells: Cells, stratum: Stratum, group: int, min_cell_size: int) -> Rate:
    codes = list(stratum.class_codes)
    count, weight = int(cells.count[codes, group].sum()), float(cells.weight[codes, group].sum())
    is_open = not stratum.is_settled and count > 0
    return Rate(
        stratum=stratum,
        group=cells.groups[group],
        count=count,
        cells=np.array([code * len(cells.groups) + group for code in codes]),
        weight=weight,
        least=min_cell_size * weight / count if is_open else 0.0,
    )
