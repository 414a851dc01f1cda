"""What the cards say about FairRUG's promise, and about what a search has proved."""

import math
from unittest.mock import Mock

import pytest

from rugboard.runs.plan import Plan
from rugboard.session import measures
from rugboard.session.measures import Baseline, Gap
from rugboard.setup import scorecard
from rugboard.setup.scorecard import (
    limit_in_words,
    no_better_in_words,
    promise_in_words,
    proof_in_words,
    tree_in_words,
)

LIMIT = 0.025


def plan_with(guarantee: str) -> Plan:
    return Plan(
        snapshot="x", data_name="x", target="y", favourable="yes", features=("a",), sensitive=("g",), epsilon=LIMIT,
        guarantee=guarantee, max_iter=15,
    )  # fmt: skip


def said(training: float, test: float, guarantee: str = "realised") -> str:
    return promise_in_words(plan_with(guarantee), Gap(training, test))


@pytest.mark.parametrize("test", [0.0, LIMIT])
def test_nothing_where_all_is_well(test: float) -> None:
    assert said(0.02, test) == ""


def test_a_limit_that_was_not_reached_is_said_first() -> None:
    assert said(0.036, 0.2) == "FairRUG did not reach the limit of 2.5 points: the training rows show 3.6 points."


def test_a_gap_that_does_not_carry_over_is_said() -> None:
    assert "2.2 points on the training rows, but 20.4 points on the test rows" in said(0.022, 0.204)


def test_the_proxy_never_promised_decisions_on_the_training_rows() -> None:
    assert "did not reach" not in said(0.036, 0.204, "proxy")
    assert "20.4 points on the test rows" in said(0.036, 0.204, "proxy")


def test_what_cannot_be_measured_is_no_success() -> None:
    assert "enough test rows" in said(0.02, math.nan)


@pytest.mark.parametrize(
    ("gap", "words"), [(None, ""), (1e-9, "Proved: "), (0.0417, "Not proved to be the best: at most 4.2 %")]
)
def test_what_a_search_has_proved_is_said_and_no_more(gap: float | None, words: str) -> None:
    found = proof_in_words(Mock(summaries={"rug": Mock(proof_gap=gap)}))
    assert found.startswith(words)
    assert bool(found) == bool(words)


@pytest.mark.parametrize(
    ("model", "n_rounds", "guarantee", "words"),
    [
        ("rug", 23, "realised", "RUG at the limit of 23 rounds, as many as FairRUG may take."),
        ("fair", 23, "realised", "FairRUG at the limit of 23 rounds, 8 of them to even out the groups."),
        ("fair", 15, "realised", "FairRUG at the limit of 15 rounds, with none needed to even out the groups."),
        ("fair", 15, "proxy", "FairRUG at the limit of 15 rounds."),
    ],
)
def test_a_limit_that_is_not_the_setting_says_why(model: str, n_rounds: int, guarantee: str, words: str) -> None:
    summary = Mock(stop_reason="max_iter", rounds=n_rounds + 1)  # the first rules are no round
    assert words in limit_in_words(Mock(plan=plan_with(guarantee), summaries={model: summary}))


@pytest.mark.parametrize(("tree", "words"), [(0.83, "for 83.0 %: 3 rows more than RUG."), (0.8, "for 80.0 %.")])
def test_a_tree_that_is_better_is_said_to_be(tree: float, words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measures, "tree_of_same_size", lambda _: tree)
    found = tree_in_words(Mock(summaries={"rug": Mock(test_accuracy=0.8, test_rows=100)}))
    assert f"{found}.".endswith(words)


@pytest.mark.parametrize(
    ("accuracy", "is_one_answer", "words"),
    [
        (0.96, False, ""),
        (0.948, True, "RUG is no better than always answering “good”. Everybody gets the same decision, and only the"),
        (0.948, False, "RUG is no better than always answering “good”. A lower price of a rule or longer rules may"),
        (0.94, False, "RUG is worse than always answering “good”. A lower price"),
    ],
)
def test_rules_that_are_no_better_than_one_answer_say_what_may_help(
    monkeypatch: pytest.MonkeyPatch, accuracy: float, is_one_answer: bool, words: str
) -> None:
    monkeypatch.setattr(scorecard.measures, "baseline", lambda _: Baseline("good", 0.948))
    monkeypatch.setattr(scorecard.measures, "says_the_same_of_all", lambda *_: is_one_answer)
    found = no_better_in_words(Mock(summaries={"rug": Mock(test_accuracy=accuracy, train_accuracy=0.95)}))
    assert words in found
    assert bool(found) == bool(words)
