"""What may be asked to be alike between groups: every notion is one class, and nothing else branches on its name.

A notion says within which classes groups are compared (its strata), what its name means in words, how the paper scores
it, and along which axis training may shift importance without changing what the model is asked to learn.

    DMC   for every class and every pair of groups: error rate of one group minus that of the other
    EOP   the same for the positive class alone
    ODM   for every pair of groups, over all classes together
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rugcore.errors import InputError


@dataclass(frozen=True)
class Stratum:
    """Classes within which groups are compared: a single one, or (label None) several together."""

    label: Any
    class_codes: tuple[int, ...]


class Notion(ABC):
    """One notion of parity between groups."""

    name: ClassVar[str]
    aliases: ClassVar[tuple[str, ...]] = ()
    title: ClassVar[str]  # what is asked for, in a few plain words
    short: ClassVar[str]  # its name in the literature, and where it looks
    explanation: ClassVar[str]
    needs_positive_class: ClassVar[bool] = False

    @abstractmethod
    def strata(self, classes: Sequence[Any], positive: int | None) -> list[Stratum]:
        """Within which classes groups are compared; `positive` is the code of the positive class."""

    @abstractmethod
    def within(self, positive_class: str) -> str:
        """Where it looks, in words; `positive_class` is how the positive class is written."""

    def score(self, gaps: Sequence[float], n_classes: int) -> float:  # noqa: ARG002 - others look at the classes
        """The paper's score, 1 = fair, from the largest gap of every stratum that could be compared."""
        return 1.0 - sum(gaps)

    def share_of_importance(self, importance: np.ndarray, weight: np.ndarray) -> np.ndarray:
        """Importances by class and group, scaled so that the total weight of every class stays what it was.

        So training is moved between groups, never between classes.
        """
        return _scaled(importance, weight, axis=1)

    def traded_off(self, push: np.ndarray, counterweight: float) -> np.ndarray:
        """How the pushes on the cells (classes by groups) act on each other.

        An error rate is moved least expensively by trading it against the errors that the same people suffer in
        another class: the other classes of a group move the other way.
        """
        others = push.sum(axis=0) - push
        traded: np.ndarray = push - counterweight * others / (len(push) - 1)
        return traded

    def __str__(self) -> str:
        return self.short


class ErrorsPerClass(Notion):
    """DMC, disparate mistreatment per class; with two classes equalized odds."""

    name = "dmc"
    aliases = ("eod",)
    title = "Equal mistakes for every outcome"
    short = "DMC (within every class)"
    explanation = (
        "DMC (disparate mistreatment; with two outcomes also called equalised odds): the largest difference between "
        "two groups in the share decided wrongly, within any true outcome."
    )

    def strata(self, classes: Sequence[Any], positive: int | None) -> list[Stratum]:  # noqa: ARG002
        return [Stratum(label, (code,)) for code, label in enumerate(classes)]

    def within(self, positive_class: str) -> str:  # noqa: ARG002
        return "Within every true outcome"

    def score(self, gaps: Sequence[float], n_classes: int) -> float:
        """The gaps of two classes are added up, and averaged over more.

        NaN for two classes of which one cannot be compared, because a gap that is not known must not count as none.
        """
        if len(gaps) < n_classes <= 2:
            return float("nan")
        return 1.0 - (sum(gaps) / len(gaps) if n_classes > 2 else sum(gaps))


class ErrorsOverall(Notion):
    """ODM, overall disparate mistreatment."""

    name = "odm"
    title = "Equal mistakes overall"
    short = "ODM (over all rows)"
    explanation = (
        "ODM (overall disparate mistreatment): the largest difference between two groups in the share decided wrongly, "
        "over all outcomes together."
    )

    def strata(self, classes: Sequence[Any], positive: int | None) -> list[Stratum]:  # noqa: ARG002
        return [Stratum(None, tuple(range(len(classes))))]

    def within(self, positive_class: str) -> str:  # noqa: ARG002
        return "Over all outcomes together"

    def share_of_importance(self, importance: np.ndarray, weight: np.ndarray) -> np.ndarray:
        """Only the total weight of all rows stays what it was: classes are not compared apart."""
        return _scaled(importance, weight, axis=None)

    def traded_off(self, push: np.ndarray, counterweight: float) -> np.ndarray:  # noqa: ARG002
        """All classes of a group are pushed alike: there is nothing to trade."""
        return push


class ErrorsOfPositives(Notion):
    """EOP, equal opportunity."""

    name = "eop"
    title = "Equal chances for those who qualify"
    short = "EOP (within the positive class)"
    explanation = (
        "EOP (equal opportunity): the largest difference between two groups in the share decided wrongly, among those "
        "whose true outcome is the favourable one."
    )
    needs_positive_class = True

    def strata(self, classes: Sequence[Any], positive: int | None) -> list[Stratum]:
        if positive is None:
            raise InputError(
                "Expected positive_class, because fairness='eop' looks at one class only and the classes are not 0 "
                "and 1. Pass the class that serves people well, such as positive_class='granted'."
            )
        return [Stratum(classes[positive], (positive,))]

    def within(self, positive_class: str) -> str:
        return f"Among those whose true outcome is {positive_class}"


_ALL: tuple[Notion, ...] = (ErrorsPerClass(), ErrorsOverall(), ErrorsOfPositives())
NOTIONS = {notion.name: notion for notion in _ALL}
_BY_NAME = NOTIONS | {alias: notion for notion in _ALL for alias in notion.aliases}


def notion_of(name: Any) -> Notion:
    """The notion of that name or alias; anything else is refused with the names there are."""
    if isinstance(name, Notion):
        return name
    if not isinstance(name, str) or name not in _BY_NAME:
        raise InputError(f"Expected fairness to be one of {', '.join(_BY_NAME)}, but got {name!r}.")
    return _BY_NAME[name]


def positive_code(positive_class: Any, classes: np.ndarray) -> int | None:
    """The code of the positive class: as given, or 1 if the classes are 0 and 1 (or false and true)."""
    known = classes.tolist()
    if positive_class is None:
        return 1 if known in ([0, 1], [False, True]) else None
    if positive_class not in known:
        listed = ", ".join(repr(item) for item in known)
        raise InputError(f"Expected positive_class to be one of the classes {listed}, but got {positive_class!r}.")
    return known.index(positive_class)


def _scaled(importance: np.ndarray, weight: np.ndarray, axis: int | None) -> np.ndarray:
    before = np.sum(weight, axis=axis, keepdims=True)
    after = np.sum(importance * weight, axis=axis, keepdims=True)
    kept = np.divide(before, after, out=np.ones_like(before), where=after > 0)  # a class may have no rows here
    return np.asarray(importance * kept)
