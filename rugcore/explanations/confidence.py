"""How sure a decision is, and how many people say so.

The chance comes from the model (`predict_proba`); the people behind it are such as the model never saw. Of those who
were held out and decided the same way, the ones with about the same chance are looked up, and how many of them turned
out as decided. Their share has an interval (Wilson's): the fewer they are, the wider it is. People from the training
rows would not do: rules were chosen because they fit them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from rugcore.errors import InputError
from rugcore.explanations.rule_model import RuleModel, table_of_cells
from rugcore.fairness.intervals import wilson
from rugcore.rules import words
from rugcore.rules.rule import Rule
from rugcore.tables.table import plain_value
from rugcore.training.chances import TRIFLE

N_NEAREST = 100
MOST_AWAY = 0.1  # in chance: whoever is further away says little about somebody
LEVEL = 0.95
# What "clear" takes: a chance far from one half, in the model and among the people, and enough of them.
CLEAR_CHANCE = 0.75
ENOUGH_PEOPLE = 30
# Below this the model itself says that it might as well be otherwise, whatever became of others.
LIKELY_CHANCE = 0.6
EVEN = 0.5
FEW_PEOPLE = 30  # a rule that rests on fewer is marked

Grade = Literal["clear", "likely", "uncertain"]


@dataclass(frozen=True)
class Confidence:
    """Of one decision: its chance of being right, and the people held out who were decided alike.

    Attributes
    ----------
    chance : float
        That the decided class is the true one, as the model says.
    n, n_right : int
        People held out who were decided the same way with about this chance, and how many of them were rightly.
    lower, upper : float
        The 95 % interval of the share that was right; from 0 to 1 where there is nobody.
    is_even : bool
        Of two outcomes the other is as likely or likelier, going by what the same rules tell; the votes alone decide.
    """

    chance: float
    n: int
    n_right: int
    lower: float
    upper: float
    is_even: bool = False

    @property
    def share(self) -> float:
        """Of the people decided alike, those who were decided rightly; unknown where there is nobody."""
        return self.n_right / self.n if self.n else float("nan")

    @property
    def grade(self) -> Grade:
        """Clear only with a chance far from one half that people bear out, enough of them, and all above one half.

        Uncertain where either the model or the people might as well say otherwise.
        """
        if self.n == 0 or self.lower <= EVEN or self.chance < LIKELY_CHANCE:
            return "uncertain"
        is_far = min(self.chance, self.share) >= CLEAR_CHANCE and self.chance <= self.upper
        return "clear" if is_far and self.n >= ENOUGH_PEOPLE else "likely"

    @property
    def is_borne_out(self) -> bool:
        """Whether what became of the people decided alike fits the chance that the model gives."""
        return not self.n or self.lower <= self.chance <= self.upper

    def __str__(self) -> str:
        chance = f"at best {in_percent(self.chance)}" if self.is_even else in_percent(self.chance)
        if self.is_borne_out:
            return f"The model is {chance} sure. {self.people_in_words}"
        return f"{self.people_in_words} The model itself says {chance}, which they do not bear out."

    @property
    def people_in_words(self) -> str:
        """Who says so."""
        if not self.n:
            return "No test person was decided alike, so nobody can tell how good it is."
        people = "test person" if self.n == 1 else "test people"
        return (
            f"Of {self.n:,} {people} decided alike, {self.n_right:,} turned out so: {in_percent(self.share)} "
            f"(95 % interval {in_percent(self.lower)} to {in_percent(self.upper)})."
        )


def as_the_model_says(model: RuleModel, X: Any) -> list[Confidence | None]:
    """How sure the decisions about the rows of a table are where nobody was held out; None: the model has no chances.

    Parameters
    ----------
    model : RUGClassifier or FairRUGClassifier
        A trained model.
    X : table
        The applicants.
    """
    if model.chances_ is None or not len(X):
        return [None] * len(X)
    chances = model.predict_proba(X)[np.arange(len(X)), model.decisions(X).class_code]
    return [Confidence(chance, 0, 0, 0.0, 1.0, _is_even(model, chance)) for chance in chances.tolist()]


def _is_even(model: RuleModel, chance: float) -> bool:
    return len(model.classes_) == 2 and chance < EVEN + TRIFLE


class ConfidenceFinder:
    """Says how sure decisions are; prepared once, then asked for one row after another.

    Parameters
    ----------
    model : RUGClassifier or FairRUGClassifier
        A trained model.
    X_test, y_test : table, array
        People whom the model was not trained on, and their outcomes.
    """

    def __init__(self, model: RuleModel, X_test: Any, y_test: Any) -> None:
        if len(X_test) != len(y_test):
            raise InputError(f"Expected one outcome a row, but got {len(y_test)} for {len(X_test)} rows.")
        self._model = model
        self._classes = [plain_value(label) for label in model.classes_]
        self._code, self._chance = self._decided(X_test)
        outcomes = np.asarray(y_test, dtype=object)
        self._is_right = np.array(
            [plain_value(own) == self._classes[code] for own, code in zip(outcomes, self._code, strict=True)],
            dtype=bool,
        )

    def _decided(self, X: Any) -> tuple[np.ndarray, np.ndarray]:
        """The number of the decided class of every row, and its chance."""
        if not len(X):
            return np.empty(0, dtype=np.int64), np.empty(0)
        code = self._model.decisions(X).class_code
        return code, self._model.predict_proba(X)[np.arange(len(code)), code]

    def find(self, row: Any, *, without: int | None = None) -> Confidence:
        """How sure the decision about one row is.

        Parameters
        ----------
        row : Series, dict or table of one row
            The applicant.
        without : int or None
            The applicant's own place among the people held out: nobody is asked about themselves.
        """
        code, chance = self._decided(table_of_cells(self._model, [self._model.schema_.cells(row)]))
        return self.of_decision(self._classes[code[0]], float(chance[0]), without=without)

    def find_many(self, X: Any, *, without: Sequence[int | None] | None = None) -> list[Confidence]:
        """As `find`, for the rows of a table; people decided alike with the same chance are looked up once.

        Parameters
        ----------
        X : table
            The applicants.
        without : sequence or None
            For every row its own place among the people held out, or None.
        """
        own = [None] * len(X) if without is None else without
        keys = [*zip(*(part.tolist() for part in self._decided(X)), own, strict=True)]
        found = {key: self.of_decision(self._classes[key[0]], key[1], without=key[2]) for key in dict.fromkeys(keys)}
        return [found[key] for key in keys]

    def of_decision(self, label: Any, chance: float, *, without: int | None = None) -> Confidence:
        """How sure a decision is of which the model's chance is known.

        Parameters
        ----------
        label : label
            What was decided.
        chance : float
            That it is right, as the model says.
        without : int or None
            The applicant's own place among the people held out.
        """
        away = np.abs(self._chance - chance)
        is_alike = (self._code == self._classes.index(plain_value(label))) & (away <= MOST_AWAY)
        if without is not None:
            is_alike[without] = False
        people = nearest(np.flatnonzero(is_alike), away)
        n, n_right = len(people), int(self._is_right[people].sum())
        is_even = _is_even(self._model, chance)
        if not n:
            return Confidence(chance, 0, 0, 0.0, 1.0, is_even)
        lower, upper = wilson(np.array([n_right / n]), np.array([n]), LEVEL)
        return Confidence(chance, n, n_right, float(lower[0]), float(upper[0]), is_even)


def nearest(people: np.ndarray, away: np.ndarray) -> np.ndarray:
    """The nearest of them, with all who are as near as the last."""
    if len(people) <= N_NEAREST:
        return people
    last = np.partition(away[people], N_NEAREST - 1)[N_NEAREST - 1]
    return people[away[people] <= last]


# --- What rules rest on -----------------------------------------------------------------------------------------


def people_behind(rule: Rule, n_people: int) -> int:
    """How many of so many training people the rule covers."""
    return 0 if np.isnan(rule.coverage) else round(rule.coverage * n_people)


def record_in_words(rule: Rule, n_people: int, usual: Mapping[Any, float] | None = None) -> str:
    """How often the rule was right, and about how many people: such as "right for 84 % of 312 training people".

    With the `usual` share of every class, a rule that is wrong about most also says how it came to be one: it is right
    more often than its class is common, or else only takes back what other rules say.
    """
    count = people_behind(rule, n_people)
    if not count or np.isnan(rule.precision):
        return ""
    few = "only " if count < FEW_PEOPLE else ""
    people = "person" if count == 1 else "people"
    text = f"right for {in_percent(rule.precision)} of {few}{count:,} training {people}"
    share = (usual or {}).get(plain_value(rule.label))
    if share is None or rule.precision >= EVEN:
        return text
    seldom = ", so that it only takes back what other rules say" if rule.precision < share else ""
    return f"{text}; of all, {in_percent(share)} are {words.clear(rule.label)}{seldom}"


def in_percent(share: float) -> str:
    """Whole percent, and never 100 or 0 for what is not quite."""
    rounded = min(max(round(100 * share), 1), 99) if 0 < share < 1 else round(100 * share)
    return f"{rounded} %"
