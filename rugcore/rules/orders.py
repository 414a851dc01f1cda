"""Categories that go from worst to best, and which way a condition on them looks."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from rugcore.errors import InputError
from rugcore.rules.conditions import Membership

FEWEST = 2
# What is said of a column: 1 if more of it should help, -1 if it should harm, or its categories from worst to best.
SaidDirection = int | tuple[Any, ...]


def is_order(said: Any) -> bool:
    """Whether what is said of a column lists categories, and is no number."""
    return isinstance(said, list | tuple | np.ndarray)


def order_of(said: Sequence[Any], whose: str) -> tuple[Any, ...]:
    """The categories from worst to best; refused if there are none to compare, or one stands there twice."""
    order = tuple(item.item() if isinstance(item, np.generic) else item for item in said)
    if len(order) < FEWEST or len(set(order)) < len(order):
        raise InputError(
            f"Expected the categories {whose} from the worst to the best, each of them once and at least {FEWEST}, but "
            f"got {list(order)!r}."
        )
    return order


def turned_round(said: SaidDirection) -> SaidDirection:
    """The same for the other one of two classes.

    Parameters
    ----------
    said : int or tuple
        1, -1, or categories from worst to best.
    """
    return -said if isinstance(said, int) else said[::-1]


def sides_bounded(condition: Membership, order: Sequence[Any]) -> tuple[bool, bool]:
    """Whether it lets a category through and not all worse ones; and one and not all better ones."""
    holds = np.array([condition.holds(value) for value in order], dtype=bool)
    pairs = holds[1:].astype(int) - holds[:-1]
    return bool((pairs > 0).any()), bool((pairs < 0).any())
