"""Rules that imitate the other model, on the page Compare: a button, the progress, how true they are, and the rules."""

import pandas as pd
import streamlit as st

from rugboard.compare.imitation_job import ImitationJob, ImitationReport
from rugboard.runs.jobs import JobProgress
from rugboard.runs.results import Results
from rugboard.session import server
from rugboard.session.job_progress import how_it_ended, lost, start, watch_job
from rugboard.session.page import one_at_a_time
from rugboard.shell import tables
from rugboard.shell.downloads import file_part, show_file, to_csv
from rugboard.shell.formats import counted, percent
from rugboard.shell.guard import guarded
from rugboard.shell.tables import show_table
from rugboard.shell.text import named, value_in_words
from rugcore.outside_models import Fidelity

HELP = (
    "The rows are parted in five. Rules are learned from four parts and asked about the fifth, each part in turn: so "
    "nobody is counted whom the rules were learned from. Intervals are Wilson's, 95 %."
)
READING = (
    "These rules are a reading of the other model, not that model: they hold as far as the two agree, and say what it "
    "decides, not why."
)


def job_of(results: Results) -> ImitationJob:
    return ImitationJob(server.store().home, results.run.id)


@guarded
def show_imitation(results: Results) -> None:
    """Nothing for a run that knows no other model."""
    if results.data.outside is None:
        return
    st.subheader("Rules that imitate the other model", anchor=False)
    job = job_of(results)
    progress = job.progress()
    with one_at_a_time():
        if progress.is_under_way:
            with st.container(border=True, key="imitation_progress"):
                watch_job(job, "imitation", headline, lambda report: report.share)
            return
        if progress.report is None or not progress.report.is_found:
            show_start(results, job, progress)
        else:
            show_found(results, progress.report)


def headline(report: ImitationReport) -> str:
    if not report.n_all:
        return "Reading what it decided"
    return f"Learning from what it decided: training {report.n_done + 1} of {report.n_all}"


def show_start(results: Results, job: ImitationJob, progress: JobProgress[ImitationReport]) -> None:
    with st.container(border=True, key="start_imitation"):
        words, button = st.columns([2.6, 1], vertical_alignment="center")
        words.markdown(what_there_is(results, progress), help=HELP)
        if button.button("Learn rules that imitate it", key="imitate", icon=":material/play_arrow:", width="stretch"):
            start(job)
            st.rerun()


def what_there_is(results: Results, progress: JobProgress[ImitationReport]) -> str:
    if ended := how_it_ended(progress, "before the rules were learned"):
        return ended
    column = named(results.plan.outside.column if results.plan.outside is not None else "")
    return f"{lost(progress)}**Can it be read?** Learn rules from what {column} decided, and see how often they agree."


def show_found(results: Results, report: ImitationReport) -> None:
    found = report.measured
    st.markdown(in_words(found, len(report.rule_set)), help=HELP)
    if says_little(found):
        st.warning(
            "That is not clearly more than giving everybody its most common decision: these rules say little about it. "
            "Train with longer or more rules.",
            icon=":material/warning:",
        )
    show_table(fidelity_table(found), HEADINGS, "fidelity", "How often rules and the other model agree")
    st.caption(READING)
    rules = list(report.rule_set)
    if rules:
        tables.show_rules(rules, tables.heaviest(rules), "imitation_rules")
    name = file_part(results.run.name)
    with st.container(horizontal=True):
        table = to_csv(report.rule_set.to_frame())
        show_file("These rules as CSV", table, f"{name}-imitation.csv", "imitation_csv", kind="tertiary")
        agreement = to_csv(found.to_frame())
        show_file("Agreement as CSV", agreement, f"{name}-fidelity.csv", "fidelity_csv", kind="tertiary")


def in_words(found: Fidelity, n_rules: int) -> str:
    """How true the rules are, and what there is to beat."""
    line = found.overall
    return (
        f"{counted(n_rules, 'rule')} to imitate it. Rules learned in the same way from other people decide as it does "
        f"for **{percent(line['rate'])}** of {int(line['n']):,} people ({percent(line['lower'])} to "
        f"{percent(line['upper'])}). Its most common decision for everybody would agree for "
        f"{percent(found.always_usual)}."
    )


def says_little(found: Fidelity) -> bool:
    """Whether the rules are not clearly better than no rules."""
    return bool(found.overall["lower"] <= found.always_usual)


HEADINGS: dict[str, tuple[str, str | None]] = {
    "who": ("Whom", None),
    "n": ("People", None),
    "agree": ("Decided alike", None),
    "rate": ("Share", "With the 95 % interval."),
}


def fidelity_table(found: Fidelity) -> pd.DataFrame:
    """By what the other model decides, and by group."""
    by_class = [(f"decided {value_in_words(label)}", line) for label, line in found.by_class.iterrows()]
    by_group = [] if found.by_group is None else [(str(name), line) for name, line in found.by_group.iterrows()]
    lines = [("everybody", found.overall), *by_class, *by_group]
    return pd.DataFrame(
        [
            {
                "who": who,
                "n": f"{int(line['n']):,}",
                "agree": f"{int(line['agree']):,}",
                "rate": f"{percent(line['rate'])} ({percent(line['lower'])} to {percent(line['upper'])})",
            }
            for who, line in lines
        ]
    )
