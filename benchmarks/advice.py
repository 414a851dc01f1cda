"""Can advice be followed? On every demo, what is proposed to rejected people, held against a list made by hand.

The page Applicants reads from names, where no dictionary says so, what can change about a person. Here people have
looked at the columns of the demos and written down what is past, what is protected, and what helps or harms. Every
proposal is put to the test with this list, the training rows, and the model's own decisions.
"""

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.reasons import Trained, count_true, trained_on
from rugboard.applicants.marks import NEVER, bearable, limit_by_name, may_by_name
from rugcore import ConfidenceFinder, FlipFinder, Limit, ReasonFinder, column_profiles, list_demos
from rugcore.dictionary import Effect, effect_by_name, effect_in_rows, protected_by_name
from rugcore.explanations import Change, Flip
from rugcore.explanations.rule_model import table_of_cells
from rugcore.tables import is_blank

QUICK_ROWS = 200
SIGN = {"helps": 1, "harms": -1}
BUT_FOR_ROUNDING = 0.07  # of a standard deviation: 12,500 is had if somebody has 12,437


@dataclass(frozen=True)
class ByHand:
    """What people know about the columns of a demo."""

    past: frozenset[str] = frozenset()
    protected: frozenset[str] = frozenset()
    helps: frozenset[str] = frozenset()
    harms: frozenset[str] = frozenset()
    at_most: tuple[tuple[str, str], ...] = ()  # the first is a part of the second


BY_HAND = {
    "hmda": ByHand(
        past=frozenset(
            [
                "consumer credit history",
                "mortgage credit history",
                "public bad credit record",
                "denied mortgage insurance",
            ]
        ),
        protected=frozenset(["African American", "single"]),
        harms=frozenset(["payments to income ratio", "housing expense to income ratio"]),
        at_most=(("housing expense to income ratio", "payments to income ratio"),),
    ),
    "credit_data": ByHand(
        past=frozenset(["prior records"]),
        protected=frozenset(["age", "marital status"]),
        helps=frozenset(["income", "assets", "years in job"]),
        harms=frozenset(["debt", "expenses"]),
        at_most=(("amount requested", "price of goods"),),
    ),
    "lending_club": ByHand(
        past=frozenset(
            [
                "delinquencies in 2 years",
                "credit inquiries in 6 months",
                "credit inquiries in 12 months",
                "personal finance inquiries",
                "installment accounts opened in 12 months",
                "installment accounts opened in 24 months",
            ]
        ),
        helps=frozenset(["annual income", "years employed"]),
        harms=frozenset(
            [
                "accounts now delinquent",
                "amount past due",
                "revolving credit used in percent",
                "all credit used in percent",
                "interest rate",
            ]
        ),
        at_most=(
            ("credit inquiries in 6 months", "credit inquiries in 12 months"),
            ("active installment accounts", "installment accounts"),
            ("installment accounts opened in 12 months", "installment accounts opened in 24 months"),
        ),
    ),
    "adult": ByHand(
        protected=frozenset(["age", "marital status", "relationship", "race", "sex", "native country"]),
        helps=frozenset(["education level", "capital gain"]),
        harms=frozenset(["capital loss"]),
    ),
    "compas": ByHand(
        past=frozenset(
            [
                "juvenile felonies",
                "juvenile misdemeanors",
                "other juvenile offences",
                "prior offences",
                "charge degree",
            ]
        ),
        protected=frozenset(["age", "sex", "race"]),
    ),
}


def run(data: Path | None, quick: bool) -> list[dict[str, Any]]:  # noqa: ARG001 - the demos ship with the project
    """RUG and FairRUG on every demo; all rejected test rows."""
    kinds = ("RUG", "FairRUG")[: 1 if quick else 2]
    lines = [_line(name, trained_on(name, kind), quick) for name in list_demos() for kind in kinds]
    frame = pd.DataFrame(lines)
    print(frame.to_string(index=False), flush=True)
    print(f"{frame['broken'].sum():,} of {frame['proposals'].sum():,} proposals break a rule of advice")
    return lines


def _line(name: str, case: Trained, quick: bool) -> dict[str, Any]:
    rejected = case.X_test[case.model.predict(case.X_test) != case.favourable]
    rejected = rejected.iloc[:QUICK_ROWS] if quick else rejected
    started = time.perf_counter()
    expected = expected_effects(case)
    directions = {name: SIGN[effect] for name, effect in expected.items() if effect in SIGN}
    reasons, flips = _told(case, rejected, expected, directions)
    seconds = time.perf_counter() - started
    told = [(row, reason) for row, own in enumerate(reasons) for reason in own.reasons]
    proposals = [(row, flip) for row, found in enumerate(flips) for flip in found.found]
    judge = Judge(name, case)
    findings = {row: {reason.column: reason.finding for reason in own.reasons} for row, own in enumerate(reasons)}
    before = [case.model.schema_.cells(rejected.iloc[row]) for row in range(len(rejected))]
    broken = [word for row, flip in proposals for word in [judge.why_broken(flip, findings[row], before[row])] if word]
    return {
        "demo": name,
        "model": case.kind,
        "rejected": len(rejected),
        "to a person": sum(own.status == "manual review" for own in reasons),
        "in doubt": sum(bool(own.doubtful) for own in reasons),
        "reasons": len(told),
        "true reasons": count_true(case.model, case.X_train, rejected, told, case.favourable, directions),
        "with advice": sum(bool(found.found) for found in flips),
        "proposals": len(proposals),
        "broken": len(broken),
        "why": ", ".join(sorted(set(broken))),
        "ms each": round(1000 * seconds / max(len(rejected), 1)),
    }


def expected_effects(case: Trained) -> dict[str, Effect]:
    """What more of a column should do, by its name or else in the rows; as the page Applicants has it."""
    is_good = (case.y_train == case.favourable).to_numpy()
    numbers = case.X_train.select_dtypes("number")
    found: dict[str, Effect] = {}
    for name in numbers.columns:
        by_name = effect_by_name(str(name))
        in_rows = effect_in_rows(numbers[name].to_numpy(dtype=float), is_good)
        found[str(name)] = in_rows if by_name is None else by_name.effect
    return found


def limits_by_name(X: pd.DataFrame, expected: dict[str, Effect]) -> dict[str, Limit]:
    """As the page Applicants has them where no dictionary says otherwise."""
    limits = {}
    for name in X.columns:
        is_number = pd.api.types.is_numeric_dtype(X[name])
        may = may_by_name(str(name), is_number, expected.get(str(name), "unknown"))
        limits[str(name)] = limit_by_name(str(name), may) if is_number else Limit(changeable=may != NEVER)
    return limits


def _told(
    case: Trained, rejected: pd.DataFrame, expected: dict[str, Effect], directions: dict[str, int]
) -> tuple[list[Any], list[Any]]:
    """The reasons and the proposals of everybody."""
    limits = limits_by_name(case.X_train, expected)
    hidden = [name for name in case.X_train.columns if protected_by_name(name)]
    finder, flips = ReasonFinder(case.model, case.favourable), []
    people = ConfidenceFinder(case.model, case.X_test, case.y_test)
    advice = FlipFinder(case.model, column_profiles(case.X_train), case.X_train, confidence=people)
    places = [case.X_test.index.get_loc(name) for name in rejected.index]
    reasons = [
        finder.find(rejected.iloc[row], sensitive=hidden, directions=directions, sure=sure)
        for row, sure in enumerate(people.find_many(rejected, without=places))
    ]
    for row, (own, place) in enumerate(zip(reasons, places, strict=True)):
        allowed = bearable(limits, own, {})
        found = advice.find(
            rejected.iloc[row], case.favourable, limits=allowed, by_default=False, reasons=own, without=place
        )
        flips.append(found)
    return reasons, flips


class Judge:
    """Puts proposals to the test."""

    def __init__(self, name: str, case: Trained) -> None:
        self._case, self._known = case, BY_HAND[name]
        self._values = {str(column): case.X_train[column].dropna().unique() for column in case.X_train.columns}

    def why_broken(self, flip: Flip, findings: dict[str, str], before: dict[str, Any] | None = None) -> str:
        """What is wrong with a proposal, in a word or two; nothing if nothing is. `before` is the row as it was."""
        decided = self._case.model.predict(table_of_cells(self._case.model, [flip.row]))[0]
        if decided != self._case.favourable:
            return "does not lead there"
        if before is not None and any(self._is_torn(pair, before, flip.row) for pair in self._known.at_most):
            return "ordering broken"
        return next((word for change in flip.changes for word in [self._wrong(change, findings)] if word), "")

    @staticmethod
    def _is_torn(pair: tuple[str, str], before: dict[str, Any], after: dict[str, Any]) -> bool:
        """A part is larger than the whole, and was not before."""
        part, whole = pair
        return bool(before[part] <= before[whole] and after[part] > after[whole] + 1e-9)

    def _wrong(self, change: Change, findings: dict[str, str]) -> str:
        if change.column in self._known.protected | self._known.past:
            return "protected" if change.column in self._known.protected else "past fact"
        if not self._occurs(change):
            return "nobody has it"
        if is_blank(change.before):
            return "blank filled"
        if isinstance(change.after, str | bool):
            return ""
        rises = change.after > change.before
        if change.column in (self._known.harms if rises else self._known.helps):
            return "wrong way"
        return "contradicts a reason" if findings.get(change.column) == ("high" if rises else "low") else ""

    def _occurs(self, change: Change) -> bool:
        """Among the training rows, and inside their range; a number but for rounding, by a share of the spread."""
        values = self._values[change.column]
        if not isinstance(change.after, float):
            return bool(np.isin(change.after, values))
        numbers = values.astype(float)
        near = np.abs(numbers - change.after) <= BUT_FOR_ROUNDING * self._case.X_train[change.column].std()
        slack = 1e-6 * max(abs(numbers.max()), 1e-9)
        return bool(near.any() and numbers.min() - slack <= change.after <= numbers.max() + slack)
