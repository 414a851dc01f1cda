"""A model with directions never rewards a worse value: score, decision and chance are monotone, row by row."""

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from rugcore import (
    FairnessWarning,
    FairRUGClassifier,
    InputError,
    ModelFileError,
    RUGClassifier,
    choose_settings,
    load_model,
    load_pool,
    rewarded_against_direction,
    rule_stability,
    save_pool,
)
from rugcore.lp.merging import MergedRows
from rugcore.rules import Interval
from rugcore.rules.decisions import decide
from rugcore.training.chances import Chances, Trust

FEW = settings(max_examples=12)
CODES = {"income": {-9.0: "not stated"}}
ROUNDING = 1e-9  # of sums of weights


@st.composite
def tables(draw: st.DrawFn) -> tuple[pd.DataFrame, np.ndarray, dict[str, Any]]:
    """An outcome that hangs on the columns in ways that the directions may or may not agree with."""
    n_rows = draw(st.integers(40, 150))
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    table = pd.DataFrame(
        {
            "income": rng.integers(0, 12, n_rows).astype(float),
            "arrears": rng.integers(0, 6, n_rows).astype(float),
            "age": rng.integers(18, 70, n_rows),
            "job": rng.choice(["yes", "no", "some"], n_rows),
        }
    )
    table.loc[rng.random(n_rows) < 0.15, "income"] = -9.0
    table.loc[rng.random(n_rows) < 0.15, "arrears"] = np.nan
    lead = (
        rng.normal() * table["income"]
        + rng.normal() * table["arrears"].fillna(3)
        + rng.normal() * np.sin(table["income"])
        + 4 * rng.normal() * (table["job"] == "yes")
        + rng.normal(0, 2, n_rows)
    )
    labels = np.where(lead > np.median(lead), "grant", "refuse")
    orders = [0, ("no", "some", "yes"), ("yes", "no"), ("yes", "some", "no", "never seen")]
    said = {"income": st.sampled_from([-1, 1]), "arrears": st.sampled_from([-1, 0, 1]), "job": st.sampled_from(orders)}
    return table, labels, draw(st.fixed_dictionaries(said))


def assert_monotone(model: Any, table: pd.DataFrame, directions: dict[str, Any]) -> None:
    """Every row with every value of a column in turn, from the worst to the best; no special code is among them."""
    classes = model.classes_.tolist()
    good = classes.index("grant")
    for column, sign in directions.items():
        if not sign:
            continue
        values = list(sign) if isinstance(sign, tuple) else np.arange(-1.5, 13.5, 0.5)[::sign]
        turned = [table.assign(**{column: value}) for value in values]
        for name, found in {
            "score": [model.decision_function(rows) * (1 if good else -1) for rows in turned],
            "decision": [(model.predict(rows) == "grant").astype(float) for rows in turned],
            "chance": [model.predict_proba(rows)[:, good] for rows in turned],
        }.items():
            falls = -np.diff(np.column_stack(found), axis=1)
            assert falls.max() <= ROUNDING, (name, column, [str(rule) for rule in model.rules_])


def assert_rules_keep_to(model: Any, directions: dict[str, Any]) -> None:
    for rule in model.rules_:
        for condition in rule.conditions:
            said, side = directions.get(condition.feature, 0), 1 if rule.label == "grant" else -1
            if isinstance(said, tuple):
                holds = [condition.holds(value) for value in said[::side]]
                assert holds == sorted(holds), str(rule)  # whoever is better off is covered too
            elif said and isinstance(condition, Interval):
                assert not np.isfinite(condition.upper if said * side > 0 else condition.lower), str(rule)
    assert rewarded_against_direction(model, directions, "grant").empty


@FEW
@given(tables(), st.sampled_from(["tree", "exact"]), st.integers(1, 3), st.sampled_from([0.02, 1.0]))
def test_no_model_rewards_a_worse_value(
    drawn: tuple[pd.DataFrame, np.ndarray, dict[str, Any]], pricing: str, depth: int, penalty: float
) -> None:
    table, labels, directions = drawn
    fields = {"max_depth": depth, "penalty": penalty, "pricing": pricing, "max_iter": 6, "special_values": CODES}
    model = RUGClassifier(**fields, monotonic_cst=directions, positive_class="grant").fit(table, labels)
    again = model.refit(penalty=3 * penalty, without=model.rules_[:1])
    for one in (model, again):
        assert_rules_keep_to(one, directions)
        assert_monotone(one, table, directions)


@settings(parent=FEW, max_examples=6)
@given(tables(), st.sampled_from(["realised", "proxy"]), st.sampled_from([0.0, 0.1]))
def test_no_fair_model_does_either(
    drawn: tuple[pd.DataFrame, np.ndarray, dict[str, Any]], guarantee: str, epsilon: float
) -> None:
    table, labels, directions = drawn
    fields = {"max_depth": 2, "max_iter": 4, "min_cell_size": 2, "epsilon": epsilon, "guarantee": guarantee}
    model = FairRUGClassifier(**fields, special_values=CODES, monotonic_cst=directions, positive_class="grant")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FairnessWarning)  # whether it is fair is not the question
        model.fit(table, labels, sensitive_features=(table["age"] > 40).map({True: "old", False: "young"}))
        again = model.refit(epsilon=0.3)
    for one in (model, again):
        assert_rules_keep_to(one, directions)
        assert_monotone(one, table, directions)


def loans(n_rows: int = 400, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(seed)
    table = pd.DataFrame({"income": rng.integers(0, 50, n_rows), "arrears": rng.integers(0, 6, n_rows)})
    table["job"] = rng.choice(["yes", "no"], n_rows)
    lead = 0.1 * table["income"] - table["arrears"] + rng.normal(0, 1.5, n_rows)
    return table, np.where(lead > np.median(lead), "grant", "refuse")


DIRECTIONS: dict[str, Any] = {"income": 1, "arrears": -1}


def test_files_keep_the_directions_and_refuse_rules_against_them(tmp_path: Path) -> None:
    table, labels = loans()
    model = RUGClassifier(monotonic_cst=[1, -1, 0], positive_class="grant").fit(table, labels)
    model.save(tmp_path / "model.json")
    save_pool(model, tmp_path / "pool.npz")
    same = load_model(tmp_path / "model.json")
    assert (same.monotonic_cst, same.positive_class) == (DIRECTIONS, "grant")
    np.testing.assert_allclose(same.predict_proba(table), model.predict_proba(table))
    load_pool(same, tmp_path / "pool.npz")
    assert_monotone(same.refit(penalty=0.1), table, DIRECTIONS)
    model.monotonic_cst = {"income": -1}
    model.save(tmp_path / "turned.json")
    with pytest.raises(ModelFileError, match="against the directions"):
        load_model(tmp_path / "turned.json")


@pytest.mark.parametrize(
    ("settings", "labels", "sentence"),
    [
        ({"monotonic_cst": {"wage": 1}}, None, "has no 'wage'"),
        ({"monotonic_cst": {"job": 1}}, None, "'job' holds other values"),
        ({"monotonic_cst": {"job": ("yes",)}}, None, "at least 2"),
        ({"monotonic_cst": {"job": ("yes", "no", "yes")}}, None, "each of them once"),
        ({"monotonic_cst": {"income": ("yes", "no")}}, None, "because it holds numbers"),
        ({"monotonic_cst": {"income": 2}}, None, "'income' to be 1, -1 or 0, but got 2"),
        ({"monotonic_cst": [1, -1]}, None, "each of the 3 columns"),
        ({"monotonic_cst": DIRECTIONS, "positive_class": None}, None, "positive_class"),
        ({"monotonic_cst": DIRECTIONS, "positive_class": "yes"}, None, "one of the classes 'grant', 'refuse'"),
        ({"monotonic_cst": DIRECTIONS}, ["grant", "refuse", "ask"] * 133 + ["ask"], "two classes only"),
        ({"special_values": {"wage": [-9]}}, None, "no column 'wage'"),
        ({"special_values": {"job": [-9]}}, None, "column of numbers"),
        ({"special_values": {"income": -9}}, None, "list of numbers"),
        ({"special_values": {"income": ["none"]}}, None, "to be numbers, but got 'none'"),
        ({"special_values": {"income": [-9, -9.0]}}, None, "twice"),
    ],
)
def test_what_makes_no_sense_is_refused(settings: dict[str, Any], labels: Any, sentence: str) -> None:
    table, own = loans()
    model = RUGClassifier(**({"positive_class": "grant"} | settings))
    with pytest.raises(InputError, match=sentence):
        model.fit(table, own if labels is None else labels)


def test_nothing_said_changes_nothing() -> None:
    table, labels = loans()
    free = RUGClassifier().fit(table, labels)
    zero = RUGClassifier(monotonic_cst={"income": 0}, positive_class="grant").fit(table, labels)
    assert free.rules_.to_json() == zero.rules_.to_json()


def test_directions_against_the_data_do_not_end_the_search_early() -> None:
    """Where a direction is wrong, the search must go on finding rules on the other columns."""
    rng = np.random.default_rng(3)
    table = pd.DataFrame(rng.normal(size=(1500, 5)), columns=["income", "arrears", "savings", "debt", "age"])
    lead = 2 * table["income"] + table["savings"] - table["debt"] + np.sin(2 * table["age"]) + rng.normal(size=1500)
    labels = np.where(lead > 0, "grant", "refuse")
    against = RUGClassifier(max_depth=2, monotonic_cst={"income": -1}, positive_class="grant").fit(table, labels)
    others = table.drop(columns="income")
    without = RUGClassifier(max_depth=2).fit(others, labels)
    # A tree that does not look at directions cuts income first, and leaves two rules that ask for next to nothing.
    assert len(against.rules_) > len(without.rules_) / 3
    assert against.objective_ < 1.05 * without.objective_


def test_files_keep_an_order_and_refuse_rules_against_it(tmp_path: Path) -> None:
    table, labels = loans()
    table["rating"] = pd.cut(table["income"], [-1, 15, 30, 50], labels=["poor", "fair", "good"]).astype("str")
    order = {"rating": ("poor", "fair", "good")}
    model = RUGClassifier(monotonic_cst=order, positive_class="grant", penalty=0.1).fit(
        table.drop(columns="income"), labels
    )
    model.save(tmp_path / "model.json")
    save_pool(model, tmp_path / "pool.npz")
    same = load_model(tmp_path / "model.json")
    load_pool(same, tmp_path / "pool.npz")
    assert_monotone(same.refit(penalty=0.02), table.drop(columns="income"), order)
    model.monotonic_cst = {"rating": ("good", "fair", "poor")}
    model.save(tmp_path / "turned.json")
    with pytest.raises(ModelFileError, match="against the directions"):
        load_model(tmp_path / "turned.json")


def test_other_tools_train_with_the_directions() -> None:
    table, labels = loans(200)
    fields = {"monotonic_cst": DIRECTIONS, "positive_class": "grant", "max_iter": 3}
    curve = choose_settings(table, labels, depths=(1, 2), penalties=(1,), cv=2, **fields)
    chosen = curve.estimator().fit(table, labels)
    assert chosen.monotonic_cst == DIRECTIONS
    assert_monotone(chosen, table, DIRECTIONS)
    assert (rule_stability(chosen, table, labels, n_samples=2)["recurs"] >= 0).all()


@settings(parent=FEW, max_examples=60)
@given(st.integers(0, 100_000), st.integers(1, 4))
def test_a_directed_rule_only_ever_adds_to_the_chance_of_its_class(seed: int, n_rules: int) -> None:
    """Whatever the rows teach: over all sets of covering rules, the empty one included."""
    rng = np.random.default_rng(seed)
    signs = np.append(1, rng.choice([-1, 0, 1], n_rules - 1))
    sets = (np.arange(2**n_rules)[:, None] >> np.arange(n_rules)) & 1 == 1
    coverage = sparse.csr_array(np.repeat(sets, 2, axis=0))
    class_code = np.tile([0, 1], len(sets))
    rows = MergedRows(class_code, class_code, rng.integers(1, 40, 2 * len(sets)).astype(float), coverage)
    share = np.bincount(class_code, rows.weight) / rows.weight.sum()
    trust = Trust(float(rng.uniform(0.1, 3)), rng.normal(0, 0.5, 2))
    votes = (sets * rng.integers(1, 4, n_rules)) @ np.column_stack([signs == -1, signs != -1]).astype(float)
    decided = decide(votes, share).class_code
    chance = Chances.of(rows, share, trust, signs).of_rows(sparse.csr_array(sets), decided)[:, 1]
    for rule, sign in enumerate(signs):
        without = np.flatnonzero(~sets[:, rule])
        gain = chance[without + (1 << rule)] - chance[without]
        assert (sign * gain >= -1e-12).all()
