"""The parts that a condition can be taken apart into, to be left out one by one."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from rugcore.generation.candidates import Candidate
from rugcore.generation.features import Features
from rugcore.tables.columns import MISSING_CODE, N_CODES


@dataclass(frozen=True)
class CodeLiteral:
    """A part of a condition: the codes of one column that it lets through."""

    feature: int
    allowed: np.ndarray  # a boolean for each of its 256 possible codes


def literals_of(rule: Candidate, features: Features) -> list[CodeLiteral]:
    """An interval is two bounds, a list of values that are ruled out is one literal each; whatever else is one."""
    return [literal for feature in sorted(rule.allowed) for literal in _parts(feature, rule.allowed[feature], features)]


def joined(literals: Iterable[CodeLiteral]) -> dict[int, np.ndarray]:
    """All literals at once: what they allow together, column by column."""
    allowed: dict[int, np.ndarray] = {}
    for literal in literals:
        before = allowed.get(literal.feature)
        allowed[literal.feature] = literal.allowed if before is None else before & literal.allowed
    return allowed


def n_columns(literals: Iterable[CodeLiteral]) -> int:
    return len({literal.feature for literal in literals})


def _parts(feature: int, allowed: np.ndarray, features: Features) -> list[CodeLiteral]:
    # Codes above the last one of a column never occur; they follow the last, so that equal rules have equal codes.
    known = np.flatnonzero(allowed[1:]) + 1
    excluded = np.flatnonzero(~allowed[1:]) + 1
    if features.is_category[feature]:
        parts = [np.array([code]) for code in excluded] if len(excluded) <= len(known) else [excluded]
    else:
        parts = [excluded[excluded < known[0]], excluded[excluded > known[-1]]] if len(known) else [excluded]
    parts = [part for part in parts if len(part)]
    if len(parts) < 2:
        return [CodeLiteral(feature, allowed)]
    return [CodeLiteral(feature, _all_but(part, blank_allowed=bool(allowed[MISSING_CODE]))) for part in parts]


def _all_but(codes: np.ndarray, *, blank_allowed: bool) -> np.ndarray:
    """Every part says of blanks what the whole says: they are let in only when the column is left out altogether."""
    allowed = np.ones(N_CODES, dtype=bool)
    allowed[codes] = False
    allowed[MISSING_CODE] = blank_allowed
    return allowed
