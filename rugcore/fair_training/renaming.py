"""The groups of a fit in other words, such as those that a report uses."""

from collections.abc import Mapping
from dataclasses import replace

from rugcore.fair_training.expectation import Expectation
from rugcore.fair_training.outcome import FairnessFit


def with_group_names(fit: FairnessFit, names: Mapping[str, str]) -> FairnessFit:
    """The same fit; `names` has what every group is called, by its name in the fit."""
    return replace(
        fit,
        contrasts=tuple(replace(item, first=names[item.first], second=names[item.second]) for item in fit.contrasts),
        cells=tuple(replace(item, group=names[item.group]) for item in fit.cells),
        not_estimable=tuple(replace(item, group=names[item.group]) for item in fit.not_estimable),
        expected=None if fit.expected is None else _in_expectation(fit.expected, names),
        assured_rates=tuple(replace(item, group=names[item.group]) for item in fit.assured_rates),
    )


def _in_expectation(expected: Expectation, names: Mapping[str, str]) -> Expectation:
    if expected.worse is None or expected.better is None:
        return expected
    return replace(expected, worse=names[expected.worse], better=names[expected.better])
