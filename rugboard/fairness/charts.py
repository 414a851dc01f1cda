"""The charts of the page Fairness. Dots with their intervals; a model has its colour and its sign everywhere.

A chart is made once for the same evaluations; nobody may change what comes out of here.
"""

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from rugboard.fairness.chart_style import FIGURES_KEPT, HEAD, SIGNS, TITLES, explain_limit, put_legend_above
from rugboard.fairness.words import short_points
from rugboard.session.evaluations import ROWS, TEST, TRAINING, Evaluation
from rugboard.shell import theme
from rugboard.shell.charts import escaped, styled
from rugboard.shell.formats import percent, points
from rugboard.shell.notions import NOTION_CODES, NOTION_NAMES
from rugboard.shell.text import value_in_words
from rugcore.fairness import notion_of

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

PANELS_BESIDE = 1  # one below the other: a phone has no room for two
LONGEST_TITLE, LONGEST_LINE = 44, 22  # letters; a name may take three lines
MOST_LINES = 3
LONGEST_HOVER = 80
LINE_HEIGHT = 17  # pixels for a dot
BETWEEN_LINES = 16
LOW_HEAD, PANEL_HEAD = 36, 60  # for legend, title and axis
ABOVE_THE_LINE = 0.2  # of the distance between lines, or words would look struck out


@dataclass(frozen=True)
class IntervalDot:
    """A number with its interval; a bound that is not known is left out."""

    model: str
    value: float
    lower: float
    upper: float
    hover: str


@dataclass(frozen=True)
class Panel:
    """Lines with one dot per model."""

    title: str
    lines: dict[str, list[IntervalDot]]  # by what stands beside the axis, from the top


# -- dots --------------------------------------------------------------------------------------------------


def dots(panels: Sequence[Panel], models: Sequence[str], limit: float | None = None) -> "Figure":
    """Panels below each other with the same lines; with a limit on the first line, on the same scale."""
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
        subplot_titles=[escaped(panel.title, LONGEST_TITLE) for panel in panels],
        horizontal_spacing=0.03,
        vertical_spacing=min(PANEL_HEAD / (n_rows * height + head), 0.9 / max(n_rows - 1, 1)),
    )
    for number, panel in enumerate(panels):
        place = {"row": number // n_beside + 1, "col": number % n_beside + 1}
        for position, model in enumerate(models):
            shift = (position - (len(models) - 1) / 2) * LINE_HEIGHT / _line_height(len(models))
            _add_dots(figure, panel, model, shift, is_first=number == 0, place=place)
        blank = _blank_lines(panel)
        _say_what_is_not_known(figure, blank, place)
        if limit is not None and 0 not in blank:
            _add_limit(figure, limit, place)
    if limit is not None:
        explain_limit(figure, f"allowed: {points(limit)}")
    names = [in_few_lines(name) for name in panels[0].lines]
    figure.update_yaxes(tickvals=list(range(len(names))), ticktext=names, range=[len(names) - 0.5, -0.5])
    figure.update_xaxes(ticksuffix=" %" if limit is None else "", rangemode="tozero")
    figure = styled(figure, head + n_rows * height + (n_rows - 1) * PANEL_HEAD)
    put_legend_above(figure, head)
    return figure


def in_few_lines(name: str) -> str:
    """A long name beside the axis: broken at a space rather than cut."""
    lines = textwrap.wrap(" ".join(name.split()), LONGEST_LINE) or [""]
    shown = lines if len(lines) <= MOST_LINES else [*lines[: MOST_LINES - 1], " ".join(lines[MOST_LINES - 1 :])]
    return "<br>".join(escaped(line, LONGEST_LINE) for line in shown)


def _add_limit(figure: "Figure", limit: float, place: dict[str, int]) -> None:
    """On the first line alone: the other readings were not asked for."""
    line = {"color": theme.LIMIT, "dash": "dash", "width": 1.5}
    figure.add_shape(type="line", x0=100 * limit, x1=100 * limit, y0=-0.5, y1=0.5, line=line, **place)


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
        name=theme.name_of_model(model),
        legendgroup=model,
        showlegend=is_first,
        marker={"color": theme.colour_of_model(model), "size": 10, "symbol": SIGNS.get(model, "circle")},
        customdata=[dot.hover for _, dot in found],
        hovertemplate="%{customdata}<extra></extra>",
        **place,
    )


def _blank_lines(panel: Panel) -> list[int]:
    """The lines without a dot."""
    return [number for number, line in enumerate(panel.lines.values()) if all(dot.value != dot.value for dot in line)]


def _say_what_is_not_known(figure: "Figure", blank: Sequence[int], place: dict[str, int]) -> None:
    """A line without a dot must not look like a rate of nothing."""
    figure.add_scatter(
        x=[0] * len(blank),
        y=[number - ABOVE_THE_LINE for number in blank],
        mode="text",
        text="not estimable: too few people",
        textposition="middle right",
        hoverinfo="skip",
        showlegend=False,
        **place,
    )


def _reach(length: float) -> float:
    return 100 * length if length == length else 0.0


# -- what is shown as dots ---------------------------------------------------------------------------------


@lru_cache(maxsize=FIGURES_KEPT)
def gaps(evaluations: tuple[Evaluation, ...], epsilon: float, notion: str) -> "Figure":
    """The gap of every notion, the one that was asked for on top, on training rows and on test rows."""
    order = [notion, *(other for other in NOTION_CODES if other != notion)]
    shown = [name for name in order if name in evaluations[0].gaps[TEST]]
    panels = [
        Panel(
            TITLES[rows],
            {NOTION_NAMES[name]: [_gap_dot(item, rows, name) for item in evaluations] for name in shown},
        )
        for rows in (TEST, TRAINING)
    ]
    figure = dots(panels, [item.model for item in evaluations], limit=epsilon)
    figure.update_xaxes(title="points between two groups", row=len(panels))
    return figure


def has_gaps(evaluations: Sequence[Evaluation]) -> bool:
    """Whether there is anything to draw."""
    lines = (line for item in evaluations for rows in ROWS for line in item.gaps[rows].values())
    return any(line["gap"] == line["gap"] for line in lines)


def _gap_dot(item: Evaluation, rows: str, notion: str) -> IntervalDot:
    line = item.gaps[rows][notion]
    nothing = float("nan")
    # On the training rows a gap is what it is: there is no more to know about these rows.
    lower, upper = (line["lower"], line["upper"]) if rows == TEST else (nothing, nothing)
    hover, verb = f"{item.name}: {points(line['gap'])}", notion_of(notion).verb
    if line["worse_group"] is not None:
        for side in ("worse", "better"):
            count = f"{line[f'{side}_wrong']:,} of {line[f'{side}_n']:,}"
            who = escaped(line[f"{side}_group"], LONGEST_HOVER)
            hover += f"<br>{who}: {percent(line[f'{side}_error'])} {verb} ({count})"
    if lower == lower:
        hover += f"<br>95 % interval {short_points(lower)} to {short_points(upper)}"
    return IntervalDot(item.model, line["gap"], lower, upper, hover)


@lru_cache(maxsize=FIGURES_KEPT)
def error_rates(evaluations: tuple[Evaluation, ...], rows: str, order: tuple[str, ...]) -> "Figure":
    """How often each group is decided wrongly, one panel per outcome."""
    tables = {item.model: item.rates[rows] for item in evaluations}
    index = evaluations[0].audits[rows].rates.index
    shown = [group for group in order if group in index.unique("group")]
    panels = [
        Panel(
            f"True outcome: {value_in_words(label)}",
            {
                group: [_rate_dot(model, group, table[label, group], rows) for model, table in tables.items()]
                for group in shown
            },
        )
        for label in index.unique("class")
    ]
    figure = dots(panels, [item.model for item in evaluations])
    figure.update_xaxes(title="decided wrongly", row=len(panels))  # under a panel above, it would lie on a title
    return figure


def _rate_dot(model: str, group: str, line: Mapping[str, Any], rows: str) -> IntervalDot:
    hover = (
        f"{theme.name_of_model(model)}, {escaped(group, LONGEST_HOVER)}<br>{line['errors']:,} of {line['n']:,} "
        f"decided wrongly: {percent(line['rate'])}"
    )
    return _dot(model, line["rate"], (line["lower"], line["upper"]), rows, hover)


def _dot(model: str, value: float, bounds: tuple[float, float], rows: str, hover: str) -> IntervalDot:
    """Training rows are counted in full, so that there is no interval around what they say."""
    if rows == TRAINING:
        return IntervalDot(model, value, float("nan"), float("nan"), hover)
    lower, upper = bounds
    return IntervalDot(model, value, lower, upper, f"{hover}<br>95 % interval {percent(lower)} to {percent(upper)}")


@lru_cache(maxsize=FIGURES_KEPT)
def selection_rates(evaluations: tuple[Evaluation, ...], rows: str, order: tuple[str, ...]) -> "Figure":
    """How often each group gets the favourable decision."""
    tables = {item.model: item.groups[rows] for item in evaluations}
    shown = [group for group in order if group in evaluations[0].groups[rows]]
    lines = {
        group: [_selection_dot(model, group, table[group], rows) for model, table in tables.items()] for group in shown
    }
    figure = dots([Panel("", lines)], [item.model for item in evaluations])
    figure.update_xaxes(title="decided favourably")
    return figure


def _selection_dot(model: str, group: str, line: Mapping[str, Any], rows: str) -> IntervalDot:
    rate, lower, upper = (line[f"selection_rate{end}"] for end in ("", "_lower", "_upper"))
    who = f"{theme.name_of_model(model)}, {escaped(group, LONGEST_HOVER)}"
    hover = f"{who}<br>{line['n_selected']:,} of {line['n']:,} decided favourably: {percent(rate)}"
    return _dot(model, rate, (lower, upper), rows, hover)
