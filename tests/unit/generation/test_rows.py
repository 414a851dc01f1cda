"""The compiled loops against plain numpy."""

import numpy as np
import pytest

from rugcore.generation.candidates import Candidate
from rugcore.generation.rows import RowBlock
from rugcore.tables.columns import N_CODES


def block(seed: int = 0, n_rows: int = 500, n_features: int = 4, n_classes: int = 3) -> RowBlock:
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 6, (n_features, n_rows)).astype(np.uint8)
    weight = rng.integers(1, 4, n_rows).astype(float)
    return RowBlock(codes, rng.integers(0, n_classes, n_rows), weight, n_classes)


def random_rules(seed: int, n_rules: int, n_features: int = 4) -> list[Candidate]:
    rng = np.random.default_rng(seed)
    rules = []
    for _ in range(n_rules):
        features = rng.choice(n_features, rng.integers(1, 4), replace=False).tolist()
        rules.append(Candidate({f: rng.random(N_CODES) < 0.6 for f in features}, int(rng.integers(0, 3))))
    return rules


def covers(rule: Candidate, codes: np.ndarray) -> np.ndarray:
    return np.all([allowed[codes[feature]] for feature, allowed in rule.allowed.items()], axis=0)


def test_class_histograms_equal_a_plain_count() -> None:
    rows = block()
    dual = np.array([0.5, 0.0, 2.0])
    sprout = rows.sprout(dual, dual)
    sprout.nodes[:] = np.arange(len(sprout.nodes)) % 2
    histograms = rows.class_histograms(sprout, n_nodes=2, n_codes=6)
    expected = np.zeros_like(histograms)
    for place, row in enumerate(sprout.rows):
        for feature in range(4):
            k = rows.classes[row]
            expected[feature, place % 2, rows.codes[feature, row], k] += dual[k] * rows.weight[row]
    assert histograms == pytest.approx(expected)


def test_rows_without_dual_are_not_visited() -> None:
    rows = block()
    sprout = rows.sprout(np.array([1.0, 0.0, 1.0]), np.array([1.0, 0.0, 1.0]))
    assert sorted(sprout.rows) == np.flatnonzero(rows.classes != 1).tolist()


@pytest.mark.parametrize("n_rules", [1, 7, 64, 65, 150])
def test_refining_merges_exactly_the_rows_with_the_same_class_and_rules(n_rules: int) -> None:
    rows = block(n_rules)
    rules = random_rules(n_rules, n_rules)
    refinement = rows.refine(rules, n_merged=3)
    expected = np.column_stack([covers(rule, rows.codes) for rule in rules])
    assert (refinement.new_rules[rows.signature] == expected).all()
    assert (refinement.parent[rows.signature] == rows.classes).all()
    assert np.bincount(rows.signature, rows.weight) == pytest.approx(refinement.weight)
    n_distinct = len({(k, *line) for k, line in zip(rows.classes, expected.tolist(), strict=True)})
    assert len(refinement.parent) == n_distinct


def test_many_merged_rows_take_the_sparse_path_to_the_same_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    dense, thin = block(3), block(3)
    rules = random_rules(3, 20)
    expected = dense.refine(rules, 3)
    monkeypatch.setattr("rugcore.generation.rows.DENSE_KEYS_PER_ROW", 0)
    found = thin.refine(rules, 3)
    assert (thin.signature == dense.signature).all()
    assert (found.parent == expected.parent).all()
    assert found.weight == pytest.approx(expected.weight)


def test_order_of_merged_rows_does_not_depend_on_the_order_of_rows() -> None:
    rows = block(4)
    order = np.random.default_rng(0).permutation(rows.n_rows)
    shuffled = RowBlock(
        np.ascontiguousarray(rows.codes[:, order]), rows.classes[order], rows.weight[order], rows.n_classes
    )
    rules = random_rules(5, 30)
    first, second = rows.refine(rules, 3), shuffled.refine(rules, 3)
    assert (first.parent == second.parent).all()
    assert (first.new_rules == second.new_rules).all()
    assert (rows.signature[order] == shuffled.signature).all()
