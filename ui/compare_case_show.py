"""The case study on the page Compare: a story in three steps, each with its numbers, the paper's, and its rules."""

import math
from dataclasses import dataclass

import streamlit as st

from rugcore.rules import RuleSet
from ui import tables
from ui.compare_case import FEW, LEAVES, MAX_DEPTH, MORE, PAPER, ROUNDS, TREES, Published
from ui.compare_charts import size_in_words
from ui.compare_job import CANCELLED, CASE, NOTHING_YET, STOPPED, Progress
from ui.compare_progress import job_of, watch
from ui.compare_rows import Line, Report
from ui.fairness_show import show_metric
from ui.numbers import decimal, percent
from ui.page import guarded, one_at_a_time
from ui.text import plain

RULES_HEIGHT, WIDTH_OF_RULE = 470, 320  # pixels


@dataclass(frozen=True)
class Step:
    title: str
    name: str
    story: str


STEPS = {
    FEW: Step(
        "1 · A few rules",
        "RUG, few rules",
        f"{ROUNDS[FEW]} rounds of training, at most {MAX_DEPTH} conditions a rule. Short enough to learn by heart, and "
        "a decision rests on one rule or two.",
    ),
    MORE: Step(
        "2 · More rounds",
        "RUG, more rounds",
        f"{ROUNDS[MORE]} rounds, and a lower price of a rule. More rules have a say in each decision, but every one "
        "of them is short and can still be read. More rules need not mean better decisions on other loans.",
    ),
    LEAVES: Step(
        "3 · Against LightGBM",
        "LightGBM, few leaves",
        f"{TREES} small trees with four leaves each: a strong model kept as small as in the paper. A decision is a sum "
        f"over {TREES} leaves.",
    ),
}
NAMES = {model: step.name for model, step in STEPS.items()}


def show_case() -> None:
    st.markdown(
        "The paper behind RUG ends with a case study in credit scoring: which loans of Lending Club will get into "
        "trouble? Here it is in three steps, on the Lending Club loans that ship with this dashboard."
    )
    progress = job_of(CASE).progress()
    with one_at_a_time():
        if progress.is_under_way:
            watch(CASE, NAMES, _nothing_more)
        else:
            _show_start(progress)
            _show_steps(progress.report or Report())


def _nothing_more(report: Report) -> None:
    """The steps are shown when all three are there."""


def _show_start(progress: Progress) -> None:
    report = progress.report or Report()
    if len(report.measured) == len(STEPS):
        return
    if progress.status in (CANCELLED, STOPPED):
        st.info(f"The training was stopped. {plain(report.error)}", icon=":material/stop_circle:")
    is_first = progress.status == NOTHING_YET
    label = "Train the case study" if is_first else "Train what is missing"
    if st.button(label, type="primary", key="train_case", icon=":material/play_arrow:"):
        job_of(CASE).start()
        st.rerun()
    st.caption("Three models, a few seconds. The result is kept for the next visit.")


@guarded
def _show_steps(report: Report) -> None:
    for place, model in zip(st.columns(len(STEPS), gap="medium"), STEPS, strict=True):
        with place, st.container(border=True, height="stretch", key=f"case_{model}"):
            _show_step(model, report.line(model))
    if report.measured:
        _show_notes()
        _show_rules(report)


def _show_step(model: str, line: Line | None) -> None:
    step = STEPS[model]
    st.markdown(f"**{step.title}**")
    st.markdown(step.story)
    if line is not None and line.error:
        st.warning(plain(line.error), icon=":material/error:")
    elif line is not None:
        _show_numbers(line, PAPER[model])


def _show_numbers(line: Line, paper: Published) -> None:
    """Ours, and below each the paper's."""
    shown = (
        ("Right decisions", percent(line.accuracy), paper.accuracy, "Accuracy on the test rows."),
        ("F1, in trouble", percent(line.f1_binary), paper.f1, "F1 of the loans that got into trouble."),
        ("To read", size_in_words(line), paper.size, "Rules, or leaves of all trees."),
        ("Rule length", _short(line.rule_length), paper.rule_length, "Columns that a rule or leaf asks about."),
        ("Rules per loan", _short(line.rules_per_row), paper.rules_per_row, "Rules or leaves that have a say in one."),
    )
    places = [place for _ in range(3) for place in st.columns(2)]
    for place, (label, ours, theirs, help_text) in zip(places, shown, strict=False):
        with place:
            show_metric(label, ours, f"paper: {theirs}", help_text)


def _short(number: float) -> str:
    return decimal(number) if math.isnan(number) or number >= 10 else f"{number:.2f}"


def _show_notes() -> None:
    st.info(
        "Compare the pattern, not the percentages. The paper used another, larger Lending Club table with other "
        "columns, on which all models do far better. Here only 517 of 9,857 loans got into trouble, so the study keeps "
        "those and as many good ones, drawn at random: always giving the same answer is right for one half. With "
        "311 test rows, differences below about five points may be chance. The price of a rule was chosen by "
        "cross-validation on the training rows.",
        icon=":material/info:",
    )


def _show_rules(report: Report) -> None:
    st.subheader("The rules of both settings", anchor=False)
    found = {
        model: RuleSet.from_json(line.rules)
        for model in (FEW, MORE)
        if (line := report.line(model)) is not None and line.rules
    }
    heaviest = tables.heaviest(*found.values())
    for place, (model, rules) in zip(st.columns(2, gap="medium"), found.items(), strict=False):
        with place:
            st.markdown(f"**{STEPS[model].name}**: {size_in_words(_line(report, model))}")
            _show_table(rules, heaviest, model)
    st.caption(
        "LightGBM has no such list: its leaves hold small numbers that only mean something in sum, which is why the "
        "page Applicants explains it with SHAP values."
    )


def _line(report: Report, model: str) -> Line:
    found = report.line(model)
    assert found is not None
    return found


def _show_table(rules: RuleSet, heaviest: float, model: str) -> None:
    frame = tables.rule_frame(rules)
    row_height = tables.row_height(frame["rule"], WIDTH_OF_RULE)
    widths = {"label": st.column_config.TextColumn("Then", width=60)}
    st.dataframe(
        frame,
        key=f"case_rules_{model}",
        hide_index=True,
        row_height=row_height,
        height=min(tables.HEADER_HEIGHT + row_height * len(frame) + 2, RULES_HEIGHT),
        column_order=["rule", "label", "weight"],
        column_config=tables.rule_columns(heaviest, WIDTH_OF_RULE) | widths,
        alt=f"Rules of {STEPS[model].name}, heaviest first",
    )
