"""Rules: every rule in words, what it is worth, how the rules weigh under other settings, and how the models differ."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from rugboard.rules import cached, table_columns
from rugboard.rules import tables as rule_tables
from rugboard.rules.comebacks import RuleComebacks
from rugboard.rules.detail import show_detail
from rugboard.rules.differences import in_a_sentence
from rugboard.rules.governance_view import show_governance
from rugboard.rules.log_view import show_log
from rugboard.rules.production import show_production
from rugboard.rules.reweighting import show_reweighting
from rugboard.rules.stability_view import comebacks as comebacks_of
from rugboard.rules.stability_view import show_stability
from rugboard.rules.statistics import FEW, TEST, TRAINING, RuleStatistics
from rugboard.rules.tables import RuleFilter
from rugboard.runs.plan import FAIR, RUG
from rugboard.runs.results import Results
from rugboard.session import adjusted_models, adjustments, page
from rugboard.session.adjustments import rule_id
from rugboard.session.rule_differences import (
    BOTH,
    FIRST,
    SECOND,
    RuleDifferences,
    difference_frame,
    differences,
    part_names,
)
from rugboard.shell import tables
from rugboard.shell.choices import ask_one
from rugboard.shell.downloads import file_part, show_file
from rugboard.shell.formats import NOTHING, counted, decimal, percent, whole
from rugboard.shell.guard import guarded
from rugboard.shell.text import brief, listed, value_in_words
from rugboard.shell.theme import name_of_model

TABLE_HEIGHT = 460  # pixels, so that the rule opened below is in sight too
ROWS = {TEST: "Test rows", TRAINING: "Training rows"}
OPEN = "_open_rule"


@guarded
def main() -> None:
    page.title("Rules", "Every rule in words, what it is worth, and where RUG and FairRUG differ.")
    results = page.results_or_stop()
    with st.container(horizontal=True, vertical_alignment="center"):
        model = ask_model(results)
        with st.spinner("Weighing the rules …"):
            statistics = cached.current_statistics(results, model)
        st.subheader(f"The rules of {name_of_model(model)}", anchor=False, width="content")
    show_rules(results, model, statistics)
    st.subheader("Re-weight the rules", anchor=False)
    show_reweighting(results, model)
    show_governance(results, model)
    show_log(results)
    st.subheader("How much there is to read", anchor=False)
    show_interpretability(statistics)
    if len(statistics.rules):
        show_stability(results, model)
    if len(results.summaries) > 1:
        show_differences(results)
    st.subheader("Take the rules to production", anchor=False)
    show_production(results, model)


def ask_model(results: Results) -> str:
    """Which model the page is about; nothing to ask if there is one."""
    names = list(results.summaries)
    if len(names) == 1:
        st.caption(f"The rules of {name_of_model(names[0])}, the only model of this run.")
    return ask_one("Model", names, "rules_model", name_of_model)


# -- how much there is to read -----------------------------------------------------------------------------


def show_interpretability(statistics: RuleStatistics) -> None:
    found = statistics.interpretability
    shown = (
        ("Rules", whole(found["n_rules"]), "Number of rules (NoR): how many have a say."),
        ("Conditions per rule", decimal(found["average_rule_length"]), "Average rule length."),
        (
            "Rules per applicant",
            decimal(found["rules_per_row"]),
            "How many rules apply to an applicant, on average over the test rows (rules per sample).",
        ),
        (
            "Length of those",
            decimal(found["rule_length_per_row"]),
            "How long the rules are that apply to an applicant, on average over the test rows that some rule covers "
            "(rule length per sample).",
        ),
        (
            "No rule applies",
            percent(found["uncovered_share"]),
            "Share of the test rows that no rule covers. They get the most common outcome; where there are three or "
            "more, the most common one among such rows.",
        ),
        (
            "Undecided",
            percent(found["tie_share"]),
            "Ties: share of the test rows for which two outcomes have the same weight. They get the more common one.",
        ),
    )
    for place, (label, number, help_text) in zip(st.columns(len(shown)), shown, strict=True):
        place.metric(label, number, help=help_text)


# -- the table ---------------------------------------------------------------------------------------------


def show_rules(results: Results, model: str, statistics: RuleStatistics) -> None:
    if not statistics.rules:
        st.info(
            "No rule is worth its price here, so everybody gets the most common outcome. Lower the price of a rule.",
            icon=":material/info:",
        )
        return
    comebacks = comebacks_of(results, model)
    rows, rule_filter = ask_rows_and_filter(results, statistics, comebacks)
    numbers = rule_tables.chosen(statistics, rows, rule_filter, comebacks)
    show_count(statistics, rows, rule_filter, numbers)
    if numbers:
        show_table(results, model, statistics, rows, numbers, comebacks)
    show_downloads(results, model, comebacks)
    show_open_rule(results, model, statistics, rows, comebacks)


def ask_rows_and_filter(
    results: Results, statistics: RuleStatistics, comebacks: RuleComebacks
) -> tuple[str, RuleFilter]:
    """Filters, order, and the rows that the numbers are about."""
    *filters, order, rows = st.columns([1.1, 1.3, 1.1, 1.1, 1.9, 1.2])
    admitted = ask_filter(results, statistics, filters)
    of_groups = dict.fromkeys(rule_tables.OF_GROUPS, statistics.people.has_groups)
    is_known = of_groups | {"came_back": comebacks.are_known}
    orders = [name for name in rule_tables.ORDERS if is_known.get(name, True)]
    by = order.selectbox(
        "Sort by", orders, format_func=rule_tables.ORDERS.__getitem__, key=f"rules_order_{results.run.id}"
    )
    chosen = rows.selectbox(
        "Numbers from",
        list(ROWS),
        format_func=ROWS.__getitem__,
        key=f"rules_rows_{results.run.id}",
        help="Test rows were never seen in training and are the fairer judge; training rows are more.",
        persist_state="session",
    )
    return str(chosen), replace(admitted, order=str(by))


def ask_filter(results: Results, statistics: RuleStatistics, places: Sequence[DeltaGenerator]) -> RuleFilter:
    plan = results.plan
    of_run: dict[str, Any] = {"persist_state": "session"}
    outcome, feature, length, text = places
    outcomes = outcome.multiselect(
        "Outcome",
        statistics.people.outcomes,
        format_func=lambda label: brief(value_in_words(label), 30),
        placeholder="any",
        key=f"rules_outcome_{results.run.id}",
        **of_run,
    )
    features = feature.multiselect(
        "Looks at", plan.features, placeholder="any column", key=f"rules_feature_{results.run.id}", **of_run
    )
    lengths = length.multiselect(
        "Conditions",
        range(1, plan.max_depth + 1),
        placeholder="any number",
        key=f"rules_length_{results.run.id}",
        **of_run,
    )
    words = text.text_input("Contains", placeholder="any words", key=f"rules_text_{results.run.id}", **of_run)
    return RuleFilter(tuple(outcomes), tuple(features), tuple(lengths), words or "")


def show_count(statistics: RuleStatistics, rows: str, rule_filter: RuleFilter, numbers: list[int]) -> None:
    if not numbers:
        about = f" No rule looks at {listed(rule_filter.features)}." if rule_filter.features else ""
        st.caption(f"None of {counted(len(statistics.rules), 'rule')} is like that.{about} Choose less above.")
        return
    everything = counted(len(statistics.rules), "rule")
    which = f"{len(numbers):,} of {everything}" if rule_filter.is_any else everything
    few = int((statistics.counts[rows].n_covered[numbers] < FEW).sum())
    said = f" :orange[:material/warning:] {few_in_words(few, rows)}" if few else ""
    st.caption(f"{which}. Click on a line to open its rule below.{said}")


def few_in_words(n_rules: int, rows: str) -> str:
    which, they = ("1 rule rests", "it is") if n_rules == 1 else (f"{n_rules:,} rules rest", "they are")
    return f"{which} on fewer than {FEW} {rows} rows: how often {they} right is a rough guess."


def show_table(
    results: Results, model: str, statistics: RuleStatistics, rows: str, numbers: list[int], comebacks: RuleComebacks
) -> None:
    frame = rule_tables.shown_frame(statistics, rows, numbers, comebacks)
    own_ids = rule_tables.ids(statistics.rules[number] for number in numbers)
    is_open = [place for place, own in enumerate(own_ids) if own == st.session_state.get(OPEN)]
    row_height = tables.row_height(frame["rule"], table_columns.WIDTH_OF_RULE)
    key = f"rules_{model}_{hash((results.run.id, rows, *own_ids))}"
    st.dataframe(
        frame,
        key=key,
        hide_index=True,
        row_height=row_height,
        height=min(tables.HEADER_HEIGHT + row_height * len(frame) + 2, TABLE_HEIGHT),
        column_config=table_columns.table_columns(results, statistics, rows, comebacks),
        on_select=lambda: take_selection(own_ids, tables.clicked_line(key)),
        selection_mode=tables.LINE_BY_CLICK,
        selection_default={"selection": {"rows": is_open}},
        placeholder=NOTHING,
        alt="Rules",
    )


def take_selection(own_ids: list[str], line: int | None) -> None:
    """Which rule is open; a filter that hides it does not close it, only a click does."""
    if line is not None and line < len(own_ids):
        st.session_state[OPEN] = own_ids[line]
    else:
        st.session_state.pop(OPEN, None)


def show_open_rule(
    results: Results, model: str, statistics: RuleStatistics, rows: str, comebacks: RuleComebacks
) -> None:
    wanted = st.session_state.get(OPEN)
    found = [number for number, rule in enumerate(statistics.rules) if rule_id(rule) == wanted]
    if found:
        show_detail(results, model, statistics, found[0], rows, comebacks)


# -- what differs ------------------------------------------------------------------------------------------


def show_differences(results: Results) -> None:
    st.subheader("How RUG and FairRUG differ", anchor=False)
    found = differences(adjusted_models.now(results, RUG).rules_, adjusted_models.now(results, FAIR).rules_)
    are_set = any(adjustments.current(results.run.id, model).is_any for model in (RUG, FAIR))
    change = adjustments.current(results.run.id, FAIR)
    limit = results.plan.epsilon if change.epsilon is None else change.epsilon
    st.markdown(in_a_sentence(found, limit) + (" Both as re-weighted now." if are_set else ""))
    names = part_names(found, name_of_model(RUG), name_of_model(FAIR))
    part = st.segmented_control(
        "Which rules",
        list(names),
        default=BOTH,
        required=True,
        format_func=names.__getitem__,
        key="rules_part",
        persist_state="session",
        label_visibility="collapsed",
    )
    show_part(results, found, str(part))


def show_part(results: Results, found: RuleDifferences, part: str) -> None:
    frame = difference_frame(found, part)
    if frame.empty:
        st.caption("None.")
        return
    statistics = cached.current_statistics(results, RUG)
    heaviest = max(frame[[name for name in (FIRST, SECOND) if name in frame]].max())
    row_height = tables.row_height(frame["rule"], table_columns.WIDTH_OF_RULE)
    st.dataframe(
        frame,
        key=f"difference_{part}_{results.run.id}",
        hide_index=True,
        row_height=row_height,
        height=min(tables.HEADER_HEIGHT + row_height * len(frame) + 2, TABLE_HEIGHT),
        column_config=tables.rule_columns(heaviest, table_columns.WIDTH_OF_RULE)
        | {"label": table_columns.outcome_column(results, statistics)}
        | {FIRST: table_columns.weight_column(RUG, heaviest), SECOND: table_columns.weight_column(FAIR, heaviest)},
        alt="Rules by the models that have them",
    )


# -- files -------------------------------------------------------------------------------------------------


def show_downloads(results: Results, model: str, comebacks: RuleComebacks) -> None:
    name = f"{file_part(results.run.name)}-{model}-rules"
    as_csv, as_json = cached.files(results, model, adjustments.current(results.run.id, model), comebacks)
    with st.container(horizontal=True, vertical_alignment="center"):
        show_file(
            "All rules as CSV",
            as_csv,
            f"{name}.csv",
            "rules_csv",
            help_text="Whatever the filters: all rules with their present weights, and their numbers on test "
            "and training rows.",
        )
        show_file(
            "All rules as JSON",
            as_json,
            f"{name}.json",
            "rules_json",
            help_text="For programs: `RuleSet.from_json` of the package `rugcore` reads the rules back exactly.",
        )


main()
