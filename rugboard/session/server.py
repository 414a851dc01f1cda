"""What all visitors share: the store of runs, and past runs that were opened. Nobody may change what comes out of here.

The runner that trains them is in `rugboard.session.training`.
"""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from rugboard.runs.home import Home
from rugboard.runs.opening import open_results
from rugboard.runs.results import Results
from rugboard.runs.store import RunStore
from rugboard.session.cache import cached
from rugboard.shell import memory

HOMES_KEPT = 8  # a server has one; tests have many
RESULTS_KEPT = 4  # each holds the table of its run


def home_root() -> str:
    """Which home this server works for; part of every key of what is kept of its files."""
    return str(Home.current().root)


def store() -> RunStore:
    return _store(home_root())


@cached(entries=HOMES_KEPT)
def _store(root: str) -> RunStore:
    return RunStore(Home(Path(root)))


def results(run_id: str) -> Results:
    """A run with at least one trained model, opened once for everybody; a `RunError` if it has none."""
    return _with_models(home_root(), run_id, tuple(store().summaries(run_id)))


@cached(entries=2 * RESULTS_KEPT)
def _with_models(root: str, run_id: str, models: tuple[str, ...]) -> Results:
    """A model that was trained since is added; the table is not read again."""
    opened = _opened(root, run_id)
    if tuple(opened.summaries) == models:
        return opened
    kept = _store(root)
    return replace(opened, run=kept.get(run_id), summaries=kept.summaries(run_id))


@cached(entries=RESULTS_KEPT)
def _opened(root: str, run_id: str) -> Results:
    opened = open_results(_store(root), run_id)
    memory.give_back()  # what reading the table took
    return opened


def first_test_rows(opened: Results, most: int) -> pd.DataFrame:
    """The first test rows of a run; `Results.X_test` would copy them all."""
    return opened.data.X.iloc[np.flatnonzero(opened.is_test)[:most]]
