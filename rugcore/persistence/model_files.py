"""Models as files: versioned JSON that is checked on the way in. Nothing in such a file can be executed."""

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import asdict
from os import PathLike
from pathlib import Path
from typing import Any, TypeVar, get_args, get_type_hints

import numpy as np

from rugcore.atomic import whole_file
from rugcore.errors import InputError, ModelFileError
from rugcore.fair_training import outcome
from rugcore.fair_training.settings import checked_settings
from rugcore.generation.directions import Directions
from rugcore.generation.loop import Round
from rugcore.persistence.chances import chances_from_dict, chances_to_dict
from rugcore.persistence.fared import fared_from_dict, fared_to_dict
from rugcore.persistence.reference import reference_from_dict, reference_to_dict
from rugcore.rules import serial
from rugcore.rules.decisions import majority
from rugcore.rules.ruleset import RuleSet
from rugcore.tables.schema import Schema
from rugcore.tables.table import Kind
from rugcore.training.directions import bounds_of, read_directions
from rugcore.training.settings import Settings

FORMAT = "rugcore-model"
VERSION = 2  # 2: rounds tell error and gap, models may hold fairness results
# More than any model that a person could read.
LARGEST_FILE = 256 * 1024 * 1024
NOT_SAVED = ("callback",)  # a function is not data
INFINITY = "infinity"

Model = TypeVar("Model")


def save(model: Any, path: str | PathLike[str]) -> None:
    """Write a fitted model; a crash half-way leaves an older file as it was."""
    content = _content(model)
    document = {"format": FORMAT, "version": VERSION, "digest": _digest(content), "model": content}
    text = json.dumps(document, ensure_ascii=False, indent=1, allow_nan=False)
    with whole_file(path) as file:
        file.write(text.encode())


def load(model_class: type[Model], path: str | PathLike[str]) -> Model:
    """Read a model of `model_class`, or say what is wrong with the file."""
    document = _document(Path(path))
    content = document["model"]
    if not isinstance(content, dict) or content.get("class") != model_class.__name__:
        found = content.get("class") if isinstance(content, dict) else content
        raise ModelFileError(f"Expected a {model_class.__name__}, but {path} holds {serial.short(found)}.")
    if document.get("digest") != _digest(content):
        raise ModelFileError(
            f"{path} was changed after it was saved (its checksum does not match). Save the model again."
        )
    try:
        return _model(model_class, content)
    except (ModelFileError, InputError) as error:
        raise ModelFileError(f"{path} is not a model that can be used: {error}") from error


def digest_of(model: Any) -> str:
    """What tells a fitted model from every other: the digest that stands in its file."""
    return _digest(_content(model))


def class_name(path: str | PathLike[str]) -> str:
    """The class of the model in a file."""
    content = _document(Path(path))["model"]
    return str(content.get("class")) if isinstance(content, dict) else ""


def _content(model: Any) -> dict[str, Any]:
    return {
        "class": type(model).__name__,
        "settings": _settings(model),
        "classes": [serial.plain(item) for item in model.classes_.tolist()],
        "class_share": model.class_share_.tolist(),
        "default_class": serial.plain(model.default_class_),
        "columns": _columns(model.schema_),
        "named_columns": hasattr(model, "feature_names_in_"),
        "rules": [serial.rule_to_dict(rule) for rule in model.rules_],
        "objective": model.objective_,
        "lower_bound": model.lower_bound_,
        "stop_reason": model.stop_reason_,
        "solver": model.solver_,
        "history": [asdict(round_) for round_ in model.history_],
    } | (_chances_content(model) | _reference_content(model) | _fair_content(model))


def _columns(schema: Schema) -> list[dict[str, Any]]:
    columns: list[dict[str, Any]] = []
    for name, kind in zip(schema.names, schema.kinds, strict=True):
        specials = schema.specials.get(name, ())
        own = {"special": serial.specials_to_list(specials)} if specials else {}
        columns.append({"name": name, "kind": kind} | own)
    return columns


def _chances_content(model: Any) -> dict[str, Any]:
    """A model from a file without chances is written without them again."""
    return {} if model.chances_ is None else {"chances": chances_to_dict(model.chances_)}


def _reference_content(model: Any) -> dict[str, Any]:
    """A model that does not know whom to compare with does not learn it by being written."""
    reference, fared = model.reference_, model.fared_
    content = {} if reference is None else {"reference": reference_to_dict(reference, model.rule_votes_.cuts)}
    return content if fared is None else content | {"fared": fared_to_dict(fared)}


def _fair_content(model: Any) -> dict[str, Any]:
    if not hasattr(model, "fairness_"):
        return {}
    return {"groups": list(model.groups_), "fairness": outcome.to_dict(model.fairness_)}


def _settings(model: Any) -> dict[str, Any]:
    """Special codes stand with their columns; directions, however they were given, are written by column."""
    settings = {name: value for name, value in model.get_params(deep=False).items() if name not in NOT_SAVED}
    plain = {name: _setting(value) for name, value in settings.items() if _is_plain(value) and name != "special_values"}
    directions = _directions(model)
    if directions is None:
        return plain
    orders = {name: [serial.plain(value) for value in order] for name, order in directions.orders.items()}
    signs = zip(model.schema_.names, directions.sign.tolist(), strict=True)
    return plain | {"monotonic_cst": {name: orders.get(name, sign) for name, sign in signs if sign}}


def _directions(model: Any) -> Directions | None:
    return read_directions(model.monotonic_cst, model.positive_class, model.schema_, model.classes_)


def _is_plain(value: Any) -> bool:
    """A random generator as `random_state` has no place in a file; it is not needed to predict."""
    return value is None or isinstance(value, str | bool | int | float | np.generic)


def _setting(value: Any) -> Any:
    """JSON has no infinity, which epsilon may be."""
    return INFINITY if value == math.inf else serial.plain(value)


def _digest(content: Mapping[str, Any]) -> str:
    canonical = json.dumps(content, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return "sha256:" + hashlib.sha256(canonical.encode()).hexdigest()


def _document(path: Path) -> dict[str, Any]:
    if not path.is_file():
        raise ModelFileError(f"Expected a model file, but there is no file {path}.")
    if path.stat().st_size > LARGEST_FILE:
        raise ModelFileError(f"{path} is larger than any model file ({LARGEST_FILE // 2**20} MB).")
    document = _parsed(path)
    if not isinstance(document, dict) or document.get("format") != FORMAT or "model" not in document:
        raise ModelFileError(f"Expected a model saved by rugcore, but {path} is some other JSON file.")
    if document.get("version") != VERSION:
        raise ModelFileError(
            f"{path} has the format version {document.get('version')!r}, but this rugcore reads version "
            f"{VERSION}. Use the rugcore that saved it, or train again."
        )
    return document


def _parsed(path: Path) -> Any:
    try:
        return serial.parse(path.read_text(encoding="utf-8"))
    except UnicodeDecodeError as error:
        raise ModelFileError(f"Expected a model file in JSON, but {path} is not text.") from error
    except OSError as error:
        raise ModelFileError(f"Expected a model file, but {path} cannot be read ({error.strerror}).") from error
    except ModelFileError as error:
        raise ModelFileError(f"{path} is not a model file. {error}") from error


def _model(model_class: type[Model], content: dict[str, Any]) -> Model:
    model: Any = model_class()
    _take_settings(model, serial.get(content, "settings", dict))
    model.classes_ = _classes(serial.get(content, "classes", list))
    model.class_share_ = _shares(serial.get(content, "class_share", list), len(model.classes_))
    model.default_class_ = _default_class(content, model)
    model.schema_ = _schema(serial.get(content, "columns", list))
    model.special_values = model.schema_.special_values() or None
    model.n_features_in_ = len(model.schema_.names)
    if serial.get(content, "named_columns", bool):
        model.feature_names_in_ = np.array(model.schema_.names, dtype=object)
    model.rules_ = _rules(serial.get(content, "rules", list), model)
    model.objective_ = serial.finite(serial.get(content, "objective"), "objective")
    bound = serial.get(content, "lower_bound")
    model.lower_bound_ = None if bound is None else serial.finite(bound, "lower_bound")
    model.stop_reason_ = serial.get(content, "stop_reason", str)
    model.solver_ = serial.get(content, "solver", str)
    model.chances_ = None  # as in files that were written before there were any
    if "chances" in content:
        model.chances_ = chances_from_dict(content["chances"], len(model.rules_), len(model.classes_))
    model.history_ = [_round(item) for item in serial.get(content, "history", list)]
    model.n_iter_ = len(model.history_)
    if hasattr(model, "guarantee"):
        model.groups_ = tuple(str(name) for name in serial.get(content, "groups", list))
        model.fairness_ = outcome.from_dict(serial.get(content, "fairness", dict))
    model._prepare()
    model._matcher.prepare()
    reference = content.get("reference")  # there was none in the files of earlier versions
    if reference is not None:
        model.reference_ = reference_from_dict(reference, model.rule_votes_.cuts, len(model.classes_))
    model.fared_ = None
    if "fared" in content:
        model.fared_ = fared_from_dict(content["fared"], model.rule_votes_.cuts, len(model.classes_))
    fitted: Model = model
    return fitted


def _take_settings(model: Any, settings: dict[str, Any]) -> None:
    unknown = sorted(set(settings) - set(model.get_params(deep=False)))
    if unknown:
        raise ModelFileError(f"it has the unknown setting {unknown[0]!r}.")
    # Before there was a choice, the loss was the paper's, and a rule could rest on anybody.
    settings = {"loss": "paper", "min_support": 0.0} | settings
    if settings.get("epsilon") == INFINITY:
        settings = {**settings, "epsilon": math.inf}
    model.set_params(**settings)
    Settings.checked(model)
    if hasattr(model, "guarantee"):
        checked_settings(model)


def _classes(items: list[Any]) -> np.ndarray:
    classes = [serial.scalar(item) for item in items]
    if len(classes) < 2 or len({type(item) for item in classes}) > 1:
        raise ModelFileError("expected two or more classes of one kind.")
    if len(set(classes)) < len(classes):
        raise ModelFileError("it names a class twice.")
    return np.array(classes, dtype=object if isinstance(classes[0], str) else None)


def _shares(items: list[Any], n_classes: int) -> np.ndarray:
    shares = np.array([serial.finite(item, "class_share", 0.0, 1.0) for item in items])
    if len(shares) != n_classes or not math.isclose(shares.sum(), 1.0, rel_tol=1e-6):
        raise ModelFileError("expected one share per class, adding up to one.")
    return shares


def _default_class(content: dict[str, Any], model: Any) -> Any:
    """Files of earlier versions do not say: it was the most common class."""
    if "default_class" not in content:
        return model.classes_[majority(model.class_share_)]
    found = serial.scalar(content["default_class"])
    if found not in model.classes_.tolist():
        raise ModelFileError(f"its default class {serial.short(found)} is none of its classes.")
    return found


def _schema(columns: list[Any]) -> Schema:
    names = tuple(serial.get(column, "name", str) for column in columns)
    kinds = tuple(serial.get(column, "kind", str) for column in columns)
    if len(set(names)) < len(names) or not set(kinds) <= set(get_args(Kind)):
        raise ModelFileError("it repeats a column, or gives one an unknown kind.")
    codes = {column["name"]: serial.specials_from_list(column["special"]) for column in columns if "special" in column}
    if any(kind != "number" and name in codes for name, kind in zip(names, kinds, strict=True)):
        raise ModelFileError("it gives special codes to a column that does not hold numbers.")
    return Schema(names, kinds, codes)


def _rules(items: Any, model: Any) -> RuleSet:
    rules = RuleSet(serial.rules_from_list(items))
    names, labels = set(model.schema_.names), set(model.classes_.tolist())
    for number, rule in enumerate(rules, start=1):
        foreign = [feature for feature in rule.features if feature not in names]
        if foreign or rule.label not in labels:
            what = f"column {foreign[0]!r}" if foreign else f"class {rule.label!r}"
            raise ModelFileError(f"rule {number} speaks of the {what}, which the model does not have.")
    _refuse_against_directions(rules, model)
    return rules


def _refuse_against_directions(rules: RuleSet, model: Any) -> None:
    directions, names = _directions(model), model.schema_.names
    if directions is None:
        return
    for number, rule in enumerate(rules, start=1):
        own = model.classes_.tolist().index(rule.label)
        if any(directions.bound(names.index(name), own) != side for name, side in bounds_of(rule, directions, names)):
            raise ModelFileError(f"rule {number} goes against the directions that the model was trained with.")


def _round(item: Any) -> Round:
    """What a round holds is shown in charts, so it must be of the right type; a whole number is a number."""
    values = {}
    for name, expected in get_type_hints(Round).items():
        allowed = get_args(expected) or (expected,)
        values[name] = serial.get(item, name, (*allowed, int) if float in allowed else allowed)
    return Round(**values)
