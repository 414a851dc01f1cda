"""Words on the screen: numbers as a person writes them, and text from data files made harmless."""

import re

# Everything that Markdown, LaTeX or a directive of Streamlit could take for a command.
_SPECIAL = re.compile(r"([\\`*_{}\[\]()<>#+\-.!|~$:^&=])")

# What is replaced even behind a backslash: icons (:name:), addresses, arrows (->) and the like.
_REPLACED_LATER = re.compile(r"(?<=:)(?=[\w/])|(?<=www)(?=\.)|(?<=@)(?=\w)|(?<=[-<>=~])(?=[-<>=~])", re.IGNORECASE)
WORD_JOINER = "\u2060"  # invisible, of no width; parts such a word without showing it


def plain(text: object) -> str:
    """Text that Markdown shows letter for letter: names and values come from files we did not write."""
    in_one_line = " ".join(str(text).split())
    return _SPECIAL.sub(r"\\\1", _REPLACED_LATER.sub(WORD_JOINER, in_one_line))


def percent(share: float) -> str:
    """A share of 0.8834 as "88.3 %"."""
    return f"{100 * share:.1f} %"


def points_between(share: float, other: float) -> float:
    """How many points the second share is above the first, as a reader of both percentages works it out."""
    return round(round(100 * other, 1) - round(100 * share, 1), 1)


def counted(count: int, noun: str) -> str:
    """A number with its noun, in the plural where needed: "1 rule", "2,380 rows"."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
