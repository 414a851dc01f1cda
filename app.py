"""The dashboard: which pages there are. What they show is in pages/."""

import streamlit as st

from ui import look, resolved, state
from ui.page import guarded

st.set_page_config(page_title=look.PRODUCT, page_icon=look.ICON, layout="wide")
st.logo(look.LOGO, size="large")
st.html(look.STYLE)

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
st.set_page_config(page_title=f"{page.title} · {look.PRODUCT}")

state.follow_address(page.url_path)
resolved.read_address(state.run_id())
guarded(page.run)()
