"""Rules and LightGBM explained against the same people, so that what the two say of an applicant can be compared.

These are the training rows that the model, as the visitor has set it, decides favourably.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from rugboard.runs.results import Results
from rugboard.session import adjusted_models, lightgbm
from rugboard.session.adjustments import AS_TRAINED, Adjustment
from rugboard.session.cache import cached
from rugboard.shell.text import brief, value_in_words
from rugcore.comparison import RuleExplainer, ShapExplainer

KEPT = 12
MOST_COMPARED = 2000  # LightGBM takes a second for so many; the rules could take all, but are to see the same people
SEED = 21


@dataclass(frozen=True, eq=False)
class ComparedWith:
    """Rows to compare with, and how they are called after "compared with"."""

    rows: pd.DataFrame
    words: str


@cached(entries=KEPT)
def compared_with(results: Results, model: str, change: Adjustment) -> ComparedWith:
    """The training rows decided favourably, or a sample of them; all training rows where nobody is."""
    decided = adjusted_models.decided(results, model, change)[~results.is_test]
    is_favourable = decided == results.plan.favourable
    label = brief(value_in_words(results.plan.favourable), 40)
    if not is_favourable.any():
        return ComparedWith(_sample(results.X_train), f"all training rows, since nobody is decided {label}")
    return ComparedWith(_sample(results.X_train[is_favourable]), f"people who were decided {label}")


def _sample(rows: pd.DataFrame) -> pd.DataFrame:
    if len(rows) <= MOST_COMPARED:
        return rows
    return rows.iloc[np.sort(np.random.default_rng(SEED).choice(len(rows), MOST_COMPARED, replace=False))]


@cached(entries=KEPT)
def of_rules(results: Results, model: str, change: Adjustment) -> RuleExplainer:
    """What every column adds to the score of the rules."""
    solved = adjusted_models.with_adjustment(results, model, change)
    return RuleExplainer(solved, compared_with(results, model, change).rows)


@cached(entries=lightgbm.PEERS_KEPT)
def of_lightgbm(results: Results, model: str, change: Adjustment) -> ShapExplainer:
    """What every column adds to the score of LightGBM, against the same people."""
    return ShapExplainer(lightgbm.lightgbm(results), compared_with(results, model, change).rows)


def prefetch(results: Results) -> None:
    """What the page Applicants shows first."""
    first = next(iter(results.summaries))
    of_rules(results, first, AS_TRAINED)
    of_lightgbm(results, first, AS_TRAINED)
