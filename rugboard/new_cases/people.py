"""A file of new people while the page is open: uploaded, read, held in memory and dropped with the page."""

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

import pandas as pd
import streamlit as st

from rugboard.session import state
from rugboard.shell.downloads import withdraw_file
from rugboard.shell.formats import whole
from rugboard.shell.text import named, plain
from rugcore.errors import RugError
from rugcore.monitoring import Monitoring
from rugcore.new_cases import NewCases, ReadCases
from rugcore.readers import ReadTable, read_table_file

TABLE_HEIGHT = 420  # pixels
CSV, EXCEL = "new_people_csv", "new_people_xlsx"  # the keys of the files
PEOPLE = "new_people"
_UPLOAD_NUMBER, _REFUSAL = "_new_people_number", "_new_people_refusal"

HOW_LONG = (
    "No row is stored: people and decisions are in the server's memory while this page is open, and dropped when "
    "you leave it. If you close the tab instead, nobody can fetch them after half an hour."
)


@dataclass(eq=False)
class NewPeople:
    """A file while this page is open: its rows, and what became of them. Held in memory only."""

    name: str
    table: ReadTable
    data: bytes | None  # the file itself, as long as another of its sheets may be wanted
    read: dict[Any, ReadCases] = field(default_factory=dict)  # by who decides
    decided: dict[Any, "Future[NewCases]"] = field(default_factory=dict)  # also by what people are called
    monitored: dict[Any, Monitoring] = field(default_factory=dict)  # held against the people of the run
    files: dict[Any, pd.DataFrame] = field(default_factory=dict)  # the same as tables to take home

    def read_by(self, who: Any, read: Callable[[pd.DataFrame], ReadCases]) -> ReadCases:
        """What the one who decides can read of the file; worked out once."""
        if who not in self.read:
            self.read = {who: read(self.table.frame)}
        return self.read[who]

    def drop(self) -> None:
        """Also from the files on offer."""
        for key in (CSV, EXCEL):
            withdraw_file(key)


def ask_for_file() -> None:
    number = int(st.session_state.get(_UPLOAD_NUMBER, 0))
    file = st.file_uploader("A file of new people", key=f"new-people-{number}")
    if file is not None:
        st.session_state[_UPLOAD_NUMBER] = number + 1  # frees the file, which is not needed once it is read
        take(file.name, file.getvalue())
    if refusal := st.session_state.get(_REFUSAL):
        st.error(plain(refusal), icon=":material/error:")


def take(name: str, data: bytes, sheet: str | None = None) -> None:
    """Read a file as the one to decide on."""
    st.session_state[_REFUSAL] = None
    try:
        with st.spinner(f"Reading {named(name)}"):
            table = read_table_file(data, name, sheet=sheet)
        kept = data if len(table.sheets) > 1 else None
        state.hold(PEOPLE, NewPeople(name, table, kept))
    except RugError as error:
        st.session_state[_REFUSAL] = str(error)
    st.rerun()


def ask_for_sheet(people: NewPeople) -> None:
    table = people.table
    if people.data is None or table.sheet is None:
        return
    sheet = st.selectbox("Sheet", table.sheets, table.sheets.index(table.sheet), key="new_people_sheet")
    if sheet != table.sheet:
        take(people.name, people.data, sheet)


def people_in_words(n: int) -> str:
    return "1 person" if n == 1 else f"{n:,} people"


def readiness(read: ReadCases) -> str:
    n_unread = int(read.is_unread.sum())
    n_unfamiliar = int((read.is_unfamiliar & ~read.is_unread).sum())
    n_ready = read.n_rows - n_unread - n_unfamiliar
    parts = [f"**{whole(n_ready)}** of {people_in_words(read.n_rows)} can be put to the rules"]
    if n_unread:
        parts.append(f"of {whole(n_unread)} something that rules look at could not be read")
    if n_unfamiliar:
        have = "has" if n_unfamiliar == 1 else "have"
        parts.append(f"{whole(n_unfamiliar)} {have} a value or a blank that the model has never seen")
    return "; ".join(parts) + (". The others go to manual review." if len(parts) > 1 else ".")
