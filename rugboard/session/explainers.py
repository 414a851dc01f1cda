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
from rugcore.rules import outcome_in_words

KEPT = 12
MOST_COMPARED = 2000  # LightGBM takes a second for so many; the rules could take all, but are to see the same people
SEED = 21


@dataclass(frozen=True, eq=False)
class ComparedWith:
    """Rows to compare with, and how they are called after "compared with"."""

    rows: pd.DataFrame
    words: str  # of all of them: reasons compare with all
    is_sample: bool

    @property
    def words_of_sample(self) -> str:
        """Of those that rules and LightGBM are compared with on the screen."""
        return f"{len(self.rows):,} of the {self.words}" if self.is_sample else self.words


@cached(entries=KEPT)
def compared_with(results: Results, model: str, change: Adjustment) -> ComparedWith:
    """The training rows decided favourably, or a sample of them; all training rows where nobody is."""
    decided = adjusted_models.decided(results, model, change)[~results.is_test]
    is_favourable = decided == results.plan.favourable
    label = outcome_in_words(brief(value_in_words(results.plan.favourable), 40))
    if not is_favourable.any():
        return _sampled(results.X_train, f"training rows, since nobody is decided {label}")
    return _sampled(results.X_train[is_favourable], f"people who were decided {label}")


def _sampled(rows: pd.DataFrame, words: str) -> ComparedWith:
    if len(rows) <= MOST_COMPARED:
        return ComparedWith(rows, words, is_sample=False)
    drawn = np.sort(np.random.default_rng(SEED).choice(len(rows), MOST_COMPARED, replace=False))
    return ComparedWith(rows.iloc[drawn], words, is_sample=True)


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
