"""Where a model rewards a worse value: a defect of the model, for its owner to see, and never advice.

Somebody says of a column that more of it should help, or harm. A rule for the favourable class that asks for less of
what helps, or a rule against it that asks for more, goes against that. Whether the model does so on the whole is
another question, as rules may make up for each other: with v_f the votes for the favourable class, and the other
columns of a person as they are, it does if

    lead(u) = v_f(u) - max over other classes k of v_k(u)

is higher at some value u than at a better one. Between two cuts of a column nothing changes, so all values are tried.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from rugcore.attribution import RuleVotes
from rugcore.attribution.cuts import CutColumn
from rugcore.errors import InputError
from rugcore.explanations.attributions import LEAST_SHARE
from rugcore.explanations.rule_model import RuleModel, codes_of
from rugcore.rules.conditions import Interval, Membership
from rugcore.rules.orders import SaidDirection, is_order, sides_bounded
from rugcore.rules.rule import Rule
from rugcore.tables.table import plain_value

HELPS, HARMS = 1, -1
WORDS = {HELPS: "helps", HARMS: "harms"}
COLUMNS = ["column", "more of it should", "rule", "votes for", "weight"]
ROWS_AT_ONCE = 5_000


def rewarded_against_direction(
    model: RuleModel, directions: Mapping[str, SaidDirection], positive_class: Any, X: Any = None
) -> pd.DataFrame:
    """Which rules reward a worse value: a table for the model's owner, empty where the model keeps to the directions.

    One line per rule and column that it looks at the wrong way round. With `X`, also for how many of these people, with
    everything else as it is, some value of the column has a better score than a better value, whichever they have
    themselves; columns for which that holds for nobody, because other rules make up for it, are left out.

    Parameters
    ----------
    model : RUGClassifier or FairRUGClassifier
        A trained model.
    directions : dict
        By column of numbers: 1 if more of it should help towards `positive_class`, -1 if it should harm, as
        `monotonic_cst` has it; 0 is ignored. By column of categories: these from the worst to the best.
    positive_class : label
        The class that serves people well.
    X : table or None, default=None
        People to count.
    """
    labels = [plain_value(label) for label in model.classes_]
    favourable = plain_value(positive_class)
    if favourable not in labels:
        known = ", ".join(map(repr, labels))
        raise InputError(f"Expected positive_class to be one of the classes {known}, but got {positive_class!r}.")
    _check(directions, model)
    found = [
        (column, WORDS[said if isinstance(said, int) else HELPS], str(rule), rule.label, rule.weight)
        for column, said in directions.items()
        for rule in model.rules_
        if said and _goes_against(rule, column, said, is_for=plain_value(rule.label) == favourable)
    ]
    frame = pd.DataFrame(found, columns=COLUMNS)
    if X is None:
        return frame
    codes, good = codes_of(model, X), labels.index(favourable)
    people = {name: _count(model.rule_votes_, codes, name, directions[name], good) for name in frame["column"].unique()}
    frame["people"] = frame["column"].map(people)
    return frame[frame["people"] > 0].reset_index(drop=True)


def _check(directions: Mapping[str, SaidDirection], model: RuleModel) -> None:
    for name, sign in directions.items():
        if not is_order(sign) and sign == 0:
            continue
        if name not in model.schema_.names or (name in model.schema_.names_of("number")) == is_order(sign):
            raise InputError(
                f"Expected directions of columns of numbers, or categories from the worst to the best, but {name!r} is "
                "no such column of this model."
            )
        if not is_order(sign) and sign not in (HELPS, HARMS):
            raise InputError(f"Expected the direction of {name!r} to be 1, -1 or 0, but got {sign!r}.")


def _goes_against(rule: Rule, column: str, said: SaidDirection, is_for: bool) -> bool:
    """Whether the rule asks for less of what should help the class that it votes for, or for more of what harms it."""
    own = next((c for c in rule.conditions if c.feature == column), None)
    if isinstance(said, int):
        return isinstance(own, Interval) and bool(np.isfinite(own.upper if (said == HELPS) == is_for else own.lower))
    if not isinstance(own, Membership):
        return False
    from_below, from_above = sides_bounded(own, said)
    return from_above if is_for else from_below


def _count(votes: RuleVotes, codes: np.ndarray, name: str, said: SaidDirection, good: int) -> int:
    parts = range(0, codes.shape[1], ROWS_AT_ONCE)
    return sum(_rewarded(votes, codes[:, begin : begin + ROWS_AT_ONCE], name, said, good) for begin in parts)


def _rewarded(votes: RuleVotes, codes: np.ndarray, name: str, said: SaidDirection, good: int) -> int:
    """People for whom some value has a higher lead than a better one."""
    place = votes.cuts.names.index(name)
    rising = _leads(votes, codes, place, _rising_codes(votes.cuts.columns[place], said), good)
    best_so_far = np.maximum.accumulate(rising, axis=1)
    least = LEAST_SHARE * votes.amounts.sum()
    return int((best_so_far - rising > least).any(axis=1).sum())


def _rising_codes(column: CutColumn, said: SaidDirection) -> list[int]:
    """The codes of a column from the worst to the best value; see `rugcore.attribution.cuts`."""
    if not isinstance(said, int):
        values = np.empty(len(said), dtype=object)
        values[:] = said
        return [int(code) for code in column.codes(values)]
    amounts = list(range(1, len(column.cuts) + 2))
    return amounts if said == HELPS else amounts[::-1]


def _leads(votes: RuleVotes, codes: np.ndarray, place: int, values: Sequence[int], good: int) -> np.ndarray:
    """(people, values): the lead of the favourable class, were the column so."""
    leads = np.empty((codes.shape[1], len(values)))
    changed = codes.copy()
    for number, value in enumerate(values):
        changed[place] = value
        own = votes.votes(changed)
        leads[:, number] = own[:, good] - np.delete(own, good, axis=1).max(axis=1)
    return leads
