"""A number with its name, and a second one below it."""

from typing import Literal

import streamlit as st


def show_metric(
    label: str, number: str, second: str | None, help_text: str, width: int | Literal["stretch"] = "stretch"
) -> None:
    st.metric(label, number, second, delta_color="off", delta_arrow="off", help=help_text, width=width)
