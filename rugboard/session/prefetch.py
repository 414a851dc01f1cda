"""What the next pages will ask for, worked out while a visitor still reads this one.

A finished run is soon looked at on the pages Rules, Fairness and Applicants. Whatever these show first, as trained, is
put into the caches in the background, in that order; a page that asks in the meantime waits for the rest of it.
"""

import logging
from concurrent.futures import ThreadPoolExecutor
from functools import cache

import streamlit as st

from rugboard.applicants import cached as applicant_known
from rugboard.applicants.cached import Chosen
from rugboard.rules import cached as rule_known
from rugboard.runs.errors import RunError
from rugboard.runs.records import Run
from rugboard.runs.results import Results
from rugboard.session import evaluations, lightgbm
from rugboard.session.adjusted_models import AS_TRAINED
from rugcore.errors import ModelFileError

MANY_ROWS = 100_000  # beyond, it takes seconds and memory: only if somebody asks for it
RUNS_KEPT = 64
LOG = logging.getLogger(__name__)


def look_ahead(run: Run, results: Results) -> None:
    """Begin, once for everybody; not while the run still needs the cores."""
    if run.is_over and len(results.is_test) <= MANY_ROWS:
        _begin(run.id, tuple(results.summaries), results)


@st.cache_resource(show_spinner=False, max_entries=RUNS_KEPT)
def _begin(run_id: str, models: tuple[str, ...], _results: Results) -> None:  # noqa: ARG001
    _worker().submit(_work, _results)


@cache
def _worker() -> ThreadPoolExecutor:
    """One for all visitors: the other cores are for whoever waits."""
    return ThreadPoolExecutor(1, thread_name_prefix="ahead")


def _work(results: Results) -> None:
    try:
        for model in results.summaries:
            rule_known.facts_with(results, model, AS_TRAINED)
            rule_known.standing(results, model, AS_TRAINED)
        if results.data.groups is not None:
            for model in results.summaries:
                evaluations.standing(results, model, AS_TRAINED)
        first = Chosen(results, next(iter(results.summaries)), AS_TRAINED)
        applicant_known.queues_of(first, only_test=True, with_lightgbm=False)
        applicant_known.finder(first)
        lightgbm.explainer(results)
    except (RunError, ModelFileError, OSError):
        LOG.debug("The run %s went away.", results.run.id)
    except Exception:
        LOG.exception("Working ahead failed; the pages will say what is wrong.")
