"""Bad files by the hundred, each with the table that it was made of: refused in a sentence, or read as it was meant.

RUG_MORE_BAD_FILES=10 makes ten times as many.
"""

import csv
import io
import itertools
import os
from collections.abc import Callable

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from rugcore.errors import InputError
from rugcore.readers import ReadTable, read_table_file
from tests.unit.readers.test_readers import workbook

MORE = int(os.environ.get("RUG_MORE_BAD_FILES", "1"))
N_ROWS = 24
NAMES = ("name", "amount", "note")

Cells = list[list[str]]


def truth(rng: np.random.Generator) -> Cells:
    """Rows of text, amounts and words; as text, as they stand in the file."""
    words = ["plain", "two words", "ümlaut", "a;b", "x|y", "it's", "=1+1", "", "007", "1 of 2", "N/A"]
    return [
        [f"person {row}", f"{rng.integers(1, 999)}.{rng.integers(1, 99):02}", str(rng.choice(words))]
        for row in range(N_ROWS)
    ]


def in_csv(rows: Cells, delimiter: str, newline: str, quoting: int) -> str:
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter, lineterminator=newline, quoting=quoting)
    writer.writerow(NAMES)
    writer.writerows(rows)
    return out.getvalue()


def with_stray_quote(text: str, rng: np.random.Generator) -> str:
    place = int(rng.integers(len(text)))
    return text[:place] + '"' + text[place:]


def with_two_stray_quotes(text: str, rng: np.random.Generator) -> str:
    """One at the beginning of a field, where it counts, and one somewhere behind."""
    lines = text.splitlines(keepends=True)
    first, last = sorted(rng.choice(np.arange(1, len(lines)), 2, replace=False).tolist())
    place = int(rng.integers(len(lines[last].rstrip())))
    lines[first] = '"' + lines[first]
    lines[last] = lines[last][:place] + '"' + lines[last][place:]
    return "".join(lines)


def without_a_delimiter(text: str, rng: np.random.Generator) -> str:
    places = [place for place, letter in enumerate(text) if letter in ",;\t|"]
    place = places[int(rng.integers(len(places)))]
    return text[:place] + text[place + 1 :]


def with_a_blank_line(text: str, rng: np.random.Generator) -> str:
    lines = text.splitlines(keepends=True)
    lines.insert(int(rng.integers(1, len(lines))), "\n")
    return "".join(lines)


def cut_short(text: str, rng: np.random.Generator) -> str:
    return text[: int(rng.integers(len(text)))]


def with_a_zero_byte(text: str, rng: np.random.Generator) -> str:
    place = int(rng.integers(len(text)))
    return text[:place] + "\0" + text[place:]


def as_it_is(text: str, rng: np.random.Generator) -> str:
    return text


HARMS: list[Callable[[str, np.random.Generator], str]] = [
    as_it_is, with_stray_quote, with_two_stray_quotes, without_a_delimiter, with_a_blank_line, cut_short,
    with_a_zero_byte,
]  # fmt: skip
KINDS = list(
    itertools.product(
        HARMS,
        [",", ";", "\t", "|"],
        ["\n", "\r\n"],
        [csv.QUOTE_MINIMAL, csv.QUOTE_ALL],
        ["utf-8", "utf-8-sig", "utf-16", "cp1252"],
    )
)


def read(data: bytes, name: str) -> ReadTable | None:
    """None if it was refused; any other error is a failure of the test."""
    try:
        return read_table_file(data, name)
    except InputError as error:
        refusal = str(error)
    assert name in refusal
    assert len(refusal) < 600
    return None


@pytest.mark.parametrize("harm", HARMS, ids=lambda harm: harm.__name__)
def test_no_text_file_is_misread_without_a_word(harm: Callable[[str, np.random.Generator], str]) -> None:
    rng = np.random.default_rng(HARMS.index(harm))
    kinds = [kind for kind in KINDS if kind[0] is harm]
    assert len(kinds) * len(HARMS) > 300
    for _, delimiter, newline, quoting, encoding in kinds * MORE:
        rows = truth(rng)
        text = harm(in_csv(rows, delimiter, newline, quoting), rng)
        table = read(text.encode(encoding), "t.csv")
        if harm is as_it_is:
            assert table is not None
        if table is not None:
            check(table, rows, text)


def check(table: ReadTable, rows: Cells, text: str) -> None:
    """Every row that was read is one that was written, and rows that are missing are told or not in the file."""
    told = any("read as one row" in note for note in table.notes)
    assert len(table.frame) == N_ROWS or told or text.count("\n") < N_ROWS, text
    if len(table.frame.columns) != len(NAMES) or list(table.frame.columns) != list(NAMES):
        return  # the header itself was changed, as anybody sees
    meant = {row[0]: row for row in rows}
    found = table.frame.astype({"amount": "float64"}) if table.frame["amount"].dtype != "str" else table.frame
    others = 0
    for name, amount in zip(found["name"], found["amount"], strict=True):
        known = meant.get(str(name))
        others += known is None or (isinstance(amount, float) and amount != float(known[1]))
    assert others <= 2, text  # the row in which a letter was changed, and the last one if the file was cut there


def flipped(data: bytes, rng: np.random.Generator) -> bytes:
    damaged = bytearray(data)
    for place in rng.integers(0, len(data), int(rng.integers(1, 4))):
        damaged[place] ^= 1 << int(rng.integers(8))
    return bytes(damaged)


def in_parquet(frame: pd.DataFrame) -> bytes:
    out = io.BytesIO()
    frame.to_parquet(out)
    assert pq.ParquetFile(io.BytesIO(out.getvalue())).metadata.num_rows == len(frame)
    return out.getvalue()


FRAME = pd.DataFrame(truth(np.random.default_rng(0)), columns=NAMES).astype({"amount": float})
BINARY = {
    "t.parquet": (in_parquet(FRAME), 150),
    "t.xlsx": (workbook({"Data": [list(NAMES), *FRAME.astype(object).to_numpy().tolist()]}), 25),
}


@pytest.mark.parametrize("name", BINARY)
def test_a_flipped_bit_is_a_table_or_a_sentence(name: str) -> None:
    data, n_flipped = BINARY[name]
    rng = np.random.default_rng(1)
    for _ in range(n_flipped * MORE):
        table = read(flipped(data, rng), name)
        assert table is None or len(table.frame.columns) <= len(NAMES)
    for length in rng.integers(0, len(data) - 1, 10 * MORE):
        read(data[:length], name)
