"""Runs: every model that was trained or kept with its rules, accuracy and gap, and two of them side by side."""

import pandas as pd
import streamlit as st

from rugboard.past_runs import view
from rugboard.past_runs.comparison import PastModel, SideBySide
from rugboard.past_runs.words import gap_in_words
from rugboard.runs.records import ModelSummary, Run
from rugboard.session import page, server, state
from rugboard.shell.formats import NOTHING, ago, percent, whole
from rugboard.shell.guard import guarded
from rugboard.shell.text import brief
from rugboard.shell.theme import name_of_model
from rugcore.errors import InputError

LIST_HEIGHT = 300  # pixels
FIRST, SECOND = "first", "second"  # the names in the address
Choice = tuple[Run, str, ModelSummary]  # a run, one of its models, and what that is worth


@guarded
def main() -> None:
    page.title("Runs", "Every model with its rules, accuracy and gap; two of them side by side.")
    choices = all_models()
    if not choices:
        page.empty_state("No model yet. Choose data and train one; the demo takes a few seconds.", page.START, "Start")
        return
    show_all(choices)
    st.subheader("Two side by side", anchor=False)
    if len(choices) < 2:
        st.caption("There is one model so far. Train another, or keep a re-weighted one on the page Rules.")
        return
    pair = ask_pair(choices)
    if pair is not None:
        with st.spinner("Opening both runs …"):
            view.show(pair)


def all_models() -> dict[str, Choice]:
    """By the name in the address, the newest first; a run whose plan is damaged cannot be opened."""
    store = server.store()
    found: dict[str, Choice] = {}
    for run in store.runs():
        try:
            _ = run.plan
        except InputError:
            continue
        found |= {f"{run.id}:{name}": (run, name, summary) for name, summary in store.summaries(run.id).items()}
    return found


def show_all(choices: dict[str, Choice]) -> None:
    frame = pd.DataFrame([line_of(run, name, summary) for run, name, summary in choices.values()])
    st.dataframe(
        frame,
        key="all_runs",
        hide_index=True,
        height=LIST_HEIGHT if len(frame) > 7 else "content",
        column_config={
            "Rules": st.column_config.NumberColumn(format="%d", width=70),
            "Right decisions": st.column_config.TextColumn(
                help="Accuracy on the rows that the training did not see, and how many these are."
            ),
            "Largest gap": st.column_config.TextColumn(
                help="The largest difference in error rates between two groups, on the same rows. "
                f"{NOTHING}: the run has no groups, or was trained before this was kept."
            ),
        },
        alt="All models",
    )
    st.caption("Open, rename or delete a run on the page Start.")


def line_of(run: Run, name: str, summary: ModelSummary) -> dict[str, object]:
    origin = run.plan.origin
    return {
        "Run": run.name,
        "Model": name_of_model(name),
        "Rules": summary.rules,
        "Right decisions": f"{percent(summary.test_accuracy)} of {whole(summary.test_rows)}",
        "Largest gap": NOTHING if summary.test_gap is None else gap_in_words(summary.test_gap),
        "Data": brief(run.plan.data_name, 40),
        "Kept from": "" if origin is None else brief(origin.name, 40),
        "When": ago(run.ended or run.created),
    }


def ask_pair(choices: dict[str, Choice]) -> SideBySide | None:
    names = list(choices)
    first_default, second_default = defaults(choices)
    left, right = st.columns(2)
    with left:
        first = ask("First", names, FIRST, first_default, choices)
    with right:
        second = ask("Second", names, SECOND, second_default, choices)
    if first == second:
        st.caption("Choose two different models.")
        return None
    return SideBySide(opened(choices[first]), opened(choices[second]))


def ask(label: str, names: list[str], word: str, default: str, choices: dict[str, Choice]) -> str:
    """The address decides when the page is opened, and then says what was chosen."""
    key, in_address = f"runs_{word}", st.query_params.get(word)
    if st.session_state.get(key) not in names:
        st.session_state[key] = in_address if in_address in names else default
    chosen = st.selectbox(
        label, names, format_func=lambda name: words_for(choices[name]), key=key, persist_state="session"
    )
    if in_address != chosen:
        st.query_params[word] = chosen
    return str(chosen)


def words_for(choice: Choice) -> str:
    run, name, summary = choice
    return f"{name_of_model(name)} · {brief(run.name, 60)} · {summary.rules} rules · {ago(run.ended or run.created)}"


def defaults(choices: dict[str, Choice]) -> tuple[str, str]:
    """The run that is looked at, and the one it was kept from, or else the next one on the same data."""
    names = list(choices)
    first = next((name for name in names if choices[name][0].id == state.run_id()), names[0])
    run, model, _ = choices[first]
    origin = run.plan.origin
    if origin is not None and f"{origin.run}:{model}" in choices:
        return f"{origin.run}:{model}", first
    others = [name for name in names if name != first]
    alike = [name for name in others if choices[name][0].snapshot == run.snapshot and choices[name][0].id != run.id]
    return first, (alike or others)[0]


def opened(choice: Choice) -> PastModel:
    run, name, _ = choice
    return PastModel(server.results(run.id), name)


main()
