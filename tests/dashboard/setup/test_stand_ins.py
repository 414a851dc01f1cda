"""Columns that stand in for the sensitive attribute: the engine's numbers, read in portions, told on the page Data."""

import numpy as np
import pandas as pd
import pytest

from rugboard.runs.store import RunStore
from rugboard.setup import stand_ins as page_part
from rugboard.setup import table_summary
from rugboard.setup.stand_ins import StandIn, in_words, revealing_columns
from rugcore import load_demo, stand_ins
from rugcore.dictionary import DataDictionary
from tests.dashboard.conftest import Open, is_calm, texts

NO_WORDS = DataDictionary().to_json()


def test_it_is_what_the_engine_says_however_few_columns_are_read_at_a_time(
    store: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    demo = load_demo("adult")
    table = demo.X.iloc[:3_000].assign(day=pd.Timestamp("2020-01-01"))
    snapshot = store.snapshots.save(table)
    monkeypatch.setattr(table_summary, "CELLS_AT_ONCE", 2 * len(table))
    found = revealing_columns(snapshot, ("sex",), (), NO_WORDS)
    expected = stand_ins(table.drop(columns=["sex", "day"]), table["sex"]).query("tells >= 0.75")
    assert [item.column for item in found] == expected["column"].tolist()
    np.testing.assert_allclose([item.tells for item in found], expected["tells"])
    assert found
    monkeypatch.setattr(page_part, "SAMPLE", 1_000)
    assert page_part.is_sample(snapshot)


def test_the_page_says_it_before_training_and_only_of_columns_that_rules_may_use(open_page: Open) -> None:
    app = open_page("data")
    app.selectbox(key="demo").select("adult").run()
    app.button(key="use_demo").click().run()
    assert is_calm(app)
    (said,) = [item.value for item in app.info if "stand in for" in item.value]
    assert "a guess from this column alone tells who is who" in said
    assert "of 100**" in said
    app = open_page("data")
    app.selectbox(key="demo").select("hmda").run()
    app.button(key="use_demo").click().run()
    assert "stand in for" not in texts(app)  # none tells well there


def test_strangers_names_do_nothing_and_many_are_not_all_listed() -> None:
    told = [StandIn("*x*", 0.9, "<b>", "b")] * 7
    said = in_words(told, "sex", is_a_sample=True)
    assert r"“\*x\*” in **90 of 100** (“\<b\>” and “b”)" in said
    assert "and 2 more columns" in said
    assert "in a sample of 50,000 rows" in said
