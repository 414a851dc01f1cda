"""SHAP values of LightGBM: what every column adds to or takes from its output, for one row or a sample of rows.

They are in the unit of the raw output. With two classes that is the log-odds of the second; towards the first class
everything has the opposite sign. With more classes each has an output of its own, and the highest wins.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from sklearn.utils.validation import check_is_fitted

from rugcore.comparison.features import CategoryFeature
from rugcore.comparison.leaves import Leaves, LeavesAgainst
from rugcore.comparison.peers import PeerClassifier, refuse_others
from rugcore.errors import InputError, missing_package
from rugcore.explanations.shap_values import Contribution, ShapExplanation
from rugcore.tables import validation
from rugcore.tables.table import plain_value

# A thousand rows take a third of a second, and a mean over them is known to about three percent.
ROWS_IN_SAMPLE = 1000


@dataclass(frozen=True, eq=False)
class ShapSample:
    """SHAP values of several rows."""

    columns: tuple[str, ...]
    classes: tuple[Any, ...]
    rows: np.ndarray  # which rows of the table, ascending
    values: np.ndarray  # (n, F), with more than two classes (n, F, K)
    base_values: np.ndarray  # one, or one a class
    predicted: np.ndarray
    n_total: int  # rows of the table

    @property
    def n(self) -> int:
        return len(self.rows)

    @property
    def is_sample(self) -> bool:
        """Whether these are only some of the rows; then say so beside every picture."""
        return self.n < self.n_total

    def towards(self, label: Any) -> np.ndarray:
        """(n, F): what speaks for a class has a positive sign."""
        number = class_number(self.classes, label)
        return self.values[:, :, number] if self.values.ndim == 3 else _signed(self.values, number)

    def importance(self) -> pd.Series:
        """Mean |SHAP| by column, largest first; with more than two classes, summed over them."""
        size = np.abs(self.values).mean(axis=0)
        size = size.sum(axis=1) if size.ndim == 2 else size
        series = pd.Series(size, index=pd.Index(self.columns, name="column"), name="mean |SHAP|")
        return series.sort_values(ascending=False, kind="stable")


class ShapExplainer:
    """SHAP values of LightGBM, to hold against rules; the shap package is loaded when first needed.

    Parameters
    ----------
    model : PeerClassifier
        Of the kind "LightGBM", trained.
    background : table or None, default=None
        Whom rows are compared with, all of its rows: the values are then as exact as those of `attribute` against the
        same rows, and can be held against them. None: the training rows, as the trees remember them.
    """

    def __init__(self, model: PeerClassifier, background: Any = None) -> None:
        refuse_others(model)
        check_is_fitted(model)
        self.model = model
        self._compared = None if background is None else self._against(background)
        self.classes = tuple(plain_value(label) for label in model.classes_)

    def _against(self, background: Any) -> LeavesAgainst:
        features = self.model.encoder_.features
        n_codes = [feature.n_codes if isinstance(feature, CategoryFeature) else None for feature in features]
        matrix = self.model.encoder_.codes(validation.table_to_predict(self.model, background))
        return Leaves.of(self.model.estimator_.booster_, n_codes).against(matrix)

    @cached_property
    def _explainer(self) -> Any:
        try:
            import shap
        except ImportError as error:
            raise missing_package("SHAP values", "compare") from error

        return shap.TreeExplainer(self.model.estimator_)

    def explain(self, row: Any, towards: Any = None) -> ShapExplanation:
        """What every column adds for one `row`, given as in `RUGClassifier.explain`.

        `towards` is the class whose output is explained; None: the predicted one.
        """
        return self.explain_several([row], None if towards is None else [towards])[0]

    def explain_several(self, rows: Sequence[Any], towards: Sequence[Any] | None = None) -> list[ShapExplanation]:
        """The same for several `rows` at once, each `towards` its own class: much quicker than one by one."""
        cells = [self.model.schema_.cells(row) for row in rows]
        values, base_values = self._values(np.vstack([self.model.encoder_.codes_of_row(items) for items in cells]))
        decided = _decided(values, base_values)
        aims = decided if towards is None else [class_number(self.classes, label) for label in towards]
        return [
            self._explanation(items, own, base_values, int(number), int(aim))
            for items, own, number, aim in zip(cells, values, decided, aims, strict=True)
        ]

    def _explanation(
        self, cells: Mapping[str, Any], values: np.ndarray, base_values: np.ndarray, number: int, aim: int
    ) -> ShapExplanation:
        amounts, base = _for_class(values, base_values, aim)
        names = self.model.encoder_.names
        items = [Contribution(name, cells[name], float(a)) for name, a in zip(names, amounts, strict=True)]
        return ShapExplanation(
            predicted=self.classes[number],
            towards=self.classes[aim],
            base_value=base,
            contributions=tuple(sorted(items, key=lambda item: -abs(item.amount))),
            output=base + float(amounts.sum()),
        )

    def sample(self, X: Any, n: int = ROWS_IN_SAMPLE, *, random_state: int = 0) -> ShapSample:
        """Up to `n` rows of a table, drawn evenly; all rows if there are no more."""
        rows = sample_rows(len(X), n, random_state)
        table = validation.table_to_predict(self.model, take_rows(X, rows))
        values, base_values = self._values(self.model.encoder_.codes(table))
        return ShapSample(
            columns=self.model.encoder_.names,
            classes=self.classes,
            rows=rows,
            values=values,
            base_values=base_values,
            predicted=self.model.classes_[_decided(values, base_values)],
            n_total=len(X),
        )

    def _values(self, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        if self._compared is not None:
            return self._compared.values(codes), self._compared.base_values
        found = self._explainer(codes)
        return np.asarray(found.values), np.atleast_1d(np.asarray(found.base_values)[0])


def sample_rows(n_total: int, n: int, random_state: int) -> np.ndarray:
    """Row numbers, ascending and each at most once."""
    if n < 1 or n_total < 1:
        raise InputError(f"Expected at least one row for a sample, but got {n} of {n_total}.")
    if n >= n_total:
        return np.arange(n_total)
    return np.sort(np.random.default_rng(random_state).choice(n_total, n, replace=False))


def take_rows(X: Any, rows: np.ndarray) -> Any:
    return X.iloc[rows] if isinstance(X, pd.DataFrame) else np.asarray(X)[rows]


def class_number(classes: Sequence[Any], label: Any) -> int:
    if plain_value(label) not in classes:
        known = ", ".join(map(repr, classes))
        raise InputError(f"Expected one of the model's classes ({known}), but got {label!r}.")
    return list(classes).index(plain_value(label))


def _signed(values: np.ndarray, number: int) -> np.ndarray:
    return values if number == 1 else -values


def _for_class(values: np.ndarray, base_values: np.ndarray, number: int) -> tuple[np.ndarray, float]:
    """Of one row: amounts by column and the base value, towards one class."""
    if values.ndim == 2:
        return values[:, number], float(base_values[number])
    return _signed(values, number), float(_signed(base_values, number)[0])


def _decided(values: np.ndarray, base_values: np.ndarray) -> np.ndarray:
    """The class with the highest output; between two classes the second needs more than even odds."""
    outputs = values.sum(axis=1) + base_values
    return np.argmax(outputs, axis=1) if values.ndim == 3 else (outputs > 0).astype(int)
