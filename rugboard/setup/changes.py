"""What was changed since a run was trained: its numbers then tell of something else than what the page asks about."""

from typing import Final

from rugboard.runs.plan import Plan
from rugboard.setup.drafts import Draft
from rugcore.dictionary import ColumnEntry
from rugcore.errors import InputError

# Of a plan, in the order in which a person sets them; whatever is not here is a setting.
PARTS: Final = {
    "the data": ("snapshot", "large"),
    "the outcome": ("target", "favourable", "positive_class"),
    "the groups": ("sensitive", "bands"),
    "the columns": ("features", "kinds"),
    "what columns mean": ("dictionary",),
    "the other model": ("outside",),
}
NO_DIFFERENCE: Final = ("data_name", "origin", "keep_directions")  # which are kept is compared


def changes_since(trained: Plan, draft: Draft) -> tuple[str, ...]:
    """Which parts of a draft are not as they were in a run; nothing, if training again would give the same models."""
    if draft.table.snapshot != trained.snapshot:
        return ("the data",)
    try:
        now = draft.to_plan()
    except InputError:  # not all questions are answered
        return ()
    before, after = _essence(trained), _essence(now)
    parts = [part for part, names in PARTS.items() if any(before[name] != after[name] for name in names)]
    others = set(before) - {name for names in PARTS.values() for name in names}
    return (*parts, *(["the settings"] if any(before[name] != after[name] for name in others) else []))


def _essence(plan: Plan) -> dict[str, object]:
    """What makes a difference to the models, so that it can be compared."""
    values = {name: value for name, value in vars(plan).items() if name not in NO_DIFFERENCE}
    return values | {
        "features": set(plan.features),
        "bands": {name: tuple(map(float, edges)) for name, edges in plan.bands.items()},
        "dictionary": _said(plan),
    }


def _said(plan: Plan) -> dict[str, tuple[object, ...]]:
    """About the columns that are used; descriptions, and the words of reasons, change no rule."""
    said = {name: _what_matters(plan.dictionary.entry(name)) for name in plan.columns}
    named = {name: own for name, own in said.items() if own != _what_matters(ColumnEntry())}
    return named | {"": (plan.directions(),)}


def _what_matters(entry: ColumnEntry) -> tuple[object, ...]:
    return entry.label, entry.unit, dict(entry.values), dict(entry.special), entry.order
