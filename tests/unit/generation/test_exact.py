"""Exact pricing against brute force, a general integer solver, and the optimum over all rules."""

import itertools
import time
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import linprog

from benchmarks.pricing import best_by_integer_program
from rugcore import RUGClassifier
from rugcore.generation import exact
from rugcore.generation.candidates import Candidate
from rugcore.generation.costs import CostModel
from rugcore.generation.directions import Directions
from rugcore.generation.exact import ExactPricer, Literal, find_literals
from rugcore.generation.pricing import Pricing
from rugcore.generation.rows import RowBlock
from rugcore.parallel import on_one_core
from rugcore.rules import SpecialCode
from rugcore.tables import encode, read_table

CODES = (SpecialCode(-9.0, "no such record"), SpecialCode(-8.0, "not usable"))


def small_table(seed: int, n_rows: int = 60) -> tuple[pd.DataFrame, np.ndarray]:
    """Numbers, blanks and text, few enough values to enumerate every rule."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "income": rng.integers(1, 6, n_rows).astype(float),
            "debt": np.where(rng.random(n_rows) < 0.2, np.nan, rng.integers(1, 4, n_rows)),
            "purpose": rng.choice(["car", "home", "travel"], n_rows),
        }
    )
    y = (X["income"] > 2) ^ (X["purpose"] == "car") ^ (rng.random(n_rows) < 0.2)
    return X, y.to_numpy().astype(int)


def prepared(seed: int):
    X, y = small_table(seed)
    encoded = encode(read_table(X), np.ones(len(y)), np.random.RandomState(0), max_bins=10)
    rows = RowBlock(encoded.codes, y, np.ones(len(y)), 2)
    rows.signature = np.arange(len(y), dtype=np.int32)
    dual = np.random.default_rng(seed).uniform(0, 1, len(y))
    return encoded, rows, dual


def every_rule(literals: list[Literal], max_literals: int):
    for count in range(1, max_literals + 1):
        yield from itertools.combinations(literals, count)


def covered_by(rule: tuple[Literal, ...], codes: np.ndarray) -> np.ndarray:
    return np.all([literal.allowed()[codes[literal.feature]] for literal in rule], axis=0)


def gain_by_class_and_length(pricing: Pricing) -> dict[tuple[int, int], float]:
    """The most that a rule found gains, by class and length."""
    best: dict[tuple[int, int], float] = {}
    for item in pricing.found:
        key = item.rule.class_code, item.rule.length
        best[key] = max(best.get(key, -np.inf), -item.reduced_cost)
    return best


def collected_by(rule: Candidate, rows: RowBlock, dual: np.ndarray) -> float:
    """From the codes alone: what the rule gets at these duals."""
    is_covered = np.all([allowed[rows.codes[feature]] for feature, allowed in rule.allowed.items()], axis=0)
    return float((dual * np.where(rows.classes == rule.class_code, 1.0, -1.0))[is_covered].sum())


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("max_depth", [1, 2, 3])
def test_best_rule_of_every_class_and_length_equals_brute_force(seed: int, max_depth: int) -> None:
    encoded, rows, dual = prepared(seed)
    pricing = ExactPricer(encoded.columns, CostModel(0.3, max_depth, True), max_depth).price(rows, dual, dual)
    found = gain_by_class_and_length(pricing)
    literals = find_literals(encoded.columns, rows.present_codes())
    best: dict[tuple[int, int], float] = {}
    for rule in every_rule(literals, max_depth):
        length = len({literal.feature for literal in rule})
        is_covered = covered_by(rule, rows.codes)
        for label in (0, 1):
            collected = (
                dual[is_covered & (rows.classes == label)].sum() - dual[is_covered & (rows.classes != label)].sum()
            )
            gain = collected - 0.3 * length / max_depth
            best[label, length] = max(best.get((label, length), -np.inf), gain)
    improving = {key: gain for key, gain in best.items() if gain > 1e-9}
    assert found == pytest.approx(improving)


def conditions_on_cells(cells: np.ndarray, codes: tuple[float, ...]) -> list[tuple[np.ndarray, str]]:
    """Which rows meet each condition, from the cells alone, and from which side it bounds the numbers."""
    kinds = [np.isnan(cells), *(cells == code for code in codes)]
    is_number = ~np.logical_or.reduce(kinds)
    seen = [kind for kind in kinds if kind.any()]
    subsets = [chosen for size in range(len(seen) + 1) for chosen in itertools.combinations(seen, size)]
    found = [(kind, "") for kind in seen] + [(~kind, "") for kind in seen]
    for cut in np.unique(cells[is_number])[:-1]:
        for chosen in subsets:
            others = np.logical_or.reduce([np.zeros(len(cells), dtype=bool), *chosen])
            found += [(is_number & (cells <= cut) | others, "above"), (is_number & (cells > cut) | others, "below")]
    return found


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("sign", [0, 1, -1])
def test_codes_and_directions_equal_brute_force_over_the_cells(seed: int, sign: int) -> None:
    """Two conditions at most, on one column or two; more months should help the class 1, if the sign says so."""
    rng = np.random.default_rng(seed)
    cells = {"months": rng.choice([-9.0, -8.0, np.nan, 1, 2, 3, 4], 70), "debt": rng.integers(1, 4, 70).astype(float)}
    y = (rng.random(70) < 0.3) ^ (np.nan_to_num(cells["months"], nan=2) > 2)
    table = replace(read_table(pd.DataFrame(cells)), specials={"months": CODES})
    encoded = encode(table, np.ones(70), np.random.RandomState(0), max_bins=10)
    rows = RowBlock(encoded.codes, y.astype(int), np.ones(70), 2)
    rows.signature = np.arange(70, dtype=np.int32)
    dual = rng.uniform(0, 1, 70)
    directions = Directions(np.array([sign, 0]), favourable=1)
    pricing = ExactPricer(encoded.columns, CostModel(0.3, 2, True), 2, directions=directions).price(rows, dual, dual)
    found = gain_by_class_and_length(pricing)
    every = [("months", *one) for one in conditions_on_cells(cells["months"], (-9.0, -8.0))]
    every += [("debt", *one) for one in conditions_on_cells(cells["debt"], ())]
    best: dict[tuple[int, int], float] = {}
    for label in (0, 1):
        forbidden = {0: "", 1: "above", -1: "below"}[sign if label else -sign]
        may_be_said = [one for one in every if one[0] != "months" or one[2] != forbidden or not forbidden]
        value = np.where(rows.classes == label, dual, -dual)
        for (name, one, _), (other_name, other, _) in itertools.combinations_with_replacement(may_be_said, 2):
            length = len({name, other_name})
            gain = value[one & other].sum() - 0.3 * length / 2
            best[label, length] = max(best.get((label, length), -np.inf), gain)
    assert found == pytest.approx({key: gain for key, gain in best.items() if gain > 1e-9})


@pytest.mark.parametrize("seed", range(3))
def test_agrees_with_the_integer_program_of_the_paper(seed: int) -> None:
    encoded, rows, dual = prepared(seed)
    patterns = rows.code_patterns(dual)
    literals = find_literals(encoded.columns, rows.present_codes())
    pricing = ExactPricer(encoded.columns, CostModel(0.0, 2, True), 2).price(rows, dual, dual)
    for label in (0, 1):
        found = max(-item.reduced_cost for item in pricing.found if item.rule.class_code == label)
        value = patterns.values(label, 1.0)
        peers = [best_by_integer_program(patterns, literals, value, length) for length in (1, 2)]
        assert found == pytest.approx(max(peers))


@pytest.mark.parametrize("seed", range(3))
def test_column_generation_reaches_the_optimum_over_all_rules(seed: int) -> None:
    X, y = small_table(seed, n_rows=40)
    model = RUGClassifier(pricing="exact", max_depth=2, max_iter=200, solver="highs").fit(X, y)
    encoded = encode(read_table(X), np.ones(len(y)), np.random.RandomState(0), max_bins=10)
    votes, costs = [], []
    present = RowBlock(encoded.codes, y, np.ones(len(y)), 2).present_codes()
    for rule in every_rule(find_literals(encoded.columns, present), 2):
        is_covered = covered_by(rule, encoded.codes)
        for label in (0, 1):
            votes.append(np.where(is_covered, np.where(y == label, 1.0, -1.0), 0.0))
            costs.append(len({literal.feature for literal in rule}) / 2)
    peer = linprog(
        np.concatenate([costs, np.ones(len(y))]),
        A_ub=-np.hstack([np.array(votes).T, np.eye(len(y))]),
        b_ub=-np.ones(len(y)),
    )
    assert model.stop_reason_ == "converged"
    assert model.objective_ == pytest.approx(peer.fun)
    assert model.lower_bound_ == pytest.approx(peer.fun)
    bounds = [round_.lower_bound for round_ in model.history_]
    assert all(bound is None or bound <= peer.fun + 1e-6 for bound in bounds)


@pytest.mark.parametrize("seed", range(4))
def test_many_different_rules_are_found_at_the_guide_and_priced_at_the_duals(seed: int) -> None:
    encoded, rows, dual = prepared(seed)
    guide = np.random.default_rng(seed + 10).uniform(0, 1, len(dual))
    costs = CostModel(0.3, 2, True)
    pricing = ExactPricer(encoded.columns, costs, 2).price(rows, dual, guide)
    keys = [item.rule.key() for item in pricing.found]
    assert len(set(keys)) == len(keys) > 10
    for item in pricing.found:
        expected = costs.reduced_cost(item.rule.length, collected_by(item.rule, rows, dual))
        assert item.reduced_cost == pytest.approx(expected)
    ratios = []
    for rule in every_rule(find_literals(encoded.columns, rows.present_codes()), 2):
        length, is_covered = len({literal.feature for literal in rule}), covered_by(rule, rows.codes)
        for label in (0, 1):
            collected = (guide * np.where(rows.classes == label, 1.0, -1.0))[is_covered].sum()
            ratios.append(collected / (0.3 * costs.cost(length)))
    assert pricing.bound_factor == pytest.approx(1 / max(1.0, *ratios))


def test_what_is_found_does_not_depend_on_the_number_of_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exact, "FIRST_LITERALS_AT_ONCE", 4)
    X, y = small_table(2)

    def objectives_and_rules() -> tuple[list[float], list[str]]:
        model = RUGClassifier(pricing="exact", max_depth=3, max_iter=2).fit(X, y)
        return [round_.objective for round_ in model.history_], [str(rule) for rule in model.rules_]

    assert on_one_core(objectives_and_rules)() == objectives_and_rules()


def test_trees_come_first_and_the_search_goes_on_to_the_proof() -> None:
    X, y = small_table(1)
    model = RUGClassifier(pricing="exact", max_depth=3, max_iter=3).fit(X, y)
    gaps = [round_.optimality_gap for round_ in model.history_]
    n_by_trees = next(number for number, gap in enumerate(gaps) if gap is not None)
    assert 0 < n_by_trees <= 3
    assert gaps[:n_by_trees] == [None] * n_by_trees
    assert all(later <= earlier + 1e-9 for earlier, later in itertools.pairwise(gaps[n_by_trees:]))
    assert model.stop_reason_ == "converged"
    assert gaps[-1] == pytest.approx(0.0, abs=1e-6)
    by_search_alone = RUGClassifier(pricing="exact", max_depth=3, max_iter=0).fit(X, y)
    assert by_search_alone.objective_ == pytest.approx(model.objective_)


def test_out_of_time_the_bound_is_weaker_but_still_a_bound() -> None:
    X, y = small_table(0, n_rows=40)
    best = RUGClassifier(pricing="exact", max_depth=2, max_iter=200).fit(X, y).objective_
    model = RUGClassifier(pricing="exact", max_depth=2, max_iter=0, time_limit=0).fit(X, y)
    assert model.stop_reason_ == "time_limit"
    assert 0 <= model.lower_bound_ <= best + 1e-6


def test_unit_cost_bound_is_reached_too() -> None:
    X, y = small_table(1, n_rows=40)
    model = RUGClassifier(pricing="exact", max_depth=2, max_iter=200, rule_cost="unit").fit(X, y)
    assert model.lower_bound_ == pytest.approx(model.objective_)


def test_more_classes_than_a_byte_can_number() -> None:
    X = pd.DataFrame({"income": np.repeat(np.arange(300.0), 2)})
    model = RUGClassifier(pricing="exact", max_depth=1, max_iter=30, penalty=0.5).fit(X, np.repeat(np.arange(300), 2))
    assert all((round_.lower_bound or 0.0) <= model.objective_ + 1e-6 for round_ in model.history_)
    assert model.history_[-1].optimality_gap == pytest.approx(0.0, abs=1e-6)
    rows = RowBlock(np.ones((1, 300), dtype=np.uint8), np.arange(300), np.ones(300), 300)
    rows.signature = np.arange(300, dtype=np.int32)
    assert sorted(rows.code_patterns(np.ones(300)).class_code) == list(range(300))


def test_a_search_that_would_take_days_ends_in_time() -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.integers(0, 10, (300, 12)).astype(float))
    started = time.perf_counter()
    RUGClassifier(pricing="exact", max_depth=9, max_iter=1, time_limit=2.0).fit(X, rng.integers(0, 2, 300))
    assert time.perf_counter() - started < 30
