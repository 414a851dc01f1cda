"""Models that can be read whole on the page Compare: trained by a worker of their own, and shown word for word."""

from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from rugboard.compare import charts, readable, readable_view, readable_worker, report
from rugboard.compare.job import ReadableJob
from rugboard.compare.readable import BINOCT, FAIR_LIST, FAIR_TREE, GOSDT, LIST, READABLE, STREED, Proof
from rugboard.compare.report import ModelLine, Report, in_order, packed, with_readable
from rugboard.runs.home import Home
from rugboard.runs.jobs import FINISHED
from rugboard.runs.opening import open_results
from rugboard.runs.plan import Plan
from rugboard.runs.results import Results
from rugboard.runs.store import RunStore
from rugboard.shell import theme
from rugcore.rules import Interval, Membership, Rule, RuleSet
from tests.dashboard.conftest import Open, TrainNow, is_calm, texts

CHEAP = Interval("amount", float("-inf"), 5.0)
RULES = RuleSet(
    [Rule((CHEAP,), "no", 1.0, 0.25, 0.8), Rule((Membership("job", ("a*b",), False),), "no", 1.0, 0.1, 0.5)]
)


@pytest.fixture
def run_id(train_now: TrainNow, mortgage_plan: Plan) -> str:
    return train_now(replace(mortgage_plan, max_iter=2))


@pytest.fixture
def results(store: RunStore, run_id: str) -> Results:
    return open_results(store, run_id)


def without_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readable, "find_spec", lambda _: None)


def test_every_model_has_a_name_a_colour_and_a_sign_of_its_own() -> None:
    models = ["rug", "fair", "outside", *READABLE, *report.KEYS.values()]
    for of in (theme.name_of_model, theme.colour_of_model, charts.SIGNS.__getitem__):
        assert len({of(model) for model in models}) == len(models)
    lines = [ModelLine(model) for model in reversed(models)]
    assert [line.model for line in in_order(lines)] == models


def test_they_are_trained_and_stand_in_table_and_words(
    open_page: Open, run_id: str, results: Results, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_packages(monkeypatch)
    monkeypatch.setattr(readable, "SECONDS", 2)
    app = open_page("compare", run=run_id)
    assert is_calm(app)
    assert "Short list, Fair short list, BinOCT tree: up to 2 seconds each" in texts(app)
    assert "GOSDT tree and STreeD tree can stand here, too" in texts(app)
    assert readable_worker.main(run_id) == 0
    job = ReadableJob(home, run_id)
    assert job.progress().status == FINISHED
    found = job.read()
    assert found is not None
    assert [line.model for line in found.measured] == [LIST, FAIR_LIST, BINOCT]
    for line in found.measured:
        assert line.accuracy == (found.decided(line.model) == results.y_test.to_numpy(dtype=object)).mean()
    app.run()
    assert is_calm(app)
    assert list(app.dataframe[0].value["model"]) == [
        "Always approved", "RUG", "FairRUG", "Short list", "Fair short list", "BinOCT tree"
    ]  # fmt: skip
    said = texts(app)
    assert "Everybody else: **" in said
    assert "Exactly one of these holds:" in said
    assert "Asked for “" in said
    assert not [button for button in app.button if button.key == "train_readable"]


@pytest.mark.parametrize(
    ("outcomes", "n_groups", "notion", "expected"),
    [
        (2, 2, "dmc", {LIST, FAIR_LIST}),
        (2, 3, "dmc", {LIST, FAIR_LIST}),
        (2, 2, "eop", {LIST, FAIR_LIST, FAIR_TREE}),
        (2, 3, "eop", {LIST, FAIR_LIST}),
        (2, 2, "demographic_parity", {LIST, FAIR_TREE}),
        (2, 0, "dmc", {LIST}),
        (3, 2, "dmc", set()),
    ],
)
def test_only_what_fits_the_run_is_offered(outcomes: int, n_groups: int, notion: str, expected: set[str]) -> None:
    groups = SimpleNamespace(nunique=lambda: n_groups) if n_groups else None
    run: Any = SimpleNamespace(
        outcomes=range(outcomes), data=SimpleNamespace(groups=groups), plan=SimpleNamespace(fairness=notion)
    )
    assert set(readable.offered(run)) == expected | {BINOCT, GOSDT, STREED}


def test_words_of_a_list_and_of_a_tree() -> None:
    run: Any = SimpleNamespace(outcomes=("no", "yes"))
    said = readable_view.list_in_words(run, RULES)
    assert said.startswith("**no**, if at least one of these holds:\n\n1. amount")
    assert "job is a\\*b :gray[(10.0 % of people, right for 50.0 % of them)]" in said
    assert said.endswith("Everybody else: **yes**.")
    assert "everybody is decided alike" in readable_view.list_in_words(run, RuleSet([]))
    assert "2. job is a\\*b: **no**" in readable_view.tree_in_words(RULES)


def test_who_was_asked_to_treat_groups_alike() -> None:
    say = readable_view.who_else_was_asked
    assert say([ModelLine("rug"), ModelLine(LIST)], "eop") == "The other models were not asked for anything."
    assert say([ModelLine(LIST), ModelLine(FAIR_LIST)], "eop").startswith("“Fair short list” was asked for “")
    both = say([ModelLine(FAIR_LIST), ModelLine(FAIR_TREE)], "eop")
    assert both.startswith("“Fair short list” and “Fair tree” were asked")


def test_two_models_in_one_place_have_their_names_apart() -> None:
    baseline = ModelLine("baseline", accuracy=0.5)
    lines = [ModelLine(model, accuracy=0.8, size=8.0) for model in (GOSDT, STREED, BINOCT)]
    others = [ModelLine("rug", accuracy=0.7, size=900.0)]
    places = charts.name_places([*lines, *others], baseline)
    assert len({places[line.model] for line in lines}) == 3


@pytest.mark.parametrize(
    ("proof", "model", "words"),
    [
        (Proof(12.0, 12.0, "optimal"), STREED, "Proven: no tree of at most 3 questions makes fewer mistakes"),
        (Proof(12.0, 3.0, "time limit"), BINOCT, "every tree of at most 2 questions makes at least 3, as far as"),
        (Proof(12.0, 3.0, "too large"), BINOCT, "Not proven to be good"),
        (Proof(12.0, 9.0, "optimal"), GOSDT, "if every leaf is counted as one mistake more"),
        (Proof(12.0, 9.0, ""), FAIR_LIST, "every list as short within the gap makes at least 9"),
    ],
)
def test_what_is_proven_is_said_and_no_more(proof: Proof, model: str, words: str) -> None:
    assert words in proof.in_words(model)


def test_both_comparisons_are_one_table(packed_report: Callable[[str], Report]) -> None:
    both = with_readable(packed_report("tree"), packed_report(LIST))
    assert [line.model for line in both.lines] == ["tree", LIST]
    assert both.decided("tree").tolist() == both.decided(LIST).tolist() == ["a", "b"]
    alone = with_readable(Report(), packed_report(LIST))
    assert alone.decided(LIST).tolist() == ["a", "b"]


@pytest.fixture
def packed_report() -> Callable[[str], Report]:
    import numpy as np

    def made(model: str) -> Report:
        return Report(lines=(ModelLine(model),), classes=("a", "b"), packed={model: packed(np.array([0, 1]))})

    return made
