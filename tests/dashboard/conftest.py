"""The dashboard without a browser, each test with a home of its own and no worker that outlives it."""

import pickle
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from streamlit.components.v2 import manifest_scanner
from streamlit.testing.v1 import AppTest

from rugboard.runs import locks, memory, worker
from rugboard.runs.home import VARIABLE, Home
from rugboard.runs.opening import open_results
from rugboard.runs.plan import Plan
from rugboard.runs.prepare import Prepared
from rugboard.runs.reporter import Reporter
from rugboard.runs.results import Results
from rugboard.runs.runner import Runner
from rugboard.runs.store import RunStore
from rugboard.session import prefetch, training
from rugboard.shell.downloads import OFFERS
from rugcore import load_demo
from rugcore.estimators import RuleClassifier
from rugcore.outside_models import OutsideModel
from tests.tables import mixed_outcome, mixed_table

APP = str(Path(__file__).resolve().parents[2] / "app.py")
SECONDS = 120  # on a busy machine

Open = Callable[..., AppTest]
TrainNow = Callable[..., str]


@pytest.fixture(autouse=True, scope="session")
def _no_search_for_components() -> Iterator[None]:
    """Streamlit looks through all installed packages for components whenever an app starts; there are none."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(manifest_scanner, "scan_component_manifests", lambda *_, **__: [])
        yield


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Home]:
    monkeypatch.setenv(VARIABLE, str(tmp_path / "home"))
    monkeypatch.setattr(prefetch, "warm_up", lambda: None)
    monkeypatch.setattr(prefetch, "MANY_ROWS", 0)  # nothing in the background
    monkeypatch.setattr(memory, "give_back", lambda: None)  # small tables leave nothing to give back
    monkeypatch.setattr(training, "WarmRunner", Runner)  # a waiting worker for every test would only cost time
    yield Home.current()
    runner = training.runner()
    runner.stop_watch()
    for child in list(runner._children.values()):
        child.kill()
        child.wait()
    training._runner.clear()


@pytest.fixture
def store(home: Home) -> RunStore:
    return RunStore(home)


@pytest.fixture
def open_page() -> Open:
    """A visitor on a page, with a run in the address or none."""

    def opened(page: str = "start", run: str | None = None) -> AppTest:
        app = AppTest.from_file(APP, default_timeout=SECONDS)
        if run is not None:
            app.query_params["run"] = run
        # Pages are known by the names of their files, so that a visitor may begin anywhere.
        return (app if page == "start" else app.switch_page(f"pages/{page}.py")).run()

    return opened


_train = worker.train
_TRAINED: dict[str, tuple[bytes, float]] = {}  # by plan, which names its data by content


def _trained_once(
    name: str, plan: Plan, data: Prepared, rows: np.ndarray, reporter: Reporter
) -> tuple[RuleClassifier, float]:
    """As `worker.train`; many tests look at a run of the same plan, and the second one gets a copy of its model."""
    key = f"{name} {plan!r}"
    if key not in _TRAINED:
        model, seconds = _train(name, plan, data, rows, reporter)
        _TRAINED[key] = pickle.dumps(model), seconds
        return model, seconds
    kept, seconds = _TRAINED[key]
    model = pickle.loads(kept)
    reporter.begin(name)
    watch = reporter.watch(name)
    for item in model.history_:
        watch(item)
    reporter.complete(name)
    return model, seconds


@pytest.fixture
def train_now(store: RunStore, monkeypatch: pytest.MonkeyPatch) -> TrainNow:
    """Train in this process, which has the engine loaded already; the id of the run."""
    monkeypatch.setattr(worker, "train", _trained_once)

    def train(plan: Plan, name: str = "") -> str:
        run_id = store.create(plan, name)
        store.home.run_folder(run_id).mkdir(parents=True, exist_ok=True)
        with locks.exclusive(store.home.lifeline(run_id)):  # or a runner that looks after the store takes it for dead
            assert store.claim(run_id, slots=99)
            assert worker.main(run_id) == 0
        return run_id

    return train


@pytest.fixture
def mortgage_plan(store: RunStore) -> Plan:
    demo = load_demo("hmda")
    return Plan(
        snapshot=store.snapshots.save(demo.X.assign(**{demo.target: demo.y})),
        data_name="Mortgages in Boston",
        target=demo.target,
        favourable=demo.favourable,
        features=tuple(demo.X.columns.drop(list(demo.sensitive_options))),
        sensitive=(demo.sensitive,),
        max_depth=2,
        max_iter=5,
    )


@pytest.fixture
def outside_plan(store: RunStore, mortgage_plan: Plan) -> Plan:
    """The same mortgages, with another bank's score of risk: 12 people in a hundred are refused by it."""
    table = store.snapshots.load(mortgage_plan.snapshot)
    risk = table["payments to income ratio"] + table["loan to value ratio"] / 3
    risk = risk.rank(pct=True, method="first").round(4)
    snapshot = store.snapshots.save(table.assign(**{"bank score": risk}))
    outside = OutsideModel("bank score", cut_off=0.88, high_is_good=False)
    return replace(mortgage_plan, snapshot=snapshot, outside=outside)


@pytest.fixture
def three_outcomes() -> pd.DataFrame:
    """Three classes, many groups, text, blanks, an identifier and a copy of the outcome."""
    n_rows = 2_000
    table = mixed_table(n_rows)
    outcome = mixed_outcome(table)
    return table.assign(
        employed=table["employed"].map({True: "yes", False: "no"}),
        customer_id=range(10_000, 10_000 + n_rows),
        verdict=outcome.map({"refuse": "R", "grant": "G", "ask": "A"}),
        outcome=outcome,
    )


def texts(app: AppTest) -> str:
    """Everything that is said on the page, without the backslashes that escape it."""
    kinds = (app.title, app.subheader, app.markdown, app.caption, app.info, app.warning, app.error)
    return "\n".join(element.value for kind in kinds for element in kind).replace("\\", "")


def offered_files(app: AppTest) -> dict[str, bytes]:
    """What a visitor who pressed every button for a file would save, by its label."""
    buttons = [item.proto for item in app.get("link_button") if not item.proto.disabled]
    offers = {button.label: OFFERS.find(button.url.rpartition("/")[2]) for button in buttons}
    assert None not in offers.values()
    return {label: OFFERS.fetch(offer) for label, offer in offers.items() if offer is not None}


def is_calm(app: AppTest) -> bool:
    """Neither a traceback nor the apology for one."""
    return not app.exception and "did not foresee" not in texts(app)


@pytest.fixture
def run_id(train_now: TrainNow, mortgage_plan: Plan) -> str:
    """A run with both models."""
    return train_now(mortgage_plan)


@pytest.fixture
def results(run_id: str, store: RunStore) -> Results:
    return open_results(store, run_id)
