"""The audit against fairlearn, against counts by hand, and where nothing can be said."""

import math
from dataclasses import dataclass
from typing import Any

import fairlearn.metrics as oracle
import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy import stats
from sklearn.metrics import accuracy_score, precision_score, recall_score

from rugcore import audit, error_rates, fairness_report, group_report
from rugcore.errors import InputError
from rugcore.fairness.intervals import katz, newcombe
from rugcore.fairness.measures import GROUP_RATES
from rugcore.fairness.sentences import IN_WORDS, clear_ratio


@dataclass(frozen=True)
class Case:
    """Decisions about random people; errors are more frequent in later groups."""

    y_true: np.ndarray
    y_pred: np.ndarray
    group: np.ndarray
    weight: np.ndarray


def case(seed: int, n_groups: int = 2, classes: tuple[Any, ...] = (0, 1), n_rows: int = 1500) -> Case:
    rng = np.random.default_rng(seed)
    group = rng.integers(0, n_groups, n_rows)
    true = (rng.random(n_rows) < 0.4 + 0.1 * (group % 3)).astype(int) + rng.integers(0, len(classes) - 1, n_rows)
    is_changed = rng.random(n_rows) < 0.1 + 0.08 * group
    predicted = np.where(is_changed, rng.integers(0, len(classes), n_rows), true)
    labels = np.array(classes)
    names = np.array(["north", "south", "east", "west", "centre"])
    return Case(labels[true], labels[predicted], names[group], rng.uniform(0.2, 3.0, n_rows))


CASES = [(seed, n_groups) for seed in range(3) for n_groups in (2, 3, 5)]


def in_order(frame: pd.DataFrame | pd.Series, names: pd.Index) -> np.ndarray:
    return frame.loc[list(names)].to_numpy(dtype=float)


# --- fairlearn ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("seed", "n_groups"), CASES)
def test_rates_by_group_agree_with_fairlearn(seed: int, n_groups: int, weighted: bool) -> None:
    data = case(seed, n_groups)
    weight = data.weight if weighted else None
    report = group_report(data.y_true, data.y_pred, sensitive_features=data.group, sample_weight=weight)
    metrics = {
        "base_rate": lambda y_true, _, **rest: oracle.selection_rate(y_true, y_true, **rest),
        "selection_rate": oracle.selection_rate,
        "error": lambda y_true, y_pred, **rest: 1 - accuracy_score(y_true, y_pred, **rest),
        "tpr": oracle.true_positive_rate,
        "fpr": oracle.false_positive_rate,
        "fnr": oracle.false_negative_rate,
        "ppv": precision_score,
    }
    frame = oracle.MetricFrame(
        metrics=metrics,
        y_true=data.y_true,
        y_pred=data.y_pred,
        sensitive_features=data.group,
        sample_params={name: {"sample_weight": weight} for name in metrics} if weighted else None,
    )
    for name in GROUP_RATES:
        assert_allclose(report[name], in_order(frame.by_group[name], report.index), err_msg=name)
    assert report["n"].to_dict() == pd.Series(data.group).value_counts().to_dict()


@pytest.mark.parametrize("classes", [(0, 1), ("high", "low", "middle")])
@pytest.mark.parametrize(("seed", "n_groups"), CASES)
def test_error_rates_by_class_agree_with_fairlearn(seed: int, n_groups: int, classes: tuple[Any, ...]) -> None:
    data = case(seed, n_groups, classes)
    report = error_rates(data.y_true, data.y_pred, sensitive_features=data.group)
    frame = oracle.MetricFrame(
        metrics={"accuracy": accuracy_score, "n": oracle.count},
        y_true=data.y_true,
        y_pred=data.y_pred,
        sensitive_features=pd.Series(data.group, name="group"),
        control_features=pd.Series(data.y_true, name="class"),
    ).by_group
    assert_allclose(report["rate"], 1 - in_order(frame["accuracy"], report.index))
    assert_allclose(report["n"], in_order(frame["n"], report.index))
    assert_allclose(report["errors"], report["rate"] * report["n"])


@pytest.mark.parametrize("classes", [("high", "low", "middle")])
@pytest.mark.parametrize("seed", range(3))
def test_rates_of_one_class_against_the_rest(seed: int, classes: tuple[str, ...]) -> None:
    data = case(seed, 3, classes)
    report = group_report(data.y_true, data.y_pred, sensitive_features=data.group, positive_class="low")
    frame = oracle.MetricFrame(
        metrics={"tpr": recall_score, "ppv": precision_score, "fpr": oracle.false_positive_rate},
        y_true=data.y_true == "low",
        y_pred=data.y_pred == "low",
        sensitive_features=data.group,
    ).by_group
    for name in ("tpr", "ppv", "fpr"):
        assert_allclose(report[name], in_order(frame[name], report.index), err_msg=name)
    wrong = pd.Series(data.y_true != data.y_pred).groupby(data.group).mean()
    assert_allclose(report["error"], in_order(wrong, report.index))  # over all classes


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("seed", "n_groups"), CASES)
def test_gaps_agree_with_fairlearn(seed: int, n_groups: int, weighted: bool) -> None:
    data = case(seed, n_groups)
    weight = data.weight if weighted else None
    arguments = {"sensitive_features": data.group, "sample_weight": weight}
    gap = fairness_report(data.y_true, data.y_pred, **arguments)["gap"]
    assert gap["dmc"] == pytest.approx(oracle.equalized_odds_difference(data.y_true, data.y_pred, **arguments))
    assert gap["eop"] == pytest.approx(oracle.equal_opportunity_difference(data.y_true, data.y_pred, **arguments))
    selected = oracle.demographic_parity_difference(data.y_true, data.y_pred, **arguments)
    assert gap["demographic_parity"] == pytest.approx(selected)
    for notion, metric in (("odm", accuracy_score), ("predictive_parity", precision_score)):
        frame = oracle.MetricFrame(
            metrics=metric,
            y_true=data.y_true,
            y_pred=data.y_pred,
            sensitive_features=data.group,
            sample_params={"sample_weight": weight} if weighted else None,
        )
        assert gap[notion] == pytest.approx(frame.difference(method="between_groups"))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("seed", "n_groups"), CASES)
def test_demographic_parity_agrees_with_fairlearn(seed: int, n_groups: int, weighted: bool) -> None:
    data = case(seed, n_groups)
    arguments = {"sensitive_features": data.group, "sample_weight": data.weight if weighted else None}
    found = audit(data.y_true, data.y_pred, **arguments)
    parity = found.parity
    difference = oracle.demographic_parity_difference(data.y_true, data.y_pred, **arguments)
    assert parity.difference == pytest.approx(difference)
    assert parity.ratio == pytest.approx(oracle.demographic_parity_ratio(data.y_true, data.y_pred, **arguments))
    assert parity.lowest_group == found.groups["selection_rate"].idxmin()
    assert parity.highest_group == found.groups["selection_rate"].idxmax()
    assert parity.lower < parity.difference < parity.upper


# --- By hand --------------------------------------------------------------------------------------------------------


def rows(*cells: tuple[str, Any, Any, int]) -> dict[str, Any]:
    """From (group, true class, predicted class, how many)."""
    group, true, predicted = ([cell[place] for cell in cells for _ in range(cell[3])] for place in range(3))
    return {"y_true": true, "y_pred": predicted, "sensitive_features": group}


LOANS = rows(
    ("f", "yes", "yes", 60), ("f", "yes", "no", 40), ("f", "no", "no", 45), ("f", "no", "yes", 5),
    ("m", "yes", "yes", 90), ("m", "yes", "no", 10), ("m", "no", "no", 80), ("m", "no", "yes", 20),
)  # fmt: skip


def test_gaps_worked_out_by_hand() -> None:
    report = fairness_report(**LOANS, positive_class="yes", epsilon=0.3)
    assert list(report.index) == ["dmc", "odm", "eop", "demographic_parity", "predictive_parity"]
    selected, right = 110 / 200 - 65 / 150, 60 / 65 - 90 / 110
    assert_allclose(report["gap"], [0.30, 45 / 150 - 30 / 200, 0.30, selected, right])
    assert report["met"].tolist() == [True] * 5  # a gap of epsilon is allowed
    assert report["worst_class"].tolist() == ["yes", None, "yes", None, None]
    assert report["worse_group"].tolist() == ["f", "f", "f", "f", "m"]
    assert report["better_group"].tolist() == ["m", "m", "m", "m", "f"]
    assert_allclose(report["worse_error"], [0.4, 0.3, 0.4, 85 / 150, 20 / 110])
    assert_allclose(report["better_error"], [0.1, 0.15, 0.1, 90 / 200, 5 / 65])
    assert_allclose(report["score"], [1 - (0.3 + 0.1), 0.85, 0.7, 1 - selected, 1 - right])
    assert report["n"].tolist() == [350, 350, 200, 350, 175]
    assert report["not_estimable"].tolist() == [""] * 5
    assert_allclose(report.loc["eop", ["lower", "upper"]].astype(float), newcombe((0.4, 0.1), (100, 100), 0.95))


def test_groups_worked_out_by_hand() -> None:
    line = group_report(**LOANS, positive_class="yes").loc["f"]
    assert (line["n"], line["n_positive"], line["n_selected"]) == (150, 100, 65)
    expected = {"base_rate": 100 / 150, "selection_rate": 65 / 150, "error": 45 / 150, "tpr": 0.6, "fpr": 0.1}
    expected |= {"fnr": 0.4, "ppv": 60 / 65}
    assert {name: line[name] for name in GROUP_RATES} == pytest.approx(expected)
    counts = {"base_rate": (100, 150), "tpr": (60, 100), "fpr": (5, 50), "ppv": (60, 65)}
    for name, (hits, n) in counts.items():
        wilson = stats.binomtest(hits, n).proportion_ci(0.95, method="wilson")
        assert_allclose((line[f"{name}_lower"], line[f"{name}_upper"]), wilson, err_msg=name)


def test_parity_worked_out_by_hand() -> None:
    parity = audit(**LOANS, positive_class="yes").parity
    assert (parity.lowest_group, parity.highest_group) == ("f", "m")
    assert parity.difference == pytest.approx(110 / 200 - 65 / 150)
    assert parity.ratio == pytest.approx((65 / 150) / (110 / 200))
    assert parity.is_below_four_fifths is True
    assert_allclose((parity.lower, parity.upper), newcombe((110 / 200, 65 / 150), (200, 150), 0.95))
    same = audit(**LOANS, positive_class="no").parity
    assert (same.lowest_group, same.highest_group) == ("m", "f")


def test_exactly_four_fifths_is_not_below() -> None:
    decisions = rows(("a", 1, 1, 40), ("a", 0, 0, 60), ("b", 1, 1, 50), ("b", 0, 0, 50))
    assert audit(**decisions).parity.is_below_four_fifths is False


def test_three_groups_compare_real_pairs() -> None:
    decisions = rows(
        ("a", 1, 0, 10), ("a", 1, 1, 90), ("b", 1, 0, 30), ("b", 1, 1, 70), ("c", 1, 0, 50), ("c", 1, 1, 50),
        ("a", 0, 0, 50), ("b", 0, 0, 50), ("c", 0, 0, 50),
    )  # fmt: skip
    line = fairness_report(**decisions).loc["dmc"]
    assert line["gap"] == pytest.approx(0.4)  # against "everybody else" it would be 0.3
    assert (line["worse_group"], line["better_group"]) == ("c", "a")


def test_three_classes_have_a_mean_score_and_no_positive_class() -> None:
    decisions = rows(
        ("a", 1, 1, 50), ("b", 1, 1, 40), ("b", 1, 2, 10), ("a", 2, 2, 50), ("b", 2, 2, 50),
        ("a", 3, 3, 30), ("a", 3, 1, 20), ("b", 3, 3, 50),
    )  # fmt: skip
    found = audit(**decisions)
    assert list(found.gaps.index) == ["dmc", "odm"]
    assert found.gaps.loc["dmc", "gap"] == pytest.approx(0.4)
    assert found.gaps.loc["dmc", "worst_class"] == 3
    assert found.gaps.loc["dmc", "score"] == pytest.approx(1 - (0.2 + 0.0 + 0.4) / 3)
    assert found.groups[[name for name in GROUP_RATES if name != "error"]].isna().all(axis=None)
    assert found.groups["error"].notna().all()
    assert found.groups["not_estimable"].unique().tolist() == ["all rates but error (no positive class)"]
    assert found.parity.not_estimable == "no positive class"
    assert found.parity.is_below_four_fifths is None
    assert found.positive_class is None
    assert "eop" in fairness_report(**decisions, positive_class=2).index


# --- What cannot be known -------------------------------------------------------------------------------------------


def test_a_small_or_empty_cell_is_not_estimable_and_never_zero() -> None:
    decisions = rows(
        ("a", 1, 1, 40), ("a", 0, 0, 40), ("b", 1, 1, 40), ("b", 0, 0, 12), ("c", 1, 0, 20), ("c", 1, 1, 20)
    )
    found = audit(**decisions, epsilon=0.1)
    dmc = found.gaps.loc["dmc"]
    assert dmc["not_estimable"] == "group b, class 0 (12 rows); group c, class 0 (no rows)"
    assert dmc["gap"] == pytest.approx(0.5)
    assert (dmc["n"], dmc["met"]) == (120, False)  # the 40 rows of class 0 in a had nobody to be compared with
    assert math.isnan(dmc["score"])
    rates = found.rates
    assert rates["rate"].isna().tolist() == [False, True, True, False, False, False]
    assert rates["not_estimable"].tolist() == ["", "12 rows", "no rows", "", "", ""]
    assert rates.loc[(0, "b"), ["n", "errors"]].tolist() == [12, 0]
    assert rates[["lower", "upper"]].isna().all(axis=1).tolist() == rates["rate"].isna().tolist()
    groups = found.groups
    assert groups.loc["c", "not_estimable"] == "fpr (no rows); ppv (20 rows)"
    assert groups.loc["b", "not_estimable"] == "fpr (12 rows)"
    assert groups["fpr"].isna().tolist() == [False, True, True]


def test_fewer_rows_may_do_if_asked() -> None:
    decisions = rows(("a", 1, 1, 3), ("a", 0, 0, 3), ("b", 1, 0, 3), ("b", 0, 0, 3))
    assert fairness_report(**decisions)["gap"].isna().all()
    assert_allclose(fairness_report(**decisions, min_cell_size=1)["gap"], [1.0, 0.5, 1.0, 0.5, math.nan])


def test_a_group_of_which_nobody_is_selected_has_no_precision() -> None:
    report = fairness_report(**rows(("a", 1, 1, 40), ("a", 0, 0, 40), ("b", 1, 0, 40), ("b", 0, 0, 40)), epsilon=1.0)
    line = report.loc["predictive_parity"]
    assert math.isnan(line["gap"])
    assert pd.isna(line["met"])
    assert line["not_estimable"] == "group b, decided 1 (no rows)"


def test_one_group_has_no_gap() -> None:
    found = audit(**rows(("a", 1, 1, 40), ("a", 0, 1, 40)), epsilon=0.1)
    assert found.gaps["gap"].isna().all()
    assert found.gaps["met"].isna().all()
    assert found.gaps["n"].tolist() == [0] * 5
    assert set(found.gaps["not_estimable"]) == {"only one group, nothing to compare it with"}
    assert found.parity.not_estimable == "only one group, nothing to compare it with"


def test_nobody_selected_has_no_ratio() -> None:
    parity = audit(**rows(("a", 1, 0, 40), ("b", 1, 0, 40), ("b", 0, 0, 40))).parity
    assert parity.difference == 0
    assert math.isnan(parity.ratio)
    assert parity.is_below_four_fifths is None
    assert parity.not_estimable == "the ratio (nobody is predicted positive)"


def test_a_group_without_weight_is_not_estimable() -> None:
    decisions = rows(("a", 1, 1, 40), ("b", 1, 0, 40), ("c", 1, 1, 40))
    found = audit(**decisions, sample_weight=[1.0] * 40 + [0.0] * 40 + [1.0] * 40, classes=[0, 1])
    assert found.gaps.loc["odm", "gap"] == 0
    assert found.gaps.loc["odm", "not_estimable"] == "group b (no weight)"
    assert math.isnan(found.groups.loc["b", "error"])


def test_without_epsilon_nothing_is_met_or_missed() -> None:
    report = fairness_report(**LOANS)
    assert report["met"].isna().all()
    assert report["epsilon"].isna().all()


def test_epsilon_is_held_against_the_notion_that_it_was_asked_for() -> None:
    report = fairness_report(**LOANS, positive_class="yes", epsilon=0.2, fairness="odm")
    assert report["met"].isna().tolist() == [True, False, True, True, True]
    assert report["epsilon"].isna().tolist() == [True, False, True, True, True]
    assert report.loc["odm", "met"]
    everything = fairness_report(**LOANS, positive_class="yes", epsilon=0.2)
    assert everything["met"].tolist() == [False, True, False, True, True]
    pd.testing.assert_series_equal(report["gap"], everything["gap"])
    assert fairness_report(**LOANS, epsilon=0.2, fairness="eod")["met"].isna().tolist() == [False, True]
    with pytest.raises(InputError, match="fairness to be one of"):
        fairness_report(**LOANS, epsilon=0.2, fairness="parity")


def test_an_audit_can_be_held_against_another_epsilon() -> None:
    found = audit(**LOANS, positive_class="yes")
    for epsilon in (None, 0.0, 0.15, 0.2, 0.3, 1.0):
        expected = fairness_report(**LOANS, positive_class="yes", epsilon=epsilon, fairness="dmc")
        pd.testing.assert_frame_equal(found.judged(epsilon, "dmc").gaps, expected)
    assert found.gaps["met"].isna().all()  # the audit itself stays as it is
    with pytest.raises(InputError, match="epsilon to be a number from 0 to 1"):
        found.judged(2.0)


def test_a_limit_is_not_simply_met_while_a_comparison_is_missing() -> None:
    decisions = rows(("a", 1, 1, 40), ("b", 1, 1, 40), ("a", 0, 0, 40), ("b", 0, 1, 12))
    found = audit(**decisions, epsilon=0.1, fairness="dmc")
    said = "epsilon 0.1 is met as far as it can be measured"
    assert said in str(found)
    note = found.to_frame().set_index("measure").loc["dmc gap", "note"]
    assert note.startswith(said)
    assert "group b, class 0 (12 rows)" in note
    whole = rows(("a", 1, 1, 40), ("b", 1, 1, 40), ("a", 0, 0, 40), ("b", 0, 0, 40))
    assert "as far as" not in str(audit(**whole, epsilon=0.1))


def test_the_counts_behind_the_worst_pair() -> None:
    report = fairness_report(**LOANS, positive_class="yes")
    counts = report[["worse_wrong", "worse_n", "better_wrong", "better_n"]]
    assert counts.loc["dmc"].tolist() == [40, 100, 10, 100]
    assert counts.loc["odm"].tolist() == [45, 150, 30, 200]
    weighed = fairness_report(**LOANS, positive_class="yes", sample_weight=np.linspace(1, 2, 350))
    assert weighed.loc["dmc", ["worse_n", "better_n"]].tolist() == [100, 100]  # rows, whatever they weigh
    assert fairness_report(**rows(("a", 1, 1, 40), ("b", 1, 1, 3))).loc["odm", ["worse_n", "better_n"]].isna().all()


# --- The ratio ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("confidence", [0.8, 0.95, 0.99])
@pytest.mark.parametrize(("first", "second"), [((65, 150), (110, 200)), ((3, 45), (3, 374)), ((40, 40), (30, 50))])
def test_the_interval_of_a_ratio_agrees_with_scipy(
    first: tuple[int, int], second: tuple[int, int], confidence: float
) -> None:
    expected = stats.contingency.relative_risk(*first, *second).confidence_interval(confidence)
    found = katz((first[0] / first[1], second[0] / second[1]), (first[1], second[1]), confidence)
    assert_allclose(found, (expected.low, expected.high))


@pytest.mark.parametrize("rates", [(0.0, 0.5), (0.0, 0.0), (1.0, 1.0)])
def test_a_ratio_without_hits_or_without_misses_has_no_interval(rates: tuple[float, float]) -> None:
    assert np.isnan(katz(rates, (40, 50), 0.95)).all()


def test_the_ratio_comes_with_its_counts_and_its_interval() -> None:
    parity = audit(**LOANS, positive_class="yes").parity
    assert (parity.lowest_selected, parity.lowest_n) == (65, 150)
    assert (parity.highest_selected, parity.highest_n) == (110, 200)
    assert_allclose((parity.ratio_lower, parity.ratio_upper), katz((65 / 150, 110 / 200), (150, 200), 0.95))
    nobody = audit(**rows(("a", 1, 0, 40), ("b", 1, 1, 40), ("b", 0, 0, 40)))
    assert nobody.parity.ratio == 0
    assert math.isnan(nobody.parity.ratio_lower)
    assert "ratio 0.000 (0 of 40 against 40 of 80; no interval), below four fifths" in str(nobody)
    note = nobody.to_frame().set_index("measure").loc["demographic parity ratio", "note"]
    assert note == "below four fifths (a screen); 0 of 40 against 40 of 80"


@pytest.mark.parametrize(
    ("ratio", "text"),
    [(0.4, "0.40"), (0.7996, "0.7996"), (0.799, "0.799"), (0.8, "0.80"), (0.8004, "0.80"), (0.8 - 1e-12, "0.80")],
)
def test_a_ratio_is_never_rounded_across_four_fifths(ratio: float, text: str) -> None:
    assert clear_ratio(ratio) == text


# --- Properties -----------------------------------------------------------------------------------------------------


def test_a_perfect_model_is_fair() -> None:
    data = case(0, 3)
    found = audit(data.y_true, data.y_true, sensitive_features=data.group, epsilon=0)
    gaps = found.gaps.drop(index="demographic_parity")  # that one does not ask what people deserve
    assert (gaps["gap"] == 0).all()
    assert (gaps["score"] == 1).all()
    assert gaps["met"].all()
    assert (found.rates["rate"] == 0).all()
    assert (found.rates["lower"] == 0).all()


def test_the_order_of_rows_and_the_names_of_groups_do_not_matter() -> None:
    data = case(1, 3)
    order = np.random.default_rng(0).permutation(len(data.group))
    numbers = {"gap", "lower", "upper", "score", "n"}
    expected = fairness_report(data.y_true, data.y_pred, sensitive_features=data.group)[list(numbers)]
    shuffled = fairness_report(data.y_true[order], data.y_pred[order], sensitive_features=data.group[order])
    renamed = fairness_report(data.y_true, data.y_pred, sensitive_features=[f"z{name[::-1]}" for name in data.group])
    pd.testing.assert_frame_equal(shuffled[list(numbers)], expected)
    pd.testing.assert_frame_equal(renamed[list(numbers)], expected)


def test_equal_weights_are_no_weights_whatever_their_scale() -> None:
    data = case(2, 3)
    expected = audit(data.y_true, data.y_pred, sensitive_features=data.group)
    weighed = audit(data.y_true, data.y_pred, sensitive_features=data.group, sample_weight=np.full(1500, 7e-200))
    for one, other in zip(
        (expected.gaps, expected.groups, expected.rates), (weighed.gaps, weighed.groups, weighed.rates), strict=True
    ):
        pd.testing.assert_frame_equal(one, other)


def test_whole_weights_are_repeated_rows_with_the_same_rates_but_less_certainty() -> None:
    data = case(3)
    times = np.random.default_rng(0).integers(1, 4, len(data.group))
    arguments = (data.y_true, data.y_pred)
    weighed = group_report(*arguments, sensitive_features=data.group, sample_weight=times)
    repeated = group_report(
        *(np.repeat(item, times) for item in arguments), sensitive_features=data.group.repeat(times)
    )
    for name in GROUP_RATES:
        assert_allclose(weighed[name], repeated[name])
        widths = [report[f"{name}_upper"] - report[f"{name}_lower"] for report in (weighed, repeated)]
        assert (widths[0] > widths[1]).all()
    assert (weighed["n"] == group_report(*arguments, sensitive_features=data.group)["n"]).all()


@pytest.mark.parametrize("weighted", [False, True])
def test_an_audit_of_counts_is_that_of_the_rows_counted(weighted: bool) -> None:
    data = case(4, 3, classes=("a", "b", "c"), n_rows=60)
    times = np.random.default_rng(1).integers(0, 30, 60)
    weight = data.weight if weighted else np.ones(60)
    options: dict[str, Any] = {"positive_class": "b", "epsilon": 0.1, "classes": ["a", "b", "c"]}
    counted = audit(
        data.y_true, data.y_pred, sensitive_features=data.group, sample_weight=weight, repeats=times, **options
    )
    rows = audit(
        *(np.repeat(item, times) for item in (data.y_true, data.y_pred)),
        sensitive_features=data.group.repeat(times),
        sample_weight=weight.repeat(times),
        **options,
    )
    for name in ("gaps", "groups", "rates", "compared"):
        pd.testing.assert_frame_equal(getattr(counted, name), getattr(rows, name))
    assert str(counted) == str(rows)


def test_more_confidence_is_a_wider_interval() -> None:
    narrow, wide = (fairness_report(**LOANS, confidence=confidence) for confidence in (0.8, 0.99))
    assert (wide["lower"] < narrow["lower"]).all()
    assert (wide["upper"] > narrow["upper"]).all()


def test_fair_decisions_are_rarely_outside_the_interval() -> None:
    """Two groups are treated alike: the interval of their difference holds 0 in about 95 of 100 audits."""
    rng = np.random.default_rng(4)
    group = np.repeat(["a", "b"], [80, 120])
    held = 0
    for _ in range(300):
        wrong = rng.random(200) < 0.2
        line = fairness_report(np.ones(200, int), np.where(wrong, 0, 1), sensitive_features=group, classes=[0, 1])
        held += bool(line.loc["odm", "lower"] <= 0 <= line.loc["odm", "upper"])
    assert 0.91 < held / 300 < 0.99


# --- What comes in --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "changed",
    [
        lambda labels: labels.tolist(),
        lambda labels: tuple(labels.tolist()),
        lambda labels: pd.Series(labels, index=np.arange(len(labels)) + 100),
        lambda labels: pd.Series(pd.Categorical(labels)),
        lambda labels: labels.astype(bool),
        lambda labels: labels.astype(float),
        lambda labels: pd.array(labels, dtype="Int64"),
        lambda labels: labels.reshape(-1, 1),
        lambda labels: pd.DataFrame({"y": labels}),
    ],
)
def test_labels_in_any_container(changed: Any) -> None:
    data = case(0)
    expected = fairness_report(data.y_true, data.y_pred, sensitive_features=data.group)["gap"]
    found = fairness_report(changed(data.y_true), data.y_pred, sensitive_features=data.group)["gap"]
    assert_allclose(found, expected)


@pytest.mark.parametrize("labels", [("no", "yes"), (False, True), (1, 2), (-1.0, 1.0)])
def test_labels_of_any_kind(labels: tuple[Any, Any]) -> None:
    data, named = case(0), case(0, classes=labels)
    arguments = {"sensitive_features": data.group}
    expected = fairness_report(data.y_true, data.y_pred, **arguments)["gap"]
    found = fairness_report(named.y_true, named.y_pred, positive_class=labels[1], **arguments)["gap"]
    assert_allclose(found, expected)
    assert error_rates(named.y_true, named.y_pred, **arguments).index.get_level_values(0).unique().tolist() == list(
        labels
    )


def test_blank_and_combined_groups() -> None:
    data = case(0)
    table = pd.DataFrame({"region": data.group, "member": np.where(np.arange(1500) % 3, "yes", None)})
    report = group_report(data.y_true, data.y_pred, sensitive_features=table)
    assert report.index.tolist() == [
        "region north, member yes", "region north, member missing",
        "region south, member yes", "region south, member missing",
    ]  # fmt: skip
    assert report["n"].sum() == 1500


def test_a_positive_class_that_is_only_predicted() -> None:
    decisions = rows(("a", "no", "no", 40), ("b", "no", "yes", 40))
    found = audit(**decisions, positive_class="yes")
    assert found.groups["selection_rate"].tolist() == [0.0, 1.0]
    assert math.isnan(found.gaps.loc["eop", "gap"])
    assert found.gaps.loc["eop", "not_estimable"] == "group a, class yes (no rows); group b, class yes (no rows)"


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"y_pred": ["yes"] * 3}, "one prediction per row, but y_true has 350 rows and y_pred 3"),
        ({"y_true": ["yes", None] * 175}, "y_true is blank in 175. Leave those rows out"),
        ({"y_pred": ["yes", np.nan] * 175}, "y_pred is blank in 175"),
        ({"y_pred": ["yes", "maybe"] * 175}, "Expected y_pred to hold the classes 'no', 'yes', but it holds 'maybe'"),
        (
            {"y_pred": [1, 0] * 175},
            "but it holds 1. Check that classes are written the same way everywhere; pass classes=",
        ),
        ({"y_true": ["yes", 1] * 175}, "Expected classes of one kind, but y_true mixes text and numbers"),
        ({"y_true": [["yes"], ["no"]] * 175}, "Expected y_true to be one column of labels, but got list"),
        ({"y_true": np.zeros((350, 2))}, "Expected y_true to be one column of labels, but got ndarray"),
        ({"y_true": "yes"}, "Expected y_true to be one column of labels, but got 'yes'"),
        ({"y_true": None}, "Expected y_true to be one column of labels, but got None"),
        ({"y_true": 5}, "Expected y_true to be one column of labels, but got int"),
        ({"y_true": [], "y_pred": []}, "at least one row to audit"),
        (
            {"classes": ["yes", "no ", "maybe"]},
            "Expected y_true to hold the classes 'maybe', 'no ', 'yes', but it holds",
        ),
        ({"positive_class": "granted"}, "one of the classes 'no', 'yes', but got 'granted'"),
        ({"sensitive_features": None}, "Expected sensitive_features, one value per row"),
        ({"sensitive_features": ["f"]}, "350 rows came with 1 entries"),
        ({"sample_weight": [1.0, 2.0]}, "one finite number for each of 350 rows"),
        ({"sample_weight": [np.nan] * 350}, "one finite number for each of 350 rows"),
        ({"sample_weight": [-1.0] * 350}, "non-negative"),
        ({"repeats": [1, 2]}, "Expected repeats to hold a whole number, 0 or more, for each of 350 entries"),
        ({"repeats": [0.5] * 350}, "Expected repeats to hold a whole number, 0 or more"),
        ({"repeats": [-1] * 350}, "Expected repeats to hold a whole number, 0 or more"),
        ({"repeats": [0] * 350}, "all repeats are 0"),
        ({"epsilon": -0.1}, "epsilon to be a number from 0 to 1, but got -0.1"),
        ({"epsilon": "small"}, "epsilon to be a number from 0 to 1, but got 'small'"),
        ({"epsilon": math.nan}, "epsilon to be a number from 0 to 1, but got nan"),
        ({"confidence": 95}, "confidence to lie between 0 and 1, such as 0.95, but got 95"),
        ({"min_cell_size": 0}, "min_cell_size to be a whole number, 1 or more, but got 0"),
        ({"min_cell_size": 2.5}, "min_cell_size to be a whole number"),
    ],
)
def test_what_cannot_be_audited_is_refused_with_one_sentence(changes: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InputError) as refused:
        audit(**{**LOANS, **changes})
    assert sentence in str(refused.value)


# --- Told -----------------------------------------------------------------------------------------------------------


def test_an_audit_in_words() -> None:
    told = str(audit(**LOANS, positive_class="yes", epsilon=0.2))
    assert told.startswith("350 rows in 2 groups. The positive class is yes.\nA rate of fewer than 30 rows is not")
    lower, upper = newcombe((0.4, 0.1), (100, 100), 0.95)
    assert f"DMC (within every class): 0.300 (95% interval of this pair: {lower:.3f} to {upper:.3f})" in told
    assert "class yes: 40.0% wrong in f; 10.0% in m (40 of 100 against 10 of 100)" in told
    assert "score 0.600 (1 = fair); epsilon 0.2 is not met" in told
    assert "score 0.850 (1 = fair); epsilon 0.2 is met" in told
    assert "  f (150 rows)\n" in told
    assert "FNR 40.0% (30.9% to 49.8%)" in told
    lower, upper = katz((65 / 150, 110 / 200), (150, 200), 0.95)
    ratio = f"(65 of 150 against 110 of 200; 95% interval of this pair: {lower:.3f} to {upper:.3f})"
    assert f"ratio 0.788 {ratio}, below four fifths: a screen says where to look closer" in told
    assert "nan" not in told


def test_what_is_not_estimable_is_told() -> None:
    told = str(audit(**rows(("a", 1, 1, 40), ("a", 2, 2, 9), ("b", 1, 1, 1), ("a", 3, 3, 1)), epsilon=0.1))
    assert "DMC (within every class): not estimable" in told
    assert "group a, class 2 (9 rows); group b, class 2 (no rows)" in told
    assert "  b (1 row)\n" in told
    assert "The positive class is not known." in told
    assert "nan" not in told


def test_names_from_strangers_do_not_reach_the_terminal_raw() -> None:
    told = str(audit(**rows(("\x1b[31mred", 1, 1, 40), ("b", 1, 0, 4), ("b", 0, 0, 40))))
    assert "\x1b" not in told
    assert "\\u001b[31mred" in told


def test_one_long_table_holds_every_number() -> None:
    found = audit(**LOANS, positive_class="yes", epsilon=0.2)
    table = found.to_frame().set_index(["measure", "class", "group"])
    assert table["value"].notna().all()
    gap = table.loc[("dmc gap", "yes", "f")]
    assert gap["value"] == pytest.approx(0.3)
    assert (gap["against"], gap["n"]) == ("m", 350)
    assert gap["note"] == "epsilon 0.2 is not met; 40 of 100 against 10 of 100"
    assert set(found.to_frame()["measure"]) == set(IN_WORDS)  # every code is told in words
    behind = found.to_frame().query("group == 'f' and `class`.isna() and against.isna()").set_index("measure")["n"]
    assert behind.to_dict() == {
        "base_rate": 150, "selection_rate": 150, "error": 150, "tpr": 100, "fpr": 50, "fnr": 100, "ppv": 65
    }  # fmt: skip
    rates = found.to_frame().query("measure == 'error rate of the class'")
    assert_allclose(rates["value"].astype(float), found.rates["rate"])


def test_the_long_table_without_a_positive_class() -> None:
    table = audit(**LOANS).to_frame()
    unknown = table[table["value"].isna()]
    assert unknown["note"].str.startswith("not estimable").all()
    assert set(unknown["measure"]) == {name for name in GROUP_RATES if name != "error"} | {
        "demographic parity difference", "demographic parity ratio"
    }  # fmt: skip
