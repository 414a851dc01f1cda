"""Which columns are true reasons, and in which words: found from the rules, checked by changing one column alone.

Somebody was decided for class d, and class f would have served them well. Let v_k be the votes of the rules for k. A
column is a true reason if

1. it speaks against the applicant: its Shapley value for v_d - v_f, against the people decided for f, is above 0;
2. moved alone to some value that occurs among those people, it raises v_f - v_d;
3. its words point where that change goes: a number "is high" only if lower ones would help, and higher ones would not.
   A special code, such as -9 for "no such record", is neither high nor low, and is no lower or higher number.
   Categories that go from worst to best are found high or low in the same way: "low" if a better one would help.
   Where most of the people decided for f have no lower number themselves, it is "high for this application": lower ones
   would help this person, with everything else as it is.

For the second, a column matters only through the rules on it whose other conditions the applicant meets. With C(j)
these rules, each of weight w_r and of sign s_r (1 if it votes for f, -1 if for d, else 0), moving column j to
the value u gives

    v_f - v_d  =  constant + sum over r in C(j) of s_r w_r [u meets the condition of r],

so that all values of a column, as far as rules tell them apart, are tried at once.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

import numpy as np

from rugcore.attribution import Reference, RuleVotes
from rugcore.attribution.cuts import BLANK, CutColumn
from rugcore.explanations.attributions import LEAST_SHARE
from rugcore.explanations.reasons.wording import Finding

FINDINGS: tuple[Finding, ...] = get_args(Finding)
NONE = -1  # no change of the column alone would help
MOST = 0.5  # of the people compared with


@dataclass(frozen=True, eq=False)
class Places:
    """Of a column whose categories go from worst to best: where everybody stands, and where each code lies.

    Categories that no rule names share a code, so that a code has a lowest and a highest place. NaN: no place.
    """

    own: np.ndarray  # by row
    lowest: np.ndarray  # by code
    highest: np.ndarray

    @classmethod
    def of(cls, column: CutColumn, order: Sequence[Any], cells: Sequence[Any]) -> "Places":
        place = {value: float(number) for number, value in enumerate(order)}
        unnamed = [number for value, number in place.items() if value not in column.values]
        ends = [(place.get(value, np.nan),) * 2 for value in column.values]
        ends += [(min(unnamed), max(unnamed)) if unnamed else (np.nan, np.nan)]
        by_code = np.array([(np.nan, np.nan), *ends])
        own = np.array([place.get(cell, np.nan) for cell in cells], dtype=float)
        return cls(own, by_code[:, 0], by_code[:, 1])


@dataclass(frozen=True, eq=False)
class ColumnFindings:
    """By row and column that rules look at."""

    weight: np.ndarray  # what the column adds to the votes for the decision, less those for the favourable class
    finding: np.ndarray  # number in `FINDINGS`, or `NONE`
    is_against: np.ndarray  # whether it is a true reason
    less: np.ndarray  # of numbers: the share of the people compared with who have less, as far as rules tell them apart
    more: np.ndarray

    def is_relative(self, row: int, column: int) -> bool:
        """Whether a number is high or low only for this person: most of those compared with are no better there."""
        better = {"high": self.less, "low": self.more}.get(FINDINGS[self.finding[row, column]])
        return better is not None and bool(better[row, column] < MOST)

    @property
    def total(self) -> np.ndarray:
        """By row, what all columns that speak against the applicant add up to."""
        total: np.ndarray = np.maximum(self.weight, 0.0).sum(axis=1)
        return total


def column_findings(
    votes: RuleVotes,
    reference: Reference,
    codes: np.ndarray,
    decided: np.ndarray,
    favourable: int,
    places: Mapping[int, Places],
) -> ColumnFindings:
    """Of rows that were all `decided` for another class than the `favourable` one.

    `places` are those of the columns, by number, whose categories go from worst to best.
    """
    values = votes.values(reference.background(favourable), codes)
    weight = np.take_along_axis(values, decided[:, None, None], axis=2)[:, :, 0] - values[:, :, favourable]
    least = LEAST_SHARE * votes.amounts.sum()
    occurs = reference.occurs(favourable)
    met = [conjunction.met(codes) for conjunction in votes.cuts.conjunctions]
    finding = np.full(weight.shape, NONE, dtype=np.int8)
    less, more = np.zeros(weight.shape), np.zeros(weight.shape)
    for number, column in enumerate(votes.cuts.columns):
        people = np.where(column.is_amount(np.arange(column.n_codes)), reference.occurring[number][:, favourable], 0.0)
        shares = people / max(people.sum(), np.finfo(float).tiny)
        less[:, number] = (np.cumsum(shares) - shares)[codes[number]]
        more[:, number] = (np.cumsum(shares[::-1])[::-1] - shares)[codes[number]]
        gains = _gains(votes, met, number, codes[number], decided, favourable)
        helps = (gains > least) & occurs[number]
        finding[:, number] = _in_words(helps, codes[number], column, places.get(number))
    return ColumnFindings(weight, finding, (weight > least) & (finding != NONE), less, more)


def _gains(
    votes: RuleVotes, met: Sequence[np.ndarray], column: int, own: np.ndarray, decided: np.ndarray, favourable: int
) -> np.ndarray:
    """(rows, codes): by how much votes move towards the favourable class if the column alone had that code."""
    pushes, allowed = [], []
    for number, conjunction in enumerate(votes.cuts.conjunctions):
        if column not in conjunction.columns:
            continue
        place = conjunction.columns.index(column)
        rest = np.delete(met[number], place, axis=1).all(axis=1)
        side = float(votes.rule_classes[number] == favourable) - (votes.rule_classes[number] == decided)
        pushes.append(votes.cuts.rules[number].weight * side * rest)
        allowed.append(conjunction.allowed[place])
    after = np.column_stack(pushes) @ np.array(allowed, dtype=float)
    gains: np.ndarray = after - np.take_along_axis(after, own[:, None], axis=1)
    return gains


def _in_words(helps: np.ndarray, own: np.ndarray, column: CutColumn, places: Places | None) -> np.ndarray:
    """What to say of each row, given which codes of the column would help (rows, codes)."""
    code = np.arange(helps.shape[1])
    blank_helps, known_helps = helps[:, BLANK], helps[:, BLANK + 1 :].any(axis=1)
    said: list[tuple[Any, Finding]] = [((own == BLANK) & known_helps, "missing")]
    if column.is_number:
        amount_helps = helps & column.is_amount(code)
        lower_helps = (amount_helps & (code < own[:, None])).any(axis=1)
        higher_helps = (amount_helps & (code > own[:, None])).any(axis=1)
        said += [((own >= column.first_special) & (known_helps | blank_helps), "special")]
        said += [(lower_helps & higher_helps, "middle"), (lower_helps, "high"), (higher_helps, "low")]
        said += [(known_helps, "value")]  # a special code would help, and no other number
    else:
        if places is not None:
            worse_helps = (helps & (places.lowest < places.own[:, None])).any(axis=1)
            better_helps = (helps & (places.highest > places.own[:, None])).any(axis=1)
            said += [(worse_helps & better_helps, "middle"), (worse_helps, "high"), (better_helps, "low")]
        said += [(known_helps, "value")]
    said += [(blank_helps, "known")]
    return np.select([where for where, _ in said], [FINDINGS.index(finding) for _, finding in said], NONE)
