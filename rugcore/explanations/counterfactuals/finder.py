"""Ask for the nearest changes that flip a decision; every answer is put to the model before it is given."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rugcore.errors import InputError
from rugcore.explanations.confidence import LIKELY_CHANCE, Confidence, ConfidenceFinder
from rugcore.explanations.counterfactuals.carrying_out import CarriedOut, Workings
from rugcore.explanations.counterfactuals.limits import ANYTHING, FREE, Limit, agreeing, checked
from rugcore.explanations.counterfactuals.result import Change, Flip, Flips, Obstacle
from rugcore.explanations.counterfactuals.search import Proposal, Question, proposals
from rugcore.explanations.counterfactuals.segments import Options, SegmentedColumn
from rugcore.explanations.people import ColumnProfile, PeopleSeen, column_profiles
from rugcore.explanations.reasons import Reasons
from rugcore.explanations.rule_model import RuleModel, table_of_cells
from rugcore.tables import validation
from rugcore.tables.table import plain_value

MOST_CHANGES = 3  # with more, it would be another applicant
MOST_ALTERNATIVES = 5
N_ALIKE = 100  # people most like the applicant otherwise, among whom some must have what is proposed:
LEAST_LIKE_THAT = 0.05  # this share of them; with one of a hundred, "assets from 0 to 14,800" was advice
JUST_PAST = "This applicant is just past a limit of the rules: whoever signs the decision should look at that."


@dataclass(frozen=True)
class _Asked:
    """One person, and what is to be found for them."""

    cells: dict[str, Any]
    limits: Mapping[str, Limit]
    most_changes: int
    most_alternatives: int
    without: int | None


class FlipFinder:
    """Finds the nearest changes that would flip a decision; prepared once, then asked for one row after another.

    Parameters
    ----------
    model : RUGClassifier or FairRUGClassifier
        A trained model.
    profiles : dict
        What `column_profiles` found in the training rows. Only values that occur there are proposed, numbers but for
        rounding, and no code that is said to be special there.
    X_train : table or None, default=None
        The training rows. With them, nothing is proposed that hardly anybody has: of the 100 training people who are
        most alike in everything else that rules look at, at least 5 must be there or beyond. And a column that is
        worked out from others, such as the ratio of two amounts, moves only through them, and with them; and where
        nearly nobody's loan is above the price, nobody's becomes so.
    confidence : ConfidenceFinder or None, default=None
        With it, every proposal says what became of people held out who were decided as the person would be then, and
        none is made after which the decision would be called uncertain.
    """

    def __init__(
        self,
        model: RuleModel,
        profiles: Mapping[str, ColumnProfile],
        X_train: Any = None,
        *,
        confidence: ConfidenceFinder | None = None,
    ) -> None:
        for name in model.rules_.features():
            if name not in profiles:
                raise InputError(f"Expected a profile of every column that a rule mentions, but {name!r} has none.")
        codes = model.schema_.special_values()
        profiles = {name: own.without(codes.get(name, ())) for name, own in profiles.items()}
        self._model, self._confidence = model, confidence
        self._classes = [plain_value(label) for label in model.classes_]
        kinds = dict(zip(model.schema_.names, model.schema_.kinds, strict=True))
        self._columns = [
            SegmentedColumn.of(name, kinds[name] == "number", profiles[name], model.rules_)
            for name in model.rules_.features()
        ]
        self._people = None if X_train is None else PeopleSeen.of(model, X_train, profiles)
        self._workings = Workings((), profiles)
        if X_train is not None:
            table = validation.table_to_predict(model, X_train)
            self._workings = Workings.of(table, profiles, list(model.rules_.features()))
        self._weights = np.zeros((len(model.rules_), len(self._classes)))
        for number, rule in enumerate(model.rules_):
            self._weights[number, self._classes.index(plain_value(rule.label))] = rule.weight

    def find(
        self,
        row: Any,
        wanted: Any = None,
        *,
        limits: Mapping[str, Limit] | None = None,
        most_changes: int = MOST_CHANGES,
        most_alternatives: int = MOST_ALTERNATIVES,
        by_default: bool = True,
        reasons: Reasons | None = None,
        least_chance: float = LIKELY_CHANCE,
        without: int | None = None,
    ) -> Flips:
        """The nearest changes of up to `most_changes` columns that lead to the class `wanted`.

        Every alternative changes another set of columns; one that contains the columns of another is given only if it
        costs less in total.

        Parameters
        ----------
        row : Series, dict or table of one row
            Whose decision is to be flipped.
        wanted : label or None
            The class to reach; with two classes the other one if not given.
        limits : dict of Limit or None
            By column, what the person can do about it; columns that are not there are free.
        most_changes, most_alternatives : int
            How many columns may change at once, and how many proposals are made.
        by_default : bool, default=True
            False: changes after which no rule covers the row, or two classes tie, do not count.
        reasons : Reasons or None
            What the person is told as reasons, from `ReasonFinder`: no proposal contradicts them. A number that is
            said to be high is not to rise, one that is said to be low not to fall.
        least_chance : float, default=0.6
            What leaves the model less sure than this is not proposed: it would call the decision uncertain. Has no
            effect where no rule decides, or where the model knows no chances.
        without : int or None
            The person's own place among the people held out of `confidence`: nobody is asked about themselves.
        """
        _check_count("most_changes", most_changes, MOST_CHANGES)
        _check_count("most_alternatives", most_alternatives)
        cells = self._model.schema_.cells(row)
        limits = checked(limits or {}, self._model.schema_)
        if reasons is not None:
            limits = agreeing(limits, reasons)
        decided = self._classes.index(self._model.explain(cells).decision)
        aim = self._aim(wanted, decided)
        if aim == decided:
            return Flips(self._classes[decided], self._classes[aim], (), most_changes)
        question = self._question(cells, limits, decided, aim, by_default)
        person = _Asked(cells, limits, most_changes, most_alternatives, without)
        found, has_tried = self._answers(replace(question, least_chance=least_chance), person)
        why = "" if found else self._obstacle(question, person, has_tried)
        return Flips(self._classes[decided], self._classes[aim], tuple(found[:most_alternatives]), most_changes, why)

    def left_behind(self, row: Any, changed: Any) -> tuple[Change, ...]:
        """Columns that are worked out from others and no longer fit once a row is changed; what they would be.

        Parameters
        ----------
        row : Series, dict or table of one row
            As it was.
        changed : Series, dict or table of one row
            As somebody changed it.
        """
        cells = self._model.schema_.cells
        return self._workings.left_behind(cells(row), cells(changed))

    def _question(
        self, cells: dict[str, Any], limits: Mapping[str, Limit], decided: int, aim: int, by_default: bool
    ) -> Question:
        options = tuple(Options.of(c, cells[c.name], limits.get(c.name, FREE)) for c in self._columns)
        votes = self._model.rule_votes_
        chances = self._model.chances_
        return Question(options, self._weights, votes.class_share, decided, aim, by_default, votes.default, chances)

    def _obstacle(self, question: Question, person: _Asked, has_tried: bool) -> Obstacle:
        """Why nothing was found: would there be something if it could be uncertain, or if everything could change?"""
        uncertain, has_tried_more = self._answers(question, person, may_be_uncertain=True)
        if uncertain or has_tried or has_tried_more:
            return "uncertain" if uncertain else "nobody"
        anything = dict.fromkeys(person.cells, ANYTHING)
        free = self._question(person.cells, anything, question.decided, question.wanted, question.by_default)
        return "limits" if any(proposals(free, count) for count in range(1, person.most_changes + 1)) else "rules"

    def _aim(self, wanted: Any, decided: int) -> int:
        if wanted is None and len(self._classes) == 2:
            return 1 - decided
        if plain_value(wanted) not in self._classes:
            known = ", ".join(map(repr, self._classes))
            raise InputError(f"Expected wanted to be one of the classes {known}, but got {wanted!r}.")
        return self._classes.index(plain_value(wanted))

    def _answers(self, question: Question, person: _Asked, may_be_uncertain: bool = False) -> tuple[list[Flip], bool]:
        """In order, and whether there was something to try that cannot be done, or that nobody like that has.

        Larger sets of columns are not looked at once there are enough smaller ones.
        """
        kept: list[Proposal] = []
        flips: list[Flip] = []
        has_tried = False
        for n_columns in range(1, person.most_changes + 1):
            found = proposals(question, n_columns, kept)
            tried = self._verified(found, question, person)
            some = [
                (proposal, flip)
                for proposal, flip in tried
                if flip.n_like_that >= LEAST_LIKE_THAT * flip.n_alike and (may_be_uncertain or not _is_uncertain(flip))
            ]
            has_tried |= len(some) < len(found)
            flips = _each_once([*flips, *(flip for _, flip in some)])
            if len(flips) >= person.most_alternatives:
                break
            kept += [proposal for proposal, _ in some]
        return flips, has_tried

    def _verified(self, found: Sequence[Proposal], question: Question, person: _Asked) -> list[tuple[Proposal, Flip]]:
        """The proposals that the model itself decides as wanted, once they are carried out."""
        cells, limits = person.cells, person.limits
        tried = [
            (proposal, self._workings.carried_out(_changes(proposal, question.options, cells), cells, limits))
            for proposal in found
        ]
        possible = [
            (proposal, own) for proposal, own in tried if own is not None and len(own.changes) <= person.most_changes
        ]
        if not possible:
            return []
        rows = [_row_after(own, cells) for _, own in possible]
        table = table_of_cells(self._model, rows)
        decisions = self._model.decisions(table)
        chances = None if self._model.chances_ is None else self._model.predict_proba(table)[:, question.wanted]
        answers = []
        for place in np.flatnonzero(decisions.class_code == question.wanted).tolist():
            proposal, own = possible[place]
            flip = Flip(
                changes=own.changes,
                cost=own.cost,
                margin=float(decisions.margin[place]),
                is_uncovered=bool(decisions.is_uncovered[place]),
                is_tie=bool(decisions.is_tie[place]),
                row=rows[place],
                follows=own.follows,
                chance=None if chances is None else float(chances[place]),
                consequences=_consequences(own, limits),
            )
            is_default = flip.is_uncovered or flip.is_tie
            is_sure = is_default or flip.chance is None or flip.chance >= question.least_chance
            if is_sure and (question.by_default or not is_default):
                sure = self._sure(flip.chance, self._classes[question.wanted], person.without)
                answers.append((proposal, self._with_people(replace(flip, confidence=sure), cells)))
        return answers

    def _sure(self, chance: float | None, wanted: Any, without: int | None) -> Confidence | None:
        if self._confidence is None or chance is None:
            return None
        return self._confidence.of_decision(wanted, chance, without=without)

    def _with_people(self, flip: Flip, cells: Mapping[str, Any]) -> Flip:
        """How many of the people who are alike otherwise have what is proposed."""
        if self._people is None:
            return flip
        changes = [own for own in (*flip.changes, *flip.follows) if own.column in self._people.columns]
        changed = {own.column for own in changes}
        others = [name for name in self._people.columns if name not in changed]
        distances = self._people.distances(cells, others)
        last = min(N_ALIKE, len(distances)) - 1
        is_alike = distances <= np.partition(distances, last)[last]  # with all who are as far as the last
        columns = self._people.columns
        reaches = [columns[own.column].reaches(own.before, own.after) for own in changes]
        is_like_that = is_alike & np.logical_and.reduce(reaches)
        return replace(flip, n_alike=int(is_alike.sum()), n_like_that=int(is_like_that.sum()))


def nearest_flips(
    model: RuleModel,
    row: Any,
    wanted: Any = None,
    *,
    X_train: Any,
    limits: Mapping[str, Limit] | None = None,
    reasons: Reasons | None = None,
) -> Flips:
    """The nearest changes that would flip the decision about one row. For many rows keep a `FlipFinder`.

    Parameters
    ----------
    model : RUGClassifier or FairRUGClassifier
        A trained model.
    row : Series, dict or table of one row
        Whose decision is to be flipped.
    wanted : label or None
        The class to reach; with two classes the other one if not given.
    X_train : table
        The training rows: they tell which values and combinations there are, and how far two of them are apart.
    limits : dict of Limit or None
        By column, what the person can do about it.
    reasons : Reasons or None
        What the person is told as reasons, from `ReasonFinder`: no proposal contradicts them.
    """
    profiles = column_profiles(X_train, model.schema_.special_values())
    finder = FlipFinder(model, profiles, X_train)
    return finder.find(row, wanted, limits=limits, reasons=reasons)


def _changes(proposal: Proposal, options: Sequence[Options], cells: Mapping[str, Any]) -> tuple[Change, ...]:
    chosen = [(options[number], place) for number, place in zip(proposal.columns, proposal.choice, strict=True)]
    return tuple(
        Change(
            own.column.name, cells[own.column.name], own.targets[place], float(own.costs[place]), own.is_close[place]
        )
        for own, place in chosen
    )


def _consequences(own: CarriedOut, limits: Mapping[str, Limit]) -> tuple[str, ...]:
    said = [limits.get(change.column, FREE).consequence(change.before, change.after) for change in own.changes]
    close = JUST_PAST if all(change.is_close for change in own.changes) else ""
    return tuple(dict.fromkeys(sentence for sentence in (close, *said) if sentence))


def _is_uncertain(flip: Flip) -> bool:
    """As the card of a decision calls it; where no rule decides, it is said that a person has to."""
    is_default = flip.is_uncovered or flip.is_tie
    return flip.confidence is not None and flip.confidence.grade == "uncertain" and not is_default


def _row_after(own: CarriedOut, cells: Mapping[str, Any]) -> dict[str, Any]:
    return {**cells, **{change.column: change.after for change in (*own.changes, *own.follows)}}


def _each_once(flips: Sequence[Flip]) -> list[Flip]:
    """For every set of columns the cheapest; through what they are worked out from, several may come to be one."""
    best: dict[frozenset[str], Flip] = {}
    for flip in flips:
        own = frozenset(flip.columns)
        best[own] = min(best.get(own, flip), flip, key=lambda item: item.cost)
    return sorted(best.values(), key=lambda flip: (len(flip.changes), flip.cost))


def _check_count(name: str, count: Any, most: int | None = None) -> None:
    if not isinstance(count, int) or count < 1 or (most is not None and count > most):
        expected = "1 or more" if most is None else f"from 1 to {most}"
        raise InputError(f"Expected {name} to be a whole number, {expected}, but got {count!r}.")
