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
from rugcore.errors import InputError
from rugcore.explanations.attributions import LEAST_SHARE
from rugcore.explanations.rule_model import RuleModel, codes_of
from rugcore.rules.conditions import Interval
from rugcore.rules.rule import Rule
from rugcore.tables.table import plain_value

HELPS, HARMS = 1, -1
WORDS = {HELPS: "helps", HARMS: "harms"}
COLUMNS = ["column", "more of it should", "rule", "votes for", "weight"]
ROWS_AT_ONCE = 5_000


def rewarded_against_direction(
    model: RuleModel, directions: Mapping[str, int], positive_class: Any, X: Any = None
) -> pd.DataFrame:
    """Which rules reward a worse value: a table for the model's owner, empty where the model keeps to the directions.

    One line per rule and column that it looks at the wrong way round. With `X`, also how many of these people would
    have a better score with a worse value of the column and everything else as it is; columns for which that holds for
    nobody, because other rules make up for it, are left out.

    Parameters
    ----------
    model : RUGClassifier or FairRUGClassifier
        A trained model.
    directions : dict
        By column of numbers: 1 if more of it should help towards `positive_class`, -1 if it should harm, as
        `monotonic_cst` has it; 0 is ignored.
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
        (column, WORDS[sign], str(rule), rule.label, rule.weight)
        for column, sign in directions.items()
        for rule in model.rules_
        if sign and _goes_against(rule, column, sign if plain_value(rule.label) == favourable else -sign)
    ]
    frame = pd.DataFrame(found, columns=COLUMNS)
    if X is None:
        return frame
    codes, good = codes_of(model, X), labels.index(favourable)
    people = {name: _count(model.rule_votes_, codes, name, directions[name], good) for name in frame["column"].unique()}
    frame["people"] = frame["column"].map(people)
    return frame[frame["people"] > 0].reset_index(drop=True)


def _check(directions: Mapping[str, int], model: RuleModel) -> None:
    for name, sign in directions.items():
        if name not in model.schema_.names_of("number"):
            raise InputError(f"Expected directions of columns of numbers, but {name!r} is none of this model.")
        if sign not in (HELPS, HARMS, 0):
            raise InputError(f"Expected the direction of {name!r} to be 1, -1 or 0, but got {sign!r}.")


def _goes_against(rule: Rule, column: str, sign: int) -> bool:
    """Whether the rule asks for less of what should help the class that it votes for, or for more of what harms it."""
    own = [c for c in rule.conditions if c.feature == column and isinstance(c, Interval)]
    return any(np.isfinite(c.upper if sign == HELPS else c.lower) for c in own)


def _count(votes: RuleVotes, codes: np.ndarray, name: str, sign: int, good: int) -> int:
    parts = range(0, codes.shape[1], ROWS_AT_ONCE)
    return sum(_rewarded(votes, codes[:, begin : begin + ROWS_AT_ONCE], name, sign, good) for begin in parts)


def _rewarded(votes: RuleVotes, codes: np.ndarray, name: str, sign: int, good: int) -> int:
    """People for whom some value has a higher lead than a better one."""
    place = votes.cuts.names.index(name)
    amounts = range(
        1, len(votes.cuts.columns[place].cuts) + 2
    )  # codes of numbers, rising; see `rugcore.attribution.cuts`
    leads = _leads(votes, codes, place, amounts, good)
    rising = leads if sign == HELPS else leads[:, ::-1]
    best_so_far = np.maximum.accumulate(rising, axis=1)
    least = LEAST_SHARE * votes.amounts.sum()
    return int((best_so_far - rising > least).any(axis=1).sum())


def _leads(votes: RuleVotes, codes: np.ndarray, place: int, values: Sequence[int], good: int) -> np.ndarray:
    """(people, values): the lead of the favourable class, were the column so."""
    leads = np.empty((codes.shape[1], len(values)))
    changed = codes.copy()
    for number, value in enumerate(values):
        changed[place] = value
        own = votes.votes(changed)
        leads[:, number] = own[:, good] - np.delete(own, good, axis=1).max(axis=1)
    return leads
