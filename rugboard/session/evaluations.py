"""How a model treats the groups of a run, on training rows and on test rows: what the page Fairness is about."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from rugboard.runs import all_rows
from rugboard.runs.all_rows import AllRows
from rugboard.runs.plan import FAIR
from rugboard.runs.results import Results
from rugboard.session import adjusted_models, adjustments, group_names, lightgbm, run_models
from rugboard.session.adjustments import Adjustment
from rugboard.session.cache import cached
from rugboard.session.sampled import SAMPLE
from rugboard.shell.theme import OUTSIDE, name_of_model
from rugcore.fair_training import FairnessFit
from rugcore.fairness import Audit, audit
from rugcore.tables import plain_value

TRAINING, TEST = all_rows.TRAINING, all_rows.TEST
ROWS = (TRAINING, TEST)
LIGHTGBM = "lightgbm"
EVALUATIONS_KEPT = 96  # small: tables with one line per group

Lines = dict[Any, dict[str, Any]]


@dataclass(frozen=True, eq=False)
class Evaluation:
    """One model: what an audit of its decisions finds, and what its training says about the groups."""

    model: str
    audits: dict[str, Audit]  # by TRAINING and TEST
    accuracy: dict[str, float]
    n_rows: dict[str, int]
    fit: FairnessFit | None = None  # of a fair model
    n_rules: int | None = None
    is_sample: bool = False  # where the run has more rows than these

    @property
    def name(self) -> str:
        """With what it was judged on, where that is not all there is."""
        own = name_of_model(self.model)
        return f"{own} ({SAMPLE})" if self.is_sample else own

    @property
    def fair_fit(self) -> FairnessFit:
        """What the training of a fair model says; to be used of a fair model only."""
        if self.fit is None:
            raise TypeError(f"{self.name} was not trained to be fair, so that its training says nothing of groups.")
        return self.fit

    def gap(self, rows: str, notion: str) -> float:
        """The largest gap of a notion; NaN where it cannot be known."""
        return float(self.gaps[rows].get(notion, {"gap": float("nan")})["gap"])

    # The tables of the audits as dictionaries, made once: pages look things up in them line by line.

    @cached_property
    def gaps(self) -> dict[str, Lines]:
        """By rows, then by notion."""
        return {rows: lines_of(found.gaps) for rows, found in self.audits.items()}

    @cached_property
    def rates(self) -> dict[str, Lines]:
        """By rows, then by outcome and group."""
        return {rows: lines_of(found.rates) for rows, found in self.audits.items()}

    @cached_property
    def groups(self) -> dict[str, Lines]:
        """By rows, then by group."""
        return {rows: lines_of(found.groups) for rows, found in self.audits.items()}


def lines_of(table: pd.DataFrame) -> Lines:
    """The lines of a table of an audit by their names."""
    return dict(zip(table.index, table.to_dict("records"), strict=True))


def evaluate_all(results: Results, with_lightgbm: bool) -> list[Evaluation]:
    """Every model of the run as this visitor has set it, and LightGBM if it is wanted."""
    own = [evaluate_now(results, model) for model in run_models.of_run(results)]
    return [*own, evaluate_lightgbm(results)] if with_lightgbm else own


def evaluate_now(results: Results, model: str) -> Evaluation:
    """A model that decides about the run's people, with this visitor's changes if it has rules."""
    if model == OUTSIDE:
        return evaluate_outside(results)
    return evaluate(results, model, adjustments.current(results.run.id, model))


@cached(entries=EVALUATIONS_KEPT)
def evaluate(results: Results, model: str, change: Adjustment) -> Evaluation:
    """A model of the run with a visitor's changes."""
    solved = adjusted_models.with_adjustment(results, model, change)
    fit = _fit(results, model, change)
    if solved is results.model(model) and results.all_rows is not None and model in results.all_rows.models:
        return judge_counts(results, model, results.all_rows, fit)
    decided = adjusted_models.decided(results, model, change)
    return judge(results, model, decided, fit, len(solved.rules_))


def judge_counts(results: Results, model: str, counts: AllRows, fit: FairnessFit | None) -> Evaluation:
    """A model as trained, on all rows of a table that is not here."""
    positive, names = results.plan.fair_settings()["positive_class"], group_names.by_value(results)
    own = counts.models[model]
    return Evaluation(
        model=model,
        audits={rows: counts.audit(model, rows, positive, names) for rows in ROWS},
        accuracy={rows: own[rows].accuracy for rows in ROWS},
        n_rows=counts.n_rows,
        fit=fit,
        n_rules=len(results.model(model).rules_),
    )


def _fit(results: Results, model: str, change: Adjustment) -> FairnessFit | None:
    if model != FAIR:
        return None
    return group_names.in_fit(adjusted_models.fair_with_adjustment(results, change).fairness_, results)


@cached(entries=EVALUATIONS_KEPT)
def evaluate_lightgbm(results: Results) -> Evaluation:
    return judge(results, LIGHTGBM, lightgbm.decided(results))


@cached(entries=EVALUATIONS_KEPT)
def evaluate_outside(results: Results) -> Evaluation:
    """Another model, whose decisions the table holds: on the same rows, by the same notions."""
    return judge(results, OUTSIDE, run_models.outside_of(results).decided)


def judge(
    results: Results, model: str, decided: np.ndarray, fit: FairnessFit | None = None, n_rules: int | None = None
) -> Evaluation:
    """Audit decisions on every row of the run, training rows and test rows apart.

    Without a limit: it can move, and all models must be held against the same one (`rugboard.fairness.limit`).
    """
    chosen = {TRAINING: ~results.is_test, TEST: results.is_test}
    is_right = decided == results.data.y.to_numpy(dtype=object)
    return Evaluation(
        model=model,
        audits={name: _audit(results, decided, rows) for name, rows in chosen.items()},
        accuracy={name: float(is_right[rows].mean()) for name, rows in chosen.items()},
        n_rows={name: int(rows.sum()) for name, rows in chosen.items()},
        fit=fit,
        n_rules=n_rules,
        is_sample=results.is_sampled,
    )


def _audit(results: Results, decided: np.ndarray, rows: np.ndarray) -> Audit:
    return audit(
        results.data.y[rows],
        decided[rows],
        sensitive_features=group_names.of_rows(results)[rows],
        positive_class=results.plan.fair_settings()["positive_class"],
        classes=outcomes(results),
    )


def outcomes(results: Results) -> tuple[Any, ...]:
    """The classes in their order."""
    return tuple(sorted(plain_value(item) for item in results.outcomes))


# -- groups ------------------------------------------------------------------------------------------------


def by_difference(found: Sequence[Evaluation], rows: str) -> list[str]:
    """The groups, those first that are farthest from everybody in how often an outcome is decided wrongly.

    Whatever the model. A group of which rates are not known comes behind those of which all are.
    """
    distance: dict[str, float] = {}
    n_unknown: Counter[str] = Counter()
    for item in found:
        table = item.audits[rows].rates
        of_everybody = table.groupby(level="class")[["errors", "n"]].sum()
        overall = (of_everybody["errors"] / of_everybody["n"]).to_dict()
        for (label, group), line in item.rates[rows].items():
            far = abs(line["rate"] - overall[label])
            n_unknown[group] += math.isnan(far)
            distance[group] = max(distance.get(group, -1.0), -1.0 if math.isnan(far) else far)
    return sorted(distance, key=lambda group: (n_unknown[group], -distance[group]))


def by_selection(found: Sequence[Evaluation], rows: str) -> list[str]:
    """The groups, those first whose share of favourable decisions is farthest from that of everybody."""
    distance: dict[str, float] = {}
    for item in found:
        table = item.audits[rows].groups
        overall = table["n_selected"].sum() / table["n"].sum()
        for group, line in item.groups[rows].items():
            far = abs(line["selection_rate"] - overall)
            distance[group] = max(distance.get(group, -1.0), -1.0 if math.isnan(far) else far)
    return sorted(distance, key=lambda group: -distance[group])


# -- what cannot be known ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class MissingRate:
    """A rate that rests on too few rows."""

    label: Any  # the outcome, or None for all
    group: str
    n_rows: int


@dataclass(frozen=True)
class Comparability:
    """Which rates a notion compares, and which of them rest on too few rows."""

    n_all: int
    n_pairs: int  # of groups that could be compared, over all outcomes
    missing: tuple[MissingRate, ...]
    incomparable: tuple[Any, ...]  # outcomes within which no two groups could be compared

    @classmethod
    def of(cls, found: Audit, notion: str) -> "Comparability":
        rates = _rates_of(found, notion)
        missing = tuple(MissingRate(label, group, n) for label, group, n, rate in rates if math.isnan(rate))
        n_known = Counter(label for label, _, _, rate in rates if not math.isnan(rate))
        labels = dict.fromkeys(label for label, *_ in rates)
        return cls(
            n_all=len(rates),
            n_pairs=sum(math.comb(n_known[label], 2) for label in labels),
            missing=missing,
            incomparable=tuple(label for label in labels if n_known[label] < 2),
        )


def _rates_of(found: Audit, notion: str) -> list[tuple[Any, str, int, float]]:
    """Outcome (None for all), group, rows and rate."""
    compared = found.compared[found.compared.index == notion]
    return [
        (label, str(group), int(n), float(rate))
        for label, group, n, rate in compared[["class", "group", "n", "rate"]].itertuples(index=False)
    ]
