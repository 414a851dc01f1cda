"""Dictionaries name, translate and limit columns; files bring back what was written, and nothing else."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rugcore.dictionary import ColumnEntry, DataDictionary
from rugcore.errors import InputError
from rugcore.explanations import ColumnWording, Limit

INCOME = ColumnEntry(label="Income", unit="EUR", effect="helps", lowest=0, special={-9: "not asked"})
MARRIED = ColumnEntry(label="Marital status", values={"1": "married", "2": "single"}, protected=True)
LATE = ColumnEntry(label="Payments late", past_fact=True, effect="harms", highest=12)
DEBT = ColumnEntry(effect="harms", change="down", wording=ColumnWording(high="too much debt: {value}"))
BOOK = DataDictionary({"inc": INCOME, "mar": MARRIED, "late": LATE, "debt": DEBT})


# -- names and what the engine is told ------------------------------------------------------------------------


def test_columns_are_shown_under_their_labels_and_found_again() -> None:
    assert [BOOK.shown_name(name) for name in ("inc", "mar", "debt", "other")] == [
        "Income (EUR)",
        "Marital status",
        "debt",
        "other",
    ]
    assert [BOOK.raw_name(shown) for shown in ("Income (EUR)", "debt", "other")] == ["inc", "debt", "other"]


def test_a_unit_stands_behind_the_name_of_the_file_where_there_is_no_label() -> None:
    assert DataDictionary({"dti": ColumnEntry(unit="%")}).shown_name("dti") == "dti (%)"


def test_the_engine_is_told_by_shown_names() -> None:
    assert BOOK.special_values() == {"Income (EUR)": {-9: "not asked"}}
    assert BOOK.monotonic_cst() == {"Income (EUR)": 1, "Payments late": -1, "debt": -1}
    assert BOOK.protected() == ("Marital status",)
    assert BOOK.with_entry("id", ColumnEntry(left_out=True)).unused() == ("Marital status", "id")
    assert BOOK.wording().text("debt", "high", 5.0) == "too much debt: 5"
    assert BOOK.wording().text("Income (EUR)", "low") == "Income (EUR) is low"


def test_categories_have_neither_direction_nor_special_codes() -> None:
    entry = ColumnEntry(values={"1": "few", "2": "many"}, special={9: "unknown"}, effect="helps", lowest=0)
    book = DataDictionary({"n": entry})
    assert (book.monotonic_cst(), book.special_values()) == ({}, {})
    assert book.limits() == {"n": Limit(may_become_blank=False)}
    assert book.applied(pd.DataFrame({"n": [9, 1]}))["n"].tolist() == ["unknown", "few"]


def test_an_order_is_told_in_the_words_of_its_values() -> None:
    entry = ColumnEntry(values={"1": "poor", "2": "good"}, order=("1", "3", "2"))
    book = DataDictionary({"r": entry, "w": ColumnEntry(order=("bad; worse", "fine = ok"))})
    assert book.monotonic_cst() == {"r": ("poor", "3", "good"), "w": ("bad; worse", "fine = ok")}
    assert book.limits()["r"] == Limit(order=("poor", "3", "good"))
    assert book.applied(pd.DataFrame({"r": [3, 1], "w": ["a", None]}))["r"].tolist() == ["3", "poor"]
    assert DataDictionary.from_csv(book.to_csv()) == DataDictionary.from_json(book.to_json()) == book
    with pytest.raises(InputError, match="each of them once"):
        ColumnEntry(order=("a", "b", "a"))
    with pytest.raises(InputError, match="as they are called"):
        ColumnEntry(values={"1": "same", "2": "same"}, order=("1", "2"))


def test_advice_leaves_what_is_protected_or_past_and_never_goes_against_an_effect() -> None:
    limits = BOOK.limits()
    assert limits["Income (EUR)"] == Limit(direction="up", lowest=0.0, may_become_blank=False)
    assert not limits["Marital status"].changeable
    assert not limits["Payments late"].changeable
    assert limits["debt"].direction == "down"


def test_what_can_only_go_where_it_should_not_stays() -> None:
    book = DataDictionary({"age": ColumnEntry(change="up", effect="harms")})
    assert not book.limits()["age"].changeable


def test_columns_of_text_get_no_direction() -> None:
    assert BOOK.limits(numbers=["Income (EUR)"])["debt"] == Limit(may_become_blank=False)


def test_two_columns_are_never_shown_under_one_name() -> None:
    with pytest.raises(InputError, match="'inc' and 'salary' are both called 'Income'"):
        DataDictionary({"inc": ColumnEntry(label="Income"), "salary": ColumnEntry(label=" Income\n")})
    with pytest.raises(InputError, match="'a' and 'b' are both called 'b'"):
        DataDictionary({"a": ColumnEntry(label="b")}).applied(pd.DataFrame({"a": [1], "b": [2]}))


# -- tables ------------------------------------------------------------------------------------------------


def test_a_table_comes_out_in_words() -> None:
    frame = pd.DataFrame({"inc": [10.0, -9.0], "mar": [2.0, np.nan], "other": ["x", "y"]}, index=[5, 7])
    found = BOOK.applied(frame)
    assert list(found.columns) == ["Income (EUR)", "Marital status", "other"]
    assert found["Income (EUR)"].tolist() == [10.0, -9.0]
    assert found["Marital status"].cat.categories.tolist() == ["married", "single"]
    assert found["Marital status"].iloc[0] == "single"
    assert found["Marital status"].isna().tolist() == [False, True]
    assert found.index.tolist() == [5, 7]
    assert list(frame.columns) == ["inc", "mar", "other"]


@pytest.mark.parametrize(
    "column",
    [
        [1, 2, 3],
        [1.0, 2.0, 3.0],
        ["1", "2", "3"],
        pd.Categorical([1, 2, 3]),
        pd.array([1, 2, 3], dtype="Int64"),
        pd.Series([1, 2, 3], dtype=object),
    ],
    ids=["int", "float", "text", "category", "nullable", "object"],
)
def test_values_are_found_however_the_file_was_read_and_others_stay(column: object) -> None:
    assert BOOK.applied(pd.DataFrame({"mar": column}))["Marital status"].tolist() == ["married", "single", "3"]


def test_true_and_false_have_meanings_of_their_own() -> None:
    book = DataDictionary({"b": ColumnEntry(values={"True": "yes", "1": "one"})})
    assert book.applied(pd.DataFrame({"b": [True, False]}))["b"].tolist() == ["yes", "False"]


def test_an_ordered_category_stays_ordered() -> None:
    book = DataDictionary({"size": ColumnEntry(values={"l": "large", "s": "small"})})
    column = pd.Categorical(["s", "l", None], categories=["s", "l"], ordered=True)
    found = book.applied(pd.DataFrame({"size": column}))["size"]
    assert found.cat.ordered
    assert found.cat.categories.tolist() == ["small", "large"]


def test_columns_without_meanings_are_not_copied() -> None:
    frame = pd.DataFrame({"inc": np.arange(100.0), "mar": np.ones(100)})
    found = BOOK.applied(frame)
    assert np.shares_memory(found["Income (EUR)"].to_numpy(), frame["inc"].to_numpy())


def test_repeated_names_of_a_table_are_refused() -> None:
    with pytest.raises(InputError, match="own name"):
        BOOK.applied(pd.DataFrame([[1, 2]], columns=["inc", "inc"]))


def test_a_newer_file_is_recognised_and_what_differs_is_told() -> None:
    book = DataDictionary.blank("abcdefghij")
    found = book.recognises([*"abcdefghi", "new"])
    assert found.is_same
    assert (found.share, found.missing, found.new) == (0.9, ("j",), ("new",))
    assert not book.recognises("abc").is_same
    assert not DataDictionary.blank(["age", "sex"]).recognises(["age", "sex", *"vwxyz"]).is_same
    assert not DataDictionary().recognises(["age"]).is_same


def test_an_entry_is_replaced_and_columns_are_chosen() -> None:
    changed = BOOK.with_entry("debt", replace(DEBT, label="Debt"))
    assert changed.shown_name("debt") == "Debt"
    assert BOOK.shown_name("debt") == "debt"
    assert set(changed.within(["debt", "elsewhere"]).columns) == {"debt"}


# -- files -------------------------------------------------------------------------------------------------

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12) | st.sampled_from(
    ["=1+1", "'=x", "''", "a;b=c\\", "-9", " x ", "\r\n", "<script>", "\\n", "@SUM(A1)", "", "'tis", "ja; nein"]
)
MEANING = TEXT.filter(lambda text: bool(text.strip()))
WORDS = TEXT.map(lambda text: text.replace("{", "").replace("}", ""))
NUMBER = st.floats(-1e300, 1e300) | st.sampled_from([-9.0, 999.0, 0.1, 1e-300])
ENTRY = st.builds(
    ColumnEntry,
    label=TEXT,
    unit=TEXT,
    description=TEXT,
    values=st.dictionaries(TEXT, MEANING, max_size=3),
    special=st.dictionaries(NUMBER, MEANING, max_size=3),
    protected=st.booleans(),
    left_out=st.booleans(),
    past_fact=st.booleans(),
    effect=st.sampled_from(["helps", "harms", "unknown"]),
    change=st.sampled_from(["any", "up", "down", "never"]),
    lowest=st.none() | st.floats(-1e9, 0),
    highest=st.none() | st.floats(0, 1e9),
    wording=st.builds(ColumnWording, high=WORDS, known=WORDS, values=st.dictionaries(TEXT, WORDS, max_size=2)),
)


@given(TEXT.filter(lambda text: bool(text.strip())), ENTRY)
def test_files_bring_back_what_was_written(name: str, entry: ColumnEntry) -> None:
    book = DataDictionary({name: entry})
    assert DataDictionary.from_json(book.to_json()) == book
    assert DataDictionary.from_json(book.to_json().encode()) == book
    assert DataDictionary.from_csv(book.to_csv()) == book
    assert DataDictionary.from_csv(b"\xef\xbb\xbf" + book.to_csv().encode()) == book


def test_no_cell_begins_a_formula() -> None:
    book = DataDictionary({"=1": ColumnEntry(label="@x", unit="+", description="=cmd", special={-9: "a"})})
    line = book.to_csv().splitlines()[1]
    assert line.startswith("'=1,'@x,'+,'=cmd,,'-9 = a,no,no,no,")


def test_a_spreadsheet_may_save_it_in_its_own_way() -> None:
    text = "Column;Values; special codes ;PROTECTED;lowest\n\nmar;1=married ;-9= none;x;0,5\nage;;;;\n;;;;\n"
    for data in (text, text.encode("cp1252"), text.encode("utf-16"), text.replace(";", "\t").replace("\t-", "\t'-")):
        book = DataDictionary.from_csv(data)
        expected = ColumnEntry(values={"1": "married"}, special={-9: "none"}, protected=True, lowest=0.5)
        assert book.columns == {"mar": expected, "age": ColumnEntry()}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("[1]", "something else"),
        ('{"format": "rug data dictionary", "version": 99, "columns": {}}', "99"),
        ('{"format": "rug data dictionary", "version": 1, "columns": []}', "list columns"),
    ],
)
def test_other_json_is_refused_in_a_sentence(text: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        DataDictionary.from_json(text)


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ([], "no other fields"),
        ({"colour": "red"}, "no other fields"),
        ({"label": 5}, "text"),
        ({"values": {"1": ""}}, "in words"),
        ({"values": [1]}, "pairs"),
        ({"special": {"x": "none"}}, "number"),
        ({"special": {"NaN": "none"}}, "number"),
        ({"lowest": True}, "number"),
        ({"lowest": 5, "highest": 4}, "range"),
        ({"effect": "up"}, "helps"),
        ({"change": None}, "never"),
        ({"protected": "no"}, "true or false"),
        ({"wording": {"high": "{income}"}}, "braces"),
        ({"wording": 3}, "wording"),
        ({"label": "\ud800"}, "written"),
    ],
)
def test_damaged_entries_are_refused_by_the_name_of_the_column(entry: object, said: str) -> None:
    content = {"format": "rug data dictionary", "version": 1, "columns": {"inc": entry}}
    with pytest.raises(InputError, match=said) as refused:
        DataDictionary.from_json(json.dumps(content))
    assert "'inc'" in str(refused.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "names of columns"),
        ("age,income\n1,2\n", "names of columns"),
        ("column,colour\na,red\n", "'colour'"),
        ("column,label,label\na,b,c\n", "twice"),
        ("column,label\na,b\na,c\n", "two for 'a'"),
        ("column,label\n,b\n", "line 2"),
        ("column,values\na,1 = 2 = 3\n", "code = meaning"),
        ("column,special codes\na,none = x\n", "number"),
        ("column,protected\na,perhaps\n", "yes or no"),
        ("column,lowest\na,much\n", "number"),
        (b"column\x00\x81\xff", "text"),
    ],
)
def test_other_csv_is_refused_in_a_sentence(text: str | bytes, said: str) -> None:
    with pytest.raises(InputError, match=said):
        DataDictionary.from_csv(text)
