"""The log of a run on the page: who changed which rules when, why, and what that did."""

import json
from dataclasses import asdict

import pandas as pd
import streamlit as st

from rugboard.runs.results import Results
from rugboard.runs.rule_log import LoggedChange, LoggedFigures
from rugboard.session import server
from rugboard.shell.downloads import file_part, show_file, to_csv
from rugboard.shell.formats import NOTHING, counted, percent, points, whole
from rugboard.shell.guard import drawer
from rugboard.shell.theme import name_of_model

WIDTH = 230  # pixels of what was changed


def show_log(results: Results) -> None:
    """Folded; nothing where no rule was ever changed by hand."""
    entries = server.store().rule_log(results.run.id)
    if entries:
        drawer(f"Log of rule changes · {counted(len(entries), 'change')}", "rule_log", lambda: _show(results, entries))


def _show(results: Results, entries: list[LoggedChange]) -> None:
    frame = log_frame(entries)
    column = st.column_config
    st.dataframe(
        frame,
        key="rule_log_table",
        hide_index=True,
        row_height=110,
        height="content" if len(frame) < 4 else 420,
        column_config={
            "when": column.TextColumn("When (UTC)", width=130),
            "who": column.TextColumn("Who", width=100),
            "why": column.TextColumn("Why", width=190),
            "what": column.TextColumn("What", width=WIDTH),
            "before": column.TextColumn("Before", width=150),
            "after": column.TextColumn("After", width=150),
            "decided otherwise": column.TextColumn("Decided otherwise", width=140),
        },
        alt="Log of rule changes",
    )
    name = f"{file_part(results.run.name)}-rule-log"
    with st.container(horizontal=True):
        show_file("Log as CSV", to_csv(frame), f"{name}.csv", "rule_log_csv")
        show_file("Log as JSON", log_json(entries), f"{name}.json", "rule_log_json")


def log_frame(entries: list[LoggedChange]) -> pd.DataFrame:
    lines = [
        {
            "when": entry.when.replace("T", " ").removesuffix("Z")[:16],
            "who": entry.who,
            "what": f"{name_of_model(entry.model)}. {'; '.join(entry.what)}",
            "why": entry.why,
            "before": _figures(entry.before),
            "after": _figures(entry.after) + (f". Accepted knowingly: {entry.knowingly}" if entry.knowingly else ""),
            "decided otherwise": f"{whole(entry.n_decided_otherwise)} of {whole(entry.n_test)}",
        }
        for entry in entries
    ]
    return pd.DataFrame(lines)


def _figures(figures: LoggedFigures) -> str:
    return f"{percent(figures.accuracy)} right, gap {gap_in_words(figures)}, {counted(figures.rules, 'rule')}"


def gap_in_words(figures: LoggedFigures) -> str:
    return NOTHING if figures.gap is None else points(figures.gap)


def log_json(entries: list[LoggedChange]) -> str:
    return json.dumps([asdict(entry) for entry in entries], ensure_ascii=False, indent=1)
