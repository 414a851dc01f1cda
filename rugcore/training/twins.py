"""Two rules that are one.

Twins are rules for one class that are alike but for one column, and there one begins where the other ends: "ratio up to
0.4 and insured" and "ratio above 0.4 and insured" are "insured". With weights w_A >= w_B, the joined rule with weight
w_B and A with weight w_A - w_B say the same to everybody as the two did. The joined rule costs less than the two, so
that a linear program that has it to choose from never uses both.

Rules that overlap there, such as "hours above 40" and "hours up to 43", cannot simply be replaced: those in between
hear two votes. What both say together is another rule for the linear program to choose from, and often the better one.

Opposites are rules about the same people for the two classes. With weights w_A >= w_B, A with weight w_A - w_B decides
as the two did; to list both would tell people that the same fact speaks for and against them.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from rugcore.generation.candidates import Candidate, RuleKey
from rugcore.tables.columns import MISSING_CODE, CategoryColumn, Column

# What is left of a weight after another was taken from it is rounding below this share.
ROUNDING = 1e-9


@dataclass(frozen=True)
class Twins:
    """The numbers of two rules, and the one rule that they are."""

    first: int
    second: int
    joined: Candidate


def find_twins(
    rules: Sequence[Candidate],
    has_weight: np.ndarray,
    columns: Sequence[Column],
    has_blanks: np.ndarray,
    left_out: Collection[RuleKey] = (),
) -> list[Twins]:
    """Twins among the rules with weight, none in two pairs; a joined rule that was left out by the user stays out."""
    found: list[Twins] = []
    taken: set[int] = set()
    for feature, numbers in _alike_but_for_one_column(rules, np.flatnonzero(has_weight).tolist()):
        for first, second in combinations(numbers, 2):
            if taken & {first, second}:
                continue
            joined = _joined(rules[first], rules[second], feature, columns[feature], bool(has_blanks[feature]))
            if joined is not None and joined.key() not in left_out:
                found.append(Twins(first, second, joined))
                taken |= {first, second}
    return found


def find_unions(
    rules: Sequence[Candidate], has_weight: np.ndarray, columns: Sequence[Column], has_blanks: np.ndarray
) -> list[Candidate]:
    """What two rules with weight say together, wherever that is one rule which is not there yet; each once."""
    present = {rule.key() for rule in rules}
    found: dict[RuleKey, Candidate] = {}
    for feature, numbers in _alike_but_for_one_column(rules, np.flatnonzero(has_weight).tolist()):
        for first, second in combinations(numbers, 2):
            union = _union(rules[first], rules[second], feature, columns[feature], bool(has_blanks[feature]))
            if union is not None and union.key() not in present:
                found[union.key()] = union
    return list(found.values())


def transferred(weight: np.ndarray, twins: Sequence[Twins], rules: Sequence[Candidate]) -> np.ndarray:
    """The weights once the twins' common weight lies on their joined rules, which stand among the rules."""
    number = {rule.key(): j for j, rule in enumerate(rules)}
    weight = weight.copy()
    for pair in twins:
        common = min(weight[pair.first], weight[pair.second])
        for one in (pair.first, pair.second):
            left = weight[one] - common
            weight[one] = left if left > ROUNDING * common else 0.0
        weight[number[pair.joined.key()]] += common
    return weight


def find_opposites(rules: Sequence[Candidate], has_weight: np.ndarray) -> list[tuple[int, int]]:
    """The numbers of rules with weight that ask the same of people and vote for different classes, in pairs."""
    alike: dict[RuleKey, list[int]] = defaultdict(list)
    for number in np.flatnonzero(has_weight).tolist():
        alike[Candidate(rules[number].allowed, 0).key()].append(number)
    return [pair for numbers in alike.values() for pair in combinations(numbers, 2)]


def cancelled(weight: np.ndarray, opposites: tuple[int, int]) -> np.ndarray:
    """The weights once the opposites' common weight is gone from both."""
    numbers = list(opposites)
    weight, common = weight.copy(), weight[numbers].min()
    left = weight[numbers] - common
    weight[numbers] = np.where(left > ROUNDING * common, left, 0.0)
    return weight


def _alike_but_for_one_column(rules: Sequence[Candidate], numbers: list[int]) -> Iterator[tuple[int, list[int]]]:
    """Every column, with the rules that are alike but for what they ask of it."""
    alike: dict[tuple[int, RuleKey], list[int]] = defaultdict(list)
    for number in numbers:
        rule = rules[number]
        for feature in rule.allowed:
            others = {other: codes for other, codes in rule.allowed.items() if other != feature}
            alike[feature, Candidate(others, rule.class_code).key()].append(number)
    for (feature, _), members in alike.items():
        if len(members) > 1:
            yield feature, members


def _joined(one: Candidate, other: Candidate, feature: int, column: Column, has_blanks: bool) -> Candidate | None:
    """The rule that covers whom either covers; None if they overlap, or no single condition says it."""
    if (one.allowed[feature] & other.allowed[feature]).any():
        return None
    return _union(one, other, feature, column, has_blanks)


def _union(one: Candidate, other: Candidate, feature: int, column: Column, has_blanks: bool) -> Candidate | None:
    """The rule that covers whom either covers; None if no single condition says it."""
    both = one.allowed[feature] | other.allowed[feature]
    if not _is_one_condition(both, column):
        return None
    allowed = {other_feature: codes for other_feature, codes in one.allowed.items() if other_feature != feature}
    if not (_has_all_known(both, column) and (both[MISSING_CODE] or not has_blanks)):
        allowed[feature] = both
    return Candidate(allowed, one.class_code) if allowed else None


def _is_one_condition(allowed: np.ndarray, column: Column) -> bool:
    if isinstance(column, CategoryColumn):
        return True
    numbers = np.flatnonzero(allowed[1 : column.first_special])
    return bool((np.diff(numbers) == 1).all())


def _has_all_known(allowed: np.ndarray, column: Column) -> bool:
    """Whether every value that is not blank is allowed; a code for unnamed values counts if there are any."""
    last = column.unnamed_code + column.has_unnamed if isinstance(column, CategoryColumn) else column.n_codes
    return bool(allowed[1:last].all())
