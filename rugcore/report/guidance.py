"""Where a report speaks about the topics of common guidance: a template that an operator may replace."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rugcore.errors import InputError

STANDARD = Path(__file__).with_name("guidance.json")


@dataclass(frozen=True)
class GuidanceTopic:
    """A topic, and the keys of the sections that speak about it."""

    topic: str
    sections: tuple[str, ...]


@dataclass(frozen=True)
class GuidanceText:
    """One text, such as a rule of a supervisor."""

    name: str
    topics: tuple[GuidanceTopic, ...]


@dataclass(frozen=True)
class Guidance:
    """The texts of a template, and a note on what the cross-reference is and is not."""

    note: str
    texts: tuple[GuidanceText, ...]

    @classmethod
    def standard(cls) -> "Guidance":
        """The template that comes with the package."""
        return cls.from_json(STANDARD.read_text(encoding="utf-8"))

    @classmethod
    def from_json(cls, text: str) -> "Guidance":
        """Read a template in the form of `guidance.json`; anything else is refused with an `InputError`."""
        try:
            content = json.loads(text)
            return cls(_text(content["note"]), tuple(_guidance_text(item) for item in content["guidance"]))
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise InputError(
                "Expected a template of guidance with a note, and for every text a name and topics with sections, as "
                f"in {STANDARD.name} of the package; it cannot be read ({type(error).__name__}: {error})."
            ) from error


def _guidance_text(item: Any) -> GuidanceText:
    topics = tuple(GuidanceTopic(_text(own["topic"]), tuple(map(_text, own["sections"]))) for own in item["topics"])
    return GuidanceText(_text(item["name"]), topics)


def _text(item: Any) -> str:
    if not isinstance(item, str):
        raise TypeError(f"text was expected, not {type(item).__name__}")
    return item
