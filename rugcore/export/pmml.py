"""The model as PMML 4.4: a RuleSetModel that adds up weights, or a Scorecard with reason codes.

Engines for PMML decide ties as they like. So every class has one more rule that always applies, with a weight too small
to decide anything but a tie: the more common the class was in training, the larger. A tie-breaking weight is larger
than what the model forgives (`TIE_TOLERANCE` of all weights together) and smaller than any difference that counts: half
a unit of weight, or one and a half times what is forgiven, over the number of classes.
"""

import math
import re
from typing import Any
from xml.etree import ElementTree as Xml

from rugcore.errors import InputError
from rugcore.export.cases import ExportCase, cases_of
from rugcore.export.portable import Alternatives, CellTest, PortableColumn, PortableModel, Said
from rugcore.export.text import head, refuse_letters
from rugcore.rules import words
from rugcore.rules.decisions import TIE_TOLERANCE
from rugcore.rules.serial import plain

NAMESPACE = "http://www.dmg.org/PMML-4_4"
NOT_IN_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
KINDS = ("rules", "scorecard")
N_REASONS = 4
NO_REASON = "none"
DECISION, SCORE = "rug_decision", "rug_score"
OPERATOR = {
    "above": "greaterThan",
    "up to": "lessOrEqual",
    "equal": "equal",
    "different": "notEqual",
    "known": "isNotMissing",
    "blank": "isMissing",
}
OPPOSITE: dict[Said, Said] = {
    "above": "up to",
    "up to": "above",
    "equal": "different",
    "different": "equal",
}


def to_pmml(model: Any, kind: str = "rules", positive_class: Any = None) -> str:
    """The model as the text of a PMML 4.4 document, with a hundred test cases as its ModelVerification.

    Parameters
    ----------
    model : RUGClassifier or FairRUGClassifier
        A trained model.
    kind : str, default="rules"
        "rules": a RuleSetModel, which gives the decision. "scorecard", with two classes: a Scorecard, whose score is
        above zero where the decision is the positive class. Its reason codes name what costs most points: "R3" is rule
        3, which applies, "not R3" that it does not apply, and "none" that nothing else costs points.
    positive_class : class or None
        Of a scorecard. None: the one that the model was trained with, or else the second class.
    """
    refuse_pmml(model, kind, positive_class)
    own = PortableModel.of(model)
    document = Xml.Element("PMML", {"xmlns": NAMESPACE, "version": "4.4"})
    _header(document, own)
    target = _free_name(own, "decision")
    _dictionary(document, own, target if kind == "rules" else None)
    if kind == "rules":
        _rule_set(document, own, target)
    else:
        _scorecard(document, own, positive_class)
    Xml.indent(document, " ")
    text = Xml.tostring(document, encoding="unicode")
    # A reader of XML takes a bare return for a new line.
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + text.replace("\r", "&#13;") + "\n"


def refuse_pmml(model: Any, kind: str = "rules", positive_class: Any = None) -> None:
    """Refuse what `to_pmml` would refuse."""
    if kind not in KINDS:
        raise InputError(f"Expected kind to be one of {', '.join(KINDS)}, but got {kind!r}.")
    own = PortableModel.of(model)
    refuse_letters(own, NOT_IN_XML, "PMML")
    if kind == "scorecard":
        _positive(own, positive_class)


def _child(parent: Xml.Element, element: str, /, **attributes: Any) -> Xml.Element:
    return Xml.SubElement(parent, element, {key: _text(value) for key, value in attributes.items()})


def _text(value: Any) -> str:
    """A constant as PMML writes it: doubles with all the digits that they need."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(value) if isinstance(value, float) else str(value)


def _header(document: Xml.Element, model: PortableModel) -> None:
    header = _child(document, "Header", description="Rules that decide by weighted votes")
    _child(header, "Extension", name="model", value=model.model_id)
    _child(header, "Application", name="rugcore", version=model.version)
    _child(header, "Annotation").text = NOT_IN_XML.sub("?", " ".join(head(model)))


def _free_name(model: PortableModel, wanted: str) -> str:
    name = wanted
    while name in {column.name for column in model.columns}:
        name = f"{name}_"
    return name


# -- fields ------------------------------------------------------------------------------------------------


def _dictionary(document: Xml.Element, model: PortableModel, target: str | None) -> None:
    n_fields = len(model.columns) + (target is not None)
    dictionary = _child(document, "DataDictionary", numberOfFields=n_fields)
    for column in model.columns:
        optype = "continuous" if column.kind == "number" else "categorical"
        _child(dictionary, "DataField", name=column.name, optype=optype, dataType=_data_type(model, column))
    if target is not None:
        field = _child(dictionary, "DataField", name=target, optype="categorical", dataType=_type_of(model.classes))
        for label in model.classes:
            _child(field, "Value", value=label)


def _data_type(model: PortableModel, column: PortableColumn) -> str:
    if column.kind != "code":
        return {"number": "double", "category": "string", "boolean": "boolean"}[column.kind]
    number = model.columns.index(column)
    tests = [t for rule in model.rules for c in rule.conditions for own in c for t in own if t.column == number]
    return _type_of([test.value for test in tests if test.value is not None] or [0])


def _type_of(values: Any) -> str:
    if all(isinstance(value, bool) for value in values):
        return "boolean"
    if all(isinstance(value, int) for value in values):
        return "integer"
    return "double" if all(isinstance(value, int | float) for value in values) else "string"


def _mining_schema(parent: Xml.Element, model: PortableModel, target: str | None) -> None:
    schema = _child(parent, "MiningSchema")
    for column in model.columns:
        _child(schema, "MiningField", name=column.name, usageType="active", invalidValueTreatment="asIs")
    if target is not None:
        _child(schema, "MiningField", name=target, usageType="target")


# -- predicates --------------------------------------------------------------------------------------------


def _joined(parent: Xml.Element, operator: str, parts: list[Any]) -> None:
    """A compound predicate, or the only part as it is; each part writes itself into its parent."""
    if not parts:
        _child(parent, "True" if operator == "and" else "False")
    elif len(parts) == 1:
        parts[0](parent)
    else:
        compound = _child(parent, "CompoundPredicate", booleanOperator=operator)
        for part in parts:
            part(compound)


def _test(model: PortableModel, test: CellTest) -> Any:
    value = {} if test.said in ("known", "blank") else {"value": test.value}
    name = model.columns[test.column].name
    return lambda parent: _child(parent, "SimplePredicate", field=name, operator=OPERATOR[test.said], **value)


def _any(parts: list[Any]) -> Any:
    return lambda parent: _joined(parent, "or", parts)


def _all(parts: list[Any]) -> Any:
    return lambda parent: _joined(parent, "and", parts)


def _condition(model: PortableModel, alternatives: Alternatives) -> Any:
    return _any([_all([_test(model, test) for test in tests]) for tests in alternatives])


def _applies(model: PortableModel, conditions: tuple[Alternatives, ...]) -> Any:
    return _all([_condition(model, condition) for condition in conditions])


def _nobody(model: PortableModel) -> Any:
    """That no rule with a weight applies, without a NOT: for a blank that would be neither true nor false."""
    rules = [rule for rule in model.rules if rule.units]
    return _all([_any([_fails(model, condition) for condition in rule.conditions]) for rule in rules])


def _fails(model: PortableModel, alternatives: Alternatives) -> Any:
    return _all([_any([_fails_test(model, test) for test in tests]) for tests in alternatives])


def _fails_test(model: PortableModel, test: CellTest) -> Any:
    if test.said in ("known", "blank"):
        return _test(model, CellTest(test.column, "blank" if test.said == "known" else "known"))
    return _any(
        [
            _test(model, CellTest(test.column, OPPOSITE[test.said], test.value)),
            _test(model, CellTest(test.column, "blank")),
        ]
    )


# -- the two kinds of model --------------------------------------------------------------------------------


def tie_weight(model: PortableModel) -> float:
    """By how much a class is ahead of the next one in a tie, in units."""
    forgiven = 1.5 * TIE_TOLERANCE * model.total_units
    half_a_unit = 2.0 ** -math.ceil(math.log2(2 * len(model.classes)))
    return half_a_unit if forgiven <= half_a_unit else float(math.ceil(forgiven))


def _rule_set(document: Xml.Element, model: PortableModel, target: str) -> None:
    own = _child(document, "RuleSetModel", modelName="rules", functionName="classification", algorithmName="RUG")
    _mining_schema(own, model, target)
    output = _child(own, "Output")
    kind = {"optype": "categorical", "dataType": _type_of(model.classes)}
    _child(output, "OutputField", name=_free_name(model, DECISION), feature="predictedValue", **kind)
    rules = _child(own, "RuleSet", defaultScore=model.classes[model.default])
    _child(rules, "RuleSelectionMethod", criterion="weightedSum")
    for number, rule in enumerate(model.rules, start=1):
        score = model.classes[rule.class_code]
        simple = _child(rules, "SimpleRule", id=f"R{number}", score=score, weight=float(rule.units))
        _applies(model, rule.conditions)(simple)
    step = tie_weight(model)
    for place, code in enumerate(reversed(model.by_share[:-1]), start=1):
        simple = _child(rules, "SimpleRule", id=f"tie{place}", score=model.classes[code], weight=place * step)
        _child(simple, "True")
    if model.default != model.by_share[0]:
        weight = len(model.classes) * step
        simple = _child(rules, "SimpleRule", id="nobody", score=model.classes[model.default], weight=weight)
        _nobody(model)(simple)
    _verification(own, model, target)


def _scorecard(document: Xml.Element, model: PortableModel, positive_class: Any) -> None:
    positive = _positive(model, positive_class)
    step = tie_weight(model)
    initial = step if model.by_share[0] == positive else -step
    own = _child(
        document,
        "Scorecard",
        modelName="scorecard",
        functionName="regression",
        algorithmName="RUG",
        initialScore=initial,
        useReasonCodes=True,
        reasonCodeAlgorithm="pointsBelow",
        baselineMethod="other",
    )
    _mining_schema(own, model, None)
    _scorecard_output(own, model, positive)
    rows = _child(own, "Characteristics")
    for number, rule in enumerate(model.rules, start=1):
        points = rule.units if rule.class_code == positive else -rule.units
        _characteristic(rows, f"R{number}", points, _applies(model, rule.conditions), rule.text)
    if not model.rules or model.default != model.by_share[0]:
        undone = -2 * initial if model.default != model.by_share[0] else 0.0
        _characteristic(rows, "nobody", undone, _nobody(model), "no rule applies")
    _verification(own, model, None)


def _positive(model: PortableModel, positive_class: Any) -> int:
    if len(model.classes) != 2:
        raise InputError(
            f"Expected a model with two classes for a scorecard, but this one has {len(model.classes)}. Take the rules."
        )
    wanted = model.source.positive_class if positive_class is None else positive_class
    if wanted is None:
        return 1
    if plain(wanted) not in model.classes:
        known = ", ".join(words.clear(label) for label in model.classes)
        raise InputError(f"Expected positive_class to be one of {known}, but got {wanted!r}.")
    return model.classes.index(plain(wanted))


def _characteristic(rows: Xml.Element, code: str, points: float, applies: Any, text: str) -> None:
    """One rule: its points where it applies. A reason is what costs points, so the better of its two cases has none."""
    row = _child(rows, "Characteristic", name=code, baselineScore=max(float(points), 0.0))
    _child(row, "Extension", name="text", value=NOT_IN_XML.sub("?", text))
    costs = points < 0
    applies(_child(row, "Attribute", partialScore=float(points), reasonCode=code if costs else NO_REASON))
    _child(_child(row, "Attribute", partialScore=0.0, reasonCode=NO_REASON if costs else f"not {code}"), "True")


def _scorecard_output(own: Xml.Element, model: PortableModel, positive: int) -> None:
    output = _child(own, "Output")
    score = _free_name(model, SCORE)
    _child(output, "OutputField", name=score, optype="continuous", dataType="double", feature="predictedValue")
    kind = {"optype": "categorical", "dataType": _type_of(model.classes)}
    decision = _child(output, "OutputField", name=_free_name(model, DECISION), feature="transformedValue", **kind)
    choice = _child(decision, "Apply", function="if")
    above = _child(choice, "Apply", function="greaterThan")
    _child(above, "FieldRef", field=score)
    _child(above, "Constant", dataType="double").text = "0.0"
    for code in (positive, 1 - positive):
        _child(choice, "Constant", dataType=_type_of(model.classes)).text = _text(model.classes[code])
    for rank in range(1, min(N_REASONS, max(len(model.rules), 1)) + 1):
        name = _free_name(model, f"rug_reason_{rank}")
        kind = {"optype": "categorical", "dataType": "string"}
        _child(output, "OutputField", name=name, feature="reasonCode", rank=rank, **kind)


# -- test cases --------------------------------------------------------------------------------------------


def _verification(own: Xml.Element, model: PortableModel, target: str | None) -> None:
    """The cases, for engines that verify themselves; a blank cell is left out."""
    cases = cases_of(model)
    verification = _child(own, "ModelVerification", recordCount=len(cases), fieldCount=len(model.columns) + 1)
    fields = _child(verification, "VerificationFields")
    for number, column in enumerate(model.columns):
        _child(fields, "VerificationField", field=column.name, column=f"c{number}")
    expected = target if target is not None else _free_name(model, DECISION)
    _child(fields, "VerificationField", field=expected, column="expected")
    table = _child(verification, "InlineTable")
    for case in cases:
        _row(table, case)


def _row(table: Xml.Element, case: ExportCase) -> None:
    row = _child(table, "row")
    for number, cell in enumerate(case.cells):
        if cell is not None:
            _child(row, f"c{number}").text = _text(cell)
    _child(row, "expected").text = _text(case.decision)
