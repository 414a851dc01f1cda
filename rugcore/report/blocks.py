"""What a report is made of: headings, paragraphs, facts, tables, charts and lines to sign. Values, nothing drawn yet.

Numbers stay numbers here, so that a program can read them; `rugcore.report.formats` says how they are written.
"""

from dataclasses import dataclass, field
from typing import Literal, get_args

Interval = tuple[float | None, float | None, float | None]  # a value, and the bounds of its 95 % interval
Value = str | int | float | Interval | None
Kind = Literal["text", "count", "number", "percent", "points", "percent interval", "points interval"]
KINDS: tuple[Kind, ...] = get_args(Kind)
Tone = Literal["plain", "faint", "warning", "missing"]
TONES: tuple[Tone, ...] = get_args(Tone)
ChartKind = Literal["bars", "intervals", "curve"]
CHART_KINDS: tuple[ChartKind, ...] = get_args(ChartKind)
Unit = Literal["percent", "points", "number"]
UNITS: tuple[Unit, ...] = get_args(Unit)


@dataclass(frozen=True)
class Heading:
    """A heading within a section."""

    text: str


@dataclass(frozen=True)
class Paragraph:
    """A few sentences. "missing" says what was not worked out, and how to get it."""

    text: str
    tone: Tone = "plain"


@dataclass(frozen=True)
class Facts:
    """Names with what they are: run, data, hashes."""

    items: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Column:
    """One column of a table; `width` is its share of the page against the others."""

    title: str
    kind: Kind = "text"
    width: float = 1.0


@dataclass(frozen=True)
class Grid:
    """A table. A value of None is one that is not known; an interval is a value with its two bounds."""

    caption: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Value, ...], ...]


@dataclass(frozen=True)
class ChartMark:
    """One bar, dot or point; a point of a curve has a height too."""

    label: str
    series: str
    value: float
    lower: float | None = None
    upper: float | None = None
    height: float | None = None


@dataclass(frozen=True)
class Picture:
    """A chart as numbers: `rugcore.report.drawing` makes vector graphics of it."""

    kind: ChartKind
    title: str
    alt: str  # what it shows, for whoever cannot see it
    unit: Unit
    marks: tuple[ChartMark, ...]
    axis: str = ""  # what the values are
    height_axis: str = ""  # of a curve
    limit: float | None = None  # a line that should not be crossed
    colours: dict[str, str] = field(default_factory=dict)  # by series


@dataclass(frozen=True)
class SignOff:
    """Lines for people to sign."""

    roles: tuple[str, ...]


Block = Heading | Paragraph | Facts | Grid | Picture | SignOff
