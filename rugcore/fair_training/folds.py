"""The gap to expect on new people, from models that are trained without a part of the rows and then decide it."""

import time
from dataclasses import replace

import numpy as np

from rugcore.fair_training.deciding import decided_by_cell
from rugcore.fair_training.expectation import FOLDS, Expectation, expectation
from rugcore.fair_training.people import People
from rugcore.fair_training.realised import RealisedPool, train_realised
from rugcore.fair_training.settings import FairSettings
from rugcore.fairness.groups import Groups
from rugcore.fairness.parity import cell_numbers
from rugcore.training.rows import Trainable, TrainingRows
from rugcore.training.run import TrainingResult
from rugcore.training.settings import Settings
from rugcore.training.trust import MOST_ROWS, N_FOLDS, dealt, different_rows, has_time


def expected_by_folds(
    rows: Trainable,
    groups: Groups,
    positive: int | None,
    settings: Settings,
    fair: FairSettings,
    result: TrainingResult,
    started: float,
) -> Expectation | None:
    """None where the rows are many, too few to go without a part of them, or there is no time."""
    here = rows.in_memory(MOST_ROWS) if has_time(settings, result, started) else None
    return None if here is None else _expected(here, rows.outcomes(groups).groups, positive, settings, fair)


def _expected(
    rows: TrainingRows, groups: Groups, positive: int | None, settings: Settings, fair: FairSettings
) -> Expectation | None:
    people = People.among(rows, groups, positive, fair)
    fold = dealt(different_rows(rows), rows.class_codes)
    smaller = replace(fair, min_cell_size=max(fair.min_cell_size // 2, 1))  # a part of the rows has smaller cells
    if not _keeps_rates(fold, rows, people, smaller.min_cell_size):
        return None
    quietly = replace(settings, callback=None, time_limit=None)
    tally = np.zeros((people.cells.n_cells, len(rows.classes)))
    for number in range(N_FOLDS):
        is_left = fold != number
        taken, taken_groups = rows.take(is_left), groups.take(is_left)
        taken_people = People.among(taken, taken_groups, positive, smaller)
        pool = train_realised(taken, taken_people, quietly, smaller, time.perf_counter()).pool
        assert isinstance(pool, RealisedPool)
        tally += decided_by_cell(pool, rows.take(~is_left), groups.take(~is_left))
    return expectation(people.parity, tally, FOLDS)


def _keeps_rates(fold: np.ndarray, rows: TrainingRows, people: People, least: int) -> bool:
    """Whether all that is compared is left to compare, and every class to learn, when any fold is taken away."""
    cells = cell_numbers(rows.class_codes, people.groups)
    for number in range(N_FOLDS):
        left = np.bincount(cells[fold != number], minlength=people.cells.n_cells)
        has_rates = all(left[rate.cells].sum() >= least for rate in people.parity.rates)
        if not has_rates or not left.reshape(people.cells.count.shape).sum(axis=1).all():
            return False
    return True
