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
WIDTH_OF_LETTER = 7  # pixels, of the numbers at the end of a bar


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
    longest = _write_ends(figure, names, covered.sum(axis=0), sizes)
    furthest = float((covered.sum(axis=0) / sizes).max(initial=0.0))
    figure.update_xaxes(range=[0, max(furthest, 0.001)], showticklabels=False)  # the numbers are at the bars
    figure.update_yaxes(autorange="reversed", type="category")
    styled(figure, 100 + BAR_HEIGHT * len(names))
    figure.update_layout(margin_r=WIDTH_OF_LETTER * longest)
    return figure.update_layout(barmode="stack", showlegend=True, legend_traceorder="normal")


def _write_ends(figure: "Figure", names: list[str], covered: np.ndarray, sizes: np.ndarray) -> int:
    """At the end of each bar the whole share, with its count; returns the letters of the longest."""
    longest = 0
    for name, n_covered, size in zip(names, covered.tolist(), sizes.tolist(), strict=True):
        text = f"{percent(n_covered / size)} · {n_covered:,} of {size:,}"
        longest = max(longest, len(text))
        figure.add_annotation(
            x=n_covered / size,
            y=name,
            text=text,
            showarrow=False,
            xanchor="left",
            xshift=6,
        )
    return longest
