"""What the page Rules shows of a model, worked out once for everybody who looks at the same."""

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from rugboard.rules import tables
from rugboard.rules.comebacks import UNKNOWN, RuleComebacks
from rugboard.rules.gaps import RuleGaps
from rugboard.rules.statistics import TEST, TRAINING, Counts, RuleStatistics, RunRows
from rugboard.runs.all_rows import AllRows
from rugboard.runs.results import Results
from rugboard.session import adjusted_models, adjustments, group_names, measures
from rugboard.session.adjustments import AS_TRAINED, Adjustment
from rugboard.session.cache import cached
from rugboard.session.measures import Gap
from rugboard.shell.downloads import to_csv

PEOPLE_KEPT = 4  # two numbers per row
STATISTICS_KEPT = 12  # each holds which rules cover which rows
FILES_KEPT = 24  # one line per rule
FIGURES_KEPT = 96


@dataclass(frozen=True)
class KeyFigures:
    """What a model is worth, in a few numbers."""

    test_accuracy: float
    gap: Gap | None  # None without groups
    n_rules: int
    usual: object  # the outcome that most test rows are given
    usual_share: float  # of the test rows that are given it


def current_statistics(results: Results, model: str) -> RuleStatistics:
    """The rules of a model as this visitor has set it."""
    return statistics(results, model, adjustments.current(results.run.id, model))


@cached(entries=STATISTICS_KEPT)
def statistics(results: Results, model: str, change: Adjustment) -> RuleStatistics:
    solved = adjusted_models.with_adjustment(results, model, change)
    decided = adjusted_models.decided(results, model, change)
    coverage = adjusted_models.covered(results, model, change)
    found = RuleStatistics.of(solved, people(results), coverage, decided)
    if solved is results.model(model) and results.all_rows is not None and model in results.all_rows.models:
        return replace(found, counts=counts_of_all_rows(results, results.all_rows, model, found.people))
    if not found.people.has_groups or results.is_sampled:  # a gap of a sample beside counts of all rows would mislead
        return found
    gaps = {rows: RuleGaps.of(results, solved, coverage, found.people.among(rows), rows) for rows in (TEST, TRAINING)}
    return replace(found, gaps=gaps)


def counts_of_all_rows(results: Results, all_rows: AllRows, model: str, people: RunRows) -> dict[str, Counts]:
    """Of a model as trained, in the order of the page's outcomes and groups."""
    names = group_names.by_value(results)
    outcomes = [all_rows.labels.classes.index(label) for label in people.outcomes]
    groups = [0]
    if people.has_groups:
        places = {names[value]: place for place, value in enumerate(all_rows.labels.groups)}
        groups = [places[name] for name in people.groups]
    counts = {}
    for rows in (TEST, TRAINING):
        own = all_rows.models[model][rows]
        counts[rows] = Counts(own.covered[:, outcomes][:, :, groups], own.total[outcomes][:, groups])
    return counts


@cached(entries=PEOPLE_KEPT)
def people(results: Results) -> RunRows:
    return RunRows.of(results)


@cached(entries=FILES_KEPT)
def files(results: Results, model: str, change: Adjustment, comebacks: RuleComebacks = UNKNOWN) -> tuple[bytes, str]:
    """The same rules as CSV and as JSON."""
    found = statistics(results, model, change)
    return to_csv(tables.file_frame(found, comebacks)), found.rules.to_json()


@cached(entries=FIGURES_KEPT)
def key_figures(results: Results, model: str, change: Adjustment) -> KeyFigures:
    decided = adjusted_models.decided(results, model, change)
    is_right = decided == results.data.y.to_numpy(dtype=object)
    answers = pd.Series(decided[results.is_test]).value_counts()
    return KeyFigures(
        test_accuracy=float(np.mean(is_right[results.is_test])),
        gap=measures.gap_of(results, decided),
        n_rules=len(adjusted_models.with_adjustment(results, model, change).rules_),
        usual=answers.index[0],
        usual_share=float(answers.iloc[0] / answers.sum()),
    )


def prefetch(results: Results) -> None:
    """What the page shows first."""
    for model in results.summaries:
        statistics(results, model, AS_TRAINED)
        key_figures(results, model, AS_TRAINED)
