"""Data: choose a table, say what its columns mean, and see whether it is fit to learn from."""

from dataclasses import replace

import pandas as pd
import streamlit as st

from rugboard.session import page
from rugboard.session.server import store
from rugboard.setup import charts as setup_charts
from rugboard.setup import columns_form, current_draft, draft_in_address, sources, table_summary
from rugboard.setup.columns_form import Questions
from rugboard.setup.drafts import ColumnChoices, Draft, TableChoice
from rugboard.setup.sources import Upload
from rugboard.setup.stand_ins import show_stand_ins
from rugboard.setup.table_summary import TableHealth
from rugboard.shell import charts
from rugboard.shell.formats import counted
from rugboard.shell.guard import guarded
from rugboard.shell.text import brief, listed, named, plain, value_in_words
from rugcore.data_quality import Finding, Health
from rugcore.dictionary import DataDictionary
from rugcore.errors import RugError

UPLOAD, REFUSAL, UPLOAD_NUMBER = "_upload", "_refusal", "_upload_number"
TABLE_GROUPS = 12  # more are not drawn one by one
MOST_WARNINGS = 6  # more are not all shown at once


@guarded
def main() -> None:
    page.title("Data", "Choose a table of past decisions, and say what its columns mean.")
    draft_in_address.reopen()
    ask_for_table()
    draft = current_draft.draft()
    if draft is None:
        st.caption("Nothing chosen yet. The table you choose is shown here.")
        return
    if not store().snapshots.exists(draft.table.snapshot):
        st.warning(f"The data of {named(draft.table.name)} is gone. Load it again.", icon=":material/search_off:")
        return
    show_table(draft.table)
    ask_about_columns()
    draft_in_address.remember()


# -- the table ---------------------------------------------------------------------------------------------


def ask_for_table() -> None:
    with st.container(border=True):
        demo, own = st.columns(2, gap="large")
        with demo:
            ask_for_demo()
        with own:
            ask_for_file()
    refusal = st.session_state.get(REFUSAL)
    if refusal:
        st.error(plain(refusal), icon=":material/error:")


def ask_for_demo() -> None:
    name = st.selectbox(
        "Demo data", sources.demo_names(), format_func=sources.demo_title, key="demo", persist_state="session"
    )
    with st.container(height=64, border=False):
        st.caption(plain(sources.demo(name).description))
    if st.button("Use this demo", key="use_demo", icon=":material/table:"):
        begin(sources.demo_draft(name), None)


def ask_for_file() -> None:
    number = int(st.session_state.get(UPLOAD_NUMBER, 0))
    file = st.file_uploader(
        "Your own table",
        key=f"upload-{number}",
        help="The content decides what the file is, not its name. Nothing in it is run.",
    )
    st.caption("CSV, Parquet or Excel. It stays on the machine that runs this dashboard.")
    if file is not None:
        st.session_state[UPLOAD_NUMBER] = number + 1  # frees the file, which is not needed once it is read
        read_file(file.name, file.getvalue())
    ask_for_sheet()


def ask_for_sheet() -> None:
    kept = st.session_state.get(UPLOAD)
    if not isinstance(kept, Upload):
        return
    place = kept.sheets.index(kept.sheet) if kept.sheet in kept.sheets else 0
    sheet = st.selectbox("Sheet", kept.sheets, place, key=f"sheet-{st.session_state[UPLOAD_NUMBER]}")
    if sheet != kept.sheet:
        read_file(kept.name, kept.data, sheet)


def read_file(name: str, data: bytes, sheet: str | None = None) -> None:
    try:
        with st.spinner(f"Reading {named(name)}"):
            draft, kept = sources.read_upload(name, data, sheet)
    except RugError as error:
        st.session_state[REFUSAL] = str(error)
        st.rerun()
    begin(draft, kept)


def begin(draft: Draft, upload: Upload | None) -> None:
    """Take a table as the one to train on."""
    st.session_state[REFUSAL] = None
    st.session_state[UPLOAD] = upload
    draft_in_address.begin(draft)
    st.rerun()


def show_table(table: TableChoice) -> None:
    shape = table_summary.shape(table.snapshot)
    st.subheader(plain(table.name), anchor=False)
    st.caption(f"{counted(shape.n_rows, 'row')}, {counted(len(shape.columns), 'column')}")
    if table.notes:
        bullet = "- " if len(table.notes) > 1 else ""
        st.info("\n".join(f"{bullet}{plain(note)}" for note in table.notes), icon=":material/info:")
    with st.expander(f"The first {counted(len(shape.preview), 'row')}"):
        st.dataframe(
            shape.preview,
            key=f"preview-{table.snapshot}",
            hide_index=True,
            height=320,
            column_config={name: st.column_config.NumberColumn(format="localized") for name in numbers_in(shape)},
        )


def numbers_in(shape: table_summary.Shape) -> list[str]:
    """ColumnChoices of numbers, to be shown as numbers are elsewhere."""
    return list(shape.preview.select_dtypes("number").columns)


# -- what the columns mean ---------------------------------------------------------------------------------


def ask_about_columns() -> None:
    opening = current_draft.opening()
    if opening is None:
        return
    about = Questions(opening, table_summary.shape(opening.table.snapshot))
    st.subheader("Outcome and groups", anchor=False)
    left, right = st.columns(2, gap="large")
    with left:
        chosen = ask_outcome(about)
    if chosen.target is None:
        current_draft.keep_columns(chosen)
        st.caption("Choose the outcome to go on.")
        return
    with right:
        health = looked_at(about, chosen.target)
        chosen, may_use = ask_groups(about, chosen, chosen.target, health)
    if chosen.sensitive:
        show_groups(about, chosen)
    chosen = ask_for_features(about, chosen, health, may_use)
    current_draft.keep_columns(chosen)
    show_health(health, chosen)
    show_stand_ins(about.snapshot, chosen, DataDictionary())
    show_way_on()


def ask_outcome(about: Questions) -> ColumnChoices:
    target = columns_form.ask_target(about)
    if target is None:
        return replace(about.opening.columns, target=None, favourable=None)
    try:
        favourable = columns_form.ask_favourable(about, target)
    except RugError as error:
        st.error(plain(error), icon=":material/error:")
        return replace(about.opening.columns, target=None, favourable=None)
    if about.opening.table.demo is not None:
        st.caption("Known for this demo; change it if you look at it from another side.")
    return replace(about.opening.columns, target=target, favourable=favourable)


def looked_at(about: Questions, target: str) -> TableHealth:
    with st.spinner("Looking at every column"):
        return table_summary.health(about.snapshot, target)


def ask_groups(about: Questions, chosen: ColumnChoices, target: str, health: TableHealth) -> tuple[ColumnChoices, bool]:
    sensitive = columns_form.ask_sensitive(about, target)
    bands = {}
    for name in sensitive:
        if health.column(name).kind == "number":
            edges = columns_form.ask_bands(about, health.column(name))
            if edges is not None:
                bands[name] = edges
    may_use = columns_form.ask_whether_in_rules(about, sensitive) if sensitive else False
    return replace(chosen, sensitive=sensitive, bands=bands), may_use


def show_groups(about: Questions, chosen: ColumnChoices) -> None:
    try:
        health = table_summary.group_health(about.snapshot, chosen, DataDictionary())
    except RugError as error:
        st.error(plain(error), icon=":material/error:")
        return
    if chosen.favourable is None:
        st.caption("Say which outcome is the good one to see how the groups fare.")
        return
    chart, table = st.columns([1.2, 1], gap="large")
    with chart:
        by = named(" / ".join(chosen.sensitive))
        st.markdown(f"**How often the outcome is {named(value_in_words(chosen.favourable))}, by {by}**")
        if len(health.groups) <= TABLE_GROUPS:
            charts.show(
                setup_charts.base_rates(health, chosen.favourable), key="base_rates", alt="Base rate of each group"
            )
        else:
            st.caption(f"{counted(len(health.groups), 'group')}: too many to draw; the table has them all.")
    with table:
        show_group_table(health, chosen)
    for finding in health.table_findings:
        if finding.topic in ("tiny groups", "many groups"):
            st.warning(plain(finding.sentence), icon=":material/group:")


def show_group_table(health: Health, chosen: ColumnChoices) -> None:
    place = health.classes.index(chosen.favourable)
    frame = pd.DataFrame(
        {
            "group": [group.label for group in health.groups],
            "rows": [group.n_rows for group in health.groups],
            "rate": [100 * group.base_rates[place] for group in health.groups],
        }
    )
    st.dataframe(
        frame,
        key="groups",
        hide_index=True,
        height=min(38 + 35 * len(frame), 460),
        column_config={
            "group": st.column_config.TextColumn(brief(" / ".join(chosen.sensitive), 40), width=260),
            "rows": st.column_config.NumberColumn("Rows", format="localized", width=90),
            "rate": st.column_config.NumberColumn(
                "Base rate", format="%.1f %%", width=90, help="Share of the rows with the favourable outcome."
            ),
        },
        alt="Rows and base rate of each group",
    )


def ask_for_features(about: Questions, chosen: ColumnChoices, health: TableHealth, may_use: bool) -> ColumnChoices:
    st.subheader("What the rules may use", anchor=False)
    chosen = columns_form.ask_features(about, chosen, health)
    features = (*(chosen.features or ()), *(chosen.sensitive if may_use else ()))
    left_out = list(dict.fromkeys(name for name in health.doubtful() if name not in features))
    if left_out:
        st.caption(f"Left out because of what was found in them: {listed(left_out)}.")
    kept_out = [name for name in chosen.kept_out if name not in (*features, *chosen.sensitive)]
    if kept_out:
        st.caption(f"Left out because they may stand for a protected group: {listed(kept_out)}. Tick them to use them.")
    return replace(chosen, features=features, unreadable=refused_as_numbers(about, chosen))


def refused_as_numbers(about: Questions, chosen: ColumnChoices) -> tuple[str, ...]:
    """ColumnChoices that are to be read as numbers and are none: said here, before a training would fail of it."""
    refused = []
    for name in [name for name, kind in chosen.kinds.items() if kind == "number"]:
        refusal = table_summary.refusal_of_numbers(about.snapshot, chosen.target, name)
        if refusal is not None:
            refused.append(name)
            st.error(plain(refusal), icon=":material/error:")
    return tuple(refused)


# -- health ------------------------------------------------------------------------------------------------


def show_health(health: TableHealth, chosen: ColumnChoices) -> None:
    st.subheader("Data health", anchor=False)
    n_blank = sum(column.missing_share > 0 for column in health.columns)
    n_constant = sum(column.n_distinct <= 1 for column in health.columns)
    blank, constant, duplicates, doubtful = st.columns(4)
    blank.metric("Columns with blanks", n_blank, border=True)
    constant.metric("Columns with one value", n_constant, border=True)
    duplicates.metric(
        "Repeated rows", f"{health.n_duplicates:,}", border=True, help="Rows that equal an earlier one in every column."
    )
    doubtful.metric(
        "Doubtful columns",
        len(set(health.doubtful())),
        border=True,
        help="Identifiers, columns that give the outcome away, and empty ones. They are left out unless you tick them.",
    )
    show_remarks(table_summary.remarks(health, chosen))


def show_remarks(found: tuple[Finding, ...]) -> None:
    warnings = [finding for finding in found if finding.severity == "warning"]
    questions = [finding for finding in found if finding.topic == "revealing value"]
    rest = [*warnings[MOST_WARNINGS:], *(item for item in found if item not in warnings and item not in questions)]
    for finding in warnings[:MOST_WARNINGS]:
        st.warning(plain(finding.sentence), icon=":material/warning:")
    for finding in questions:
        st.info(plain(finding.sentence), icon=":material/help:")
    if rest:
        noun = "more remark" if warnings or questions else "remark"
        with st.expander(counted(len(rest), noun)):
            for finding in rest:
                st.markdown(f"- {plain(finding.sentence)}")
    if not found:
        st.caption(
            "Few blanks if any, no repeated rows, no identifiers, and no column that alone gives the outcome away."
        )


def show_way_on() -> None:
    draft = current_draft.draft()
    if draft is None:
        return
    st.space("small")
    if draft.is_ready:
        if st.button("Go on to training", type="primary", key="go_on", icon=":material/arrow_forward:"):
            st.switch_page(page.TRAIN, query_params=page.address())
    else:
        st.info(f"To go on, please say {' and '.join(draft.open_questions())}.", icon=":material/help:")


main()
