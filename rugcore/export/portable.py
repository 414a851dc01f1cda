"""What every export says, whatever its language: columns, tests, rules, weights in whole units, ties and defaults.

Why an export decides as `predict` does
---------------------------------------
*Whether a rule applies* takes only comparisons of a cell with a constant. A condition is rewritten as alternatives of
tests (`CellTest`), each of which is false for a blank, but for the test for blanks. A number is compared as a double,
with the very double that the model has: thresholds are written with all the digits that they need.

*The votes* are added up in whole units instead of floats. A trained weight has at most twelve decimal digits; it is
multiplied by a power of ten that makes all weights whole, and all of them together at most `MOST_UNITS`. Sums of whole
numbers below 2**53 are exact in doubles, in integers and in decimals, and in any order: all languages see the same
votes, and so do spreadsheets, which keep 15 digits.

*Ties.* The engine adds floats, and calls two sums the same if they differ by at most `TIE_TOLERANCE` of the votes of
the row. Exports ask the same of whole units. Rounding in the engine moves the difference by less than (n + 3) / 2**53
of the votes, which is 1e-13 for a thousand rules. Hence the two can only disagree where a difference lies within 1e-13
of the tolerance, relative to the votes: a true tie is far below (at most 1e-13), and two different sums of weights
would have to agree in their first nine digits to come near it. Weights that are not short decimals (rules made by hand)
are rounded to units; if that could move a difference by more than `MOST_ROUNDING`, the model is refused.

*Defaults.* Who wins a tie follows from the shares of the classes in training; what becomes of a row that no rule
covers is asked of the model itself, with a row that no rule covers.
"""

import math
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Any, Literal

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from rugcore.errors import InputError
from rugcore.persistence import digest_of
from rugcore.rules import words
from rugcore.rules.conditions import Condition, Interval, IsMissing, IsSpecial, Membership
from rugcore.rules.rule import Rule
from rugcore.rules.serial import plain
from rugcore.rules.special import SpecialCodes

MOST_UNITS = 10**15  # a spreadsheet keeps 15 digits; a double holds whole numbers up to 2**53, which is nine times this
MOST_DECIMALS = 300  # of a unit; beyond, it is no normal double
MOST_ROUNDING = 5e-10  # of the lightest weight: half of what the tolerance for ties forgives
LARGEST_WHOLE = 2**53  # from here on doubles skip whole numbers

Kind = Literal["number", "category", "boolean", "code"]
Said = Literal["above", "up to", "equal", "different", "known", "blank"]


@dataclass(frozen=True)
class CellTest:
    """One comparison of one column with a constant. Only "blank" holds for a blank cell."""

    column: int  # place among the columns of the export
    said: Said
    value: Any = None


Alternatives = tuple[tuple[CellTest, ...], ...]  # any of these must hold, each of them as a whole


@dataclass(frozen=True)
class PortableColumn:
    """A column that some rule looks at."""

    name: str
    kind: Kind
    specials: SpecialCodes = ()


@dataclass(frozen=True)
class PortableRule:
    """A rule as tests: all `conditions` must hold, each in one of its alternatives."""

    conditions: tuple[Alternatives, ...]
    class_code: int
    units: int
    text: str


@dataclass(frozen=True)
class PortableModel:
    """A trained model as exports write it."""

    version: str
    columns: tuple[PortableColumn, ...]
    rules: tuple[PortableRule, ...]
    classes: tuple[Any, ...]
    by_share: tuple[int, ...]  # class codes, the largest training share first: who wins ties
    default: int  # class code of rows that no rule covers
    decimals: int  # a weight is its units / 10**decimals
    source: Any  # the model itself, which says what is right

    @classmethod
    def of(cls, model: Any) -> "PortableModel":
        from rugcore import __version__

        check_is_fitted(model, "rules_")
        columns = _columns(model)
        place = {column.name: number for number, column in enumerate(columns)}
        classes = tuple(plain(label) for label in model.classes_.tolist())
        decimals, units = whole_units([rule.weight for rule in model.rules_])
        rules = [_rule(rule, own, place, classes) for rule, own in zip(model.rules_, units, strict=True)]
        return cls(
            version=__version__,
            columns=columns,
            rules=tuple(rules),
            classes=classes,
            by_share=tuple(np.argsort(-model.class_share_, kind="stable").tolist()),
            default=_default(model),
            decimals=decimals,
            source=model,
        )

    @cached_property
    def model_id(self) -> str:
        """The digest of the model, as in its file; worked out when it is asked for, which takes a moment."""
        return digest_of(self.source)

    @property
    def total_units(self) -> int:
        return sum(rule.units for rule in self.rules)

    @property
    def facts(self) -> tuple[str, ...]:
        """What whoever runs an export has to know, a sentence each."""
        default, first = (words.clear(self.classes[code]) for code in (self.default, self.by_share[0]))
        return (
            "Every rule that applies gives its weight to its class; the class with the largest sum is the decision.",
            "Two sums that differ by less than a billionth of the votes are a tie: of these classes the one that was "
            f"more common in training is taken, {first} first.",
            f"Where no rule applies, the decision is {default}.",
            "A blank cell meets a condition only if the rule says so. A value that training never showed is just "
            "another value.",
        )


def _columns(model: Any) -> tuple[PortableColumn, ...]:
    """The columns that rules look at, in the order of the table."""
    used = set(model.rules_.features())
    schema = model.schema_
    return tuple(
        PortableColumn(name, kind if kind != "blank" else "category", schema.specials.get(name, ()))
        for name, kind in zip(schema.names, schema.kinds, strict=True)
        if name in used
    )


def _default(model: Any) -> int:
    nobody = sparse.csr_array((1, len(model.rules_)), dtype=bool)
    return int(model.decisions_for(nobody).class_code[0])


def _rule(rule: Rule, units: int, place: dict[str, int], classes: tuple[Any, ...]) -> PortableRule:
    conditions = tuple(alternatives(condition, place[condition.feature]) for condition in rule.conditions)
    return PortableRule(
        conditions, classes.index(plain(rule.label)), units, f"if {rule} then {words.clear(rule.label)}"
    )


# -- conditions as tests -----------------------------------------------------------------------------------


def alternatives(condition: Condition, column: int) -> Alternatives:
    """The condition as tests that are false for a blank, and one for blanks where the condition says so."""
    if isinstance(condition, IsMissing):
        return ((CellTest(column, "blank"),),)
    if isinstance(condition, Interval):
        found = _interval(condition, column)
    elif isinstance(condition, IsSpecial):
        found = [(CellTest(column, "equal", code.number),) for code in condition.codes]
    else:
        found = _membership(condition, column)
    return (*found, (CellTest(column, "blank"),)) if condition.or_missing else tuple(found)


def _interval(condition: Interval, column: int) -> list[tuple[CellTest, ...]]:
    """Special codes inside the thresholds are taken out, those outside that are let in stand beside them."""
    tests = []
    if math.isfinite(condition.lower):
        tests.append(CellTest(column, "above", condition.lower))
    if math.isfinite(condition.upper):
        tests.append(CellTest(column, "up to", condition.upper))
    numbers = [code.number for code in condition.specials]
    inside = [number for number in numbers if condition.lower < number <= condition.upper]
    tests += [CellTest(column, "different", number) for number in inside if number not in condition.or_special]
    beside = [number for number in numbers if number not in inside and number in condition.or_special]
    return [tuple(tests) or (CellTest(column, "known"),), *((CellTest(column, "equal", number),) for number in beside)]


def _membership(condition: Membership, column: int) -> list[tuple[CellTest, ...]]:
    values = [plain(value) for value in condition.values]
    if not condition.negated:
        return [(CellTest(column, "equal", value),) for value in values]
    return [tuple(CellTest(column, "different", value) for value in values) or (CellTest(column, "known"),)]


# -- weights as whole numbers ------------------------------------------------------------------------------


def whole_units(weights: list[float]) -> tuple[int, list[int]]:
    """How many decimals a unit has, and every weight in units.

    >>> whole_units([2.0, 1.75, 0.5])
    (2, [200, 175, 50])
    """
    exact = [Decimal(repr(float(weight))) for weight in weights]
    total = sum(exact, Decimal(0))
    if not total:
        return 0, [0] * len(exact)
    needed = max(0, max(_n_decimals(weight) for weight in exact))
    most = math.floor(math.log10(MOST_UNITS) - float(total.log10()))
    decimals = min(needed, most, MOST_DECIMALS)
    units = [int((weight.scaleb(decimals)).to_integral_value()) for weight in exact]
    if decimals < needed:
        _refuse_coarse(exact, units, decimals)
    return decimals, units


def _n_decimals(number: Decimal) -> int:
    exponent = number.normalize().as_tuple().exponent
    assert isinstance(exponent, int)  # text only for infinities, which are no weights
    return -exponent


def _refuse_coarse(weights: list[Decimal], units: list[int], decimals: int) -> None:
    lightest = min(weight for weight in weights if weight)
    if Decimal(1).scaleb(-decimals) > lightest * Decimal(MOST_ROUNDING) or any(
        weight and not unit for weight, unit in zip(weights, units, strict=True)
    ):
        raise InputError(
            f"Expected weights that can be added up exactly, but the lightest rule weighs {float(lightest):g} of "
            f"{float(sum(weights)):g} in all. Leave out such rules: train with a larger weight_threshold."
        )
