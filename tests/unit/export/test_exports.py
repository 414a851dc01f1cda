"""Exports are run, not only written: the same decision as the model on every row, at every edge."""

import io
import json
import re
import sqlite3
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import sqlglot
from jsonschema import Draft202012Validator
from sqlglot import exp

from benchmarks.export_engines import (
    ENGINES,
    ExportEngine,
    statements,
    with_duckdb,
    with_node,
    with_python,
    with_sqlite,
)
from benchmarks.pmml_reader import read_pmml
from rugcore import FairRUGClassifier, InputError, MissingPackageError, RUGClassifier
from rugcore.cli import exporting, main
from rugcore.export import (
    DIALECTS,
    FORMATS,
    export_file,
    json_schema,
    to_excel,
    to_javascript,
    to_json,
    to_pmml,
    to_python,
    to_sql,
)
from rugcore.export.cases import cases_of, cells_of, edge_rows, edge_values, frame_of
from rugcore.export.portable import MOST_UNITS, PortableModel, whole_units
from rugcore.rules import Interval, Membership, Rule
from rugcore.rules.decisions import TIE_TOLERANCE
from tests.export_models import (
    HOSTILE,
    cautious_model,
    exportable,
    hostile_model,
    many_kinds_for_spreadsheets,
    many_kinds_model,
    random_model,
)
from tests.rule_models import model_of
from tests.tables import mixed_outcome, mixed_table

QUICK_ENGINES = [engine for engine in ENGINES if not engine.is_spreadsheet]
N_ROWS = 300


def named(engine: ExportEngine) -> str:
    return engine.name


def same_decisions(engine: ExportEngine, model: RUGClassifier, n_rows: int = N_ROWS) -> None:
    if not engine.is_here:
        pytest.skip(f"{engine.name}: the program is not installed here")
    if engine.is_for_two_classes and len(model.classes_) != 2:
        return
    own = PortableModel.of(model)
    rows = engine.rows_of_edges(model, min(n_rows, engine.most_rows or n_rows), seed=7)
    expected = model.predict(frame_of(own, rows)).tolist()
    assert engine.run(model, rows) == expected


@pytest.fixture(scope="module")
def trained() -> RUGClassifier:
    table = mixed_table(400)
    return RUGClassifier(max_depth=2, max_iter=4).fit(table, mixed_outcome(table))


@pytest.fixture(scope="module")
def fair() -> FairRUGClassifier:
    table = mixed_table(600)
    outcome = (mixed_outcome(table) == "refuse").to_numpy()
    settings: dict[str, Any] = {"max_depth": 2, "max_iter": 3, "epsilon": 0.5, "min_cell_size": 5}
    return FairRUGClassifier(**settings).fit(table, outcome, sensitive_features=table["children"].fillna(0) > 2)


# -- the same decisions ------------------------------------------------------------------------------------


@pytest.mark.parametrize("engine", QUICK_ENGINES, ids=named)
def test_names_and_values_from_strangers_change_nothing(engine: ExportEngine) -> None:
    same_decisions(engine, hostile_model())


@pytest.mark.parametrize("engine", QUICK_ENGINES, ids=named)
def test_every_kind_of_column_is_decided_alike_at_every_edge(engine: ExportEngine) -> None:
    same_decisions(engine, many_kinds_model(), n_rows=1500)


@pytest.mark.parametrize("engine", QUICK_ENGINES, ids=named)
def test_whoever_no_rule_covers_gets_what_the_model_says(engine: ExportEngine) -> None:
    model = cautious_model()
    assert PortableModel.of(model).default == 0  # though class 1 is more common, and wins ties
    same_decisions(engine, model)


@pytest.mark.parametrize("engine", QUICK_ENGINES, ids=named)
def test_trained_models_are_decided_alike(
    engine: ExportEngine, trained: RUGClassifier, fair: FairRUGClassifier
) -> None:
    same_decisions(engine, trained)
    same_decisions(engine, fair)


@pytest.mark.parametrize("seed", range(8))
def test_rules_at_random_are_decided_alike(seed: int) -> None:
    model = random_model(seed, n_classes=2 + seed % 3)
    own = PortableModel.of(model)
    rows = edge_rows(own, N_ROWS, seed=seed)
    decided = model.decisions(frame_of(own, rows))
    expected = model.classes_[decided.class_code].tolist()
    for run in (with_python, with_sqlite, with_duckdb):
        assert run(model, rows) == expected, run.__name__
    assert read_pmml(to_pmml(model)).decide(rows) == expected


def test_ties_nobody_covered_and_every_class_occur_in_these_tests() -> None:
    """Or the tests above would show nothing about them."""
    decided = []
    for model in (hostile_model(), many_kinds_model(), *(random_model(seed, 3) for seed in range(4))):
        own = PortableModel.of(model)
        decided.append(model.decisions(frame_of(own, edge_rows(own, N_ROWS, seed=7))))
    assert sum(found.is_tie.sum() for found in decided) > 50
    assert sum(found.is_uncovered.sum() for found in decided) > 50
    assert all(len(set(found.class_code.tolist())) == found.scores.shape[1] for found in decided[:2])


@pytest.mark.slow
@pytest.mark.parametrize("engine", [e for e in ENGINES if e.is_spreadsheet], ids=named)
@pytest.mark.parametrize("make", [hostile_model, many_kinds_for_spreadsheets], ids=["hostile", "many kinds"])
def test_a_workbook_decides_alike(make: Any, engine: ExportEngine) -> None:
    same_decisions(engine, make())


def test_a_long_list_of_values_still_fits_into_a_cell() -> None:
    """Formulas beyond 8,192 letters make a workbook that cannot be opened."""
    values = tuple(f"value {number}" for number in range(250))
    table = pd.DataFrame({"a": [*values, "other"]})
    for negated in (False, True):
        rule = Rule((Membership("a", values, negated=negated),), "grant", 1.0)
        book = zipfile.ZipFile(io.BytesIO(to_excel(exportable(model_of([rule], table)))))
        formulas = re.findall(r"<f>(.*?)</f>", book.read("xl/worksheets/sheet2.xml").decode())
        assert max(map(len, formulas)) < 500
        assert any("SUMPRODUCT(--EXACT($A4,Constants!$A$" in formula for formula in formulas)


def test_thresholds_that_a_spreadsheet_cannot_tell_apart_are_refused() -> None:
    with pytest.raises(InputError, match="can tell apart"):
        to_excel(many_kinds_model())


def test_true_and_false_can_be_classes() -> None:
    model = many_kinds_model(classes=(False, True))
    for engine in QUICK_ENGINES:
        if engine.is_here:
            same_decisions(engine, model, n_rows=100)


def test_a_model_without_rules_gives_everybody_the_default() -> None:
    model = exportable(model_of([], pd.DataFrame({"a": [1.0]}), share=(0.3, 0.7)))
    assert with_python(model, [()]) == ["refuse"]
    assert with_sqlite(model, [()]) == ["refuse"]
    assert read_pmml(to_pmml(model)).decide([()]) == ["refuse"]
    assert read_pmml(to_pmml(model, "scorecard")).decide([()]) == ["refuse"]
    assert to_excel(model).startswith(b"PK")


def test_the_rows_of_a_table_are_decided_alike(trained: RUGClassifier) -> None:
    table = mixed_table(300, seed=5)
    rows = cells_of(PortableModel.of(trained), table)
    for run in (with_python, with_sqlite, with_duckdb):
        assert run(trained, rows) == trained.predict(table).tolist()


# -- the test cases inside the files -----------------------------------------------------------------------


def test_the_cases_show_every_rule_every_edge_ties_and_nobody_covered() -> None:
    model = many_kinds_model()
    own = PortableModel.of(model)
    cases = cases_of(own)
    assert len(cases) == 100
    frame = frame_of(own, [case.cells for case in cases])
    decided = model.decisions(frame)
    assert decided.is_tie.any()
    assert decided.is_uncovered.any()
    assert model.covering_rules(frame).toarray().any(axis=0).all()
    for number in range(len(own.columns)):
        shown = {case.cells[number] for case in cases}
        assert shown == set(edge_values(own, number))
    months = {case.cells[0] for case in cases}
    assert {2.0, np.nextafter(2.0, 3), np.nextafter(2.0, 1), -9.0, 5.0, None} <= months


def test_the_cases_are_the_same_for_the_same_model_and_hold_its_answers(trained: RUGClassifier) -> None:
    own = PortableModel.of(trained)
    cases = cases_of(own)
    assert cases == cases_of(PortableModel.of(trained))
    frame = frame_of(own, [case.cells for case in cases])
    assert [case.decision for case in cases] == trained.predict(frame).tolist()


def test_no_row_of_the_training_table_is_among_the_cases(trained: RUGClassifier) -> None:
    own = PortableModel.of(trained)
    people = set(cells_of(own, mixed_table(400)))
    assert not people & {case.cells for case in cases_of(own)}


def test_the_check_of_a_file_sees_a_changed_file() -> None:
    """A weight that somebody edits is found by the cases that came along."""
    model = many_kinds_model()
    query, check = statements(model, "sqlite")
    connection = sqlite3.connect(":memory:")
    n_cases, n_same = connection.execute(check).fetchone()
    assert n_cases == n_same == 100
    edited = check.replace("<= 9007199254740992", "<= 9007199254740991")
    assert edited != check
    assert connection.execute(edited).fetchone()[1] < 100
    assert query.count("rug_decision") == 1
    program = to_python(model)
    changed = re.sub(r"(yield \d+, \d, )\d+", r"\g<1>1", program)
    for text, code in ((program, 0), (changed, 1)):
        done = subprocess.run(
            [sys.executable, "-I", "-S", "-"], input=text, capture_output=True, text=True, check=False
        )
        assert done.returncode == code, done.stderr


@pytest.mark.parametrize("to", list(FORMATS))
def test_every_file_says_whose_it_is_and_is_the_same_each_time(to: str, tmp_path: Path) -> None:
    model = many_kinds_for_spreadsheets()
    content = export_file(model, to)
    assert content == export_file(model, to)
    own = PortableModel.of(model)
    if to == "excel":
        import openpyxl

        (tmp_path / "book.xlsx").write_bytes(content)
        text = "\n".join(str(line[0].value) for line in openpyxl.load_workbook(tmp_path / "book.xlsx")["Read me"])
    else:
        text = content.decode()
    assert own.model_id in text
    assert own.version in text


def test_the_id_is_the_digest_of_the_saved_file(trained: RUGClassifier, tmp_path: Path) -> None:
    trained.save(tmp_path / "model.json")
    written = json.loads((tmp_path / "model.json").read_text(encoding="utf-8"))["digest"]
    assert PortableModel.of(trained).model_id == written
    assert PortableModel.of(RUGClassifier.load(tmp_path / "model.json")).model_id == written


# -- weights and ties --------------------------------------------------------------------------------------


def test_trained_weights_are_whole_units_exactly(trained: RUGClassifier, fair: FairRUGClassifier) -> None:
    for model in (trained, fair):
        own = PortableModel.of(model)
        assert own.total_units <= MOST_UNITS
        for rule, portable in zip(model.rules_, own.rules, strict=True):
            assert portable.units / 10**own.decimals == rule.weight


def test_sums_that_differ_only_as_floats_are_ties_in_units() -> None:
    assert 0.1 + 0.2 != 0.3
    _, (one, two, three) = whole_units([0.1, 0.2, 0.3])
    assert one + two == three


def test_weights_that_are_no_short_decimals_are_rounded_within_the_tolerance() -> None:
    decimals, units = whole_units([1 / 3, 2 / 3, 1e-3])
    assert sum(units) <= MOST_UNITS
    for unit, weight in zip(units, [1 / 3, 2 / 3, 1e-3], strict=True):
        assert abs(unit / 10**decimals - weight) < weight * TIE_TOLERANCE / 2


def test_weights_that_no_sum_can_hold_together_are_refused() -> None:
    with pytest.raises(InputError, match="larger weight_threshold"):
        whole_units([1.0, 1.23456789012e-9])


# -- SQL ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dialect", list(DIALECTS))
@pytest.mark.parametrize("make", [hostile_model, many_kinds_model], ids=["hostile", "many kinds"])
def test_sql_parses_back_to_the_same_names_and_values(make: Any, dialect: str) -> None:
    model = make()
    name = DIALECTS[dialect][1]
    found = [tree for tree in sqlglot.parse(to_sql(model, "bank.people", dialect), dialect=name) if tree is not None]
    assert len(found) == 2, "a query and its check"
    names = {column.name for tree in found for column in tree.find_all(exp.Column)}
    assert {column.name for column in PortableModel.of(model).columns} <= names
    texts = {literal.this for tree in found for literal in tree.find_all(exp.Literal, exp.National)}
    values = [
        value for rule in model.rules_ for c in rule.conditions if isinstance(c, Membership) for value in c.values
    ]
    assert {value for value in values if isinstance(value, str)} <= texts
    assert not list(found[0].find_all(exp.Drop))
    tables = {table.sql() for table in found[0].find_all(exp.Table)}
    assert tables == {"bank.people AS source"} or tables == {"bank.people source"}


@pytest.mark.parametrize("dialect", list(DIALECTS))
def test_no_comparison_stands_under_a_not(dialect: str) -> None:
    tree = sqlglot.parse_one(statements(many_kinds_model(), dialect)[0], dialect=DIALECTS[dialect][1])
    assert all(isinstance(found.this, exp.Null | exp.Is) for found in tree.find_all(exp.Not))


def test_not_a_number_is_a_blank_in_a_database() -> None:
    import duckdb

    table = pd.DataFrame({"a": [1.0, None]})
    model = exportable(model_of([Rule((Interval("a", 0.5),), "grant", 1.0)], table, share=(0.3, 0.7)))
    connection = duckdb.connect()
    connection.execute("CREATE TABLE people AS SELECT * FROM (VALUES ('NaN'::DOUBLE), (NULL), (2.0)) AS t(a)")
    found = connection.execute(statements(model, "duckdb")[0]).fetchall()
    assert [line[-1] for line in found] == ["refuse", "refuse", "grant"]


@pytest.mark.parametrize("table", ["people; DROP TABLE people", "people p", "f(x)", "", " ", "(SELECT 1)", "a b.c"])
def test_a_table_is_a_name_and_nothing_else(table: str) -> None:
    """What is no name is refused, or becomes a name in quotes, which runs nothing."""
    try:
        text = to_sql(many_kinds_model(), table, "sqlite")
    except InputError as error:
        assert "name of a table" in str(error)  # noqa: PT017
        return
    assert f'FROM "{table}" AS source' in text or '"a b".c AS source' in text


def test_sql_needs_sqlglot_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sqlglot", None)
    with pytest.raises(MissingPackageError, match=re.escape("pip install 'rug-dashboard[export]'")):
        to_sql(many_kinds_model())


def test_what_a_database_cannot_tell_apart_is_refused() -> None:
    table = pd.DataFrame({"a": ["x", ""], "A": ["x", "y"]})
    rules = [Rule((Membership("a", ("",)), Membership("A", ("x",))), "grant", 1.0)]
    model = exportable(model_of(rules, table))
    with pytest.raises(InputError, match="small and large letters"):
        to_sql(model, dialect="sqlite")
    with pytest.raises(InputError, match="empty text"):
        to_sql(model, dialect="oracle")
    with pytest.raises(InputError, match="empty text"):
        to_excel(model)
    assert "source" in to_sql(model, dialect="postgres")
    with pytest.raises(InputError, match="Expected dialect to be one of"):
        to_sql(model, dialect="cobol")


# -- other formats -----------------------------------------------------------------------------------------


def test_letters_that_a_format_cannot_hold_are_refused() -> None:
    table = pd.DataFrame({"a": ["x\x00y", "b\rc"]})
    with_null = exportable(model_of([Rule((Membership("a", ("x\x00y",)),), "grant", 1.0)], table))
    for refuse in (to_sql, to_pmml, to_excel):
        with pytest.raises(InputError, match="no way to write"):
            refuse(with_null)
    rows = [("x\x00y",), ("x",), ("b\rc",)]
    assert with_python(with_null, rows) == with_node(with_null, rows) == ["grant", "grant", "grant"]
    with_return = exportable(model_of([Rule((Membership("a", ("b\rc",)),), "refuse", 1.0)], table))
    with pytest.raises(InputError, match="no way to write"):
        to_excel(with_return)
    assert read_pmml(to_pmml(with_return)).decide([("b\rc",), ("b\nc",)]) == ["refuse", "grant"]


def test_no_text_of_a_stranger_ends_a_script() -> None:
    text = to_javascript(hostile_model())
    assert "</" not in text
    assert text.isascii()
    assert to_python(hostile_model()).isascii()


def test_the_functions_refuse_what_the_model_refuses() -> None:
    model = many_kinds_model()
    decide: dict[str, Any] = {}
    exec(to_python(model), decide)  # the file itself, as a user imports it
    row = dict.fromkeys(PortableModel.of(model).source.schema_.names)
    assert decide["decide"](row)["decided_by"] in ("rules", "tie", "default")
    for wrong in ({"ratio": "0.3"}, {"ratio": float("inf")}, {"employed": 1}, {"branch": "7"}):
        with pytest.raises(ValueError, match="Expected"):
            decide["decide"](row | wrong)
    with pytest.raises(ValueError, match="Expected a value for column 'ratio'"):
        decide["decide"]({name: value for name, value in row.items() if name != "ratio"})


def test_the_functions_say_scores_rules_and_why() -> None:
    model = many_kinds_model()
    own = PortableModel.of(model)
    rows = edge_rows(own, 200, seed=3)
    frame = frame_of(own, rows)
    decided = model.decisions(frame)
    decide: dict[str, Any] = {}
    exec(to_python(model), decide)
    names = [column.name for column in own.columns]
    found = [decide["decide"](dict(zip(names, row, strict=True))) for row in rows]
    np.testing.assert_allclose([answer["scores"] for answer in found], decided.scores, atol=1e-12)
    covering = [(np.flatnonzero(line) + 1).tolist() for line in model.covering_rules(frame).toarray()]
    assert [answer["rules"] for answer in found] == covering
    assert [answer["decided_by"] == "tie" for answer in found] == decided.is_tie.tolist()
    assert [answer["decided_by"] == "default" for answer in found] == decided.is_uncovered.tolist()


def test_sql_says_scores_and_how_many_rules_apply() -> None:
    model = hostile_model(classes=("small", "middle", "large"))
    own = PortableModel.of(model)
    rows = edge_rows(own, 100, seed=3)
    decided, covering = model.decisions(frame_of(own, rows)), model.covering_rules(frame_of(own, rows))
    connection = sqlite3.connect(":memory:")
    columns = ", ".join('"' + column.name.replace('"', '""') + '"' for column in own.columns)
    connection.execute(f"CREATE TABLE people ({columns})")
    connection.executemany(f"INSERT INTO people VALUES ({', '.join('?' * len(own.columns))})", rows)
    found = connection.execute(statements(model, "sqlite")[0])
    names = [item[0] for item in found.description]
    frame = pd.DataFrame(found.fetchall(), columns=names)
    np.testing.assert_allclose(
        frame[["rug_score_small", "rug_score_middle", "rug_score_large"]], decided.scores, atol=1e-12
    )
    assert frame["rug_rules_that_apply"].tolist() == covering.toarray().sum(axis=1).tolist()


def test_pmml_holds_its_test_cases_and_the_scorecard_is_for_two_classes() -> None:
    for kind in ("rules", "scorecard"):
        document = read_pmml(to_pmml(many_kinds_model(), kind))
        assert len(document.cases()) == 100
        assert {expected for _, expected in document.cases()} == {"0", "1"}
    with pytest.raises(InputError, match="two classes"):
        to_pmml(hostile_model(), "scorecard")
    with pytest.raises(InputError, match="Expected positive_class"):
        to_pmml(many_kinds_model(), "scorecard", positive_class="maybe")
    with pytest.raises(InputError, match="Expected kind"):
        to_pmml(many_kinds_model(), "tree")


def test_the_scorecard_can_count_points_for_either_class() -> None:
    model = many_kinds_model()
    own = PortableModel.of(model)
    rows = edge_rows(own, N_ROWS)
    expected = model.predict(frame_of(own, rows)).tolist()
    for label in (0, 1):
        assert read_pmml(to_pmml(model, "scorecard", positive_class=label)).decide(rows) == expected


def test_all_json_of_rugcore_follows_its_schema(
    trained: RUGClassifier, fair: FairRUGClassifier, tmp_path: Path
) -> None:
    validator = Draft202012Validator(json_schema())
    Draft202012Validator.check_schema(json_schema())
    trained.save(tmp_path / "rug.json")
    fair.save(tmp_path / "fair.json")
    texts = [to_json(trained), to_json(fair), to_json(many_kinds_model()), to_json(hostile_model())]
    texts += [trained.rules_.to_json(), *((tmp_path / name).read_text() for name in ("rug.json", "fair.json"))]
    for text in texts:
        validator.validate(json.loads(text))
    broken = json.loads(texts[0])
    broken["rules"][0]["if"][0]["kind"] = "guess"
    assert not validator.is_valid(broken)


def test_json_holds_all_that_is_needed_to_decide() -> None:
    """Decided by nothing but the document."""
    document = json.loads(to_json(many_kinds_model()))
    from rugcore.rules import RuleSet

    rules = RuleSet.from_json(json.dumps(document["rules"]))
    kinds = {column["name"]: column["kind"] for column in document["columns"]}
    for case in document["cases"]:
        blanks = {name: float("nan") if kind == "number" else None for name, kind in kinds.items()}
        cells = blanks | {name: value for name, value in case["cells"].items() if value is not None}
        votes = dict.fromkeys(document["classes"], 0)
        for rule, entry in zip(rules, document["rules"], strict=True):
            votes[entry["then"]] += entry["units"] * rule.holds(cells)
        total = sum(votes.values())
        best = [c for c in document["tie_order"] if votes[c] >= max(votes.values()) - total * document["tie_tolerance"]]
        assert case["decision"] == (best[0] if total else document["default"])


def test_long_whole_numbers_as_names_are_refused_where_a_language_has_none() -> None:
    table = pd.DataFrame({"a": pd.Categorical([2**60, 7])})
    model = exportable(model_of([Rule((Membership("a", (2**60,)),), "refuse", 1.0)], table))
    for refuse in (to_javascript, to_excel):
        with pytest.raises(InputError, match="no longer whole numbers"):
            refuse(model)
    assert with_sqlite(model, [(2**60,), (2**60 + 1,)]) == with_python(model, [(2**60,), (2**60 + 1,)])


# -- the command line --------------------------------------------------------------------------------------


@pytest.mark.parametrize("to", list(FORMATS))
def test_the_command_writes_every_format(
    to: str, fair: FairRUGClassifier, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model, out = tmp_path / "model.json", tmp_path / "out"
    fair.save(model)
    assert main(["export", str(model), "--to", to, "--out", str(out)]) == 0
    assert out.read_bytes() == export_file(FairRUGClassifier.load(model), to)
    assert "Saved to" in capsys.readouterr().out


@pytest.mark.parametrize("to", list(FORMATS))
def test_the_command_exports_models_that_were_told_which_class_is_favourable(to: str, tmp_path: Path) -> None:
    table, model, out = mixed_table(400), tmp_path / "model.json", tmp_path / "out"
    outcome = np.where(mixed_outcome(table) == "refuse", "no", "yes")
    RUGClassifier(max_depth=2, max_iter=2, positive_class="no").fit(table, outcome).save(model)
    assert main(["export", str(model), "--to", to, "--out", str(out)]) == 0
    told = {"positive_class": "no"} if to == "scorecard" else {}
    assert out.read_bytes() == export_file(RUGClassifier.load(model), to, **told)
    if to != "scorecard":
        assert main(["export", str(model), "--to", to, "--out", str(out), "--favourable", "no"]) == 2


def test_the_command_says_no_in_one_sentence(
    fair: FairRUGClassifier, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fair.save(tmp_path / "model.json")
    export = ["export", str(tmp_path / "model.json"), "--to"]
    assert main([*export, "excel"]) == 2
    assert "--out FILE.xlsx" in capsys.readouterr().err
    assert main([*export, "json", "--dialect", "oracle"]) == 2
    assert "no use" in capsys.readouterr().err
    assert main([*export, "sql", "--dialect", "duckdb", "--table", "bank.people"]) == 0
    assert "FROM bank.people AS source" in capsys.readouterr().out


def test_the_command_knows_the_formats_and_dialects() -> None:
    assert tuple(FORMATS) == exporting.FORMATS
    assert tuple(DIALECTS) == exporting.DIALECTS


def test_the_hostile_names_are_all_in_use() -> None:
    assert {column.name for column in PortableModel.of(hostile_model()).columns} == {*HOSTILE, "number"}
