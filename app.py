"""The dashboard: which pages there are. What they show is in pages/."""

import streamlit as st

from rugboard import features
from rugboard.session import adjustments, state, training
from rugboard.shell import theme
from rugboard.shell.guard import guarded

st.set_page_config(page_title=theme.PRODUCT, page_icon=theme.ICON, layout="wide")
st.logo(theme.LOGO, size="large")
st.html(theme.STYLE)

page = st.navigation(
    [
        st.Page("pages/start.py", title="Start", icon=":material/home:", default=True),
        st.Page("pages/data.py", title="Data", icon=":material/table:"),
        st.Page("pages/train.py", title="Train", icon=":material/model_training:"),
        st.Page("pages/rules.py", title="Rules", icon=":material/rule:"),
        st.Page("pages/applicants.py", title="Applicants", icon=":material/person_search:"),
        st.Page("pages/fairness.py", title="Fairness", icon=":material/balance:"),
        st.Page("pages/compare.py", title="Compare", icon=":material/compare_arrows:"),
    ],
    position="top",
)
st.set_page_config(page_title=f"{page.title} · {theme.PRODUCT}")


@guarded
def prepare() -> None:
    """Look after the runs from now on, also while no browser does, and take up what the address says about models."""
    training.runner()
    adjustments.read_address(state.run_if_any())


features.register()
state.follow_address(page.url_path)
prepare()
guarded(page.run)()
