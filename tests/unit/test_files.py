"""Tables from files, as people have them."""

import gzip
from pathlib import Path

import pandas as pd
import pytest

from rugcore.errors import InputError
from rugcore.files import read_file, remarks


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


@pytest.mark.parametrize(
    ("content", "name", "words"),
    [
        ("", "t.csv", "cannot be read as a table: No columns"),
        ("\n\n", "t.csv", "cannot be read as a table"),
        ("a,b\n1,2\n1,2,3\n", "t.csv", "Expected 2 fields in line 3, saw 3"),
        ("a,b\n1,2,3\n", "t.csv", "cannot be read as a table"),
        ("a,b,a\n1,2,3\n", "t.csv", "'a' stands on 2 columns.*Rename"),
        ('a,b\n"1,2\n', "t.csv", "cannot be read as a table"),
        ("größe\nklein\n".encode("latin-1"), "t.csv", "text in UTF-8.*save it again with the encoding UTF-8"),
        ("a,b\n1,2\n".encode("utf-16"), "t.csv", "text in UTF-8"),
        (bytes(range(256)), "t.csv", "text in UTF-8"),
        (b"not compressed", "t.csv.gz", "cannot be read .Not a gzipped file"),
        (gzip.compress(b"a,b\n1,2\n" * 999, mtime=0)[:-9], "t.csv.gz", "cannot be read"),
        (b"no archive", "t.zip", "cannot be read .File is not a zip file"),
        (b"PAR1 but not really PAR1", "t.parquet", "not a Parquet file that can be read"),
    ],
)
def test_a_file_that_is_no_table_is_refused_with_its_name(
    content: str | bytes, name: str, words: str, tmp_path: Path
) -> None:
    path = written(tmp_path, content, name)
    with pytest.raises(InputError, match=words) as caught:
        read_file(path)
    assert str(path) in str(caught.value)


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
    def forbidden(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(pd, "read_csv", forbidden)
    with pytest.raises(InputError, match="Permission denied"):
        read_file(written(tmp_path, "a\n1\n"))
