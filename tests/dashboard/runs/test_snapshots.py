"""A table comes back as it went in, whatever its columns hold."""

import os
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from rugboard.runs.errors import RunError
from rugboard.runs.home import Home
from rugboard.runs.snapshots import Snapshots
from rugcore.errors import InputError
from rugcore.tables import read_table
from tests.tables import mixed_table

COLUMNS = {
    "int64": pd.Series([1, 2**53 + 1, -3]),
    "int8": pd.Series([1, 2, 3], dtype="int8"),
    "uint64": pd.Series([1, 2, 2**64 - 1], dtype="uint64"),
    "float64": pd.Series([0.1, np.nan, -0.0]),
    "float32": pd.Series([0.1, np.nan, 2], dtype="float32"),
    "infinite": pd.Series([np.inf, 1.0, 2.0]),
    "Int64": pd.Series([2**53 + 1, None, 3], dtype="Int64"),
    "Float64": pd.Series([0.1, None, 3], dtype="Float64"),
    "bool": pd.Series([True, False, True]),
    "boolean": pd.Series([True, None, False], dtype="boolean"),
    "str": pd.Series(["a", None, ""], dtype="str"),
    "words for nothing": pd.Series(["None", "NA", "nan"], dtype="str"),
    "string": pd.Series(["Größe", None, "a\nb"], dtype="string"),
    "category": pd.Series(pd.Categorical(["b", None, "a"], categories=["b", "unused", "a"], ordered=True)),
    "category of objects": pd.Series(pd.Categorical(["b", "a", None], categories=pd.Index(["b", "a"], dtype=object))),
    "code": pd.Series(pd.Categorical([7, None, 12], categories=[12, 7, 99])),
    "code of fractions": pd.Series(pd.Categorical([0.1, None, 1.0])),
    "category of booleans": pd.Series(pd.Categorical([True, None, False])),
    "category without values": pd.Series(pd.Categorical([None, None, None])),
    "text objects": pd.Series(["a", None, "b"], dtype=object),
    "boolean objects": pd.Series([True, None, False], dtype=object),
    "whole objects": pd.Series([2**53 + 1, None, 3], dtype=object),
    "number objects": pd.Series([1, 0.1, None], dtype=object),
    "decimals": pd.Series([Decimal("1.5"), None, Decimal("2.5")], dtype=object),
    "blank objects": pd.Series([None, None, None], dtype=object),
    "blank numbers": pd.Series([np.nan, np.nan, np.nan]),
    "dates": pd.Series(pd.to_datetime(["2020-01-01", None, "2021-05-05"])),
}


@pytest.fixture
def snapshots(home: Home) -> Snapshots:
    home.make()
    return Snapshots(home.snapshots)


@pytest.mark.parametrize("name", COLUMNS)
def test_every_kind_of_column_comes_back_exactly(name: str, snapshots: Snapshots) -> None:
    frame = pd.DataFrame({name: COLUMNS[name]})
    again = snapshots.load(snapshots.save(frame))
    pd.testing.assert_frame_equal(again, frame, check_exact=True, check_categorical=True)


def test_objects_that_are_blank_in_other_ways_are_still_blank(snapshots: Snapshots) -> None:
    frame = pd.DataFrame({"x": pd.Series(["a", np.nan, pd.NA, None], dtype=object)})
    assert snapshots.load(snapshots.save(frame))["x"].tolist() == ["a", None, None, None]


def test_the_engine_reads_the_same(snapshots: Snapshots) -> None:
    frame = mixed_table()
    before, after = read_table(frame), read_table(snapshots.load(snapshots.save(frame)))
    assert after.kinds == before.kinds
    for position in range(len(before.names)):
        np.testing.assert_array_equal(after.column(position), before.column(position))


def test_the_same_content_is_kept_once(snapshots: Snapshots, home: Home) -> None:
    frame = mixed_table()
    assert snapshots.save(frame) == snapshots.save(frame.copy())
    assert len(list(home.snapshots.iterdir())) == 1


@pytest.mark.parametrize("dtype", ["float64", "Int64", "category", "object"])
def test_other_kinds_are_other_content(dtype: str, snapshots: Snapshots) -> None:
    frame = pd.DataFrame({"x": [1, 2]})
    assert snapshots.save(frame) != snapshots.save(frame.astype(dtype))


def test_some_columns_in_the_order_asked_for(snapshots: Snapshots) -> None:
    frame = mixed_table()
    chosen = ["branch", "income", "region"]
    pd.testing.assert_frame_equal(snapshots.load(snapshots.save(frame), chosen), frame[chosen])
    with pytest.raises(RunError, match="no column 'height'"):
        snapshots.load(snapshots.save(frame), ["height"])


@pytest.mark.parametrize(("n_rows", "n_looks"), [(100, 1), (700_000, 2)])
def test_a_wide_table_is_read_at_once_and_a_long_one_in_portions(
    n_rows: int, n_looks: int, snapshots: Snapshots, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each look reads what the file says of all its columns: one per few columns would take seconds."""
    wide = pd.DataFrame({f"column {number}": np.zeros(n_rows, dtype=np.int8) for number in range(9)})
    looks = []
    read = pq.read_table
    monkeypatch.setattr(pq, "read_table", lambda *given, **named: looks.append(named) or read(*given, **named))
    pd.testing.assert_frame_equal(snapshots.load(snapshots.save(wide)), wide)
    assert len(looks) == n_looks


def test_rows_are_known_by_position(snapshots: Snapshots) -> None:
    frame = pd.DataFrame({"x": [3, 1, 2]}, index=[9, 9, 4])
    again = snapshots.load(snapshots.save(frame))
    assert again.index.tolist() == [0, 1, 2]
    assert again["x"].tolist() == [3, 1, 2]


def test_names_that_are_not_text_become_text(snapshots: Snapshots) -> None:
    frame = pd.DataFrame({0: [1], "b": [2]})
    assert snapshots.column_names(snapshots.save(frame)) == ["0", "b"]


@pytest.mark.parametrize(
    "column",
    [
        pd.Series(["a", 1, 2.5], dtype=object),
        pd.Series([[1], [2]], dtype=object),
        pd.Series([2**70, 1], dtype=object),
        pd.Series([1j, 2j]),
        pd.Series(pd.cut([1, 2, 3], 2)),
    ],
    ids=["mixed", "lists", "huge", "complex", "intervals"],
)
def test_what_cannot_be_kept_is_refused_by_name(column: pd.Series, snapshots: Snapshots, home: Home) -> None:
    with pytest.raises(InputError, match="'odd'"):
        snapshots.save(pd.DataFrame({"odd": column}))
    assert list(home.snapshots.iterdir()) == []


def test_two_columns_of_one_name_are_refused(snapshots: Snapshots) -> None:
    with pytest.raises(InputError, match="own name"):
        snapshots.save(pd.DataFrame([[1, 2]], columns=["a", "a"]))


def test_a_damaged_file_is_said_to_be_so(snapshots: Snapshots) -> None:
    snapshot = snapshots.save(mixed_table())
    snapshots.path(snapshot).write_bytes(b"PAR1 and no more")
    with pytest.raises(RunError, match="gone or damaged"):
        snapshots.load(snapshot)


@pytest.mark.parametrize("snapshot", ["0" * 64, "../secrets", ""])
def test_there_is_no_way_to_other_files(snapshot: str, snapshots: Snapshots) -> None:
    with pytest.raises(RunError):
        snapshots.load(snapshot)


def test_only_old_and_unused_tables_are_swept_away(snapshots: Snapshots) -> None:
    used, unused, fresh = (snapshots.save(pd.DataFrame({"x": [number]})) for number in range(3))
    for snapshot in (used, unused):
        os.utime(snapshots.path(snapshot), (0, 0))
    snapshots.remove_unused({used}, since=0.0)
    assert [snapshots.exists(snapshot) for snapshot in (used, unused, fresh)] == [True, False, True]
