"""A file of new people: what could not be read, then decisions, chances and reasons, to look at and to take home."""

from concurrent.futures import Future, ThreadPoolExecutor
from datetime import date
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from rugboard.new_cases.deciding import CHANCE_DIGITS, Decider
from rugboard.new_cases.people import (
    CSV,
    EXCEL,
    HOW_LONG,
    PEOPLE,
    TABLE_HEIGHT,
    NewPeople,
    ask_for_file,
    ask_for_sheet,
    people_in_words,
    readiness,
)
from rugboard.runs import memory
from rugboard.session import state
from rugboard.shell.downloads import file_part, show_file, to_csv
from rugboard.shell.formats import counted, whole
from rugboard.shell.guard import guarded
from rugboard.shell.text import brief, listed, named, plain, value_in_words
from rugcore.new_cases import NewCases
from rugcore.writers import to_xlsx

AT_ONCE = 20_000  # people that are decided while the page waits; more are decided beside it
SECONDS_BETWEEN_LOOKS = 0.5
MOST_SHOWN = 1_000  # people in the table on the screen; the files have all
REASON_WIDTH = 260
MOST_PROBLEMS = 8  # more are a click away
REVIEW = "manual review"
BY = "decided by"  # a run, its model, and whether a visitor had re-weighted it
EVERYBODY = "everybody"
ROW_NUMBERS = "their row in the file"

_workers = ThreadPoolExecutor(max_workers=1, thread_name_prefix="new-cases")  # large files one after the other


def show(decider: Decider) -> None:
    ask_for_file()
    people = state.held(PEOPLE)
    if not isinstance(people, NewPeople):
        st.caption(f"CSV, Parquet or Excel, with the columns of the training table; a line a person. {HOW_LONG}")
        return
    ask_for_sheet(people)
    show_preview(decider, people)
    ask_and_decide(decider, people)


# -- what could not be read --------------------------------------------------------------------------------


def show_preview(decider: Decider, people: NewPeople) -> None:
    table = people.table
    st.markdown(f"**{plain(people.name)}** · {people_in_words(len(table.frame))}")
    read = people.read_by(decider.key, decider.read)
    show_sentences(table.notes, outcome_in_file(decider, table.frame), *read.problems)
    st.markdown(readiness(read))
    if lacking := lacking_columns(decider, table.frame):
        st.warning(lacking_in_words(lacking), icon=":material/warning:")
    with st.expander(f"The first {counted(min(len(table.frame), 5), 'row')} as read"):
        st.dataframe(table.frame.head(5), key="new_people_rows", hide_index=True, height="content")


def lacking_columns(decider: Decider, frame: pd.DataFrame) -> list[str]:
    """What rules look at and the file does not have, under either of its names."""
    there = {name for column in frame.columns for name in (str(column), decider.dictionary.shown_name(str(column)))}
    return [name for name in decider.used if name not in there]


def lacking_in_words(names: list[str]) -> str:
    is_known, them = ("it is known", "it") if len(names) == 1 else ("they are known", "them")
    return (
        f"Nobody can be decided without {listed(names)}. If {is_known} only after the decision, leave {them} out on "
        "the page Data and train again."
    )


def outcome_in_file(decider: Decider, frame: pd.DataFrame) -> str:
    """That the outcome is not looked at, if the file has it."""
    names = {decider.results.run.plan.target, decider.results.plan.target}
    found = [name for name in frame.columns if str(name) in names]
    return f"The file has the outcome {str(found[0])!r}: it is ignored for deciding." if found else ""


def show_sentences(notes: tuple[str, ...], *problems: str) -> None:
    said = [plain(text) for text in (*notes, *problems) if text]
    if not said:
        st.markdown(":green[:material/check:] Everything that the rules look at could be read.")
        return
    st.info("\n".join(f"- {text}" for text in said[:MOST_PROBLEMS]), icon=":material/info:")
    if len(said) > MOST_PROBLEMS:
        with st.expander(f"{counted(len(said) - MOST_PROBLEMS, 'more remark')}"):
            st.markdown("\n".join(f"- {text}" for text in said[MOST_PROBLEMS:]))


# -- deciding ----------------------------------------------------------------------------------------------


def ask_and_decide(decider: Decider, people: NewPeople) -> None:
    frame = people.table.frame
    known = {str(name) for name in (*decider.results.run.plan.columns, *decider.model.schema_.names)}
    others = [str(name) for name in frame.columns if str(name) not in known]
    names, button = st.columns([2, 1], vertical_alignment="bottom")
    column = names.selectbox("People are called by", [ROW_NUMBERS, *others], key=f"new_people_ids_{people.name}")
    key = (*decider.key, column)
    is_asked = button.button(
        f"Decide {people_in_words(len(frame))}",
        type="primary",
        key="decide_new_people",
        icon=":material/play_arrow:",
        width="stretch",
        disabled=key in people.decided,
    )
    if is_asked:
        people.decided = {key: begin(decider, frame, None if column == ROW_NUMBERS else frame[column].tolist())}
    if key in people.decided:
        if is_asked and len(frame) <= AT_ONCE:
            with st.spinner("Deciding …"):
                people.decided[key].exception()  # waits; what went wrong is said where the result would stand
        show_when_done(decider, people, key)


def begin(decider: Decider, frame: pd.DataFrame, ids: list[Any] | None) -> "Future[NewCases]":
    """In a thread of its own, so that the page can be used meanwhile."""
    return _workers.submit(decider.decide, frame, ids)


def show_when_done(decider: Decider, people: NewPeople, key: Any) -> None:
    if people.decided[key].done():
        show_result(decider, people, key)
    else:
        wait_for(people, key)


@st.fragment(run_every=SECONDS_BETWEEN_LOOKS)
@guarded
def wait_for(people: NewPeople, key: Any) -> None:
    if people.decided[key].done():
        st.rerun()
    st.markdown(f":material/hourglass_top: Deciding {people_in_words(len(people.table.frame))} …")


# -- what came out -----------------------------------------------------------------------------------------


def show_result(decider: Decider, people: NewPeople, key: Any) -> None:
    found = people.decided[key].result()
    if key not in people.files:
        people.files = {key: result_frame(decider, found)}
    frame = people.files[key]
    st.subheader("Decisions", anchor=False)
    st.markdown(counts_in_words(found))
    which = ask_which(frame)
    show_table(frame if which == EVERYBODY else frame[frame["decision"].astype(str) == which])
    show_files(people, frame)


def result_frame(decider: Decider, found: NewCases) -> pd.DataFrame:
    """A line a person; who needs manual review has neither a decision nor a chance that a letter could quote."""
    frame = found.frame
    is_open = (frame["status"] == REVIEW).to_numpy()
    decision = np.where(is_open, REVIEW, [value_in_words(label) for label in frame["decision"]])
    chance = frame["chance"].astype(float).round(CHANCE_DIGITS).where(~is_open)
    reasons = reasons_in(frame)
    texts = frame[reasons].mask(np.broadcast_to(is_open[:, None], (len(frame), len(reasons))), "")
    head = pd.DataFrame(
        {"applicant": frame["applicant"], "decision": decision, f"chance of {decider.favourable}": chance}
    )
    run = decider.results.run
    by = f"{decider.words}; run {run.name} ({run.id}); {date.today().isoformat()}"
    return pd.concat([head, texts, frame[["remarks"]]], axis=1).assign(**{BY: by})


def reasons_in(frame: pd.DataFrame) -> list[str]:
    return [name for name in frame.columns if str(name).startswith("reason ")]


def counts_in_words(found: NewCases) -> str:
    parts = [f"{whole(count)} {named(label)}" for label, count in found.counts.items() if label != REVIEW]
    n_open = found.counts.get(REVIEW, 0)
    said = f"{', '.join(parts)}." if parts else "Nobody could be decided."
    return said + (f" **{whole(n_open)}** need{'s' if n_open == 1 else ''} manual review." if n_open else "")


def ask_which(frame: pd.DataFrame) -> str:
    counts = frame["decision"].astype(str).value_counts()
    options = [EVERYBODY, *counts.index]
    chosen = st.segmented_control(
        "Who",
        options,
        default=EVERYBODY,
        required=True,
        format_func=lambda name: f"{brief(name, 30)} · {len(frame) if name == EVERYBODY else counts[name]:,}",
        key=f"new_people_which_{hash(tuple(options))}",
        label_visibility="collapsed",
    )
    return str(chosen or EVERYBODY)


def show_table(frame: pd.DataFrame) -> None:
    if len(frame) > MOST_SHOWN:
        st.caption(f"The first {MOST_SHOWN:,} of {len(frame):,}; the files have all.")
    chance = next(name for name in frame.columns if name.startswith("chance of "))
    texts = st.column_config.TextColumn
    headings: dict[str, Any] = {
        "applicant": "Applicant",
        "decision": "Decision",
        chance: st.column_config.NumberColumn(
            brief(chance.capitalize(), 40), format="%.1f %%", help="As the model estimates it."
        ),
        "remarks": texts("Remarks", width=REASON_WIDTH),
    }
    st.dataframe(
        frame.head(MOST_SHOWN).assign(**{chance: 100 * frame[chance].head(MOST_SHOWN)}),
        key=f"new_people_table_{hash((len(frame), *frame['decision'].head(50)))}",
        hide_index=True,
        column_order=[name for name in frame.columns if name != BY and (frame[name].astype(str) != "").any()],
        height=TABLE_HEIGHT if len(frame) > 9 else "content",
        column_config=headings | {name: texts(name.capitalize(), width=REASON_WIDTH) for name in reasons_in(frame)},
        placeholder="",
        alt="Decisions about new people",
    )


def show_files(people: NewPeople, frame: pd.DataFrame) -> None:
    name = f"{file_part(people.name.rpartition('.')[0] or people.name)}-decided"
    with st.container(horizontal=True, vertical_alignment="center"):
        show_file("All as CSV", lambda: to_csv(frame), f"{name}.csv", CSV)
        show_file("All as Excel", lambda: to_xlsx(frame), f"{name}.xlsx", EXCEL)
        if st.button("Forget these people", key="forget_new_people", icon=":material/delete:"):
            state.drop_held(PEOPLE)
            memory.give_back()
            st.rerun()
    st.caption(HOW_LONG)
