"""What a finding is, and the columns that findings are about."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd

from rugcore.readers.columns import LIKE_A_DATE, MOSTLY
from rugcore.tables.table import kind_of

Severity = Literal["note", "warning"]
ColumnKind = Literal["number", "category", "boolean", "date", "blank"]
Topic = Literal[
    "blank",
    "missing",
    "constant",
    "identifier",
    "dates",
    "numbers as text",
    "many values",
    "codes",
    "names",
    "leak",
    "revealing value",
    "known later",
    "target",
    "few rows",
    "duplicates",
    "worked out",
    "many groups",
    "tiny groups",
]

QUESTIONS: tuple[Topic, ...] = ("revealing value", "known later")  # only a person knows the answer
LOOKED_AT = 1_000  # values of a text column, to see whether they are dates


@dataclass(frozen=True)
class Finding:
    """Something to know about some columns, or about the table if none is named, and what to do about it."""

    columns: tuple[str, ...]
    topic: Topic
    severity: Severity
    fact: str
    advice: str = ""
    strength: float = 0.0  # among findings of the same topic, where only some are to be shown

    @property
    def sentence(self) -> str:
        return f"{self.fact} {self.advice}".rstrip()


@dataclass(frozen=True, eq=False)
class Column:
    """A column with its values numbered by first appearance; -1 is a blank."""

    name: str
    kind: ColumnKind
    series: pd.Series
    codes: np.ndarray
    distinct: Any  # the values, each once

    @property
    def n_distinct(self) -> int:
        return len(self.distinct)

    @property
    def n_known(self) -> int:
        return int((self.codes >= 0).sum())

    def finding(self, topic: Topic, severity: Severity, words: str, advice: str = "", strength: float = 0.0) -> Finding:
        return Finding((self.name,), topic, severity, f"Column {self.name!r} {words}", advice, strength)


def numbered(series: pd.Series, name: str) -> Column:
    """Refuses what no rule could speak about, by the name of the column."""
    kind = _kind(series, name)
    codes, distinct = pd.factorize(series)
    return Column(name, kind, series, codes, distinct)


def _kind(series: pd.Series, name: str) -> ColumnKind:
    if pd.api.types.is_datetime64_any_dtype(series.dtype):
        return "date" if series.notna().any() else "blank"
    kind = kind_of(series, name)
    if kind == "category":
        return "date" if _is_mostly_dates(series) else "category"
    return "category" if kind == "code" else kind


def _is_mostly_dates(series: pd.Series) -> bool:
    """Judged by values from all over the column."""
    known = series.dropna()
    some = known.iloc[:: max(len(known) // LOOKED_AT, 1)].astype(str)
    return bool(some.str.fullmatch(LIKE_A_DATE).mean() > MOSTLY)


def percent(share: float) -> str:
    """Never rounded up to all or down to none."""
    text = f"{share:.1%}"
    if text == "100.0%" and share < 1:
        return "more than 99.9 %"
    if text == "0.0%" and share > 0:
        return "less than 0.1 %"
    return text.replace(".0%", "%").replace("%", " %")
