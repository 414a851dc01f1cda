"""What all visitors share: the runner with its store, and past runs that were opened.

Kept with `cache_resource`, which does not copy: nobody may change what comes out of here.
"""

import logging
from dataclasses import replace
from threading import Thread

import numpy as np
import pandas as pd
import streamlit as st

from rugboard.runs.home import Home
from rugboard.runs.opening import open_results
from rugboard.runs.results import Results
from rugboard.runs.runner import Runner
from rugboard.runs.store import RunStore
from rugboard.runs.warm_runner import WarmRunner
from rugboard.shell import memory

RESULTS_KEPT = 4  # each holds the table of its run
ROWS_AT_ONCE = 50_000  # of a large table that are decided together
ENOUGH = 500  # rows to have every outcome among them
LOG = logging.getLogger(__name__)


def runner() -> Runner:
    """The one runner of this server."""
    return _runner(str(Home.current().root))


def store() -> RunStore:
    return runner().store


def results(run_id: str) -> Results:
    """A run with at least one trained model, opened once for everybody; a `RunError` if it has none."""
    models = tuple(store().summaries(run_id))
    return _results(str(store().home.root), run_id, models)


def first_test_rows(opened: Results, most: int) -> pd.DataFrame:
    """The first test rows of a run; `Results.X_test` would copy them all."""
    return opened.data.X.iloc[np.flatnonzero(opened.is_test)[:most]]


def predictions(run_id: str, model: str) -> np.ndarray:
    """What a model of the run decides for every row of its table, training rows and test rows alike."""
    models = tuple(store().summaries(run_id))
    return _predictions(str(store().home.root), run_id, model, models)


@st.cache_resource(show_spinner=False)
def _runner(root: str) -> Runner:  # noqa: ARG001 - another home is another runner
    made = WarmRunner()
    made.keep_watch()
    Thread(target=_warm_up, name="warm-up", daemon=True).start()
    return made


@st.cache_resource(show_spinner=False, max_entries=2 * RESULTS_KEPT)
def _results(root: str, run_id: str, models: tuple[str, ...]) -> Results:
    """A model that was trained since is added; the table is not read again."""
    opened = _opened(root, run_id)
    if tuple(opened.summaries) == models:
        return opened
    return replace(opened, run=store().get(run_id), summaries=store().summaries(run_id))


@st.cache_resource(show_spinner=False, max_entries=RESULTS_KEPT)
def _opened(root: str, run_id: str) -> Results:  # noqa: ARG001
    opened = open_results(store(), run_id)
    memory.give_back()  # what reading the table took
    return opened


@st.cache_resource(show_spinner=False, max_entries=2 * RESULTS_KEPT)
def _predictions(root: str, run_id: str, model: str, models: tuple[str, ...]) -> np.ndarray:  # noqa: ARG001
    opened = results(run_id)
    trained = opened.rug if model == "rug" else opened.fair
    X = opened.data.X
    portions = [trained.predict(X.iloc[begin : begin + ROWS_AT_ONCE]) for begin in range(0, len(X), ROWS_AT_ONCE)]
    return np.concatenate(portions)


def _warm_up() -> None:
    """Do now, while the visitor reads the first page, what the first click would otherwise wait for."""
    try:
        import plotly.graph_objects  # noqa: F401

        from rugboard.session import lightgbm
        from rugboard.setup import sources
        from rugcore import RUGClassifier

        draft = sources.with_default_features(sources.demo_draft(sources.FIRST_TRY))
        tiny = sources.demo(sources.FIRST_TRY)
        RUGClassifier(max_depth=1, max_iter=1).fit(tiny.X.head(ENOUGH), tiny.y.head(ENOUGH)).predict(tiny.X)
        LOG.debug("Ready: %s", draft.table.name)
        lightgbm.load()  # last: needed by the page Applicants only
    except Exception:
        LOG.exception("Warming up failed; the first click will take longer.")
