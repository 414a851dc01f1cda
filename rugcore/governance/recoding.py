"""Columns with further cuts and values, where a person wrote thresholds that training did not try.

A rule of a pool is a set of codes for each of its columns. A new cut splits a code in two; a value that had no code of
its own gets one. Old rules follow: they allow a new code where they allowed the old one that it came from. A column has
256 codes at most. Where they do not suffice, cuts and values that no rule of the pool uses make room.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from rugcore.errors import InputError
from rugcore.generation.candidates import Candidate, RuleKey
from rugcore.rules.conditions import Condition, Interval, Membership
from rugcore.rules.rule import Rule
from rugcore.tables.columns import MISSING_CODE, N_CODES, CategoryColumn, Column, NumberColumn
from rugcore.tables.matching import allowed_codes


@dataclass(frozen=True, eq=False)
class Recoding:
    """The columns afterwards, and of those that changed the old code behind each new one."""

    columns: tuple[Column, ...]
    old_code: Mapping[int, np.ndarray]

    @classmethod
    def for_rules(cls, rules: Sequence[Rule], columns: Sequence[Column], present: Sequence[Candidate]) -> "Recoding":
        """Such that the rules can be said in codes; `present` are the rules that must stay sayable."""
        new, old_code = list(columns), {}
        for place, column in enumerate(columns):
            conditions = [own for rule in rules for own in rule.conditions if own.feature == column.name]
            used = [rule.allowed[place] for rule in present if place in rule.allowed]
            changed = _extended(column, conditions, used)
            if changed is not None:
                new[place], old_code[place] = changed, _old_codes(column, changed)
        return cls(tuple(new), old_code)

    def candidate(self, rule: Candidate) -> Candidate:
        """A rule of the pool, in the new codes."""
        if not set(rule.allowed) & set(self.old_code):
            return rule
        allowed = {
            place: codes[self.old_code[place]] if place in self.old_code else codes
            for place, codes in rule.allowed.items()
        }
        return Candidate(allowed, rule.class_code)

    def key(self, key: RuleKey) -> RuleKey:
        return self.candidate(Candidate.of_key(key)).key()

    def written(self, rule: Rule, class_code: int) -> Candidate:
        """A rule that a person wrote, in the new codes."""
        place = {column.name: number for number, column in enumerate(self.columns)}
        allowed = {place[own.feature]: allowed_codes(own, self.columns[place[own.feature]]) for own in rule.conditions}
        return Candidate(allowed, class_code)


def meaning(rule: Candidate, columns: Sequence[Column]) -> RuleKey:
    """Equal for rules that cover the same of all rows with known values: codes that never occur do not count."""
    told = []
    for feature in sorted(rule.allowed):
        codes = rule.allowed[feature].copy()
        codes[_n_occurring(columns[feature]) :] = False
        told.append((feature, np.packbits(codes).tobytes()))
    return rule.class_code, tuple(told)


def _n_occurring(column: Column) -> int:
    return column.unnamed_code + column.has_unnamed if isinstance(column, CategoryColumn) else column.n_codes


def _extended(column: Column, conditions: Iterable[Condition], used: Sequence[np.ndarray]) -> Column | None:
    """The column with what the conditions name; None if it has that already."""
    if isinstance(column, NumberColumn):
        intervals = [own for own in conditions if isinstance(own, Interval)]
        bounds = {float(bound) for own in intervals for bound in (own.lower, own.upper) if np.isfinite(bound)}
        return _with_cuts(column, bounds, used) if bounds - set(column.cuts.tolist()) else None
    values = {value for own in conditions if isinstance(own, Membership) for value in own.values}
    return _with_values(column, values, used) if values - set(column.values) else None


def _with_cuts(column: NumberColumn, bounds: set[float], used: Sequence[np.ndarray]) -> NumberColumn:
    cuts = column.cuts
    most = N_CODES - 2 - len(column.specials)
    if len(set(cuts.tolist()) | bounds) > most:
        is_used = np.zeros(len(cuts), dtype=bool)
        for codes in used:
            is_used |= codes[1 : len(cuts) + 1] != codes[2 : len(cuts) + 2]
        cuts = cuts[is_used]
    wanted = np.array(sorted(set(cuts.tolist()) | bounds))
    if len(wanted) > most:
        raise InputError(
            f"Expected at most {most} different thresholds of {column.name!r} in all rules together, but there would "
            f"be {len(wanted)}. Use thresholds that other rules have."
        )
    return NumberColumn(column.name, wanted, column.specials)


def _with_values(column: CategoryColumn, values: set[object], used: Sequence[np.ndarray]) -> CategoryColumn:
    ordered, most = column.values[: column.n_ordered], N_CODES - 2
    named = set(column.values)
    if len(named | values) > most:
        rest = [codes[column.unnamed_code] for codes in used]
        alike = [all(codes[code] == own for codes, own in zip(used, rest, strict=True)) for code in _codes(column)]
        named = {value for value, is_like_rest in zip(column.values, alike, strict=True) if not is_like_rest}
        named |= set(ordered)
    if len(named | values) > most:
        raise InputError(
            f"Expected at most {most} different values of {column.name!r} in all rules together, but there would be "
            f"{len(named | values)}. Name fewer values."
        )
    others = sorted((named | values) - set(ordered), key=str)
    return CategoryColumn(column.name, (*ordered, *others), column.has_unnamed, column.n_ordered)


def _codes(column: CategoryColumn) -> range:
    return range(1, column.unnamed_code)


def _old_codes(old: Column, new: Column) -> np.ndarray:
    """For each of the 256 new codes; those that never occur follow the last number, or the values without a name."""
    if isinstance(old, NumberColumn):
        assert isinstance(new, NumberColumn)
        codes = np.full(N_CODES, old.first_special - 1)
        highest = np.append(new.cuts, np.inf)  # of the numbers behind each code
        codes[1 : new.first_special] = np.searchsorted(old.cuts, highest, side="left") + 1
        codes[new.first_special : new.n_codes] = np.arange(old.first_special, old.n_codes)
    else:
        assert isinstance(new, CategoryColumn)
        codes = np.full(N_CODES, old.unnamed_code)
        number = {value: code for code, value in enumerate(old.values, start=1)}
        codes[1 : new.unnamed_code] = [number.get(value, old.unnamed_code) for value in new.values]
    codes[MISSING_CODE] = MISSING_CODE
    return codes
