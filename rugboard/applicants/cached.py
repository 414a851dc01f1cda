"""What the page Applicants works out once for everybody: decisions, queues, and what may become of a column."""

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from rugboard.runs.results import Results
from rugboard.session import adjusted_models, group_names, lightgbm, server
from rugboard.session.adjustments import AS_TRAINED, Adjustment
from rugboard.session.applicant_address import number_of, positions_of_test_rows
from rugboard.session.cache import cached
from rugboard.session.training_columns import columns as columns
from rugcore.explanations import Explanation, FlipFinder, Queues, ReasonFinder, queues
from rugcore.rules import Decisions
from rugcore.tables import plain_value

if TYPE_CHECKING:
    from rugcore.estimators import RuleClassifier

KEPT = 12  # each holds a few values per row
ROWS_AT_ONCE = 50_000  # of a large table that are decided together
NARROW_SHARE = 0.2  # this share of the decisions, those with the smallest margins, is called narrow


@dataclass(frozen=True, eq=False)
class ChosenModel:
    """A model of a run as this visitor has set it."""

    results: Results
    name: str  # "rug" or "fair"
    change: Adjustment

    @property
    def cache_key(self) -> tuple[str, str, str]:
        return self.results.cache_key, self.name, self.change.cache_key

    @property
    def model(self) -> "RuleClassifier":
        return adjusted_models.with_adjustment(self.results, self.name, self.change)

    @property
    def adjusted(self) -> tuple[Results, str, Adjustment]:
        """What functions of the session take."""
        return self.results, self.name, self.change

    @property
    def classes(self) -> list[Any]:
        return [plain_value(label) for label in self.model.classes_]

    @property
    def favourable(self) -> Any:
        return self.results.plan.favourable


@dataclass(frozen=True, eq=False)
class Case:
    """One applicant before one model."""

    chosen: ChosenModel
    row: int  # in `Results.data`
    cells: dict[str, Any]
    explanation: Explanation

    @property
    def cache_key(self) -> tuple[tuple[str, str, str], int]:
        return self.chosen.cache_key, self.row

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
        """As it is called everywhere; None for a run without groups."""
        return None if self.results.data.groups is None else str(group_names.of_rows(self.results).iloc[self.row])

    @property
    def is_narrow(self) -> bool:
        return self.explanation.margin < narrow_below(self.chosen)


def case_of(chosen: ChosenModel, row: int) -> Case:
    model = chosen.model
    cells = model.schema_.cells(chosen.results.data.X.iloc[row])
    return Case(chosen, row, cells, model.explain(cells))


# -- how an applicant is called ----------------------------------------------------------------------------


@cached(entries=KEPT)
def other_columns(results: Results) -> list[str]:
    """Columns of the data that the run does not use: one of them may be the ID."""
    used = set(results.run.plan.columns)
    return [name for name in server.store().snapshots.column_names(results.plan.snapshot) if name not in used]


@cached(entries=KEPT)
def ids(results: Results, column: str) -> np.ndarray:
    """The ID of every row in words."""
    values = server.store().snapshots.load(results.plan.snapshot, [column])[column].iloc[results.data.rows]
    words = np.empty(len(values), dtype=object)
    words[:] = ["" if pd.isna(value) else id_in_words(value) for value in values.astype(object)]
    return words


def id_in_words(value: object) -> str:
    return f"{value:.0f}" if isinstance(value, float) and value.is_integer() else str(value).strip()


# -- decisions and queues ----------------------------------------------------------------------------------


@cached(entries=KEPT)
def decisions(chosen: ChosenModel) -> Decisions:
    """Of every row of the run's table."""
    X, model = chosen.results.data.X, chosen.model
    parts = [model.decisions(X.iloc[begin : begin + ROWS_AT_ONCE]) for begin in range(0, len(X), ROWS_AT_ONCE)]
    return Decisions(**{f.name: np.concatenate([getattr(part, f.name) for part in parts]) for f in fields(Decisions)})


@cached(entries=4 * KEPT)
def queues_of(chosen: ChosenModel, only_test: bool, with_lightgbm: bool) -> Queues:
    """Positions in `Results.data`; without LightGBM nothing disagrees, and nothing has to be trained."""
    rows = rows_of(chosen.results, only_test)
    other = lightgbm.decided(chosen.results)[rows] if with_lightgbm else None
    found = queues(taken(decisions(chosen), rows), chosen.model.classes_, chosen.favourable, other=other)
    return Queues(**{f.name: rows[getattr(found, f.name)] for f in fields(Queues)})


def rows_of(results: Results, only_test: bool) -> np.ndarray:
    return positions_of_test_rows(results) if only_test else np.arange(len(results.is_test))


@cached(entries=4 * KEPT)
def narrow_below(chosen: ChosenModel) -> float:
    """The margin below which a decision is narrow, from the test rows that rules decided."""
    found = taken(decisions(chosen), rows_of(chosen.results, only_test=True))
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


@cached(entries=KEPT)
def finder(chosen: ChosenModel) -> FlipFinder:
    profiles = {name: column.profile for name, column in columns(chosen.results).items()}
    return FlipFinder(chosen.model, profiles, chosen.results.X_train)


# -- explanations ------------------------------------------------------------------------------------------


@cached(entries=KEPT)
def reason_finder(chosen: ChosenModel) -> ReasonFinder:
    """Compares with all training rows that the model decides favourably, as the visitor has set it."""
    return ReasonFinder(chosen.model, chosen.favourable, background=chosen.results.X_train)


def prefetch(results: Results) -> None:
    """What the page shows first."""
    first = ChosenModel(results, next(iter(results.summaries)), AS_TRAINED)
    queues_of(first, only_test=True, with_lightgbm=False)
    finder(first)
    reason_finder(first)
