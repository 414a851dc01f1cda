"""The dashboard: which pages there are. What they show is in pages/.

`streamlit run app.py` reads this file twice: once to set up the server, which finds `app`, and then for every visitor.
"""

from threading import Thread

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from rugboard.shell import downloads, headers, theme
from rugboard.shell.guard import guarded


def show() -> None:
    from rugboard import features  # what they import must not keep the server from starting at once
    from rugboard.session import state

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
            st.Page("pages/new_cases.py", title="New cases", icon=":material/person_add:"),
            st.Page("pages/fairness.py", title="Fairness", icon=":material/balance:"),
            st.Page("pages/compare.py", title="Compare", icon=":material/compare_arrows:"),
            st.Page("pages/report.py", title="Report", icon=":material/description:"),
            st.Page("pages/runs.py", title="Runs", icon=":material/history:"),
        ],
        position="top",
    )
    st.set_page_config(page_title=f"{page.title} · {theme.PRODUCT}")

    features.register()
    state.follow_address(page.url_path)
    prepare()
    guarded(page.run)()


@guarded
def prepare() -> None:
    """Look after the runs from now on, also while no browser does, and take up what the address says about models."""
    from rugboard.session import adjustments, state, training

    training.runner()
    adjustments.read_address(state.run_if_any())


def look_after_runs() -> None:
    """Go on with what waits since the server last ran, before anybody visits."""
    from rugboard.session import server, training

    if any(not run.is_over for run in server.store().runs()):
        training.runner()


if get_script_run_ctx(suppress_warning=True) is None:  # nobody is visiting: this is the server
    app = st.App(__file__, routes=downloads.routes(), middleware=headers.middleware())
    Thread(target=look_after_runs, name="waiting runs", daemon=True).start()
else:
    show()
