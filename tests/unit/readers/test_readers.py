"""Tables from files, as people have them."""

import base64
import csv
import gzip
import io
import re
import subprocess
import sys
import zipfile
import zlib
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from xml.sax.saxutils import escape

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rugcore.errors import InputError
from rugcore.readers import MAX_COLUMNS, codes, content, delimited, excel, numbers, read_file, read_table_file, remarks
from rugcore.readers.delimited import DELIMITERS

# An .xls file of one sheet "Data": the names n and t, then 1.5 and x, then 2 and nothing. Made with xlwt.
OLD_WORKBOOK = zlib.decompress(
    base64.b64decode(
        "eNrtWD1oFEEU/mbvLvfD5bIXL0IihCNg1JhGbGySVVFTGaKNooJekisk4SLHFWqh0XilIFgpNoE0NlEbo2ihnYUQ0UIQhDstrQQF"
        "i+TWN9/umrvEIgcaf5hvmTdv3rw383bnzdudfbWYrsw+6KpiFQYRQs2No6VOpqTEg4YN6XddzQZ1TIpr8E8hHpOFbIngSevLqF5D"
        "vd5VWLgffi4U+CDlFM5heKqQz24g9tOHnNI+DAhVuCOSFDrpVTvpGOkm0nvUfEq6l5LrpAOiW1EnsOgM9+3xo/i41cO+FPS4C7R5"
        "R8kudOCFjuLLN5SnG8G+4tnc5N/Z0R1OYg6ybkP5Qr6Ym6wgIws4h69uFvgS7NRnWSPfWLmCyL81yqM/kd+0wsA03DMM8DKSWAjp"
        "njAO5Eq5JbHSzZCXegtSSlLOJ3Qa5ra1G7ZtK8M5KXQcbeTTDGpbEvPS3c+vD4+OOKcpmWaq9hL6Vu0DXFzRFmKcYg/doG4f6U7S"
        "qxx1C/ku0oyEotS9Ix0+c2iGOtfY2yvz7CbeONvq+O3Clz8dedRd/ujsEH5+qHoxM//WmUWPvGDGxV5fM+hX/er2LY3HTlArf/O/"
        "J+1ckwhilu377vpvrTYsI0E2Teq19NNRvr5apX/JSlCWxknL01c/nqbWt2jfqG9RX488aLXjoW5KIlpBAgYGBgYGBgYGBgZ/HMr/"
        "zA/x2AH5ivcOE1H/v86ylJr5TfLf4iim5CrJwfQgClIXcaGp+NmMiArGUuu0Cf4XahyT2YuYwCj9mGg6fuUwqOrvZ92G9q/bQs3O"
        "X2vGz988/3f4AL5N"
    )
)


def written(folder: Path, content: str | bytes, name: str = "table.csv") -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_every_common_delimiter(delimiter: str, newline: str, tmp_path: Path) -> None:
    lines = [["income", "purpose"], ["1.5", "car"], ["2", ""]]
    path = written(tmp_path, newline.join(delimiter.join(line) for line in lines))
    frame = read_file(path)
    assert list(frame.columns) == ["income", "purpose"]
    assert frame["income"].tolist() == [1.5, 2.0]
    assert frame["purpose"].isna().tolist() == [False, True]


def test_a_single_column_needs_no_delimiter(tmp_path: Path) -> None:
    assert read_file(written(tmp_path, "x\n1\n2\n"))["x"].tolist() == [1, 2]


def test_only_an_empty_field_is_blank(tmp_path: Path) -> None:
    frame = read_file(written(tmp_path, "a,b\nNone,NA\nnan,\nnull,N/A\n"))
    assert frame["a"].tolist() == ["None", "nan", "null"]
    assert frame["b"].isna().tolist() == [False, True, False]


def test_delimiters_inside_quotes_do_not_count(tmp_path: Path) -> None:
    frame = read_file(written(tmp_path, '"income, net";"age, in years";c\n1;2;"x;y"\n'))
    assert list(frame.columns) == ["income, net", "age, in years", "c"]
    assert frame["c"].tolist() == ["x;y"]


def test_decimal_commas_beside_semicolons(tmp_path: Path) -> None:
    frame = read_file(written(tmp_path, "a;b;c\n1,5;1,5;x\n-2;two;y\n;3;z\n"))
    assert frame["a"].tolist()[:2] == [1.5, -2.0]
    assert frame["a"].isna().tolist() == [False, False, True]
    assert frame["b"].tolist() == ["1,5", "two", "3"]


def test_a_spreadsheet_s_mark_of_unicode_is_not_part_of_a_name(tmp_path: Path) -> None:
    frame = read_file(written(tmp_path, "\ufeffGröße,n\nklein,1\n".encode()))
    assert list(frame.columns) == ["Größe", "n"]


def test_a_column_can_be_asked_for_as_text(tmp_path: Path) -> None:
    path = written(tmp_path, "zip;n\n0123;1,5\n")
    assert read_file(path, text_columns=["zip"])["zip"].tolist() == ["0123"]
    assert read_file(path, text_columns=["zip", "n", "not there"])["n"].tolist() == ["1,5"]


def test_a_long_column_is_of_one_kind_from_top_to_bottom(tmp_path: Path) -> None:
    path = written(tmp_path, "code\n" + "1\n" * 800_000 + "A\n")
    assert {type(value) for value in read_file(path)["code"]} == {str}


def test_compressed_files(tmp_path: Path) -> None:
    path = written(tmp_path, gzip.compress(b"a;b\n1;2\n", mtime=0), "table.csv.gz")
    assert read_file(path).to_dict("list") == {"a": [1], "b": [2]}


def test_parquet(tmp_path: Path) -> None:
    frame = pd.DataFrame({"a": [1.5, None], "b": pd.Categorical(["x", None])})
    frame.to_parquet(tmp_path / "table.parquet")
    pd.testing.assert_frame_equal(read_file(tmp_path / "table.parquet"), frame)


# --- Text as strangers write it -----------------------------------------------------------------------------


def notes_on(text: str | bytes, name: str = "t.csv") -> tuple[str, ...]:
    return read_table_file(text.encode() if isinstance(text, str) else text, name).notes


def test_a_plain_file_needs_no_notes() -> None:
    assert notes_on('a,b\n1,x\n2,"y, z"\n\n\n') == ()


def test_bytes_and_a_path_give_the_same(tmp_path: Path) -> None:
    data = "a;b\n1,5;x\n".encode("cp1252")
    from_path, from_bytes = read_table_file(written(tmp_path, data)), read_table_file(data, "table.csv")
    pd.testing.assert_frame_equal(from_path.frame, from_bytes.frame)
    assert from_path.notes == from_bytes.notes


@pytest.mark.parametrize(
    ("encoding", "words"),
    [
        ("utf-8", None),
        ("utf-8-sig", None),
        ("utf-16", "The text is UTF-16"),
        ("cp1252", "The text is not UTF-8 .see line 3.; it was read as Windows-1252"),
    ],
)
def test_encodings(encoding: str, words: str | None) -> None:
    table = read_table_file("size,n\nsmall,1\nGröße €,2\n".encode(encoding), "t.csv")
    assert table.frame["size"].tolist() == ["small", "Größe €"]
    assert list(table.frame.columns) == ["size", "n"]
    assert len(table.notes) == (words is not None)
    assert words is None or re.match(words, table.notes[0])


def test_a_letter_on_the_border_of_two_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(content, "PIECE", 3)
    assert read_table_file("a,b\nöö,ö\n".encode(), "t.csv").notes == ()


@pytest.mark.parametrize("delimiter", [";", "\t", "|"])
def test_another_delimiter_than_a_comma_is_said(delimiter: str) -> None:
    (note,) = notes_on(delimiter.join("ab") + "\n" + delimiter.join("12"))
    assert note.startswith("Fields are separated by")


def test_the_delimiter_that_fits_the_lines_beats_the_one_the_header_has_most_of() -> None:
    frame = read_table_file(b"income, net, yearly;age\n1;2\n3;4\n", "t.csv").frame
    assert frame.to_dict("list") == {"income, net, yearly": [1, 3], "age": [2, 4]}


def test_a_spreadsheet_s_hint_about_the_delimiter() -> None:
    table = read_table_file(b"sep=|\r\na|b\r\n1|2\r\n", "t.csv")
    assert table.frame.to_dict("list") == {"a": [1], "b": [2]}
    with pytest.raises(InputError, match="line 4 has 1"):
        read_table_file(b"sep=|\na|b\n1|2\n3\n", "t.csv")
    assert read_table_file(b"sep=x\n1\n", "t.csv").frame.to_dict("list") == {"sep=x": [1]}


def test_words_for_blank_stay_words_among_numbers() -> None:
    frame = read_table_file(b"a,b,c\n1,nan,NA\n2,1.5,3\n,2,4\n", "t.csv").frame
    assert frame["a"].isna().tolist() == [False, False, True]
    assert frame["b"].tolist() == ["nan", "1.5", "2"]
    assert frame["c"].tolist() == ["NA", "3", "4"]


def test_quotes_and_line_breaks_inside_a_field() -> None:
    text = 'a,b\r\n"one\r\ntwo","say ""yes"", no"\r\n5" pipe,x\r\n'
    frame = read_table_file(text.encode(), "t.csv").frame
    assert frame.to_numpy().tolist() == [["one\r\ntwo", 'say "yes", no'], ['5" pipe', "x"]]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
@pytest.mark.parametrize("delimiter", [",", ";", "|"])
@pytest.mark.parametrize("quote", ["", '"'])
def test_codes_keep_their_zeros(encoding: str, delimiter: str, quote: str) -> None:
    lines = [
        ["id", "month", "share", "amount"],
        ["7", "01", "0.25", "100"],
        ["00123", "12", "", "250"],
        ["", "02", "0", "0"],
    ]
    text = "\n".join(delimiter.join(f"{quote}{field}{quote}" for field in line) for line in lines)
    table = read_table_file(text.encode(encoding), "loans.csv")
    assert table.frame["id"].dropna().tolist() == ["7", "00123"]
    assert table.frame["id"].isna().tolist() == [False, False, True]
    assert table.frame["month"].tolist() == [1, 12, 2]
    assert table.frame["share"].tolist()[0] == 0.25
    assert table.frame["amount"].tolist() == [100, 250, 0]
    assert "Codes such as '00123' were kept as text, or they would lose their zeros: 'id'." in table.notes


def test_a_code_is_found_wherever_it_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(codes, "PIECE", 16)
    monkeypatch.setattr(delimited, "ROWS_AT_ONCE", 3)
    for place in range(20):
        values = [str(10 + number) for number in range(20)]
        values[place] = "0042"
        frame = read_table_file(b"a,b\n" + "\n".join(f"{value},1" for value in values).encode(), "x.csv").frame
        assert frame["a"].tolist() == values
        assert frame["b"].tolist() == [1] * 20


def test_blank_lines_and_empty_rows_are_left_out_and_counted() -> None:
    table = read_table_file(b"\na;b\n1;2\n\n;\n3;4\n;\n;\n\n", "t.csv")
    assert table.frame["a"].tolist()[::2] == [1, 3]
    assert np.isnan(table.frame["a"][1])
    assert table.notes[1:] == (
        "Blank lines between the rows were skipped: 1.",
        "Rows without any value at the end were left out: 2.",
    )


def test_empty_rows_at_the_end_do_not_make_whole_numbers_into_fractions() -> None:
    assert read_table_file(b"a,b\n1,2\n,\n", "t.csv").frame["a"].dtype == np.int64


def test_names_are_made_visible() -> None:
    table = read_table_file(b",a, b ,,\n0,1,2,,3\n1,4,5,,6\n", "t.csv")
    assert list(table.frame.columns) == ["column 1", "a", "b", "column 5"]
    assert table.notes == (
        "Spaces around column names were removed: 'b'.",
        "Columns without a name are called by their position: 'column 1', 'column 5'.",
        "Columns with neither a name nor a value were left out: 'column 4'.",
    )


def test_an_empty_column_with_a_name_is_kept() -> None:
    assert read_table_file(b"a,b\n1,\n2,\n", "t.csv").frame["b"].isna().all()


@pytest.mark.parametrize(
    ("text", "column", "note"),
    [
        ("a;b\n1,5;x\n2;y\n", [1.5, 2.0], "Decimal commas were read as numbers: 'a'."),
        ("a;b\n0,125;x\n", [0.125], "Decimal commas were read as numbers: 'a'."),
        ("a;b\n1,234;2,5\n", [1.234], "Decimal commas were read as numbers: 'a', 'b'."),
        ("a;b\n1,234;x\n12;y\n", ["1,234", "12"], "such as '1,234' were kept as text.*'a'"),
        ("a;b\n1.234,56;x\n", [1234.56], "such as '1.234,56' as 1,234.56: 'a'."),
        ("a;b\n1.234;x\n1.234.567;y\n", [1234, 1234567], "such as '1.234' as 1,234: 'a'."),
        ('a,b\n"1,234",x\n"1,234.5",y\n', [1234, 1234.5], "such as '1,234' as 1,234: 'a'."),
        ("a;b\n1 234;x\n-5,5;y\n", [1234, -5.5], "such as '1 234' as 1,234: 'a'."),
        ("a;b\n1.234,5;x\n1,234.5;y\n", ["1.234,5", "1,234.5"], "such as '1.234,5' were kept as text"),
        ('a,b\n"1,5",x\n', ["1,5"], None),
        ('a,b\n"1,234",x\n', ["1,234"], "such as '1,234' were kept as text"),
        ("a;b\n1 234;x\n", ["1 234"], "such as '1 234' were kept as text"),
        ("a;b\n2021,3 or so;x\n", ["2021,3 or so"], None),
    ],
    ids=[
        "decimal",
        "below one",
        "settled by another column",
        "unclear",
        "both",
        "twice",
        "points",
        "gap",
        "at odds",
        "list",
        "in quotes",
        "space",
        "words",
    ],
)
def test_decimal_commas_are_read_and_thousands_are_not_guessed(
    text: str, column: list[object], note: str | None
) -> None:
    table = read_table_file(text.encode(), "t.csv")
    assert table.frame["a"].tolist() == column
    notes = [found for found in table.notes if "separated by" not in found]
    assert len(notes) == (note is not None)
    assert note is None or re.search(note, notes[0])


@pytest.mark.parametrize(
    ("values", "unit", "expected"),
    [
        (["2.384,25 €", "5 €", ""], "€", [2384.25, 5]),
        (["$1,234.50", "-$5.00"], "$", [1234.5, -5]),
        (["21,5 %", "9 %"], "%", [21.5, 9]),
        (["CHF 1'234.50", "CHF 0.05"], "CHF", [1234.5, 0.05]),
        (["12 EUR", "+7 EUR", "\u22123 EUR"], "EUR", [12, 7, -3]),
        (["1\u00a0234\u00a0zł", "5\u00a0zł"], "zł", [1234, 5]),
    ],
)
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_numbers_with_a_unit_are_numbers_and_that_is_said(
    values: list[str], unit: str, expected: list[float], delimiter: str
) -> None:
    text = "\n".join(delimiter.join([f'"{value}"', "x"]) for value in ["amount", *values])
    table = read_table_file(text.encode(), "t.csv")
    assert table.frame["amount"].dropna().tolist() == expected
    assert len(table.frame) == len(values)
    assert f"Numbers with '{unit}' were read as numbers, such as {values[0]!r} as " in table.notes[-1]
    assert table.notes[-1].endswith(": 'amount'.")
    assert read_table_file(text.encode(), "t.csv", text_columns=["amount"]).frame["amount"].dropna().tolist() == [
        value for value in values if value
    ]


@pytest.mark.parametrize(
    "values", [["5 €", "5 $"], ["5 €", "6"], ["5 €", "n/a €"], ["€5€", "€6€"], ["--5 €", "5 €"], ["5 € net", "6 € net"]]
)
def test_what_is_no_amount_of_one_thing_stays_text(values: list[str]) -> None:
    table = read_table_file("\n".join(["a;b", *(f"{value};x" for value in values)]).encode(), "t.csv")
    assert table.frame["a"].tolist() == values


def test_an_amount_that_may_be_two_numbers_stays_text_and_that_is_said() -> None:
    table = read_table_file("a;b\n1.234 €;x\n12 €;y\n".encode(), "t.csv")
    assert table.frame["a"].tolist() == ["1.234 €", "12 €"]
    assert "such as '1.234 €' were kept as text, because it is not certain which number that is" in table.notes[-1]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a;b\n1.234 €;2,5\n12 €;3\n", [1234.0, 12.0]),  # another column has decimal commas
        ('a,b\n"1,234",0.5\n"12",3\n', [1234.0, 12.0]),  # another column has decimal points
        ("a;b\n2.384;2,5\n12.500;3\n950;1\n", [2384.0, 12500.0, 950.0]),  # pandas would say 2.384 and 12.5
        ("a;b\n2.000;2,5\n5.000;3\n", [2000.0, 5000.0]),
        ("a;b\n2.384;2,5\n0.5;3\n", [2.384, 0.5]),  # this column writes decimals otherwise
        ("a;b\n1 234;2,5\n", ["1 234"]),  # a gap may be part of a code
        ("a;b\n1.234 €;5 €\n", ["1.234 €"]),  # whole amounts show no decimal sign
        ("a;b;c\n1.234 €;5 €;2,5\n", [1234.0]),
        ("a;b\n1,234;9.5 €\n", [1234.0]),
    ],
)
def test_another_column_settles_what_the_decimal_sign_is(text: str, expected: list[object]) -> None:
    assert read_table_file(text.encode(), "t.csv").frame["a"].tolist() == expected


def test_codes_beside_decimal_commas_keep_their_zeros() -> None:
    frame = read_table_file(b"id;rate\n00123;1,5\n00456;2,5\n", "t.csv").frame
    assert frame["id"].tolist() == ["00123", "00456"]
    assert frame["rate"].tolist() == [1.5, 2.5]


def test_one_odd_value_far_below_makes_the_column_text() -> None:
    rows = ["1.234,50 €"] * (numbers.TRIED_FIRST + 5)
    table = read_table_file("\n".join(["a;b", *(f"{row};x" for row in [*rows, "none"])]).encode(), "t.csv")
    assert table.frame["a"].tolist() == [*rows, "none"]


@settings(max_examples=100)
@given(
    amounts=st.lists(st.decimals(-(10**9), 10**9, places=2), min_size=1, max_size=8),
    style=st.sampled_from([",.", ".,", " ,", "'.", "\u202f,"]),
    unit=st.sampled_from(["", " €", "%", " CHF"]),
)
def test_amounts_as_people_write_them_are_read_back(amounts: list[Decimal], style: str, unit: str) -> None:
    group, point = style
    written = [f"{amount:,.2f}".translate(str.maketrans({",": group, ".": point})) + unit for amount in amounts]
    frame = read_table_file("\n".join(["a;b", *(f"{value};x" for value in written)]).encode(), "t.csv").frame
    assert frame["a"].tolist() == [float(amount) for amount in amounts]


def test_a_tab_separated_text_named_as_a_spreadsheet_is_read_and_said() -> None:
    table = read_table_file(b"a\tb\n1\t2\n", "export.xls")
    assert table.frame.to_dict("list") == {"a": [1], "b": [2]}
    assert table.notes[0] == "The name ends in '.xls', but the content is a text file and was read as such."


@settings(max_examples=60)
@given(
    rows=st.lists(st.lists(st.text("ab1, ;|\"\n\t'ö.", max_size=6), min_size=3, max_size=3), min_size=1, max_size=6),
    delimiter=st.sampled_from(DELIMITERS),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "cp1252"]),
)
def test_what_a_writer_of_csv_files_wrote_is_read_back(rows: list[list[str]], delimiter: str, encoding: str) -> None:
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter, quoting=csv.QUOTE_ALL).writerows([["x", "y", "z"], *rows, ["end"] * 3])
    frame = read_table_file(out.getvalue().encode(encoding), "t.csv", text_columns=["x", "y", "z"]).frame
    assert frame.fillna("").to_numpy().tolist() == [*rows, ["end"] * 3]


@settings(max_examples=60)
@given(
    widths=st.lists(st.integers(1, 4), min_size=1, max_size=8),
    has_quotes=st.booleans(),
)
def test_the_first_line_of_another_length_is_named(widths: list[int], has_quotes: bool) -> None:
    cell = '"1"' if has_quotes else "1"
    text = "a,b\n" + "".join(",".join([cell] * width) + "\n" for width in widths)
    odd = next((line for line, width in enumerate(widths, start=2) if width != 2), None)
    if odd is None:
        assert len(read_table_file(text.encode(), "t.csv").frame) == len(widths)
        return
    with pytest.raises(InputError, match=f"Expected 2 fields .* t.csv.* line {odd} has {widths[odd - 2]}\\."):
        read_table_file(text.encode(), "t.csv")


@settings(max_examples=100)
@given(data=st.binary(min_size=1, max_size=60), name=st.sampled_from(["t.csv", "t.gz", "t.parquet", "t.zip", "t.tsv"]))
def test_whatever_comes_is_read_or_refused_by_name(data: bytes, name: str) -> None:
    try:
        assert read_table_file(data, name).frame.shape[1]
    except InputError as error:
        assert name in str(error)  # noqa: PT017


# --- Compressed ---------------------------------------------------------------------------------------------


def zipped(files: dict[str, str | bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, text in files.items():
            archive.writestr(zipfile.ZipInfo(name), text, method)
    return out.getvalue()


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (gzip.compress(b"a,b\n1,2\n", mtime=0), "t.csv.gz"),
        (gzip.compress(b"a,b\n1,2\n", mtime=0), "t.csv"),
        (zipped({"folder/t.csv": "a,b\n1,2\n", "__MACOSX/folder/t.csv": "x"}), "t.zip"),
    ],
    ids=["gzip", "gzip under another name", "zip"],
)
def test_a_compressed_table_is_unpacked_and_said(data: bytes, name: str) -> None:
    table = read_table_file(data, name)
    assert table.frame.to_dict("list") == {"a": [1], "b": [2]}
    assert len(table.notes) == 1
    assert "has been unpacked" in table.notes[0]


# --- Parquet ------------------------------------------------------------------------------------------------


def parquet(table: pa.Table | pd.DataFrame) -> bytes:
    out = io.BytesIO()
    if isinstance(table, pd.DataFrame):
        table.to_parquet(out)
    else:
        pq.write_table(table, out)
    return out.getvalue()


def test_parquet_keeps_kinds_and_makes_dates_readable() -> None:
    table = read_table_file(
        parquet(
            pa.table(
                {
                    "day": pa.array([date(2021, 3, 4), None]),
                    "moment": pa.array([datetime(2021, 3, 4, 10, 30), None]),
                    "amount": pa.array([Decimal("1.25"), None]),
                    "known": pa.array([True, None]),
                    "word": pa.array(["None", None]),
                    "n": pa.array([1, 2], pa.int16()),
                }
            )
        ),
        "t.parquet",
    )
    frame = table.frame
    assert frame["day"][0] == "2021-03-04"
    assert frame["moment"][0] == "2021-03-04 10:30:00"
    assert frame["amount"].dtype == np.float64
    assert frame.iloc[0].tolist()[2:] == [1.25, True, "None", 1]
    assert frame.iloc[1].isna().tolist() == [True, True, True, True, True, False]
    assert table.notes == ("Dates and times were kept as text: 'day', 'moment'.",)


def test_row_labels_of_pandas_are_no_column_unless_they_have_a_name() -> None:
    frame = pd.DataFrame({"a": [1, 2]}, index=[5, 3])
    table = read_table_file(parquet(frame), "t.parquet")
    assert table.frame.to_dict("list") == {"a": [1, 2]}
    assert table.notes == ("The row labels that pandas had stored were left out.",)
    assert list(read_file_of(parquet(frame.rename_axis("customer"))).columns) == ["a", "customer"]


def read_file_of(data: bytes) -> pd.DataFrame:
    return read_table_file(data, "t.parquet").frame


def test_a_small_parquet_file_that_unfolds_to_a_large_table(monkeypatch: pytest.MonkeyPatch) -> None:
    data = parquet(pa.table({"a": pa.array(np.zeros(400_000))}))
    assert len(data) < 100_000
    monkeypatch.setattr(content, "MAX_BYTES", 1_000_000)
    with pytest.raises(InputError, match="at most 1 MB, but t.parquet has more when unpacked"):
        read_table_file(data, "t.parquet")


# --- Spreadsheets -------------------------------------------------------------------------------------------

STYLES = (
    '<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">'
    '<cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>'
)
FIRST_DAY = date(1899, 12, 30)  # from which spreadsheets count


def workbook(sheets: dict[str, list[list[object]]], hidden: str = "") -> bytes:
    """An .xlsx file as small as it can be."""
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006"
    numbers = range(1, len(sheets) + 1)

    def state(name: str) -> str:
        return "hidden" if name == hidden else "visible"

    entries = "".join(
        f'<sheet name="{name}" sheetId="{number}" r:id="r{number}" state="{state(name)}"/>'
        for number, name in zip(numbers, sheets, strict=True)
    )
    relations = "".join(
        f'<Relationship Id="r{number}" Type="{office}/worksheet" Target="worksheets/s{number}.xml"/>'
        for number in numbers
    )
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{package}/content-types"/>',
        "_rels/.rels": f'<Relationships xmlns="{package}/relationships"><Relationship Id="r1" '
        f'Type="{office}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{main}" xmlns:r="{office}"><sheets>{entries}</sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{package}/relationships">{relations}</Relationships>',
        "xl/styles.xml": STYLES,
    }
    for number, rows in zip(numbers, sheets.values(), strict=True):
        body = "".join(f"<row>{''.join(map(cell_in_xml, row))}</row>" for row in rows)
        parts[f"xl/worksheets/s{number}.xml"] = f'<worksheet xmlns="{main}"><sheetData>{body}</sheetData></worksheet>'
    return zipped(parts)


def cell_in_xml(cell: object) -> str:
    if cell is None:
        return "<c/>"
    if isinstance(cell, bool):
        return f'<c t="b"><v>{int(cell)}</v></c>'
    if isinstance(cell, date):
        return f'<c s="1"><v>{(cell - FIRST_DAY).days}</v></c>'
    if isinstance(cell, str):
        return f'<c t="inlineStr"><is><t xml:space="preserve">{escape(cell)}</t></is></c>'
    return f"<c><v>{cell}</v></c>"


def open_document(rows: str) -> bytes:
    spaces = " ".join(
        f'xmlns:{space}="urn:oasis:names:tc:opendocument:xmlns:{space}:1.0"' for space in ("office", "table", "text")
    )
    kind = "application/vnd.oasis.opendocument.spreadsheet"
    entry = f'<manifest:file-entry manifest:full-path="/" manifest:media-type="{kind}"/>'
    space = "urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"
    return zipped(
        {
            "mimetype": kind,
            "META-INF/manifest.xml": f'<manifest:manifest xmlns:manifest="{space}">{entry}</manifest:manifest>',
            "content.xml": f"<office:document-content {spaces}><office:body><office:spreadsheet>"
            f'<table:table table:name="S">{rows}</table:table>'
            "</office:spreadsheet></office:body></office:document-content>",
        }
    )


def test_excel_cells_are_what_they_say() -> None:
    rows = [
        ["income", "code", "day", "owner", "mixed", 2019, "blank"],
        [1.5, "007", date(2021, 3, 4), True, 7, 1, None],
        [2, "None", None, False, "n/a", 2, None],
        [None, None, date(2022, 1, 1), None, 0.5, 3, None],
    ]
    table = read_table_file(workbook({"Sheet": rows}), "t.xlsx")
    frame = table.frame
    assert list(frame.columns) == ["income", "code", "day", "owner", "mixed", "2019", "blank"]
    assert frame["income"].tolist()[:2] == [1.5, 2]
    assert frame["code"].tolist()[:2] == ["007", "None"]
    assert frame["day"].tolist()[::2] == ["2021-03-04", "2022-01-01"]
    assert frame["owner"].tolist() == [True, False, None]
    assert frame["mixed"].tolist() == ["7", "n/a", "0.5"]
    assert frame["2019"].dtype == np.int64
    assert frame.isna().sum().tolist() == [1, 1, 1, 1, 0, 0, 3]
    assert table.notes == ("Dates and times were kept as text: 'day'.",)


def test_amounts_in_text_cells_are_numbers_and_other_text_stays_text() -> None:
    rows = [["amount", "version", "mixed"], ["1.234,50 €", "1,5", "5 €"], [None, "2,10", None], ["7 €", "3,0", 7]]
    table = read_table_file(workbook({"S": rows}), "t.xlsx")
    assert table.frame["amount"].dropna().tolist() == [1234.5, 7.0]
    assert table.frame["version"].tolist() == ["1,5", "2,10", "3,0"]
    assert table.frame["mixed"].dropna().tolist() == ["5 €", "7"]
    assert table.notes == ("Numbers with '€' were read as numbers, such as '1.234,50 €' as 1,234.5: 'amount'.",)


def test_cells_with_an_error_are_blank_and_counted() -> None:
    plain = workbook({"Other": [["a"], [0.25]], "S": [["a", "b"], [0.25, 2], [0.25, "t"], [3, 0.25]]})
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(plain)) as before, zipfile.ZipFile(out, "w") as after:
        for part in before.namelist():
            error = b'<c t="e"><v>#DIV/0!</v></c>'
            after.writestr(part, before.read(part).replace(b"<c><v>0.25</v></c>", error))
    table = read_table_file(out.getvalue(), "t.xlsx", sheet="S")
    assert table.notes == ("3 cells were read as blank because of an error there, such as #DIV/0! or #N/A.",)
    assert int(table.frame.isna().sum().sum()) == 3
    assert read_table_file(plain, "t.xlsx", sheet="S").notes == ()


def test_old_excel_and_open_document() -> None:
    old = read_table_file(OLD_WORKBOOK, "t.xls").frame
    assert old["n"].tolist() == [1.5, 2.0]
    assert old["t"].isna().tolist() == [False, True]
    text, number = (
        '<table:table-cell office:value-type="string"><text:p>',
        '<table:table-cell office:value-type="float"',
    )
    rows = [f"{text}a</text:p></table:table-cell>{text}b</text:p></table:table-cell>"]
    rows.append(f'{number} office:value="2"/>{text}NA</text:p></table:table-cell>')
    body = "".join(f"<table:table-row>{row}</table:table-row>" for row in rows)
    assert read_table_file(open_document(body), "t.ods").frame.to_dict("list") == {"a": [2], "b": ["NA"]}


def test_the_first_sheet_that_is_not_empty_or_the_one_that_is_asked_for() -> None:
    data = workbook({"Empty": [], "Loans": [["a"], [1]], "Odd": [["b"], [2]], "Secret": [["c"], [3]]}, hidden="Secret")
    table = read_table_file(data, "t.xlsx")
    assert table.frame.to_dict("list") == {"a": [1]}
    assert (table.sheet, table.sheets) == ("Loans", ("Empty", "Loans", "Odd"))
    assert table.notes == ("The file has 3 sheets; the first that is not empty, 'Loans', was read.",)
    other = read_table_file(data, "t.xlsx", sheet="Odd")
    assert (other.frame.to_dict("list"), other.notes, other.sheet) == ({"b": [2]}, (), "Odd")
    with pytest.raises(InputError, match="a sheet 'Secret' in t.xlsx, but it has only 'Empty', 'Loans', 'Odd'"):
        read_table_file(data, "t.xlsx", sheet="Secret")
    with pytest.raises(InputError, match="sheet 'Empty' of t.xlsx to hold a table"):
        read_table_file(data, "t.xlsx", sheet="Empty")


def test_a_column_of_a_spreadsheet_can_be_asked_for_as_text() -> None:
    data = workbook({"S": [["zip", "n"], [123, 1.5], [None, 2]]})
    frame = read_table_file(data, "t.xlsx", text_columns=["zip", "n"]).frame
    assert frame["zip"].tolist()[0] == "123"
    assert frame["zip"].isna().tolist() == [False, True]
    assert frame["n"].tolist() == ["1.5", "2"]


def test_a_spreadsheet_under_the_name_of_a_text_is_read_and_said() -> None:
    table = read_table_file(workbook({"S": [["a"], [1]]}), "t.csv")
    assert table.frame.to_dict("list") == {"a": [1]}
    assert table.notes == ("The name ends in '.csv', but the content is a spreadsheet and was read as such.",)


def test_two_cells_far_apart_do_not_fill_the_memory() -> None:
    far = workbook({"S": [["a"], [1]]})
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(far)) as before, zipfile.ZipFile(out, "w") as after:
        for part in before.namelist():
            text = before.read(part)
            after.writestr(part, text.replace(b"<row><c><v>1", b'<row r="1048576"><c r="XFD1048576"><v>1'))
    assert out.getvalue() != far
    with pytest.raises(InputError, match="The cells of t.xlsx cover more than can be read"):
        read_table_file(out.getvalue(), "t.xlsx")


def test_a_spreadsheet_that_takes_too_long_or_unfolds_too_far(monkeypatch: pytest.MonkeyPatch) -> None:
    data = workbook({"S": [["a"], *([["x" * 9_000]] * 200)]})
    monkeypatch.setattr(content, "MAX_BYTES", 1_000_000)
    with pytest.raises(InputError, match="at most 1 MB, but t.xlsx has more when unpacked"):
        read_table_file(data, "t.xlsx")
    monkeypatch.setattr(content, "MAX_BYTES", 2_000_000)
    monkeypatch.setattr(excel, "MAX_SECONDS", 1e-3)
    with pytest.raises(InputError, match="The cells of t.xlsx cover more"):
        read_table_file(data, "t.xlsx")


@pytest.mark.parametrize("seed", range(8))
def test_a_damaged_spreadsheet_is_read_or_refused_but_ends_nothing(seed: int) -> None:
    """The library behind it ends its process on some of these."""
    rng = np.random.default_rng(seed)
    damaged = np.frombuffer(OLD_WORKBOOK, dtype=np.uint8).copy()
    places = rng.integers(8, len(damaged), 40)
    damaged[places] = rng.integers(0, 256, len(places))
    try:
        assert read_table_file(damaged.tobytes(), "t.xls").frame.shape[1]
    except InputError as error:
        assert "t.xls" in str(error)  # noqa: PT017


# --- Refusals -----------------------------------------------------------------------------------------------

NOT_FOR_RULES = "Expected numbers, text, dates or true/false in column 'x' of .*t.parquet, but it holds"
REFUSED: dict[str, tuple[str | bytes, str, str]] = {
    "empty": ("", "t.csv", "cannot be read as a table: it is empty .0 bytes."),
    "blank lines": ("\n \n\n", "t.csv", "a table with column names, but it has only blank lines"),
    "header only": ("a,b\n", "t.csv", "rows under the column names, but .* has none"),
    "header and empty rows": ("a,b\n,\n,\n", "t.csv", "rows under the column names, but .* has none"),
    "long line": ("a,b\n1,2\n1,2,3\n", "t.csv", "Expected 2 fields .* line 3 has 3"),
    "long first line": ("a,b\n1,2,3\n", "t.csv", "Expected 2 fields .* line 2 has 3"),
    "short line": ("a,b\n1,2\n\n1\n", "t.csv", "Expected 2 fields .* line 4 has 1"),
    "short line after a line break in quotes": ('a,b\n"1\n",2\n1\n', "t.csv", "line 4 has 1"),
    "decimal commas in one column": ("x\n1\n1,5\n", "t.csv", "Expected 1 field in .* line 3 has 2"),
    "same name twice": ("a,b,a\n1,2,3\n", "t.csv", "'a' stands on 2 columns of .*numbers 1, 3.*Rename"),
    "same name but for spaces": ("a,b, a\n1,2,3\n", "t.csv", "'a' stands on 2 columns"),
    "title above the names": ("Report;;\n;;\na;b;c\n1;2;3\n", "t.csv", "2 columns with values have no name there"),
    "open quotes": ('a,b\n1,2\n1,"2\n', "t.csv", "quotes in .* to be closed .* but in line 3"),
    "open quotes that swallow a field": ('a,b\n1,2\n"1,2\n', "t.csv", "quotes in .* to be closed .* but in line 3"),
    "open quotes in a long file": (
        'a,b\n"1,2\n' + "1,2\n" * 50_000,
        "t.csv",
        "quotes in .* to be closed .* but in the field that begins in line 2",
    ),
    "many columns": (",".join(map(str, range(MAX_COLUMNS + 1))) + "\n", "t.csv", "at most 2,000 columns, but .* 2,001"),
    "neither encoding": (b"a\nok\n\x81\xff\n", "t.csv", "text in UTF-8 or Windows-1252, but line 3 is not"),
    "half of UTF-16": (
        "a,b\n1,2\n".encode("utf-16")[:-1],
        "t.csv",
        "text in UTF-16, as its first bytes say, but line 2",
    ),
    "UTF-16 without its mark": ("a,b\n1,2\n".encode("utf-16-le"), "t.csv", "holds binary data"),
    "every byte": (bytes(range(256)), "t.csv", "holds binary data that is none of these"),
    "control characters": (b"a,b\n\x01\x02,\x03\n", "t.csv", "holds binary data"),
    "web page as .xls": ("\n<html><table><tr><td>1</td></tr></table>", "t.xls", "holds a web page or XML"),
    "XML in UTF-16": ("<?xml version='1.0'?><a/>".encode("utf-16"), "t.xls", "holds a web page or XML"),
    "JSON": ('[{"a": 1}, {"a": 2}]', "t.csv", "holds JSON"),
    "JSON lines": ('{"a": 1}\n{"a": 2}\n', "t.csv", "holds JSON"),
    "PDF": ("%PDF-1.4\n", "t.csv", "holds a PDF document"),
    "not gzip": ("not compressed", "t.csv.gz", "to be a gzip file, as its name says, but its content is not"),
    "cut gzip": (gzip.compress(b"a,b\n1,2\n" * 999, mtime=0)[:-9], "t.csv.gz", "cannot be read as a gzip file"),
    "gzip of gzip": (gzip.compress(gzip.compress(b"a", mtime=0), mtime=0), "t.gz", "it holds another compressed file"),
    "gzip of nothing": (gzip.compress(b"", mtime=0), "t.gz", "it holds nothing"),
    "not zip": ("no archive", "t.zip", "to be a zip file, as its name says"),
    "damaged zip": (b"PK\x03\x04 and no more", "t.zip", "cannot be read as a zip file"),
    "zip of two": (zipped({"a.csv": "a\n1", "b.csv": "b\n1"}), "t.zip", "Expected one table in .*, but it packs 2"),
    "not Parquet": ("a,b\n1,2\n", "t.parquet", "to be a Parquet file, as its name says"),
    "damaged Parquet": (b"PAR1 but not really PAR1", "t.parquet", "not a Parquet file that can be read"),
    "cut Parquet": (parquet(pd.DataFrame({"a": [1, 2]}))[:-20], "t.parquet", "not a Parquet file that can be read"),
    "Parquet without rows": (parquet(pd.DataFrame({"a": [1.0]})[:0]), "t.parquet", "rows under the column names"),
    "Parquet of lists": (parquet(pa.table({"a": [1], "x": [[1, 2]]})), "t.parquet", f"{NOT_FOR_RULES} list"),
    "Parquet of structs": (parquet(pa.table({"x": [{"y": 1}]})), "t.parquet", f"{NOT_FOR_RULES} struct"),
    "Parquet of bytes": (parquet(pa.table({"x": [b"1"]})), "t.parquet", f"{NOT_FOR_RULES} binary"),
    "Parquet with a name twice": (
        parquet(pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["x", "x"])),
        "t.parquet",
        "'x' stands on 2 columns",
    ),
    "not Excel": ("a,b\n1,2\n", "t.xlsx", "to be an Excel workbook, as its name says"),
    "cut Excel": (workbook({"S": [["a"], [1]]})[:-30], "t.xlsx", "cannot be read as a zip file"),
    "Excel without sheets": (workbook({}), "t.xlsx", "to hold a table, but there is nothing in it"),
    "Excel with names only": (workbook({"S": [["a", "b"]]}), "t.xlsx", "rows under the column names"),
    "damaged Excel": (zipped({"[Content_Types].xml": "no XML"}), "t.xlsx", "not a spreadsheet that can be read"),
    "cut old Excel": (OLD_WORKBOOK[:2_000], "t.xls", "not a spreadsheet that can be read"),
    "protected": (
        content.OLD_OFFICE + b"..." + "EncryptedPackage".encode("utf-16-le"),
        "t.xlsx",
        "protected by a password. Save it again without one",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_file_that_is_no_table_is_refused_with_its_name(case: str, tmp_path: Path) -> None:
    data, name, words = REFUSED[case]
    path = written(tmp_path, data, name)
    with pytest.raises(InputError, match=words) as caught:
        read_file(path)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (b"a\n" + b"1\n" * 600_000, "t.csv"),
        (gzip.compress(b"a\n" + b"1\n" * 600_000, mtime=0), "t.csv.gz"),
        (zipped({"t.csv": b"a\n" + b"1\n" * 600_000}), "t.zip"),
    ],
    ids=["plain", "gzip", "zip"],
)
def test_a_file_beyond_the_limit(data: bytes, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path, data, name)
    assert len(read_file(path)) == 600_000
    monkeypatch.setattr(content, "MAX_BYTES", 1_000_000)
    for source in (path, data):
        with pytest.raises(InputError, match=f"at most 1 MB, but .*{name} has more"):
            read_table_file(source, str(path))


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no file"):
        read_file(tmp_path / "none.csv")
    with pytest.raises(InputError, match="it is a folder"):
        read_file(str(tmp_path))


def test_remarks_tell_how_untidy_columns_were_read() -> None:
    n_rows = 40
    frame = pd.DataFrame(
        {
            "income": ["n/a", "unknown", *map(str, range(n_rows - 2))],
            "day": [f"2{day % 8}-03-2021" for day in range(n_rows)],
            "customer": [f"K{number}" for number in range(n_rows)],
            "purpose": ["car", "home"] * (n_rows // 2),
            "debt": [float(number) for number in range(n_rows)],
            "blank": [None] * n_rows,
        }
    )
    frame["income"] = frame["income"].where(frame.index != 5, "7")  # not unique: no ID
    found = remarks(frame)
    assert len(found) == 3
    assert "'income' is read as text because of 'n/a'" in found[0]
    assert "2 rows" in found[0]
    assert "'day' looks like dates" in found[1]
    assert "'customer' has a different value in every row" in found[2]


def test_a_file_that_may_not_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(_: Path) -> bytes:
        raise PermissionError(13, "Permission denied")

    path = written(tmp_path, "a\n1\n")
    monkeypatch.setattr(Path, "read_bytes", forbidden)
    with pytest.raises(InputError, match="Permission denied"):
        read_file(path)


def test_true_and_false_with_blanks_beside_text() -> None:
    table = read_table_file(b"sold;kind\nTrue;a\n;b\nFalse;a\n", "t.csv")
    assert table.frame["sold"].dropna().tolist() == [True, False]
    assert table.frame["kind"].tolist() == ["a", "b", "a"]


# -- nothing is misread without a word -------------------------------------------------------------------------


def lines_with(**changed: str) -> str:
    """Twenty rows of three columns, some of them written in another way."""
    rows = [changed.get(f"row_{number}", f"{number},name {number},{2 * number}") for number in range(20)]
    return "\n".join(["id,name,amount", *rows]) + "\n"


@pytest.mark.parametrize(
    "table",
    [
        lines_with(row_4='4,"name 4,8', row_10='10,name "10,20'),
        lines_with(row_4='4,"5" pipe",8'),
        lines_with(row_19='19,"name 19,38'),
    ],
)
def test_stray_quotes_swallow_no_rows(table: str) -> None:
    with pytest.raises(InputError, match="quotes"):
        read_table_file(table.encode(), "t.csv")


@pytest.mark.parametrize("last", [5, 10])
def test_rows_that_a_quoted_field_may_have_swallowed_are_told(last: int) -> None:
    """By the rules of CSV files it is one field."""
    changed = {"row_4": '4,"name 4,8', f"row_{last}": f'{last},name {last}",{2 * last}'}
    read = read_table_file(lines_with(**changed).encode(), "t.csv")
    assert len(read.frame) == 20 - (last - 4)
    assert read.notes[0].startswith(f"Lines 6 to {last + 2} were read as one row")


def test_quotes_that_mean_something_are_read() -> None:
    table = lines_with(row_3='3,"two\nlines, and a comma",6', row_5='5,"5"" pipe",10', row_7='7,5" pipe,14')
    names = read_table_file(table.encode(), "t.csv").frame["name"]
    assert names[[3, 5, 7]].tolist() == ["two\nlines, and a comma", '5" pipe', '5" pipe']
    assert len(names) == 20


def test_of_two_delimiters_that_fit_alike_the_comma_is_part_of_names_and_numbers() -> None:
    read = read_table_file(b"Name;Amount, EUR\nA;1,5\nB;2,5\n", "t.csv")
    assert read.frame.to_dict("list") == {"Name": ["A", "B"], "Amount, EUR": [1.5, 2.5]}
    assert any("would be possible as well" in note for note in read.notes)


def test_a_point_that_may_part_thousands_is_not_taken_for_a_decimal_point() -> None:
    read = read_table_file(b"a;b\n1.000;x\n2.500;y\n", "t.csv")
    assert read.frame["a"].tolist() == ["1.000", "2.500"]
    assert any("not certain which number" in note for note in read.notes)
    shown_by_itself = read_table_file(b"a;b\n1.000;x\n2.5;y\n", "t.csv").frame["a"]
    shown_by_another = read_table_file(b"a;b\n1.000;0.5\n2.500;1.5\n", "t.csv").frame["a"]
    assert shown_by_itself.tolist() == shown_by_another.tolist() == [1.0, 2.5]
    late = "a;b\n" + "1.000;x\n" * 1_500 + "0.5;x\n"
    assert read_table_file(late.encode(), "t.csv").frame["a"].iloc[[0, -1]].tolist() == [1.0, 0.5]


@pytest.mark.parametrize("blank", ["", "9007199254740997"])
@pytest.mark.parametrize("first", ["9007199254740993", "123456789012345678901234"])
def test_no_digit_of_a_long_number_is_lost(first: str, blank: str) -> None:
    frame = read_table_file(f"id,b\n{first},1\n{blank},2\n".encode(), "t.csv").frame
    assert str(frame["id"].iloc[0]) == first
    assert read_table_file(b"x,b\n1e300,1\n,2\n", "t.csv").frame["x"].iloc[0] == 1e300


@pytest.mark.parametrize("code", [" 00123", "00123 ", "  00123"])
def test_spaces_do_not_make_a_number_of_a_code(code: str) -> None:
    assert read_table_file(f"zip,b\n{code},1\n 00456,2\n".encode(), "t.csv").frame["zip"].tolist() == ["00123", "00456"]


def sheet(cells: str, after: str = "") -> bytes:
    """An .xlsx file with one sheet, from the XML of its cells."""
    with zipfile.ZipFile(io.BytesIO(workbook({"Data": []}))) as plain:
        parts = {name: plain.read(name).decode() for name in plain.namelist()}
    cells_of = "xl/worksheets/s1.xml"
    parts[cells_of] = parts[cells_of].replace("</sheetData>", f"{cells}</sheetData>{after}")
    return zipped(parts, zipfile.ZIP_DEFLATED)


NAMES = '<row r="1"><c r="A1" t="str"><v>a</v></c><c r="B1" t="str"><v>b</v></c></row>'


def test_formulas_without_results_and_merged_cells_are_told() -> None:
    rows = (
        '<row r="2"><c r="A2"><f>1+1</f></c><c r="B2"><v>5</v></c></row>'
        '<row r="3"><c r="A3"><f>1+2</f><v></v></c><c r="B3"/></row>'
        '<row r="4"><c r="A4"><f>2+2</f><v>4</v></c><c r="B4"><v>6</v></c></row>'
    )
    read = read_table_file(sheet(NAMES + rows, '<mergeCells><mergeCell ref="B2:B3"/></mergeCells>'), "t.xlsx")
    assert read.frame["a"].dropna().tolist() == [4]
    assert any(note.startswith("2 cells hold formulas without a result") for note in read.notes)
    assert any(note.startswith("1 range of cells is merged") for note in read.notes)


def peak_of_reading(path: Path) -> int:
    """The most memory of the process that reads a spreadsheet, in megabytes."""
    program = (
        "import resource, sys; from rugcore.errors import InputError; from rugcore.readers import read_file\n"
        "try: read_file(sys.argv[1]); sys.exit('it was read')\n"
        "except InputError: print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024)"
    )
    done = subprocess.run([sys.executable, "-c", program, path], capture_output=True, text=True, check=True)
    return int(done.stdout)


def test_a_small_workbook_takes_little_memory(tmp_path: Path) -> None:
    """A few cells far apart: the library would make room for all between them."""
    far = '<row r="100000"><c r="A100000"><v>1</v></c><c r="ABC100000"><v>1</v></c></row>'
    assert peak_of_reading(written(tmp_path, sheet(NAMES + far), "far.xlsx")) < 500


@pytest.mark.parametrize("pack", ["zip", "gzip"])
def test_a_workbook_in_a_packed_file_is_held_to_the_limit(pack: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(content, "MAX_BYTES", 100_000)
    inner = sheet(NAMES + " " * 200_000)
    outer = zipped({"t.xlsx": inner}) if pack == "zip" else gzip.compress(inner)
    with pytest.raises(InputError, match="when unpacked"):
        read_table_file(outer, f"t.xlsx.{pack}")


@pytest.mark.parametrize(
    "column",
    [pa.array([10**8], pa.date32()), pa.array([-(10**7)], pa.date32())],
)
def test_dates_outside_of_all_calendars_are_refused(column: pa.Array) -> None:
    out = io.BytesIO()
    pq.write_table(pa.table({"when": column, "x": [1]}), out)
    with pytest.raises(InputError, match="years 1 to 9999|cannot be read"):
        read_table_file(out.getvalue(), "t.parquet")
