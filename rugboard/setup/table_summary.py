"""What the pages know of a table without holding it: computed once from its snapshot, and small.

A table may be large, so that it is read a few columns at a time, and only the answers are kept.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

import pandas as pd
import pyarrow.parquet as pq  # type: ignore[import-untyped]

from rugboard.runs import memory
from rugboard.runs.plan import Label
from rugboard.runs.prepare import groups_of
from rugboard.session.cache import cached
from rugboard.session.server import store
from rugboard.setup.drafts import ColumnChoices
from rugcore.data_quality import (
    QUESTIONS,
    ColumnHealth,
    Finding,
    Health,
    band_edges,
    examine,
    findings_on_duplicates,
    with_few_revealing,
    with_later_names,
)
from rugcore.dictionary import SUGGESTION_ORDER, DataDictionary, Suggestion, protected_in, suggest, value_text
from rugcore.errors import InputError
from rugcore.tables import as_numbers, plain_value, says_nothing

PREVIEW_ROWS = 100
CELLS_AT_ONCE = 4_000_000  # of the table that are in memory together
MOST_CLASSES = 20
FEW_VALUES = 10  # a number with fewer is rather a code than a quantity
BANDS_SUGGESTED = 4
ANSWERS_KEPT = 32

Bands = tuple[tuple[str, tuple[float, ...]], ...]  # where the bands of a column begin, by column

# What makes a column a doubtful feature until somebody says otherwise.
DOUBTFUL = ("identifier", "leak", "blank", "dates")
ONLY_WARNED_OF = ("identifier", "leak", "blank")  # a mere note about these is no doubt; nobody is told of a date
# What is no longer so once somebody has said how to read the column.
SETTLED_BY_KIND = {
    "number": ("dates", "numbers as text", "many values", "identifier"),
    "category": ("dates", "numbers as text"),
}
ABOUT_FEATURES = (
    "numbers as text",
    "many values",
    *QUESTIONS,
)  # of no matter if no rule uses the column
LEFT_OUT = "It is left out."


@dataclass(frozen=True, eq=False)
class Shape:
    """The table at a glance."""

    n_rows: int
    columns: tuple[str, ...]
    preview: pd.DataFrame


@dataclass(frozen=True, eq=False)
class TableHealth:
    """The health of all columns, and of the table as a whole."""

    columns: tuple[ColumnHealth, ...]
    findings: tuple[Finding, ...]
    n_duplicates: int

    def column(self, name: str) -> ColumnHealth:
        return next(column for column in self.columns if column.name == name)

    def doubtful(self) -> tuple[str, ...]:
        """Columns that rules should not use: row numbers, copies of the outcome, empty ones, and dates."""
        return tuple(
            finding.columns[0]
            for finding in self.findings
            if finding.topic in DOUBTFUL and finding.columns
            if finding.severity == "warning" or finding.topic not in ONLY_WARNED_OF
        )

    def asked(self) -> tuple[str, ...]:
        """Columns that may be filled in after the decision, which only a person knows."""
        return tuple(finding.columns[0] for finding in self.findings if finding.topic in QUESTIONS)


@cached(entries=ANSWERS_KEPT)
def protected(snapshot: str) -> tuple[str, ...]:
    """Columns that are protected by their names or their values."""
    snapshots = store().snapshots
    return tuple(
        name for some in portions(snapshot) for name in protected_in(snapshots.load(snapshot, some), list(some))
    )


@cached(entries=ANSWERS_KEPT)
def shape(snapshot: str) -> Shape:
    snapshots = store().snapshots
    names = snapshots.column_names(snapshot)
    n_rows = pq.read_metadata(snapshots.path(snapshot)).num_rows
    preview = pd.concat(
        [snapshots.load(snapshot, some).head(PREVIEW_ROWS) for some in _portions(names, n_rows)], axis=1
    )
    return Shape(n_rows, tuple(names), preview.copy())


@cached(entries=ANSWERS_KEPT)
def outcomes(snapshot: str, target: str) -> tuple[Label, ...]:
    """The values of the target in their order; refused if they are too few or too many to be outcomes."""
    values = store().snapshots.load(snapshot, [target])[target].dropna().unique()
    if not 2 <= len(values) <= MOST_CLASSES:
        many = "one value only" if len(values) < 2 else f"{len(values):,} different values"
        raise InputError(
            f"Column {target!r} has {many}, and an outcome has between 2 and {MOST_CLASSES}. Choose another column."
        )
    labels = [plain_value(value) for value in values]
    try:
        return tuple(sorted(labels))
    except TypeError:
        return tuple(sorted(labels, key=str))


@cached(entries=ANSWERS_KEPT)
def health(snapshot: str, target: str | None) -> TableHealth:
    names, n_rows = shape(snapshot).columns, shape(snapshot).n_rows
    columns: dict[str, ColumnHealth] = {}
    about_target: tuple[Finding, ...] = ()
    row_hash = pd.Series(0, index=range(n_rows), dtype="uint64")
    for some in _portions(names, n_rows):
        frame = store().snapshots.load(snapshot, list(dict.fromkeys([*some, *([target] if target else [])])))
        found = examine(frame, target)
        columns.update({column.name: column for column in found.columns})
        about_target = tuple(finding for finding in found.table_findings if finding.topic in ("target", "few rows"))
        row_hash = row_hash * 31 + pd.util.hash_pandas_object(frame[some], index=False)
    n_duplicates = n_rows - int(row_hash.nunique())
    del frame, row_hash
    memory.give_back()
    ordered = with_later_names(with_few_revealing([columns[name] for name in names]), target)
    about_table = (*about_target, *findings_on_duplicates(n_duplicates, n_rows))
    findings = (*about_table, *(finding for column in ordered for finding in column.findings))
    return TableHealth(ordered, findings, n_duplicates)


def remarks(found: TableHealth, chosen: ColumnChoices, dictionary: DataDictionary) -> tuple[Finding, ...]:
    """What is still to be said about the table, given what somebody has chosen for its columns and said of them."""
    about_columns = (
        remark
        for finding in found.findings
        if finding.topic != "codes" and (remark := _given(finding, chosen)) is not None
    )
    features = chosen.features or ()
    return (*about_columns, *_on_codes(found, features, dictionary), *_on_names(features, dictionary))


def _on_codes(found: TableHealth, features: Sequence[str], dictionary: DataDictionary) -> tuple[Finding, ...]:
    """In one line, and to be seen: until these are explained, hardly anybody can be given reasons."""
    unexplained = [
        finding
        for finding in found.findings
        if finding.topic == "codes" and finding.columns[0] in features
        if not dictionary.entry(finding.columns[0]).meanings()[0]
    ]
    if not unexplained:
        return ()
    first, n_others = unexplained[0], len(unexplained) - 1
    hold = f" and {n_others:,} more hold codes" if n_others else " holds codes"
    return (replace(first, severity="warning", fact=first.fact.replace(" holds codes", hold, 1)),)


def _on_names(features: Sequence[str], dictionary: DataDictionary) -> tuple[Finding, ...]:
    """That reasons would speak of X_5."""
    unnamed = [name for name in features if says_nothing(name) and not dictionary.entry(name).label]
    if not unnamed:
        return ()
    has = "1 feature has a name that says" if len(unnamed) == 1 else f"{len(unnamed):,} features have names that say"
    fact = f"{has} nothing, such as {unnamed[0]!r}: a reason would be called by it."
    return (Finding((), "names", "note", fact, "Give a label to whatever people are to be told of."),)


def _given(finding: Finding, chosen: ColumnChoices) -> Finding | None:
    name = finding.columns[0] if finding.columns else None
    if name is None or name == chosen.target:
        return finding
    if name not in (chosen.features or ()):
        return None if finding.topic in ABOUT_FEATURES else _of_left_out(finding, name, chosen)
    return None if finding.topic in SETTLED_BY_KIND.get(chosen.kinds.get(name, ""), ()) else finding


def _of_left_out(finding: Finding, name: str, chosen: ColumnChoices) -> Finding:
    if finding.topic not in DOUBTFUL or name in chosen.sensitive:
        return finding
    return replace(finding, severity="note", advice=LEFT_OUT)


@cached(entries=ANSWERS_KEPT)
def refusal_of_numbers(snapshot: str, target: str | None, column: str) -> str | None:
    """Why a column cannot be read as numbers, in one sentence; None if it can."""
    frame = store().snapshots.load(snapshot, list(dict.fromkeys([column, *([target] if target else [])])))
    has_outcome = frame[target].notna() if target else slice(None)  # the rows that a training would use
    try:
        as_numbers(frame.loc[has_outcome, column])
    except InputError as error:
        return str(error)
    return None


@cached(entries=ANSWERS_KEPT)
def suggestions(snapshot: str, target: str | None, favourable: Label | None) -> tuple[Suggestion, ...]:
    """What a dictionary could say about the columns, the most important first."""
    found: list[Suggestion] = []
    groups = protected(snapshot)  # columns that stand in for them may be in another part of the table
    for some in _portions(shape(snapshot).columns, shape(snapshot).n_rows):
        needed = dict.fromkeys([*some, *groups, *([target] if target else [])])
        frame = store().snapshots.load(snapshot, list(needed))
        found += [one for one in suggest(frame, target, favourable) if one.column in some]
    return tuple(sorted(found, key=lambda one: SUGGESTION_ORDER.index(one.what)))


@cached(entries=ANSWERS_KEPT)
def common_values(snapshot: str, column: str, most: int) -> tuple[str, ...]:
    """The most common values of a column as a dictionary writes them, in their order."""
    counts = store().snapshots.load(snapshot, [column])[column].value_counts().head(most)
    values = counts[counts > 0].index.tolist()
    try:
        return tuple(value_text(value) for value in sorted(values))
    except TypeError:
        return tuple(sorted(value_text(value) for value in values))


@cached(entries=ANSWERS_KEPT)
def suggested_edges(snapshot: str, column: str) -> tuple[float, ...]:
    """Where to cut a number into bands of about equal size."""
    return band_edges(store().snapshots.load(snapshot, [column])[column], BANDS_SUGGESTED)


def group_health(snapshot: str, columns: ColumnChoices, dictionary: DataDictionary) -> Health:
    """How many rows each group has, and how often each outcome is seen in it; groups are called as the words say."""
    if columns.target is None:
        raise InputError("Choose the outcome first.")
    bands = tuple((name, tuple(edges)) for name, edges in columns.bands.items())
    about = dictionary.within([*columns.sensitive, columns.target])
    return _group_health(snapshot, columns.target, columns.sensitive, bands, about.to_json())


@cached(entries=ANSWERS_KEPT)
def _group_health(
    snapshot: str,
    target: str,
    sensitive: tuple[str, ...],
    bands: tuple[tuple[str, tuple[float, ...]], ...],
    dictionary: str,  # as JSON
) -> Health:
    frame = store().snapshots.load(snapshot, list(dict.fromkeys([*sensitive, target])))
    groups = groups_of(
        frame, _Sensitive(sensitive, MappingProxyType(dict(bands)), DataDictionary.from_json(dictionary))
    )
    if groups is None:
        raise InputError("Choose at least one sensitive attribute.")
    named = str(groups.name) if groups.name != target else f"{target} (groups)"
    return examine(pd.DataFrame({named: groups, target: frame[target]}), target, [named])


def _portions(names: tuple[str, ...] | list[str], n_rows: int) -> list[list[str]]:
    """Columns that can be in memory together."""
    size = max(CELLS_AT_ONCE // max(n_rows, 1), 1)
    return [list(names[begin : begin + size]) for begin in range(0, len(names), size)]


def is_quantity(column: ColumnHealth) -> bool:
    """A number that must be cut into bands before it can make groups."""
    return column.kind == "number" and column.n_distinct > FEW_VALUES


@dataclass(frozen=True)
class _Sensitive:
    """The part of a plan that makes groups, before there is a plan."""

    sensitive: tuple[str, ...]
    bands: Mapping[str, tuple[float, ...]]
    dictionary: DataDictionary


# -- rows ------------------------------------------------------------------------------------------------------


def portions(snapshot: str) -> list[list[str]]:
    """The columns of a table, in parts that can be in memory together."""
    found = shape(snapshot)
    return _portions(found.columns, found.n_rows)


def groups_of_rows(snapshot: str, sensitive: tuple[str, ...], bands: Bands, dictionary: DataDictionary) -> pd.Series:
    """The group of every row of the table."""
    frame = store().snapshots.load(snapshot, list(sensitive))
    groups = groups_of(frame, _Sensitive(sensitive, MappingProxyType(dict(bands)), dictionary))
    if groups is None:
        raise InputError("Choose at least one sensitive attribute.")
    return groups
