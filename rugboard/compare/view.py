"""Parts of the page Compare: the table of all models, and the tables about LightGBM."""

import math
from collections.abc import Collection, Sequence
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from rugboard.compare import report
from rugboard.compare.charts import size_in_words
from rugboard.compare.report import BASELINE, LONGEST_OUTCOME, TEST_HELP, ModelLine
from rugboard.runs.results import Results
from rugboard.shell import theme
from rugboard.shell.downloads import file_part, show_file, to_csv
from rugboard.shell.formats import NOTHING, decimal, duration, percent, points, whole
from rugboard.shell.notions import NOTION_NAMES
from rugboard.shell.tables import ROW_HEIGHT, show_table
from rugboard.shell.text import brief, plain, value_in_words
from rugcore.comparison import unit_of

BEST = "★"
DIGITS = 1  # behind the point, as shown: of two numbers that read alike none is the smaller one

# -- all models --------------------------------------------------------------------------------------------


def show_models(results: Results, lines: Sequence[ModelLine], best: Collection[str], key: str = "models_table") -> None:
    """One line per model; `best` are those that are right most often, or not clearly less often."""
    notion = results.plan.fairness if results.data.groups is not None else None
    frame = report.frame(lines, notion)
    st.dataframe(
        with_words(frame, lines, best),
        key=key,
        hide_index=True,
        row_height=ROW_HEIGHT,
        height=ROW_HEIGHT * (len(frame) + 1) + 2,
        column_config=_headings(results),
        placeholder=NOTHING,
        alt="All models, one per line",
    )
    for line in lines:
        if line.error:
            st.warning(f"{line.name} could not be trained. {plain(line.error)}", icon=":material/error:")


def how_sure(baseline: ModelLine, best: Collection[str], n_lines: int) -> str:
    """What the stars alone do not say; nothing if they say it all."""
    if len(best) == n_lines > 1:
        said = f"not even that from “{plain(baseline.name)}”"
        return f"No difference in right decisions is clearly more than chance, {said}."
    if baseline.model in best:
        return f"Even “{plain(baseline.name)}”, without any model, is not clearly worse than the best."
    return ""


def with_words(frame: pd.DataFrame, lines: Sequence[ModelLine], best: Collection[str]) -> Any:
    """The numbers as a person writes them, still to be sorted as numbers."""
    styler = frame.style
    for name in frame.columns[1:]:
        marked = places_of_best(str(name), lines, best)
        for place, (value, line) in enumerate(zip(frame[name], lines, strict=True)):
            said = _in_words(str(name), value, line)
            styler = styler.format(partial(_said, f"{BEST} {said}" if place in marked else said), (place, [name]))
    return styler


def places_of_best(column: str, lines: Sequence[ModelLine], best: Collection[str]) -> set[int]:
    """Where the stars go: none where chance has a part and is not tested, and none if every model would have one."""
    if column == "accuracy":
        marked = {place for place, line in enumerate(lines) if line.model in best and line.is_measured}
        return marked if len(marked) < len(lines) else set()
    if column in report.SMALLER_IS_BETTER:
        is_model = [line.model != BASELINE for line in lines]
        own = [getattr(line, column) if model else math.nan for line, model in zip(lines, is_model, strict=True)]
        return report.smallest([round(value, DIGITS) for value in own])
    return set()


def _said(words: str, _value: float) -> str:
    """Pandas hands the value over, which stays what the cell is sorted by."""
    return words


def _in_words(name: str, value: float, line: ModelLine) -> str:
    if math.isnan(value):
        return "failed" if line.error and name == "accuracy" else NOTHING
    if name == "size":
        return size_in_words(line) if line.model != BASELINE else "no rules"
    if name == "rules_per_row":
        is_leaves = line.unit == "leaves"  # one a tree: a whole number
        return f"{whole(value)} {unit_of('leaves', value)}" if is_leaves else f"{decimal(value)} rules"
    if name == "auc":
        return f"{value:.3f}"
    if name == "seconds":
        return duration(value)
    if name == "gap":
        return points(value)
    return percent(value) if name in ("accuracy", "f1") else decimal(value)


def _headings(results: Results) -> dict[str, Any]:
    plan = results.plan
    column = st.column_config.Column
    return {
        "model": column("Model", width=150),
        "accuracy": column("Right decisions", help=f"Accuracy on the test rows. {TEST_HELP}"),
        "f1": column(
            "F1, macro", help="F1, the harmonic mean of precision and recall, of every outcome; the mean of these, "
            "rare outcomes counting as much as common ones.",
        ),
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
            "the smallest number of a model, whatever is counted.",
        ),
        "rule_length": column("Conditions per rule", help="Columns that a rule or leaf asks about, on average."),
        "rules_per_row": column(
            "Speak per decision",
            help="How many rules, or leaves of trees, have a say in one decision, on average. Of every tree one leaf "
            "speaks. With fewer than one rule, none applies to some applicants, and a default decides.",
        ),
        "seconds": column("Training", help="Time to train, on this computer."),
    }  # fmt: skip


def show_more_measures(results: Results, lines: Sequence[ModelLine]) -> None:
    """What the table leaves out."""
    favourable = brief(value_in_words(results.plan.fair_settings()["positive_class"]), LONGEST_OUTCOME)
    with st.expander("More measures"):
        measured = [line for line in lines if line.is_measured and line.model != BASELINE]
        headings: dict[str, tuple[str, str | None]] = {
            "model": ("Model", None),
            "f1_binary": (f"F1 of {favourable}", "Of the favourable outcome alone."),
            "f1_weighted": ("F1, weighted", "Every outcome counts by how common it is."),
        } | {notion: (f"Gap: {name.lower()}", None) for notion, name in NOTION_NAMES.items()}
        show_table(more_frame(measured), headings, "more_measures", "Further measures")


def more_frame(lines: Sequence[ModelLine]) -> pd.DataFrame:
    notions = [notion for notion in NOTION_NAMES if any(notion in line.gaps for line in lines)]
    return pd.DataFrame(
        [
            {
                "model": line.name,
                "f1_binary": percent(line.f1_binary),
                "f1_weighted": percent(line.f1_weighted),
                **{notion: points(line.gaps.get(notion, math.nan)) for notion in notions},
            }
            for line in lines
        ]
    )


def show_table_as_file(results: Results, lines: Sequence[ModelLine]) -> None:
    table = to_csv(report.file_frame(lines))
    show_file("The table as CSV", table, f"{file_part(results.run.name)}-comparison.csv", "comparison", kind="tertiary")


# -- decided differently -----------------------------------------------------------------------------------


def show_by_group(table: pd.DataFrame, model: str, other: str, *, has_groups: bool) -> None:
    """How many of each group two models decide differently, and who is right about them."""
    name, others = theme.name_of_model(model), theme.name_of_model(other)
    shown = table.assign(share=100 * table["share"])
    column = st.column_config
    st.dataframe(
        shown,
        key=f"differences_{model}_{other}",
        hide_index=True,
        row_height=ROW_HEIGHT,
        height=ROW_HEIGHT * (min(len(shown), 12) + 1) + 2,
        column_order=[*(["group"] if has_groups else []), "n", "n_different", "share", "first_right", "second_right"],
        column_config={
            "group": column.TextColumn("Group"),
            "n": column.NumberColumn("Applicants", format="localized"),
            "n_different": column.NumberColumn("Decided differently", format="localized"),
            "share": column.ProgressColumn("Share of the group", format="%.1f %%", min_value=0, max_value=100),
            "first_right": column.NumberColumn(
                f"{name} is right", format="localized", help="Among those decided differently."
            ),
            "second_right": column.NumberColumn(
                f"{others} is right", format="localized", help="Among those decided differently."
            ),
        },
        alt="Applicants decided differently, by group",
    )


def show_by_decision(table: pd.DataFrame, model: str, other: str, *, has_groups: bool) -> None:
    shown = table.assign(first=table["first"].map(value_in_words), second=table["second"].map(value_in_words))
    headings: dict[str, tuple[str, str | None]] = {
        **({"group": ("Group", None)} if has_groups else {}),
        "first": (f"{theme.name_of_model(model)} decides", None),
        "second": (f"{theme.name_of_model(other)} decides", None),
        "n": ("People", None),
    }
    show_table(shown, headings, f"by_decision_{model}_{other}", "What each decides instead")
