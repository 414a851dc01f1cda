"""The most similar real person who was decided favourably, and what is different about them."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from rugcore.errors import InputError
from rugcore.explanations.people.distances import PeopleSeen
from rugcore.explanations.people.profiles import ColumnProfile, column_profiles
from rugcore.explanations.rule_model import RuleModel, codes_of
from rugcore.rules import words
from rugcore.rules.special import SpecialCodes, meaning_of
from rugcore.tables.table import is_blank, plain_value


@dataclass(frozen=True)
class Difference:
    """A column in which rules tell two people apart: the value here, and theirs."""

    column: str
    here: Any
    theirs: Any
    codes: SpecialCodes = ()  # numbers of the column that are no amounts

    def meaning(self, value: Any) -> str | None:
        """What a value stands for, if it is a special code: -9 is not an amount of months."""
        return meaning_of(value, self.codes)

    def __str__(self) -> str:
        theirs, here = (self.meaning(value) or _shown(value) for value in (self.theirs, self.here))
        return f"{words.name(self.column)}: {theirs} instead of {here}"


@dataclass(frozen=True)
class SimilarPerson:
    """Somebody among the training people whom the model decides favourably.

    It is another applicant: show the differences, not who it is.
    """

    row: int  # of the training table
    distance: float  # from 0, the same in all that rules look at, to 1
    differences: tuple[Difference, ...]  # that rules see, the largest first; none in a hidden column
    n_hidden: int  # further columns in which rules see a difference, and which are not to be named
    is_true: bool | None  # whether it was also so in the data; None if nobody said how it was there

    def __str__(self) -> str:
        return "; ".join(map(str, self.differences)) or "no difference that may be named"

    @property
    def hidden_in_words(self) -> str:
        """That not all differences are named; nothing where they are."""
        if not self.n_hidden:
            return ""
        columns = "one protected column" if self.n_hidden == 1 else f"{self.n_hidden} protected columns"
        return f"Rules also see a difference in {columns}, which may not be named."


class SimilarPeople:
    """Finds the most similar people who were decided favourably; prepared once, then asked for one row after another.

    Only people whom rules decided favourably count, not those who had the usual outcome for want of rules. With
    `y_train`, only those count whose outcome in the data was favourable too.

    Parameters
    ----------
    model : RUGClassifier or FairRUGClassifier
        A trained model.
    X_train : table
        The training rows.
    positive_class : label
        The class that serves people well.
    y_train : array or None, default=None
        Their outcomes in the data.
    profiles : dict or None, default=None
        What `column_profiles` found in `X_train`, if it is known already.
    """

    def __init__(
        self,
        model: RuleModel,
        X_train: Any,
        positive_class: Any,
        *,
        y_train: Any = None,
        profiles: Mapping[str, ColumnProfile] | None = None,
    ) -> None:
        labels = [plain_value(label) for label in model.classes_]
        if plain_value(positive_class) not in labels:
            known = ", ".join(map(repr, labels))
            raise InputError(f"Expected positive_class to be one of the classes {known}, but got {positive_class!r}.")
        if y_train is not None and len(y_train) != len(X_train):
            raise InputError(f"Expected one outcome a row, but got {len(y_train)} for {len(X_train)} rows.")
        self._model = model
        self._table = X_train
        self.people = PeopleSeen.of(model, X_train, profiles or column_profiles(X_train))
        self._codes = codes_of(model, X_train)[:, self.people.rows]
        decisions = model.rule_votes_.decisions(self._codes)
        is_good = decisions.class_code == labels.index(plain_value(positive_class))
        is_good &= ~(decisions.is_uncovered | decisions.is_tie)
        if y_train is not None:
            outcome = np.asarray(y_train, dtype=object)[self.people.rows]
            is_good &= np.array([plain_value(value) == plain_value(positive_class) for value in outcome], dtype=bool)
        self._is_true = None if y_train is None else True
        self._approved = np.flatnonzero(is_good)

    def find(self, row: Any, *, hidden: Collection[str] = (), most: int = 1) -> list[SimilarPerson]:
        """The nearest people, nearest first; nobody where the model decides nobody favourably.

        Parameters
        ----------
        row : Series, dict or table of one row
            Whom they are to be like.
        hidden : collection of str
            Protected columns: they count for who is alike, and are never named.
        most : int, default=1
            How many people.
        """
        cells = self._model.schema_.cells(row)
        distances = self.people.distances(cells)[self._approved]
        nearest = np.argsort(distances, kind="stable")[:most]
        return [self._person(cells, int(self._approved[n]), float(distances[n]), frozenset(hidden)) for n in nearest]

    def _person(self, cells: dict[str, Any], place: int, distance: float, hidden: frozenset[str]) -> SimilarPerson:
        row = int(self.people.rows[place])
        table = self._table
        theirs = self._model.schema_.cells(table.iloc[row] if hasattr(table, "iloc") else table[row])
        cuts = self._model.rule_votes_.cuts
        here, there = cuts.codes_of_cells([cells])[:, 0].tolist(), self._codes[:, place].tolist()
        seen = [name for n, name in enumerate(cuts.names) if cuts.tells_apart(n, here[n], there[n])]
        named = sorted((name for name in seen if name not in hidden), key=lambda name: -self._step(name, cells, place))
        codes = self._model.schema_.specials
        return SimilarPerson(
            row=row,
            distance=distance,
            differences=tuple(Difference(name, cells[name], theirs[name], codes.get(name, ())) for name in named),
            n_hidden=len(seen) - len(named),
            is_true=self._is_true,
        )

    def _step(self, name: str, cells: dict[str, Any], place: int) -> float:
        return float(self.people.columns[name].distances(cells[name])[place])


def similar_people(
    model: RuleModel,
    row: Any,
    X_train: Any,
    positive_class: Any,
    *,
    y_train: Any = None,
    hidden: Collection[str] = (),
    most: int = 1,
) -> list[SimilarPerson]:
    """The training people most like one row whom the model decides favourably, and what is different about them.

    Distances are Gower's, over the columns that rules look at, with numbers in percentiles. For many rows keep a
    `SimilarPeople`.

    Parameters
    ----------
    model : RUGClassifier or FairRUGClassifier
        A trained model.
    row : Series, dict or table of one row
        Whom they are to be like.
    X_train : table
        The training rows.
    positive_class : label
        The class that serves people well.
    y_train : array or None, default=None
        Outcomes in the data: with them, only people count for whom it was favourable there, too.
    hidden : collection of str
        Protected columns: they count for who is alike, and are never named.
    most : int, default=1
        How many people.
    """
    finder = SimilarPeople(model, X_train, positive_class, y_train=y_train)
    return finder.find(row, hidden=hidden, most=most)


def _shown(value: Any) -> str:
    return "missing" if is_blank(value) else words.cell(value)
