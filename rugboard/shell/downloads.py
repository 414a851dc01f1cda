"""Files that a visitor takes home."""

import csv
from collections.abc import Callable
from pathlib import PurePath
from typing import Literal

import pandas as pd
import streamlit as st

FILE_LETTERS = 60
MIME = {".csv": "text/csv", ".json": "application/json", ".html": "text/html"}

# A spreadsheet takes a cell that begins so for a formula, and runs it.
FORMULA_BEGINNINGS = ("=", "+", "-", "@", "\t", "\r", "\n")


def harmless_cell(cell: object) -> object:
    """Text that no spreadsheet runs: a quote in front makes it text, and is not shown there."""
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(FORMULA_BEGINNINGS) else cell


def to_csv(frame: pd.DataFrame) -> bytes:
    """A table as CSV for a spreadsheet: UTF-8 with a mark, so that it reads letters beyond ASCII."""
    harmless = frame.astype(object).map(harmless_cell)
    harmless.columns = pd.Index([harmless_cell(str(name)) for name in frame.columns])
    text = harmless.to_csv(index=False, quoting=csv.QUOTE_NONNUMERIC)  # or a lone \r would begin a new line
    return text.encode("utf-8-sig")


def file_part(name: str) -> str:
    """The name of a run as part of the name of a file, on any system."""
    kept = "".join(letter if letter.isalnum() else "-" for letter in name[:FILE_LETTERS]).strip("-")
    return kept.lower() or "run"


def show_file(
    label: str,
    content: bytes | str | Callable[[], bytes | str],
    name: str,
    key: str,
    *,
    kind: Literal["secondary", "tertiary"] = "secondary",
    help_text: str | None = None,
    disabled: bool = False,
) -> None:
    """A button that saves a file; pressing it does not draw the page again.

    What is quick to make is given as it is. A function, called at the click, is only for what takes long and for pages
    that are never drawn again by themselves: Streamlit forgets it whenever the page is drawn, and a click in that
    moment would come to nothing.
    """
    st.download_button(
        label,
        content,
        name,
        MIME[PurePath(name).suffix],
        key=key,
        icon=":material/download:",
        type=kind,
        help=help_text,
        disabled=disabled,
        on_click="ignore",
    )
