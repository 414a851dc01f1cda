"""Charts for notebooks, drawn by plotly, which is loaded when the first one is asked for."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from rugcore.errors import MissingPackageError

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

# They stand out from light and from dark paper, and from each other for the colour-blind.
COLOURS = ("#2a78c2", "#bc570d", "#8a5a86", "#4c7e72", "#8e7127", "#576ed0")
LIMIT = "#c2413b"  # a line that should not be crossed
LONGEST_LABEL = 60  # letters on an axis; the rest is shown beside the pointer
BAR_HEIGHT = 26
MARGIN = {"t": 90, "b": 60}  # title, legend and axis
LEAST_SPAN = 0.01  # of an axis of shares, or a handful of people would look like a mountain


@dataclass(frozen=True)
class Bar:
    """One bar: what it is called, how long it is, which colour it shares, and what the pointer tells."""

    name: str
    value: float
    series: str
    details: str = ""


@dataclass(frozen=True)
class Dot:
    """One point of a curve, and what the pointer tells."""

    x: float
    y: float
    details: str = ""


def bars(items: Sequence[Bar], *, title: str, value_title: str) -> "Figure":
    """Lying bars, the first on top; a colour a series. Bars of one name stay apart."""
    go = _plotly()
    figure = go.Figure()
    for number, series in enumerate(dict.fromkeys(item.series for item in items)):
        places = [place for place, item in enumerate(items) if item.series == series]
        figure.add_bar(
            x=[items[place].value for place in places],
            y=places,
            orientation="h",
            name=harmless(series),
            marker_color=COLOURS[number % len(COLOURS)],
            hovertext=[_hover(items[place]) for place in places],
            hoverinfo="text",
        )
    figure.update_layout(
        title=harmless(title, longest=200),
        height=sum(MARGIN.values()) + BAR_HEIGHT * max(len(items), 1),
        margin=MARGIN,
        bargap=0.3,
        barmode="overlay",
        showlegend=True,
        legend={"orientation": "h", "x": 0, "y": 1, "yanchor": "bottom"},
    )
    figure.update_xaxes(title=harmless(value_title), automargin=True)
    figure.update_yaxes(
        tickvals=list(range(len(items))),
        ticktext=[harmless(item.name) for item in items],
        range=[len(items) - 0.5, -0.5],
        automargin=True,
    )
    return figure


def curve(
    dots: Sequence[Dot], *, name: str, x_title: str, y_title: str, is_joined: bool, limit: float | None = None
) -> "Figure":
    """Points, joined in the order in which they come or not; `limit` is a line across x that should not be crossed."""
    figure = _plotly().Figure()
    figure.add_scatter(
        x=[dot.x for dot in dots],
        y=[dot.y for dot in dots],
        mode="lines+markers" if is_joined else "markers",
        marker={"size": 9, "color": COLOURS[0]},
        name=harmless(name),
        line={"color": COLOURS[0]},
        hovertext=[escape(dot.details, quote=False) for dot in dots],
        hoverinfo="text",
    )
    if limit is not None:
        figure.add_vline(x=limit, line={"color": LIMIT, "dash": "dash", "width": 1.5})
    figure.update_layout(title=harmless(name))
    figure.update_xaxes(title=harmless(x_title), rangemode="tozero")
    figure.update_yaxes(title=harmless(y_title), range=_span([dot.y for dot in dots]), tickformat=".1%")
    return figure


def add_series(figure: "Figure", dots: Sequence[Dot], *, name: str, is_joined: bool = False) -> None:
    """More points on a curve that was drawn, in the next colour and with a name in the legend."""
    colour = COLOURS[len(figure.data) % len(COLOURS)]
    figure.add_scatter(
        x=[dot.x for dot in dots],
        y=[dot.y for dot in dots],
        mode="lines+markers" if is_joined else "markers",
        marker={"size": 9 if is_joined else 15, "color": colour, "symbol": "circle" if is_joined else "star"},
        line={"color": colour},
        name=harmless(name),
        hovertext=[escape(dot.details, quote=False) for dot in dots],
        hoverinfo="text",
    )
    figure.update_layout(showlegend=True, legend={"orientation": "h", "x": 0, "y": 1, "yanchor": "bottom"})


def add_floor(figure: "Figure", y: float, name: str) -> None:
    """A named line across a curve that its points should be above of; the axis reaches down to it."""
    line = {"color": LIMIT, "dash": "dash", "width": 1.5}
    figure.add_hline(y=y, line=line, annotation_text=harmless(name), annotation_position="bottom right")
    figure.update_yaxes(range=_span([y, *(height for series in figure.data for height in series.y)]))


def _span(shares: Sequence[float]) -> list[float]:
    """From the lowest to the highest and a little more."""
    low, high = min(shares), max(shares)
    spare = max(0.1 * (high - low), (LEAST_SPAN - (high - low)) / 2)
    return [low - spare, high + spare]


def harmless(text: object, longest: int = LONGEST_LABEL) -> str:
    """A name from a data file as a label, not too long: plotly would take <b> or <a> for a command."""
    words = " ".join(str(text).split())
    return escape(words if len(words) <= longest else f"{words[: longest - 1]}…", quote=False)


def _hover(item: Bar) -> str:
    return "<br>".join(escape(text, quote=False) for text in (item.name, item.details) if text)


def _plotly() -> Any:
    try:
        import plotly.graph_objects
    except ImportError as error:
        raise MissingPackageError(
            "Expected the package plotly to draw this chart, but it is not installed. Run: pip install plotly"
        ) from error
    return plotly.graph_objects
