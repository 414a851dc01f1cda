"""Whatever the table: a veto never comes back, a lock always holds, and decisions are those of the rules as written."""

import warnings
from typing import Any

import numpy as np
import pandas as pd
from hypothesis import given, settings
from hypothesis import strategies as st

from rugcore import FairnessWarning, FairRUGClassifier, RUGClassifier, Rule, governance_of
from rugcore.export import to_python
from rugcore.rules import Condition, Interval, Membership

FEW = settings(max_examples=15)
CODES = {"income": {-9.0: "not stated"}}


@st.composite
def tables(draw: st.DrawFn) -> tuple[pd.DataFrame, pd.Series, pd.Series]:
    """Numbers with a special code and blanks, and more jobs than a column has codes for now and then."""
    n_rows = draw(st.integers(60, 400))
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    n_jobs = draw(st.sampled_from([3, 300]))
    table = pd.DataFrame(
        {
            "income": rng.normal(50, 20, n_rows).round(draw(st.sampled_from([0, 3]))),
            "arrears": rng.integers(0, 6, n_rows).astype(float),
            "job": [f"job {number}" for number in rng.integers(0, n_jobs, n_rows)],
        }
    )
    table.loc[rng.random(n_rows) < 0.15, "income"] = -9.0
    table.loc[rng.random(n_rows) < 0.15, "arrears"] = np.nan
    lead = table["income"] / 20 - table["arrears"].fillna(2) + rng.normal(0, 1.5, n_rows)
    outcome = pd.Series(np.where(lead > lead.median(), "grant", "refuse"))
    return table, outcome, pd.Series(rng.choice(["a", "b"], n_rows))


@st.composite
def conditions(draw: st.DrawFn, table: pd.DataFrame) -> tuple[Condition, ...]:
    """That somebody in the table meets."""
    row = table.iloc[draw(st.integers(0, len(table) - 1))]
    found: list[Condition] = []
    if row["income"] != -9.0:
        found.append(Interval("income", lower=float(row["income"]) - draw(st.floats(0.01, 30.0))))
    if not np.isnan(row["arrears"]):
        found.append(Interval("arrears", upper=float(row["arrears"]) + 0.25, or_missing=draw(st.booleans())))
    found.append(Membership("job", (row["job"],)))
    return tuple(found[: draw(st.integers(1, 3))])


def holds(rule: Rule, row: pd.Series) -> bool:
    """By hand, from what the conditions say of a row of the table."""

    def is_met(condition: Condition) -> bool:
        value = row[condition.feature]
        if isinstance(condition, Membership):
            return (value in condition.values) != condition.negated
        if condition.feature == "income" and value == -9.0:
            said = condition.specials if not isinstance(condition, Interval) else condition.or_special
            return bool(said)
        if not isinstance(condition, Interval):
            return bool(pd.isna(value)) and (condition.kind == "missing" or condition.or_missing)  # type: ignore[union-attr]
        return condition.or_missing if pd.isna(value) else bool(condition.lower < value <= condition.upper)

    return all(map(is_met, rule.conditions))


def saying(rules: Any, rule: Rule) -> list[Rule]:
    return [own for own in rules if (own.conditions, own.label) == (rule.conditions, rule.label)]


@FEW
@given(st.data())
def test_vetoes_locks_and_written_rules_hold(data: st.DataObject) -> None:
    table, outcome, groups = data.draw(tables())
    is_fair = data.draw(st.booleans())
    options = {"max_depth": 2, "max_iter": 3, "penalty": data.draw(st.sampled_from([0.0, 0.5, 2.0]))}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FairnessWarning)
        if is_fair:
            model: Any = FairRUGClassifier(**options, epsilon=0.1, min_cell_size=5, special_values=CODES)
            model.fit(table, outcome, sensitive_features=groups)
        else:
            model = RUGClassifier(**options, special_values=CODES).fit(table, outcome)
        if len(model.rules_) < 2:
            return
        gone, stays = model.rules_[0], model.rules_[-1]
        label = data.draw(st.sampled_from(["grant", "refuse"]))
        mine = Rule(data.draw(conditions(table)), label)
        floor = data.draw(st.floats(0.1, 4.0))
        other = model.governed(vetoed=gone, locked={stays: floor, mine: floor}, added=mine, X=table, y=outcome)
        later = other.refit(penalty=options["penalty"] + 1.0)
    for found in (other, later):
        assert not saying(found.pool_.rules(), gone)
        assert saying(found.rules_, stays)[0].weight >= floor * (1 - 1e-11)  # as weights are written
        (written,) = governance_of(found).written
        assert written.label == label
        assert saying(found.rules_, written)[0].weight >= floor * (1 - 1e-11)
        covered = [holds(written, row) for _, row in table.iterrows()]
        assert written.coverage == np.mean(covered) or abs(written.coverage - np.mean(covered)) < 1e-12
    assert_decides_by_hand(other, table)
    assert_exports_agree(other, table)


def assert_decides_by_hand(model: Any, table: pd.DataFrame) -> None:
    decided = model.predict(table)
    for place in range(0, len(table), 7):
        row, votes = table.iloc[place], {"grant": 0.0, "refuse": 0.0}
        for rule in model.rules_:
            votes[rule.label] += rule.weight * holds(rule, row)
        lead = votes["grant"] - votes["refuse"]
        if abs(lead) > 1e-9:
            assert decided[place] == ("grant" if lead > 0 else "refuse")


def assert_exports_agree(model: Any, table: pd.DataFrame) -> None:
    space: dict[str, Any] = {}
    exec(to_python(model).decode() if isinstance(to_python(model), bytes) else to_python(model), space)
    decide = space["decide"]
    records = table.astype(object).where(table.notna(), None).to_dict("records")
    told = [decide(record) for record in records]
    labels = [own["decision"] if isinstance(own, dict) else own for own in told]
    assert labels == model.predict(table).tolist()
