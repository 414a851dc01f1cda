"""Charts: their common style.

Backgrounds and letters take the colours of the visitor's theme, light or dark; what a colour means is in `theme`.
"""

import html
from typing import TYPE_CHECKING, Any

import streamlit as st

from rugboard.shell.text import brief

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

BAR_HEIGHT = 34
LONGEST_LABEL = 28  # letters on an axis
LONGEST_HOVER = 80


def styled(figure: "Figure", height: int) -> "Figure":
    """The style of all charts: quiet, no wasted margins, the legend above, labels never cut off."""
    figure.update_layout(
        height=height,
        margin={"l": 8, "r": 16, "t": 28, "b": 8},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        legend={"orientation": "h", "x": 0, "y": 1.0, "yanchor": "bottom", "title": None},
        hoverlabel={"align": "left"},
        bargap=0.35,
        separators=".,",
    )
    figure.update_xaxes(automargin=True, zeroline=False)
    figure.update_yaxes(automargin=True, zeroline=False)
    return figure


def say_what_rises(figure: "Figure", text: str) -> None:
    """What the vertical axis shows, above its chart at the right: for charts that are drawn again and again.

    A title beside the axis is turned on its side, and plotly cannot place it ("rotate(-90,Infinity,...)") if the page
    has taken the chart away while it is still being drawn.
    """
    figure.add_annotation(
        text=text, showarrow=False, xref="paper", x=1, xanchor="right", yref="paper", y=1, yanchor="bottom"
    )


def show(figure: "Figure", key: str, alt: str, **options: Any) -> Any:
    """A chart with one button: to save it as a picture."""
    config = {
        "displaylogo": False,
        "modeBarButtons": [["toImage"]],
        "toImageButtonOptions": {"format": "svg", "filename": key},
    }
    return st.plotly_chart(figure, key=key, alt=alt, config=config, **options)


def escaped(text: object, longest: int = LONGEST_LABEL) -> str:
    """A name from a data file as a label: plotly would take <b> or <a> for a command."""
    return html.escape(brief(text, longest), quote=False)
