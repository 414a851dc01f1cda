"""Start: what this is, one click to a first model, the model that is looked at, and the runs of the past."""

import streamlit as st

from rugboard.past_runs.words import description_of
from rugboard.runs.errors import RunError
from rugboard.runs.personal_store import ONLY_READS
from rugboard.runs.records import CANCELLED, FAILED, Run
from rugboard.runs.results import Results
from rugboard.session import page, prefetch, server, sharing, state, watching
from rugboard.session.training import train
from rugboard.setup import current_draft, sources
from rugboard.setup.drafts import draft_of
from rugboard.setup.progress import watch
from rugboard.setup.scorecard import ON_SAMPLE, show_basis, show_cards
from rugboard.shell.formats import ago, counted
from rugboard.shell.guard import guarded
from rugboard.shell.tables import cell_in_words, heaviest, show_rules
from rugboard.shell.text import named, plain, value_in_words
from rugcore.explanations import CoveringRule

TRY_IT = "Try it on consumer loans"
FIRST_RULES = 5
RULES_HEIGHT = 420  # pixels, kept free while the first model trains
LOOKED_THROUGH = 50  # test rows, for one that some rule covers
REASONS = 2  # rules shown for and against a decision
RENAME, SHARE, DELETE = "Rename", "Share", "Delete"
RUNS_ON_A_PAGE = 8
SECONDS_BETWEEN_LOOKS = 2.0


@guarded
def main() -> None:
    show_introduction()
    show_current()
    show_past_runs()


# -- what this is ------------------------------------------------------------------------------------------


def show_introduction() -> None:
    words, actions = st.columns([3, 1.3], gap="large", vertical_alignment="center")
    with words:
        st.title("Decisions you can read", anchor=False)
        st.markdown(
            "From a table of past decisions, learn if-then rules, each with a weight.  \n"
            "The rules that apply to a case decide it: the side with more weight wins.  \n"
            "So you can read why, and see whether groups are treated alike."
        )
    with actions:
        if not server.store().person.may_change:
            st.caption(ONLY_READS)
            return
        if st.button(TRY_IT, type="primary", key="try_it", icon=":material/play_arrow:", width="stretch"):
            try_it()
        if st.button("Use my own data", key="own_data", icon=":material/upload_file:", width="stretch"):
            st.switch_page(page.DATA, query_params=page.address())


def try_it() -> None:
    """Train on a demo with settings that take a few seconds, and look at it."""
    draft = sources.first_draft()
    current_draft.open_draft(draft)
    state.look_at(train(draft.to_plan()))
    st.rerun()


# -- the model that is looked at ---------------------------------------------------------------------------


def show_current() -> None:
    try:
        run = state.run()
    except RunError as error:
        st.warning(f"{plain(error)} Choose one from the list, or train a new one.", icon=":material/search_off:")
        return
    if run is None:
        if server.store().person.may_change:
            show_three_steps()
        return
    st.subheader("Your model", anchor=False)
    page.show_run_line(run, ON_SAMPLE)
    with page.one_at_a_time():
        if run.is_over:
            show_model(run)
        else:
            watch(run, show_first_rules, side_by_side=True)


def show_three_steps() -> None:
    st.space("xsmall")
    steps = (
        (":material/table:", "Choose data", "A demo, or your own CSV, Parquet or Excel.", page.DATA),
        (":material/model_training:", "Train", "For accuracy, and with a limit on the gap.", page.TRAIN),
        (":material/balance:", "Read and check", "Every rule in words, and how each group fares.", page.RULES),
    )
    for number, (place, (icon, name, words, target)) in enumerate(zip(st.columns(3), steps, strict=True), start=1):
        with place.container(border=True, height="stretch"):
            page.link(target, f"**{number} · {name}**", icon)
            st.caption(words)


def show_model(run: Run) -> None:
    if run.status == CANCELLED:
        st.info("Cancelled, so there is no model. Train again on the page Train.", icon=":material/cancel:")
        return
    if run.status == FAILED:
        st.error(plain(run.error or "The run failed."), icon=":material/error:")
    else:
        show_ways_on()
    if server.store().summaries(run.id):
        results = server.results(run.id)
        show_cards(run, side_by_side=True)
        show_rules_and_reasons(results)
        show_basis(results)
        prefetch.look_ahead(run, results)


def show_first_rules(run: Run) -> None:
    """While the second model trains, the first can be read already."""
    if server.store().summaries(run.id):
        show_rules_and_reasons(server.results(run.id))
    else:
        with st.container(border=True, height=RULES_HEIGHT):
            st.caption("The first rules appear here as soon as RUG is trained.")


def show_ways_on() -> None:
    with st.container(horizontal=True):
        page.link(page.RULES, "All rules", ":material/rule:")
        page.link(page.APPLICANTS, "Applicants", ":material/person_search:")
        page.link(page.FAIRNESS, "Fairness", ":material/balance:")
        page.link(page.TRAIN, "Change the settings", ":material/tune:")


def show_rules_and_reasons(results: Results) -> None:
    rules, reasons = st.columns([1.5, 1], gap="large")
    with rules:
        show_heaviest_rules(results)
    with reasons:
        show_one_decision(results)


def show_heaviest_rules(results: Results) -> None:
    all_rules = results.rug.rules_
    shown = all_rules[:FIRST_RULES]
    st.markdown(f"**The heaviest {counted(len(shown), 'rule')}** of {len(all_rules)} in RUG")
    show_rules(shown, heaviest(all_rules), key=f"first_rules_{results.run.id}", brief=True)


def show_one_decision(results: Results) -> None:
    """The first test row that some rule covers: what a decision with its reasons looks like."""
    rows = server.first_test_rows(results, LOOKED_THROUGH)
    is_covered = ~results.rug.decisions(rows).is_uncovered
    position = int(is_covered.argmax())
    explanation = results.rug.explain(rows.iloc[[position]])
    st.markdown(f"**One applicant, explained** · decision {named(value_in_words(explanation.decision))}")
    show_side("For", explanation.rules_for)
    show_side("Against", explanation.rules_against)
    st.caption(f"In the data: {named(value_in_words(results.y_test.iloc[position]))}.")


def show_side(side: str, covering: tuple[CoveringRule, ...]) -> None:
    if not covering:
        st.markdown(f"{side}: no rule applies.")
    for item in covering[:REASONS]:
        own = ", ".join(f"{plain(name)} {plain(cell_in_words(value))}" for name, value in item.values.items())
        st.markdown(f"{side}, with weight {item.rule.weight:.2f}: **{plain(item.rule)}**")
        st.caption(f"Here: {own}")
    if len(covering) > REASONS:
        st.caption(f"and {counted(len(covering) - REASONS, 'more rule')}")


# -- the runs of the past ----------------------------------------------------------------------------------


def show_past_runs() -> None:
    runs = server.store().runs()
    st.subheader("Runs", anchor=False)
    if not runs:
        is_reader = not server.store().person.may_change
        st.caption(
            "None yet. What others share with you is listed here."
            if is_reader
            else "None yet. Everything you train is kept here until you delete it."
        )
        return
    if all(run.is_over for run in runs):
        show_list()
    else:
        seconds = watching.pace("list", SECONDS_BETWEEN_LOOKS)
        st.fragment(show_list_again_and_again, run_every=seconds)()


@guarded
def show_list_again_and_again() -> None:
    show_list()


def show_list() -> None:
    runs = server.store().runs()
    first = 0
    if len(runs) > RUNS_ON_A_PAGE:
        n_pages = -(-len(runs) // RUNS_ON_A_PAGE)
        first = RUNS_ON_A_PAGE * (st.pagination(n_pages, key="runs_page") - 1)
    with st.container(border=True, gap="small", key="past_runs"):
        for run in runs[first : first + RUNS_ON_A_PAGE]:
            show_line(run)


def show_line(run: Run) -> None:
    name, status, description, when, open_it, more = st.columns([3, 1.3, 3, 1.3, 1, 1], vertical_alignment="center")
    is_current = run.id == state.run_id()
    name.markdown(f"**{plain(run.name)}**" if is_current else plain(run.name))
    with status:
        page.show_status(run)
    description.caption(description_of(run))
    when.caption(ago(run.created))
    if open_it.button("Open", key=f"open_{run.id}", disabled=is_current, width="stretch"):
        open_run(run)
    own = server.store()
    if not own.may_change(run):
        more.caption(
            "shared", help=f"By {plain(sharing.name_of(run.owner))}. You can read it; only they can change it."
        )
        return
    choices = (RENAME, DELETE) if own.person.sees_all else (RENAME, SHARE, DELETE)
    choice = more.menu_button("More", choices, key=f"more_{run.id}", width="stretch")
    if choice == SHARE:
        sharing.ask_whom(run)
    if choice == RENAME:
        ask_for_name(run)
    if choice == DELETE:
        ask_to_delete(run)


def open_run(run: Run) -> None:
    state.look_at(run.id)
    current_draft.open_draft(draft_of(run.plan))
    st.rerun(scope="app")


@st.dialog("Rename this run")
@guarded
def ask_for_name(run: Run) -> None:
    name = st.text_input("Name", run.name, key="new_name", max_chars=200)
    if st.button("Rename", type="primary", key="rename_now"):
        server.store().rename(run.id, name)
        st.rerun()


@st.dialog("Delete this run?")
@guarded
def ask_to_delete(run: Run) -> None:
    st.markdown(
        f"{named(run.name)} and its models will be gone for good, and so will its data if no other run uses it."
    )
    if not run.is_over:
        st.caption("It is still training. Cancel it first.")
    with st.container(horizontal=True):
        if st.button("Keep it", key="keep"):
            st.rerun()
        if st.button("Delete it", type="primary", key="delete_now", icon=":material/delete:", disabled=not run.is_over):
            server.store().delete(run.id)
            if run.id == state.run_id():
                state.look_away()
            st.rerun()


main()
