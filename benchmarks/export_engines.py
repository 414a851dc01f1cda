"""Programs that run the exports of a model: each gets the file as it is handed out, and rows, and says decisions.

A row is the cells of the columns that rules look at, with None for a blank. `is_here` tells whether a program is
installed on this machine.
"""

import csv
import io
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from benchmarks.pmml_reader import read_pmml
from rugcore.export import to_excel, to_javascript, to_pmml, to_python, to_sql
from rugcore.export.cases import edge_rows
from rugcore.export.excel import HEADER_LINES, N_EMPTY_LINES, filled_workbook, neighbours
from rugcore.export.portable import PortableModel
from rugcore.export.sql import output_names

SOFFICE = os.environ.get("RUG_SOFFICE") or shutil.which("localc") or ""  # soffice may be there without spreadsheets
AS_CSV = "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,false,false,false,-1"  # every sheet, in UTF-8
Rows = Sequence[tuple[Any, ...]]
SECONDS = 600
ROWS_PER_BOOK = 5_000  # more take gigabytes of LibreOffice
MOST_IN_LIBREOFFICE = 1_000  # a model; about ten thousand rows of twenty rules take a minute
WITH_PYTHON = """
import json, runpy, sys
found = runpy.run_path(sys.argv[1])
names = [name for name, _ in found["COLUMNS"]]
rows = json.load(open(sys.argv[2]))
wrong = found["check"]()
answers = [found["decide"](dict(zip(names, row)))["decision"] for row in rows]
json.dump([[len(found["CASES"]), len(found["CASES"]) - len(wrong)], answers], sys.stdout)
"""
WITH_NODE = """
const found = require(process.argv[1]);
const rows = JSON.parse(require("fs").readFileSync(process.argv[2], "utf8"));
const answers = rows.map((row) => found.decide(new Map(found.COLUMNS.map(([name], k) => [name, row[k]]))).decision);
process.stdout.write(JSON.stringify([[found.CASES.length, found.CASES.length - found.check().length], answers]));
"""


def with_python(model: Any, rows: Rows) -> list[Any]:
    """Isolated and without packages."""
    return _in_a_process(to_python(model), "decide.py", [sys.executable, "-I", "-S", "-c", WITH_PYTHON], rows)


def with_node(model: Any, rows: Rows) -> list[Any]:
    return _in_a_process(to_javascript(model), "decide.js", ["node", "-e", WITH_NODE], rows)


def _in_a_process(text: str, name: str, command: list[str], rows: Rows) -> list[Any]:
    with tempfile.TemporaryDirectory() as folder:
        program, data = Path(folder) / name, Path(folder) / "rows.json"
        program.write_text(text, encoding="utf-8")
        data.write_text(json.dumps(rows), encoding="utf-8")
        done = subprocess.run([*command, program, data], capture_output=True, text=True, timeout=SECONDS, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr)
    counts, answers = json.loads(done.stdout)
    _refuse_wrong_cases(counts)
    return list(answers)


def _refuse_wrong_cases(counts: tuple[int, int]) -> None:
    """How many cases there are, and how many of them are decided as the model does."""
    n_wrong = counts[0] - counts[1]
    if n_wrong:
        raise RuntimeError(f"{n_wrong} of the test cases in the file are decided otherwise than the model does.")


# -- databases ---------------------------------------------------------------------------------------------


def statements(model: Any, dialect: str) -> tuple[str, str]:
    """The query over the table people, and the check, out of the file."""
    query, check = to_sql(model, "people", dialect).split("-- The check:")
    return query, check.split("\n", 1)[1]


def with_sqlite(model: Any, rows: Rows) -> list[Any]:
    own = PortableModel.of(model)
    query, check = statements(model, "sqlite")
    connection = sqlite3.connect(":memory:")
    _refuse_wrong_cases(*connection.execute(check).fetchall())
    kinds = {"number": "REAL", "category": "TEXT", "boolean": "INTEGER", "code": "NUMERIC"}
    columns = ", ".join(f"{_quoted(column.name)} {kinds[column.kind]}" for column in own.columns)
    connection.execute(f"CREATE TABLE people (place INTEGER{', ' if columns else ''}{columns})")
    marks = ", ".join("?" * (len(own.columns) + 1))
    connection.executemany(f"INSERT INTO people VALUES ({marks})", [(n, *row) for n, row in enumerate(rows)])
    connection.row_factory = sqlite3.Row
    found = connection.execute(query).fetchall()
    answers = {line["place"]: line[output_names(own)["decision"]] for line in found}
    is_flag = isinstance(own.classes[0], bool)
    return [bool(answers[n]) if is_flag else answers[n] for n in range(len(rows))]


def with_duckdb(model: Any, rows: Rows) -> list[Any]:
    import duckdb
    import pyarrow as pa

    own = PortableModel.of(model)
    query, check = statements(model, "duckdb")
    connection = duckdb.connect()
    _refuse_wrong_cases(*connection.execute(check).fetchall())
    kinds = {"number": pa.float64(), "category": pa.string(), "boolean": pa.bool_()}
    columns = {"place": pa.array(range(len(rows)))}
    for number, column in enumerate(own.columns):
        columns[column.name] = pa.array([row[number] for row in rows], kinds.get(column.kind))
    connection.register("people", pa.table(columns))
    found = connection.execute(query)
    names = [line[0] for line in found.description]
    place, decision = names.index("place"), names.index(output_names(own)["decision"])
    answers = {line[place]: line[decision] for line in found.fetchall()}
    return [answers[n] for n in range(len(rows))]


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


# -- PMML --------------------------------------------------------------------------------------------------


def with_own_reader(model: Any, rows: Rows) -> list[Any]:
    return read_pmml(to_pmml(model)).decide(rows)


def with_own_reader_of_scorecards(model: Any, rows: Rows) -> list[Any]:
    return read_pmml(to_pmml(model, "scorecard")).decide(rows)


def with_jpmml(model: Any, rows: Rows) -> list[Any]:
    return _with_jpmml(model, to_pmml(model), rows)


def with_jpmml_scorecard(model: Any, rows: Rows) -> list[Any]:
    return _with_jpmml(model, to_pmml(model, "scorecard"), rows)


def _with_jpmml(model: Any, text: str, rows: Rows) -> list[Any]:
    import pandas as pd
    from jpmml_evaluator import make_evaluator

    evaluator = make_evaluator(text.encode()).verify()  # raises where a test case is decided otherwise
    names = [column.name for column in PortableModel.of(model).columns]
    frame = pd.DataFrame(
        {name: pd.Series(cells, dtype=object) for name, cells in zip(names, zip(*rows, strict=True), strict=True)}
    )
    return list(evaluator.evaluateAll(frame)["rug_decision"])


# -- a spreadsheet -----------------------------------------------------------------------------------------


def with_formulas(model: Any, rows: Rows) -> list[Any]:
    """The workbook, filled in and worked out by a formula engine; slow, so at most as many rows as it has lines."""
    import formulas
    from openpyxl.utils import get_column_letter

    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        file = _filled_in(model, rows, Path(folder))
        found = formulas.ExcelModel().loads(str(file)).finish().calculate()
        values = {key.split("]")[1].replace("'", ""): item for key, item in found.items() if isinstance(key, str)}
    said = [_value(item) for key, item in values.items() if key.startswith("READ ME!")]
    _refuse_wrong_book([str(text) for text in said])
    column = get_column_letter(len(PortableModel.of(model).columns) + 1)
    return [_value(values[f"DECIDE!{column}{line}"]) for line in range(HEADER_LINES + 1, HEADER_LINES + 1 + len(rows))]


def with_libreoffice(model: Any, rows: Rows) -> list[Any]:
    """The workbook with a line for every row, opened by LibreOffice without a window, which writes sheets as CSV."""
    found = []
    for first in range(0, len(rows), ROWS_PER_BOOK):
        found += _with_one_book(model, rows[first : first + ROWS_PER_BOOK])
    return found


def _with_one_book(model: Any, rows: Rows) -> list[Any]:
    own = PortableModel.of(model)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "book.xlsx"
        file.write_bytes(filled_workbook(model, rows))
        profile = f"-env:UserInstallation=file://{folder}/profile"
        command = [SOFFICE, profile, "--headless", "--convert-to", AS_CSV, "--outdir", folder, file]
        subprocess.run(command, capture_output=True, timeout=SECONDS, check=True)
        sheets = {
            name: (Path(folder) / f"book-{name}.csv").read_text(encoding="utf-8") for name in ("Read me", "Decide")
        }
    _refuse_wrong_book(sheets["Read me"].splitlines())
    lines = list(csv.reader(io.StringIO(sheets["Decide"])))[HEADER_LINES:]
    names = {str(label).upper() if isinstance(label, bool) else str(label): label for label in own.classes}
    return [names[line[len(own.columns)]] for _, line in zip(rows, lines, strict=True)]


def _filled_in(model: Any, rows: Rows, folder: Path) -> Path:
    import openpyxl

    if len(rows) > N_EMPTY_LINES:
        raise ValueError(f"Expected at most {N_EMPTY_LINES} rows, but got {len(rows)}.")
    file = folder / "book.xlsx"
    file.write_bytes(to_excel(model))
    book = openpyxl.load_workbook(file)
    for line, row in enumerate(rows, start=HEADER_LINES + 1):
        for place, cell in enumerate(row, start=1):
            _fill(book["Decide"].cell(line, place), cell)
    book.save(file)
    return file


def _refuse_wrong_book(texts: list[str]) -> None:
    """The last line of its first sheet says how its test cases were decided."""
    said = [re.match(r"(\d+) of (\d+) test cases", text.strip('"')) for text in texts]
    counts = [(int(found[2]), int(found[1])) for found in said if found]
    if len(counts) != 1:
        raise RuntimeError(f"Expected one line about test cases, but found {len(counts)}.")
    _refuse_wrong_cases(counts[0])


def _fill(cell: Any, value: Any) -> None:
    cell.value = value
    if isinstance(value, str):
        cell.data_type = "s"  # also where it looks like a formula


def _value(ranges: Any) -> Any:
    value = ranges.value[0, 0]
    return value.item() if hasattr(value, "item") else value


# -- all of them -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ExportEngine:
    """A program, what it runs, and how many rows it is given at most."""

    name: str
    run: Callable[[Any, Rows], list[Any]]
    is_here: bool
    most_rows: int | None = None
    is_for_two_classes: bool = False
    is_spreadsheet: bool = False  # sees 15 digits of a number, and nobody in a line that is blank as a whole
    most_rules: int | None = None

    def rows_of_edges(self, model: Any, n_rows: int, seed: int) -> Rows:
        """At most `n_rows` rows that this program can be asked about."""
        if not self.is_spreadsheet:
            return edge_rows(PortableModel.of(model), n_rows, seed)
        rows = edge_rows(PortableModel.of(model), n_rows, seed, neighbours)
        return [row for row in rows if any(cell is not None for cell in row)]


HAS_JPMML = find_spec("jpmml_evaluator") is not None and shutil.which("java") is not None
HAS_FORMULAS = find_spec("formulas") is not None and find_spec("openpyxl") is not None
HAS_SQLGLOT = find_spec("sqlglot") is not None

ENGINES = (
    ExportEngine("Python", with_python, True),
    ExportEngine("JavaScript in node", with_node, shutil.which("node") is not None),
    ExportEngine("SQL in SQLite", with_sqlite, HAS_SQLGLOT),
    ExportEngine("SQL in DuckDB", with_duckdb, HAS_SQLGLOT and find_spec("duckdb") is not None),
    ExportEngine("PMML rules, own reader", with_own_reader, True),
    ExportEngine("PMML scorecard, own reader", with_own_reader_of_scorecards, True, is_for_two_classes=True),
    ExportEngine("PMML rules in JPMML", with_jpmml, HAS_JPMML),
    ExportEngine("PMML scorecard in JPMML", with_jpmml_scorecard, HAS_JPMML, is_for_two_classes=True),
    ExportEngine("Excel in formulas", with_formulas, HAS_FORMULAS, N_EMPTY_LINES, False, True, most_rules=12),
    ExportEngine("Excel in LibreOffice", with_libreoffice, SOFFICE != "", MOST_IN_LIBREOFFICE, is_spreadsheet=True),
)
