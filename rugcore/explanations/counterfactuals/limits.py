"""What a person can do about a column."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

from rugcore.errors import InputError
from rugcore.explanations.people.profiles import ColumnProfile
from rugcore.explanations.reasons import Reasons
from rugcore.rules.orders import order_of
from rugcore.tables.schema import Schema

Direction = Literal["any", "up", "down"]
ONE_MORE = 1  # or one less, of whatever is counted, is never far


@dataclass(frozen=True)
class Limit:
    """What a person can do about one column; `FlipFinder.find` proposes nothing else.

    Parameters
    ----------
    changeable : bool, default=True
        False: the column stays as it is.
    direction : {"any", "up", "down"}, default="any"
        Where a number can go; age only goes "up".
    whole : bool or None, default=None
        Whole numbers only. Where the training rows hold nothing else, this is so anyway.
    lowest, highest : float
        The range of a number. It also never leaves what people in training have.
    values : tuple or None, default=None
        The categories that are possible, of those that people in training have; None: all of them.
    order : tuple or None, default=None
        Categories from the worst to the best: only a better one is proposed, and none that has no place there.
    next_only : bool, default=False
        Where there is an order: only the next better category, so that nobody is told to have many times as much.
    most_step : float, default=inf
        How far a number may go, as a share of the training people whom it passes.
    most_times : float, default=inf
        How many times a number above 0 may become as large, or as small: with 2, at most double and at least half.
    from_nothing : bool, default=True
        Whether somebody with 0 or less may be told to have more than 0: who has no assets cannot have some on Monday.
    may_become_blank : bool, default=False
        Whether to keep something back may be proposed; has an effect only where the rules speak of blanks.
    may_be_filled : bool, default=False
        Whether to fill in a blank may be proposed: who has no second income cannot have one on Monday.
    effort : float, default=1
        How many times a change costs what its steps say. To earn more is harder than to borrow less.
    if_less, if_more : str
        What has to be said with every proposal of less of it, or of more, because it brings along what the model was
        not asked about: a loan that is paid back in less time has larger instalments.
    """

    changeable: bool = True
    direction: Direction = "any"
    whole: bool | None = None
    lowest: float = -math.inf
    highest: float = math.inf
    values: tuple[Any, ...] | None = None
    may_become_blank: bool = False
    may_be_filled: bool = False
    effort: float = 1.0
    order: tuple[Any, ...] | None = None
    next_only: bool = False
    most_step: float = math.inf
    most_times: float = math.inf
    from_nothing: bool = True
    if_less: str = ""
    if_more: str = ""

    def consequence(self, before: Any, after: Any) -> str:
        """What has to be said with a change of a number; nothing of a category, and of a blank that is filled in.

        Parameters
        ----------
        before, after : object
            What somebody has, and what is proposed.
        """
        if not all(isinstance(value, int | float) for value in (before, after)) or before == after:
            return ""
        return self.if_less if after < before else self.if_more if after > before else ""

    def is_near(
        self, before: float, after: float, step: float, *, spread: float = math.inf, is_counted: bool = False
    ) -> bool:
        """Whether a number does not go too far. From a blank nothing is far, and nothing is reached but by filling in.

        Parameters
        ----------
        before, after : float
            The number that somebody has, and the one to be proposed.
        step : float
            The share of people between them.
        spread : float, default=inf
            The standard deviation of the column: with `most_times`, a number that is not above 0 goes no further.
        is_counted : bool, default=False
            Whether the column holds whole numbers: one more or one less of what is counted is never far.
        """
        if math.isnan(before):
            return self.may_be_filled
        if step > self.most_step or (before <= 0 < after and not self.from_nothing):
            return False
        is_one_more = is_counted and abs(after - before) <= ONE_MORE
        return is_one_more or self._is_within_times(before, after, spread)

    def _is_within_times(self, before: float, after: float, spread: float) -> bool:
        if not math.isfinite(self.most_times):
            return True
        if before <= 0:
            return abs(after - before) <= spread
        return before <= self.most_times * after <= self.most_times**2 * before

    def allows(self, before: Any, after: Any) -> bool:
        """Whether a category may become another one: one that is listed, and a better one where there is an order.

        From a blank, and from a category without a place, nothing is better.

        Parameters
        ----------
        before, after : label
            The category that somebody has, and the one to be proposed.
        """
        if self.values is not None and after not in self.values:
            return False
        if self.order is None:
            return True
        place = {value: number for number, value in enumerate(self.order)}
        if before not in place or place.get(after, -1) <= place[before]:
            return False
        return place[after] == place[before] + 1 or not self.next_only

    def steps(self, before: Any, after: Any) -> float | None:
        """How far apart two categories are, as a share of the whole order; None where there is none.

        Parameters
        ----------
        before, after : label
            The two.
        """
        if self.order is None or before not in self.order or after not in self.order:
            return None
        return abs(self.order.index(after) - self.order.index(before)) / (len(self.order) - 1)


FREE = Limit()
ANYTHING = Limit(may_be_filled=True)
# Where a number goes that is said to be too high, or too low.
TOWARDS: dict[str, Direction] = {"high": "down", "low": "up"}


def is_near(limit: Limit, before: float, after: float, profile: ColumnProfile) -> bool:
    """The same of a column as people in training have it."""
    step = 0.0 if math.isnan(before) else profile.steps(before, after)
    is_counted = profile.is_whole or bool(limit.whole)
    return limit.is_near(before, after, step, spread=profile.spread, is_counted=is_counted)


def agreeing(limits: Mapping[str, Limit], reasons: Reasons) -> dict[str, Limit]:
    """The limits, with no proposal that contradicts a reason: what is said to be too high is not to rise.

    A number that may only go the other way stays as it is.
    """
    found = dict(limits)
    for reason in reasons.reasons:
        own = found.get(reason.column, FREE)
        wanted = TOWARDS.get(reason.finding, own.direction)
        is_possible = own.direction in ("any", wanted)
        found[reason.column] = replace(own, direction=wanted) if is_possible else replace(own, changeable=False)
    return found


def checked(limits: Mapping[str, Limit], schema: Schema) -> Mapping[str, Limit]:
    for name, limit in limits.items():
        if name not in schema.names:
            raise InputError(f"Expected limits on columns of the model, but it has no column {name!r}.")
        _check(name, limit, is_number=schema.kinds[schema.names.index(name)] == "number")
    return limits


def _check(name: str, limit: Limit, is_number: bool) -> None:
    if not 0 < limit.effort < math.inf:
        raise InputError(f"Expected the effort of {name!r} to be a number above 0, but got {limit.effort!r}.")
    if limit.direction not in get_args(Direction):
        raise InputError(f"Expected the direction of {name!r} to be any, up or down, but got {limit.direction!r}.")
    if not limit.lowest <= limit.highest:
        raise InputError(f"Expected a range for {name!r}, but got {limit.lowest} to {limit.highest}.")
    has_range = math.isfinite(limit.lowest) or math.isfinite(limit.highest)
    if not is_number and (limit.direction != "any" or has_range):
        raise InputError(f"Column {name!r} holds no numbers: it cannot go up or down, or have a range.")
    if is_number and (limit.values is not None or limit.order is not None):
        raise InputError(f"Column {name!r} holds numbers: give it a lowest and a highest, not a list of values.")
    if limit.order is not None:
        order_of(limit.order, f"of {name!r}")
