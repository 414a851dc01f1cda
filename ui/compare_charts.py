"""The charts of the page Compare; a model has its colour and its sign everywhere."""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import pandas as pd

from ui import look
from ui.charts import harmless, styled
from ui.compare_rows import Line
from ui.numbers import percent, points, whole
from ui.scorecard import NOTION_NAMES

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
}
LEAST_SIZE = 0.5  # where a model without any rule stands: there is no 0 on a logarithmic axis
HEIGHT = 400
LINE_HEIGHT = 30
MOST_COLUMNS = 12
# Points nearer than this, as shares of the chart, would write over each other's names.
NEAR_ACROSS, NEAR_UP = 0.2, 0.07


def accuracy_against_size(lines: Sequence[Line]) -> "Figure":
    """Right decisions against how much there is to read: up and to the left is better."""
    import plotly.graph_objects as go

    figure = go.Figure()
    places = name_places(lines)
    for line in lines:
        figure.add_scatter(
            x=[max(line.size, LEAST_SIZE)],
            y=[100 * line.accuracy],
            mode="markers+text",
            text=[f"{line.name}"],
            textposition=places[line.model],
            cliponaxis=False,
            name=line.name,
            marker={"color": look.colour_of_model(line.model), "size": 14, "symbol": SIGNS.get(line.model, "circle")},
            hovertemplate=f"{line.name}<br>{percent(line.accuracy)} right<br>{size_in_words(line)}<extra></extra>",
        )
    low, high = _range_of([100 * line.accuracy for line in lines])
    smallest, largest = _logs(lines)
    figure.update_xaxes(
        type="log",
        range=[smallest - 0.35, largest + 0.45],
        title="how much there is to read: rules, leaves or coefficients (logarithmic)",
        tickvals=[10**power for power in range(7)],
        ticktext=[whole(10**power) for power in range(7)],
    )
    figure.update_yaxes(title="right decisions, test rows", ticksuffix=" %", range=[low, high])
    figure.update_layout(showlegend=False)
    return styled(figure, HEIGHT)


def name_places(lines: Sequence[Line]) -> dict[str, str]:
    """Above the point; of two that are close, the lower one has its name below."""
    low, high = _range_of([100 * line.accuracy for line in lines])
    smallest, largest = _logs(lines)
    width, height = max(largest - smallest + 0.8, 1e-9), max(high - low, 1e-9)
    places: dict[str, str] = {}
    taken: list[tuple[float, float]] = []  # the middles of the names so far
    for line in sorted(lines, key=lambda line: -line.accuracy):
        across, up = math.log10(max(line.size, LEAST_SIZE)) / width, 100 * line.accuracy / height
        free = [
            (place, shift)
            for place, shift in (("top center", NEAR_UP * 0.8), ("bottom center", -NEAR_UP * 0.8))
            if not any(abs(across - x) < NEAR_ACROSS and abs(up + shift - y) < NEAR_UP for x, y in taken)
        ]
        place, shift = free[0] if free else ("bottom center", -NEAR_UP * 0.8)
        taken += [(across, up + shift), (across, up)]
        places[line.model] = place
    return places


def _logs(lines: Sequence[Line]) -> tuple[float, float]:
    sizes = [math.log10(max(line.size, LEAST_SIZE)) for line in lines]
    return min(sizes), max(sizes)


def _range_of(values: Sequence[float]) -> tuple[float, float]:
    """Room for the names above and below."""
    room = max(0.18 * (max(values) - min(values)), 0.3)
    return min(values) - room, max(values) + room


def size_in_words(line: Line) -> str:
    noun = line.unit if line.size != 1 else {"leaves": "leaf"}.get(line.unit, line.unit.removesuffix("s"))
    return f"{whole(line.size)} {noun}"


# -- fairness ----------------------------------------------------------------------------------------------


def gaps(lines: Sequence[Line], notion: str, epsilon: float) -> "Figure":
    """The gap between groups under every notion, a bar a model, with the limit drawn in."""
    from plotly.subplots import make_subplots

    known = [name for name in NOTION_NAMES if any(name in line.gaps for line in lines)]
    order = [notion, *(name for name in known if name != notion)]
    figure = make_subplots(
        rows=1, cols=len(order), shared_yaxes=True, subplot_titles=[NOTION_NAMES[name] for name in order],
        horizontal_spacing=0.03,
    )  # fmt: skip
    for column, name in enumerate(order, start=1):
        values = [line.gaps.get(name, math.nan) for line in lines]
        figure.add_bar(
            x=[0 if math.isnan(value) else 100 * value for value in values],
            y=[line.name for line in lines],
            orientation="h",
            marker_color=[look.colour_of_model(line.model) for line in lines],
            text=["not estimable" if math.isnan(value) else f"{100 * value:.1f}" for value in values],
            textposition="outside",
            cliponaxis=False,
            hovertemplate="%{y}: %{x:.1f} points<extra></extra>",
            row=1,
            col=column,
        )
        figure.add_vline(x=100 * epsilon, line={"color": look.LIMIT, "dash": "dash", "width": 1.5}, row=1, col=column)
    widest = max([100 * value for line in lines for value in line.gaps.values() if value == value], default=1.0)
    figure.update_xaxes(title="points between two groups", range=[0, 1.18 * max(widest, 100 * epsilon, 1.0)])
    figure.update_yaxes(autorange="reversed")
    figure.add_scatter(
        x=[None], y=[None], mode="lines", name=f"allowed: {points(epsilon)}", line={"color": look.LIMIT, "dash": "dash"}
    )
    figure.update_traces(showlegend=False, selector={"type": "bar"})
    figure.update_annotations(font_size=13)
    figure = styled(figure, 110 + LINE_HEIGHT * len(lines))
    figure.update_layout(
        margin={"t": 62}, legend={"yref": "container", "y": 1, "yanchor": "top", "x": 0, "xref": "paper"}
    )
    return figure


# -- importance --------------------------------------------------------------------------------------------


def importance(table: pd.DataFrame, models: Mapping[str, str]) -> "Figure":
    """Two bars a column of the data; `models` gives for each column of the table whose colour it has."""
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
                "color": look.colour_of_model(model),
                "pattern": {"shape": "/" if model == "lightgbm" else "", "fillmode": "replace", "size": 6},
            },
            customdata=[harmless(column, 80) for column in shown.index],
            hovertemplate="%{customdata}: %{x:.1f} %<extra>%{fullData.name}</extra>",
        )
    labels = [harmless(column, 40) for column in shown.index]
    figure.update_yaxes(autorange="reversed", tickvals=places, ticktext=labels)
    figure.update_xaxes(title="share of the total", ticksuffix=" %", rangemode="tozero")
    figure.update_layout(barmode="group", bargap=0.3)
    return styled(figure, 90 + 36 * len(shown))
