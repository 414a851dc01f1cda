"""The data dictionary on Data: suggested, edited, kept with the table, and recognised again."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from rugboard.runs.dictionaries import Dictionaries, KeptDictionary
from rugboard.runs.home import Home
from rugboard.setup.dictionary_table import frame_of, with_changes
from rugboard.setup.drafts import ColumnChoices
from rugboard.setup.suggestions_view import open_suggestions
from rugboard.setup.table_summary import TableHealth
from rugcore.data_quality import examine
from rugcore.dictionary import ColumnEntry, DataDictionary, suggest
from rugcore.errors import InputError
from tests.dashboard.conftest import Open, is_calm, offered_files, texts
from tests.dashboard.pages.test_data import choose, draft, upload_frame

TARGET = ColumnChoices(target="y", favourable="yes")


@pytest.fixture
def coded() -> pd.DataFrame:
    """Cryptic names, codes that are no amounts, a protected column, an identifier, and a leak."""
    rng = np.random.default_rng(3)
    n_rows = 600
    income = rng.normal(3000, 800, n_rows).round()
    is_good = income + rng.normal(0, 700, n_rows) > 2900
    return pd.DataFrame(
        {
            "apno": range(10_001, 10_001 + n_rows),
            "hinc": np.where(rng.random(n_rows) < 0.1, -9, income),
            "mths": rng.integers(0, 90, n_rows),
            "sex": rng.choice(["f", "m"], n_rows),
            "fee": np.where(is_good, rng.uniform(50, 90, n_rows).round(1), 0.0),
            "y": np.where(is_good, "yes", "no"),
        }
    )


def opened(app: AppTest, table: pd.DataFrame, name: str = "loans.csv") -> AppTest:
    app = upload_frame(app, table, name)
    app = choose(app, "selectbox", "target", "y")
    return choose(app, "radio", "favourable", "yes")


def press(app: AppTest, answer: str, column: str, what: str, table: pd.DataFrame) -> AppTest:
    """Accept or refuse one suggestion, found by its place among those on the page."""
    names = table.columns
    kept = Dictionaries(Home.current()).find(names) or KeptDictionary("", DataDictionary.blank(names))
    found = open_suggestions(suggest(table, "y", "yes"), kept, TARGET)
    place = next(place for place, one in enumerate(found) if (one.column, one.what) == (column, what))
    buttons = [item for item in app.button if str(item.key).startswith(f"{answer}_") and item.label == answer.title()]
    assert len(buttons) == len(found)
    return buttons[place].click().run()


def kept(table: pd.DataFrame) -> KeptDictionary:
    found = Dictionaries(Home.current()).find(table.columns)
    assert found is not None
    return found


def test_suggestions_are_accepted_and_refused_one_by_one(open_page: Open, coded: pd.DataFrame) -> None:
    app = opened(open_page("data"), coded)
    assert "Its name says 'sex'" in texts(app)
    assert "hinc" in draft(app).features
    assert "sex" not in draft(app).features  # off by its name, before anybody has said so
    app = press(app, "accept", "sex", "protected", coded)
    assert is_calm(app)
    assert "sex" not in draft(app).features
    assert "1 column is protected and not used: “sex”." in texts(app)
    assert "Its name says 'sex'" not in texts(app)
    app = press(app, "accept", "hinc", "special", coded)
    assert kept(coded).dictionary.entry("hinc").special == {-9: "code -9"}
    app = press(app, "refuse", "fee", "left_out", coded)
    assert not kept(coded).dictionary.entry("fee").left_out
    assert "fee_paid" not in texts(app)
    again = opened(open_page("data"), coded, "newer.csv")  # what was refused does not come back
    assert all(one.column != "fee" or one.what != "left_out" for one in offered(coded))
    app = again.button("offer_again").click().run()
    assert any(one.column == "fee" and one.what == "left_out" for one in offered(coded))
    assert is_calm(app)


def offered(table: pd.DataFrame) -> list:
    return open_suggestions(suggest(table, "y", "yes"), kept(table), TARGET)


def test_all_are_accepted_only_after_a_second_press(open_page: Open, coded: pd.DataFrame) -> None:
    app = opened(open_page("data"), coded)
    assert "Read them first" in texts(app)
    assert "From names and values: 1 protected, 2 to leave out" in texts(app)
    app.button("accept_all").click().run()
    assert is_calm(app)
    known = kept(coded).dictionary
    assert known.entry("sex").protected
    assert known.entry("fee").left_out
    assert set(draft(app).features) == {"hinc", "mths"}
    assert "All suggestions are answered; Meaning shows what was said." in texts(app)


def test_a_newer_file_is_recognised_by_its_columns(open_page: Open, coded: pd.DataFrame) -> None:
    app = opened(open_page("data"), coded)
    press(app, "accept", "sex", "protected", coded)
    newer = coded.drop(columns="mths").assign(branch=1.5)
    app = opened(open_page("data"), newer, "loans 2026.csv")
    assert "Recognised from “loans.csv”: 5 of 6 columns." in texts(app)
    assert "sex" not in draft(app).features
    app = opened(open_page("data"), coded, "loans 2027.csv")
    assert "Recognised from “loans.csv”: all 6 columns." in texts(app)
    app.button("forget_dictionary").click().run()
    assert is_calm(app)
    assert kept(coded).dictionary == DataDictionary.blank(coded.columns)
    assert "Its name says 'sex'" in texts(app)
    assert "Recognised" not in texts(app)
    app = opened(open_page("data"), pd.DataFrame({"a": range(50), "y": ["yes", "no"] * 25}), "other.csv")
    assert "Recognised" not in texts(app)


def test_one_column_is_told_about_in_detail(open_page: Open, coded: pd.DataFrame) -> None:
    app = opened(open_page("data"), coded)
    app = choose(app, "selectbox", "detail", "hinc")
    next(item for item in app.text_area if "description" in str(item.key)).set_value("Of the household")
    wording = next(item for item in app.text_input if str(item.key).endswith("-low"))
    wording.set_value("{wrong} is low")
    app = next(item for item in app.button if "keep_detail" in str(item.key)).click().run()
    assert "Expected no other words in braces" in texts(app)
    wording = next(item for item in app.text_input if str(item.key).endswith("-low"))
    wording.set_value("Your {column} is not enough.")
    app = next(item for item in app.button if "keep_detail" in str(item.key)).click().run()
    assert is_calm(app)
    entry = kept(coded).dictionary.entry("hinc")
    assert (entry.description, entry.wording.low) == ("Of the household", "Your {column} is not enough.")


def test_the_dictionary_goes_home_and_comes_back(open_page: Open, coded: pd.DataFrame) -> None:
    app = opened(open_page("data"), coded)
    press(app, "accept", "sex", "protected", coded)
    app = open_page("data")
    app = opened(app, coded)
    files = offered_files(app)
    before = kept(coded).dictionary
    for label, name in (("Dictionary as CSV", "d.csv"), ("Dictionary as JSON", "d.json")):
        Dictionaries(Home.current()).keep(KeptDictionary("loans.csv", DataDictionary.blank(coded.columns)))
        app = bring(app, name, files[label])
        assert "tells of 6 of the 6 columns" in texts(app)
        assert kept(coded).dictionary == before
    app = bring(app, "x.csv", b"nothing of the kind")
    assert is_calm(app)
    assert kept(coded).dictionary == before


def bring(app: AppTest, name: str, content: bytes) -> AppTest:
    uploader = next(item for item in app.file_uploader if "dictionary_file" in str(item.key))
    uploader.set_value((name, content, "application/octet-stream"))
    return app.run()


# -- the table that only a browser can edit ----------------------------------------------------------------


def health_of(table: pd.DataFrame) -> TableHealth:
    return TableHealth(examine(table, "y").columns, (), 0)


def test_cells_that_were_changed_are_taken_over_and_no_others(coded: pd.DataFrame) -> None:
    names = tuple(coded.columns)
    before = frame_of(DataDictionary.blank(names), names)
    after = before.copy()
    after.loc["hinc", ["label", "unit", "effect", "change", "lowest"]] = ["income", "EUR", "helps", "only up", 0.0]
    after.loc["sex", "protected"] = True
    meanwhile = DataDictionary.blank(names).with_entry("mths", ColumnEntry(label="by somebody else"))
    new, for_words = with_changes(meanwhile, before, after, health_of(coded))
    assert new.entry("hinc") == ColumnEntry(label="income", unit="EUR", effect="helps", change="up", lowest=0.0)
    assert new.entry("sex") == ColumnEntry(protected=True)
    assert new.entry("mths").label == "by somebody else"
    assert for_words == []
    assert with_changes(new, frame_of(new, names), frame_of(new, names), health_of(coded)) == (new, [])


def test_words_have_no_direction(coded: pd.DataFrame) -> None:
    names = tuple(coded.columns)
    before = frame_of(DataDictionary.blank(names), names)
    after = before.copy()
    after.loc["sex", ["effect", "label"]] = ["helps", "gender"]
    new, for_words = with_changes(DataDictionary.blank(names), before, after, health_of(coded))
    assert new.entry("sex") == ColumnEntry(label="gender")
    assert for_words == ["sex"]


def test_two_columns_cannot_have_one_label(coded: pd.DataFrame) -> None:
    names = tuple(coded.columns)
    before = frame_of(DataDictionary.blank(names), names)
    after = before.assign(label=["same" if name in ("hinc", "mths") else "" for name in names])
    with pytest.raises(InputError, match="'same'"):
        with_changes(DataDictionary.blank(names), before, after, health_of(coded))


def test_a_cell_can_be_emptied(coded: pd.DataFrame) -> None:
    names = tuple(coded.columns)
    said = DataDictionary.blank(names).with_entry("hinc", ColumnEntry(label="x", effect="harms", highest=5.0))
    before = frame_of(said, names)
    after = before.astype(object)
    after.loc["hinc", ["label", "effect", "highest"]] = [None, None, None]
    assert with_changes(said, before, after, health_of(coded))[0].entry("hinc").is_blank
    assert replace(said.entry("hinc"), label="", effect="unknown", highest=None).is_blank


def test_what_may_have_come_later_is_no_feature_until_somebody_has_said_so(
    open_page: Open, coded: pd.DataFrame
) -> None:
    table = coded.assign(dunning_letters=np.random.default_rng(5).integers(0, 4, len(coded)))
    table["Title"] = np.where(table["sex"] == "f", "Ms", "Mr")
    app = opened(open_page("data"), table)
    assert not {"dunning_letters", "Title"} & set(draft(app).features)
    assert "Left out until you have said whether they were known before the decision: “dunning_letters”." in texts(app)
    app = press(app, "refuse", "dunning_letters", "left_out", table)
    assert is_calm(app)
    assert "dunning_letters" in draft(app).features
    assert "Left out until you have said" not in texts(app)
    app = opened(open_page("data"), table, "newer.csv")  # answered once for such a table
    assert "dunning_letters" in draft(app).features
