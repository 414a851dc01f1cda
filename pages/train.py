"""Train: settings on the left; on the right the run as it trains, and what came out of it."""

import streamlit as st

from rugboard.runs.errors import RunError
from rugboard.runs.personal_store import ONLY_READS
from rugboard.runs.records import CANCELLED, FAILED, Run
from rugboard.session import page, prefetch, server, state, training
from rugboard.session.sampled import ICON
from rugboard.setup import charts as setup_charts
from rugboard.setup import current_draft, draft_in_address, settings_form, table_summary
from rugboard.setup.changes import changes_since
from rugboard.setup.directions_view import ask_cost
from rugboard.setup.drafts import Draft
from rugboard.setup.progress import show_live_objective, watch
from rugboard.setup.scorecard import ON_SAMPLE, show_basis, show_cards, show_notes
from rugboard.setup.search_view import ask_search, show_search
from rugboard.shell import charts
from rugboard.shell.formats import counted, whole
from rugboard.shell.guard import guarded
from rugboard.shell.text import listed, named, plain


@guarded
def main() -> None:
    page.title("Train", "Learn the rules, once for accuracy alone and once with a limit on the gap between groups.")
    draft_in_address.reopen()
    left, right = st.columns([1, 2.1], gap="large")
    with left:
        ask_and_train()
    with right:
        show_search()
        show_run()


# -- settings ----------------------------------------------------------------------------------------------


@guarded
def ask_and_train() -> None:
    draft, opening = current_draft.draft(), current_draft.opening()
    if draft is None or opening is None:
        page.empty_state("There is no data to train on yet.", page.DATA, "Choose data")
        return
    with st.container(border=True, key="settings"):
        show_what_is_learned(draft)
        place_of_button = st.container()  # above the settings, where it is in sight on a small screen
        current_draft.keep_settings(settings_form.ask_settings(draft, opening.settings, n_outcomes(draft)))
        draft_in_address.remember()
    with place_of_button:
        may_train = server.store().person.may_change
        if st.button(
            "Train",
            type="primary",
            key="train",
            icon=":material/play_arrow:",
            width="stretch",
            disabled=not may_train,
            help=None if may_train else ONLY_READS,
        ):
            train()
        ask_search(current_draft.draft() or draft)
        ask_cost(current_draft.draft() or draft)


def n_outcomes(draft: Draft) -> int:
    """How many there are to tell apart; 0 while that is not said."""
    target = draft.columns.target
    return 0 if target is None else len(table_summary.outcomes(draft.table.snapshot, target))


def show_what_is_learned(draft: Draft) -> None:
    chosen = draft.columns
    st.markdown(f"**{plain(draft.table.name)}**")
    if not draft.is_ready:
        st.warning(f"On the page Data, please say {' and '.join(draft.open_questions())}.", icon=":material/help:")
        page.link(page.DATA, "Go to Data", ":material/arrow_back:")
        return
    shown = draft.dictionary.shown_name
    groups = f", groups by {listed(map(shown, chosen.sensitive))}" if chosen.sensitive else ""
    n_features = counted(len(draft.features), "column")
    st.caption(f"Outcome {named(shown(chosen.target or ''))} from {n_features}{groups}.")
    large = draft.table.large
    if large is not None and large.is_sampled:
        st.caption(
            f"{ICON} Training reads all {whole(large.n_rows)} rows. Finding good settings, and what directions cost, "
            f"looks at the sample of {counted(large.n_sampled, 'row')}."
        )


def train() -> None:
    draft = current_draft.draft()
    if draft is None:
        return
    state.look_at(training.train(draft.to_plan()))
    st.rerun()


# -- the run -----------------------------------------------------------------------------------------------


@guarded
def show_run() -> None:
    try:
        run = state.run()
    except RunError as error:
        page.empty_state(plain(error), page.START, "Choose another run", ":material/search_off:")
        return
    if run is None:
        page.empty_state("Nothing trained yet. The progress and the scorecard appear here.", page.START, "Past runs")
        return
    page.show_run_line(run, ON_SAMPLE)
    draft = current_draft.draft()
    changed = changes_since(run.plan, draft) if run.is_over and draft is not None else ()
    if changed:
        st.info(
            f"From before you changed {' and '.join(changed)}. Press Train for new models.", icon=":material/history:"
        )
    with page.one_at_a_time(), st.container(key="old_scorecard" if changed else "scorecard"):
        if run.is_over:
            show_end(run)
        else:
            watch(run, show_live_objective, side_by_side=False)


def show_end(run: Run) -> None:
    if run.status == FAILED:
        st.error(plain(run.error or "The run failed."), icon=":material/error:")
    if run.status == CANCELLED:
        st.info("Cancelled. Change the settings and train again.", icon=":material/cancel:")
        return
    if not server.store().summaries(run.id):
        return
    show_notes(run)
    show_cards(run, side_by_side=False)
    results = server.results(run.id)
    show_basis(results)
    prefetch.look_ahead(run, results)
    with st.container(horizontal=True):
        page.link(page.RULES, "Read the rules", ":material/rule:")
        page.link(page.APPLICANTS, "Look at applicants", ":material/person_search:")
        page.link(page.FAIRNESS, "Check the fairness", ":material/balance:")
    with st.expander("How the training went"):
        figure = setup_charts.objective(server.store().rounds(run.id), run.plan.max_iter)
        charts.show(figure, key="objective", alt="Cost by round")


main()
