"""One rule, opened: what it says, whom it covers, how often it is right, and a button to do without it."""

from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from rugboard.rules import charts as rule_charts
from rugboard.rules import gaps, rule_form
from rugboard.rules import proposal as proposals
from rugboard.rules.comebacks import RuleComebacks
from rugboard.rules.preview import decided_on
from rugboard.rules.statistics import FEW, TEST, RuleStatistics, examples, rank
from rugboard.runs.results import Results
from rugboard.session import adjustments
from rugboard.session.adjustments import rule_id
from rugboard.shell import charts
from rugboard.shell.formats import counted, percent, whole
from rugboard.shell.tables import cell_in_words
from rugboard.shell.text import brief, named, plain, value_in_words
from rugcore.fairness import wilson
from rugcore.rules import Rule

EXAMPLES = 6
LONGEST_CELL = 80  # letters
HOW_TO_EDIT = "Move a threshold or drop a condition, in the form below."
CONFIDENCE = 0.95


def show_detail(
    results: Results, model: str, statistics: RuleStatistics, number: int, rows: str, comebacks: RuleComebacks
) -> None:
    rule = statistics.rules[number]
    with st.container(border=True, key="rule_detail"):
        show_head(results, model, statistics, rule)
        words, picture = st.columns([1, 1.25], gap="large")
        with words:
            show_rule(rule)
            show_precision(statistics, number, rows)
            show_contrary(statistics, number)
            show_comebacks(rule, comebacks)
            show_gap(statistics, number, rows)
        with picture:
            show_covered(results, statistics, number, rows)
        show_examples(results, statistics, number, rows)


def show_head(results: Results, model: str, statistics: RuleStatistics, rule: Rule) -> None:
    floor = floor_of(results, model, rule)
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
        st.markdown(f"**{place_in_words(statistics, rule)}**", width="content")
        st.button(
            "Leave out this rule",
            key=f"leave_out_{rule_id(rule)}",
            icon=":material/visibility_off:",
            on_click=adjustments.leave_out,
            args=(results, model, rule),
            disabled=floor is not None,
            help="The other rules are re-weighted without it. The run stays as it is, and you can put the rule back."
            if floor is None
            else "It is locked. Unlock it first.",
        )
    show_decisions_on(results, model, rule, floor)


def floor_of(results: Results, model: str, rule: Rule) -> float | None:
    """The least weight of a locked rule; None if it is not locked."""
    locked = {rule_id(own): own.weight for own in decided_on(results, model).locked}
    return locked.get(rule_id(rule))


def show_decisions_on(results: Results, model: str, rule: Rule, floor: float | None) -> None:
    """Buttons that propose something about the rule for good; what comes of it is shown further down."""
    run_id, own = results.run.id, rule_id(rule)
    with st.container(horizontal=True, vertical_alignment="center", key="rule_decisions"):
        st.button(
            "Veto",
            key=f"veto_{own}",
            icon=":material/block:",
            on_click=proposals.veto,
            args=(run_id, model, rule),
            disabled=floor is not None,
            help="Never again in this model. Proposed below under “Decide on rules”; nothing is kept until you accept.",
        )
        if floor is None:
            st.button(
                "Lock",
                key=f"lock_{own}",
                icon=":material/lock:",
                on_click=proposals.lock,
                args=(run_id, model, rule),
                help="It must stay, with at least its present weight.",
            )
        else:
            st.button(
                "Unlock",
                key=f"unlock_{own}",
                icon=":material/lock_open:",
                on_click=proposals.unlock,
                args=(run_id, model, rule),
                help=f"It must stay now, with a weight of at least {floor:g}.",
            )
        st.button(
            "Edit",
            key=f"edit_{own}",
            icon=":material/edit:",
            on_click=rule_form.open_form,
            args=(run_id, model, rule),
            disabled=floor is not None or results.is_sampled,
            help=rule_form.NOT_WRITTEN if results.is_sampled else HOW_TO_EDIT,
        )
        if said := stand_in_words(results, model, rule, floor):
            st.caption(said, width="content")


def stand_in_words(results: Results, model: str, rule: Rule, floor: float | None) -> str:
    """What people decided about the rule so far, and what is proposed now."""
    proposed = proposals.current(results.run.id, model)
    is_written = rule_id(rule) in {rule_id(own) for own in decided_on(results, model).written}
    parts = [
        *([f"locked with a weight of at least {floor:g}"] if floor is not None else []),
        *(["written by hand"] if is_written else []),
        *(["a change is proposed below"] if proposed.without(rule) != proposed else []),
    ]
    return f"{', '.join(parts).capitalize()}." if parts else ""


def place_in_words(statistics: RuleStatistics, rule: Rule) -> str:
    """Where the rule stands among all, and among those that vote for the same."""
    place, n_rules = rank(statistics.rules, rule), len(statistics.rules)
    same = [other for other in statistics.rules if other.label == rule.label]
    among = f"one of {len(same):,} rules" if len(same) > 1 else "the only rule"
    first = "The heaviest" if place == 1 else f"Number {place:,} by weight"
    return f"{first} of {counted(n_rules, 'rule')}, {among} for {named(value_in_words(rule.label))}"


def show_rule(rule: Rule) -> None:
    st.caption("If all of this holds")
    lines = [f"- **{plain(condition)}**" for condition in rule.conditions] or ["- **always**"]
    st.markdown("\n".join(lines))
    st.caption("then the rule votes for")
    st.markdown(f"- **{plain(brief(value_in_words(rule.label)))}**, with weight **{rule.weight:,.3g}**")


def show_precision(statistics: RuleStatistics, number: int, rows: str) -> None:
    st.markdown(precision_in_words(statistics, number, rows))


def precision_in_words(statistics: RuleStatistics, number: int, rows: str) -> str:
    counts = statistics.counts[rows]
    n_covered, n_rows = int(counts.n_covered[number]), int(counts.total.sum())
    covers = f"It applies to **{whole(n_covered)}** of {whole(n_rows)} {rows} rows"
    if not n_covered:
        return f"{covers}, so there is nothing to say about how often it is right there."
    n_right = int(counts.n_right(statistics.labels)[number])
    share = n_right / n_covered
    few = f" These are fewer than {FEW} people: take it as a rough guess." if n_covered < FEW else ""
    right = f"{covers} and is right for **{whole(n_right)}** of them: **{percent(share)}**"
    if rows != TEST:  # rules were chosen because they fit these rows: no interval makes up for that
        return f"{right}. On rows that the training never saw it may be right less often.{few}"
    lower, upper = (float(bound[0]) for bound in wilson(np.array([share]), np.array([n_covered]), CONFIDENCE))
    return f"{right}, with 95 % confidence {percent(lower)} to {percent(upper)}.{few}"


def show_contrary(statistics: RuleStatistics, number: int) -> None:
    if statistics.is_contrary[number]:
        st.markdown(f":orange[:material/warning:] {contrary_in_words(statistics.rules[number])}")


def contrary_in_words(rule: Rule) -> str:
    return (
        f"{named(value_in_words(rule.label))} is rarer among the training rows that it applies to "
        f"({percent(rule.precision)}) than among all: what is seen there speaks against its vote."
    )


def show_comebacks(rule: Rule, comebacks: RuleComebacks) -> None:
    times = comebacks.times.get(rule_id(rule))
    if times is not None:
        st.markdown(f"It came back in **{times}** of {counted(comebacks.n_samples, 'sample')} of the training rows.")


def show_gap(statistics: RuleStatistics, number: int, rows: str) -> None:
    if rows in statistics.gaps:
        for text in gaps.in_words(statistics.gaps[rows], number):
            st.markdown(text)


def show_covered(results: Results, statistics: RuleStatistics, number: int, rows: str) -> None:
    people = statistics.people
    attribute = f"each group of {named(people.attribute)}" if people.has_groups else "all applicants"
    st.caption(f"Share of {attribute} to whom the rule applies, by outcome in the data ({rows} rows)")
    if not statistics.counts[rows].n_covered[number]:
        st.markdown(f"It applies to none of the {rows} rows.")
        return
    figure = rule_charts.covered_by_group(statistics, number, rows, results.plan.favourable)
    charts.show(figure, key=f"rule-{rule_id(statistics.rules[number])}-{rows}-rows", alt="Covered share by group")
    if len(people.groups) > rule_charts.MOST_BARS:
        st.caption(f"The {rule_charts.MOST_BARS} largest of {len(people.groups):,} groups.")


def show_examples(results: Results, statistics: RuleStatistics, number: int, rows: str) -> None:
    chosen = examples(statistics, number, rows, EXAMPLES)
    if not len(chosen):
        return
    kind = "the training never saw" if rows == TEST else "the training learned from"
    st.caption(f"Some applicants to whom it applies, out of the rows that {kind}")
    st.dataframe(
        example_frame(results, statistics, number, chosen),
        key=f"examples_{rule_id(statistics.rules[number])}_{rows}",
        hide_index=True,
        height="content",
        alt="Applicants that the rule covers",
    )


def example_frame(results: Results, statistics: RuleStatistics, number: int, chosen: np.ndarray) -> pd.DataFrame:
    """What the rule looks at comes first, then what was decided and what is true, then the rest; all in words."""
    people, looked_at = statistics.people, statistics.rules[number].features
    values = results.data.X.iloc[chosen]
    columns: dict[str, list[Any]] = {
        "Row": [whole(row + 1) for row in results.data.rows[chosen]],
        **{_heading(name, "looked at"): _cells(values[name]) for name in looked_at},
        "In the data": [value_in_words(people.outcomes[place]) for place in people.outcome[chosen]],
        "Decision": [value_in_words(label) for label in statistics.decided[chosen].tolist()],
    }
    if people.has_groups:
        columns["Group"] = [people.groups[place] for place in people.group[chosen]]
    columns |= {_heading(name, ""): _cells(values[name]) for name in values.columns if name not in looked_at}
    return pd.DataFrame(columns).astype("str")


def _heading(name: str, note: str) -> str:
    """The names of a stranger's columns may be those of ours."""
    taken = name in ("Row", "In the data", "Decision", "Group")
    return f"{name} ({note or 'column'})" if taken else str(name)


def _cells(values: pd.Series) -> list[str]:
    return [brief(cell_in_words(value), LONGEST_CELL) for value in values]
