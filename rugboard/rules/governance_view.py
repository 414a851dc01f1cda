"""Rules that people decide on: what is proposed, what it would do, and the reason without which nothing is kept."""

import re
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd
import streamlit as st

from rugboard.people.person import Person
from rugboard.rules import proposal as proposals
from rugboard.rules import rule_form
from rugboard.rules.log_view import gap_in_words
from rugboard.rules.preview import Acceptance, RulePreview, accept, decided_on, preview
from rugboard.rules.proposal import RuleProposal
from rugboard.runs.results import Results
from rugboard.runs.rule_log import LONGEST_REASON, LONGEST_WHO
from rugboard.session import adjustments, sampled, server, state
from rugboard.session.adjustments import rule_id
from rugboard.session.rule_differences import BOTH, FIRST, SECOND, difference_frame, differences
from rugboard.shell import tables
from rugboard.shell.formats import NOTHING, counted, percent, short, whole
from rugboard.shell.guard import guarded
from rugboard.shell.metrics import show_metric
from rugboard.shell.text import named, plain, value_in_words
from rugcore.errors import RugError
from rugcore.rules import Rule

LONGEST_NAME = 200
AS_IN_RULES = rule_form.AS_IN_RULES
LEAST_FLOOR, MOST_FLOOR = rule_form.LEAST_FLOOR, rule_form.MOST_FLOOR
TABLE_HEIGHT = 320  # pixels
WIDTH_OF_RULE = 420
VERSION = re.compile(r", version \d+( \(\d+\))?$")
_WHO = "_rule_change_who"  # as typed the last time
_SAID = "_rule_change_said"  # what is to be said once, after the page was drawn again


@guarded
def show_governance(results: Results, model: str) -> None:
    """The section of the page."""
    run_id = results.run.id
    st.subheader("Decide on rules", anchor=False)
    if (said := st.session_state.pop(_SAID, None)) is not None:
        kind, text = said
        (st.success if kind == "done" else st.warning)(text)
    with st.container(border=True, key="governance", gap="small"):
        seen = show_newer(results, model)
        proposal, form = proposals.current(run_id, model), rule_form.form_of(run_id, model)
        with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
            st.caption(what_this_is(results, model, proposal), width="stretch")
            st.button(
                "Write a rule",
                key="write_rule",
                icon=":material/edit_note:",
                disabled=form is not None or results.is_sampled,
                help=rule_form.NOT_WRITTEN if results.is_sampled else None,
                on_click=rule_form.open_form,
                args=(run_id, model),
            )
        if form is not None:
            rule_form.show_form(results, model, form)
        if proposal.is_any:
            show_proposal(results, model, proposal)
            show_outcome(results, model, proposal, seen)


def what_this_is(results: Results, model: str, proposal: RuleProposal) -> str:
    if proposal.is_any and adjustments.current(results.run.id, model).is_any:
        return "This is about the model of the run, not as the sliders above re-weight it."
    found = decided_on(results, model)
    parts = [
        *([f"{counted(len(found.vetoed), 'rule')} vetoed"] if found.vetoed else []),
        *([f"{counted(len(found.locked), 'rule')} locked"] if found.locked else []),
        *([f"{counted(len(found.written), 'rule')} written by hand"] if found.written else []),
    ]
    so_far = f" In this model: {', '.join(parts)}." if parts else ""
    return (
        "Open a rule above to veto, lock or edit it, or write one. All weights are worked out again, and nothing is "
        f"kept until you accept it with a reason.{so_far}"
    )


# -- somebody else ---------------------------------------------------------------------------------------------


def show_newer(results: Results, model: str) -> str | None:
    """Says if somebody changed the rules of this run since; the last such change."""
    store = server.store()
    later = store.successor(results.run.id)
    if later is None:
        return None
    newest = store.newest(later)
    entry = store.rule_log(newest)[-1]
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
        st.markdown(
            f":orange[:material/history:] The rules of this run were changed since, by {named(entry.who)}. The newest "
            f"version is {named(store.get(newest).name)}."
        )
        st.button("Open the newest", key="open_newest", on_click=open_newest, args=(results, model, newest))
    return later


def open_newest(results: Results, model: str, newest: str) -> None:
    """With what this visitor proposes."""
    proposals.propose(newest, model, proposals.current(results.run.id, model))
    proposals.propose(results.run.id, model, RuleProposal())
    state.look_at(newest)


# -- what is proposed --------------------------------------------------------------------------------------------


def show_proposal(results: Results, model: str, proposal: RuleProposal) -> None:
    st.markdown(f"**Proposed: {counted(len(proposal.lines()), 'change')}**")
    floors = {rule_id(rule): least for rule, least in proposal.locked}
    for line, rule in proposal.lines():
        words, floor, way_back = st.columns([2.6, 1, 1], vertical_alignment="center")
        words.markdown(plain(line))
        if rule_id(rule) in floors:
            with floor:
                ask_floor(results, model, rule, floors[rule_id(rule)])
        way_back.button(
            "Take back",
            key=f"take_back_{rule_id(rule)}",
            icon=":material/undo:",
            on_click=proposals.take_back,
            args=(results.run.id, model, rule),
            width="stretch",
        )


def ask_floor(results: Results, model: str, rule: Rule, least: float) -> None:
    """The weight that a locked rule must have; its present one, unless somebody wants another."""
    key = f"floor_{rule_id(rule)}"

    def take_floor() -> None:
        run_id = results.run.id
        wanted = float(st.session_state[key])
        proposals.propose(run_id, model, proposals.current(run_id, model).relocking(rule, wanted))

    st.number_input(
        "Least weight", LEAST_FLOOR, MOST_FLOOR, float(least), format=AS_IN_RULES, key=key, on_change=take_floor
    )


def show_outcome(results: Results, model: str, proposal: RuleProposal, seen: str | None) -> None:
    try:
        with st.spinner("Working out the weights …"):
            found = preview(results, model, proposal)
    except RugError as error:
        st.error(plain(error), icon=":material/error:")
        return
    sampled.say_so(results)
    show_figures(found)
    st.markdown(people_in_words(found))
    for sentence in remarks(found, proposal):
        st.markdown(f":orange[:material/warning:] {sentence}")
    show_rules(results, model, found)
    ask_acceptance(results, model, proposal, found, seen)


def show_figures(found: RulePreview) -> None:
    before, after = found.before, found.after
    accuracy, gap, rules, people = st.columns([1, 1, 0.8, 1.2])
    with accuracy:
        help_text = "Accuracy: the share of the test rows that the rules decide as the data says."
        show_metric("Right decisions", percent(after.accuracy), f"now {percent(before.accuracy)}", help_text)
    with gap:
        help_text = "The largest gap between two groups, on the test rows."
        show_metric("Largest gap", gap_in_words(after), f"now {gap_in_words(before)}", help_text)
    with rules:
        show_metric("Rules", whole(after.rules), f"now {whole(before.rules)}", "How many rules have a say.")
    with people:
        help_text = "How many test rows are decided otherwise than now."
        show_metric("Decided otherwise", whole(found.n_moved), f"of {whole(found.n_test)} test rows", help_text)


def people_in_words(found: RulePreview) -> str:
    if not found.n_moved:
        return "Nobody among the test rows is decided otherwise."
    moves = [
        f"{whole(count)} from {named(value_in_words(old))} to {named(value_in_words(new))}"
        for old, new, count in found.moved
    ]
    return (
        f"Decided otherwise: {', '.join(moves)}. {whole(found.n_righted)} of them would be decided as the data says "
        f"only with the change, {whole(found.n_wronged)} only without it."
    )


def remarks(found: RulePreview, proposal: RuleProposal) -> list[str]:
    """What a person should know before accepting, escaped."""
    used = {rule_id(rule) for rule in found.solved.rules_}
    idle = [own.rule for own in proposal.written if rule_id(own.rule) not in used]
    return [
        *([found.broken] if found.broken else []),
        *silenced_in_words(found),
        *(
            f"Two rules about the same people, {named(one)}, vote for {named(value_in_words(one.label))} and for "
            f"{named(value_in_words(other.label))}: they work against each other."
            for one, other in contradictions(found, proposal)
        ),
        *(
            f"{named(rule)} is not worth its price: the rule gets no weight, and decides nothing. Let it "
            "have a say with a weight of your own, or take it back."
            for rule in idle
        ),
    ]


def contradictions(found: RulePreview, proposal: RuleProposal) -> list[tuple[Rule, Rule]]:
    """Proposed rules beside rules with the same conditions that vote for something else."""
    proposed = {rule_id(own.rule) for own in proposal.written} | {rule_id(rule) for rule, _ in proposal.locked}
    rules = list(found.solved.rules_)
    return [
        (one, other)
        for place, one in enumerate(rules)
        for other in rules[place + 1 :]
        if one.conditions == other.conditions and one.label != other.label and proposed & {rule_id(one), rule_id(other)}
    ]


def silenced_in_words(found: RulePreview) -> list[str]:
    """A weight far above all that were there: rules as heavy as before have no say any more."""
    heaviest = max((rule.weight for rule in found.solved.rules_), default=0.0)
    share = found.solved.weight_threshold
    if heaviest * share <= found.heaviest_before:
        return []
    return [
        f"The heaviest rule weighs {short(heaviest)}, where {short(found.heaviest_before)} was the most before. Rules "
        f"below {percent(share)} of the heaviest are left out, unless they are locked."
    ]


def show_rules(results: Results, model: str, found: RulePreview) -> None:
    frame = rules_frame(results, model, found)
    if frame.empty:
        return
    heaviest = float(frame[["before", "after"]].max().max())
    height = tables.row_height(frame["rule"], WIDTH_OF_RULE)
    column = st.column_config
    bars: dict[str, Any] = {"format": "%.2f", "min_value": 0.0, "max_value": heaviest, "width": 130}
    st.dataframe(
        frame,
        key="rules_before_and_after",
        hide_index=True,
        row_height=height,
        height=min(tables.HEADER_HEIGHT + height * len(frame) + 2, TABLE_HEIGHT),
        column_config={
            "rule": column.TextColumn("If", width=WIDTH_OF_RULE),
            "label": column.TextColumn("Then", width=110),
            "before": column.ProgressColumn("Weight now", **bars),
            "after": column.ProgressColumn("Weight then", **bars),
            "what": column.TextColumn("", width=90),
        },
        placeholder=NOTHING,
        alt="Rules before and after the change",
    )


def rules_frame(results: Results, model: str, found: RulePreview) -> pd.DataFrame:
    """Every rule before or after; those that come or go first."""
    both = differences(results.model(model).rules_, found.solved.rules_)
    parts = [
        difference_frame(both, SECOND).assign(what="new"),
        difference_frame(both, FIRST).assign(what="gone"),
        difference_frame(both, BOTH).assign(what=""),
    ]
    frame = pd.concat([part for part in parts if len(part)]) if any(map(len, parts)) else parts[2]
    named_columns = frame.rename(columns={FIRST: "before", SECOND: "after"})
    for name in ("before", "after"):
        if name not in named_columns:
            named_columns[name] = float("nan")
    return named_columns.assign(label=[label for [label] in named_columns["label"]])[
        ["rule", "label", "before", "after", "what"]
    ]


# -- accepting -----------------------------------------------------------------------------------------------------


def ask_acceptance(results: Results, model: str, proposal: RuleProposal, found: RulePreview, seen: str | None) -> None:
    """A form, so that what is typed and the click that follows arrive together: the log must not miss the last word."""
    own = f"{model}_{results.run.id}"
    fields = AcceptanceFields(f"change_who_{own}", f"change_why_{own}", f"change_name_{own}", None)
    with st.form(f"acceptance_{own}", border=False, enter_to_submit=False):
        who_place, name_place = st.columns(2)
        person = server.store().person
        who_place.text_input(
            "Who",
            st.session_state.get(_WHO, "") if person.sees_all else signature(person),
            key=fields.who,
            max_chars=LONGEST_WHO,
            disabled=not person.sees_all,
            help="There is no sign-in: the log says what you type here." if person.sees_all else None,
        )
        name_place.text_input("Name of the new version", next_name(results), key=fields.name, max_chars=LONGEST_NAME)
        st.text_area(
            "Why",
            key=fields.why,
            max_chars=LONGEST_REASON,
            height=80,
            placeholder="The reason, for the log and the report",
        )
        if found.broken:
            fields = replace(fields, knows=f"change_known_{own}_{hash(proposal.cache_key)}")
            st.checkbox(
                "I know that the promise about groups does not hold with this change, and accept it.", key=fields.knows
            )
        st.form_submit_button(
            "Accept the change",
            key="accept_change",
            type="primary",
            icon=":material/check:",
            on_click=take,  # the proposal that this page shows: whatever came since is told, not taken for seen
            args=(results, model, proposal, fields, seen),
        )


@dataclass(frozen=True)
class AcceptanceFields:
    """Under which keys the form keeps what a person says."""

    who: str
    why: str
    name: str
    knows: str | None  # asked only where a promise is broken

    def typed(self, key: str) -> str:
        return str(st.session_state.get(key, "")).strip()

    def missing(self) -> str:
        """What has to be said first, in words."""
        asked = {"who you are": self.who, "why": self.why, "a name": self.name}
        missing = [words for words, key in asked.items() if not self.typed(key)]
        said = f"Say {' and '.join(missing)} first. " if missing else ""
        knows = self.knows is None or bool(st.session_state.get(self.knows))
        return f"{said}{'' if knows else 'Say that you accept what does not hold.'}".strip()


def take(results: Results, model: str, proposal: RuleProposal, fields: AcceptanceFields, seen: str | None) -> None:
    """Keep it and go on to the new run, or say why not."""
    if missing := fields.missing():
        st.session_state[_SAID] = "refused", missing
        return
    who, why, name = (fields.typed(key) for key in (fields.who, fields.why, fields.name))
    st.session_state[_WHO] = who
    try:
        person = server.store().person
        said = Acceptance(who if person.sees_all else signature(person), why, name, seen)
        run_id = accept(server.store(), results, model, proposal, said)
    except RugError as error:
        st.session_state[_SAID] = "refused", plain(error)
        return
    proposals.propose(results.run.id, model, RuleProposal())
    state.look_at(run_id)
    st.session_state[_SAID] = "done", f"Accepted, and kept as {named(said.name)}. The run before stays as it was."


def signature(person: Person) -> str:
    """Who answers for a change: where people sign in, nobody signs with another's name."""
    return f"{person.name} ({person.id})"[:LONGEST_WHO]


def next_name(results: Results) -> str:
    """The first version is the run as trained."""
    number = len(server.store().rule_log(results.run.id)) + 2
    return f"{VERSION.sub('', results.run.name)[: LONGEST_NAME - 20]}, version {number}"
