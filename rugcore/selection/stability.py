"""How sure are the rules? The same training on samples of the rows, and which rules come back."""

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from rugcore.errors import InputError
from rugcore.estimators import FairRUGClassifier, RuleClassifier
from rugcore.fairness.intervals import wilson
from rugcore.rules.rule import Rule
from rugcore.selection.likeness import ALIKE, likeness
from rugcore.selection.rows import WeighedRows, check_callback, seed_of, trained
from rugcore.tables.table import plain_value
from rugcore.training.settings import check_whole

CONFIDENCE = 0.95  # of the intervals: the usual level
NAN = float("nan")


def rule_stability(
    model: RuleClassifier,
    X: Any,
    y: Any,
    *,
    n_samples: int = 20,
    sensitive_features: Any = None,
    sample_weight: Any = None,
    random_state: Any = 0,
    callback: Callable[[int, int], Any] | None = None,
) -> pd.DataFrame:
    """How sure are the rules? A line per rule of the model: how often it comes back when other people are drawn.

    Had other people of the same kind applied, the table would be a little different, and so would the rules. This
    draws such tables: samples of the rows, with replacement, as many of every outcome as there are. On each of them the
    same training is run again, and its rules are held against those of the model.

    A rule comes back if a sample has a rule for the same outcome, on the same columns, that bounds each of them in the
    same direction, and that covers almost the same people (of those whom one of the two covers, both cover at least
    0.8). Its numbers may move a little: "income <= 42,000" comes back as "income <= 41,500".

    What to make of it: a rule that comes back in most samples says something about the applicants, and can be
    defended. One that seldom does is one of several ways to put it: the decision may be sound, but do not hang a policy
    on this threshold. Where rules come and go while `decision_agreement` is high, the model decides reliably and only
    its wording is a matter of chance; where decisions differ as well, take fewer or shorter rules, or more rows.
    A sample holds about 63% of the different rows, so that real new tables would agree a little more.

    Parameters
    ----------
    model : RUGClassifier or FairRUGClassifier
        Trained; it is not changed. Every sample is trained with its parameters, without its callback.
    X, y
        The rows that the model was trained on.
    n_samples : int, default=20
        How many samples are drawn, each of which takes a training.
    sensitive_features : column or table, one entry per row
        Needed for a FairRUGClassifier, and for no other.
    sample_weight : one number per row, or None
        As in the training of the model; people count by it in overlaps and agreement too.
    callback : callable or None
        Called as callback(done, total) after every sample; returning False ends it, with what was found so far.

    Returns
    -------
    DataFrame
        In the order of `model.rules_`. rule, label, weight: as in `model.rules_.to_frame()`. recurs: share of the
        samples in which the rule comes back, with recurs_low and recurs_high, its 95% interval (Wilson), which is wide
        for few samples. recurs_exactly: share in which it comes back word for word. weight_mean, weight_low,
        weight_high: of the rule that came back, its mean and where 95% of its weights lie; NaN if it never did.
        best_overlap: the overlap with the most similar rule for the same outcome, whatever its conditions, on average:
        if it is high and `recurs` low, others say the same about the same people in other words.

        `attrs` of the frame has n_samples, those that were trained; n_samples_asked; decision_agreement, the share of
        the rows that two samples decide alike, averaged over all pairs (NaN with one sample); agreement_with_model, the
        share that a sample decides as the model does; n_rows, overlap (0.8) and confidence (0.95).
    """
    check_whole("n_samples", n_samples, 1)
    check_callback(callback)
    rows = _checked_rows(model, X, y, sensitive_features, sample_weight)
    rng = np.random.default_rng(seed_of(random_state))
    untrained = copy(model)
    untrained.callback = None
    found = _Comebacks.of(model, rows)
    for number in range(1, n_samples + 1):
        found.add(trained(untrained, rows.take(_sample(rows.target.codes, rng))))
        if callback is not None and callback(number, n_samples) is False:
            break
    return found.to_frame(n_samples)


def _checked_rows(model: Any, X: Any, y: Any, sensitive_features: Any, sample_weight: Any) -> WeighedRows:
    if not isinstance(model, RuleClassifier):
        raise InputError(
            f"Expected a trained RUGClassifier or FairRUGClassifier, but got {type(model).__name__}. Train one of them."
        )
    check_is_fitted(model)
    is_fair = isinstance(model, FairRUGClassifier)
    if is_fair and sensitive_features is None:
        raise InputError(
            "Expected the sensitive_features that the FairRUGClassifier was trained with, but none came. Pass them."
        )
    if not is_fair and sensitive_features is not None:
        raise InputError(
            f"Expected no sensitive_features, because a {type(model).__name__} is trained without, but they came. "
            "Leave them out."
        )
    rows = WeighedRows.read(X, y, sensitive_features, sample_weight)
    known, came = ([plain_value(label) for label in classes] for classes in (model.classes_, rows.target.classes))
    if known != came:
        raise InputError(
            f"Expected the outcomes that the model was trained on, {known}, but y has {came}. Pass the training rows."
        )
    return rows


def _sample(codes: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Rows drawn with replacement, as many of every class as there are: a rare one could be left out otherwise."""
    drawn = np.empty(len(codes), dtype=np.intp)
    for code in range(int(codes.max()) + 1):
        own = np.flatnonzero(codes == code)
        drawn[own] = own[rng.integers(len(own), size=len(own))]
    return drawn


@dataclass(eq=False)
class _Comebacks:
    """What the samples say about the rules, a line per sample."""

    rules: Sequence[Rule]
    rows: WeighedRows
    coverage: sparse.csr_array
    decided: np.ndarray  # class codes of the model
    votes: np.ndarray  # how many samples decide a row for a class
    is_back: list[np.ndarray] = field(default_factory=list)
    is_exact: list[np.ndarray] = field(default_factory=list)
    weights: list[np.ndarray] = field(default_factory=list)  # NaN where the rule did not come back
    overlaps: list[np.ndarray] = field(default_factory=list)

    @classmethod
    def of(cls, model: RuleClassifier, rows: WeighedRows) -> "_Comebacks":
        coverage = model.covering_rules(rows.X)
        decided = model.decisions_for(coverage).class_code
        votes = np.zeros((rows.n_rows, len(model.classes_)), dtype=np.int64)
        return cls(model.rules_, rows, coverage, decided, votes)

    def add(self, sample: RuleClassifier) -> None:
        coverage = sample.covering_rules(self.rows.X)
        alike = likeness(self.rules, self.coverage, sample.rules_, coverage, self.rows.weight)
        weights = np.array([rule.weight for rule in sample.rules_])
        self.is_back.append(np.any(alike.is_match, axis=1))
        self.is_exact.append(np.any(alike.is_exact, axis=1))
        self.weights.append(_weights_of_matches(alike.overlap, alike.is_match, weights))
        self.overlaps.append(alike.overlap.max(axis=1, initial=0.0))
        self.votes[np.arange(self.rows.n_rows), sample.decisions_for(coverage).class_code] += 1

    def to_frame(self, n_asked: int) -> pd.DataFrame:
        n_samples = len(self.is_back)
        recurs = np.mean(self.is_back, axis=0)
        low, high = wilson(recurs, np.full(len(recurs), float(n_samples)), CONFIDENCE)
        frame = pd.DataFrame(
            {
                "rule": [str(rule) for rule in self.rules],
                "label": [rule.label for rule in self.rules],
                "weight": np.array([rule.weight for rule in self.rules], dtype=float),
                "recurs": recurs,
                "recurs_low": low,
                "recurs_high": high,
                "recurs_exactly": np.mean(self.is_exact, axis=0),
                **_spread(np.array(self.weights)),
                "best_overlap": np.mean(self.overlaps, axis=0),
            }
        )
        frame.attrs = {
            "n_samples": n_samples,
            "n_samples_asked": n_asked,
            "n_rows": self.rows.n_rows,
            "decision_agreement": self._agreement(n_samples),
            "agreement_with_model": self._agreement_with_model(n_samples),
            "overlap": ALIKE,
            "confidence": CONFIDENCE,
        }
        return frame

    def _agreement(self, n_samples: int) -> float:
        """Of c samples that decide a row for one class, c (c - 1) / 2 pairs agree: no pair need be looked at."""
        if n_samples < 2:
            return NAN
        pairs = (self.votes * (self.votes - 1)).sum(axis=1) / (n_samples * (n_samples - 1))
        return float(np.average(pairs, weights=self.rows.weight))

    def _agreement_with_model(self, n_samples: int) -> float:
        own = self.votes[np.arange(self.rows.n_rows), self.decided] / n_samples
        return float(np.average(own, weights=self.rows.weight))


def _weights_of_matches(overlap: np.ndarray, is_match: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The weight of the rule that each came back as: of several, the one that overlaps most, and then the heaviest."""
    if not len(weights):
        return np.full(len(overlap), NAN)
    order = np.argsort(-weights, kind="stable")  # the first of equals is the heaviest
    best = order[np.argmax(np.where(is_match, overlap, -1.0)[:, order], axis=1)]
    return np.where(is_match.any(axis=1), weights[best], NAN)


def _spread(weights: np.ndarray) -> dict[str, np.ndarray]:
    """Mean and the middle 95% of the weights of every rule, over the samples in which it came back."""
    columns = np.full((3, weights.shape[1]), NAN)
    tail = (1 - CONFIDENCE) / 2
    for number, own in enumerate(weights.T):
        came = own[~np.isnan(own)]
        if len(came):
            columns[:, number] = came.mean(), *np.quantile(came, (tail, 1 - tail))
    return dict(zip(("weight_mean", "weight_low", "weight_high"), columns, strict=True))


def stability_in_words(frame: pd.DataFrame) -> list[str]:
    """What `rule_stability` found, in sentences."""
    facts = frame.attrs
    n_samples, asked = facts["n_samples"], facts["n_samples_asked"]
    ended = "" if n_samples == asked else f" (ended early: {asked} were asked for)"
    sentences = [f"{_counted(n_samples, 'sample')} of {facts['n_rows']:,} rows, drawn with replacement{ended}."]
    if len(frame):
        most, never = int((frame["recurs"] > 0.5).sum()), int((frame["recurs"] == 0).sum())
        sentences.append(
            f"On average a rule comes back in {frame['recurs'].mean():.0%} of the samples, word for word in "
            f"{frame['recurs_exactly'].mean():.0%}; {most} of {_counted(len(frame), 'rule')} in more than half, "
            f"{never} in none."
        )
    alike = f"Two samples decide {facts['decision_agreement']:.1%} of the rows alike; a" if n_samples > 1 else "A"
    sentences.append(f"{alike} sample decides {facts['agreement_with_model']:.1%} of them as the model does.")
    return sentences


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"
