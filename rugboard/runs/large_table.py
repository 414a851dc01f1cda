"""A table that stays where it lies: Parquet in a named folder, of which a run keeps a sample of rows for its pages.

A row is known by its number over all files in the order of their names. Which rows are in the sample, and which are
kept from training for the test, follows from that number and a seed alone, and not from how the table is cut up.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from rugcore.errors import InputError


@dataclass(frozen=True)
class Place:
    """A folder or a file: which of the named folders, and the names on the way down from it."""

    folder: str
    names: tuple[str, ...] = ()

    def __str__(self) -> str:
        return "/".join((self.folder, *self.names))

    def below(self, name: str) -> "Place":
        return Place(self.folder, (*self.names, name))


@dataclass(frozen=True)
class LargeTable:
    """Which table, what it was when its sample was drawn, and how that was drawn."""

    folder: str
    names: tuple[str, ...]
    n_files: int
    n_rows: int
    n_sampled: int
    seed: int
    fingerprint: str  # of the files

    @classmethod
    def read(cls, content: Any) -> "LargeTable":
        """From what a plan or a draft keeps; refused if it is something else."""
        try:
            counts = {name: int(content[name]) for name in ("n_files", "n_rows", "n_sampled", "seed")}
            names = tuple(map(str, content["names"]))
            return cls(folder=str(content["folder"]), names=names, fingerprint=str(content["fingerprint"]), **counts)
        except (KeyError, TypeError, ValueError) as error:
            raise InputError("What this run says about its table is damaged. Load the folder again.") from error

    @property
    def place(self) -> Place:
        return Place(self.folder, self.names)

    @property
    def is_sampled(self) -> bool:
        """Whether there are more rows than the pages have."""
        return self.n_sampled < self.n_rows

    def sampled_rows(self) -> np.ndarray:
        """The numbers of the rows in the sample, in order; every row is equally likely to be one."""
        chosen = np.random.default_rng(self.seed).choice(self.n_rows, self.n_sampled, replace=False, shuffle=False)
        return np.sort(chosen)


def is_test(rows: np.ndarray, seed: int, share: float) -> np.ndarray:
    """Which rows are kept from training, by their numbers: each with this chance, whatever the others are.

    The number is stirred by splitmix64 (Steele, Lea and Flood, 2014), which makes of neighbours, and of neighbouring
    seeds, what no test tells from chance.
    """
    stirred = _splitmix64(np.asarray(rows, dtype=np.uint64) ^ _splitmix64(np.uint64(seed)))
    chances: np.ndarray = (stirred >> np.uint64(11)) * 2.0**-53  # as many bits as a fraction has
    return chances < share


def _splitmix64(numbers: Any) -> Any:
    with np.errstate(over="ignore"):  # counting on from zero is what it rests on
        mixed = numbers + np.uint64(0x9E3779B97F4A7C15)
        mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return mixed ^ (mixed >> np.uint64(31))
