"""What training towards parity achieved, said plainly: asked for, met in the linear program, met in decisions."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, get_args, get_type_hints

import numpy as np
import pandas as pd

from rugcore.errors import ModelFileError
from rugcore.fair_training.assurance import Assurance, AssuredRate, assurance_in_words
from rugcore.fair_training.expectation import COUNTED, LIKELY, SOURCES, Expectation, expectation
from rugcore.fair_training.people import People
from rugcore.fair_training.settings import GUARANTEES
from rugcore.fairness.notions import NOTIONS
from rugcore.fairness.parity import ROUNDING, Cells
from rugcore.fairness.sentences import printable
from rugcore.rules import serial


@dataclass(frozen=True)
class ContrastFit:
    """One pair of groups within one class (or, with ODM, within all). Gaps are signed: first minus second."""

    label: Any  # the class, or None for all
    first: str
    second: str
    lp_gap: float | None  # between mean losses as the linear program counts them, padding included; None: no such gap
    realised_gap: float  # between rates on the training rows; NaN where decisions leave too few people behind one
    price: float | None  # dual of the constraint: objective per unit of gap; only with guarantee="proxy"


@dataclass(frozen=True)
class CellFit:
    """One class in one group."""

    label: Any
    group: str
    n_rows: int
    error: float  # share of its training rows decided wrongly; NaN without rows
    importance: float  # what a row of this cell weighed in the linear program, against 1
    padding: float  # loss that the program added without any row suffering it


@dataclass(frozen=True)
class NotEstimable:
    """A rate left out of the constraint, because too few rows stand behind it."""

    label: Any
    group: str
    n_rows: int


@dataclass(frozen=True)
class FairnessFit:
    """What `FairRUGClassifier.fit` reached as far as groups are concerned, counted on the training rows.

    It stands in `model.fairness_`. In a notebook it is shown as tables; `print` writes it in words.

    Attributes
    ----------
    notion, guarantee, epsilon
        What was asked for.
    realised_gap : float
        Largest gap between groups, counted in decisions on the training rows; `met_on_training_rows` says whether it is
        at most epsilon. `met` says the same, but with guarantee="confident" whether the test assured epsilon.
    accuracy : float
        Share of the rows decided as the data says.
    lp_gap, padding, loss : float
        The same as the linear program counts it: largest gap between mean losses, the loss that was added without any
        row suffering it, and the loss that rows suffer.
    contrasts, cells, not_estimable : tuples
        Every pair of groups, every class in every group, and what rests on too few rows; `to_frame()` and
        `cells_frame()` have the first two as tables.
    expected : Expectation or None
        The gap to expect on new people from the same source, with its interval (`gap`, `lower`, `upper`), where it is
        (`label`, `worse`, `better`) and how it was estimated (`source`). `expected_gap` is its gap alone, None where it
        cannot be told.
    assurance, assured_rates
        With guarantee="confident": the outcome of the test on rows kept from training, and every rate in it with its
        exact bounds. `assured` says whether epsilon passed.
    attribute : str
        What the groups are groups of, where `sensitive_features` had a name.
    validation_gap, validation_accuracy : float or None
        Of models of earlier versions: on rows held out from training, if some were.
    """

    notion: str
    guarantee: str
    epsilon: float  # as requested
    lp_gap: float | None  # largest gap in the linear program, padding included; None where the notion has none there
    realised_gap: float  # largest gap on the training rows, counted in decisions; NaN where none can be told
    accuracy: float  # on the training rows
    padding: float  # summed over all cells
    loss: float  # summed over all rows, without padding
    contrasts: tuple[ContrastFit, ...]
    cells: tuple[CellFit, ...]
    not_estimable: tuple[NotEstimable, ...]
    validation_gap: float | None = None  # only in files of earlier versions
    validation_accuracy: float | None = None
    expected: Expectation | None = None  # a file of an earlier version does not say
    assurance: Assurance | None = None  # with guarantee="confident"
    assured_rates: tuple[AssuredRate, ...] = ()
    attribute: str = ""  # what the groups are groups of, where sensitive_features had a name

    @property
    def expected_gap(self) -> float | None:
        """The largest gap to expect on new people; None where it cannot be told. `expected` has its interval."""
        return None if self.expected is None else self.expected.gap

    @property
    def assured(self) -> bool:
        """Whether, with the confidence asked for, no gap on new people is larger than epsilon."""
        return self.assurance is not None and self.assurance.smallest_epsilon <= self.epsilon + ROUNDING

    @property
    def met_on_training_rows(self) -> bool:
        """Whether every gap on the training rows is at most epsilon; one that cannot be told is not."""
        is_told = not any(math.isnan(contrast.realised_gap) for contrast in self.contrasts)
        return is_told and self.realised_gap <= self.epsilon + ROUNDING

    @property
    def met(self) -> bool:
        """Whether what was asked for was reached: on the training rows, or with "confident" in the test."""
        return self.assured if self.guarantee == "confident" else self.met_on_training_rows

    @property
    def met_in_lp(self) -> bool:
        """Whether the paper's constraint holds: mean losses, padding included, within epsilon."""
        return self.lp_gap is not None and self.lp_gap <= self.epsilon + 1e-6

    @property
    def worst(self) -> ContrastFit:
        """The pair with the largest realised gap."""
        return max(self.contrasts, key=lambda contrast: np.nan_to_num(abs(contrast.realised_gap), nan=-1.0))

    def to_frame(self) -> pd.DataFrame:
        """One line per class and pair of groups."""
        return pd.DataFrame([vars_of(contrast) for contrast in self.contrasts])

    def cells_frame(self) -> pd.DataFrame:
        """One line per class and group."""
        return pd.DataFrame([vars_of(cell) for cell in self.cells])

    def __str__(self) -> str:
        verdict = "met" if self.met_on_training_rows else "NOT met"
        by = f" by {printable(self.attribute)}" if self.attribute else ""
        larger = NOTIONS[self.notion].larger_rate("for the positive class")
        lines = [
            *assurance_in_words(self.assurance, self.assured_rates, self.epsilon, NOTIONS[self.notion].whom),
            f"{NOTIONS[self.notion]}{by}: asked for a gap of at most {self.epsilon:.3f}, "
            f"{verdict} on the training rows ({_told(self.realised_gap)}).",
            f"Largest gap: {describe(self.worst)}.",
            *([] if self.expected is None else [self.expected.in_words(larger)]),
        ]
        if self.lp_gap is not None:
            lines.append(
                f"In the linear program mean losses differ by {self.lp_gap:.3f} at most, with {self.padding:,.1f} "
                f"units of padding on top of losses of {self.loss:,.1f}."
            )
        if self.not_estimable:
            lines.append("Not estimable, and left out: " + "; ".join(_short(rate) for rate in self.not_estimable) + ".")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """As a notebook shows it."""
        from rugcore.fair_training.displays import fit_card  # it reads this class

        return fit_card(self)


def describe(contrast: ContrastFit) -> str:
    within = "" if contrast.label is None else f" in class {contrast.label}"
    return f"'{contrast.first}' against '{contrast.second}'{within}, {_told(contrast.realised_gap, '+.3f')}"


def _told(gap: float, form: str = ".3f") -> str:
    return "cannot be told: too few people are decided so" if np.isnan(gap) else f"{gap:{form}}"


def _short(rate: NotEstimable) -> str:
    within = "" if rate.label is None else f" in class {rate.label}"
    return f"'{rate.group}'{within} ({rate.n_rows} rows)"


def vars_of(item: Any) -> dict[str, Any]:
    return {name: getattr(item, name) for name in item.__dataclass_fields__}


@dataclass(frozen=True)
class FitRecord:
    """What training knows at its end; `fit` turns it into a `FairnessFit`."""

    guarantee: str
    epsilon: float
    tally: np.ndarray  # weight of the cells by decided class, as counted on the training rows
    expected_tally: np.ndarray  # as expected on new people from the same rows
    cell_loss: np.ndarray  # loss of the linear program, without padding
    padding: np.ndarray
    importance: np.ndarray
    price: np.ndarray | None

    def fit(self, people: People) -> FairnessFit:
        parity, cells = people.parity, people.cells
        padded = self.cell_loss + self.padding
        return FairnessFit(
            notion=parity.notion.name,
            guarantee=self.guarantee,
            epsilon=self.epsilon,
            lp_gap=people.expected.loss_gap(padded) if parity.notion.bounds_losses else None,
            realised_gap=parity.gap(self.tally),
            accuracy=1.0 - float(parity.wrong(self.tally).sum() / cells.weight.sum()),
            padding=float(self.padding.sum()),
            loss=float(self.cell_loss.sum()),
            contrasts=self._contrasts(people, padded),
            cells=self._cells(cells, parity.wrong(self.tally)),
            not_estimable=tuple(NotEstimable(rate.label, rate.group, rate.count) for rate in parity.not_estimable),
            expected=expectation(people.expected, self.expected_tally, self._source(people)),
            attribute=people.groups.attribute,
        )

    @staticmethod
    def _source(people: People) -> str:
        return COUNTED if people.likely is None else LIKELY

    def _contrasts(self, people: People, padded: np.ndarray) -> tuple[ContrastFit, ...]:
        counted, expected = people.parity.contrasts, people.expected.contrasts
        losses = padded if people.parity.notion.bounds_losses else None
        prices = [None] * len(counted) if self.price is None else self.price.tolist()
        return tuple(
            ContrastFit(
                one.label, *one.pair, None if losses is None else other.loss_gap(losses), one.gap(self.tally), price
            )
            for one, other, price in zip(counted, expected, prices, strict=True)
        )

    def _cells(self, cells: Cells, wrong: np.ndarray) -> tuple[CellFit, ...]:
        weight, n_groups = cells.weight.ravel(), len(cells.groups)
        return tuple(
            CellFit(
                label=cells.classes[number // n_groups],
                group=cells.groups[number % n_groups],
                n_rows=int(cells.count.ravel()[number]),
                error=float(wrong[number] / weight[number]) if weight[number] > 0 else float("nan"),
                importance=float(self.importance[number]),
                padding=float(self.padding[number]),
            )
            for number in range(cells.n_cells)
        )


# -- files -------------------------------------------------------------------------------------------------------


def to_dict(fit: FairnessFit) -> dict[str, Any]:
    """As plain data; what is not a number (an error rate without rows) becomes nothing."""
    alone = {name: value for name, value in vars_of(fit).items() if name not in _TABLES and name not in _PARTS}
    content = {name: serial.plain(value) for name, value in alone.items()}
    for name in _PARTS:
        part = getattr(fit, name)
        content[name] = None if part is None else _plain_line(part)
    for name in _TABLES:
        content[name] = [_plain_line(item) for item in getattr(fit, name)]
    return {name: _without_infinity(value) for name, value in content.items()}


def from_dict(content: Mapping[str, Any]) -> FairnessFit:
    """The inverse; anything that does not fit is a `ModelFileError`."""
    try:
        content = {"assured_rates": [], "attribute": "", **content}  # earlier versions knew neither
        tables: dict[str, Any] = {
            name: tuple(_line(kind, item) for item in serial.get(content, name, list)) for name, kind in _TABLES.items()
        }
        # A file of an earlier version has none of these parts.
        parts = {name: _line(kind, content[name]) for name, kind in _PARTS.items() if content.get(name) is not None}
        fit = FairnessFit(**(_values(FairnessFit, content, _UNBOUNDED) | tables | parts))
    except ModelFileError as error:
        raise ModelFileError(f"its fairness results cannot be read: {error}") from error
    _refuse_nonsense(fit)
    return fit


_TABLES: dict[str, type] = {
    "contrasts": ContrastFit,
    "cells": CellFit,
    "not_estimable": NotEstimable,
    "assured_rates": AssuredRate,
}
_PARTS: dict[str, type] = {"expected": Expectation, "assurance": Assurance}
# What stands for nothing in a file, because JSON knows neither infinity nor NaN.
_UNBOUNDED = {"epsilon": float("inf"), "realised_gap": float("nan")}
_WITHOUT_ROWS = {"error": float("nan"), "realised_gap": float("nan")}


def _plain_line(item: Any) -> dict[str, Any]:
    line = {name: serial.plain(value) for name, value in vars_of(item).items()}
    return {name: None if value != value else value for name, value in line.items()}  # NaN is not equal to itself


def _without_infinity(value: Any) -> Any:
    return None if isinstance(value, float) and not np.isfinite(value) else value


def _line(kind: type, item: Any) -> Any:
    return kind(**_values(kind, item, _WITHOUT_ROWS))


def _values(kind: type, item: Any, for_nothing: Mapping[str, float]) -> dict[str, Any]:
    """The fields of a dataclass, each of the type that it declares."""
    apart = {*_TABLES, *_PARTS} if kind is FairnessFit else set()
    hints = {name: hint for name, hint in get_type_hints(kind).items() if name not in apart}
    return {
        name: for_nothing[name] if name in for_nothing and serial.get(item, name) is None else _value(item, name, hint)
        for name, hint in hints.items()
    }


def _value(item: Any, name: str, hint: Any) -> Any:
    allowed = get_args(hint) or (hint,)
    found = serial.get(item, name)
    if found is None and (hint is Any or type(None) in allowed):
        return None
    if hint is Any:
        return serial.scalar(found)
    if float in allowed:
        return serial.finite(found, name)
    if isinstance(found, bool):
        raise ModelFileError(f"the field {name!r} has the wrong type bool.")
    return serial.get(item, name, allowed)


def _refuse_nonsense(fit: FairnessFit) -> None:
    numbers = [fit.epsilon, fit.lp_gap or 0.0, np.nan_to_num(fit.realised_gap), fit.accuracy, fit.padding, fit.loss]
    if fit.notion not in NOTIONS or fit.guarantee not in GUARANTEES:
        raise ModelFileError("its fairness results name an unknown notion or guarantee.")
    gaps = [fit.realised_gap, *(contrast.realised_gap for contrast in fit.contrasts)]
    if NOTIONS[fit.notion].bounds_losses and (fit.lp_gap is None or any(map(math.isnan, gaps))):
        raise ModelFileError("its fairness results lack a gap.")
    if fit.expected is not None and fit.expected.source not in SOURCES:
        raise ModelFileError("its fairness results name an unknown source of what is expected.")
    numbers += [cell.n_rows for cell in fit.cells] + [rate.n_rows for rate in fit.not_estimable]
    if min(numbers) < 0 or fit.accuracy > 1 or not fit.contrasts:
        raise ModelFileError("its fairness results hold numbers that cannot be.")
