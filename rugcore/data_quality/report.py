"""The health of a whole table."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from rugcore.data_quality.columns import findings_on_blanks, findings_on_values
from rugcore.data_quality.findings import Column, ColumnKind, Finding, numbered, percent
from rugcore.data_quality.groups import (
    MIN_CELL_SIZE,
    Group,
    TinyCell,
    classes_of,
    combined,
    findings_on_groups,
    groups_of,
    tiny_cells,
)
from rugcore.data_quality.later_names import later_names
from rugcore.data_quality.leaks import LeakSearch
from rugcore.data_quality.revealing_parts import revealing_part
from rugcore.data_quality.revealing_values import ADVICE as WAS_IT_KNOWN
from rugcore.data_quality.revealing_values import RevealingValues
from rugcore.errors import InputError
from rugcore.readers.columns import listed
from rugcore.rules.words import value
from rugcore.tables.relations import relations_of
from rugcore.tables.table import column_names, numbers_of, plain_value

MOST_CLASSES = 20  # outcomes; more, and the column is probably not a decision
MOST_REVEALING = 3  # values that are remarked on in one table
FEWEST_TO_LEARN = 100  # rows with an outcome; a rule from fewer is mostly chance
ENOUGH_TO_JUDGE = 500
MOST_ROWS_RELATED = 20_000  # in which relations between columns are looked for
# Of a column with one of these findings, it is known or asked already that rules should not use it.
NO_QUESTION = {"blank", "constant", "identifier", "leak", "revealing value", "known later"}
HELD_OUT = 0.2  # of the rows, as is usual


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
    min_cell_size: int = MIN_CELL_SIZE,
) -> Health:
    """Look at every column, at the target if it is known, and at the groups of the sensitive columns.

    A pair of outcome and group with fewer than `min_cell_size` rows is reported as tiny.
    """
    _refuse_unusable(frame, target, sensitive)
    columns = {name: numbered(frame.iloc[:, position], name) for position, name in enumerate(column_names(frame))}
    outcome = columns[target] if target is not None else None
    decision = outcome if outcome is not None and 2 <= outcome.n_distinct <= MOST_CLASSES else None
    classes = classes_of(decision) if decision is not None else ()
    leaks = LeakSearch.of(decision) if decision is not None else None
    revealing = RevealingValues.of(decision) if decision is not None else None
    groups = groups_of([columns[name] for name in sensitive], decision)
    tiny = tiny_cells(groups, classes, min_cell_size)
    n_duplicates = len(frame) - _n_distinct_rows(list(columns.values()))
    examined = [
        _examined(column, leaks, revealing, is_target=column is outcome, n_columns=len(columns))
        for column in columns.values()
    ]
    return Health(
        n_rows=len(frame),
        n_duplicates=n_duplicates,
        n_sampled=len(leaks.rows) if leaks is not None else 0,
        is_sample=leaks is not None and leaks.is_sample,
        columns=with_later_names(with_few_revealing(examined), target),
        classes=classes,
        groups=groups,
        tiny_cells=tiny,
        table_findings=(
            *findings_on_duplicates(n_duplicates, len(frame)),
            *findings_on_relations([column for column in columns.values() if column is not outcome]),
            *(_findings_on_target(outcome) if outcome is not None else ()),
            *_findings_on_size(len(frame), outcome, decision),
            *findings_on_groups(groups, tiny, tuple(sensitive), min_cell_size),
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


def _examined(
    column: Column, leaks: LeakSearch | None, revealing: RevealingValues | None, is_target: bool, n_columns: int
) -> ColumnHealth:
    missing_share = 1 - column.n_known / len(column.codes)
    findings = list(findings_on_blanks(column, missing_share))
    if not is_target and column.kind != "blank":
        findings += findings_on_values(column)
        findings += leaks.findings_on(column) if leaks is not None else []
        is_doubtful = any(finding.topic in ("identifier", "leak") for finding in findings)
        if revealing is not None and not is_doubtful:
            findings += revealing.findings_on(column) or revealing_part(column, revealing, n_columns)
    return ColumnHealth(column.name, column.kind, column.n_distinct, missing_share, tuple(findings))


def with_few_revealing(columns: Sequence[ColumnHealth]) -> tuple[ColumnHealth, ...]:
    """Only the most revealing values of a table are worth a question; the rest are good reasons for a decision."""
    strengths = sorted(
        (finding.strength for column in columns for finding in column.findings if finding.topic == "revealing value"),
        reverse=True,
    )
    if len(strengths) <= MOST_REVEALING:
        return tuple(columns)
    least = strengths[MOST_REVEALING - 1]
    return tuple(
        replace(
            column,
            findings=tuple(
                finding
                for finding in column.findings
                if finding.topic != "revealing value" or finding.strength >= least
            ),
        )
        for column in columns
    )


def with_later_names(columns: Sequence[ColumnHealth], target: str | None) -> tuple[ColumnHealth, ...]:
    """With a question about columns that are filled in after the decision by their names, unless more is known.

    Without a target there is no decision yet: the status of a loan may be what is to be told.
    """
    later = {} if target is None else later_names([column.name for column in columns if column.name != target])
    return tuple(
        replace(column, findings=(*column.findings, _known_later(column.name, later[column.name])))
        if column.name in later and not {finding.topic for finding in column.findings} & NO_QUESTION
        else column
        for column in columns
    )


def _known_later(name: str, words: str) -> Finding:
    fact = f"Column {name!r} may be filled in after the decision: its name says {words!r}."
    return Finding((name,), "known later", "note", fact, WAS_IT_KNOWN)


def findings_on_relations(columns: Sequence[Column]) -> tuple[Finding, ...]:
    """Columns that were worked out from others; of a long table, from some of its rows."""
    step = max(1, len(columns[0].codes) // MOST_ROWS_RELATED) if columns else 1
    numbers = {own.name: numbers_of(own.series.iloc[::step]) for own in columns if own.kind == "number"}
    return tuple(
        Finding(
            (own.column,),
            "worked out",
            "note",
            f"Column {own.column!r} is worked out from others: {own}.",
            "Advice moves them together.",
        )
        for own in relations_of(numbers)
    )


def _n_distinct_rows(columns: Sequence[Column]) -> int:
    """One column at a time, until all rows differ."""
    n_rows = len(columns[0].codes)
    kinds, n_kinds = np.zeros(n_rows, dtype=np.int64), 1
    for column in columns:
        if n_kinds < n_rows:
            kinds, n_kinds = combined(kinds, column)
    return n_kinds


def findings_on_duplicates(n_duplicates: int, n_rows: int) -> list[Finding]:
    if not n_duplicates:
        return []
    share = percent(n_duplicates / n_rows)
    subject = f"1 row ({share}) repeats" if n_duplicates == 1 else f"{n_duplicates:,} rows ({share}) repeat"
    words = f"{subject} an earlier row in every column."
    return [Finding((), "duplicates", "note", words, "Check that none was entered twice.")]


def _findings_on_size(n_rows: int, outcome: Column | None, decision: Column | None) -> list[Finding]:
    n_usable = n_rows if outcome is None else outcome.n_known
    what = f"The table has {n_usable:,} rows" + (" with an outcome" if n_usable < n_rows else "")
    n_judging = max(round(HELD_OUT * n_usable), 1)
    if n_usable < FEWEST_TO_LEARN:
        words = f"{what}. Rules from fewer than {FEWEST_TO_LEARN} are mostly chance, and so is their accuracy."
        return [Finding((), "few rows", "warning", words, "Load more rows if there are any.")]
    findings = []
    if n_usable < ENOUGH_TO_JUDGE:
        margin = 100 * 1.96 * 0.5 / n_judging**0.5  # of a share near one half, in 95 of 100 such tables
        words = (
            f"{what}. If a fifth of them, {n_judging:,}, judge the rules, their accuracy is known to about "
            f"{margin:.0f} points up or down."
        )
        findings.append(Finding((), "few rows", "note", words))
    return [*findings, *(_findings_on_rare_outcomes(decision) if decision is not None else ())]


def _findings_on_rare_outcomes(decision: Column) -> list[Finding]:
    counts = np.bincount(decision.codes[decision.codes >= 0], minlength=decision.n_distinct)
    rarest = int(counts.argmin())
    if counts[rarest] >= MIN_CELL_SIZE:
        return []
    outcome = value(plain_value(decision.distinct[rarest]))
    words = f"The outcome {outcome!r} stands in {counts[rarest]:,} rows only: too few to learn or to judge it well."
    return [Finding((), "few rows", "warning", words)]


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
