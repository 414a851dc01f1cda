"""Columns that stand in for the sensitive attribute, said before training."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import streamlit as st

from rugboard.session.cache import cached
from rugboard.session.server import store
from rugboard.setup import table_summary
from rugboard.setup.drafts import ColumnChoices
from rugboard.setup.table_summary import Bands
from rugboard.shell.text import named
from rugcore import stand_ins
from rugcore.dictionary import DataDictionary
from rugcore.errors import RugError

TELLS_WELL = 0.75  # right in three of four pairs: half of what a coin leaves to know
MOST_SHOWN = 5
SAMPLE = 50_000  # rows; a share is then known to less than a point
SEED = 0
ANSWERS_KEPT = 32


@dataclass(frozen=True)
class StandIn:
    """A column that tells two groups apart."""

    column: str
    tells: float
    first: str
    second: str


def show_stand_ins(snapshot: str, chosen: ColumnChoices, dictionary: DataDictionary) -> None:
    """A remark on columns that rules may use and that tell the groups well; nothing if none does."""
    features = tuple(name for name in chosen.features or () if name not in chosen.sensitive)
    if not chosen.sensitive or not features:
        return
    bands = tuple((name, tuple(edges)) for name, edges in chosen.bands.items())
    about = dictionary.within(list(chosen.sensitive)).to_json()
    try:
        with st.spinner("Looking for columns that stand in for the groups"):
            found = revealing_columns(snapshot, chosen.sensitive, bands, about)
    except RugError:
        return  # too many groups, or none: the page has said so where they are chosen
    shown = dictionary.shown_name
    told = [replace(one, column=shown(one.column)) for one in found if one.column in features]
    if told:
        st.info(in_words(told, " / ".join(map(shown, chosen.sensitive)), is_sample(snapshot)), icon=":material/group:")


def in_words(told: Sequence[StandIn], attribute: str, is_a_sample: bool) -> str:
    """How well each column alone tells the groups apart, and what follows."""
    shown = "; ".join(
        f"{named(item.column)} in **{100 * item.tells:.0f} of 100** ({named(item.first)} and {named(item.second)})"
        for item in told[:MOST_SHOWN]
    )
    more = f"; and {len(told) - MOST_SHOWN} more columns" if len(told) > MOST_SHOWN else ""
    rows = f", in a sample of {SAMPLE:,} rows" if is_a_sample else ""
    return (
        f"**Some columns stand in for {named(attribute)}.** Of two people, one of each group, a guess from this column "
        f"alone tells who is who{rows}: {shown}{more}. A coin is right in 50. Rules that use such columns can treat "
        f"the groups differently though no rule mentions {named(attribute)}."
    )


def is_sample(snapshot: str) -> bool:
    return table_summary.shape(snapshot).n_rows > SAMPLE


@cached(entries=ANSWERS_KEPT)
def revealing_columns(snapshot: str, sensitive: tuple[str, ...], bands: Bands, dictionary: str) -> tuple[StandIn, ...]:
    """The columns that tell two groups apart well, the most telling first; a few columns are read at a time."""
    rows = np.arange(table_summary.shape(snapshot).n_rows)
    if is_sample(snapshot):
        rows = np.sort(np.random.default_rng(SEED).choice(rows, SAMPLE, replace=False))
    groups = table_summary.groups_of_rows(snapshot, sensitive, bands, DataDictionary.from_json(dictionary))
    parts = []
    for some in table_summary.portions(snapshot):
        others = [name for name in some if name not in sensitive]
        if others:
            frame = store().snapshots.load(snapshot, others)
            parts.append(stand_ins(_readable(frame.iloc[rows]), groups.iloc[rows]))
    told = pd.concat(parts).query("tells >= @TELLS_WELL").sort_values("tells", ascending=False, kind="stable")
    return tuple(
        StandIn(str(line["column"]), float(line["tells"]), str(line["first_group"]), str(line["second_group"]))
        for line in told.to_dict("records")
    )


def _readable(frame: pd.DataFrame) -> pd.DataFrame:
    """Dates as text: no rule uses them as they are, and a value is a value."""
    dates = frame.select_dtypes(["datetime", "datetimetz"]).columns
    return frame.astype(dict.fromkeys(dates, "str"))
