"""A promise about new people: a test on rows that training never saw, with bounds that hold for all gaps at once.

Two fifths of every class and group are kept from training. On them every rate has an exact interval (Clopper and
Pearson), each so sure that all hold together (Bonferroni): with probability `confidence` no true rate lies outside, and
so no true gap is larger than the largest difference between the ends of two intervals. If that is at most epsilon, the
model is assured. The model is not trained again on all rows afterwards: it would be another one than was tested.

This holds for new people from the same source as the rows, whatever their distribution, and for this model alone.
P. S. Thomas et al. (2019), Preventing undesirable behavior of intelligent machines. Science 366, 999-1004.
"""

from dataclasses import replace

import numpy as np
from sklearn.utils import check_random_state

from rugcore.errors import InputError
from rugcore.fair_training.assurance import assured, rate_bounds, smallest_epsilon
from rugcore.fair_training.deciding import decided_by_cell
from rugcore.fair_training.expectation import TESTED, expectation
from rugcore.fair_training.people import People
from rugcore.fair_training.realised import RealisedPool, train_realised
from rugcore.fair_training.settings import FairSettings
from rugcore.fairness.groups import Groups
from rugcore.fairness.parity import Cells, Parity, cell_numbers, parity
from rugcore.training.rows import TrainingRows
from rugcore.training.run import TrainingResult
from rugcore.training.settings import Settings

# How far a rate is known shrinks with the root of the rows in the test, and how good rules are hardly changes with the
# rows in training: so nearly half of them. More would leave small cells with too few to learn from.
KEPT_SHARE = 0.4
# Training aims below epsilon, to leave room for what the test cannot know; never below this share of it.
STRICTEST = 0.25


def train_confident(
    rows: TrainingRows,
    groups: Groups,
    positive: int | None,
    settings: Settings,
    fair: FairSettings,
    started: float,
) -> TrainingResult:
    """Train on some rows, test on the others; the pool's result says whether epsilon is assured."""
    if not (rows.weight == rows.weight[0]).all():
        raise InputError(
            "Expected rows of equal weight with guarantee='confident': its bounds count people, and say nothing about "
            "weighted ones. Leave sample_weight out, or use guarantee='realised'."
        )
    is_kept = kept_for_test(cell_numbers(rows.class_codes, groups), settings.random_state)
    kept, kept_groups = rows.take(is_kept), groups.take(is_kept)
    taken, taken_groups = rows.take(~is_kept), groups.take(~is_kept)
    people = People.among(taken, taken_groups, positive, fair)
    result = train_realised(taken, people, settings, fair, started)
    # Nobody is left out of a promise: here every rate counts, however few rows it has.
    cells = Cells.of(rows.classes, kept.class_codes, kept_groups)
    tested = parity(fair.notion, cells, positive, min_cell_size=0)
    pool = result.pool
    assert isinstance(pool, RealisedPool)
    pool = _stricter(pool, tested, cells, fair)
    tally = decided_by_cell(pool, kept, kept_groups) / rows.weight[0]
    return replace(result, pool=_with_assurance(pool, tested, np.rint(tally), fair))


def kept_for_test(cells: np.ndarray, random_state: object) -> np.ndarray:
    """Which rows training does not see: the same share of every cell.

    Without a random state the draw is always the same one.
    """
    order = check_random_state(0 if random_state is None else random_state).permutation(len(cells))
    is_kept = np.zeros(len(cells), dtype=bool)
    for cell in np.unique(cells):
        members = order[cells[order] == cell]
        is_kept[members[: round(KEPT_SHARE * len(members))]] = True
    return is_kept


def _stricter(pool: RealisedPool, tested: Parity, cells: Cells, fair: FairSettings) -> RealisedPool:
    """The same rules weighed for a smaller epsilon, if the test would not let the larger one pass.

    How far the bounds will lie beyond the gap is foreseen from the training rates and the sizes of the tested cells:
    nothing is looked up in the test itself, or it would be none.
    """
    assert pool.fit is not None
    learned = pool.search(pool.rule_weight).measure(pool.rule_weight).tally[-cells.n_cells :]
    shares = learned / np.maximum(learned.sum(axis=1, keepdims=True), np.finfo(float).tiny)
    foreseen = shares * cells.count.reshape(-1, 1)
    room = smallest_epsilon(rate_bounds(tested, foreseen, fair.confidence)) - tested.strict_gap(foreseen)
    aim = max(fair.epsilon - room, STRICTEST * fair.epsilon)
    return pool if pool.fit.realised_gap <= aim else pool.weighed(aim).joined()


def _with_assurance(pool: RealisedPool, tested: Parity, tally: np.ndarray, fair: FairSettings) -> RealisedPool:
    assurance, rates = assured(tested, tally, fair.epsilon, fair.confidence, KEPT_SHARE)
    assert pool.fit is not None
    fit = replace(
        pool.fit,
        epsilon=fair.epsilon,
        expected=expectation(tested, tally, TESTED),
        assurance=assurance,
        assured_rates=rates,
    )
    return replace(pool, fair=fair, fit=fit)
