"""The rows to train on, in partitions: what `rugcore.training` asks of rows, wherever they lie."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from dask import delayed
from distributed import Future
from sklearn.utils import check_random_state

from rugcore.attribution import CodedPeople, Fared, Reference, RuleVotes
from rugcore.dask import agreeing, partitions
from rugcore.dask.agreeing import AgreedGroups, Sample
from rugcore.dask.cluster import Cluster
from rugcore.dask.partitions import Part
from rugcore.dask.rows import MOST_ROWS_HERE, PartitionedRows
from rugcore.dask.sources import Piece, Source
from rugcore.errors import InputError
from rugcore.fairness.groups import Groups
from rugcore.fairness.parity import Cells
from rugcore.generation.directions import Directions, orders_of
from rugcore.parallel import on_one_core
from rugcore.tables.columns import Column
from rugcore.tables.encoder import learn_categories, learn_numbers, sample_rows
from rugcore.tables.schema import Schema
from rugcore.tables.table import Table
from rugcore.training.rows import EncodedRows, Outcomes, TrainingRows, merged_by_cell
from rugcore.training.settings import Settings

# Of so many rows a model keeps the codes, as one trained on this machine does: reasons stay at hand after a refit.
MOST_PEOPLE_KEPT = 100_000


@dataclass(frozen=True)
class Agreed:
    """What all partitions agree on."""

    schema: Schema
    classes: tuple[Any, ...]
    groups: AgreedGroups | None


class PartitionedTrainingRows:
    """Rows with weight, on a cluster. Once encoded they stay there, a byte a cell, as results of tasks."""

    def __init__(
        self, cluster: Cluster, source: Source, agreed: Agreed, n_rows: Sequence[int], directions: Directions | None
    ) -> None:
        """`n_rows` counts the rows with weight of every partition."""
        self.classes = agreed.classes
        self.directions = directions
        self._cluster = cluster
        self._source = source
        self._agreed = agreed
        self._n_rows = list(n_rows)
        self._encoded: dict[int, tuple[tuple[Column, ...], list[Future]]] = {}

    @property
    def n_rows(self) -> int:
        return sum(self._n_rows)

    def _of_pieces(self, task: Callable[..., Any], *arguments: Any) -> list[Future]:
        return self._cluster.compute([delayed(task)(piece, *arguments) for piece in self._source.pieces])

    # -- encoding ----------------------------------------------------------------------------------------------

    def encoded(self, settings: Settings, groups: Groups | None = None) -> EncodedRows:
        columns, parts = self._parts(settings)
        n_groups = 1 if groups is None else groups.n_groups
        _, weight = self._cell_sums(parts, n_groups)
        rows = PartitionedRows(self._cluster, parts, weight, self.n_rows, n_groups)
        return EncodedRows(columns, rows, merged_by_cell(weight, n_groups))

    def _parts(self, settings: Settings) -> tuple[tuple[Column, ...], list[Future]]:
        """Encoded once, however often they are trained on."""
        if settings.max_bins not in self._encoded:
            columns = self._learned(settings)
            shared = self._cluster.share((columns, self._agreed))
            self._encoded[settings.max_bins] = columns, self._of_pieces(part_of, shared)
            self.__dict__.pop("_without_codes", None)
        return self._encoded[settings.max_bins]

    def _learned(self, settings: Settings) -> tuple[Column, ...]:
        schema, orders = self._agreed.schema, orders_of(self.directions)
        chosen = sample_rows(self.n_rows, check_random_state(settings.random_state))
        counts = self._of_pieces(agreeing.counts_of, schema) if set(schema.kinds) - {"number"} else []
        samples: list[Sample] = self._cluster.gathered(self._sampled(chosen)) if "number" in schema.kinds else []
        counted = self._cluster.added(counts, agreeing.add_counts) if counts else {}
        return tuple(
            _numbers(schema, place, samples, settings.max_bins)
            if kind == "number"
            else learn_categories(schema.names[place], counted[place], orders.get(schema.names[place], ()))
            for place, kind in enumerate(schema.kinds)
        )

    def _sampled(self, chosen: np.ndarray | None) -> list[Future]:
        """The rows are numbered over the whole table, so that the sample is the same however it is partitioned."""
        edges = np.concatenate([[0], np.cumsum(self._n_rows)])
        positions = [None if chosen is None else _between(chosen, *own) for own in pairwise(edges.tolist())]
        sampled = zip(self._source.pieces, positions, strict=True)
        return self._cluster.compute([delayed(agreeing.sample_of)(p, self._agreed.schema, own) for p, own in sampled])

    # -- what else is asked --------------------------------------------------------------------------------------

    def cells(self, groups: Groups) -> Cells:
        count, weight = self._cell_sums(self._any_parts, groups.n_groups)
        shape = (len(self.classes), groups.n_groups)
        return Cells(self.classes, groups.names, count.reshape(shape), weight.reshape(shape))

    def _cell_sums(self, parts: list[Future], n_groups: int) -> tuple[np.ndarray, np.ndarray]:
        shape = len(self.classes), n_groups
        found = [self._cluster.submit(partitions.cell_sums, part, shape) for part in parts]
        sums: tuple[np.ndarray, np.ndarray] = self._cluster.added(found, partitions.add)
        return sums

    @property
    def _any_parts(self) -> list[Future]:
        """Codes do not matter here; before there are any, classes, weights and groups alone are made."""
        if self._encoded:
            return next(iter(self._encoded.values()))[1]
        return self._without_codes

    @cached_property
    def _without_codes(self) -> list[Future]:
        return self._of_pieces(part_of, self._cluster.share(((), self._agreed)))

    def outcomes(self, groups: Groups) -> Outcomes:
        found = self._gathered(self._any_parts, outcomes_of)
        class_codes, codes, weight = (np.concatenate(arrays) for arrays in zip(*found, strict=True))
        return Outcomes(class_codes, Groups(groups.names, codes.astype(np.int64), groups.attribute), weight)

    def _gathered(self, parts: list[Future], task: Callable[[Part], Any]) -> list[Any]:
        self._refuse_many()
        return self._cluster.gathered([self._cluster.submit(task, part) for part in parts])

    def _refuse_many(self) -> None:
        if self.n_rows > MOST_ROWS_HERE:
            raise InputError(
                f"Expected at most {MOST_ROWS_HERE:,} rows where small groups are compared, or with "
                f"guarantee='confident': part of that is done on one machine. There are {self.n_rows:,} rows. Raise "
                "min_cell_size, so that small groups are left out, or use guarantee='realised'."
            )

    def in_memory(self, most: int) -> TrainingRows | None:
        return self._here if self.n_rows <= most else None

    @cached_property
    def _here(self) -> TrainingRows:
        schema = self._agreed.schema
        found = self._cluster.gathered(self._of_pieces(rows_of, self._agreed))
        frames, class_codes, weight = zip(*found, strict=True)
        table = Table(schema.names, schema.kinds, pd.concat(frames, ignore_index=True), schema.specials)
        return TrainingRows(table, np.concatenate(class_codes), np.concatenate(weight), self.classes, self.directions)

    def people(self, columns: Sequence[Column]) -> CodedPeople | None:
        """Of few rows only; of many, `reference` is worked out where they lie."""
        if self.n_rows > MOST_PEOPLE_KEPT:
            return None
        found = self._cluster.gathered([self._cluster.submit(people_of, part) for part in self._any_parts])
        codes, class_codes, weight = zip(*found, strict=True)
        return CodedPeople(tuple(columns), np.hstack(codes), np.concatenate(class_codes), np.concatenate(weight))

    def reference(self, votes: RuleVotes, columns: Sequence[Column]) -> Reference:
        """The training people by what a model decides about them, from the rows as they were encoded for it."""
        shared = self._cluster.share((votes, tuple(columns)))
        found = [self._cluster.submit(reference_of, part, shared) for part in self._any_parts]
        reference: Reference = self._cluster.added(found, Reference.together)
        return reference

    def fared(self, votes: RuleVotes, columns: Sequence[Column]) -> Fared:
        """What became of the training people, from the rows as they were encoded for a model."""
        shared = self._cluster.share((votes, tuple(columns)))
        found = [self._cluster.submit(fared_of, part, shared) for part in self._any_parts]
        fared: Fared = self._cluster.added(found, Fared.together)
        return fared


def _between(chosen: np.ndarray, start: int, stop: int) -> np.ndarray:
    """Of sorted row numbers those from `start` to `stop`, counted from `start`."""
    first, last = np.searchsorted(chosen, [start, stop])
    within: np.ndarray = chosen[first:last] - start
    return within


def _numbers(schema: Schema, place: int, samples: list[Sample], max_bins: int) -> Column:
    numbers = np.concatenate([own.numbers[place] for own in samples])
    weight = np.concatenate([own.weight for own in samples])
    specials = schema.specials.get(schema.names[place], ())
    if not samples[0].every:
        return learn_numbers(schema.names[place], numbers, weight, max_bins, specials)
    every = np.unique(np.concatenate([own.every[place] for own in samples]))
    return learn_numbers(schema.names[place], numbers, weight, max_bins, specials, lambda: every)


@on_one_core
def part_of(piece: Piece, agreement: tuple[tuple[Column, ...], Agreed]) -> Part:
    """A partition encoded; without columns, no more than classes, weights and groups."""
    columns, agreed = agreement
    table, weight, has_weight = agreeing.with_weight(piece, agreed.schema)
    codes = np.empty((len(columns), table.n_rows), dtype=np.uint8)
    for place, column in enumerate(columns):
        codes[place] = column.codes(table.column(place))
    groups = None
    if agreed.groups is not None and piece.sensitive is not None:
        groups = agreed.groups.codes(piece.sensitive[has_weight])
    return Part(codes, agreeing.class_codes(piece, agreed.classes, has_weight), weight, groups)


@on_one_core
def rows_of(piece: Piece, agreed: Agreed) -> tuple[pd.DataFrame, np.ndarray, np.ndarray]:
    """The rows of a partition with weight, as they came."""
    table, weight, has_weight = agreeing.with_weight(piece, agreed.schema)
    assert isinstance(table.source, pd.DataFrame)
    return table.source, agreeing.class_codes(piece, agreed.classes, has_weight), weight


def outcomes_of(part: Part) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    assert part.groups is not None
    return part.classes, part.groups, part.weight


def people_of(part: Part) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return part.codes, part.classes, part.weight


@on_one_core
def reference_of(part: Part, model: tuple[RuleVotes, tuple[Column, ...]]) -> Reference:
    votes, columns = model
    people = CodedPeople(columns, part.codes, part.classes, part.weight)
    return votes.reference(people.codes_for(votes.cuts), people.weight)


@on_one_core
def fared_of(part: Part, model: tuple[RuleVotes, tuple[Column, ...]]) -> Fared:
    votes, columns = model
    return Fared.of(votes.cuts, CodedPeople(columns, part.codes, part.classes, part.weight), votes.n_classes)
