"""The health of a whole table."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from rugcore.encoding.table import column_names
from rugcore.errors import InputError
from rugcore.files.columns import listed
from rugcore.health.columns import findings_on_blanks, findings_on_values
from rugcore.health.findings import Column, ColumnKind, Finding, numbered, percent
from rugcore.health.groups import (
    LEAST_CELL,
    Group,
    TinyCell,
    classes_of,
    combined,
    findings_on_groups,
    groups_of,
    tiny_cells,
)
from rugcore.health.leaks import LeakSearch

MOST_CLASSES = 20  # outcomes; more, and the column is probably not a decision


@dataclass(frozen=True)
class ColumnHealth:
    name: str
    kind: ColumnKind
    n_distinct: int  # blanks not counted
    missing_share: float
    findings: tuple[Finding, ...]


@dataclass(frozen=True)
class Health:
    n_rows: int
    n_duplicates: int  # rows that repeat an earlier one in every column
    n_sampled: int  # rows looked at in the search for leaks; 0 without a target
    is_sample: bool  # whether those are only some of the rows with an outcome
    columns: tuple[ColumnHealth, ...]
    classes: tuple[Hashable, ...]
    groups: tuple[Group, ...]
    tiny_cells: tuple[TinyCell, ...]
    table_findings: tuple[Finding, ...]

    @property
    def findings(self) -> tuple[Finding, ...]:
        """All of them, of the table and then of the columns, in the order of the table."""
        return (*self.table_findings, *(finding for column in self.columns for finding in column.findings))


def examine(
    frame: pd.DataFrame,
    target: str | None = None,
    sensitive: Sequence[str] = (),
    *,
    least_cell: int = LEAST_CELL,
) -> Health:
    """Look at every column, at the target if it is known, and at the groups of the sensitive columns.

    A pair of outcome and group with fewer than `least_cell` rows is reported as tiny.
    """
    _refuse_unusable(frame, target, sensitive)
    columns = {name: numbered(frame.iloc[:, position], name) for position, name in enumerate(column_names(frame))}
    outcome = columns[target] if target is not None else None
    decision = outcome if outcome is not None and 2 <= outcome.n_distinct <= MOST_CLASSES else None
    classes = classes_of(decision) if decision is not None else ()
    leaks = LeakSearch.of(decision) if decision is not None else None
    groups = groups_of([columns[name] for name in sensitive], decision)
    tiny = tiny_cells(groups, classes, least_cell)
    n_duplicates = len(frame) - _n_distinct_rows(list(columns.values()))
    return Health(
        n_rows=len(frame),
        n_duplicates=n_duplicates,
        n_sampled=len(leaks.rows) if leaks is not None else 0,
        is_sample=leaks is not None and leaks.is_sample,
        columns=tuple(_examined(column, leaks, is_target=column is outcome) for column in columns.values()),
        classes=classes,
        groups=groups,
        tiny_cells=tiny,
        table_findings=(
            *_findings_on_duplicates(n_duplicates, len(frame)),
            *(_findings_on_target(outcome) if outcome is not None else ()),
            *findings_on_groups(groups, tiny, tuple(sensitive), least_cell),
        ),
    )


def _refuse_unusable(frame: pd.DataFrame, target: str | None, sensitive: Sequence[str]) -> None:
    if isinstance(sensitive, str):
        raise InputError(
            f"Expected a list of sensitive columns, but got the text {sensitive!r}. Write [{sensitive!r}]."
        )
    if not len(frame) or not frame.shape[1]:
        raise InputError(f"Expected a table with rows and columns, but it has the shape {frame.shape}.")
    names = column_names(frame)
    for name in [*([] if target is None else [target]), *sensitive]:
        if name not in names:
            raise InputError(f"Expected a column {name!r}, but the table has only {listed(names)}.")
    if target in sensitive:
        raise InputError(f"Expected {target!r} to be the target or sensitive, but it is both.")


def _examined(column: Column, leaks: LeakSearch | None, is_target: bool) -> ColumnHealth:
    missing_share = 1 - column.n_known / len(column.codes)
    findings = list(findings_on_blanks(column, missing_share))
    if not is_target and column.kind != "blank":
        findings += findings_on_values(column)
        findings += leaks.findings_on(column) if leaks is not None else []
    return ColumnHealth(column.name, column.kind, column.n_distinct, missing_share, tuple(findings))


def _n_distinct_rows(columns: Sequence[Column]) -> int:
    """One column at a time, until all rows differ."""
    n_rows = len(columns[0].codes)
    kinds, n_kinds = np.zeros(n_rows, dtype=np.int64), 1
    for column in columns:
        if n_kinds < n_rows:
            kinds, n_kinds = combined(kinds, column)
    return n_kinds


def _findings_on_duplicates(n_duplicates: int, n_rows: int) -> list[Finding]:
    if not n_duplicates:
        return []
    share = percent(n_duplicates / n_rows)
    words = f"{n_duplicates:,} rows ({share}) repeat an earlier row in every column. Check that none was entered twice."
    return [Finding((), "duplicates", "note", words)]


def _findings_on_target(outcome: Column) -> list[Finding]:
    findings = []
    n_missing = len(outcome.codes) - outcome.n_known
    if n_missing:
        words = f"is blank in {n_missing:,} rows, which cannot be used for training."
        findings.append(_about_target(outcome, words))
    if outcome.n_distinct < 2:
        findings.append(_about_target(outcome, "has fewer than two values. There is nothing to tell apart."))
    if outcome.n_distinct > MOST_CLASSES:
        words = f"has {outcome.n_distinct:,} different values. Choose a column with few outcomes, or cut it into bands."
        findings.append(_about_target(outcome, words))
    return findings


def _about_target(outcome: Column, words: str) -> Finding:
    return Finding((outcome.name,), "target", "warning", f"The target {outcome.name!r} {words}")
