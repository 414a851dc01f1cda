"""Which rules make the gap: what it would be without each of them, and how well each tells the groups apart."""

from typing import Any, Protocol

import numpy as np
import pandas as pd
from scipy import sparse

from rugcore.fairness.counts import RateCounts, gaps_between, pairs_of
from rugcore.fairness.groups import Groups
from rugcore.fairness.notions import Notion, notion_of
from rugcore.fairness.outcomes import Outcomes, read_outcomes
from rugcore.fairness.pair_shares import by_order
from rugcore.fairness.parity import MIN_CELL_SIZE
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
    notion = fairness if fairness is not None else getattr(model, "fairness", "dmc")
    positive = positive_class if positive_class is not None else getattr(model, "positive_class", None)
    coverage = sparse.csr_array(model.covering_rules(X))
    return rule_gaps_for(model, coverage, y, sensitive_features, notion, positive, min_cell_size)


def rule_gaps_for(
    model: RuleModel,
    coverage: sparse.csr_array,
    y: Any,
    sensitive_features: Any,
    fairness: str,
    positive_class: Any,
    min_cell_size: int = MIN_CELL_SIZE,
) -> pd.DataFrame:
    """`rule_gaps` where it is known which rules cover which rows."""
    decided = model.classes_[model.decisions_for(coverage).class_code]
    outcomes = read_outcomes(y, decided, sensitive_features, positive_class, classes=model.classes_.tolist())
    return pd.DataFrame(
        {
            "rule": [str(rule) for rule in model.rules_],
            "label": [rule.label for rule in model.rules_],
            "weight": np.array([rule.weight for rule in model.rules_], dtype=float),
            **_pushes(model, coverage, outcomes, notion_of(fairness), min_cell_size),
            **_tells(coverage, outcomes.groups, min_cell_size),
        }
    )


# -- the gap without a rule --------------------------------------------------------------------------------


def _pushes(
    model: RuleModel, coverage: sparse.csr_array, outcomes: Outcomes, notion: Notion, min_cell_size: int
) -> dict[str, np.ndarray]:
    """Counts add up over rows, so that only rows decided otherwise need be counted again."""
    counts = RateCounts.of(outcomes, notion)
    gap = _largest(counts, min_cell_size)
    n_rules = len(model.rules_)
    without, n_changed = np.full(n_rules, NAN), np.zeros(n_rules, dtype=np.int64)
    by_rule = coverage.tocsc()
    for rule in range(n_rules):
        rows = np.sort(by_rule.indices[by_rule.indptr[rule] : by_rule.indptr[rule + 1]])
        decided = _decided_without(model, coverage[rows], rule)
        is_other = decided != outcomes.predicted[rows]
        changed = rows[is_other]
        before = RateCounts.of(_of_rows(outcomes, changed, outcomes.predicted[changed]), notion)
        after = RateCounts.of(_of_rows(outcomes, changed, decided[is_other]), notion)
        n_changed[rule], without[rule] = len(changed), _largest(counts.minus(before).plus(after), min_cell_size)
    return {"gap": np.full(n_rules, gap), "gap_without": without, "pushes": gap - without, "n_changed": n_changed}


def _decided_without(model: RuleModel, covered: sparse.csr_array, rule: int) -> np.ndarray:
    """The class of the rows that the rule covers, had it no say. Votes are added up again rather than taken off: a
    rest of rounding would be a vote where there is none.
    """
    kept = covered.indices != rule
    n_kept = np.concatenate([[0], np.cumsum(kept)])
    others = sparse.csr_array((covered.data[kept], covered.indices[kept], n_kept[covered.indptr]), shape=covered.shape)
    return model.decisions_for(others).class_code


def _of_rows(outcomes: Outcomes, rows: np.ndarray, predicted: np.ndarray) -> Outcomes:
    """Some of the rows, with other decisions."""
    return Outcomes(
        outcomes.classes,
        outcomes.positive,
        outcomes.true[rows],
        predicted,
        outcomes.groups.take(rows),
        outcomes.weight[rows],
    )


def _largest(counts: RateCounts, min_cell_size: int) -> float:
    """The largest gap between two groups, over classes and pairs; NaN where no two groups can be compared."""
    pairs = tuple(
        pair for pair in pairs_of(counts.keys) if min(counts.n[place] for place in pair.places) >= min_cell_size
    )
    return float(np.abs(gaps_between(counts.rates, pairs)).max()) if pairs else NAN


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
