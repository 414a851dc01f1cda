"""The dashboard: which pages there are. What they show is in pages/.

`streamlit run app.py` reads this file twice: once to set up the server, which finds `app`, and then for every visitor.
"""

from threading import Thread

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from rugboard.people.person import Person
from rugboard.people.sign_in import SignInError
from rugboard.shell import doorkeeper, downloads, guard, headers, server_metrics, signed_in, starting, theme
from rugboard.shell.guard import guarded


def show() -> None:
    st.set_page_config(page_title=theme.PRODUCT, page_icon=theme.ICON, layout="wide")
    st.logo(theme.LOGO, size="large")
    st.html(theme.STYLE)
    try:
        person = signed_in.person()
    except SignInError as error:
        st.navigation([st.Page("pages/start.py", title="Start", default=True)], position="hidden")
        guard.ask_to_sign_in(error)
        return
    show_page(person)


def show_page(person: Person) -> None:
    from rugboard import features  # what they import must not keep the server from starting at once
    from rugboard.session import account, state

    page = st.navigation(pages_for(person), position="top")
    st.set_page_config(page_title=f"{page.title} · {theme.PRODUCT}")
    features.register()
    guard.register_check("run", state.check_run)
    state.follow_address(page.url_path)
    account.show(person)
    prepare()
    guarded(page.run)()


def pages_for(person: Person) -> list["st.Page"]:
    pages = [
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
    ]
    if person.reads_all_reports and not person.sees_all:  # near the beginning: the last ones hide on small screens
        pages.insert(1, st.Page("pages/all_reports.py", title="All reports", icon=":material/folder_open:"))
    if person.looks_after_server:
        pages.insert(1, st.Page("pages/server.py", title="Server", icon=":material/admin_panel_settings:"))
    return pages


@guarded
def prepare() -> None:
    """Look after the runs from now on, also while no browser does, and take up what the address says about models."""
    from rugboard.session import adjustments, state, training

    training.runner()
    adjustments.read_address(state.run_if_any())


def look_after_runs() -> None:
    """Go on with what waits since the server last ran, before anybody visits."""
    from rugboard.session import server, training

    store = server.store_of_all(server.home_root())
    if settings.keep_days or any(not run.is_over for run in store.runs()):
        training.runner()


if get_script_run_ctx(suppress_warning=True) is None:  # nobody is visiting: this is the server
    settings = starting.settings_or_exit()
    starting.set_up_logs(settings)
    starting.allow_public_name(settings)
    app = st.App(
        __file__,
        secrets=starting.secrets(settings),
        routes=[*downloads.routes(), *server_metrics.routes()],
        middleware=[*headers.middleware(), *doorkeeper.middleware()],
        on_script_error=guard.on_script_error,
    )
    Thread(target=look_after_runs, name="waiting runs", daemon=True).start()
else:
    show()
