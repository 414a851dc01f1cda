"""Models that are hard to export: names and values from strangers, every kind of column, ties, nobody covered."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from rugcore import RUGClassifier
from rugcore.rules import Interval, IsMissing, IsSpecial, Membership, Rule, SpecialCode
from tests.rule_models import model_of
from tests.tables import mixed_table

QUOTES = 'it\'s "quoted" `so` [and] so\\'
LINES = "two\nlines -- and; a comment /* */"
SCRIPT = "</script><b>&amp;"
FORMULA = "=1+1"
FOREIGN = "Zürich \u2028 \U0001f600 %s {x}"
INJECTION = "'; DROP TABLE people; --"
LONG = "long " * 200
HOSTILE = (QUOTES, LINES, SCRIPT, FORMULA, FOREIGN, INJECTION, LONG)

SPECIALS = (SpecialCode(-9.0, "no such record"), SpecialCode(5.0, "not asked"))


def exportable(model: RUGClassifier) -> RUGClassifier:
    """A model of rules by hand with what its file needs besides."""
    model.objective_, model.lower_bound_, model.stop_reason_, model.solver_, model.history_ = 0.0, None, "", "", []
    return model


def hostile_model(classes: Sequence[Any] = (QUOTES, SCRIPT, LINES)) -> RUGClassifier:
    """Three classes, and columns and values with hostile names; weights whose sums differ as floats only."""
    table = pd.DataFrame({name: [*HOSTILE, None] for name in HOSTILE} | {"number": np.arange(8.0)})
    a, b, c = classes
    rules = [
        Rule((Membership(QUOTES, (LINES, QUOTES)),), a, 0.1),
        Rule((Membership(LINES, (QUOTES, INJECTION), negated=True),), a, 0.2),
        Rule((Membership(SCRIPT, (SCRIPT,), or_missing=True), Interval("number", upper=3.3)), b, 0.3),
        Rule((Membership(FORMULA, (FORMULA, LONG, FOREIGN), negated=True, or_missing=True),), c, 0.3),
        Rule((Membership(FOREIGN, (FOREIGN,)), Membership(INJECTION, (INJECTION,), negated=True)), b, 0.15),
        Rule((IsMissing(LONG),), c, 0.15),
    ]
    return exportable(model_of(rules, table, classes, share=(0.2, 0.3, 0.5)))


def many_kinds_model(
    classes: Sequence[Any] = (0, 1), next_account: float = 2.0**53 + 2, below_zero: float = -1e-17
) -> RUGClassifier:
    """Numbers with special codes, whole numbers beyond 2**53, single precision, true/false, and codes."""
    table = pd.DataFrame(
        {
            "months": [1.0, -9.0, 5.0, None],
            "account": [2**53 - 1, 2**53, 2**53 + 2, 2**60],
            "ratio": np.array([0.1, 0.2, 0.30000000000000004, 0.7]),
            "tiny": [1e-300, 5e-324, -1e-17, 0.12345678901234568],
            "employed": [True, False, None, True],
            "branch": pd.Categorical([7, 12, None, 1500]),
        }
    )
    table["ratio"] = table["ratio"].astype("float32")
    no, yes = classes
    rules = [
        Rule((Interval("months", 2.0, 8.0, specials=SPECIALS),), no, 1.0),
        Rule((Interval("months", upper=3.0, specials=SPECIALS, or_special=(5.0,)),), yes, 0.7),
        Rule((IsSpecial("months", (SPECIALS[0],), or_missing=True),), yes, 0.3),
        Rule((Interval("months", specials=SPECIALS, or_special=(-9.0,)), Interval("ratio", 0.1)), no, 1.0),
        Rule((Interval("account", upper=float(2**53)),), yes, 1.0),
        Rule((Interval("account", next_account),), no, 0.3),
        Rule((Interval("ratio", 0.1, 0.30000000000000004), Membership("employed", (True,))), yes, 0.6),
        Rule((Interval("tiny", 0.0, 0.12345678901234568, or_missing=True),), no, 0.4),
        Rule((Interval("tiny", upper=below_zero), Membership("branch", (7, 1500))), yes, 0.25),
        Rule((Membership("branch", (12,), negated=True), Membership("employed", (False,))), no, 0.35),
        Rule((Interval("months", specials=SPECIALS, or_special=(-9.0, 5.0)), IsMissing("employed")), yes, 0.35),
    ]
    model = exportable(model_of(rules, table, classes, share=(0.4, 0.6)))
    model.schema_ = replace(model.schema_, specials={"months": SPECIALS})
    model._prepare()
    return model


def cautious_model() -> RUGClassifier:
    """Gives the rarer class to whom no rule covers."""
    model = many_kinds_model()
    model.default_class_ = 0
    model._prepare()
    return model


def many_kinds_for_spreadsheets() -> RUGClassifier:
    """Without thresholds that differ behind the fifteenth digit, or by less than a formula engine sees."""
    return many_kinds_model(next_account=2.0**54, below_zero=-100.0)


def random_model(seed: int, n_classes: int) -> RUGClassifier:
    """Rules at random on every kind of column, with few different weights, so that ties abound."""
    rng = np.random.default_rng(seed)
    table = mixed_table(60, seed)
    classes = [f"class {number}" for number in range(n_classes)]
    share = rng.dirichlet(np.ones(n_classes))
    rules = [_random_rule(rng, table, classes) for _ in range(int(rng.integers(3, 14)))]
    return exportable(model_of(rules, table, classes, share))


def _random_rule(rng: np.random.Generator, table: pd.DataFrame, classes: list[str]) -> Rule:
    names = rng.choice(table.columns, size=int(rng.integers(1, 4)), replace=False).tolist()
    conditions = tuple(_random_condition(rng, str(name), table[name]) for name in names)
    return Rule(conditions, str(rng.choice(classes)), float(rng.choice([0.1, 0.2, 0.3, 0.7, 1 / 3, 2 / 3])))


def _random_condition(rng: np.random.Generator, name: str, column: pd.Series) -> Any:
    or_missing = bool(rng.random() < 0.3)
    known = column.dropna()
    if rng.random() < 0.1:
        return IsMissing(name)
    if name in ("income", "debt ratio", "children"):
        low, high = np.sort(rng.choice(known.astype(float).unique(), 2, replace=False)).tolist()
        bounds = [(low, np.inf), (-np.inf, high), (low, high), (-np.inf, np.inf)][int(rng.integers(4))]
        return Interval(name, *bounds, or_missing)
    values = [value.item() if isinstance(value, np.generic) else value for value in known.unique().tolist()]
    chosen = [values[place] for place in rng.permutation(len(values))[: int(rng.integers(1, len(values) + 1))]]
    return Membership(name, tuple(chosen), bool(rng.random() < 0.4), or_missing)
