"""The dashboard: which pages there are. What they show is in pages/.

`streamlit run app.py` reads this file twice: once to set up the server, which finds `app`, and then for every visitor.
"""

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from rugboard.shell import downloads, theme


def show() -> None:
    from rugboard.session import adjusted_models, state  # they have caches, which need a running server
    from rugboard.session.page import guarded

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

    state.follow_address(page.url_path)
    adjusted_models.read_address(state.run_id())
    guarded(page.run)()


if get_script_run_ctx(suppress_warning=True) is None:  # nobody is visiting: this is the server
    app = st.App(__file__, routes=downloads.routes())
else:
    show()
