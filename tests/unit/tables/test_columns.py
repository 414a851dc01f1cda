"""A set of codes, the condition it reads as, and the cells of the table must tell the same story."""

from itertools import product

import numpy as np
import pytest

from rugcore.rules import IsMissing, Membership
from rugcore.tables.columns import MOST_BINS, MOST_NAMED_VALUES, N_CODES, CategoryColumn, NumberColumn


def allowed(codes: list[int]) -> np.ndarray:
    is_allowed = np.zeros(N_CODES, dtype=bool)
    is_allowed[codes] = True
    return is_allowed


def test_codes_of_numbers() -> None:
    column = NumberColumn("x", np.array([1.0, 2.0]))
    assert column.codes(np.array([0.0, 1.0, 1.5, 2.0, 2.1, np.nan])).tolist() == [1, 1, 2, 2, 3, 0]
    assert column.n_codes == 4


@pytest.mark.parametrize("with_blank", [False, True])
@pytest.mark.parametrize(("first", "last"), [(a, b) for a, b in product(range(1, 6), repeat=2) if a <= b])
def test_every_run_of_codes_reads_as_the_interval_it_is(first: int, last: int, with_blank: bool) -> None:
    column = NumberColumn("x", np.array([-1.0, 0.0, 0.1, 30.0]))
    numbers = np.array([-9.0, -1.0, -0.5, 0.0, 0.05, 0.1, 7.0, 30.0, 31.0, np.nan])
    codes = allowed([*range(first, last + 1), *([0] if with_blank else [])])
    covered = column.condition(codes).covers(numbers)
    np.testing.assert_array_equal(covered, codes[column.codes(numbers)])


def test_blank_alone_reads_as_missing() -> None:
    assert column_of("ab").condition(allowed([0])) == IsMissing("c")
    assert NumberColumn("x", np.array([1.0])).condition(allowed([0])) == IsMissing("x")


def column_of(values: str, has_unnamed: bool = False) -> CategoryColumn:
    return CategoryColumn("c", tuple(values), has_unnamed)


@pytest.mark.parametrize("has_unnamed", [False, True])
@pytest.mark.parametrize("choice", list(product([False, True], repeat=6)))
def test_every_set_of_categories_reads_as_what_it_covers(choice: tuple[bool, ...], has_unnamed: bool) -> None:
    column = column_of("abcd", has_unnamed)
    codes = np.zeros(N_CODES, dtype=bool)
    codes[:6] = choice  # blank, a, b, c, d, not named
    cells = np.array([None, *"abcd", *(["z"] if has_unnamed else [])], dtype=object)
    covered = codes[column.codes(cells)]
    if covered.any():
        np.testing.assert_array_equal(column.condition(codes).covers(cells), covered)


def test_the_shorter_list_is_written() -> None:
    assert str(column_of("abcd").condition(allowed([1]))) == "c is a"
    assert str(column_of("abcd").condition(allowed([1, 2, 3]))) == "c is not d"
    assert str(column_of("abcd").condition(allowed([1, 2, 3, 4]))) == "c is known"
    assert str(column_of("abcd").condition(allowed([0, 1, 2, 3]))) == "c is not d, or missing"


def test_values_without_a_name_are_reached_by_is_not_and_by_nothing_else() -> None:
    some = column_of("abcd", has_unnamed=True)
    assert some.condition(allowed([1, 2, 3])) == Membership("c", ("a", "b", "c"))
    assert some.condition(allowed([5])) == Membership("c", tuple("abcd"), negated=True)
    assert some.condition(allowed([4, 5])) == Membership("c", tuple("abc"), negated=True)


def test_codes_of_categories() -> None:
    column = CategoryColumn("c", ("a", "b"))
    cells = np.array(["b", None, "a", "z"], dtype=object)
    assert column.codes(cells).tolist() == [2, 0, 1, 3]
    assert CategoryColumn("c", ()).codes(cells).tolist() == [1, 0, 1, 1]


def test_a_byte_holds_every_code() -> None:
    assert NumberColumn("x", np.arange(MOST_BINS - 1.0)).n_codes <= N_CODES
    assert CategoryColumn("c", tuple(range(MOST_NAMED_VALUES))).n_codes <= N_CODES
