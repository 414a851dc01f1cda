"""Every reason is true and no advice contradicts one, whatever the table and the rules are."""

import math
import warnings
from typing import Any

import numpy as np
import pandas as pd
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from benchmarks.reasons import count_true
from rugcore import (
    FairnessWarning,
    FairRUGClassifier,
    FlipFinder,
    Limit,
    ReasonFinder,
    RUGClassifier,
    attribute,
    reasons_table,
)
from rugcore import column_profiles as profiles_of
from rugcore.explanations import MANUAL_REVIEW, ColumnWording, Reasons, Wording, who_fares_well
from rugcore.rules import Interval, IsMissing, Membership, Rule
from rugcore.tables import is_blank
from tests.rule_models import model_of

FEW = settings(max_examples=20)
MANY = settings(max_examples=60, suppress_health_check=list(HealthCheck))
CLASSES = ("grant", "refuse", "ask")
NUMBERS, WORDS = ("debt", "age"), ("job", "code", "owner")


def table_of(seed: int, n_rows: int, blanks: float) -> pd.DataFrame:
    """Few different values, so that rules meet, and people are alike."""
    rng = np.random.default_rng(seed)

    def column(values: list[Any]) -> list[Any]:
        chosen = [values[place] for place in rng.integers(0, len(values), n_rows)]
        return [
            None if is_blank else value for value, is_blank in zip(chosen, rng.random(n_rows) < blanks, strict=True)
        ]

    return pd.DataFrame(
        {
            "debt": pd.Series(column([0.0, 0.5, 1.5, 2.0, 9.0]), dtype=float),
            "age": pd.array(column([18, 30, 31, 60]), dtype="Int64"),
            "job": pd.Series(column(["cook", "nurse", "clerk", "is missing"]), dtype="str"),
            "code": pd.Categorical(column([7, 12, 1500])),
            "owner": pd.array(column([True, False]), dtype="boolean"),
        }
    )


tables = st.builds(table_of, st.integers(0, 10_000), st.integers(30, 80), st.sampled_from([0.0, 0.15, 0.4]))


# --- Rules of every form ----------------------------------------------------------------------------------------


@st.composite
def conditions(draw: st.DrawFn, name: str) -> Interval | Membership | IsMissing:
    or_missing = draw(st.booleans())
    if draw(st.integers(0, 7)) == 0:
        return IsMissing(name)
    if name in NUMBERS:
        cuts = [0.2, 1.0, 1.7, 5.0] if name == "debt" else [20.0, 30.0, 45.0]
        low, high = sorted(draw(st.lists(st.sampled_from(cuts), min_size=2, max_size=2, unique=True)))
        ends = draw(st.sampled_from([(low, high), (-math.inf, high), (low, math.inf), (-math.inf, math.inf)]))
        return Interval(name, *ends, or_missing)
    known = {"job": ["cook", "nurse", "is missing"], "code": [7, 12], "owner": [True, False]}[name]
    negated = draw(st.booleans())
    values = draw(st.lists(st.sampled_from(known), min_size=0 if negated else 1, max_size=2, unique=True))
    return Membership(name, tuple(values), negated, or_missing)


@st.composite
def rule_sets(draw: st.DrawFn, classes: tuple[str, ...]) -> list[Rule]:
    rules = []
    for _ in range(draw(st.integers(1, 9))):
        columns = draw(st.lists(st.sampled_from([*NUMBERS, *WORDS]), min_size=1, max_size=4, unique=True))
        label, weight = draw(st.sampled_from(classes)), draw(st.sampled_from([0.5, 1.0, 1.0, 2.0, 0.1]))
        rules.append(Rule(tuple(draw(conditions(name)) for name in columns), label, weight))
    return rules


@MANY
@given(st.data(), tables, st.sampled_from([2, 3]))
def test_reasons_of_any_rules_are_true(data: st.DataObject, table: pd.DataFrame, n_classes: int) -> None:
    classes = CLASSES[:n_classes]
    model = model_of(data.draw(rule_sets(classes)), table, classes)
    assert_all_is_true(model, table, ReasonFinder(model, "grant", background=table))


@MANY
@given(st.data(), tables, tables)
def test_values_of_any_rules_add_up(data: st.DataObject, table: pd.DataFrame, background: pd.DataFrame) -> None:
    model = model_of(data.draw(rule_sets(CLASSES)), table, CLASSES)
    for number, label in enumerate(CLASSES):
        expected = model.decisions(table).scores[:, number] - model.decisions(background).scores[:, number].mean()
        found = attribute(model, table, background, towards=label)
        np.testing.assert_allclose(found.sum(axis=1), expected, atol=1e-9)


ORDERS = [0, ("clerk", "nurse", "cook"), ("cook", "is missing"), ("nurse", "clerk", "cook", "is missing")]
SIGNS = st.fixed_dictionaries(
    {**{name: st.sampled_from([1, -1, 0]) for name in NUMBERS}, "job": st.sampled_from(ORDERS)}
)
# Of a number that would better be lower or higher, a person has written what to say.
BOTH_WAYS = Wording({name: ColumnWording(middle="{column} is neither") for name in NUMBERS})


@MANY
@given(st.data(), tables, SIGNS, st.sampled_from([2, 3]))
def test_no_reason_says_the_opposite_of_what_should_help(
    data: st.DataObject, table: pd.DataFrame, signs: dict[str, Any], n_classes: int
) -> None:
    """Whoever would be told so needs a person, one by one and in the table; everybody else is told what is true."""
    classes = CLASSES[:n_classes]
    model = model_of(data.draw(rule_sets(classes)), table, classes)
    finder = ReasonFinder(model, "grant", background=table)
    options: dict[str, Any] = {"sensitive": ["owner"], "wording": BOTH_WAYS}
    found = [finder.find(table.iloc[row], **options, directions=signs) for row in range(len(table))]
    told = [(row, reason) for row, own in enumerate(found) for reason in own.reasons]
    assert not any(reason.finding == WRONG.get(signs.get(reason.column, 0)) for _, reason in told)
    amounts = {name: sign for name, sign in signs.items() if name in NUMBERS}
    assert count_true(model, table, table, told, "grant", amounts) == len(told)
    for row, own in enumerate(found):
        free = finder.find(table.iloc[row], **options)
        wrong = [reason.column for reason in free.reasons if is_wrong(model, table, row, reason, signs)]
        assert [reason.column for reason in own.doubtful] == wrong
        assert (own.status == "manual review") == (bool(wrong) or free.status == "manual review")
        assert wrong or [reason.column for reason in own.reasons] == [reason.column for reason in free.reasons]
    lines = reasons_table(model, table, "grant", background=table, **options, directions=signs, only_unfavourable=False)
    assert lines["status"].tolist() == [own.status for own in found]
    texts = lines[[f"reason {number}" for number in range(1, 5)]].to_numpy().tolist()
    assert [[text for text in line if text] for line, own in zip(texts, found, strict=True) if own.reasons] == [
        [reason.text for reason in own.reasons] for own in found if own.reasons
    ]


WRONG = {1: "high", -1: "low"}


def is_wrong(model: Any, table: pd.DataFrame, row: int, reason: Any, signs: dict[str, Any]) -> bool:
    """A number that should be so; or a category of which worse ones would raise the score, and no better one."""
    said = signs.get(reason.column, 0)
    if not isinstance(said, tuple):
        return bool(reason.finding == WRONG.get(said))
    own = table[reason.column].iloc[row]
    if reason.finding != "value" or own not in said:
        return False
    place = said.index(own)
    helps = {value for value in said if would_help(model, table, row, reason.column, value)}
    return bool(helps & set(said[:place])) and not helps & set(said[place + 1 :])


def would_help(model: Any, table: pd.DataFrame, row: int, column: str, value: Any) -> bool:
    """Asked of the rules one by one; somebody decided favourably must have a value that no rule tells from it."""
    named = {own for rule in model.rules_ for c in rule.conditions if c.feature == column for own in values_of(c)}
    good = table[column][model.predict(table) == "grant"].dropna()
    occurs = any(own == value or (own not in named and value not in named) for own in good)
    cells = model.schema_.cells(table.iloc[row])
    decided = model.explain(cells).decision
    before, after = (lead(model, who, decided) for who in (cells, {**cells, column: value}))
    return occurs and after > before + 1e-9


def values_of(condition: Any) -> tuple[Any, ...]:
    return condition.values if isinstance(condition, Membership) else ()


def lead(model: Any, cells: dict[str, Any], decided: Any) -> float:
    met = [rule for rule in model.rules_ if all(c.holds(cells[c.feature]) for c in rule.conditions)]
    return float(sum(rule.weight * ((rule.label == "grant") - (rule.label == decided)) for rule in met))


@FEW
@given(st.data(), tables, st.sampled_from([2, 3]))
def test_nothing_vague_is_told(data: st.DataObject, table: pd.DataFrame, n_classes: int) -> None:
    """A number that would better be lower or higher is left out, and a person looks where that is most of it."""
    classes = CLASSES[:n_classes]
    model = model_of(data.draw(rule_sets(classes)), table, classes)
    finder = ReasonFinder(model, "grant", background=table)
    lines = reasons_table(model, table, "grant", background=table, only_unfavourable=False)
    for row in range(len(table)):
        own, every = finder.find(table.iloc[row]), finder.find(table.iloc[row], wording=BOTH_WAYS, most=5)
        vague = [reason for reason in every.reasons if reason.finding == "middle"]
        weight = sum(reason.weight for reason in every.reasons)
        needs_person = sum(reason.weight for reason in vague) > 0.5 * weight + 1e-9
        assert own.status == ("manual review" if needs_person else every.status)
        assert own.status == lines["status"].iloc[row]
        assert set(own.left_out) == {reason.column for reason in vague}
        if own.reasons:
            assert [reason.text for reason in own.reasons] == [
                reason.text for reason in every.reasons if reason.finding != "middle"
            ][:4]


@FEW
@given(st.data(), tables, st.sampled_from([2, 3]))
def test_no_number_is_told_whose_people_fare_no_worse(data: st.DataObject, table: pd.DataFrame, n_classes: int) -> None:
    """Where nobody has said which numbers are better; counted here one person after the other."""
    classes = CLASSES[:n_classes]
    model = model_of(data.draw(rule_sets(classes)), table, classes)
    outcome = data.draw(st.lists(st.sampled_from(classes), min_size=len(table), max_size=len(table)))
    well = who_fares_well(table, outcome, "grant", special_values={"debt": [NOT_AN_AMOUNT]})
    finder = ReasonFinder(model, "grant", background=table)
    options: dict[str, Any] = {"faring_well": well, "wording": BOTH_WAYS}
    lines = reasons_table(model, table, "grant", background=table, **options, only_unfavourable=False)
    for row in range(len(table)):
        own, every = finder.find(table.iloc[row], **options), finder.find(table.iloc[row], wording=BOTH_WAYS)
        assert own.status == lines["status"].iloc[row]
        open_ones = {reason.column for reason in every.reasons if is_no_worse(table, outcome, row, reason)}
        assert not open_ones & {reason.column for reason in own.reasons}
        assert open_ones <= set(own.left_out) or own.status == "manual review"
        assert [text for text in lines.filter(like="reason ").iloc[row] if text] == (
            [reason.text for reason in own.reasons] or [MANUAL_REVIEW] * (own.status == "manual review")
        )


def is_no_worse(table: pd.DataFrame, outcome: list[str], row: int, reason: Any) -> bool:
    if reason.finding not in ("high", "low"):
        return False
    own, goods = table[reason.column].iloc[row], []
    for value, label in zip(table[reason.column], outcome, strict=True):
        is_amount = not pd.isna(value) and not (reason.column == "debt" and value == NOT_AN_AMOUNT)
        if is_amount and (value >= own if reason.finding == "high" else value <= own):
            goods.append(label == "grant")
    return len(goods) >= 5 and sum(goods) / len(goods) >= outcome.count("grant") / len(outcome)


# --- Advice -----------------------------------------------------------------------------------------------------

DIRECTIONS = st.sampled_from(["any", "up", "down"])
NOT_AN_AMOUNT = 9.0  # said to be a special code of debt


@st.composite
def what_can_change(draw: st.DrawFn) -> dict[str, Limit]:
    """Protected, only one way, in a range; whatever a dictionary may say."""
    limits = {
        name: Limit(
            changeable=draw(st.booleans()),
            direction=draw(DIRECTIONS),
            lowest=draw(st.sampled_from([-math.inf, 1.5])),
            from_nothing=draw(st.booleans()),
        )
        for name in NUMBERS
    }
    job = Limit(changeable=draw(st.booleans()), order=draw(st.sampled_from([None, *ORDERS[1:]])))
    return limits | {name: Limit(changeable=draw(st.booleans())) for name in WORDS} | {"job": job}


@MANY
@given(st.data(), tables, what_can_change(), st.sampled_from([2, 3]))
def test_advice_of_any_rules_can_be_followed(
    data: st.DataObject, table: pd.DataFrame, limits: dict[str, Limit], n_classes: int
) -> None:
    """Nothing that is to stay, no wrong way, no code, nothing that nobody has, and no word against a reason."""
    model = model_of(data.draw(rule_sets(CLASSES[:n_classes])), table, CLASSES[:n_classes])
    finder = FlipFinder(model, profiles_of(table, {"debt": [NOT_AN_AMOUNT]}), table)
    reasons = ReasonFinder(model, "grant", background=table)
    for row in np.flatnonzero(model.predict(table) != "grant")[:5].tolist():
        own = reasons.find(table.iloc[row])
        found = finder.find(table.iloc[row], "grant", limits=limits, reasons=own)
        assert_no_advice_against(own, found)
        assert bool(found.found) == (found.why == "")
        for flip in found.found:
            assert model.explain(flip.row).decision == "grant"
            assert flip.n_like_that >= 0.05 * flip.n_alike > 0
            for change in flip.changes:
                assert_can_be_done(change, limits[change.column], table)


def assert_can_be_done(change: Any, limit: Limit, table: pd.DataFrame) -> None:
    assert limit.changeable
    assert change.after in table[change.column].dropna().tolist()
    if limit.order is not None:
        assert limit.order.index(change.after) > limit.order.index(change.before)
    if change.column not in NUMBERS:
        return
    assert change.after >= limit.lowest
    assert limit.from_nothing or not change.before <= 0 < change.after
    if change.column == "debt":
        assert NOT_AN_AMOUNT not in (change.before, change.after)
    if not is_blank(change.before) and limit.direction != "any":
        assert (change.after > change.before) == (limit.direction == "up")


# --- Rules that were learned ------------------------------------------------------------------------------------


@FEW
@given(st.data(), tables, st.sampled_from([2, 3]), st.booleans())
def test_reasons_of_learned_rules_are_true(
    data: st.DataObject, table: pd.DataFrame, n_classes: int, is_fair: bool
) -> None:
    """Compared with the training rows as the model itself knows them, also after rules were left out."""
    rng = np.random.default_rng(data.draw(st.integers(0, 1000)))
    labels = rng.choice(CLASSES[:n_classes], len(table))
    assume(len(set(labels)) == n_classes)
    model = trained(table, labels, is_fair, rng)
    assert_all_is_true(model, table, ReasonFinder(model, "grant"))
    if len(model.rules_) > 2:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FairnessWarning)
            less = model.refit(without=model.rules_[:2])
        assert_all_is_true(less, table, ReasonFinder(less, "grant"))


def trained(table: pd.DataFrame, labels: np.ndarray, is_fair: bool, rng: np.random.Generator) -> Any:
    settings: dict[str, Any] = {"max_depth": 3, "max_iter": 3, "penalty": 0.05, "weight_threshold": 0.0}
    if not is_fair:
        return RUGClassifier(**settings).fit(table, labels)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FairnessWarning)
        fair = FairRUGClassifier(epsilon=0.1, min_cell_size=3, **settings)
        return fair.fit(table, labels, sensitive_features=rng.choice(["a", "b"], len(table)))


# --- What is held against them ----------------------------------------------------------------------------------


def assert_all_is_true(model: Any, table: pd.DataFrame, finder: ReasonFinder) -> None:
    """The scores are asked, and nothing else; the sensitive column is never named."""
    found = [finder.find(table.iloc[row], sensitive=["owner"]) for row in range(len(table))]
    told = [(row, reason) for row, own in enumerate(found) for reason in own.reasons]
    assert count_true(model, table, table, told, "grant") == len(told)
    assert all(reason.column != "owner" for _, reason in told)
    assert all(reason.weight > 0 and 0 < reason.share <= 1 + 1e-9 for _, reason in told)
    flips = FlipFinder(model, profiles_of(table))
    for row in [row for row, own in enumerate(found) if own.reasons][:6]:
        assert_no_advice_against(found[row], flips.find(table.iloc[row], "grant", reasons=found[row]))


def assert_no_advice_against(found: Reasons, flips: Any) -> None:
    finding = {reason.column: reason.finding for reason in found.reasons}
    for change in (change for flip in flips.found for change in flip.changes):
        if is_blank(change.after) or is_blank(change.before):
            continue
        if finding.get(change.column) == "high":
            assert change.after < change.before
        if finding.get(change.column) == "low":
            assert change.after > change.before


def test_the_oracle_sees_what_is_false() -> None:
    """A reason whose change moves nothing, and one whose words point the wrong way."""
    table = pd.DataFrame({"debt": [9.0, 0.5, 0.5], "job": ["cook", "nurse", "cook"]})
    rules = [Rule((Interval("debt", lower=5.0), Membership("job", (own,))), "refuse", 1.0) for own in ("cook", "nurse")]
    model = model_of(rules, table, share=(0.6, 0.4))
    true = ReasonFinder(model, "grant", background=table).find(table.iloc[0]).reasons[0]
    assert true.text == "debt is high"
    for column, finding, n_true in (
        ("debt", "high", 1),
        ("debt", "low", 0),
        ("debt", "middle", 0),
        ("job", "value", 0),
    ):
        told = [(0, type(true)(column, finding, "", 1.0, 1.0))]  # type: ignore[arg-type]
        assert count_true(model, table, table, told, "grant") == n_true, finding
