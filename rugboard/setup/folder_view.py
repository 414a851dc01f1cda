"""A table in a folder that the operator has named: choosing it, and what is said about its sample."""

from importlib.util import find_spec

import streamlit as st

from rugboard.runs.data_folders import ON_THIS_MACHINE, DataFolders
from rugboard.runs.jobs import FINISHED
from rugboard.runs.plan import Place
from rugboard.session import sampled
from rugboard.session.job_progress import how_it_ended, watch_job
from rugboard.session.server import store
from rugboard.setup import table_summary
from rugboard.setup.drafts import ColumnChoices, Draft, TableChoice
from rugboard.setup.folder_job import FolderJob, FolderReport
from rugboard.shell.formats import counted
from rugboard.shell.text import named, plain
from rugcore.errors import InputError, missing_package

EVERYTHING = ""  # the choice of a folder as a whole
_ASKED = "_folder_asked"  # the place whose sample this visitor waits for


def ask_for_folder() -> Draft | None:
    """A draft as soon as the sample of what was chosen is drawn; nothing at all where no folder is named."""
    folders = DataFolders.current()
    if not folders.roots:
        return None
    with st.container(border=True, key="data_folders"):
        st.markdown("**A folder or Parquet on this machine or its cluster**", help=_help(folders))
        if not (find_spec("distributed") and find_spec("dask")):
            st.caption(plain(missing_package("Training on tables in folders", "dask")))
            return None
        asked = st.session_state.get(_ASKED)
        if isinstance(asked, Place):
            return _waited_for(asked)
        _ask(folders)
        return None


def _help(folders: DataFolders) -> str:
    where = "on this machine" if folders.scheduler == ON_THIS_MACHINE else "by the cluster of this server"
    return (
        f"The table stays where it is and is trained on {where}, whatever its length. The folders are those that the "
        "operator of this server has named; no others can be opened."
    )


# -- choosing ----------------------------------------------------------------------------------------------


def _ask(folders: DataFolders) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        place = _ask_place(folders)
        is_wanted = st.button("Use this table", key="use_folder", icon=":material/folder_open:", disabled=place is None)
    if place is not None and is_wanted:
        store().refuse_to_readers()
        FolderJob.of(store().home, place).begin(place)
        st.session_state[_ASKED] = place
        st.rerun()


def _ask_place(folders: DataFolders) -> Place | None:
    """Down from a named folder, one choice after the other; None if there is nothing to choose."""
    place = Place(str(st.selectbox("Folder", list(folders.roots), key="folder_root", persist_state="session")))
    try:
        while (name := _ask_name(folders, place)) != EVERYTHING:
            place = place.below(name)
            if name in folders.listing(Place(place.folder, place.names[:-1])).files:
                break
    except InputError as error:
        st.error(plain(error), icon=":material/error:")
        return None
    return place


def _ask_name(folders: DataFolders, place: Place) -> str:
    """A folder or a file in a folder, or the folder as a whole."""
    found = folders.listing(place)
    if not found.folders and not found.files:
        return EVERYTHING
    chosen = st.selectbox(
        f"In {plain(place)}",
        (EVERYTHING, *found.folders, *found.files),
        format_func=lambda name: f"{name}/" if name in found.folders else name or _everything(len(found.files)),
        key=f"folder_in_{place}",
        persist_state="session",
    )
    return str(chosen or EVERYTHING)


def _everything(n_files: int) -> str:
    here = f": {counted(n_files, 'file')} here" if n_files else ""
    return f"all Parquet in it and below{here}"


# -- waiting for the sample --------------------------------------------------------------------------------


def _waited_for(place: Place) -> Draft | None:
    job = FolderJob.of(store().home, place)
    progress = job.progress()
    if progress.is_under_way:
        watch_job(job, "folder", lambda report: _headline(place, report), lambda report: report.share)
        return None
    report = progress.report
    if progress.status == FINISHED and report is not None and report.large is not None:
        del st.session_state[_ASKED]
        return draft_of_folder(place, report)
    st.markdown(how_it_ended(progress, f"looking at {named(str(place))}") or f"{named(str(place))} was not looked at.")
    if st.button("Choose another", key="folder_again", icon=":material/undo:"):
        del st.session_state[_ASKED]
        st.rerun()
    return None


def _headline(place: Place, report: FolderReport) -> str:
    done = f": {counted(report.n_read, 'part')} of {report.n_parts}" if report.n_parts else ""
    return f"Reading {named(str(place))} and drawing a sample of its rows{done}"


def draft_of_folder(place: Place, report: FolderReport) -> Draft:
    """Columns that are protected by their names or values are no features unless somebody ticks them."""
    store().snapshots.take(report.snapshot, str(place))
    choice = TableChoice(report.snapshot, str(place), large=report.large)
    return Draft(choice, ColumnChoices(kept_out=table_summary.protected(report.snapshot)))


# -- the table ---------------------------------------------------------------------------------------------


def show_what_is_here(table: TableChoice) -> None:
    """What the numbers of the page Data rest on."""
    large = table.large
    if large is None:
        return
    if not large.is_sampled:
        st.caption(f"{sampled.ICON} {sampled.table_in_words(large)}, all of them here.")
        return
    st.info(
        f"{sampled.table_in_words(large)}. Training uses them all. What this page shows and counts is a sample: "
        f"{sampled.how_drawn(large)}. A rare value or group may be missing in it.",
        icon=sampled.ICON,
    )
