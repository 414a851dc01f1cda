"""What visitors set for all applicants of a run: kept in the run's folder, so that it is there for everybody and stays.

wording.json   how reasons are worded
marks.json     which columns can change
"""

import streamlit as st

from rugboard.runs import files
from rugboard.runs.results import Results
from rugboard.session import server

WORDING, MARKS = "wording.json", "marks.json"


def read(results: Results, name: str) -> str | None:
    """The text of a file; None where nothing was set yet."""
    try:
        return (results.folder / name).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None


def keep(results: Results, name: str, text: str) -> None:
    """Write a file; whoever reads it meanwhile sees the old one or the new one, never a part."""
    server.store().refuse_unless_own(results.run.id)
    try:
        files.write_text(results.folder / name, text)
    except OSError as error:
        st.toast(f"This cannot be kept: the folder of the run cannot be written ({error.strerror}).")
