"""Suggestions name what is planted, and are silent on honest data."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import mannwhitneyu, norm
from sklearn.metrics import roc_auc_score

from rugcore.dictionary import (
    ColumnEntry,
    DataDictionary,
    Suggestion,
    accepted,
    subject_of,
    suggest,
    suggest_from_labels,
)
from rugcore.dictionary.directions import evidence
from rugcore.dictionary.special_codes import special_codes
from rugcore.dictionary.stand_ins import ProtectedGroups, protected_in
from rugcore.errors import InputError

N = 1_000


def honest() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)
    amounts = rng.lognormal(8, 1, N).round()
    return {
        "income": rng.lognormal(10, 0.6, N).round(),
        "zero inflated": np.where(rng.random(N) < 0.6, 0, amounts),
        "age to 99": np.minimum(rng.normal(60, 20, N).round().clip(18), 99),
        "percent": rng.integers(0, 101, N).astype(float),
        "count": rng.poisson(3, N).astype(float),
        "heavy tail": (rng.pareto(1.2, N) * 1000).round(),
        "balance": rng.normal(500, 2000, N).round(),
        "temperature": rng.normal(8, 6, N).round(),
        "scale": rng.integers(-3, 4, N).astype(float),
        "sign": rng.integers(-1, 2, N).astype(float),
        "longitude": rng.normal(-3, 2, N).round(2),
        "price": rng.choice([4.99, 9.99, 19.99, 49.99, 99.99], N),
        "whole price": rng.choice([9, 19, 49, 99, 999], N).astype(float),
        "capped": np.minimum(rng.lognormal(3, 1, N).round(), 99),
        "likert": rng.integers(1, 6, N).astype(float),
        "loan or none": np.where(rng.random(N) < 0.4, 0.0, rng.choice(np.arange(1000, 41000, 500), N)),
        "all blank": np.full(N, np.nan),
    }


def test_honest_numbers_are_no_codes() -> None:
    assert special_codes(honest()) == {}


@pytest.mark.parametrize(
    ("column", "code"),
    [
        *(("income", -9), ("income", 9_999_999), ("percent", 666), ("percent", 999), ("count", 99), ("count", -1)),
        *(("likert", 9), ("likert", -9), ("age to 99", 999), ("zero inflated", -8), ("capped", 9_999)),
    ],
)
def test_a_planted_code_is_found(column: str, code: float) -> None:
    numbers = honest()[column].copy()
    numbers[::20] = code
    found = special_codes({column: numbers})[column]
    assert [(item.value, item.n_rows) for item in found] == [(code, N // 20)]


def test_a_year_or_a_pressure_of_zero_is_a_code() -> None:
    years = np.random.default_rng(0).integers(1950, 2000, N).astype(float)
    years[:7] = 0
    assert [code.value for code in special_codes({"year": years})["year"]] == [0.0]


def test_several_codes_of_one_column_are_found_together() -> None:
    numbers = honest()["percent"].copy()
    numbers[:10], numbers[10:20], numbers[20:25] = 666, 999, 999_999
    assert [code.value for code in special_codes({"x": numbers})["x"]] == [666, 999, 999_999]


def test_a_code_that_is_rare_here_is_found_by_the_columns_that_have_it_often() -> None:
    columns = honest()
    often, rare = columns["percent"].copy(), columns["income"].copy()
    often[:50], rare[0] = -8, -8
    found = special_codes({"often": often, "rare": rare})
    assert [code.value for code in found["rare"]] == [-8]
    assert special_codes({"rare": rare}) == {}


def test_a_code_among_no_and_yes_is_found_even_once() -> None:
    flag = np.tile([0.0, 1.0], N // 2)
    far, negative, scale = flag.copy(), flag.copy(), flag.copy()
    far[0], negative[:5], scale[:5] = 666, -9, 9
    found = special_codes({"far": far, "negative": negative, "scale": scale, "plain": flag})
    assert {name: [code.value for code in codes] for name, codes in found.items()} == {"far": [666], "negative": [-9]}


def test_a_rare_code_is_found_if_two_columns_have_it() -> None:
    columns = {name: honest()[name] for name in ("percent", "count")}
    for own in columns.values():
        own[0] = 777
    assert {code.value for codes in special_codes(columns).values() for code in codes} == {777}
    assert special_codes({"percent": columns["percent"]}) == {}


def test_negative_numbers_next_to_the_others_are_codes_if_columns_have_them_together() -> None:
    rng = np.random.default_rng(0)
    months = {f"month {n}": rng.integers(0, 9, N).astype(float) for n in range(4)}
    apart = {name: np.where(rng.random(N) < 0.1, -2.0, own) for name, own in months.items()}
    apart = {name: np.where(rng.random(N) < 0.1, -1.0, own) for name, own in apart.items()}
    together = {name: own.copy() for name, own in months.items()}
    for own in together.values():
        own[:100], own[100:200] = -2, -1
    assert {tuple(c.value for c in codes) for codes in special_codes(together).values()} == {(-2.0, -1.0)}
    assert special_codes(apart) == {}


def test_the_test_of_directions_is_that_of_mann_and_whitney() -> None:
    rng = np.random.default_rng(0)
    numbers, is_good = rng.integers(0, 9, 300).astype(float), rng.random(300) < 0.4
    numbers[:5] = np.nan
    found = evidence(numbers, is_good)
    assert found is not None
    known = np.isfinite(numbers)
    groups = numbers[known & is_good], numbers[known & ~is_good]
    two_sided = mannwhitneyu(*groups, method="asymptotic", use_continuity=False).pvalue
    assert 2 * norm.sf(abs(found.deviation)) == pytest.approx(two_sided)
    assert (found.deviation > 0) == (mannwhitneyu(*groups).statistic > len(groups[0]) * len(groups[1]) / 2)


def table() -> pd.DataFrame:
    rng = np.random.default_rng(1)
    good = rng.random(N) < 0.7
    bureau = rng.integers(0, 60, N)
    bureau[rng.random(N) < 0.1] = -9
    return pd.DataFrame(
        {
            "id": [f"p{n}" for n in range(N)],
            "annualIncome": rng.lognormal(10, 0.5, N).round() + np.where(good, 20_000, 0),
            "savings": rng.lognormal(8, 0.5, N).round() + np.where(good, 0, 9_000),  # against its name
            "months_since_delinq": bureau,
            "sex": rng.choice(["f", "m"], N),
            "previous_loans": rng.integers(0, 4, N),
            "paid": np.where(good, "yes", "no"),
        }
    )


def said(found: list[Suggestion]) -> dict[tuple[str, str], object]:
    return {(item.column, item.what): item.value for item in found}


def test_everything_worth_saying_is_suggested_with_a_reason() -> None:
    found = suggest(table(), "paid", "yes")
    assert (
        said(found).items()
        >= {
            ("sex", "protected"): True,
            ("id", "left_out"): True,
            ("months_since_delinq", "special"): {-9.0: "code -9"},
            ("months_since_delinq", "past_fact"): True,
            ("previous_loans", "past_fact"): True,
            ("annualIncome", "effect"): "helps",
            ("annualIncome", "lowest"): 0.0,
            ("annualIncome", "label"): "annual income",
        }.items()
    )
    assert not any(item.column == "paid" for item in found)
    assert "the rows agree" in next(item.why for item in found if item.what == "effect")


def test_no_effect_is_suggested_against_what_the_rows_say() -> None:
    assert ("savings", "effect") not in said(suggest(table(), "paid", "yes"))
    without = next(item for item in suggest(table()) if (item.column, item.what) == ("savings", "effect"))
    assert without.why == "By its name ('savings') more of it should help; the rows were not asked."


def test_codes_are_left_out_when_the_rows_are_asked() -> None:
    """Taken as amounts, the codes of the favoured would say the opposite."""
    frame = table()
    rng = np.random.default_rng(2)
    good = frame["paid"] == "yes"
    frame["score"] = np.where(good, rng.normal(700, 30, N), rng.normal(650, 30, N)).round()
    frame.loc[rng.random(N) < np.where(good, 0.6, 0.1), "score"] = -9
    assert said(suggest(frame, "paid", "yes"))["score", "effect"] == "helps"


def test_a_question_about_a_column_does_not_keep_other_suggestions_back() -> None:
    """It may be refused: then the codes are still there to be told."""
    frame = table()
    is_code = (frame["paid"] == "yes") & (frame.index % 3 > 0)
    frame["months_since_delinq"] = np.where(is_code, -9, frame["months_since_delinq"].abs())
    found = said(suggest(frame, "paid", "yes"))
    assert {"left_out", "special"} <= {what for column, what in found if column == "months_since_delinq"}


def test_accepting_says_it_and_nothing_else() -> None:
    book = DataDictionary.blank(table().columns).with_entry("months_since_delinq", ColumnEntry(special={-8: "never"}))
    for item in suggest(table(), "paid", "yes"):
        changed = accepted(book, item)
        before, after = vars(book.entry(item.column)), vars(changed.entry(item.column))
        assert {name for name in after if after[name] != before[name]} == {item.what}
    codes = next(item for item in suggest(table()) if item.what == "special")
    assert accepted(book, codes).entry(codes.column).special == {-8.0: "never", -9.0: "code -9"}


def test_the_key_of_a_suggestion_is_the_same_whenever_it_is_made() -> None:
    first, second = suggest(table(), "paid", "yes"), suggest(table(), "paid", "yes")
    assert [item.key for item in first] == [item.key for item in second]
    assert len({item.key for item in first}) == len(first)


def test_a_favourable_outcome_must_occur() -> None:
    with pytest.raises(InputError, match="'maybe' does not"):
        suggest(table(), "paid", "maybe")


def test_effects_from_rows_alone_are_asked_about() -> None:
    rng = np.random.default_rng(4)
    length, noise = rng.integers(6, 60, N), rng.random(N)
    good = rng.random(N) < 1 - length / 80
    frame = pd.DataFrame({"runs": length, "noise": noise, "flag": rng.integers(0, 2, N), "ok": good.astype(int)})
    found = {(item.column, item.what): item for item in suggest(frame, "ok", 1)}
    assert found["runs", "effect"].value == "harms"
    assert "Its name does not tell, but the rows do" in found["runs", "effect"].why
    assert ("noise", "effect") not in found
    assert not [item for item in suggest(frame, "ok") if item.what == "effect"]  # nobody said which outcome is good


def test_numbers_that_say_yes_or_no_get_words() -> None:
    rng = np.random.default_rng(4)
    frame = pd.DataFrame(
        {
            "flag": rng.integers(0, 2, N).astype(float),
            "coded": rng.choice([0, 1, 666], N, p=[0.5, 0.48, 0.02]),
            "grade": rng.integers(0, 3, N),
            "approve": rng.integers(0, 2, N),
        }
    )
    found = {item.column: item for item in suggest(frame, "approve", 1) if item.what == "values"}
    assert {name: dict(item.value) for name, item in found.items()} == {
        "flag": {"0": "no", "1": "yes"},
        "coded": {"0": "no", "1": "yes"},
        "approve": {"1": "approved", "0": "not approved"},
    }
    book = DataDictionary.blank(frame.columns)
    for item in found.values():
        book = accepted(book, item)
    shown = book.applied(frame)
    assert set(shown["flag"]) == {"yes", "no"}
    assert set(shown["approve"]) == {"approved", "not approved"}
    kept = accepted(DataDictionary({"flag": ColumnEntry(values={"1": "owner"})}), found["flag"])
    assert kept.entry("flag").values == {"0": "no", "1": "owner"}  # what a person said stays


def test_labels_tell_what_names_did_not() -> None:
    book = DataDictionary(
        {
            "agey": ColumnEntry(label="years of age"),
            "tl8": ColumnEntry(label="times late"),
            "sex": ColumnEntry(label="sex"),
        }
    )
    found = suggest_from_labels(book)
    assert [(item.column, item.what) for item in found] == [("agey", "protected"), ("tl8", "past_fact")]
    assert "Its label says 'age'" in found[0].why


def test_a_column_that_gives_a_protected_one_away_is_named() -> None:
    rng = np.random.default_rng(6)
    sex = rng.choice(["f", "m"], N)
    title = np.where(rng.random(N) < 0.97, np.where(sex == "f", "w", "h"), "d")
    frame = pd.DataFrame(
        {"sex": sex, "form_of_address": title, "income": rng.lognormal(8, 1, N), "age": rng.integers(18, 80, N)}
    )
    found = [item for item in suggest(frame) if item.what == "protected"]
    assert {item.column for item in found} == {"sex", "age", "form_of_address"}
    (why,) = [item.why for item in found if item.column == "form_of_address"]
    assert why.startswith("It stands in for 'sex'")
    assert "99 of 100" in why  # almost


@pytest.mark.parametrize(
    ("name", "values", "order"),
    [
        ("work_life_balance", ["Good", "Bad", "Best", "Better"], ("Bad", "Good", "Better", "Best")),
        ("performance", ["Outstanding", "Low", "Good"], ("Low", "Good", "Outstanding")),
        ("savings", [">= 1000", "... < 100", "100 <= ... < 500"], ("... < 100", "100 <= ... < 500", ">= 1000")),
        ("debt", ["little", "none", "rich"], ("rich", "little", "none")),
        ("lender grade", ["A1", "C3", "B2"], ("C3", "B2", "A1")),  # the rows tell which end is the better one
        ("size", ["small", "large", "huge?"], ("small", "large")),  # what is no size has no place
    ],
)
def test_categories_are_put_in_order(name: str, values: list[str], order: tuple[str, ...]) -> None:
    """In a world where the better ones are granted more often; turned round, nothing is suggested against words."""
    rng = np.random.default_rng(7)
    column = rng.choice(values, 2_000)
    place = np.array([order.index(value) if value in order else 1 for value in column])
    is_good = rng.random(2_000) < 0.2 + 0.6 * place / len(order)
    table = pd.DataFrame({name: column, "decision": np.where(is_good, "yes", "no")})
    found = {item.column: item.value for item in suggest(table, "decision", "yes") if item.what == "order"}
    assert found == {name: order}
    turned = {item.value for item in suggest(table, "decision", "no") if item.what == "order"}
    assert turned in (set(), {order[::-1]})
    if name in ("work_life_balance", "performance", "savings", "debt"):
        assert not turned


@pytest.mark.parametrize("values", [["yes", "no"], ["car", "house"], ["A11", "A12"], ["good", "blue"]])
def test_other_categories_have_no_order(values: list[str]) -> None:
    rng = np.random.default_rng(8)
    column = rng.choice(values, 500)
    table = pd.DataFrame({"column": column, "decision": np.where(column == values[0], "yes", "no")})
    table.loc[rng.random(500) < 0.3, "decision"] = "yes"
    assert not [item for item in suggest(table, "decision", "yes") if item.what == "order"]


def lent() -> pd.DataFrame:
    """Rent and a district go with the outcome for other reasons, a guarantor for a good one."""
    rng = np.random.default_rng(11)
    n_rows = 3_000
    black, guarantor = rng.random(n_rows) < 0.3, rng.random(n_rows) < 0.4
    income = rng.lognormal(8, 0.4, n_rows).round()
    share = np.clip(rng.normal(np.where(black, 0.45, 0.3), 0.15), 0, 1).round(2)
    chance = 0.25 + 0.25 * guarantor + 0.00008 * income - 0.3 * share
    return pd.DataFrame(
        {
            "monthly_rent": (income * rng.uniform(0.2, 0.4, n_rows)).round(),
            "deposit": (income * rng.uniform(0.2, 0.4, n_rows)).round(),
            "district": share,
            "has_guarantor": guarantor.astype(int),
            "num_late": rng.integers(0, 2, n_rows),
            "black": black.astype(int),
            "paid_interest": rng.lognormal(3, 1, n_rows).round(),
            "decision": np.where(rng.random(n_rows) < chance, "yes", "no"),
        }
    )


def test_rows_alone_do_not_make_burdens_help_or_districts_harm() -> None:
    found = said(suggest(lent(), "decision", "yes"))
    assert found["deposit", "effect"] == "helps"
    assert ("monthly_rent", "effect") not in found
    assert ("district", "effect") not in found
    without = said(suggest(lent().drop(columns="black"), "decision", "yes"))
    assert without["district", "effect"] == "harms"  # nothing in the table tells whom it stands for


def test_how_far_groups_are_told_is_the_area_under_the_curve() -> None:
    table = lent()
    groups = ProtectedGroups.of(table, ["black"])
    for name in ("district", "deposit"):
        area = roc_auc_score(table["black"], table[name])
        assert groups.are_told_by(table[name].to_numpy(float)) == (max(area, 1 - area) >= 0.6)
        assert groups.are_told_by(-table[name].to_numpy(float)) == (max(area, 1 - area) >= 0.6)


def test_no_and_yes_are_told_with_the_better_one_last() -> None:
    table = lent()
    found = said(suggest(table, "decision", "yes"))
    assert found["has_guarantor", "order"] == ("0", "1")
    assert found["has_guarantor", "values"] == {"0": "no", "1": "yes"}
    assert ("has_guarantor", "effect") not in found
    assert said(suggest(table, "decision", "no"))["has_guarantor", "order"] == ("1", "0")
    assert found["num_late", "effect"] == "harms"  # none or one: a number of something
    assert ("num_late", "values") not in found


def test_what_is_filled_in_later_is_asked_about() -> None:
    found = {item.what: item for item in suggest(lent(), "decision", "yes") if item.column == "paid_interest"}
    assert found["left_out"].why.endswith("its name says 'paid interest'. Was it known before the decision?")
    assert "effect" not in found
    assert not [item for item in suggest(lent()) if item.column == "paid_interest" and item.what == "left_out"]


def test_a_title_is_protected_once() -> None:
    frame = pd.DataFrame({"sex": ["f", "m", "f"] * 100, "Title": ["Ms", "Mr", "Mrs"] * 100, "x": range(300)})
    found = [item for item in suggest(frame) if item.what == "protected"]
    assert [item.column for item in found] == ["sex", "Title"]
    assert found[1].why.startswith("Its values (mr, mrs, ms) tell of sex")


def test_the_subject_of_a_suggestion_can_be_read_off_its_key() -> None:
    for item in suggest(table(), "paid", "yes"):
        assert subject_of(item.key) == (item.column, item.what)


@pytest.mark.parametrize(
    ("name", "lowest", "highest", "is_said"),
    [
        *(("x4", 18, 80, True), ("ag", 21, 70, True), ("col_7", 17, 95, True)),
        *(("x4", 0, 80, False), ("x4", 18, 40, False), ("x4", 18, 400, False)),  # no adults; too few; no people
        *(("hours per week", 18, 80, False), ("LTV", 20, 100, False)),  # its name says what it is
    ],
)
def test_ages_are_known_by_their_values(name: str, lowest: int, highest: int, is_said: bool) -> None:
    numbers = np.random.default_rng(4).integers(lowest, highest + 1, 2_000)
    frame = pd.DataFrame({name: numbers, "x5": numbers + 0.5, "x6": 10 * numbers})
    found = protected_in(frame, list(frame.columns))
    assert list(found) == ([name] if is_said else [])
    assert all("look like ages" in why for why in found.values())
