"""Models as files: versioned JSON that is checked on the way in. Nothing in such a file can be executed."""

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import asdict, fields
from os import PathLike
from pathlib import Path
from typing import Any, TypeVar, get_args

import numpy as np

from rugcore.encoding.schema import Schema
from rugcore.encoding.table import Kind
from rugcore.errors import ModelFileError
from rugcore.generation.loop import Round
from rugcore.rules import serial
from rugcore.rules.ruleset import RuleSet

FORMAT = "rugcore-model"
VERSION = 1
# More than any model that a person could read.
LARGEST_FILE = 256 * 1024 * 1024
NOT_SAVED = ("callback",)  # a function is not data

Model = TypeVar("Model")


def save(model: Any, path: str | PathLike[str]) -> None:
    """Write a fitted model; a crash half-way leaves an older file as it was."""
    content = _content(model)
    document = {"format": FORMAT, "version": VERSION, "digest": _digest(content), "model": content}
    target = Path(path)
    partial = target.with_name(target.name + ".partial")
    partial.write_text(json.dumps(document, ensure_ascii=False, indent=1, allow_nan=False), encoding="utf-8")
    partial.replace(target)


def load(model_class: type[Model], path: str | PathLike[str]) -> Model:
    """Read a model of `model_class`, or say what is wrong with the file."""
    document = _document(Path(path))
    content = document["model"]
    if not isinstance(content, dict) or content.get("class") != model_class.__name__:
        found = content.get("class") if isinstance(content, dict) else None
        raise ModelFileError(f"Expected a {model_class.__name__}, but {path} holds {found!r}.")
    if document.get("digest") != _digest(content):
        raise ModelFileError(
            f"{path} was changed after it was saved (its checksum does not match). Save the model again."
        )
    try:
        return _model(model_class, content)
    except (KeyError, TypeError, AttributeError) as error:
        raise ModelFileError(f"{path} is not a complete model: {error!r} is missing or of the wrong type.") from error


def _content(model: Any) -> dict[str, Any]:
    settings = {name: value for name, value in model.get_params(deep=False).items() if name not in NOT_SAVED}
    return {
        "class": type(model).__name__,
        "settings": {name: serial.plain(value) for name, value in settings.items() if _is_plain(value)},
        "classes": [serial.plain(item) for item in model.classes_.tolist()],
        "class_share": model.class_share_.tolist(),
        "columns": [{"name": n, "kind": k} for n, k in zip(model.schema_.names, model.schema_.kinds, strict=True)],
        "named_columns": hasattr(model, "feature_names_in_"),
        "rules": [serial.rule_to_dict(rule) for rule in model.rules_],
        "objective": model.objective_,
        "lower_bound": model.lower_bound_,
        "stop_reason": model.stop_reason_,
        "solver": model.solver_,
        "history": [asdict(round_) for round_ in model.history_],
    }


def _is_plain(value: Any) -> bool:
    """A random generator as `random_state` has no place in a file; it is not needed to predict."""
    return value is None or isinstance(value, str | bool | int | float | np.generic)


def _digest(content: Mapping[str, Any]) -> str:
    canonical = json.dumps(content, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return "sha256:" + hashlib.sha256(canonical.encode()).hexdigest()


def _document(path: Path) -> dict[str, Any]:
    if not path.is_file():
        raise ModelFileError(f"Expected a model file, but there is no file {path}.")
    if path.stat().st_size > LARGEST_FILE:
        raise ModelFileError(f"{path} is larger than any model file ({LARGEST_FILE // 2**20} MB).")
    try:
        document = serial.parse(path.read_text(encoding="utf-8"))
    except UnicodeDecodeError as error:
        raise ModelFileError(f"Expected a model file in JSON, but {path} is not text.") from error
    if not isinstance(document, dict) or document.get("format") != FORMAT or "model" not in document:
        raise ModelFileError(f"Expected a model saved by rugcore, but {path} is some other JSON file.")
    if document.get("version") != VERSION:
        raise ModelFileError(
            f"{path} has the format version {document.get('version')!r}, but this rugcore reads version "
            f"{VERSION}. Use the rugcore that saved it, or train again."
        )
    return document


def _model(model_class: type[Model], content: dict[str, Any]) -> Model:
    model: Any = model_class()
    model.set_params(**_settings(model, content["settings"]))
    model.classes_ = _classes(content["classes"])
    model.class_share_ = _shares(content["class_share"], len(model.classes_))
    model.schema_ = _schema(content["columns"])
    model.n_features_in_ = len(model.schema_.names)
    if content["named_columns"]:
        model.feature_names_in_ = np.array(model.schema_.names, dtype=object)
    model.rules_ = _rules(content["rules"], model)
    model.objective_ = float(content["objective"])
    model.lower_bound_ = None if content["lower_bound"] is None else float(content["lower_bound"])
    model.stop_reason_ = str(content["stop_reason"])
    model.solver_ = str(content["solver"])
    model.history_ = [_round(item) for item in content["history"]]
    model.n_iter_ = len(model.history_)
    model._prepare()
    return model  # type: ignore[no-any-return]


def _settings(model: Any, settings: dict[str, Any]) -> dict[str, Any]:
    unknown = sorted(set(settings) - set(model.get_params(deep=False)))
    if unknown:
        raise ModelFileError(f"The file has the unknown setting {unknown[0]!r}.")
    return settings


def _classes(items: list[Any]) -> np.ndarray:
    if not isinstance(items, list) or len(items) < 2 or len({type(item) for item in items}) > 1:
        raise ModelFileError("The file must name two or more classes of one kind.")
    if len(set(items)) < len(items):
        raise ModelFileError("The file names a class twice.")
    return np.array(items, dtype=object if isinstance(items[0], str) else None)


def _shares(items: list[Any], n_classes: int) -> np.ndarray:
    shares = np.array(items, dtype=float)
    if shares.shape != (n_classes,) or shares.min() < 0 or not math.isclose(shares.sum(), 1.0, rel_tol=1e-6):
        raise ModelFileError("The class shares in the file do not add up to one.")
    return shares


def _schema(columns: list[dict[str, Any]]) -> Schema:
    names = tuple(str(column["name"]) for column in columns)
    kinds = tuple(column["kind"] for column in columns)
    if len(set(names)) < len(names) or not set(kinds) <= set(get_args(Kind)):
        raise ModelFileError("The file repeats a column, or gives one an unknown kind.")
    return Schema(names, kinds)


def _rules(items: Any, model: Any) -> RuleSet:
    rules = RuleSet(serial.rules_from_list(items))
    names, labels = set(model.schema_.names), set(model.classes_.tolist())
    for number, rule in enumerate(rules, start=1):
        foreign = [feature for feature in rule.features if feature not in names]
        if foreign or rule.label not in labels:
            what = f"column {foreign[0]!r}" if foreign else f"class {rule.label!r}"
            raise ModelFileError(f"Rule {number} of the file speaks of the {what}, which the model does not have.")
    return rules


def _round(item: dict[str, Any]) -> Round:
    return Round(**{field.name: item[field.name] for field in fields(Round)})
