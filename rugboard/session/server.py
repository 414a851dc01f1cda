"""What all visitors share: the store of runs, and past runs that were opened. Nobody may change what comes out of here.

The runner that trains them is in `rugboard.session.training`.
"""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from rugboard.people.settings import OperatorSettings
from rugboard.runs import memory
from rugboard.runs.home import Home
from rugboard.runs.opening import open_results
from rugboard.runs.personal_store import PersonalStore
from rugboard.runs.records import Run
from rugboard.runs.results import Results
from rugboard.runs.store import RunStore
from rugboard.session.cache import cached
from rugboard.shell import signed_in

HOMES_KEPT = 8  # a server has one; tests have many
_OPENED = "_opened"
RESULTS_KEPT = 4  # each holds the table of its run


def home_root() -> str:
    """Which home this server works for; part of every key of what is kept of its files."""
    return str(Home.current().root)


def store() -> PersonalStore:
    """The runs, as whoever is asking may see them; a `SignInError` if nobody may ask."""
    return PersonalStore(store_of_all(home_root()), signed_in.person(), OperatorSettings.current())


@cached(entries=HOMES_KEPT)
def store_of_all(root: str) -> RunStore:
    """Of everybody's runs: for what the server does by itself, never for what a page shows."""
    return RunStore(Home(Path(root)))


def results(run_id: str) -> Results:
    """A run with at least one trained model, opened once for all who may see it; a `RunError` if it has none."""
    own = store()
    found = _with_models(home_root(), run_id, tuple(own.summaries(run_id)))
    _note_opened(own, found.run)
    return found


def _note_opened(own: PersonalStore, run: Run) -> None:
    """Once a tab; the server itself, working ahead, opens nothing."""
    if own.person.sees_all or get_script_run_ctx(suppress_warning=True) is None:
        return
    opened: set[str] = st.session_state.setdefault(_OPENED, set())
    if run.id not in opened:
        opened.add(run.id)
        own.opened(run)


@cached(entries=2 * RESULTS_KEPT)
def _with_models(root: str, run_id: str, models: tuple[str, ...]) -> Results:
    """A model that was trained since is added; the table is not read again."""
    opened = _opened(root, run_id)
    if tuple(opened.summaries) == models:
        return opened
    kept = store_of_all(root)
    return replace(opened, run=kept.get(run_id), summaries=kept.summaries(run_id))


@cached(entries=RESULTS_KEPT)
def _opened(root: str, run_id: str) -> Results:
    opened = open_results(store_of_all(root), run_id)
    memory.give_back()  # what reading the table took
    return opened


def may_change(opened: Results) -> bool:
    """Whether whoever is asking may say something about this run that stays."""
    return store().may_change(opened.run)


def first_test_rows(opened: Results, most: int) -> pd.DataFrame:
    """The first test rows of a run; `Results.X_test` would copy them all."""
    return opened.data.X.iloc[np.flatnonzero(opened.is_test)[:most]]
