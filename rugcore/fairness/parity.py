"""A notion of parity on given rows: cells, rates, and the contrasts between groups.

A cell is the rows of one class in one group. A loss can be anything that has a sum over a cell: misclassified rows
(then its mean is an error rate, and a contrast is what an audit reports), or the hinge loss of the linear program (then
the same contrast is what epsilon bounds there).

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
    """One mean loss: a group within one class, or (class None) within all classes."""

    label: Any  # the class, or None for all of them
    group: str
    count: int
    cells: np.ndarray  # numbers of its cells
    weight: float
    view: int = 0  # rates of different views of the same people are not compared with each other

    def mean(self, cell_loss: np.ndarray) -> float:
        """From the loss summed over every cell; NaN where there is nothing to average."""
        return float(cell_loss[self.cells].sum() / self.weight) if self.weight > 0 else float("nan")


@dataclass(frozen=True, eq=False)
class Contrast:
    """Mean loss of one group minus mean loss of another, within one class or within all."""

    first: Rate
    second: Rate

    @property
    def label(self) -> Any:
        return self.first.label

    @property
    def pair(self) -> tuple[str, str]:
        return self.first.group, self.second.group

    def gap(self, cell_loss: np.ndarray) -> float:
        """Signed: positive where the first group fares worse."""
        return self.first.mean(cell_loss) - self.second.mean(cell_loss)

    def __str__(self) -> str:
        return f"{self.pair[0]} against {self.pair[1]}" + ("" if self.label is None else f", class {self.label}")


@dataclass(frozen=True, eq=False)
class Parity:
    """A notion on given cells: its contrasts, and the rates that are too small to be compared."""

    notion: Notion
    contrasts: tuple[Contrast, ...]
    rates: tuple[Rate, ...]  # compared
    not_estimable: tuple[Rate, ...]  # left out, because of too few rows
    n_cells: int

    def gaps(self, cell_loss: np.ndarray) -> np.ndarray:
        """The signed gap of every contrast."""
        return np.array([contrast.gap(cell_loss) for contrast in self.contrasts])

    def gap(self, cell_loss: np.ndarray) -> float:
        """The largest gap over classes and pairs: what epsilon bounds. NaN if there is nothing to compare."""
        return float(np.abs(self.gaps(cell_loss)).max()) if self.contrasts else float("nan")

    def worst(self, cell_loss: np.ndarray) -> Contrast | None:
        gaps = np.abs(self.gaps(cell_loss))
        return self.contrasts[int(np.argmax(gaps))] if len(gaps) else None

    def score(self, cell_loss: np.ndarray, n_classes: int) -> float:
        """The paper's score, 1 = fair; NaN where there is nothing to compare."""
        if not self.contrasts:
            return float("nan")
        largest: dict[Any, float] = {}
        for contrast, gap in zip(self.contrasts, np.abs(self.gaps(cell_loss)).tolist(), strict=True):
            largest[contrast.label] = max(largest.get(contrast.label, 0.0), gap)
        return self.notion.score(list(largest.values()), n_classes)

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
            n_cells=self.n_cells + other.n_cells,
        )

    @cached_property
    def matrix(self) -> np.ndarray:
        """`matrix @ cell_loss` are the gaps; one line per contrast, one column per cell."""
        matrix = np.zeros((len(self.contrasts), self.n_cells))
        for line, contrast in enumerate(self.contrasts):
            matrix[line, contrast.first.cells] = 1.0 / contrast.first.weight
            matrix[line, contrast.second.cells] = -1.0 / contrast.second.weight
        return matrix


def _seen_after(rate: Rate, n_cells: int) -> Rate:
    return replace(rate, cells=rate.cells + n_cells, view=rate.view + 1)


def parity(
    notion: Notion | str, cells: Cells, positive: int | None = None, min_cell_size: int = MIN_CELL_SIZE
) -> Parity:
    """The contrasts of a notion; `positive` is the code of the positive class, which some notions need."""
    notion = notion_of(notion)
    compared: list[Rate] = []
    left_out: list[Rate] = []
    contrasts: list[Contrast] = []
    for stratum in notion.strata(cells.classes, positive):
        rates = [_rate(cells, stratum, group) for group in range(len(cells.groups))]
        large = [rate for rate in rates if rate.count >= max(min_cell_size, 1) and rate.weight > 0]
        compared += large
        left_out += [rate for rate in rates if rate not in large]
        contrasts += [Contrast(first, second) for first, second in combinations(large, 2)]
    return Parity(notion, tuple(contrasts), tuple(compared), tuple(left_out), cells.n_cells)


def _rate(cells: Cells, stratum: Stratum, group: int) -> Rate:
    codes = list(stratum.class_codes)
    return Rate(
        label=stratum.label,
        group=cells.groups[group],
        count=int(cells.count[codes, group].sum()),
        cells=np.array([code * len(cells.groups) + group for code in codes]),
        weight=float(cells.weight[codes, group].sum()),
    )
