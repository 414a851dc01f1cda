"""What the page Rules knows of a model, worked out once for everybody who asks for the same."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import streamlit as st

from rugboard.rules import tables
from rugboard.rules.statistics import People, RuleFacts
from rugboard.runs.results import Results
from rugboard.session import adjusted_models, measures
from rugboard.session.adjusted_models import Adjustment
from rugboard.session.measures import Gap
from rugboard.shell.downloads import to_csv

PEOPLE_KEPT = 4  # two numbers a row
FACTS_KEPT = 12  # each holds which rules cover which rows
FILES_KEPT = 24  # a line a rule
STANDINGS_KEPT = 96


@dataclass(frozen=True)
class Standing:
    """What a model is worth, in a few numbers."""

    test_accuracy: float
    gap: Gap | None  # None without groups
    n_rules: int
    usual: object  # the outcome that most test rows are given
    usual_share: float  # of the test rows that are given it


def facts(results: Results, model: str) -> RuleFacts:
    """The rules of a model as this visitor has set it."""
    return facts_with(results, model, adjusted_models.adjustment(results.run.id, model))


def facts_with(results: Results, model: str, change: Adjustment) -> RuleFacts:
    return _facts(results.run.id, model, change.key, results, change)


def files(results: Results, model: str) -> tuple[bytes, str]:
    """The same rules as CSV and as JSON."""
    return _files(results.run.id, model, adjusted_models.adjustment(results.run.id, model).key, results)


def standing(results: Results, model: str, change: Adjustment) -> Standing:
    return _standing(results.run.id, model, change.key, results, change)


@st.cache_resource(show_spinner=False, max_entries=PEOPLE_KEPT)
def _people(run_id: str, _results: Results) -> People:  # noqa: ARG001
    return People.of(_results)


@st.cache_resource(show_spinner=False, max_entries=FACTS_KEPT)
def _facts(run_id: str, model: str, key: str, _results: Results, _change: Adjustment) -> RuleFacts:  # noqa: ARG001
    solved = adjusted_models.with_adjustment(_results, model, _change)
    decided = adjusted_models.decided(_results, model, _change)
    coverage = adjusted_models.covered(_results, model, _change)
    return RuleFacts.of(solved, _people(run_id, _results), coverage, decided)


@st.cache_data(show_spinner=False, max_entries=FILES_KEPT)
def _files(run_id: str, model: str, key: str, _results: Results) -> tuple[bytes, str]:  # noqa: ARG001
    known = facts(_results, model)
    return to_csv(tables.file_frame(known)), known.rules.to_json()


@st.cache_resource(show_spinner=False, max_entries=STANDINGS_KEPT)
def _standing(run_id: str, model: str, key: str, _results: Results, _change: Adjustment) -> Standing:  # noqa: ARG001
    decided = adjusted_models.decided(_results, model, _change)
    is_right = decided == _results.data.y.to_numpy(dtype=object)
    answers = pd.Series(decided[_results.is_test]).value_counts()
    return Standing(
        test_accuracy=float(np.mean(is_right[_results.is_test])),
        gap=measures.gap_of(_results, decided),
        n_rules=len(adjusted_models.with_adjustment(_results, model, _change).rules_),
        usual=answers.index[0],
        usual_share=float(answers.iloc[0] / answers.sum()),
    )
