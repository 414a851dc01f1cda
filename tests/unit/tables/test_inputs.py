"""Everything a user can pass to fit, predict and explain: it works as expected, or one clear sentence says why not."""

import datetime
import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.exceptions import DataConversionWarning, NotFittedError

from rugcore import InputError, RUGClassifier
from tests.reading import holds, read_rule
from tests.tables import mixed_outcome, mixed_table

N_ROWS = 60
IS_HIGH = np.arange(N_ROWS) % 2 == 1
LABELS = IS_HIGH.astype(int)
NUMBERS = np.where(IS_HIGH, 8.0, 1.0) + np.linspace(0, 1, N_ROWS)
TEXT = np.where(IS_HIGH, "high", "low").astype(object)


def fitted(X: Any, y: Any = LABELS, **options: Any) -> RUGClassifier:
    return RUGClassifier(max_iter=3).fit(X, y, **options)


def table(**columns: Any) -> pd.DataFrame:
    return pd.DataFrame(columns)


def words_of(model: RUGClassifier) -> set[str]:
    return {str(rule) for rule in model.rules_}


# --- Tables that work -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("column", "words"),
    [
        (NUMBERS, {"x <= 5", "x > 5"}),
        (NUMBERS.astype(np.float32), {"x <= 5", "x > 5"}),
        (LABELS, {"x <= 0", "x > 0"}),
        (LABELS.astype(np.int8), {"x <= 0", "x > 0"}),
        (pd.array(LABELS, dtype="Int64"), {"x <= 0", "x > 0"}),
        (pd.arrays.SparseArray(NUMBERS), {"x <= 5", "x > 5"}),
        (pd.Series(NUMBERS, dtype=object), {"x <= 5", "x > 5"}),
        (TEXT, {"x is high", "x is low"}),
        (pd.array(TEXT, dtype="str"), {"x is high", "x is low"}),
        (pd.array(TEXT, dtype="string[pyarrow]"), {"x is high", "x is low"}),
        (pd.Categorical(TEXT, categories=["zero", "low", "high"]), {"x is high", "x is low"}),
        (pd.Categorical(LABELS * 1000 + 500), {"x is 1500", "x is 500"}),
        (IS_HIGH, {"x is True", "x is False"}),
        (pd.array(IS_HIGH, dtype="boolean"), {"x is True", "x is False"}),
        (pd.Categorical(IS_HIGH), {"x is True", "x is False"}),
        (np.where(IS_HIGH, "missing", "known"), {'x is "missing"', 'x is "known"'}),
    ],
)
def test_columns_of_every_type_give_rules_in_their_own_words(column: Any, words: set[str]) -> None:
    X = table(x=column)
    model = fitted(X)
    assert words_of(model) == words
    np.testing.assert_array_equal(model.predict(X), LABELS)
    assert [model.explain(X.iloc[row]).decision for row in range(4)] == LABELS[:4].tolist()


@pytest.mark.parametrize(
    "column",
    [
        pd.array([None if high else 1 for high in IS_HIGH], dtype="Int64"),
        pd.array([None if high else 0.5 for high in IS_HIGH], dtype="Float64"),
        pd.array([None if high else True for high in IS_HIGH], dtype="boolean"),
        pd.array([None if high else "low" for high in IS_HIGH], dtype="str"),
        pd.Categorical([None if high else "low" for high in IS_HIGH], categories=["low", "unused"]),
        pd.Series([np.nan if high else "low" for high in IS_HIGH], dtype=object),
        np.where(IS_HIGH, np.nan, 1.0),
    ],
)
def test_a_blank_is_a_value_of_its_own_and_the_text_says_so(column: Any) -> None:
    X = table(x=column)
    model = fitted(X)
    np.testing.assert_array_equal(model.predict(X), LABELS)
    assert words_of(model) == {"x is missing", "x is known"} or "x is missing" in words_of(model)
    assert model.explain({"x": None}).decision == 1


def test_a_rule_covers_a_blank_exactly_if_its_text_says_so() -> None:
    X = mixed_table(400, blanks=0.25)
    model = RUGClassifier(max_iter=8, penalty=0.05, weight_threshold=0).fit(X, mixed_outcome(X))
    covered = model.covering_rules(X).toarray()
    n_on_blanks = 0
    for number, rule in enumerate(model.rules_):
        for statement in read_rule(str(rule)):
            is_blank = X[statement.name].isna().to_numpy()
            if not statement.covers_blank:
                assert not covered[is_blank, number].any()
            n_on_blanks += statement.covers_blank
        np.testing.assert_array_equal(covered[:, number], holds(str(rule), X), str(rule))
    assert n_on_blanks > 0


def test_no_rule_ever_speaks_of_a_column_that_the_user_does_not_have() -> None:
    X = mixed_table()
    model = RUGClassifier(max_iter=8, penalty=0.05, weight_threshold=0).fit(X, mixed_outcome(X))
    assert set(model.rules_.features()) <= set(X.columns)
    assert {statement.name for rule in model.rules_ for statement in read_rule(str(rule))} <= set(X.columns)
    for rule in model.rules_:
        assert "<= 0.5" not in str(rule) or "debt ratio" in str(rule)


@pytest.mark.parametrize("name", ["a b", "Größe", "x <= 3", 'the "best"', "c is d", "收入", "", "a_b.c", "or missing"])
def test_any_name_of_a_column_works(name: str) -> None:
    X = pd.DataFrame({name: TEXT, f"{name}!": NUMBERS})
    model = fitted(X)
    np.testing.assert_array_equal(model.predict(X), LABELS)
    assert {statement.name for rule in model.rules_ for statement in read_rule(str(rule))} <= set(X.columns)


@pytest.mark.parametrize(
    "X",
    [
        NUMBERS[:, None],
        NUMBERS[:, None].tolist(),
        TEXT[:, None],
        TEXT[:, None].astype(str),
        TEXT[:, None].tolist(),
        IS_HIGH[:, None],
        [[number, text] for number, text in zip(NUMBERS.tolist(), TEXT.tolist(), strict=True)],
        np.array([[text, None] for text in TEXT], dtype=object),
    ],
)
def test_arrays_and_lists_of_numbers_and_text(X: Any) -> None:
    model = fitted(X)
    np.testing.assert_array_equal(model.predict(X), LABELS)
    assert words_of(model) & {"x0 <= 5", "x0 is high", "x0 is True"}


def test_numbers_beside_text_in_a_list_stay_numbers() -> None:
    rows = [[number, "same"] for number in NUMBERS.tolist()]
    assert words_of(fitted(rows)) == {"x0 <= 5", "x0 > 5"}


def test_constant_and_empty_columns_do_no_harm() -> None:
    X = table(
        x=NUMBERS,
        same=1.0,
        word="same",
        blank=np.nan,
        none=None,
        flag=True,
        kind=pd.Categorical([None] * N_ROWS),
        whole=pd.array([None] * N_ROWS, dtype="Int64"),
    )
    model = fitted(X)
    assert words_of(model) == {"x <= 5", "x > 5"}
    later = X.assign(blank="now text", none=3.5, kind=pd.to_datetime("2020-01-01"))
    np.testing.assert_array_equal(model.predict(later), LABELS)


@pytest.mark.parametrize("column", [[1.0] * 10, [np.nan] * 10, ["a"] * 10, [None] * 10])
def test_a_table_that_tells_nothing_gives_the_most_frequent_class(column: list[Any]) -> None:
    labels = ["a"] * 4 + ["b"] * 6
    model = fitted(table(x=column), labels)
    assert set(model.predict(table(x=column))) == {"b"}
    assert model.explain([column[0]]).decision == "b"


def test_text_with_a_value_of_its_own_in_every_row() -> None:
    X = table(id=[f"id {n}" for n in range(N_ROWS)], x=NUMBERS)
    model = fitted(X)
    np.testing.assert_array_equal(model.predict(X.assign(id="never seen")), LABELS)


def test_text_with_more_values_than_can_be_named() -> None:
    rng = np.random.default_rng(0)
    ids = np.array([f"id {n}" for n in rng.integers(0, 1_500, 3_000)])
    labels = (pd.Series(ids).str[-1].astype(int) + rng.integers(0, 3, 3_000) > 6).astype(int)
    X = table(id=ids, x=rng.random(3_000))
    model = RUGClassifier(max_iter=3, penalty=0.2, min_support=1).fit(X, labels)
    covered = model.covering_rules(X).toarray()
    assert any("id is" in str(rule) for rule in model.rules_)
    for number, rule in enumerate(model.rules_):
        np.testing.assert_array_equal(covered[:, number], holds(str(rule), X), str(rule))
        assert rule.coverage == pytest.approx(covered[:, number].mean())


def test_a_category_never_seen_is_not_any_of_those_seen() -> None:
    X = table(x=np.resize(["a", "b", "c", "d"], N_ROWS))
    model = fitted(X, (X["x"] == "a").astype(int))
    assert words_of(model) == {"x is a", "x is not a"}
    assert model.predict(table(x=["never seen"])).tolist() == [0]
    assert model.explain({"x": "never seen"}).decision == 0


def test_as_many_classes_as_rows() -> None:
    X = table(x=[1.0, 2.0, 3.0, 4.0, 5.0])
    model = RUGClassifier(penalty=0.01).fit(X, ["e", "d", "c", "b", "a"])
    assert model.predict(X).tolist() == ["e", "d", "c", "b", "a"]


def test_fewer_rows_than_declared_classes() -> None:
    declared = pd.Categorical(["a", "b", "a"], categories=list("abcdefg"))
    model = RUGClassifier(penalty=0.01).fit(table(x=[1.0, 2.0, 1.0]), declared)
    assert model.classes_.tolist() == ["a", "b"]


# --- Tables that are refused ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("X", "words"),
    [
        (table(when=pd.date_range("2020", periods=N_ROWS)), "'when'.*datetime64.*days since"),
        (table(when=pd.to_timedelta(np.arange(N_ROWS), "D")), "'when'.*timedelta"),
        (table(when=pd.period_range("2020", periods=N_ROWS)), "'when'.*period"),
        (table(when=[datetime.date(2020, 1, 1)] * N_ROWS), "'when'.*datetime.date"),
        (table(x=NUMBERS + 1j), "Complex data not supported: column 'x'"),
        ((NUMBERS + 1j)[:, None], "Complex data not supported: X"),
        (table(x=pd.Series([1 + 1j] * N_ROWS, dtype=object)), "'x'.*complex"),
        (table(x=[1, "a"] * 30), "'x' to hold one kind.*such as 1 .int.*all numbers or all text"),
        (table(x=pd.Series([True, 2] * 30, dtype=object)), "'x' to hold one kind"),
        (table(x=[[1, 2]] * N_ROWS), r"'x'.*\[1, 2\] .list"),
        (table(x=[{"a": 1}] * N_ROWS), "'x'.*dict"),
        (table(x=[b"a"] * N_ROWS), "'x'.*bytes"),
        (table(x=pd.cut(NUMBERS, 3)), r"categories of column 'x'.*interval.*astype\(str\)"),
        (table(x=pd.Categorical([1, "a"] * 30)), "categories of column 'x'"),
        (table(x=np.where(IS_HIGH, np.inf, 1.0)), "'x' holds an infinity .first at row 1,.*Replace"),
        (table(x=np.where(IS_HIGH, -np.inf, 1.0).astype(np.float32)), "'x' holds an infinity"),
        (table(x=pd.Series(np.where(IS_HIGH, np.inf, 1.0), dtype=object)), "'x' holds an infinity"),
        (np.where(IS_HIGH, np.inf, 1.0)[:, None], "'x0' holds an infinity"),
        (pd.DataFrame(np.ones((N_ROWS, 3)), columns=["a", "b", "a"]), "'a' stands on 2 columns. Rename"),
        (pd.DataFrame(np.ones((N_ROWS, 2)), columns=[0, "0"]), "'0' stands on 2 columns"),
        (table(x=[]), "at least one row"),
        (pd.DataFrame(index=range(N_ROWS)), "at least one column"),
    ],
)
def test_what_no_rule_could_speak_about_is_refused_with_its_column(X: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        fitted(X)


@pytest.mark.parametrize(
    ("X", "error", "words"),
    [
        (sparse.csr_array(NUMBERS[:, None]), TypeError, "Sparse data.*toarray"),
        (NUMBERS, ValueError, "Expected 2D array, got 1D"),
        (pd.Series(NUMBERS), ValueError, "Expected a 2-dimensional container"),
        (np.ones((N_ROWS, 2, 2)), ValueError, "dim 3"),
        (np.empty((0, 3)), ValueError, "0 sample"),
        (np.empty((3, 0)), ValueError, "0 feature"),
        ([[1.0, 2.0], [3.0]], ValueError, "inhomogeneous"),
        (None, ValueError, "Expected 2D array"),
        (pd.DataFrame(np.ones((N_ROWS, 2)), columns=["a", 1]), TypeError, "all input features have string names"),
    ],
)
def test_what_scikit_learn_refuses(X: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        fitted(X)


# --- Targets and weights ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("y", "classes"),
    [
        (LABELS, [0, 1]),
        (LABELS.tolist(), [0, 1]),
        (LABELS.astype(float), [0.0, 1.0]),
        (IS_HIGH, [False, True]),
        (TEXT, ["high", "low"]),
        (TEXT.tolist(), ["high", "low"]),
        (TEXT.astype(str), ["high", "low"]),
        (pd.Series(TEXT, dtype="str"), ["high", "low"]),
        (pd.Series(TEXT, dtype="string[pyarrow]"), ["high", "low"]),
        (pd.Categorical(TEXT, categories=["unused", "low", "high"]), ["high", "low"]),
        (pd.Series(pd.Categorical(LABELS)), [0, 1]),
        (pd.Series(LABELS, dtype=object), [0, 1]),
        (pd.Series(LABELS, dtype="Int64"), [0, 1]),
        (pd.Series(IS_HIGH, dtype="boolean"), [False, True]),
        (pd.Index(TEXT), ["high", "low"]),
        (pd.Series(TEXT, index=np.arange(N_ROWS) + 7), ["high", "low"]),
    ],
)
def test_targets_of_every_type(y: Any, classes: list[Any]) -> None:
    model = fitted(table(x=NUMBERS), y)
    assert model.classes_.tolist() == classes
    assert [type(item) for item in model.classes_.tolist()] == [type(item) for item in classes]
    np.testing.assert_array_equal(model.predict(table(x=NUMBERS)), np.asarray(y))


def test_a_column_vector_as_target_works_with_a_warning() -> None:
    with pytest.warns(DataConversionWarning, match="column-vector"):
        assert fitted(table(x=NUMBERS), LABELS[:, None]).classes_.tolist() == [0, 1]


@pytest.mark.parametrize(
    ("y", "words"),
    [
        (None, "requires y"),
        (LABELS[:-1], "X has 60 rows and y has 59 labels"),
        (np.r_[LABELS, 1], "X has 60 rows and y has 61 labels"),
        (np.r_[np.nan, LABELS[1:]], "blank .NaN. in 1 of 60 rows. Leave those rows out"),
        (pd.Series(TEXT).where(IS_HIGH), "blank .NaN. in 30 of 60 rows"),
        ([None, *TEXT[1:].tolist()], "blank .NaN. in 1 of 60"),
        (pd.array([None, *IS_HIGH[1:].tolist()], dtype="boolean"), "blank .NaN. in 1 of 60"),
        (pd.array([None, *LABELS[1:].tolist()], dtype="Int64"), "blank .NaN. in 1 of 60"),
        (NUMBERS, r"continuous.*fractions such as 8\.0169.*Cut the target into bands"),
        (pd.Series(NUMBERS, dtype=object), "continuous"),
        (np.where(IS_HIGH, np.inf, 0.0), "infinity"),
        (np.zeros(N_ROWS), "only one class: 0.0"),
        (["same"] * N_ROWS, "only one class: 'same'"),
        ([1, *TEXT[1:].tolist()], "one kind.*mixes text and numbers"),
        (pd.Series([1, *TEXT[1:].tolist()]), "one kind.*mixes text and numbers"),
        (np.c_[LABELS, 1 - LABELS], "one column of labels.*60, 2"),
        (pd.DataFrame({"a": LABELS, "b": LABELS}), "one column of labels"),
        (LABELS + 1j, "Complex data not supported: y"),
        (pd.Series(pd.to_datetime(np.where(IS_HIGH, "2020", "2021"))), r"Timestamp.*astype\(str\)"),
        (np.where(IS_HIGH, np.datetime64("2020", "ns"), np.datetime64("2021", "ns")), "datetime64"),
        (pd.Series(pd.cut(NUMBERS, 2)), "Interval"),
        (np.where(IS_HIGH, b"a", b"b"), "bytes"),
    ],
)
def test_a_target_that_cannot_be_used_is_refused(y: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        fitted(table(x=NUMBERS), y)


@pytest.mark.parametrize(
    ("weight", "words"),
    [
        (np.r_[-1.0, np.ones(N_ROWS - 1)], "sample_weight to be non-negative, but it goes down to -1"),
        (np.zeros(N_ROWS), "[Ss]ample.weight.*(zero|positive)"),
        (np.full(N_ROWS, np.nan), "sample_weight contains NaN"),
        (np.full(N_ROWS, np.inf), "sample_weight contains infinity"),
        (np.ones(3), r"sample_weight.shape == \(3,\), expected \(60,\)"),
        (np.ones((N_ROWS, 1)), "1D"),
        (["a"] * N_ROWS, "could not convert"),
        (LABELS.astype(float), "two classes with weight"),
    ],
)
def test_weights_that_cannot_be_used_are_refused(weight: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        fitted(table(x=NUMBERS), sample_weight=weight)


# --- Parameters -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("max_depth", [0, -1, 1.5, "3", True, None, 99]),
        ("penalty", [-0.1, math.nan, math.inf, "1", None, True]),
        ("max_iter", [-1, 2.5, "15", None, True]),
        ("rule_cost", ["Length", "", None, 1, ["length"]]),
        ("weight_threshold", [-0.1, 1.1, math.nan, None, "0"]),
        ("pricing", ["leaf", None, 0]),
        ("solver", ["cplex", None, 1]),
        ("time_limit", [-1, math.nan, math.inf, "10", True]),
        ("callback", [3, "print"]),
    ],
)
def test_a_parameter_out_of_range_is_named_with_what_it_may_be(name: str, values: list[Any]) -> None:
    for value in values:
        with pytest.raises(InputError, match=f"Expected {name} to be .*, but got "):
            RUGClassifier(**{name: value}).fit(table(x=NUMBERS), LABELS)


@pytest.mark.parametrize("seed", ["zero", -1, 1.5])
def test_a_seed_that_is_none(seed: Any) -> None:
    with pytest.raises(ValueError, match=r"[Ss]eed"):
        RUGClassifier(random_state=seed).fit(table(x=NUMBERS), LABELS)


# --- Prediction -------------------------------------------------------------------------------------------------

WIDE = table(x=NUMBERS, c=TEXT, b=IS_HIGH, n=np.arange(N_ROWS))


@pytest.mark.parametrize(
    ("X", "words"),
    [
        (WIDE[["c", "x", "b", "n"]], r"same order.*feature_names_in_"),
        (WIDE[["x", "c", "b"]], "now missing:\n- n\n.*Add the missing columns"),
        (WIDE.assign(extra=1), "unseen at fit time:\n- extra\n.*Select the training columns"),
        (WIDE.rename(columns={"x": "y"}), "unseen at fit time:\n- y\n"),
        (pd.concat([WIDE, WIDE[["x"]]], axis=1), "unique column names"),
        (WIDE.assign(x="text"), "'x' held numbers in training but holds text now"),
        (WIDE.assign(c=1), "'c' held text in training but holds numbers now"),
        (WIDE.assign(b=1), "'b' held true/false in training but holds numbers now"),
        (WIDE.assign(x=np.inf), "'x' holds an infinity"),
        (WIDE.assign(x=pd.Timestamp("2020-01-01")), "'x'.*datetime64"),
        (WIDE.assign(c=[1, "a"] * 30), "'c' to hold one kind"),
        (WIDE.iloc[:0], "at least one row"),
        (WIDE[[]], "at least one column"),
        (WIDE[["x", "c"]].to_numpy(), "X has 2 features, but RUGClassifier is expecting 4"),
    ],
)
@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
@pytest.mark.parametrize("method", ["predict", "predict_proba", "decision_function", "covering_rules", "decisions"])
def test_a_table_that_is_not_like_the_training_table_is_refused(X: Any, words: str, method: str) -> None:
    with pytest.raises(InputError, match=f"(?s){words}"):
        getattr(fitted(WIDE), method)(X)


@pytest.mark.parametrize(
    "X",
    [
        WIDE.astype({"c": "category"}),
        WIDE.astype({"c": "str", "x": "Float64", "n": "float32", "b": "boolean"}),
        WIDE.astype(object),
        WIDE.assign(n=None),
        WIDE.set_index(pd.Index(np.arange(N_ROWS) + 100)),
    ],
)
def test_the_same_values_in_other_types_give_the_same_predictions(X: pd.DataFrame) -> None:
    np.testing.assert_array_equal(fitted(WIDE).predict(X), LABELS)


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
def test_an_array_is_read_by_position() -> None:
    model = fitted(WIDE)
    np.testing.assert_array_equal(model.predict(WIDE.to_numpy(dtype=object)), LABELS)
    np.testing.assert_array_equal(model.predict(WIDE.to_numpy(dtype=object).tolist()), LABELS)


def test_names_that_are_numbers_are_checked_too() -> None:
    X = pd.DataFrame({10: NUMBERS, 20: np.zeros(N_ROWS)})
    model = fitted(X)
    assert words_of(model) == {'"10" <= 5', '"10" > 5'}
    np.testing.assert_array_equal(model.predict(X), LABELS)
    np.testing.assert_array_equal(model.predict(X.to_numpy()), LABELS)
    with pytest.raises(InputError, match="column 1 to be '10' as in training, but it is '20'"):
        model.predict(X[[20, 10]])
    with pytest.raises(InputError, match="X has 1 features"):
        model.predict(X[[10]])


@pytest.mark.filterwarnings("ignore:X has feature names")
def test_a_model_of_an_array_takes_any_names() -> None:
    model = fitted(NUMBERS[:, None])
    np.testing.assert_array_equal(model.predict(table(anything=NUMBERS)), LABELS)
    np.testing.assert_array_equal(model.predict(pd.DataFrame(NUMBERS)), LABELS)


def test_a_table_of_blanks_is_predicted_by_default() -> None:
    blank = table(x=[None], c=[None], b=[None], n=[None])
    decisions = fitted(WIDE).decisions(blank)
    assert decisions.is_uncovered.tolist() == [True]


@pytest.mark.parametrize("method", ["predict", "predict_proba", "decision_function", "covering_rules", "explain"])
def test_a_model_must_be_fitted_first(method: str) -> None:
    with pytest.raises(NotFittedError, match="not fitted yet"):
        getattr(RUGClassifier(), method)(WIDE)


def test_a_failed_second_fit_says_no_and_a_good_one_starts_afresh() -> None:
    model = fitted(WIDE)
    with pytest.raises(InputError):
        model.fit(WIDE, np.zeros(N_ROWS))
    model.fit(NUMBERS[:, None], LABELS)
    assert not hasattr(model, "feature_names_in_")
    assert model.n_features_in_ == 1
    np.testing.assert_array_equal(model.predict(NUMBERS[:, None]), LABELS)


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({"x": 1.0}, "column 'c', but the row has none"),
        (WIDE.iloc[:2], "one row to explain, but got 2"),
        ([1.0], "one row of 4 values, but got 1"),
        (WIDE.iloc[0].to_dict() | {"x": "much"}, "number in column 'x', but got 'much'"),
        (WIDE.iloc[0].to_dict() | {"x": math.inf}, "'x' holds an infinity"),
        (WIDE.iloc[0].to_dict() | {"c": 3}, "'c' held text in training"),
    ],
)
def test_a_row_that_cannot_be_explained(row: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        fitted(WIDE).explain(row)


def test_every_refusal_is_one_of_ours_and_a_value_error() -> None:
    assert issubclass(InputError, ValueError)
    with pytest.raises(ValueError, match="only one class"):
        fitted(WIDE, np.zeros(N_ROWS))
