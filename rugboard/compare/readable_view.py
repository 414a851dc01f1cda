"""Models that can be read whole, on the page Compare: a button, the progress, and every one of them word for word."""

from collections.abc import Sequence

import streamlit as st

from rugboard.compare import readable
from rugboard.compare.charts import size_in_words
from rugboard.compare.job import ReadableJob
from rugboard.compare.progress import watch
from rugboard.compare.report import ModelLine, Report
from rugboard.runs.jobs import NOTHING_YET, JobProgress
from rugboard.runs.results import Results
from rugboard.session import server
from rugboard.session.job_progress import how_it_ended, lost, start
from rugboard.session.page import one_at_a_time
from rugboard.shell.formats import counted, percent
from rugboard.shell.guard import guarded
from rugboard.shell.notions import NOTION_NAMES
from rugboard.shell.text import plain, value_in_words
from rugboard.shell.theme import name_of_model
from rugcore.rules import Rule, RuleSet

WHAT_THEY_ARE = (
    "A **short list** is a list of and-rules, any of which is enough. A **small tree** asks two or three questions, "
    "one after the other. Nothing is weighed or added up: such a model can be learned by heart, and is often a little "
    "less accurate."
)
EXPLAINED = {
    readable.LIST: "Column generation over all rules of up to three conditions (CG: Dash, Günlük and Wei 2018).",
    readable.FAIR_LIST: "The same with a bound on the gap between groups (FairCG: Lawless and Günlük 2021).",
    readable.BINOCT: "An integer program over all trees of two questions (BinOCT: Verwer and Zhang 2019).",
    readable.GOSDT: "A search over all trees of three questions, each leaf with its price (GOSDT: Lin et al. 2020).",
    readable.STREED: "A search over all trees of three questions (STreeD: van der Linden et al. 2023).",
    readable.FAIR_TREE: "The same within a bound on the gap between two groups.",
}


def job_of(results: Results) -> ReadableJob:
    return ReadableJob(server.store().home, results.run.id)


@guarded
def show_readable(results: Results, progress: JobProgress[Report]) -> None:
    st.subheader("Models that can be read whole", anchor=False)
    st.caption(WHAT_THEY_ARE)
    models = [model for model in readable.offered(results) if readable.is_installed(model)]
    with one_at_a_time():
        if progress.is_under_way:
            by_key = {model: name_of_model(model) for model in models}
            watch(job_of(results), by_key, lambda _: None, key="readable")
            return
        report = progress.report or Report()
        _show_start(results, progress, report, models)
        for line in report.measured:
            _show_model(results, line)
    if missing := [model for model in readable.offered(results) if not readable.is_installed(model)]:
        names = " and ".join(name_of_model(model) for model in missing)
        st.caption(f"{names} can stand here, too: `pip install 'rug-dashboard[trees]'` on the server.")


def _show_start(results: Results, progress: JobProgress[Report], report: Report, models: list[str]) -> None:
    if len(report.measured) == len(models):
        return
    with st.container(border=True, key="start_readable"):
        words, button = st.columns([2.6, 1], vertical_alignment="center")
        words.markdown(_what_there_is(progress, report, models))
        label = "Train what is missing" if report.measured else "Train models to read"
        if button.button(label, key="train_readable", icon=":material/play_arrow:", width="stretch"):
            start(job_of(results))
            st.rerun()


def _what_there_is(progress: JobProgress[Report], report: Report, models: list[str]) -> str:
    done = f"with {len(report.measured)} of {counted(len(models), 'model')} trained"
    if ended := how_it_ended(progress, done):
        return ended
    if progress.status == NOTHING_YET or not report.lines:
        names = ", ".join(name_of_model(model) for model in models)
        return f"{lost(progress)}{names}: up to {readable.SECONDS} seconds each."
    return f":material/error: {done[5:].capitalize()}; below the table of all models stands why."


# -- one model ---------------------------------------------------------------------------------------------


def _show_model(results: Results, line: ModelLine) -> None:
    rules = RuleSet.from_json(line.rules)
    title = f"{line.name}: {size_in_words(line)}, {percent(line.accuracy)} right"
    with st.expander(title, key=f"readable_{line.model}"):
        st.markdown(list_in_words(results, rules) if line.model in readable.LISTS else tree_in_words(rules))
        st.caption(f"{_asked(results, line.model)}{plain(line.note)}", help=EXPLAINED[line.model])


def list_in_words(results: Results, rules: RuleSet) -> str:
    """Whom the list is for, every rule in a line, and what becomes of all others."""
    if not len(rules):
        return "No rule is worth its place in the list: everybody is decided alike."
    label = rules[0].label
    (other,) = [outcome for outcome in results.outcomes if outcome != label]
    head = f"**{_said(label)}**, if {'at least one of these holds' if len(rules) > 1 else 'this holds'}:"
    lines = [f"{number}. {plain(rule)} {_reach(rule)}" for number, rule in enumerate(rules, start=1)]
    return "\n".join([head, "", *lines, "", f"Everybody else: **{_said(other)}**."])


def tree_in_words(rules: RuleSet) -> str:
    """A line for every leaf; exactly one of them holds."""
    lines = [f"{number}. {plain(rule)}: **{_said(rule.label)}** {_reach(rule)}" for number, rule in enumerate(rules, 1)]
    return "\n".join(["Exactly one of these holds:" if len(rules) > 1 else "It asks nothing:", "", *lines])


def _said(label: object) -> str:
    return plain(value_in_words(label))


def _reach(rule: Rule) -> str:
    return f":gray[({percent(rule.coverage)} of people, right for {percent(rule.precision)} of them)]"


def who_else_was_asked(lines: Sequence[ModelLine], notion: str) -> str:
    """Of models beside FairRUG."""
    asked = [line.name for line in lines if line.model in readable.NOTIONS]
    if not asked:
        return "The other models were not asked for anything."
    names, were = " and ".join(f"“{name}”" for name in asked), "were" if len(asked) > 1 else "was"
    words = NOTION_NAMES[notion].lower()
    return f"{names} {were} asked for “{words}” on the training rows, too; the other models for nothing."


def _asked(results: Results, model: str) -> str:
    """What a fair one was asked for, on the training rows."""
    if model not in readable.NOTIONS:
        return ""
    return f"Asked for “{NOTION_NAMES[results.plan.fairness].lower()}” on the training rows. "
