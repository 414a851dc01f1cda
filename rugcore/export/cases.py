"""Rows that put an export to the test, made from the thresholds and values of the rules: nobody's row is in them.

Every threshold with the next double on either side, special codes, named and never seen values, blanks; among many such
rows those are chosen that together show most: every rule, every value, ties, and nobody covered.
"""

import math
import operator
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from rugcore.export.portable import CellTest, PortableColumn, PortableModel
from rugcore.rules.serial import plain

N_CASES = 100
N_CANDIDATES = 4000
SEED = 20261118  # the same model has the same cases
BLANK_SHARE = 0.1
COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "above": operator.gt,
    "up to": operator.le,
    "equal": operator.eq,
    "different": operator.ne,
}
UNSEEN = "a value that training never showed"


@dataclass(frozen=True)
class ExportCase:
    """One row, as values of the columns that rules look at, and what the model says about it."""

    cells: tuple[Any, ...]  # None where blank; numbers as floats
    decision: Any
    n_rules: int  # how many apply


Neighbours = Callable[[float], tuple[float, float]]


def next_doubles(number: float) -> tuple[float, float]:
    """The next numbers on either side of it."""
    return math.nextafter(number, -math.inf), math.nextafter(number, math.inf)


def cases_of(model: PortableModel, n_cases: int = N_CASES, neighbours: Neighbours = next_doubles) -> list[ExportCase]:
    """The rows, with the answers of the model itself; `neighbours` are the next numbers that the language can tell."""
    rows = edge_rows(model, N_CANDIDATES, neighbours=neighbours)
    rows = list(dict.fromkeys(rows))  # few columns have few different rows
    frame = frame_of(model, rows)
    decisions = model.source.decisions(frame)
    coverage = model.source.covering_rules(frame).toarray()
    shown = _shown(rows, coverage, decisions, len(model.classes))
    chosen = _chosen(shown, min(n_cases, len(rows)))
    return [ExportCase(rows[row], model.classes[decisions.class_code[row]], int(coverage[row].sum())) for row in chosen]


def edge_rows(
    model: PortableModel, n_rows: int, seed: int = SEED, neighbours: Neighbours = next_doubles
) -> list[tuple[Any, ...]]:
    """Rows of edges: half of them at random, half of them such that some rule applies."""
    random = np.random.RandomState(seed)
    values = [edge_values(model, number, neighbours) for number in range(len(model.columns))]
    rows = [tuple(_drawn(own, random) for own in values) for _ in range(n_rows)]
    fitting = [_fitting(rule.conditions, values) for rule in model.rules]
    for place in range(1, n_rows if model.rules else 0, 2):
        rows[place] = _satisfying(fitting[(place // 2) % len(fitting)], rows[place], random)
    return rows


def edge_values(model: PortableModel, number: int, neighbours: Neighbours = next_doubles) -> list[Any]:
    """The values of a column next to which something may change, and a blank, which comes first."""
    column = model.columns[number]
    tests = [t for rule in model.rules for c in rule.conditions for own in c for t in own if t.column == number]
    named = list(dict.fromkeys(test.value for test in tests if test.value is not None))
    if column.kind == "number":
        return [None, *_numbers([*named, *(code.number for code in column.specials)], neighbours)]
    if column.kind == "boolean":
        return [None, False, True]
    if column.kind == "code":
        return [None, *named, next(code for code in range(len(named) + 1) if code not in named)]
    return [None, *named, *_looks_alike(named), UNSEEN]


def _numbers(bounds: list[float], neighbours: Neighbours) -> list[float]:
    finite = sorted({float(bound) for bound in bounds})
    around = {near for bound in finite for near in (bound, *neighbours(bound))}
    middles = {(low + high) / 2 for low, high in pairwise(finite)}
    ends = {finite[0] - 1.0, finite[-1] + 1.0, 0.0} if finite else {0.0}
    return sorted(number for number in around | middles | ends if math.isfinite(number))


def _looks_alike(named: list[Any]) -> list[str]:
    """Other letters, and a space behind: some languages see no difference."""
    alike = {text for value in named[:3] for text in (str(value).swapcase(), f"{value} ")}
    return sorted(alike - set(named) - {""})


def _drawn(values: list[Any], random: np.random.RandomState) -> Any:
    return None if random.rand() < BLANK_SHARE else values[random.randint(1, len(values))]


def _fitting(conditions: Any, values: list[list[Any]]) -> list[tuple[int, list[Any]]]:
    """For every condition of a rule its column, and the edge values that meet it."""
    columns = [condition[0][0].column for condition in conditions]
    return [
        (column, [value for value in values[column] if any(all(holds(t, value) for t in own) for own in condition)])
        for column, condition in zip(columns, conditions, strict=True)
    ]


def _satisfying(
    fitting: list[tuple[int, list[Any]]], row: tuple[Any, ...], random: np.random.RandomState
) -> tuple[Any, ...]:
    """The row, changed so that all conditions hold; as it is where no edge value does."""
    cells = list(row)
    for column, values in fitting:
        if values:
            cells[column] = values[random.randint(len(values))]
    return tuple(cells)


def holds(test: CellTest, value: Any) -> bool:
    """Whether a cell (None where blank) passes a test."""
    if test.said == "blank" or value is None:
        return test.said == "blank" and value is None
    return test.said == "known" or bool(COMPARE[test.said](value, test.value))


def frame_of(model: PortableModel, rows: list[tuple[Any, ...]]) -> pd.DataFrame:
    """The rows as a table with the columns of training; those that no rule looks at are blank."""
    place = {column.name: number for number, column in enumerate(model.columns)}
    schema = model.source.schema_
    columns = [
        _series([row[place[name]] for row in rows], model.columns[place[name]])
        if name in place
        else pd.Series([None] * len(rows), dtype=object)
        for name in schema.names
    ]
    return pd.concat(columns, axis=1, keys=schema.names)


def _series(cells: list[Any], column: PortableColumn) -> pd.Series:
    if column.kind == "number":
        return pd.Series([math.nan if cell is None else cell for cell in cells], dtype=float)
    if column.kind == "code":
        return pd.Series(cells, dtype=object).astype("category")
    return pd.Series(cells, dtype=object)


def cells_of(model: PortableModel, frame: pd.DataFrame) -> list[tuple[Any, ...]]:
    """The rows of a table as cells of the columns of an export."""
    columns = []
    for column in model.columns:
        series = frame[column.name]
        is_known = series.notna().to_numpy()
        values = series.astype(float) if column.kind == "number" else series
        own = [plain(value) if known else None for value, known in zip(values.tolist(), is_known, strict=True)]
        columns.append(own)
    return list(zip(*columns, strict=True)) if columns else [()] * len(frame)


# -- which rows show most ----------------------------------------------------------------------------------


def _shown(rows: list[tuple[Any, ...]], coverage: np.ndarray, decisions: Any, n_classes: int) -> np.ndarray:
    """By row, what it is an example of."""
    parts = [coverage, decisions.is_tie[:, None], decisions.is_uncovered[:, None]]
    parts += [decisions.class_code[:, None] == np.arange(n_classes)]
    for cells in zip(*rows, strict=True):
        own, _ = pd.factorize(pd.Series(cells, dtype=object), use_na_sentinel=False)
        parts.append(own[:, None] == np.arange(own.max() + 1))
    return np.hstack(parts).astype(float)


def _chosen(shown: np.ndarray, n_rows: int) -> list[int]:
    """One after the other, the row that shows most of what was shown least so far; rare things count more."""
    rarity = 1.0 / np.maximum(shown.sum(axis=0), 1)
    times = np.zeros(shown.shape[1])
    is_left = np.ones(len(shown), dtype=bool)
    chosen = []
    for _ in range(n_rows):
        worth = np.where(is_left, shown @ ((1.0 + rarity) * 0.01**times), -1.0)
        row = int(np.argmax(worth))
        chosen.append(row)
        is_left[row] = False
        times += shown[row]
    return chosen
