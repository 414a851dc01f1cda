"""A model then and now: what has changed among the people, in the rules' reach, in decisions, mistakes and gaps."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from rugcore.errors import InputError
from rugcore.explanations.rule_model import RuleModel
from rugcore.fairness.audit import audit
from rugcore.fairness.notions import notion_of
from rugcore.monitoring import sentences
from rugcore.monitoring.drift import column_drift
from rugcore.monitoring.shares import ShareThenAndNow, share_table
from rugcore.rules import words
from rugcore.tables import validation
from rugcore.tables.table import is_blank, plain_value

CONFIDENCE = 0.95  # of every table: all its lines together


@dataclass(frozen=True, eq=False)
class Period:
    """People of one period: the columns of the model, and what else is known about them.

    Parameters
    ----------
    X : DataFrame
        The columns that the model was trained on.
    y : labels or None
        What became of them, if it is known; blanks are people of whom it is not known yet.
    sensitive_features : column or table, or None
        Who belongs to which group.
    """

    X: pd.DataFrame
    y: Any = None
    sensitive_features: Any = None


@dataclass(frozen=True, eq=False)
class Monitoring:
    """What `monitor` found; print it to read it.

    Attributes
    ----------
    columns : DataFrame
        How far each column has moved; `column_drift` describes it.
    decisions : DataFrame
        Shares then and now: of every decision, of people whom no rule covers, of ties, and, where outcomes are known,
        of right decisions.
    rules : DataFrame
        The share of people that each rule covers, then and now.
    right : DataFrame or None
        How often each rule is right about those it covers, then and now; None where outcomes are not known.
    gaps : DataFrame or None
        Gaps between groups then and now, one line per notion; None where outcomes or groups are not known.
    verdict : tuple of str
        What to do about it, in sentences, the most important first.
    is_steady : bool
        Whether nothing was found that asks for a look, and there were enough people to find it.
    """

    columns: pd.DataFrame
    decisions: pd.DataFrame
    rules: pd.DataFrame
    right: pd.DataFrame | None
    gaps: pd.DataFrame | None
    verdict: tuple[str, ...]
    is_steady: bool

    def __str__(self) -> str:
        return "\n".join(self.verdict)


def monitor(
    model: RuleModel,
    then: Period,
    now: Period,
    *,
    positive_class: Any = None,
    fairness: str = "dmc",
    epsilon: float | None = None,
) -> Monitoring:
    """Hold newer people against those of a model's own time.

    Parameters
    ----------
    model : RUGClassifier or FairRUGClassifier
        A trained model.
    then : Period
        People of the time when the model was made, best those it was not trained on: mistakes on training rows flatter.
    now : Period
        Newer people.
    positive_class : label or None
        The class that serves people well, for gaps that look at one class.
    fairness : str, default="dmc"
        The notion of parity that matters.
    epsilon : float or None
        The largest gap that is allowed.
    """
    for period, name in ((then, "then"), (now, "now")):
        if not len(period.X):
            raise InputError(f"Expected people in both periods, but there are none {name}.")
    parts = _Parts(model, then, now)
    columns, decisions = column_drift(*parts.tables), share_table(parts.decisions(), CONFIDENCE)
    rules = share_table(parts.coverage(), CONFIDENCE)
    right = share_table(parts.right_by_rule(), CONFIDENCE) if parts.has_outcomes else None
    gaps = parts.gaps(positive_class, fairness) if parts.has_outcomes and parts.has_groups else None
    found = sentences.findings(columns, decisions, rules, right, gaps, epsilon)
    unsure = sentences.open_questions(columns, gaps, epsilon)
    verdict = sentences.verdict(found, unsure, parts.sizes)
    return Monitoring(columns, decisions, rules, right, gaps, verdict, is_steady=not found and not unsure)


class _Parts:
    """The people of both periods as the model sees them."""

    def __init__(self, model: RuleModel, then: Period, now: Period) -> None:
        self._model = model
        self._periods = then, now
        self.tables = validation.table_to_predict(model, then.X), validation.table_to_predict(model, now.X)
        self._covered = tuple(model.covering_rules(period.X) for period in self._periods)
        self._decided = tuple(model.decisions_for(covered) for covered in self._covered)
        self._outcomes = tuple(
            None if period.y is None else _codes(period.y, model, len(period.X)) for period in (then, now)
        )

    @property
    def sizes(self) -> tuple[int, int]:
        then, now = self.tables
        return then.n_rows, now.n_rows

    @property
    def has_outcomes(self) -> bool:
        return all(codes is not None and (codes >= 0).any() for codes in self._outcomes)

    @property
    def has_groups(self) -> bool:
        return all(period.sensitive_features is not None for period in self._periods)

    def decisions(self) -> list[ShareThenAndNow]:
        then, now = self._decided
        labels = [plain_value(label) for label in self._model.classes_]
        found = [
            ShareThenAndNow.of(f"decided {words.clear(label)}", then.class_code == code, now.class_code == code)
            for code, label in enumerate(labels)
        ]
        found.append(ShareThenAndNow.of(sentences.NO_RULE, then.is_uncovered, now.is_uncovered))
        found.append(ShareThenAndNow.of(sentences.TIE, then.is_tie, now.is_tie))
        if self.has_outcomes:
            found.append(ShareThenAndNow.of(sentences.RIGHT, *self._is_right()))
        return found

    def coverage(self) -> list[ShareThenAndNow]:
        """Of everybody, those whom each rule covers."""
        found = [_counts(covered) for covered in self._covered]
        return [
            ShareThenAndNow(str(rule), (then, self.sizes[0]), (now, self.sizes[1]))
            for rule, then, now in zip(self._model.rules_, *found, strict=True)
        ]

    def right_by_rule(self) -> list[ShareThenAndNow]:
        """Of those whom a rule covers and whose outcome is known, the share that has the outcome of the rule."""
        pairs = [self._right_of(place) for place in (0, 1)]
        return [
            ShareThenAndNow(str(rule), then, now) for rule, then, now in zip(self._model.rules_, *pairs, strict=True)
        ]

    def _right_of(self, place: int) -> list[tuple[int, int]]:
        codes = self._known_outcomes(place)
        covered = self._covered[place][codes >= 0].tocsc()
        codes = codes[codes >= 0]
        labels = [plain_value(label) for label in self._model.classes_]
        found = []
        for number, rule in enumerate(self._model.rules_):
            own = codes[covered.indices[covered.indptr[number] : covered.indptr[number + 1]]]
            found.append((int((own == labels.index(plain_value(rule.label))).sum()), len(own)))
        return found

    def _is_right(self) -> list[np.ndarray]:
        """Yes or no for everybody whose outcome is known, then and now."""
        found = []
        for place in (0, 1):
            codes = self._known_outcomes(place)
            found.append((self._decided[place].class_code == codes)[codes >= 0])
        return found

    def _known_outcomes(self, place: int) -> np.ndarray:
        codes = self._outcomes[place]
        assert codes is not None
        return codes

    def gaps(self, positive_class: Any, fairness: str) -> pd.DataFrame:
        """Every notion's gap then and now, with its bounds."""
        then, now = (self._gaps_of(place, positive_class) for place in (0, 1))
        frame = then.add_suffix("_then").join(now.add_suffix("_now"), how="outer")
        return frame.assign(matters=frame.index == notion_of(fairness).name)

    def _gaps_of(self, place: int, positive_class: Any) -> pd.DataFrame:
        codes = self._known_outcomes(place)
        is_known = codes >= 0
        classes = self._model.classes_
        groups = self._periods[place].sensitive_features
        found = audit(
            classes[codes[is_known]],
            classes[self._decided[place].class_code[is_known]],
            sensitive_features=groups[is_known]
            if isinstance(groups, pd.DataFrame | pd.Series)
            else np.asarray(groups)[is_known],
            positive_class=positive_class,
            classes=classes.tolist(),
        )
        return found.gaps[["gap", "lower", "upper", "n"]]


def _counts(covered: Any) -> list[int]:
    counts: list[int] = np.asarray(covered.sum(axis=0)).ravel().astype(int).tolist()
    return counts


def _codes(y: Any, model: RuleModel, n_rows: int) -> np.ndarray:
    """The number of everybody's outcome; -1 where it is not known."""
    labels: Sequence[Any] = list(y)
    if len(labels) != n_rows:
        raise InputError(f"Expected one outcome per person, but got {len(labels):,} for {n_rows:,} people.")
    number = {plain_value(label): code for code, label in enumerate(model.classes_)}
    codes = np.array([-1 if is_blank(label) else number.get(plain_value(label), -2) for label in labels])
    if (codes == -2).any():
        known = ", ".join(words.clear(label) for label in number)
        unknown = words.clear(plain_value(labels[int(np.argmax(codes == -2))]))
        raise InputError(f"Expected the outcomes {known}, as in training, but found {unknown}. Correct the column.")
    return codes
