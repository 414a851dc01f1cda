"""The wheel, installed where nothing of this project can be imported from its folder.

The environment is empty but for the packages that the wheel says it needs, as links to those of the environment that
runs the tests: nothing is fetched, and a package that nobody asked for is not there.
"""

import os
import re
import signal
import subprocess
import sys
import time
import tomllib
import urllib.request
import zipfile
from collections.abc import Iterator
from importlib.metadata import distribution
from pathlib import Path
from urllib.error import URLError

import pandas as pd
import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.browser.conftest import free_port, stop

ROOT = Path(__file__).resolve().parents[1]
SECONDS = 300  # compiling the engine included, on a busy machine
NAME = "rug-dashboard"


class Environment:
    """A virtual environment with the wheel and what it asks for; everything runs in a folder elsewhere."""

    def __init__(self, folder: Path, wheel: Path) -> None:
        self.bin = folder / "environment" / "bin"
        self.python = self.bin / "python"
        self.elsewhere = folder / "elsewhere"
        self.data = folder / "data"
        self.elsewhere.mkdir()
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / "environment"], check=True)
        found = self.run(self.python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))")
        self.packages = Path(found.stdout.strip())
        self._pip("install", "--no-deps", "--no-index", "--no-compile", wheel)

    def _pip(self, *arguments: str | Path) -> None:
        pip = [sys.executable, "-m", "pip", "--python", self.python, "--disable-pip-version-check", "--quiet"]
        subprocess.run([*pip, *arguments], check=True, cwd=self.elsewhere)

    def run(self, *command: str | Path) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            command,
            cwd=self.elsewhere,
            env=self.variables,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )

    @property
    def variables(self) -> dict[str, str]:
        kept = {
            name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "RUG_", "STREAMLIT"))
        }
        return kept | {"XDG_DATA_HOME": str(self.data), "HOME": str(self.elsewhere)}

    def program(self, lines: str) -> str:
        done = self.run(self.python, "-c", lines)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def add(self, extras: set[str]) -> None:
        """Link to the packages that the wheel needs with these extras, and to those that they need in turn."""
        for name in needed(self.packages, extras):
            for file in distribution(name).files or ():
                if file.parts[0] not in ("..", "__pycache__"):
                    link = self.packages / file.parts[0]
                    if not link.exists():
                        link.symlink_to(Path(str(distribution(name).locate_file(file.parts[0]))))


def needed(packages: Path, extras: set[str]) -> set[str]:
    """Everything that the wheel requires, by what it and the others say about themselves."""
    metadata = next(packages.glob("rug_dashboard-*.dist-info/METADATA")).read_text(encoding="utf-8")
    own = re.findall(r"^Requires-Dist: (.+)$", metadata, flags=re.MULTILINE)
    found: set[str] = set()
    asked = {(NAME, extra) for extra in extras | {""}}
    done: set[tuple[str, str]] = set()
    while asked - done:
        name, extra = (asked - done).pop()
        done.add((name, extra))
        for line in own if name == NAME else distribution(name).requires or ():
            requirement = Requirement(line)
            if requirement.marker is None or requirement.marker.evaluate({"extra": extra}):
                other = canonicalize_name(requirement.name)
                asked |= {(other, more) for more in requirement.extras | {""}}
                found |= {other} - {NAME}
    return found


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check"]
    build = [*pip, "--no-build-isolation", "--no-deps", "--no-index", "--wheel-dir", folder, ROOT]
    done = subprocess.run(build, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="module")
def engine(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """The engine and its light dependencies."""
    made = Environment(tmp_path_factory.mktemp("engine"), wheel)
    made.add(set())
    return made


@pytest.fixture(scope="module")
def dashboard(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    made = Environment(tmp_path_factory.mktemp("dashboard"), wheel)
    made.add({"dashboard"})
    return made


# -- what is in it -----------------------------------------------------------------------------------------


def test_the_wheel_has_pages_data_look_and_types_and_nothing_else(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    in_checkout = {f"rugboard/_app/pages/{path.name}" for path in (ROOT / "pages").glob("*.py")}
    in_checkout |= {f"rugcore/datasets/data/{path.name}" for path in (ROOT / "data").glob("*.csv.gz")}
    in_checkout |= {f"rugboard/shell/static/{path.name}" for path in (ROOT / "rugboard/shell/static").iterdir()}
    in_checkout |= {
        path.relative_to(ROOT).as_posix() for room in ("rugcore", "rugboard") for path in (ROOT / room).rglob("*.py")
    }
    assert len(in_checkout) > 200
    more = {"rugboard/_app/app.py", "rugboard/_app/.streamlit/config.toml", "rugcore/datasets/data/README.md"}
    assert names >= in_checkout | more | {"rugcore/py.typed", "rugboard/py.typed"}
    assert {name.partition("/")[0].partition("-")[0] for name in names} == {"rugcore", "rugboard", "rug_dashboard"}
    assert not [name for name in names if "__pycache__" in name or "secrets" in name]


def test_there_is_one_version(wheel: Path) -> None:
    from rugcore import __version__

    assert wheel.name.startswith(f"rug_dashboard-{__version__}-")
    assert __version__ not in (ROOT / "pyproject.toml").read_text(encoding="utf-8")


def pins(path: Path) -> dict[str, str]:
    lines = [line.partition("#")[0].strip() for line in path.read_text(encoding="utf-8").splitlines()]
    return {name: version for name, _, version in (line.partition("==") for line in lines) if version}


def test_what_is_pinned_lies_in_the_ranges() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    ranges = [
        *project["dependencies"],
        *(item for extra in project["optional-dependencies"].values() for item in extra),
    ]
    wide = {Requirement(line).name: Requirement(line).specifier for line in ranges}
    pinned, for_tests = (pins(ROOT / name) for name in ("requirements.txt", "requirements-dev.txt"))
    pinned |= {name: for_tests[name] for name in ("gosdt", "pystreed")}  # in no environment that is passed on
    assert set(pinned) == set(wide) - {NAME}
    assert [name for name, version in pinned.items() if version not in wide[name]] == []


# -- the engine alone --------------------------------------------------------------------------------------


def test_the_engine_trains_and_predicts(engine: Environment) -> None:
    told = engine.program(
        "import rugcore, importlib.util as u\n"
        "demo = rugcore.load_demo('hmda')\n"
        "model = rugcore.RUGClassifier(max_depth=2, max_iter=3).fit(demo.X, demo.y)\n"
        "print(rugcore.__file__, model.score(demo.X, demo.y))\n"
        "print([name for name in ('streamlit', 'plotly', 'pyarrow', 'lightgbm', 'shap') if u.find_spec(name)])\n"
    )
    (file, score), others = told.splitlines()[0].split(), told.splitlines()[1]
    assert Path(file).is_relative_to(engine.packages)
    assert float(score) > 0.85
    assert others == "[]"


def test_the_command_line_works(engine: Environment) -> None:
    done = engine.run(engine.bin / "rug", "demo")
    assert done.returncode == 0, done.stderr
    assert "if " in done.stdout
    assert engine.run(engine.bin / "rug").stderr.startswith("usage: rug ")
    pd.DataFrame({"x": range(100), "y": [number > 40 for number in range(100)]}).to_csv(
        engine.elsewhere / "table.csv", index=False
    )
    train = ("train", "table.csv", "--target", "y", "--save", "model.json")
    assert engine.run(engine.bin / "rug", *train).returncode == 0
    assert engine.run(engine.bin / "rug", "explain", "model.json", "table.csv", "--row", "7").returncode == 0


@pytest.mark.parametrize(
    ("ending", "sentence"),
    [
        ("parquet", "Reading Parquet files needs more packages: pip install 'rug-dashboard[parquet]'"),
        ("xlsx", "Reading spreadsheets needs more packages: pip install 'rug-dashboard[excel]'"),
    ],
)
def test_a_file_that_needs_more_says_so(engine: Environment, ending: str, sentence: str) -> None:
    path = engine.elsewhere / f"table.{ending}"
    if ending == "parquet":
        pd.DataFrame({"x": [1, 2], "y": [0, 1]}).to_parquet(path)
    else:
        with zipfile.ZipFile(path, "w") as book:
            book.writestr("[Content_Types].xml", "<Types/>")
            book.writestr("xl/workbook.xml", "<workbook/>")
    done = engine.run(engine.bin / "rug", "train", path, "--target", "y")
    assert (done.returncode, done.stderr.strip()) == (2, f"error: {sentence}")


def test_the_other_extras_are_missed_in_one_sentence(engine: Environment) -> None:
    done = engine.run(engine.bin / "rug-dashboard")
    sentence = "error: The dashboard needs more packages: pip install 'rug-dashboard[dashboard]'"
    assert (done.returncode, done.stderr.strip()) == (2, sentence)
    told = engine.program(
        "import rugcore\n"
        "demo = rugcore.load_demo('hmda')\n"
        "def attempt(do):\n"
        "    try: do()\n"
        "    except rugcore.RugError as error: print(error)\n"
        "attempt(lambda: rugcore.PeerClassifier('LightGBM').fit(demo.X, demo.y))\n"
        "attempt(lambda: rugcore.RUGClassifier(solver='gurobi').fit(demo.X, demo.y))\n"
        "from rugcore.report import ModelReport, to_docx, to_html, to_pdf\n"
        "report = ModelReport('A model', '', '', '', ())\n"
        "attempt(lambda: to_pdf(report))\n"
        "attempt(lambda: to_docx(report))\n"
        "print(to_html(report)[:15])\n"
        "from rugcore.export import json_schema, to_python, to_sql\n"
        "model = rugcore.RUGClassifier(max_depth=1, max_iter=1).fit(demo.X, demo.y)\n"
        "attempt(lambda: to_sql(model))\n"
        "print('decide' in to_python(model), '$defs' in json_schema())\n"
    )
    assert "LightGBM needs more packages: pip install 'rug-dashboard[compare]'" in told
    assert "pip install 'rug-dashboard[gurobi]'" in told
    assert "SQL needs more packages: pip install 'rug-dashboard[export]'" in told
    assert "True True" in told
    assert told.count("A report as PDF or DOCX needs more packages: pip install 'rug-dashboard[report]'") == 2
    assert "<!doctype html>" in told  # HTML needs nothing more


# -- the dashboard -----------------------------------------------------------------------------------------


@pytest.fixture
def address(dashboard: Environment, tmp_path: Path) -> Iterator[str]:
    port = free_port()
    log = tmp_path / "log.txt"
    command = [dashboard.bin / "rug-dashboard", "--port", str(port)]
    with log.open("w") as output:
        process = subprocess.Popen(
            command, cwd=dashboard.elsewhere, env=dashboard.variables, stdout=output, stderr=subprocess.STDOUT
        )
    try:
        wait_for(f"http://127.0.0.1:{port}/_stcore/health", process, log)
        yield f"http://127.0.0.1:{port}"
    finally:
        stop(process)
    assert "Traceback" not in log.read_text()
    assert f"http://127.0.0.1:{port}" in log.read_text()


def wait_for(address: str, process: "subprocess.Popen[bytes]", log: Path) -> None:
    deadline = time.monotonic() + SECONDS
    while process.poll() is None and time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(address, timeout=1):
                return
        except (URLError, OSError):
            time.sleep(0.1)  # nothing to wait on: the port opens when it opens
    pytest.fail(f"The dashboard did not start:\n{log.read_text()}")


def test_the_dashboard_is_served(address: str) -> None:
    assert fetch(f"{address}/_stcore/health") == (200, "ok")
    for page in ("", "/data"):
        status, text = fetch(address + page)
        assert status == 200
        assert '<div id="root">' in text
    assert fetch(f"{address}/files/unknown")[0] == 404  # the route of our own


def fetch(address: str) -> tuple[int, str]:
    try:
        with urllib.request.urlopen(address, timeout=SECONDS) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def test_pages_open_and_workers_train(dashboard: Environment) -> None:
    told = dashboard.program(
        "import time\n"
        "from streamlit.testing.v1 import AppTest\n"
        "from rugboard.places import APP\n"
        "from rugboard.runs.home import Home\n"
        "from rugboard.runs.plan import Plan\n"
        "from rugboard.runs.runner import Runner\n"
        "from rugcore import load_demo\n"
        "runner, demo = Runner(), load_demo('hmda')\n"
        "data = runner.store.snapshots.save(demo.X.assign(**{demo.target: demo.y}))\n"
        "plan = Plan(snapshot=data, data_name='hmda', target=demo.target, favourable=demo.favourable,\n"
        "            features=tuple(demo.X.columns.drop(list(demo.sensitive_options))),\n"
        "            sensitive=(demo.sensitive,), max_depth=1, max_iter=2)\n"
        "run = runner.submit(plan)\n"
        "while not runner.store.get(run).is_over:\n"
        "    runner.sweep(); time.sleep(0.1)\n"
        "print(runner.store.get(run).status, runner.store.get(run).error, sep=': ')\n"
        "print(Home.current().root)\n"
        "print(APP)\n"
        "app = AppTest.from_file(str(APP), default_timeout=120)\n"
        "app.query_params['run'] = run\n"
        "app.run()\n"
        "for page in ('data', 'rules', 'fairness'):\n"
        "    app.switch_page(f'pages/{page}.py').run()\n"
        "    print(app.title[0].value, list(app.exception), [error.value for error in app.error])\n"
        "import os; os._exit(0)\n".replace("import os; ", "import os, sys; sys.stdout.flush(); ")
    )
    status, home, app, *pages = told.splitlines()
    assert status == "finished: None"
    assert home == str(dashboard.data / "rug")
    assert Path(app).is_relative_to(dashboard.packages)
    assert pages == ["Data [] []", "Rules [] []", "Fairness [] []"]


def test_ctrl_c_ends_it(dashboard: Environment, tmp_path: Path) -> None:
    log = tmp_path / "log.txt"
    port = free_port()
    with log.open("w") as output:
        process = subprocess.Popen(
            [dashboard.bin / "rug-dashboard", "--port", str(port)],
            cwd=dashboard.elsewhere,
            env=dashboard.variables,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    wait_for(f"http://127.0.0.1:{port}/_stcore/health", process, log)
    process.send_signal(signal.SIGINT)
    process.wait(60)
    assert "Traceback" not in log.read_text()
