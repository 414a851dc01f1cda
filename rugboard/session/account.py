"""The line at the top that says who is signed in, with a way to sign out, and what the server has to tell them."""

import time

import streamlit as st

from rugboard.people.person import Person
from rugboard.people.settings import OperatorSettings
from rugboard.runs.records import Run
from rugboard.runs.snapshots import A_DAY
from rugboard.session.server import store
from rugboard.shell.formats import counted
from rugboard.shell.guard import guarded
from rugboard.shell.text import listed, plain

DAYS_AHEAD = 7  # how early somebody is told that a run will go


@guarded
def show(person: Person) -> None:
    """Where nobody signs in, only what the server has to tell."""
    if not person.sees_all:
        show_person(person)
    show_notices()


def show_person(person: Person) -> None:
    with st.container(horizontal=True, horizontal_alignment="right", vertical_alignment="center", key="account"):
        words = [person.name, person.role.value, ", ".join(sorted(person.teams))]
        st.caption(" · ".join(plain(word) for word in words if word), width="content")
        st.button("Sign out", key="sign_out", type="tertiary", icon=":material/logout:", on_click=st.logout)


def show_notices() -> None:
    """What became of runs, and what will."""
    own = store()
    notices = own.notices()
    if notices:
        with st.container(border=True, key="notices"):
            for notice in notices:
                st.markdown(f":material/info: {plain(notice)}")
            st.button("I have read this", key="notices_read", on_click=own.notices_read)
    keep_days = OperatorSettings.current().keep_days
    going = going_soon([run for run in own.runs() if own.may_change(run)], keep_days) if keep_days else []
    if going:
        names = listed([run.name for run in going])
        st.caption(
            f":material/auto_delete: {counted(len(going), 'run')} of yours will be deleted within {DAYS_AHEAD} days, "
            f"because this server keeps runs for {keep_days} days: {names}. Take home what you need."
        )


def going_soon(runs: list[Run], keep_days: int) -> list[Run]:
    """Those that will be deleted within a week."""
    latest = time.time() - (keep_days - DAYS_AHEAD) * A_DAY
    return [run for run in runs if run.ended is not None and run.ended < latest]
