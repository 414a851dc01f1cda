"""Taking a table in a named folder as data: its ends are read, and a sample of its rows is drawn for the pages.

In a folder of its own, `samples/<id>` of the home; the id says which place is meant.
"""

import json
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, ClassVar, Self

from rugboard.runs import files
from rugboard.runs.home import ONLY_THE_OWNER, Home
from rugboard.runs.jobs import BackgroundJob, JobReport
from rugboard.runs.plan import LargeTable, Place

VERSION = 1  # of the file; one of another version is not read


@dataclass(frozen=True)
class FolderReport(JobReport):
    """How many parts of the table were read; in the end the table, and the snapshot that is its sample."""

    n_read: int = 0
    n_parts: int = 0
    large: LargeTable | None = None
    snapshot: str = ""
    version: int = VERSION

    def begun(self) -> Self:
        """Always anew: the files may have changed."""
        return replace(super().begun(), n_read=0, n_parts=0, large=None, snapshot="")

    @classmethod
    def from_json(cls, text: str) -> Self:
        values = cls.values_in(text, VERSION)
        large: Any = values["large"]
        return cls(**values | {"large": None if large is None else LargeTable.read(large)})

    @property
    def share(self) -> float:
        return self.n_read / self.n_parts if self.n_parts else 0.0


@dataclass(frozen=True)
class FolderJob(BackgroundJob[FolderReport]):
    """Of one place; `name` is its id."""

    STEM: ClassVar[str] = "sample"
    WORKER: ClassVar[str] = "rugboard.setup.folder_worker"
    TURN: ClassVar[str] = "sample.lock"

    @classmethod
    def of(cls, home: Home, place: Place) -> Self:
        return cls(home, sha256(json.dumps(asdict(place)).encode()).hexdigest())

    @property
    def folder(self) -> Path:
        return self.home.root / "samples" / self.name

    def new_report(self) -> FolderReport:
        return FolderReport()

    def begin(self, place: Place) -> bool:
        """Start, with the place beside it for the worker."""
        self.folder.mkdir(mode=ONLY_THE_OWNER, parents=True, exist_ok=True)
        files.write_text(self.file("place"), json.dumps(asdict(place)))
        return self.start()

    def place(self) -> Place:
        content = json.loads(self.file("place").read_text(encoding="utf-8"))
        return Place(str(content["folder"]), tuple(map(str, content["names"])))
