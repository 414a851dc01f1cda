"""What all partitions agree on before any is encoded: kinds of columns, classes, groups, and where to cut.

Kinds, classes, groups and categories are those of all rows. Cuts come from a sample of rows that depends on how many
rows there are and on nothing else: however the table is partitioned, and on one machine, they are the same.
"""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from rugcore.dask.sources import Piece
from rugcore.errors import InputError
from rugcore.fairness.groups import Groups, read_groups
from rugcore.parallel import on_one_core
from rugcore.tables.columns import MOST_BINS
from rugcore.tables.encoder import amounts_of, known_values, value_counts
from rugcore.tables.schema import WORD_FOR_KIND, Schema
from rugcore.tables.table import Kind, Table, column_names, kind_of, numbers_of, plain_value, refuse_infinities
from rugcore.tables.validation import labels_of, read_target, refuse_blanks

# Of the groups of a partition: more are refused, but not before it is known how many there are.
MOST_GROUPS_LISTED = 10_000


# -- kinds, classes and groups ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Survey:
    """What one partition holds."""

    n_rows: int
    n_with_weight: int
    kinds: tuple[Kind, ...]
    n_blank_labels: int
    labels: np.ndarray  # that occur
    labels_with_weight: np.ndarray
    groups: pd.DataFrame | pd.Series | None  # that occur; those of rows with weight
    all_groups: pd.DataFrame | pd.Series | None


@on_one_core
def survey(piece: Piece, name: str) -> Survey:
    """Look through a partition once; a refusal says in which one."""
    try:
        return _survey(piece)
    except InputError as error:
        raise InputError(f"In {name}: {error}") from error


def _survey(piece: Piece) -> Survey:
    labels, has_weight = labels_of(piece.target), weights_of(piece) > 0
    if len(labels) != len(piece.features):
        raise InputError(f"Expected one label per row, but {len(piece.features)} rows came with {len(labels)} labels.")
    is_known = ~pd.isna(labels)
    return Survey(
        n_rows=len(labels),
        n_with_weight=int(has_weight.sum()),
        kinds=_kinds(piece.features),
        n_blank_labels=int((~is_known).sum()),
        labels=pd.unique(labels[is_known]),
        labels_with_weight=pd.unique(labels[is_known & has_weight]),
        groups=_occurring(piece, has_weight),
        all_groups=_occurring(piece, np.ones(len(labels), dtype=bool)),
    )


def _kinds(frame: pd.DataFrame) -> tuple[Kind, ...]:
    names = column_names(frame)
    kinds = tuple(kind_of(frame.iloc[:, place], name) for place, name in enumerate(names))
    for place, (kind, name) in enumerate(zip(kinds, names, strict=True)):
        if kind == "number":
            refuse_infinities(numbers_of(frame.iloc[:, place])[:, None], [name])
    return kinds


def _occurring(piece: Piece, is_meant: np.ndarray) -> pd.DataFrame | pd.Series | None:
    if piece.sensitive is None:
        return None
    if len(piece.sensitive) != len(is_meant):
        raise InputError(
            f"Expected sensitive_features to have one entry per row, but {len(is_meant)} rows came with "
            f"{len(piece.sensitive)} entries."
        )
    return piece.sensitive[is_meant].drop_duplicates().head(MOST_GROUPS_LISTED)


def weights_of(piece: Piece) -> np.ndarray:
    """Of all rows of a partition; it may have none above zero."""
    if piece.weight is None:
        return np.ones(len(piece.features))
    weight = numbers_of(piece.weight)
    if len(weight) != len(piece.features):
        raise InputError(f"Expected one weight per row, but {len(weight)} came with {len(piece.features)} rows.")
    if not np.isfinite(weight).all() or (weight < 0).any():
        worst = weight[~np.isfinite(weight) | (weight < 0)][0]
        raise InputError(f"Expected sample_weight to be finite and non-negative, but one is {worst:g}.")
    return weight


def agreed_kinds(surveys: Sequence[Survey], names: Sequence[str], columns: Sequence[str]) -> tuple[Kind, ...]:
    """Of every column, over all partitions; one that is blank everywhere is blank."""
    return tuple(_agreed_kind([own.kinds[place] for own in surveys], names, name) for place, name in enumerate(columns))


def _agreed_kind(kinds: Sequence[Kind], names: Sequence[str], column: str) -> Kind:
    first: dict[Kind, str] = {}
    for kind, name in zip(kinds, names, strict=True):
        if kind != "blank":
            first.setdefault(kind, name)
    if len(first) > 1:
        (kind, where), (other, elsewhere) = list(first.items())[:2]
        raise InputError(
            f"Expected column {column!r} to hold one kind of value, but it holds {WORD_FOR_KIND[kind]} in {where} and "
            f"{WORD_FOR_KIND[other]} in {elsewhere}. Make it the same everywhere."
        )
    return next(iter(first), "blank")


def agreed_classes(surveys: Sequence[Survey]) -> np.ndarray:
    """The classes that occur among rows with weight, sorted."""
    refuse_blanks(sum(own.n_blank_labels for own in surveys), sum(own.n_rows for own in surveys))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # here, of course, every label is another one
        labels = np.concatenate([own.labels for own in surveys])
        target = read_target(labels, len(labels))
    if not sum(own.n_with_weight for own in surveys):
        raise InputError("Expected some positive sample_weight, but all weights are zero.")
    with_weight = {plain_value(label) for own in surveys for label in own.labels_with_weight}
    classes: np.ndarray = target.classes[[plain_value(label) in with_weight for label in target.classes]]
    if len(classes) < 2:
        raise InputError("Expected at least two classes with weight, but all sample_weight lies on one class.")
    return classes


@dataclass(frozen=True)
class AgreedGroups:
    """The groups that occur among rows with weight, and every combination of values that tells them."""

    names: tuple[str, ...]
    number: np.ndarray  # of every combination's group; -1 where no row with weight has it
    combinations: pd.DataFrame | pd.Series
    attribute: str  # what they are groups of

    @classmethod
    def of(cls, surveys: Sequence[Survey]) -> "AgreedGroups":
        found = _distinct([own.all_groups for own in surveys])
        groups = read_groups(found, len(found))
        meant = _distinct([own.groups for own in surveys])
        present = np.unique(_codes(found, meant))
        number = np.full(groups.n_groups, -1)
        number[present] = np.arange(len(present))
        return cls(tuple(groups.names[place] for place in present), number, found, groups.attribute)

    def codes(self, sensitive: pd.DataFrame | pd.Series) -> np.ndarray:
        """The group of every row of a partition."""
        codes: np.ndarray = self.number[_codes(self.combinations, sensitive)].astype(np.int32)
        return codes


def _distinct(found: Sequence[Any]) -> pd.DataFrame | pd.Series:
    together: pd.DataFrame | pd.Series = pd.concat(found, ignore_index=True).drop_duplicates(ignore_index=True)
    return together


def _codes(combinations: pd.DataFrame | pd.Series, rows: pd.DataFrame | pd.Series) -> np.ndarray:
    """Behind all combinations there are, rows get the same codes wherever they lie."""
    frames: list[Any] = [combinations, rows]
    both: Any = pd.concat(frames, ignore_index=True)
    return read_groups(both, len(both)).codes[len(combinations) :]


# -- where to cut ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Sample:
    """Of one partition: the sampled values of its columns of numbers, and of each all values, if they are few."""

    numbers: dict[int, np.ndarray]
    weight: np.ndarray
    every: dict[int, np.ndarray]


@on_one_core
def sample_of(piece: Piece, schema: Schema, positions: np.ndarray | None) -> Sample:
    """`positions` are those of the sampled rows among the rows with weight; None means all of them."""
    table, weight, _ = with_weight(piece, schema)
    numbers, every = {}, {}
    for place, kind in enumerate(schema.kinds):
        if kind == "number":
            amounts = amounts_of(table.column(place), schema.specials.get(schema.names[place], ()))
            numbers[place] = amounts if positions is None else amounts[positions]
            if positions is not None:
                every[place] = known_values(amounts)[: MOST_BINS + 1]  # one more than could have a cut each
    return Sample(numbers, weight if positions is None else weight[positions], every)


@on_one_core
def counts_of(piece: Piece, schema: Schema) -> dict[int, dict[Any, int]]:
    """How many rows with weight have each value of the columns that are not numbers."""
    table, _, _ = with_weight(piece, schema)
    return {place: value_counts(table.column(place)) for place, kind in enumerate(schema.kinds) if kind != "number"}


def add_counts(found: list[dict[int, dict[Any, int]]]) -> dict[int, dict[Any, int]]:
    """In the order in which values first occur in the table."""
    total = {place: dict(counts) for place, counts in found[0].items()}
    for own in found[1:]:
        for place, counts in own.items():
            for value, number in counts.items():
                total[place][value] = total[place].get(value, 0) + number
    return total


def with_weight(piece: Piece, schema: Schema) -> tuple[Table, np.ndarray, np.ndarray]:
    """The rows of a partition that count, their weights, and which of the rows they are."""
    weight = weights_of(piece)
    has_weight = weight > 0
    table = Table(schema.names, schema.kinds, piece.features, schema.specials)
    if has_weight.all():
        return table, weight, has_weight
    return table.take(has_weight), weight[has_weight], has_weight


def class_codes(piece: Piece, classes: Sequence[Any], has_weight: np.ndarray) -> np.ndarray:
    """The number of the class of every row with weight."""
    place, found = pd.factorize(labels_of(piece.target)[has_weight])
    number = {label: code for code, label in enumerate(classes)}
    codes: np.ndarray = np.array([number[plain_value(label)] for label in found], dtype=np.int32)[place]
    return codes


def groups_without_rows(agreed: AgreedGroups) -> Groups:
    """The groups by name; partitions know which rows belong to them."""
    return Groups(agreed.names, np.empty(0, dtype=np.int64), agreed.attribute)
