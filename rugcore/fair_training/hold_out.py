"""Several strictnesses are trained on some rows, and the others choose among the models."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.model_selection import train_test_split
from sklearn.utils import check_random_state

from rugcore.errors import InputError
from rugcore.fair_training.people import People
from rugcore.fair_training.realised import RealisedPool, train_realised
from rugcore.fair_training.settings import FairSettings
from rugcore.fairness.groups import Groups
from rugcore.fairness.parity import cell_numbers
from rugcore.rules.decisions import decide
from rugcore.tables.matching import RuleMatcher
from rugcore.tables.schema import Schema
from rugcore.training.rows import TrainingRows
from rugcore.training.run import TrainingResult
from rugcore.training.settings import Settings

# With rows held out, models for these shares of epsilon are made, and the held-out rows choose among them.
STRICTER = (1.0, 0.75, 0.5, 0.25, 0.0)


def train_with_hold_out(
    rows: TrainingRows,
    groups: Groups,
    positive: int | None,
    settings: Settings,
    fair: FairSettings,
    started: float,
) -> TrainingResult:
    """Train on some rows for several strictnesses, and let the others choose among the models."""
    is_held_out = _held_out(cell_numbers(rows.class_codes, groups), fair, settings.random_state)
    held_out = rows.take(is_held_out)
    held_out_people = People.among(held_out, groups.take(is_held_out), positive, fair)
    taken = rows.take(~is_held_out)
    people = People.among(taken, groups.take(~is_held_out), positive, fair)
    result = train_realised(taken, people, settings, replace(fair, validation_fraction=None), started)
    pool = result.pool
    assert isinstance(pool, RealisedPool)
    shares = STRICTER if math.isfinite(fair.epsilon) else (1.0,)
    pools = [pool.weighed(share * fair.epsilon).joined() for share in shares]
    judged = [_judged(candidate, held_out, held_out_people, fair) for candidate in pools]
    return replace(result, pool=min(judged, key=_validation_rank))


def _held_out(cells: np.ndarray, fair: FairSettings, random_state: Any) -> np.ndarray:
    """A share of every cell, so that both parts can tell the groups apart."""
    several = np.flatnonzero(np.bincount(cells)[cells] > 1)  # the only row of its cell is needed for training
    is_held_out = np.zeros(len(cells), dtype=bool)
    try:
        _, chosen = train_test_split(
            several,
            test_size=fair.validation_fraction,
            random_state=check_random_state(random_state),
            stratify=cells[several],
        )
    except ValueError as error:
        raise InputError(
            f"Expected enough rows to hold some of every class and group out, but there are {len(cells)}. Use "
            "validation_fraction=None."
        ) from error
    is_held_out[chosen] = True
    return is_held_out


def _judged(pool: RealisedPool, held_out: TrainingRows, people: People, fair: FairSettings) -> RealisedPool:
    """The pool with what its model does on the held-out rows written into its result."""
    rules = pool.kept_rules(pool.weight_threshold)
    number = {label: place for place, label in enumerate(pool.classes)}
    matcher = RuleMatcher(rules, Schema.of(held_out.table))
    votes = matcher.votes(held_out.table, [number[rule.label] for rule in rules], len(pool.classes))
    is_wrong = decide(votes, pool.class_share).class_code != held_out.class_codes
    cells = cell_numbers(held_out.class_codes, people.groups)
    errors = np.bincount(cells, is_wrong * held_out.weight, people.cells.n_cells)
    assert pool.fit is not None
    fit = replace(
        pool.fit,
        epsilon=fair.epsilon,
        validation_gap=people.parity.gap(errors),
        validation_accuracy=1.0 - float(errors.sum() / held_out.weight.sum()),
    )
    return replace(pool, fair=fair, fit=fit)


def _validation_rank(pool: RealisedPool) -> tuple[float, float]:
    """Fair on the held-out rows before unfair; then the more accurate there."""
    fit = pool.fit
    assert fit is not None
    assert fit.validation_gap is not None
    assert fit.validation_accuracy is not None
    return max(fit.validation_gap - fit.epsilon, 0.0), -fit.validation_accuracy
