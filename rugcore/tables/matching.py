"""Which rules cover which rows, for any table: all rules at once, one byte per cell and one bit per rule.

Only the thresholds and values that the rules mention matter: each column they use is cut at those once.
"""

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from scipy import sparse

from rugcore.errors import InputError
from rugcore.parallel import in_parallel, slices
from rugcore.rules.conditions import Condition, Interval, IsMissing, IsSpecial, Membership
from rugcore.rules.rule import Rule
from rugcore.rules.special import SpecialCodes
from rugcore.tables import kernels
from rugcore.tables.columns import MISSING_CODE, MOST_NAMED_VALUES, N_CODES, CategoryColumn, Column, NumberColumn
from rugcore.tables.coverage import ROWS_PER_THREAD, RULES_PER_WORD, RuleBits
from rugcore.tables.schema import Schema
from rugcore.tables.table import Kind, Table


class RuleMatcher:
    """Rules for matching against tables of one schema; prepared when first used, so that a refit need not wait."""

    def __init__(self, rules: Sequence[Rule], schema: Schema) -> None:
        self.rules = rules
        self._schema = schema

    def prepare(self) -> "RuleMatcher":
        """Prepare now, and so refuse rules that do not fit the schema now."""
        self._batches  # noqa: B018 - a cached property: to look at it is to prepare it
        return self

    @cached_property
    def _batches(self) -> "list[_Batch]":
        starts = range(0, len(self.rules), RULES_PER_WORD)
        return [_Batch(self.rules[start : start + RULES_PER_WORD], self._schema) for start in starts]

    def coverage(self, table: Table) -> sparse.csr_array:
        """A boolean matrix with one line per row and one column per rule."""
        words = [batch.words(table) for batch in self._batches]
        counts = np.zeros(table.n_rows, dtype=np.int64)
        for batch_words in words:
            counts += np.bitwise_count(batch_words)
        indptr = np.concatenate([[0], np.cumsum(counts)])
        indices = np.empty(indptr[-1], dtype=np.int32)
        place = indptr[:-1].copy()
        for number, (batch, batch_words) in enumerate(zip(self._batches, words, strict=True)):
            _list_rules(batch_words, len(batch.rules), number * RULES_PER_WORD, place, indices)
        ones = np.ones(len(indices), dtype=bool)
        return sparse.csr_array((ones, indices, indptr), shape=(table.n_rows, len(self.rules)))

    def votes(self, table: Table, rule_classes: Sequence[int], n_classes: int) -> np.ndarray:
        """Weight of the covering rules by row and class."""
        votes = np.zeros((table.n_rows, n_classes))
        for number, batch in enumerate(self._batches):
            own = slice(number * RULES_PER_WORD, number * RULES_PER_WORD + len(batch.rules))
            tables = _vote_table([rule.weight for rule in batch.rules], rule_classes[own], n_classes)
            _add_votes(batch.words(table), tables, votes)
        return votes


class _Batch:
    """Up to 64 rules, one bit each."""

    def __init__(self, rules: Sequence[Rule], schema: Schema) -> None:
        self.rules = rules
        position = {name: number for number, name in enumerate(schema.names)}
        used = sorted({position[feature] for rule in rules for feature in rule.features})
        self._positions = used
        self._columns = [_column(n, schema, rules) for n in used]
        line = {column.name: number for number, column in enumerate(self._columns)}
        self._rule_bits = RuleBits(
            [
                {line[c.feature]: allowed_codes(c, self._columns[line[c.feature]]) for c in rule.conditions}
                for rule in rules
            ]
        )
        self._bits = np.uint64((1 << len(rules)) - 1)

    def words(self, table: Table) -> np.ndarray:
        codes = np.empty((len(self._columns), table.n_rows), dtype=np.uint8)

        def encode(number: int) -> None:
            codes[number] = self._columns[number].codes(table.column(self._positions[number]))

        in_parallel(encode, range(len(self._columns)))
        return self._rule_bits.words(codes) & self._bits


def _column(position: int, schema: Schema, rules: Sequence[Rule]) -> Column:
    """The column cut only where some rule looks."""
    name, kind = schema.names[position], schema.kinds[position]
    specials = schema.specials.get(name, ())
    conditions = [condition for rule in rules for condition in rule.conditions if condition.feature == name]
    _refuse_unfit(conditions, name, kind, specials)
    if kind == "number":
        intervals = [condition for condition in conditions if isinstance(condition, Interval)]
        bounds = {bound for interval in intervals for bound in (interval.lower, interval.upper)}
        cuts = sorted(bound for bound in bounds if np.isfinite(bound))
        return NumberColumn(name, np.array(cuts, dtype=float), specials)
    values = {value for c in conditions if isinstance(c, Membership) for value in c.values}
    if len(values) > MOST_NAMED_VALUES:
        raise InputError(
            f"Expected the rules to name at most {MOST_NAMED_VALUES} values of column {name!r}, but they "
            f"name {len(values)}."
        )
    return CategoryColumn(name, tuple(sorted(values, key=str)))


def _refuse_unfit(conditions: Sequence[Condition], name: str, kind: Kind, specials: SpecialCodes) -> None:
    """Learned rules always fit their columns; rules made by hand or read from a file may not."""
    unfit = (Membership,) if kind == "number" else (Interval, IsSpecial)
    for condition in conditions:
        if isinstance(condition, unfit):
            raise InputError(f"Expected conditions that fit column {name!r} ({kind}), but a rule says '{condition}'.")
        is_other = isinstance(condition, Interval) and condition.specials != specials
        if is_other or (isinstance(condition, IsSpecial) and not set(condition.codes) <= set(specials)):
            raise InputError(
                f"Expected conditions with the special codes of column {name!r}, but '{condition}' was made for others."
            )


def allowed_codes(condition: Condition, column: Column) -> np.ndarray:
    """Which codes of the column satisfy the condition."""
    allowed = np.zeros(N_CODES, dtype=bool)
    if isinstance(condition, IsMissing):
        allowed[MISSING_CODE] = True
        return allowed
    allowed[MISSING_CODE] = condition.or_missing
    if isinstance(condition, Interval):
        assert isinstance(column, NumberColumn)
        # Code k holds the numbers in (edges[k - 1], edges[k]].
        edges = np.concatenate([[-np.inf], column.cuts, [np.inf]])
        allowed[1 : len(edges)] = (edges[:-1] >= condition.lower) & (edges[1:] <= condition.upper)
        allowed[column.first_special : column.n_codes] = [c.number in condition.or_special for c in column.specials]
        return allowed
    if isinstance(condition, IsSpecial):
        assert isinstance(column, NumberColumn)
        allowed[column.first_special : column.n_codes] = [code in condition.codes for code in column.specials]
        return allowed
    assert isinstance(column, CategoryColumn)
    listed = [value in condition.values for value in column.values] + [False]  # last: any other value
    allowed[1 : column.n_codes] = np.array(listed) != condition.negated
    return allowed


def _vote_table(weights: Sequence[float], rule_classes: Sequence[int], n_classes: int) -> np.ndarray:
    """Votes by byte of the word, value of that byte, and class."""
    bits = (np.arange(256)[:, None] >> np.arange(8)) & 1
    tables = np.zeros((8, 256, n_classes))
    for rule, (weight, class_code) in enumerate(zip(weights, rule_classes, strict=True)):
        tables[rule // 8, :, class_code] += weight * bits[:, rule % 8]
    return tables[: (len(weights) + 7) // 8]


def _add_votes(words: np.ndarray, tables: np.ndarray, votes: np.ndarray) -> None:
    def add(part: slice) -> None:
        kernels.add_votes(words, tables, part.start, part.stop, votes)

    in_parallel(add, slices(len(words), at_least=ROWS_PER_THREAD))


def _list_rules(words: np.ndarray, n_rules: int, first_rule: int, place: np.ndarray, indices: np.ndarray) -> None:
    def fill(part: slice) -> None:
        kernels.list_bits(words, n_rules, first_rule, part.start, part.stop, place, indices)

    in_parallel(fill, slices(len(words), at_least=ROWS_PER_THREAD))
