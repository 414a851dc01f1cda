"""Charts of a report as vector graphics, on light paper, in the colours of the pages. Numbers in, SVG out.

Nothing is told by colour alone: series also differ by the shape of their dots, and every chart has a table beside it.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from rugcore.plotting.charts import COLOURS, LIMIT
from rugcore.report import formats
from rugcore.report.blocks import ChartMark, Picture

WIDTH = 640
LABEL_WIDTH = 230
RIGHT = 26  # room for half a number at the end of the axis
VALUE_ROOM = 46  # behind a bar, for its number
LINE = 15  # between two lines of text
ROW_GAP = 9
SERIES_STEP = 13  # between the dots of one row
FONT_SIZE = 12
LETTER = 6.6  # pixels, on average, of a letter of that size, also where a wider font stands in
CURVE_HEIGHT = 230
FONT = "'Source Sans Pro','Source Sans 3',system-ui,sans-serif"
INK, FAINT, RULE = "#1b2430", "#5b6675", "#d8dee6"
MOST_LABEL_LINES = 2
N_TICKS = 5
SHAPES = ("circle", "square", "diamond", "triangle")


def svg(picture: Picture) -> str:
    """The chart; what stands in it is escaped."""
    draw = _curve if picture.kind == "curve" else _rows
    body, height = draw(picture)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:.0f}" width="{WIDTH}" '
        f'height="{height:.0f}" role="img" aria-label="{escape(formats.harmless(picture.alt))}" '
        f'font-family="{FONT}" font-size="{FONT_SIZE}" fill="{INK}">{"".join(body)}</svg>'
    )


# -- scales ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Scale:
    """Values to pixels, with ticks at round numbers."""

    low: float
    high: float
    begin: float
    end: float
    step: float

    @classmethod
    def of(cls, values: Sequence[float], begin: float, end: float, with_zero: bool) -> "Scale":
        low, high = min(values, default=0.0), max(values, default=1.0)
        if with_zero:
            low, high = min(low, 0.0), max(high, 0.0)
        if high - low < 1e-9:
            low, high = low - 0.01, high + 0.01
        step = _step(low, high)
        return cls(math.floor(low / step + 1e-9) * step, math.ceil(high / step - 1e-9) * step, begin, end, step)

    def place(self, value: float) -> float:
        return self.begin + (value - self.low) / (self.high - self.low) * (self.end - self.begin)

    def ticks(self) -> list[float]:
        first, last = round(self.low / self.step), round(self.high / self.step)
        return [number * self.step for number in range(first, last + 1)]


def _step(low: float, high: float) -> float:
    """1, 2 or 5 times a power of ten."""
    rough = (high - low) / N_TICKS
    power = 10.0 ** math.floor(math.log10(rough))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough * (1 - 1e-9))


# -- parts -------------------------------------------------------------------------------------------------


def text(x: float, y: float, words: str, *, anchor: str = "start", colour: str = INK, weight: str = "") -> str:
    bold = f' font-weight="{weight}"' if weight else ""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}"{bold}>'
        f"{escape(formats.harmless(words))}</text>"
    )


def line(x1: float, y1: float, x2: float, y2: float, colour: str, width: float = 1.0, dashes: str = "") -> str:
    dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
    return (
        f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" '
        f'stroke-width="{width}"{dashed}/>'
    )


def dot(x: float, y: float, colour: str, shape: str) -> str:
    if shape == "circle":
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{colour}"/>'
    corners: dict[str, list[tuple[float, float]]] = {
        "square": [(-3.6, -3.6), (3.6, -3.6), (3.6, 3.6), (-3.6, 3.6)],
        "diamond": [(0, -5), (5, 0), (0, 5), (-5, 0)],
        "triangle": [(0, -5), (4.6, 3.6), (-4.6, 3.6)],
    }
    points = " ".join(f"{x + dx:.1f},{y + dy:.1f}" for dx, dy in corners[shape])
    return f'<polygon points="{points}" fill="{colour}"/>'


def wrapped(words: str, width: float, most: int = MOST_LABEL_LINES) -> list[str]:
    """Lines that fit; what does not is cut off with dots, and stands in full in the table."""
    longest = max(int(width / LETTER), 4)
    lines: list[str] = []
    for word in formats.harmless(words).split() or [""]:
        while len(word) > longest:
            lines.append(word[:longest])
            word = word[longest:]
        if lines and len(lines[-1]) + 1 + len(word) <= longest:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    if len(lines) > most:
        lines = [*lines[: most - 1], f"{lines[most - 1][: longest - 1]}…"]
    return lines


def _series(picture: Picture) -> list[str]:
    return list(dict.fromkeys(mark.series for mark in picture.marks))


def _colour(picture: Picture, series: str) -> str:
    return picture.colours.get(series, COLOURS[_series(picture).index(series) % len(COLOURS)])


def _shape(picture: Picture, series: str) -> str:
    return SHAPES[_series(picture).index(series) % len(SHAPES)]


def _legend(picture: Picture, top: float) -> tuple[list[str], float]:
    """A line per row of names, if there is more than one series or a limit; and where the chart goes on."""
    names = [name for name in _series(picture) if name]
    if len(names) < 2 and picture.limit is None:
        return [], top
    body: list[str] = []
    x, y = 8.0, top + FONT_SIZE
    entries = [(name, _colour(picture, name), _shape(picture, name)) for name in names if len(names) > 1]
    for name, colour, shape in [*entries, *([("limit", LIMIT, "")] if picture.limit is not None else [])]:
        shown = wrapped(name, 300, most=1)[0]
        wide = 18 + LETTER * len(shown) + 18
        if x + wide > WIDTH:
            x, y = 8.0, y + LINE + 2
        body.append(dot(x, y - 4, colour, shape) if shape else line(x - 4, y - 4, x + 6, y - 4, colour, 2, "4 3"))
        body.append(text(x + 10, y, shown, colour=FAINT))
        x += wide
    return body, y + 10


# -- bars and dots, one row per label ----------------------------------------------------------------------


def _rows(picture: Picture) -> tuple[list[str], float]:
    values = [value for mark in picture.marks for value in (mark.value, mark.lower, mark.upper) if value is not None]
    values += [] if picture.limit is None else [picture.limit]
    room = VALUE_ROOM if picture.kind == "bars" else 0
    is_from_zero = picture.kind == "bars" or picture.unit == "points"
    scale = Scale.of(values, LABEL_WIDTH, WIDTH - RIGHT - room, with_zero=is_from_zero)
    body, y = _legend(picture, 4)
    top = y
    labels = list(dict.fromkeys(mark.label for mark in picture.marks))
    drawn: list[str] = []
    for label in labels:
        marks = [mark for mark in picture.marks if mark.label == label]
        lines = wrapped(label, LABEL_WIDTH - 14)
        height = max(len(lines) * LINE, len(marks) * SERIES_STEP) + ROW_GAP
        middle = y + height / 2
        first = middle - (len(lines) - 1) * LINE / 2 + 4
        drawn += [text(LABEL_WIDTH - 10, first + n * LINE, own, anchor="end") for n, own in enumerate(lines)]
        for n, mark in enumerate(marks):
            drawn += _mark(picture, mark, scale, middle + (n - (len(marks) - 1) / 2) * SERIES_STEP)
        y += height
    body += _axis(picture, scale, top, y)
    return [*body, *drawn], y + 40


def _axis(picture: Picture, scale: Scale, top: float, bottom: float) -> list[str]:
    body = []
    for tick in scale.ticks():
        x = scale.place(tick)
        body.append(line(x, top, x, bottom, FAINT if abs(tick) < 1e-12 else RULE))
        body.append(text(x, bottom + LINE, formats.on_axis(tick, picture.unit), anchor="middle", colour=FAINT))
    room = 2 * min((scale.begin + scale.end) / 2, WIDTH - (scale.begin + scale.end) / 2)
    (named,) = wrapped(picture.axis, room, most=1)
    body.append(text((scale.begin + scale.end) / 2, bottom + 2 * LINE, named, anchor="middle", colour=FAINT))
    if picture.limit is not None:
        x = scale.place(picture.limit)
        body.append(line(x, top, x, bottom, LIMIT, 1.5, "5 4"))
    return body


def _mark(picture: Picture, mark: ChartMark, scale: Scale, y: float) -> list[str]:
    colour, x = _colour(picture, mark.series), scale.place(mark.value)
    if picture.kind == "bars":
        zero = scale.place(0.0)
        bar = f'<rect x="{min(zero, x):.1f}" y="{y - 5:.1f}" width="{abs(x - zero):.1f}" height="10" fill="{colour}"/>'
        return [bar, text(max(zero, x) + 5, y + 4, formats.on_axis(mark.value, picture.unit), colour=FAINT)]
    parts = []
    if mark.lower is not None and mark.upper is not None:
        parts.append(line(scale.place(mark.lower), y, scale.place(mark.upper), y, colour, 2))
    return [*parts, dot(x, y, colour, _shape(picture, mark.series))]


# -- a curve -----------------------------------------------------------------------------------------------


def _curve(picture: Picture) -> tuple[list[str], float]:
    body, top = _legend(picture, 4)
    top += 4
    bottom = top + CURVE_HEIGHT
    values = [mark.value for mark in picture.marks] + ([] if picture.limit is None else [picture.limit])
    across = Scale.of(values, 60, WIDTH - RIGHT, with_zero=True)
    up = Scale.of([mark.height for mark in picture.marks if mark.height is not None], bottom, top, with_zero=False)
    for tick in up.ticks():
        y = up.place(tick)
        body += [line(60, y, WIDTH - RIGHT, y, RULE)]
        body += [text(54, y + 4, formats.on_axis(tick, "percent"), anchor="end", colour=FAINT)]
    body += _axis(picture, across, top, bottom)
    middle = (top + bottom) / 2
    (named,) = wrapped(picture.height_axis, CURVE_HEIGHT, most=1)
    body.append(
        f'<text transform="translate(16 {middle:.1f}) rotate(-90)" text-anchor="middle" fill="{FAINT}">'
        f"{escape(named)}</text>"
    )
    for series in _series(picture):
        body += _path(picture, series, across, up)
    return body, bottom + 40


def _path(picture: Picture, series: str, across: Scale, up: Scale) -> list[str]:
    places = [
        (across.place(mark.value), up.place(mark.height))
        for mark in picture.marks
        if mark.series == series and mark.height is not None
    ]
    colour = _colour(picture, series)
    joined = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    thread = f'<polyline points="{joined}" fill="none" stroke="{colour}" stroke-width="1.5"/>'
    return [thread, *(dot(x, y, colour, _shape(picture, series)) for x, y in places)]
