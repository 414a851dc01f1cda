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
    assert found.everyone.tolist() == [2, 3, 5, 1, 4, 0]  # no margin at all, then 0.15, 0.3, 3, 4.5
    assert found.rejected.tolist() == [2, 3, 5, 1, 4]
    assert found.borderline.tolist() == [5, 1, 4, 0]
    assert found.uncovered.tolist() == [2]
    assert found.ties.tolist() == [3]
    assert found.disagree.tolist() == [1, 4]


def test_chances_say_better_how_sure_a_decision_is(decisions: Decisions) -> None:
    chance = np.array([0.6, 0.9, 0.5, 0.4, 0.7, 0.8])
    found = queues(decisions, CLASSES, "grant", chance=chance)
    assert found.everyone.tolist() == [3, 2, 0, 4, 5, 1]
    assert found.rejected.tolist() == [3, 2, 4, 5, 1]
    assert found.borderline.tolist() == [0, 4, 5, 1]
    with pytest.raises(InputError, match="one chance per row"):
        queues(decisions, CLASSES, "grant", chance=chance[:3])


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
    assert found.rejected.tolist() == ordered.index[ordered["label"] != "grant"].tolist()
    assert found.borderline.tolist() == ordered.index[ordered["by_rules"]][:15].tolist()
    assert sorted(found.disagree) == frame.index[frame["label"] != frame["other"]].tolist()
    assert (np.diff(decisions.margin[found.disagree]) >= 0).all()


def test_what_makes_no_sense_is_refused(decisions: Decisions) -> None:
    with pytest.raises(InputError, match="positive_class"):
        queues(decisions, CLASSES, "perhaps")
    with pytest.raises(InputError, match="other label"):
        queues(decisions, CLASSES, "grant", other=["grant"])
    with pytest.raises(InputError, match="most_borderline"):
        queues(decisions, CLASSES, "grant", most_borderline=0)
