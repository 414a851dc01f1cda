"""What a fair model does to rows that it was not trained on."""

import numpy as np

from rugcore.fair_training.pool import FairPool
from rugcore.fairness.groups import Groups
from rugcore.fairness.parity import cell_numbers, tally_of
from rugcore.rules.decisions import decide
from rugcore.tables.matching import RuleMatcher
from rugcore.tables.schema import Schema
from rugcore.training.rows import TrainingRows


def decided_by_cell(pool: FairPool, rows: TrainingRows, groups: Groups) -> np.ndarray:
    """The weight of every class and group, by decided class."""
    rules = pool.kept_rules(pool.weight_threshold)
    number = {label: place for place, label in enumerate(pool.classes)}
    matcher = RuleMatcher(rules, Schema.of(rows.table))
    votes = matcher.votes(rows.table, [number[rule.label] for rule in rules], len(pool.classes))
    decided = decide(votes, pool.class_share).class_code
    n_classes = len(rows.classes)
    return tally_of(
        cell_numbers(rows.class_codes, groups), decided, rows.weight, n_classes * groups.n_groups, n_classes
    )
