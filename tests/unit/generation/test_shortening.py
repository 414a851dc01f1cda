"""Rules made shorter, against objectives, decisions and coverages worked out row by row."""

from itertools import combinations

import numpy as np
import pytest

from rugcore.generation.candidates import Candidate
from rugcore.generation.costs import CostModel
from rugcore.generation.features import Features
from rugcore.generation.literals import joined, literals_of
from rugcore.generation.rows import RowBlock, RowVotes
from rugcore.generation.shortening import WORTH_READING, Changes, Shortener, WeighedRule
from rugcore.generation.soundness import Soundness
from rugcore.generation.widening import Widener
from rugcore.tables.columns import N_CODES

FEATURES = Features(np.array([6, 6, 5]), np.array([0, 0, 1]), np.array([0, 0, 0]))
COSTS = CostModel(penalty=2.0, max_depth=3, by_length=True)
ANYTHING = Soundness.of_anything(2)


def people(seed: int, n_rows: int = 300) -> RowBlock:
    """Two number columns of codes 1 to 5, one category of 1 to 3; the outcome hangs on the first."""
    rng = np.random.default_rng(seed)
    codes = np.vstack([rng.integers(1, 6, (2, n_rows)), rng.integers(1, 4, n_rows)]).astype(np.uint8)
    outcome = (codes[0] > 2) ^ (rng.random(n_rows) < 0.2)
    return RowBlock(codes, outcome.astype(np.int64), rng.integers(1, 4, n_rows).astype(float), 2)


def between(low: int, high: int) -> np.ndarray:
    codes = np.arange(N_CODES)
    return (codes >= low) & (codes <= (high if high < 5 else N_CODES))


def all_but(*values: int) -> np.ndarray:
    allowed = np.ones(N_CODES, dtype=bool)
    allowed[[0, *values]] = False
    return allowed


def random_rules(seed: int, n_rules: int = 6) -> list[WeighedRule]:
    rng = np.random.default_rng(seed)
    rules = []
    for number in range(n_rules):
        first = int(rng.integers(1, 5))
        allowed = {0: between(first, 5), 1: between(2, 4), 2: all_but(int(rng.integers(1, 4)))}
        rules.append(WeighedRule(number, Candidate(allowed, int(rng.integers(2))), float(rng.integers(1, 4)) / 2))
    return rules


def covers(rule: Candidate, rows: RowBlock) -> np.ndarray:
    return np.all([allowed[rows.codes[feature]] for feature, allowed in rule.allowed.items()], axis=0)


def lead(rules: list[tuple[Candidate, float]], rows: RowBlock) -> np.ndarray:
    return sum(
        (covers(rule, rows) * np.where(rows.classes == rule.class_code, w, -w) for rule, w in rules), np.zeros(1)
    )


def row_votes(rules: list[WeighedRule], rows: RowBlock, decided: np.ndarray | None = None) -> RowVotes:
    pairs = [(item.rule, item.weight) for item in rules]
    speakers = np.sum([covers(rule, rows) for rule, _ in pairs], axis=0)
    return RowVotes(lead(pairs, rows) + 0.0 * rows.weight, speakers, rows.classes if decided is None else decided)


def objective(rules: list[tuple[Candidate, float]], rows: RowBlock) -> float:
    loss = float((np.maximum(0.0, 1.0 - lead(rules, rows)) * rows.weight).sum())
    return loss + sum(COSTS.penalty * COSTS.cost(rule.length) * weight for rule, weight in rules)


def after(rules: list[WeighedRule], changes: Changes) -> list[tuple[Candidate, float]]:
    changed = [(changes.get(item.number, item.rule), item.weight) for item in rules]
    return [(rule, weight) for rule, weight in changed if rule is not None]


@pytest.mark.parametrize("seed", range(8))
def test_nothing_is_taken_out_that_was_worth_reading(seed: int) -> None:
    rows, rules = people(seed), random_rules(seed)
    changes = Shortener(rows, FEATURES, COSTS, ANYTHING).by_loss(rules, row_votes(rules, rows))
    assert changes
    n_before = sum(len(literals_of(item.rule, FEATURES)) for item in rules)
    n_after = sum(len(literals_of(rule, FEATURES)) for rule, _ in after(rules, changes))
    n_gone = sum(rule is None for rule in changes.values())
    # Every literal or rule that went was allowed to raise the objective by so much at most.
    allowed = WORTH_READING * COSTS.penalty * max(item.weight for item in rules) * (n_before - n_after + n_gone)
    before = objective([(item.rule, item.weight) for item in rules], rows)
    assert objective(after(rules, changes), rows) <= before + allowed + 1e-9
    covered_before = np.any([covers(item.rule, rows) for item in rules], axis=0)
    covered_after = np.any([covers(rule, rows) for rule, _ in after(rules, changes)], axis=0)
    assert (covered_after >= covered_before).all()  # nobody loses their only reason


def test_the_literal_that_says_nothing_goes_and_the_one_that_tells_stays() -> None:
    rows = people(0, n_rows=3_000)
    item = WeighedRule(0, Candidate({0: between(3, 5), 1: between(1, 4)}, 1), 1.0)
    changes = Shortener(rows, FEATURES, COSTS, ANYTHING).by_loss([item], row_votes([item], rows))
    rule = changes[0]
    assert rule is not None
    assert list(rule.allowed) == [0]
    assert np.array_equal(rule.allowed[0], between(3, 5))


@pytest.mark.parametrize("seed", range(8))
def test_by_decision_no_decision_changes(seed: int) -> None:
    rows, rules = people(seed), random_rules(seed)

    def decided(pairs: list[tuple[Candidate, float]]) -> np.ndarray:
        votes = np.zeros((rows.n_rows, 2))
        for rule, weight in pairs:
            votes[covers(rule, rows), rule.class_code] += weight
        return np.where(votes[:, 1] > votes[:, 0], 1, 0)  # ties and uncovered rows to the first class

    before = decided([(item.rule, item.weight) for item in rules])
    changes = Shortener(rows, FEATURES, COSTS, ANYTHING).by_decision(rules, row_votes(rules, rows, before))
    assert (decided(after(rules, changes)) == before).all()


@pytest.mark.parametrize("seed", range(5))
def test_by_coverage_nobody_is_covered_who_was_not(seed: int) -> None:
    rows, rules = people(seed, n_rows=12), {item.number: item.rule for item in random_rules(seed)}
    changes = Shortener(rows, FEATURES, COSTS, ANYTHING).by_coverage(rules)
    assert changes
    for number, rule in changes.items():
        assert rule is not None
        assert (covers(rule, rows) == covers(rules[number], rows)).all()
    for number, rule in (rules | changes).items():
        assert rule is not None
        literals = literals_of(rule, FEATURES)
        for left_out in range(len(literals) if len(literals) > 1 else 0):
            wider = Candidate(joined(literals[:left_out] + literals[left_out + 1 :]), rule.class_code)
            assert covers(wider, rows).sum() > covers(rule, rows).sum(), number


@pytest.mark.parametrize("seed", range(6))
def test_a_rule_is_widened_as_little_as_makes_it_sound(seed: int) -> None:
    rows = people(seed, n_rows=80)
    share = rows.class_weight() / rows.class_weight().sum()
    soundness = Soundness(share, min_support=30.0)
    rule = Candidate({0: between(4, 5), 1: between(2, 3), 2: all_but(1, 2)}, 1)
    dual = np.array([0.7, 0.4])
    found = Widener(FEATURES, COSTS, soundness).widened([rule], rows, dual)[0]

    def reduced_cost(wider: Candidate) -> float:
        value = dual[rows.classes] * rows.weight * np.where(rows.classes == 1, 1.0, -1.0)
        return COSTS.penalty * COSTS.cost(wider.length) - float(value[covers(wider, rows)].sum())

    literals = literals_of(rule, FEATURES)
    for n_kept in range(len(literals), 0, -1):  # by enumeration
        wider = [Candidate(joined(kept), 1) for kept in combinations(literals, n_kept)]
        weights = [np.bincount(rows.classes, rows.weight * covers(one, rows), 2) for one in wider]
        sound = [one for one, weight in zip(wider, weights, strict=True) if soundness.holds(weight, 1)]
        if sound:
            assert found is not None
            assert found.reduced_cost == pytest.approx(min(reduced_cost(one) for one in sound))
            assert found.reduced_cost == pytest.approx(reduced_cost(found.rule))
            return
    assert found is None


def test_a_rule_that_is_seldom_right_is_not_sound() -> None:
    soundness = Soundness(np.array([0.8, 0.2]), min_support=5)
    covered = np.array([[88.0, 12.0], [70.0, 30.0], [2.0, 2.0], [80.0, 20.0]])  # 12 %, 30 %, too few, as everywhere
    assert soundness.holds(covered, 1).tolist() == [False, True, False, False]
    assert soundness.without_lift().holds(covered, 1).tolist() == [True, True, False, True]


def test_a_rule_that_is_right_a_little_more_often_than_usual_is_sound_only_if_many_people_say_so() -> None:
    """Of the class 20 % have: 22 % of 100 are half a standard error above it, 22 % of 10,000 five."""
    soundness = Soundness(np.array([0.8, 0.2]), min_support=5)
    covered = np.array([[78.0, 22.0], [7_800.0, 2_200.0]])
    assert soundness.holds(covered, 1).tolist() == [False, True]
    next_to_nothing = np.array([79_200.0, 20_800.0])  # six standard errors, but odds of .263 where .25 are usual
    assert not soundness.holds(next_to_nothing, 1)
    tenth = Soundness(np.array([0.8, 0.2]), min_support=0.5, person=0.1)  # the same people, each of weight 0.1
    assert tenth.holds(covered / 10, 1).tolist() == [False, True]
