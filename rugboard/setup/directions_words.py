"""Directions in sentences: what helps, what harms, and what keeping to it costs. Nothing here is shown."""

from collections.abc import Mapping
from typing import Any

from rugboard.setup.directions_job import DirectionsReport
from rugboard.shell.formats import percent
from rugboard.shell.text import listed, named, value_in_words
from rugcore.rules import SaidDirection


def directions_in_words(directions: Mapping[str, SaidDirection]) -> str:
    """More of “income” helps; “debt” and “arrears” harm. Best is “good” of “rating”, “no” of “arrears”."""
    helps = [name for name, said in directions.items() if said == 1]
    harms = [name for name, said in directions.items() if said == -1]
    amounts = [f"{listed(names)} {_verb(names, verb)}" for names, verb in ((helps, "help"), (harms, "harm")) if names]
    best = [_best_in_words(name, said) for name, said in directions.items() if not isinstance(said, int)]
    return " ".join(
        [
            *([f"More of {'; '.join(amounts)}."] if amounts else []),
            *([f"Best is {', '.join(best)}."] if best else []),
        ]
    )


def _best_in_words(name: str, order: tuple[Any, ...]) -> str:
    return f"{named(value_in_words(order[-1]))} of {named(name)}"


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
