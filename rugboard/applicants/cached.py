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
from rugboard.shell.tables import cell_in_words
from rugboard.shell.theme import OUTSIDE
from rugcore.explanations import (
    Confidence,
    ConfidenceFinder,
    Explanation,
    FlipFinder,
    Queues,
    ReasonFinder,
    SimilarPeople,
    queues,
    rewarded_against_direction,
)
from rugcore.rules import Decisions, SaidDirection
from rugcore.tables import is_blank, plain_value

if TYPE_CHECKING:
    from rugcore.estimators import RuleClassifier

KEPT = 12  # each holds a few values per row
ROWS_AT_ONCE = 50_000  # of a large table that are decided together


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
    def decided_elsewhere(self) -> Any:
        """What another model, known from the table, decided; None where there is none."""
        other = self.results.data.outside
        return None if other is None else plain_value(other.decided[self.row])

    def in_words(self, column: str, value: Any) -> str:
        """A value of a column; of a special code, what it stands for."""
        return self._meaning(column, value) or cell_in_words(value)

    def _meaning(self, column: str, value: Any) -> str | None:
        about = columns(self.results).get(column)
        return None if about is None or is_blank(value) else about.meanings.get(value)

    @property
    def cells_to_show(self) -> dict[str, Any]:
        """The values of the applicant, with what special codes stand for in their place."""
        return {name: self._meaning(name, value) or value for name, value in self.cells.items()}

    @property
    def n_people(self) -> int:
        """How many training people rules rest on."""
        return int((~self.results.is_test).sum())

    @property
    def usual(self) -> dict[Any, float]:
        """How common every outcome is among them."""
        model = self.chosen.model
        return dict(zip(self.chosen.classes, map(float, model.class_share_), strict=True))


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


@cached(entries=KEPT)
def chances(chosen: ChosenModel) -> np.ndarray:
    """Of the decision about every row of the run's table: how likely it is right."""
    X, model = chosen.results.data.X, chosen.model
    parts = [model.predict_proba(X.iloc[begin : begin + ROWS_AT_ONCE]) for begin in range(0, len(X), ROWS_AT_ONCE)]
    every: np.ndarray = np.concatenate(parts)[np.arange(len(X)), decisions(chosen).class_code]
    return every


@cached(entries=4 * KEPT)
def queues_of(chosen: ChosenModel, only_test: bool, beside: str = "") -> Queues:
    """Positions in `Results.data`. Beside no other model nothing disagrees, and nothing has to be trained."""
    rows = rows_of(chosen.results, only_test)
    other = _decided_by(chosen.results, beside)[rows] if beside else None
    found = queues(
        taken(decisions(chosen), rows),
        chosen.model.classes_,
        chosen.favourable,
        chance=chances(chosen)[rows],
        other=other,
    )
    return Queues(**{f.name: rows[getattr(found, f.name)] for f in fields(Queues)})


def _decided_by(results: Results, model: str) -> np.ndarray:
    """By a model without rules: another one that the table knows, or LightGBM."""
    outside = results.data.outside if model == OUTSIDE else None
    return lightgbm.decided(results) if outside is None else outside.decided


def rows_of(results: Results, only_test: bool) -> np.ndarray:
    return positions_of_test_rows(results) if only_test else np.arange(len(results.is_test))


def taken(found: Decisions, rows: np.ndarray) -> Decisions:
    """Of some rows."""
    return Decisions(**{f.name: getattr(found, f.name)[rows] for f in fields(Decisions)})


@cached(entries=KEPT)
def finder(chosen: ChosenModel) -> FlipFinder:
    profiles = {name: column.profile for name, column in columns(chosen.results).items()}
    return FlipFinder(chosen.model, profiles, chosen.results.X_train, confidence=confidence_finder(chosen))


# -- explanations ------------------------------------------------------------------------------------------


@cached(entries=KEPT)
def similar(chosen: ChosenModel) -> SimilarPeople:
    """Training people whom the model decides favourably, and who were so in the data."""
    results = chosen.results
    profiles = {name: column.profile for name, column in columns(results).items()}
    return SimilarPeople(
        chosen.model, results.X_train, chosen.favourable, y_train=results.y_train.to_numpy(), profiles=profiles
    )


@cached(entries=KEPT)
def rewarded(chosen: ChosenModel, directions: tuple[tuple[str, SaidDirection], ...]) -> pd.DataFrame:
    """Rules that reward a worse value, and for how many training people: a defect of the model."""
    return rewarded_against_direction(chosen.model, dict(directions), chosen.favourable, chosen.results.X_train)


def confidence_finder(chosen: ChosenModel) -> ConfidenceFinder:
    return adjusted_models.confidence_finder(*chosen.adjusted)


def confidence(case: Case, cells: dict[str, Any] | None = None) -> Confidence:
    """Of the decision about the applicant, or about changed values; nobody is asked about themselves."""
    return confidence_finder(case.chosen).find(case.cells if cells is None else cells, without=place_among_tested(case))


def place_among_tested(case: Case) -> int | None:
    """None for somebody the model was trained on."""
    if not case.results.is_test[case.row]:
        return None
    return int(np.searchsorted(positions_of_test_rows(case.results), case.row))


def confidences(chosen: ChosenModel, rows: np.ndarray) -> list[Confidence]:
    """Of the decisions about several rows of the data; nobody is asked about themselves."""
    results = chosen.results
    place = np.searchsorted(positions_of_test_rows(results), rows)
    own = [int(number) if is_test else None for number, is_test in zip(place, results.is_test[rows], strict=True)]
    return confidence_finder(chosen).find_many(results.data.X.iloc[rows], without=own)


@cached(entries=KEPT)
def reason_finder(chosen: ChosenModel) -> ReasonFinder:
    """Compares with all training rows that the model decides favourably, as the visitor has set it."""
    return ReasonFinder(chosen.model, chosen.favourable, background=chosen.results.X_train)


def prefetch(results: Results) -> None:
    """What the page shows first."""
    first = ChosenModel(results, next(iter(results.summaries)), AS_TRAINED)
    queues_of(first, only_test=True)
    confidence_finder(first)
    similar(first)
    finder(first)
    reason_finder(first)
