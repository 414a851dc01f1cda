"""Chances on the page Compare: the cut-off, who is decided rightly at it, the ROC curve, and whether chances hold."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from rugboard.compare import chances, chances_charts
from rugboard.compare.chances import AS_VOTED, CUT_OFFS, ChanceBin, ModelChances
from rugboard.compare.report import LONGEST_OUTCOME, Report
from rugboard.runs.results import Results
from rugboard.shell import charts
from rugboard.shell.formats import counted, percent
from rugboard.shell.guard import guarded
from rugboard.shell.metrics import show_metric
from rugboard.shell.tables import ROW_HEIGHT
from rugboard.shell.text import brief, named, value_in_words
from rugboard.shell.theme import name_of_model

MOST_BESIDE = 3  # outcomes: the tables of so many stand side by side, with a sentence for each
MOST_TABLES = 3  # of two outcomes, beside each other
ROC_HELP = (
    "The ROC curve: every cut-off is a point of the line, and the sign is the one chosen above. Up and left is better. "
    "The number is the area under the curve (AUC): 50 of 100 is chance, and a tie counts as half a case."
)
BRIER_HELP = (
    "The Brier score: the mean squared distance between the chance and what happened. 0 is perfect. Without a model "
    "means: everybody is given the share of the training rows as their chance."
)


@guarded
def show_chances(results: Results, report: Report) -> None:
    """With two outcomes everything; with more, who is decided rightly; with one among the test rows, why nothing."""
    labels = chances.outcomes(results)
    n_seen = results.y_test.nunique()
    if len(labels) > 2:
        show_many(results, report, labels)
        return
    st.subheader("Chances and cut-off", anchor=False)
    if n_seen < 2:
        st.caption(f"All {len(results.y_test):,} test rows have the same outcome, so that chances cannot be judged.")
        return
    with st.spinner("Working out the chances …"):
        found = chances.all_chances(results, report)
    favourable, other = (brief(value_in_words(label), LONGEST_OUTCOME) for label in labels)
    counts = results.y_test.value_counts()
    who = "Every model" if results.data.outside is None else "Every model trained here"
    st.caption(
        f"{who} also gives a chance of {named(favourable)}. {len(results.y_test):,} test rows: "
        f"{counts[labels[0]]:,} {named(favourable)}, {counts[labels[1]]:,} {named(other)}."
    )
    if any(not item.is_calibrated for item in found):
        st.caption("This run was trained by an earlier version: its chances are shares of the votes. Train again.")
    show_cut_off(found, chances.fixed_confusions(results), labels)
    show_calibration([item for item in found if item.is_chance], favourable, chances.brier_without_model(results))


# -- the cut-off -------------------------------------------------------------------------------------------


@st.fragment
@guarded
def show_cut_off(found: Sequence[ModelChances], fixed: Mapping[str, pd.DataFrame], labels: Sequence[Any]) -> None:
    """Moving it draws nothing else on the page again; `fixed` are tables of models that have a cut-off of their own."""
    favourable, other = (brief(value_in_words(label), LONGEST_OUTCOME) for label in labels)
    cut_off = int(
        st.select_slider(
            f"Decide {named(favourable)} from a chance of",
            CUT_OFFS,
            AS_VOTED,
            cut_off_in_words,
            key="cut_off",
            persist_state="session",
            help="Only for this section: everywhere else the decisions are those of the votes.",
        )
    )
    moved = {item.model: chances.confusion_at(item, cut_off, labels) for item in found if item.is_chance}
    shown = moved | dict(fixed)
    items = list(shown.items())
    n_beside = len(items) if len(items) <= MOST_TABLES else 2  # in a fourth of the page, a table is cut off
    for first in range(0, len(items), n_beside):
        for place, (model, table) in zip(st.columns(n_beside, gap="medium"), items[first:], strict=False):
            with place:
                show_confusion(model, table, "by its own decisions" if model in fixed else "at this cut-off")
    picture, words = st.columns([1.7, 1], gap="large", vertical_alignment="center")
    with picture:
        figure = chances_charts.roc(found, cut_off, favourable, other)
        charts.show(figure, key="compare-roc", alt="ROC curve of every model, with the cut-off")
    with words:
        st.markdown("**Who is ranked before whom**", help=ROC_HELP)
        st.markdown(ranked_in_words(found, favourable, other))


def cut_off_in_words(cut_off: int) -> str:
    return f"{cut_off} % (as the rules vote)" if cut_off == AS_VOTED else f"{cut_off} %"


def ranked_in_words(found: Sequence[ModelChances], favourable: str, other: str) -> str:
    """What the area under the curve means."""
    n_first, n_second = int(found[0].has_happened.sum()), int((~found[0].has_happened).sum())
    cases = "\n".join(f"- {name_of_model(item.model)}: in **{100 * item.auc:.0f}** of 100 cases" for item in found)
    what = "chance" if all(item.is_chance for item in found) else "chance or score"
    return (
        f"Draw one of the {n_first:,} {named(favourable)} and one of the {n_second:,} {named(other)}. How often is the "
        f"{what} of the first one higher?\n\n{cases}"
    )


def show_confusion(model: str, table: pd.DataFrame, when: str) -> None:
    counts = table.to_numpy(dtype=int)
    n_right, n = int(counts.trace()), int(counts.sum())
    st.markdown(f"**{name_of_model(model)}**: {n_right:,} of {n:,} right ({percent(n_right / n)})")
    names = [brief(value_in_words(label), LONGEST_OUTCOME) for label in table.index]
    shown = pd.DataFrame(counts, columns=[f"decided {name}" for name in names])
    shown.insert(0, "fact", names)
    st.dataframe(
        shown,
        key=f"confusion_{model}",
        hide_index=True,
        row_height=ROW_HEIGHT,
        height=ROW_HEIGHT * (len(shown) + 1) + 2,
        column_config={"fact": st.column_config.TextColumn("In the data")},
        alt=f"What {name_of_model(model)} decides, by outcome in the data",
    )
    if len(table) <= MOST_BESIDE:  # of more, the table itself is quicker to read
        st.markdown("  \n".join(confusion_in_words(table, when)))


def confusion_in_words(table: pd.DataFrame, when: str) -> list[str]:
    """A sentence per outcome, the favourable one last: those who are let down first."""
    counts, sentences = table.to_numpy(dtype=int), []
    for place in reversed(range(len(table))):
        n, n_right = int(counts[place].sum()), int(counts[place, place])
        label = named(brief(value_in_words(table.index[place]), LONGEST_OUTCOME))
        if n:
            people = "person who was" if n == 1 else "people who were"
            is_are = "is" if n_right == 1 else "are"
            sentences.append(f"Of {n:,} {people} in fact {label}, {n_right:,} {is_are} {label} {when}.")
    return sentences


def show_many(results: Results, report: Report, labels: Sequence[Any]) -> None:
    """A cut-off parts two outcomes; with more there is none to move."""
    st.subheader("Right and wrong by outcome", anchor=False)
    st.caption(
        f"{counted(len(results.y_test), 'test row')}, decided as the rules vote. With {len(labels)} outcomes there is "
        "no single cut-off to move."
    )
    found = chances.all_confusions(results, report)
    n_beside = len(found) if len(labels) <= MOST_BESIDE else 1
    places = st.columns(n_beside, gap="medium")
    for number, (model, table) in enumerate(found.items()):
        with places[number % n_beside]:
            show_confusion(model, table, "by these decisions")


# -- calibration -------------------------------------------------------------------------------------------


def show_calibration(found: Sequence[ModelChances], favourable: str, without_model: float) -> None:
    st.markdown("**Can the chances be believed?**")
    st.caption(
        "People are put together by tenths of their chance. On the dotted line, as many are in fact "
        f"{named(favourable)} as the chance says. The bars are 95 % intervals."
    )
    for place, item in zip(st.columns(len(found), gap="medium"), found, strict=True):
        with place:
            show_metric(
                f"{name_of_model(item.model)}: Brier score",
                f"{item.brier:.3f}",
                f"{without_model:.3f} without a model",
                BRIER_HELP,
            )
            figure = chances_charts.calibration(item, favourable)
            charts.show(figure, key=f"compare-calibration-{item.model}", alt="Chance against what happened")
            st.caption(bin_in_words(max(item.bins, key=lambda one: one.n), favourable))


def bin_in_words(one: ChanceBin, favourable: str) -> str:
    people = "person" if one.n == 1 else "people"
    return (
        f"Of {one.n:,} {people} with a chance from {100 * one.low:.0f} to {100 * one.high:.0f} %, {one.n_happened:,} "
        f"({percent(one.share)}) are in fact {named(favourable)}."
    )
