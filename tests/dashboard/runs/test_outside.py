"""Another model's column: decisions, scores, and everything that is refused with a sentence."""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from rugboard.runs.plan import Plan
from rugboard.runs.prepare import prepare
from rugcore.dictionary import ColumnEntry, DataDictionary
from rugcore.errors import InputError
from rugcore.outside_models import OutsideModel, read_outside

PLAIN = DataDictionary()
PEOPLE = pd.DataFrame(
    {
        "income": [10.0, 20.0, 30.0, 40.0, 50.0, 60.0],
        "paid": ["no", "no", "yes", "yes", "yes", "yes"],
        "said": ["no", "yes", "no", "yes", "yes", "yes"],
        "score": [0.1, 0.6, 0.3, 0.6, 0.8, 0.9],
    }
)


def read(model: OutsideModel, frame: pd.DataFrame = PEOPLE, dictionary: DataDictionary = PLAIN) -> list[Any]:
    return read_outside(frame, model, "paid", "yes", dictionary).decided.tolist()


def refusal(model: OutsideModel, frame: pd.DataFrame = PEOPLE, dictionary: DataDictionary = PLAIN) -> str:
    with pytest.raises(InputError) as caught:
        read(model, frame, dictionary)
    return str(caught.value)


def plan(**more: Any) -> Plan:
    return Plan(snapshot="a" * 64, data_name="loans", target="paid", favourable="yes", features=("income",), **more)


def test_decisions_are_taken_as_they_are() -> None:
    assert read(OutsideModel("said")) == PEOPLE["said"].tolist()
    assert read(OutsideModel("said"), PEOPLE.astype({"said": "category"})) == PEOPLE["said"].tolist()


@pytest.mark.parametrize("cut_off", [0.05, 0.3, 0.6, 0.61])
def test_a_score_at_the_cut_off_is_above_it(cut_off: float) -> None:
    high = ["yes" if score >= cut_off else "no" for score in PEOPLE["score"]]
    low = ["no" if said == "yes" else "yes" for said in high]
    assert read(OutsideModel("score", cut_off)) == high
    assert read(OutsideModel("score", cut_off, high_is_good=False)) == low


def test_a_score_ranks_towards_the_favourable_side() -> None:
    risk = read_outside(PEOPLE, OutsideModel("score", 0.5, high_is_good=False), "paid", "yes", PLAIN)
    assert risk.score is not None
    assert risk.score.tolist() == (-PEOPLE["score"]).tolist()
    assert risk.of_rows(np.array([0, 5])).decided.tolist() == ["yes", "no"]


def test_codes_stand_for_outcomes_if_the_dictionary_says_so() -> None:
    frame = PEOPLE.assign(said=[2, 1, 2, 1, 1, 1])
    assert "Say in the dictionary" in refusal(OutsideModel("said"), frame)
    told = DataDictionary({"said": ColumnEntry(values={"1": "yes", "2": "no"})})
    assert read(OutsideModel("said"), frame, told) == PEOPLE["said"].tolist()


def test_outcomes_in_words_are_found_by_their_codes_and_by_their_words() -> None:
    told = DataDictionary({"paid": ColumnEntry(values={"0": "defaulted", "1": "repaid"})})
    frame = PEOPLE.assign(paid=[0, 0, 1, 1, 1, 1])
    wanted = ["defaulted", "repaid", "defaulted", "repaid", "repaid", "repaid"]
    for said in ([0, 1, 0, 1, 1, 1], [0.0, 1.0, 0.0, 1.0, 1.0, 1.0], wanted):
        found = read_outside(frame.assign(said=said), OutsideModel("said"), "paid", 1, told)
        assert found.decided.tolist() == wanted


@pytest.mark.parametrize(
    ("model", "change", "sentence"),
    [
        (OutsideModel("said"), {"said": [None, "yes", "no", None, "yes", "yes"]}, "2 of 6 rows of 'said' are blank"),
        (OutsideModel("said"), {"said": [None] * 6}, "blank in every row"),
        (OutsideModel("said"), {"said": ["A", "D", "A", "A", "A", "A"]}, "6 of 6 rows have 'A', 'D'"),
        (OutsideModel("said"), {"said": ["no", "yes", "no", "maybe", "yes", "yes"]}, "1 of 6 rows have 'maybe'"),
        (OutsideModel("said"), {"said": PEOPLE["paid"]}, "equal 'paid' in all 6 rows"),
        (OutsideModel("score", 5), {"score": [1, 2, 8, 8, 9, 9]}, "equal 'paid' in all 6 rows"),
        (OutsideModel("score", 0.5), {"score": [7.0] * 6}, "is 7 in all 6 rows: no cut-off parts anybody"),
        (OutsideModel("score", 0.5), {"score": ["low"] * 3 + ["high"] * 3}, "cannot be read as numbers"),
        (OutsideModel("score", 0.5), {"score": [np.inf, 1, 0, 0, 1, 1]}, "1 of 6 rows of 'score' have an infinite"),
        (OutsideModel("score", 0.5), {"paid": ["no", "ask", "yes", "yes", "yes", "yes"]}, "there are 3"),
    ],
)
def test_what_cannot_be_used_gets_a_sentence(model: OutsideModel, change: dict[str, Any], sentence: str) -> None:
    said = refusal(model, PEOPLE.assign(**change))
    assert sentence in said
    assert any(advice in said for advice in ("hoose another", "Choose a column", "Leave", "load a file"))


def test_everybody_decided_alike_is_no_mistake() -> None:
    assert set(read(OutsideModel("score", 0.0))) == {"yes"}


def test_a_code_for_no_score_is_a_blank() -> None:
    told = DataDictionary({"score": ColumnEntry(special={-9.0: "no score"})})
    frame = PEOPLE.assign(score=[0.1, -9.0, 0.3, 0.6, 0.8, 0.9])
    assert "1 of 6 rows" in refusal(OutsideModel("score", 0.5), frame, told)


# -- in a plan ---------------------------------------------------------------------------------------------


def test_a_plan_keeps_it_and_never_uses_it() -> None:
    kept = plan(outside=OutsideModel("score", 0.5, high_is_good=False, skip_blanks=True))
    assert Plan.from_json(kept.to_json()) == kept
    assert "score" in kept.columns
    told = replace(kept, dictionary=DataDictionary({"score": ColumnEntry(label="bank score")}))
    assert told.shown().outside == replace(kept.outside, column="bank score")
    for wrong in ({"features": ("income", "score")}, {"sensitive": ("score",)}, {"target": "score"}):
        with pytest.raises(InputError, match="score"):
            replace(kept, **wrong)


@pytest.mark.parametrize(
    "content",
    [{}, {"column": ""}, {"column": "x", "cut_off": "high"}, {"column": "x", "cut_off": True}, {"colour": 1}, 7],
)
def test_a_damaged_plan_is_refused(content: Any) -> None:
    with pytest.raises(InputError, match="damaged"):
        plan(outside=content)


def test_people_without_a_decision_are_left_out_only_if_somebody_says_so() -> None:
    frame = PEOPLE.assign(said=["no", None, "no", "yes", "yes", "yes"])
    with pytest.raises(InputError, match="1 of 6 rows"):
        prepare(frame, plan(outside=OutsideModel("said")))
    data = prepare(frame, plan(outside=OutsideModel("said", skip_blanks=True)))
    assert data.rows.tolist() == [0, 2, 3, 4, 5]
    assert data.outside is not None
    assert data.outside.decided.tolist() == ["no", "no", "yes", "yes", "yes"]
    assert data.notes == ("1 of 6 rows have no value in 'said' and were left out.",)
    assert list(data.X.columns) == ["income"]
