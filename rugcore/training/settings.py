"""The parameters of an estimator, checked: each refusal names the parameter and what it may be."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

from rugcore.errors import InputError
from rugcore.generation.loop import Round
from rugcore.lp.solvers.choice import SOLVER_NAMES
from rugcore.tables.columns import MOST_BINS

DEEPEST = 14  # a tree of this depth has more leaves than anybody will read rules


# The paper binarises numbers at deciles for the integer program.
BINS_FOR_EXACT_PRICING = 10

LOSSES = ("margin", "paper")


@dataclass(frozen=True)
class Settings:
    """The parameters of an estimator, checked."""

    max_depth: int
    penalty: float
    max_iter: int
    rule_cost: str
    weight_threshold: float
    pricing: str
    loss: str
    min_support: float | None
    solver: str
    time_limit: float | None
    callback: Callable[[Round], Any] | None
    random_state: Any

    @classmethod
    def checked(cls, estimator: Any) -> "Settings":
        """Refuse a parameter that makes no sense, with its name and what it may be."""
        check_whole("max_depth", estimator.max_depth, 1, DEEPEST)
        check_real("penalty", estimator.penalty, 0.0)
        check_whole("max_iter", estimator.max_iter, 0)
        check_choice("rule_cost", estimator.rule_cost, ("length", "unit"))
        check_real("weight_threshold", estimator.weight_threshold, 0.0, 0.999)  # at 1 no rule would be left
        check_choice("pricing", estimator.pricing, ("tree", "exact"))
        check_choice("loss", estimator.loss, LOSSES)
        if estimator.min_support is not None:
            check_real("min_support", estimator.min_support, 0.0)
            if estimator.pricing == "exact" and estimator.min_support:
                raise InputError(
                    "Expected min_support to be None or 0 with pricing='exact', which looks at all rules, but got "
                    f"{estimator.min_support!r}."
                )
        check_choice("solver", estimator.solver, SOLVER_NAMES)
        if estimator.time_limit is not None:
            check_real("time_limit", estimator.time_limit, 0.0)
        if estimator.callback is not None and not callable(estimator.callback):
            raise InputError(f"Expected callback to be a function or None, but got {estimator.callback!r}.")
        return cls(**{name: getattr(estimator, name) for name in cls.__dataclass_fields__})

    def wrong_vote(self, n_classes: int) -> float:
        """Theta: what a vote for a wrong class counts against one for the right class (see `rugcore.lp.master`)."""
        return 1.0 / (n_classes - 1) if self.loss == "paper" else 1.0

    @property
    def max_bins(self) -> int:
        return BINS_FOR_EXACT_PRICING if self.pricing == "exact" else MOST_BINS

    def support(self, total_weight: float, n_rows: int) -> float:
        """The least training weight that a rule may rest on, where `n_rows` rows weigh so much together."""
        person = weight_of_a_person(total_weight, n_rows)
        support = sensible_support(total_weight / person) if self.min_support is None else self.min_support
        return support * person


def weight_of_a_person(total_weight: float, n_rows: int) -> float:
    """Weights of one and more count rows that were merged; smaller ones are shares, and a row counts as one."""
    return min(total_weight / n_rows, 1.0)


def sensible_support(n_people: float) -> float:
    """One in a hundred, but from 5 to 20 people are enough; in a table of less than 100, one in twenty."""
    return min(max(0.01 * n_people, 5.0), 20.0, 0.05 * n_people)


def check_penalty(penalty: Any) -> None:
    check_real("penalty", penalty, 0.0)


def check_whole(name: str, value: Any, least: int, most: int | None = None) -> None:
    is_whole = isinstance(value, Integral) and not isinstance(value, bool)
    if not is_whole or value < least or (most is not None and value > most):
        upper = f" to {most}" if most is not None else " or more"
        raise InputError(f"Expected {name} to be a whole number, {least}{upper}, but got {value!r}.")


def check_real(name: str, value: Any, least: float, most: float = math.inf) -> None:
    is_number = isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)
    if not is_number or not least <= value <= most:
        upper = f" to {most:g}" if math.isfinite(most) else " or more"
        raise InputError(f"Expected {name} to be a number, {least:g}{upper}, but got {value!r}.")


def check_choice(name: str, value: Any, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise InputError(f"Expected {name} to be one of {', '.join(choices)}, but got {value!r}.")
