"""What chances the models give, held against what happened on the test rows. Nothing here is shown."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from rugboard.compare.report import LIGHTGBM, Report
from rugboard.runs.results import Results
from rugboard.session import adjusted_models, adjustments, lightgbm
from rugboard.session.adjustments import Adjustment
from rugboard.session.cache import cached
from rugboard.shell.theme import OUTSIDE
from rugcore.tables import plain_value

AS_VOTED = 50  # percent: where the decisions are those of the votes, or of LightGBM itself
CUT_OFFS = tuple(range(5, 100, 5))  # percent
N_BINS = 10
CONFIDENCE = 0.95
CHANCES_KEPT = 24  # each holds a few numbers per test row


@dataclass(frozen=True)
class ChanceBin:
    """People who were given about the same chance."""

    low: float
    high: float
    said: float  # the mean chance
    n: int
    n_happened: int

    @property
    def share(self) -> float:
        return self.n_happened / self.n

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's, of the share: what else it might have been with so few people."""
        from scipy.stats import binomtest

        found = binomtest(self.n_happened, self.n).proportion_ci(CONFIDENCE, method="wilson")
        return float(found.low), float(found.high)


@dataclass(frozen=True, eq=False)
class ModelChances:
    """One model on the test rows of a run with two outcomes."""

    model: str
    chance: np.ndarray  # of the favourable outcome
    is_decided: np.ndarray  # for the favourable outcome, by the votes
    has_happened: np.ndarray  # the favourable outcome, in the data
    is_calibrated: bool = True  # not of a model from a file of an earlier version
    is_chance: bool = True  # else a score, which ranks people but is no chance; its cut-off stays its own

    def is_favoured(self, cut_off: int) -> np.ndarray:
        """Who gets the favourable decision if a chance of so many percent is asked for."""
        return self.is_decided if cut_off == AS_VOTED or not self.is_chance else self.chance >= cut_off / 100

    @cached_property
    def brier(self) -> float:
        """The mean squared distance between the chance and what happened."""
        from sklearn.metrics import brier_score_loss

        return float(brier_score_loss(self.has_happened, self.chance))

    @cached_property
    def roc(self) -> tuple[np.ndarray, np.ndarray]:
        """For every cut-off: the share of the others who are favoured, and that of those who should be."""
        from sklearn.metrics import roc_curve

        wrongly, rightly, _ = roc_curve(self.has_happened, self.chance)
        return wrongly, rightly

    @cached_property
    def auc(self) -> float:
        from sklearn.metrics import roc_auc_score

        return float(roc_auc_score(self.has_happened, self.chance))

    @cached_property
    def bins(self) -> list[ChanceBin]:
        """Tenths of the chances, without the empty ones."""
        place = np.minimum((N_BINS * self.chance).astype(int), N_BINS - 1)
        return [self._bin(number, place == number) for number in range(N_BINS) if (place == number).any()]

    def _bin(self, number: int, is_in: np.ndarray) -> ChanceBin:
        return ChanceBin(
            low=number / N_BINS,
            high=(number + 1) / N_BINS,
            said=float(self.chance[is_in].mean()),
            n=int(is_in.sum()),
            n_happened=int(self.has_happened[is_in].sum()),
        )


# -- of a run ----------------------------------------------------------------------------------------------


def outcomes(results: Results) -> tuple[Any, ...]:
    """The favourable one first, then by name."""
    favourable = results.plan.favourable
    labels = {plain_value(label) for label in results.data.y.unique()}
    return tuple(sorted(labels, key=lambda label: (label != favourable, str(label))))


def all_chances(results: Results, report: Report) -> list[ModelChances]:
    """The models of the run as this visitor has set them, another one with a score, and LightGBM if it was compared.

    For two outcomes.
    """
    found = [_own(results, model, adjustments.current(results.run.id, model)) for model in results.summaries]
    if results.data.outside is not None and results.data.outside.score is not None:
        found.append(_of_outside(results, results.data.outside.score))
    return [*found, _of_lightgbm(results, report)] if LIGHTGBM in report.packed else found


def _of_outside(results: Results, score: np.ndarray) -> ModelChances:
    return ModelChances(
        model=OUTSIDE,
        chance=score[results.is_test],
        is_decided=adjusted_models.decided_now(results, OUTSIDE)[results.is_test] == results.plan.favourable,
        has_happened=(results.y_test == results.plan.favourable).to_numpy(dtype=bool),
        is_chance=False,
    )


@cached(entries=CHANCES_KEPT)
def _own(results: Results, model: str, change: Adjustment) -> ModelChances:
    solved = adjusted_models.with_adjustment(results, model, change)
    decided = adjusted_models.decided(results, model, change)[results.is_test]
    return _chances(results, model, _chance_of(results, solved), decided, is_calibrated=solved.chances_ is not None)


@cached(entries=CHANCES_KEPT)
def _of_lightgbm(results: Results, report: Report) -> ModelChances:
    """As the comparison left it; one of an earlier version kept no chances, and the model is trained again."""
    kept = report.chance(LIGHTGBM, results.plan.favourable)
    chance = _chance_of(results, lightgbm.lightgbm(results)) if kept is None else kept
    return _chances(results, LIGHTGBM, chance, report.decided(LIGHTGBM), is_calibrated=True)


def _chance_of(results: Results, classifier: Any) -> np.ndarray:
    """Of the favourable outcome, test row by test row."""
    column = [plain_value(label) for label in classifier.classes_].index(results.plan.favourable)
    found: np.ndarray = classifier.predict_proba(results.X_test)[:, column]
    return found


def _chances(
    results: Results, model: str, chance: np.ndarray, decided: np.ndarray, *, is_calibrated: bool
) -> ModelChances:
    favourable = results.plan.favourable
    return ModelChances(
        model=model,
        chance=chance,
        is_decided=decided == favourable,
        has_happened=(results.y_test == favourable).to_numpy(dtype=bool),
        is_calibrated=is_calibrated,
    )


def brier_without_model(results: Results) -> float:
    """Giving everybody the share of the training rows as their chance."""
    favourable = results.plan.favourable
    share = float((results.y_train == favourable).mean())
    return float((((results.y_test == favourable) - share) ** 2).mean())


# -- right and wrong by outcome ----------------------------------------------------------------------------


def confusion(happened: np.ndarray, decided: np.ndarray, labels: Sequence[Any]) -> pd.DataFrame:
    """People by what is in the data (lines) and what was decided (columns)."""
    counts = [[int(((happened == fact) & (decided == said)).sum()) for said in labels] for fact in labels]
    return pd.DataFrame(counts, index=list(labels), columns=list(labels))


def confusion_at(found: ModelChances, cut_off: int, labels: Sequence[Any]) -> pd.DataFrame:
    """With two outcomes, the favourable one first."""
    first, second = labels
    happened, decided = (np.where(is_first, 0, 1) for is_first in (found.has_happened, found.is_favoured(cut_off)))
    return confusion(happened, decided, (0, 1)).set_axis([first, second]).set_axis([first, second], axis=1)


def fixed_confusions(results: Results) -> dict[str, pd.DataFrame]:
    """Of the model that decides by a cut-off of its own, or by none that is known; nothing where there is none."""
    if results.data.outside is None:
        return {}
    decided = adjusted_models.decided_now(results, OUTSIDE)[results.is_test]
    return {OUTSIDE: confusion(results.y_test.to_numpy(dtype=object), decided, outcomes(results))}


def all_confusions(results: Results, report: Report) -> dict[str, pd.DataFrame]:
    """By model, as the models decide; for any number of outcomes."""
    happened, labels = results.y_test.to_numpy(dtype=object), outcomes(results)
    decided = adjusted_models.decided_in_test(results)
    if LIGHTGBM in report.packed:
        decided[LIGHTGBM] = report.decided(LIGHTGBM)
    return {model: confusion(happened, own, labels) for model, own in decided.items()}
