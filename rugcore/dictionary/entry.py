"""What is known about one column."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from numbers import Real
from typing import Any, Literal, get_args

from rugcore.errors import InputError
from rugcore.explanations.reasons.wording import PLAIN_FIELDS, ColumnWording, check_template
from rugcore.rules.orders import order_of
from rugcore.tables.table import plain_value

Effect = Literal["helps", "harms", "unknown"]
Change = Literal["any", "up", "down", "never"]
EFFECTS: tuple[Effect, ...] = get_args(Effect)
CHANGES: tuple[Change, ...] = get_args(Change)


@dataclass(frozen=True)
class ColumnEntry:
    """What a column means, and what may be done with it.

    Parameters
    ----------
    label, unit : str
        What rules and reasons call the column; the unit stands behind the label in brackets.
    description : str
        For people who look it up.
    values : dict of str
        Meanings of values, by the value as text (`value_text`): {"1": "married"}. A column that has some holds
        categories, whatever stands in the file.
    special : dict of str
        Numbers that are no amounts, and what they mean: {-9: "no such record"}.
    protected : bool, default=False
        May not be used by rules, nor named as a reason.
    left_out : bool, default=False
        Rules do not use it, because it is an identifier, say, or known only after the decision.
    past_fact : bool, default=False
        Cannot be undone, such as a bankruptcy.
    effect : {"helps", "harms", "unknown"}, default="unknown"
        What more of it should do for the favourable outcome.
    change : {"any", "up", "down", "never"}, default="any"
        How a person can change it.
    lowest, highest : float or None
        The numbers that are possible.
    wording : ColumnWording
        Texts for reasons; those by value are by its meaning.
    order : tuple of str
        Values, as they stand in the file, from the worst to the best for the favourable outcome; values that are not
        listed have no place. A column that has an order holds categories.
    """

    label: str = ""
    unit: str = ""
    description: str = ""
    values: Mapping[str, str] = field(default_factory=dict)
    special: Mapping[float, str] = field(default_factory=dict)
    protected: bool = False
    left_out: bool = False
    past_fact: bool = False
    effect: Effect = "unknown"
    change: Change = "any"
    lowest: float | None = None
    highest: float | None = None
    wording: ColumnWording = field(default_factory=ColumnWording)
    order: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        _check_texts(self)
        _check_choices(self)
        for name in ("label", "unit"):
            object.__setattr__(self, name, " ".join(getattr(self, name).split()))  # one line, to stand in a sentence
        object.__setattr__(self, "values", dict(self.values))
        object.__setattr__(self, "order", tuple(self.order))
        if self.order:
            order_of(self.order, "of a column")
            order_of(self.shown_order(), "of a column, as they are called,")
        special = {_finite(code, "a special code"): meaning for code, meaning in self.special.items()}
        object.__setattr__(self, "special", special)
        for name in ("lowest", "highest"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, _finite(getattr(self, name), f"the {name} number"))
        if self.lowest is not None and self.highest is not None and self.lowest > self.highest:
            raise InputError(f"Expected a range of numbers, but it goes from {self.lowest:g} to {self.highest:g}.")

    @property
    def is_blank(self) -> bool:
        """Nothing is said about the column."""
        return self == ColumnEntry()

    @property
    def is_category(self) -> bool:
        """Its values have meanings or an order, so that they are categories even if they are numbers in the file."""
        return bool(self.values or self.order)

    def meanings(self) -> tuple[dict[str, str], dict[float, str]]:
        """By the value as text, and by number, however it is written; special codes are categories here too."""
        by_number = dict(self.special)
        for text, meaning in self.values.items():
            try:
                by_number[float(text)] = meaning
            except ValueError:
                continue  # a word among numbers: no number is meant
        return dict(self.values), by_number

    def shown_order(self) -> tuple[str, ...]:
        """From the worst to the best, as the values are called."""
        by_text, by_number = self.meanings()
        return tuple(by_text.get(value, _meaning_of_number(value, by_number)) for value in self.order)

    def shown_name(self, name: str) -> str:
        """The label, or else the `name` in the file, with the unit in brackets."""
        called = self.label or name
        return f"{called} ({self.unit})" if self.unit else called


def value_text(value: Any) -> str:
    """A value of a column as text, as dictionaries write it: 1.0 reads as 1, and thousands are not parted."""
    item = plain_value(value)
    if isinstance(item, float) and math.isfinite(item) and item == math.floor(item) and abs(item) < 1e16:
        return f"{item:.0f}"
    return str(item)


def _meaning_of_number(text: str, by_number: Mapping[float, str]) -> str:
    try:
        return by_number.get(float(text), text)
    except ValueError:
        return text


def _check_texts(entry: ColumnEntry) -> None:
    if isinstance(entry.order, str):
        raise InputError(f"Expected the order to be a list of values, but got {entry.order!r}.")
    texts = [entry.label, entry.unit, entry.description, *entry.values, *entry.values.values(), *entry.special.values()]
    texts += entry.order
    wrong = next((text for text in texts if not isinstance(text, str)), None)
    if wrong is not None:
        raise InputError(f"Expected labels, values and meanings to be text, but got {wrong!r}.")
    for text in texts:
        refuse_unwritable(text)
    for code, meaning in (*entry.values.items(), *entry.special.items()):
        if not meaning.strip():
            raise InputError(f"Expected the meaning of {code!r} in words, but there is none.")


def refuse_unwritable(text: str) -> None:
    """Half of a character, which JSON can spell and no file can hold."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise InputError(f"Expected text that can be written to a file, but got {text!r}.") from None


def _check_choices(entry: ColumnEntry) -> None:
    for name, allowed in (("effect", EFFECTS), ("change", CHANGES)):
        if getattr(entry, name) not in allowed:
            raise InputError(f"Expected {name} to be one of {', '.join(allowed)}, but got {getattr(entry, name)!r}.")
    for name in ("protected", "left_out", "past_fact"):
        if not isinstance(getattr(entry, name), bool):
            raise InputError(f"Expected {name} to be true or false, but got {getattr(entry, name)!r}.")
    if not isinstance(entry.wording, ColumnWording):
        raise InputError(f"Expected the wording to be a ColumnWording, but got {type(entry.wording).__name__}.")
    for text in (*(getattr(entry.wording, name) for name in PLAIN_FIELDS), *entry.wording.values.values()):
        refuse_unwritable(text)
        check_template(text)


def _finite(number: Any, what: str) -> float:
    if isinstance(number, bool) or not isinstance(number, Real) or not math.isfinite(number):
        raise InputError(f"Expected {what} to be a number, but got {number!r}.")
    return float(number)


FIELDS = tuple(item.name for item in fields(ColumnEntry))
