"""The chart of the frontier: accuracy against gap, and which of its points are beaten by another one.

A chart is made once for the same evaluations; nobody may change what comes out of here.
"""

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from rugboard.fairness.chart_style import FIGURES_KEPT, HEAD, SIGNS, TITLES, explain_limit, put_legend_above
from rugboard.fairness.words import short_points
from rugboard.runs.plan import FAIR, RUG
from rugboard.session.evaluations import TEST, TRAINING, Evaluation
from rugboard.shell import theme
from rugboard.shell.charts import styled
from rugboard.shell.formats import percent, points
from rugcore.comparison import FairAlternative

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

HEIGHT = 640
MORE_LEGEND = 110  # pixels, where fairlearn is beside
THIRD_LINE = 28  # pixels: the legend has one more line on a phone than that of other charts
LEARNER_COLOURS = {"logistic regression": "logistic", "decision tree": "tree"}
METHOD_SIGNS = {"ExponentiatedGradient": "triangle-up", "ThresholdOptimizer": "x"}
PANELS = (TEST, TRAINING)
FAINT = 0.35  # of the colour of a point that is beaten
SAME = 1e-9  # shares that differ by less are equal but for rounding
LEAST_SPAN = 0.01  # of the accuracy axis, or a handful of people would look like a mountain
MARGIN = 0.12  # of the axis, above and below the points


# -- which point is beaten ---------------------------------------------------------------------------------


def beats(other: Evaluation, item: Evaluation, notion: str, rows: str = TRAINING) -> bool:
    """At least as close and as accurate, and one of them more so."""
    closer = item.gap(rows, notion) - other.gap(rows, notion)
    better = other.accuracy[rows] - item.accuracy[rows]
    return min(closer, better) >= -SAME and max(closer, better) > SAME


def beaten_by(item: Evaluation, points_of: Sequence[Evaluation], notion: str) -> Evaluation | None:
    """On the training rows: the most accurate of the points that beat this one, if any does."""
    better = [other for other in points_of if beats(other, item, notion)]
    return max(better, key=lambda other: other.accuracy[TRAINING], default=None)


def _limit_of(item: Evaluation) -> float:
    return item.fair_fit.epsilon


def coinciding(item: Evaluation, points_of: Sequence[Evaluation], notion: str, rows: str) -> list[float]:
    """The limits of all points that lie where this one lies."""
    return [_limit_of(other) for other in points_of if _is_at_the_same_place(item, other, notion, rows)]


def _is_at_the_same_place(item: Evaluation, other: Evaluation, notion: str, rows: str) -> bool:
    is_as_accurate = abs(item.accuracy[rows] - other.accuracy[rows]) < SAME
    return is_as_accurate and abs(item.gap(rows, notion) - other.gap(rows, notion)) < SAME


# -- the chart ---------------------------------------------------------------------------------------------


@lru_cache(maxsize=FIGURES_KEPT)
def frontier(
    points_of: tuple[Evaluation, ...],
    others: tuple[Evaluation, ...],
    notion: str,
    epsilon: float,
    alternatives: tuple[FairAlternative, ...] = (),
) -> "Figure":
    """Accuracy against gap, one dot per epsilon; other models are single dots. A click on a dot tells its epsilon.

    Alternatives of fairlearn are lines of their own.
    """
    from plotly.subplots import make_subplots

    # One below the other, test rows first: a phone has no room for two beside each other.
    figure = make_subplots(
        rows=len(PANELS),
        cols=1,
        subplot_titles=[f"{TITLES[rows]}, right decisions" for rows in PANELS],
        vertical_spacing=0.13,
    )
    for panel, rows in enumerate(PANELS, start=1):
        own = [*points_of, *(item for item in others if item.model == RUG)]
        bounds = _span([item.accuracy[rows] for item in own] + [_accuracy(item, rows) for item in alternatives])
        _add_alternatives(figure, alternatives, rows, panel)
        _add_others(figure, others, notion, rows, bounds, panel)
        if rows == TRAINING:  # on the test rows chance decides the order
            _join_unbeaten(figure, points_of, notion, panel)
        _add_points(figure, points_of, notion, rows, epsilon, panel)  # last, or another model could hide them
        if _is_empty((*points_of, *others), notion, rows):
            _say_why_empty(figure, panel)
        else:
            line = {"color": theme.LIMIT, "dash": "dash", "width": 1.5}
            figure.add_vline(x=100 * epsilon, line=line, row=panel, col=1)
        figure.update_yaxes(ticksuffix=" %", range=[100 * bound for bound in bounds], row=panel)
    figure.update_xaxes(rangemode="tozero")
    figure.update_xaxes(title="largest gap, in points", row=len(PANELS))
    more = THIRD_LINE + (MORE_LEGEND if alternatives else 0)
    figure = styled(figure, HEIGHT + more)
    put_legend_above(figure, HEAD + more)
    figure.update_layout(clickmode="event+select", dragmode=False)
    _explain_signs(figure, points_of, notion, epsilon)
    return figure


def _span(found: Sequence[float]) -> tuple[float, float]:
    """The part of the accuracy axis that the rules need; LightGBM must not squeeze them into a line."""
    middle, half = (max(found) + min(found)) / 2, max(max(found) - min(found), LEAST_SPAN) / 2
    return middle - half * (1 + 2 * MARGIN), middle + half * (1 + 2 * MARGIN)


def _accuracy(item: FairAlternative, rows: str) -> float:
    return item.test_accuracy if rows == TEST else item.training_accuracy


def _gap(item: FairAlternative, rows: str) -> float:
    return item.test_gap if rows == TEST else item.training_gap


def _add_alternatives(figure: "Figure", alternatives: Sequence[FairAlternative], rows: str, panel: int) -> None:
    """A line per method and learner, through its points in the order of what was allowed."""
    for method, learner in dict.fromkeys((item.method, item.learner) for item in alternatives):
        own = [item for item in alternatives if (item.method, item.learner) == (method, learner)]
        colour = theme.colour_of_model(LEARNER_COLOURS[learner])
        figure.add_scatter(
            x=[100 * _gap(item, rows) for item in own],
            y=[100 * _accuracy(item, rows) for item in own],
            mode="lines+markers",
            cliponaxis=False,
            name=f"{method}, {learner}",
            legendgroup=f"{method}, {learner}",
            showlegend=panel == 1,
            line={"color": colour, "width": 1},
            marker={"color": colour, "size": 9, "symbol": METHOD_SIGNS[method]},
            selected={"marker": {"opacity": 1}},
            unselected={"marker": {"opacity": 1}},
            hovertemplate=f"{method}, {learner}<br>%{{x:.1f}} points apart, %{{y:.1f}} % right<extra></extra>",
            row=panel,
            col=1,
        )


def _add_points(
    figure: "Figure", points_of: Sequence[Evaluation], notion: str, rows: str, epsilon: float, panel: int
) -> None:
    chosen = [_limit_of(item) == epsilon for item in points_of]
    figure.add_scatter(
        x=[100 * item.gap(rows, notion) for item in points_of],
        y=[100 * item.accuracy[rows] for item in points_of],
        cliponaxis=False,
        mode="markers",
        name=theme.name_of_model(FAIR),
        legendgroup=FAIR,
        showlegend=False,  # its first point may be a faint one
        marker={
            "color": [_colour(_clearness(item, points_of, notion, rows, epsilon)) for item in points_of],
            "size": [17 if is_chosen else 11 for is_chosen in chosen],
            "symbol": SIGNS[FAIR],
            "opacity": 1,
            "line": {"color": theme.LIMIT, "width": [3 if is_chosen else 0 for is_chosen in chosen]},
        },
        # Streamlit marks what was clicked by fading all else; the larger dot says it already.
        selected={"marker": {"opacity": 1}},
        unselected={"marker": {"opacity": 1}},
        customdata=[[_limit_of(item), _hover(item, points_of, notion, rows)] for item in points_of],
        hovertemplate="%{customdata[1]}<extra></extra>",
        row=panel,
        col=1,
    )


def _clearness(item: Evaluation, points_of: Sequence[Evaluation], notion: str, rows: str, epsilon: float) -> float:
    """Of points at one place only one is seen, if possible the chosen one: faint ones would add up to a clear one."""
    limits = coinciding(item, points_of, notion, rows)
    if limits and _limit_of(item) != (epsilon if epsilon in limits else limits[0]):
        return 0
    return FAINT if beaten_by(item, points_of, notion) else 1


def _colour(opacity: float) -> str:
    """Of FairRUG, more or less clear: Streamlit would undo an opacity of its own at every click."""
    colour = theme.colour_of_model(FAIR)
    red, green, blue = (int(colour[place : place + 2], 16) for place in (1, 3, 5))
    return f"rgba({red},{green},{blue},{opacity})"


def _hover(item: Evaluation, points_of: Sequence[Evaluation], notion: str, rows: str) -> str:
    limits = " or ".join(short_points(epsilon) for epsilon in coinciding(item, points_of, notion, rows))
    beaten = "<br>another point is closer and more accurate" if beaten_by(item, points_of, notion) else ""
    return (
        f"allowed {limits or short_points(_limit_of(item))}: {points(item.gap(rows, notion))} apart<br>"
        f"{percent(item.accuracy[rows])} right, {item.n_rules} rules{beaten}<br>click to choose"
    )


def _join_unbeaten(figure: "Figure", points_of: Sequence[Evaluation], notion: str, panel: int) -> None:
    best = [item for item in points_of if beaten_by(item, points_of, notion) is None]
    best.sort(key=lambda item: item.gap(TRAINING, notion))
    figure.add_scatter(
        x=[100 * item.gap(TRAINING, notion) for item in best],
        y=[100 * item.accuracy[TRAINING] for item in best],
        mode="lines",
        line={"color": _colour(1), "width": 1, "dash": "dot"},
        hoverinfo="skip",
        showlegend=False,
        row=panel,
        col=1,
    )


def _add_others(
    figure: "Figure", others: Sequence[Evaluation], notion: str, rows: str, bounds: tuple[float, float], panel: int
) -> None:
    """Models of their own; one that is off the scale is told, with an arrow."""
    off: list[str] = []
    for item in others:
        if bounds[0] <= item.accuracy[rows] <= bounds[1]:
            _add_other(figure, item, notion, rows, panel)
        else:
            arrow = "↑" if item.accuracy[rows] > bounds[1] else "↓"
            gap = points(item.gap(rows, notion))
            off.append(f"{arrow} {item.name}, off the scale: {percent(item.accuracy[rows])}, {gap} apart")
    if off:
        figure.add_annotation(
            text="<br>".join(off), x=1, y=1, xref="x domain", yref="y domain", xanchor="right", yanchor="top",
            showarrow=False, row=panel, col=1,
        )  # fmt: skip


def _add_other(figure: "Figure", item: Evaluation, notion: str, rows: str, panel: int) -> None:
    is_named = any(trace.name == item.name for trace in figure.data)
    figure.add_scatter(
        x=[100 * item.gap(rows, notion)],
        y=[100 * item.accuracy[rows]],
        mode="markers",
        cliponaxis=False,
        name=item.name,
        legendgroup=item.model,
        showlegend=not is_named,
        marker={"color": theme.colour_of_model(item.model), "size": 14, "symbol": SIGNS.get(item.model, "circle")},
        selected={"marker": {"opacity": 1}},
        unselected={"marker": {"opacity": 1}},
        hovertemplate=f"{item.name}: %{{x:.1f}} points apart<br>%{{y:.1f}} % right<extra></extra>",
        row=panel,
        col=1,
    )


def _is_empty(items: Sequence[Evaluation], notion: str, rows: str) -> bool:
    return all(math.isnan(item.gap(rows, notion)) for item in items)


def _say_why_empty(figure: "Figure", panel: int) -> None:
    figure.add_annotation(
        text="No gap can be measured here:<br>no two groups are large enough.", x=0.5, y=0.5, xref="x domain",
        yref="y domain", showarrow=False, row=panel, col=1,
    )  # fmt: skip


def _explain_signs(figure: "Figure", points_of: Sequence[Evaluation], notion: str, epsilon: float) -> None:
    """What outline, faintness and the dashed line mean, in the legend."""
    sign = {"symbol": SIGNS[FAIR], "size": 11}
    chosen = sign | {"color": _colour(1), "line": {"color": theme.LIMIT, "width": 3}}
    signs = {theme.name_of_model(FAIR): sign | {"color": _colour(1)}, "shown here": chosen}
    if any(beaten_by(item, points_of, notion) for item in points_of):
        signs["beaten by another"] = sign | {"color": _colour(FAINT)}
    for name, marker in signs.items():
        figure.add_scatter(x=[None], y=[None], mode="markers", name=name, marker=marker, hoverinfo="skip")
    explain_limit(figure, f"allowed: {points(epsilon)}")


# -- in words ----------------------------------------------------------------------------------------------


def spread(points_of: Sequence[Evaluation]) -> str:
    """How much the height of the points is worth, in people."""
    return " ".join(_spread_on(points_of, rows) for rows in PANELS)


def _spread_on(points_of: Sequence[Evaluation], rows: str) -> str:
    found, n_rows = [item.accuracy[rows] for item in points_of], points_of[0].n_rows[rows]
    n_people = round((max(found) - min(found)) * n_rows)
    if not n_people:
        return f"On the {rows} rows all points are right equally often."
    between = f"from {100 * min(found):.1f} to {percent(max(found))}"
    return f"On the {rows} rows the points lie {between}, {n_people:,} of {n_rows:,} people apart."


def better_choice(points_of: Sequence[Evaluation], notion: str, epsilon: float) -> str:
    """Whether another limit would have been closer and more accurate than the one shown, on the training rows."""
    chosen = next((item for item in points_of if _limit_of(item) == epsilon), None)
    better = None if chosen is None else beaten_by(chosen, points_of, notion)
    if chosen is None or better is None:
        return ""
    return (
        f"The model shown is beaten on the training rows: a limit of {points(_limit_of(better))} leaves "
        f"{points(better.gap(TRAINING, notion))} with {percent(better.accuracy[TRAINING])} right, against "
        f"{points(chosen.gap(TRAINING, notion))} with {percent(chosen.accuracy[TRAINING])}."
    )


def hides_points(points_of: Sequence[Evaluation], notion: str) -> bool:
    """Whether some lie on top of each other, so that a click reaches only one of them."""
    return any(len(coinciding(item, points_of, notion, TRAINING)) > 1 for item in points_of)
