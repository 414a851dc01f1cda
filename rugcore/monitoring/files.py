"""What `monitor` found as JSON, to keep it with a model: shares and counts, nobody's values."""

import json
import math
from typing import Any

import pandas as pd

from rugcore.errors import InputError
from rugcore.monitoring.monitoring import Monitoring
from rugcore.tables.table import plain_value

FORMAT, VERSION = "rug-monitoring", 1
TABLES = ("columns", "decisions", "rules", "right", "gaps")
ALWAYS_THERE = ("columns", "decisions", "rules")


def monitoring_to_json(found: Monitoring) -> str:
    """As text, for a file beside the model."""
    content = {
        "format": FORMAT,
        "version": VERSION,
        "verdict": list(found.verdict),
        "is_steady": found.is_steady,
        **{name: _content(getattr(found, name)) for name in TABLES},
    }
    return json.dumps(content, ensure_ascii=False, allow_nan=False)


def monitoring_from_json(text: str) -> Monitoring:
    """Read what `monitoring_to_json` wrote; anything else is refused with an `InputError`."""
    try:
        content = json.loads(text)
        if (content["format"], content["version"]) != (FORMAT, VERSION):
            raise ValueError(f"it is {content['format']!r} of version {content['version']!r}")
        tables = {name: _table(content[name]) for name in TABLES}
        if any(tables[name] is None for name in ALWAYS_THERE):
            raise ValueError("a table is missing")
        return Monitoring(verdict=_texts(content["verdict"]), is_steady=content["is_steady"] is True, **tables)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(f"Expected what monitor found, but it is damaged ({error}). Monitor again.") from error


def _content(table: pd.DataFrame | None) -> dict[str, Any] | None:
    if table is None:
        return None
    rows = [[_known(value) for value in row] for row in table.itertuples(index=False)]
    return {"names": [_known(name) for name in table.index], "columns": list(map(str, table.columns)), "rows": rows}


def _known(value: Any) -> Any:
    """JSON has no NaN: what is not a number is not known."""
    item = plain_value(value)
    return None if isinstance(item, float) and not math.isfinite(item) else item


def _table(content: dict[str, Any] | None) -> Any:
    if content is None:
        return None
    frame = pd.DataFrame(content["rows"], columns=content["columns"], index=content["names"])
    for name in frame.columns:
        values = frame[name].dropna()
        if len(values) < len(frame) and not any(isinstance(value, str) for value in values):
            frame[name] = frame[name].astype(float)  # blanks are numbers that are not known
    return frame


def _texts(items: list[Any]) -> tuple[str, ...]:
    if not items or not all(isinstance(item, str) for item in items):
        raise ValueError("the verdict is no text")
    return tuple(items)
