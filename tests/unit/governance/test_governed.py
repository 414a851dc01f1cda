"""Rules that people veto, lock, edit and write: against scipy on all rows, and against rules evaluated by hand."""

import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import linprog

from rugcore import (
    FairnessWarning,
    FairRUGClassifier,
    InputError,
    ModelFileError,
    RUGClassifier,
    Rule,
    governance_of,
    load_model,
    load_pool,
    save_pool,
)
from rugcore.export import to_python
from rugcore.rules import Interval, IsMissing, IsSpecial, Membership, SpecialCode
from tests.tables import mixed_outcome, mixed_table

TABLE = mixed_table(260, seed=3)
OUTCOME = mixed_outcome(TABLE).replace("ask", "grant")
GROUPS = pd.Series(np.where(np.arange(len(TABLE)) % 3 == 0, "a", "b"))
POOR = Rule((Interval("income", upper=31_234.5), Membership("purpose", ("car", "missing"))), "refuse")


@pytest.fixture(scope="module")
def model() -> RUGClassifier:
    return RUGClassifier(max_depth=2, penalty=0.5, max_iter=6).fit(TABLE, OUTCOME)


@pytest.fixture(scope="module", params=["realised", "proxy"])
def fair(request: pytest.FixtureRequest) -> FairRUGClassifier:
    own = FairRUGClassifier(
        max_depth=2,
        penalty=0.5,
        max_iter=4,
        epsilon=0.1,
        guarantee=request.param,
        positive_class="grant",
        min_cell_size=10,
    )
    return quietly(own.fit, TABLE, OUTCOME, sensitive_features=GROUPS)


def quietly(call: Any, *args: Any, **kwargs: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FairnessWarning)
        return call(*args, **kwargs)


def saying(rules: Any, rule: Rule) -> list[Rule]:
    return [own for own in rules if (own.conditions, own.label) == (rule.conditions, rule.label)]


def by_scipy(model: RUGClassifier, rules: list[Rule], floor: np.ndarray) -> float:
    """The optimum of the program over the given rules, written out on all rows from what the rules say."""
    cells = [model.schema_.cells(TABLE.iloc[row]) for row in range(len(TABLE))]
    votes = np.array(
        [
            [(1.0 if rule.label == label else -1.0) if rule.holds(row) else 0.0 for rule in rules]
            for row, label in zip(cells, OUTCOME, strict=True)
        ]
    )
    cost = model.penalty * np.array([rule.length / model.max_depth for rule in rules])
    n_rows = len(cells)
    found = linprog(
        np.concatenate([cost, np.ones(n_rows)]),
        A_ub=-np.hstack([votes, np.eye(n_rows)]),
        b_ub=-np.ones(n_rows),
        bounds=[(least, None) for least in floor] + [(0, None)] * n_rows,
    )
    return float(found.fun)


# -- the linear program --------------------------------------------------------------------------------------------


def test_a_lock_is_the_optimum_with_a_bound(model: RUGClassifier) -> None:
    light = model.rules_[-1]
    other = model.governed(locked={light: 2.5})
    assert saying(other.rules_, light)[0].weight >= 2.5
    rules = other.pool_.rules()
    floor = np.array([2.5 if saying([rule], light) else 0.0 for rule in rules])
    assert other.objective_ == pytest.approx(by_scipy(model, rules, floor))
    assert other.objective_ > model.objective_
    assert other.pool_.certificate().holds()


def test_a_veto_is_the_optimum_without_the_rule(model: RUGClassifier) -> None:
    heavy = model.rules_[0]
    other = model.governed(vetoed=heavy)
    rules = other.pool_.rules()
    assert not saying(rules, heavy)
    assert other.objective_ == pytest.approx(by_scipy(model, rules, np.zeros(len(rules))))
    assert saying(model.rules_, heavy)  # the first model stays as it is


def test_a_written_rule_is_a_column_of_the_program(model: RUGClassifier) -> None:
    other = model.governed(added=[POOR], locked={POOR: 0.75}, X=TABLE, y=OUTCOME)
    rules = other.pool_.rules()
    floor = np.array([0.75 if saying([rule], POOR) else 0.0 for rule in rules])
    assert floor.sum() == 0.75
    assert other.objective_ == pytest.approx(by_scipy(model, rules, floor))
    assert other.pool_.certificate().holds()
    assert saying(other.rules_, POOR)[0].weight >= 0.75
    is_covered = TABLE["income"].le(31_234.5) & TABLE["purpose"].isin(["car", "missing"])
    assert saying(other.rules_, POOR)[0].coverage == pytest.approx(is_covered.mean())


def test_a_written_rule_that_is_not_worth_its_price_gets_no_weight(model: RUGClassifier) -> None:
    useless = Rule((Interval("children", lower=1.5),), "refuse")
    other = model.governed(added=useless, X=TABLE, y=OUTCOME)
    assert saying(governance_of(other).written, useless)[0].weight == 0.0
    assert other.rules_ == model.rules_
    assert other.objective_ == pytest.approx(model.objective_)


def test_decisions_are_those_of_the_rules_evaluated_by_hand(model: RUGClassifier) -> None:
    other = model.governed(added=POOR, locked={POOR: 1.5}, vetoed=model.rules_[1], X=TABLE, y=OUTCOME)
    for row in range(len(TABLE)):
        cells = other.schema_.cells(TABLE.iloc[row])
        votes = dict.fromkeys(other.classes_, 0.0)
        for rule in other.rules_:
            votes[rule.label] += rule.weight * rule.holds(cells)
        lead = votes["grant"] - votes["refuse"]
        expected = other.default_class_ if abs(lead) < 1e-9 else "grant" if lead > 0 else "refuse"
        assert other.predict(TABLE.iloc[[row]])[0] == expected
        told = other.explain(TABLE.iloc[row])
        assert not saying([own.rule for own in (*told.rules_for, *told.rules_against)], model.rules_[1])


# -- what the new model can do ---------------------------------------------------------------------------------------


def test_it_saves_loads_refits_exports_and_is_governed_further(model: RUGClassifier, tmp_path: Path) -> None:
    other = model.governed(added=POOR, locked={POOR: 1.5}, vetoed=model.rules_[0], X=TABLE, y=OUTCOME)
    other.save(tmp_path / "model.json")
    save_pool(other, tmp_path / "model.pool")
    again = load_model(tmp_path / "model.json")
    load_pool(again, tmp_path / "model.pool")
    assert again.rules_ == other.rules_
    assert governance_of(again) == governance_of(other)
    dearer = again.refit(penalty=5.0)
    assert saying(dearer.rules_, POOR)[0].weight >= 1.5
    assert not saying(dearer.pool_.rules(), model.rules_[0])
    with pytest.raises(InputError, match="locked"):
        again.refit(without=saying(again.rules_, POOR))
    free = again.governed(unlocked=POOR)
    assert not governance_of(free).locked
    assert len(governance_of(free).written) == 1
    assert free.objective_ <= other.objective_ + 1e-9
    space: dict[str, Any] = {}
    exec(to_python(again), space)
    assert other.reference_ is not None


def test_to_govern_twice_is_to_govern_at_once(model: RUGClassifier) -> None:
    first, second = model.rules_[0], model.rules_[-1]
    at_once = model.governed(vetoed=first, locked={second: 1.25}, added=POOR, X=TABLE, y=OUTCOME)
    in_turn = model.governed(added=POOR, X=TABLE, y=OUTCOME).governed(vetoed=first).governed(locked={second: 1.25})
    assert in_turn.objective_ == pytest.approx(at_once.objective_)


def test_an_edit_is_a_veto_and_a_new_rule(model: RUGClassifier) -> None:
    old = next(rule for rule in model.rules_ if any(isinstance(own, Interval) for own in rule.conditions))
    moved = tuple(
        replace(own, lower=own.lower + 0.001, upper=own.upper + 0.001) if isinstance(own, Interval) else own
        for own in old.conditions
    )
    other = model.governed(replaced={old: Rule(moved, old.label)}, X=TABLE, y=OUTCOME)
    assert not saying(other.pool_.rules(), old)
    assert saying(other.pool_.rules(), Rule(moved, old.label))


def test_a_written_rule_keeps_its_words(model: RUGClassifier) -> None:
    """Learned rules say "not" where that is shorter; what a person wrote stays as it was written."""
    mine = Rule((Membership("region", ("east", "north")),), "grant")
    other = model.governed(added=mine, locked={mine: 1.0}, X=TABLE, y=OUTCOME)
    assert saying(other.rules_, mine)


def test_three_outcomes_can_be_governed_too() -> None:
    outcome = mixed_outcome(TABLE)
    model = RUGClassifier(max_depth=2, max_iter=3).fit(TABLE, outcome)
    mine = Rule((Interval("income", lower=55_555.0),), "ask")
    other = model.governed(added=mine, locked={mine: 1.0}, vetoed=model.rules_[0], X=TABLE, y=outcome)
    assert saying(other.rules_, mine)
    assert other.pool_.certificate().holds()


def test_weights_of_rows_count(tmp_path: Path) -> None:
    weight = np.where(np.arange(len(TABLE)) % 5 == 0, 0.0, 2.0)
    model = RUGClassifier(max_depth=2, max_iter=3).fit(TABLE, OUTCOME, sample_weight=weight)
    other = model.governed(added=POOR, locked={POOR: 1.0}, X=TABLE, y=OUTCOME, sample_weight=weight)
    assert saying(other.rules_, POOR)
    with pytest.raises(InputError, match="rows that the model was trained with"):
        model.governed(added=POOR, X=TABLE, y=OUTCOME)


# -- fair models -----------------------------------------------------------------------------------------------------


def test_a_fair_model_keeps_locks_and_vetoes_and_says_whether_its_promise_holds(fair: FairRUGClassifier) -> None:
    other = quietly(fair.governed, added=POOR, locked={POOR: 3.0}, vetoed=fair.rules_[0], X=TABLE, y=OUTCOME)
    assert saying(other.rules_, POOR)[0].weight >= 3.0
    assert not saying(other.pool_.rules(), fair.rules_[0])
    assert other.pool_.certificate().holds(1e-5)
    decided = other.predict(TABLE)
    rates = [
        [np.mean(decided[(label == OUTCOME) & (group == GROUPS)] != label) for group in ("a", "b")]
        for label in ("grant", "refuse")
    ]
    gap = max(abs(one - two) for one, two in rates)
    assert other.fairness_.realised_gap == pytest.approx(gap)
    assert other.fairness_.met == (gap <= 0.1 + 1e-9)


def test_a_broken_promise_is_told() -> None:
    """A rule that refuses one group altogether, and no rule that would refuse the other."""
    table = pd.DataFrame({"district": np.where(GROUPS == "a", 1.0, 2.0)})
    fair = FairRUGClassifier(max_depth=2, max_iter=3, epsilon=0.05, positive_class="grant")
    quietly(fair.fit, table, OUTCOME, sensitive_features=GROUPS)
    mean = Rule((Interval("district", upper=1.5),), "refuse")
    with pytest.warns(FairnessWarning, match="at most 0.05"):
        other = fair.governed(added=mean, locked={mean: 1000.0}, X=table, y=OUTCOME)
    assert not other.fairness_.met


def test_a_lock_that_holds_already_changes_no_fair_model() -> None:
    fair = FairRUGClassifier(max_depth=2, max_iter=4, epsilon=0.05, positive_class="grant")
    quietly(fair.fit, TABLE, OUTCOME, sensitive_features=GROUPS)
    other = quietly(fair.governed, locked=list(fair.rules_))
    assert other.rules_ == fair.rules_
    assert len(governance_of(other).locked) == len(fair.rules_)


def test_a_model_that_was_tested_is_so_no_more() -> None:
    fair = FairRUGClassifier(max_depth=2, max_iter=2, epsilon=0.3, guarantee="confident", positive_class="grant")
    quietly(fair.fit, TABLE, OUTCOME, sensitive_features=GROUPS)
    other = quietly(fair.governed, added=POOR, X=TABLE, y=OUTCOME, sensitive_features=GROUPS)
    assert (other.guarantee, other.fairness_.guarantee) == ("realised", "realised")
    again = quietly(
        other.governed,
        added=Rule((Interval("income", upper=20_000.5),), "refuse"),
        X=TABLE,
        y=OUTCOME,
        sensitive_features=GROUPS,
    )
    assert len(governance_of(again).written) == 2
    with pytest.raises(InputError, match="sensitive_features too"):
        fair.governed(added=POOR, X=TABLE, y=OUTCOME)


# -- what is refused -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rule", "sentence"),
    [
        (Rule((), "refuse"), "at least one condition"),
        (Rule((Interval("income", upper=1.0),), "maybe"), "'grant' or 'refuse'"),
        (Rule((Interval("height", upper=1.0),), "refuse"), "no column 'height'"),
        (Rule((Interval("purpose", upper=1.0),), "refuse"), "fits the column 'purpose'"),
        (Rule((Membership("income", (1.0,)),), "refuse"), "fits the column 'income'"),
        (Rule((Interval("income", 5.0, 5.0),), "refuse"), "no number lies between"),
        (Rule((Interval("income", or_missing=True),), "refuse"), "everybody meets"),
        (Rule((Membership("purpose", ("yacht",)),), "refuse"), "'yacht' does not"),
        (Rule((Membership("purpose"),), "refuse"), "lists none"),
        (Rule((Interval("income", upper=-1e9),), "refuse"), "covers none of the 260 training rows"),
        (Rule((IsSpecial("income", (SpecialCode(-9.0, "x"),)),), "refuse"), "special codes of the column 'income'"),
        (Rule((Interval("income", upper=9.0), IsMissing("income")), "refuse"), "at most one condition"),
        (Rule((Membership("employed", (True,)),), "refuse"), "protected columns"),
    ],
)
def test_rules_that_make_no_sense_are_refused(model: RUGClassifier, rule: Rule, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        model.governed(added=rule, protected=["employed"], X=TABLE, y=OUTCOME)


def test_directions_bind_a_person_too() -> None:
    model = RUGClassifier(max_depth=2, max_iter=3, monotonic_cst={"income": 1}, positive_class="grant")
    model.fit(TABLE, OUTCOME)
    against = Rule((Interval("income", lower=30_000.0),), "refuse")
    with pytest.raises(InputError, match="bound 'income' only from above"):
        model.governed(added=against, X=TABLE, y=OUTCOME)
    along = Rule((Interval("income", lower=30_000.0),), "grant")
    assert model.governed(added=along, X=TABLE, y=OUTCOME)


def test_special_codes_are_filled_in_and_no_interval_holds_them() -> None:
    table = TABLE.assign(months=np.where(np.arange(len(TABLE)) % 7 == 0, -9.0, np.arange(len(TABLE)) % 50))
    model = RUGClassifier(max_depth=2, max_iter=3, special_values={"months": {-9: "no such record"}})
    model.fit(table, OUTCOME)
    mine = Rule((Interval("months", upper=10.25),), "refuse")
    other = model.governed(added=mine, locked={mine: 1.0}, X=table, y=OUTCOME)
    (found,) = governance_of(other).locked
    is_covered = (table["months"] <= 10.25) & (table["months"] != -9.0)
    assert found.coverage == pytest.approx(is_covered.mean())


def test_vetoed_rules_do_not_come_back(model: RUGClassifier) -> None:
    gone = model.rules_[0]
    other = model.governed(vetoed=gone)
    with pytest.raises(InputError, match="vetoed"):
        other.governed(added=gone, X=TABLE, y=OUTCOME)
    with pytest.raises(InputError, match="not vetoed, but .* is"):
        other.governed(locked={gone: 1.0})
    with pytest.raises(InputError, match="vetoed"):
        model.governed(vetoed=gone, added=gone, X=TABLE, y=OUTCOME)


def test_what_contradicts_itself_is_refused(model: RUGClassifier) -> None:
    rule = model.rules_[0]
    with pytest.raises(InputError, match="not both"):
        model.governed(vetoed=rule, locked=rule)
    with pytest.raises(InputError, match="is locked"):
        model.governed(locked=rule).governed(vetoed=rule)
    with pytest.raises(InputError, match="above 0"):
        model.governed(locked={rule: -1.0})
    with pytest.raises(InputError, match="has none in this model"):
        model.governed(added=POOR, locked=[POOR], X=TABLE, y=OUTCOME)
    with pytest.raises(InputError, match="training rows"):
        model.governed(added=POOR)
    with pytest.raises(InputError, match="it has no rule"):
        model.governed(vetoed=POOR)
    with pytest.raises(InputError, match="there twice"):
        model.governed(added=[POOR, POOR], X=TABLE, y=OUTCOME)


def test_other_rows_are_refused(model: RUGClassifier) -> None:
    turned = TABLE.iloc[::-1]
    with pytest.raises(InputError, match="in the same order"):
        model.governed(added=POOR, X=turned, y=OUTCOME.iloc[::-1])
    with pytest.raises(InputError, match="in the same order"):
        model.governed(added=POOR, X=TABLE, y=OUTCOME.iloc[::-1])


def test_a_damaged_pool_with_floors_is_refused(model: RUGClassifier, tmp_path: Path) -> None:
    other = model.governed(locked={model.rules_[0]: 9.0})
    save_pool(other, tmp_path / "other.pool")
    model.save(tmp_path / "model.json")
    with pytest.raises((InputError, ModelFileError)):
        load_pool(load_model(tmp_path / "model.json"), tmp_path / "other.pool")
