"""Rules that are one are found, and joining them changes no vote; of opposites, one is enough."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from rugcore import FairRUGClassifier, RUGClassifier, load_demo
from rugcore.fair_training.realised import RealisedPool
from rugcore.generation.candidates import Candidate
from rugcore.tables.columns import N_CODES, CategoryColumn, NumberColumn
from rugcore.tables.validation import table_to_predict
from rugcore.training.twins import Twins, cancelled, find_opposites, find_twins, find_unions, transferred

COLUMNS = (
    NumberColumn("income", np.array([10.0, 20.0, 30.0])),
    NumberColumn("debt", np.array([5.0])),
    CategoryColumn("purpose", ("car", "house", "shop")),
)
NO_BLANKS = np.zeros(3, dtype=bool)


def codes(*allowed: int, blank: bool = False) -> np.ndarray:
    found = np.zeros(N_CODES, dtype=bool)
    found[list(allowed)] = True
    found[0] = blank
    return found


def twins_of(*rules: Candidate, has_blanks: np.ndarray = NO_BLANKS) -> list[Twins]:
    return find_twins(rules, np.ones(len(rules), dtype=bool), COLUMNS, has_blanks)


def test_two_halves_are_the_rule_without_the_column() -> None:
    low = Candidate({0: codes(1, 2), 1: codes(1)}, 1)
    high = Candidate({0: codes(3, 4), 1: codes(1)}, 1)
    (pair,) = twins_of(low, high)
    assert (pair.first, pair.second, list(pair.joined.allowed)) == (0, 1, [1])
    (pair,) = twins_of(low, high, has_blanks=np.array([True, False, False]))
    assert [str(one) for one in pair.joined.conditions(COLUMNS)] == ["income is known", "debt <= 5"]


def test_neighbours_become_one_interval_and_values_one_list() -> None:
    (pair,) = twins_of(Candidate({0: codes(1), 1: codes(1)}, 0), Candidate({0: codes(2, 3), 1: codes(1)}, 0))
    assert str(pair.joined.conditions(COLUMNS)[0]) == "income <= 30"
    (pair,) = twins_of(Candidate({2: codes(1)}, 0), Candidate({2: codes(3)}, 0))
    assert str(pair.joined.conditions(COLUMNS)[0]) == "purpose is not house"  # the shorter way to say car or shop


def test_what_is_no_pair() -> None:
    low = Candidate({0: codes(1), 1: codes(1)}, 1)
    assert not twins_of(low, Candidate({0: codes(2), 1: codes(1)}, 0))  # another class
    assert not twins_of(low, Candidate({0: codes(3), 1: codes(1)}, 1))  # a gap between them
    assert not twins_of(low, Candidate({0: codes(1, 2), 1: codes(1)}, 1))  # one within the other
    assert not twins_of(low, Candidate({0: codes(2), 1: codes(2)}, 1))  # two columns differ
    assert not twins_of(Candidate({1: codes(1)}, 1), Candidate({1: codes(2)}, 1))  # together everybody: no rule
    high = Candidate({0: codes(2), 1: codes(1)}, 1)
    (pair,) = twins_of(low, high)
    assert not find_twins([low, high], np.array([True, False]), COLUMNS, NO_BLANKS)  # one has no weight
    assert not find_twins([low, high], np.ones(2, dtype=bool), COLUMNS, NO_BLANKS, {pair.joined.key()})


@pytest.mark.parametrize("weights", [(1.0, 1.0), (2.0, 0.5), (0.5, 2.0)])
def test_everybody_hears_the_same_votes(weights: tuple[float, float]) -> None:
    rules = [Candidate({0: codes(1, 2), 1: codes(1)}, 1), Candidate({0: codes(3), 1: codes(1)}, 1)]
    (pair,) = twins_of(*rules)
    moved = transferred(np.array([*weights, 0.0]), [pair], [*rules, pair.joined])
    people = np.array([(income, debt) for income in range(5) for debt in range(3)]).T
    votes = [
        sum(
            w * np.all([a[people[f]] for f, a in rule.allowed.items()], axis=0)
            for rule, w in zip(said, by, strict=True)
        )
        for said, by in ((rules, weights), ([*rules, pair.joined], moved))
    ]
    assert votes[1] == pytest.approx(votes[0])
    assert (moved > 0).sum() == (1 if weights[0] == weights[1] else 2)


def test_a_joined_rule_that_was_left_out_stays_out() -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.integers(0, 4, 400), "b": rng.integers(0, 4, 400)})
    y = ((X["a"] > 1) ^ (rng.random(400) < 0.1)).astype(int)
    model = RUGClassifier(max_depth=2).fit(X, y)
    unwanted = model.rules_[0]
    for again in (model.refit(without=unwanted), model.refit(without=unwanted).refit(penalty=0.1)):
        assert (unwanted.conditions, unwanted.label) not in [(rule.conditions, rule.label) for rule in again.rules_]


# -- what two rules say together --------------------------------------------------------------------------


def unions_of(*rules: Candidate) -> list[list[str]]:
    found = find_unions(rules, np.ones(len(rules), dtype=bool), COLUMNS, NO_BLANKS)
    return [[str(condition) for condition in rule.conditions(COLUMNS)] for rule in found]


def test_rules_that_overlap_say_one_thing_together() -> None:
    middle = Candidate({0: codes(2, 3), 1: codes(1)}, 1)
    assert unions_of(Candidate({0: codes(1, 2), 1: codes(1)}, 1), middle) == [["income <= 30", "debt <= 5"]]
    assert unions_of(Candidate({0: codes(1, 2, 3), 1: codes(1)}, 1), Candidate({0: codes(3, 4), 1: codes(1)}, 1)) == [
        ["debt <= 5"]
    ]
    assert not unions_of(middle, Candidate({0: codes(2), 1: codes(1)}, 1))  # that is the wider of the two
    assert not unions_of(middle, Candidate({0: codes(1, 2), 1: codes(1)}, 0))  # another class


def test_a_trained_model_had_what_its_rules_say_together_to_choose_from() -> None:
    """Here two rules on the ratio overlap; whatever they say as one rule was tried, or may not be a rule."""
    demo = load_demo("hmda")
    model = RUGClassifier(max_depth=3, penalty=1.0, random_state=0).fit(demo.X, demo.y)
    pool, table = model.pool_, table_to_predict(model, demo.X)
    for rule in find_unions(pool.candidates, pool.rule_weight > 0, pool.columns, pool.has_blanks):
        covers = [codes_[pool.columns[place].codes(table.column(place))] for place, codes_ in rule.allowed.items()]
        covered = np.all(covers, axis=0)
        is_own = np.asarray(demo.y) == model.classes_[rule.class_code]
        assert is_own[covered].mean() < is_own.mean() + 0.02, rule.conditions(pool.columns)


# -- opposites ---------------------------------------------------------------------------------------------


def test_opposites_ask_the_same_for_different_classes() -> None:
    rules = [Candidate({0: codes(1)}, 0), Candidate({0: codes(2)}, 1), Candidate({0: codes(1)}, 1)]
    assert find_opposites(rules, np.ones(3, dtype=bool)) == [(0, 2)]
    assert not find_opposites(rules, np.array([True, True, False]))  # one has no weight
    assert cancelled(np.array([1.9, 1.0, 1.75]), (0, 2)) == pytest.approx([0.15, 1.0, 0.0])
    assert cancelled(np.array([0.3, 1.0, 0.1 + 0.2]), (0, 2)).tolist() == [0.0, 1.0, 0.0]  # but for rounding


def test_a_fair_model_never_votes_for_and_against_the_same_people() -> None:
    """The search for fair decisions may leave weight on both; everybody is decided the same with the rest of it."""
    pool = _with_opposite(_fair_pool())
    (pair,) = find_opposites(pool.candidates, pool.rule_weight > 0)
    decided = pool.search(pool.rule_weight).decided(pool.rule_weight)
    joined = pool.joined()
    assert not find_opposites(joined.candidates, joined.rule_weight > 0)
    assert joined.rule_weight[pair[0]] == pytest.approx(pool.rule_weight[pair[0]] - pool.rule_weight[pair[1]])
    assert np.array_equal(joined.search(joined.rule_weight).decided(joined.rule_weight), decided)


def _fair_pool() -> RealisedPool:
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.integers(0, 4, 400), "b": rng.integers(0, 4, 400)})
    y = ((X["a"] > 1) ^ (rng.random(400) < 0.1)).astype(int)
    pool = FairRUGClassifier(max_depth=1, max_iter=2).fit(X, y, sensitive_features=X["b"] > 1).pool_
    assert isinstance(pool, RealisedPool)
    return pool


def _with_opposite(pool: RealisedPool) -> RealisedPool:
    """With a rule that votes against the heaviest one, a third as heavy."""
    heaviest = int(pool.rule_weight.argmax())
    opposite = Candidate(pool.candidates[heaviest].allowed, 1 - pool.candidates[heaviest].class_code)
    master = pool.master.copy(pool.master.penalty)
    rows, covered = np.arange(master.merged.n_rows), sparse.csr_array(master.merged.coverage.tocsc()[:, [heaviest]])
    refined = master.merged.refined(rows, master.merged.weight, covered)
    master.add(refined, rows, rule_classes=np.array([opposite.class_code]), costs=np.array([1.0]))
    weight = np.append(pool.rule_weight, pool.rule_weight[heaviest] / 3)
    return replace(pool, candidates=(*pool.candidates, opposite), master=master, rule_weight=weight)
