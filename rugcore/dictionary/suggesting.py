"""What a dictionary could say, from names and distributions: for a person to accept or to refuse, one by one."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd

from rugcore.data_quality import QUESTIONS, Health, examine
from rugcore.dictionary.data_dictionary import DataDictionary
from rugcore.dictionary.directions import evidence, trend
from rugcore.dictionary.entry import value_text
from rugcore.dictionary.names import (
    HOW_MANY,
    NamedEffect,
    as_done,
    effect_by_name,
    may_help,
    past_by_name,
    protected_by_name,
    tidied,
)
from rugcore.dictionary.orders import find_order, places
from rugcore.dictionary.special_codes import Code, special_codes
from rugcore.dictionary.stand_ins import GivenAway, ProtectedGroups, found_in, on_name, protected_in
from rugcore.errors import InputError
from rugcore.rules.words import cell
from rugcore.tables.name_words import words_of
from rugcore.tables.table import column_names, numbers_of, plain_value

What = Literal["protected", "left_out", "special", "past_fact", "effect", "order", "values", "lowest", "label"]
SUGGESTION_ORDER: tuple[What, ...] = get_args(What)  # the most important first
# Findings about a table that speak against using a column; some are only questions.
AGAINST = ("identifier", "dates", "leak", *QUESTIONS)
YES_OR_NO: Mapping[str, str] = {"0": "no", "1": "yes"}
WHY_ORDER = {
    "words": "Its words say so.",
    "name": "Its values go from less to more, and its name says which end is the better one.",
    "rows": "Its values go from less to more, and the rows say which end has the good outcome more. Should it be so?",
}
FEWEST_AMOUNTS = 10  # different numbers; fewer are rather a scale or codes


@dataclass(frozen=True)
class Suggestion:
    """One thing that a dictionary could say about a column.

    Parameters
    ----------
    column : str
        Its name in the file.
    what : {"protected", "left_out", "special", "past_fact", "effect", "order", "values", "lowest", "label"}
        Which field of `ColumnEntry`.
    value : object
        What the field would hold; of special codes and meanings of values those to be added.
    why : str
        What speaks for it, in a sentence.
    """

    column: str
    what: What
    value: Any
    why: str = field(compare=False)

    @property
    def key(self) -> str:
        """The same text for the same suggestion, to remember that it was refused."""
        value = {value_text(code): m for code, m in self.value.items()} if self.what == "special" else self.value
        return json.dumps([self.column, self.what, value], ensure_ascii=False)


def subject_of(key: str) -> tuple[str, str]:
    """The column that a suggestion with this key is about, and which field of its entry."""
    column, what, _ = json.loads(key)
    return str(column), str(what)


def accepted(dictionary: DataDictionary, suggestion: Suggestion) -> DataDictionary:
    """The dictionary with what was suggested.

    Parameters
    ----------
    dictionary : DataDictionary
        What was said so far.
    suggestion : Suggestion
        One of those that `suggest` made.
    """
    entry = dictionary.entry(suggestion.column)
    is_added = suggestion.what in ("special", "values")
    value = suggestion.value | dict(getattr(entry, suggestion.what)) if is_added else suggestion.value
    return dictionary.with_entry(suggestion.column, replace(entry, **{suggestion.what: value}))


def suggest(frame: pd.DataFrame, target: str | None = None, favourable: Any = None) -> list[Suggestion]:
    """What a dictionary for this table could say, the most important first; nothing is taken over without a person.

    Parameters
    ----------
    frame : DataFrame
        The table as it was read.
    target : str or None
        The column with the outcome: then columns that give it away are found.
    favourable : label or None
        The outcome that serves people well: then it is checked whether more of a column goes with it.
    """
    names = column_names(frame)
    health = examine(frame, target)
    if favourable is not None and target is None:
        raise InputError("Expected a target for the favourable outcome, but got none.")
    about = _Table(frame, names, health, target, favourable)
    found = [suggestion for name in names if name != target for suggestion in about.suggestions(name)]
    outcomes = [] if target is None else _on_outcomes(frame[target], target)
    stand_ins = [one for one in stand_ins_for_protected(frame, target) if one.column not in about.protected]
    every = [*found, *stand_ins, *outcomes, *about.labels()]
    return sorted(every, key=lambda suggestion: SUGGESTION_ORDER.index(suggestion.what))


def stand_ins_for_protected(frame: pd.DataFrame, target: str | None) -> list[Suggestion]:
    """Columns that give a protected one away, though their own names say nothing of it."""
    return [
        Suggestion(found.column, "protected", True, _on_stand_in(found))
        for found in found_in(frame, [name for name in column_names(frame) if name != target])
    ]


def suggest_from_labels(dictionary: DataDictionary) -> list[Suggestion]:
    """What labels say that the names in the file did not: who is protected, and what is past.

    Parameters
    ----------
    dictionary : DataDictionary
        What was said so far.
    """
    found = []
    for name, entry in dictionary.columns.items():
        protected, past = protected_by_name(entry.label), past_by_name(entry.label)
        if protected and not protected_by_name(name):
            found.append(Suggestion(name, "protected", True, on_name(protected, "label")))
        elif past and not past_by_name(name):
            found.append(Suggestion(name, "past_fact", True, _on_past(past, "label")))
    return found


class _Table:
    def __init__(
        self, frame: pd.DataFrame, names: Sequence[str], health: Health, target: str | None, favourable: Any
    ) -> None:
        kinds = {column.name: column.kind for column in health.columns}
        self._numbers = {
            name: numbers_of(frame.iloc[:, place])
            for place, name in enumerate(names)
            if kinds[name] == "number" and name != target
        }
        self._frame = frame
        self._names = names
        self._target = target
        self._favourable = plain_value(favourable)
        self._against = {
            column.name: finding
            for column in health.columns
            for finding in column.findings
            if finding.topic in AGAINST and (finding.topic != "identifier" or finding.severity == "warning")
        }
        self.protected = protected_in(frame, [name for name in names if name != target])
        self._groups = ProtectedGroups.of(frame, list(self.protected))
        self._codes = special_codes({name: own for name, own in self._numbers.items() if not self._is_no_feature(name)})
        self._is_favourable = None if favourable is None or target is None else _is(frame[target], self._favourable)

    def _is_no_feature(self, name: str) -> bool:
        return name in self._against and self._against[name].topic not in QUESTIONS

    def suggestions(self, name: str) -> Iterator[Suggestion]:
        protected = self.protected.get(name)
        if protected:
            yield Suggestion(name, "protected", True, protected)
        if name in self._against:
            yield Suggestion(name, "left_out", True, self._against[name].sentence)
        if self._is_no_feature(name):
            return
        if name in self._codes:
            yield _on_codes(name, self._codes[name])
        past = past_by_name(name)
        if past and not protected:
            yield Suggestion(name, "past_fact", True, _on_past(past))
        if name in self._numbers and not protected:
            yield from self._on_amounts(name)
        elif not protected and name not in self._against:
            yield from self._on_order(name)

    def _on_order(self, name: str) -> Iterator[Suggestion]:
        column = self._frame.iloc[:, self._names.index(name)]
        found = find_order(column, name, self._is_favourable)
        if found is not None and not (found.source == "rows" and self._groups.are_told_by(places(column, found.order))):
            yield Suggestion(name, "order", found.order, WHY_ORDER[found.source])

    def _on_amounts(self, name: str) -> Iterator[Suggestion]:
        amounts = self._amounts(name)
        if not len(amounts):
            return
        named = effect_by_name(name)
        distinct = np.unique(amounts[:10_000])
        is_yes_or_no = set(distinct) == {0.0, 1.0} == set(np.unique(amounts)) and not set(words_of(name)) & HOW_MANY
        effects = list(self._on_effect(name, named) if named else self._on_rows(name))
        yield from map(_as_order, effects) if is_yes_or_no else effects
        if is_yes_or_no:
            yield Suggestion(name, "values", YES_OR_NO, "It holds nothing but 0 and 1.")
        lowest = float(amounts.min())
        if lowest >= 0 and len(distinct) >= FEWEST_AMOUNTS:
            yield Suggestion(name, "lowest", 0.0, f"It is never below 0: its lowest number is {cell(lowest)}.")

    def _on_rows(self, name: str) -> Iterator[Suggestion]:
        """Where the name does not tell and the rows do; nothing about a column that may not be used anyway."""
        if self._is_favourable is None or name in self._against:
            return
        numbers = self._without_codes(name)
        found = trend(numbers, self._is_favourable)
        if found is not None and (found.effect == "harms" or may_help(name)) and not self._groups.are_told_by(numbers):
            shares = f"{100 * found.lowest:.0f} % where there is least of it to {100 * found.highest:.0f} % where most"
            what = f"the share of {self._favourable!r} goes from {shares}"
            why = f"Its name does not tell, but the rows do: {what}. Should it be so?"
            yield Suggestion(name, "effect", found.effect, why)

    def _amounts(self, name: str) -> np.ndarray:
        """Without blanks and without what looks like a code."""
        numbers = self._without_codes(name)
        return numbers[np.isfinite(numbers)]

    def _without_codes(self, name: str) -> np.ndarray:
        numbers, codes = self._numbers[name], self._code_values(name)
        return np.where(np.isin(numbers, codes), np.nan, numbers) if codes else numbers

    def _code_values(self, name: str) -> list[float]:
        return [code.value for code in self._codes.get(name, ())]

    def _on_effect(self, name: str, named: NamedEffect) -> Iterator[Suggestion]:
        """Nothing where the rows say the opposite of the name."""
        more = f"By its name ({named.word!r}) more of it should {'help' if named.effect == 'helps' else 'harm'}"
        if self._is_favourable is None:
            yield Suggestion(name, "effect", named.effect, f"{more}; the rows were not asked.")
            return
        found = evidence(self._without_codes(name), self._is_favourable)
        agrees = None if found is None else found.agrees(named.effect)
        if found is None or agrees is None:
            yield Suggestion(name, "effect", named.effect, f"{more}; the rows do not tell.")
        elif agrees:
            medians = f"{cell(found.median_favourable)} against {cell(found.median_others)}"
            why = f"{more}, and the rows agree: the median of {self._favourable!r} is {medians}."
            if found.median_favourable == found.median_others:
                side = "more" if found.deviation > 0 else "less"
                why = f"{more}, and the rows agree: {self._favourable!r} mostly has {side} of it."
            yield Suggestion(name, "effect", named.effect, why)

    def labels(self) -> Iterator[Suggestion]:
        """Names with words run together, put apart; none that another column already has."""
        tidy = {name: tidied(name) for name in self._names}
        taken = [*self._names, *tidy.values()]
        for name, label in tidy.items():
            if label not in (name, "") and taken.count(label) == 1 and name != self._target:
                yield Suggestion(name, "label", label, "Its name in words; write a better one if you know it.")


def _as_order(effect: Suggestion) -> Suggestion:
    """Of no and yes one is the better one, rather than more of it."""
    why = effect.why.replace("where there is least of it", "where it is 0").replace("where most", "where it is 1")
    return Suggestion(effect.column, "order", ("0", "1") if effect.value == "helps" else ("1", "0"), why)


def _on_outcomes(outcome: pd.Series, name: str) -> Iterator[Suggestion]:
    """Decisions that are called 0 and 1, in the word that the column is called by."""
    values = {value_text(value) for value in outcome.dropna().unique()}
    words = tidied(name)
    if values == {"0", "1"} and words.replace(" ", "").isalpha():
        why = "Decisions would read 0 and 1. Write better words if you know them."
        done = as_done(words)
        meanings = {"1": f"{words}: yes", "0": f"{words}: no"} if done is None else {"1": done, "0": f"not {done}"}
        yield Suggestion(name, "values", meanings, why)


def _is(outcome: pd.Series, favourable: Any) -> np.ndarray:
    found = (outcome.astype(object) == favourable).to_numpy()
    if not found.any():
        raise InputError(f"Expected the favourable outcome to occur in {outcome.name!r}, but {favourable!r} does not.")
    return np.asarray(found, dtype=bool)


def _on_stand_in(found: GivenAway) -> str:
    cases = 100 if found.tells == 1 else min(round(100 * found.tells), 99)
    return (
        f"It stands in for {found.protected!r}: of two people, one {found.first!r} and one {found.second!r} there, it "
        f"tells who is who in {cases} of 100 cases."
    )


def _on_past(word: str, where: str = "name") -> str:
    return f"{word!r} in its {where} tells of the past, which nobody can undo."


def _on_codes(name: str, codes: Sequence[Code]) -> Suggestion:
    """What they mean is for a person to say."""
    value: Mapping[float, str] = {code.value: f"code {value_text(code.value)}" for code in codes}
    return Suggestion(name, "special", value, " ".join(_sentence(code) for code in codes))


def _sentence(code: Code) -> str:
    rows = "1 row" if code.n_rows == 1 else f"{code.n_rows:,} rows"
    others = f", as in {code.n_columns - 1} other columns" if code.n_columns > 2 else ""
    return f"{cell(code.value)} stands in {rows}{others}: {code.sign}."
