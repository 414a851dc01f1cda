"""Charts about rules."""

from typing import TYPE_CHECKING, Any

import numpy as np

from rugboard.rules.statistics import RuleStatistics
from rugboard.shell import theme
from rugboard.shell.charts import BAR_HEIGHT, escaped, styled
from rugboard.shell.formats import percent
from rugboard.shell.text import value_in_words

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

MOST_BARS = 12
ROOM_FOR_TEXT = 1.45  # the axis is longer than the longest bar by this factor, for the numbers at its end


def covered_by_group(statistics: RuleStatistics, rule: int, rows: str, favourable: Any) -> "Figure":
    """The share of each group that the rule covers, parted by outcome in the data; the largest groups on top."""
    import plotly.graph_objects as go

    counts = statistics.counts[rows]
    sizes = counts.total.sum(axis=0)
    groups = np.argsort(-sizes, kind="stable")[:MOST_BARS]
    covered, sizes = counts.covered[rule][:, groups], np.maximum(sizes[groups], 1)
    names = [escaped(statistics.people.groups[number]) for number in groups]
    figure = go.Figure()
    for place, outcome in enumerate(statistics.people.outcomes):
        figure.add_bar(
            x=covered[place] / sizes,
            y=names,
            name=escaped(value_in_words(outcome)),
            orientation="h",
            marker_color=theme.colour_of_class(outcome, statistics.people.outcomes, favourable),
            customdata=covered[place],
            hovertemplate="%{customdata:,} rows with outcome %{fullData.name}<extra>%{y}</extra>",
        )
    _write_ends(figure, names, covered.sum(axis=0), sizes)
    furthest = float((covered.sum(axis=0) / sizes).max(initial=0.0))
    figure.update_xaxes(range=[0, max(furthest, 0.001) * ROOM_FOR_TEXT], tickformat=".2~%", nticks=5)
    figure.update_yaxes(autorange="reversed", type="category")
    styled(figure, 100 + BAR_HEIGHT * len(names))
    return figure.update_layout(barmode="stack", showlegend=True, legend_traceorder="normal")


def _write_ends(figure: "Figure", names: list[str], covered: np.ndarray, sizes: np.ndarray) -> None:
    """At the end of each bar the whole share, with its count."""
    for name, n_covered, size in zip(names, covered.tolist(), sizes.tolist(), strict=True):
        figure.add_annotation(
            x=n_covered / size,
            y=name,
            text=f"{percent(n_covered / size)} · {n_covered:,} of {size:,}",
            showarrow=False,
            xanchor="left",
            xshift=6,
        )
