"""Newer people of a file against the people of the run: does the model still hold?"""

from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from rugboard.new_cases import monitoring_file
from rugboard.new_cases.deciding import Decider
from rugboard.new_cases.people import (
    HOW_LONG,
    PEOPLE,
    TABLE_HEIGHT,
    NewPeople,
    ask_for_file,
    ask_for_sheet,
    people_in_words,
    readiness,
)
from rugboard.runs.plan import FAIR, Plan
from rugboard.runs.prepare import groups_of
from rugboard.session import server, state
from rugboard.shell.downloads import file_part, show_file, to_csv
from rugboard.shell.text import listed, plain
from rugcore.dictionary import value_text
from rugcore.errors import InputError
from rugcore.monitoring import Monitoring, Period, monitor
from rugcore.new_cases import ReadCases

WHAT = (
    "Does the model still hold? CSV, Parquet or Excel, with the columns of the training table, and with the outcome "
    "where it is known by now: then mistakes and gaps between groups are held against those of the test rows."
)
KEPT = "What is found, shares and counts without people, is kept with the run for its report."
NOT_KEPT = "The report of the run is silent about this: it is about a model that you re-weighted."
PSI_HELP = (
    "Population stability index: how far the column's shares moved. By custom 0.1 is a shift, 0.25 a large one; "
    "'by chance' is what it would seldom exceed if nothing had moved."
)


def show(decider: Decider) -> None:
    ask_for_file()
    people = state.held(PEOPLE)
    if not isinstance(people, NewPeople):
        st.caption(f"{WHAT} {HOW_LONG} {KEPT}")
        return
    ask_for_sheet(people)
    st.markdown(f"**{plain(people.name)}** · {people_in_words(len(people.table.frame))}")
    read = people.read_by(decider.key, decider.read)
    if read.is_unread.all():
        st.error("Nobody in this file can be put to the rules. Load one with the columns that they look at.")
        return
    st.markdown(readiness(read))
    try:
        with st.spinner("Comparing …"):
            found = compared(decider, people, read)
    except InputError as error:
        st.error(plain(error), icon=":material/error:")
        return
    show_found(decider, people, found)


def compared(decider: Decider, people: NewPeople, read: ReadCases) -> Monitoring:
    """Worked out once for a file and a model, and kept with the run if the model is as the run has it."""
    key = decider.key
    if key not in people.monitored:
        found = monitor(
            decider.model,
            then(decider),
            now(decider, people.table.frame, read),
            positive_class=decider.favourable,
            fairness=decider.results.run.plan.fairness,
            epsilon=limit_of(decider),
        )
        people.monitored = {key: found}
        if not decider.change.is_any and server.may_change(decider.results):
            monitoring_file.keep(decider.results.folder, decider.name, people.name, found)
    return people.monitored[key]


def limit_of(decider: Decider) -> float | None:
    """The largest gap that was asked of this model; None if nothing was."""
    if decider.name != FAIR:
        return None
    return decider.results.plan.epsilon if decider.change.epsilon is None else decider.change.epsilon


def then(decider: Decider) -> Period:
    """Everybody of the run; their outcomes count only where the model was not trained on them."""
    results = decider.results
    return Period(results.data.X, results.data.y.astype(object).where(results.is_test, None), results.data.groups)


def now(decider: Decider, frame: pd.DataFrame, read: ReadCases) -> Period:
    """Those of a file whom the rules can be put to, with what else the file says about them."""
    plan, is_read = decider.results.run.plan, ~read.is_unread
    outcomes = outcomes_of(decider, frame)
    groups = groups_of(frame, plan) if plan.sensitive and set(plan.sensitive) <= set(map(str, frame.columns)) else None
    return Period(
        read.X[is_read],
        None if outcomes is None else outcomes[is_read],
        None if groups is None else groups[is_read],
    )


def outcomes_of(decider: Decider, frame: pd.DataFrame) -> pd.Series | None:
    """The outcomes of a file as the model names them; None if it has none."""
    plan = decider.results.run.plan
    if plan.target not in frame.columns:
        return None
    outcomes = plan.dictionary.applied(frame[[plan.target]]).iloc[:, 0].astype(object)
    is_text = isinstance(decider.classes[0], str)
    return outcomes.map(value_text, na_action="ignore") if is_text else outcomes


# -- what came out -----------------------------------------------------------------------------------------


def show_found(decider: Decider, people: NewPeople, found: Monitoring) -> None:
    box, icon = (st.success, ":material/check_circle:") if found.is_steady else (st.warning, ":material/search:")
    head, *findings = (plain(text) for text in found.verdict)
    box("\n".join([head, *(f"- {text}" for text in findings)]), icon=icon)
    show_absent(decider.results.run.plan, people.table.frame, found)
    st.caption(NOT_KEPT if decider.change.is_any else KEPT)
    show_shares("Decisions", found.decisions, "monitor_decisions", expanded=True)
    with st.expander("Columns"):
        show_columns(found.columns)
    show_shares("Who is covered by each rule", found.rules, "monitor_rules")
    if found.right is not None:
        show_shares("How often each rule is right", found.right, "monitor_right")
    if found.gaps is not None:
        show_gaps(found.gaps)
    name = file_part(people.name.rpartition(".")[0] or people.name)
    show_file("All numbers as CSV", lambda: to_csv(long_table(found)), f"{name}-monitoring.csv", "monitoring_csv")


def show_absent(plan: Plan, frame: pd.DataFrame, found: Monitoring) -> None:
    """What could not be looked at, and what the file would have to hold."""
    if found.right is None:
        st.caption(f"Mistakes cannot be judged: the file has no outcomes in {plain(repr(plan.target))}.")
    elif found.gaps is None and plan.sensitive:
        absent = [name for name in plan.sensitive if name not in frame.columns]
        st.caption(f"Gaps between groups cannot be judged: the file has no {listed(absent)}.")


def show_shares(title: str, lines: pd.DataFrame, key: str, *, expanded: bool = False) -> None:
    share = st.column_config.NumberColumn
    shown = lines.assign(**{name: 100 * lines[name] for name in ("then", "now", "change", "low", "high")})
    with st.expander(title, expanded=expanded):
        st.dataframe(
            shown,
            key=key,
            hide_index=True,
            height="content" if len(shown) <= 9 else TABLE_HEIGHT,
            column_config={
                "what": st.column_config.TextColumn("", width="medium"),
                "n_then": share("People then", format="localized"),
                "then": share("Then", format="%.1f %%"),
                "n_now": share("People now", format="localized"),
                "now": share("Now", format="%.1f %%"),
                "change": share("Change, points", format="%+.1f"),
                "low": share("At least", format="%+.1f", help="The change lies between these bounds, with 95 % "
                             "confidence for all lines of the table together."),
                "high": share("At most", format="%+.1f"),
            },
            alt=title,
        )  # fmt: skip


def show_columns(columns: pd.DataFrame) -> None:
    number = st.column_config.NumberColumn
    st.dataframe(
        columns.assign(then=100 * columns["then"], now=100 * columns["now"]),
        key="monitor_columns",
        hide_index=True,
        height="content" if len(columns) <= 9 else TABLE_HEIGHT,
        column_config={
            "column": "Column",
            "psi": number("PSI", format="%.2f", help=PSI_HELP),
            "by_chance": number("By chance", format="%.2f"),
            "status": "",
            "change": st.column_config.TextColumn("Moved most", width=260),
            "then": number("Then", format="%.1f %%"),
            "now": number("Now", format="%.1f %%"),
        },
        alt="Columns, those that moved most first",
    )


def show_gaps(gaps: pd.DataFrame) -> None:
    number = st.column_config.NumberColumn
    names = {"gap": "", "lower": ", at least", "upper": ", at most"}
    headings: dict[str, Any] = {
        f"{name}_{when}": number(f"{when.capitalize()}{said}", format="%.1f %%")
        for when in ("then", "now")
        for name, said in names.items()
    }
    shown = gaps.reset_index(names="notion")
    shown = shown.assign(
        notion=shown["notion"].astype(str), **{name: 100 * shown[name].astype(float) for name in headings}
    )
    with st.expander("Gaps between groups"):
        st.dataframe(
            shown,
            key="monitor_gaps",
            hide_index=True,
            column_order=["notion", *headings],
            column_config={"notion": "What is compared"} | headings,
            alt="Gaps between groups then and now",
        )


def long_table(found: Monitoring) -> pd.DataFrame:
    """Every number of the comparison, a part under the other."""
    columns = found.columns.rename(columns={"column": "what"})
    parts = {"columns": columns, "decisions": found.decisions, "coverage of rules": found.rules}
    if found.right is not None:
        parts["right decisions of rules"] = found.right
    if found.gaps is not None:
        parts["gaps"] = found.gaps.reset_index(names="what").rename(columns={"gap_then": "then", "gap_now": "now"})
    verdict = pd.DataFrame({"what": list(found.verdict)})
    tables = [part.assign(part=name) for name, part in {"verdict": verdict, **parts}.items()]
    joined = pd.concat(tables, ignore_index=True)
    return joined[["part", *(name for name in joined.columns if name != "part")]].replace({np.nan: None})
