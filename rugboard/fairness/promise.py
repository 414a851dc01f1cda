"""FairRUG's own account: what it was asked for, what it held, what that took, and padding where it occurs."""

from collections.abc import Sequence

import streamlit as st

from rugboard.fairness import tables as fairness_tables
from rugboard.fairness import view, words
from rugboard.fairness.limit import FairnessLimit
from rugboard.runs.plan import CONFIDENT, FAIR, PROXY
from rugboard.runs.results import Results
from rugboard.session.evaluations import TEST, Evaluation
from rugboard.shell.formats import decimal, percent, points, thousandths
from rugboard.shell.guard import guarded
from rugboard.shell.metrics import show_metric
from rugboard.shell.tables import show_table
from rugboard.shell.text import plain
from rugcore.fair_training import FairnessFit, assurance_in_words
from rugcore.fairness import notion_of

Number = tuple[str, str, str | None, str]  # label, number, what stands below it, help


@guarded
def show_promise(results: Results, found: Sequence[Evaluation], limit: FairnessLimit) -> None:
    fair = next((item for item in found if item.model == FAIR), None)
    if fair is None or fair.fit is None:
        return
    show_limit_and_result(results, fair)
    if words.has_padding(fair.fit):
        st.warning(words.padding(fair.fit), icon=":material/inventory_2:")
    elif fair.fit.guarantee == CONFIDENT:
        _show_test(fair.fit)
    elif not fair.fit.met and fair.fit.guarantee != PROXY:
        st.warning(
            f"The limit is not kept: the fairest weights found leave {points(fair.fit.realised_gap)} on the training "
            "rows. Allow a larger gap, or train with longer rules or more rounds.",
            icon=":material/warning:",
        )
    show_what_binds(fair)
    show_binding_tables(limit, fair)


def _show_test(fit: FairnessFit) -> None:
    """What the rows kept from training say about new people."""
    told = plain(
        " ".join(assurance_in_words(fit.assurance, fit.assured_rates, fit.epsilon, notion_of(fit.notion).whom))
    )
    if fit.assured:
        st.success(told, icon=":material/verified:")
    else:
        st.warning(told, icon=":material/warning:")


def show_limit_and_result(results: Results, fair: Evaluation) -> None:
    numbers = in_the_program(fair.fair_fit) if fair.fair_fit.guarantee == PROXY else []
    numbers = [*in_decisions(results, fair), *numbers]
    with st.container(border=True, key="asked_and_done"):
        for place, (label, number, second, help_text) in zip(st.columns(len(numbers)), numbers, strict=True):
            with place:
                show_metric(label, number, second, help_text)


def in_decisions(results: Results, fair: Evaluation) -> list[Number]:
    fit = fair.fair_fit
    if fit.guarantee == PROXY:
        what, held = "of losses", "not promised"
    elif fit.guarantee == CONFIDENT:
        what, held = "for new people", "learned from; not the promise"
    else:
        what, held = "of decisions", "the promise, kept" if fit.met else "the promise, not kept"
    return [
        ("Asked for", points(fit.epsilon), what, "Epsilon: the largest gap that is allowed."),
        (
            "Decisions, training",
            points(fit.realised_gap),
            held,
            "The realised gap: counted in decisions on the training rows.",
        ),
        (
            "Decisions, test",
            points(fair.gap(TEST, results.plan.fairness)),
            "not promised",
            "The same on rows kept from training.",
        ),
    ]


def in_the_program(fit: FairnessFit) -> list[Number]:
    """What only the paper's constraint is about."""
    total = fit.loss + fit.padding
    return [
        (
            "In the linear program",
            thousandths(fit.lp_gap or 0.0),  # a difference of mean losses; under "proxy" there always is one
            "what was held" if fit.met_in_lp else "not held",
            "The gap between average losses, as the optimisation counts them, padding included. The paper's constraint "
            "bounds this one.",
        ),
        (
            "Padding",
            decimal(fit.padding),
            f"{percent(fit.padding / total)} of the loss" if total > 0 else None,
            "Loss that the optimisation added to a group without anybody in it suffering it.",
        ),
    ]


def show_what_binds(fair: Evaluation) -> None:
    fit = fair.fair_fit
    if fit.guarantee == PROXY:
        lines = words.prices(fit) or ["No constraint binds: asking for one point less would cost nothing."]
        title, help_text = "What binds, and its price", PRICE_HELP
    else:
        lines = words.weights(fit) or ["All groups counted alike; only the weights of the rules were moved."]
        title, help_text = "Who had to count more, or less", WEIGHT_HELP
    st.markdown(f"**{title}**", help=help_text)
    if fit.guarantee != PROXY:
        st.caption(WEIGHT_MEANING)
    st.markdown("\n".join(f"- {line}" for line in lines))


PRICE_HELP = (
    "The dual price of each constraint in the linear program. A unit of loss is what a person costs whom no rule "
    "decides; somebody decided rightly by a margin costs nothing, somebody decided wrongly more than one."
)
WEIGHT_MEANING = (
    "Weights of mistakes in training, not rules about groups: the method found them from how often each group is "
    "decided wrongly."
)
WEIGHT_HELP = (
    "The importance of a person of each outcome and group in the linear program that these weights were found from, "
    "against 1. More weight for those who were decided wrongly more often is how the gap was closed."
)


def show_binding_tables(limit: FairnessLimit, fair: Evaluation) -> None:
    """Every pair and every group."""
    fit = fair.fair_fit
    show_table(fairness_tables.pairs_to_read(fair), PAIR_HEADINGS, "pairs_table", "Pairs of groups")
    view.show_download("Pairs as CSV", fairness_tables.pairs, (fair,), limit, "pairs")
    show_table(fairness_tables.cells_to_read(fit), CELL_HEADINGS, "cells_table", "Groups by outcome")
    view.show_download("Groups as CSV", fairness_tables.cells, (fit,), limit, "cells")


FIRST_IS_LARGER = "A positive gap means that the first one is wrong or rejected more often; it may be in its favour."
PAIR_HEADINGS: dict[str, tuple[str, str | None]] = {
    "outcome": ("True outcome", None),
    "pair": ("Groups", FIRST_IS_LARGER),
    "program": ("In the program", "Difference of mean losses, padding included; no share of people."),
    "training": ("Training", "Points between the two groups on the training rows."),
    "test": ("Test", "The same on the test rows."),
    "price": ("Price of a point", "Units of loss for one point less; only where the linear program holds the gap."),
}
CELL_HEADINGS: dict[str, tuple[str, str | None]] = {
    "outcome": ("True outcome", None),
    "group": ("Group", None),
    "n": ("People", "Training rows of this outcome in this group."),
    "error": ("Decided wrongly", "Share of those training rows."),
    "weight": ("Weight", "What one of them counted in the linear program, against 1."),
    "padding": ("Padding", "Loss added to them without anybody suffering it."),
}
