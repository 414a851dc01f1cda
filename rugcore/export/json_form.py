"""The model as JSON for programs of any language, and the schema of all JSON that rugcore writes."""

import json
from pathlib import Path
from typing import Any

from rugcore.export.cases import ExportCase, cases_of
from rugcore.export.portable import PortableColumn, PortableModel
from rugcore.rules.decisions import TIE_TOLERANCE
from rugcore.rules.serial import rule_to_dict, specials_to_list

FORMAT = "rugcore-decisions"
VERSION = 1
SCHEMA = Path(__file__).with_name("schemas") / "rugcore.schema.json"


def to_json(model: Any) -> str:
    """The model as JSON with all that is needed to decide, and a hundred test cases; `json_schema` describes it.

    Parameters
    ----------
    model : RUGClassifier or FairRUGClassifier
        A trained model.
    """
    own = PortableModel.of(model)
    rules = zip(model.rules_, own.rules, strict=True)
    document = {
        "format": FORMAT,
        "version": VERSION,
        "model": own.model_id,
        "rugcore": own.version,
        "columns": [_column(column) for column in own.columns],
        "classes": list(own.classes),
        "tie_order": [own.classes[code] for code in own.by_share],
        "tie_tolerance": TIE_TOLERANCE,
        "default": own.classes[own.default],
        "units_per_weight": 10**own.decimals,
        "rules": [rule_to_dict(rule) | {"units": portable.units} for rule, portable in rules],
        "cases": [_case(own, case) for case in cases_of(own)],
    }
    return json.dumps(document, ensure_ascii=False, indent=1, allow_nan=False)


def json_schema() -> dict[str, Any]:
    """The JSON schema (draft 2020-12) of `to_json`, of saved models and of `RuleSet.to_json`."""
    found: dict[str, Any] = json.loads(SCHEMA.read_text(encoding="utf-8"))
    return found


def _column(column: PortableColumn) -> dict[str, Any]:
    own = {"special": specials_to_list(column.specials)} if column.specials else {}
    return {"name": column.name, "kind": column.kind} | own


def _case(model: PortableModel, case: ExportCase) -> dict[str, Any]:
    names = [column.name for column in model.columns]
    cells = dict(zip(names, case.cells, strict=True))
    return {"cells": cells, "decision": case.decision, "rules_that_apply": case.n_rules}
