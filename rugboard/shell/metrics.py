"""A number with its name, and a second one below it."""

import streamlit as st


def show_metric(label: str, number: str, second: str | None, help_text: str) -> None:
    st.metric(label, number, second, delta_color="off", delta_arrow="off", help=help_text)
