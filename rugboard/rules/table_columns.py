"""How the columns of the tables on the page Rules look."""

from typing import Any

import streamlit as st

from rugboard.rules import tables as rule_tables
from rugboard.rules.comebacks import RuleComebacks
from rugboard.rules.statistics import FEW, RuleStatistics
from rugboard.runs.results import Results
from rugboard.shell import tables, theme
from rugboard.shell.text import brief, named, plain, value_in_words
from rugboard.shell.theme import name_of_model

WIDEST_GROUP = 340  # pixels: a heading says which group, and of how many people
WIDTH_OF_RULE = 310  # pixels; with two groups the table fits a screen of 1280


def table_columns(results: Results, statistics: RuleStatistics, rows: str, comebacks: RuleComebacks) -> dict[str, Any]:
    column = st.column_config
    attribute = plain(brief(statistics.people.attribute or ""))
    own = {
        "length": column.NumberColumn("Conditions", width=88, help="How many conditions a person has to check."),
        "label": outcome_column(results, statistics),
        "came_back": column.NumberColumn(
            "Came back",
            width=86,
            format=f"%d of {comebacks.n_samples}",
            help=f"In how many of {comebacks.n_samples} samples of the training rows the same training finds this rule "
            "again, with about the same numbers.",
        ),
        "n_covered": column.NumberColumn(
            "Applies to", width=78, format="%d", help=f"How many {rows} rows meet the conditions."
        ),
        "coverage": column.NumberColumn(
            "of all",
            width=62,
            format="%.1f %%",
            help=f"Coverage: the same as a share of all {rows} rows.",
        ),
        "precision": column.NumberColumn(
            "Right for",
            width=74,
            format="%.1f %%",
            help=f"Precision: of the {rows} rows that the rule applies to, the share with the outcome it votes for.",
        ),
        "note": column.TextColumn(
            "Note",
            width=94,
            help=f"{rule_tables.FEW_PEOPLE}: the rule applies to fewer than {FEW} {rows} rows, and how often it is "
            f"right is a rough guess. {rule_tables.CONTRARY}: its outcome is rarer among the training rows that it "
            "applies to than among all, which speaks against its vote.",
        ),
    }
    own |= {
        "pushes": column.NumberColumn(
            "Pushes the gap",
            width=116,
            format="%+.1f",
            help="Points by which the largest gap between two groups is wider with this rule than without it, all else "
            f"as it is, on the {rows} rows. Below 0 the rule narrows the gap.",
        ),
        "tells": column.NumberColumn(
            "Tells the group",
            width=116,
            format="%.0f of 100",
            help="Of two people, one of each of two groups, in how many of 100 such pairs a guess from whether the "
            "rule applies tells who is who; a coin is right in 50. The two groups that it tells apart best (AUC).",
        ),
    }
    groups = {
        group.key: column.NumberColumn(
            group.heading,
            width=width_of(group.heading),
            format="%.1f %%",
            help=f"Share of the {rows} rows of {named(statistics.people.groups[group.number])} ({attribute}) that the "
            "rule applies to; in brackets how many these rows are.",
        )
        for group in rule_tables.group_columns(statistics, rows)
    }
    return tables.rule_columns(tables.heaviest(statistics.rules), WIDTH_OF_RULE) | own | groups


def width_of(heading: str) -> int:
    return min(max(90, tables.CHARACTER_WIDTH * len(heading) + 20), WIDEST_GROUP)


def outcome_column(results: Results, statistics: RuleStatistics) -> Any:
    """The outcome in its colour."""
    outcomes = statistics.people.outcomes
    return st.column_config.MultiselectColumn(
        "Then",
        width=98,
        options=[value_in_words(label) for label in outcomes],
        color=[theme.colour_of_class(label, outcomes, results.plan.favourable) for label in outcomes],
        help="The outcome that the rule votes for.",
    )


def weight_column(model: str, heaviest: float) -> Any:
    return st.column_config.ProgressColumn(
        f"Weight in {name_of_model(model)}",
        width=160,
        format="%.2f",
        min_value=0.0,
        max_value=heaviest,
        color=theme.colour_of_model(model),
        help="How much the vote of the rule counts there.",
    )
