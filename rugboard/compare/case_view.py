"""The case study on the page Compare: a story in three steps, what it shows and what not, its loans and its rules."""

import math
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import streamlit as st

from rugboard.compare import charts as compare_charts
from rugboard.compare.case_loans import TrainedCase, show_loans, trained_case
from rugboard.compare.case_study import (
    FEW,
    LEAVES,
    LEFT_OUT,
    MAX_DEPTH,
    MORE,
    N_LOANS,
    N_TROUBLED,
    PAPER,
    ROUNDS,
    TREES,
    Published,
)
from rugboard.compare.charts import size_in_words
from rugboard.compare.job import CASE, OUT_OF_DATE
from rugboard.compare.progress import job_of, watch
from rugboard.compare.report import BASELINE, TEST_HELP, ModelLine, Report
from rugboard.runs.errors import RunError
from rugboard.runs.jobs import CANCELLED, NOTHING_YET, STOPPED, UNREADABLE, JobProgress
from rugboard.session.job_progress import start
from rugboard.session.page import one_at_a_time
from rugboard.shell import charts, tables
from rugboard.shell.downloads import show_file, to_csv
from rugboard.shell.formats import decimal, percent, points
from rugboard.shell.guard import guarded
from rugboard.shell.metrics import show_metric
from rugboard.shell.text import named, plain, value_in_words
from rugcore.comparison import Paired, paired
from rugcore.rules import RuleSet

RULES_HEIGHT, WIDTH_OF_RULE = 470, 320  # pixels


@dataclass(frozen=True)
class CaseStep:
    title: str
    name: str
    story: str


STEPS = {
    FEW: CaseStep(
        "1 · A few rules",
        "RUG, few rules",
        f"{ROUNDS[FEW]} rounds of training, at most {MAX_DEPTH} conditions per rule. Short enough to learn by heart. A "
        "decision rests on one rule or two, or on none.",
    ),
    MORE: CaseStep(
        "2 · More rounds",
        "RUG, more rounds",
        f"Up to {ROUNDS[MORE]} rounds. More rules have a say in each decision, so that fewer loans are left without "
        "one; every rule is as short as before and can still be read.",
    ),
    LEAVES: CaseStep(
        "3 · Against LightGBM",
        "LightGBM, few leaves",
        f"{TREES} small trees with four leaves each: a strong model kept as small as in the paper. A decision is a sum "
        f"over {TREES} leaves.",
    ),
}
NAMES = {model: step.name for model, step in STEPS.items()}
IN_A_SENTENCE = {FEW: "the few rules", MORE: "the rules after more rounds", LEAVES: "LightGBM"}


def show_case() -> None:
    st.markdown(
        "The paper behind RUG ends with a case study in credit scoring: which loans of Lending Club will get into "
        "trouble? Here it is in three steps, on the Lending Club loans that ship with this dashboard."
    )
    progress = job_of(CASE).progress()
    with one_at_a_time():
        if progress.is_under_way:
            watch(job_of(CASE), NAMES, _nothing_more)
        else:
            _show_start(progress)
            _show_steps(progress.report or Report())


def _nothing_more(report: Report) -> None:
    """The steps are shown when all three are there."""


def _show_start(progress: JobProgress[Report]) -> None:
    report = progress.report or Report()
    if len(report.measured) == len(STEPS):
        return
    if progress.status == UNREADABLE:
        st.info(OUT_OF_DATE, icon=":material/update:")
    if progress.status in (CANCELLED, STOPPED):
        st.info(f"The training was stopped. {plain(report.error)}", icon=":material/stop_circle:")
    is_first = progress.status == NOTHING_YET
    label = "Train the case study" if is_first else "Train what is missing"
    if st.button(label, type="primary", key="train_case", icon=":material/play_arrow:"):
        start(job_of(CASE))
        st.rerun()
    st.caption("Three models, a few seconds. The result is kept for the next visit.")


@guarded
def _show_steps(report: Report) -> None:
    for place, model in zip(st.columns(len(STEPS), gap="medium"), STEPS, strict=True):
        with place, st.container(border=True, height="stretch", key=f"case_{model}"):
            _show_step(model, report.line(model))
    if len(report.measured) < len(STEPS):
        return
    with st.spinner("Looking at the loans one by one …"):
        found = trained_case()
    _show_story(report, found)
    _show_chart(report, found)
    show_loans()
    _show_rules(report)


def _show_step(model: str, line: ModelLine | None) -> None:
    step = STEPS[model]
    st.markdown(f"**{step.title}**")
    st.markdown(step.story)
    if line is not None and line.error:
        st.warning(plain(line.error), icon=":material/error:")
    elif line is not None:
        _show_numbers(line, PAPER[model])


def _show_numbers(line: ModelLine, paper: Published) -> None:
    """Ours, and below each the paper's."""
    shown = (
        ("Right decisions", percent(line.accuracy), paper.accuracy, "Accuracy on the test rows."),
        ("F1, in trouble", percent(line.f1_binary), paper.f1, "F1 of the loans that got into trouble."),
        ("To read", size_in_words(line), paper.size, "Rules, or leaves of all trees."),
        ("Rule length", _short(line.rule_length), paper.rule_length, "Columns that a rule or leaf asks about."),
        (
            "Leaves that speak" if line.unit == "leaves" else "Rules per loan",
            _short(line.rules_per_row),
            paper.rules_per_row,
            "How many have a say in one decision, on average.",
        ),
        ("Not covered", percent(line.uncovered), "", "Test loans on which no rule or leaf has a say."),
    )
    places = [place for _ in range(3) for place in st.columns(2)]
    for place, (label, ours, theirs, help_text) in zip(places, shown, strict=False):
        with place:
            show_metric(label, ours, f"paper: {theirs}" if theirs else None, help_text)


def _short(number: float) -> str:
    return decimal(number) if math.isnan(number) or number >= 10 else f"{number:.2f}"


# -- what it shows -----------------------------------------------------------------------------------------


def _show_story(report: Report, found: TrainedCase) -> None:
    is_right = {model: report.decided(model) == found.truth for model in STEPS}
    st.space("small")
    why, how_good, all_the_same = st.columns(3, gap="medium")
    with why:
        st.markdown("**Why the numbers are not the paper's**")
        st.markdown(why_not_the_paper(len(found.truth)))
    with how_good:
        st.markdown("**Who is more accurate here**", help=TEST_HELP)
        st.markdown(who_is_ahead(is_right))
    with all_the_same:
        st.markdown("**What the case study shows all the same**")
        st.markdown(all_the_same_in_words(report))
    st.info(without_a_rule(is_right, found), icon=":material/help:")


def why_not_the_paper(n_test: int) -> str:
    return (
        "The paper's table is larger and of another kind: 395,492 loans of 2007 to 2014, with columns about how the "
        "repayment went, such as the last payment and the months since it. They say much about the outcome, and every "
        f"model here is right there for over 97\u00a0%. This dashboard has {N_LOANS:,} loans of early 2016 without "
        f"such a column, and {N_TROUBLED} of them got into trouble. The study takes these and as many good ones, so "
        f"that always giving the same answer is right for one half, and judges on {n_test} loans held out."
    )


def who_is_ahead(is_right: dict[str, np.ndarray]) -> str:
    """The pairs, each with what chance may have to do with it."""
    ranked = sorted(is_right, key=lambda model: -is_right[model].sum())
    pairs = [(ranked[0], other) for other in ranked[1:]] + [(ranked[1], ranked[2])]
    lines = [f"- {ahead_in_words(first, second, paired(is_right[first], is_right[second]))}" for first, second in pairs]
    order = ", then ".join(IN_A_SENTENCE[model] for model in (MORE, FEW, LEAVES))
    return "\n".join([*lines, "", f"In the paper the order is: {order}."])


def ahead_in_words(first: str, second: str, pair: Paired) -> str:
    chance = "That may be chance." if pair.may_be_chance else "That is more than chance would explain."
    return (
        f"{_capital(IN_A_SENTENCE[first])}: {points(pair.difference)} ahead of {IN_A_SENTENCE[second]}, alone right "
        f"about {pair.only_first} loans against {pair.only_second}. {chance}"
    )


def _capital(words: str) -> str:
    return f"{words[0].upper()}{words[1:]}"


def all_the_same_in_words(report: Report) -> str:
    few, more, leaves = (_line(report, model) for model in (FEW, MORE, LEAVES))
    return (
        f"- How much there is to read: {size_in_words(few)} or {size_in_words(more)} in plain words, against "
        f"{size_in_words(leaves)} that hold numbers.\n"
        f"- Every decision of the rules can be checked by hand: look up who meets the conditions, and add the weights. "
        f"One of LightGBM is the sum of {TREES} numbers.\n"
        "- How both explanations look for the same loan: see below."
    )


def without_a_rule(is_right: dict[str, np.ndarray], found: TrainedCase) -> str:
    """What becomes of loans that the few rules do not cover, and how good the rules are on the others."""
    is_uncovered = found.is_uncovered
    n, counts = int(is_uncovered.sum()), found.task.y_train.value_counts()
    if not n:
        return "Every test loan is covered by at least one of the few rules."
    usual, other = (named(value_in_words(label)) for label in counts.index[:2])
    return (
        f"None of the few rules covers **{n} of {len(is_uncovered)} test loans ({percent(n / len(is_uncovered))})**. "
        f"They get the more common outcome of the training loans, which is {usual} with {counts.iloc[0]} against "
        f"{counts.iloc[1]} {other}: a coin would do as well, and {percent(is_right[FEW][is_uncovered].mean())} of them "
        "are decided rightly. The dashboard calls this decided by default, and asks for a person to look. On the loans "
        f"that they do cover, the few rules are right for {percent(is_right[FEW][~is_uncovered].mean())}, and LightGBM "
        f"for {percent(is_right[LEAVES][~is_uncovered].mean())} of the same loans."
    )


def _show_chart(report: Report, found: TrainedCase) -> None:
    st.subheader("Accuracy against what there is to read", anchor=False)
    st.caption("Up is more often right on test rows, left is shorter to read. A leaf of a tree counts as a rule.")
    usual = found.task.y_train.mode()[0]
    baseline = ModelLine(
        BASELINE, accuracy=float((found.truth == usual).mean()), title=f"Always {value_in_words(usual)}"
    )
    charts.show(
        compare_charts.accuracy_against_size([_line(report, model) for model in STEPS], baseline),
        key="case-accuracy-size",
        alt="Accuracy of the three models against their size",
    )


# -- the rules ---------------------------------------------------------------------------------------------


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
        "The rules are shown as they were learned: two of them may divide one group of loans and vote alike, and one "
        "that covers few loans may look odd. The price of a rule was chosen by cross-validation on the training loans. "
        f"{_capital(' and '.join(LEFT_OUT))} are kept from all three models: they have dozens of values each, and a "
        "rule about one of these would rest on a handful of loans."
    )
    st.caption(
        "LightGBM has no such list: its leaves hold small numbers that only mean "
        "something in sum, which is why it is explained with SHAP values."
    )
    show_file(
        "The rules as CSV", to_csv(rules_as_table(found)), "lending-club-rules.csv", "case_rules", kind="tertiary"
    )


def rules_as_table(found: dict[str, RuleSet]) -> pd.DataFrame:
    return pd.concat([rules.to_frame().assign(setting=STEPS[model].name) for model, rules in found.items()])


def _line(report: Report, model: str) -> ModelLine:
    """With the name that the model has in the case study."""
    found = report.line(model)
    if found is None:
        raise RunError("The case study is not whole. Train it again.")
    return replace(found, title=STEPS[model].name)


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
