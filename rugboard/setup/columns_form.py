"""The questions about the columns of a table: outcome, groups, and what the rules may use."""

from dataclasses import dataclass, replace
from hashlib import sha256

import pandas as pd
import streamlit as st

from rugboard.runs.plan import Label
from rugboard.session import state
from rugboard.setup import current_draft, questions, table_summary
from rugboard.setup.drafts import ColumnChoices, Draft, is_unused, outside_column, usable_features
from rugboard.setup.table_summary import Shape, TableHealth
from rugboard.shell.formats import percent, short
from rugboard.shell.text import brief, named, value_in_words
from rugcore.data_quality import ColumnHealth
from rugcore.dictionary import DataDictionary
from rugcore.errors import InputError

FEW_OUTCOMES = 5  # that fit beside each other
AS_IT_IS = "as it is"
READ_AS = (AS_IT_IS, "number", "category")
# Without a single column pandas could not tell what they hold, and the editor would not know what to show.
EDITOR_KINDS = dict.fromkeys(("column", "looks", "read", "blank", "remark"), "str") | {"use": "bool", "values": "int64"}
MOST_EDITOR_HEIGHT = 520
# In the table of columns there is room for a few words; the whole sentences stand below it.
SHORT_REMARKS = {
    "blank": "No value in any row",
    "constant": "The same value in every row",
    "identifier": "Like an identifier",
    "dates": "Like dates",
    "numbers as text": "Numbers kept as text",
    "many values": "Many different values",
    "codes": "Codes to be explained",
    "leak": "Gives the outcome away",
    "revealing value": "Perhaps known only after the decision",
    "known later": "Perhaps known only after the decision",
}


@dataclass(frozen=True)
class Questions:
    """What the questions are about: the draft as it was opened, and its table."""

    opening: Draft
    shape: Shape

    @property
    def snapshot(self) -> str:
        return self.opening.table.snapshot

    def key(self, name: str) -> str:
        """The key of a widget; a new draft has widgets of its own."""
        return f"{name}-{current_draft.draft_number()}"


# -- outcome -----------------------------------------------------------------------------------------------


def ask_target(about: Questions) -> str | None:
    names = list(about.shape.columns)
    before = about.opening.columns.target
    return st.selectbox(
        "Which column is the outcome?",
        names,
        index=names.index(before) if before in names else None,
        format_func=brief,
        placeholder="Choose a column",
        key=about.key("target"),
        persist_state="session",
        help="The target: the decision or result that the rules are to tell, such as approved or denied.",
    )


def ask_favourable(about: Questions, target: str) -> Label | None:
    """Questions, never guessed: which side is the good one cannot be seen in the data."""
    values = table_summary.outcomes(about.snapshot, target)
    before = about.opening.columns
    chosen = before.favourable if target == before.target and before.favourable in values else None
    label = "Which value means that the applicant is well served?"
    index = values.index(chosen) if chosen is not None else None
    key = f"{about.key('favourable')}-{target}"
    help_text = "The favourable outcome. Fairness is judged by who gets it, so it is asked and never guessed."
    if len(values) > FEW_OUTCOMES:
        return st.selectbox(
            label, values, index, value_in_words, key, help_text, placeholder="Choose a value", persist_state="session"
        )
    return st.radio(label, values, index, _radio_label, key, help_text, horizontal=True, persist_state="session")


def _radio_label(value: object) -> str:
    return named(value_in_words(value))[1:-1]  # a radio shows Markdown


# -- groups ------------------------------------------------------------------------------------------------


def ask_sensitive(about: Questions, target: str, dictionary: DataDictionary) -> tuple[str, ...]:
    """Protected columns first: groups by them are what fairness is about."""
    names = sorted(
        (name for name in about.shape.columns if name != target), key=lambda name: _is_free(name, dictionary)
    )
    before = [name for name in about.opening.columns.sensitive if name in names]
    chosen = st.multiselect(
        "Sensitive attribute",
        names,
        before,
        lambda name: brief(dictionary.shown_name(name)),
        key=f"{about.key('sensitive')}-{target}",
        placeholder="None: no groups are compared",
        persist_state="session",
        help="Groups of people who should be treated alike. Several columns make a group of every combination.",
    )
    return tuple(str(name) for name in chosen)


def _is_free(name: str, dictionary: DataDictionary) -> bool:
    return not dictionary.entry(name).protected


def ask_bands(about: Questions, column: ColumnHealth) -> tuple[float, ...] | None:
    """Where to cut a number into groups; None: every number is a group of its own."""
    before = about.opening.columns.bands.get(column.name)
    must = table_summary.is_quantity(column)
    if not must and not st.toggle(
        f"Cut {named(column.name)} into bands",
        before is not None,
        key=f"{about.key('cut')}-{column.name}",
        persist_state="session",
    ):
        return None
    edges = before or table_summary.suggested_edges(about.snapshot, column.name)
    text = st.text_input(
        f"Bands of {named(column.name)} begin at",
        ", ".join(short(edge).replace(",", "") for edge in edges),
        key=f"{about.key('bands')}-{column.name}",
        persist_state="session",
        help="Numbers in rising order, with commas between them: 25, 40, 60 makes under 25, 25 to 39, 40 to 59, "
        "60 and over.",
    )
    return read_edges(str(text), column.name)


def read_edges(text: str, column: str) -> tuple[float, ...]:
    """What a person typed, as numbers."""
    try:
        edges = tuple(float(part) for part in text.replace(";", ",").split(",") if part.strip())
    except ValueError as error:
        raise InputError(f"The bands of {column!r} need numbers with commas between them, but got {text!r}.") from error
    if not edges or list(edges) != sorted(set(edges)) or not pd.Series(edges).abs().lt(float("inf")).all():
        raise InputError(f"The bands of {column!r} need one number or more in rising order, but got {text!r}.")
    return edges


def ask_whether_in_rules(about: Questions, sensitive: tuple[str, ...]) -> bool:
    """Off by default: a protected attribute is no reason for a decision unless somebody says so."""
    before = about.opening.columns
    was_used = before.features is not None and bool(sensitive) and set(sensitive) <= set(before.features)
    return st.toggle(
        "The rules may use the sensitive attribute",
        was_used,
        key=f"{about.key('in_rules')}-{'-'.join(sensitive)}",
        persist_state="session",
        help="Off: the groups are compared, but no rule asks which group a person belongs to. Other columns can still "
        "stand in for it.",
    )


# -- what the rules may use --------------------------------------------------------------------------------


def ask_features(
    about: Questions, columns: ColumnChoices, health: TableHealth, dictionary: DataDictionary
) -> ColumnChoices:
    """One line per column that the dictionary leaves to choose: use it or not, and how to read it."""
    start = _editor_start(about, columns, health, dictionary)
    column = st.column_config
    edited = st.data_editor(
        start.frame,
        key=start.key,
        hide_index=True,
        height=min(36 + 36 * len(start.frame), MOST_EDITOR_HEIGHT),
        row_height=36,
        disabled=["column", "looks", "values", "blank", "remark"],
        column_config={
            "use": column.CheckboxColumn("Use", width=50, help="Whether rules may look at this column (a feature)."),
            "column": column.TextColumn("Column", width=270),
            "looks": column.TextColumn("Looks like", width=90),
            "read": column.SelectboxColumn(
                "Read as", width=100, options=READ_AS, required=True, help="A code such as 1, 2, 3 is a category."
            ),
            "values": column.NumberColumn("Values", width=70, format="localized", help="How many different ones."),
            "blank": column.TextColumn("Blank", width=70),
            "remark": column.TextColumn("Remark", width=350),
        },
        alt="Columns and whether the rules may use them",
    )
    is_used = edited["use"].astype(bool)
    used, other_kind = edited[is_used], edited[(edited["read"] != AS_IT_IS) & is_used]
    return replace(
        columns,
        features=tuple(used.index),
        kinds=dict(zip(other_kind.index, other_kind["read"], strict=True)),
    )


@dataclass(frozen=True, eq=False)
class _EditorStart:
    key: str
    frame: pd.DataFrame


def _editor_start(
    about: Questions, columns: ColumnChoices, health: TableHealth, dictionary: DataDictionary
) -> _EditorStart:
    """Where the editor begins. It must not change while a person edits, and begins afresh on each visit."""
    shown = [
        (name, dictionary.shown_name(name)) for name in about.shape.columns if not is_unused(dictionary.entry(name))
    ]
    apart = columns.target, columns.sensitive, outside_column(columns)
    is_open = questions.unanswered(about.opening.table, health)
    seen = sha256(repr((*apart, shown, is_open)).encode()).hexdigest()[:16]
    key = f"{about.key('columns')}-{state.visit()}-{seen}"
    kept = st.session_state.get(f"start of {key}")
    if not isinstance(kept, _EditorStart):
        kept = _EditorStart(key, _editor_frame(about, columns, health, dict(shown)))
        st.session_state[f"start of {key}"] = kept
    return kept


def _editor_frame(
    about: Questions, columns: ColumnChoices, health: TableHealth, possible: dict[str, str]
) -> pd.DataFrame:
    """Of the possible columns, by their names in the file; `possible` says how they are shown."""
    current = current_draft.draft() or about.opening
    chosen = (
        replace(columns, features=current.columns.features) if current.columns.target == columns.target else columns
    )
    against = [*health.doubtful(), *questions.unanswered(about.opening.table, health)]
    used = usable_features(about.shape.columns, chosen, against)
    apart = (columns.target, outside_column(columns), *columns.sensitive)
    names = [name for name in possible if name not in apart]
    return pd.DataFrame(
        {
            # Whoever says how to read a column, uses it.
            "use": [name in used or name in current.columns.kinds for name in names],
            "column": [possible[name] for name in names],
            "looks": [health.column(name).kind for name in names],
            "read": [current.columns.kinds.get(name, AS_IT_IS) for name in names],
            "values": [health.column(name).n_distinct for name in names],
            "blank": [_blank(health.column(name)) for name in names],
            "remark": [_remark(health.column(name), columns) for name in names],
        },
        index=pd.Index(names, dtype=object),
    ).astype(EDITOR_KINDS)


def _blank(column: ColumnHealth) -> str:
    return percent(column.missing_share) if column.missing_share else ""


def _remark(column: ColumnHealth, columns: ColumnChoices) -> str:
    found = [SHORT_REMARKS[finding.topic] for finding in column.findings if finding.topic in SHORT_REMARKS]
    if column.name in columns.kept_out:
        found.insert(0, "May stand for a protected group")
    return "; ".join(found)
