"""What a search for flips finds, in a form that can be shown."""

from dataclasses import dataclass, field
from typing import Any, Literal

from rugcore.explanations.confidence import Confidence
from rugcore.rules import words
from rugcore.tables.table import is_blank

# Why nothing was found: no change of so many columns would do it; only changes that limits forbid would; only such that
# cannot be carried out, or that hardly anybody like the applicant has; or only such that leave the decision uncertain.
Obstacle = Literal["", "rules", "limits", "nobody", "uncertain"]


@dataclass(frozen=True)
class Change:
    """One column; a blank is NaN in a column of numbers and None elsewhere."""

    column: str
    before: Any
    after: Any
    cost: float
    is_close: bool = False  # the person stands just past the threshold that is crossed

    def __str__(self) -> str:
        return f"{words.name(self.column)}: {_shown(self.before)} -> {_proposed(self.after)}"

    @property
    def as_it_follows(self) -> str:
        """Of a column that is worked out: nobody enters its value, so it is rounded as values of people are."""
        return f"{words.name(self.column)}: {_shown(self.before)} -> {_shown(self.after)}"


@dataclass(frozen=True)
class Flip:
    """Changes that together lead to the wanted decision; the model was asked."""

    changes: tuple[Change, ...]
    cost: float
    margin: float
    is_uncovered: bool  # the wanted class is only the default: no rule covers the changed row
    is_tie: bool  # it is only the default: two classes are equally supported
    row: dict[str, Any] = field(repr=False)  # the changed row as values by column
    # Of the training people most like the applicant in all other columns, how many have what is proposed: the same
    # category, or a number at least as far that way. 0 and 0 if nobody was asked about people.
    n_alike: int = 0
    n_like_that: int = 0
    # Columns that are worked out from the changed ones, such as a ratio: what they become with them.
    follows: tuple[Change, ...] = ()
    chance: float | None = None  # that the wanted decision would be right, as the model has it; None if it has none
    confidence: Confidence | None = None  # of the wanted decision, with the people held out who were decided alike
    # What the changes bring along that the model was not asked about, in sentences; from `Limit.if_less` and `if_more`.
    consequences: tuple[str, ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(change.column for change in self.changes)

    @property
    def alike_in_words(self) -> str:
        """How usual that would be; nothing if nobody was asked about people."""
        if not self.n_alike:
            return ""
        are = "is" if self.n_like_that == 1 else "are"
        return f"of {self.n_alike:,} training people most alike otherwise, {self.n_like_that:,} {are} there or beyond"

    @property
    def people_in_words(self) -> str:
        """What became of people held out who were decided as would be then; nothing if nobody was asked about them."""
        if self.confidence is None:
            return ""
        said = self.confidence.people_in_words
        return f"Then: {said[0].lower()}{said[1:]}"

    def __str__(self) -> str:
        with_it = f" (with it, {'; '.join(change.as_it_follows for change in self.follows)})" if self.follows else ""
        besides = f" ({' '.join(self.consequences)})" if self.consequences else ""
        return "; ".join(map(str, self.changes)) + with_it + besides + self.remark

    @property
    def remark(self) -> str:
        """What to say beside the changes; nothing where rules would decide."""
        if self.is_uncovered:
            return " (by default: no rule covers the changed row)"
        return " (by default: a tie)" if self.is_tie else ""


@dataclass(frozen=True)
class Flips:
    """What would turn one decision into the wanted one, the easiest first."""

    decision: Any
    wanted: Any
    found: tuple[Flip, ...]
    most_changes: int
    why: Obstacle = ""  # nothing was found

    @property
    def is_already(self) -> bool:
        """Nothing needs to change."""
        return bool(self.decision == self.wanted)

    @property
    def is_impossible(self) -> bool:
        """Nothing within so many changes leads to the wanted decision."""
        return not self.is_already and not self.found

    def __str__(self) -> str:
        if self.is_already:
            return f"The decision is {words.outcome(self.decision)} already."
        if not self.found:
            return self._why_not()
        return "\n".join(f"{words.outcome(self.wanted)} if {flip}" for flip in self.found)

    def _why_not(self) -> str:
        wanted = words.outcome(self.wanted)
        if self.why == "limits":
            return (
                f"Nothing that can change leads to {wanted}. Protected columns and past facts stay as they are, and no "
                "value moves the wrong way or further than people can go."
            )
        if self.why == "nobody":
            return f"Nothing was found that can change, that people alike have, and that leads to {wanted}."
        if self.why == "uncertain":
            return f"What can change leads at best to an uncertain {wanted}: nothing is proposed."
        return f"Nothing within {_changes(self.most_changes)} turns the decision into {wanted}."


def _changes(count: int) -> str:
    return {1: "one change", 2: "two changes", 3: "three changes"}[count]


def _shown(value: Any) -> str:
    return "missing" if is_blank(value) else words.cell(value)


def _proposed(value: Any) -> str:
    """In full: a digit less might undo what is proposed."""
    return "missing" if is_blank(value) else words.clear(value)
