"""Rows told apart by group, and cells that weigh more than others, against plain counting and plain weights."""

import time
from itertools import product

import numpy as np
import pytest
from scipy import sparse

from rugcore.generation import rows as rows_module
from rugcore.generation.candidates import Candidate, PricedCandidate
from rugcore.generation.loop import ColumnGeneration
from rugcore.generation.pricing import Pricing
from rugcore.generation.rows import RowBlock
from rugcore.lp import MasterProblem
from rugcore.lp.merging import MergedRows
from rugcore.lp.solvers.highs import HighsSolver
from rugcore.tables.columns import N_CODES

N_CLASSES, N_GROUPS = 3, 4
PAPER = 1.0 / (N_CLASSES - 1)  # what a wrong vote counts


class Fixed:
    """A pricer that always knows the same rules, and claims to know a bound."""

    def __init__(self, n_rules: int, bound_factor: float | None = None) -> None:
        rng = np.random.default_rng(1)
        self._found = [
            PricedCandidate(Candidate({f: rng.random(N_CODES) < 0.5 for f in (0, n % 3)}, n % N_CLASSES), 0.5, -1.0)
            for n in range(n_rules)
        ]
        self._bound_factor = bound_factor

    def price(self, *_: object) -> Pricing:
        return Pricing(self._found, bound_factor=self._bound_factor)


def loop(seed: int = 0, n_rows: int = 300) -> tuple[ColumnGeneration, MasterProblem, RowBlock, np.ndarray]:
    """Column generation after its last round, and the group of every row."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 6, (3, n_rows)).astype(np.uint8)
    classes = rng.integers(0, N_CLASSES, n_rows)
    block = RowBlock(codes, classes, rng.integers(1, 4, n_rows).astype(float), N_CLASSES)
    merged = MergedRows.by_cell(np.arange(N_CLASSES), block.class_weight())
    master = MasterProblem(merged, PAPER, 1.0, HighsSolver())
    generation = ColumnGeneration(block, master, Fixed(6), Fixed(6), 0, time.perf_counter(), search=Fixed(9, 0.5))
    assert len(list(generation)) == 2
    return generation, master, block, rng.integers(0, N_GROUPS, n_rows)


@pytest.mark.parametrize("most_dense_keys", [20_000_000, 0])
def test_splitting_by_group_counts_the_weight_of_every_pair(
    most_dense_keys: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rows_module, "DENSE_KEYS_PER_ROW", most_dense_keys)
    _, master, block, groups = loop()
    before = block.signature.copy()
    split = block.split(groups, N_GROUPS, master.merged.n_rows)
    pairs = [(parent, group) for parent, group in product(range(master.merged.n_rows), range(N_GROUPS))]
    expected = [(*pair, block.weight[(before == pair[0]) & (groups == pair[1])].sum()) for pair in pairs]
    found = list(zip(split.parent.tolist(), split.number.tolist(), split.weight.tolist(), strict=True))
    assert found == [line for line in expected if line[2] > 0]
    # Every row knows where it went.
    np.testing.assert_array_equal(split.parent[block.signature], before)
    np.testing.assert_array_equal(split.number[block.signature], groups)


def test_telling_groups_apart_does_not_change_the_solution() -> None:
    generation, master, block, groups = loop()
    assert generation.solution is not None
    before, n_before = generation.solution, master.merged.n_rows
    generation.tell_apart(groups, N_GROUPS)
    assert master.merged.n_rows > n_before
    np.testing.assert_array_equal(master.merged.cell[block.signature], block.classes * N_GROUPS + groups)
    np.testing.assert_allclose(np.bincount(block.signature, block.weight), master.merged.weight)
    after = generation.resolve(np.ones(N_CLASSES * N_GROUPS))
    assert after.objective == pytest.approx(before.objective)
    assert len(after.merged_dual) == master.merged.n_rows


def test_importance_is_a_sample_weight_for_every_row_of_a_cell() -> None:
    generation, master, block, groups = loop(2)
    generation.tell_apart(groups, N_GROUPS)
    importance = np.random.default_rng(3).uniform(0.2, 3.0, N_CLASSES * N_GROUPS)
    found = generation.resolve(importance)
    weight = block.weight * importance[block.classes * N_GROUPS + groups]
    coverage = master.merged.coverage.toarray()[block.signature]
    every_row = np.arange(len(weight))
    rows = MergedRows(block.classes, block.classes, weight, sparse.csr_array(np.zeros((len(weight), 0), dtype=bool)))
    peer = MasterProblem(rows, PAPER, 1.0, HighsSolver())
    peer.add(
        rows.refined(every_row, weight, sparse.csr_array(coverage)), every_row, master.rule_class, master.rule_cost
    )
    assert found.objective == pytest.approx(peer.solve().objective)
    assert found.objective != pytest.approx(generation.resolve(np.ones(N_CLASSES * N_GROUPS)).objective)


def test_going_on_takes_rules_in_and_drops_none() -> None:
    generation, master, block, groups = loop()
    generation.tell_apart(groups, N_GROUPS)
    generation.resolve(np.ones(N_CLASSES * N_GROUPS))
    known = list(generation.rules)
    generation._pricer = Fixed(14)
    round_ = generation.extend(2, error=0.25, gap=0.5)
    assert (round_.number, round_.error, round_.gap) == (2, 0.25, 0.5)
    assert round_.n_rules == len(known)
    assert generation.rules[: len(known)] == known
    assert len(generation.rules) == len(known) + round_.n_added == master.n_rules
    assert round_.n_added > 0
    keys = [rule.key() for rule in generation.rules]
    assert len(set(keys)) == len(keys)
    np.testing.assert_array_equal(master.merged.cell[block.signature], block.classes * N_GROUPS + groups)


def test_other_importances_do_not_touch_the_bound() -> None:
    """Duals of rows that weigh a hundred times as much bound another objective."""
    generation, _, _, groups = loop()
    bound = generation.lower_bound
    assert bound is not None
    assert bound > 0
    generation.tell_apart(groups, N_GROUPS)
    generation.resolve(np.full(N_CLASSES * N_GROUPS, 100.0))
    generation.extend(2, 0.1, 0.1)
    assert generation.lower_bound == bound


def test_rules_can_be_dropped_right_after_groups_were_told_apart() -> None:
    generation, master, block, groups = loop()
    generation.tell_apart(groups, N_GROUPS)
    kept = np.arange(1, master.n_rules)
    other = master.copy(1.0)
    number = other.keep(kept)
    fresh = MasterProblem(other.merged, PAPER, 1.0, HighsSolver())
    fresh.rule_class, fresh.rule_cost = master.rule_class[kept], master.rule_cost[kept]
    fresh.importance = other.importance
    assert other.solve().objective == pytest.approx(fresh.solve().objective)
    np.testing.assert_array_equal(other.merged.cell[number[block.signature]], block.classes * N_GROUPS + groups)
