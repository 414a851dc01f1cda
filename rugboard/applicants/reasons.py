"""Reasons in plain words, their wording, and the files to take home."""

from dataclasses import replace
from datetime import date

import numpy as np
import pandas as pd
import streamlit as st

from rugboard.applicants import cached, saved
from rugboard.applicants import marks as applicant_marks
from rugboard.applicants.cached import Case
from rugboard.applicants.marks import Marks, reasons_of
from rugboard.runs.results import Results
from rugboard.session import explainers
from rugboard.session.adjusted_models import model_id
from rugboard.session.dictionaries import dictionary_of, expected_directions, keep_dictionary, never_named
from rugboard.session.expectations import faring_well
from rugboard.shell.downloads import show_file, to_csv
from rugboard.shell.formats import counted
from rugboard.shell.text import brief, listed, named, plain, value_in_words
from rugboard.shell.theme import colour_of_class, name_of_model
from rugcore.comparison import ShapExplanation
from rugcore.errors import InputError
from rugcore.explanations import (
    DEFAULT_WORDING,
    LEFT_OPEN,
    ColumnWording,
    Reason,
    Reasons,
    Wording,
    applicant_sheet,
    check_template,
    reasons_table,
)

FINDINGS = {
    "high": "when high",
    "low": "when low",
    "middle": "when lower and higher would both help",
    "value": "when it has a certain value",
    "missing": "when missing",
    "known": "when known",
    "special": "when it has a special code",
}
LARGEST_WORDING = 1_000_000  # characters of a file
_READ = "_wording_read"


# -- wording -----------------------------------------------------------------------------------------------


def wording_of(results: Results) -> Wording:
    """As the dictionary has it; for columns that it says nothing of, as an earlier version kept it with the run."""
    try:
        earlier = Wording.from_json(saved.read(results, saved.WORDING) or "{}")
    except InputError:  # the file is damaged
        earlier = Wording()
    return Wording({**earlier.columns, **dictionary_of(results).wording().columns})


def keep_wording(results: Results, new: Wording) -> None:
    """In the dictionary, so that the next training knows it too."""
    dictionary = dictionary_of(results)
    for shown, texts in new.columns.items():
        name = dictionary.raw_name(shown)
        dictionary = dictionary.with_entry(name, replace(dictionary.entry(name), wording=texts))
    keep_dictionary(results, dictionary)


def reworded(wording: Wording, column: str, finding: str, text: str) -> Wording:
    own = replace(wording.columns.get(column, ColumnWording()), **{finding: text.strip()})  # type: ignore[arg-type]
    return Wording({**wording.columns, column: own})


# -- on the screen -----------------------------------------------------------------------------------------


def show_reasons(case: Case) -> None:
    found = reasons_of(case, wording=wording_of(case.results))
    if found.status == "favourable":
        st.caption("The decision is favourable: there is nothing to give reasons for.")
    elif found.status == "manual review":
        st.warning(
            f"Needs manual review. {plain(found.why)} {for_a_person(found)}",
            icon=":material/person_alert:",
        )
    else:
        compared = plain(explainers.compared_with(*case.chosen.adjusted).words)
        st.caption(
            f"Compared with {compared}; the weightiest first. Each of these, changed alone to what some of those "
            "people have, would raise the score. Copy with the button on it."
        )
        st.code(str(found), language=None, wrap_lines=True)
        if found.left_out:
            st.caption(not_told(found))
        ask_wording(case, found)


def not_told(found: Reasons) -> str:
    """What else speaks against the applicant, for whoever signs the letter."""
    return (
        f"Not among them: {listed(found.left_out)}, {LEFT_OPEN}. Say on the page "
        "Data whether more of it should help or harm, and train with directions; then it can be told."
    )


def for_a_person(found: Reasons) -> str:
    """What to do where there are no reasons to send."""
    return "Do not send it: let a person decide." if found.doubtful else "No reason is invented."


def ask_wording(case: Case, found: Reasons) -> None:
    with st.expander("Change the wording"):
        st.caption(
            "For all runs on such a table. {column} stands for the name of the column, {value} "
            "for the applicant's value. Leave a field empty for the usual words."
        )
        for reason in found.reasons:
            ask_words(case.results, reason)
        keep, read = st.columns(2, vertical_alignment="bottom")
        with keep:
            show_file("Wording as JSON", wording_of(case.results).to_json(), "wording.json", "wording_json")
        with read:
            read_wording(case.results)


def ask_words(results: Results, reason: Reason) -> None:
    key = f"wording_{results.run.id}_{reason.finding}_{reason.column}"
    own = wording_of(results).columns.get(reason.column, ColumnWording())
    text = st.text_input(
        f"{named(reason.column)} {FINDINGS[reason.finding]}",
        value=getattr(own, reason.finding),
        placeholder=getattr(DEFAULT_WORDING, reason.finding),
        key=key,
        on_change=_reword,
        args=(results, reason, key),
    )
    if refusal := refused(text):
        st.error(plain(refusal), icon=":material/error:")


def refused(text: str) -> str:
    """Why a text cannot be a wording; nothing if it can."""
    try:
        check_template(text)
    except InputError as error:
        return str(error)
    return ""


def _reword(results: Results, reason: Reason, key: str) -> None:
    text = str(st.session_state.get(key, ""))
    if not refused(text):
        keep_wording(results, reworded(wording_of(results), reason.column, reason.finding, text))


def read_wording(results: Results) -> None:
    file = st.file_uploader("Read a wording", type="json", key=f"wording_file_{results.run.id}", max_upload_size=1)
    if file is None or st.session_state.get(_READ) == file.file_id:
        return
    st.session_state[_READ] = file.file_id
    try:
        keep_wording(results, Wording.from_json(file.getvalue()[:LARGEST_WORDING].decode("utf-8-sig")))
    except (InputError, UnicodeDecodeError) as error:
        st.error(plain(error) if isinstance(error, InputError) else "Expected a wording as JSON, but it is not text.")
        return
    for name in [str(key) for key in st.session_state if str(key).startswith(f"wording_{results.run.id}_")]:
        del st.session_state[name]
    st.rerun()


# -- files -------------------------------------------------------------------------------------------------


def show_files(case: Case, shap: ShapExplanation, line: np.ndarray, id_column: str | None) -> None:
    """The files are made at the click, when nobody's session is there: all that they say is taken up here."""
    results = case.results
    wording, marks = wording_of(results), applicant_marks.marks_of(results)
    with st.container(horizontal=True, vertical_alignment="center"):
        show_file(
            "This applicant as one page",
            lambda: sheet(case, shap, id_column, wording, marks),
            f"applicant-{case.number}.html",
            "sheet",
            help_text="Decision, how sure it is, reasons, what would change it, all rules and values; opens offline.",
        )
        show_file(
            f"Reasons of {counted(len(line), 'applicant')} as CSV",
            lambda: to_csv(reasons_frame(case, line, id_column, wording)),
            "reasons.csv",
            "reasons_csv",
            disabled=not len(line),
            help_text="One line for everybody in the list above, with the wording as it is now.",
        )


def reasons_frame(case: Case, line: np.ndarray, id_column: str | None, wording: Wording) -> pd.DataFrame:
    results = case.results
    numbers = (results.data.rows[line] + 1).tolist()
    own = numbers if id_column is None else cached.ids(results, id_column)[line].tolist()
    frame = reasons_table(
        case.chosen.model,
        results.data.X.iloc[line],
        case.chosen.favourable,
        background=results.X_train,
        wording=wording,
        sensitive=never_named(results),
        directions=expected_directions(results),
        faring_well=faring_well(results, case.chosen.model),
        sure=cached.confidences(case.chosen, line),
        ids=own,
        only_unfavourable=False,
    )
    return frame if id_column is None else frame.assign(row=numbers)


def sheet(case: Case, shap: ShapExplanation, id_column: str | None, wording: Wording, marks: Marks) -> str:
    chosen = case.chosen
    own = "" if id_column is None else f", {id_column} {cached.ids(case.results, id_column)[case.row]}"
    is_favourable = case.explanation.decision == chosen.favourable
    return applicant_sheet(
        case.explanation,
        title="Why this decision?",
        applicant=f"Applicant {case.number}{own}",
        cells=case.cells_to_show,
        shap=shap,
        flips=None if is_favourable else applicant_marks.flips_of(case, marks),
        unsaid=applicant_marks.unsaid(case.results, chosen.model.rules_.features(), marks),
        reasons=reasons_of(case, wording=wording),
        compared_with=explainers.compared_with(*chosen.adjusted).words,
        confidence=cached.confidence(case),
        n_people=case.n_people,
        usual=case.usual,
        hidden=never_named(case.results),
        note=note(case),
        marks={"Run": case.results.run.id, "Model": model_id(chosen.model)},
        colours={label: colour_of_class(label, chosen.classes, chosen.favourable) for label in chosen.classes},
    )


def note(case: Case) -> str:
    reweighted = ", re-weighted" if case.chosen.change.is_any else ""
    outcome = brief(value_in_words(case.outcome), 30)
    return (
        f"{name_of_model(case.chosen.name)}{reweighted} · {case.results.run.name} · outcome in the data: {outcome} · "
        f"{date.today().isoformat()}"
    )
