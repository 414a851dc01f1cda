"""A report as one value, and as `report.json`: what PDF, HTML and DOCX are made from, and nothing else.

`report.schema.json` beside this file describes the format for other programs.
"""

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from rugcore.errors import InputError
from rugcore.report.blocks import (
    CHART_KINDS,
    KINDS,
    TONES,
    UNITS,
    Block,
    ChartMark,
    Column,
    Facts,
    Grid,
    Heading,
    Paragraph,
    Picture,
    SignOff,
    Value,
)

FORMAT = "rug-report"
VERSION = 1  # of the format; a file of another version is not read
MOMENT = "%Y-%m-%dT%H:%M:%SZ"  # how a report writes a date and time
UNDATED = datetime(2000, 1, 1)
SCHEMA = Path(__file__).with_name("report.schema.json")


@dataclass(frozen=True)
class Section:
    """One chapter; `key` is how the cross-reference finds it."""

    key: str
    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class ModelReport:
    """A whole report."""

    title: str
    subtitle: str
    date: str  # of the model, as 2026-01-31T12:00:00Z; nothing where nobody knows
    mark: str  # stands on every page: which model file this is about
    sections: tuple[Section, ...]

    @property
    def moment(self) -> datetime:
        """When the model was made, in UTC; a fixed day where nobody knows, because files must have some date."""
        return datetime.strptime(self.date, MOMENT) if self.date else UNDATED

    def section(self, key: str) -> Section:
        return next(section for section in self.sections if section.key == key)

    def to_json(self) -> str:
        """As text; the same report is always the same text."""
        content = {
            "format": FORMAT,
            "version": VERSION,
            "title": self.title,
            "subtitle": self.subtitle,
            "date": self.date,
            "mark": self.mark,
            "sections": [
                {"key": own.key, "title": own.title, "blocks": [_block_content(block) for block in own.blocks]}
                for own in self.sections
            ],
        }
        return json.dumps(content, ensure_ascii=False, allow_nan=False, indent=1) + "\n"

    @classmethod
    def from_json(cls, text: str) -> "ModelReport":
        """Read what `to_json` wrote; anything else is refused with an `InputError`."""
        try:
            content = json.loads(text)
            _refuse_other_format(content)
            return cls(
                title=_text(content["title"]),
                subtitle=_text(content["subtitle"]),
                date=_date(content["date"]),
                mark=_text(content["mark"]),
                sections=tuple(_section(item) for item in content["sections"]),
            )
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            if isinstance(error, InputError):
                raise
            raise InputError(f"Expected a report as JSON, but it is damaged ({error}). Make it again.") from error


def _refuse_other_format(content: Any) -> None:
    found = (content.get("format"), content.get("version")) if isinstance(content, dict) else (None, None)
    if found != (FORMAT, VERSION):
        raise InputError(f"Expected a report of version {VERSION}, but got {found[0]!r} of version {found[1]!r}.")


# -- blocks out --------------------------------------------------------------------------------------------

NAMES: dict[type, str] = {
    Heading: "heading",
    Paragraph: "paragraph",
    Facts: "facts",
    Grid: "table",
    Picture: "chart",
    SignOff: "sign-off",
}


def _block_content(block: Block) -> dict[str, Any]:
    return {"type": NAMES[type(block)], **_without_nan(asdict(block))}


def _without_nan(item: Any) -> Any:
    """JSON has no NaN: what is not a number is not known."""
    if isinstance(item, dict):
        return {name: _without_nan(own) for name, own in item.items()}
    if isinstance(item, list | tuple):
        return [_without_nan(own) for own in item]
    return None if isinstance(item, float) and not math.isfinite(item) else item


# -- blocks in ---------------------------------------------------------------------------------------------


def _section(item: Mapping[str, Any]) -> Section:
    return Section(_text(item["key"]), _text(item["title"]), tuple(_block(own) for own in item["blocks"]))


def _block(item: Mapping[str, Any]) -> Block:
    return READERS[item["type"]](item)


def _paragraph(item: Mapping[str, Any]) -> Paragraph:
    return Paragraph(_text(item["text"]), _choice(item["tone"], TONES))


def _facts(item: Mapping[str, Any]) -> Facts:
    return Facts(tuple((_text(name), _text(value)) for name, value in item["items"]))


def _grid(item: Mapping[str, Any]) -> Grid:
    columns = tuple(
        Column(_text(own["title"]), _choice(own["kind"], KINDS), _number(own["width"])) for own in item["columns"]
    )
    rows = tuple(
        tuple(_value(value, column) for value, column in zip(row, columns, strict=True)) for row in item["rows"]
    )
    return Grid(_text(item["caption"]), columns, rows)


def _value(value: Any, column: Column) -> Value:
    if value is None:
        return None
    if column.kind == "text":
        return _text(value)
    if column.kind.endswith("interval"):
        own, lower, upper = value
        return _known(own), _known(lower), _known(upper)
    return value if isinstance(value, int) else _number(value)


def _picture(item: Mapping[str, Any]) -> Picture:
    return Picture(
        kind=_choice(item["kind"], CHART_KINDS),
        title=_text(item["title"]),
        alt=_text(item["alt"]),
        unit=_choice(item["unit"], UNITS),
        marks=tuple(_mark(own) for own in item["marks"]),
        axis=_text(item["axis"]),
        height_axis=_text(item["height_axis"]),
        limit=_known(item["limit"]),
        colours={_text(name): _text(colour) for name, colour in item["colours"].items()},
    )


def _mark(item: Mapping[str, Any]) -> ChartMark:
    return ChartMark(
        _text(item["label"]),
        _text(item["series"]),
        _number(item["value"]),
        _known(item["lower"]),
        _known(item["upper"]),
        _known(item["height"]),
    )


READERS: dict[str, Callable[[Mapping[str, Any]], Block]] = {
    "heading": lambda item: Heading(_text(item["text"])),
    "paragraph": _paragraph,
    "facts": _facts,
    "table": _grid,
    "chart": _picture,
    "sign-off": lambda item: SignOff(tuple(_text(role) for role in item["roles"])),
}


def _text(item: Any) -> str:
    if not isinstance(item, str):
        raise TypeError(f"text was expected, not {type(item).__name__}")
    return item


def _date(item: Any) -> str:
    if item:
        datetime.strptime(_text(item), MOMENT)
    return _text(item)


def _number(item: Any) -> float:
    if isinstance(item, bool) or not isinstance(item, int | float):
        raise TypeError(f"a number was expected, not {type(item).__name__}")
    return float(item)


def _known(item: Any) -> float | None:
    return None if item is None else _number(item)


def _choice(item: Any, choices: tuple[Any, ...]) -> Any:
    if item not in choices:
        raise ValueError(f"one of {', '.join(choices)} was expected, not {item!r}")
    return item
