"""A dictionary as JSON: only what is said, by field, so that a person can read and edit it."""

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from rugcore.dictionary.entry import FIELDS, ColumnEntry, value_text
from rugcore.errors import InputError
from rugcore.explanations.reasons.wording import column_wording

FORMAT = "rug data dictionary"
VERSION = 1
HOW_TO = "Choose a file that was saved here, or write a new one."


def written(columns: Mapping[str, ColumnEntry]) -> str:
    content = {
        "format": FORMAT,
        "version": VERSION,
        "columns": {name: _said(entry) for name, entry in columns.items()},
    }
    return json.dumps(content, ensure_ascii=False, indent=1)


def _said(entry: ColumnEntry) -> dict[str, Any]:
    usual = asdict(ColumnEntry())
    said = {name: item for name, item in asdict(entry).items() if item != usual[name]}
    if "special" in said:
        said["special"] = {value_text(code): meaning for code, meaning in entry.special.items()}
    if "order" in said:
        said["order"] = list(entry.order)
    if "wording" in said:
        said["wording"] = {name: text for name, text in said["wording"].items() if text}
    return said


def read(text: str | bytes) -> dict[str, ColumnEntry]:
    try:
        content = json.loads(text.removeprefix("\ufeff") if isinstance(text, str) else text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"Expected a data dictionary as JSON, but the text is not JSON. {HOW_TO}") from error
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise InputError(f"Expected a data dictionary, but the JSON is something else. {HOW_TO}")
    if content.get("version") != VERSION:
        raise InputError(
            f"Expected a data dictionary of version {VERSION}, but this one says {content.get('version')!r}. It may "
            "come from a newer version of this program."
        )
    columns = content.get("columns")
    if not isinstance(columns, dict):
        raise InputError(f"Expected the data dictionary to list columns, but it does not. {HOW_TO}")
    return {name: _entry(name, item) for name, item in columns.items()}


def _entry(name: str, item: Any) -> ColumnEntry:
    if not isinstance(item, dict) or not set(item) <= set(FIELDS):
        raise InputError(f"Expected column {name!r} to have no other fields than {', '.join(FIELDS)}.")
    said = dict(item)
    if not isinstance(said.get("order", []), list):
        raise InputError(f"Expected the order of column {name!r} to be a list of values.")
    for part in ("values", "special"):
        if not isinstance(said.get(part, {}), dict):
            raise InputError(f"Expected {part} of column {name!r} to be pairs of code and meaning.")
    try:
        said["special"] = {_number(code): meaning for code, meaning in said.get("special", {}).items()}
        said["wording"] = column_wording(name, said.get("wording", {}))
        return ColumnEntry(**said)
    except InputError as error:
        raise InputError(f"Column {name!r} of the data dictionary cannot be used. {error}") from error


def _number(code: str) -> float:
    try:
        return float(code)
    except ValueError:
        raise InputError(f"Expected a special code to be a number, but got {code!r}.") from None
