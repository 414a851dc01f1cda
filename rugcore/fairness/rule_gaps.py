"""Which rules make the gap: what it would be without each of them, and how well each tells the groups apart."""

from typing import Any, Protocol

import numpy as np
import pandas as pd
from scipy import sparse

from rugcore.fairness.counts import RateCounts, RatePair, gaps_between, pairs_of
from rugcore.fairness.groups import Groups, read_groups
from rugcore.fairness.notions import Notion, notion_of
from rugcore.fairness.outcomes import Outcomes, read_outcomes
from rugcore.fairness.parity import MIN_CELL_SIZE
from rugcore.fairness.telling import by_order
from rugcore.rules import Decisions, RuleSet

NAN = float("nan")


class RuleModel(Protocol):
    """A trained `RUGClassifier` or `FairRUGClassifier`."""

    rules_: RuleSet
    classes_: np.ndarray

    def covering_rules(self, X: Any) -> sparse.csr_array: ...

    def decisions_for(self, coverage: sparse.csr_array) -> Decisions: ...


def rule_gaps(
    model: RuleModel,
    X: Any,
    y: Any,
    *,
    sensitive_features: Any,
    fairness: str | None = None,
    positive_class: Any = None,
    min_cell_size: int = MIN_CELL_SIZE,
) -> pd.DataFrame:
    """Which rules make the gap? A line per rule: how far it pushes the groups apart, and how well it tells them apart.

    Every rule is taken out in turn and all else left as it is: nothing is trained or weighed again, so that the number
    is exact for these decisions. What the best model without the rule would do is another question: `model.refit`
    answers it.

    Parameters
    ----------
    model : RUGClassifier or FairRUGClassifier
        Trained.
    X, y
        The rows to judge on; best those that the training did not see.
    sensitive_features : column or table, one entry per row
        Who belongs to which group.
    fairness : str or None
        What is compared between groups; None: what the model was made for, else "dmc".
    positive_class : label or None
        The class that serves people well; None: that of the model, if it has one.
    min_cell_size : int, default=30
        Rates and groups of fewer rows are left out.

    Returns
    -------
    DataFrame
        In the order of `model.rules_`. rule, label, weight: as in `model.rules_.to_frame()`. gap: the largest gap
        between two groups, of all rules together. gap_without: the same without this rule. pushes: gap minus
        gap_without; above 0 the rule widens the gap, below 0 it narrows it. n_changed: rows decided otherwise without
        it. tells: of two people, one of each group, the share of such pairs in which knowing whether the rule applies
        gives away who is who, a coin deciding where it applies to both or to neither (the area under the ROC curve;
        0.5 is a coin, 1 is certainty); of all pairs of groups the one that it tells apart best, told_first and
        told_second.
    """
    coverage = sparse.csr_array(model.covering_rules(X))
    positive = positive_class if positive_class is not None else getattr(model, "positive_class", None)
    notion = notion_of(fairness if fairness is not None else getattr(model, "fairness", "dmc"))
    decided = model.classes_[model.decisions_for(coverage).class_code]
    outcomes = read_outcomes(y, decided, sensitive_features, positive, classes=model.classes_.tolist())
    return pd.DataFrame(
        {
            "rule": [str(rule) for rule in model.rules_],
            "label": [rule.label for rule in model.rules_],
            "weight": np.array([rule.weight for rule in model.rules_], dtype=float),
            **_pushes(model, coverage, outcomes, notion, min_cell_size),
            **_tells(coverage, read_groups(sensitive_features, coverage.shape[0]), min_cell_size),
        }
    )


# -- the gap without a rule --------------------------------------------------------------------------------


def _pushes(
    model: RuleModel, coverage: sparse.csr_array, outcomes: Outcomes, notion: Notion, min_cell_size: int
) -> dict[str, np.ndarray]:
    gap = largest_gap(outcomes, notion, min_cell_size)
    n_rules = len(model.rules_)
    without, n_changed = np.full(n_rules, NAN), np.zeros(n_rules, dtype=np.int64)
    by_rule = coverage.tocsc()
    for rule in range(n_rules):
        rows = np.sort(by_rule.indices[by_rule.indptr[rule] : by_rule.indptr[rule + 1]])
        predicted = outcomes.predicted.copy()
        predicted[rows] = _decided_without(model, coverage[rows], rule)
        n_changed[rule] = (predicted != outcomes.predicted).sum()
        without[rule] = gap if not n_changed[rule] else largest_gap(_with(outcomes, predicted), notion, min_cell_size)
    return {"gap": np.full(n_rules, gap), "gap_without": without, "pushes": gap - without, "n_changed": n_changed}


def _decided_without(model: RuleModel, covered: sparse.csr_array, rule: int) -> np.ndarray:
    """The class of the rows that the rule covers, had it no say. Votes are added up again rather than taken off: a
    rest of rounding would be a vote where there is none.
    """
    kept = covered.indices != rule
    n_kept = np.concatenate([[0], np.cumsum(kept)])
    others = sparse.csr_array((covered.data[kept], covered.indices[kept], n_kept[covered.indptr]), shape=covered.shape)
    return model.decisions_for(others).class_code


def _with(outcomes: Outcomes, predicted: np.ndarray) -> Outcomes:
    return Outcomes(outcomes.classes, outcomes.positive, outcomes.true, predicted, outcomes.groups, outcomes.weight)


def largest_gap(outcomes: Outcomes, notion: Notion, min_cell_size: int) -> float:
    """Between two groups, over classes and pairs; NaN where no two groups can be compared."""
    counts = RateCounts.of(outcomes, notion)
    pairs = _estimable(pairs_of(counts.keys), counts.n, min_cell_size)
    return float(np.abs(gaps_between(counts.rates, pairs)).max()) if pairs else NAN


def _estimable(pairs: tuple[RatePair, ...], n: np.ndarray, min_cell_size: int) -> tuple[RatePair, ...]:
    return tuple(pair for pair in pairs if min(n[place] for place in pair.places) >= min_cell_size)


# -- whom a rule tells apart -------------------------------------------------------------------------------


def _tells(coverage: sparse.csr_array, groups: Groups, min_cell_size: int) -> dict[str, Any]:
    n_groups = groups.n_groups
    size = np.bincount(groups.codes, minlength=n_groups)
    group_of_pair = np.repeat(groups.codes, np.diff(coverage.indptr))
    n_rules = coverage.shape[1]
    covered = np.bincount(coverage.indices.astype(np.int64) * n_groups + group_of_pair, minlength=n_rules * n_groups)
    large = np.flatnonzero(size >= min_cell_size)
    if len(large) < 2:
        return {"tells": np.full(n_rules, NAN), "told_first": None, "told_second": None}
    shares = covered.reshape(n_rules, n_groups)[:, large] / size[large]
    most, least = large[np.argmax(shares, axis=1)], large[np.argmin(shares, axis=1)]
    counts = covered.reshape(n_rules, n_groups)
    tells = [
        by_order(
            *(np.array([size[group] - counts[rule, group], counts[rule, group]]) for group in (most[rule], least[rule]))
        )
        for rule in range(n_rules)
    ]
    names = np.array(groups.names, dtype=object)
    return {"tells": np.array(tells, dtype=float), "told_first": names[most], "told_second": names[least]}
