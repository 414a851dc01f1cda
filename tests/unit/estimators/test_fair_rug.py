"""FairRUGClassifier: what it promises is counted again from its predictions, row by row or by fairlearn."""

import pickle
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, pairwise
from typing import Any

import numpy as np
import pandas as pd
import pytest
from fairlearn.metrics import MetricFrame, equalized_odds_difference, true_positive_rate_difference
from scipy.optimize import linprog
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.metrics import accuracy_score

from rugcore import (
    FairnessWarning,
    FairRUGClassifier,
    InputError,
    Round,
    RUGClassifier,
    fairness_frontier,
    load_demo,
)
from rugcore.rules import Rule
from tests.reading import holds

NOTIONS = ("dmc", "odm", "eop")


@dataclass(frozen=True)
class People:
    """A table, an outcome and a group for everybody."""

    X: pd.DataFrame
    y: np.ndarray
    groups: np.ndarray

    def take(self, rows: np.ndarray) -> "People":
        return People(self.X.iloc[rows], self.y[rows], self.groups[rows])


def people(n_rows: int = 500, seed: int = 0, n_classes: int = 2, n_groups: int = 2) -> People:
    """The score flatters the later groups, whose outcomes are worse than it says."""
    rng = np.random.default_rng(seed)
    group = rng.integers(0, n_groups, n_rows)
    X = pd.DataFrame(
        {
            "score": (rng.normal(0, 1, n_rows) + 0.9 * group).round(1),
            "children": rng.integers(0, 5, n_rows),
            "purpose": rng.choice(["car", "house", "food"], n_rows),
        }
    )
    merit = X["score"] + 0.5 * (X["children"] > 2) - 0.3 * group + rng.normal(0, 0.7, n_rows)
    y = np.digitize(merit, np.quantile(merit, np.arange(1, n_classes) / n_classes))
    return People(X, y, np.array(["f", "m", "x"])[group])


def fair(**settings: Any) -> FairRUGClassifier:
    return FairRUGClassifier(**({"max_iter": 4, "max_depth": 2, "epsilon": 0.05} | settings))


def fitted(data: People, **settings: Any) -> FairRUGClassifier:
    """Whether it is met or not is what the test looks at."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FairnessWarning)
        return fair(**settings).fit(data.X, data.y, sensitive_features=data.groups)


def gap_by_hand(data: People, decided: np.ndarray, notion: str, weight: np.ndarray | None = None) -> float:
    """Shares of wrong rows, group by group."""
    weight = np.ones(len(data.y)) if weight is None else weight
    everybody = np.ones(len(data.y), dtype=bool)
    within = {"dmc": [data.y == k for k in np.unique(data.y)], "odm": [everybody], "eop": [data.y == 1]}[notion]
    gaps = []
    for is_inside in within:
        rates = []
        for group in np.unique(data.groups):
            rows = is_inside & (data.groups == group)
            rates.append(np.average((decided != data.y)[rows], weights=weight[rows]))
        gaps += [abs(one - other) for one, other in combinations(rates, 2)]
    return float(max(gaps))


@pytest.fixture(scope="module")
def data() -> People:
    return people()


@pytest.fixture(scope="module")
def rug(data: People) -> RUGClassifier:
    return RUGClassifier(max_iter=4, max_depth=2).fit(data.X, data.y)


@pytest.fixture(scope="module")
def realised(data: People) -> FairRUGClassifier:
    return fitted(data)


@pytest.fixture(scope="module")
def proxy(data: People) -> FairRUGClassifier:
    return fitted(data, guarantee="proxy")


@pytest.fixture(autouse=True)
def no_silent_mistakes() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        yield


# --- What is realised -----------------------------------------------------------------------------------------------


def fairlearn_gap(data: People, decided: np.ndarray, notion: str) -> float:
    if notion == "dmc":
        return float(equalized_odds_difference(data.y, decided, sensitive_features=data.groups))
    if notion == "eop":
        return float(true_positive_rate_difference(data.y, decided, sensitive_features=data.groups))
    frame = MetricFrame(metrics=accuracy_score, y_true=data.y, y_pred=decided, sensitive_features=data.groups)
    return float(frame.difference())


@pytest.mark.parametrize("guarantee", ["realised", "proxy"])
@pytest.mark.parametrize("notion", NOTIONS)
@pytest.mark.parametrize("n_groups", [2, 3])
def test_the_realised_gap_is_that_of_fairlearn(n_groups: int, notion: str, guarantee: str) -> None:
    data = people(600, seed=1, n_groups=n_groups)
    model = fitted(data, fairness=notion, guarantee=guarantee)
    fit, decided = model.fairness_, model.predict(data.X)
    assert fit.notion == notion
    assert fit.realised_gap == pytest.approx(fairlearn_gap(data, decided, notion))
    assert fit.realised_gap == pytest.approx(gap_by_hand(data, decided, notion))
    assert fit.accuracy == pytest.approx(model.score(data.X, data.y))
    assert fit.met == (fit.realised_gap <= 0.05)


@pytest.mark.parametrize("guarantee", ["realised", "proxy"])
@pytest.mark.parametrize("notion", ["dmc", "odm"])
def test_three_classes_and_three_groups_are_compared_in_real_pairs(notion: str, guarantee: str) -> None:
    data = people(700, seed=2, n_classes=3, n_groups=3)
    model = fitted(data, fairness=notion, guarantee=guarantee)
    decided = model.predict(data.X)
    assert model.fairness_.realised_gap == pytest.approx(gap_by_hand(data, decided, notion))
    is_wrong = decided != data.y
    found = {(gap.label, gap.first, gap.second): gap.realised_gap for gap in model.fairness_.contrasts}
    classes = [None] if notion == "odm" else [0, 1, 2]
    assert set(found) == {(k, one, two) for k in classes for one, two in combinations("fmx", 2)}
    for (label, first, second), gap in found.items():
        inside = np.ones(len(data.y), dtype=bool) if label is None else data.y == label
        rates = [is_wrong[inside & (data.groups == group)].mean() for group in (first, second)]
        assert gap == pytest.approx(rates[0] - rates[1])
    for cell in model.fairness_.cells:
        rows = (data.y == cell.label) & (data.groups == cell.group)
        assert cell.n_rows == rows.sum()
        assert cell.error == pytest.approx(is_wrong[rows].mean())


@pytest.mark.parametrize("notion", NOTIONS)
@pytest.mark.parametrize("seed", range(3))
def test_where_it_can_be_met_it_is(notion: str, seed: int) -> None:
    data = people(600, seed)
    plain = RUGClassifier(max_iter=4, max_depth=2).fit(data.X, data.y)
    before = gap_by_hand(data, plain.predict(data.X), notion)
    with warnings.catch_warnings():
        warnings.simplefilter("error", FairnessWarning)
        model = fair(fairness=notion, epsilon=0.08).fit(data.X, data.y, sensitive_features=data.groups)
    after = gap_by_hand(data, model.predict(data.X), notion)
    assert model.fairness_.met
    assert after <= 0.08 + 1e-9
    assert after <= before
    assert model.score(data.X, data.y) > max(0.5, plain.score(data.X, data.y) - 0.15)


def impossible() -> People:
    """All that is known is the group. Four in five of a are positive, one in two of b.

    Whatever is decided, half of b is wrong, and of a one fifth or four fifths: the gap in overall errors is 0.3.
    """
    groups = np.repeat(["a", "b"], 100)
    y = np.concatenate([np.arange(100) < 80, np.arange(100) < 50]).astype(int)
    return People(pd.DataFrame({"district": (groups == "a") * 1.0}), y, groups)


@pytest.mark.parametrize("epsilon", [0.0, 0.1, 0.29])
def test_where_it_cannot_be_met_it_says_so_and_keeps_the_fairest(epsilon: float) -> None:
    data = impossible()
    with pytest.warns(FairnessWarning, match="at most .* but the fairest model found has 0.3000") as caught:
        model = fair(fairness="odm", epsilon=epsilon).fit(data.X, data.y, sensitive_features=data.groups)
    assert caught[0].filename == __file__  # it points at the line of the user
    assert not model.fairness_.met
    assert model.fairness_.realised_gap == pytest.approx(0.3)
    assert "NOT met" in str(model.fairness_)
    assert model.predict(data.X).shape == (200,)


def test_where_it_can_just_be_met_nothing_is_warned_of() -> None:
    data = impossible()
    with warnings.catch_warnings():
        warnings.simplefilter("error", FairnessWarning)
        model = fair(fairness="odm", epsilon=0.3).fit(data.X, data.y, sensitive_features=data.groups)
    assert model.fairness_.met


def test_the_paper_s_constraint_warns_of_nothing_because_it_promises_nothing() -> None:
    data = impossible()
    with warnings.catch_warnings():
        warnings.simplefilter("error", FairnessWarning)
        model = fair(fairness="odm", epsilon=0.0, guarantee="proxy").fit(data.X, data.y, sensitive_features=data.groups)
    assert not model.fairness_.met
    assert model.fairness_.met_in_lp


# --- Nothing asked, nothing changed ---------------------------------------------------------------------------------


@pytest.mark.parametrize("guarantee", ["realised", "proxy"])
@pytest.mark.parametrize("notion", NOTIONS)
def test_without_a_bound_it_is_rug(data: People, rug: RUGClassifier, guarantee: str, notion: str) -> None:
    model = fitted(data, epsilon=np.inf, guarantee=guarantee, fairness=notion)
    assert model.rules_ == rug.rules_
    assert model.objective_ == pytest.approx(rug.objective_)
    assert model.n_iter_ == rug.n_iter_
    assert model.fairness_.met
    assert model.fairness_.realised_gap == pytest.approx(gap_by_hand(data, rug.predict(data.X), notion))


@pytest.mark.parametrize("notion", NOTIONS)
def test_a_bound_that_rug_keeps_anyway_changes_nothing(data: People, rug: RUGClassifier, notion: str) -> None:
    gap = gap_by_hand(data, rug.predict(data.X), notion)
    assert gap > 0.04
    model = fitted(data, epsilon=gap + 0.1, fairness=notion)  # more: it keeps it in what is expected, too
    assert model.rules_ == rug.rules_
    assert model.n_iter_ == rug.n_iter_
    assert fitted(data, epsilon=gap - 0.01, fairness=notion).rules_ != rug.rules_


@pytest.mark.parametrize("guarantee", ["realised", "proxy"])
@pytest.mark.parametrize("epsilon", [0.05, 0.4, np.inf])
def test_the_weights_in_the_pool_are_proved_optimal(data: People, guarantee: str, epsilon: float) -> None:
    model = fitted(data, guarantee=guarantee, epsilon=epsilon)
    assert model.pool_.certificate().holds()
    if guarantee == "realised":
        assert model.pool_.row_duals(np.ones(len(data.y))).sum() == pytest.approx(model.objective_)


# --- The paper's constraint -----------------------------------------------------------------------------------------


def paper_optimum(model: FairRUGClassifier, data: People) -> float:
    """scipy on the rows as they are, over the rules of the pool as their text reads."""
    rules = model.pool_.rules()
    covered = np.column_stack([holds(str(rule), data.X) for rule in rules])
    is_right = np.array([rule.label for rule in rules])[None, :] == data.y[:, None]
    wrong_vote = 1.0 / (len(model.classes_) - 1) if model.loss == "paper" else 1.0
    votes = covered * np.where(is_right, 1.0, -wrong_vote)
    costs = model.penalty * np.array([rule.length / model.max_depth for rule in rules])
    (n_rows, n_rules), lines = votes.shape, []
    for label in model.classes_:
        for one, two in combinations(np.unique(data.groups), 2):
            first, second = ((data.y == label) & (data.groups == group) for group in (one, two))
            lines.append(first / first.sum() - 1.0 * second / second.sum())
    gaps = np.hstack([np.zeros((len(lines), n_rules)), np.array(lines)])
    peer = linprog(
        np.concatenate([costs, np.ones(n_rows)]),
        A_ub=np.vstack([-np.hstack([votes, np.eye(n_rows)]), gaps, -gaps]),
        b_ub=np.concatenate([-np.ones(n_rows), np.full(2 * len(lines), model.epsilon)]),
    )
    assert peer.status == 0
    return float(peer.fun)


@pytest.mark.parametrize(("n_classes", "n_groups"), [(2, 2), (3, 3)])
@pytest.mark.parametrize("epsilon", [0.0, 0.02, 0.2])
@pytest.mark.parametrize("loss", ["margin", "paper"])
def test_the_program_is_solved_to_the_optimum_of_the_paper(
    n_classes: int, n_groups: int, epsilon: float, loss: str
) -> None:
    data = people(360, 3, n_classes, n_groups)
    model = fitted(data, guarantee="proxy", epsilon=epsilon, min_cell_size=5, weight_threshold=0, loss=loss)
    assert model.objective_ == pytest.approx(paper_optimum(model, data), rel=1e-6)
    assert model.fairness_.lp_gap <= epsilon + 1e-6
    assert model.fairness_.met_in_lp
    assert model.pool_.certificate().holds()
    costs = sum(rule.weight * rule.length / model.max_depth for rule in model.rules_)
    assert costs + model.fairness_.loss + model.fairness_.padding == pytest.approx(model.objective_)


def test_padding_is_shown_where_the_program_pads(data: People) -> None:
    fit = fitted(data, guarantee="proxy", epsilon=0.0, weight_threshold=0).fairness_
    assert fit.padding > 1
    assert sum(cell.padding for cell in fit.cells) == pytest.approx(fit.padding)
    assert fit.realised_gap > fit.lp_gap + 0.05  # met on paper only
    loose = fitted(data, guarantee="proxy", epsilon=50.0).fairness_
    assert loose.padding == pytest.approx(0, abs=1e-6)


def test_prices_are_shown_for_the_proxy_and_cell_weights_for_the_realised(
    proxy: FairRUGClassifier, realised: FairRUGClassifier
) -> None:
    prices = [gap.price for gap in proxy.fairness_.contrasts]
    assert all(price is not None for price in prices)
    assert max(abs(price) for price in prices if price is not None) > 0
    assert all(gap.price is None for gap in realised.fairness_.contrasts)
    assert realised.fairness_.padding == 0
    assert all(cell.importance > 0 for cell in realised.fairness_.cells)


def test_the_objective_of_the_proxy_never_rises(data: People) -> None:
    model = fitted(data, guarantee="proxy", max_iter=12, epsilon=0.02)
    objectives = [round_.objective for round_ in model.history_]
    assert all(later <= earlier + 1e-6 for earlier, later in pairwise(objectives))
    assert model.objective_ <= objectives[-1] + 1e-6
    assert objectives[-1] < objectives[0]


@pytest.mark.parametrize("guarantee", ["realised", "proxy"])
def test_a_lower_bound_is_one(guarantee: str) -> None:
    """With exact pricing; steering towards fairness weighs the rows differently and must not touch the bound."""
    data = people(200, 4)
    settings: dict[str, Any] = {"pricing": "exact", "max_depth": 1, "max_iter": 25, "min_cell_size": 10}
    model = fitted(data, guarantee=guarantee, **settings)
    assert model.lower_bound_ is not None
    assert 0 < model.lower_bound_ <= model.objective_ + 1e-6
    if guarantee == "realised":
        plain = RUGClassifier(pricing="exact", max_depth=1, max_iter=25).fit(data.X, data.y)
        assert model.n_iter_ > plain.n_iter_
        assert model.lower_bound_ == plain.lower_bound_


@pytest.mark.parametrize("seed", range(3))
def test_converged_with_exact_pricing_means_that_no_rule_is_left_to_find(seed: int) -> None:
    """Prices on the way are not exact, so the last word is spoken at exact ones: bound and objective meet."""
    data = people(200, seed)
    model = fitted(data, guarantee="proxy", pricing="exact", max_depth=1, max_iter=60, min_cell_size=10)
    assert model.stop_reason_ == "converged"
    assert model.lower_bound_ == pytest.approx(model.objective_, rel=1e-6)


# --- Groups ---------------------------------------------------------------------------------------------------------


def test_without_sensitive_features_it_refuses(data: People) -> None:
    with pytest.raises(InputError, match="Expected sensitive_features, one value per row"):
        fair().fit(data.X, data.y)


def test_sensitive_features_go_by_name_only(data: People) -> None:
    with pytest.raises(TypeError):
        fair().fit(data.X, data.y, None, data.groups)  # type: ignore[misc]


def test_a_group_for_every_row_is_needed(data: People) -> None:
    with pytest.raises(InputError, match="500 rows came with 499 entries"):
        fair().fit(data.X, data.y, sensitive_features=data.groups[1:])


def test_one_group_cannot_be_compared(data: People) -> None:
    with pytest.raises(InputError, match="at least two groups to compare, but every row belongs to 'everybody'"):
        fair().fit(data.X, data.y, sensitive_features=["everybody"] * 500)


def test_groups_that_are_all_too_small_are_refused(data: People) -> None:
    with pytest.raises(InputError, match="with at least 400 rows of the same class .* lower min_cell_size"):
        fair(min_cell_size=400).fit(data.X, data.y, sensitive_features=data.groups)


@pytest.mark.parametrize("guarantee", ["realised", "proxy"])
def test_a_small_group_is_left_out_and_listed(data: People, guarantee: str) -> None:
    groups = data.groups.copy()
    groups[:20] = "z"
    model = fitted(replace(data, groups=groups), guarantee=guarantee)
    listed = {(rate.label, rate.group): rate.n_rows for rate in model.fairness_.not_estimable}
    assert listed == {(0, "z"): int((data.y[:20] == 0).sum()), (1, "z"): int((data.y[:20] == 1).sum())}
    assert {gap.first for gap in model.fairness_.contrasts} | {gap.second for gap in model.fairness_.contrasts} == {
        "f",
        "m",
    }
    assert "z" in str(model.fairness_)
    compared = data.take(np.arange(20, 500))
    assert model.fairness_.realised_gap == pytest.approx(gap_by_hand(compared, model.predict(compared.X), "dmc"))


def test_the_smallest_cell_that_counts_is_the_user_s_to_say(data: People) -> None:
    groups = data.groups.copy()
    groups[:40] = "z"
    assert fitted(replace(data, groups=groups), min_cell_size=5).fairness_.not_estimable == ()
    assert len(fitted(replace(data, groups=groups), min_cell_size=30).fairness_.not_estimable) == 2


@pytest.mark.parametrize(
    ("groups", "names"),
    [
        (lambda g: g == "m", ("False", "True")),
        (lambda g: pd.Categorical(g, categories=["m", "f", "unused"]), ("m", "f")),
        (lambda g: np.where(g == "f", 1.0, np.nan), ("1", "missing")),
        (lambda g: pd.Series(np.where(g == "f", "f", None), index=np.arange(500) * 3), ("f", "missing")),
        (lambda g: (g == "m").astype(int).tolist(), ("0", "1")),
        (lambda g: pd.DataFrame({"sex": g, "all": 1}), ("sex f, all 1", "sex m, all 1")),
    ],
)
def test_groups_of_any_kind_are_the_same_groups(data: People, groups: Any, names: tuple[str, ...]) -> None:
    model = fair(epsilon=np.inf).fit(data.X, data.y, sensitive_features=groups(data.groups))
    assert model.groups_ == names
    assert model.fairness_.realised_gap == pytest.approx(gap_by_hand(data, model.predict(data.X), "dmc"))


def test_two_columns_make_groups_of_every_combination() -> None:
    data = people(800)
    table = pd.DataFrame({"sex": data.groups, "old": np.arange(800) % 3 == 0})
    model = fair(epsilon=0.1).fit(data.X, data.y, sensitive_features=table)
    assert model.groups_ == ("sex f, old False", "sex f, old True", "sex m, old False", "sex m, old True")
    combined = replace(data, groups=np.array([f"{sex}{old}" for sex, old in table.itertuples(index=False)]))
    assert model.fairness_.realised_gap == pytest.approx(gap_by_hand(combined, model.predict(data.X), "dmc"))


@pytest.mark.parametrize("guarantee", ["realised", "proxy"])
def test_no_rule_speaks_of_the_groups_and_no_prediction_needs_them(data: People, guarantee: str) -> None:
    model = fitted(data, guarantee=guarantee)
    assert set(model.rules_.features()) <= set(data.X.columns)
    assert {rule.label for rule in model.rules_} <= {0, 1}
    assert len(model.rules_) > 0
    one_row = model.predict(data.X.iloc[[0]])
    assert one_row[0] == model.predict(data.X)[0]
    assert str(model.explain(data.X.iloc[0]))


@pytest.mark.parametrize("guarantee", ["realised", "proxy"])
def test_names_of_groups_do_not_matter(data: People, guarantee: str) -> None:
    renamed = replace(data, groups=np.where(data.groups == "f", "A long name", "Ωmega"))
    one, other = fitted(data, guarantee=guarantee), fitted(renamed, guarantee=guarantee)
    assert one.rules_ == other.rules_
    assert one.fairness_.realised_gap == other.fairness_.realised_gap
    assert other.groups_ == ("A long name", "Ωmega")


@pytest.mark.parametrize("notion", NOTIONS)
def test_groups_in_the_other_order_flip_the_signs(data: People, notion: str) -> None:
    turned = replace(data, groups=np.where(data.groups == "f", "z", "a"))
    one, other = (fitted(rows, fairness=notion, epsilon=np.inf) for rows in (data, turned))
    assert one.rules_ == other.rules_
    for mine, theirs in zip(one.fairness_.contrasts, other.fairness_.contrasts, strict=True):
        assert mine.realised_gap == pytest.approx(-theirs.realised_gap)
        assert mine.lp_gap == pytest.approx(-theirs.lp_gap)
    # From the first pool only: later rules hang on which of several optimal vertices the solver came to.
    settings: dict[str, Any] = {"fairness": notion, "guarantee": "proxy", "epsilon": 0.02, "max_iter": 0}
    one, other = (fitted(rows, **settings) for rows in (data, turned))
    assert one.objective_ == pytest.approx(other.objective_)
    for mine, theirs in zip(one.fairness_.contrasts, other.fairness_.contrasts, strict=True):
        assert mine.lp_gap == pytest.approx(-theirs.lp_gap, abs=1e-6)
        assert mine.price is not None
        assert theirs.price is not None
        assert mine.price == pytest.approx(-theirs.price, rel=1e-5, abs=1e-5)
        assert np.sign(round(mine.price, 5)) in (0.0, np.sign(mine.lp_gap))


# --- Parameters -----------------------------------------------------------------------------------------------------


def test_eod_is_another_name_of_dmc(data: People) -> None:
    model = fitted(data, fairness="eod")
    assert model.fairness_.notion == "dmc"
    assert model.fairness == "eod"  # as the user gave it
    assert model.rules_ == fitted(data, fairness="dmc").rules_


def test_eop_needs_to_know_the_positive_class(data: People) -> None:
    words = np.where(data.y == 1, "granted", "refused")
    with pytest.raises(InputError, match="Expected positive_class, because fairness='eop'"):
        fair(fairness="eop").fit(data.X, words, sensitive_features=data.groups)
    model = fair(fairness="eop", positive_class="granted", epsilon=0.1)
    model.fit(data.X, words, sensitive_features=data.groups)
    assert [gap.label for gap in model.fairness_.contrasts] == ["granted"]
    in_numbers = (model.predict(data.X) == "granted").astype(int)
    assert model.fairness_.realised_gap == pytest.approx(fairlearn_gap(data, in_numbers, "eop"))


def test_the_positive_class_may_be_the_first(data: People) -> None:
    model = fitted(data, fairness="eop", positive_class=0, epsilon=np.inf)
    decided = model.predict(data.X)
    flipped = People(data.X, 1 - data.y, data.groups)
    assert model.fairness_.realised_gap == pytest.approx(fairlearn_gap(flipped, 1 - decided, "eop"))


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"fairness": "equal"}, "one of dmc, odm, eop, demographic_parity, predictive_parity, eod, but got 'equal'"),
        ({"fairness": None}, "but got None"),
        ({"epsilon": -0.1}, "Expected epsilon to be a number, 0 or more, but got -0.1"),
        ({"epsilon": "0.1"}, "Expected epsilon to be a number"),
        ({"epsilon": float("nan")}, "Expected epsilon to be a number"),
        ({"epsilon": -np.inf}, "Expected epsilon to be a number"),
        ({"epsilon": None}, "Expected epsilon to be a number"),
        ({"epsilon": True}, "Expected epsilon to be a number"),
        ({"guarantee": "both"}, "Expected guarantee to be one of realised, proxy, confident, but got 'both'"),
        ({"confidence": 1.0}, "Expected confidence to be at least 0.5 and below 1, such as 0.95, but got 1.0"),
        ({"confidence": "high"}, "Expected confidence to be a number"),
        ({"guarantee": "confident", "epsilon": np.inf}, "Expected a finite epsilon"),
        ({"min_cell_size": 0}, "Expected min_cell_size to be a whole number, 1 or more, but got 0"),
        ({"min_cell_size": 2.5}, "Expected min_cell_size to be a whole number"),
        ({"positive_class": "yes"}, "Expected positive_class to be one of the classes 0, 1, but got 'yes'"),
        ({"max_depth": 0}, "Expected max_depth to be a whole number"),
    ],
)
def test_wrong_parameters_are_named(data: People, settings: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InputError) as refused:
        fair(**settings).fit(data.X, data.y, sensitive_features=data.groups)
    assert sentence in str(refused.value)


def test_a_clone_has_the_settings_and_nothing_learned(realised: FairRUGClassifier) -> None:
    model = clone(realised)
    assert model.get_params() == realised.get_params()
    assert {"fairness", "epsilon", "guarantee", "positive_class", "min_cell_size", "penalty"} <= set(model.get_params())
    assert not hasattr(model, "fairness_")
    with pytest.raises(NotFittedError):
        model.predict([[1.0]])
    assert model.set_params(epsilon=0.3, fairness="odm").epsilon == 0.3
    with pytest.raises(NotFittedError):
        model.refit(epsilon=0.1)


@pytest.mark.parametrize("guarantee", ["realised", "proxy"])
def test_a_pickled_model_is_the_same_model(data: People, guarantee: str) -> None:
    model = fitted(data, guarantee=guarantee)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.decision_function(data.X), model.decision_function(data.X))
    assert repr(again.fairness_) == repr(model.fairness_)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FairnessWarning)
        assert again.refit(epsilon=0.2).rules_ == model.refit(epsilon=0.2).rules_


# --- The same again -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("guarantee", ["realised", "proxy"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_order_of_rows_does_not_matter(guarantee: str, n_classes: int) -> None:
    data = people(400, 5, n_classes)
    shuffled = data.take(np.random.default_rng(0).permutation(400))
    one, other = fitted(data, guarantee=guarantee), fitted(shuffled, guarantee=guarantee)
    assert one.rules_.to_frame().round(9).equals(other.rules_.to_frame().round(9))
    assert one.fairness_.realised_gap == pytest.approx(other.fairness_.realised_gap)
    assert one.objective_ == pytest.approx(other.objective_)


@pytest.mark.parametrize("guarantee", ["realised", "proxy"])
def test_fitting_again_gives_the_same(data: People, guarantee: str) -> None:
    model = fitted(data, guarantee=guarantee)
    first, fit = model.rules_, model.fairness_
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FairnessWarning)
        model.fit(data.X, data.y, sensitive_features=data.groups)
    assert model.rules_ == first
    assert model.fairness_ == fit


def weighted(data: People, weight: np.ndarray, **settings: Any) -> FairRUGClassifier:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FairnessWarning)
        return fair(**settings).fit(data.X, data.y, weight, sensitive_features=data.groups)


@pytest.mark.parametrize("guarantee", ["realised", "proxy"])
@pytest.mark.parametrize("notion", ["dmc", "odm"])
def test_a_row_with_weight_two_is_a_row_twice(guarantee: str, notion: str) -> None:
    data = people(400, 6)
    count = 1 + (np.arange(400) % 3 == 0)
    one = weighted(data, count.astype(float), guarantee=guarantee, fairness=notion)
    two = fitted(data.take(np.repeat(np.arange(400), count)), guarantee=guarantee, fairness=notion)
    assert one.objective_ == pytest.approx(two.objective_)
    assert one.fairness_.realised_gap == pytest.approx(two.fairness_.realised_gap)
    assert one.fairness_.lp_gap == pytest.approx(two.fairness_.lp_gap)
    assert one.fairness_.accuracy == pytest.approx(two.fairness_.accuracy)
    assert [str(rule) for rule in one.rules_] == [str(rule) for rule in two.rules_]
    decided = one.predict(data.X)
    assert one.fairness_.realised_gap == pytest.approx(gap_by_hand(data, decided, notion, count.astype(float)))


@pytest.mark.parametrize("guarantee", ["realised", "proxy"])
def test_a_row_without_weight_is_as_good_as_absent(guarantee: str) -> None:
    data = people(500, 7)
    is_kept = np.arange(500) % 4 > 0
    one = weighted(data, is_kept.astype(float), guarantee=guarantee)
    two = fitted(data.take(np.flatnonzero(is_kept)), guarantee=guarantee)
    assert one.rules_ == two.rules_
    assert one.fairness_ == two.fairness_


# --- Refitting ------------------------------------------------------------------------------------------------------


def joins_two(rule: Rule, known: Sequence[Rule], X: pd.DataFrame) -> bool:
    """Whether a rule covers just those whom either of two known rules for its class covers."""
    parts = [holds(str(own), X) for own in known if own.label == rule.label and own.conditions]
    return any(np.array_equal(holds(str(rule), X), one | other) for one, other in combinations(parts, 2))


@pytest.mark.parametrize("guarantee", ["realised", "proxy"])
@pytest.mark.parametrize("before", [0.05, np.inf])
@pytest.mark.parametrize("after", [0.0, 0.05, 0.2, np.inf])
def test_another_epsilon_from_the_same_rules(data: People, guarantee: str, before: float, after: float) -> None:
    model = fitted(data, guarantee=guarantee, epsilon=before)
    rules, fit = model.rules_, model.fairness_
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FairnessWarning)
        other = model.refit(epsilon=after)
    assert (other.epsilon, other.fairness_.epsilon, other.guarantee) == (after, after, guarantee)
    assert (model.epsilon, model.rules_, model.fairness_) == (before, rules, fit)  # this one stays as it is
    assert other.n_iter_ == model.n_iter_
    known = model.pool_.rules()
    names = {(rule.conditions, rule.label) for rule in known}
    new = [rule for rule in other.rules_ if (rule.conditions, rule.label) not in names]
    assert all(joins_two(rule, known, data.X) for rule in new)
    gap = gap_by_hand(data, other.predict(data.X), "dmc")
    assert other.fairness_.realised_gap == pytest.approx(gap)
    assert other.fairness_.met == (gap <= after + 1e-9)
    if guarantee == "proxy":
        assert other.fairness_.met_in_lp
        assert other.pool_.certificate().holds()


@pytest.mark.parametrize("before", [0.05, np.inf])
def test_a_refitted_proxy_is_the_optimum_of_the_paper_over_the_same_rules(before: float) -> None:
    data = people(300, 8)
    model = fitted(data, guarantee="proxy", epsilon=before).refit(epsilon=0.02, penalty=2.0)
    assert (model.epsilon, model.penalty) == (0.02, 2.0)
    assert model.objective_ == pytest.approx(paper_optimum(model, data), rel=1e-6)


def test_a_refit_that_cannot_be_met_warns_too() -> None:
    data = impossible()
    model = fair(fairness="odm", epsilon=0.5).fit(data.X, data.y, sensitive_features=data.groups)
    with pytest.warns(FairnessWarning, match="at most 0.1 .* has 0.3000") as caught:
        other = model.refit(epsilon=0.1)
    assert caught[0].filename == __file__
    assert not other.fairness_.met


@pytest.mark.parametrize("guarantee", ["realised", "proxy"])
@pytest.mark.parametrize("epsilon", [0.05, np.inf])
def test_another_lambda_from_the_same_rules(data: People, guarantee: str, epsilon: float) -> None:
    model = fitted(data, guarantee=guarantee, epsilon=epsilon)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FairnessWarning)
        stricter = model.refit(penalty=8.0)
    assert stricter.penalty == 8.0
    assert model.penalty == 1.0
    assert stricter.objective_ > model.objective_
    assert stricter.pool_.certificate().holds()
    assert stricter.fairness_.realised_gap == pytest.approx(gap_by_hand(data, stricter.predict(data.X), "dmc"))
    assert stricter.fairness_.epsilon == epsilon


def test_without_a_bound_another_lambda_gives_the_objective_of_rug(data: People, rug: RUGClassifier) -> None:
    model = fitted(data, epsilon=np.inf)
    assert model.refit(penalty=5.0).objective_ == pytest.approx(rug.refit(penalty=5.0).objective_)


@pytest.mark.parametrize("guarantee", ["realised", "proxy"])
@pytest.mark.parametrize("epsilon", [0.05, 0.9, np.inf])
def test_a_rule_that_nobody_wants_is_left_out(data: People, guarantee: str, epsilon: float) -> None:
    model = fitted(data, guarantee=guarantee, epsilon=epsilon)
    vetoed = model.rules_[0]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FairnessWarning)
        other = model.refit(without=vetoed)
    assert (vetoed.conditions, vetoed.label) not in [(rule.conditions, rule.label) for rule in other.pool_.rules()]
    assert len(other.pool_.rules()) >= len(model.pool_.rules()) - 1  # two rules that are one may have been joined
    assert other.objective_ >= model.objective_ - 1e-6
    assert other.pool_.certificate().holds()
    assert other.fairness_.realised_gap == pytest.approx(gap_by_hand(data, other.predict(data.X), "dmc"))
    with pytest.raises(InputError, match="no rule"):
        other.refit(without=vetoed)


def test_refit_refuses_a_wrong_epsilon(realised: FairRUGClassifier) -> None:
    for wrong in (-1, "small", float("nan")):
        with pytest.raises(InputError, match="Expected epsilon to be a number, 0 or more"):
            realised.refit(epsilon=wrong)


# --- Stopping -------------------------------------------------------------------------------------------------------


def test_the_callback_sees_the_rounds_towards_fairness(data: People) -> None:
    seen: list[Round] = []
    model = fitted(data, callback=seen.append)
    assert seen == model.history_
    assert [round_.number for round_ in seen] == list(range(len(seen)))
    plain = [round_ for round_ in seen if round_.gap is None]
    towards = [round_ for round_ in seen if round_.gap is not None]
    assert seen == plain + towards
    assert len(plain) == 5
    assert towards
    assert all(round_.error is not None and 0 < round_.error < 1 for round_ in towards)
    assert all(0 <= round_.gap <= 1 for round_ in towards if round_.gap is not None)


def test_the_callback_can_stop_on_the_way_to_fairness(data: People) -> None:
    model = fitted(data, callback=lambda round_: round_.gap is None)
    assert model.stop_reason_ == "callback"
    assert [round_.gap is None for round_ in model.history_] == [True] * 5 + [False]
    assert model.fairness_.realised_gap == pytest.approx(gap_by_hand(data, model.predict(data.X), "dmc"))
    assert model.pool_.certificate().holds()


@pytest.mark.parametrize("guarantee", ["realised", "proxy"])
def test_the_callback_can_stop_before(data: People, guarantee: str) -> None:
    model = fitted(data, guarantee=guarantee, callback=lambda round_: round_.number < 1)
    assert model.stop_reason_ == "callback"
    assert model.n_iter_ == 2
    assert model.fairness_.realised_gap == pytest.approx(gap_by_hand(data, model.predict(data.X), "dmc"))
    assert model.pool_.certificate().holds()


@pytest.mark.parametrize("guarantee", ["realised", "proxy"])
def test_no_time_at_all_still_gives_a_model(data: People, guarantee: str) -> None:
    model = fitted(data, guarantee=guarantee, time_limit=0)
    assert model.stop_reason_ == "time_limit"
    assert model.n_iter_ == 1
    assert len(model.rules_) > 0
    assert model.fairness_.realised_gap == pytest.approx(gap_by_hand(data, model.predict(data.X), "dmc"))


@pytest.mark.parametrize("guarantee", ["realised", "proxy"])
@pytest.mark.parametrize("epsilon", [0.0, 0.05, np.inf])
def test_a_table_that_tells_nothing_gives_everybody_the_same(guarantee: str, epsilon: float) -> None:
    data = people(200)
    model = fair(guarantee=guarantee, epsilon=epsilon).fit(np.ones((200, 1)), data.y, sensitive_features=data.groups)
    assert len(model.rules_) == 0
    assert model.fairness_.realised_gap == 0.0
    assert len(set(model.predict(np.ones((5, 1))))) == 1


# --- New people -----------------------------------------------------------------------------------------------------


def test_holding_out_rows_by_hand_is_no_more(data: People) -> None:
    with pytest.warns(FutureWarning, match=r"fairness_\.expected_gap"):
        fair(validation_fraction=0.05).fit(data.X, data.y, sensitive_features=data.groups)


def test_what_is_expected_comes_from_rows_that_models_did_not_see(realised: FairRUGClassifier) -> None:
    expected = realised.fairness_.expected
    assert expected is not None
    assert expected.source == "folds"
    assert expected.gap == realised.fairness_.expected_gap
    assert expected.lower < expected.gap < expected.upper
    assert f"Expected on new people: {expected.gap:.3f} ('{expected.worse}' in class" in str(realised.fairness_)


def alike(n_rows: int, seed: int) -> People:
    """Groups that differ in nothing but their name: the true gap of every model is 0."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"a": rng.normal(size=n_rows), "b": rng.normal(size=n_rows)})
    y = (X["a"] + 0.3 * rng.normal(size=n_rows) > 0).to_numpy().astype(int)
    return People(X, y, rng.choice(["f", "m"], n_rows))


def test_a_model_is_assured_by_rows_that_it_was_not_trained_on() -> None:
    data = alike(6000, 1)
    model = fitted(data, guarantee="confident", epsilon=0.1)
    fit = model.fairness_
    assert fit.assured
    assert fit.met
    assert fit.assurance is not None
    assert sum(rate.n_rows for rate in fit.assured_rates) == fit.assurance.n_rows
    assert fit.assurance.n_rows + sum(cell.n_rows for cell in fit.cells) == 6000
    assert fit.assurance.n_rows == pytest.approx(0.4 * 6000, abs=4)
    assert fit.assurance.smallest_epsilon <= 0.1
    assert "Assured with 95 % confidence" in str(fit)
    assert fit.expected is not None
    assert fit.expected.source == "test"


def test_what_cannot_be_assured_is_not_passed_off() -> None:
    data = alike(900, 1)
    with pytest.warns(FairnessWarning, match="Cannot be assured with this table"):
        model = fair(guarantee="confident", epsilon=0.05).fit(data.X, data.y, sensitive_features=data.groups)
    fit = model.fairness_
    assert fit.met_on_training_rows
    assert not fit.met
    assert not fit.assured
    assert fit.assurance is not None
    assert fit.assurance.smallest_epsilon > 0.05
    assert "people of 'f' in class" in str(fit)


def test_a_refitted_model_was_not_tested() -> None:
    data = alike(6000, 1)
    again = fitted(data, guarantee="confident", epsilon=0.1).refit(epsilon=0.09)
    assert again.guarantee == again.fairness_.guarantee == "realised"
    assert again.fairness_.assurance is None
    assert not again.fairness_.assured


def test_bounds_on_people_know_no_weights(data: People) -> None:
    weight = np.arange(1.0, len(data.y) + 1)
    with pytest.raises(InputError, match="Expected rows of equal weight"):
        fair(guarantee="confident").fit(data.X, data.y, weight, sensitive_features=data.groups)


def test_many_models_are_not_tested_on_the_same_rows(data: People) -> None:
    with pytest.raises(InputError, match="assures none"):
        fairness_frontier(data.X, data.y, sensitive_features=data.groups, guarantee="confident")


def test_nobody_loses_their_reasons_to_fairness() -> None:
    # A rule for the most common outcome changes no decision, because that outcome is also the default; without it most
    # people would be decided by default, and get no reasons.
    demo = load_demo("hmda")
    X, who = demo.X.drop(columns=demo.sensitive), demo.X[demo.sensitive]
    plain = RUGClassifier(max_depth=2).fit(X, demo.y)
    fair = FairRUGClassifier(max_depth=2, epsilon=0.01).fit(X, demo.y, sensitive_features=who)
    assert plain.decisions(X).is_uncovered.mean() < 0.01
    assert fair.decisions(X).is_uncovered.mean() < 0.01


@pytest.mark.parametrize("guarantee", ["realised", "proxy"])
def test_a_pool_solved_again_keeps_parity(guarantee: str) -> None:
    """`pool_.resolved` is the pool's own way to another lambda: it must not drop what was asked for."""
    demo = load_demo("hmda")
    X, group = demo.X.drop(columns=list(demo.sensitive_options)), demo.X[demo.sensitive]
    model = FairRUGClassifier(max_depth=2, max_iter=3, epsilon=0.05, guarantee=guarantee)
    fair = model.fit(X, demo.y, sensitive_features=group)
    again = fair.pool_.resolved(2.0)
    assert again.fit is not None
    assert again.fit.epsilon == 0.05
    assert again.fit.met_in_lp if guarantee == "proxy" else again.fit.met
