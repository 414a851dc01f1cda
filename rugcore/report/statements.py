"""What only people know about a model: what it is for, who uses it, where its data comes from, who watches over it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from rugcore.errors import InputError

LONGEST = 20_000  # letters of one statement; nobody reads a longer one


@dataclass(frozen=True)
class Topic:
    """One thing to be said: what it is called, and what to write there."""

    title: str
    question: str


TOPICS: dict[str, Topic] = {
    "owner": Topic("Owner", "Who answers for the model? A role or a unit."),
    "purpose": Topic("Purpose", "Which decision does the model take or support, and about whom?"),
    "users": Topic("Users", "Who works with it, and what do they do with its answer?"),
    "limits": Topic("Limits", "What must it not be used for? What is known to be weak?"),
    "origin": Topic("Origin of the data", "Which system or source do the rows come from? Who may use them?"),
    "period": Topic("Period", "From when to when were these people decided on? When was the outcome known?"),
    "exclusions": Topic("Exclusions", "Who is not in the table, and why?"),
    "oversight": Topic("Oversight", "Who looks at decisions, how often, and what can they stop?"),
    "overrides": Topic("Overrides", "Who may decide otherwise than the model, and where is that written down?"),
    "monitoring": Topic("Monitoring", "What is watched after release, and beyond which value does somebody act?"),
}


# Shares from 0 to 1 beyond which somebody acts, and what they are called.
THRESHOLDS: dict[str, str] = {
    "accuracy": "Right decisions, lowest",
    "uncovered": "No rule decides, highest",
    "favourable_lowest": "Favourable decisions, lowest",
    "favourable_highest": "Favourable decisions, highest",
    "gap": "Gap between groups, highest",
}


@dataclass(frozen=True)
class Statements:
    """What people have written about a model, by topic, and from which values on somebody acts.

    What nobody has written is an empty text; a threshold that nobody entered is proposed by the report.
    """

    texts: Mapping[str, str] = field(default_factory=dict)
    thresholds: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, share in self.thresholds.items():
            is_share = isinstance(share, int | float) and not isinstance(share, bool) and 0 <= share <= 1
            if name not in THRESHOLDS or not is_share:
                raise InputError(
                    f"Expected thresholds from 0 to 1 for {', '.join(THRESHOLDS)}, but got {name!r}: {share!r}."
                )
        for topic, text in self.texts.items():
            if topic not in TOPICS:
                raise InputError(f"Expected statements about {', '.join(TOPICS)}, but got one about {topic!r}.")
            if not isinstance(text, str) or len(text) > LONGEST:
                raise InputError(f"Expected a text of at most {LONGEST:,} letters about {topic}.")
        object.__setattr__(self, "texts", {topic: text.strip() for topic, text in self.texts.items() if text.strip()})

    def about(self, topic: str) -> str:
        return self.texts.get(topic, "")

    @classmethod
    def from_json(cls, text: str) -> "Statements":
        """Read `{"purpose": "...", "thresholds": {"gap": 0.05}}`; anything else is refused with an `InputError`."""
        try:
            content = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise InputError("Expected statements as JSON, but the text is not JSON.") from error
        if not isinstance(content, dict):
            raise InputError('Expected statements by topic, such as {"purpose": "..."}.')
        thresholds = content.pop("thresholds", {})
        if not isinstance(thresholds, dict):
            raise InputError('Expected thresholds by name, such as {"gap": 0.05}.')
        return cls(content, thresholds)


@dataclass(frozen=True)
class ChangeEntry:
    """One line of the change log."""

    when: str
    what: str
    why: str = ""
    who: str = ""  # as somebody typed it


@dataclass(frozen=True)
class RuleChangeEffect:
    """What a change of rules by hand did to a model, on the test rows; a gap is None where it is not known."""

    when: str
    model: str
    accuracy: tuple[float, float]  # before and after
    gap: tuple[float | None, float | None]
    rules: tuple[int, int]
    n_decided_otherwise: int


def entry_from(item: Any) -> ChangeEntry:
    """From plain values, as a file has them."""
    names = {own.name for own in fields(ChangeEntry)}
    if not isinstance(item, dict) or not set(item) <= names or not all(isinstance(own, str) for own in item.values()):
        raise InputError(f"Expected a change with {', '.join(sorted(names))}, but got {item!r}.")
    return ChangeEntry(**item)
