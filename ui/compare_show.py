"""Parts of the page Compare: the table of all models, and the tables about LightGBM."""

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from ui import compare_rows, look
from ui.compare_charts import size_in_words
from ui.compare_rows import Line
from ui.downloads import file_part, show_file, to_csv
from ui.fairness_show import ROW_HEIGHT, show_table
from ui.numbers import NOTHING, decimal, duration, percent, points
from ui.runs.results import Results
from ui.scorecard import NOTION_NAMES
from ui.text import named, plain, value_in_words

BEST = "★"


def is_binary(results: Results) -> bool:
    return bool(results.data.y.nunique() == 2)


def uncertainty(lines: Sequence[Line], n_rows: int) -> float:
    """Half the width of the widest 95 % interval of a share of right decisions."""
    return max((1.96 * math.sqrt(line.accuracy * (1 - line.accuracy) / n_rows) for line in lines), default=math.nan)


# -- all models --------------------------------------------------------------------------------------------


def show_models(results: Results, lines: Sequence[Line], key: str = "models_table") -> None:
    """One line a model; the best value of a column has a star."""
    notion = results.plan.fairness if results.data.groups is not None else None
    frame = compare_rows.frame(lines, notion, is_binary=is_binary(results))
    st.dataframe(
        with_words(frame, lines),
        key=key,
        hide_index=True,
        row_height=ROW_HEIGHT,
        height=ROW_HEIGHT * (len(frame) + 1) + 2,
        column_config=_headings(results),
        placeholder=NOTHING,
        alt="All models, one a line",
    )
    for line in lines:
        if line.error:
            st.warning(f"{line.name} could not be trained. {plain(line.error)}", icon=":material/error:")


def with_words(frame: pd.DataFrame, lines: Sequence[Line]) -> Any:
    """The numbers as a person writes them, still to be sorted as numbers."""
    styler = frame.style
    for name in frame.columns[1:]:
        words = [_in_words(str(name), value, line) for value, line in zip(frame[name], lines, strict=True)]
        for place, said in enumerate(with_stars(frame[name], words)):
            styler = styler.format(partial(_said, said), (place, [name]))
    return styler


def with_stars(values: pd.Series, words: Sequence[str]) -> list[str]:
    """A star for the best value and for all that read the same; for none if all do."""
    place = compare_rows.place_of_best(values)
    is_best = [place is not None and said == words[place] for said in words]
    return [f"{BEST} {said}" if best and not all(is_best) else said for said, best in zip(words, is_best, strict=True)]


def _said(words: str, value: float) -> str:  # noqa: ARG001 - pandas hands the value over
    return words


def _in_words(name: str, value: float, line: Line) -> str:
    if math.isnan(value):
        return "failed" if line.error and name == "accuracy" else NOTHING
    if name == "size":
        return size_in_words(line)
    if name == "auc":
        return f"{value:.3f}"
    if name == "seconds":
        return duration(value)
    if name == "gap":
        return points(value)
    return percent(value) if name in ("accuracy", "f1") else decimal(value)


def _headings(results: Results) -> dict[str, Any]:
    plan = results.plan
    favourable = named(value_in_words(plan.fair_settings()["positive_class"]))
    f1_help = (
        f"F1 of the favourable outcome {favourable}: the harmonic mean of precision and recall."
        if is_binary(results)
        else "F1 of every outcome, averaged by how common each is (weighted F1)."
    )
    column = st.column_config.Column
    return {
        "model": column("Model", width=150),
        "accuracy": column("Right decisions", help="Accuracy on the test rows."),
        "f1": column("F1" if is_binary(results) else "F1, weighted", help=f1_help),
        "auc": column(
            "AUC", help="Area under the ROC curve: how well the scores rank people; 0.5 is chance. With more than two "
            "outcomes, each against the rest, averaged.",
        ),
        "gap": column(
            "Gap between groups",
            help=f"{NOTION_NAMES[plan.fairness]}: the largest difference between two groups, on the test rows.",
        ),
        "size": column(
            "To read", help="Rules, leaves of all trees, or coefficients. A leaf of a tree is a rule. The star is for "
            "the smallest number, whatever is counted.",
        ),
        "rule_length": column("Conditions per rule", help="Columns that a rule or leaf asks about, on average."),
        "rules_per_row": column(
            "Rules per applicant",
            help="How many rules or leaves have a say in one decision, on average. Below 1, no rule applies to some "
            "applicants, and they get the most common outcome."
        ),
        "seconds": column("Training", help="Time to train, on this computer."),
    }  # fmt: skip


def show_more_measures(lines: Sequence[Line]) -> None:
    """What the table leaves out."""
    with st.expander("More measures", icon=":material/table:"):
        measured = [line for line in lines if line.is_measured]
        headings: dict[str, tuple[str, str | None]] = {
            "model": ("Model", None),
            "f1_binary": ("F1, favourable outcome", None),
            "f1_macro": ("F1, macro", "Every outcome counts alike."),
            "f1_weighted": ("F1, weighted", "Every outcome counts by how common it is."),
        } | {notion: (f"Gap: {name.lower()}", None) for notion, name in NOTION_NAMES.items()}
        show_table(more_frame(measured), headings, "more_measures", "Further measures")


def more_frame(lines: Sequence[Line]) -> pd.DataFrame:
    notions = [notion for notion in NOTION_NAMES if any(notion in line.gaps for line in lines)]
    return pd.DataFrame(
        [
            {
                "model": line.name,
                "f1_binary": percent(line.f1_binary),
                "f1_macro": percent(line.f1_macro),
                "f1_weighted": percent(line.f1_weighted),
                **{notion: points(line.gaps.get(notion, math.nan)) for notion in notions},
            }
            for line in lines
        ]
    )


def show_table_as_file(results: Results, lines: Sequence[Line]) -> None:
    table = to_csv(compare_rows.file_frame(lines))
    show_file("The table as CSV", table, f"{file_part(results.run.name)}-comparison.csv", "comparison", kind="tertiary")


# -- decided differently -----------------------------------------------------------------------------------


def show_by_group(table: pd.DataFrame, model: str, *, has_groups: bool) -> None:
    """How many of each group two models decide differently, and who is right about them."""
    name = look.name_of_model(model)
    shown = table.assign(share=100 * table["share"])
    column = st.column_config
    st.dataframe(
        shown,
        key=f"differences_{model}",
        hide_index=True,
        row_height=ROW_HEIGHT,
        height=ROW_HEIGHT * (min(len(shown), 12) + 1) + 2,
        column_order=[*(["group"] if has_groups else []), "n", "n_different", "share", "first_right", "second_right"],
        column_config={
            "group": column.TextColumn("Group"),
            "n": column.NumberColumn("Applicants", format="localized"),
            "n_different": column.NumberColumn("Decided differently", format="localized"),
            "share": column.ProgressColumn(
                "Share of the group", format="%.1f %%", min_value=0, max_value=max(float(shown["share"].max()), 1.0)
            ),
            "first_right": column.NumberColumn(
                f"{name} is right", format="localized", help="Among those decided differently."
            ),
            "second_right": column.NumberColumn(
                "LightGBM is right", format="localized", help="Among those decided differently."
            ),
        },
        alt="Applicants decided differently, by group",
    )


def show_by_decision(table: pd.DataFrame, model: str, *, has_groups: bool) -> None:
    shown = table.assign(first=table["first"].map(value_in_words), second=table["second"].map(value_in_words))
    headings: dict[str, tuple[str, str | None]] = {
        **({"group": ("Group", None)} if has_groups else {}),
        "first": (f"{look.name_of_model(model)} decides", None),
        "second": ("LightGBM decides", None),
        "n": ("People", None),
    }
    show_table(shown, headings, f"by_decision_{model}", "What each decides instead")
