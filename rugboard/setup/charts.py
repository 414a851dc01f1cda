"""The charts of the pages Data and Train."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rugboard.runs.records import RoundRecord
from rugboard.shell import formats, theme
from rugboard.shell.charts import BAR_HEIGHT, LONGEST_HOVER, escaped, styled
from rugcore.data_quality import Health

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

LIVE_HEIGHT = 260
AT_THE_RIGHT = 1.02  # of an axis of shares: beyond the longest bar


def objective(rounds: Sequence[RoundRecord], most_rounds: int) -> "Figure":
    """What the models cost, round by round."""
    import plotly.graph_objects as go

    figure = go.Figure()
    for model in dict.fromkeys(record.model for record in rounds):
        own = [record for record in rounds if record.model == model]
        figure.add_scatter(
            x=[record.number for record in own],
            y=[record.objective for record in own],
            name=theme.name_of_model(model),
            mode="lines+markers",
            line={"color": theme.colour_of_model(model), "width": 2.5},
            marker={"size": 6, "symbol": "circle" if model == "rug" else "diamond"},
            customdata=[record.rules for record in own],
            hovertemplate="round %{x}: cost %{y:,.4~r}<br>%{customdata} rules<extra>%{fullData.name}</extra>",
        )
        bounded = [record for record in own if record.lower_bound is not None]
        if bounded:
            figure.add_scatter(
                x=[record.number for record in bounded],
                y=[record.lower_bound for record in bounded],
                name=f"{theme.name_of_model(model)}, at least",
                mode="lines",
                line={"color": theme.colour_of_model(model), "width": 1.5, "dash": "dot"},
                hovertemplate="round %{x}: no rules cost less than %{y:,.4~r}<extra>%{fullData.name}</extra>",
            )
    last = max([record.number for record in rounds], default=1)
    figure.update_xaxes(title="round", range=[-0.4, max(last, min(most_rounds, 10)) + 0.4], dtick=_step(last))
    # What rises is said by the uppermost number: see `search_chart`.
    exact_enough = _exact_enough([record.objective for record in rounds])
    figure.update_yaxes(tickformat=exact_enough, tickprefix="cost ", showtickprefix="last")
    figure.update_layout(showlegend=True, uirevision="objective")
    return styled(figure, LIVE_HEIGHT)


def _exact_enough(costs: Sequence[float]) -> str:
    """So many digits that marks on the axis differ, however little the cost falls; four where it falls much."""
    largest = max(map(abs, costs), default=1.0)
    span = max(costs, default=1.0) - min(costs, default=0.0)
    digits = 4 if span <= 0 or largest <= 0 else max(4, math.ceil(math.log10(largest / span)) + 2)
    return f",.{digits}~r"


def _step(last: int) -> int:
    return max(round(last / 10), 1)


def base_rates(health: Health, favourable: object) -> "Figure":
    """How often each group has the favourable outcome, the largest group on top.

    The shares stand in a column at the right, where neither a bar nor the line for all rows runs through them.
    """
    import plotly.graph_objects as go

    place = health.classes.index(favourable)
    names = [group.label for group in health.groups]
    rates = [group.base_rates[place] for group in health.groups]
    total = sum(sum(group.counts) for group in health.groups)
    overall = sum(group.counts[place] for group in health.groups) / total if total else float("nan")
    lines = list(range(len(names)))  # long names may begin alike, and would be one bar
    figure = go.Figure(
        go.Bar(
            x=rates,
            y=lines,
            orientation="h",
            marker_color=[theme.colour_of_group(name, sorted(names)) for name in names],
            customdata=[
                [escaped(name, LONGEST_HOVER), f"{group.n_rows:,}"]
                for name, group in zip(names, health.groups, strict=True)
            ],
            hovertemplate="%{customdata[0]}<br>%{x:.1%} of %{customdata[1]} rows<extra></extra>",
        )
    )
    figure.add_scatter(
        x=[AT_THE_RIGHT] * len(names),
        y=lines,
        mode="text",
        text=[formats.percent(rate) for rate in rates],
        textposition="middle right",
        cliponaxis=False,
        hoverinfo="skip",
    )
    figure.add_vline(x=overall, line={"color": theme.OTHER, "dash": "dot"})
    figure.add_annotation(
        x=overall, y=1, yref="paper", yanchor="bottom", showarrow=False, text=f"all: {formats.percent(overall)}"
    )
    ticks = (0, 25, 50, 75, 100)
    figure.update_xaxes(
        range=[0, AT_THE_RIGHT + 0.2], tickvals=[tick / 100 for tick in ticks], ticktext=[f"{tick} %" for tick in ticks]
    )
    figure.update_yaxes(
        range=[len(names) - 0.5, -0.5], tickvals=lines, ticktext=[escaped(name) for name in names], showgrid=False
    )
    figure.update_layout(showlegend=False)
    return styled(figure, 90 + BAR_HEIGHT * len(names))
