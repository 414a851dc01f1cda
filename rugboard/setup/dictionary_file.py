"""The dictionary of a table as a file: taken home, brought back; and the line that says where it came from."""

from dataclasses import replace

import streamlit as st

from rugboard.runs.dictionaries import KeptDictionary
from rugboard.setup import table_dictionary
from rugboard.setup.columns_form import Questions
from rugboard.shell.downloads import file_part, show_file
from rugboard.shell.formats import counted
from rugboard.shell.text import named, plain
from rugcore.dictionary import DataDictionary
from rugcore.errors import InputError

LARGEST = 2_000_000  # bytes of a file
_READ = "_dictionary_read"  # what came of the last file


def show_origin(about: Questions) -> None:
    """Whether the table was recognised, and a way not to have it."""
    kept = table_dictionary.of_table(about.opening.table)
    if not kept.taken_from:
        return
    with st.container(horizontal=True, vertical_alignment="center", key="recognised"):
        st.markdown(f":material/bookmark: {origin_in_words(kept)}", width="content")
        if st.button("Forget it", key="forget_dictionary", type="tertiary", help="Begin with an empty dictionary."):
            forget(about)


def origin_in_words(kept: KeptDictionary) -> str:
    n_columns = len(kept.dictionary.columns)
    how_many = "all" if kept.known == n_columns else f"{kept.known} of"
    return f"Recognised from {named(kept.taken_from)}: {how_many} {counted(n_columns, 'column')}."


def forget(about: Questions) -> None:
    blank = DataDictionary.blank(about.shape.columns)
    table_dictionary.keep(KeptDictionary(about.opening.table.name, blank))
    table_dictionary.begin_edition()
    st.rerun()


def ask_file(about: Questions) -> None:
    """Take the dictionary home as CSV or JSON, or bring one along."""
    kept = table_dictionary.of_table(about.opening.table)
    name = f"{file_part(about.opening.table.name)}-dictionary"
    with st.container(horizontal=True):
        show_file("Dictionary as CSV", kept.dictionary.to_csv().encode("utf-8-sig"), f"{name}.csv", "dictionary_csv")
        show_file("Dictionary as JSON", kept.dictionary.to_json().encode(), f"{name}.json", "dictionary_json")
    file = st.file_uploader(
        "Bring a dictionary along",
        key=f"{about.key('dictionary_file')}-{table_dictionary.edition()}",
        help="A CSV or JSON file that was saved here, perhaps edited in a spreadsheet since.",
    )
    if file is not None:
        st.session_state[_READ] = read(about, file.name, file.getvalue())
        table_dictionary.begin_edition()
        st.rerun()
    said = st.session_state.pop(_READ, "")
    if said:
        st.info(plain(said), icon=":material/info:")


def read(about: Questions, name: str, data: bytes) -> str:
    """Take over what a file says about columns of this table; what came of it, in a sentence."""
    try:
        new = dictionary_in(data)
        kept = table_dictionary.of_table(about.opening.table)
        common = new.recognises(about.shape.columns).common
        merged = DataDictionary(dict(kept.dictionary.columns) | {column: new.entry(column) for column in common})
    except InputError as error:
        return str(error)
    if not common:
        return f"{name} is about other columns: none of them is in this table."
    table_dictionary.keep(replace(kept, dictionary=merged, taken_from=name, known=len(common)))
    return f"{name} tells of {len(common)} of the {counted(len(about.shape.columns), 'column')} of this table."


def dictionary_in(data: bytes) -> DataDictionary:
    """From JSON or CSV, whatever the file is called."""
    if len(data) > LARGEST:
        raise InputError(f"Expected a dictionary of at most {LARGEST:,} bytes, but the file has {len(data):,}.")
    is_json = data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{")
    return DataDictionary.from_json(data) if is_json else DataDictionary.from_csv(data)
