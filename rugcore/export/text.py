"""Text from strangers inside the source code of other languages."""

import re

from rugcore.errors import InputError
from rugcore.export.portable import LARGEST_WHOLE, PortableModel

LONGEST_COMMENT = 400
TAG = re.compile("<(?=[/!A-Za-z])")  # inside a page, it could end a script even from within a comment
NOT_A_LETTER = re.compile(r"[^0-9A-Za-z]+")


def comment(text: str) -> str:
    """One line of letters that no language takes for the end of a comment."""
    safe = text.encode("ascii", "backslashreplace").decode("ascii")
    safe = "".join(letter if letter.isprintable() else f"\\x{ord(letter):02x}" for letter in safe)
    safe = TAG.sub(r"\\x3c", safe)
    return safe if len(safe) <= LONGEST_COMMENT else f"{safe[:LONGEST_COMMENT]}..."


def slug(text: str) -> str:
    """A few plain letters out of any text, or none."""
    return NOT_A_LETTER.sub("_", text)[:30].strip("_").lower()


def head(model: PortableModel) -> list[str]:
    """What every file begins with."""
    n_rules = "1 rule" if len(model.rules) == 1 else f"{len(model.rules):,} rules"
    return [f"Model {model.model_id}", f"{n_rules}, exported by rugcore {model.version}", *model.facts]


def rule_lines(model: PortableModel) -> list[str]:
    """The rules in words, numbered."""
    rules = zip(model.source.rules_, model.rules, strict=True)
    return [f"Rule {n}: {own.text} (weight {rule.weight:g})" for n, (rule, own) in enumerate(rules, start=1)]


def texts(model: PortableModel) -> list[str]:
    """Every text from the data that an export writes."""
    values = [test.value for rule in model.rules for own in rule.conditions for tests in own for test in tests]
    found = [*(column.name for column in model.columns), *values, *model.classes]
    return [text for text in found if isinstance(text, str)]


def refuse_letters(model: PortableModel, letters: re.Pattern[str], what: str) -> None:
    """Refuse names and values with letters that a format has no way to write."""
    for text in texts(model):
        if letters.search(text):
            raise InputError(
                f"Expected names and values that {what} can hold, but {text[:40]!r} has a letter that it has no way to "
                "write. Rename it in the table and train again, or take another format."
            )


def refuse_long_numbers(model: PortableModel, what: str, largest: int = LARGEST_WHOLE) -> None:
    """Refuse whole numbers that name something, but are longer than the numbers of a language."""
    categories = [
        test.value
        for rule in model.rules
        for own in rule.conditions
        for tests in own
        for test in tests
        if model.columns[test.column].kind == "code" and test.value is not None
    ]
    for number in (*categories, *model.classes):
        if isinstance(number, int) and abs(number) > largest:
            raise InputError(
                f"Expected codes and classes up to {largest:,}, because {what} has no longer whole numbers, but the "
                f"model names {number}. Turn them into text and train again, or take another format."
            )
