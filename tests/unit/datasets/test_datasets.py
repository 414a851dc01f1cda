"""The demos are what their README says they are; the synthetic loans are what their planted rules say."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from rugcore.datasets import demos, list_demos, load_demo
from rugcore.datasets.dataset import Dataset
from rugcore.datasets.synthetic import DEFAULTED, PlantedRule, make_loans
from rugcore.errors import InputError

SHAPES = {
    "hmda": (2_380, 13),
    "credit_data": (4_454, 13),
    "lending_club": (9_857, 22),
    "adult": (48_842, 12),
    "compas": (6_172, 8),
}
OUTCOMES = {
    "hmda": {"approved": 2_095, "denied": 285},
    "credit_data": {"good": 3_200, "bad": 1_254},
    "lending_club": {"good": 9_340, "bad": 517},
    "adult": {"<=50K": 37_155, ">50K": 11_687},
    "compas": {"did not reoffend": 3_363, "reoffended": 2_809},
}
BLANKS = {
    "hmda": {},
    "credit_data": {"income": 381, "assets": 47, "debt": 18, "home": 6, "job": 2, "marital status": 1},
    "lending_club": {"years employed": 645},
    "adult": {"occupation": 2_809, "employer": 2_799, "native country": 857},
    "compas": {},
}
NEVER_A_FEATURE = {
    "rownames",
    "id",
    "name",
    "dob",
    "fnlwgt",
    "score_text",
    "decile_score",
    "is_recid",
    "education",
}


@pytest.fixture(scope="module", params=list(SHAPES))
def demo(request: pytest.FixtureRequest) -> Dataset:
    return load_demo(request.param)


def is_default(loans: Dataset) -> np.ndarray:
    return (loans.y == DEFAULTED).to_numpy()


def is_planted(loans: Dataset) -> np.ndarray:
    return np.logical_or.reduce([rule.matches(loans.X) for rule in loans.planted])


# --- Demos --------------------------------------------------------------------------------------------------


def test_the_demos_are_the_files_of_the_data_folder() -> None:
    files = {path.name.removesuffix(".csv.gz") for path in demos.DATA_FOLDER.glob("*.csv.gz")}
    assert files == set(list_demos()) == set(SHAPES)


def test_demo_has_the_stated_shape_outcomes_and_blanks(demo: Dataset) -> None:
    assert demo.X.shape == SHAPES[demo.name]
    assert demo.y.value_counts().to_dict() == OUTCOMES[demo.name]
    assert demo.X.isna().sum().loc[lambda blanks: blanks > 0].to_dict() == BLANKS[demo.name]


def test_demo_names_its_parts_consistently(demo: Dataset) -> None:
    assert demo.y.name == demo.target
    assert demo.target not in demo.X
    assert demo.favourable in set(demo.y)
    assert demo.sensitive == demo.sensitive_options[0]
    assert set(demo.sensitive_options) <= set(demo.X.columns)


def test_demo_tells_where_it_comes_from(demo: Dataset) -> None:
    assert demo.description
    assert demo.source
    assert demo.licence
    assert demo.planted == ()
    assert f"{len(demo.y):,}" in demo.description


def test_demo_has_no_identifier_no_leak_and_no_constant(demo: Dataset) -> None:
    assert not NEVER_A_FEATURE & set(demo.X.columns)
    n_values = demo.X.nunique(dropna=False)
    assert (n_values > 1).all()
    assert (n_values < 0.9 * len(demo.X)).all(), "a column with a value of its own on nearly every row names the row"


def test_no_single_column_gives_the_outcome_of_a_demo_away(demo: Dataset) -> None:
    base_rate = demo.y.value_counts(normalize=True).max()
    for column in demo.X:
        bands = demo.X[column] if demo.X[column].dtype == "str" else pd.qcut(demo.X[column], 20, duplicates="drop")
        majority = demo.y.groupby(bands, observed=True, dropna=False).agg(lambda y: y.value_counts().iloc[0]).sum()
        assert majority / len(demo.y) < base_rate + 0.5 * (1 - base_rate), column


def test_demo_columns_are_numbers_or_words(demo: Dataset) -> None:
    for column in demo.X:
        values = demo.X[column]
        assert pd.api.types.is_numeric_dtype(values) or values.dtype == "str"
        assert column == column.strip()
        assert "_" not in column
    words = demo.X.select_dtypes("str")
    assert not words.apply(lambda column: column.str.contains("[_?]|^ | $").any()).any()
    assert demo.y.dtype == "str"


def test_a_category_called_none_survives_and_an_empty_field_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = pd.DataFrame({"job": ["None", "NA", ""], "decision": ["approved", "denied", "denied"]})
    table.to_csv(tmp_path / "hmda.csv.gz", index=False)
    monkeypatch.setattr(demos, "DATA_FOLDER", tmp_path)
    job = load_demo("hmda").X["job"]
    assert job.tolist()[:2] == ["None", "NA"]
    assert job.isna().tolist() == [False, False, True]


def test_an_unknown_demo_is_refused_with_the_names_of_the_known() -> None:
    with pytest.raises(InputError, match="no demo called 'german'.*hmda.*compas"):
        load_demo("german")


def test_a_missing_file_is_refused_with_the_way_to_make_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demos, "DATA_FOLDER", tmp_path)
    with pytest.raises(InputError, match="hmda.csv.gz is missing; run 'python data/make_data.py'"):
        load_demo("hmda")


# --- Planted rules ------------------------------------------------------------------------------------------


def test_a_planted_rule_matches_where_all_its_conditions_hold() -> None:
    X = pd.DataFrame({"income": [10, 20, 30, np.nan], "job": ["a", "b", "a", "a"]})
    rule = PlantedRule((("income", "<=", 20), ("job", "is", "a")), "bad")
    assert rule.matches(X).tolist() == [True, False, False, False]


@pytest.mark.parametrize(
    ("sign", "value", "expected"),
    [("<=", 2, [1, 1, 0, 0]), (">", 2, [0, 0, 1, 0]), ("is", 2, [0, 1, 0, 0]), ("is not", 2, [1, 0, 1, 0])],
)
def test_a_missing_number_meets_no_condition(sign: str, value: int, expected: list[int]) -> None:
    X = pd.DataFrame({"a": [1.0, 2.0, 3.0, np.nan]})
    assert PlantedRule((("a", sign, value),), "bad").matches(X).tolist() == expected


@pytest.mark.parametrize(("sign", "expected"), [("is", [1, 0, 0]), ("is not", [0, 1, 0])])
def test_a_missing_word_meets_no_condition(sign: str, expected: list[int]) -> None:
    X = pd.DataFrame({"a": pd.Series(["x", "y", None], dtype="str")})
    assert PlantedRule((("a", sign, "x"),), "bad").matches(X).tolist() == expected


def test_a_planted_rule_reads_as_a_sentence() -> None:
    rule = PlantedRule((("income", "<=", 42_000), ("debt", ">", 0.4), ("purpose", "is not", "car")), "defaulted")
    assert str(rule) == "if income <= 42,000 and debt > 0.4 and purpose is not car then defaulted"


def test_a_planted_rule_refuses_an_unknown_operator() -> None:
    with pytest.raises(InputError, match="must be one of .* but it is '>='"):
        PlantedRule((("income", ">=", 1),), "bad")


# --- Synthetic loans ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("categorical", [True, False])
def test_labels_follow_the_planted_rules_exactly_without_noise(categorical: bool) -> None:
    loans = make_loans(20_000, noise=0, missing=0, categorical=categorical)
    assert len(loans.planted) == 4
    assert np.array_equal(is_default(loans), is_planted(loans))


@pytest.mark.parametrize("categorical", [True, False])
@pytest.mark.parametrize("random_state", [0, 1, 2])
def test_every_planted_rule_is_short_and_matches_a_fair_share(categorical: bool, random_state: int) -> None:
    loans = make_loans(20_000, noise=0, missing=0, categorical=categorical, random_state=random_state)
    for rule in loans.planted:
        assert 1 <= len(rule.conditions) <= 2
        assert 0.08 <= rule.matches(loans.X).mean() <= 0.20


def test_no_planted_rule_is_implied_by_the_others() -> None:
    loans = make_loans(20_000, noise=0, missing=0)
    matches = np.column_stack([rule.matches(loans.X) for rule in loans.planted])
    is_matched_once = matches.sum(axis=1) == 1
    assert (matches[is_matched_once].sum(axis=0) > 0.03 * len(loans.X)).all()


@pytest.mark.parametrize("noise", [0.0, 0.05, 0.2])
def test_noise_is_the_share_of_labels_that_break_the_rules(noise: float) -> None:
    loans = make_loans(50_000, noise=noise, missing=0)
    assert np.mean(is_default(loans) != is_planted(loans)) == pytest.approx(noise, abs=0.006)


def test_missing_is_the_share_of_blanks_in_two_columns() -> None:
    shares = make_loans(50_000, missing=0.1).X.isna().mean()
    assert shares[shares > 0].index.tolist() == ["savings", "years employed"]
    assert shares[shares > 0].to_list() == pytest.approx([0.1, 0.1], abs=0.006)


def test_the_same_seed_gives_the_same_loans() -> None:
    first, second, other = make_loans(500), make_loans(500), make_loans(500, random_state=1)
    pd.testing.assert_frame_equal(first.X, second.X)
    pd.testing.assert_series_equal(first.y, second.y)
    assert not first.X.equals(other.X)


def test_more_columns_leave_labels_and_earlier_columns_alone() -> None:
    narrow, wide = make_loans(500, 12), make_loans(500, 90)
    assert wide.X.shape == (500, 90)
    assert wide.X.columns.is_unique
    pd.testing.assert_frame_equal(narrow.X, wide.X.iloc[:, :12])
    pd.testing.assert_series_equal(narrow.y, wide.y)


def test_noise_and_blanks_leave_the_other_values_alone() -> None:
    plain, rough = make_loans(500, noise=0, missing=0), make_loans(500, noise=0.3, missing=0.3)
    assert plain.X.where(rough.X.notna()).equals(rough.X)


def test_the_group_goes_with_income_and_has_no_part_in_the_rules() -> None:
    loans = make_loans(20_000)
    median_income = loans.X.groupby("group")["income"].median()
    assert median_income["B"] < 0.9 * median_income["A"]
    assert "group" not in {column for rule in loans.planted for column, _, _ in rule.conditions}


@pytest.mark.parametrize("column", ["credit card balance", "credit card limit", "car loan accounts"])
def test_bureau_columns_add_nothing_once_the_planted_rules_are_known(column: str) -> None:
    loans = make_loans(20_000, 20, missing=0)
    is_surprise = is_default(loans) != is_planted(loans)
    assert abs(np.corrcoef(loans.X[column], is_surprise)[0, 1]) < 0.03


def test_numbers_only_on_request() -> None:
    loans = make_loans(500, 42, categorical=False)
    assert (loans.X.dtypes == np.float64).all()
    assert set(loans.X["group"]) == {0.0, 1.0}
    mixed = make_loans(500, 42).X
    assert mixed.select_dtypes("str").columns.tolist() == ["group", "employment"]


@pytest.mark.parametrize("categorical", [True, False])
def test_loans_name_their_parts_consistently(categorical: bool) -> None:
    loans = make_loans(500, categorical=categorical)
    assert loans.y.name == loans.target
    assert loans.favourable in set(loans.y)
    assert loans.sensitive == loans.sensitive_options[0] == "group"
    assert (loans.X.nunique() > 1).all()


def test_a_single_loan_can_be_made() -> None:
    loans = make_loans(1, 20)
    assert loans.X.shape == (1, 20)
    assert len(loans.y) == 1


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        ({"n_rows": 0}, "n_rows must be at least 1, but it is 0"),
        ({"n_features": 7}, "n_features must be at least 8, the number of core columns, but it is 7"),
        ({"n_features": 6, "categorical": False}, "n_features must be at least 7"),
        ({"noise": 1.0}, "noise is a share"),
        ({"missing": -0.1}, "missing is a share"),
    ],
)
def test_an_impossible_request_is_refused_in_one_sentence(request_: dict, message: str) -> None:
    with pytest.raises(InputError, match=message):
        make_loans(**request_)
