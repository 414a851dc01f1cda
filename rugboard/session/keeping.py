"""A button that keeps the models as a visitor has set them, as a run with a name of its own."""

import streamlit as st

from rugboard.runs.keeping import keep_models
from rugboard.runs.plan import Plan
from rugboard.runs.results import Results
from rugboard.session import adjusted_models, adjustments, server, state
from rugboard.session.adjustments import AS_TRAINED, Adjustment
from rugboard.shell.formats import points, short
from rugboard.shell.guard import guarded
from rugboard.shell.text import named, plain, value_in_words
from rugboard.shell.theme import name_of_model
from rugcore.errors import RugError

LONGEST_NAME = 200


def show_keep_button(results: Results, key: str) -> None:
    """Asks for a name; there is nothing to keep while all is as trained."""
    is_any = any(change.is_any for change in _changes(results).values())
    if st.button(
        "Keep as a new run",
        key=key,
        icon=":material/bookmark_add:",
        disabled=not is_any,
        width="stretch",
        help="With a name of its own, in the list of runs. This run stays as it is.",
    ):
        ask_for_name(results)


def _changes(results: Results) -> dict[str, Adjustment]:
    return {model: adjustments.current(results.run.id, model) for model in results.summaries}


@st.dialog("Keep as a new run")
@guarded
def ask_for_name(results: Results) -> None:
    said = {model: in_words(results.plan, model, change) for model, change in _changes(results).items()}
    for model, words in said.items():
        lines = "".join(f"\n- {plain(line)}" for line in words) or "\n- as it is in this run"
        st.markdown(f"**{name_of_model(model)}**{lines}")
    st.caption("The same data and the same test rows. No new rules are looked for.")
    name = st.text_input("Name", f"{results.run.name}, re-weighted", key="kept_name", max_chars=LONGEST_NAME)
    if st.button("Keep", type="primary", key="keep_now", disabled=not name.strip()):
        try:
            state.look_at(keep(results, name))
        except RugError as error:
            st.error(plain(error), icon=":material/error:")
            return
        st.rerun()


def keep(results: Results, name: str) -> str:
    """Keep both models as they are set now, and go back to as trained in the run that they come from."""
    changes = _changes(results)
    models = {model: adjusted_models.with_adjustment(results, model, change) for model, change in changes.items()}
    said = {model: in_words(results.plan, model, change) for model, change in changes.items()}
    run_id = keep_models(server.store(), results, models, said, name)
    for model in changes:
        adjustments.adjust(results, model, AS_TRAINED)
    return run_id


def in_words(plan: Plan, model: str, change: Adjustment) -> tuple[str, ...]:
    """What differs from the model of the run, a line each."""
    price, limit = change.penalty, change.epsilon
    return (
        *([f"price of a rule {short(price)} instead of {short(plan.penalty_of(model))}"] if price is not None else []),
        *([f"largest allowed gap {points(limit)} instead of {points(plan.epsilon)}"] if limit is not None else []),
        *(f"left out: if {rule}, then {value_in_words(rule.label)}" for rule in change.without),
    )


def origin_in_words(plan: Plan) -> str:
    """Where a kept run comes from, and what was changed about each model; nothing for a run that was trained."""
    lines, origin = [], plan.origin
    while origin is not None:
        changes = [f"{name_of_model(model)}: {'; '.join(words)}" for model, words in origin.changes.items()]
        lines.append(f"Kept from {named(origin.name)}. {plain('. '.join(changes))}.")
        origin = origin.before
    return "\n\n".join(lines)
