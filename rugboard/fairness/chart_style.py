"""What all charts of the page Fairness share: a model has its sign everywhere, a limit is a dashed line."""

from typing import TYPE_CHECKING

from rugboard.session.evaluations import TEST, TRAINING
from rugboard.shell import theme

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

TITLES = {TRAINING: "Training rows", TEST: "Test rows"}
SIGNS = {"rug": "circle", "fair": "diamond", "lightgbm": "square", "outside": "triangle-down"}
FIGURES_KEPT = 32  # of each kind; making one takes longer than all else on the page
HEAD = 84  # pixels for the legend, in two lines on a phone, title and axis


def put_legend_above(figure: "Figure", head: int) -> None:
    """Above the titles of the panels, whatever the height of the chart."""
    figure.update_layout(
        margin={"t": head}, legend={"yref": "container", "y": 1, "yanchor": "top", "x": 0, "xref": "container"}
    )


def explain_limit(figure: "Figure", name: str) -> None:
    """The dashed line, in the legend."""
    figure.add_scatter(x=[None], y=[None], mode="lines", name=name, line={"color": theme.LIMIT, "dash": "dash"})
