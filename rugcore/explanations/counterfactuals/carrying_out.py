"""Proposals as they can be carried out: a column that is worked out from others moves through them, and with them.

"Bring the ratio of loan to income down to 0.18" is no advice; "borrow 6,000 instead of 10,000, which makes the ratio
0.18" is. And whoever borrows less has another ratio, whether the advice spoke of it or not. Nor is a price brought
below the loan that is to pay for it: the loan goes with it.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rugcore.explanations.counterfactuals.limits import FREE, Limit, is_near
from rugcore.explanations.counterfactuals.numbers import ROUNDING_ROOM, rounder_beyond
from rugcore.explanations.counterfactuals.result import Change
from rugcore.explanations.people import ColumnProfile
from rugcore.tables.orderings import Ordering, orderings_of
from rugcore.tables.relations import WorkedOut, relations_of
from rugcore.tables.table import Table, is_blank

MOST_ROWS = 20_000  # to find relations in
NEARLY = 1e-6  # of a number: as close as rounding leaves it
MOST_CARRIED_ALONG = 2  # columns that have to move so that others stay above or below them


@dataclass(frozen=True)
class CarriedOut:
    """What the person changes, and the columns that follow from it."""

    changes: tuple[Change, ...]
    follows: tuple[Change, ...] = ()

    @property
    def cost(self) -> float:
        return sum(change.cost for change in self.changes)


@dataclass(frozen=True, eq=False)
class Workings:
    """The relations between the columns, and what people have in each column."""

    relations: tuple[WorkedOut, ...]  # sources before what they make
    profiles: Mapping[str, ColumnProfile]
    orderings: tuple[Ordering, ...] = ()

    @classmethod
    def of(cls, table: Table, profiles: Mapping[str, ColumnProfile], used: Sequence[str]) -> "Workings":
        """`used` are the columns that rules look at; others count where these are worked out from them."""
        some = table.take(np.arange(table.n_rows) % max(1, table.n_rows // MOST_ROWS) == 0)
        numbers = {
            name: np.where(np.isin(column, list(profiles[name].special)), np.nan, column)
            for name, column in _numbers_of(some)
        }
        return cls(_on_the_way(relations_of(numbers), used), profiles, orderings_of(numbers))

    def carried_out(
        self, changes: tuple[Change, ...], cells: Mapping[str, Any], limits: Mapping[str, Limit]
    ) -> CarriedOut | None:
        """The same proposal in what the person can do; None if they cannot."""
        person = _Carrier(self, cells, limits, tuple(own for own in self.relations if _holds(own, cells)))
        done = person.moved_through_sources(changes)
        done = None if done is None else person.kept_in_order(done)
        if done is None:
            return None
        follows = tuple(_following(person.relations, done, cells))
        is_allowed = all(_may_become(limits.get(own.column, FREE), own.before, own.after) for own in follows)
        return CarriedOut(tuple(done.values()), follows) if is_allowed else None

    def left_behind(self, before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[Change, ...]:
        """Columns that no longer are what their sources make, and what they would be."""
        found = []
        for relation in self.relations:
            if _holds(relation, before) and not _holds(relation, after):
                made = relation.value(after) if not any(is_blank(after[name]) for name in relation.sources) else None
                if made is not None:
                    found.append(Change(relation.column, after[relation.column], made, 0.0))
        return tuple(found)


def _on_the_way(relations: Sequence[WorkedOut], used: Sequence[str]) -> tuple[WorkedOut, ...]:
    """Those that make a column that is used, or a source of one."""
    needed = set(used)
    kept = []
    for relation in reversed(relations):
        if relation.column in needed:
            needed |= set(relation.sources)
            kept.append(relation)
    return tuple(reversed(kept))


Done = dict[str, Change]


@dataclass(frozen=True, eq=False)
class _Carrier:
    """One row, and the relations that hold for it."""

    workings: Workings
    cells: Mapping[str, Any]
    limits: Mapping[str, Limit]
    relations: tuple[WorkedOut, ...]

    @property
    def worked_out(self) -> dict[str, WorkedOut]:
        return {own.column: own for own in self.relations}

    def moved_through_sources(self, changes: tuple[Change, ...]) -> Done | None:
        """Columns that are worked out move through their sources; where nobody knows how, they stay."""
        worked_out = self.worked_out
        unclear = {own.column for own in self.workings.relations} - worked_out.keys()
        if any(change.column in unclear for change in changes):
            return None
        done = {change.column: change for change in changes if change.column not in worked_out}
        for change in changes:
            relation = worked_out.get(change.column)
            if relation is not None and not done.keys() & self._behind(relation):
                moved = self._moved(relation, change, change)
                if moved is None:
                    return None
                done[moved.column] = moved
        return done

    def _behind(self, relation: WorkedOut) -> set[str]:
        """All columns that it is worked out from, over however many steps."""
        deeper = (self._behind(own) for name, own in self.worked_out.items() if name in relation.sources)
        return set(relation.sources).union(*deeper)

    def _moved(self, relation: WorkedOut, wanted: Change, goal: Change) -> Change | None:
        """The source that has least far to go for the column to be as wanted, and the goal behind it to be reached."""
        ways = [self._way(relation, source, wanted, goal) for source in relation.sources]
        return min((way for way in ways if way is not None), key=lambda way: way.cost, default=None)

    def _way(self, relation: WorkedOut, source: str, wanted: Change, goal: Change) -> Change | None:
        exact, own = relation.source_for(source, float(wanted.after), self.cells), float(self.cells[source])
        profile, limit = self.workings.profiles[source], self.limits.get(source, FREE)
        if exact is None or own in profile.special:
            return None
        if source in self.worked_out:
            return self._moved(self.worked_out[source], Change(source, own, exact, 0.0), goal)
        scale = 10.0 ** (0 if limit.whole else profile.decimals)
        either_side = math.floor(exact * scale) / scale, math.ceil(exact * scale) / scale
        for value in (*rounder_beyond(exact, own, profile, bool(limit.whole)), *either_side):
            change = self._change(source, value, goal.is_close)
            if change is not None and self._is_reached(goal, change):
                return change
        return None

    def _is_reached(self, goal: Change, change: Change) -> bool:
        follows = {own.column: own.after for own in _following(self.relations, {change.column: change}, self.cells)}
        reached = follows.get(goal.column, math.nan)
        return bool((reached - goal.after) * (goal.after - goal.before) >= 0)

    def _change(self, column: str, value: float, is_close: bool = False) -> Change | None:
        """To a number that somebody has and the person may come to have; else None."""
        own, profile, limit = self.cells[column], self.workings.profiles[column], self.limits.get(column, FREE)
        is_possible = _somebody_has(value, profile) and is_near(limit, own, value, profile)
        if not is_possible or not _may_become(limit, own, value):
            return None
        return Change(column, own, value, limit.effort * profile.steps(own, value), is_close)

    def kept_in_order(self, done: Done) -> Done | None:
        """With a price, the loan falls that would be above it; None where that cannot be."""
        orderings = [own for own in self.workings.orderings if self._keeps(own)]
        for _ in range(MOST_CARRIED_ALONG + 1):
            follows = {own.column: own.after for own in _following(self.relations, done, self.cells)}
            after = {**self.cells, **{name: own.after for name, own in done.items()}, **follows}
            broken = next((own for own in orderings if not own.is_kept(after)), None)
            if broken is None:
                return done
            stays = [name for name in (broken.lower, broken.upper) if name not in done and name not in follows]
            if len(stays) != 1 or stays[0] in self.worked_out:
                return None
            other = broken.lower if stays[0] == broken.upper else broken.upper
            along = self._change(stays[0], after[other], other in done and done[other].is_close)
            if along is None:
                return None
            done = {**done, along.column: along}
        return None

    def _keeps(self, ordering: Ordering) -> bool:
        """Whether both are amounts of this person, and in order."""
        names = ordering.lower, ordering.upper
        if any(
            is_blank(self.cells[name]) or self.cells[name] in self.workings.profiles[name].special for name in names
        ):
            return False
        return ordering.is_kept(self.cells)


def _numbers_of(table: Table) -> Iterator[tuple[str, np.ndarray]]:
    for position, (name, kind) in enumerate(zip(table.names, table.kinds, strict=True)):
        if kind == "number":
            yield name, table.column(position)


def _holds(relation: WorkedOut, cells: Mapping[str, Any]) -> bool:
    """Whether it does for this person, too: where it does not, nobody knows what would follow."""
    if any(is_blank(cells[name]) for name in (relation.column, *relation.sources)):
        return False
    made = relation.value(cells)
    own = float(cells[relation.column])
    return made is not None and abs(made - own) <= 10.0**-relation.decimals + NEARLY * abs(own)


def _following(
    relations: Sequence[WorkedOut], done: Mapping[str, Change], cells: Mapping[str, Any]
) -> Iterator[Change]:
    after = {**cells, **{name: change.after for name, change in done.items()}}
    changed = set(done)
    for relation in relations:
        if changed & set(relation.sources):
            made = relation.value(after)
            after[relation.column] = math.nan if made is None else made
            changed.add(relation.column)
            yield Change(relation.column, cells[relation.column], after[relation.column], 0.0)


def _somebody_has(value: float, profile: ColumnProfile) -> bool:
    """But for rounding, and not beyond what anybody has."""
    is_within = bool(profile.numbers[0] <= value <= profile.numbers[-1]) and value not in profile.special
    return is_within and bool(np.abs(profile.numbers - value).min() <= ROUNDING_ROOM * profile.spread)


def _may_become(limit: Limit, before: float, after: float) -> bool:
    if not limit.changeable or not math.isfinite(after) or not limit.lowest <= after <= limit.highest:
        return False
    return limit.direction == "any" or (after >= before if limit.direction == "up" else after <= before)
