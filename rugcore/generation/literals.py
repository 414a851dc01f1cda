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
    """An interval is two bounds, a list of values or special codes that are ruled out is one literal each.

    Whatever else is one.
    """
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
    if features.is_category[feature]:
        known, excluded = np.flatnonzero(allowed[1:]) + 1, np.flatnonzero(~allowed[1:]) + 1
        parts = [np.array([code]) for code in excluded] if len(excluded) <= len(known) else [excluded]
        return _literals(feature, allowed, parts, [MISSING_CODE])
    kinds = features.kinds(feature)
    # Codes above the last one of a column never occur; they follow the last number: equal rules have equal codes.
    is_number = np.ones(N_CODES, dtype=bool)
    is_number[kinds] = False
    known, excluded = np.flatnonzero(allowed & is_number), np.flatnonzero(~allowed & is_number)
    bounds = [excluded[excluded < known[0]], excluded[excluded > known[-1]]] if len(known) else [excluded]
    if any(len(part) for part in bounds):
        return _literals(feature, allowed, bounds, kinds)
    return _literals(feature, allowed, [np.array([code]) for code in kinds[1:] if not allowed[code]], [MISSING_CODE])


def _literals(feature: int, allowed: np.ndarray, parts: list[np.ndarray], alike: list[int]) -> list[CodeLiteral]:
    """One for every part that is ruled out; with less than two of them, the whole."""
    parts = [part for part in parts if len(part)]
    if len(parts) < 2:
        return [CodeLiteral(feature, allowed)]
    return [CodeLiteral(feature, _all_but(part, allowed, alike)) for part in parts]


def _all_but(codes: np.ndarray, whole: np.ndarray, alike: list[int]) -> np.ndarray:
    """Every part says of blanks, and a bound of special codes, what the whole says.

    They are let in only when the column is left out altogether.
    """
    allowed = np.ones(N_CODES, dtype=bool)
    allowed[codes] = False
    allowed[alike] = whole[alike]
    return allowed
