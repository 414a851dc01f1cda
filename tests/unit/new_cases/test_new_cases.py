"""New people are decided as the model decides; whatever was not read, or not familiar, is said and left to a person."""

import numpy as np
import pandas as pd
import pytest

from rugcore import RUGClassifier, reasons_table
from rugcore.dictionary import ColumnEntry, DataDictionary
from rugcore.errors import InputError
from rugcore.explanations import ColumnWording
from rugcore.new_cases import decide_new_cases

BOOK = DataDictionary(
    {
        "inc": ColumnEntry(label="Income", unit="EUR", lowest=0, wording=ColumnWording(low="earns too little")),
        "job": ColumnEntry(label="Job", values={"1": "clerk", "2": "cook", "3": "none"}),
        "idle": ColumnEntry(label="Idle"),
    }
)


def people(n: int = 400) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    return pd.DataFrame({"inc": rng.integers(0, 100, n), "job": rng.integers(1, 4, n), "idle": rng.random(n) > 2})


@pytest.fixture(scope="module")
def trained() -> tuple[RUGClassifier, pd.DataFrame]:
    raw = people()
    y = np.where((raw["inc"] > 40) & (raw["job"] != 3), "yes", "no")
    X = BOOK.applied(raw)
    return RUGClassifier(max_depth=2, random_state=0).fit(X, y), X


def test_people_are_decided_as_the_model_decides(trained: tuple[RUGClassifier, pd.DataFrame]) -> None:
    model, _ = trained
    new = people(50).assign(note="x")
    cases = decide_new_cases(model, new, positive_class="yes", dictionary=BOOK, ids=[f"p{n}" for n in range(50)])
    asked = BOOK.applied(new.drop(columns="note"))
    is_open = cases.frame["status"] == "manual review"
    assert cases.frame["applicant"].tolist()[:2] == ["p0", "p1"]
    assert cases.frame["decision"].tolist() == model.predict(asked).tolist()
    place = model.classes_.tolist().index("yes")
    np.testing.assert_allclose(cases.frame["chance"], model.predict_proba(asked)[:, place])
    reasons = reasons_table(model, asked, "yes", wording=BOOK.wording(), only_unfavourable=False)
    pd.testing.assert_series_equal(cases.frame["reason 1"][~is_open], reasons["reason 1"][~is_open])
    assert "earns too little" in set(cases.frame["reason 1"])
    assert cases.problems == ("The model does not use 1 column of the file: 'note'.",)
    assert sum(cases.counts.values()) == 50


def test_without_a_favourable_outcome_there_are_no_reasons(trained: tuple[RUGClassifier, pd.DataFrame]) -> None:
    model, _ = trained
    cases = decide_new_cases(model, people(10), dictionary=BOOK)
    assert not [name for name in cases.frame.columns if name.startswith("reason")]
    assert set(cases.frame["status"]) <= {"decided", "manual review"}
    assert cases.frame["chance"].min() >= 0.5
    assert cases.frame["applicant"].tolist() == list(range(1, 11))


def test_whoever_cannot_be_read_is_not_decided(trained: tuple[RUGClassifier, pd.DataFrame]) -> None:
    model, X = trained
    new = pd.DataFrame({"inc": ["80", "12k", "", " 70 ", "inf"], "job": ["1", "1", "2", "2", "1"], "idle": [0] * 5})
    cases = decide_new_cases(model, new, positive_class="yes", dictionary=BOOK, background=X)
    assert cases.frame["decision"].isna().tolist() == [False, True, False, False, True]
    assert cases.frame["chance"].isna().tolist() == [False, True, False, False, True]
    assert cases.frame["status"].iloc[1] == "manual review"
    assert cases.frame["reason 1"].iloc[1] == "needs manual review"
    assert cases.frame["remarks"].iloc[1] == "Income (EUR) could not be read: '12k'"
    assert any("2 people" in line and "'12k' and the like" in line for line in cases.problems)


def test_a_column_that_rules_need_is_asked_for_and_nobody_is_decided(
    trained: tuple[RUGClassifier, pd.DataFrame],
) -> None:
    model, _ = trained
    cases = decide_new_cases(model, people(3).rename(columns={"inc": "Income EUR"}), dictionary=BOOK)
    assert "'Income (EUR)'" in cases.problems[0]
    assert "Is it 'Income EUR' there?" in cases.problems[0]
    assert cases.frame["decision"].isna().all()
    assert set(cases.frame["status"]) == {"manual review"}


def test_a_column_that_no_rule_looks_at_may_be_missing(trained: tuple[RUGClassifier, pd.DataFrame]) -> None:
    model, _ = trained
    cases = decide_new_cases(model, people(3).drop(columns="idle"), dictionary=BOOK)
    assert cases.problems == ("The file has no column 'Idle'; no rule looks at it.",)
    assert cases.frame["decision"].notna().all()


def test_what_is_unfamiliar_goes_to_a_person(trained: tuple[RUGClassifier, pd.DataFrame]) -> None:
    model, X = trained
    new = pd.DataFrame({"inc": [50, -5, 50, 5000], "job": [1, 1, 9, 1], "idle": [False] * 4})
    cases = decide_new_cases(model, new, positive_class="yes", dictionary=BOOK, background=X)
    assert (cases.frame["status"] == "manual review").tolist() == [False, True, True, False]
    assert cases.frame["remarks"].tolist()[1:] == [
        "Income (EUR) is outside its range (0 and more): -5",
        "Job has a value that the model has never seen: '9'",
        "Income (EUR) is beyond the training rows (0 to 99): 5,000",
    ]


def test_a_number_that_no_rule_looks_at_is_no_remark_on_anybody() -> None:
    raw = people()
    y = np.where(raw["inc"] > 40, "yes", "no")
    model = RUGClassifier(max_depth=1, random_state=0).fit(raw[["inc"]].assign(noise=1.5), y)
    new = pd.DataFrame({"inc": [50, 20], "noise": [9.0, 1.5]})
    cases = decide_new_cases(model, new, positive_class="yes", background=raw[["inc"]].assign(noise=1.5))
    assert cases.frame["remarks"].tolist() == ["", ""]
    assert cases.problems == (
        "'noise' is beyond the training rows (1.5 to 1.5) for 1 person, such as 9; no rule looks at it.",
    )


def test_a_reason_that_nobody_could_sign_goes_to_a_person() -> None:
    """The table rewards few points; the dictionary says that points help."""
    raw = people()[["inc"]].rename(columns={"inc": "points"})
    y = np.where(raw["points"] < 60, "yes", "no")
    model = RUGClassifier(max_depth=1, random_state=0).fit(raw, y)
    new = pd.DataFrame({"points": [90, 10]})
    free = decide_new_cases(model, new, positive_class="yes")
    assert free.frame["reason 1"].tolist() == ["points are high", ""]
    helps = DataDictionary({"points": ColumnEntry(effect="helps")})
    cases = decide_new_cases(model, new, positive_class="yes", dictionary=helps)
    assert cases.frame["status"].tolist() == ["manual review", "favourable"]
    assert cases.frame["remarks"][0].startswith("“points are high” is true of the model, but")
    by_hand = decide_new_cases(model, new, positive_class="yes", dictionary=helps, directions={})
    assert by_hand.frame["status"].tolist() == ["reasons", "favourable"]


def test_names_hold_where_there_is_no_dictionary() -> None:
    """No letter says "age is low" or that an income is high, whoever sends it."""
    rng = np.random.default_rng(2)
    raw = pd.DataFrame({"age": rng.integers(18, 70, 400), "income": rng.integers(0, 100, 400)})
    for name, edge in (("age", 40), ("income", 60)):
        y = np.where((raw[name] > edge) == (name == "age"), "yes", "no")
        model = RUGClassifier(max_depth=1, random_state=0).fit(raw, y)
        found = decide_new_cases(model, pd.DataFrame({"age": [20, 60], "income": [90, 10]}), positive_class="yes")
        assert found.frame["status"].tolist() == ["manual review", "favourable"]
        assert name == "income" or not found.frame.astype(str).map(lambda text: "age is" in text).to_numpy().any()


def test_codes_read_as_numbers_are_the_text_they_were_in_training() -> None:
    X = pd.DataFrame({"code": ["1", "2"] * 50, "n": range(100)})
    model = RUGClassifier(random_state=0).fit(X, ["a", "b"] * 50)
    cases = decide_new_cases(model, pd.DataFrame({"code": [1.0, 2.0, np.nan], "n": [1, 2, 3]}))
    assert cases.frame["decision"].tolist()[:2] == ["a", "b"]


def test_empty_tables_and_other_outcomes_are_refused(trained: tuple[RUGClassifier, pd.DataFrame]) -> None:
    model, _ = trained
    with pytest.raises(InputError, match="no rows"):
        decide_new_cases(model, people(0))
    with pytest.raises(InputError, match="'maybe'"):
        decide_new_cases(model, people(2), positive_class="maybe")
    with pytest.raises(InputError, match="one id a row"):
        decide_new_cases(model, people(2), ids=["a"])


def test_a_blank_that_no_training_row_has_is_left_to_a_person(trained: tuple[RUGClassifier, pd.DataFrame]) -> None:
    """Rules may know blanks; what one means that training never saw is anybody's guess."""
    model, X = trained
    new = people(6).astype({"inc": float})
    new.loc[2, "inc"] = np.nan
    cases = decide_new_cases(model, new, positive_class="yes", dictionary=BOOK, background=X)
    assert "'Income (EUR)' is blank for 1 person; no training row has a blank there." in cases.problems
    assert cases.frame["status"][2] == "manual review"
    assert cases.frame["remarks"][2].startswith("Income (EUR) is blank, and no training row has a blank there")
    holes = X.astype({"Income (EUR)": float})
    holes.iloc[0, 0] = np.nan
    familiar = decide_new_cases(model, new, positive_class="yes", dictionary=BOOK, background=holes)
    assert "'Income (EUR)' is blank for 1 person." in familiar.problems
    assert familiar.frame["remarks"][2] in ("", "no rule applies")
