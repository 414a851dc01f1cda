"""Compare: the rules against other kinds of model, by accuracy, fairness, size and time, and the paper's case study."""

from collections.abc import Sequence
from functools import partial

import streamlit as st

from ui import applicant_find, charts, compare_agreement, compare_charts, compare_own, compare_show, page
from ui.compare_case_show import show_case
from ui.compare_job import CANCELLED, FINISHED, NOTHING_YET, Progress
from ui.compare_progress import job_of, watch
from ui.compare_rows import KEYS, LIGHTGBM, Line, Report, in_order
from ui.fairness_show import show_changes
from ui.fairness_standing import epsilon_now
from ui.look import name_of_model
from ui.numbers import counted, points
from ui.page import guarded
from ui.runs.plan import FAIR
from ui.runs.results import Results
from ui.scorecard import NOTION_NAMES
from ui.text import plain

APPLICANTS = "pages/applicants.py"
OWN, CASE = "Your model", "Case study: Lending Club"
PEERS = {model: name_of_model(model) for model in KEYS.values()}


@guarded
def main() -> None:
    page.title("Compare", "The rules against other kinds of model: accuracy, fairness, size and time.")
    view = st.segmented_control(
        "What to compare",
        (OWN, CASE),
        default=OWN,
        required=True,
        key="compare_view",
        persist_state="session",
        label_visibility="collapsed",
    )
    if view == CASE:
        show_case()
    else:
        show_comparison()


def show_comparison() -> None:
    results = page.results_or_stop()
    show_changes(results)
    with st.spinner("Measuring the rules …"):
        own = compare_own.own_lines(results)
    progress = job_of(results.run.id).progress()
    with page.one_at_a_time():
        if progress.is_under_way:
            watch(results.run.id, PEERS, lambda report: show_table_so_far(results, own, report))
        else:
            show_all(results, own, progress)


def show_table_so_far(results: Results, own: Sequence[Line], report: Report) -> None:
    compare_show.show_models(results, in_order([*own, *report.lines]), key="models_so_far")


def show_all(results: Results, own: Sequence[Line], progress: Progress) -> None:
    report = progress.report or Report()
    lines = in_order([*own, *report.lines])
    show_start(results, progress)
    show_models(results, lines)
    show_gaps(results, lines)
    show_importance(results, report)
    show_differences(results, report)


# -- start and state ---------------------------------------------------------------------------------------


def show_start(results: Results, progress: Progress) -> None:
    """The button, for what is still to be trained; nothing if all is there."""
    report = progress.report or Report()
    if progress.status == FINISHED and len(report.measured) == len(PEERS):
        return
    with st.container(border=True, key="start_comparison"):
        words, button = st.columns([2.6, 1], vertical_alignment="center")
        words.markdown(what_there_is(progress, report))
        label = "Train what is missing" if report.measured else "Compare with other models"
        if button.button(label, type="primary", key="compare", icon=":material/play_arrow:", width="stretch"):
            job_of(results.run.id).start()
            st.rerun()


def what_there_is(progress: Progress, report: Report) -> str:
    if progress.status == NOTHING_YET:
        return (
            "Train a logistic regression, a decision tree, a random forest, AdaBoost and LightGBM on the same training "
            "rows, and judge all models on the same test rows."
        )
    done = f"{len(report.measured)} of {counted(len(PEERS), 'model')}"
    if progress.status == FINISHED:
        return f":material/error: {done} could be trained; below stands why."
    if progress.status == CANCELLED:
        return f":material/cancel: Cancelled with {done} trained."
    reason = plain(report.error) or "The process that trained them is gone, perhaps for lack of memory."
    return f":material/stop_circle: Stopped with {done} trained. {reason}"


# -- the table and its chart -------------------------------------------------------------------------------


@guarded
def show_models(results: Results, lines: Sequence[Line]) -> None:
    st.subheader("All models on the same test rows", anchor=False)
    n_test, measured = int(results.is_test.sum()), [line for line in lines if line.is_measured]
    st.caption(
        f"{counted(n_test, 'row')} that no model has seen in training, so every share of right decisions is known to "
        f"about ± {points(compare_show.uncertainty(measured, n_test))}. {compare_show.BEST} marks the best value."
    )
    compare_show.show_models(results, lines)
    compare_show.show_more_measures(lines)
    compare_show.show_table_as_file(results, lines)
    if len(measured) > 1:
        st.subheader("Accuracy against what there is to read", anchor=False)
        st.caption("Up is more accurate, left is shorter to read. A rule counts as one, and so does a leaf of a tree.")
        figure = compare_charts.accuracy_against_size(measured)
        charts.show(figure, key="compare-accuracy-size", alt="Accuracy of every model against its size")


@guarded
def show_gaps(results: Results, lines: Sequence[Line]) -> None:
    measured = [line for line in lines if line.gaps]
    if not measured:
        return
    notion, epsilon = results.plan.fairness, epsilon_now(results)
    st.subheader("How far the groups are apart", anchor=False)
    promise = (
        f" FairRUG was asked for “{NOTION_NAMES[notion].lower()}” within {points(epsilon)} on the training rows."
        if FAIR in results.summaries
        else ""
    )
    st.caption(
        "The largest difference between two groups in the share decided wrongly, on the test rows, in three readings."
        f"{promise} The other models were not asked for anything."
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
        f"For {name_of_model(model)}, the weight of the rules that ask about a column, times the share of test rows "
        f"they cover. For LightGBM, the mean |SHAP| value of the column over {of_which}. Each adds up to 100 %.",
        help="SHAP values say how much a column moves the output of LightGBM for one row, up or down. The two are not "
        "the same measure; what can be compared is which columns come first.",
    )
    table = compare_own.importance(results, model, shap)
    names = {compare_own.RULES: f"{name_of_model(model)}: rule weight", compare_own.SHAP: "LightGBM: mean |SHAP|"}
    figure = compare_charts.importance(
        table.rename(columns=names), {names[compare_own.RULES]: model, names[compare_own.SHAP]: LIGHTGBM}
    )
    charts.show(figure, key="compare-importance", alt="Importance of the columns for the rules and for LightGBM")
    if len(table) > compare_charts.MOST_COLUMNS:
        st.caption(f"The first {compare_charts.MOST_COLUMNS} of {len(table)} columns.")
    page.drawer(
        "Do both name the same columns for the same applicant?",
        "agreement_over_sample",
        partial(compare_agreement.show_agreement, results, model),
        ":material/compare_arrows:",
    )


@guarded
def show_differences(results: Results, report: Report) -> None:
    if not report.decisions:
        return
    st.subheader("Who is decided differently", anchor=False)
    model = ask_model(results, "differences_model")
    found = compare_own.decided_differently(results, model, report)
    st.markdown(
        f"{name_of_model(model)} and LightGBM decide **{len(found.rows):,} of {len(report.decisions):,}** applicants "
        "in the test rows differently."
    )
    if not len(found.rows):
        return
    has_groups = results.data.groups is not None
    compare_show.show_by_group(found.by_group, model, has_groups=has_groups)
    with st.expander("What each decides instead", icon=":material/table:"):
        compare_show.show_by_decision(found.by_decision, model, has_groups=has_groups)
    if st.button("Look at these applicants one by one", key="to_applicants", icon=":material/person_search:"):
        go_to_applicants(results, model)


def go_to_applicants(results: Results, model: str) -> None:
    """Open the queue of those on whom the models disagree, at its beginning."""
    applicant_find.go_through(results, applicant_find.DISAGREE)
    st.switch_page(APPLICANTS, query_params=page.address() | {"model": model, "queue": applicant_find.DISAGREE})


def ask_model(results: Results, key: str) -> str:
    """RUG or FairRUG; nothing to ask if there is one."""
    names = list(results.summaries)
    if len(names) == 1:
        return names[0]
    chosen = st.segmented_control(
        "Model",
        names,
        default=names[-1],
        required=True,
        format_func=name_of_model,
        key=key,
        persist_state="session",
        label_visibility="collapsed",
    )
    return str(chosen or names[-1])


main()
