"""A run on a table that stays where it lies: its rows are read, trained on and counted part by part on a Dask cluster.

Rules, accuracy and gaps are those of all rows. The sample that the pages show is part of them: a row that is kept from
training is kept from it in both.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from dask import dataframe as dd
from dask import delayed

from rugboard.runs.all_rows import SIDES, TEST, TRAINING, AllRows, Labels, ModelCounts, SideCounts, add_counts
from rugboard.runs.data_folders import DataFolders
from rugboard.runs.plan import FAIR, Plan
from rugboard.runs.prepare import MOST_GROUPS, Prepared, groups_of, is_test, prepare_part
from rugboard.runs.records import ModelSummary
from rugboard.runs.reporter import Cancelled, Reporter
from rugboard.runs.results import keep_model, save_test_rows
from rugboard.runs.store import RunStore
from rugboard.runs.table_parts import TablePart, opened
from rugcore.dask import Cluster, DaskFairRUGClassifier, DaskRUGClassifier, connected
from rugcore.errors import InputError
from rugcore.outside_models import outcomes_in_words
from rugcore.parallel import on_one_core

if TYPE_CHECKING:
    from rugcore.estimators import RuleClassifier


def work_on_cluster(store: RunStore, run_id: str, plan: Plan, reporter: Reporter) -> None:
    """Look through all rows, train each model on those for training, count its decisions about all, keep it."""
    if plan.large is None:
        raise TypeError("This run has its rows in this process: it needs no cluster.")
    folders, folder = DataFolders.current(), store.home.run_folder(run_id)
    parts = opened(plan.large, folders)
    save_test_rows(folder, np.flatnonzero(is_test(plan.large.sampled_rows(), plan.split_seed, plan.test_share)))
    with connected(folders.scheduler) as client, Cluster(client) as cluster:
        reporter.enter("Looking through all rows", 0.0)
        labels, notes = looked_through(cluster, parts, plan)
        store.note(run_id, notes)
        counts: dict[str, ModelCounts] = {}
        for name in plan.models:
            model, seconds = train(name, plan, parts, client, reporter)
            counts[name] = counted(cluster, parts, plan, model, labels)
            all_rows = AllRows(labels, counts)
            keep_model(folder, name, model)
            all_rows.write(folder)  # before the summary: who sees the model sees its counts
            if not store.keep_summary(run_id, name, summary(model, seconds, all_rows, name, plan.shown())):
                raise Cancelled


# -- what all rows hold ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class PartLook:
    """What one part holds."""

    n_rows: int
    n_without: int  # an outcome
    outcomes: tuple[Any, ...]
    groups: tuple[str, ...]


def looked_through(cluster: Cluster, parts: Sequence[TablePart], plan: Plan) -> tuple[Labels, tuple[str, ...]]:
    """The outcomes and groups of all rows, and what a person should know about how the table was read."""
    found: list[PartLook] = cluster.gathered(cluster.compute([delayed(look)(part, plan) for part in parts]))
    labels = Labels.of(
        (value for own in found for value in own.outcomes), (name for own in found for name in own.groups)
    )
    favourable = plan.shown().favourable
    if favourable not in labels.classes:
        raise InputError(
            f"The favourable value {favourable!r} does not occur in {plan.target!r}. Choose one that does."
        )
    if len(labels.groups) > MOST_GROUPS:
        raise InputError(
            f"The sensitive attribute makes {len(labels.groups):,} groups, and at most {MOST_GROUPS} can be compared. "
            "Cut its numbers into bands, or choose fewer columns."
        )
    n_rows, n_without = sum(own.n_rows for own in found), sum(own.n_without for own in found)
    name = plan.dictionary.shown_name(plan.target)
    note = f"{n_without:,} of {n_rows:,} rows have no value in {name!r} and were left out."
    return labels, (note,) if n_without else ()


@on_one_core
def look(part: TablePart, plan: Plan) -> PartLook:
    """The outcomes and groups of one part."""
    frame = _read(part, (plan.target, *plan.sensitive))
    labelled = frame[frame[plan.target].notna()].reset_index(drop=True)
    try:
        groups = groups_of(labelled, plan)
    except InputError as error:
        raise InputError(f"In {part}: {error}") from error
    outcomes = outcomes_in_words(labelled, plan.target, plan.dictionary).unique().tolist()
    names = () if groups is None else tuple(map(str, groups.unique()))
    return PartLook(len(frame), len(frame) - len(labelled), tuple(outcomes), names)


def _read(part: TablePart, names: Sequence[str]) -> pd.DataFrame:
    return replace(part.rows, names=tuple(dict.fromkeys(names))).read()


def _prepared(part: TablePart, plan: Plan) -> tuple[Prepared, np.ndarray]:
    """The rows of a part that have an outcome, and which of them are for the test."""
    try:
        data = prepare_part(_read(part, plan.columns), plan)
    except InputError as error:
        raise InputError(f"In {part}: {error}") from error
    return data, is_test(data.rows + part.start, plan.split_seed, plan.test_share)


# -- training ----------------------------------------------------------------------------------------------


def train(
    name: str, plan: Plan, parts: Sequence[TablePart], client: Any, reporter: Reporter
) -> tuple["RuleClassifier", float]:
    """One model from all training rows; what it returns knows neither the cluster nor the reporter."""
    reporter.begin(name)
    started = time.perf_counter()
    kind = DaskFairRUGClassifier if name == FAIR else DaskRUGClassifier
    model = kind(client=client, **plan.shown().settings_of(name), callback=reporter.watch(name))
    beside = beside_features(plan)
    rows = training_frame(parts, plan, with_groups=name == FAIR)
    groups = {"sensitive_features": beside["group"]} if name == FAIR else {}
    model.fit(rows, beside["outcome"], **groups)
    seconds = time.perf_counter() - started
    reporter.complete(name)
    local: RuleClassifier = model.to_local()
    local.set_params(callback=None)
    return local, seconds


def beside_features(plan: Plan) -> dict[str, str]:
    """What outcome and group are called in the table that is trained on: as no feature is."""
    taken = set(plan.shown().features)
    names = {}
    for role in ("outcome", "group"):
        names[role] = role
        while names[role] in taken:
            names[role] += "_"
        taken.add(names[role])
    return names


def training_frame(parts: Sequence[TablePart], plan: Plan, with_groups: bool) -> dd.DataFrame:
    """A partition for every part: features, outcome and, if wanted, group, of the rows that are not for the test."""
    empty = training_rows(TablePart(replace(parts[0].rows, row_groups=()), 0), plan, with_groups)
    return dd.from_map(training_rows, parts, plan=plan, with_groups=with_groups, meta=empty, enforce_metadata=False)


@on_one_core
def training_rows(part: TablePart, plan: Plan, with_groups: bool) -> pd.DataFrame:
    """Of one part."""
    data, test = _prepared(part, plan)
    names = beside_features(plan)
    more = {names["outcome"]: data.y} | ({names["group"]: data.groups} if with_groups else {})
    return data.X.assign(**more)[~test]


# -- what the model decides --------------------------------------------------------------------------------


def counted(
    cluster: Cluster, parts: Sequence[TablePart], plan: Plan, model: "RuleClassifier", labels: Labels
) -> ModelCounts:
    """Over all rows of the table."""
    shared = cluster.share((model, labels))
    found: ModelCounts = cluster.added(
        [cluster.submit(counts_of_part, part, plan, shared) for part in parts], add_counts
    )
    cluster.release([shared])
    return found


@on_one_core
def counts_of_part(part: TablePart, plan: Plan, shared: tuple["RuleClassifier", Labels]) -> ModelCounts:
    """Training rows and test rows apart."""
    model, labels = shared
    data, test = _prepared(part, plan)
    outcome, group = labels.class_codes(data.y), labels.group_codes(data.groups, len(data.y))
    sides = {TRAINING: ~test, TEST: test}
    return {
        side: SideCounts.of(model, data.X[sides[side]], outcome[sides[side]], group[sides[side]], labels)
        for side in SIDES
    }


def summary(model: "RuleClassifier", seconds: float, all_rows: AllRows, name: str, plan: Plan) -> ModelSummary:
    """What the model is worth, counted over all rows."""
    training, test = (all_rows.models[name][side] for side in SIDES)
    positive = plan.fair_settings()["positive_class"]
    gap = all_rows.gap(name, TEST, plan.fairness, positive) if plan.sensitive else None
    return ModelSummary(
        train_accuracy=training.accuracy,
        test_accuracy=test.accuracy,
        rules=len(model.rules_),
        rounds=model.n_iter_,
        objective=float(model.objective_),
        stop_reason=model.stop_reason_,
        seconds=seconds,
        train_rows=training.n_rows,
        test_rows=test.n_rows,
        test_gap=gap,
    )
