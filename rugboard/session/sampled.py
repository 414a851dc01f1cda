"""What the numbers of a run rest on where its table is not here: all of its rows, or the sample that the pages have."""

import streamlit as st

from rugboard.runs.plan import LargeTable, Plan
from rugboard.runs.results import Results
from rugboard.shell.formats import counted, whole
from rugboard.shell.text import plain

SAMPLE = "sample"  # what is said behind the name of a model that was judged on it
ICON = ":material/dataset:"


def how_drawn(large: LargeTable) -> str:
    """The size of the sample, and how it was drawn."""
    return f"{counted(large.n_sampled, 'row')}, drawn at random, every row equally likely (seed {large.seed})"


def table_in_words(large: LargeTable) -> str:
    return f"{plain(large.place)}: {counted(large.n_rows, 'row')} in {counted(large.n_files, 'file')}"


def run_in_words(plan: Plan, on_page: str = "") -> str:
    """What a page says about its run; nothing where all rows are here. `on_page` says what it counts over which."""
    large = plan.large
    if large is None or not large.is_sampled:
        return ""
    kept = "" if plan.origin is None else " As this run was kept from another, its own numbers are of the sample, too."
    return (
        f"{ICON} {table_in_words(large)}. Rules and weights are learned from all training rows. The people here are a "
        f"sample: {how_drawn(large)}. {on_page or 'What this page counts, it counts in the sample.'}{kept}"
    )


def say_so(results: Results) -> None:
    """At a section that counts the sample, on a page where others count all rows."""
    if results.is_sampled:
        st.caption(f"{ICON} Counted in the sample of {counted(len(results.data.y), 'row')}.")


def rows_in_words(results: Results, is_sample: bool) -> str:
    """The rows behind some numbers; nothing where there are no others."""
    if not results.is_sampled or results.plan.large is None:
        return ""
    if is_sample:
        return f"sample of {whole(len(results.data.y))} rows"
    return f"all {whole(results.plan.large.n_rows)} rows"
