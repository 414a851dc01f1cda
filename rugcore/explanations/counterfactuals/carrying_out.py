"""Proposals as they can be carried out: a column that is worked out from others moves through them, and with them.

"Bring the ratio of loan to income down to 0.18" is no advice; "borrow 6,000 instead of 10,000, which makes the ratio
0.18" is. And whoever borrows less has another ratio, whether the advice spoke of it or not.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rugcore.explanations.counterfactuals.limits import FREE, Limit
from rugcore.explanations.counterfactuals.result import Change
from rugcore.explanations.people import ColumnProfile
from rugcore.tables.relations import Relation, relations_of
from rugcore.tables.table import Table, is_blank

MOST_ROWS = 20_000  # to find relations in
NEARLY = 1e-6  # of a number: as close as rounding leaves it


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

    relations: tuple[Relation, ...]
    profiles: Mapping[str, ColumnProfile]

    @classmethod
    def of(cls, table: Table, profiles: Mapping[str, ColumnProfile], used: Sequence[str]) -> "Workings":
        """`used` are the columns that rules look at: the others follow from nothing that matters."""
        some = table.take(np.arange(table.n_rows) % max(1, table.n_rows // MOST_ROWS) == 0)
        numbers = {
            name: np.where(np.isin(column, list(profiles[name].special)), np.nan, column)
            for name, column in _numbers_of(some)
        }
        return cls(tuple(own for own in relations_of(numbers) if own.column in used), profiles)

    def carried_out(
        self, changes: tuple[Change, ...], cells: Mapping[str, Any], limits: Mapping[str, Limit]
    ) -> CarriedOut | None:
        """The same proposal in what the person can do; None if they cannot."""
        relations = [own for own in self.relations if _holds(own, cells)]
        worked_out = {own.column: own for own in relations}
        done = {change.column: change for change in changes if change.column not in worked_out}
        for change in changes:
            relation = worked_out.get(change.column)
            if relation is not None and not done.keys() & set(relation.sources):
                moved = self._moved(relation, change, cells, limits)
                if moved is None:
                    return None
                done[moved.column] = moved
        follows = tuple(_following(relations, done, cells))
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

    def _moved(
        self, relation: Relation, wanted: Change, cells: Mapping[str, Any], limits: Mapping[str, Limit]
    ) -> Change | None:
        """The source that has least far to go for the column to be as wanted."""
        ways = [self._way(relation, source, wanted, cells, limits.get(source, FREE)) for source in relation.sources]
        return min((way for way in ways if way is not None), key=lambda way: way.cost, default=None)

    def _way(
        self, relation: Relation, source: str, wanted: Change, cells: Mapping[str, Any], limit: Limit
    ) -> Change | None:
        exact, profile = relation.source_for(source, float(wanted.after), cells), self.profiles[source]
        if exact is None or cells[source] in profile.special:
            return None
        scale = 10.0 ** (0 if limit.whole else profile.decimals)
        for value in (math.floor(exact * scale) / scale, math.ceil(exact * scale) / scale):
            reached = relation.value({**cells, source: value})
            goes_far_enough = reached is not None and (reached - wanted.after) * (wanted.after - wanted.before) >= 0
            step = profile.steps(cells[source], value)
            is_possible = _somebody_has(value, profile) and limit.is_near(cells[source], value, step)
            if goes_far_enough and is_possible and _may_become(limit, cells[source], value):
                return Change(source, cells[source], value, step)
        return None


def _numbers_of(table: Table) -> Iterator[tuple[str, np.ndarray]]:
    for position, (name, kind) in enumerate(zip(table.names, table.kinds, strict=True)):
        if kind == "number":
            yield name, table.column(position)


def _holds(relation: Relation, cells: Mapping[str, Any]) -> bool:
    """Whether it does for this person, too: where it does not, nobody knows what would follow."""
    if any(is_blank(cells[name]) for name in (relation.column, *relation.sources)):
        return False
    made = relation.value(cells)
    own = float(cells[relation.column])
    return made is not None and abs(made - own) <= 10.0**-relation.decimals + NEARLY * abs(own)


def _following(relations: Sequence[Relation], done: Mapping[str, Change], cells: Mapping[str, Any]) -> Iterator[Change]:
    after = {**cells, **{name: change.after for name, change in done.items()}}
    for relation in relations:
        if done.keys() & set(relation.sources):
            made = relation.value(after)
            yield Change(relation.column, cells[relation.column], math.nan if made is None else made, 0.0)


def _somebody_has(value: float, profile: ColumnProfile) -> bool:
    return bool(profile.numbers[0] <= value <= profile.numbers[-1]) and value not in profile.special


def _may_become(limit: Limit, before: float, after: float) -> bool:
    if not limit.changeable or not math.isfinite(after) or not limit.lowest <= after <= limit.highest:
        return False
    return limit.direction == "any" or (after >= before if limit.direction == "up" else after <= before)
