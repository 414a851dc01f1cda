"""The reasons of many applicants as a table, one line each, ready for a file."""

from collections.abc import Collection, Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from rugcore import validation
from rugcore.encoding.table import plain_value
from rugcore.errors import InputError
from rugcore.reasons.giving import DEFAULT_WORDING, MANUAL_REVIEW, MOST_REASONS, Reasons, check, given
from rugcore.reasons.wording import Wording
from rugcore.rules.rule import Rule


def reasons_table(
    model: Any,
    X: Any,
    favourable: Any,
    *,
    wording: Wording = DEFAULT_WORDING,
    sensitive: Collection[str] = (),
    most: int = MOST_REASONS,
    ids: Sequence[Any] | None = None,
    only_unfavourable: bool = True,
) -> pd.DataFrame:
    """One line an applicant: applicant (its id, or else its row number), decision, status, reason 1, reason 2, ..."""
    classes = [plain_value(label) for label in model.classes_]
    check(plain_value(favourable), classes, most)
    if ids is not None and len(ids) != len(X):
        raise InputError(f"Expected one id a row, but got {len(ids)} ids for {len(X)} rows.")
    names_of_rows = list(range(len(X))) if ids is None else list(ids)
    decided = model.decisions(X).label
    is_good = decided == classes.index(plain_value(favourable))
    many = _Many(model, X)
    lines = []
    for row in np.flatnonzero(~is_good | (not only_unfavourable)).tolist():
        decision = classes[decided[row]]
        fired = [] if is_good[row] else many.fired(row, decision)
        found = given(decision, fired, many.cells(row, fired), wording, frozenset(sensitive), most)
        status, texts = ("favourable", []) if is_good[row] else (found.status, _texts(found))
        lines.append((names_of_rows[row], decision, status, *texts, *[""] * (most - len(texts))))
    names = ["applicant", "decision", "status", *(f"reason {number}" for number in range(1, most + 1))]
    return pd.DataFrame(lines, columns=names)


class _Many:
    """Rules and values of many rows, without explaining them one by one."""

    def __init__(self, model: Any, X: Any) -> None:
        self._rules = model.rules_
        self._coverage = model.covering_rules(X)
        table = validation.table_to_predict(model, X)
        self._columns = {name: table.column(table.names.index(name)) for name in model.rules_.features()}

    def fired(self, row: int, decision: Any) -> list[Rule]:
        start, stop = self._coverage.indptr[row : row + 2]
        covering = (self._rules[int(number)] for number in self._coverage.indices[start:stop])
        return [rule for rule in covering if rule.label == decision]

    def cells(self, row: int, rules: Iterable[Rule]) -> dict[str, Any]:
        return {name: self._columns[name][row] for rule in rules for name in rule.features}


def _texts(found: Reasons) -> list[str]:
    """Manual review is said where a reason would stand, so that a letter made from the table says it too."""
    return [MANUAL_REVIEW] if found.status == "manual review" else [reason.text for reason in found.reasons]
