"""Numbers about the models of a run that the store does not hold."""

from dataclasses import dataclass

import numpy as np

from rugboard.runs.all_rows import TEST, TRAINING
from rugboard.runs.judging import ComparedRows
from rugboard.runs.plan import RUG
from rugboard.runs.results import Results
from rugboard.session.adjusted_models import decided
from rugboard.session.adjustments import AS_TRAINED
from rugboard.session.cache import cached

ANSWERS_KEPT = 64
ROWS_KEPT = 4  # runs; one number per row
MOST_ROWS = 20_000  # of a table on which a tree is grown while a visitor waits
FEWEST_LEAVES = 2


@dataclass(frozen=True)
class Gap:
    """The largest gap between two groups, as the decisions of a model show it."""

    on_training_rows: float  # NaN where no two groups are large enough
    on_test_rows: float


@dataclass(frozen=True)
class Baseline:
    """Giving everybody the most common outcome of the training rows."""

    label: object
    test_accuracy: float


@cached(entries=ANSWERS_KEPT)
def gap(results: Results, model: str) -> Gap | None:
    """Of a model as trained, on all rows, measured with the run's own notion of fairness; None without groups."""
    if results.data.groups is None:
        return None
    counts = results.all_rows
    if counts is not None and model in counts.models:
        notion, positive = results.plan.fairness, results.plan.fair_settings()["positive_class"]
        return Gap(*(counts.gap(model, rows, notion, positive) for rows in (TRAINING, TEST)))
    return gap_of(results, decided(results, model, AS_TRAINED))


def gap_of(results: Results, decisions: np.ndarray) -> Gap | None:
    """The same for any decisions about the rows of the run's table."""
    if results.data.groups is None:
        return None
    training, test = _compared(results)
    return Gap(training.gap(decisions[~results.is_test]), test.gap(decisions[results.is_test]))


@cached(entries=ROWS_KEPT)
def _compared(results: Results) -> tuple[ComparedRows, ComparedRows]:
    training, test = (ComparedRows.of(results.data, results.plan, rows) for rows in (~results.is_test, results.is_test))
    return training, test


@cached(entries=ANSWERS_KEPT)
def baseline(results: Results) -> Baseline:
    """On all rows."""
    if results.all_rows is not None:
        own = next(iter(results.all_rows.models.values()))
        training, test = (own[rows].total.sum(axis=1) for rows in (TRAINING, TEST))
        usual = int(training.argmax())
        return Baseline(results.all_rows.labels.classes[usual], float(test[usual] / test.sum()))
    label = results.y_train.mode()[0]
    return Baseline(label, float((results.y_test == label).mean()))


@cached(entries=ANSWERS_KEPT)
def says_the_same_of_all(results: Results, model: str) -> bool:
    """Whether a model as trained decides all test rows alike."""
    return len(set(decided(results, model, AS_TRAINED)[results.is_test].tolist())) == 1


@cached(entries=ANSWERS_KEPT)
def tree_of_same_size(results: Results) -> float | None:
    """Right decisions on the test rows of a decision tree with a leaf for every rule of RUG; None for a large table."""
    from rugcore import PeerClassifier

    if len(results.data.y) > MOST_ROWS:
        return None
    leaves = max(results.summaries[RUG].rules, FEWEST_LEAVES)
    tree = PeerClassifier("decision tree", settings={"max_leaf_nodes": leaves, "max_depth": None})
    tree.fit(results.X_train, results.y_train)
    return float((tree.predict(results.X_test) == results.y_test.to_numpy(dtype=object)).mean())


def average_length(results: Results, model: str) -> float:
    """Conditions per rule."""
    rules = results.model(model).rules_
    return sum(rule.length for rule in rules) / len(rules) if len(rules) else float("nan")
