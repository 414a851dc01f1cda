"""The charts of the page Compare; a model has its colour and its sign everywhere."""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import pandas as pd

from rugboard.compare.report import ModelLine
from rugboard.shell import theme
from rugboard.shell.charts import escaped, styled
from rugboard.shell.formats import percent, points, whole
from rugboard.shell.notions import NOTION_NAMES
from rugcore.comparison import unit_of

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

SIGNS = {
    "rug": "circle",
    "fair": "diamond",
    "lightgbm": "square",
    "logistic": "cross",
    "tree": "triangle-up",
    "forest": "hexagon",
    "adaboost": "star",
    "outside": "triangle-down",
    "list": "circle-cross",
    "fair_list": "diamond-cross",
    "binoct": "triangle-left",
    "gosdt": "triangle-right",
    "streed": "star-triangle-up",
    "fair_tree": "star-diamond",
    "few": "circle",  # of the case study
    "more": "pentagon",
    "leaves": "square",
}
COLOURED_AS = {"few": "rug", "more": "rug", "leaves": "lightgbm"}
LEAST_SIZE = 0.5  # where a model without any rule stands: there is no 0 on a logarithmic axis
HEIGHT = 440
SIGN_SIZE = 14
# At the very bottom, in columns of so many pixels that two stand side by side on a phone.
LEGEND = {"xref": "container", "y": 0, "yref": "container", "entrywidth": 100, "font": {"size": 11}}
LINE_HEIGHT = 30
MOST_COLUMNS = 12
# Points nearer than this, as shares of the chart, would write over each other's names.
NEAR_ACROSS, NEAR_UP = 0.2, 0.07
# Where a name may stand, and how far its middle is from the point, across and up.
NAME_PLACES = (
    ("top center", 0.0, NEAR_UP * 0.8),
    ("bottom center", 0.0, -NEAR_UP * 0.8),
    ("middle right", NEAR_ACROSS, 0.0),
    ("middle left", -NEAR_ACROSS, 0.0),
)
UNKNOWN = "not estimable"
LETTER = 0.028  # the width of a letter as a share of the width of a chart, on a phone
PANEL_HEAD, BELOW = 34, 50  # pixels: for the title of each of several charts, and for the last axis


def accuracy_against_size(lines: Sequence[ModelLine], baseline: ModelLine) -> "Figure":
    """Right decisions against how much there is to read: up and to the left is better. The baseline is a line.

    Names stand at the points; where these are narrow, on a phone, theme.css shows the legend instead.
    """
    import plotly.graph_objects as go

    figure = go.Figure()
    names = joint_names(lines)
    places = name_places([line for line in lines if line.model in names], baseline)
    for line in lines:
        figure.add_scatter(
            x=[max(line.size, LEAST_SIZE)],
            y=[100 * line.accuracy],
            mode="markers",
            cliponaxis=False,
            name=line.name,
            marker={"color": colour_of(line.model), "size": SIGN_SIZE, "symbol": SIGNS.get(line.model, "circle")},
            hovertemplate=f"{line.name}<br>{percent(line.accuracy)} right<br>{size_in_words(line)}<extra></extra>",
        )
    for line in lines:
        if line.model in names:
            figure.add_scatter(
                x=[max(line.size, LEAST_SIZE)], y=[100 * line.accuracy], mode="markers+text", text=[names[line.model]],
                textposition=places[line.model], cliponaxis=False, showlegend=False, hoverinfo="skip",
                marker={"size": SIGN_SIZE, "opacity": 0},
            )  # fmt: skip
    low, high = _range_of([100 * line.accuracy for line in (*lines, baseline)])
    smallest, largest = _logs(lines)
    _add_baseline(figure, baseline)
    firsts = (1, 2, 5) if largest - smallest < 1 else (1,)  # two models alone are seldom a power of ten apart
    ticks = [first * 10**power for power in range(7) for first in firsts]
    figure.update_xaxes(
        type="log",
        range=[smallest - 0.5, largest + 0.45],
        title="rules, leaves or coefficients to read",
        tickvals=ticks,
        ticktext=[whole(tick) for tick in ticks],
    )
    figure.update_yaxes(ticksuffix=" %", range=[low, high])
    figure = styled(figure, HEIGHT)
    figure.update_layout(showlegend=True, legend=LEGEND)
    return figure


def colour_of(model: str) -> str:
    return theme.colour_of_model(COLOURED_AS.get(model, model))


def _add_baseline(figure: "Figure", line: ModelLine) -> None:
    height = 100 * line.accuracy
    figure.add_hline(y=height, layer="below", line={"color": theme.OTHER, "dash": "dot", "width": 1.5})
    figure.add_annotation(
        x=1, xref="paper", xanchor="right", y=height, yanchor="top", showarrow=False,
        text=f"{escaped(line.name, 40)}: {percent(line.accuracy)}",
    )  # fmt: skip


def joint_names(lines: Sequence[ModelLine]) -> dict[str, str]:
    """Of models at one and the same point, the first carries the names of all."""
    at_point: dict[tuple[float, float], list[ModelLine]] = {}
    for line in lines:
        at_point.setdefault((line.size, line.accuracy), []).append(line)
    return {alike[0].model: "<br>".join(line.name for line in alike) for alike in at_point.values()}


def name_places(lines: Sequence[ModelLine], baseline: ModelLine) -> dict[str, str]:
    """Above the point; of two that are close, the lower one has its name below, and a third beside it."""
    low, high = _range_of([100 * line.accuracy for line in (*lines, baseline)])
    smallest, largest = _logs(lines)
    width, height = max(largest - smallest + 0.95, 1e-9), max(high - low, 1e-9)
    places: dict[str, str] = {}
    taken: list[tuple[float, float]] = []  # the middles of the names so far
    for line in sorted(lines, key=lambda line: -line.accuracy):
        across, up = math.log10(max(line.size, LEAST_SIZE)) / width, 100 * line.accuracy / height
        free = [
            (place, aside, shift)
            for place, aside, shift in NAME_PLACES
            if not any(abs(across + aside - x) < NEAR_ACROSS and abs(up + shift - y) < NEAR_UP for x, y in taken)
        ]
        place, aside, shift = free[0] if free else NAME_PLACES[1]
        taken += [(across + aside, up + shift), (across, up)]
        places[line.model] = place
    return places


def _logs(lines: Sequence[ModelLine]) -> tuple[float, float]:
    sizes = [math.log10(max(line.size, LEAST_SIZE)) for line in lines]
    return min(sizes), max(sizes)


def _range_of(values: Sequence[float]) -> tuple[float, float]:
    """Room for the names above and below."""
    room = max(0.18 * (max(values) - min(values)), 0.3)
    return min(values) - room, max(values) + room


def size_in_words(line: ModelLine) -> str:
    return f"{whole(line.size)} {unit_of(line.unit, line.size)}"


# -- fairness ----------------------------------------------------------------------------------------------


def gaps(lines: Sequence[ModelLine], notion: str, epsilon: float | None) -> "Figure":
    """The gap between groups in every reading, one below the other; the limit stands where it applies."""
    from plotly.subplots import make_subplots

    measured = [name for name in NOTION_NAMES if any(name in line.gaps for line in lines)]
    order = [notion, *(name for name in measured if name != notion)]
    inside = len(order) * LINE_HEIGHT * len(lines) + (len(order) - 1) * PANEL_HEAD
    figure = make_subplots(
        rows=len(order), cols=1, shared_xaxes=True, subplot_titles=[NOTION_NAMES[name] for name in order],
        vertical_spacing=PANEL_HEAD / inside,
    )  # fmt: skip
    widest = max([100 * value for line in lines for value in line.gaps.values() if value == value], default=1.0)
    across = 1.18 * max(widest, 100 * (epsilon or 0.0), 1.0)
    for row, name in enumerate(order, start=1):
        limit = 100 * epsilon if epsilon is not None and name == notion else None
        values = [100 * line.gaps.get(name, math.nan) for line in lines]
        _add_gaps(figure, row, lines, values, limit, across)
    figure.update_xaxes(range=[0, across])
    figure.update_xaxes(title="points apart", row=len(order))
    figure.update_yaxes(range=[len(lines) - 0.5, -0.5], showgrid=True)
    figure.update_annotations(font_size=13)
    figure = styled(figure, inside + 2 * PANEL_HEAD + BELOW)
    figure.update_layout(margin={"t": PANEL_HEAD})
    if epsilon is not None:
        _name_limit(figure, notion, epsilon)
    return figure


def _add_gaps(
    figure: "Figure",
    row: int,
    lines: Sequence[ModelLine],
    values: Sequence[float],
    limit: float | None,
    across: float,
) -> None:
    names = [line.name for line in lines]
    figure.add_scatter(
        x=values, y=names, mode="markers", cliponaxis=False, showlegend=False,
        hovertemplate="%{y}: %{x:.1f} points<extra></extra>",
        marker={
            "color": [theme.colour_of_model(line.model) for line in lines],
            "symbol": [SIGNS.get(line.model, "circle") for line in lines],
            "size": 12,
        },
        row=row, col=1,
    )  # fmt: skip
    words = [UNKNOWN if math.isnan(value) else f"{value:.1f}" for value in values]
    places = [beside(value, text, limit, LETTER * across) for value, text in zip(values, words, strict=True)]
    figure.add_scatter(
        x=places, y=names, mode="text", text=[f"   {text}" for text in words], textposition="middle right",
        cliponaxis=False, showlegend=False, hoverinfo="skip", row=row, col=1,
    )  # fmt: skip
    if limit is not None:  # last: plotly draws no such line in a chart that is still empty
        line = {"color": theme.LIMIT, "dash": "dash", "width": 2}
        figure.add_vline(x=limit, layer="below", line=line, row=row, col=1)


def beside(value: float, text: str, limit: float | None, letter: float) -> float:
    """Where the words about a dot begin: at the dot, or behind the limit if that would go through them."""
    begin = 0.0 if math.isnan(value) else value
    end = begin + (len(text) + 3) * letter
    return limit if limit is not None and begin <= limit <= end else begin


def _name_limit(figure: "Figure", notion: str, epsilon: float) -> None:
    words = f"allowed for “{NOTION_NAMES[notion].lower()}”:<br>{points(epsilon)}"  # a phone is narrow
    figure.add_scatter(x=[None], y=[None], mode="lines", name=words, line={"color": theme.LIMIT, "dash": "dash"})
    legend = {"yref": "container", "y": 1, "yanchor": "top", "x": 0, "xref": "container"}
    figure.update_layout(margin={"t": 2 * PANEL_HEAD}, legend=legend)


# -- importance --------------------------------------------------------------------------------------------


def importance(table: pd.DataFrame, models: Mapping[str, str]) -> "Figure":
    """Two bars per column of the data; `models` gives for each column of the table whose colour it has."""
    import plotly.graph_objects as go

    shown = table.head(MOST_COLUMNS)
    # Two long names may be cut to the same beginning; a place of its own keeps them apart.
    places = list(range(len(shown)))
    figure = go.Figure()
    for name, model in models.items():
        figure.add_bar(
            x=100 * shown[name],
            y=places,
            orientation="h",
            name=name,
            marker={
                "color": theme.colour_of_model(model),
                "pattern": {"shape": "/" if model == "lightgbm" else "", "fillmode": "replace", "size": 6},
            },
            customdata=[escaped(column, 80) for column in shown.index],
            hovertemplate="%{customdata}: %{x:.1f} %<extra>%{fullData.name}</extra>",
        )
    labels = [escaped(column, 40) for column in shown.index]
    figure.update_yaxes(autorange="reversed", tickvals=places, ticktext=labels)
    figure.update_xaxes(title="share of the total", ticksuffix=" %", rangemode="tozero")
    figure.update_layout(barmode="group", bargap=0.3)
    return styled(figure, 90 + 36 * len(shown))


# -- one loan ----------------------------------------------------------------------------------------------


def contributions(steps: Sequence[tuple[str, float]], colours: tuple[str, str]) -> "Figure":
    """What every column adds to a score, the largest on top; `colours` are those of for and against."""
    import plotly.graph_objects as go

    amounts = [amount for _, amount in steps]
    places = list(range(len(steps)))
    figure = go.Figure(
        go.Bar(
            x=amounts,
            y=places,
            orientation="h",
            marker_color=[colours[0] if amount >= 0 else colours[1] for amount in amounts],
            text=[f"{amount:+.2f}" for amount in amounts],
            textposition="outside",
            cliponaxis=False,
            hoverinfo="skip",
        )
    )
    lowest, highest = min(*amounts, 0.0), max(*amounts, 0.0)
    room = 0.2 * (highest - lowest or 1.0)
    figure.update_xaxes(range=[lowest - room, highest + room], showticklabels=False, showgrid=False)
    figure.update_yaxes(autorange="reversed", tickvals=places, ticktext=[escaped(name, 48) for name, _ in steps])
    figure.add_vline(x=0, layer="below", line={"color": theme.OTHER, "width": 1})
    return styled(figure, 50 + LINE_HEIGHT * len(steps))
