"""Right decisions against the number of rules, one point per setting that was tried."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rugboard.setup.search_words import accuracy_in_words, rules_in_words, setting_name
from rugboard.shell import theme
from rugboard.shell.charts import escaped, styled
from rugboard.shell.formats import percent
from rugcore.selection import SettingsCurve, SettingsPoint

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

HEIGHT = 340
LEAST_RULES = 0.5  # where no rule at all stands: there is no 0 on a logarithmic axis
BEYOND = 1.15  # a line from end to end goes a little further than the points: of one point, too
TICKS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)


def settings_curve(curve: SettingsCurve, chosen: SettingsPoint, most_common: str) -> "Figure":
    """All settings, a line through those that no shorter one matches, and the chosen one."""
    import plotly.graph_objects as go

    colour = theme.colour_of_model("rug")
    figure = go.Figure()
    _add(figure, curve.points, "tried", {"color": theme.OTHER, "size": 9, "symbol": "circle-open"}, "markers")
    front = without_shorter_match(curve.points)
    _add(figure, front, "nothing shorter is as good", {"color": colour, "size": 9}, "lines+markers")
    so_far = "" if curve.is_complete else " so far"
    name = f"recommended{so_far}" if chosen is curve.recommended else "your choice"
    _add(figure, [chosen], name, {"color": theme.colour_of_model("fair"), "size": 17, "symbol": "star"}, "markers")
    _add_baseline(figure, chosen.baseline, most_common, curve.points)
    figure.update_xaxes(
        type="log", title="rules to read (logarithmic)", tickvals=TICKS, ticktext=[f"{tick:,}" for tick in TICKS]
    )
    # The numbers say it: plotly cannot place a title turned on its side ("rotate(-90,Infinity,...)") if the page takes
    # the chart away while it is drawn, and above the chart stands the legend.
    figure.update_yaxes(ticksuffix=" % right")
    figure.update_layout(showlegend=True, clickmode="event+select")
    return styled(figure, HEIGHT)


def without_shorter_match(points: Sequence[SettingsPoint]) -> list[SettingsPoint]:
    """From the fewest rules on, only what is more accurate than all before it."""
    front: list[SettingsPoint] = []
    for point in sorted(points, key=lambda point: (point.n_rules, -point.accuracy)):
        if not front or point.accuracy > front[-1].accuracy:
            front.append(point)
    return front


def _add(figure: "Figure", points: Sequence[SettingsPoint], name: str, marker: dict[str, object], mode: str) -> None:
    figure.add_scatter(
        x=[max(point.n_rules, LEAST_RULES) for point in points],
        y=[100 * point.accuracy for point in points],
        mode=mode,
        name=name,
        marker=marker,
        line={"color": marker["color"], "width": 2},
        cliponaxis=False,
        customdata=[[point.depth, point.penalty] for point in points],
        text=[
            f"{setting_name(point)}<br>{accuracy_in_words(point)} right<br>{rules_in_words(point)}" for point in points
        ],
        hovertemplate="%{text}<extra></extra>",
        # A click fades what was not clicked, which would look like a result.
        selected={"marker": {"opacity": 1}},
        unselected={"marker": {"opacity": 1}},
    )


def _add_baseline(figure: "Figure", baseline: float, most_common: str, points: Sequence[SettingsPoint]) -> None:
    """A line as long as the others; its words stand in the legend, where no point lies behind them."""
    numbers = [max(point.n_rules, LEAST_RULES) for point in points]
    ends = [min(numbers) / BEYOND, max(numbers) * BEYOND]
    figure.add_scatter(
        x=ends,
        y=[100 * baseline] * 2,
        mode="lines",
        name=f"always {escaped(most_common)}: {percent(baseline)}",
        line={"color": theme.OTHER, "dash": "dot", "width": 1.5},
        hoverinfo="skip",
    )
