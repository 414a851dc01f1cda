"""The model as one JavaScript file that needs nothing, for browsers and for node."""

import json
from typing import Any

from rugcore.export.portable import CellTest, PortableModel, PortableRule
from rugcore.export.program import filled, guarded
from rugcore.export.text import comment, refuse_long_numbers

SIGN = {"above": ">", "up to": "<=", "equal": "===", "different": "!=="}

PROGRAM = """"use strict";

const MODEL = {model_id};
const VERSION = {version};
const CLASSES = {classes};
const BY_SHARE = {by_share}; // places of the classes, the most common in training first
const DEFAULT = {default}; // place of the class that is taken where no rule applies
const UNITS = {units}; // of weight that make 1.0; weights are whole so that sums are exact
const TIE_TOLERANCE = {tolerance}; // share of the votes by which two sums may differ and be the same
const COLUMNS = {columns};

// The decision about one row, an object from column names to values; null, undefined or NaN is a blank.
// Returns decision, scores (one per class, as in CLASSES), rules (numbers of those that apply) and decidedBy.
function decide(row) {{
  const c = COLUMNS.map(([name, kind]) => readCell(row, name, kind));
  const votes = CLASSES.map(() => 0);
  const rules = applying(c);
  for (const [, place, weight] of rules) votes[place] += weight;
  const total = votes.reduce((sum, vote) => sum + vote, 0);
  const least = Math.max(...votes) - TIE_TOLERANCE * total;
  const best = BY_SHARE.filter((place) => votes[place] >= least);
  return {{
    decision: CLASSES[total > 0 ? best[0] : DEFAULT],
    scores: votes.map((vote) => (vote - (total - vote) / (CLASSES.length - 1)) / UNITS),
    rules: rules.map(([number]) => number),
    decidedBy: !(total > 0) ? "default" : best.length === 1 ? "rules" : "tie",
  }};
}}

// The numbers of the test cases that are decided otherwise than the model did; none, if all is well.
function check() {{
  const wrong = [];
  CASES.forEach(([cells, decision, nRules], place) => {{
    const answer = decide(new Map(COLUMNS.map(([name], k) => [name, cells[k]])));
    if (answer.decision !== decision || answer.rules.length !== nRules) wrong.push(place + 1);
  }});
  return wrong;
}}

function readCell(row, name, kind) {{
  const isThere = row instanceof Map ? row.has(name) : Object.prototype.hasOwnProperty.call(row, name);
  if (!isThere) throw new Error("Expected a value for column " + JSON.stringify(name) + ". Give null if not known.");
  const value = row instanceof Map ? row.get(name) : row[name];
  const isNumber = kind === "number" || kind === "code";
  if (value === null || value === undefined || Number.isNaN(value)) return isNumber ? NaN : null;
  const given = typeof value;
  if (kind === "number" && given === "boolean") return value ? 1 : 0;
  const wanted = isNumber ? "number" : kind === "boolean" ? "boolean" : "string";
  if (given !== wanted && !(isNumber && given === "bigint")) {{
    throw new Error("Expected a " + wanted + " in column " + JSON.stringify(name) + ", but got a " + given + ".");
  }}
  if (isNumber && !Number.isFinite(Number(value))) {{
    throw new Error("Expected a finite number in column " + JSON.stringify(name) + ".");
  }}
  return isNumber ? Number(value) : value;
}}

// Number, place of the class and weight of every rule that applies; no comparison holds for a blank (NaN).
function applying(c) {{
  const found = [];
{rules}  return found;
}}

// The values of COLUMNS, the decision, how many rules apply; made from thresholds, nobody's row.
const CASES = [
{cases}];

if (typeof module !== "undefined") {{
  module.exports = {{ decide, check, MODEL, VERSION, CLASSES, COLUMNS, CASES }};
  if (typeof require !== "undefined" && require.main === module) {{
    const wrong = check();
    console.log(CASES.length - wrong.length + " of " + CASES.length + " test cases as the model decides them.");
    process.exitCode = wrong.length ? 1 : 0;
  }}
}}
"""


def to_javascript(model: Any) -> str:
    """The model as the text of a JavaScript file with a function `decide(row)`, which needs no package.

    `check()` in it runs a hundred test cases that come along, and so does running the file with node.

    Parameters
    ----------
    model : RUGClassifier or FairRUGClassifier
        A trained model.
    """
    refuse_javascript(model)
    return filled(PROGRAM, PortableModel.of(model), "//", literal, _rule, indent="  ")


def refuse_javascript(model: Any) -> None:
    """Refuse what `to_javascript` would refuse."""
    refuse_long_numbers(PortableModel.of(model), "JavaScript")


def literal(value: Any) -> str:
    """JSON in ASCII; also inside a page no text can end the script."""
    return json.dumps(value, ensure_ascii=True, allow_nan=False).replace("<", "\\u003c").replace(">", "\\u003e")


def _rule(model: PortableModel, number: int, rule: PortableRule, words: str) -> str:
    conditions = " && ".join(_condition(model, condition) for condition in rule.conditions) or "true"
    return f"  // {comment(words)}\n  if ({conditions}) found.push([{number}, {rule.class_code}, {rule.units}]);\n"


def _condition(model: PortableModel, condition: Any) -> str:
    texts = [" && ".join(_test(model, test) for test in guarded(tests)) for tests in condition]
    if len(texts) == 1:
        return texts[0]
    return f"({' || '.join(f'({text})' if '&&' in text else text for text in texts)})"


def _test(model: PortableModel, test: CellTest) -> str:
    cell = f"c[{test.column}]"
    is_number = model.columns[test.column].kind in ("number", "code")
    if test.said == "blank":
        return f"{cell} !== {cell}" if is_number else f"{cell} === null"
    if test.said == "known":
        return f"{cell} === {cell}" if is_number else f"{cell} !== null"
    return f"{cell} {SIGN[test.said]} {literal(test.value)}"
