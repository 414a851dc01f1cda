"""What the page Applicants works out once for everybody: decisions, queues, and what may become of a column."""

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from rugboard.runs.results import Results
from rugboard.session import adjusted_models, lightgbm, server
from rugboard.session.adjusted_models import Adjustment
from rugcore.explanations import ColumnProfile, Explanation, FlipFinder, Queues, column_profiles, queues
from rugcore.rules import Decisions
from rugcore.tables import plain_value

KEPT = 12  # each holds a few values a row
ROWS_AT_ONCE = 50_000  # of a large table that are decided together
NARROW_SHARE = 0.2  # this share of the decisions, those with the smallest margins, is called narrow


@dataclass(frozen=True, eq=False)
class Chosen:
    """A model of a run as this visitor has set it."""

    results: Results
    name: str  # "rug" or "fair"
    change: Adjustment

    @property
    def key(self) -> tuple[str, str, str]:
        return self.results.run.id, self.name, self.change.key

    @property
    def model(self) -> Any:
        return adjusted_models.with_adjustment(self.results, self.name, self.change)

    @property
    def classes(self) -> list[Any]:
        return [plain_value(label) for label in self.model.classes_]

    @property
    def favourable(self) -> Any:
        return self.results.plan.favourable


@dataclass(frozen=True, eq=False)
class Case:
    """One applicant before one model."""

    chosen: Chosen
    row: int  # in `Results.data`
    cells: dict[str, Any]
    explanation: Explanation

    @property
    def results(self) -> Results:
        return self.chosen.results

    @property
    def number(self) -> int:
        return number_of(self.results, self.row)

    @property
    def outcome(self) -> Any:
        return plain_value(self.results.data.y.iloc[self.row])

    @property
    def group(self) -> str | None:
        groups = self.results.data.groups
        return None if groups is None else str(groups.iloc[self.row])

    @property
    def is_narrow(self) -> bool:
        return self.explanation.margin < narrow_below(self.chosen)


def case_of(chosen: Chosen, row: int) -> Case:
    model = chosen.model
    cells = model.schema_.cells(chosen.results.data.X.iloc[row])
    return Case(chosen, row, cells, model.explain(cells))


# -- how an applicant is called ----------------------------------------------------------------------------


def number_of(results: Results, row: int) -> int:
    """The row of the table as a person counts, from 1."""
    return int(results.data.rows[row]) + 1


def row_of(results: Results, number: int) -> int | None:
    """The other way round; None where the table has no such row, or not its outcome."""
    rows = results.data.rows
    place = int(np.searchsorted(rows, number - 1))
    return place if place < len(rows) and rows[place] == number - 1 else None


def other_columns(results: Results) -> list[str]:
    """Columns of the data that the run does not use: one of them may be the ID."""
    return _other_columns(results.run.id, results)


def ids(results: Results, column: str) -> np.ndarray:
    """The ID of every row in words."""
    return _ids(results.run.id, column, results)


@st.cache_resource(show_spinner=False, max_entries=KEPT)
def _other_columns(run_id: str, _results: Results) -> list[str]:  # noqa: ARG001
    used = set(_results.plan.columns)
    return [name for name in server.store().snapshots.column_names(_results.plan.snapshot) if name not in used]


@st.cache_resource(show_spinner=False, max_entries=KEPT)
def _ids(run_id: str, column: str, _results: Results) -> np.ndarray:  # noqa: ARG001
    values = server.store().snapshots.load(_results.plan.snapshot, [column])[column].iloc[_results.data.rows]
    words = np.empty(len(values), dtype=object)
    words[:] = ["" if pd.isna(value) else id_in_words(value) for value in values.astype(object)]
    return words


def id_in_words(value: object) -> str:
    return f"{value:.0f}" if isinstance(value, float) and value.is_integer() else str(value).strip()


# -- decisions and queues ----------------------------------------------------------------------------------


def decisions(chosen: Chosen) -> Decisions:
    """Of every row of the run's table."""
    return _decisions(*chosen.key, chosen)


def queues_of(chosen: Chosen, only_test: bool, with_lightgbm: bool) -> Queues:
    """Positions in `Results.data`; without LightGBM nothing disagrees, and nothing has to be trained."""
    return _queues(*chosen.key, only_test, with_lightgbm, chosen)


def rows_asked_for(results: Results, only_test: bool) -> np.ndarray:
    return np.flatnonzero(results.is_test) if only_test else np.arange(len(results.is_test))


def narrow_below(chosen: Chosen) -> float:
    """The margin below which a decision is narrow, from the test rows that rules decided."""
    return _narrow_below(*chosen.key, chosen)


@st.cache_resource(show_spinner=False, max_entries=KEPT)
def _decisions(run_id: str, name: str, change: str, _chosen: Chosen) -> Decisions:  # noqa: ARG001
    X, model = _chosen.results.data.X, _chosen.model
    parts = [model.decisions(X.iloc[begin : begin + ROWS_AT_ONCE]) for begin in range(0, len(X), ROWS_AT_ONCE)]
    return Decisions(**{f.name: np.concatenate([getattr(part, f.name) for part in parts]) for f in fields(Decisions)})


@st.cache_resource(show_spinner=False, max_entries=4 * KEPT)
def _queues(
    run_id: str,  # noqa: ARG001
    name: str,  # noqa: ARG001
    change: str,  # noqa: ARG001
    only_test: bool,
    with_lightgbm: bool,
    _chosen: Chosen,
) -> Queues:
    rows = rows_asked_for(_chosen.results, only_test)
    other = lightgbm.decided(_chosen.results)[rows] if with_lightgbm else None
    found = queues(taken(decisions(_chosen), rows), _chosen.model.classes_, _chosen.favourable, other=other)
    return Queues(**{f.name: rows[getattr(found, f.name)] for f in fields(Queues)})


@st.cache_resource(show_spinner=False, max_entries=4 * KEPT)
def _narrow_below(run_id: str, name: str, change: str, _chosen: Chosen) -> float:  # noqa: ARG001
    found = taken(decisions(_chosen), rows_asked_for(_chosen.results, only_test=True))
    margins = found.margin[~(found.is_uncovered | found.is_tie)]
    return float(np.quantile(margins, NARROW_SHARE)) if len(margins) else 0.0


def weight_between(found: Decisions) -> np.ndarray:
    """What the rules for the decision weigh more than those for the next outcome; NaN where rules did not decide.

    A rule also takes from the scores of the other outcomes, so that margins of scores are larger by K / (K - 1).
    """
    n_classes = found.scores.shape[1]
    return np.where(found.is_uncovered | found.is_tie, np.nan, found.margin * (n_classes - 1) / n_classes)


def taken(found: Decisions, rows: np.ndarray) -> Decisions:
    """Of some rows."""
    return Decisions(**{f.name: getattr(found, f.name)[rows] for f in fields(Decisions)})


# -- columns -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Column:
    """What the training rows tell about a column."""

    facts: ColumnProfile
    lowest: float = -np.inf
    highest: float = np.inf
    has_blanks: bool = True

    @property
    def is_number(self) -> bool:
        return self.facts.kind == "number"


def columns(results: Results) -> dict[str, Column]:
    """Every column that the models may look at."""
    return _columns(results.run.id, results)


def finder(chosen: Chosen) -> FlipFinder:
    return _finder(*chosen.key, chosen)


@st.cache_resource(show_spinner=False, max_entries=KEPT)
def _columns(run_id: str, _results: Results) -> dict[str, Column]:  # noqa: ARG001
    X = _results.X_train
    return {name: _column(X[name], facts) for name, facts in column_profiles(X).items()}


def _column(values: pd.Series, facts: ColumnProfile) -> Column:
    has_blanks = bool(values.isna().any())
    if facts.kind != "number":
        return Column(facts, has_blanks=has_blanks)
    numbers = values.astype("float64")
    return Column(facts, float(numbers.min()), float(numbers.max()), has_blanks)


@st.cache_resource(show_spinner=False, max_entries=KEPT)
def _finder(run_id: str, name: str, change: str, _chosen: Chosen) -> FlipFinder:  # noqa: ARG001
    facts = {column: known.facts for column, known in columns(_chosen.results).items()}
    return FlipFinder(_chosen.model, facts)
