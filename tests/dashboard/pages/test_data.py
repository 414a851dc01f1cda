"""Data: demos, uploads, and what is asked about the columns."""

import io
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import mannwhitneyu
from streamlit.testing.v1 import AppTest

from rugboard.setup import charts, table_summary
from rugboard.setup.demo_dictionaries import demo_dictionary
from rugboard.setup.drafts import Draft, draft_from_json
from rugcore import list_demos, load_demo
from rugcore.data_quality import examine
from rugcore.dictionary import ColumnEntry, DataDictionary
from tests.dashboard.conftest import Open, is_calm, texts


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


# Whoever can lose much has much: true of these rows, and still nobody is refused for having lost too little.
AGAINST_THE_ROWS = {("adult", "capital loss")}


@pytest.mark.parametrize("name", list_demos())
def test_what_is_known_of_a_demo_is_about_its_columns(name: str) -> None:
    """And the rows do not say the opposite: more of what helps goes with the favourable outcome, where they tell."""
    demo, known = load_demo(name), demo_dictionary(name)
    assert known.columns
    assert set(known.columns) <= set(demo.X.columns)
    is_good = (demo.y == demo.favourable).to_numpy()
    for column, said in known.monotonic_cst().items():
        if isinstance(said, tuple):
            assert set(said) <= set(demo.X[column]), column
        places = {value: place for place, value in enumerate(said)} if isinstance(said, tuple) else None
        values = (demo.X[column] if places is None else demo.X[column].astype(object).map(places)).to_numpy(dtype=float)
        sign = said if isinstance(said, int) else 1
        found = mannwhitneyu(values[is_good], values[~is_good], nan_policy="omit")
        share = found.statistic / (np.isfinite(values[is_good]).sum() * np.isfinite(values[~is_good]).sum())
        goes_along = bool(found.pvalue > 0.05 or (share - 0.5) * sign > 0)
        assert goes_along is ((name, column) not in AGAINST_THE_ROWS), column


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


def test_columns_of_an_upload_that_are_protected_by_name_are_left_out_and_said(
    open_page: Open, three_outcomes: pd.DataFrame
) -> None:
    table = three_outcomes.assign(personal_status_and_sex="x", foreign_worker=range(len(three_outcomes)))
    table["foreign_worker"] %= 2
    table.loc[::3, "personal_status_and_sex"] = "y"
    app = upload_frame(open_page("data"), table)
    app = choose(app, "selectbox", "target", "outcome")
    assert not {"personal_status_and_sex", "foreign_worker"} & set(draft(app).columns.features or ())
    (said,) = (line for line in texts(app).splitlines() if "may stand for a protected group" in line)
    plain = said.replace("\\", "")
    assert "“personal_status_and_sex”" in plain
    assert "“foreign_worker”" in plain
    assert "Tick them to use them." in plain


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


def test_a_refresh_keeps_the_upload_and_what_was_chosen(open_page: Open, three_outcomes: pd.DataFrame) -> None:
    app = upload_frame(open_page("data"), three_outcomes.assign(age=three_outcomes["income"].round(-3)))
    app = choose(app, "selectbox", "target", "outcome")
    app = choose(app, "radio", "favourable", "grant")
    app = choose(app, "multiselect", "sensitive", ["region", "age"])
    app = read_as(app, branch="category")
    draft_id = app.query_params["draft"]
    refreshed = open_page("data")
    assert "_draft" not in refreshed.session_state
    refreshed.query_params["draft"] = draft_id
    refreshed.run()
    assert is_calm(refreshed)
    assert draft(refreshed) == draft(app)
    assert draft(refreshed).is_ready
    assert draft(refreshed).columns.kinds == {"branch": "category"}


@pytest.mark.parametrize("draft_id", ["", "0" * 32, "../../etc/passwd", "x"])
def test_an_address_that_names_no_draft_is_no_harm(open_page: Open, draft_id: str) -> None:
    app = open_page("data")
    app.query_params["draft"] = draft_id
    app.run()
    assert is_calm(app)
    assert "Nothing chosen yet" in texts(app)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"table": {}, "columns": {}, "settings": {}}', '{"table": 1}'])
def test_a_damaged_draft_is_none(text: str) -> None:
    with pytest.raises(ValueError, match="draft|Expecting"):
        draft_from_json(text)


def test_the_notes_of_the_reader_are_shown(open_page: Open) -> None:
    content = "größe;wert\n" + "\n".join(f"{number};{'ja' if number % 2 else 'nein'}" for number in range(60))
    app = upload(open_page("data"), "tabelle.csv", content.encode("cp1252"))
    assert is_calm(app)
    assert draft(app).table.notes
    assert app.info


def read_as(app: AppTest, **kinds: str) -> AppTest:
    """As if chosen in the table of columns, which only a browser can edit; a new visit shows what was chosen."""
    kept = draft(app)
    app.session_state["_draft"] = kept.with_columns(replace(kept.columns, kinds=kinds))
    app.session_state["_visit"] += 1
    return app.run()


@pytest.fixture
def dated(three_outcomes: pd.DataFrame) -> pd.DataFrame:
    """With a column of dates and one of numbers as text."""
    n_rows = len(three_outcomes)
    days = [f"2021-{1 + row % 12:02}-{1 + row % 28:02}" for row in range(n_rows)]
    return three_outcomes.assign(day=days, code=[f"{100 * (row % 3):03}" for row in range(n_rows)])


def ready(app: AppTest, table: pd.DataFrame) -> AppTest:
    app = upload_frame(app, table)
    app = choose(app, "selectbox", "target", "outcome")
    return choose(app, "radio", "favourable", "grant")


def test_what_cannot_be_read_as_numbers_is_said_at_once_and_not_trained(open_page: Open, dated: pd.DataFrame) -> None:
    app = ready(open_page("data"), dated)
    assert draft(app).is_ready
    app = read_as(app, day="number", code="number")
    assert is_calm(app)
    assert len(app.error) == 1
    n_rows = len(dated)
    assert (
        f"Column 'day' cannot be read as numbers because of '2021-01-01' and the like in all {n_rows:,} rows"
        in texts(app)
    )
    assert draft(app).columns.unreadable == ("day",)
    assert not draft(app).is_ready
    assert "please say how to read the columns that do not hold numbers" in texts(app)
    app = read_as(app, code="number")
    assert not app.error
    assert draft(app).is_ready


def test_remarks_follow_what_was_chosen_for_a_column(open_page: Open, dated: pd.DataFrame) -> None:
    app = ready(open_page("data"), dated)
    assert "Column 'day' looks like dates" in texts(app)
    assert "Column 'code' holds numbers as text" in texts(app)
    app = read_as(app, day="category", code="number")
    assert "looks like dates" not in texts(app)
    assert "holds numbers as text" not in texts(app)


def test_dates_are_no_features_until_somebody_says_how_to_read_them(open_page: Open, dated: pd.DataFrame) -> None:
    """A rule would ask for one day, and somebody be told that the application is "2021-02-21"."""
    app = ready(open_page("data"), dated)
    assert "day" not in (draft(app).columns.features or ())
    assert "each date would be a category. It is left out." in texts(app)
    assert "day" in (draft(read_as(app, day="category")).columns.features or ())


def test_codes_and_numbered_names_are_to_be_explained(open_page: Open, three_outcomes: pd.DataFrame) -> None:
    coded = [f"A{40 + row % 3}" for row in range(len(three_outcomes))]
    app = ready(open_page("data"), three_outcomes.assign(purpose=coded, X_5=range(len(three_outcomes), 0, -1)))
    assert "Column 'purpose' holds codes such as 'A40'" in texts(app)
    said = {"purpose": ColumnEntry(values={"A40": "car"}), "X_5": ColumnEntry(label="months late")}
    health = table_summary.health(draft(app).table.snapshot, "outcome")
    chosen = replace(draft(app).columns, features=("purpose", "X_5"))
    open_ones = table_summary.remarks(health, chosen, DataDictionary())
    assert [finding.topic for finding in open_ones][-2:] == ["codes", "names"]
    assert open_ones[-2].severity == "warning"  # not folded away
    both = table_summary.TableHealth(health.columns, (*health.findings, replace(open_ones[-2], columns=("code",))), 0)
    chosen_too = replace(chosen, features=("purpose", "code"))
    remark = next(f for f in table_summary.remarks(both, chosen_too, DataDictionary()) if f.topic == "codes")
    assert remark.sentence.startswith("Column 'purpose' and 1 more hold codes such as 'A40'")
    assert "1 feature has a name that says nothing, such as 'X_5'" in open_ones[-1].sentence
    assert not {"codes", "names"} & {f.topic for f in table_summary.remarks(health, chosen, DataDictionary(said))}


def test_a_column_that_is_left_out_is_no_longer_warned_of(open_page: Open, three_outcomes: pd.DataFrame) -> None:
    app = ready(open_page("data"), three_outcomes)
    assert "customer_id" not in (draft(app).columns.features or ())
    assert not any("customer_id" in warning.value for warning in app.warning)
    assert "like an identifier. It is left out." in texts(app)


def test_a_tiny_table_and_repeated_rows_are_remarked_on(open_page: Open) -> None:
    app = upload(open_page("data"), "tiny.csv", b"a,b,y\n1,2,yes\n3,4,no\n1,2,yes\n")
    app = choose(app, "selectbox", "target", "y")
    assert is_calm(app)
    assert "The table has 3 rows. Rules from fewer than 100 are mostly chance" in texts(app)
    assert "1 row (33.3 %) repeats an earlier row in every column" in texts(app)
    assert "no repeated rows" not in texts(app)


def test_a_column_that_may_be_filled_in_afterwards_is_asked_about(open_page: Open) -> None:
    app = use_demo(open_page("data"), "hmda")
    assert "'denied mortgage insurance' is 'yes' in 48 rows, 44 of them 'denied'" in texts(app)
    assert "Was it known before the decision?" in texts(app)


def test_numbers_with_a_unit_are_numbers_on_the_page(open_page: Open) -> None:
    lines = [
        f"{1000 + row:,}".replace(",", ".") + f",50 €;{row % 7},5 %;{'ja' if row % 3 else 'nein'}" for row in range(120)
    ]
    app = upload(open_page("data"), "antraege.csv", ("Einkommen;Quote;Ergebnis\n" + "\n".join(lines)).encode())
    app = choose(app, "selectbox", "target", "Ergebnis")
    assert is_calm(app)
    assert set(draft(app).columns.features or ()) == {"Einkommen", "Quote"}
    assert "Numbers with '€' were read as numbers" in texts(app)


def test_names_of_groups_are_escaped_in_the_chart_and_none_is_lost() -> None:
    hostile = "<a href=x>press</a>"
    alike = [f"{'the same long beginning of a name ' * 2}{end}" for end in "ab"]
    groups = [hostile, *alike] * 20
    outcome = ["yes" if row % 3 else "no" for row in range(len(groups))]
    health = examine(pd.DataFrame({"group": groups, "y": outcome}), "y", ["group"])
    figure = charts.base_rates(health, "yes")
    assert "<a" not in figure.to_json().replace("\\u003c", "<")
    assert len(set(figure.data[0].y)) == 3
    assert len(figure.layout.yaxis.ticktext) == 3
    assert min(figure.data[1].x) > max(figure.data[0].x)  # the shares stand beside the bars and the line for all


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


def test_a_table_without_a_column_for_rules_says_so(open_page: Open) -> None:
    app = upload_frame(open_page("data"), pd.DataFrame({"y": ["a", "b"] * 20, "gender": ["f", "m", "m", "f"] * 10}))
    choose(choose(app, "selectbox", "target", "y"), "radio", "favourable", "a")
    choose(app, "multiselect", "sensitive", ["gender"])
    assert is_calm(app)
    assert draft(app).open_questions()
