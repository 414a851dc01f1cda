"""Rates of small groups on the page Fairness: raw, and beside that with strength borrowed from the larger groups."""

import math
from typing import Any

import pandas as pd
import streamlit as st

from rugboard.fairness import view
from rugboard.fairness.limit import FairnessLimit
from rugboard.runs.results import Results
from rugboard.session import adjusted_models, adjustments, group_names, sampled
from rugboard.session.adjustments import Adjustment
from rugboard.session.cache import cached
from rugboard.session.evaluations import outcomes
from rugboard.shell.formats import NOTHING, percent
from rugboard.shell.notions import NOTION_NAMES
from rugboard.shell.tables import show_table
from rugboard.shell.text import named, value_in_words
from rugboard.shell.theme import name_of_model
from rugcore.fairness import borrowed_rates

TABLES_KEPT = 16  # one line per group
HELP = (
    "With several sensitive attributes each value of each is a larger group, and what they say is added up; with one, "
    "everybody is. The less the groups differ beyond chance, the more is borrowed (beta-binomial by moments, Kleinman "
    "1973). Raw rates have Wilson's interval, estimates that of the beta distribution."
)


def show_borrowing(results: Results, model: str, limit: FairnessLimit) -> None:
    """Test rows only: they stand for others."""
    sampled.say_so(results)
    asked = named(NOTION_NAMES[limit.notion].lower())
    st.caption(
        f"{name_of_model(model)} on the test rows, {asked}: the raw rate of every group, and beside it what can be "
        "said of it if small groups borrow from larger ones. Verdicts and gaps use raw rates only.",
        help=HELP,
    )
    found = rates(results, model, adjustments.current(results.run.id, model), limit.notion)
    show_table(to_read(found), HEADINGS, "borrowing_table", "Raw and borrowed rates by group")
    view.show_download("Borrowed rates as CSV", view.as_it_is, (view.KeptTable(found),), limit, "borrowed-rates")


@cached(entries=TABLES_KEPT)
def rates(results: Results, model: str, change: Adjustment, notion: str) -> pd.DataFrame:
    """The test rows under a visitor's model."""
    rows = results.is_test
    decided = adjusted_models.decided(results, model, change)
    return borrowed_rates(
        results.data.y[rows],
        decided[rows],
        sensitive_features=group_names.of_rows(results)[rows],
        larger_groups=group_names.parts_of_rows(results)[rows],
        fairness=notion,
        positive_class=results.plan.fair_settings()["positive_class"],
        classes=outcomes(results),
    )


def to_read(found: pd.DataFrame) -> pd.DataFrame:
    """One line per outcome and group, in words; the smallest groups first."""
    lines: Any = found.sort_values("n", kind="stable").to_dict("records")
    return pd.DataFrame(
        {
            "outcome": "all" if line["class"] is None else value_in_words(line["class"]),
            "group": line["group"],
            "n": line["n"],
            "raw": _with_bounds(line, "rate", "lower", "upper"),
            "others": _share(line["from_others"]),
            "estimate": _with_bounds(line, "estimate", "estimate_lower", "estimate_upper"),
            "own": _share(line["own_share"]),
        }
        for line in lines
    )


def _with_bounds(line: dict[str, Any], rate: str, lower: str, upper: str) -> str:
    if math.isnan(line[rate]):
        return NOTHING
    return f"{percent(line[rate])} ({percent(line[lower])} to {percent(line[upper])})"


def _share(share: float) -> str:
    return NOTHING if math.isnan(share) else percent(share)


HEADINGS: dict[str, tuple[str, str | None]] = {
    "outcome": ("True outcome", None),
    "group": ("Group", None),
    "n": ("People", "Test rows behind the raw rate."),
    "raw": ("Raw rate", "As counted, with Wilson's interval; of a small group it says little."),
    "others": ("Larger groups say", "What the larger groups that these people belong to suggest."),
    "estimate": ("Estimate", "The raw rate drawn towards what the larger groups say, with its 95 % interval."),
    "own": ("Own rows count", "How much of the estimate rests on the group's own rows."),
}
