"""The chances of a model as plain data, checked on the way in."""

import math
from typing import Any

import numpy as np

from rugcore.errors import ModelFileError
from rugcore.rules import serial
from rugcore.training.chances import Chances, Evidence, Trust

LARGEST_LOG_ODDS = 1e6  # far beyond what rows can teach, and far from where numbers overflow


def chances_to_dict(chances: Chances) -> dict[str, Any]:
    return {
        "base": chances.evidence.base.tolist(),
        "effect": chances.evidence.effect.tolist(),
        "scale": chances.trust.scale,
        "shift": chances.trust.shift.tolist(),
        "uncovered": chances.uncovered.tolist(),
        "least": chances.least.tolist(),
    }


def chances_from_dict(fields: Any, n_rules: int, n_classes: int) -> Chances:
    effect = serial.get(fields, "effect", list)
    if len(effect) != n_rules:
        raise ModelFileError(f"expected one effect a rule ({n_rules}) in its chances, but found {len(effect)}.")
    of_rules = [_numbers(item, "effect", n_classes) for item in effect]
    evidence = Evidence(
        base=_numbers(serial.get(fields, "base", list), "base", n_classes),
        effect=np.array(of_rules).reshape(n_rules, n_classes),
    )
    scale = serial.finite(serial.get(fields, "scale"), "scale", 0.0, LARGEST_LOG_ODDS)
    trust = Trust(scale, _numbers(serial.get(fields, "shift", list), "shift", n_classes))
    return Chances(evidence, trust, _uncovered(fields, n_classes), _least(fields, n_classes))


def _uncovered(fields: Any, n_classes: int) -> np.ndarray:
    shares = _numbers(serial.get(fields, "uncovered", list), "uncovered", n_classes, 0.0, 1.0)
    if not math.isclose(shares.sum(), 1.0, rel_tol=1e-6):
        raise ModelFileError("expected the chances of uncovered rows to add up to one.")
    return shares


def _least(fields: Any, n_classes: int) -> np.ndarray:
    least = _numbers(serial.get(fields, "least", list), "least", n_classes, 0.0, 1.0)
    if least.min() <= 0.0 or least.sum() >= 1.0:
        raise ModelFileError("expected least chances above zero that add up to less than one.")
    return least


def _numbers(
    items: Any, name: str, length: int, at_least: float = -LARGEST_LOG_ODDS, at_most: float = LARGEST_LOG_ODDS
) -> np.ndarray:
    if not isinstance(items, list) or len(items) != length:
        raise ModelFileError(f"expected one number a class in the field {name!r} of its chances.")
    return np.array([serial.finite(item, name, at_least, at_most) for item in items])
