"""The text never lies, whatever the numbers, names and categories are."""

import math
from random import Random

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rugcore import RUGClassifier
from rugcore.rules import Interval, IsMissing, Membership, Rule, words
from rugcore.tables.columns import CategoryColumn
from rugcore.tables.thresholds import readable_thresholds
from tests.reading import fits_in_gap, gap_around, holds, read_rule, significant_digits

FEW = settings(max_examples=25)
MANY = settings(max_examples=150)

finite = st.floats(allow_nan=False, allow_infinity=False)
texts = st.text(st.characters(exclude_categories=("Cs",)), max_size=12)
rule_like_texts = st.sampled_from(
    [
        "missing",
        "Missing",
        "known",
        "not car",
        "a or b",
        "a, b",
        "x <= 3",
        "a and b",
        "is",
        "",
        " ",
        " a",
        "a ",
        "(a",
        '6" pipe',
        "a\nb",
        "a\\",
        "café",
        "1,000",
        "3.5",
        "True",
        "a or missing",
        "a, or missing",
        "OR",
        "日本 語",
    ]
)
names = texts | rule_like_texts


@st.composite
def tiny_gaps(draw: st.DrawFn) -> list[float]:
    """Neighbours in the set of all floats."""
    number = draw(finite.filter(lambda x: abs(x) < 1e300))
    numbers = [number]
    for _ in range(draw(st.integers(1, 12))):
        numbers.append(float(np.nextafter(numbers[-1], math.inf)))
    return numbers


def columns_of(elements: st.SearchStrategy[float]) -> st.SearchStrategy[list[float]]:
    return st.lists(elements, min_size=4, max_size=40)


number_columns = st.one_of(
    columns_of(finite),
    columns_of(st.integers(-(2**53), 2**53)),
    columns_of(st.integers(-9, 9)),
    columns_of(st.sampled_from([0.1, 0.2, 0.30000000000000004, 0.3, 1e-300, -1e15, 42_000.0])),
    columns_of(st.floats(width=32, allow_nan=False, allow_infinity=False)),
    columns_of(st.decimals(-1000, 1000, places=2).map(float)),
    tiny_gaps().flatmap(lambda values: columns_of(st.sampled_from(values))),
)


# --- Numbers ----------------------------------------------------------------------------------------------------


@MANY
@given(finite)
def test_a_written_number_reads_back_as_itself(number: float) -> None:
    assert float(words.number(number).replace(",", "")) == number


@MANY
@given(finite)
def test_a_number_is_written_with_the_fewest_digits_that_identify_it(number: float) -> None:
    written = words.number(number)
    assert significant_digits(written) <= significant_digits(repr(number))


@MANY
@given(finite | st.sampled_from([0.0, 5e-324, 1.0, 2.0**-1022, 1e22, 2.0**60]), finite, st.integers(0, 5))
def test_a_threshold_separates_with_the_fewest_digits(one: float, other: float, n_steps: int) -> None:
    for step in range(n_steps):  # neighbours, or nearly so
        other = math.nextafter(other if step else one, math.inf)
    below, above = sorted((one, other))
    if below == above or math.isinf(above):
        return
    threshold = float(readable_thresholds(np.array([below]), np.array([above]))[0])
    digits = significant_digits(words.number(threshold))
    assert below <= threshold < above
    assert digits == 1 or not fits_in_gap(digits - 1, below, above)


# --- Rules that were learned ------------------------------------------------------------------------------------


@FEW
@given(number_columns, st.booleans(), st.booleans(), st.randoms(use_true_random=False))
def test_learned_thresholds_say_exactly_what_they_cover(
    numbers: list[float], is_single: bool, has_blanks: bool, random: Random
) -> None:
    column = np.array(numbers, dtype=np.float32 if is_single and max(map(abs, numbers)) < 1e38 else float)
    if has_blanks:
        column = np.where([random.random() < 0.3 for _ in numbers], np.nan, column)
    labels = [random.choice("ab") for _ in numbers]
    table = pd.DataFrame({"debt ratio": column, "order": np.arange(len(numbers)) % 3})
    model = trained(table, ["a", "b", *labels[2:]])
    covered = model.covering_rules(table).toarray()
    for position, rule in enumerate(model.rules_):
        np.testing.assert_array_equal(holds(str(rule), table), covered[:, position], str(rule))
        assert rule.coverage == pytest.approx(covered[:, position].mean())
        assert_fewest_digits(str(rule), table)


@FEW
@given(st.data())
def test_learned_words_say_exactly_what_they_cover(data: st.DataObject) -> None:
    name = data.draw(names)
    values = data.draw(st.lists(names, min_size=2, max_size=5, unique=True))
    cells = data.draw(st.lists(st.sampled_from([*values, None]), min_size=6, max_size=30))
    labels = data.draw(st.lists(st.sampled_from("abc"), min_size=len(cells) - 2, max_size=len(cells) - 2))
    table = pd.DataFrame({name: pd.Series(cells, dtype=object), f"{name}.": np.arange(len(cells)) % 4})
    model = trained(table, ["a", "b", *labels])
    covered = model.covering_rules(table).toarray()
    for position, rule in enumerate(model.rules_):
        assert {statement.name for statement in read_rule(str(rule))} <= set(table.columns)
        np.testing.assert_array_equal(holds(str(rule), table), covered[:, position], str(rule))


def trained(table: pd.DataFrame, labels: list[str]) -> RUGClassifier:
    return RUGClassifier(max_iter=2, penalty=0.01, weight_threshold=0).fit(table, labels)


def assert_fewest_digits(text: str, table: pd.DataFrame) -> None:
    for statement in read_rule(text):
        numbers = table[statement.name].to_numpy(float)
        for threshold in (statement.low, statement.high):
            if math.isinf(threshold):
                continue
            digits = significant_digits(words.number(threshold))
            below, above = gap_around(threshold, numbers)
            assert digits == 1 or not fits_in_gap(digits - 1, below, above), text


# --- Conditions of every form -------------------------------------------------------------------------------------


@st.composite
def conditions(draw: st.DrawFn, name: str) -> Interval | Membership | IsMissing:
    or_missing = draw(st.booleans())
    form = draw(st.sampled_from(["interval", "membership", "missing"]))
    if form == "interval":
        low, high = sorted(draw(st.lists(finite, min_size=2, max_size=2, unique=True)))
        sides = draw(st.sampled_from([(low, high), (-math.inf, high), (low, math.inf), (-math.inf, math.inf)]))
        return Interval(name, *sides, or_missing)
    if form == "missing":
        return IsMissing(name)
    negated = draw(st.booleans())
    values = draw(st.lists(names, min_size=0 if negated else 1, max_size=4, unique=True))
    return Membership(name, tuple(values), negated, or_missing)


@MANY
@given(st.data())
def test_a_person_who_reads_a_rule_covers_the_same_rows(data: st.DataObject) -> None:
    columns = data.draw(st.lists(names, min_size=1, max_size=3, unique=True))
    rule = Rule(tuple(data.draw(conditions(name)) for name in columns), "yes", 1.0)
    statements = read_rule(str(rule))
    assert [statement.name for statement in statements] == columns
    for condition, statement in zip(rule.conditions, statements, strict=True):
        cells = data.draw(st.lists(cells_for(condition), max_size=8))
        as_engine = np.array(cells, dtype=float if isinstance(condition, Interval) else object)
        read = statement.holds(pd.Series(cells, dtype=object))
        np.testing.assert_array_equal(read, condition.covers(as_engine), str(condition))


def cells_for(condition: Interval | Membership | IsMissing) -> st.SearchStrategy[object]:
    if isinstance(condition, Interval):
        at_the_edge = [bound for bound in (condition.lower, condition.upper) if math.isfinite(bound)]
        edges = st.sampled_from([*at_the_edge, math.nan])
        return edges | finite | st.just(math.nan)
    listed = list(condition.values) if isinstance(condition, Membership) else []
    return st.sampled_from([*listed, None]) | names


@MANY
@given(st.data())
def test_a_blank_cell_is_covered_exactly_if_the_text_says_so(data: st.DataObject) -> None:
    condition = data.draw(conditions("income"))
    blank = np.array([np.nan]) if isinstance(condition, Interval) else np.array([None], dtype=object)
    statement = read_rule(str(condition))[0]
    assert bool(condition.covers(blank)[0]) == statement.covers_blank


# --- Codes as conditions ----------------------------------------------------------------------------------------


@MANY
@given(
    st.lists(st.sampled_from("abcdefg"), unique=True, max_size=6), st.booleans(), st.lists(st.booleans(), min_size=9)
)
def test_a_set_of_codes_and_its_condition_cover_the_same_cells(
    values: list[str], has_unnamed: bool, allowed: list[bool]
) -> None:
    column = CategoryColumn("c", tuple(values), has_unnamed)
    is_allowed = np.zeros(256, dtype=bool)
    is_allowed[: column.n_codes] = allowed[: column.n_codes]
    cells = np.array([*values, None, *(["other"] if has_unnamed else [])], dtype=object)
    covered = is_allowed[column.codes(cells)]
    if covered.any():  # a rule that covers nothing is never made
        np.testing.assert_array_equal(column.condition(is_allowed).covers(cells), covered)


@MANY
@given(st.floats(-1e9, 1e9, width=32).map(float))
def test_what_was_meant_by_a_number_of_single_precision(value: float) -> None:
    """Nothing is lost: it is the same number there, and no shorter one is."""
    found = words.measured(value)
    assert np.float32(found) == np.float32(value)
    assert len(words.number(found)) <= len(words.number(value))


@MANY
@given(st.floats(1e-30, 1e9) | st.floats(-1e9, -1e-30))
def test_measured_numbers_keep_six_digits(value: float) -> None:
    found = words.measured(value)
    assert abs(found - value) <= 1e-5 * abs(value)
