"""Directions in sentences: what helps, what harms, and what keeping to it costs. Nothing here is shown."""

from collections.abc import Mapping

from rugboard.setup.directions_job import DirectionsReport
from rugboard.shell.formats import percent
from rugboard.shell.text import listed


def directions_in_words(directions: Mapping[str, int]) -> str:
    """“income” helps; “debt” and “arrears” harm."""
    helps = [name for name, sign in directions.items() if sign > 0]
    harms = [name for name, sign in directions.items() if sign < 0]
    said = [f"{listed(names)} {_verb(names, verb)}" for names, verb in ((helps, "help"), (harms, "harm")) if names]
    return "; ".join(said)


def _verb(names: list[str], verb: str) -> str:
    return f"{verb}s" if len(names) == 1 else verb


def cost_in_words(report: DirectionsReport) -> str:
    """On rows not trained on, and how sure that is."""
    with_them, without = (sum(folds) / len(folds) for folds in (report.with_them, report.without))
    change = 100 * (with_them - without)
    sure = f"{change:+.1f} points, give or take {100 * report.standard_error:.1f}"
    return (
        f"RUG is right for {percent(with_them)} with directions and {percent(without)} without ({sure}), by "
        f"cross-validation on {report.n_rows:,} training rows."
    )
