"""How a model treats the groups of a run, on training rows and on test rows: what the page Fairness is about."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from rugboard.runs.plan import FAIR
from rugboard.runs.prepare import BLANK
from rugboard.runs.results import Results
from rugboard.session import adjusted_models, lightgbm
from rugboard.session.adjusted_models import Adjustment
from rugboard.shell.theme import name_of_model
from rugcore.fair_training import FairnessFit
from rugcore.fairness import Audit, audit
from rugcore.tables import plain_value

TRAINING, TEST = "training", "test"
ROWS = (TRAINING, TEST)
LIGHTGBM = "lightgbm"
STANDINGS_KEPT = 96  # small: tables with a line a group

Lines = dict[Any, dict[str, Any]]


@dataclass(frozen=True, eq=False)
class Standing:
    """One model: what an audit of its decisions finds, and what its training says about the groups."""

    model: str
    audits: dict[str, Audit]  # by TRAINING and TEST
    accuracy: dict[str, float]
    n_rows: dict[str, int]
    fit: FairnessFit | None = None  # of a fair model
    n_rules: int | None = None

    @property
    def name(self) -> str:
        return name_of_model(self.model)

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


def standings(results: Results, with_peer: bool) -> list[Standing]:
    """Every model of the run as this visitor has set it, and LightGBM if asked for."""
    own = [standing(results, model, adjusted_models.adjustment(results.run.id, model)) for model in results.summaries]
    return [*own, _peer(results.run.id, results)] if with_peer else own


def standing(results: Results, model: str, change: Adjustment) -> Standing:
    """A model of the run with a visitor's changes."""
    return _standing(results.run.id, model, change.key, results, change)


@st.cache_resource(show_spinner=False, max_entries=STANDINGS_KEPT)
def _standing(run_id: str, model: str, key: str, _results: Results, _change: Adjustment) -> Standing:  # noqa: ARG001
    solved = adjusted_models.with_adjustment(_results, model, _change)
    fit = _with_clear_names(solved.fairness_, _results) if model == FAIR else None
    return judge(_results, model, adjusted_models.decided(_results, model, _change), fit, len(solved.rules_))


@st.cache_resource(show_spinner=False, max_entries=STANDINGS_KEPT)
def _peer(run_id: str, _results: Results) -> Standing:  # noqa: ARG001
    return judge(_results, LIGHTGBM, lightgbm.decided(_results))


def judge(
    results: Results, model: str, decided: np.ndarray, fit: FairnessFit | None = None, n_rules: int | None = None
) -> Standing:
    """Audit decisions on every row of the run, training rows and test rows apart.

    Without a limit: it can move, and all models must be held against the same one (`rugboard.fairness.limit`).
    """
    chosen = {TRAINING: ~results.is_test, TEST: results.is_test}
    is_right = decided == results.data.y.to_numpy(dtype=object)
    return Standing(
        model=model,
        audits={name: _audit(results, decided, rows) for name, rows in chosen.items()},
        accuracy={name: float(is_right[rows].mean()) for name, rows in chosen.items()},
        n_rows={name: int(rows.sum()) for name, rows in chosen.items()},
        fit=fit,
        n_rules=n_rules,
    )


def _audit(results: Results, decided: np.ndarray, rows: np.ndarray) -> Audit:
    return audit(
        results.data.y[rows],
        decided[rows],
        sensitive_features=clear_groups(results)[rows],
        positive_class=results.plan.fair_settings()["positive_class"],
        classes=outcomes(results),
    )


def outcomes(results: Results) -> tuple[Any, ...]:
    """The classes in their order."""
    return tuple(sorted({plain_value(item) for item in results.data.y.unique()}))


# -- groups ------------------------------------------------------------------------------------------------

# Values that say nothing without the name of their column.
BARE = {"yes", "no", "y", "n", "true", "false", "t", "f", "0", "1", "2", BLANK.lower()}


def groups(results: Results) -> list[str]:
    """The groups of the run by their clear names, in order."""
    return sorted(set(clear_names(results).values()))


def clear_groups(results: Results) -> pd.Series:
    """The group of every row by its clear name."""
    assert results.data.groups is not None
    return results.data.groups.map(clear_names(results))


def clear_names(results: Results) -> dict[str, str]:
    """What each group is called on the page: "African American: yes" rather than "yes"."""
    found = results.data.groups
    names = [] if found is None else [str(name) for name in found.unique()]
    is_bare = len(results.plan.sensitive) == 1 and any(name.lower() in BARE for name in names)
    return {name: f"{results.plan.sensitive[0]}: {name}" if is_bare else name for name in names}


def _with_clear_names(fit: FairnessFit, results: Results) -> FairnessFit:
    names = clear_names(results)
    return replace(
        fit,
        contrasts=tuple(replace(item, first=names[item.first], second=names[item.second]) for item in fit.contrasts),
        cells=tuple(replace(item, group=names[item.group]) for item in fit.cells),
        not_estimable=tuple(replace(item, group=names[item.group]) for item in fit.not_estimable),
    )


def epsilon_now(results: Results) -> float:
    """The largest gap that this visitor allows."""
    changed = adjusted_models.adjustment(results.run.id, FAIR).epsilon
    return results.plan.epsilon if changed is None else changed


def by_difference(found: Sequence[Standing], rows: str) -> list[str]:
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


def by_selection(found: Sequence[Standing], rows: str) -> list[str]:
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
class Lacking:
    """A rate that rests on too few rows."""

    label: Any  # the outcome, or None for all
    group: str
    n_rows: int


@dataclass(frozen=True)
class Compared:
    """Which error rates a notion compares, and which of them rest on too few rows."""

    n_all: int
    n_pairs: int  # of groups that could be compared, over all outcomes
    lacking: tuple[Lacking, ...]
    never: tuple[Any, ...]  # outcomes within which no two groups could be compared

    @classmethod
    def of(cls, found: Audit, notion: str) -> "Compared":
        rates = _rates_of(found, notion)
        lacking = tuple(Lacking(label, group, n) for label, group, n, rate in rates if math.isnan(rate))
        n_known = Counter(label for label, _, _, rate in rates if not math.isnan(rate))
        labels = dict.fromkeys(label for label, *_ in rates)
        return cls(
            n_all=len(rates),
            n_pairs=sum(math.comb(n_known[label], 2) for label in labels),
            lacking=lacking,
            never=tuple(label for label in labels if n_known[label] < 2),
        )


def _rates_of(found: Audit, notion: str) -> list[tuple[Any, str, int, float]]:
    """Outcome (None for all), group, rows and error rate."""
    if notion == "odm":
        return [
            (None, str(group), int(n), float(error)) for group, n, error in found.groups[["n", "error"]].itertuples()
        ]
    return [
        (label, str(group), int(n), float(rate))
        for (label, group), n, rate in found.rates[["n", "rate"]].itertuples()
        if notion == "dmc" or label == found.positive_class
    ]
