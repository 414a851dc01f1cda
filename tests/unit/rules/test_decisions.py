"""Votes, scores, ties and defaults, on cases that can be worked out by hand."""

import numpy as np
import pandas as pd
import pytest

from rugcore.rules import Interval, Rule, RuleSet
from rugcore.rules.decisions import decide
from rugcore.tables.matching import RuleMatcher
from rugcore.tables.schema import Schema
from rugcore.tables.table import read_table

EVEN = np.array([1 / 3, 1 / 3, 1 / 3])

# --- The paper's worked examples: three classes, four rules, a row covered by the first, third and fourth. ---

PAPER_CLASSES = [1, 2, 1, 3]
PAPER_WEIGHTS = [0.6, 0.4, 0.5, 0.3]
PAPER_ROW_VOTES = np.array([[0.6 + 0.5, 0.0, 0.3]])
PAPER_SCORES = [0.95, -0.7, -0.25]
PAPER_LOSSES = {1: 0.05, 2: 1.7, 3: 1.25}


def hinge_loss(score: np.ndarray, label: int) -> float:
    """The paper's loss, max(1 - kappa * score . label vector, 0), written out."""
    n_classes = len(score)
    vector = np.full(n_classes, -1 / (n_classes - 1))
    vector[label - 1] = 1.0
    return max(1 - (n_classes - 1) / n_classes * float(score @ vector), 0.0)


def test_example_1_the_score_vector() -> None:
    decisions = decide(PAPER_ROW_VOTES, EVEN)
    np.testing.assert_allclose(decisions.scores, [PAPER_SCORES])
    assert decisions.class_code.tolist() == [0]
    np.testing.assert_allclose(decisions.margin, [0.95 - -0.25])
    np.testing.assert_allclose(decisions.shares, [[1.1 / 1.4, 0.0, 0.3 / 1.4]])


@pytest.mark.parametrize(("label", "loss"), PAPER_LOSSES.items())
def test_example_2_the_losses(label: int, loss: float) -> None:
    assert hinge_loss(decide(PAPER_ROW_VOTES, EVEN).scores[0], label) == pytest.approx(loss)


def test_both_examples_through_real_rules_and_a_real_row() -> None:
    covering = [Interval("x", upper=5.0), Interval("x", lower=5.0), Interval("x", 0.0, 9.0), Interval("x")]
    rules = RuleSet(
        Rule((condition,), label, weight)
        for condition, label, weight in zip(covering, PAPER_CLASSES, PAPER_WEIGHTS, strict=True)
    )
    table = read_table(pd.DataFrame({"x": [3.0]}))
    matcher = RuleMatcher(rules, Schema.of(table))
    assert matcher.coverage(table).toarray().tolist() == [[True, False, True, True]]
    votes = matcher.votes(table, [rule.label - 1 for rule in rules], n_classes=3)
    scores = decide(votes, EVEN).scores[0]
    np.testing.assert_allclose(scores, PAPER_SCORES)
    assert {label: pytest.approx(hinge_loss(scores, label)) for label in (1, 2, 3)} == PAPER_LOSSES


def test_two_classes_are_opposites() -> None:
    scores = decide(np.array([[0.7, 0.2]]), np.array([0.5, 0.5])).scores
    np.testing.assert_allclose(scores, [[0.5, -0.5]])


# --- Ties and defaults ----------------------------------------------------------------------------------------------


def test_an_uncovered_row_takes_the_most_frequent_class_and_says_so() -> None:
    decisions = decide(np.zeros((2, 3)), np.array([0.2, 0.5, 0.3]))
    assert decisions.class_code.tolist() == [1, 1]
    assert decisions.is_uncovered.tolist() == [True, True]
    assert decisions.is_tie.tolist() == [False, False]
    assert decisions.margin.tolist() == [0.0, 0.0]
    np.testing.assert_allclose(decisions.shares, [[0.2, 0.5, 0.3]] * 2)
    np.testing.assert_array_equal(decisions.scores, np.zeros((2, 3)))


@pytest.mark.parametrize(
    ("votes", "share", "label"),
    [
        ([1.0, 1.0, 0.0], [0.2, 0.3, 0.5], 1),  # not the most frequent of all, the most frequent of the tied
        ([1.0, 0.0, 1.0], [0.2, 0.3, 0.5], 2),
        ([1.0, 1.0, 1.0], [0.5, 0.3, 0.2], 0),
        ([1.0, 1.0, 0.0], [0.4, 0.4, 0.2], 0),  # equally frequent too: the first class
        ([0.1 + 0.2, 0.3, 0.0], [0.2, 0.3, 0.5], 1),  # the same weights added up in another order
        ([1e-9, 1e-9, 0.0], [0.2, 0.3, 0.5], 1),
        ([3e8, 3e8 + 1e-3, 0.0], [0.3, 0.2, 0.5], 0),
    ],
)
def test_a_tie_goes_to_the_more_frequent_class_and_says_so(votes: list[float], share: list[float], label: int) -> None:
    decisions = decide(np.array([votes]), np.array(share))
    assert decisions.class_code.tolist() == [label]
    assert decisions.is_tie.tolist() == [True]
    assert decisions.is_uncovered.tolist() == [False]
    assert decisions.margin.tolist() == [0.0]
    assert len({*decisions.scores[0][decisions.scores[0] > 0]}) <= 1  # the tied scores are the same number


def test_a_narrow_win_is_no_tie() -> None:
    decisions = decide(np.array([[1.0, 1.0 + 1e-6]]), np.array([0.9, 0.1]))
    assert decisions.class_code.tolist() == [1]
    assert decisions.is_tie.tolist() == [False]
    assert decisions.margin[0] == pytest.approx(2e-6)


def test_rows_are_decided_one_by_one() -> None:
    rng = np.random.default_rng(0)
    votes = rng.integers(0, 3, (50, 4)) * 0.5
    share = np.array([0.1, 0.2, 0.3, 0.4])
    together = decide(votes, share)
    for row in range(50):
        alone = decide(votes[row : row + 1], share)
        assert alone.class_code[0] == together.class_code[row]
        assert alone.is_tie[0] == together.is_tie[row]
        best = np.flatnonzero(votes[row] == votes[row].max())
        assert together.class_code[row] == best.max()  # the share grows with the class
        assert together.is_tie[row] == (len(best) > 1 and votes[row].max() > 0)
        assert together.is_uncovered[row] == (votes[row].sum() == 0)
    np.testing.assert_allclose(together.shares.sum(axis=1), 1.0)


# --- As a table -----------------------------------------------------------------------------------------------------


def test_decisions_as_a_table_name_the_classes_and_the_rows() -> None:
    votes = np.array([[1.0, 0.0, 0.25], [0.0, 0.0, 0.0], [0.0, 1.0, 1.0]])
    decisions = decide(votes, np.array([0.2, 0.5, 0.3]))
    classes = np.array(["ask", "grant", "refuse"], dtype=object)
    frame = decisions.labelled(classes, pd.Index([7, 8, 9], name="id")).to_frame()
    assert frame.index.name == "id"
    assert frame.index.tolist() == [7, 8, 9]
    assert frame["decision"].tolist() == ["ask", "grant", "grant"]
    assert frame["is_uncovered"].tolist() == [False, True, False]
    assert frame["is_tie"].tolist() == [False, False, True]
    np.testing.assert_allclose(frame["margin"], decisions.margin)
    np.testing.assert_allclose(frame[["score ask", "score grant", "score refuse"]], decisions.scores)


def test_rows_without_names_are_numbered() -> None:
    frame = decide(np.array([[1.0, 0.0]] * 3), np.array([0.5, 0.5])).labelled(np.array([False, True])).to_frame()
    assert frame.index.tolist() == [0, 1, 2]
    assert frame["decision"].tolist() == [False, False, False]
    assert {"score False", "score True"} < set(frame)
