"""What many splits say together about the gaps between groups, and how far that can be known."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import t as student

from rugcore.errors import InputError
from rugcore.fairness.counts import RateKey, RatePair, gaps_between, pairs_of
from rugcore.fairness.intervals import newcombe
from rugcore.fairness.parity import ROUNDING
from rugcore.selection import split_displays

NAN = float("nan")
WITHIN, ABOVE, OPEN = "within", "above", "cannot be told"


@dataclass(frozen=True, eq=False)
class ModelOverSplits:
    """One model, trained on every split: the counts behind its rates, a line per split and a column per rate.

    Attributes
    ----------
    name : str
        Of the model.
    keys : tuple of RateKey
        Which rates there are: class and group.
    n_people : tuple of int
        Rows of the whole table behind every rate.
    n, hits : ndarray
        Test rows behind every rate, and those decided wrongly, by split.
    training_rates : ndarray
        The same rates on the rows trained on, by split.
    accuracy, n_rules : ndarray
        Share of the test rows decided as the data says, and rules to read (NaN for other models), by split.
    """

    name: str
    keys: tuple[RateKey, ...]
    n_people: tuple[int, ...]
    n: np.ndarray
    hits: np.ndarray
    training_rates: np.ndarray
    accuracy: np.ndarray
    n_rules: np.ndarray

    @property
    def n_splits(self) -> int:
        return len(self.accuracy)

    @cached_property
    def pairs(self) -> tuple[RatePair, ...]:
        """Every two groups within every class."""
        return pairs_of(self.keys)

    @cached_property
    def rates(self) -> np.ndarray:
        """Over all splits together; NaN where no test row ever was."""
        return _shares(self.hits.sum(axis=0), self.n.sum(axis=0))

    @cached_property
    def gaps(self) -> np.ndarray:
        """Signed, of every pair, over all splits together."""
        return gaps_between(self.rates, self.pairs)

    @cached_property
    def split_gaps(self) -> np.ndarray:
        """Signed, of every pair (columns) on the test rows of every split (lines)."""
        return gaps_between(_shares(self.hits, self.n), self.pairs)

    @cached_property
    def training_gaps(self) -> np.ndarray:
        """Signed, of every pair (columns) on the training rows of every split (lines)."""
        return gaps_between(self.training_rates, self.pairs)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as JSON can keep them; a rate of no rows is None."""
        return {
            "name": self.name,
            "keys": [[key.label, key.group] for key in self.keys],
            "n_people": list(self.n_people),
            "n": self.n.tolist(),
            "hits": self.hits.tolist(),
            "training_rates": [[_or_none(rate) for rate in line] for line in self.training_rates.tolist()],
            "accuracy": self.accuracy.tolist(),
            "n_rules": [_or_none(number) for number in self.n_rules.tolist()],
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "ModelOverSplits":
        """The inverse of `to_dict`."""
        return cls(
            name=str(values["name"]),
            keys=tuple(RateKey(label, str(group)) for label, group in values["keys"]),
            n_people=tuple(values["n_people"]),
            n=np.array(values["n"], dtype=np.int64),
            hits=np.array(values["hits"], dtype=np.int64),
            training_rates=np.array(values["training_rates"], dtype=float),
            accuracy=np.array(values["accuracy"], dtype=float),
            n_rules=np.array(values["n_rules"], dtype=float),
        )


def _or_none(number: float) -> float | None:
    return None if math.isnan(number) else number


def _shares(hits: np.ndarray, n: np.ndarray) -> np.ndarray:
    return np.divide(hits, n, out=np.full(np.shape(n), NAN), where=n > 0)


@dataclass(frozen=True, eq=False)
class FairnessOverSplits:
    """What `fairness_over_splits` found; `print` tells it in plain words, and at the end of a cell it is a table.

    Attributes
    ----------
    models : tuple of ModelOverSplits
        The model that was asked about first, then those beside it.
    notion : str
        What is compared.
    epsilon : float
        The gap that was promised; NaN if none was.
    n_asked, n_rows, test_size
        How many splits were asked for, of how many rows, and the share that each held out.
    min_cell_size : int
        Rates of groups with fewer rows are not estimable.
    confidence : float
        Of every interval, on its own.
    """

    models: tuple[ModelOverSplits, ...]
    notion: str
    epsilon: float
    n_asked: int
    n_rows: int
    test_size: float
    min_cell_size: int
    confidence: float

    @property
    def n_splits(self) -> int:
        """How many were measured; fewer than asked for if it was ended early."""
        return self.models[0].n_splits

    def model(self, name: str) -> ModelOverSplits:
        """The one of `models` with that name."""
        found = [item for item in self.models if item.name == name]
        if not found:
            known = ", ".join(repr(item.name) for item in self.models)
            raise InputError(f"Expected one of the models {known}, but got {name!r}.")
        return found[0]

    # -- gaps ------------------------------------------------------------------------------------------------

    def intervals(self, model: ModelOverSplits, n_looked_at: int = 1) -> tuple[np.ndarray, np.ndarray]:
        """Lower and upper bound of every signed gap of a model; NaN where it is not estimable, or with one split.

        The wider of two intervals. The first is that of a mean over splits that share rows, after Nadeau and Bengio.
        The second knows how many different people were looked at, each counted once (Newcombe): where nobody is ever
        decided wrongly, all splits agree, and that alone must not pass for certainty.

        Parameters
        ----------
        n_looked_at : int
            Of how many gaps the most striking one is picked; the confidence then holds for all of them (Bonferroni).
        """
        confidence = 1 - (1 - self.confidence) / n_looked_at
        half = self._half_widths(model.split_gaps, confidence)
        lower, upper = model.gaps - half, model.gaps + half
        sizes = np.array(model.n_people) * (1 - (1 - self.test_size) ** model.n_splits)
        for place, pair in enumerate(model.pairs):
            if self._is_estimable(model, pair):
                first, second = pair.places
                rates = float(model.rates[first]), float(model.rates[second])
                bounds = newcombe(rates, (float(sizes[first]), float(sizes[second])), confidence)
                lower[place], upper[place] = min(lower[place], bounds[0]), max(upper[place], bounds[1])
            else:
                lower[place] = upper[place] = NAN
        if model.n_splits < 2:
            lower[:] = upper[:] = NAN
        return np.maximum(lower, -1.0), np.minimum(upper, 1.0)

    def _half_widths(self, values: np.ndarray, confidence: float) -> np.ndarray:
        """Of the mean of every column. Nadeau and Bengio: var * (1 / J + n_test / n_train), Student's t, J - 1."""
        known = (~np.isnan(values)).sum(axis=0)
        has_spread = known > 1
        deviation = np.full(values.shape[1], NAN)
        deviation[has_spread] = np.nanstd(values[:, has_spread], axis=0, ddof=1)
        counted = np.where(has_spread, known, 2)
        quantile = student.ppf(0.5 + confidence / 2, counted - 1)
        ratio = self.test_size / (1 - self.test_size)
        return np.asarray(quantile * deviation * np.sqrt(1 / counted + ratio))

    def _is_estimable(self, model: ModelOverSplits, pair: RatePair) -> bool:
        return min(model.n_people[place] for place in pair.places) >= self.min_cell_size

    def largest_gap(self, model: ModelOverSplits) -> float:
        """The largest gap of a model over classes and pairs, without its sign; NaN if none is estimable."""
        return float(np.nanmax(np.abs(model.gaps[self._estimable(model)]))) if self._any(model) else NAN

    def _any(self, model: ModelOverSplits) -> bool:
        return bool(self._estimable(model))

    def _estimable(self, model: ModelOverSplits) -> list[int]:
        """Numbers of the pairs."""
        return [place for place, pair in enumerate(model.pairs) if self._is_estimable(model, pair)]

    # -- the promise -----------------------------------------------------------------------------------------

    def n_held(self, model: ModelOverSplits) -> int:
        """In how many splits all gaps of a model on the test rows were at most epsilon."""
        return self._n_within(model.split_gaps[:, self._estimable(model)])

    def n_held_in_training(self, model: ModelOverSplits) -> int:
        """In how many splits all gaps of a model on the training rows were at most epsilon."""
        return self._n_within(model.training_gaps[:, self._estimable(model)])

    def _n_within(self, gaps: np.ndarray) -> int:
        if math.isnan(self.epsilon) or not gaps.shape[1]:
            return 0
        # A gap that cannot be told is not within anything.
        return int((np.nan_to_num(np.abs(gaps), nan=np.inf) <= self.epsilon + ROUNDING).all(axis=1).sum())

    def verdict(self, model: ModelOverSplits) -> str:
        """Whether the gaps of a model on new people are within epsilon: "within", "above" or "cannot be told".

        "above" if one of the gaps is, with confidence in all of them together; "within" only if the whole interval of
        every gap lies within epsilon. Gaps that are not estimable (`not_estimable`) are left out of both.
        """
        if math.isnan(self.epsilon) or not self._any(model):
            return OPEN
        chosen = self._estimable(model)
        lower, upper = (bound[chosen] for bound in self.intervals(model, len(chosen)))
        if ((lower > self.epsilon) | (upper < -self.epsilon)).any():
            return ABOVE
        lower, upper = (bound[chosen] for bound in self.intervals(model))
        is_inside = np.maximum(np.abs(lower), np.abs(upper)) <= self.epsilon + ROUNDING
        return WITHIN if is_inside.all() else OPEN

    @property
    def not_estimable(self) -> tuple[RateKey, ...]:
        """Class and group of the rates that rest on fewer than `min_cell_size` rows of the whole table."""
        first = self.models[0]
        return tuple(key for key, n in zip(first.keys, first.n_people, strict=True) if n < self.min_cell_size)

    # -- accuracy --------------------------------------------------------------------------------------------

    def accuracy(self, model: ModelOverSplits) -> tuple[float, float, float]:
        """The mean accuracy of a model over the splits, with the bounds of its interval."""
        return self._mean(model.accuracy)

    def accuracy_difference(self, name: str) -> tuple[float, float, float]:
        """How much more accurate the first model is than another, split by split, with the bounds of its interval.

        Parameters
        ----------
        name : str
            The other model.
        """
        return self._mean(self.models[0].accuracy - self.model(name).accuracy)

    def _mean(self, values: np.ndarray) -> tuple[float, float, float]:
        mean, half = float(np.mean(values)), float(self._half_widths(values[:, None], self.confidence)[0])
        return mean, mean - half, mean + half

    # -- as a table ------------------------------------------------------------------------------------------

    def to_frame(self) -> pd.DataFrame:
        """One line per model, class and pair of groups.

        gap: share of the first group decided wrongly minus that of the second, over the test rows of all splits, with
        lower and upper. lowest, highest: what single splits say. training_gap: the mean on the rows trained on.
        n_first, n_second: rows of the whole table behind the two rates. not_estimable: why there is no gap, or "".
        """
        return pd.DataFrame([line for model in self.models for line in self._lines(model)])

    def _lines(self, model: ModelOverSplits) -> list[dict[str, Any]]:
        lower, upper = self.intervals(model)
        return [
            {
                "model": model.name,
                "class": pair.label,
                "first_group": pair.first,
                "second_group": pair.second,
                **self._numbers(model, place, (float(lower[place]), float(upper[place]))),
                "n_first": model.n_people[pair.places[0]],
                "n_second": model.n_people[pair.places[1]],
                "not_estimable": "" if self._is_estimable(model, pair) else f"fewer than {self.min_cell_size} rows",
            }
            for place, pair in enumerate(model.pairs)
        ]

    def _numbers(self, model: ModelOverSplits, place: int, bounds: tuple[float, float]) -> dict[str, float]:
        names = ("gap", "lower", "upper", "lowest", "highest", "training_gap")
        if not self._is_estimable(model, model.pairs[place]):
            return dict.fromkeys(names, NAN)
        of_splits = model.split_gaps[:, place]
        single = (float(np.nanmin(of_splits)), float(np.nanmax(of_splits)))
        values = (float(model.gaps[place]), *bounds, *single, float(np.nanmean(model.training_gaps[:, place])))
        return dict(zip(names, values, strict=True))

    def summary(self) -> pd.DataFrame:
        """One line per model: accuracy with bounds, the largest gap, the verdict, how often the promise held, rules."""
        lines = []
        for model in self.models:
            accuracy, lower, upper = self.accuracy(model)
            lines.append(
                {
                    "model": model.name,
                    "accuracy": accuracy,
                    "accuracy_lower": lower,
                    "accuracy_upper": upper,
                    "largest_gap": self.largest_gap(model),
                    "verdict": self.verdict(model),
                    "held_on_test_rows": self.n_held(model),
                    "held_on_training_rows": self.n_held_in_training(model),
                    "n_splits": model.n_splits,
                    "n_rules": float(np.mean(model.n_rules)),
                }
            )
        return pd.DataFrame(lines)

    def __str__(self) -> str:
        return split_displays.in_words(self)

    def _repr_html_(self) -> str:
        """As a notebook shows it."""
        return split_displays.card(self)

    # -- in pieces -------------------------------------------------------------------------------------------

    @classmethod
    def joined(cls, parts: "Sequence[FairnessOverSplits]") -> "FairnessOverSplits":
        """Several parts, measured one after the other of the same models on the same rows, as one."""
        if not parts:
            raise InputError("Expected at least one part to join, but got none.")
        first = parts[0]
        names = [item.name for item in first.models]
        for part in parts[1:]:
            if [item.name for item in part.models] != names or part.models[0].keys != first.models[0].keys:
                raise InputError("Expected parts about the same models, classes and groups, but they differ.")
        models = tuple(_stacked([part.models[place] for part in parts]) for place in range(len(names)))
        return cls(
            models,
            first.notion,
            first.epsilon,
            sum(part.n_asked for part in parts),
            first.n_rows,
            first.test_size,
            first.min_cell_size,
            first.confidence,
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as JSON can keep them."""
        own = ("notion", "n_asked", "n_rows", "test_size", "min_cell_size", "confidence")
        return {
            "models": [model.to_dict() for model in self.models],
            "epsilon": _or_none(self.epsilon),
            **{name: getattr(self, name) for name in own},
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "FairnessOverSplits":
        """The inverse of `to_dict`; damaged values raise a KeyError, TypeError or ValueError."""
        epsilon = values["epsilon"]
        own = {name: value for name, value in values.items() if name not in ("models", "epsilon")}
        models = tuple(ModelOverSplits.from_dict(item) for item in values["models"])
        return cls(models=models, epsilon=NAN if epsilon is None else float(epsilon), **own)


def _stacked(parts: Sequence[ModelOverSplits]) -> ModelOverSplits:
    arrays = ("n", "hits", "training_rates", "accuracy", "n_rules")
    joined = {name: np.concatenate([getattr(part, name) for part in parts]) for name in arrays}
    return ModelOverSplits(name=parts[0].name, keys=parts[0].keys, n_people=parts[0].n_people, **joined)
