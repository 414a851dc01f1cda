"""What every column adds to the score of a rule model, against people that one is compared with: exact Shapley values.

In closed form, without sampling: see `rugcore.attribution.conjunctions`.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from rugcore.attribution import RuleVotes, to_scores
from rugcore.errors import InputError
from rugcore.explanations.rule_model import RuleModel, codes_of
from rugcore.explanations.shap_values import Contribution, ShapExplanation
from rugcore.tables.table import plain_value

ROWS_AT_ONCE = 20_000  # a number per row, column and class is held for so many
# Amounts below this share of the largest are rounding: +1/3 and -1/3 of weights that cancel.
LEAST_SHARE = 1e-9


def attribute(model: RuleModel, X: Any, background: Any, *, towards: Any = None) -> pd.DataFrame:
    """What every column adds to the score of every row: exact Shapley values of the rules, in closed form.

    One line per row of X and one column per column of X. A line adds up to the score of the row minus the mean score of
    the `background`. A column whose change cannot move the score of the row, whatever the other columns are, gets 0.
    They are what `shap` finds with an independent masker over the same background, without its 2^columns calls.

    Parameters
    ----------
    model : RUGClassifier or FairRUGClassifier
        A trained model.
    X : table
        The rows to explain.
    background : table
        Whom they are compared with, with the same columns: the training rows, or those of them that were decided
        favourably. All of its rows are used.
    towards : label or None, default=None
        The class whose score is explained. None: with two classes the second one, whose score `decision_function`
        returns; with more, the class that is decided for each row.
    """
    votes = model.rule_votes_
    compared = votes.background(codes_of(model, background))
    codes = codes_of(model, X)
    aims = _aims(model, codes, towards)
    values = np.zeros((codes.shape[1], len(model.schema_.names)))
    for begin in range(0, codes.shape[1], ROWS_AT_ONCE):
        part = slice(begin, begin + ROWS_AT_ONCE)
        found = to_scores(votes.values(compared, codes[:, part]))
        values[part, list(votes.cuts.positions)] = found[np.arange(len(found)), :, aims[part]]
    is_frame = isinstance(X, pd.DataFrame)
    return pd.DataFrame(values, X.index if is_frame else None, X.columns if is_frame else list(model.schema_.names))


def _aims(model: RuleModel, codes: np.ndarray, towards: Any) -> np.ndarray:
    """By row, the number of the class whose score is explained."""
    if towards is not None:
        return np.full(codes.shape[1], _number_of(model, towards))
    if len(model.classes_) == 2:
        return np.ones(codes.shape[1], dtype=np.int64)
    return model.rule_votes_.decisions(codes).class_code


def _number_of(model: RuleModel, label: Any) -> int:
    labels = [plain_value(own) for own in model.classes_]
    if plain_value(label) not in labels:
        known = ", ".join(map(repr, labels))
        raise InputError(f"Expected one of the model's classes ({known}), but got {label!r}.")
    return labels.index(plain_value(label))


class RuleExplainer:
    """Shapley values of a rule model for one row or several; what `ShapExplainer` is for LightGBM.

    Parameters
    ----------
    model : RUGClassifier or FairRUGClassifier
        A trained model.
    background : table
        Whom rows are compared with. All of its rows are used.
    """

    def __init__(self, model: RuleModel, background: Any) -> None:
        self.model = model
        self._votes: RuleVotes = model.rule_votes_
        self._compared = self._votes.background(codes_of(model, background))
        self._base = to_scores(self._votes.base(self._compared))

    def explain(self, row: Any, towards: Any = None) -> ShapExplanation:
        """What every column adds to the score of a class for one `row`; `towards` None is the decided class."""
        return self.explain_several([row], None if towards is None else [towards])[0]

    def explain_several(self, rows: Sequence[Any], towards: Sequence[Any] | None = None) -> list[ShapExplanation]:
        """The same for several `rows` at once, each `towards` its own class."""
        cells = [self.model.schema_.cells(row) for row in rows]
        codes = self._votes.cuts.codes_of_cells(cells)
        decided = self._votes.decisions(codes).class_code
        aims = decided if towards is None else [_number_of(self.model, label) for label in towards]
        values = to_scores(self._votes.values(self._compared, codes))
        return [
            self._explanation(own, values[row, :, int(aim)], int(number), int(aim))
            for row, (own, number, aim) in enumerate(zip(cells, decided, aims, strict=True))
        ]

    def _explanation(self, cells: dict[str, Any], amounts: np.ndarray, number: int, aim: int) -> ShapExplanation:
        by_name = dict(zip(self._votes.cuts.names, amounts.tolist(), strict=True))
        items = [Contribution(name, value, by_name.get(name, 0.0)) for name, value in cells.items()]
        base = float(self._base[aim])
        return ShapExplanation(
            predicted=plain_value(self.model.classes_[number]),
            towards=plain_value(self.model.classes_[aim]),
            base_value=base,
            contributions=tuple(sorted(items, key=lambda item: -abs(item.amount))),
            output=base + float(amounts.sum()),
        )
