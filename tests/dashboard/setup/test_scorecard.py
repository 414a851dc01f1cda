"""What the cards say about FairRUG's promise, and about what a search has proved."""

import math
from unittest.mock import Mock

import pytest

from rugboard.runs.plan import Plan
from rugboard.session.measures import Gap
from rugboard.setup.scorecard import promise_in_words, proof_in_words

LIMIT = 0.025


def said(training: float, test: float, guarantee: str = "realised") -> str:
    plan = Plan(
        snapshot="x", data_name="x", target="y", favourable="yes", features=("a",), sensitive=("g",), epsilon=LIMIT,
        guarantee=guarantee,
    )  # fmt: skip
    return promise_in_words(plan, Gap(training, test))


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
