"""Words on the screen: text from data files escaped."""

import re
from collections.abc import Iterable

# Everything that Markdown, LaTeX or a directive of Streamlit could take for a command.
_SPECIAL = re.compile(r"([\\`*_{}\[\]()<>#+\-.!|~$:^&=])")

# What is replaced even behind a backslash: icons (:name:), addresses, arrows (->) and the like.
_REPLACED_LATER = re.compile(r"(?<=:)(?=[\w/])|(?<=www)(?=\.)|(?<=@)(?=\w)|(?<=[-<>=~])(?=[-<>=~])", re.IGNORECASE)
WORD_JOINER = "\u2060"  # invisible, of no width; parts such a word without showing it

LONGEST = 60  # letters of a name from a file, where it stands in a sentence


def plain(text: object) -> str:
    """Text that Markdown shows letter for letter: names and values come from files we did not write."""
    in_one_line = " ".join(str(text).split())
    return _SPECIAL.sub(r"\\\1", _REPLACED_LATER.sub(WORD_JOINER, in_one_line))


def brief(text: object, longest: int = LONGEST) -> str:
    """The beginning of a long name."""
    words = " ".join(str(text).split())
    return words if len(words) <= longest else f"{words[: longest - 1]}…"


def named(text: object) -> str:
    """A name or value in quotes, escaped and not too long, for a sentence."""
    return f"“{plain(brief(text))}”"


def listed(names: Iterable[object], most: int = 4) -> str:
    """“a”, “b” and 3 more."""
    names = list(names)
    shown = [named(name) for name in names[:most]]
    if len(names) > most:
        return f"{', '.join(shown)} and {len(names) - most:,} more"
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}" if shown else ""


def value_in_words(value: object) -> str:
    """A value of a table as a person writes it: 1.0 is 1."""
    return f"{value:.0f}" if isinstance(value, float) and value.is_integer() else str(value)
