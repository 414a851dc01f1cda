"""The charts of the page Fairness. Dots with their intervals; a model has its colour and its sign everywhere.

A chart is made once for the same standings; nobody may change what comes out of here.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from ui import look
from ui.charts import harmless, styled
from ui.fairness_standing import ROWS, TEST, TRAINING, Standing
from ui.fairness_tables import NOTION_CODES
from ui.fairness_words import short_points
from ui.numbers import percent, points
from ui.scorecard import NOTION_NAMES
from ui.text import value_in_words

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

TITLES = {TRAINING: "Training rows", TEST: "Test rows"}
SIGNS = {"rug": "circle", "fair": "diamond", "lightgbm": "square"}
PANELS_BESIDE = 3
LONGEST_TITLE, LONGEST_LINE = 44, 40  # letters
FIGURES_KEPT = 32  # of each kind; making one takes longer than all else on the page
LINE_HEIGHT = 17  # pixels for a dot
BETWEEN_LINES = 16
HEAD, LOW_HEAD, PANEL_HEAD = 66, 36, 60  # for legend, title and axis
FRONTIER_HEIGHT = 380
ABOVE_THE_LINE = 0.2  # of the distance between lines, or words would look struck out


@dataclass(frozen=True)
class Dot:
    """A number with its interval; a bound that is not known is left out."""

    model: str
    value: float
    lower: float
    upper: float
    hover: str


@dataclass(frozen=True)
class Panel:
    """Lines with a dot a model."""

    title: str
    lines: dict[str, list[Dot]]  # by what stands beside the axis, from the top


# -- dots --------------------------------------------------------------------------------------------------


def dots(panels: Sequence[Panel], models: Sequence[str], limit: float | None = None) -> "Figure":
    """Panels beside each other, up to three in a row, with the same lines; with a limit, on the same scale."""
    from plotly.subplots import make_subplots

    n_beside = min(len(panels), PANELS_BESIDE)
    n_rows = -(-len(panels) // n_beside)
    height = _panel_height(panels[0], len(models))
    head = HEAD if any(panel.title for panel in panels) else LOW_HEAD
    figure = make_subplots(
        rows=n_rows,
        cols=n_beside,
        shared_yaxes=True,
        shared_xaxes="all" if limit is not None else False,
        subplot_titles=[harmless(panel.title, LONGEST_TITLE) for panel in panels],
        horizontal_spacing=0.03,
        vertical_spacing=min(PANEL_HEAD / (n_rows * height + head), 0.9 / max(n_rows - 1, 1)),
    )
    for number, panel in enumerate(panels):
        place = {"row": number // n_beside + 1, "col": number % n_beside + 1}
        for position, model in enumerate(models):
            shift = (position - (len(models) - 1) / 2) * LINE_HEIGHT / _line_height(len(models))
            _add_dots(figure, panel, model, shift, is_first=number == 0, place=place)
        _say_what_is_not_known(figure, panel, place)
        if limit is not None:
            figure.add_vline(x=100 * limit, line={"color": look.LIMIT, "dash": "dash", "width": 1.5}, **place)
    if limit is not None:
        _explain_limit(figure, limit)
    names = [harmless(name, LONGEST_LINE) for name in panels[0].lines]
    figure.update_yaxes(tickvals=list(range(len(names))), ticktext=names, range=[len(names) - 0.5, -0.5])
    figure.update_xaxes(ticksuffix=" %" if limit is None else "", rangemode="tozero")
    figure = styled(figure, head + n_rows * height + (n_rows - 1) * PANEL_HEAD)
    _put_legend_above(figure, head)
    return figure


def _put_legend_above(figure: "Figure", head: int) -> None:
    """Above the titles of the panels, whatever the height of the chart."""
    figure.update_layout(
        margin={"t": head}, legend={"yref": "container", "y": 1, "yanchor": "top", "x": 0, "xref": "paper"}
    )


def _explain_limit(figure: "Figure", limit: float) -> None:
    """The dashed line, in the legend."""
    name = f"allowed: {points(limit)}"
    figure.add_scatter(x=[None], y=[None], mode="lines", name=name, line={"color": look.LIMIT, "dash": "dash"})


def _line_height(n_models: int) -> int:
    return n_models * LINE_HEIGHT + BETWEEN_LINES


def _panel_height(panel: Panel, n_models: int) -> int:
    return len(panel.lines) * _line_height(n_models) + 24


def _add_dots(
    figure: "Figure", panel: Panel, model: str, shift: float, *, is_first: bool, place: dict[str, int]
) -> None:
    found = [
        (number + shift, dot)
        for number, line in enumerate(panel.lines.values())
        for dot in line
        if dot.model == model and dot.value == dot.value
    ]
    figure.add_scatter(
        x=[100 * dot.value for _, dot in found],
        y=[height for height, _ in found],
        error_x={
            "type": "data",
            "symmetric": False,
            "array": [_reach(dot.upper - dot.value) for _, dot in found],
            "arrayminus": [_reach(dot.value - dot.lower) for _, dot in found],
            "thickness": 1.5,
            "width": 3,
        },
        mode="markers",
        cliponaxis=False,
        name=look.name_of_model(model),
        legendgroup=model,
        showlegend=is_first,
        marker={"color": look.colour_of_model(model), "size": 10, "symbol": SIGNS.get(model, "circle")},
        customdata=[dot.hover for _, dot in found],
        hovertemplate="%{customdata}<extra></extra>",
        **place,
    )


def _say_what_is_not_known(figure: "Figure", panel: Panel, place: dict[str, int]) -> None:
    """A line without a dot must not look like a rate of nothing."""
    blank = [number for number, line in enumerate(panel.lines.values()) if all(dot.value != dot.value for dot in line)]
    figure.add_scatter(
        x=[0] * len(blank),
        y=[number - ABOVE_THE_LINE for number in blank],
        mode="text",
        text="not estimable: too few people",
        textposition="middle right",
        textfont={"color": look.OTHER},
        hoverinfo="skip",
        showlegend=False,
        **place,
    )


def _reach(length: float) -> float:
    return 100 * length if length == length else 0.0


# -- what is shown as dots ---------------------------------------------------------------------------------


@lru_cache(maxsize=FIGURES_KEPT)
def gaps(standings: tuple[Standing, ...], epsilon: float, notion: str) -> "Figure":
    """The gap of every notion, the one that was asked for on top, on training rows and on test rows."""
    order = [notion, *(other for other in NOTION_CODES if other != notion)]
    known = [name for name in order if name in standings[0].gaps[TEST]]
    panels = [
        Panel(
            TITLES[rows],
            {NOTION_NAMES[name]: [_gap_dot(item, rows, name) for item in standings] for name in known},
        )
        for rows in ROWS
    ]
    figure = dots(panels, [item.model for item in standings], limit=epsilon)
    figure.update_xaxes(title="points between two groups")
    return figure


def _gap_dot(item: Standing, rows: str, notion: str) -> Dot:
    line = item.gaps[rows][notion]
    nothing = float("nan")
    # On the training rows a gap is what it is: there is no more to know about these rows.
    lower, upper = (line["lower"], line["upper"]) if rows == TEST else (nothing, nothing)
    hover = f"{item.name}: {points(line['gap'])}"
    if line["worse_group"] is not None:
        hover += f"<br>{harmless(line['worse_group'])}: {percent(line['worse_error'])} wrong"
        hover += f"<br>{harmless(line['better_group'])}: {percent(line['better_error'])} wrong"
    if lower == lower:
        hover += f"<br>95 % interval {short_points(lower)} to {short_points(upper)}"
    return Dot(item.model, line["gap"], lower, upper, hover)


@lru_cache(maxsize=FIGURES_KEPT)
def error_rates(standings: tuple[Standing, ...], rows: str, order: tuple[str, ...]) -> "Figure":
    """How often each group is decided wrongly, a panel an outcome."""
    tables = {item.model: item.rates[rows] for item in standings}
    index = standings[0].audits[rows].rates.index
    known = [group for group in order if group in index.unique("group")]
    panels = [
        Panel(
            f"True outcome: {value_in_words(label)}",
            {
                group: [_rate_dot(model, group, table[label, group]) for model, table in tables.items()]
                for group in known
            },
        )
        for label in index.unique("class")
    ]
    figure = dots(panels, [item.model for item in standings])
    figure.update_xaxes(title="decided wrongly")
    return figure


def _rate_dot(model: str, group: str, line: Mapping[str, Any]) -> Dot:
    hover = (
        f"{look.name_of_model(model)}, {harmless(group)}<br>{line['errors']:,} of {line['n']:,} decided wrongly: "
        f"{percent(line['rate'])}<br>95 % interval {percent(line['lower'])} to {percent(line['upper'])}"
    )
    return Dot(model, line["rate"], line["lower"], line["upper"], hover)


@lru_cache(maxsize=FIGURES_KEPT)
def selection_rates(standings: tuple[Standing, ...], rows: str, order: tuple[str, ...]) -> "Figure":
    """How often each group gets the favourable decision."""
    tables = {item.model: item.groups[rows] for item in standings}
    known = [group for group in order if group in standings[0].groups[rows]]
    lines = {group: [_selection_dot(model, group, table[group]) for model, table in tables.items()] for group in known}
    figure = dots([Panel("", lines)], [item.model for item in standings])
    figure.update_xaxes(title="decided favourably")
    return figure


def _selection_dot(model: str, group: str, line: Mapping[str, Any]) -> Dot:
    rate, lower, upper = (line[f"selection_rate{end}"] for end in ("", "_lower", "_upper"))
    hover = (
        f"{look.name_of_model(model)}, {harmless(group)}<br>{percent(rate)} of {line['n']:,} decided favourably<br>"
        f"95 % interval {percent(lower)} to {percent(upper)}"
    )
    return Dot(model, rate, lower, upper, hover)


# -- the frontier ------------------------------------------------------------------------------------------


@lru_cache(maxsize=FIGURES_KEPT)
def frontier(points_of: tuple[Standing, ...], others: tuple[Standing, ...], notion: str, epsilon: float) -> "Figure":
    """Accuracy against gap, a dot an epsilon; the other models as single dots. A click on a dot tells its epsilon."""
    from plotly.subplots import make_subplots

    figure = make_subplots(
        rows=1, cols=2, shared_yaxes=False, subplot_titles=[TITLES[rows] for rows in ROWS], horizontal_spacing=0.08
    )
    for column, rows in enumerate(ROWS, start=1):
        _add_frontier(figure, points_of, notion, rows, epsilon, column)
        for item in others:
            _add_other(figure, item, notion, rows, column)
        figure.add_vline(x=100 * epsilon, line={"color": look.LIMIT, "dash": "dash", "width": 1.5}, row=1, col=column)
    figure.update_xaxes(title="largest gap, in points", rangemode="tozero")
    figure.update_yaxes(title="right decisions", ticksuffix=" %", col=1)
    figure.update_yaxes(ticksuffix=" %", col=2)
    figure = styled(figure, FRONTIER_HEIGHT)
    _put_legend_above(figure, HEAD)
    figure.update_layout(clickmode="event+select", dragmode=False)
    _explain_limit(figure, epsilon)
    return figure


def _add_frontier(
    figure: "Figure", points_of: Sequence[Standing], notion: str, rows: str, epsilon: float, column: int
) -> None:
    asked = [item.fit.epsilon for item in points_of if item.fit is not None]
    chosen = [value == epsilon for value in asked]
    colour = look.colour_of_model("fair")
    figure.add_scatter(
        x=[100 * item.gap(rows, notion) for item in points_of],
        y=[100 * item.accuracy[rows] for item in points_of],
        cliponaxis=False,
        mode="lines+markers" if rows == TRAINING else "markers",  # on the test rows chance decides the order
        name=look.name_of_model("fair"),
        legendgroup="fair",
        showlegend=column == 1,
        line={"color": colour, "width": 1, "dash": "dot"},
        marker={
            "color": colour,
            "size": [17 if is_chosen else 11 for is_chosen in chosen],
            "symbol": "diamond",
            "opacity": 1,
            "line": {"color": look.LIMIT, "width": [3 if is_chosen else 0 for is_chosen in chosen]},
        },
        # Streamlit marks what was clicked by fading all else; the larger dot says it already.
        selected={"marker": {"opacity": 1}},
        unselected={"marker": {"opacity": 1}},
        customdata=[[value, _frontier_hover(item, notion, rows)] for value, item in zip(asked, points_of, strict=True)],
        hovertemplate="%{customdata[1]}<extra></extra>",
        row=1,
        col=column,
    )


def _frontier_hover(item: Standing, notion: str, rows: str) -> str:
    assert item.fit is not None
    return (
        f"allowed {short_points(item.fit.epsilon)}: {points(item.gap(rows, notion))} apart<br>"
        f"{percent(item.accuracy[rows])} right, {item.n_rules} rules<br>click to choose"
    )


def _add_other(figure: "Figure", item: Standing, notion: str, rows: str, column: int) -> None:
    figure.add_scatter(
        x=[100 * item.gap(rows, notion)],
        y=[100 * item.accuracy[rows]],
        mode="markers",
        cliponaxis=False,
        name=item.name,
        legendgroup=item.model,
        showlegend=column == 1,
        marker={"color": look.colour_of_model(item.model), "size": 12, "symbol": SIGNS.get(item.model, "circle")},
        selected={"marker": {"opacity": 1}},
        unselected={"marker": {"opacity": 1}},
        hovertemplate=f"{item.name}: %{{x:.1f}} points apart<br>%{{y:.1f}} % right<extra></extra>",
        row=1,
        col=column,
    )
