"""What may be asked to be alike between groups: every notion is one class, and nothing else branches on its name.

A notion is told by the table of true outcomes by decisions. Each of its strata marks which of that table's entries it
looks at (`among`) and which of those it counts (`counted`); a rate is the counted share of these entries in one group,
and a gap the difference of two groups. Training, audits, splits and tests all follow from these two marks.

    dmc                 of everybody of a class, those decided wrongly; for every class
    eop                 the same for the positive class alone
    odm                 of everybody, those decided wrongly
    demographic_parity  of everybody, those not decided for the positive class
    predictive_parity   of those decided for the positive class, those of another class

A higher rate is the less favourable one, so that signs mean the same everywhere: selection rates are counted by those
who are not selected, and the precision of positive decisions by those that are wrong. The gaps are the same.

A notion also says what its name means in words, how the paper scores it, and how training may shift importance between
classes and groups to move its rates.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from rugcore.errors import InputError
from rugcore.rules import words


@dataclass(frozen=True, eq=False)
class Stratum:
    """Rows within which groups are compared, and what is counted of them: marks on true classes by decided ones."""

    label: Any  # the one true class that it looks at, or None
    among: np.ndarray  # (true classes, decided classes), yes or no
    counted: np.ndarray  # the same shape; within `among`
    said: str = ""  # whom it looks at, behind the name of a group; nothing if it is everybody

    @cached_property
    def class_codes(self) -> tuple[int, ...]:
        """The true classes that it looks at."""
        return tuple(np.flatnonzero(self.among.any(axis=1)).tolist())

    @cached_property
    def is_settled(self) -> bool:
        """Whether who is looked at is settled before anybody is decided."""
        return bool((self.among.all(axis=1) == self.among.any(axis=1)).all())


class Notion(ABC):
    """One notion of parity between groups."""

    name: ClassVar[str]
    aliases: ClassVar[tuple[str, ...]] = ()
    title: ClassVar[str]  # what is asked for, in a few plain words
    short: ClassVar[str]  # its name in the literature, and where it looks
    explanation: ClassVar[str]
    gap_in_words: ClassVar[str]
    score_in_words: ClassVar[str] = "1 = fair: 1 minus the gap"
    verb: ClassVar[str] = "wrong"  # what is counted of a group, behind a share
    whom: ClassVar[str] = "people"  # whom a rate rests on
    needs_positive_class: ClassVar[bool] = False
    # Whether the rates are mean losses of the linear program: without, the paper's constraint does not exist.
    bounds_losses: ClassVar[bool] = True
    # What fairlearn calls it: a constraint of its reductions, and one of ThresholdOptimizer; None where it has none.
    reduction: ClassVar[str | None] = None
    threshold: ClassVar[str | None] = None

    @abstractmethod
    def strata(self, classes: Sequence[Any], positive: int | None) -> list[Stratum]:
        """Within which rows groups are compared; `positive` is the code of the positive class."""

    @abstractmethod
    def within(self, positive_class: str) -> str:
        """Where it looks, in words; `positive_class` is how the positive class is written."""

    @abstractmethod
    def share(self, label: str | None, positive_class: str) -> str:
        """A rate in words; `label` is how the class of its stratum is written, if it has one."""

    def more_often(self, worse: str, better: str, by: str, label: str | None, positive_class: str) -> str:  # noqa: ARG002
        """A gap in words: to whom it happens more often than to whom, and by how much; everything as it is written."""
        among = "" if label is None else f" of {label}"
        return f"{worse}{among} are decided wrongly {by} more often than {better}"

    def larger_rate(self, positive_class: str) -> str:  # noqa: ARG002 - others name the class
        """What sets the group with the larger rate apart, as the end of a sentence about it."""
        return "are decided wrongly more often"

    def asked(self, positive_class: str) -> str:
        """What is asked for, in a sentence without its full stop."""
        return f"{self.within(positive_class)}, each group is decided wrongly about equally often"

    def score(self, gaps: Sequence[float], n_classes: int) -> float:  # noqa: ARG002 - others look at the classes
        """The paper's score, 1 = fair, from the largest gap of every stratum that could be compared."""
        return 1.0 - sum(gaps)

    def share_of_importance(self, importance: np.ndarray, weight: np.ndarray) -> np.ndarray:
        """Importances by class and group, scaled so that the total weight of every class stays what it was.

        So training is moved between groups, never between classes.
        """
        return _scaled(importance, weight, axis=1)

    def traded_off(self, push: np.ndarray, counterweight: float, positive: int | None) -> np.ndarray:  # noqa: ARG002
        """How the pushes on the cells (classes by groups) act on each other.

        An error rate is moved least expensively by trading it against the errors that the same people suffer in
        another class: the other classes of a group move the other way.
        """
        others = push.sum(axis=0) - push
        traded: np.ndarray = push - counterweight * others / (len(push) - 1)
        return traded

    def _positive(self, positive: int | None) -> int:
        if positive is None:
            raise InputError(
                f"Expected positive_class, because fairness={self.name!r} looks at one class only and the classes are "
                "not 0 and 1. Pass the class that serves people well, such as positive_class='granted'."
            )
        return positive

    def __str__(self) -> str:
        return self.short


def _errors_of(label: Any, class_codes: Sequence[int], n_classes: int) -> Stratum:
    """Of everybody of these classes, those decided wrongly."""
    among = np.zeros((n_classes, n_classes), dtype=bool)
    among[list(class_codes)] = True
    said = "" if len(class_codes) == n_classes and label is None else f"class {words.value(label)}"
    return Stratum(label, among, among & ~np.eye(n_classes, dtype=bool), said)


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
    gap_in_words = "largest difference between two groups in the share decided wrongly, within every class"
    score_in_words = "1 = fair: 1 minus the gaps of the classes, added up for two and averaged over more"
    reduction, threshold = "EqualizedOdds", "equalized_odds"

    def strata(self, classes: Sequence[Any], positive: int | None) -> list[Stratum]:  # noqa: ARG002
        return [_errors_of(label, (code,), len(classes)) for code, label in enumerate(classes)]

    def within(self, positive_class: str) -> str:  # noqa: ARG002
        return "Within every true outcome"

    def share(self, label: str | None, positive_class: str) -> str:  # noqa: ARG002
        return f"the share of {label} decided wrongly"

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
    gap_in_words = "largest difference between two groups in the share decided wrongly, over all classes"
    reduction = "ErrorRateParity"

    def strata(self, classes: Sequence[Any], positive: int | None) -> list[Stratum]:  # noqa: ARG002
        return [_errors_of(None, range(len(classes)), len(classes))]

    def within(self, positive_class: str) -> str:  # noqa: ARG002
        return "Over all outcomes together"

    def share(self, label: str | None, positive_class: str) -> str:  # noqa: ARG002
        return "the share decided wrongly"

    def share_of_importance(self, importance: np.ndarray, weight: np.ndarray) -> np.ndarray:
        """Only the total weight of all rows stays what it was: classes are not compared apart."""
        return _scaled(importance, weight, axis=None)

    def traded_off(self, push: np.ndarray, counterweight: float, positive: int | None) -> np.ndarray:  # noqa: ARG002
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
    gap_in_words = "largest difference between two groups in the share decided wrongly, within the positive class"
    needs_positive_class = True
    reduction, threshold = "TruePositiveRateParity", "true_positive_rate_parity"

    def strata(self, classes: Sequence[Any], positive: int | None) -> list[Stratum]:
        code = self._positive(positive)
        return [_errors_of(classes[code], (code,), len(classes))]

    def within(self, positive_class: str) -> str:
        return f"Among those whose true outcome is {positive_class}"

    def share(self, label: str | None, positive_class: str) -> str:  # noqa: ARG002
        return f"the share of {label} decided wrongly"


class SelectionAlike(Notion):
    """Demographic parity: every group is decided for the positive class as often, whatever its members deserve."""

    name = "demographic_parity"
    title = "Equal shares of favourable decisions"
    short = "Demographic parity (selection rates)"
    explanation = (
        "Demographic parity: the largest difference between two groups in the share decided favourably, right or not. "
        "It asks nothing about mistakes."
    )
    gap_in_words = "largest difference between two groups in the share decided for the positive class"
    verb = "not selected"
    needs_positive_class = True
    bounds_losses = False
    reduction, threshold = "DemographicParity", "demographic_parity"

    def strata(self, classes: Sequence[Any], positive: int | None) -> list[Stratum]:
        among = np.ones((len(classes), len(classes)), dtype=bool)
        counted = among.copy()
        counted[:, self._positive(positive)] = False
        return [Stratum(None, among, counted)]

    def within(self, positive_class: str) -> str:
        return f"Of everybody, the share decided {positive_class}"

    def share(self, label: str | None, positive_class: str) -> str:  # noqa: ARG002
        return f"the share not decided {positive_class}"

    def more_often(self, worse: str, better: str, by: str, label: str | None, positive_class: str) -> str:  # noqa: ARG002
        return f"{worse} are decided {positive_class} {by} less often than {better}"

    def larger_rate(self, positive_class: str) -> str:
        return f"are decided {positive_class} less often"

    def asked(self, positive_class: str) -> str:
        return f"Each group is decided {positive_class} about equally often, rightly or not"

    def traded_off(self, push: np.ndarray, counterweight: float, positive: int | None) -> np.ndarray:  # noqa: ARG002
        """A group is selected more often if its positives count more, and its others less."""
        return push * _towards(self._positive(positive), len(push))


class PrecisionAlike(Notion):
    """Predictive parity: a positive decision is right as often in every group (alike positive predictive values)."""

    name = "predictive_parity"
    title = "Favourable decisions equally often right"
    short = "Predictive parity (among the selected)"
    explanation = (
        "Predictive parity: of those decided favourably, the share for whom that is right (the positive predictive "
        "value); the largest difference between two groups. Not estimable where too few of a group are decided so."
    )
    gap_in_words = (
        "largest difference between two groups in the share of right ones among those decided for the positive class"
    )
    verb = "wrong"
    whom = "people decided favourably"
    needs_positive_class = True
    bounds_losses = False

    def strata(self, classes: Sequence[Any], positive: int | None) -> list[Stratum]:
        code = self._positive(positive)
        among = np.zeros((len(classes), len(classes)), dtype=bool)
        among[:, code] = True
        counted = among.copy()
        counted[code, code] = False
        return [Stratum(None, among, counted, f"decided {words.value(classes[code])}")]

    def within(self, positive_class: str) -> str:
        return f"Among those decided {positive_class}"

    def share(self, label: str | None, positive_class: str) -> str:  # noqa: ARG002
        return f"the share of wrong ones among those decided {positive_class}"

    def more_often(self, worse: str, better: str, by: str, label: str | None, positive_class: str) -> str:  # noqa: ARG002
        return f"to decide {positive_class} is wrong {by} more often for {worse} than for {better}"

    def larger_rate(self, positive_class: str) -> str:
        return f"are more often wrong among those decided {positive_class}"

    def asked(self, positive_class: str) -> str:
        return f"To decide {positive_class} is right about equally often in each group"

    def traded_off(self, push: np.ndarray, counterweight: float, positive: int | None) -> np.ndarray:  # noqa: ARG002
        """Decisions are right more often where fewer are made: others count more, and positives less."""
        return -push * _towards(self._positive(positive), len(push))


_ALL: tuple[Notion, ...] = (ErrorsPerClass(), ErrorsOverall(), ErrorsOfPositives(), SelectionAlike(), PrecisionAlike())
NOTIONS = {notion.name: notion for notion in _ALL}
_BY_NAME = NOTIONS | {alias: notion for notion in _ALL for alias in notion.aliases}


def notion_of(name: Any) -> Notion:
    """The notion of that name or alias; anything else is refused with the names there are."""
    if isinstance(name, Notion):
        return name
    if not isinstance(name, str) or name not in _BY_NAME:
        raise InputError(f"Expected fairness to be one of {', '.join(_BY_NAME)}, but got {name!r}.")
    return _BY_NAME[name]


def is_in_their_favour(label: Any, favourable: Any, classes: Sequence[Any]) -> bool:
    """Whether people of a class gain by mistakes about them: of two classes theirs is not the favourable one.

    With more classes a mistake may be for the better or for the worse.
    """
    return len(classes) == 2 and label in classes and favourable in classes and label != favourable


def positive_code(positive_class: Any, classes: np.ndarray) -> int | None:
    """The code of the positive class: as given, or 1 if the classes are 0 and 1 (or false and true)."""
    known = classes.tolist()
    if positive_class is None:
        return 1 if known in ([0, 1], [False, True]) else None
    if positive_class not in known:
        listed = ", ".join(repr(item) for item in known)
        raise InputError(f"Expected positive_class to be one of the classes {listed}, but got {positive_class!r}.")
    return known.index(positive_class)


def _towards(positive: int, n_classes: int) -> np.ndarray:
    """1 for the positive class and -1 for all others, as a column."""
    return np.where(np.arange(n_classes) == positive, 1.0, -1.0)[:, None]


def _scaled(importance: np.ndarray, weight: np.ndarray, axis: int | None) -> np.ndarray:
    before = np.sum(weight, axis=axis, keepdims=True)
    after = np.sum(importance * weight, axis=axis, keepdims=True)
    kept = np.divide(before, after, out=np.ones_like(before), where=after > 0)  # a class may have no rows here
    return np.asarray(importance * kept)
