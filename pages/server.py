"""Server: for administrators. Who uses it and how much, all runs to delete or hand over, and the access log."""

import pandas as pd
import streamlit as st

from rugboard.people.settings import OperatorSettings
from rugboard.runs.access_log import AccessEntry
from rugboard.runs.known_people import KnownPeople, KnownPerson
from rugboard.runs.personal_store import MEGABYTE, PersonalStore
from rugboard.runs.records import Run
from rugboard.session import page
from rugboard.session.server import store
from rugboard.shell.downloads import show_file, to_csv
from rugboard.shell.formats import ago, counted
from rugboard.shell.guard import guarded
from rugboard.shell.text import named, plain

LINES_SHOWN = 500
HEADINGS = {
    "at": "When",
    "person": "Id",
    "name": "Name",
    "role": "Role",
    "did": "Did",
    "about": "About",
    "owner": "Owner of it",
}
NOBODY = "nobody (from before sign-in)"


@guarded
def main() -> None:
    page.title("Server", "Who uses it, what they keep, and who did what.")
    own = store()
    runs = own.all_runs()
    people = KnownPeople(own.home)
    show_people(own, people.people(), runs)
    show_runs(own, runs, people.names())
    show_log(own)


# -- people --------------------------------------------------------------------------------------------------


def show_people(own: PersonalStore, people: list[KnownPerson], runs: list[Run]) -> None:
    st.subheader("People", anchor=False)
    limit = OperatorSettings.current().most_megabytes
    frame = pd.DataFrame(
        {
            "Name": [known.person.name for known in people],
            "Role": [known.person.role.value for known in people],
            "Teams": [", ".join(sorted(known.person.teams)) for known in people],
            "Runs": [sum(run.owner == known.person.id for run in runs) for known in people],
            "Waiting": [sum(run.owner == known.person.id and not run.is_over for run in runs) for known in people],
            "Megabytes": [own.disk_use(known.person.id) / MEGABYTE for known in people],
            "Signed in": [ago(known.seen) for known in people],
        }
    )
    st.dataframe(
        frame,
        key="people",
        hide_index=True,
        column_config={"Megabytes": st.column_config.NumberColumn(format="%.1f")},
        alt="People who have signed in",
    )
    st.caption(f"Each may use {limit:,} megabytes." if limit else "Disk is not limited; RUG_MOST_MEGABYTES does it.")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        by_id = {known.person.id: known.person for known in people}
        chosen = st.selectbox("End all sign-ins of", by_id, format_func=lambda one: by_id[one].name, key="whom_to_end")
        if st.button("End them", key="end_sign_ins", icon=":material/block:", disabled=chosen is None):
            KnownPeople(own.home).end_all(by_id[str(chosen)])
            own.log("ended sign-ins", f"of {chosen}")
            st.toast("They have to sign in again.", icon=":material/check:")


# -- runs ----------------------------------------------------------------------------------------------------


def show_runs(own: PersonalStore, runs: list[Run], names: dict[str, str]) -> None:
    st.subheader("Runs", anchor=False)
    if not runs:
        st.caption("None yet.")
        return
    frame = pd.DataFrame(
        {
            "Run": [run.name for run in runs],
            "Owner": [names.get(run.owner, run.owner) or NOBODY for run in runs],
            "Status": [run.status for run in runs],
            "When": [ago(run.created) for run in runs],
        }
    )
    st.dataframe(
        frame, key="everybodys_runs", hide_index=True, height=260 if len(runs) > 6 else "content", alt="All runs"
    )
    by_id = {run.id: run for run in runs}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = st.selectbox(
            "Run",
            by_id,
            format_func=lambda one: f"{by_id[one].name} · {names.get(by_id[one].owner) or NOBODY}",
            key="which_run",
        )
        to = st.selectbox("Give it to", names, format_func=lambda one: names[one], key="new_owner", index=None)
        if st.button("Give", key="hand_over", icon=":material/person_add:", disabled=to is None):
            own.hand_over(str(chosen), str(to))
            st.rerun()
        if st.button("Delete it", key="delete_any", icon=":material/delete:"):
            ask_to_delete(by_id[str(chosen)])


@st.dialog("Delete this run?")
@guarded
def ask_to_delete(run: Run) -> None:
    st.markdown(f"{named(run.name)} will be gone for good, and its owner is told who deleted it.")
    if not run.is_over:
        st.caption("It is still waiting or training: its owner can cancel it.")
    if st.button("Delete it", type="primary", key="delete_any_now", disabled=not run.is_over):
        store().delete_any(run.id)
        st.rerun()


# -- the access log ------------------------------------------------------------------------------------------


def show_log(own: PersonalStore) -> None:
    st.subheader("Access log", anchor=False)
    log = own.access_log()
    entries, broken = log.entries(), log.broken_at()
    if broken is None:
        st.caption(f":material/check: {counted(len(entries), 'line')}, all as they were written.")
    else:
        st.error(
            f"The line {plain(broken)} is not as it was written. Compare the files with a copy.",
            icon=":material/error:",
        )
    verbs = sorted({entry.did for entry in entries})
    left, right = st.columns(2)
    did = left.multiselect("What", verbs, key="log_verbs", placeholder="everything")
    who = right.text_input("Who, or about what", key="log_who")
    shown = [entry for entry in entries if (not did or entry.did in did) and _mentions(entry, who)]
    st.dataframe(
        _frame(shown[:LINES_SHOWN]),
        key="access_log",
        hide_index=True,
        height=360,
        column_config=HEADINGS,
        alt="Access log",
    )
    if len(shown) > LINES_SHOWN:
        st.caption(f"The newest {LINES_SHOWN} of {len(shown):,}; the file has them all.")
    show_file("Export as CSV", to_csv(_frame(shown)), "access-log.csv", "export_log")


def _mentions(entry: AccessEntry, words: str) -> bool:
    return words.strip().casefold() in " ".join(vars(entry).values()).casefold()


def _frame(entries: list[AccessEntry]) -> pd.DataFrame:
    return pd.DataFrame([vars(entry) for entry in entries], columns=list(AccessEntry.__annotations__))


main()
