"""The population stability index: against its formula, against chance, and in words."""

import numpy as np
import pandas as pd
import pytest

from rugcore.monitoring import column_drift
from rugcore.monitoring.drift import BEFOREHAND, MOVED_FAR, STEADY, TOO_FEW
from rugcore.tables import Table
from rugcore.tables.schema import Schema
from rugcore.tables.special import special_codes
from rugcore.tables.table import read_table


def tables(then: pd.DataFrame, now: pd.DataFrame) -> tuple[Table, Table]:
    first = read_table(then)
    return first, Schema.of(first).read(now)


def test_psi_is_the_formula_over_categories() -> None:
    then = pd.DataFrame({"home": ["rent"] * 60 + ["own"] * 40})
    now = pd.DataFrame({"home": ["rent"] * 20 + ["own"] * 30})
    p, q = (np.array(counts) + BEFOREHAND for counts in ([60, 40], [20, 30]))
    p, q = p / p.sum(), q / q.sum()
    line = column_drift(*tables(then, now)).iloc[0]
    assert line["psi"] == pytest.approx(((q - p) * np.log(q / p)).sum())
    assert (line["then"], line["now"]) in [(0.6, 0.4), (0.4, 0.6)]


def test_numbers_are_cut_into_tenths_of_then() -> None:
    then = pd.DataFrame({"income": np.arange(1_000.0)})
    now = pd.DataFrame({"income": np.full(1_000, 2_000.0)})  # all in the last tenth
    line = column_drift(*tables(then, now)).iloc[0]
    p, q = (np.array([100] * 10) + 0.5) / 1_005, (np.array([0] * 9 + [1_000]) + 0.5) / 1_005
    assert line["psi"] == pytest.approx(((q - p) * np.log(q / p)).sum())
    assert line["status"] == MOVED_FAR
    assert line["change"].startswith("income > 899")
    assert (line["then"], line["now"]) == pytest.approx((0.1, 1.0))


def test_where_nothing_moves_chance_is_seldom_exceeded() -> None:
    """The bound is meant to be passed by any of the columns once in a hundred comparisons."""
    generator = np.random.default_rng(0)
    n_false = 0
    for _ in range(200):
        then, now = (pd.DataFrame(generator.normal(size=(size, 4)), columns=list("abcd")) for size in (400, 150))
        found = column_drift(*tables(then, now))
        n_false += bool((found["psi"] > found["by_chance"]).any())
    assert n_false <= 10


def test_few_people_cannot_tell_and_equal_people_are_steady() -> None:
    generator = np.random.default_rng(1)
    then = pd.DataFrame({"a": generator.normal(size=500)})
    assert column_drift(*tables(then, then)).iloc[0]["status"] == STEADY
    assert column_drift(*tables(then, then.head(12))).iloc[0]["status"] == TOO_FEW


def test_blanks_new_values_and_special_codes_are_bins_of_their_own() -> None:
    then = pd.DataFrame({"months": [-9.0] * 50 + list(range(50)), "home": ["own"] * 100})
    now = pd.DataFrame({"months": [np.nan] * 100, "home": ["boat"] * 100})
    first = read_table(then)
    coded = Table(first.names, first.kinds, then, special_codes({"months": {-9: "no record"}}, first))
    found = column_drift(coded, Schema.of(coded).read(now)).set_index("column")
    assert found.loc["months", "change"] == "months is missing"
    assert found.loc["home", "change"] in ("home is a value that was not there", "home is own")
    kept = column_drift(coded, Schema.of(coded).read(then.assign(months=-9.0))).set_index("column")
    assert kept.loc["months", "change"] == 'months is "no record"'


def test_a_column_with_one_value_does_not_move() -> None:
    same = pd.DataFrame({"a": [1.0] * 30})
    line = column_drift(*tables(same, same)).iloc[0]
    assert line["psi"] == pytest.approx(0.0)
    assert line["status"] == STEADY
