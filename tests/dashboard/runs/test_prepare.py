"""Features, groups and the split, as the plan asks for them."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from rugboard.runs.plan import Plan
from rugboard.runs.prepare import groups_of, prepare, split
from rugcore.dictionary import ColumnEntry, DataDictionary
from rugcore.errors import InputError
from rugcore.tables import as_numbers


def plan_for(**changes: Any) -> Plan:
    basic = {"snapshot": "0" * 64, "data_name": "d", "target": "y", "favourable": "yes", "features": ("x",)}
    return Plan(**basic | changes)


def loans(n_rows: int = 40) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "x": np.arange(n_rows, dtype=float),
            "zip": [f"{number:03}" for number in range(n_rows)],
            "age": [float(20 + number) if number % 10 else np.nan for number in range(n_rows)],
            "sex": pd.array((["f", "m", None, "f"] * n_rows)[:n_rows], dtype="str"),
            "y": (["yes", "no", "yes", "no"] * n_rows)[:n_rows],
        }
    )


def test_rows_without_an_outcome_are_left_out_and_that_is_said() -> None:
    frame = loans()
    frame.loc[[3, 5], "y"] = None
    prepared = prepare(frame, plan_for(sensitive=("sex",)))
    assert not {3, 5} & set(prepared.rows.tolist())
    assert prepared.X["x"].tolist() == prepared.rows.tolist()
    assert prepared.notes == ("2 of 40 rows have no value in 'y' and were left out.",)


def test_a_favourable_value_must_occur() -> None:
    with pytest.raises(InputError, match="'maybe' does not occur in 'y'"):
        prepare(loans(), plan_for(favourable="maybe"))


def test_kinds_are_as_the_plan_says() -> None:
    plan = plan_for(features=("x", "zip"), kinds={"x": "category", "zip": "number"})
    X = prepare(loans(), plan).X
    assert isinstance(X["x"].dtype, pd.CategoricalDtype)
    assert X["zip"].tolist()[:3] == [0.0, 1.0, 2.0]


def test_text_that_is_no_number_is_named_and_counted() -> None:
    with pytest.raises(
        InputError, match="'sex' cannot be read as numbers because of 'f' and the like in 30 of 40 rows"
    ):
        prepare(loans(), plan_for(features=("sex",), kinds={"sex": "number"}))


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (["1", "n/a", "n/a", None], "because of 'n/a' in 2 of 4 rows"),
        (["2021-01-01", "2021-01-02"], "because of '2021-01-01' and the like in all 2 rows"),
        (["1", "inf"], "because of 'inf' in 1 of 2 rows"),
        (["1", "nan"], "because of 'nan' in 1 of 2 rows"),
    ],
)
def test_how_many_rows_hold_no_number_is_said_exactly(values: list[str | None], words: str) -> None:
    with pytest.raises(InputError, match=f"Column 'x' cannot be read as numbers {words}"):
        as_numbers(pd.Series(values, dtype="str", name="x"))


def test_numbers_and_blanks_as_text_are_numbers() -> None:
    numbers = as_numbers(pd.Series(["1", None, "-2.5"], dtype="str", name="x"))
    assert numbers.dropna().tolist() == [1.0, -2.5]


def test_a_blank_is_a_group_of_its_own() -> None:
    groups = groups_of(loans(), plan_for(sensitive=("sex",)))
    assert groups is not None
    assert groups.tolist()[:4] == ["f", "m", "(blank)", "f"]


def test_numbers_are_cut_at_the_edges() -> None:
    plan = plan_for(sensitive=("age",), bands={"age": (30.0, 40.0)})
    frame = pd.DataFrame({"age": [29.5, 30, 30.1, 40, 41, np.nan]})
    groups = groups_of(frame, plan)
    assert groups is not None
    below, between, above = "under 30", "30 to under 40", "40 and over"
    assert groups.tolist() == [below, between, between, above, above, "(blank)"]


def test_several_columns_make_a_group_of_each_combination() -> None:
    frame = pd.DataFrame({"a": ["1 / 2", "1"], "b": ["3", "2 / 3"], "c": [1.0, np.nan]})
    groups = groups_of(frame, plan_for(sensitive=("a", "b")))
    assert groups is not None
    assert groups.nunique() == 2
    both = groups_of(frame, plan_for(sensitive=("b", "c")))
    assert both is not None
    assert both.tolist() == ["3 / 1", "“2 / 3” / (blank)"]


def test_too_many_groups_are_refused() -> None:
    with pytest.raises(InputError, match="bands"):
        groups_of(loans(200), plan_for(sensitive=("zip",)))


def test_the_split_keeps_the_proportions_and_repeats_itself() -> None:
    prepared = prepare(loans(), plan_for())
    first, second = split(prepared, plan_for()), split(prepared, plan_for())
    assert first.test.tolist() == second.test.tolist()
    assert sorted([*first.train, *first.test]) == list(range(40))
    assert prepared.y.iloc[first.test].value_counts().to_dict() == {"yes": 4, "no": 4}
    assert split(prepared, plan_for(split_seed=3)).test.tolist() != first.test.tolist()


def test_an_outcome_too_rare_to_share_out_is_said() -> None:
    frame = loans()
    frame.loc[7, "y"] = "perhaps"
    parts = split(prepare(frame, plan_for()), plan_for())
    assert len(parts.test) == 8
    assert "'perhaps' is too rare" in parts.notes[0]


def test_one_row_cannot_be_split() -> None:
    with pytest.raises(InputError, match="too few"):
        split(prepare(loans(1), plan_for()), plan_for())


# -- the dictionary ----------------------------------------------------------------------------------------


def test_rows_come_out_in_the_words_of_the_dictionary() -> None:
    known = DataDictionary(
        {
            "x": ColumnEntry(label="amount", unit="EUR"),
            "zip": ColumnEntry(label="place", values={"000": "the capital"}),
            "y": ColumnEntry(label="outcome", values={"yes": "paid back", "no": "lost"}),
        }
    )
    plan = plan_for(features=("x", "zip"), dictionary=known)
    prepared = prepare(loans(), plan)
    assert list(prepared.X.columns) == list(plan.shown().features) == ["amount (EUR)", "place"]
    assert prepared.X["amount (EUR)"].tolist() == loans()["x"].tolist()
    assert prepared.X["place"].tolist()[:2] == ["the capital", "001"]
    assert prepared.y.name == plan.shown().target
    assert prepared.y.tolist() == loans()["y"].map({"yes": "paid back", "no": "lost"}).tolist()
    assert plan.shown().favourable in set(prepared.y)


def test_groups_are_called_by_the_meaning_of_their_values() -> None:
    known = DataDictionary({"sex": ColumnEntry(label="gender", values={"f": "women", "m": "men"}, protected=True)})
    groups = groups_of(loans(), plan_for(sensitive=("sex",), dictionary=known))
    assert groups is not None
    assert (groups.name, groups.tolist()[:4]) == ("gender", ["women", "men", "(blank)", "women"])


def test_a_special_code_is_in_no_band() -> None:
    """999 for somebody who did not tell is not an old person."""
    known = DataDictionary({"age": ColumnEntry(special={999: "not told", -9: "no such record"})})
    frame = pd.DataFrame({"age": [20, 50, 999, -9]})
    banded = groups_of(frame, plan_for(sensitive=("age",), bands={"age": (30.0,)}, dictionary=known))
    assert banded is not None
    assert banded.tolist() == ["under 30", "30 and over", "not told", "no such record"]
    single = groups_of(frame, plan_for(sensitive=("age",), dictionary=known))
    assert single is not None
    assert single.tolist() == ["20", "50", "not told", "no such record"]
