"""Do the rules and SHAP name the same columns, and do these push the same way?"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from rugcore.comparison.shapley import ShapExplainer, sample_rows, take_rows
from rugcore.errors import InputError
from rugcore.explanations.attributions import LEAST_SHARE, RuleExplainer
from rugcore.explanations.explanation import Explanation
from rugcore.explanations.shap_values import ShapExplanation

TOP_K = 5

ROWS_IN_SAMPLE = 200

NAN = float("nan")


@dataclass(frozen=True)
class Agreement:
    """Of one row. The columns of each explanation are its top k, the largest first."""

    k: int
    by_rules: tuple[str, ...]
    by_shap: tuple[str, ...]
    shared: tuple[str, ...]  # in the order of the rules
    same_sign: tuple[str, ...]  # of the shared: both push towards the same class
    same_decision: bool

    @property
    def share(self) -> float:
        """Of the columns that the rules rest on, how many SHAP names too; NaN where no rule has a say."""
        return len(self.shared) / len(self.by_rules) if self.by_rules else NAN

    @property
    def sign_agreement(self) -> float:
        """Of the shared columns, how many push the same way; NaN where none is shared."""
        return len(self.same_sign) / len(self.shared) if self.shared else NAN


@dataclass(frozen=True, eq=False)
class AgreementSample:
    """Of several rows."""

    rows: np.ndarray  # which rows of the table
    agreements: tuple[Agreement, ...]  # one a row
    k: int
    n_total: int

    @property
    def n(self) -> int:
        return len(self.rows)

    @property
    def is_sample(self) -> bool:
        """Whether these are only some of the rows; then say so beside every number."""
        return self.n < self.n_total

    def to_frame(self) -> pd.DataFrame:
        """One line per row, those that differ most first; rows on which no rule has a say come last.

        Fewest shared columns first, then fewest that push the same way.
        """
        lines = [(len(a.shared), a.share, a.sign_agreement, a.same_decision) for a in self.agreements]
        frame = pd.DataFrame(lines, columns=["n_shared", "share", "sign_agreement", "same_decision"])
        frame.insert(0, "row", self.rows)
        return frame.sort_values(["share", "sign_agreement", "row"], ignore_index=True)

    def distribution(self) -> pd.Series:
        """How many rows share 0, 1, ..., k columns; rows on which no rule has a say are left out."""
        counts = [len(agreement.shared) for agreement in self.agreements if agreement.by_rules]
        index = pd.RangeIndex(self.k + 1, name="shared columns")
        return pd.Series(np.bincount(np.array(counts, dtype=int), minlength=self.k + 1), index=index, name="rows")


def agreement(explanation: Explanation, rules: ShapExplanation, shap: ShapExplanation, k: int = TOP_K) -> Agreement:
    """Hold the Shapley values of the rules for one row against those of another model, towards the same class.

    Where no rule covers the row, the rules have nothing to agree about: a default decided.
    """
    if k < 1:
        raise InputError(f"Expected k, the number of columns to look at, to be 1 or more, but got {k}.")
    if rules.towards != shap.towards:
        raise InputError(f"Expected both towards one class, but got {rules.towards!r} and {shap.towards!r}.")
    amounts = {item.column: item.amount for item in rules.contributions}
    values = {item.column: item.amount for item in shap.contributions}
    by_rules, by_shap = () if explanation.is_uncovered else _top(amounts, k), _top(values, k)
    shared = tuple(name for name in by_rules if name in by_shap)
    return Agreement(
        k=k,
        by_rules=by_rules,
        by_shap=by_shap,
        shared=shared,
        same_sign=tuple(name for name in shared if amounts[name] * values[name] > 0),
        same_decision=explanation.decision == shap.predicted,
    )


def agreement_over(
    rules: RuleExplainer,
    explainer: ShapExplainer,
    X: Any,
    *,
    n: int = ROWS_IN_SAMPLE,
    k: int = TOP_K,
    random_state: int = 0,
) -> AgreementSample:
    """The agreement on up to `n` rows, drawn evenly, each towards the class that the rules decided for.

    Both explainers should compare with the same people; only then can what they say be compared.
    """
    rows = sample_rows(len(X), n, random_state)
    drawn = take_rows(X, rows)
    cells = [rules.model.schema_.cells(row) for row in _each(drawn)]
    explanations = [rules.model.explain(row) for row in cells]
    decided = [explanation.decision for explanation in explanations]
    triples = zip(
        explanations, rules.explain_several(cells, decided), explainer.explain_several(cells, decided), strict=True
    )
    return AgreementSample(rows, tuple(agreement(*own, k) for own in triples), k, len(X))


def _each(rows: Any) -> list[Any]:
    if isinstance(rows, pd.DataFrame):
        return [rows.iloc[place] for place in range(len(rows))]
    return list(rows)


def _top(amounts: Mapping[str, float], k: int) -> tuple[str, ...]:
    """The k largest that are more than rounding; `amounts` come largest first."""
    largest = max(map(abs, amounts.values()), default=0.0)
    named = [name for name, amount in amounts.items() if abs(amount) > LEAST_SHARE * largest]
    return tuple(named[:k])
