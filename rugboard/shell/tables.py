"""Tables of rules, of one row's values, and of numbers to read."""

from collections.abc import Iterable, Mapping
from numbers import Real
from typing import Any, Literal

import pandas as pd
import streamlit as st

from rugcore.rules import Rule, RuleSet, measured, number_in_words

MOST_HEIGHT = 640  # pixels; a longer table scrolls
HEADER_HEIGHT = 36
LOW_ROW = 40
ROW_HEIGHT = 36  # of a table of numbers
COUNT_WIDTH = 84  # pixels; the longest heading is "Looked at"
MOST_LINES = 12  # of a table of numbers; a longer one scrolls
HIGH_ROW = 68  # three lines of text; Streamlit wraps only in rows higher than 64 pixels
CHARACTER_WIDTH = 7  # pixels, with something to spare
# How a line of a table is chosen: a click on any of its cells will do.
LINE_BY_CLICK: list[Literal["single-row", "single-cell"]] = ["single-row", "single-cell"]


def show_rules(rules: Iterable[Rule], heaviest: float, key: str, *, brief: bool = False) -> None:
    """Rules in words, one per line; the bars of all tables that share `heaviest` can be compared."""
    frame = rule_frame(rules)
    width_of_text = 300 if brief else 520
    height_of_row = row_height(frame["rule"], width_of_text)
    st.dataframe(
        frame,
        key=key,
        hide_index=True,
        row_height=height_of_row,
        height=min(HEADER_HEIGHT + height_of_row * len(frame), MOST_HEIGHT),
        column_order=["rule", "label", "weight"] if brief else list(frame.columns),
        column_config=rule_columns(heaviest, width_of_text),
        alt="Rules, heaviest first",
    )


def rule_frame(rules: Iterable[Rule]) -> pd.DataFrame:
    """The columns of the rule table, ready to be shown."""
    frame = RuleSet(tuple(rules)).to_frame()
    return frame.assign(
        label=frame["label"].astype("str"),  # a model may mix numbers and words
        coverage=100 * frame["coverage"],
        precision=100 * frame["precision"],
    )


def heaviest(*rule_sets: Iterable[Rule]) -> float:
    """The largest weight of all, so that bars can be compared."""
    return max((rule.weight for rules in rule_sets for rule in rules), default=1.0)


def show_values(row: pd.Series, key: str) -> None:
    """What is known about one row, one line per column."""
    frame = pd.DataFrame({"column": row.index.astype("str"), "value": [cell_in_words(value) for value in row]})
    st.dataframe(
        frame,
        key=key,
        hide_index=True,
        height="content",
        column_config={
            "column": st.column_config.TextColumn("Column", width=270),
            "value": st.column_config.TextColumn("Value", width=200),
        },
        alt="Values of the row",
    )


def show_table(
    frame: pd.DataFrame, headings: Mapping[str, tuple[str, str | None]], key: str, alt: str, width: int | None = None
) -> None:
    """A table to read. `headings` are the title and the help of each column; `width` is for those with an interval."""
    widths = dict.fromkeys(headings, width) | {"group": None, "n": COUNT_WIDTH}
    st.dataframe(
        frame,
        key=key,
        hide_index=True,
        height=ROW_HEIGHT * (min(len(frame), MOST_LINES) + 1) + 2,
        row_height=ROW_HEIGHT,
        column_order=[name for name in headings if name in frame.columns],
        column_config={
            name: st.column_config.Column(title, help=help_text, width=widths[name])
            for name, (title, help_text) in headings.items()
        },
        alt=alt,
    )


def rule_columns(heaviest: float, width_of_text: int) -> dict[str, Any]:
    """How the columns of `rule_frame` are shown."""
    column = st.column_config
    return {
        "rule": column.TextColumn("If", width=width_of_text, help="The rule votes when all of this holds."),
        "label": column.TextColumn("Then", width=110, help="The decision that the rule votes for."),
        "weight": column.ProgressColumn(
            "Weight",
            width=112,
            format="%.2f",
            min_value=0.0,
            max_value=heaviest,
            help="How much the vote counts. The decision with the larger sum of weights wins.",
        ),
        "length": column.NumberColumn("Conditions", width=80, help="How many conditions a person has to check."),
        "coverage": column.NumberColumn(
            "Coverage",
            width=80,
            format="%.2f %%",
            help="Share of the training rows that meet the conditions.",
        ),
        "precision": column.NumberColumn(
            "Precision", width=80, format="%.1f %%", help="Share of those rows for which the rule is right."
        ),
    }


def cell_in_words(value: object) -> str:
    """A value of a person, without digits that nobody meant."""
    if pd.isna(value):  # type: ignore[call-overload]
        return "missing"
    if isinstance(value, Real) and not isinstance(value, bool):
        return number_in_words(measured(float(value)))
    return str(value)


def row_height(texts: pd.Series, width: int) -> int:
    fits_on_one_line = (texts.str.len() * CHARACTER_WIDTH <= width).all()
    return LOW_ROW if fits_on_one_line else HIGH_ROW


def clicked_line(key: str) -> int | None:
    """Of a table whose `selection_mode` is `LINE_BY_CLICK`; for its `on_select`."""
    marked = st.session_state[key]["selection"]
    return next(iter([*marked["rows"], *(line for line, _ in marked["cells"])]), None)
