"""What the groups of a run are called: the same on every page and in every file.

"yes" says nothing without the name of its column, so that such groups are called "African American: yes".
"""

from collections.abc import Collection, Sequence

import pandas as pd

from rugboard.runs.errors import RunError
from rugboard.runs.results import Results
from rugboard.session.cache import cached
from rugcore.data_quality import in_order_of_bands
from rugcore.fair_training import FairnessFit, with_group_names
from rugcore.fairness import BETWEEN
from rugcore.fairness import clear_names as named_clearly

RUNS_KEPT = 4  # one name per row


def attribute(sensitive: Sequence[str]) -> str:
    """What makes the groups: a column, or several."""
    return BETWEEN.join(sensitive)


def clear_names(names: Collection[str], sensitive: Sequence[str]) -> dict[str, str]:
    """By the value or values in the data: what a group is called. If one needs the name of its column, all have it."""
    return named_clearly(names, attribute(sensitive))


@cached(entries=RUNS_KEPT)
def by_value(results: Results) -> dict[str, str]:
    """The names of a run's groups by their value in the data; nothing for a run without groups."""
    found = results.data.groups
    if found is None:
        return {}
    elsewhere = () if results.all_rows is None else results.all_rows.labels.groups  # one may be in no sampled row
    return clear_names(dict.fromkeys((*map(str, found.unique()), *elsewhere)), results.plan.sensitive)


def of_run(results: Results) -> list[str]:
    """The groups of the run, by the alphabet; bands of a number in their order."""
    return in_order_of_bands(sorted(set(by_value(results).values())))


@cached(entries=RUNS_KEPT)
def of_rows(results: Results) -> pd.Series:
    """The group of every row of the run's table."""
    if results.data.groups is None:
        raise RunError("This run has no groups. Choose a sensitive attribute on the page Data, and train again.")
    return results.data.groups.map(by_value(results))


@cached(entries=RUNS_KEPT)
def parts_of_rows(results: Results) -> pd.DataFrame:
    """The larger groups that every row belongs to: of a combination of attributes the value of each."""
    groups = of_rows(results)
    parts = {name: name.split(BETWEEN) for name in groups.unique()}
    n_parts = {len(items) for items in parts.values()}
    if len(n_parts) > 1:  # a value with the separator in it: nothing larger can be told
        return groups.to_frame("group")
    return pd.DataFrame({str(place): groups.map(lambda name, at=place: parts[name][at]) for place in range(*n_parts)})


def with_attribute(name: str, sensitive: Sequence[str]) -> str:
    """A group where it stands alone: with the name of its column, once."""
    prefix = f"{attribute(sensitive)}: "
    return name if name.startswith(prefix) else f"{prefix}{name}"


def in_fit(fit: FairnessFit, results: Results) -> FairnessFit:
    """What a fair model says about its training, with the groups called as everywhere."""
    return with_group_names(fit, by_value(results))
