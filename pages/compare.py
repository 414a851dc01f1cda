"""Compare: the rules against other kinds of model, by accuracy, fairness, size and time, and the paper's case study."""

import math
from collections.abc import Sequence
from functools import partial

import streamlit as st

from rugboard.compare import agreement, own_models, readable_view
from rugboard.compare import charts as compare_charts
from rugboard.compare import view as compare_view
from rugboard.compare.case_view import show_case
from rugboard.compare.chances_view import show_chances
from rugboard.compare.imitation_view import show_imitation
from rugboard.compare.job import OUT_OF_DATE
from rugboard.compare.progress import job_of, watch
from rugboard.compare.report import (
    BASELINE,
    KEYS,
    LIGHTGBM,
    ORDER,
    TEST_HELP,
    ModelLine,
    Report,
    in_order,
    with_readable,
)
from rugboard.runs.jobs import CANCELLED, FINISHED, NOTHING_YET, UNREADABLE, JobProgress
from rugboard.runs.plan import FAIR
from rugboard.runs.results import Results
from rugboard.session import applicant_address, page, run_models, state
from rugboard.session.adjustment_notice import show_changes
from rugboard.session.adjustments import allowed_gap
from rugboard.session.applicant_address import DIFFER, DISAGREE
from rugboard.session.job_progress import start
from rugboard.shell import charts
from rugboard.shell.choices import ask_one
from rugboard.shell.formats import counted, points
from rugboard.shell.guard import drawer, guarded
from rugboard.shell.notions import NOTION_NAMES
from rugboard.shell.text import plain
from rugboard.shell.theme import name_of_model

OWN, CASE = "Your model", "Case study: Lending Club"
VIEW, CASE_IN_ADDRESS = "view", "case"
_VISIT = "_compare_visit"
ON_SAMPLE = (
    "All numbers on this page are of the sample, and so is what the other models learn from; only the rules, and the "
    "time that they took, come from all training rows."
)
PEERS = {KEYS[kind]: name_of_model(KEYS[kind]) for kind in ORDER}  # as they are trained


@guarded
def main() -> None:
    page.title("Compare", "The rules against other kinds of model: accuracy, fairness, size and time.")
    if ask_view() == CASE:
        show_case()
    else:
        show_comparison()


def ask_view() -> str:
    """The address decides when the page is opened (`?view=case`), and then says what was chosen."""
    in_address, key = st.query_params.get(VIEW), "compare_view"
    if in_address == CASE_IN_ADDRESS and st.session_state.get(_VISIT) != state.visit():
        st.session_state[key] = CASE
    st.session_state[_VISIT] = state.visit()
    st.session_state.setdefault(key, OWN)
    view = st.segmented_control(
        "What to compare",
        (OWN, CASE),
        required=True,
        key=key,
        persist_state="session",
        label_visibility="collapsed",
    )
    if view == CASE and in_address != CASE_IN_ADDRESS:
        st.query_params[VIEW] = CASE_IN_ADDRESS
    elif view != CASE and in_address is not None:
        del st.query_params[VIEW]
    return str(view or OWN)


def show_comparison() -> None:
    results = page.results_or_stop(on_page=ON_SAMPLE)
    show_changes(results)
    with st.spinner("Measuring the rules …"):
        own = [own_models.baseline_line(results), *own_models.own_lines(results)]
    job = job_of(results.run.id)
    progress, of_readable = job.progress(), readable_view.job_of(results).progress()
    with page.one_at_a_time():
        if progress.is_under_way:
            watch(job, PEERS, lambda report: show_table_so_far(results, own, report))
        else:
            show_all(results, own, progress, of_readable)


def show_table_so_far(results: Results, own: Sequence[ModelLine], report: Report) -> None:
    best = own_models.best_models(results, report)
    compare_view.show_models(results, in_order([*own, *report.lines]), best, key="models_so_far")


def show_all(
    results: Results, own: Sequence[ModelLine], progress: JobProgress[Report], of_readable: JobProgress[Report]
) -> None:
    report = with_readable(progress.report or Report(), of_readable.report or Report())
    lines = in_order([*own, *report.lines])
    show_start(results, progress)
    show_models(results, lines, report)
    readable_view.show_readable(results, of_readable)
    show_chances(results, report)
    show_gaps(results, lines)
    show_importance(results, report)
    show_differences(results, report)
    show_imitation(results)


# -- start and state ---------------------------------------------------------------------------------------


def show_start(results: Results, progress: JobProgress[Report]) -> None:
    """The button, for what is still to be trained; nothing if all is there."""
    report = progress.report or Report()
    if progress.status == FINISHED and len(report.measured) == len(PEERS):
        return
    with st.container(border=True, key="start_comparison"):
        words, button = st.columns([2.6, 1], vertical_alignment="center")
        words.markdown(what_there_is(progress, report))
        label = "Train what is missing" if report.measured else "Compare with other models"
        if button.button(label, type="primary", key="compare", icon=":material/play_arrow:", width="stretch"):
            start(job_of(results.run.id))
            st.rerun()


def what_there_is(progress: JobProgress[Report], report: Report) -> str:
    if progress.status == NOTHING_YET:
        return (
            "Train a logistic regression, a decision tree, a random forest, AdaBoost and LightGBM on the same training "
            "rows, and judge all models on the same test rows."
        )
    if progress.status == UNREADABLE:
        return f":material/update: {OUT_OF_DATE}"
    done = f"{len(report.measured)} of {counted(len(PEERS), 'model')}"
    if progress.status == FINISHED:
        return f":material/error: {done} could be trained; below stands why."
    if progress.status == CANCELLED:
        return f":material/cancel: Cancelled with {done} trained."
    reason = plain(report.error) or "The process that trained them is gone, perhaps because memory or disk were full."
    return f":material/stop_circle: Stopped with {done} trained. {reason}"


# -- the table and its chart -------------------------------------------------------------------------------


@guarded
def show_models(results: Results, lines: Sequence[ModelLine], report: Report) -> None:
    st.subheader("All models on the same test rows", anchor=False)
    baseline, measured = lines[0], [line for line in lines if line.is_measured]
    best = own_models.best_models(results, report)
    said = compare_view.how_sure(baseline, best, len(measured))
    other = run_models.outside_in_words(results)
    seen_by = "no model trained here" if other else "no model"
    st.caption(
        f"{counted(int(results.is_test.sum()), 'row')} that {seen_by} has seen in training. {compare_view.BEST} best, "
        "or not clearly worse; of what there is to read, the least.",
        help=TEST_HELP,
    )
    if said:
        st.markdown(f":material/info: {said}")
    if other:
        st.caption(f"{other} It was not trained here: whether it has seen the test rows is not known.")
    compare_view.show_models(results, lines, best)
    compare_view.show_more_measures(results, lines)
    compare_view.show_table_as_file(results, lines)
    models = [line for line in measured if line.model != BASELINE and not math.isnan(line.size)]
    if len(models) > 1:
        st.subheader("Accuracy against what there is to read", anchor=False)
        st.caption("Up is more often right on test rows, left is shorter to read. A leaf of a tree counts as a rule.")
        figure = compare_charts.accuracy_against_size(models, baseline)
        charts.show(figure, key="compare-accuracy-size", alt="Accuracy of every model against its size")


@guarded
def show_gaps(results: Results, lines: Sequence[ModelLine]) -> None:
    measured = [line for line in lines if line.gaps]
    if not measured:
        return
    notion, epsilon = results.plan.fairness, allowed_gap(results) if FAIR in results.summaries else None
    st.subheader("How far the groups are apart", anchor=False)
    promise = (
        f" FairRUG was asked for “{NOTION_NAMES[notion].lower()}” within {points(epsilon)} on the training rows."
        if epsilon is not None
        else ""
    )
    st.caption(
        f"The largest difference between two groups on the test rows, in {len(NOTION_NAMES)} readings."
        f"{promise} {readable_view.who_else_was_asked(measured, notion)}"
    )
    figure = compare_charts.gaps(measured, notion, epsilon)
    charts.show(figure, key="compare-gaps", alt="Gaps between groups by model, with the limit")
    page.link(page.FAIRNESS, "Intervals and error rates by group", ":material/balance:")


# -- beside LightGBM ---------------------------------------------------------------------------------------


@guarded
def show_importance(results: Results, report: Report) -> None:
    if report.shap is None:
        return
    st.subheader("Which columns matter", anchor=False)
    model = ask_model(results, "importance_model")
    shap = report.shap
    of_which = (
        f"a sample of {shap.n:,} of the {shap.n_total:,} test rows" if shap.is_sample else f"all {shap.n:,} test rows"
    )
    st.caption(
        "How much a column moves the score from one applicant to the next, up or down from its average; measured alike "
        f"for {name_of_model(model)}, over all test rows, and for LightGBM, over {of_which}. Each adds up to 100 %.",
        help="A rule that covers an applicant adds its weight to the score, shared evenly among its columns. What a "
        "column adds, minus its mean over all rows, is what it moves; the bar is the mean of that without its sign. A "
        "rule that covers nearly everybody moves nobody. For LightGBM it is the mean |SHAP| value of the column.",
    )
    table = own_models.importance(results, model, shap)
    names = {
        own_models.RULES: name_of_model(model),
        own_models.SHAP: name_of_model(LIGHTGBM),
    }
    figure = compare_charts.importance(
        table.rename(columns=names), {names[own_models.RULES]: model, names[own_models.SHAP]: LIGHTGBM}
    )
    charts.show(figure, key="compare-importance", alt="Importance of the columns for the rules and for LightGBM")
    if len(table) > compare_charts.MOST_COLUMNS:
        st.caption(f"The first {compare_charts.MOST_COLUMNS} of {len(table)} columns.")
    drawer(
        "Do both name the same columns for the same applicant?",
        "agreement_over_sample",
        partial(agreement.show_agreement, results, model),
    )


@guarded
def show_differences(results: Results, report: Report) -> None:
    others = own_models.others_to_differ_from(results, report)
    if not others:
        return
    st.subheader("Who is decided differently", anchor=False)
    with st.container(horizontal=True):
        model = ask_model(results, "differences_model")
        other = ask_one("Against", others, "differences_other", name_of_model)
    found = own_models.decided_differently(results, model, other, report)
    of_all = f"{len(found.rows):,} of {int(results.is_test.sum()):,}"
    who = f"{name_of_model(model)} and {name_of_model(other)}"
    st.markdown(f"{who} decide **{of_all}** applicants in the test rows differently.")
    if not len(found.rows):
        return
    has_groups = results.data.groups is not None
    compare_view.show_by_group(found.by_group, model, other, has_groups=has_groups)
    with st.expander("What each decides instead"):
        compare_view.show_by_decision(found.by_decision, model, other, has_groups=has_groups)
    if st.button("Look at these applicants one by one", key="to_applicants", icon=":material/person_search:"):
        go_to_applicants(results, model, DISAGREE if other == LIGHTGBM else DIFFER)


def go_to_applicants(results: Results, model: str, queue: str) -> None:
    """Open the queue of those on whom the models disagree, at its beginning."""
    applicant_address.go_through(results, queue)
    st.switch_page(page.APPLICANTS, query_params=page.address() | {"model": model, "queue": queue})


def ask_model(results: Results, key: str) -> str:
    """RUG or FairRUG."""
    names = list(results.summaries)
    return ask_one("Model", names, key, name_of_model, first=names[-1])


main()
