"""Queues of applicants, held against sorting everything by hand."""

import numpy as np
import pandas as pd
import pytest

from rugcore import InputError, RUGClassifier
from rugcore.explanations.triage import queues
from rugcore.rules.decisions import Decisions, decide
from tests.tables import mixed_outcome, mixed_table

CLASSES = np.array(["ask", "grant", "refuse"], dtype=object)


@pytest.fixture
def decisions() -> Decisions:
    """By row: grant by far, refuse narrowly, nobody, a tie of grant and refuse, refuse by far, ask narrowly."""
    votes = [[0, 3, 0], [0, 1, 1.2], [0, 0, 0], [0, 1, 1], [0, 0, 2], [1.1, 1, 0]]
    return decide(np.array(votes, dtype=float), np.array([0.2, 0.3, 0.5]))


def test_queues_by_hand(decisions: Decisions) -> None:
    found = queues(decisions, CLASSES, "grant", other=["grant", "grant", "refuse", "refuse", "grant", "ask"])
    assert found.rejected.tolist() == [5, 1, 4, 2, 3]  # the closest first: 0.15, 0.3, 3; then those without rules
    assert found.borderline.tolist() == [5, 1, 4, 0]
    assert found.uncovered.tolist() == [2]
    assert found.ties.tolist() == [3]
    assert found.disagree.tolist() == [4, 1]


def test_only_so_many_are_borderline(decisions: Decisions) -> None:
    assert queues(decisions, CLASSES, "grant", most_borderline=2).borderline.tolist() == [5, 1]


def test_without_another_model_nothing_disagrees(decisions: Decisions) -> None:
    assert queues(decisions, CLASSES, "grant").disagree.tolist() == []


def test_queues_of_a_model() -> None:
    table = mixed_table(200)
    model = RUGClassifier(max_iter=3).fit(table, mixed_outcome(table))
    decisions = model.decisions(table)
    other = np.roll(model.predict(table), 1)
    found = queues(decisions, model.classes_, "grant", other=other, most_borderline=15)
    frame = pd.DataFrame({"margin": decisions.margin, "label": model.predict(table), "other": other})
    frame["by_rules"] = ~(decisions.is_tie | decisions.is_uncovered)
    ordered = frame.sort_values("margin", kind="stable")
    rejected = ordered[ordered["label"] != "grant"].sort_values("by_rules", ascending=False, kind="stable")
    assert found.rejected.tolist() == rejected.index.tolist()
    assert found.borderline.tolist() == ordered.index[ordered["by_rules"]][:15].tolist()
    assert sorted(found.disagree) == frame.index[frame["label"] != frame["other"]].tolist()
    assert (np.diff(decisions.margin[found.disagree]) <= 0).all()


def test_what_makes_no_sense_is_refused(decisions: Decisions) -> None:
    with pytest.raises(InputError, match="positive_class"):
        queues(decisions, CLASSES, "perhaps")
    with pytest.raises(InputError, match="other label"):
        queues(decisions, CLASSES, "grant", other=["grant"])
    with pytest.raises(InputError, match="most_borderline"):
        queues(decisions, CLASSES, "grant", most_borderline=0)
