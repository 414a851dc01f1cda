"""Two models of past runs on the screen: what can be compared, numbers, people decided differently, and rules."""

from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from rugboard.past_runs.comparison import PastModel, SideBySide
from rugboard.past_runs.words import gap_in_words
from rugboard.session import applicant_address, group_names, page, rule_differences, sampled, state
from rugboard.session.keeping import origin_in_words
from rugboard.session.rule_differences import BOTH, FIRST, SECOND
from rugboard.shell import tables, theme
from rugboard.shell.formats import NOTHING, decimal, percent, points_between, whole
from rugboard.shell.tables import LINE_BY_CLICK, clicked_line
from rugboard.shell.text import brief, named, value_in_words
from rugboard.shell.theme import name_of_model

MOST_LISTED = 500
LIST_HEIGHT = 320  # pixels
RULES_HEIGHT = 460
WIDTH_OF_RULE = 310  # on a phone the outcome still stands beside it
FEW = 5  # people decided differently: fewer say nothing about which model is better
_CHOSEN = "_differing_person"


def show(pair: SideBySide) -> None:
    st.markdown(what_can_be_compared(pair))
    show_origins(pair)
    for side in (pair.first, pair.second):
        if said := sampled.run_in_words(side.results.plan, "People and numbers below are of the sample."):
            st.caption(f"{name_of(side, pair)}: {said}")
    show_numbers(pair)
    show_people(pair)
    show_rules(pair)


def name_of(side: PastModel, pair: SideBySide) -> str:
    """For a sentence, escaped; of two models of one run nobody asks of which run they are."""
    model = name_of_model(side.name)
    is_one_run = pair.first.results.run.id == pair.second.results.run.id
    return model if is_one_run else f"{model} of {named(side.results.run.name)}"


# -- what can be compared ----------------------------------------------------------------------------------


def what_can_be_compared(pair: SideBySide) -> str:
    first, second = pair.first.results, pair.second.results
    if pair.same_test_rows:
        return (
            f":green[:material/check:] The same data and the same {whole(pair.first.n_test)} test rows: the numbers "
            "can be set against each other."
        )
    if pair.same_people:
        return (
            ":orange[:material/warning:] The same data, but other test rows: part of any difference between the "
            f"numbers is who was drawn. People are compared on the {whole(len(pair.common_rows))} rows that neither "
            "training saw."
        )
    if first.plan.snapshot == second.plan.snapshot:
        return (
            f":orange[:material/warning:] The same table, but not the same outcomes ({named(first.plan.target)} and "
            f"{named(second.plan.target)}). Right decisions and gaps cannot be set against each other, nor people; "
            "only the rules can be read side by side."
        )
    return (
        f":orange[:material/warning:] Different data ({named(first.plan.data_name)} and "
        f"{named(second.plan.data_name)}): the numbers are about other people and cannot be set against each other, "
        "and nobody can be looked up in both. Only the rules can be read side by side."
    )


def show_origins(pair: SideBySide) -> None:
    for side in (pair.first, pair.second):
        if words := origin_in_words(side.results.plan):
            st.caption(f"{name_of(side, pair)}: {words}")


# -- numbers -----------------------------------------------------------------------------------------------


def show_numbers(pair: SideBySide) -> None:
    frame = numbers_frame(pair)
    st.dataframe(
        frame,
        key="two_runs_numbers",
        hide_index=True,
        height="content",
        column_config={
            "what": st.column_config.TextColumn("", width=170),
            FIRST: st.column_config.TextColumn(heading(pair.first)),
            SECOND: st.column_config.TextColumn(heading(pair.second)),
            "difference": st.column_config.TextColumn("Difference", width=130, help="The second less the first."),
        },
        alt="Numbers of both models",
    )
    if not pair.same_gap and pair.first.gap is not None and pair.second.gap is not None:
        st.caption("The gaps are not between the same groups of the same rows, or not of the same rates.")


def heading(side: PastModel) -> str:
    return f"{name_of_model(side.name)} · {brief(side.results.run.name, 40)}"


def numbers_frame(pair: SideBySide) -> pd.DataFrame:
    """In words; a difference stands only where both numbers are about the same."""
    one, two = pair.first, pair.second
    n_rules = len(one.model.rules_), len(two.model.rules_)
    lines = [
        ("Rules", whole(n_rules[0]), whole(n_rules[1]), f"{n_rules[1] - n_rules[0]:+d}"),
        ("Conditions per rule", decimal(one.average_length), decimal(two.average_length), ""),
        (
            "Right decisions",
            right_in_words(one),
            right_in_words(two),
            _points(one.accuracy, two.accuracy) if pair.same_test_rows else NOTHING,
        ),
        ("Largest gap", _gap(one), _gap(two), _gap_difference(pair)),
    ]
    return pd.DataFrame(lines, columns=["what", FIRST, SECOND, "difference"])


def right_in_words(side: PastModel) -> str:
    of_sample = " in the sample" if side.results.is_sampled else ""
    return f"{percent(side.accuracy)} of {whole(side.n_test)}{of_sample}"


def _points(one: float, two: float) -> str:
    difference = points_between(one, two)
    return f"{difference:+.1f} points" if difference else "0.0 points"


def _gap(side: PastModel) -> str:
    return NOTHING if side.gap is None else gap_in_words(side.gap)


def _gap_difference(pair: SideBySide) -> str:
    one, two = pair.first.gap, pair.second.gap
    is_known = one is not None and two is not None and not np.isnan(one) and not np.isnan(two)
    return _points(one, two) if pair.same_gap and is_known else NOTHING  # type: ignore[arg-type]


# -- people ------------------------------------------------------------------------------------------------


def show_people(pair: SideBySide) -> None:
    rows = pair.common_rows
    if not len(rows):
        return
    st.subheader("People decided differently", anchor=False)
    differing = pair.decided_differently
    st.markdown(people_in_words(pair, len(differing)))
    if len(differing):
        show_list(pair, differing)


def people_in_words(pair: SideBySide, n_differing: int) -> str:
    rows = "test rows" if pair.same_test_rows else "rows that neither training saw"
    among = f"of {whole(len(pair.common_rows))} {rows}"
    if not n_differing:
        return f"Nobody {among} is decided differently."
    found = pair.who_is_right
    verb = "is" if n_differing == 1 else "are"
    said = (
        f"**{whole(n_differing)}** {among} {verb} decided differently. {name_of(pair.first, pair)} alone is right for "
        f"{whole(found.only_first)} of them, {name_of(pair.second, pair)} alone for {whole(found.only_second)}"
    )
    neither = n_differing - found.only_first - found.only_second
    said = f"{said}, neither for {whole(neither)}." if neither else f"{said}."
    n_disagreements = found.only_first + found.only_second
    if n_disagreements < FEW:
        return f"{said} That is too few people to tell which is better."
    if found.may_be_chance:
        return f"{said} That may be chance: it does not show that one of them is right more often."
    return f"{said} That is more than chance would explain (McNemar's test, p {_p(found.p_value)})."


def _p(value: float) -> str:
    return "below 0.001" if value < 0.001 else f"= {value:.3f}"


def show_list(pair: SideBySide, differing: np.ndarray) -> None:
    if (chosen := st.session_state.pop(_CHOSEN, None)) is not None:
        go_to(pair.first, chosen)
    listed = differing[:MOST_LISTED]
    results = pair.first.results
    key = f"differing_{hash((results.run.id, pair.first.name, pair.second.results.run.id, pair.second.name))}"

    def take() -> None:
        if (place := clicked_line(key)) is not None:
            st.session_state[_CHOSEN] = int(listed[place])

    first = "" if len(listed) == len(differing) else f"The first {MOST_LISTED}. "
    st.caption(f"{first}Click on somebody to see why {name_of(pair.first, pair)} decides so, on the page Applicants.")
    st.dataframe(
        people_frame(pair, listed),
        key=key,
        hide_index=True,
        height=LIST_HEIGHT if len(listed) > 7 else "content",
        column_config={
            "number": st.column_config.NumberColumn("Applicant", format="%d", help="The row of the data, from 1."),
            FIRST: heading(pair.first),
            SECOND: heading(pair.second),
            "outcome": "Outcome in the data",
            "group": brief(group_names.attribute(results.plan.sensitive), 30),
        },
        selection_mode=LINE_BY_CLICK,
        on_select=take,
        alt="People whom the two models decide differently",
    )


def people_frame(pair: SideBySide, rows: np.ndarray) -> pd.DataFrame:
    results = pair.first.results
    columns: dict[str, Any] = {
        "number": [applicant_address.number_of(results, row) for row in rows.tolist()],
        FIRST: [value_in_words(label) for label in pair.first.decided[rows]],
        SECOND: [value_in_words(label) for label in pair.second.decided[rows]],
        "outcome": [value_in_words(label) for label in results.data.y.iloc[rows]],
    }
    if results.data.groups is not None:
        columns["group"] = group_names.of_rows(results).iloc[rows].to_numpy()
    return pd.DataFrame(columns)


def go_to(side: PastModel, row: int) -> None:
    """To the page Applicants, with the run of this model."""
    state.look_at(side.results.run.id)
    applicant_address.look_at(side.results, row)
    st.switch_page(page.APPLICANTS, query_params=page.address() | {"model": side.name})


# -- rules -------------------------------------------------------------------------------------------------


def show_rules(pair: SideBySide) -> None:
    st.subheader("Rules", anchor=False)
    found = rule_differences.differences(pair.first.model.rules_, pair.second.model.rules_)
    if found.are_alike:
        st.markdown("Both have the same rules with the same weights.")
    else:
        st.markdown(rule_differences.shares_in_words(found, name_of(pair.first, pair), name_of(pair.second, pair)))
    names = rule_differences.part_names(found, "the first", "the second")
    part = st.segmented_control(
        "Which rules",
        list(names),
        default=BOTH,
        required=True,
        format_func=names.__getitem__,
        key="two_runs_part",
        persist_state="session",
        label_visibility="collapsed",
    )
    frame = rule_differences.difference_frame(found, str(part))
    if frame.empty:
        st.caption("None.")
        return
    show_rule_table(pair, frame.assign(label=[label for [label] in frame["label"]]))


def show_rule_table(pair: SideBySide, frame: pd.DataFrame) -> None:
    heaviest = max(frame[[name for name in (FIRST, SECOND) if name in frame]].max())
    height = tables.row_height(frame["rule"], WIDTH_OF_RULE)
    st.dataframe(
        frame,
        key="two_runs_rules",
        hide_index=True,
        row_height=height,
        height=min(tables.HEADER_HEIGHT + height * len(frame) + 2, RULES_HEIGHT),
        column_config=tables.rule_columns(heaviest, WIDTH_OF_RULE)
        | {
            FIRST: weight_column("the first", pair.first.name, heaviest),
            SECOND: weight_column("the second", pair.second.name, heaviest),
        },
        alt="Rules by the models that have them",
    )


def weight_column(which: str, model: str, heaviest: float) -> Any:
    return st.column_config.ProgressColumn(
        f"Weight in {which}",
        width=170,
        format="%.2f",
        min_value=0.0,
        max_value=heaviest,
        color=theme.colour_of_model(model),
    )
