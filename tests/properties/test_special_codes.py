"""Special codes in columns of numbers: kinds of their own, never amounts, and the text says whether one is meant."""

import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rugcore import (
    FairRUGClassifier,
    FlipFinder,
    ReasonFinder,
    RUGClassifier,
    choose_settings,
    column_profiles,
    load_model,
    load_pool,
    reasons_table,
    rule_stability,
    save_pool,
)
from rugcore.explanations import SimilarPeople
from rugcore.rules import Interval, IsSpecial, RuleSet, SpecialCode, condition_to_dict, words
from rugcore.rules.serial import condition_from_dict
from rugcore.tables import read_table
from rugcore.tables.special import special_codes
from tests.reading import holds

FEW = settings(max_examples=12)
MEANINGS = {-9.0: "no such record", -8.0: 'not "usable" or missing', 3.0: "3"}


@st.composite
def tables(draw: st.DrawFn) -> tuple[pd.DataFrame, list[str]]:
    """Numbers with codes below, above and among them, blanks, and an outcome that hangs on all of it."""
    n_rows = draw(st.integers(30, 90))
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    months = rng.integers(0, 7, n_rows).astype(float)
    cells = rng.choice([*MEANINGS, math.nan, 99.0], n_rows)
    months = np.where(rng.random(n_rows) < draw(st.sampled_from([0.1, 0.5])), cells, months)
    table = pd.DataFrame({"months": months, "debt": rng.integers(0, 4, n_rows)})
    good = np.isin(months, [-9.0, 3.0]) | ((months > 4) & (months < 90)) | (table["debt"] == 0)
    is_good = np.where(rng.random(n_rows) < 0.15, rng.random(n_rows) < 0.5, good)
    is_good[:2] = [True, False]
    return table, np.where(is_good, "yes", "no").tolist()


def trained(table: pd.DataFrame, labels: list[str], pricing: str = "tree") -> RUGClassifier:
    fields = {"max_iter": 4, "penalty": 0.05, "weight_threshold": 0, "min_support": 0, "pricing": pricing}
    return RUGClassifier(**fields, special_values={"months": MEANINGS}).fit(table, labels)


@FEW
@given(tables(), st.sampled_from(["tree", "exact"]))
def test_text_conditions_matcher_and_attribution_agree_about_every_cell(
    drawn: tuple[pd.DataFrame, list[str]], pricing: str
) -> None:
    table, labels = drawn
    model = trained(table, labels, pricing)
    cells = [*MEANINGS, math.nan, -10.0, -8.5, 0.0, 2.5, 4.0, 98.0, 99.0, 1e6]  # seen or not
    probe = pd.DataFrame({"months": np.repeat(cells, 4), "debt": np.tile(np.arange(4), len(cells))})
    covered = model.covering_rules(probe).toarray()
    cuts = model.rule_votes_.cuts
    met = [conjunction.met(cuts.codes(model.schema_.read(probe))) for conjunction in cuts.conjunctions]
    rows = [model.schema_.cells(row) for row in probe.to_dict("records")]
    for number, rule in enumerate(model.rules_):
        read = holds(str(rule), probe, {"months": MEANINGS})
        np.testing.assert_array_equal(read, covered[:, number], str(rule))
        np.testing.assert_array_equal(read, [rule.holds(row) for row in rows], str(rule))
        np.testing.assert_array_equal(read, met[number].all(axis=1), str(rule))
        in_columns = [condition.covers(probe[condition.feature].to_numpy(float)) for condition in rule.conditions]
        np.testing.assert_array_equal(read, np.logical_and.reduce(in_columns), str(rule))
    assert [str(rule) for rule in RuleSet.from_json(model.rules_.to_json())] == [str(rule) for rule in model.rules_]


@FEW
@given(tables())
def test_every_condition_survives_json(drawn: tuple[pd.DataFrame, list[str]]) -> None:
    for rule in trained(*drawn).rules_:
        for condition in rule.conditions:
            assert condition_from_dict(condition_to_dict(condition)) == condition


@settings(parent=FEW, max_examples=5)
@given(st.integers(0, 10_000), st.integers(1, 3))
def test_one_code_is_learned_from_as_a_blank_would_be(seed: int, depth: int) -> None:
    """What a blank is without codes, one code is without blanks: the same rules, the same decisions."""
    rng = np.random.default_rng(seed)
    months = rng.integers(0, 12, 80).astype(float)
    is_code = rng.random(80) < 0.3
    debt = rng.integers(0, 4, 80)
    labels = np.where((np.where(is_code, 9, months) + debt + rng.normal(0, 2, 80)) > 7, "yes", "no")
    labels[:2] = ["yes", "no"]
    blank = pd.DataFrame({"months": np.where(is_code, np.nan, months), "debt": debt})
    coded = blank.fillna({"months": -9})
    fields = {"max_depth": depth, "max_iter": 5}
    one = RUGClassifier(**fields).fit(blank, labels)
    other = RUGClassifier(**fields, special_values={"months": {-9: "nothing"}}).fit(coded, labels)
    assert other.objective_ == pytest.approx(one.objective_)
    np.testing.assert_array_equal(one.predict(blank), other.predict(coded))
    assert {str(rule) for rule in one.rules_} == {as_of_blanks(str(rule)) for rule in other.rules_}
    exact = {"max_depth": 1, "max_iter": 100, "pricing": "exact"}
    best = RUGClassifier(**exact).fit(blank, labels)
    best_coded = RUGClassifier(**exact, special_values={"months": {-9: "nothing"}}).fit(coded, labels)
    assert best.stop_reason_ == best_coded.stop_reason_ == "converged"
    assert best_coded.objective_ == pytest.approx(best.objective_)


def as_of_blanks(text: str) -> str:
    return text.replace('is not "nothing"', "is known").replace('"nothing"', "missing")


@settings(parent=FEW, max_examples=8)
@given(tables())
def test_codes_say_at_least_as_much_as_a_category_beside_blanked_numbers(drawn: tuple[pd.DataFrame, list[str]]) -> None:
    """Every rule of one condition over the two columns is one over the column with codes."""
    table, labels = drawn
    apart = pd.DataFrame(
        {
            "months": table["months"].where(~table["months"].isin([*MEANINGS])),
            "kind": table["months"].map(MEANINGS).where(table["months"].notna(), "blank").fillna("number"),
            "debt": table["debt"],
        }
    )
    fields = {"max_depth": 1, "penalty": 0.1, "pricing": "exact", "max_iter": 50}
    coded = RUGClassifier(**fields, special_values={"months": MEANINGS}).fit(table, labels)
    split = RUGClassifier(**fields).fit(apart, labels)
    assert coded.objective_ <= split.objective_ + 1e-6 or coded.stop_reason_ == "max_iter"
    assert coded.lower_bound_ is not None
    assert split.lower_bound_ is not None
    assert coded.lower_bound_ <= split.objective_ + 1e-6


@FEW
@given(tables())
def test_reasons_never_call_a_code_high_or_low_and_advice_never_names_one(
    drawn: tuple[pd.DataFrame, list[str]],
) -> None:
    table, labels = drawn
    model = trained(table, labels)
    finder = ReasonFinder(model, "yes")
    flips = FlipFinder(model, column_profiles(table, {"months": MEANINGS}))
    for row in table.drop_duplicates().to_dict("records"):
        for reason in finder.find(row).reasons:
            if reason.column == "months" and row["months"] in MEANINGS:
                assert reason.text == f'months: "{MEANINGS[row["months"]]}"'
                assert reason.finding == "special"
            elif reason.column == "months" and reason.finding in ("high", "low"):
                numbers = [0.0, 1.0, 2.0, 4.0, 5.0, 6.0, 99.0]
                side = [u for u in numbers if (u < row["months"]) == (reason.finding == "high")]
                score = model.decision_function(pd.DataFrame([row | {"months": u} for u in [row["months"], *side]]))
                assert (score[1:] > score[0]).any(), reason
        for flip in flips.find(row).found:
            assert all(change.column != "months" or change.after not in MEANINGS for change in flip.changes)
    people = SimilarPeople(model, table, "yes")
    for row in table.drop_duplicates().to_dict("records")[:5]:
        for item in (item for person in people.find(row, most=5) for item in person.differences):
            if item.column == "months":
                theirs, here = (in_words(value) for value in (item.theirs, item.here))
                assert str(item) == f"months: {theirs} instead of {here}"


def in_words(value: float) -> str:
    return "missing" if math.isnan(value) else MEANINGS.get(value) or words.cell(value)


def test_the_words_with_codes() -> None:
    none, unusable = SpecialCode(-9.0, "no such record"), SpecialCode(-8.0, "not usable")
    both = (none, unusable)
    assert str(Interval("m", upper=12.0, specials=both, or_special=(-9.0,))) == 'm <= 12 or "no such record"'
    assert str(Interval("m", upper=12.0, specials=both)) == "m <= 12"
    assert not Interval("m", upper=12.0, specials=both).holds(-9.0)
    two = Interval("m", 1.0, 12.0, True, both, (-9.0, -8.0))
    assert str(two) == '1 < m <= 12 or "no such record" or "not usable" or missing'
    assert str(Interval("m", specials=both, or_special=(-8.0,))) == 'm is not "no such record"'
    assert str(Interval("m", specials=both, or_missing=True)) == (
        'm is neither "no such record" nor "not usable", or missing'
    )
    assert str(Interval("m", specials=both, or_special=(-9.0, -8.0))) == "m is known"
    assert str(IsSpecial("m", (none,))) == 'm is "no such record"'
    assert str(IsSpecial("m", both, or_missing=True)) == 'm is "no such record" or "not usable", or missing'


def test_files_pools_and_other_tools_know_the_codes(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    months = np.where(rng.random(300) < 0.3, rng.choice([-9.0, -8.0], 300), rng.integers(0, 40, 300))
    table = pd.DataFrame({"months": months, "debt": rng.integers(0, 4, 300)})
    labels = np.where((months == -9) | (months > 20) ^ (rng.random(300) < 0.1), "yes", "no")
    codes = {"months": {-9: "no such record", -8: "not usable"}}
    model = RUGClassifier(special_values=codes, max_iter=3).fit(table, labels)
    assert any('"no such record"' in str(rule) for rule in model.rules_)
    model.save(tmp_path / "model.json")
    save_pool(model, tmp_path / "pool.npz")
    same = load_model(tmp_path / "model.json")
    assert same.special_values == codes
    np.testing.assert_array_equal(same.predict(table), model.predict(table))
    load_pool(same, tmp_path / "pool.npz")
    without = model.rules_[0]
    one, other = (each.refit(penalty=0.5, without=without) for each in (model, same))
    assert [str(rule) for rule in one.rules_] == [str(rule) for rule in other.rules_]
    assert reasons_table(same, table, "yes").equals(reasons_table(model, table, "yes"))
    curve = choose_settings(table, labels, depths=(1,), penalties=(1,), cv=2, special_values=codes, max_iter=2)
    assert curve.estimator().special_values == codes
    assert (rule_stability(model, table, labels, n_samples=2, random_state=0)["best_overlap"] > 0.5).all()
    fair = FairRUGClassifier(special_values=codes, max_iter=2, min_cell_size=2, epsilon=0.5)
    fair.fit(table, labels, sensitive_features=table["debt"] > 1)
    assert any(isinstance(c, IsSpecial) or c.specials for rule in fair.rules_ for c in rule.conditions)


def test_only_a_code_would_help_a_number() -> None:
    """Neither high nor low: any other number is as bad."""
    table = pd.DataFrame({"months": [-9.0, -9.0, 3.0, 8.0] * 20})
    model = RUGClassifier(special_values={"months": {-9: "no record"}}).fit(table, ["yes", "yes", "no", "no"] * 20)
    finder = ReasonFinder(model, "yes")
    assert [reason.text for reason in finder.find({"months": 8.0}).reasons] == ['months: "8"']


def test_meanings_tell_codes_apart() -> None:
    table = pd.DataFrame({"x": [-9.0, -8.0, -7.0, 1.0, 2.0, 3.0]})
    found = special_codes({"x": {-9: "none", -8: "none", -7: ""}}, read_table(table))
    assert [code.meaning for code in found["x"]] == ["none (-9)", "none (-8)", "-7"]
