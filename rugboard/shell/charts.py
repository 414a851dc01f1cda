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
QUIET = "rgba(120,120,120,0.9)"  # a button on either background


def styled(figure: "Figure", height: int) -> "Figure":
    """The style of all charts: quiet, no wasted margins, the legend above, labels never cut off."""
    figure.update_layout(
        height=height,
        margin={"l": 8, "r": 16, "t": 28, "b": 8},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        legend={"orientation": "h", "x": 0, "y": 1.0, "yanchor": "bottom", "title": None},
        hoverlabel={"align": "left"},
        modebar={"bgcolor": "rgba(0,0,0,0)", "color": QUIET, "activecolor": QUIET},
        bargap=0.35,
        separators=".,",
    )
    figure.update_xaxes(automargin=True, zeroline=False)
    figure.update_yaxes(automargin=True, zeroline=False)
    return figure


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
