"""New cases: people whom the model has not seen, decided one by one in a form or many from a file."""

import streamlit as st

from rugboard.new_cases import answer, file_view, form, monitor_view
from rugboard.new_cases.deciding import Decider
from rugboard.runs.results import Results
from rugboard.session import adjustments, page
from rugboard.shell.choices import ask_one
from rugboard.shell.guard import guarded
from rugboard.shell.text import plain
from rugboard.shell.theme import name_of_model

ONE, MANY, NEWER = "One person", "A file of people", "Newer people"


@guarded
def main() -> None:
    page.title("New cases", "Decide on people whom the model has not seen.")
    results = page.results_or_stop()
    with st.container(horizontal=True, vertical_alignment="center"):
        decider = ask_model(results)
        way = ask_one("Who", [ONE, MANY, NEWER], "new_cases_way")
        icon = ":material/tune:" if decider.change.is_any else ":material/check:"
        st.caption(f"{icon} {plain(decider.words)} decides.", width="content")
    if not len(decider.model.rules_):
        st.info("This model has no rules to decide by. Lower the price of a rule on the page Rules.")
    elif way == MANY:
        file_view.show(decider)
    elif way == NEWER:
        monitor_view.show(decider)
    else:
        show_form(decider)


def ask_model(results: Results) -> Decider:
    """Which model decides, as the visitor has set it on the page Rules."""
    names = list(results.summaries)
    name = ask_one("Model", names, "new_cases_model", name_of_model)
    return Decider.of(results, name, adjustments.current(results.run.id, name))


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
