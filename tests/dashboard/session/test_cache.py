"""What is worked out once: the same for everybody, bounded, and never for other arguments."""

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import pandas as pd
import pytest

from rugboard.session.cache import cached, clear_all


@dataclass(frozen=True, eq=False)
class Named:
    cache_key: str
    table: pd.DataFrame


def test_the_same_is_worked_out_once_and_not_copied() -> None:
    asked: list[int] = []

    @cached(entries=2)
    def listed(number: int, more: int = 0) -> list[int]:
        asked.append(number)
        return [number, more]

    assert listed(1) is listed(number=1)
    assert listed(1, 0) is listed(1)
    assert asked == [1]


def test_what_is_equal_but_not_the_same_is_kept_apart() -> None:
    @cached(entries=9)
    def kind(value: object) -> str:
        return type(value).__name__

    assert [kind(value) for value in (1, 1.0, True, "1", None)] == ["int", "float", "bool", "str", "NoneType"]


def test_an_object_is_known_by_its_key_not_by_its_tables() -> None:
    @cached(entries=9)
    def rows(of: Named) -> int:
        return len(of.table)

    short, long = pd.DataFrame({"a": range(3)}), pd.DataFrame({"a": range(9)})
    assert rows(Named("one", short)) == 3
    assert rows(Named("one", long)) == 3
    assert rows(Named("two", long)) == 9


def test_a_table_cannot_be_a_key() -> None:
    @cached(entries=1)
    def rows(table: pd.DataFrame) -> int:
        return len(table)

    with pytest.raises(TypeError, match="DataFrame without cache_key"):
        rows(pd.DataFrame())


def test_the_one_used_longest_ago_goes_first() -> None:
    asked: list[int] = []

    @cached(entries=2)
    def remember(number: int) -> None:
        asked.append(number)

    for number in (1, 2, 1, 3, 1, 2):
        remember(number)
    assert asked == [1, 2, 3, 2]


def test_of_many_who_ask_at_once_one_works() -> None:
    asked: list[int] = []

    @cached(entries=4)
    def slow(number: int) -> int:
        asked.append(number)
        time.sleep(0.05)
        return number

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(slow, [1, 2] * 8)) == [1, 2] * 8
    assert sorted(asked) == [1, 2]


def test_others_need_not_wait_for_somebody_elses_work() -> None:
    @cached(entries=4)
    def double(number: int) -> int:
        return number if number == 0 else 2 * number + double(0)

    assert double(1) == 2  # it asks for another answer in the middle of its own


def test_an_error_is_not_kept() -> None:
    asked: list[int] = []

    @cached(entries=4)
    def second_time_lucky(number: int) -> int:
        asked.append(number)
        if len(asked) == 1:
            raise OSError("The disk is busy.")
        return number

    with pytest.raises(OSError, match="busy"):
        second_time_lucky(7)
    assert second_time_lucky(7) == 7


def test_it_can_be_forgotten() -> None:
    asked: list[int] = []

    @cached(entries=4)
    def remember(number: int) -> None:
        asked.append(number)

    remember(1)
    remember.clear()
    remember(1)
    clear_all()
    remember(1)
    assert asked == [1, 1, 1]
