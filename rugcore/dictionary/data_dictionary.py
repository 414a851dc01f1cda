"""What all columns of a table mean, and the table in these words."""

import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

import pandas as pd

from rugcore.dictionary import csv_form, json_form
from rugcore.dictionary.applying import in_words
from rugcore.dictionary.changing import consequences_by_name
from rugcore.dictionary.entry import Change, ColumnEntry, Effect, refuse_unwritable
from rugcore.errors import InputError
from rugcore.explanations.counterfactuals.limits import Direction, Limit
from rugcore.explanations.reasons.wording import ColumnWording, Wording
from rugcore.rules.orders import SaidDirection
from rugcore.tables.table import column_names

NOTHING_SAID = ColumnEntry()
SIGN: dict[Effect, Literal[1, -1]] = {"helps": 1, "harms": -1}
# Where advice towards the favourable outcome may move a column: never away from what should help.
TOWARDS: dict[Effect, Direction] = {"helps": "up", "harms": "down"}
# A newer file of the same kind may lack a column or have some more; two other files share a few common names.
MOST_ARE_THERE = 0.8  # of the columns of the dictionary
HALF_IN_COMMON = 0.5  # of all columns of both


@dataclass(frozen=True)
class Recognition:
    """How far the columns of a file are those of a dictionary."""

    common: tuple[str, ...]
    missing: tuple[str, ...]  # known to the dictionary, and not in the file
    new: tuple[str, ...]  # in the file, and not known to the dictionary

    @property
    def share(self) -> float:
        """Of the columns of the dictionary, those that the file has."""
        n_known = len(self.common) + len(self.missing)
        return len(self.common) / n_known if n_known else 0.0

    @property
    def is_same(self) -> bool:
        """Whether the dictionary was made for such a file."""
        n_all = len(self.common) + len(self.missing) + len(self.new)
        return self.share >= MOST_ARE_THERE and len(self.common) >= HALF_IN_COMMON * n_all


@dataclass(frozen=True)
class DataDictionary:
    """What the columns of a table mean; give tables in its words to a model, and all that it says is in these words.

    Parameters
    ----------
    columns : dict of ColumnEntry
        By the name in the file. Columns without anything to say may be there too: a file is recognised by all of them.
    """

    columns: Mapping[str, ColumnEntry] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, entry in self.columns.items():
            if not isinstance(name, str) or not isinstance(entry, ColumnEntry):
                raise InputError(f"Expected a ColumnEntry for every name of a column, but got {name!r}: {entry!r}.")
            refuse_unwritable(name)
        object.__setattr__(self, "columns", dict(self.columns))
        _refuse_shared({name: entry.shown_name(name) for name, entry in self.columns.items()})

    @classmethod
    def blank(cls, names: Iterable[str]) -> "DataDictionary":
        """A dictionary that knows the `names` of columns and nothing about them yet."""
        return cls({str(name): NOTHING_SAID for name in names})

    def entry(self, name: str) -> ColumnEntry:
        """What is known about the column of this `name` in the file; nothing, if it is not in the dictionary."""
        return self.columns.get(name, NOTHING_SAID)

    def with_entry(self, name: str, entry: ColumnEntry) -> "DataDictionary":
        """The dictionary with another `entry` for the column called `name` in the file."""
        return DataDictionary({**self.columns, name: entry})

    def within(self, names: Collection[str]) -> "DataDictionary":
        """Only the columns with these `names` in the file, such as those that a model uses."""
        wanted = set(names)
        return DataDictionary({name: entry for name, entry in self.columns.items() if name in wanted})

    # -- names -----------------------------------------------------------------------------------------------

    def shown_name(self, name: str) -> str:
        """What the column called `name` in the file is called in rules: its label with the unit in brackets."""
        return self.entry(name).shown_name(name)

    def raw_name(self, shown: str) -> str:
        """What the column that is `shown` so is called in the file."""
        return next((name for name, entry in self.columns.items() if entry.shown_name(name) == shown), shown)

    def recognises(self, names: Iterable[str]) -> Recognition:
        """Whether a file with columns of these `names` is of the kind that the dictionary was made for."""
        given = dict.fromkeys(str(name) for name in names)
        return Recognition(
            common=tuple(name for name in self.columns if name in given),
            missing=tuple(name for name in self.columns if name not in given),
            new=tuple(name for name in given if name not in self.columns),
        )

    # -- tables ----------------------------------------------------------------------------------------------

    def applied(self, frame: pd.DataFrame) -> pd.DataFrame:
        """The table with shown names, and values in words where they have meanings.

        Numbers stay numbers, special codes among them too; blanks stay blank. Columns that do not change share their
        memory with those of `frame`.

        Parameters
        ----------
        frame : DataFrame
            A table with the columns of the file, or some of them.
        """
        names = column_names(frame)
        shown = {name: self.shown_name(name) for name in names}
        _refuse_shared(shown)
        columns = {shown[name]: self._in_words(frame.iloc[:, place], name) for place, name in enumerate(names)}
        return pd.DataFrame(columns, index=frame.index, columns=pd.Index(list(shown.values())), copy=False)

    def _in_words(self, column: pd.Series, name: str) -> pd.Series:
        entry = self.entry(name)
        return in_words(column, entry) if entry.is_category else column

    # -- for the engine, by shown names ----------------------------------------------------------------------

    def special_values(self) -> dict[str, dict[float, str]]:
        """Special codes with their meanings, by shown name: what `RUGClassifier(special_values=...)` takes."""
        return {
            entry.shown_name(name): dict(entry.special)
            for name, entry in self.columns.items()
            if entry.special and not entry.is_category
        }

    def monotonic_cst(self) -> dict[str, SaidDirection]:
        """Which columns should help (1) or harm (-1), and which categories go from worst to best, by shown name.

        It is what `RUGClassifier(monotonic_cst=...)` takes.
        """
        signs: dict[str, SaidDirection] = {
            entry.shown_name(name): SIGN[entry.effect]
            for name, entry in self.columns.items()
            if entry.effect in SIGN and not entry.is_category
        }
        return signs | self.orders()

    def orders(self) -> dict[str, SaidDirection]:
        """The categories from worst to best, as they are called, by shown name."""
        return {entry.shown_name(name): entry.shown_order() for name, entry in self.columns.items() if entry.order}

    def limits(self, numbers: Collection[str] | None = None) -> dict[str, Limit]:
        """What a person can do towards the favourable outcome, by shown name: what `FlipFinder.find` takes.

        Protected columns and past facts stay as they are; what should help never falls, what should harm never rises,
        and a category never becomes a worse one.

        Parameters
        ----------
        numbers : collection of str or None
            Shown names of the columns that hold numbers; others have neither direction nor range. None: all, unless
            their values have meanings.
        """
        found = {}
        for name, entry in self.columns.items():
            shown, besides = entry.shown_name(name), consequences_by_name(f"{name} {entry.label}")
            limit = _limit(entry, is_number=not entry.is_category and (numbers is None or shown in numbers))
            found[shown] = replace(limit, if_less=besides.if_less, if_more=besides.if_more)
        return found

    def protected(self) -> tuple[str, ...]:
        """Shown names of the columns that may not be used or named."""
        return tuple(entry.shown_name(name) for name, entry in self.columns.items() if entry.protected)

    def unused(self) -> tuple[str, ...]:
        """Shown names of the columns that rules do not use: those that are protected or left out."""
        return tuple(
            entry.shown_name(name) for name, entry in self.columns.items() if entry.protected or entry.left_out
        )

    def wording(self) -> Wording:
        """Texts for reasons, by shown name: what `reasons_table` takes."""
        return Wording(
            {
                entry.shown_name(name): entry.wording
                for name, entry in self.columns.items()
                if entry.wording != ColumnWording()
            }
        )

    # -- files -----------------------------------------------------------------------------------------------

    def to_json(self) -> str:
        """Everything as JSON; `from_json` reads it back."""
        return json_form.written(self.columns)

    @classmethod
    def from_json(cls, text: str | bytes) -> "DataDictionary":
        """Read the `text` that `to_json` wrote; anything else is refused with an `InputError`."""
        return cls(json_form.read(text))

    def to_csv(self) -> str:
        """Everything as CSV, a line a column, to be edited in a spreadsheet; `from_csv` reads it back."""
        return csv_form.written(self.columns)

    @classmethod
    def from_csv(cls, text: str | bytes) -> "DataDictionary":
        """Read the `text` that `to_csv` wrote, also after a spreadsheet saved it; else refuse it (`InputError`)."""
        return cls(csv_form.read(text))


def _refuse_shared(shown: Mapping[str, str]) -> None:
    """Two columns under one name could not be told apart in a rule."""
    first: dict[str, str] = {}
    for name, called in shown.items():
        other = first.setdefault(called, name)
        if other != name:
            raise InputError(
                f"Expected every column to be shown under a name of its own, but {other!r} and {name!r} are both "
                f"called {called!r}. Give one of them another label."
            )


def _limit(entry: ColumnEntry, is_number: bool) -> Limit:
    if entry.protected or entry.past_fact or entry.change == "never":
        return Limit(changeable=False, may_become_blank=False)
    if not is_number:
        return Limit(may_become_blank=False, order=entry.shown_order() or None)
    allowed = {_direction(entry.change), TOWARDS.get(entry.effect, "any")} - {"any"}
    if len(allowed) == 2:  # it can only go where it should not
        return Limit(changeable=False, may_become_blank=False)
    return Limit(
        direction=min(allowed, default="any"),
        lowest=-math.inf if entry.lowest is None else entry.lowest,
        highest=math.inf if entry.highest is None else entry.highest,
        may_become_blank=False,
    )


def _direction(change: Change) -> Direction:
    return "any" if change == "never" else change
