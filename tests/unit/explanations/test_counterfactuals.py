"""The nearest changes that flip a decision, held against trying every value."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import combinations, product
from typing import Any

import numpy as np
import pandas as pd
import pytest

from rugcore import ConfidenceFinder, InputError, ReasonFinder, RUGClassifier
from rugcore.explanations.counterfactuals import Change, Flip, FlipFinder, Flips, Limit, column_profiles, nearest_flips
from rugcore.explanations.counterfactuals.finder import JUST_PAST
from rugcore.explanations.counterfactuals.numbers import Span
from rugcore.explanations.sheet import _flip
from rugcore.rules import Interval, Membership, Rule, RuleSet
from tests.rule_models import model_of

PURPOSES = ["boat", "car", "house"]
REGIONS = ["east", "north", "south"]
FREE = Limit()


def small_table(seed: int, n_rows: int = 60) -> pd.DataFrame:
    """Few different values in every column, so that all of them can be tried."""
    rng = np.random.default_rng(seed)

    def blanked(values: Any) -> list[Any]:
        return [None if is_blank else v for v, is_blank in zip(values, rng.random(n_rows) < 0.15, strict=True)]

    return pd.DataFrame(
        {
            "age": rng.integers(0, 6, n_rows),
            "ratio": pd.array(blanked((rng.integers(0, 5, n_rows) / 10).tolist()), dtype="Float64"),
            "purpose": pd.array(blanked(rng.choice(PURPOSES, n_rows).tolist()), dtype="str"),
            "region": pd.array(rng.choice(REGIONS, n_rows).tolist(), dtype="str"),
            "employed": pd.array(blanked(rng.choice([True, False], n_rows).tolist()), dtype="boolean"),
        }
    )


def small_model(seed: int, n_classes: int = 2) -> tuple[RUGClassifier, pd.DataFrame]:
    """Noise as a target gives rules of every kind."""
    table = small_table(seed)
    target = np.random.default_rng(seed + 100).choice(["no", "yes", "ask"][:n_classes], len(table))
    model = RUGClassifier(penalty=0.05, max_depth=3, max_iter=4, weight_threshold=0.0).fit(table, target)
    return model, table


def speaks_of_blanks(model: RUGClassifier, name: str) -> bool:
    texts = [str(c) for rule in model.rules_ for c in rule.conditions if c.feature == name]
    return any("missing" in text for text in texts)


def possible_values(model: RUGClassifier, table: pd.DataFrame, name: str, before: Any, limit: Limit) -> list[Any]:
    """Every value that somebody has and this person could have."""
    if not limit.changeable or (pd.isna(before) and not limit.may_be_filled):
        return []
    found = [value.item() if hasattr(value, "item") else value for value in table[name].dropna().unique()]
    if name in ("age", "ratio"):
        found = [float(value) for value in found if not limit.whole or value == int(value)]
        found = [value for value in found if limit.lowest <= value <= limit.highest]
        if not pd.isna(before) and limit.direction != "any":
            found = [value for value in found if (value >= before if limit.direction == "up" else value <= before)]
    elif limit.values is not None:
        found = [value for value in found if value in limit.values]
    if speaks_of_blanks(model, name) and limit.may_become_blank:
        found = [*found, None]
    return [value for value in found if not same(value, before)]


def cost_of(table: pd.DataFrame, name: str, before: Any, after: Any) -> float:
    """The share of people between the two numbers, with half of those at either end."""
    if name not in ("age", "ratio") or pd.isna(before) or pd.isna(after):
        return 1.0
    low, high = sorted((before, after))
    known = table[name].astype(float).dropna()
    between = ((known > low) & (known < high)).sum() + (known == low).sum() / 2 + (known == high).sum() / 2
    return float(between / len(known))


Costs = dict[tuple[str, ...], float]


def brute_force(model: RUGClassifier, table: pd.DataFrame, row: int, wanted: str, limits: Mapping[str, Limit]) -> Costs:
    """The cheapest flip of every set of up to three columns, by asking the model about every combination."""
    cells = model.schema_.cells(table.iloc[row])
    choices = {
        name: [
            (name, value, cost_of(table, name, cells[name], value))
            for value in possible_values(model, table, name, cells[name], limits.get(name, FREE))
        ]
        for name in table
    }
    sets = [columns for size in (1, 2, 3) for columns in combinations(table.columns, size)]
    tried = [(columns, choice) for columns in sets for choice in product(*(choices[name] for name in columns))]
    changed = [cells | {name: value for name, value, _ in choice} for _, choice in tried]
    best: Costs = {}
    for (columns, choice), decision in zip(tried, predict(model, changed), strict=True):
        if decision == wanted:
            cost = round(sum(cost for _, _, cost in choice), 9)
            best[columns] = min(cost, best.get(columns, math.inf))
    return best


def predict(model: RUGClassifier, rows: list[dict[str, Any]]) -> list[str]:
    kinds = zip(model.schema_.names, model.schema_.kinds, strict=True)
    columns = {n: pd.Series([row[n] for row in rows], dtype=float if k == "number" else object) for n, k in kinds}
    return list(model.predict(pd.DataFrame(columns))) if rows else []


def not_beaten(best: Costs) -> Costs:
    """Without sets of which a part is enough for no more."""
    kept: Costs = {}
    for columns in sorted(best, key=len):
        if not any(set(other) < set(columns) and cost <= best[columns] for other, cost in kept.items()):
            kept[columns] = best[columns]
    return kept


def by_columns(flips: Flips, table: pd.DataFrame) -> Costs:
    order = list(table.columns)
    return {tuple(sorted(flip.columns, key=order.index)): flip.cost for flip in flips.found}


def rows_and_wishes(model: RUGClassifier, table: pd.DataFrame, n_rows: int) -> Iterator[tuple[int, str]]:
    decided = model.predict(table)
    for row in range(n_rows):
        yield from ((row, str(label)) for label in model.classes_ if label != decided[row])


def check_against_brute_force(
    model: RUGClassifier, table: pd.DataFrame, limits: Mapping[str, Limit], n_rows: int = 4
) -> None:
    finder = FlipFinder(model, column_profiles(table))
    for row, wanted in rows_and_wishes(model, table, n_rows):
        flips = finder.find(table.iloc[row], wanted, limits=limits, most_alternatives=1000, least_chance=0.0)
        expected = not_beaten(brute_force(model, table, row, wanted, limits))
        assert by_columns(flips, table) == pytest.approx(expected), (row, wanted)
        assert flips.is_impossible == (not expected)
        keys = [(len(flip.changes), flip.cost) for flip in flips.found]
        assert keys == sorted(keys)


@pytest.mark.parametrize("seed", range(6))
def test_two_classes_against_trying_everything(seed: int) -> None:
    model, table = small_model(seed)
    may_be_filled = seed % 2 == 0
    check_against_brute_force(model, table, {name: Limit(may_be_filled=may_be_filled) for name in table})


@pytest.mark.parametrize("seed", range(6, 9))
def test_three_classes_against_trying_everything(seed: int) -> None:
    model, table = small_model(seed, n_classes=3)
    check_against_brute_force(model, table, {}, n_rows=3)


LIMITS: list[dict[str, Limit]] = [
    {"age": Limit(direction="up"), "region": Limit(changeable=False), "ratio": Limit(may_become_blank=True)},
    {
        "age": Limit(direction="down"),
        "ratio": Limit(direction="up", may_be_filled=True),
        "purpose": Limit(values=("car", "house")),
    },
    {"ratio": Limit(whole=True), "age": Limit(lowest=2, highest=4), "employed": Limit(may_become_blank=True)},
    {"ratio": Limit(lowest=0.1, highest=0.3), "purpose": Limit(changeable=False)},
]


@pytest.mark.parametrize("limits", LIMITS)
@pytest.mark.parametrize("seed", [20, 21])
def test_limits_against_trying_everything(seed: int, limits: dict[str, Limit]) -> None:
    model, table = small_model(seed)
    check_against_brute_force(model, table, limits)


def test_the_model_decides_every_proposal_as_wanted() -> None:
    model, table = small_model(30, n_classes=3)
    finder = FlipFinder(model, column_profiles(table))
    for row, wanted in rows_and_wishes(model, table, 10):
        flips = finder.find(table.iloc[row], wanted)
        assert len(flips.found) <= 5
        for flip in flips.found:
            assert model.explain(flip.row).decision == wanted
            assert 1 <= len(set(flip.columns)) == len(flip.changes) <= 3
            assert flip.cost == pytest.approx(sum(change.cost for change in flip.changes))
            changed = [name for name in table if not same(flip.row[name], model.schema_.cells(table.iloc[row])[name])]
            assert sorted(changed) == sorted(flip.columns)


def same(one: Any, two: Any) -> bool:
    return bool(one == two or (pd.isna(one) and pd.isna(two)))


def test_fewer_alternatives_are_the_first_of_all() -> None:
    model, table = small_model(31)
    finder = FlipFinder(model, column_profiles(table))
    for row, wanted in rows_and_wishes(model, table, 8):
        every = finder.find(table.iloc[row], wanted, most_alternatives=1000).found
        assert finder.find(table.iloc[row], wanted, most_alternatives=2).found == every[:2]
        single = finder.find(table.iloc[row], wanted, most_changes=1, most_alternatives=1000).found
        assert single == tuple(flip for flip in every if len(flip.changes) == 1)


def test_defaults_can_be_left_out() -> None:
    model, table = small_model(32)
    finder = FlipFinder(model, column_profiles(table))
    for row, wanted in rows_and_wishes(model, table, 15):
        flips = finder.find(table.iloc[row], wanted, by_default=False)
        assert not any(flip.is_uncovered or flip.is_tie for flip in flips.found)


def test_a_table_without_names() -> None:
    rng = np.random.default_rng(0)
    numbers = rng.integers(0, 10, (80, 3)).astype(float)
    model = RUGClassifier().fit(numbers, numbers[:, 0] + numbers[:, 1] > 9)
    flips = nearest_flips(model, numbers[0], X_train=numbers)
    assert flips.found
    changed = numbers[:1].copy()
    for change in flips.found[0].changes:
        changed[0, int(change.column[1:])] = change.after
    assert model.predict(changed)[0] == flips.wanted != model.predict(numbers[:1])[0]


# --- By hand ----------------------------------------------------------------------------------------------------


LOANS = pd.DataFrame({"income": [10_000.55, 20_000.25, 30_000.0, 40_000.75], "children": [0, 1, 2, 3]})


def hand_made(*rules: Rule) -> RUGClassifier:
    """A model of given rules."""
    model = RUGClassifier().fit(LOANS, ["no", "no", "no", "yes"])
    model.rules_, model.chances_ = RuleSet(rules), None
    model._prepare()
    return model


@pytest.mark.parametrize("answer", ["unknown/ no savings", "Unknown", "not stated", "n/a", "N/A", "NA", "?", "missing"])
def test_nobody_is_told_to_keep_an_answer_back(answer: str) -> None:
    table = pd.DataFrame({"savings": [answer, "below 100", "above 100", "bonds"]})
    rules = [
        Rule((Membership("savings", ("below 100",)),), "denied", 1.0),
        Rule((Membership("savings", (answer, "bonds")),), "approved", 2.0),
    ]
    finder = FlipFinder(model_of(rules, table, ["approved", "denied"]), column_profiles(table))
    proposed = {change.after for flip in finder.find(table.iloc[1]).found for change in flip.changes}
    assert proposed == {"bonds"}
    asked_for = {"savings": Limit(values=(answer,))}
    found = finder.find(table.iloc[1], limits=asked_for).found
    assert [change.after for flip in found for change in flip.changes] == [answer]


@pytest.mark.parametrize(
    "absent", ["no checking account", "No phone service", "without income", "keine Angabe", "sin cuenta"]
)
def test_nobody_is_told_to_give_something_up(absent: str) -> None:
    table = pd.DataFrame({"account": [absent, "overdrawn", "in credit", "none", "no"]})
    rules = [
        Rule((Membership("account", ("overdrawn",)),), "denied", 1.0),
        Rule((Membership("account", ("overdrawn",), negated=True),), "approved", 2.0),
    ]
    model = model_of(rules, table, ["approved", "denied"])
    finder = FlipFinder(model, column_profiles(table))
    proposed = {change.after for flip in finder.find(table.iloc[1]).found for change in flip.changes}
    assert proposed
    assert absent not in proposed
    only = {"account": Limit(values=(absent, "none"))}
    assert finder.find(table.iloc[1], limits=only).found  # unless somebody lists it as possible
    answers = pd.DataFrame({"account": ["overdrawn", absent, "none"]})
    rules = [Rule((Membership("account", ("overdrawn",)),), "denied", 1.0)]
    finder = FlipFinder(model_of(rules, answers, ["approved", "denied"], share=(0.9, 0.1)), column_profiles(answers))
    found = [change.after for flip in finder.find(answers.iloc[0]).found for change in flip.changes]
    assert found == ["none"]  # which is an answer


def test_the_smallest_step_over_a_threshold() -> None:
    model = hand_made(
        Rule((Interval("income", upper=25_000.5),), "no", 1.0), Rule((Interval("income", lower=25_000.5),), "yes", 1.0)
    )
    flips = nearest_flips(model, {"income": 12_000.3, "children": 1}, X_train=LOANS)
    assert str(flips) == "yes if income: 12,000.3 -> 30,000"  # that somebody has
    back = nearest_flips(model, {"income": 40_000.75, "children": 1}, X_train=LOANS)
    assert back.found[0].changes[0].after == 20_000  # and cents do not matter where thousands do


def test_a_threshold_between_whole_numbers() -> None:
    model = hand_made(
        Rule((Interval("children", upper=1.5),), "no", 1.0), Rule((Interval("children", lower=1.5),), "yes", 1.0)
    )
    assert nearest_flips(model, {"income": 1.0, "children": 0}, X_train=LOANS).found[0].changes[0].after == 2


def test_nothing_within_three_changes_is_said() -> None:
    model = hand_made(Rule((), "no", 1.0), Rule((Interval("income", lower=5.0),), "yes", 0.5))
    flips = nearest_flips(model, {"income": 1.0, "children": 0}, X_train=LOANS)
    assert flips.is_impossible
    assert str(flips) == "Nothing within three changes turns the decision into yes."


def test_what_is_already_so_needs_no_change() -> None:
    model = hand_made(Rule((), "no", 1.0))
    flips = nearest_flips(model, {"income": 1.0, "children": 0}, "no", X_train=LOANS)
    assert flips.is_already
    assert not flips.is_impossible
    assert str(flips) == "The decision is no already."


def test_a_model_without_rules_has_nothing_to_flip() -> None:
    model = hand_made()
    assert nearest_flips(model, {"income": 1.0, "children": 0}, "yes", X_train=LOANS).is_impossible


def test_a_larger_set_is_offered_only_if_it_is_cheaper() -> None:
    far = Interval("income", lower=40_000.0)
    near = (Interval("income", lower=20_000.0), Interval("children", lower=1.0))
    model = hand_made(Rule((), "no", 1.0), Rule((far,), "yes", 2.0), Rule(near, "yes", 2.0))
    flips = nearest_flips(model, {"income": 10_000.55, "children": 1}, X_train=LOANS)
    assert [flip.columns for flip in flips.found] == [("income",), ("income", "children")]
    assert flips.found[1].cost < flips.found[0].cost


@pytest.mark.parametrize(
    ("span", "start", "nearest"),
    [
        (Span(0.3, -math.inf, math.inf), 0.1, 0.8),  # kept in single precision, written as meant
        (Span(0.3, -math.inf, 0.8), 0.1, None),  # in full it lies above the threshold
        (Span(0.8, -math.inf, math.inf), 0.1, 0.81),  # 0.8 would not be over the threshold
        (Span(-math.inf, -math.inf, 0.25), 0.9, 0.2),
        (Span(-math.inf, -math.inf, 0.15), 0.9, 0.1),
        (Span(1.5, -math.inf, math.inf), 0.1, None),  # nobody has more than 1.2346
        (Span(1.0, -math.inf, math.inf), 0.1, 1.23),  # as fine as the column needs it
        (Span(-math.inf, 4.0, 3.0), 1.0, None),
    ],
)
def test_the_number_to_propose(span: Span, start: float, nearest: float | None) -> None:
    profile = column_profiles(pd.DataFrame({"x": [0.1, 0.2, 0.800000011920929, 1.23456]}))["x"]
    found = span.nearest(start, replace(profile, decimals=2), whole=False)
    assert found == nearest
    assert found is None or span.holds(found)


@pytest.mark.parametrize(
    ("numbers", "threshold", "start", "proposed"),
    [
        ([0.5, 0.6, 0.7, 0.7985, 0.8, 0.9, 1.0], 0.799, 0.8, 0.79),
        ([9_500.0, 11_000.0, 12_437.0, 19_000.0, 26_000.0], 12_000.5, 11_000.0, 12_500.0),
        ([1.0, 2.0, 3.0, 4.0, 5.0, 40.0], 2.5, 2.0, 3.0),  # few more are not rounded to many
        ([0.0, 40.0, 1_000.0, 5_000.0], 50.0, 1_000.0, 40.0),  # nothing is another thing than little
    ],
)
def test_a_number_that_is_easier_to_say_is_proposed(
    numbers: list[float], threshold: float, start: float, proposed: float
) -> None:
    profile = column_profiles(pd.DataFrame({"x": numbers}))["x"]
    is_up = start < threshold
    span = Span(threshold, -math.inf, math.inf) if is_up else Span(-math.inf, -math.inf, threshold)
    assert span.nearest(start, profile, whole=False) == proposed
    exact = span.nearest(start, profile, False, lambda number: number in numbers)
    assert exact in numbers  # where rounding would go too far


@pytest.mark.parametrize(
    ("threshold", "start", "proposed"),
    [
        (100.5, 90.0, 102.0),  # not 101, which is only just enough
        (59.0, 80.0, 58.0),
        (199.5, 150.0, 200.0),  # nobody has more
    ],
)
def test_a_proposal_keeps_away_from_the_threshold(threshold: float, start: float, proposed: float) -> None:
    profile = column_profiles(pd.DataFrame({"x": np.arange(50.0, 201.0)}))["x"]
    is_up = start < threshold
    span = Span(threshold, -math.inf, math.inf) if is_up else Span(-math.inf, -math.inf, threshold)
    assert span.nearest(start, profile, whole=True) == proposed
    assert span.nearest(start, profile, True, lambda number: number in (101.0, 59.0, 200.0)) in (101.0, 59.0, 200.0)
    assert not span.is_just_past(start, profile, whole=True)
    assert span.is_just_past(threshold - 0.5 if is_up else threshold + 0.5, profile, whole=True)
    assert not span.is_just_past(proposed, profile, whole=True)


def test_the_lowest_and_the_highest_are_not_rounded_outwards() -> None:
    profile = column_profiles(pd.DataFrame({"x": [0.126, 0.5, 0.874]}))["x"]
    assert Span(-math.inf, -math.inf, 0.3).nearest(0.5, replace(profile, decimals=1), whole=False) == 0.13
    assert Span(0.7, -math.inf, math.inf).nearest(0.5, replace(profile, decimals=1), whole=False) == 0.87


@pytest.mark.parametrize(
    "limits",
    [
        {"nothing": Limit()},
        {"region": Limit(direction="up")},
        {"region": Limit(lowest=1)},
        {"age": Limit(values=(1, 2))},
        {"age": Limit(lowest=3, highest=2)},
        {"age": Limit(direction="sideways")},  # type: ignore[arg-type]
        {"age": Limit(effort=0.0)},
    ],
)
def test_limits_that_make_no_sense_are_refused(limits: dict[str, Limit]) -> None:
    model, table = small_model(33)
    with pytest.raises(InputError):
        FlipFinder(model, column_profiles(table)).find(table.iloc[0], limits=limits)


def test_other_requests_that_make_no_sense_are_refused() -> None:
    model, table = small_model(34, n_classes=3)
    finder = FlipFinder(model, column_profiles(table))
    with pytest.raises(InputError, match="wanted"):
        finder.find(table.iloc[0])
    with pytest.raises(InputError, match="from 1 to 3"):
        finder.find(table.iloc[0], "no", most_changes=4)
    with pytest.raises(InputError, match="profile"):
        FlipFinder(model, {})


# --- Reasons on the same page -------------------------------------------------------------------------------------


def test_advice_does_not_contradict_a_reason() -> None:
    """Less debt would help and more would not, but more debt together with another job would flip the decision."""
    table = pd.DataFrame({"debt": [6.0, 1.0, 9.0], "job": ["cook", "nurse", "nurse"]})
    rules = [
        Rule((Interval("debt", lower=5.0),), "refuse", 2.0),
        Rule((Interval("debt", lower=8.0), Membership("job", ("nurse",))), "grant", 5.0),
    ]
    model = model_of(rules, table, share=(0.6, 0.4))
    found = ReasonFinder(model, "grant", background=table).find(table.iloc[0])
    assert [reason.text for reason in found.reasons] == ["debt is high"]
    finder = FlipFinder(model, column_profiles(table))
    free = finder.find(table.iloc[0], "grant", by_default=False)
    assert [change.after for flip in free.found for change in flip.changes if change.column == "debt"] == [9.0]
    assert finder.find(table.iloc[0], "grant", by_default=False, reasons=found).is_impossible
    down = finder.find(table.iloc[0], "grant", reasons=found)
    assert [str(flip) for flip in down.found] == ["debt: 6 -> 1 (by default: no rule covers the changed row)"]
    only_up = finder.find(table.iloc[0], "grant", limits={"debt": Limit(direction="up")}, reasons=found)
    assert only_up.is_impossible


# --- Columns that are worked out from others ----------------------------------------------------------------------


def loans_with_ratio(seed: int, n_rows: int = 600) -> tuple[RUGClassifier, pd.DataFrame]:
    """The bank looks at the ratio of loan to income, and at both."""
    rng = np.random.default_rng(seed)
    income, loan = rng.lognormal(10.5, 0.4, n_rows).round(-2), 100.0 * rng.integers(10, 350, n_rows)
    table = pd.DataFrame({"income": income, "loan": loan, "ratio": (loan / income).round(2)})
    is_good = (table.ratio < 0.3) & (income > 25_000) | (rng.random(n_rows) < 0.05)
    return RUGClassifier(max_depth=3).fit(table, np.where(is_good, "yes", "no")), table


@pytest.mark.parametrize("seed", range(4))
def test_what_is_worked_out_from_others_moves_through_them_and_with_them(seed):
    model, table = loans_with_ratio(seed)
    assert "ratio" in model.rules_.features()
    finder = FlipFinder(model, column_profiles(table), table)
    n_through = 0
    for place in np.flatnonzero(model.predict(table) == "no")[:40]:
        for flip in finder.find(table.iloc[place], "yes").found:
            assert "ratio" not in flip.columns
            after = flip.row
            assert after["ratio"] == pytest.approx(round(after["loan"] / after["income"], 2), abs=1e-9)
            assert model.predict(pd.DataFrame([after]))[0] == "yes"
            assert {change.column for change in flip.follows} == {"ratio"}
            n_through += 1
    assert n_through > 10


def test_what_a_limit_forbids_does_not_follow_either():
    model, table = loans_with_ratio(0)
    finder = FlipFinder(model, column_profiles(table), table)
    limits = {"ratio": Limit(direction="down"), "income": Limit(changeable=False), "loan": Limit(direction="down")}
    found = [
        flip
        for place in np.flatnonzero(model.predict(table) == "no")[:60]
        for flip in finder.find(table.iloc[place], "yes", limits=limits).found
    ]
    assert found
    assert all(flip.columns == ("loan",) for flip in found)
    assert all(own.after <= own.before for flip in found for own in (*flip.changes, *flip.follows))
    stuck = {name: Limit(changeable=False) for name in ("income", "loan")}
    row = table.iloc[int(np.flatnonzero(model.predict(table) == "no")[0])]
    assert not finder.find(row, "yes", limits=stuck).found


def test_somebody_whose_numbers_do_not_fit_is_not_worked_out():
    model, table = loans_with_ratio(0)
    finder = FlipFinder(model, column_profiles(table), table)
    row = dict(table.iloc[int(np.flatnonzero(model.predict(table) == "no")[0])]) | {"ratio": 0.9}
    assert all(not flip.follows for flip in finder.find(row, "yes").found)


def test_what_would_be_uncertain_is_not_proposed():
    """Asked of the model itself, and of people held out; what is searched for is held against filtering afterwards."""
    model, table = loans_with_ratio(1)
    outcome = np.where(table.ratio < 0.3, "yes", "no")
    people = ConfidenceFinder(model, table, outcome)
    finder = FlipFinder(model, column_profiles(table), table, confidence=people)
    n_found = 0
    for place in np.flatnonzero(model.predict(table) == "no")[:15]:
        sure = finder.find(table.iloc[place], "yes", least_chance=0.9, by_default=False, without=int(place))
        for flip in sure.found:
            chance = model.predict_proba(pd.DataFrame([flip.row]))[0, list(model.classes_).index("yes")]
            assert flip.chance == pytest.approx(chance)
            assert flip.chance >= 0.9
            assert flip.confidence == people.find(flip.row, without=int(place))
            assert flip.confidence.grade != "uncertain"
            assert flip.people_in_words.startswith(f"Then: of {flip.confidence.n:,} test people decided alike, ")
            n_found += 1
        never = finder.find(table.iloc[place], "yes", least_chance=0.9999, by_default=False)
        assert never.why in ("uncertain", "nobody", "limits")
        if sure.found:
            assert str(never) == "What can change leads at best to an uncertain yes: nothing is proposed."
    assert n_found > 5


@pytest.mark.parametrize("seed", range(2))
def test_the_search_for_sure_decisions_against_trying_everything(seed):
    """The cheapest of those that the model is sure enough of, in every set of columns."""
    model, table = small_model(seed)
    finder = FlipFinder(model, column_profiles(table))
    for row, wanted in rows_and_wishes(model, table, 4):
        cells = model.schema_.cells(table.iloc[row])
        every = [
            (name, value, cost_of(table, name, cells[name], value))
            for name in table
            for value in possible_values(model, table, name, cells[name], FREE)
        ]
        changed = pd.DataFrame([cells | {name: value} for name, value, _ in every])
        sure = model.predict_proba(frame_like(model, changed))[:, list(model.classes_).index(wanted)] >= 0.7
        decisions = model.decisions(frame_like(model, changed))
        is_wanted = decisions.class_code == list(model.classes_).index(wanted)
        is_answer = is_wanted & ~(decisions.is_uncovered | decisions.is_tie) & sure
        expected: Costs = {}
        for (name, _, cost), is_one in zip(every, is_answer, strict=True):
            if is_one:
                expected[(name,)] = min(cost, expected.get((name,), math.inf))
        options = {"most_changes": 1, "most_alternatives": 1000, "least_chance": 0.7, "by_default": False}
        assert by_columns(finder.find(table.iloc[row], wanted, **options), table) == pytest.approx(expected)


def frame_like(model: RUGClassifier, rows: pd.DataFrame) -> pd.DataFrame:
    kinds = zip(model.schema_.names, model.schema_.kinds, strict=True)
    return pd.DataFrame({n: rows[n].astype(float if k == "number" else object) for n, k in kinds})


def test_what_no_longer_fits_its_sources_is_told():
    model, table = loans_with_ratio(1)
    finder = FlipFinder(model, column_profiles(table), table)
    row = dict(table.iloc[0])
    assert finder.left_behind(row, row) == ()
    (own,) = finder.left_behind(row, row | {"loan": 2 * row["loan"]})
    assert (own.column, own.before) == ("ratio", row["ratio"])
    assert own.after == pytest.approx(round(2 * row["loan"] / row["income"], 2))
    assert finder.left_behind(row, row | {"loan": 2 * row["loan"], "ratio": own.after}) == ()
    assert finder.left_behind(row, row | {"loan": None}) == ()


def test_to_earn_more_can_be_made_harder_than_to_borrow_less():
    """The ratio is brought down through the one or the other, whichever costs less."""
    rng = np.random.default_rng(0)
    income, loan = rng.lognormal(10.5, 0.4, 600).round(-2), 100.0 * rng.integers(10, 350, 600)
    table = pd.DataFrame({"income": income, "loan": loan, "ratio": (loan / income).round(2)})
    bad, good = Interval("ratio", lower=0.3), Interval("ratio", upper=0.3)
    model = model_of([Rule((bad,), "no", 1.0), Rule((good,), "yes", 1.0)], table, ("no", "yes"))
    finder, profiles = FlipFinder(model, column_profiles(table), table), column_profiles(table)
    rows = table[(table.ratio > 0.31) & (table.ratio < 0.4)].iloc[:40]
    chosen = set()
    for place in range(len(rows)):
        ways = {}
        for effort in (1.0, 2.0, 1000.0):
            (flip,) = finder.find(rows.iloc[place], "yes", limits={"income": Limit(effort=effort)}).found
            (change,) = flip.changes
            steps = profiles[change.column].steps(change.before, change.after)
            assert flip.cost == pytest.approx(steps * (effort if change.column == "income" else 1.0))
            ways[effort] = change.column
        chosen |= {ways[1.0]}
        assert ways[1000.0] == "loan"
        assert ways[2.0] in ("loan", ways[1.0])
    assert chosen == {"loan", "income"}


# --- What does not go together ------------------------------------------------------------------------------------


def purchases(seed: int, n_rows: int = 400) -> pd.DataFrame:
    """Nobody borrows more than the price."""
    rng = np.random.default_rng(seed)
    price = rng.lognormal(8.6, 0.6, n_rows).round(-1)
    loan = (price * rng.choice([1.0, 0.9, 0.7], n_rows)).round(-1)
    return pd.DataFrame({"price": price, "loan": loan, "term": rng.choice([12.0, 24.0, 36.0, 48.0, 60.0], n_rows)})


@pytest.mark.parametrize("column", ["price", "loan"])
@pytest.mark.parametrize("seed", range(2))
def test_no_proposal_breaks_what_nearly_everybody_keeps(seed: int, column: str) -> None:
    """A lower price takes the loan along where it would be above it; where that must stay, there is no way."""
    table = purchases(seed)
    cut = float(table[column].median())
    lower, upper = Interval(column, upper=cut), Interval(column, lower=cut)
    good = lower if column == "price" else upper
    rules = [Rule((upper if good is lower else lower,), "refuse", 1.0), Rule((good,), "grant", 1.0)]
    model = model_of(rules, table)
    finder = FlipFinder(model, column_profiles(table), table)
    other = "loan" if column == "price" else "price"
    n_along = 0
    for place in np.flatnonzero(model.predict(table) == "refuse")[:30]:
        row = table.iloc[int(place)]
        for flip in finder.find(row, "grant").found:
            assert flip.row["loan"] <= flip.row["price"]
            assert model.predict(pd.DataFrame([flip.row]))[0] == "grant"
            n_along += other in flip.columns
            stays = finder.find(row, "grant", limits={other: Limit(changeable=False)})
            assert bool(stays.found) == (other not in flip.columns)
    assert n_along > 5


def test_somebody_who_breaks_it_already_is_not_held_to_it() -> None:
    table = purchases(0)
    cut = float(table["price"].median())
    model = model_of([Rule((Interval("price", upper=cut),), "grant", 1.0)], table, share=(0.1, 0.9))
    row = {"price": cut + 100, "loan": cut + 5_000, "term": 12.0}
    (flip,) = FlipFinder(model, column_profiles(table), table).find(row, "grant").found
    assert flip.columns == ("price",)


def budgets(seed: int, n_rows: int = 400) -> tuple[RUGClassifier, pd.DataFrame]:
    """What is left of an income after rent and payment; rules look only at that, and at a ratio made of it."""
    rng = np.random.default_rng(seed)
    net = rng.lognormal(7.8, 0.4, n_rows).round()
    rent, payment = (net * rng.uniform(0.15, 0.5, n_rows)).round(), rng.lognormal(6, 0.6, n_rows).round()
    table = pd.DataFrame({"net": net, "rent": rent, "payment": payment, "disposable": net - rent - payment})
    table["yearly disposable ratio"] = (12 * table["disposable"] / 1000).round(3)
    cut = float(table["disposable"].median())
    rules = [
        Rule((Interval("disposable", upper=cut),), "refuse", 1.0),
        Rule((Interval("yearly disposable ratio", lower=0.012 * cut),), "grant", 2.0),
    ]
    return model_of(rules, table), table


@pytest.mark.parametrize("seed", range(2))
def test_what_is_left_moves_through_what_it_is_left_of(seed: int) -> None:
    model, table = budgets(seed)
    finder = FlipFinder(model, column_profiles(table), table)
    n_found = 0
    limits = {"net": Limit(changeable=False), "rent": Limit(direction="down"), "payment": Limit(direction="down")}
    for place in np.flatnonzero(model.predict(table) == "refuse")[:15]:
        row = table.iloc[int(place)]
        for flip in finder.find(row, "grant", limits=limits).found:
            after = flip.row
            assert set(flip.columns) <= {"rent", "payment"}
            assert {own.column for own in flip.follows} == {"disposable", "yearly disposable ratio"}
            assert after["disposable"] == after["net"] - after["rent"] - after["payment"]
            assert after["yearly disposable ratio"] == pytest.approx(0.012 * after["disposable"], abs=6e-4)
            n_found += 1
        assert not finder.find(
            row, "grant", limits={n: Limit(changeable=False) for n in ("net", "rent", "payment")}
        ).found
        unclear = dict(row) | {"disposable": row["disposable"] - 1_000}  # nobody knows what it was made of
        assert all("disposable" not in flip.columns for flip in finder.find(unclear, "grant").found)
    assert n_found > 5


# --- Blanks, ratios, and what is not above nought ------------------------------------------------------------------


def test_a_blank_is_filled_in_only_if_that_is_said() -> None:
    table = pd.DataFrame({"joint": [1.0, 2.0, 3.0, None], "job": ["cook", "nurse", None, "nurse"]})
    rules = [
        Rule((Interval("joint", upper=2.5),), "grant", 2.0),
        Rule((Membership("job", ("nurse",)),), "grant", 2.0),
        Rule((), "refuse", 1.0),
    ]
    finder = FlipFinder(model_of(rules, table), column_profiles(table))
    row = {"joint": None, "job": None}
    assert finder.find(row, "grant").why == "limits"
    filled = {name: Limit(may_be_filled=True) for name in table}
    assert {flip.columns for flip in finder.find(row, "grant", limits=filled).found} == {("joint",), ("job",)}


@pytest.mark.parametrize(
    ("before", "after", "is_counted", "is_near"),
    [
        (1.16, 0.5, False, False),  # a ratio is not counted
        (1.0, 0.0, True, True),
        (3.0, 1.0, True, False),
        (-659.0, 1_021.0, False, False),  # more than a standard deviation
        (-659.0, -100.0, False, True),
        (0.0, 900.0, False, True),
        (0.0, 1_100.0, False, False),
        (math.nan, 1.0, False, False),
    ],
)
def test_what_is_near(before: float, after: float, is_counted: bool, is_near: bool) -> None:
    limit = Limit(most_step=0.5, most_times=2.0)
    assert limit.is_near(before, after, 0.2, spread=1_000.0, is_counted=is_counted) == is_near
    assert not limit.is_near(before, after, 0.6, spread=1_000.0, is_counted=is_counted)
    rises_from_nothing = before <= 0 < after
    strict = replace(limit, from_nothing=False)
    assert strict.is_near(before, after, 0.2, spread=1_000.0, is_counted=is_counted) == (
        is_near and not rises_from_nothing
    )


def test_who_stands_just_past_a_limit_is_for_a_person_to_look_at() -> None:
    table = pd.DataFrame({"income": np.arange(50.0, 201.0)})
    rules = [
        Rule((Interval("income", upper=100.5),), "refuse", 1.0),
        Rule((Interval("income", lower=100.5),), "grant", 1.0),
    ]
    finder = FlipFinder(model_of(rules, table), column_profiles(table), table)
    (close,), (far,) = (finder.find({"income": own}, "grant").found for own in (100.0, 90.0))
    said = "This applicant is just past a limit of the rules: whoever signs the decision should look at that."
    assert str(close).endswith(f"({said})")
    assert (str(far), close.changes[0].after) == ("income: 90 -> 102", 102.0)


def test_who_is_close_in_one_of_two_columns_is_not_close() -> None:
    table = pd.DataFrame({"income": np.arange(50.0, 201.0), "debt": np.arange(150.0, -1.0, -1.0)})
    good = (Interval("income", lower=100.5), Interval("debt", upper=50.0))
    model = model_of([Rule((), "refuse", 1.0), Rule(good, "grant", 2.0)], table)
    finder = FlipFinder(model, column_profiles(table))
    (both,), (one,) = (finder.find({"income": 100.0, "debt": own}, "grant").found for own in (50.5, 90.0))
    assert both.consequences == (JUST_PAST,)
    assert (one.columns, one.consequences) == (("income", "debt"), ())


def test_of_what_people_have_only_the_next_band_is_proposed() -> None:
    """From below 100 to above 1,000 is ten times as much, as bands say it."""
    order = ("< 100", "100 to 1,000", "> 1,000")
    assert [Limit(order=order).allows("< 100", after) for after in order] == [False, True, True]
    assert [Limit(order=order, next_only=True).allows("< 100", after) for after in order] == [False, True, False]
    assert not Limit(order=order, next_only=True).allows("100 to 1,000", "< 100")


def test_what_is_worked_out_is_not_told_with_all_its_digits() -> None:
    """ "amt_inc: 16.8402 to 15.7480315" says more than anybody wants to know; the amount stands in full."""
    amount, ratio = Change("amount", 66_300.0, 62_000.25, 0.1), Change("amt_inc", 16.840233, 62_000.25 / 3_937, 0.0)
    flip = Flip((amount,), 0.1, 1.0, is_uncovered=False, is_tie=False, row={}, follows=(ratio,))
    assert str(flip) == "amount: 66,300 -> 62,000.25 (with it, amt_inc: 16.8402 -> 15.7481)"
    sheet = _flip(flip)
    assert "62,000.25" in sheet
    assert "15.7481<" in sheet
