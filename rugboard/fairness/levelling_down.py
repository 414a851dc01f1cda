"""Levelling down: who is decided wrongly more often by FairRUG than by RUG, and who less often."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from rugboard.fairness.words import outcome, short_points
from rugboard.runs.plan import FAIR, RUG
from rugboard.runs.results import Results
from rugboard.session import adjustments, group_names
from rugboard.session.adjusted_models import decided
from rugboard.session.adjustments import Adjustment
from rugboard.session.cache import cached
from rugboard.session.evaluations import TEST, TRAINING, Evaluation, evaluate
from rugboard.shell.formats import counted, percent
from rugboard.shell.text import named, value_in_words
from rugcore.comparison import Paired

CHANGES_KEPT = 64  # small: one line per outcome and group


@dataclass(frozen=True)
class RateChange:
    """One outcome in one group: the same people under RUG and under FairRUG."""

    label: Any
    group: str
    n: int
    before: int  # decided wrongly by RUG
    newly_wrong: int  # by FairRUG, but not by RUG
    newly_right: int
    may_be_chance: bool

    @property
    def after(self) -> int:
        return self.before + self.newly_wrong - self.newly_right

    @property
    def by(self) -> float:
        return (self.after - self.before) / self.n


def changes(results: Results, found: Sequence[Evaluation], rows: str) -> tuple[RateChange, ...]:
    """Of every rate that can be estimated, the largest change first; nothing where one of the two models is missing."""
    if {item.model for item in found} & {RUG, FAIR} != {RUG, FAIR}:
        return ()
    rug, fair = (adjustments.current(results.run.id, model) for model in (RUG, FAIR))
    return _changes(results, rug, fair, rows)


@cached(entries=CHANGES_KEPT)
def _changes(results: Results, rug: Adjustment, fair: Adjustment, rows: str) -> tuple[RateChange, ...]:
    truth = results.data.y.to_numpy(dtype=object)
    before, after = (decided(results, model, change) != truth for model, change in ((RUG, rug), (FAIR, fair)))
    people = pd.DataFrame({"label": truth, "group": group_names.of_rows(results).to_numpy(), "before": before})
    people = people.assign(newly_wrong=after & ~before, newly_right=before & ~after)
    of_cells = people[results.is_test if rows == TEST else ~results.is_test].groupby(["label", "group"])
    columns = ["before", "newly_wrong", "newly_right"]
    lines: Any = of_cells[columns].sum().assign(n=of_cells.size())[["n", *columns]].itertuples(name=None)
    rates = evaluate(results, FAIR, fair).rates[rows]
    estimable = {cell for cell, line in rates.items() if not line["not_estimable"]}
    made = [change_of(cell, *map(int, counts), rows=rows) for cell, *counts in lines if cell in estimable]
    return tuple(sorted(made, key=lambda change: -abs(change.by)))


def change_of(
    cell: tuple[Any, str], n: int, before: int, newly_wrong: int, newly_right: int, *, rows: str
) -> RateChange:
    """On the training rows a change is a fact; on others it may be chance."""
    is_doubtful = rows != TRAINING and Paired(n, newly_right, newly_wrong).may_be_chance
    return RateChange(*cell, n, before, newly_wrong, newly_right, is_doubtful)


# -- in words ----------------------------------------------------------------------------------------------


def worse_off(found: Sequence[RateChange]) -> list[RateChange]:
    """Decided wrongly more often, and not by chance alone; the largest change first."""
    return [change for change in found if change.by > 0 and not change.may_be_chance]


def better_off(found: Sequence[RateChange]) -> list[RateChange]:
    return [change for change in found if change.by < 0 and not change.may_be_chance]


def in_words(found: Sequence[RateChange], rows: str) -> str:
    """Who pays for equal treatment: the hardest case, and how many are decided wrongly more and less often."""
    where = f"On the {rows} rows, compared with RUG"
    if not any(change.newly_wrong or change.newly_right for change in found):
        return f"{where}, the same people are decided wrongly."
    worse = worse_off(found)
    hardest = _hardest(worse[0]) if worse else "no group is seen to be decided wrongly more often."
    return f"{where}, {hardest} {_tally(found, rows)}"


def in_short(found: Sequence[RateChange], rows: str) -> str:
    """The hardest case alone."""
    change = worse_off(found)[0]
    return (
        f"Compared with RUG, {named(change.group)} of {outcome(change.label)} are decided wrongly more often: "
        f"**{percent(change.after / change.n)} instead of {percent(change.before / change.n)}** of {change.n:,} on the "
        f"{rows} rows."
    )


def _tally(found: Sequence[RateChange], rows: str) -> str:
    n_worse, n_better = len(worse_off(found)), len(better_off(found))
    alike = "alike" if rows == TRAINING else "alike or too close to tell from chance"
    n_wrong, n_right = sum(change.newly_wrong for change in found), sum(change.newly_right for change in found)
    return (
        f"Of {counted(len(found), 'group')} by outcome, {n_better} {_are(n_better)} decided wrongly less often, "
        f"{n_worse} more often, "
        f"{len(found) - n_worse - n_better} {alike}; {n_wrong:,} of these people are newly decided wrongly, "
        f"{n_right:,} no longer."
    )


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


def _hardest(change: RateChange) -> str:
    return (
        f"of those whose outcome is {outcome(change.label)}, {named(change.group)} are decided wrongly more often: "
        f"**{percent(change.after / change.n)} instead of {percent(change.before / change.n)}** "
        f"({change.newly_wrong:,} of {change.n:,} newly wrong, {change.newly_right:,} no longer)."
    )


def to_read(found: Sequence[RateChange]) -> pd.DataFrame:
    """One line per outcome and group."""
    return pd.DataFrame(
        {
            "outcome": value_in_words(change.label),
            "group": change.group,
            "n": change.n,
            "before": percent(change.before / change.n),
            "after": percent(change.after / change.n),
            "by": ("+" if change.by > 0 else "") + short_points(change.by),
            "newly_wrong": change.newly_wrong,
            "newly_right": change.newly_right,
            "chance": "" if change.by == 0 else "may be chance" if change.may_be_chance else "no",
        }
        for change in found
    )


HEADINGS: dict[str, tuple[str, str | None]] = {
    "outcome": ("True outcome", None),
    "group": ("Group", None),
    "n": ("People", "Rows of this outcome in this group."),
    "before": ("RUG", "Share decided wrongly by RUG."),
    "after": ("FairRUG", "Share decided wrongly by FairRUG."),
    "by": ("Change, points", "More than 0: FairRUG decides them wrongly more often."),
    "newly_wrong": ("Newly wrong", "Decided wrongly by FairRUG and rightly by RUG."),
    "newly_right": ("No longer wrong", "Decided wrongly by RUG and rightly by FairRUG."),
    "chance": ("Chance?", "The exact sign test (McNemar's) at 5 %, each line by itself; not needed on training rows."),
}
