"""Columns that were worked out from others are found, and nothing that only looks so."""

import numpy as np
import pytest

from rugcore.tables.relations import Relation, relations_of

N = 1_000


def people(seed: int = 0) -> dict[str, np.ndarray]:
    random = np.random.default_rng(seed)
    return {
        "income": random.lognormal(10.5, 0.5, N).round(-2),
        "loan": 100.0 * random.integers(10, 350, N),
        "age": random.integers(20, 70, N).astype(float),
    }


MADE = {
    "a ratio": (lambda c: (c["loan"] / c["income"]).round(2), "made = loan / income"),
    "a percentage": (lambda c: 100 * c["loan"] / c["income"], "made = 100 * loan / income"),
    "a total": (lambda c: c["loan"] + c["income"], "made = income + loan"),
    "what is left": (lambda c: (c["income"] - c["loan"]) + 0.0, "made = income - loan"),
    "a product": (lambda c: c["loan"] * c["age"], "made = loan * age"),
    "a yearly amount": (lambda c: 12 * c["income"], "made = 12 * income"),
    "single precision": (lambda c: (c["loan"] / c["income"]).astype(np.float32).astype(float), "made = loan / income"),
}


@pytest.mark.parametrize("kind", MADE)
def test_what_was_worked_out_is_found(kind):
    columns = people()
    make, words = MADE[kind]
    relations = relations_of(columns | {"made": make(columns)})
    if kind in ("a total", "what is left", "a yearly amount"):  # as fine as its sources: any of the three may be it
        assert {*relations[0].sources, relations[0].column} <= {"made", "loan", "income"}
    else:
        assert [str(own) for own in relations] == [words]


def test_a_ratio_survives_blanks_and_a_few_errors():
    columns = people()
    ratio = (columns["loan"] / columns["income"]).round(2)
    ratio[:200] = np.nan
    ratio[200:210] += 0.5
    (found,) = relations_of(columns | {"ratio": ratio})
    assert str(found) == "ratio = loan / income"


@pytest.mark.parametrize("seed", range(5))
def test_nothing_is_made_up(seed):
    columns = people(seed)
    random = np.random.default_rng(100 + seed)
    columns["noisy"] = (columns["loan"] / columns["income"] * random.normal(1, 0.02, N)).round(3)
    columns["coarse"] = (columns["age"] / 20).round()
    columns["score"] = random.normal(size=N)
    assert relations_of(columns) == ()


def test_a_chain_has_no_source_that_is_worked_out_itself():
    columns = people()
    columns |= {"monthly": (columns["income"] / 12).round(2), "ratio": (columns["loan"] / columns["income"]).round(3)}
    found = {own.column: own.sources for own in relations_of(columns)}
    assert found == {"monthly": ("income",), "ratio": ("loan", "income")}


@pytest.mark.parametrize("operation", ["+", "-", "*", "/"])
def test_sources_are_found_back(operation):
    relation = Relation("made", "first", operation, "second", factor=1.0 if operation in "+-" else 2.0)
    cells = {"first": 12.0, "second": 5.0}
    made = relation.value(cells)
    for source in ("first", "second"):
        other = cells | {source: -1.0}
        assert relation.source_for(source, made, other) == pytest.approx(cells[source])


def test_what_cannot_be_divided_is_no_number():
    relation = Relation("ratio", "loan", "/", "income")
    assert relation.value({"loan": 5.0, "income": 0.0}) is None
    assert relation.source_for("income", 0.0, {"loan": 5.0, "income": 1.0}) is None


# --- Totals of three, and chains ------------------------------------------------------------------------------------


def budget(seed: int, named: str = "disposable_income") -> dict[str, np.ndarray]:
    random = np.random.default_rng(seed)
    net = random.lognormal(7.8, 0.4, N).round()
    rent, payment = (net * random.uniform(0.15, 0.5, N)).round(), random.lognormal(6, 0.6, N).round()
    return {"net": net, "rent": rent, "payment": payment, named: net - rent - payment}


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("named", ["disposable_income", "x"])  # by its name, or because only it falls below nought
def test_what_is_left_after_two_payments_is_found(seed, named):
    columns = budget(seed, named)
    assert columns[named].min() < 0
    (found,) = relations_of(columns)
    assert str(found) == f"{named} = net - rent - payment"
    cells = {name: values[0] for name, values in columns.items()}
    assert found.value(cells) == cells[named]
    for source in found.sources:
        assert found.source_for(source, cells[named], cells | {source: -1.0}) == cells[source]


@pytest.mark.parametrize("seed", range(5))
def test_no_total_is_made_up(seed):
    columns = budget(seed)
    columns["disposable_income"] += np.random.default_rng(seed).integers(-2, 3, N)
    assert relations_of(columns) == ()


def test_a_ratio_of_what_is_worked_out_itself():
    columns = people() | {"deposit": 50.0 * np.random.default_rng(1).integers(1, 20, N)}
    columns["financed"] = columns["loan"] + columns["deposit"]
    columns["monthly"] = (columns["financed"] / 12).round(2)
    found = [str(own) for own in relations_of(columns)]
    assert found == ["financed = loan + deposit", "monthly = 0.0833333 * financed"]  # sources come first
