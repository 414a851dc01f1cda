"""Parts of the page Fairness: the slider, verdict cards, and tables as files."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Literal

import pandas as pd
import streamlit as st

from rugboard.fairness import frontier
from rugboard.fairness.limit import FairnessLimit
from rugboard.fairness.words import (
    ABOVE,
    ABOVE_PERHAPS,
    AS_FAR_AS_MEASURED,
    INTERVAL_HELP,
    UNKNOWN,
    WITHIN,
    WITHIN_PERHAPS,
    Worst,
    certainty,
    could_be_on_the_other_side,
    exactly,
    expected_in_words,
    headline,
    how_sure,
    interval,
    on_training_rows,
    screen,
    verdict,
)
from rugboard.runs.plan import CONFIDENT, FAIR, PROXY, REALISED
from rugboard.runs.results import Results
from rugboard.session import adjustments
from rugboard.session.adjustments import AS_TRAINED
from rugboard.session.evaluations import TEST, TRAINING, Comparability, Evaluation, evaluate
from rugboard.shell.downloads import show_file, to_csv
from rugboard.shell.fields import field_showing, value_of
from rugboard.shell.formats import NOTHING, percent, points
from rugboard.shell.guard import drawer
from rugboard.shell.metrics import show_metric
from rugboard.shell.theme import OUTSIDE
from rugcore.fairness import SelectionParity, clear_ratio

TABLES_KEPT = 64  # as files; small

Make = Callable[..., pd.DataFrame]


# -- the allowed gap ---------------------------------------------------------------------------------------


def ask_epsilon(results: Results) -> None:
    """The slider says what the visitor's adjustment says, and changes it."""
    trained, chosen = results.plan.epsilon, adjustments.allowed_gap(results)
    field = field_showing(_slider(results), chosen)
    st.select_slider(
        "Largest allowed gap",
        frontier.steps(trained, chosen),
        field.start,
        format_func=lambda gap: f"{points(gap)} · as trained" if gap == trained else points(gap),
        key=field.key,
        on_change=lambda: choose_epsilon(results, float(value_of(_slider(results)))),
        help="Epsilon: how far two groups may lie apart. Move it, and the rules that training found "
        "are re-weighted, here and on the page Rules; the run stays as it is. All models are held against it.",
    )


def _slider(results: Results) -> str:
    return f"fairness_epsilon_{results.run.id}"


def choose_epsilon(results: Results, epsilon: float) -> None:
    """For this page and for all others."""
    change = adjustments.current(results.run.id, FAIR)
    adjustments.adjust(results, FAIR, replace(change, epsilon=epsilon))


# -- verdicts ----------------------------------------------------------------------------------------------

TRAINING_HELP = "Counted on the rows that the model learned from; there is no chance in it."
OUTSIDE_HELP = "Counted on the rows that the rules learned from; what the other model learned from is not known."
SCREEN_HELP = (
    "On the test rows: the lowest share decided favourably of all groups, divided by the highest. Below four fifths "
    "(0.8) agencies in the United States look closer (29 CFR 1607.4 D); it is neither proof of discrimination nor of "
    "its absence."
)
EXPECTED_HELP = (
    "The gap to expect on new people from the same source, by models trained without a part of the rows or by how "
    "likely everybody belongs to each group; with the 95 % interval of its pair."
)
EVIDENCE_HELP = (
    "What the rows kept from training say about others. Cannot be told: the 95 % interval lies on both sides of the "
    "limit."
)
PROMISE_HELP = {
    REALISED: "FairRUG's limit is about its decisions on the training rows, where the gap is counted exactly.",
    CONFIDENT: "FairRUG's limit is about new people: rows kept from training tested it, with 95 % confidence.",
    PROXY: "FairRUG's limit is about losses in its optimisation; of its decisions it promised nothing.",
}
NO_PROMISE_HELP = "This model was asked for nothing; the gap on the training rows is counted exactly."

Badge = tuple[str, Literal["green", "blue", "gray", "red"], str]


ASSURED: Badge = ("Assured for new people, 95 %", "green", ":material/verified:")
NOT_ASSURED: Badge = ("Cannot be assured", "red", ":material/close:")


def promise(evaluation: Evaluation, notion: str, epsilon: float) -> Badge:
    """The second verdict: whether what was promised about the training rows, or tested for new people, was kept."""
    if evaluation.fit is not None and evaluation.fit.guarantee == CONFIDENT:
        return ASSURED if evaluation.fit.assured else NOT_ASSURED
    side = exactly(evaluation.gap(TRAINING, notion), epsilon)
    if side == UNKNOWN:
        return "Training: not estimable", "gray", ":material/remove:"
    if evaluation.fit is None or evaluation.fit.guarantee == PROXY:
        return f"Training: {side}, not promised", "gray", ":material/remove:"
    if side == ABOVE:
        return "Training: promise not kept", "red", ":material/close:"
    if Comparability.of(evaluation.audits[TRAINING], notion).missing:
        return f"Training: promise kept {AS_FAR_AS_MEASURED}", "blue", ":material/rule:"
    return "Training: promise kept", "green", ":material/check:"


def evidence(evaluation: Evaluation, notion: str, epsilon: float) -> Badge:
    """The first verdict: what the test rows say about new people."""
    worst = Worst.of(evaluation, TEST, notion)
    found = UNKNOWN if worst is None else certainty(worst.gap, worst.lower, worst.upper, epsilon)
    if found == WITHIN and Comparability.of(evaluation.audits[TEST], notion).missing:
        return f"Test: within {AS_FAR_AS_MEASURED}", "blue", ":material/rule:"
    return EVIDENCE[found]


EVIDENCE: dict[str, Badge] = {
    WITHIN: ("Test: within the limit", "green", ":material/check:"),
    WITHIN_PERHAPS: ("Test: cannot be told", "gray", ":material/question_mark:"),
    ABOVE_PERHAPS: ("Test: cannot be told", "gray", ":material/question_mark:"),
    ABOVE: ("Test: above the limit", "red", ":material/close:"),
    UNKNOWN: ("Test: not estimable", "gray", ":material/remove:"),
}


def show_headline(evaluation: Evaluation, notion: str, epsilon: float, over_splits: str) -> None:
    """The page in one line, all of it on rows not trained on; what many splits say comes first, if they are there."""
    with st.container(border=True, key="headline"):
        st.markdown(headline(evaluation, notion, epsilon, over_splits), help=SCREEN_HELP)


def show_verdict(evaluation: Evaluation, notion: str, epsilon: float) -> None:
    """The card of one model: what the test rows say, and what the training rows do; the rest for who opens it."""
    with st.container(border=True, height="stretch", gap="small", key=f"verdict_{evaluation.model}"):
        _show_head(evaluation, notion, epsilon)
        _show_numbers(evaluation, notion)
        st.markdown(verdict(evaluation, notion))

        def in_full() -> None:
            st.markdown(how_sure(evaluation, notion, epsilon))
            st.markdown(on_training_rows(evaluation, notion, epsilon))
            st.markdown(expected_in_words(evaluation))
            st.markdown(screen(evaluation.audits[TEST].parity))
            st.markdown(could_be_on_the_other_side(evaluation.audits[TEST].parity))

        drawer("How sure, and on the training rows", f"in_full_{evaluation.model}", in_full)


def _show_numbers(evaluation: Evaluation, notion: str) -> None:
    """Test rows first; what is expected of new people stands beside the gap on the training rows."""
    parity = evaluation.audits[TEST].parity
    ratio = NOTHING if math.isnan(parity.ratio) else clear_ratio(parity.ratio)
    numbers = [
        ("Gap, test rows", *_gap_with_interval(evaluation, notion), INTERVAL_HELP),
        ("Four-fifths ratio", ratio, _bounds_of_ratio(parity), SCREEN_HELP),
        ("Gap, training rows", points(evaluation.gap(TRAINING, notion)), "exact", _training_help(evaluation)),
    ]
    if evaluation.fit is not None:
        numbers.append(("Expected, new people", *expected_gap(evaluation), EXPECTED_HELP))
    for pair in (numbers[:2], numbers[2:]):
        with st.container(horizontal=True, gap="small"):  # beside each other on a phone too, unlike columns
            for number in pair:
                show_metric(*number)


def _training_help(evaluation: Evaluation) -> str:
    return OUTSIDE_HELP if evaluation.model == OUTSIDE else TRAINING_HELP


def expected_gap(evaluation: Evaluation) -> tuple[str, str]:
    """The gap to expect on new people with its interval, or that the table is too small to tell."""
    expected = evaluation.fair_fit.expected
    if expected is None or expected.gap is None or expected.lower is None or expected.upper is None:
        return NOTHING, "not known" if expected is None else "table too small"
    return points(expected.gap), interval(expected.lower, expected.upper)


def _bounds_of_ratio(parity: SelectionParity) -> str:
    if math.isnan(parity.ratio_lower):
        return "no interval"
    return f"{parity.ratio_lower:.2f} to {parity.ratio_upper:.2f}"


def _show_head(evaluation: Evaluation, notion: str, epsilon: float) -> None:
    promise_help = NO_PROMISE_HELP if evaluation.fit is None else PROMISE_HELP[evaluation.fit.guarantee]
    found = (
        (evidence(evaluation, notion, epsilon), EVIDENCE_HELP),
        (promise(evaluation, notion, epsilon), promise_help),
    )
    right = f"{percent(evaluation.accuracy[TEST])} of test rows right"
    st.markdown(
        f"**{evaluation.name}** · {right}", help=f"{percent(evaluation.accuracy[TRAINING])} of the training rows."
    )
    with st.container(gap="xsmall"):  # one below the other, so that the numbers of all cards stand at the same height
        for (words, colour, icon), help_text in found:
            st.badge(words, color=colour, icon=icon, help=help_text)


def _gap_with_interval(evaluation: Evaluation, notion: str) -> tuple[str, str]:
    worst = Worst.of(evaluation, TEST, notion)
    return (NOTHING, "not estimable") if worst is None else (points(worst.gap), interval(worst.lower, worst.upper))


# -- files -------------------------------------------------------------------------------------------------


def show_download(
    label: str, make: Make, of: tuple[Any, ...], limit: FairnessLimit, name: str, *, is_main: bool = False
) -> None:
    """The table that `make` makes of evaluations, as CSV."""
    kind: Literal["secondary", "tertiary"] = "secondary" if is_main else "tertiary"
    show_file(label, _as_csv(make, of), f"{limit.file_name}-{name}.csv", f"download_{name}", kind=kind)


@lru_cache(maxsize=TABLES_KEPT)
def _as_csv(make: Make, of: tuple[Any, ...]) -> bytes:
    return to_csv(make(*of))


@dataclass(frozen=True, eq=False)
class KeptTable:
    """A table that can be a key: the same object is the same table."""

    frame: pd.DataFrame


def as_it_is(kept: KeptTable) -> pd.DataFrame:
    """For `show_download`, of a table that is made already."""
    return kept.frame


def prefetch(results: Results) -> None:
    """What the page shows first."""
    if results.data.groups is not None:
        for model in results.summaries:
            evaluate(results, model, AS_TRAINED)
