"""The training rows, given once more: a pool knows which of its rules cover them, but not whom a new rule covers."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from rugcore.attribution import CodedPeople
from rugcore.errors import InputError
from rugcore.fair_training.confident import kept_for_test
from rugcore.fair_training.pool import FairPool
from rugcore.fairness.groups import read_groups
from rugcore.fairness.parity import cell_numbers
from rugcore.generation.rows import RowBlock
from rugcore.tables import validation
from rugcore.tables.columns import CategoryColumn, Column
from rugcore.tables.matching import RuleMatcher
from rugcore.tables.table import Table, plain_value
from rugcore.training.pool import RulePool

WEIGHT_TOLERANCE = 1e-9  # relative: sums of the same weights in another order


@dataclass(frozen=True, eq=False)
class PoolRows:
    """The rows that a model was trained with, and which of them its pool has seen: all, unless some were for a test."""

    table: Table
    class_codes: np.ndarray
    weight: np.ndarray
    is_seen: np.ndarray

    @classmethod
    def of(cls, model: Any, X: Any, y: Any, sample_weight: Any = None, sensitive_features: Any = None) -> "PoolRows":
        """Refused unless they are the rows of the model's training, in the same order."""
        table = validation.table_to_predict(model, X)
        codes = _class_codes(y, model, table.n_rows)
        weight = validation.read_weights(sample_weight, table.n_rows)
        has_weight = weight > 0
        table, codes, weight = table.take(has_weight), codes[has_weight], weight[has_weight]
        groups = None
        if sensitive_features is not None:
            groups = read_groups(sensitive_features, len(has_weight)).take(has_weight).present()
        n_seen = len(model.pool_.merged_row) // _copies(model.pool_)
        is_seen = np.ones(len(codes), dtype=bool)
        if n_seen != len(codes) and groups is not None:
            is_seen = ~kept_for_test(cell_numbers(codes, groups), model.random_state)
        rows = cls(table, codes, weight, is_seen)
        if not rows._are_those_of(model, n_seen):
            raise InputError(_other_rows(n_seen, len(codes)))
        return rows

    def _are_those_of(self, model: Any, n_seen: int) -> bool:
        """Whether outcomes, weights and the rules that cover each row are as in the pool."""
        pool, n_copies = model.pool_, _copies(model.pool_)
        if int(self.is_seen.sum()) != n_seen:
            return False
        first = pool.merged_row[::n_copies]
        merged = pool.master.merged
        if not np.array_equal(merged.class_code[first], self.class_codes[self.is_seen]):
            return False
        total = np.bincount(pool.merged_row, self._weights(pool), merged.n_rows)
        if not np.allclose(total, merged.weight, rtol=WEIGHT_TOLERANCE, atol=0):
            return False
        covered = RuleMatcher(pool.rules(), model.schema_).coverage(self.table.take(self.is_seen))
        return (covered != merged.coverage[first]).nnz == 0

    def _weights(self, pool: RulePool) -> np.ndarray:
        """Of the rows that the pool has seen, or of their copies."""
        likely = pool.people.likely if isinstance(pool, FairPool) else None
        return self.weight[self.is_seen] if likely is None else likely.expected

    def block(self, pool: RulePool, columns: tuple[Column, ...]) -> RowBlock:
        """The rows as the linear program tells them apart, in the codes of these columns."""
        n_classes, n_copies = len(pool.classes), _copies(pool)
        class_codes, weight = self.class_codes[self.is_seen], self.weight[self.is_seen]
        codes = CodedPeople.of(self.table.take(self.is_seen), columns, class_codes, weight).codes
        block = RowBlock(codes, class_codes, weight, n_classes)
        if n_copies > 1:
            block.copy_rows(n_copies, self._weights(pool))
        block.signature = pool.merged_row.astype(np.int32)  # a copy: splitting changes it
        return block

    def people(self, columns: tuple[Column, ...]) -> CodedPeople:
        """All rows, to be compared with."""
        return CodedPeople.of(self.table, columns, self.class_codes, self.weight)

    def refuse_unknown_values(self, columns: tuple[Column, ...], named: dict[str, set[Any]]) -> None:
        """A value that no training row has: nothing tells what a rule about it is worth."""
        for place, column in enumerate(columns):
            if not isinstance(column, CategoryColumn):
                continue
            wanted = named.get(column.name, set()) - set(column.values)
            if wanted and column.has_unnamed:
                wanted -= {plain_value(value) for value in self.table.column(place)}
            if wanted:
                first = min(wanted, key=str)
                raise InputError(
                    f"Expected values of {column.name!r} that occur in the training rows, but {first!r} does not: "
                    "nothing tells what a rule about it is worth."
                )


def _copies(pool: RulePool) -> int:
    """Where a group is small, every row stands in all groups."""
    likely = pool.people.likely if isinstance(pool, FairPool) else None
    return 1 if likely is None else likely.n_groups


def _class_codes(y: Any, model: Any, n_rows: int) -> np.ndarray:
    target = validation.read_target(y, n_rows)
    number = {plain_value(label): code for code, label in enumerate(model.classes_.tolist())}
    found = [plain_value(label) for label in target.classes.tolist()]
    unknown = [label for label in found if label not in number]
    if unknown:
        raise InputError(f"Expected the outcomes of the training rows, but y holds {unknown[0]!r}, which is none.")
    return np.array([number[label] for label in found])[target.codes]


def _other_rows(n_seen: int, n_given: int) -> str:
    counts = f"{n_seen:,} rows" if n_seen != n_given else "the same rows"
    return (
        f"Expected the rows that the model was trained with, in the same order ({counts}), but these {n_given:,} are "
        "others. Pass X, y and sample_weight as in fit; after guarantee='confident', sensitive_features too."
    )
