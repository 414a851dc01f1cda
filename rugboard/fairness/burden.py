"""Burden by group: how far away the favourable decision is for the rejected of each group."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd
import streamlit as st

from rugboard.fairness import view
from rugboard.fairness.limit import FairnessLimit
from rugboard.runs.results import Results
from rugboard.session import adjusted_models, adjustments, group_names, sampled
from rugboard.session.adjustments import Adjustment
from rugboard.session.cache import cached
from rugboard.session.dictionaries import dictionary_of
from rugboard.shell.formats import NOTHING, percent
from rugboard.shell.tables import show_table
from rugboard.shell.text import named, value_in_words
from rugboard.shell.theme import name_of_model
from rugcore.explanations import Limit, burden_by_group

MOST_ROWS = 60  # of a group: a visitor waits for it
BURDENS_KEPT = 16  # one line per group
HELP = (
    "For each of them the nearest change of the columns that they can change, within the limits of the page "
    "Applicants, and none after which the decision would be called uncertain. The cost of a change is the share of "
    "training people that it leads past, added up over the columns; another category costs 1. Wilson's interval for "
    "shares; the interval of the median is from the order statistics."
)


@dataclass(frozen=True)
class Allowed:
    """What people can change, as the page Applicants has it."""

    limits: Mapping[str, Limit]

    @property
    def cache_key(self) -> str:
        return str(sorted((name, str(limit)) for name, limit in self.limits.items()))


def show_burden(results: Results, model: str, allowed: Allowed, limit: FairnessLimit) -> None:
    favourable = value_in_words(results.plan.fair_settings()["positive_class"])
    sampled.say_so(results)
    st.caption(
        f"Test rows that {name_of_model(model)} does not decide {named(favourable)}, at most {MOST_ROWS} of each "
        "group: how far away that decision is, by what they can change.",
        help=HELP,
    )
    with st.spinner("Looking for the nearest change of each of them"):
        found = burden(results, model, adjustments.current(results.run.id, model), allowed)
    show_table(to_read(found), HEADINGS, "burden_table", "How far away the favourable decision is, by group")
    st.caption(
        "No way: nothing that can change leads there by rules, and surely enough. Distance 0.1: past a tenth of the "
        "training people; whoever has no way counts as farthest. This is about this model's decision, not about what "
        "causes an outcome."
    )
    view.show_download("Burden as CSV", view.as_it_is, (view.KeptTable(found),), limit, "burden")


@cached(entries=BURDENS_KEPT)
def burden(results: Results, model: str, change: Adjustment, allowed: Allowed) -> pd.DataFrame:
    """On the test rows; groups as they are called everywhere."""
    is_test = results.is_test
    return burden_by_group(
        adjusted_models.with_adjustment(results, model, change),
        results.data.X[is_test],
        group_names.of_rows(results)[is_test],
        positive_class=results.plan.fair_settings()["positive_class"],
        X_train=results.X_train,
        limits=allowed.limits,
        special_values=dictionary_of(results).special_values(),
        people=adjusted_models.confidence_finder(results, model, change),
        most_rows=MOST_ROWS,
    )


# -- to read -----------------------------------------------------------------------------------------------


def to_read(found: pd.DataFrame) -> pd.DataFrame:
    """One line per group, in words."""
    return pd.DataFrame(
        {
            "group": line["group"],
            "rejected": f"{line['n_rejected']:,}",
            "n": line["n"],
            "no_way": _share(line["no_way"], line["no_way_lower"], line["no_way_upper"]),
            "distance": _distance(line["median_cost"]),
            "interval": _between(line["median_cost_lower"], line["median_cost_upper"]),
            "changes": NOTHING if math.isnan(line["mean_changes"]) else f"{line['mean_changes']:.1f}",
        }
        for line in found.to_dict("records")
    )


def _share(share: float, lower: float, upper: float) -> str:
    return NOTHING if math.isnan(share) else f"{percent(share)} ({percent(lower)} to {percent(upper)})"


def _distance(cost: float) -> str:
    return NOTHING if math.isnan(cost) else "no way" if math.isinf(cost) else f"{cost:.2f}"


def _between(lower: float, upper: float) -> str:
    if math.isnan(lower):
        return "too few people"
    return _distance(lower) if math.isinf(lower) else f"{_distance(lower)} to {_distance(upper)}"


HEADINGS: dict[str, tuple[str, str | None]] = {
    "group": ("Group", None),
    "rejected": ("Rejected", "Test rows of the group that are not decided favourably."),
    "n": ("Looked at", "How many of them the nearest change was searched for."),
    "no_way": (
        "No way",
        "Share for whom nothing that can change leads to the favourable decision by rules, with its 95 % interval.",
    ),
    "distance": ("Median distance", "Of the nearest change; “no way” if more than half have none."),
    "interval": ("95 % interval", "Of the median."),
    "changes": ("Columns to change", "On average, of those who have a way."),
}
