"""Accuracy against what there is to read: the settings that were tried, and which of them to take."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from rugcore.estimators import FairRUGClassifier, RUGClassifier
from rugcore.selection import displays

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

ABOUT = 0.25  # "about 10 rules" is 7.5 to 12.5: a reader would not tell them apart
ABOUT_AT_LEAST = 1.0  # and one more or less is always about as many
# Standard errors that the lead must have. On 30 tables of pure noise with two equally common outcomes, the setting
# chosen was one above the baseline in 7, and two in 1; with the uncorrected error one above in 13.
SURE = 2.0


@dataclass(frozen=True)
class SettingsPoint:
    """One setting, measured on every fold by a model that was trained on the others.

    Attributes
    ----------
    depth, penalty
        The setting.
    fold_accuracy, fold_baseline : tuple of float
        Share decided as the data says in every fold: by the rules, and by always saying what is most common among the
        rows that were trained on.
    n_rules, n_conditions : float
        What there is to read, averaged over the folds: rules, and the conditions of all of them.
    test_share : float
        Rows of a fold for each row trained on.
    gap : float
        With sensitive features: the largest gap between groups over the rows not trained on; else NaN.
    """

    depth: int
    penalty: float
    fold_accuracy: tuple[float, ...]
    fold_baseline: tuple[float, ...]
    n_rules: float
    n_conditions: float
    test_share: float
    gap: float

    @property
    def accuracy(self) -> float:
        """The mean over the folds."""
        return float(np.mean(self.fold_accuracy))

    @property
    def standard_error(self) -> float:
        """Of the accuracy: the standard deviation over the folds by the root of their number; NaN with one fold."""
        return _deviation(self.fold_accuracy) / math.sqrt(len(self.fold_accuracy))

    @property
    def baseline(self) -> float:
        """How accurate always saying the most common outcome is, on the same rows."""
        return float(np.mean(self.fold_baseline))

    @property
    def lead(self) -> float:
        """By how much the accuracy is above the baseline, fold by fold; below 0 where the rules do harm."""
        return self.accuracy - self.baseline

    @property
    def lead_error(self) -> float:
        """The standard error of the lead, for folds that are paired and share most of their training rows.

        Folds are not independent of each other, so that the usual formula is too sure of itself; this is the correction
        of Nadeau and Bengio (2003), Inference for the generalization error, Machine Learning 52.
        """
        differences = np.subtract(self.fold_accuracy, self.fold_baseline)
        return _deviation(differences) * math.sqrt(1 / len(differences) + self.test_share)

    @property
    def beats_baseline(self) -> bool:
        """Whether the lead is more than chance: above two of its standard errors."""
        return self.lead > SURE * self.lead_error

    @property
    def name(self) -> str:
        """As a person calls it: "depth 2, penalty 3"."""
        return f"depth {self.depth}, penalty {self.penalty:g}"


def _deviation(values: Any) -> float:
    return float(np.std(values, ddof=1)) if len(values) > 1 else float("nan")


@dataclass(frozen=True, eq=False)
class SettingsCurve:
    """What `choose_settings` found; `print` tells it in plain words, and at the end of a cell it is shown as a table.

    Parameters
    ----------
    points : tuple of SettingsPoint
        One for each setting, by depth and penalty.
    kind : type
        The classifier that was tried.
    settings : dict
        Its other parameters.
    n_settings : int
        How many settings were asked for; more than there are points if it was cancelled.
    n_folds, n_rows : int
        How many folds were cut of how many rows.
    about_n_rules : float or None
        How many rules were wished for.
    """

    points: tuple[SettingsPoint, ...]
    kind: type[RUGClassifier] | type[FairRUGClassifier]
    settings: Mapping[str, Any]
    n_settings: int
    n_folds: int
    n_rows: int
    about_n_rules: float | None = None

    @cached_property
    def best(self) -> SettingsPoint:
        """The most accurate setting; of equals, the one with the least to read."""
        return max(self.points, key=lambda point: (point.accuracy, -point.n_conditions))

    @cached_property
    def recommended(self) -> SettingsPoint:
        """The setting to take.

        The one with the fewest conditions in all whose accuracy is within one standard error of the best: beyond that,
        more rules buy nothing that could be told from chance. If `about_n_rules` was given: the most accurate of those
        whose number of rules is within a quarter of it (at least one rule more or less), or else the nearest.
        """
        if self.about_n_rules is not None:
            return self._nearest(self.about_n_rules)
        error = self.best.standard_error
        least = self.best.accuracy - (0.0 if math.isnan(error) else error)
        good = [point for point in self.points if point.accuracy >= least]
        return min(good, key=lambda point: (point.n_conditions, -point.accuracy))

    def _nearest(self, n_rules: float) -> SettingsPoint:
        def distance(point: SettingsPoint) -> float:
            return abs(point.n_rules - n_rules)

        near = [point for point in self.points if distance(point) <= max(ABOUT * n_rules, ABOUT_AT_LEAST)]
        if near:
            return max(near, key=lambda point: (point.accuracy, -point.n_conditions))
        return min(self.points, key=lambda point: (distance(point), -point.accuracy))

    @property
    def beats_baseline(self) -> bool:
        """Whether the recommended setting is more accurate than always saying the most common outcome.

        Compared fold by fold: the lead must be more than two of its standard errors (`SettingsPoint.lead_error`). Two,
        because one of many settings is looked at, and the luckiest of many is often one above by chance.
        """
        return self.recommended.beats_baseline

    @cached_property
    def undominated(self) -> tuple[SettingsPoint, ...]:
        """The settings worth a thought: none is as accurate with less to read. From the fewest conditions on."""
        found: list[SettingsPoint] = []
        for point in sorted(self.points, key=lambda point: (point.n_conditions, -point.accuracy)):
            if not found or point.accuracy > found[-1].accuracy:
                found.append(point)
        return tuple(found)

    @property
    def is_complete(self) -> bool:
        """Whether all settings were measured, or a callback ended it before."""
        return len(self.points) == self.n_settings

    def estimator(self, point: SettingsPoint | None = None) -> Any:
        """An untrained classifier with the recommended parameters.

        Parameters
        ----------
        point : SettingsPoint or None
            Another setting of the curve, such as `best`.
        """
        chosen = self.recommended if point is None else point
        return self.kind(max_depth=chosen.depth, penalty=chosen.penalty, **self.settings)

    def to_frame(self) -> pd.DataFrame:
        """One line per setting.

        depth, penalty; accuracy, the mean over the folds, and its standard_error; n_rules and n_conditions, what there
        is to read, averaged over the folds; baseline, the accuracy of always saying the most common outcome; lead over
        it, with lead_error; with sensitive features also the gap; is_undominated, is_best, is_recommended.
        """
        names = ["depth", "penalty", "accuracy", "standard_error", "n_rules", "n_conditions", "baseline"]
        names += ["lead", "lead_error", *(["gap"] if self._is_fair else [])]
        frame = pd.DataFrame({name: [getattr(point, name) for point in self.points] for name in names})
        frame["is_undominated"] = [point in self.undominated for point in self.points]
        frame["is_best"] = [point is self.best for point in self.points]
        frame["is_recommended"] = [point is self.recommended for point in self.points]
        return frame

    def plot(self) -> "Figure":
        """Accuracy against conditions to read, a point per setting; a plotly figure, to show or to save."""
        return displays.curve_chart(self)

    def __str__(self) -> str:
        return displays.curve_in_words(self)

    def _repr_html_(self) -> str:
        """As a notebook shows it."""
        return displays.curve_card(self)

    @property
    def _is_fair(self) -> bool:
        return self.kind is FairRUGClassifier
