"""What a fair model does to rows that it was not trained on."""

import numpy as np

from rugcore.fair_training.pool import FairPool
from rugcore.fairness.groups import Groups
from rugcore.fairness.parity import cell_numbers
from rugcore.rules.decisions import decide
from rugcore.tables.matching import RuleMatcher
from rugcore.tables.schema import Schema
from rugcore.training.rows import TrainingRows


def wrong_by_cell(pool: FairPool, rows: TrainingRows, groups: Groups) -> np.ndarray:
    """The wrongly decided weight of every class and group."""
    rules = pool.kept_rules(pool.weight_threshold)
    number = {label: place for place, label in enumerate(pool.classes)}
    matcher = RuleMatcher(rules, Schema.of(rows.table))
    votes = matcher.votes(rows.table, [number[rule.label] for rule in rules], len(pool.classes))
    is_wrong = decide(votes, pool.class_share).class_code != rows.class_codes
    n_cells = len(rows.classes) * groups.n_groups
    return np.bincount(cell_numbers(rows.class_codes, groups), is_wrong * rows.weight, n_cells)
