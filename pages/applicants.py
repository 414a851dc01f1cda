"""Applicants: one at a time, the decision, its reasons in rules and in SHAP values, and what would change it."""

import streamlit as st

from rugboard.applicants import advice, cached, decision_card, marks, reasons, search, shap_values, what_if
from rugboard.applicants.cached import Case, ChosenModel
from rugboard.applicants.search import ApplicantQueue
from rugboard.runs.results import Results
from rugboard.session import adjustments, lightgbm, page
from rugboard.shell import fields
from rugboard.shell.guard import guarded
from rugboard.shell.theme import name_of_model
from rugcore.comparison import ShapExplanation

MODEL = "model"  # the name in the address


@guarded
def main() -> None:
    lightgbm.warm_up()
    page.title("Applicants", "One applicant at a time: the decision, its reasons, and what would change it.")
    results = page.results_or_stop()
    chosen = ask_model(results)
    queue = search.find(chosen)
    if queue.row is None:
        return
    case = cached.case_of(chosen, queue.row)
    decision_card.show_card(case, search.name_of(results, queue.row, queue.id_column), marks.reasons_of(case))
    shap = show_both_explanations(case)
    show_changes_and_reasons(case, shap, queue)


def ask_model(results: Results) -> ChosenModel:
    """Which model decides, as the visitor has set it on the page Rules."""
    names = list(results.summaries)
    name = ask_name(results, names) if len(names) > 1 else names[0]
    change = adjustments.current(results.run.id, name)
    if change.is_any:
        st.caption(
            f":material/tune: {name_of_model(name)} as you have set it on the page Rules, not as it was trained."
        )
    return ChosenModel(results, name, change)


def ask_name(results: Results, names: list[str]) -> str:
    """The address decides when the page is opened, and then says what was chosen."""
    key = f"applicants_model_{results.run.id}"
    in_address = st.query_params.get(MODEL)
    st.session_state.setdefault(key, in_address if in_address in names else names[0])
    name = st.segmented_control(
        "Model",
        names,
        required=True,
        format_func=name_of_model,
        key=key,
        persist_state="session",
        label_visibility="collapsed",
    )
    name = str(name or names[0])
    if (in_address or names[0]) != name:
        st.query_params[MODEL] = name
    return name


def show_both_explanations(case: Case) -> ShapExplanation:
    rules, black_box = st.columns(2, gap="large")
    with rules:
        st.subheader("What the rules say", anchor=False)
        decision_card.show_sides(case)
        agreement = st.container()
    with black_box:
        st.subheader("What LightGBM says", anchor=False)
        with st.spinner("Training LightGBM on the same rows, once for this run …"):
            shap = shap_values.explained(case)
        shap_values.show_shap(case, shap)
    with agreement:
        shap_values.show_agreement(case, shap)
    return shap


@st.fragment
@guarded
def show_changes_and_reasons(case: Case, shap: ShapExplanation, queue: ApplicantQueue) -> None:
    """Runs alone when a value is changed, so that the answer is there at once.

    The files at the end say what is marked and worded here, so that they are drawn together with it.
    """
    show_changes(case)
    show_reasons(case, shap, queue)
    fields.have_arrived()


def show_changes(case: Case) -> None:
    st.subheader("What would change the decision", anchor=False)
    proposals, fields = st.columns([1, 1.35], gap="large")
    with proposals:
        st.markdown("**What this applicant could do**")
        advice.show_advice(case)
    with fields:
        st.markdown("**What if?**")
        answer = st.container(key="whatif_verdict")  # stays in view: see theme.css
        cells = what_if.ask_cells(case)
        names = what_if.changed(case, cells)
        if refused := what_if.refusals(case, cells, names):
            with answer:
                what_if.show_refused(case, refused)
            return
        now = what_if.turn(case, cells)
        with answer:
            what_if.show_answer(case, now, names, cells)
        if names:
            what_if.show_difference(case, now, cells)


def show_reasons(case: Case, shap: ShapExplanation, queue: ApplicantQueue) -> None:
    st.subheader("Reasons in plain words", anchor=False)
    reasons.show_reasons(case)
    reasons.show_files(case, shap, queue.rows, queue.id_column)


main()
