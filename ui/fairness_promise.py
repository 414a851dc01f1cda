"""FairRUG's own account: what it was asked for, what it held, what that took, and padding where it occurs."""

from collections.abc import Sequence

import streamlit as st

from ui import fairness_show, fairness_tables, fairness_words
from ui.fairness_standing import TEST, Standing
from ui.numbers import NOTHING, decimal, percent, points
from ui.page import drawer, guarded
from ui.runs.plan import FAIR
from ui.runs.results import Results


@guarded
def show_promise(results: Results, found: Sequence[Standing]) -> None:
    fair = next((item for item in found if item.model == FAIR), None)
    if fair is None or fair.fit is None:
        return
    st.subheader("What FairRUG was asked for, and what it did", anchor=False)
    show_asked_and_done(results, fair)
    if fairness_words.has_padding(fair.fit):
        st.warning(fairness_words.padding(fair.fit), icon=":material/inventory_2:")
    elif not fair.fit.met and fair.fit.guarantee == "realised":
        st.warning(
            f"The limit is not kept: the fairest weights found leave {points(fair.fit.realised_gap)} on the training "
            "rows. Allow a larger gap, or train with longer rules or more rounds.",
            icon=":material/warning:",
        )
    show_what_binds(fair)
    show_binding_tables(results, fair)


def show_asked_and_done(results: Results, fair: Standing) -> None:
    fit = fair.fit
    assert fit is not None
    is_proxy = fit.guarantee == "proxy"
    notion = results.plan.fairness
    total = fit.loss + fit.padding
    numbers: list[tuple[str, str, str | None, str]] = [
        ("Asked for", points(fit.epsilon), None, "Epsilon: the largest gap that is allowed."),
        (
            "In the linear program",
            points(fit.lp_gap),
            "what was held" if is_proxy else "not what was held",
            "The gap between average losses, as the optimisation counts them, padding included. "
            + ("The paper's constraint bounds this one." if is_proxy else "Here the decisions are bounded instead."),
        ),
        (
            "Decisions, training",
            points(fit.realised_gap),
            "not promised" if is_proxy else "what was held",
            "The realised gap: between shares of training rows decided wrongly.",
        ),
        ("Decisions, test", points(fair.gap(TEST, notion)), "not promised", "The same on rows kept from training."),
        (
            "Padding",
            decimal(fit.padding) if is_proxy else NOTHING,
            f"{percent(fit.padding / total)} of the loss" if is_proxy and total > 0 else "none in this mode",
            "Loss that the optimisation added to a group without anybody in it suffering it.",
        ),
    ]
    with st.container(border=True, key="asked_and_done"):
        for place, (label, number, second, help_text) in zip(st.columns(len(numbers)), numbers, strict=True):
            with place:
                fairness_show.show_metric(label, number, second, help_text)


def show_what_binds(fair: Standing) -> None:
    fit = fair.fit
    assert fit is not None
    if fit.guarantee == "proxy":
        lines = fairness_words.prices(fit) or ["No constraint binds: asking for one point less would cost nothing."]
        title, help_text = "What binds, and its price", PRICE_HELP
    else:
        lines = fairness_words.weights(fit) or ["All groups counted alike; only the weights of the rules were moved."]
        title, help_text = "Who had to count more, or less", WEIGHT_HELP
    st.markdown(f"**{title}**", help=help_text)
    st.markdown("\n".join(f"- {line}" for line in lines))


PRICE_HELP = (
    "The dual price of each constraint in the linear program. A unit of loss is what a person costs whom no rule "
    "decides; somebody decided rightly by a margin costs nothing, somebody decided wrongly more than one."
)
WEIGHT_HELP = (
    "The importance of a person of each outcome and group in the linear program that these weights were found from, "
    "against 1. More weight for those who were decided wrongly more often is how the gap was closed."
)


def show_binding_tables(results: Results, fair: Standing) -> None:
    fit = fair.fit
    assert fit is not None

    def tables() -> None:
        fairness_show.show_table(fairness_tables.pairs_to_read(fair), PAIR_HEADINGS, "pairs_table", "Pairs of groups")
        fairness_show.show_download("Pairs as CSV", fairness_tables.pairs, fair, results, "pairs")
        fairness_show.show_table(fairness_tables.cells_to_read(fit), CELL_HEADINGS, "cells_table", "Groups by outcome")
        fairness_show.show_download("Groups as CSV", fairness_tables.cells, fit, results, "cells")

    drawer("Every pair and every group", "pairs_and_groups", tables)


PAIR_HEADINGS: dict[str, tuple[str, str | None]] = {
    "outcome": ("True outcome", None),
    "pair": ("Groups", "A positive gap means that the first one fares worse."),
    "program": ("In the program", "Points between average losses, padding included."),
    "training": ("Training", "Points between shares of training rows decided wrongly."),
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
