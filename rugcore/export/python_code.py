"""The model as one Python file that needs nothing but Python."""

import math
from typing import Any

from rugcore.export.portable import CellTest, PortableModel, PortableRule
from rugcore.export.program import filled, guarded
from rugcore.export.text import comment

SIGN = {"above": ">", "up to": "<=", "equal": "==", "different": "!="}

PROGRAM = '''
MODEL = {model_id}
VERSION = {version}
CLASSES = {classes}
BY_SHARE = {by_share}  # places of the classes, the most common in training first
DEFAULT = {default}  # place of the class that is taken where no rule applies
UNITS = {units}  # of weight that make 1.0; weights are whole so that sums are exact
TIE_TOLERANCE = {tolerance}  # share of the votes by which two sums may differ and be the same
COLUMNS = {columns}


def decide(row):
    """The decision about one row, a mapping from column names to values; None or NaN is a blank.

    Returns decision, scores (one per class, as in CLASSES), rules (numbers of those that apply) and decided_by.
    """
    cells = {{name: _cell(row, name, kind) for name, kind in COLUMNS}}
    votes = [0] * len(CLASSES)
    numbers = []
    for number, place, weight in _applying(cells):
        votes[place] += weight
        numbers.append(number)
    total = sum(votes)
    best = [place for place in BY_SHARE if votes[place] >= max(votes) - TIE_TOLERANCE * total]
    place = best[0] if total else DEFAULT
    return {{
        "decision": CLASSES[place],
        "scores": [(vote - (total - vote) / (len(CLASSES) - 1)) / UNITS for vote in votes],
        "rules": numbers,
        "decided_by": "default" if not total else "rules" if len(best) == 1 else "tie",
    }}


def check():
    """The numbers of the test cases that are decided otherwise than the model did; none, if all is well."""
    names = [name for name, _ in COLUMNS]
    found = [decide(dict(zip(names, cells))) for cells, _, _ in CASES]
    wanted = [(decision, n_rules) for _, decision, n_rules in CASES]
    given = [(answer["decision"], len(answer["rules"])) for answer in found]
    return [number for number, (one, other) in enumerate(zip(given, wanted), start=1) if one != other]


def _cell(row, name, kind):
    if name not in row:
        raise ValueError("Expected a value for column %r, but the row has none. Give None if it is not known." % name)
    value = row[name]
    is_blank = value is None or value != value
    if kind == "category" or kind == "boolean":
        if is_blank:
            return None
        fits = isinstance(value, str) if kind == "category" else type(value).__name__ in ("bool", "bool_")
        if not fits:
            wanted = "text" if kind == "category" else "True or False"
            raise ValueError("Expected %s in column %r, but got %r." % (wanted, name, value))
        return value if kind == "category" else bool(value)
    if is_blank:
        return float("nan")
    if isinstance(value, (str, bytes)):
        raise ValueError("Expected a number in column %r, but got %r." % (name, value))
    number = float(value)
    if number - number != 0:
        raise ValueError("Expected a finite number in column %r, but got %r." % (name, value))
    return number if kind == "number" else value


def _applying(c):
    """Number, place of the class and weight of every rule that applies; no comparison holds for a blank (NaN)."""
{rules}    return
    yield  # also where there are no rules


CASES = [  # the values of COLUMNS, the decision, how many rules apply; made from thresholds, nobody's row
{cases}]

if __name__ == "__main__":
    wrong = check()
    print("%d of %d test cases as the model decides them." % (len(CASES) - len(wrong), len(CASES)))
    raise SystemExit(1 if wrong else 0)
'''


def to_python(model: Any) -> str:
    """The model as the text of a Python file with a function `decide(row)`, which needs no package.

    `check()` in it runs a hundred test cases that come along, and so does running the file.

    Parameters
    ----------
    model : RUGClassifier or FairRUGClassifier
        A trained model.
    """
    return filled(PROGRAM, PortableModel.of(model), "#", literal, _rule, indent="    ")


def literal(value: Any) -> str:
    """In ASCII, so that no editor and no encoding changes it."""
    return ascii(value)


def _rule(model: PortableModel, number: int, rule: PortableRule, words: str) -> str:
    conditions = " and ".join(_condition(model, condition) for condition in rule.conditions) or "True"
    return f"    # {comment(words)}\n    if {conditions}:\n        yield {number}, {rule.class_code}, {rule.units}\n"


def _condition(model: PortableModel, condition: Any) -> str:
    texts = [" and ".join(_test(model, test) for test in guarded(tests)) for tests in condition]
    return texts[0] if len(texts) == 1 else f"({' or '.join(texts)})"


def _test(model: PortableModel, test: CellTest) -> str:
    column = model.columns[test.column]
    cell = f"c[{literal(column.name)}]"
    is_number = column.kind in ("number", "code")
    if test.said == "blank":
        return f"{cell} != {cell}" if is_number else f"{cell} is None"
    if test.said == "known":
        return f"{cell} == {cell}" if is_number else f"{cell} is not None"
    assert not (isinstance(test.value, float) and math.isinf(test.value))
    return f"{cell} {SIGN[test.said]} {literal(test.value)}"
