"""What the model says about one new person: decision, chance and how sure that is, reasons, or manual review."""

import math
from typing import Any

import pandas as pd
import streamlit as st

from rugboard.new_cases.deciding import Decider
from rugboard.session.chance_record import WITHIN, ChanceRecord
from rugboard.shell.formats import counted, percent, whole
from rugboard.shell.labels import label_in_colour, text_in_colour
from rugboard.shell.text import brief, named, plain, value_in_words
from rugboard.shell.theme import OTHER
from rugcore.explanations import CoveringRule, Explanation, weights_in_words
from rugcore.new_cases import NewCases

SIZE = "1.75rem"
MANUAL_REVIEW = "manual review"


def show(decider: Decider, values: dict[str, Any]) -> None:
    """The answer to what stands in the form."""
    with st.container(border=True, key="new_case_answer"):
        if all(value is None for value in values.values()):
            st.markdown("Fill in what is known. The answer appears here.")
            return
        found = decider.decide(pd.DataFrame([values]))
        explanation = decider.model.explain(decider.read(pd.DataFrame([values])).X)
        show_found(decider, found, explanation)


def show_found(decider: Decider, found: NewCases, explanation: Explanation) -> None:
    line = found.frame.iloc[0]
    decision, chance = st.columns([1, 1.6], gap="large")
    with decision:
        show_decision(decider, line)
    with chance:
        show_chance(decider, line)
    show_reasons(decider, line)
    show_rules(explanation)


def show_decision(decider: Decider, line: pd.Series) -> None:
    st.caption("Decision")
    if line["status"] == MANUAL_REVIEW:
        st.html(text_in_colour("Manual review", OTHER, SIZE))
        return
    st.html(label_in_colour(line["decision"], decider.classes, decider.favourable, SIZE))


def show_chance(decider: Decider, line: pd.Series) -> None:
    """None where a person has to decide: it would be quoted."""
    chance = float(line["chance"])
    if math.isnan(chance) or line["status"] == MANUAL_REVIEW:
        return
    favourable = named(value_in_words(decider.favourable))
    st.markdown(f"Chance of {favourable}, as the model estimates it: **{percent(chance)}**")
    st.caption(record_in_words(decider.record_of(chance), favourable))


def record_in_words(record: ChanceRecord, favourable: str) -> str:
    """How far the chance can be believed."""
    within = f"{100 * WITHIN:.0f} points"
    if not record.n_people:
        return f"How sure that is cannot be told: no test row has a chance within {within} of it."
    lower, upper = record.interval
    rows, were = ("1 test row", "was") if record.n_people == 1 else (f"{whole(record.n_people)} test rows", "were")
    return (
        f"Of {rows} with a chance within {within} of it, {whole(record.n_favourable)} {were} in fact {favourable}: "
        f"{percent(record.share)}, with 95 % confidence {percent(lower)} to {percent(upper)}."
    )


def show_reasons(decider: Decider, line: pd.Series) -> None:
    if line["status"] == MANUAL_REVIEW:
        st.warning(f"A person has to decide: {plain(line['remarks'])}.", icon=":material/person_alert:")
        return
    if line["remarks"]:
        st.caption(f":orange[:material/warning:] {plain(line['remarks'])}.")
    if line["status"] == "favourable":
        return
    texts = [line[name] for name in line.index if str(name).startswith("reason ") and line[name]]
    label = named(value_in_words(decider.favourable))
    st.markdown(f"**Reasons**, compared with people who were decided {label}; the weightiest first")
    st.code("\n".join(f"- {text}" for text in texts), language=None, wrap_lines=True)


def show_rules(explanation: Explanation) -> None:
    rules = (*explanation.rules_for, *explanation.rules_against)
    if not rules:
        return
    with st.expander(f"{counted(len(rules), 'rule')} that {'applies' if len(rules) == 1 else 'apply'}"):
        st.caption(weights_in_words(explanation))
        st.markdown("\n".join(f"- {rule_in_words(item)}" for item in rules))


def rule_in_words(item: CoveringRule) -> str:
    label = named(brief(value_in_words(item.rule.label), 30))
    return f"{label}, with weight {item.rule.weight:.2f}: if {plain(item.rule)}"
