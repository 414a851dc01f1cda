"""Charts about chances: who is ranked before whom, and whether the chances hold."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from rugboard.compare.chances import ModelChances
from rugboard.compare.charts import SIGNS, colour_of
from rugboard.shell import theme
from rugboard.shell.charts import escaped, styled
from rugboard.shell.formats import percent
from rugboard.shell.theme import name_of_model

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

ROC_HEIGHT = 400
BINS_HEIGHT = 320
MOST_POINTS = 500  # of a curve
DASHES = {"rug": "solid", "fair": "dash", "lightgbm": "dot", "outside": "dashdot"}
LONGEST_IN_TITLE = 14  # letters of an outcome in the title of an axis, so that it fits a phone
FIFTHS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
BELOW = -0.07  # where the numbers of people stand, below the lowest share


def roc(found: Sequence[ModelChances], cut_off: int, favourable: str, other: str) -> "Figure":
    """One line per model; a sign where the cut-off stands."""
    import plotly.graph_objects as go

    figure = go.Figure()
    figure.add_scatter(
        x=[0, 1], y=[0, 1], mode="lines", name="by chance", hoverinfo="skip",
        line={"color": theme.OTHER, "width": 1.5, "dash": "dot"},
    )  # fmt: skip
    for item in found:
        _add_roc(figure, item, cut_off)
    good, bad = escaped(favourable, LONGEST_IN_TITLE), escaped(other, LONGEST_IN_TITLE)
    n_good, n_all = int(found[0].has_happened.sum()), len(found[0].has_happened)
    figure.update_xaxes(title=f"of {n_all - n_good:,} {bad}: decided {good}", tickformat=".0%", range=[-0.02, 1.02])
    figure.update_yaxes(title=f"of {n_good:,} {good}: decided {good}", tickformat=".0%", range=[-0.02, 1.04])
    figure.update_layout(showlegend=True)
    return styled(figure, ROC_HEIGHT)


def _add_roc(figure: "Figure", item: ModelChances, cut_off: int) -> None:
    colour, name = colour_of(item.model), name_of_model(item.model)
    wrongly, rightly = (thinned(shares) for shares in item.roc)
    figure.add_scatter(
        x=wrongly, y=rightly, mode="lines", name=f"{name}: AUC {item.auc:.3f}", hoverinfo="skip",
        line={"color": colour, "width": 2.5, "dash": DASHES.get(item.model, "solid")}, legendgroup=item.model,
    )  # fmt: skip
    is_favoured = item.is_favoured(cut_off)
    figure.add_scatter(
        x=[is_favoured[~item.has_happened].mean()], y=[is_favoured[item.has_happened].mean()],
        mode="markers", name=name, showlegend=False, legendgroup=item.model, cliponaxis=False,
        marker={"color": colour, "size": 13, "symbol": SIGNS.get(item.model, "circle")},
        hovertemplate=f"{name} at this cut-off<br>%{{y:.1%}} against %{{x:.1%}}<extra></extra>",
    )  # fmt: skip


def thinned(values: np.ndarray) -> np.ndarray:
    """No more points than an eye can tell apart, the ends among them."""
    places = np.unique(np.linspace(0, len(values) - 1, MOST_POINTS).astype(int))
    return values[places]


def calibration(item: ModelChances, favourable: str) -> "Figure":
    """A dot for every tenth of the chances, with its interval; how many people stand behind it is written below."""
    import plotly.graph_objects as go

    bins, colour = item.bins, colour_of(item.model)
    intervals = [one.interval for one in bins]
    figure = go.Figure()
    figure.add_scatter(
        x=[0, 1], y=[0, 1], mode="lines", hoverinfo="skip", line={"color": theme.OTHER, "width": 1.5, "dash": "dot"}
    )
    figure.add_scatter(
        x=[one.said for one in bins],
        y=[one.share for one in bins],
        mode="lines+markers",
        cliponaxis=False,
        line={"color": colour, "width": 1},
        marker={"color": colour, "size": 10, "symbol": SIGNS.get(item.model, "circle")},
        error_y={
            "type": "data",
            "symmetric": False,
            "array": [high - one.share for one, (_, high) in zip(bins, intervals, strict=True)],
            "arrayminus": [one.share - low for one, (low, _) in zip(bins, intervals, strict=True)],
            "width": 3,
            "thickness": 1.2,
        },
        customdata=[f"{one.n_happened:,} of {one.n:,} ({percent(one.share)})" for one in bins],
        hovertemplate="%{customdata}<br>chance %{x:.1%} on average<extra></extra>",
    )
    figure.add_scatter(
        x=[(one.low + one.high) / 2 for one in bins],
        y=[BELOW] * len(bins),
        mode="text",
        text=[f"{one.n:,}" for one in bins],
        textfont={"size": 11},
        hoverinfo="skip",
    )
    good = escaped(favourable, 20)
    figure.update_xaxes(title=f"chance of {good}", tickformat=".0%", range=[-0.01, 1.03], tickvals=FIFTHS)
    figure.update_yaxes(
        title=f"in fact {good}",
        range=[2 * BELOW, 1.04],
        tickvals=[BELOW, *FIFTHS],
        ticktext=["people", *(f"{share:.0%}" for share in FIFTHS)],
    )
    figure.update_layout(showlegend=False)
    return styled(figure, BINS_HEIGHT)
