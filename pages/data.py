"""Data: choose a table, say what its columns mean, and see whether it is fit to learn from."""

from collections.abc import Sequence
from dataclasses import replace

import pandas as pd
import streamlit as st

from rugboard.session import page
from rugboard.session.server import store
from rugboard.setup import charts as setup_charts
from rugboard.setup import (
    column_detail,
    columns_form,
    current_draft,
    dictionary_file,
    dictionary_table,
    draft_in_address,
    folder_view,
    questions,
    sources,
    suggestions_view,
    table_summary,
)
from rugboard.setup.columns_form import Questions
from rugboard.setup.drafts import ColumnChoices, Draft, TableChoice, is_unused
from rugboard.setup.health_view import show_health
from rugboard.setup.outside_form import ask_outside
from rugboard.setup.sources import Upload
from rugboard.setup.stand_ins import show_stand_ins
from rugboard.setup.table_summary import TableHealth
from rugboard.shell import charts
from rugboard.shell.formats import counted
from rugboard.shell.guard import guarded
from rugboard.shell.text import brief, listed, named, plain, value_in_words
from rugcore.data_quality import Health
from rugcore.dictionary import DataDictionary
from rugcore.errors import RugError

UPLOAD, REFUSAL, UPLOAD_NUMBER = "_upload", "_refusal", "_upload_number"
TABLE_GROUPS = 12  # more are not drawn one by one
COLUMN_TABS = ("Suggestions", "Use", "Meaning", "One column", "As a file")


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
    chosen = folder_view.ask_for_folder()
    if chosen is not None:
        begin(chosen, None)
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
    is_sample = table.large is not None and table.large.is_sampled
    of_sample = " in the sample" if is_sample else ""
    st.caption(f"{counted(shape.n_rows, 'row')}{of_sample}, {counted(len(shape.columns), 'column')}")
    folder_view.show_what_is_here(table)
    if table.notes:
        bullet = "- " if len(table.notes) > 1 else ""
        st.info("\n".join(f"{bullet}{plain(note)}" for note in table.notes), icon=":material/info:")
    with st.expander(f"The first {counted(len(shape.preview), 'row')}{of_sample}"):
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
    opening, draft = current_draft.opening(), current_draft.draft()
    if opening is None or draft is None:
        return
    about = Questions(opening, table_summary.shape(opening.table.snapshot))
    left, right = st.columns(2, gap="large")
    with left:
        st.subheader("1 · Outcome", anchor=False)
        chosen = ask_outcome(about)
    if chosen.target is None:
        current_draft.keep_columns(chosen)
        st.caption("Choose the outcome to go on.")
        return
    with right:
        st.subheader("2 · Groups", anchor=False)
        health = looked_at(about, chosen.target)
        chosen, may_use = ask_groups(about, chosen, health, draft.dictionary)
    if chosen.sensitive:
        show_groups(about, chosen, draft.dictionary)
    if draft.table.large is None:
        chosen = ask_outside(about, chosen, draft.dictionary)
    chosen = ask_for_columns(about, chosen, health, draft, may_use)
    current_draft.keep_columns(chosen)
    show_health(health, chosen, draft.dictionary)
    show_stand_ins(about.snapshot, chosen, draft.dictionary)
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


def ask_groups(
    about: Questions, chosen: ColumnChoices, health: TableHealth, dictionary: DataDictionary
) -> tuple[ColumnChoices, bool]:
    sensitive = columns_form.ask_sensitive(about, chosen.target or "", dictionary)
    bands = {}
    for name in sensitive:
        if health.column(name).kind == "number":
            edges = columns_form.ask_bands(about, health.column(name))
            if edges is not None:
                bands[name] = edges
    is_protected = any(dictionary.entry(name).protected for name in sensitive)
    may_use = bool(sensitive) and not is_protected and columns_form.ask_whether_in_rules(about, sensitive)
    return replace(chosen, sensitive=sensitive, bands=bands), may_use


def show_groups(about: Questions, chosen: ColumnChoices, dictionary: DataDictionary) -> None:
    try:
        health = table_summary.group_health(about.snapshot, chosen, dictionary)
    except RugError as error:
        st.error(plain(error), icon=":material/error:")
        return
    if chosen.favourable is None:
        st.caption("Say which outcome is the good one to see how the groups fare.")
        return
    by = brief(" / ".join(map(dictionary.shown_name, chosen.sensitive)), 40)
    favourable = named(value_in_words(chosen.favourable))
    large = about.opening.table.large
    of_sample = ", in the sample" if large is not None and large.is_sampled else ""
    groups = counted(len(health.groups), "group")
    title = f"How often the outcome is {favourable}, by {plain(by)}: {groups}{of_sample}"
    with st.expander(title, expanded=True, key="groups_seen"):
        chart, table = st.columns([1.2, 1], gap="large")
        with chart:
            show_base_rates(health, chosen.favourable)
        with table:
            show_group_table(health, chosen.favourable, by)
    for finding in health.table_findings:
        if finding.topic in ("tiny groups", "many groups"):
            st.warning(plain(finding.sentence), icon=":material/group:")


def show_base_rates(health: Health, favourable: object) -> None:
    if len(health.groups) > TABLE_GROUPS:
        st.caption("Too many groups to draw; the table has them all.")
        return
    charts.show(setup_charts.base_rates(health, favourable), key="base_rates", alt="Base rate of each group")


def show_group_table(health: Health, favourable: object, by: str) -> None:
    place = health.classes.index(favourable)
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
            "group": st.column_config.TextColumn(by, width=150),
            "rows": st.column_config.NumberColumn("Rows", format="localized", width=75),
            "rate": st.column_config.NumberColumn(
                brief(value_in_words(favourable), 24),
                format="%.1f %%",
                width=90,
                help="Share of the rows with this outcome (the base rate).",
            ),
        },
        alt="Rows and base rate of each group",
    )


def ask_for_columns(
    about: Questions, chosen: ColumnChoices, health: TableHealth, draft: Draft, may_use: bool
) -> ColumnChoices:
    """What the rules may use, and what the columns mean."""
    st.subheader("3 · Columns", anchor=False)
    dictionary_file.show_origin(about)
    suggested, use, meaning, detail, file = st.tabs(COLUMN_TABS, key=about.key("column_tabs"), on_change="rerun")
    with suggested:
        kinds = draft.columns.kinds if draft.columns.target == chosen.target else {}
        suggestions_view.ask_suggestions(about, replace(chosen, kinds=kinds))
    with use:
        chosen = ask_for_features(about, chosen, health, draft.dictionary, may_use)
    with meaning:
        dictionary_table.ask_meaning(about, health)
    with detail:
        column_detail.ask_detail(about, health)
    with file:
        dictionary_file.ask_file(about)
    return chosen


def ask_for_features(
    about: Questions, chosen: ColumnChoices, health: TableHealth, dictionary: DataDictionary, may_use: bool
) -> ColumnChoices:
    shown = dictionary.shown_name
    show_unused(dictionary)
    chosen = columns_form.ask_features(about, chosen, health, dictionary)
    features = (*(chosen.features or ()), *(chosen.sensitive if may_use else ()))
    doubtful = dict.fromkeys(name for name in health.doubtful() if name not in features)
    left_out = [name for name in doubtful if not is_unused(dictionary.entry(name))]
    if left_out:
        st.caption(f"Left out because of what was found in them: {listed(map(shown, left_out))}.")
    asked = [name for name in questions.unanswered(about.opening.table, health) if name not in features]
    asked = [name for name in asked if name not in left_out and not is_unused(dictionary.entry(name))]
    if asked:
        st.caption(
            f"Left out until you have said whether they were known before the decision: {listed(map(shown, asked))}. "
            "Answer under Suggestions, or tick them."
        )
    kept_out = [name for name in chosen.kept_out if name not in (*features, *chosen.sensitive)]
    kept_out = [name for name in kept_out if not is_unused(dictionary.entry(name))]
    if kept_out:
        names = listed(map(shown, kept_out))
        st.caption(f"Left out because they may stand for a protected group: {names}. Tick them to use them.")
    return replace(chosen, features=features, unreadable=refused_as_numbers(about, chosen))


def show_unused(dictionary: DataDictionary) -> None:
    """What the dictionary keeps from the rules."""
    protected = dictionary.protected()
    left_out = [name for name in dictionary.unused() if name not in protected]
    if protected:
        st.markdown(
            f":material/shield_person: {_columns_are(protected)} protected and not used: {listed(protected, most=8)}.",
            help="No rule may use a protected column, and no reason may name one. Change that under Meaning.",
        )
    if left_out:
        st.markdown(f":material/block: {_columns_are(left_out)} left out: {listed(left_out, most=8)}.")


def _columns_are(names: Sequence[str]) -> str:
    return f"{counted(len(names), 'column')} {'is' if len(names) == 1 else 'are'}"


def refused_as_numbers(about: Questions, chosen: ColumnChoices) -> tuple[str, ...]:
    """ColumnChoices that are to be read as numbers and are none: said here, before a training would fail of it."""
    refused = []
    for name in [name for name, kind in chosen.kinds.items() if kind == "number"]:
        refusal = table_summary.refusal_of_numbers(about.snapshot, chosen.target, name)
        if refusal is not None:
            refused.append(name)
            st.error(plain(refusal), icon=":material/error:")
    return tuple(refused)


# -- on to training ---------------------------------------------------------------------------------------


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
