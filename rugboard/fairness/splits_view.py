"""Many splits on the page Fairness: a button, the splits as they come in, and what they say about new people."""

from collections.abc import Mapping
from typing import Any

import pandas as pd
import streamlit as st

from rugboard.fairness import splits_chart, splits_words, view
from rugboard.fairness.limit import FairnessLimit
from rugboard.fairness.splits_job import N_SPLITS, TEST_SIZE, SplitsJob, SplitsReport
from rugboard.fairness.words import short_points
from rugboard.runs.jobs import JobProgress
from rugboard.runs.results import Results
from rugboard.session import adjustments, group_names, sampled, server
from rugboard.session.job_progress import how_it_ended, lost, start, watch_job
from rugboard.session.page import one_at_a_time
from rugboard.shell import charts
from rugboard.shell.formats import counted
from rugboard.shell.guard import drawer, guarded
from rugboard.shell.tables import show_table
from rugboard.shell.text import named, value_in_words
from rugcore.fairness import notion_of
from rugcore.selection import FairnessOverSplits

HELP = (
    "The models are trained again on random parts of all rows and judged on the rest, the same share of every outcome "
    "in every group. Gaps keep their sign, so that chance cancels out. The intervals know that splits share rows "
    "(Nadeau and Bengio), and are never narrower than so many different people allow (Newcombe)."
)


def job_of(results: Results) -> SplitsJob:
    return SplitsJob(server.store().home, results.run.id)


def found(results: Results) -> FairnessOverSplits | None:
    """What the splits so far say together; nothing of a file about other models, groups or another limit."""
    report = job_of(results).read()
    splits = None if report is None else report.found()
    if splits is None or splits.n_rows != len(results.data.y):
        return None
    is_of_this_run = splits.notion == results.plan.fairness and splits.epsilon == results.plan.epsilon
    return splits if is_of_this_run else None


@guarded
def show_splits(results: Results, limit: FairnessLimit) -> None:
    """The button, the progress, or what was found."""
    st.subheader("On new people: many splits", anchor=False, help=HELP)
    sampled.say_so(results)
    job = job_of(results)
    progress = job.progress()
    with one_at_a_time():
        if progress.is_under_way:
            with st.container(border=True, key="splits_progress"):
                watch_job(job, "splits", headline, lambda report: report.n_splits / N_SPLITS)
            return
        splits = found(results)
        if splits is None or splits.n_splits < N_SPLITS:
            _show_start(job, progress)
        if splits is not None:
            _show_found(results, splits, limit)


def headline(report: SplitsReport) -> str:
    return f"Training on split {report.n_splits + 1} of {N_SPLITS}"


def _show_start(job: SplitsJob, progress: JobProgress[SplitsReport]) -> None:
    with st.container(border=True, key="start_splits"):
        words, button = st.columns([2.6, 1], vertical_alignment="center")
        words.markdown(what_there_is(progress))
        is_begun = progress.report is not None and progress.report.n_splits
        label = "Go on" if is_begun else f"Train on {N_SPLITS} splits"
        if button.button(label, key="splits", icon=":material/casino:", width="stretch"):
            start(job)
            st.rerun()


def what_there_is(progress: JobProgress[SplitsReport]) -> str:
    done = f"after {progress.report.n_splits if progress.report else 0} of {counted(N_SPLITS, 'split')}"
    if ended := how_it_ended(progress, done):
        return ended
    return f"{lost(progress)}**One split of a small group is a coin toss.** Do not decide by the test rows above alone."


def _show_found(results: Results, splits: FairnessOverSplits, limit: FairnessLimit) -> None:
    names = group_names.by_value(results)
    favourable = named(value_in_words(results.plan.fair_settings()["positive_class"]))
    st.markdown(f"{splits_words.verdict(splits, names, favourable)} {splits_words.single_splits(splits)}".strip())
    if splits_words.widest_line(splits, splits.models[0].name) is None:
        return
    charts.show(
        splits_chart.over_splits(splits, names),
        key="fairness-splits-chart",
        alt="Signed gaps between groups on rows not trained on, over many random splits",
    )
    said = (splits_words.promise(splits), splits_words.accuracy(splits), splits_words.not_estimable(splits, names))
    st.caption(" ".join(text for text in said if text))
    st.caption(_about(results, splits))

    def numbers() -> None:
        show_table(to_read(results, splits), HEADINGS, "splits_table", "Gaps over many splits")
        view.show_download("Splits as CSV", _frame, (splits,), limit, "splits")

    drawer("The numbers", "splits_in_numbers", numbers)


def _frame(splits: FairnessOverSplits) -> pd.DataFrame:
    return splits.to_frame().assign(splits=splits.n_splits, epsilon=splits.epsilon, rows=splits.n_rows)


def _about(results: Results, splits: FairnessOverSplits) -> str:
    changed = any(adjustments.current(results.run.id, model).is_any for model in results.summaries)
    trained = "Models as trained, not as re-weighted here. " if changed else ""
    favourable = named(value_in_words(results.plan.fair_settings()["positive_class"]))
    larger = notion_of(splits.notion).larger_rate(favourable)
    return (
        f"{trained}{counted(splits.n_splits, 'split')} of all {splits.n_rows:,} rows, {100 * TEST_SIZE:.0f} % of "
        "them held out each time; 95 % intervals, each on its own. Right of 0 the first group "
        f"{larger}."
    )


def to_read(results: Results, splits: FairnessOverSplits) -> pd.DataFrame:
    """One line per model, outcome and pair, in words."""
    names = group_names.by_value(results)
    return pd.DataFrame(
        {
            "model": line["model"],
            "outcome": "all" if line["class"] is None else value_in_words(line["class"]),
            "pair": " against ".join(names.get(line[side], line[side]) for side in ("first_group", "second_group")),
            "gap": short_points(line["gap"]) if not line["not_estimable"] else "not estimable",
            "interval": _between(line, "lower", "upper"),
            "single": _between(line, "lowest", "highest"),
            "training": short_points(line["training_gap"]),
            "people": f"{line['n_first']:,} and {line['n_second']:,}",
        }
        for line in splits.to_frame().to_dict("records")
    )


def _between(line: Mapping[Any, Any], lower: str, upper: str) -> str:
    is_known = line[lower] == line[lower]
    return f"{short_points(line[lower])} to {short_points(line[upper])}" if is_known else ""


HEADINGS: dict[str, tuple[str, str | None]] = {
    "model": ("Model", None),
    "outcome": ("True outcome", None),
    "pair": ("Groups", "The rate of the first minus that of the second."),
    "gap": ("Gap, points", "Over the test rows of all splits."),
    "interval": ("95 % interval", HELP),
    "single": ("Single splits", "The lowest and the highest that one split says."),
    "training": ("Trained on", "The mean gap on the rows that were trained on."),
    "people": ("People", "Rows of this outcome in the two groups, in the whole table."),
}
