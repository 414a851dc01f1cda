"""Whom a run is shared with: said beside its name, and asked of its owner."""

import streamlit as st

from rugboard.runs.known_people import KnownPeople
from rugboard.runs.records import Run, Share
from rugboard.session.server import store
from rugboard.shell.guard import guarded
from rugboard.shell.text import plain


def name_of(person: str) -> str:
    """How somebody is called who has signed in before."""
    return KnownPeople(store().home).names().get(person, "somebody")


def told(run: Run) -> str:
    """Behind the description of a run; nothing where nobody signs in."""
    own = store()
    if own.person.sees_all:
        return ""
    if run.owner != own.person.id:
        return f" · shared by {plain(name_of(run.owner))}, to read"
    return " · shared" if own.shares(run.id) else " · private"


@st.dialog("Share this run")
@guarded
def ask_whom(run: Run) -> None:
    own, known = store(), KnownPeople(store().home)
    names = {person: name for person, name in known.names().items() if person != own.person.id}
    before = own.shares(run.id)
    st.caption(
        "They can read everything about it, its people included, and keep copies of their own. Only you can change or "
        "delete it. Only people who have signed in once are listed."
    )
    people = st.multiselect(
        "People",
        names,
        [share.who for share in before if share.kind == "person" and share.who in names],
        format_func=lambda person: names[person],
        key=f"share_people_{run.id}",
    )
    teams = known.teams()
    chosen = st.multiselect(
        "Teams",
        teams,
        [share.who for share in before if share.kind == "team" and share.who in teams],
        key=f"share_teams_{run.id}",
    )
    if st.button("Share", type="primary", key="share_now"):
        own.share(run.id, [*(Share("person", who) for who in people), *(Share("team", who) for who in chosen)])
        st.rerun()
