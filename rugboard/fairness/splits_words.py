"""What many splits say about new people, in sentences."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from rugboard.fairness.words import MINUS, interval, outcome, short_points
from rugboard.shell.formats import counted, percent, points
from rugboard.shell.text import listed, named
from rugcore.fairness import Notion, notion_of
from rugcore.selection import FairnessOverSplits, ModelOverSplits

FEW = 5  # splits; fewer say next to nothing


def verdict(found: FairnessOverSplits, names: Mapping[str, str], favourable: str) -> str:
    """The first model: where its widest gap lies over all splits, and whether that is within the limit."""
    model = found.models[0]
    widest = widest_line(found, model.name)
    if widest is None:
        return "No two groups are large enough to be compared, in the whole table."
    if found.n_splits < FEW:
        return f"{counted(found.n_splits, 'split')} so far: too few to say anything."
    limit = points(found.epsilon)
    said = {
        "within": f"**On people not trained on, {model.name} keeps within {limit}**{_as_far(found)}",
        "above": f"**On people not trained on, {model.name} is more than {limit} apart**",
        "cannot be told": f"**Whether {model.name} keeps within {limit} on people not trained on cannot be told**",
    }[found.verdict(model)]
    return f"{said}. The widest gap: {gap_in_words(widest, names, notion_of(found.notion), favourable)}."


def in_short(found: FairnessOverSplits | None) -> str:
    """For the first line of the page; nothing before there are enough splits."""
    if found is None or found.n_splits < FEW or widest_line(found, found.models[0].name) is None:
        return ""
    name, limit = found.models[0].name, points(found.epsilon)
    said = {
        "within": f"{name} keeps within {limit}{_as_far(found)}",
        "above": f"{name} is more than {limit} apart",
        "cannot be told": f"whether {name} keeps within {limit} cannot be told",
    }[found.verdict(found.models[0])]
    return f"**Over {found.n_splits} splits {said}.**"


def _as_far(found: FairnessOverSplits) -> str:
    return ", as far as it can be measured" if found.not_estimable else ""


def widest_line(found: FairnessOverSplits, model: str) -> dict[Any, Any] | None:
    """The line of the table with the widest gap of a model; None if no gap can be estimated."""
    lines = [
        line for line in found.to_frame().to_dict("records") if line["model"] == model and line["gap"] == line["gap"]
    ]
    return max(lines, key=lambda line: abs(line["gap"]), default=None)


def gap_in_words(line: Mapping[Any, Any], names: Mapping[str, str], notion: Notion, favourable: str) -> str:
    """Between whom, with its interval; the group with the larger rate first."""
    sign = 1 if line["gap"] >= 0 else -1
    worse, better = (names.get(line[side], line[side]) for side in ("first_group", "second_group")[::sign])
    lower, upper = _as_told(line, "lower", "upper")
    label = None if line["class"] is None else outcome(line["class"])
    by = points(abs(line["gap"]))
    return f"{notion.more_often(named(worse), named(better), by, label, favourable)} ({interval(lower, upper)})"


def _as_told(line: Mapping[Any, Any], *sides: str) -> tuple[float, float]:
    """Two bounds, seen from the group with the larger rate."""
    sign = 1 if line["gap"] >= 0 else -1
    lower, upper = sorted(sign * line[side] for side in sides)
    return lower, upper


def single_splits(found: FairnessOverSplits) -> str:
    """Why nobody should decide by one of them."""
    widest = widest_line(found, found.models[0].name)
    if widest is None or found.n_splits < 2:
        return ""
    lowest, highest = _as_told(widest, "lowest", "highest")
    return f"Single splits say anything from {short_points(lowest)} to {short_points(highest)} points."


def promise(found: FairnessOverSplits) -> str:
    """How often the limit held in single splits."""
    model, n_splits = found.models[0], counted(found.n_splits, "split")
    return (
        f"All gaps were within the limit on the test rows of {found.n_held(model)} of {n_splits}, and on the rows "
        f"trained on in {found.n_held_in_training(model)}."
    )


def accuracy(found: FairnessOverSplits) -> str:
    """What is right, and what the first model gives up against the second."""
    parts = [_accuracy_of(found, model) for model in found.models]
    right = f"Right decisions: {'; '.join(parts)}."
    if len(found.models) < 2 or found.n_splits < 2:
        return right
    difference, lower, upper = found.accuracy_difference(found.models[1].name)
    side = "more" if difference >= 0 else "less"
    bounds = f"difference {_signed(lower)} to {_signed(upper)}"
    return f"{right} {found.models[0].name} is right {points(abs(difference))} {side} often ({bounds})."


def _accuracy_of(found: FairnessOverSplits, model: ModelOverSplits) -> str:
    mean, lower, upper = found.accuracy(model)
    bounds = "" if math.isnan(lower) else f" ({percent(max(lower, 0))} to {percent(min(upper, 1))})"
    return f"{model.name} {percent(mean)}{bounds}"


def _signed(share: float) -> str:
    text = short_points(share)
    return text if text.startswith(MINUS) else f"+{text}"


def not_estimable(found: FairnessOverSplits, names: Mapping[str, str]) -> str:
    """Of whom nothing can be said even with all rows."""
    if not found.not_estimable:
        return ""
    who: Sequence[str] = sorted({names.get(key.group, key.group) for key in found.not_estimable})
    return (
        f"Not estimable for some outcome: {listed(who)} (fewer than {found.min_cell_size} people in the whole table)."
    )
