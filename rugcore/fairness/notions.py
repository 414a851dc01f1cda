"""The three notions of parity, each a set of contrasts between groups.

A cell is the rows of one class in one group. A loss can be anything that has a sum over a cell: misclassified rows
(then its mean is an error rate, and a contrast is what an audit reports), or the hinge loss of the linear program (then
the same contrast is what epsilon bounds there).

    DMC   for every class and every pair of groups: mean loss of one cell minus mean loss of the other
    EOP   the same for the positive class alone
    ODM   for every pair of groups, over all classes together

Groups are compared in real pairs: with three groups, one is never held against "everybody else".
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from rugcore.errors import InputError
from rugcore.fairness.groups import Groups

NOTIONS = ("dmc", "odm", "eop")
ALIASES = {"eod": "dmc"}
NOTION_WORDS = {
    "dmc": "DMC (within every class)",
    "odm": "ODM (over all rows)",
    "eop": "EOP (within the positive class)",
}
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

    notion: str
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
        """The paper's score, 1 = fair. DMC adds up the gaps of two classes, and averages them over more.

        NaN where there is nothing to compare; also for two classes of which one cannot be compared, because a gap that
        is not known must not count as none.
        """
        if not self.contrasts:
            return float("nan")
        by_label: dict[Any, float] = {}
        for contrast, gap in zip(self.contrasts, np.abs(self.gaps(cell_loss)).tolist(), strict=True):
            by_label[contrast.label] = max(by_label.get(contrast.label, 0.0), gap)
        if self.notion == "dmc" and len(by_label) < n_classes <= 2:
            return float("nan")
        total = sum(by_label.values())
        return 1.0 - (total / len(by_label) if self.notion == "dmc" and n_classes > 2 else total)

    def strata(self) -> list[list[Rate]]:
        """The rates that are compared with each other, class by class."""
        by_label: dict[Any, list[Rate]] = {}
        for rate in self.rates:
            by_label.setdefault(rate.label, []).append(rate)
        return list(by_label.values())

    @cached_property
    def matrix(self) -> np.ndarray:
        """`matrix @ cell_loss` are the gaps; one line a contrast, one column a cell."""
        matrix = np.zeros((len(self.contrasts), self.n_cells))
        for line, contrast in enumerate(self.contrasts):
            matrix[line, contrast.first.cells] = 1.0 / contrast.first.weight
            matrix[line, contrast.second.cells] = -1.0 / contrast.second.weight
        return matrix


def parity(notion: str, cells: Cells, positive: int | None = None, min_cell_size: int = MIN_CELL_SIZE) -> Parity:
    """The contrasts of a notion; `positive` is the number of the positive class, which EOP needs."""
    compared: list[Rate] = []
    left_out: list[Rate] = []
    contrasts: list[Contrast] = []
    name = check_notion(notion)
    for classes in _strata(name, len(cells.classes), positive):
        label = None if name == "odm" else cells.classes[classes[0]]
        rates = [_rate(cells, classes, label, group) for group in range(len(cells.groups))]
        large = [rate for rate in rates if rate.count >= max(min_cell_size, 1) and rate.weight > 0]
        compared += large
        left_out += [rate for rate in rates if rate not in large]
        contrasts += [Contrast(first, second) for first, second in combinations(large, 2)]
    return Parity(name, tuple(contrasts), tuple(compared), tuple(left_out), cells.n_cells)


def check_notion(notion: Any) -> str:
    """The notion's own name; "eod" is another name of DMC."""
    name = ALIASES.get(notion, notion) if isinstance(notion, str) else notion
    if name not in NOTIONS:
        raise InputError(f"Expected fairness to be one of {', '.join((*NOTIONS, *ALIASES))}, but got {notion!r}.")
    return str(name)


def positive_code(positive_class: Any, classes: np.ndarray) -> int | None:
    """The number of the positive class: as given, or 1 if the classes are 0 and 1 (or false and true)."""
    known = classes.tolist()
    if positive_class is None:
        return 1 if known in ([0, 1], [False, True]) else None
    if positive_class not in known:
        listed = ", ".join(repr(item) for item in known)
        raise InputError(f"Expected positive_class to be one of the classes {listed}, but got {positive_class!r}.")
    return known.index(positive_class)


def _strata(notion: str, n_classes: int, positive: int | None) -> list[list[int]]:
    if notion == "dmc":
        return [[number] for number in range(n_classes)]
    if notion == "odm":
        return [list(range(n_classes))]
    if positive is None:
        raise InputError(
            "Expected positive_class, because fairness='eop' looks at one class only and the classes are not 0 and 1. "
            "Pass the class that serves people well, such as positive_class='granted'."
        )
    return [[positive]]


def _rate(cells: Cells, classes: list[int], label: Any, group: int) -> Rate:
    numbers = np.array([number * len(cells.groups) + group for number in classes])
    return Rate(
        label=label,
        group=cells.groups[group],
        count=int(cells.count[classes, group].sum()),
        cells=numbers,
        weight=float(cells.weight[classes, group].sum()),
    )
