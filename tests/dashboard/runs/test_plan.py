"""A plan says no to what makes no sense, and survives being written down."""

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from rugboard.runs.plan import Plan
from rugcore.dictionary import ColumnEntry, DataDictionary
from rugcore.errors import InputError

BASIC: dict[str, Any] = {
    "snapshot": "0" * 64,
    "data_name": "Loans",
    "target": "outcome",
    "favourable": "repaid",
    "features": ("income", "age", "purpose"),
}


def test_a_plan_comes_back_from_json_as_it_was() -> None:
    plan = Plan(
        **BASIC,
        sensitive=("age", "sex"),
        bands={"age": (25, 40.5)},
        kinds={"purpose": "category"},
        positive_class=True,
        time_limit=1.5,
        epsilon=0.1,
    )
    again = Plan.from_json(plan.to_json())
    assert again == plan
    assert again.positive_class is True
    assert again.bands["age"] == (25, 40.5)


@pytest.mark.parametrize("label", ["Größe “1”", 1, 1.5, True, 0])
def test_a_label_keeps_its_type(label: object) -> None:
    again = Plan.from_json(Plan(**BASIC | {"favourable": label}).to_json()).favourable
    assert (again, type(again)) == (label, type(label))


def test_a_label_of_numpy_becomes_a_plain_one() -> None:
    plan = Plan(**BASIC | {"favourable": np.int64(1), "positive_class": np.bool_(False)})
    assert (type(plan.favourable), type(plan.positive_class)) == (int, bool)


def test_the_fair_model_needs_a_sensitive_attribute() -> None:
    assert Plan(**BASIC).models == ("rug",)
    assert Plan(**BASIC, sensitive=("age",)).models == ("rug", "fair")
    assert Plan(**BASIC, sensitive=("age",), train_fair=False).models == ("rug",)


def test_the_favourable_value_is_the_positive_class_unless_another_is_named() -> None:
    assert Plan(**BASIC).fair_settings()["positive_class"] == "repaid"
    assert Plan(**BASIC, positive_class="defaulted").fair_settings()["positive_class"] == "defaulted"


def test_both_models_may_take_as_many_rounds() -> None:
    """FairRUG takes eight more where it evens out the decisions."""
    plan = Plan(**BASIC, sensitive=("age",), max_iter=10)
    assert (plan.settings_of("rug")["max_iter"], plan.settings_of("fair")["max_iter"]) == (18, 10)
    for alone in (Plan(**BASIC, max_iter=10), replace(plan, guarantee="proxy"), replace(plan, train_fair=False)):
        assert alone.settings_of("rug")["max_iter"] == 10
    assert "epsilon" not in plan.settings_of("rug")


def test_each_column_is_read_once() -> None:
    assert Plan(**BASIC, sensitive=("sex", "age")).columns == ("income", "age", "purpose", "sex", "outcome")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"features": ()}, "at least one column"),
        ({"features": ("income", "outcome")}, "Take it off the features"),
        ({"features": ("income", "income")}, "named twice"),
        ({"features": "income"}, "tuple of column names"),
        ({"target": ""}, "needs a text as target"),
        ({"favourable": None}, "favourable"),
        ({"favourable": float("nan")}, "favourable"),
        ({"sensitive": ("outcome",)}, "cannot be the sensitive attribute"),
        ({"bands": {"age": (1.0,)}}, "not a sensitive attribute"),
        ({"sensitive": ("age",), "bands": {"age": (40, 25)}}, "rise from one to the next"),
        ({"sensitive": ("age",), "bands": {"age": ()}}, "rise from one to the next"),
        ({"kinds": {"height": "number"}}, "not among the features"),
        ({"kinds": {"age": "date"}}, "one of number, category"),
        ({"test_share": 1.0}, "between 0 and 1"),
        ({"split_seed": -1}, "whole number"),
        ({"fairness": "nice"}, "one of dmc, odm, eop"),
        ({"guarantee": "none"}, "one of realised, confident, proxy"),
        ({"epsilon": 2}, "from 0 to 1"),
        ({"max_depth": 0}, "max_depth"),
        ({"penalty": -1.0}, "penalty"),
        ({"solver": "abacus"}, "solver"),
        ({"time_limit": "long"}, "time_limit"),
    ],
)
def test_nonsense_is_refused_in_words(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        Plan(**BASIC | changes)


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"target": "y"}'])
def test_what_is_no_plan_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="damaged"):
        Plan.from_json(text)


def test_an_unknown_field_is_refused() -> None:
    content = json.loads(Plan(**BASIC).to_json()) | {"magic": 1}
    with pytest.raises(InputError, match="damaged"):
        Plan.from_json(json.dumps(content))


def test_a_plan_from_before_a_setting_existed_gets_its_default() -> None:
    content = json.loads(Plan(**BASIC).to_json())
    del content["epsilon"]
    assert Plan.from_json(json.dumps(content)).epsilon == 0.025


# -- the dictionary ----------------------------------------------------------------------------------------

KNOWN = DataDictionary(
    {
        "income": ColumnEntry(label="yearly income", unit="EUR", special={-9: "not told"}, effect="helps"),
        "age": ColumnEntry(label="age in years"),
        "sex": ColumnEntry(values={"1": "female", "2": "male"}, protected=True),
        "outcome": ColumnEntry(label="end of the loan", values={"repaid": "paid back", "lost": "written off"}),
    }
)


def test_a_dictionary_stays_with_the_plan() -> None:
    plan = Plan(**BASIC, dictionary=KNOWN)
    assert Plan.from_json(plan.to_json()) == plan
    assert Plan.from_json(plan.to_json()).dictionary == KNOWN


def test_a_plan_from_before_there_were_dictionaries_opens() -> None:
    content = json.loads(Plan(**BASIC).to_json())
    del content["dictionary"]
    assert Plan.from_json(json.dumps(content)) == Plan(**BASIC)


def test_the_shown_plan_has_the_words_of_the_dictionary() -> None:
    plan = Plan(
        **BASIC,
        sensitive=("sex", "age"),
        bands={"age": (30,)},
        kinds={"age": "number"},
        positive_class="lost",
        dictionary=KNOWN,
    ).shown()
    assert plan.features == ("yearly income (EUR)", "age in years", "purpose")
    assert (plan.target, plan.favourable, plan.positive_class) == ("end of the loan", "paid back", "written off")
    assert (plan.sensitive, plan.bands, plan.kinds) == (
        ("sex", "age in years"),
        {"age in years": (30,)},
        {"age in years": "number"},
    )
    assert Plan(**BASIC).shown() == Plan(**BASIC)


def test_protected_columns_are_no_features() -> None:
    with pytest.raises(InputError, match="cannot use 'sex', because it is protected"):
        Plan(**BASIC | {"features": ("income", "sex")}, dictionary=KNOWN)


def test_no_label_is_the_name_of_another_column() -> None:
    swapped = DataDictionary({"income": ColumnEntry(label="age"), "age": ColumnEntry(label="income")})
    with pytest.raises(InputError, match="'income' cannot be called 'age'"):
        Plan(**BASIC, dictionary=swapped)


def test_a_search_for_a_proof_has_a_limit_and_no_least_support() -> None:
    plan = Plan(**BASIC, pricing="exact", min_support=12.0)
    assert Plan.from_json(plan.to_json()) == plan
    settings = plan.settings_of("rug")
    assert (settings["pricing"], settings["min_support"], settings["time_limit"]) == ("exact", None, 300.0)
    assert replace(plan, time_limit=20.0).rug_settings()["time_limit"] == 20.0
    assert replace(plan, pricing="tree").rug_settings()["min_support"] == 12.0
    with pytest.raises(InputError, match="pricing"):
        Plan(**BASIC, pricing="magic")
