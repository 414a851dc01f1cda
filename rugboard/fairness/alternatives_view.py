"""Beside the alternatives: a button, fairlearn's models as they come in, and what each of them is."""

import math
from collections.abc import Sequence
from importlib.util import find_spec

import pandas as pd
import streamlit as st

from rugboard.fairness import view
from rugboard.fairness.alternatives_job import AlternativesJob, AlternativesReport
from rugboard.fairness.alternatives_worker import epsilons
from rugboard.fairness.limit import FairnessLimit
from rugboard.fairness.words import short_points
from rugboard.runs.jobs import CANCELLED, FINISHED, STOPPED, JobProgress
from rugboard.runs.results import Results
from rugboard.session import server
from rugboard.session.evaluations import TEST, Evaluation, outcomes
from rugboard.session.job_progress import start, watch_job
from rugboard.session.page import one_at_a_time
from rugboard.shell.formats import NOTHING, percent, whole
from rugboard.shell.guard import guarded
from rugboard.shell.tables import show_table
from rugboard.shell.text import plain
from rugcore.comparison import FairAlternative, n_alternatives

NOT_INSTALLED = "fairlearn is not installed here: pip install 'rug-dashboard[compare]'"
MEANING = (
    "A lottery can decide the same person differently on another day; its numbers are what is to be expected. "
    "ThresholdOptimizer must be told the group of everybody it decides about; the others need not. All on the test "
    "rows of one split: chance has a large part in these gaps."
)


def job_of(results: Results) -> AlternativesJob:
    return AlternativesJob(server.store().home, results.run.id)


def found(results: Results) -> tuple[FairAlternative, ...]:
    """The models so far."""
    report = job_of(results).read()
    return () if report is None else report.found()


@guarded
def show_alternatives(results: Results, own: Sequence[Evaluation], limit: FairnessLimit) -> None:
    """The button, the progress, or the table; nothing where fairlearn cannot be asked."""
    why_not = refusal(results)
    if why_not:
        st.caption(why_not)
        return
    job = job_of(results)
    progress = job.progress()
    with one_at_a_time():
        if progress.is_under_way:
            total = n_alternatives(results.plan.fairness, epsilons(results.plan.epsilon))
            with st.container(border=True, key="alternatives_progress"):
                watch_job(job, "alternatives", headline, lambda report: len(report.points) / total)
            return
        if progress.status != FINISHED:
            _show_start(job, progress)
        points = found(results)
        if points:
            table = to_read(points, own, limit)
            show_table(table, HEADINGS, "alternatives_table", "FairRUG beside fairlearn")
            st.caption(MEANING)
            view.show_download("Alternatives as CSV", _frame, (points,), limit, "alternatives")


def refusal(results: Results) -> str:
    """Why there is nothing to compare with, or nothing."""
    if find_spec("fairlearn") is None:
        return NOT_INSTALLED
    if len(outcomes(results)) != 2:
        return "fairlearn compares two outcomes, and here there are more."
    return "" if n_alternatives(results.plan.fairness) else "fairlearn does not know this notion of fairness."


def headline(report: AlternativesReport) -> str:
    return f"Training fairlearn's models: {len(report.points)} so far"


def _show_start(job: AlternativesJob, progress: JobProgress[AlternativesReport]) -> None:
    with st.container(border=True, key="start_alternatives"):
        words, button = st.columns([2.6, 1], vertical_alignment="center")
        words.markdown(what_there_is(progress))
        if button.button("Train fairlearn's models", key="alternatives", icon=":material/balance:", width="stretch"):
            start(job)
            st.rerun()


def what_there_is(progress: JobProgress[AlternativesReport]) -> str:
    if progress.status == CANCELLED:
        return ":material/cancel: Cancelled. What was trained is shown."
    if progress.status == STOPPED:
        reason = plain(progress.report.error) if progress.report else ""
        reason = reason or "The process is gone, perhaps because memory or disk were full."
        return f":material/stop_circle: Stopped. {reason}"
    return (
        "What do other methods reach on the same rows? ExponentiatedGradient and ThresholdOptimizer, with logistic "
        "regression and with trees as deep as the rules are long."
    )


# -- the table ---------------------------------------------------------------------------------------------


def to_read(points: Sequence[FairAlternative], own: Sequence[Evaluation], limit: FairnessLimit) -> pd.DataFrame:
    """The models of the run, then fairlearn's, on the test rows."""
    return pd.DataFrame([*(_own_line(item, limit) for item in own), *(_line(point) for point in points)])


def _own_line(item: Evaluation, limit: FairnessLimit) -> dict[str, str]:
    is_fair, has_rules = item.fit is not None, item.n_rules is not None
    return {
        "model": item.name,
        "allowed": short_points(limit.epsilon) if is_fair else "",
        "gap": _gap(item.gap(TEST, limit.notion)),
        "accuracy": percent(item.accuracy[TEST]),
        "reading": f"{whole(item.n_rules or 0)} rules" if has_rules else NOTHING,
        "kind": "one readable model" if has_rules else "one model",
        "group": "no",
    }


def _line(point: FairAlternative) -> dict[str, str]:
    return {
        "model": f"{point.method}, {point.learner}",
        "allowed": "0.0" if math.isnan(point.epsilon) else short_points(point.epsilon),
        "gap": _gap(point.test_gap),
        "accuracy": percent(point.test_accuracy),
        "reading": reading(point),
        "kind": kind(point),
        "group": "yes" if point.needs_group else "no",
    }


def _gap(gap: float) -> str:
    return "not estimable" if math.isnan(gap) else short_points(gap)


def reading(point: FairAlternative) -> str:
    """What a person would have to read."""
    if math.isnan(point.n_rules):
        return "coefficients" if point.n_models == 1 else f"coefficients of {point.n_models} models"
    trees = "" if point.n_models == 1 else f" in {point.n_models} trees"
    return f"{whole(point.n_rules)} rules{trees}"


def kind(point: FairAlternative) -> str:
    """Whether it decides the same every day."""
    if point.random_share > 0:
        models = f" of {point.n_models} models" if point.n_models > 1 else ""
        return f"lottery{models}, for {percent(point.random_share)}"
    return "one readable model" if point.is_one_readable_model else "one model"


HEADINGS: dict[str, tuple[str, str | None]] = {
    "model": ("Model", "What fairlearn does, and what it trains."),
    "allowed": (
        "Allowed",
        "The gap that was asked for, in points; ThresholdOptimizer allows none on the training rows.",
    ),
    "gap": (
        "Gap, test",
        "The largest gap on the test rows, in points; one split, so that chance has a large part in it.",
    ),
    "accuracy": ("Right, test", "Share of the test rows decided as the data says."),
    "reading": ("To read", "Rules, leaves of trees, or coefficients."),
    "kind": ("What it is", "A lottery draws lots between models or cut-offs, for that share of the test rows."),
    "group": ("Told the group", "Whether it must be told the group of everybody it decides about."),
}


def _frame(points: tuple[FairAlternative, ...]) -> pd.DataFrame:
    return pd.DataFrame(points).assign(is_one_readable_model=[point.is_one_readable_model for point in points])
