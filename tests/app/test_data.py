"""Data: demos, uploads, and what is asked about the columns."""

import io

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from tests.app.conftest import Open, is_calm, texts
from ui.drafts import Draft


def upload(app: AppTest, name: str, content: bytes) -> AppTest:
    app.file_uploader[0].set_value((name, content, "application/octet-stream"))
    return app.run()


def upload_frame(app: AppTest, frame: pd.DataFrame, name: str = "loans.csv") -> AppTest:
    return upload(app, name, frame.to_csv(index=False).encode())


def choose(app: AppTest, kind: str, name: str, value: object) -> AppTest:
    """Set the widget whose key begins with the name."""
    widget = next(item for item in getattr(app, kind) if str(item.key).startswith(f"{name}-"))
    widget.set_value(value)
    return app.run()


def draft(app: AppTest) -> Draft:
    kept = app.session_state["_draft"]
    assert isinstance(kept, Draft)
    return kept


def use_demo(app: AppTest, name: str) -> AppTest:
    app.selectbox("demo").select(name).run()
    return app.button("use_demo").click().run()


def test_nothing_is_chosen_at_first(open_page: Open) -> None:
    app = open_page("data")
    assert is_calm(app)
    assert "Nothing chosen yet" in texts(app)


@pytest.mark.parametrize("name", ["hmda", "credit_data", "lending_club", "adult", "compas"])
def test_everything_about_a_demo_is_known_and_shown(open_page: Open, name: str) -> None:
    app = use_demo(open_page("data"), name)
    assert is_calm(app)
    chosen = draft(app)
    assert chosen.is_ready
    assert chosen.to_plan().features
    assert "Known for this demo" in texts(app)
    assert app.dataframe  # the groups


def test_all_sensitive_options_of_a_demo_are_left_out_of_the_rules(open_page: Open) -> None:
    app = use_demo(open_page("data"), "adult")
    assert not {"sex", "race"} & set(draft(app).columns.features or ())


def test_the_sensitive_attribute_is_a_feature_only_by_choice(open_page: Open) -> None:
    app = use_demo(open_page("data"), "hmda")
    app = choose(app, "toggle", "in_rules", True)
    assert "African American" in (draft(app).columns.features or ())
    app = choose(app, "toggle", "in_rules", False)
    assert "African American" not in (draft(app).columns.features or ())


def test_the_favourable_outcome_of_an_upload_is_asked_and_not_guessed(
    open_page: Open, three_outcomes: pd.DataFrame
) -> None:
    app = upload_frame(open_page("data"), three_outcomes)
    assert is_calm(app)
    assert draft(app).columns.target is None
    app = choose(app, "selectbox", "target", "outcome")
    assert draft(app).columns.favourable is None
    assert "please say which outcome serves the applicant well" in texts(app)
    app = choose(app, "radio", "favourable", "grant")
    assert is_calm(app)
    assert draft(app).is_ready


def test_identifiers_and_copies_of_the_outcome_are_left_out(open_page: Open, three_outcomes: pd.DataFrame) -> None:
    app = upload_frame(open_page("data"), three_outcomes)
    app = choose(app, "selectbox", "target", "outcome")
    features = draft(app).columns.features or ()
    assert "income" in features
    assert not {"customer_id", "verdict", "outcome"} & set(features)
    assert "customer_id" in texts(app)


def test_several_sensitive_columns_make_a_group_of_each_combination(
    open_page: Open, three_outcomes: pd.DataFrame
) -> None:
    app = upload_frame(open_page("data"), three_outcomes)
    app = choose(app, "selectbox", "target", "outcome")
    app = choose(app, "radio", "favourable", "grant")
    app = choose(app, "multiselect", "sensitive", ["region", "employed"])
    assert is_calm(app)
    groups = next(table.value for table in app.dataframe if "rate" in table.value)
    assert len(groups) == three_outcomes[["region", "employed"]].astype("str").fillna("").drop_duplicates().shape[0]
    assert groups["rows"].sum() == len(three_outcomes)
    assert any("(blank)" in group for group in groups["group"])


def test_a_number_makes_groups_by_bands_that_can_be_edited(open_page: Open, three_outcomes: pd.DataFrame) -> None:
    app = upload_frame(open_page("data"), three_outcomes)
    app = choose(app, "selectbox", "target", "outcome")
    app = choose(app, "radio", "favourable", "grant")
    app = choose(app, "multiselect", "sensitive", ["income"])
    assert is_calm(app)
    assert draft(app).columns.bands["income"]
    app = choose(app, "text_input", "bands", "30000, 50000")
    assert draft(app).columns.bands["income"] == (30_000.0, 50_000.0)
    groups = next(table.value for table in app.dataframe if "rate" in table.value).set_index("group")["rows"]
    income = three_outcomes["income"]
    assert groups["under 30,000"] == (income < 30_000).sum()
    assert groups["50,000 and over"] == (income >= 50_000).sum()


@pytest.mark.parametrize("typed", ["a, b", "50, 30", "", "inf"])
def test_bands_that_make_no_sense_are_refused_in_one_sentence(
    open_page: Open, three_outcomes: pd.DataFrame, typed: str
) -> None:
    app = upload_frame(open_page("data"), three_outcomes)
    app = choose(app, "selectbox", "target", "outcome")
    app = choose(app, "multiselect", "sensitive", ["income"])
    app = choose(app, "text_input", "bands", typed)
    assert is_calm(app)
    assert "bands of 'income' need" in texts(app)


def test_more_groups_than_can_be_compared_are_refused(open_page: Open, three_outcomes: pd.DataFrame) -> None:
    table = three_outcomes.assign(street=[f"street {number}" for number in range(len(three_outcomes))])
    app = upload_frame(open_page("data"), table)
    app = choose(app, "selectbox", "target", "outcome")
    app = choose(app, "multiselect", "sensitive", ["street"])
    assert is_calm(app)
    assert "at most 50 can be compared" in texts(app)


def test_a_target_with_too_many_values_is_refused(open_page: Open, three_outcomes: pd.DataFrame) -> None:
    app = upload_frame(open_page("data"), three_outcomes)
    app = choose(app, "selectbox", "target", "income")
    assert is_calm(app)
    assert "different values, and an outcome has between 2 and 20" in texts(app)


def test_choices_survive_a_visit_to_another_page(open_page: Open, three_outcomes: pd.DataFrame) -> None:
    app = upload_frame(open_page("data"), three_outcomes)
    app = choose(app, "selectbox", "target", "outcome")
    app = choose(app, "radio", "favourable", "grant")
    app = choose(app, "multiselect", "sensitive", ["region"])
    before = draft(app)
    app.switch_page("pages/train.py").run()
    app.switch_page("pages/data.py").run()
    assert is_calm(app)
    assert draft(app) == before


def test_the_notes_of_the_reader_are_shown(open_page: Open) -> None:
    content = "größe;wert\n" + "\n".join(f"{number};{'ja' if number % 2 else 'nein'}" for number in range(60))
    app = upload(open_page("data"), "tabelle.csv", content.encode("cp1252"))
    assert is_calm(app)
    assert draft(app).table.notes
    assert app.info


def test_parquet_and_excel_are_read(open_page: Open, three_outcomes: pd.DataFrame) -> None:
    buffer = io.BytesIO()
    three_outcomes.to_parquet(buffer)
    app = upload(open_page("data"), "loans.parquet", buffer.getvalue())
    assert is_calm(app)
    assert draft(app).table.name == "loans.parquet"


def test_names_from_a_file_are_shown_letter_for_letter(open_page: Open) -> None:
    rng = np.random.default_rng(0)
    hostile = "<img src=x onerror=alert(1)> **bold** :red[x]"
    table = pd.DataFrame({hostile: rng.choice(["$a$", "`b`"], 200), "x": rng.random(200), "=1+1": rng.random(200)})
    app = upload_frame(open_page("data"), table, "**loud**.csv")
    app = choose(app, "selectbox", "target", hostile)
    app = choose(app, "radio", "favourable", "$a$")
    assert is_calm(app)
    shown = [element.value for kind in (app.markdown, app.caption, app.subheader) for element in kind]
    assert not any("<img" in text or ":red[x]" in text or "**loud**" in text for text in shown)


BROKEN = {
    "empty.csv": b"",
    "only_header.csv": b"a,b,c\n",
    "ragged.csv": b"a,b\n1,2\n3,4,5\n",
    "twice.csv": b"a,a\n1,2\n3,4\n",
    "binary.csv": bytes(range(256)) * 20,
    "picture.png.csv": b"\x89PNG\r\n\x1a\n" + b"\0" * 100,
    "not.parquet": b"PAR1 this is no parquet PAR1",
    "cut.parquet": b"PAR1" + b"\0" * 50,
    "not.xlsx": b"PK\x03\x04 not a workbook",
    "old.xls": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 512,
    "page.csv": b"<html><body>Not found</body></html>",
    "bomb.gz": b"\x1f\x8b\x08\x00broken",
    "quotes.csv": b'a,b\n"1,2\n3,4\n',
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_file_is_refused_in_one_sentence(open_page: Open, name: str) -> None:
    app = upload(open_page("data"), name, BROKEN[name])
    assert is_calm(app)
    assert len(app.error) == 1
    assert "Traceback" not in app.error[0].value


def test_a_refusal_goes_away_with_the_next_file(open_page: Open, three_outcomes: pd.DataFrame) -> None:
    app = upload(open_page("data"), "empty.csv", b"")
    assert app.error
    app = upload_frame(app, three_outcomes)
    assert not app.error


def test_data_that_is_gone_is_a_kind_sentence(open_page: Open, three_outcomes: pd.DataFrame, store) -> None:
    app = upload_frame(open_page("data"), three_outcomes)
    store.snapshots.remove(draft(app).table.snapshot)
    app.run()
    assert is_calm(app)
    assert "is gone. Load it again" in texts(app)
