"""Every export by its name, as a file."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from rugcore.errors import InputError
from rugcore.export.excel import to_excel
from rugcore.export.javascript import to_javascript
from rugcore.export.json_form import to_json
from rugcore.export.pmml import to_pmml
from rugcore.export.python_code import to_python
from rugcore.export.sql import to_sql


@dataclass(frozen=True)
class ExportFormat:
    """What a format is called, how its files end, and how they are made."""

    name: str
    ending: str
    make: Callable[..., str | bytes]
    options: tuple[str, ...] = ()


def _scorecard(model: Any, positive_class: Any = None) -> str:
    return to_pmml(model, "scorecard", positive_class)


FORMATS = {
    "sql": ExportFormat("SQL", ".sql", to_sql, ("table", "dialect")),
    "pmml": ExportFormat("PMML, rules", ".pmml", to_pmml),
    "scorecard": ExportFormat("PMML, scorecard with reason codes", ".pmml", _scorecard, ("positive_class",)),
    "python": ExportFormat("Python", ".py", to_python),
    "javascript": ExportFormat("JavaScript", ".js", to_javascript),
    "excel": ExportFormat("Excel workbook", ".xlsx", to_excel),
    "json": ExportFormat("JSON", ".json", to_json),
}


def export_file(model: Any, to: str, **options: Any) -> bytes:
    """The content of the file that holds a model in another format.

    Parameters
    ----------
    model : RUGClassifier or FairRUGClassifier
        A trained model.
    to : str
        "sql", "pmml", "scorecard", "python", "javascript", "excel" or "json".
    **options
        Of the format: `table` and `dialect` of "sql", `positive_class` of "scorecard"; None is as if not given.
    """
    if to not in FORMATS:
        raise InputError(f"Expected the format to be one of {', '.join(FORMATS)}, but got {to!r}.")
    wanted = FORMATS[to]
    given = {name: value for name, value in options.items() if value is not None}
    foreign = sorted(set(given) - set(wanted.options))
    if foreign:
        raise InputError(f"Expected no {foreign[0]} with the format {to}: it has no use for it.")
    content = wanted.make(model, **given)
    return content.encode() if isinstance(content, str) else content
