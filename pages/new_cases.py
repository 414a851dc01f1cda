"""New cases: people whom the model has not seen, decided one by one in a form or many from a file."""

import streamlit as st

from rugboard.new_cases import answer, file_view, form
from rugboard.new_cases.deciding import Decider
from rugboard.runs.results import Results
from rugboard.session import adjustments, page
from rugboard.shell.guard import guarded
from rugboard.shell.text import plain
from rugboard.shell.theme import name_of_model

ONE, MANY = "One person", "A file of people"


@guarded
def main() -> None:
    page.title("New cases", "Decide on people whom the model has not seen.")
    results = page.results_or_stop()
    decider = ask_model(results)
    if not len(decider.model.rules_):
        st.info(
            "This model has no rules, so there is nothing to decide by. Lower the price of a rule on the page Rules."
        )
        return
    way = st.segmented_control(
        "Who",
        [ONE, MANY],
        default=ONE,
        required=True,
        key="new_cases_way",
        persist_state="session",
        label_visibility="collapsed",
    )
    if way == MANY:
        file_view.show(decider)
    else:
        show_form(decider)


def ask_model(results: Results) -> Decider:
    """Which model decides, as the visitor has set it on the page Rules."""
    names = list(results.summaries)
    name = names[0]
    if len(names) > 1:
        chosen = st.segmented_control(
            "Model",
            names,
            default=name,
            required=True,
            format_func=name_of_model,
            key="new_cases_model",
            persist_state="session",
            label_visibility="collapsed",
        )
        name = str(chosen or name)
    decider = Decider.of(results, name, adjustments.current(results.run.id, name))
    icon = ":material/tune:" if decider.change.is_any else ":material/check:"
    st.caption(f"{icon} {plain(decider.words)} decides.")
    return decider


@st.fragment
@guarded
def show_form(decider: Decider) -> None:
    """Runs alone when a value is given, so that the answer is there at once."""
    place = st.container()
    values = form.ask(decider)
    with place:
        answer.show(decider, values)
    st.caption("What you fill in is not stored: it is gone when you leave this page.")


main()
