"""Codes in a column of numbers that are no amounts, such as -9 for "no such record"."""

from dataclasses import dataclass

from rugcore.rules import words


@dataclass(frozen=True, slots=True)
class SpecialCode:
    """A number that stands for something else; it never lies between two thresholds.

    No two codes of a column have the same meaning: the meaning is what a rule calls the code.
    """

    number: float
    meaning: str

    def __str__(self) -> str:
        return words.quoted(self.meaning)


SpecialCodes = tuple[SpecialCode, ...]


def meaning_of(number: object, specials: SpecialCodes) -> str | None:
    """What the number stands for, if it is one of the special codes."""
    return next((code.meaning for code in specials if code.number == number), None)
