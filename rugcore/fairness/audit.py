"""An audit of decisions: how far groups are apart, how far that can be known, and what cannot be known."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from rugcore.fairness import displays, sentences
from rugcore.fairness.measures import (
    SelectionParity,
    compared_table,
    gap_table,
    group_rates,
    group_table,
    judged,
    rate_table,
    selection_parity,
)
from rugcore.fairness.outcomes import Estimation, check_epsilon, read_outcomes
from rugcore.fairness.parity import MIN_CELL_SIZE
from rugcore.rules import words


@dataclass(frozen=True, eq=False)
class Audit:
    """What `audit` found. In a notebook it is shown as tables; `print` writes it in words.

    Attributes
    ----------
    gaps : DataFrame
        How far groups are apart, one line per notion of parity; `fairness_report` describes the columns.
    groups : DataFrame
        Sizes and rates, one line per group; `group_report` describes the columns.
    rates : DataFrame
        Error rates, one line per class and group; `error_rates` describes the columns.
    parity : SelectionParity
        How often each group gets the positive class: difference and ratio between the extremes.
    positive_class : label or None
        The class that serves people well, if it is known.
    min_cell_size : int
        Rates of fewer rows are not estimable.
    confidence : float
        Of every interval.
    compared : DataFrame
        What each notion compares, one line per class (None for all) and group, by the name of the notion: n, how many
        are counted, their share, which is worse the larger it is, its bounds, and why there is none.
    """

    gaps: pd.DataFrame
    groups: pd.DataFrame
    rates: pd.DataFrame
    parity: SelectionParity
    positive_class: Any
    min_cell_size: int
    confidence: float
    compared: pd.DataFrame

    def judged(self, epsilon: float | None, fairness: str | None = None) -> "Audit":
        """The same numbers held against another epsilon.

        Parameters
        ----------
        epsilon : float or None
            The largest gap that is allowed; None judges nothing.
        fairness : str or None
            The notion that epsilon is meant for; None judges all.
        """
        return replace(self, gaps=judged(self.gaps, check_epsilon(epsilon), fairness))

    def to_frame(self) -> pd.DataFrame:
        """Everything in one table, a number per line: measure, what it means, class, group, n, value, bounds, note."""
        return sentences.long_table(self.gaps, self.groups, self.rates, self.parity)

    def __str__(self) -> str:
        """In words; a line per number that is known, and what is not."""
        parts = [
            self._heading(),
            sentences.gaps_in_words(self.gaps, self.confidence),
            sentences.groups_in_words(self.groups),
            sentences.parity_in_words(self.parity, self.confidence),
        ]
        return "\n\n".join("\n".join(lines) for lines in parts)

    def _repr_html_(self) -> str:
        """As a notebook shows it."""
        return displays.audit_card(self.gaps, self.groups, self.parity, self.confidence, self._heading())

    def _heading(self) -> list[str]:
        named = "is not known" if self.positive_class is None else f"is {words.clear(self.positive_class)}"
        return [
            f"{self.groups['n'].sum():,} rows in {len(self.groups)} groups. The positive class {named}.",
            f"A rate of fewer than {self.min_cell_size} rows is not estimable.",
        ]


def audit(
    y_true: Any,
    y_pred: Any,
    *,
    sensitive_features: Any,
    positive_class: Any = None,
    epsilon: float | None = None,
    fairness: str | None = None,
    sample_weight: Any = None,
    min_cell_size: int = MIN_CELL_SIZE,
    confidence: float = 0.95,
    classes: Sequence[Any] | None = None,
    repeats: Any = None,
) -> Audit:
    """Gaps between groups, rates by group, error rates by class and group, and demographic parity; print it to read it.

    Parameters
    ----------
    y_true, y_pred : labels, one a row
        Text, numbers or true/false.
    sensitive_features : column or table, one entry per row
        Several columns make a group of every combination that occurs; a blank is a group of its own.
    positive_class : label or None
        The class that serves people well. Not needed if the classes are 0 and 1, or false and true: then it is 1.
    epsilon : float or None
        The largest gap that is allowed.
    fairness : "dmc", "odm", "eop", "demographic_parity", "predictive_parity" or None
        The notion that epsilon was asked for; the others are then measured but not judged. None: all are judged.
    sample_weight : one number per row, or None
        Weighs every rate. `n` stays the number of rows; intervals are those of Kish's effective sample size.
    min_cell_size : int
        A rate of fewer rows is not estimable.
    confidence : float
        Of every interval, on its own.
    classes : labels or None
        All classes, if one of them may not occur in `y_true`.
    repeats : one whole number per entry, or None
        How many rows each entry stands for, where rows were counted elsewhere: the audit is that of all those rows.
    """
    estimation = Estimation.checked(min_cell_size, confidence)
    allowed = check_epsilon(epsilon)
    outcomes = read_outcomes(y_true, y_pred, sensitive_features, positive_class, sample_weight, classes, repeats)
    groups = group_rates(outcomes, estimation)
    return Audit(
        gaps=judged(gap_table(outcomes, estimation), allowed, fairness),
        groups=group_table(outcomes.groups.names, groups),
        rates=rate_table(outcomes, estimation),
        parity=selection_parity(outcomes.groups.names, groups.get("selection_rate"), estimation),
        positive_class=None if outcomes.positive is None else outcomes.classes[outcomes.positive],
        min_cell_size=estimation.min_cell_size,
        confidence=estimation.confidence,
        compared=compared_table(outcomes, estimation),
    )


def fairness_report(
    y_true: Any,
    y_pred: Any,
    *,
    sensitive_features: Any,
    positive_class: Any = None,
    epsilon: float | None = None,
    fairness: str | None = None,
    sample_weight: Any = None,
    min_cell_size: int = MIN_CELL_SIZE,
    confidence: float = 0.95,
    classes: Sequence[Any] | None = None,
) -> pd.DataFrame:
    """How far groups are apart: one line per notion of parity. Parameters as in `audit`.

    The lines are dmc (error rates within every class; for two classes this is equalized odds), odm (error rates over
    all rows) and, if the positive class is known, eop (error rates within the positive class: equal opportunity),
    demographic_parity (shares decided for the positive class; here the share that is not, so that more is worse) and
    predictive_parity (of those decided for it, the share of another class: one minus the positive predictive value).

    gap: the largest difference between two groups, over classes and pairs; this is what epsilon bounds. met: whether
    gap <= epsilon, as far as it can be estimated: read it with not_estimable (NA without an epsilon or a gap, or if
    epsilon was asked for another notion). lower, upper: Newcombe's hybrid score interval for the difference of the
    worst pair; a lower bound below 0 means that it may as well be the other way round. The pair was chosen because it
    is the worst, which the interval does not make up for. worst_class, worse_group, better_group, worse_error,
    better_error: where the gap is; worse_wrong of worse_n rows are wrong there, and better_wrong of better_n. score:
    the paper's, as a share (1 = fair; the paper prints percent): for dmc 1 minus the sum of the gaps of two classes, or
    minus the mean over more; else 1 minus the gap. n: rows that were compared. not_estimable: what was left out because
    of too few rows, or "".
    """
    return audit(
        y_true,
        y_pred,
        sensitive_features=sensitive_features,
        positive_class=positive_class,
        epsilon=epsilon,
        fairness=fairness,
        sample_weight=sample_weight,
        min_cell_size=min_cell_size,
        confidence=confidence,
        classes=classes,
    ).gaps


def group_report(
    y_true: Any,
    y_pred: Any,
    *,
    sensitive_features: Any,
    positive_class: Any = None,
    sample_weight: Any = None,
    min_cell_size: int = MIN_CELL_SIZE,
    confidence: float = 0.95,
    classes: Sequence[Any] | None = None,
) -> pd.DataFrame:
    """Rates by group, each with Wilson's interval in `_lower` and `_upper`. Parameters as in `audit`.

    n: rows; n_positive: those of the positive class; n_selected: those predicted positive. base_rate: share of the
    positive class. selection_rate: share predicted positive. error: share misclassified. tpr, fnr: share of the
    positive rows predicted positive, or not. fpr: share of the other rows predicted positive. ppv: share of the rows
    predicted positive that are. not_estimable: which rates rest on too few rows, or "".

    All but error hold one class against the rest, so without a positive class they mean nothing and are NaN: with
    "low", "middle" and "high", no class is the one that people hope for until somebody says so.
    """
    return audit(
        y_true,
        y_pred,
        sensitive_features=sensitive_features,
        positive_class=positive_class,
        sample_weight=sample_weight,
        min_cell_size=min_cell_size,
        confidence=confidence,
        classes=classes,
    ).groups


def error_rates(
    y_true: Any,
    y_pred: Any,
    *,
    sensitive_features: Any,
    sample_weight: Any = None,
    min_cell_size: int = MIN_CELL_SIZE,
    confidence: float = 0.95,
    classes: Sequence[Any] | None = None,
) -> pd.DataFrame:
    """Error rates by class and group: the rates that dmc compares. Parameters as in `audit`.

    n: rows. errors: misclassified rows. rate: their share (by weight), with Wilson's interval in lower and upper.
    not_estimable: why there is no rate, or "".
    """
    return audit(
        y_true,
        y_pred,
        sensitive_features=sensitive_features,
        sample_weight=sample_weight,
        min_cell_size=min_cell_size,
        confidence=confidence,
        classes=classes,
    ).rates
