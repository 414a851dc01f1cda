"""The decision on a card, and the rules for and against it with the values that made each condition true."""

from collections.abc import Sequence
from html import escape
from typing import Any

import streamlit as st

from rugboard.applicants import cached
from rugboard.applicants.cached import Case
from rugboard.session import group_names
from rugboard.shell import labels, theme
from rugboard.shell.formats import counted
from rugboard.shell.tables import cell_in_words
from rugboard.shell.text import brief, named, plain, value_in_words
from rugboard.shell.theme import OUTSIDE, name_of_model
from rugcore.explanations import (
    FEW_PEOPLE,
    Confidence,
    CoveringRule,
    Reasons,
    by_default,
    grade_in_words,
    people_behind,
    record_in_words,
    weights_in_words,
)
from rugcore.rules import Rule

MOST_RULES = 4  # on each side; the others are a click away
LONGEST_VALUE = 60
FAINT = "opacity:.8;font-size:.875rem"


# -- the decision ------------------------------------------------------------------------------------------


def show_card(case: Case, name: str, reasons: Reasons) -> None:
    found = case.explanation
    with st.container(border=True, key="decision_card"):
        decision, sure, truth = st.columns([1.2, 2.4, 1.4], vertical_alignment="center")
        with decision:
            st.caption(f"{name} · {name_of_model(case.chosen.name)} decides")
            st.html(label_in_colour(found.decision, case, "1.75rem"))
        with sure:
            st.markdown(how_decided(case, cached.confidence(case), reasons))
            st.caption(weights_in_words(found))
        with truth:
            st.markdown("  \n".join(filter(None, (in_the_data(case), decided_elsewhere(case)))))
            st.caption(whose_row(case))


def label_in_colour(label: Any, case: Case, size: str = "1rem") -> str:
    """A decision as HTML in the colour of its class."""
    return labels.label_in_colour(label, case.chosen.classes, case.chosen.favourable, size)


def how_decided(case: Case, sure: Confidence, reasons: Reasons | None = None) -> str:
    """How sure the decision is, and how many people say so; given its reasons, which may be for a person to look at."""
    if default := by_default(case.explanation):
        return f":orange[:material/warning:] **Decided by default**. {default}"
    return f"**{grade_in_words(sure, reasons)}**: {sure_in_words(case, sure)}"


def sure_in_words(case: Case, sure: Confidence) -> str:
    """The chance; a model of version 0.1 knows none, and its people are all there is."""
    return str(sure) if has_chances(case) else sure.people_in_words


def has_chances(case: Case) -> bool:
    return case.chosen.model.chances_ is not None


def in_the_data(case: Case) -> str:
    return _beside("In the data", case.outcome, case)


def decided_elsewhere(case: Case) -> str:
    """What another model decided; nothing where there is none."""
    label = case.decided_elsewhere
    return "" if label is None else _beside(name_of_model(OUTSIDE), label, case)


def _beside(who: str, label: Any, case: Case) -> str:
    same = label == case.explanation.decision
    sign = ":green[:material/check:]" if same else ":orange[:material/difference:]"
    return f"{sign} {who}: {named(value_in_words(label))}" + (" too" if same else "")


def whose_row(case: Case) -> str:
    kind = "Test row" if case.results.is_test[case.row] else "The model learned from this row"
    if case.group is None:
        return kind
    return f"{kind} · {plain(brief(group_names.with_attribute(case.group, case.results.plan.sensitive), 80))}"


# -- the rules ---------------------------------------------------------------------------------------------


def show_sides(case: Case) -> None:
    """The rules for the decision, then those against it."""
    found = case.explanation
    heaviest = max((item.rule.weight for item in (*found.rules_for, *found.rules_against)), default=1.0)
    show_side("For", found.rules_for, heaviest, case)
    show_side("Against", found.rules_against, heaviest, case)


def show_side(side: str, rules: Sequence[CoveringRule], heaviest: float, case: Case) -> None:
    st.markdown(f"**{side} {named(value_in_words(case.explanation.decision))}**")
    if not rules:
        st.caption("No rule.")
        return
    st.html("".join(rule_in_html(item, heaviest, case) for item in rules[:MOST_RULES]))
    rest = rules[MOST_RULES:]
    if rest:
        with st.expander(f"{counted(len(rest), 'more rule')} of less weight"):
            st.html("".join(rule_in_html(item, heaviest, case) for item in rest))


def rule_in_html(item: CoveringRule, heaviest: float, case: Case) -> str:
    """A bar as long as the weight, and under it every condition with the applicant's own value."""
    rule = item.rule
    colour = theme.colour_of_class(rule.label, case.chosen.classes, case.chosen.favourable)
    votes = f" → {escape(brief(value_in_words(rule.label), 30))}" if len(case.chosen.classes) > 2 else ""
    lines = "".join(_condition(condition, item) for condition in rule.conditions)
    body = f"{_bar(rule, heaviest, colour, votes)}{lines or _ALWAYS}{_record(rule, case)}"
    return f'<div style="margin-bottom:.75rem">{body}</div>'


_ALWAYS = "<div>applies to everybody</div>"


def _record(rule: Rule, case: Case) -> str:
    """How often the rule was right, about how many people; marked where they are few."""
    text = record_in_words(rule, case.n_people, case.usual)
    if not text:
        return ""
    sign = "⚠ " if people_behind(rule, case.n_people) < FEW_PEOPLE else ""
    return f'<div style="{FAINT}">{sign}{escape(text)}</div>'


def _bar(rule: Rule, heaviest: float, colour: str, votes: str) -> str:
    width = 100 * rule.weight / heaviest if heaviest > 0 else 0
    return (
        '<div style="display:flex;align-items:center;gap:.6rem">'
        '<div style="flex:1;height:.55rem;border-radius:.3rem;background:rgba(128,128,128,.18)">'
        f'<div style="width:{width:.1f}%;height:100%;border-radius:.3rem;background:{colour}"></div></div>'
        f'<div style="min-width:3rem;text-align:right;font-variant-numeric:tabular-nums">{rule.weight:.2f}{votes}</div>'
        "</div>"
    )


def _condition(condition: Any, item: CoveringRule) -> str:
    """The applicant's own value beside it, or below where the two are too long for one line."""
    name = condition.feature
    own = escape(brief(item.meaning(name) or cell_in_words(item.values[name]), LONGEST_VALUE))
    return (
        '<div style="display:flex;flex-wrap:wrap;column-gap:1rem;overflow-wrap:anywhere">'
        f"<span>{escape(str(condition))}</span>"
        f'<span style="{FAINT};margin-left:auto;text-align:right">here {own}</span></div>'
    )


def rule_in_words(rule: Rule) -> str:
    """For a sentence, escaped."""
    return f"If {plain(rule)}, then {named(value_in_words(rule.label))} (weight {rule.weight:.2f})"
