"""The dashboard: which pages there are. What they show is in pages/."""

from pathlib import Path

import streamlit as st

# A file of our own: a named icon would be fetched from another server by every visitor's browser.
ICON = Path(__file__).with_name("ui") / "icon.svg"

st.set_page_config(page_title="RUG Dashboard", page_icon=str(ICON), layout="wide")

start = st.Page("pages/start.py", title="Start", icon=":material/play_circle:", default=True)

st.navigation([start]).run()
