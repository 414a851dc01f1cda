"""A small reader of PMML, written from the standard and not from the writer: rule sets and scorecards.

Predicates know three values: true, false, and None for unknown, which a comparison with a missing value is.
"""

import operator
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from xml.etree import ElementTree as Xml

SPACE = {"p": "http://www.dmg.org/PMML-4_4"}
READ = {"string": str, "double": float, "integer": int, "boolean": lambda text: text == "true"}
COMPARE = {
    "equal": operator.eq,
    "notEqual": operator.ne,
    "lessThan": operator.lt,
    "lessOrEqual": operator.le,
    "greaterThan": operator.gt,
    "greaterOrEqual": operator.ge,
}


@dataclass(frozen=True)
class PmmlModel:
    """A document, its fields in order, and how their constants are read."""

    root: Xml.Element
    kinds: dict[str, str]
    inputs: list[str]

    def decide(self, rows: Sequence[tuple[Any, ...]]) -> list[Any]:
        rule_set = self.root.find("p:RuleSetModel", SPACE)
        decided = self._by_rules if rule_set is not None else self._by_points
        return [decided(dict(zip(self.inputs, row, strict=True))) for row in rows]

    def cases(self) -> list[tuple[dict[str, str], str]]:
        """The rows of the ModelVerification: texts by field, and the text that is expected."""
        fields = self.root.findall(".//p:VerificationField", SPACE)
        names = {field.attrib["column"]: field.attrib["field"] for field in fields}
        rows = self.root.findall(".//p:InlineTable/p:row", SPACE)
        lines = [{cell.tag.rpartition("}")[2]: cell.text or "" for cell in row} for row in rows]
        return [({names[k]: v for k, v in line.items() if k != "expected"}, line["expected"]) for line in lines]

    def _by_rules(self, cells: dict[str, Any]) -> Any:
        model = self.root.find("p:RuleSetModel", SPACE)
        assert model is not None
        target = next(
            f.attrib["name"]
            for f in model.findall("p:MiningSchema/p:MiningField", SPACE)
            if f.get("usageType") == "target"
        )
        sums: dict[str, float] = {}
        for rule in model.findall("p:RuleSet/p:SimpleRule", SPACE):
            if self._holds(rule[0], cells) is True:
                sums[rule.attrib["score"]] = sums.get(rule.attrib["score"], 0.0) + float(rule.attrib["weight"])
        rules = model.find("p:RuleSet", SPACE)
        assert rules is not None
        said = max(sums, key=lambda score: sums[score]) if sums else rules.attrib["defaultScore"]
        return READ[self.kinds[target]](said)

    def _by_points(self, cells: dict[str, Any]) -> Any:
        model = self.root.find("p:Scorecard", SPACE)
        assert model is not None
        score = float(model.attrib["initialScore"])
        for row in model.findall("p:Characteristics/p:Characteristic", SPACE):
            attributes = row.findall("p:Attribute", SPACE)
            score += next(float(a.attrib["partialScore"]) for a in attributes if self._holds(a[0], cells) is True)
        constants = model.findall("p:Output/p:OutputField/p:Apply/p:Constant", SPACE)
        chosen = constants[0] if score > 0 else constants[1]
        return READ[chosen.attrib["dataType"]](chosen.text or "")

    def _holds(self, predicate: Xml.Element, cells: dict[str, Any]) -> bool | None:
        name = predicate.tag.rpartition("}")[2]
        if name in ("True", "False"):
            return name == "True"
        if name == "CompoundPredicate":
            parts = [self._holds(part, cells) for part in predicate]
            return _and(parts) if predicate.attrib["booleanOperator"] == "and" else _or(parts)
        assert name == "SimplePredicate", name
        value, asked = cells[predicate.attrib["field"]], predicate.attrib["operator"]
        if asked in ("isMissing", "isNotMissing"):
            return (value is None) == (asked == "isMissing")
        if value is None:
            return None
        constant = READ[self.kinds[predicate.attrib["field"]]](predicate.attrib["value"])
        return bool(COMPARE[asked](value, constant))


def _and(parts: list[bool | None]) -> bool | None:
    return False if False in parts else None if None in parts else True


def _or(parts: list[bool | None]) -> bool | None:
    return True if True in parts else None if None in parts else False


def read_pmml(text: str) -> PmmlModel:
    root = Xml.fromstring(text.encode())
    fields = root.findall("p:DataDictionary/p:DataField", SPACE)
    kinds = {field.attrib["name"]: field.attrib["dataType"] for field in fields}
    inputs = [f.attrib["name"] for f in root.findall(".//p:MiningField", SPACE) if f.get("usageType") == "active"]
    return PmmlModel(root, kinds, inputs)
