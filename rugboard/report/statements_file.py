"""What people have written about the models of a run, kept in its folder, with a log of when what was changed.

Two people may write at the same time: only what somebody changed is written, each under a lock, and nobody overwrites
what they have not seen.
"""

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rugboard.runs import files, locks
from rugcore.errors import InputError
from rugcore.report import MOMENT, THRESHOLDS, TOPICS, ChangeEntry, Statements, entry_from

FILE, LOCK = "statements.json", "statements.lock"
VERSION = 1


@dataclass(frozen=True)
class KeptStatements:
    """What is said, and how it came about."""

    said: Statements = field(default_factory=Statements)
    log: tuple[ChangeEntry, ...] = ()

    def to_json(self) -> str:
        content = {
            "version": VERSION,
            "texts": dict(self.said.texts),
            "thresholds": dict(self.said.thresholds),
            "log": [vars(entry) for entry in self.log],
        }
        return json.dumps(content, ensure_ascii=False, indent=1)

    @classmethod
    def from_json(cls, text: str) -> "KeptStatements":
        """The inverse of `to_json`; an `InputError` if the text is none of its like."""
        try:
            content: dict[str, Any] = json.loads(text)
            if content["version"] != VERSION:
                raise InputError(f"Expected statements of version {VERSION}, but got {content['version']!r}.")
            said = Statements(content["texts"], content["thresholds"])
            return cls(said, tuple(entry_from(item) for item in content["log"]))
        except (KeyError, TypeError, AttributeError, ValueError, RecursionError) as error:
            raise InputError(f"What was written about this model cannot be read: {error}") from error


class WrittenMeanwhileError(InputError):
    """Somebody else has written at the same place since; `names` says where, and `said` what is there now."""

    def __init__(self, names: tuple[str, ...], said: Statements) -> None:
        titles = ", ".join(title_of(name) for name in names)
        super().__init__(f"Somebody else changed {titles} meanwhile. Nothing was kept.")
        self.names = names
        self.said = said


def title_of(name: str) -> str:
    """Of a statement or a threshold."""
    return TOPICS[name].title if name in TOPICS else THRESHOLDS[name]


def read(folder: Path) -> KeptStatements:
    """What is kept; nothing where nobody wrote yet. A damaged file is an `InputError`: it must not be overwritten."""
    try:
        text = (folder / FILE).read_text(encoding="utf-8")
    except FileNotFoundError:
        return KeptStatements()
    return KeptStatements.from_json(text)


def keep(
    folder: Path,
    texts: Mapping[str, str],
    thresholds: Mapping[str, float | None],
    who: str = "",
    seen: Statements | None = None,
) -> KeptStatements:
    """Write what was changed, and only that; an empty text or None takes a statement back.

    With what the writer has `seen`, a `WrittenMeanwhileError` where something else stands there now.
    """
    with locks.exclusive(folder / LOCK):
        before = read(folder)
        said = Statements(
            {**before.said.texts, **texts},
            {name: share for name, share in {**before.said.thresholds, **thresholds}.items() if share is not None},
        )
        if seen is not None and (names := _unseen(before.said, said, seen)):
            raise WrittenMeanwhileError(names, before.said)
        changed = _changed(before.said, said)
        if not changed:
            return before
        when = time.strftime(MOMENT, time.gmtime())
        entry = ChangeEntry(when, f"Statements changed: {', '.join(changed)}", who=who)
        after = KeptStatements(said, (*before.log, entry))
        files.write_text(folder / FILE, after.to_json())
        return after


def _unseen(before: Statements, after: Statements, seen: Statements) -> tuple[str, ...]:
    """What would be overwritten although the writer has not seen it."""
    topics = [name for name in TOPICS if seen.about(name) != before.about(name) != after.about(name)]
    shares = [
        name
        for name in THRESHOLDS
        if seen.thresholds.get(name) != before.thresholds.get(name) != after.thresholds.get(name)
    ]
    return (*topics, *shares)


def _changed(before: Statements, after: Statements) -> list[str]:
    topics = [topic.title for name, topic in TOPICS.items() if before.about(name) != after.about(name)]
    shares = [title for name, title in THRESHOLDS.items() if before.thresholds.get(name) != after.thresholds.get(name)]
    return [*topics, *shares]
