"""Every export by its name, as a file."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from rugcore.errors import InputError
from rugcore.export.excel import refuse_excel, to_excel
from rugcore.export.javascript import refuse_javascript, to_javascript
from rugcore.export.json_form import to_json
from rugcore.export.pmml import refuse_pmml, to_pmml
from rugcore.export.portable import PortableModel
from rugcore.export.python_code import to_python
from rugcore.export.sql import refuse_sql, to_sql


@dataclass(frozen=True)
class ExportFormat:
    """What a format is called, how its files end, how they are made, and what is asked before."""

    name: str
    ending: str
    make: Callable[..., str | bytes]
    refuse: Callable[..., None] = lambda model: None  # noqa: ARG005
    options: tuple[str, ...] = ()


def _scorecard(model: Any, positive_class: Any = None) -> str:
    return to_pmml(model, "scorecard", positive_class)


def _refuse_scorecard(model: Any, positive_class: Any = None) -> None:
    refuse_pmml(model, "scorecard", positive_class)


FORMATS = {
    "sql": ExportFormat("SQL", ".sql", to_sql, refuse_sql, ("table", "dialect")),
    "pmml": ExportFormat("PMML, rules", ".pmml", to_pmml, refuse_pmml),
    "scorecard": ExportFormat(
        "PMML, scorecard with reason codes", ".pmml", _scorecard, _refuse_scorecard, ("positive_class",)
    ),
    "python": ExportFormat("Python", ".py", to_python),
    "javascript": ExportFormat("JavaScript", ".js", to_javascript, refuse_javascript),
    "excel": ExportFormat("Excel workbook", ".xlsx", to_excel, refuse_excel),
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
    wanted, given = _wanted(to, options)
    content = wanted.make(model, **given)
    return content.encode() if isinstance(content, str) else content


def refuse_export(model: Any, to: str, **options: Any) -> None:
    """Say now, and quickly, what `export_file` with the same arguments would refuse."""
    wanted, given = _wanted(to, options)
    wanted.refuse(model, **given)


def _wanted(to: str, options: dict[str, Any]) -> tuple[ExportFormat, dict[str, Any]]:
    if to not in FORMATS:
        raise InputError(f"Expected the format to be one of {', '.join(FORMATS)}, but got {to!r}.")
    wanted = FORMATS[to]
    given = {name: value for name, value in options.items() if value is not None}
    foreign = sorted(set(given) - set(wanted.options))
    if foreign:
        raise InputError(f"Expected no {foreign[0]} with the format {to}: it has no use for it.")
    return wanted, given


def default_class(model: Any) -> Any:
    """What a trained model decides where no rule applies."""
    own = PortableModel.of(model)
    return own.classes[own.default]
