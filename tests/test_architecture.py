"""The house has one direction: nothing imports upwards, and the engine never knows of the dashboard."""

import ast
import importlib
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
ENGINE = ROOT / "rugcore"
BOARD = ROOT / "rugboard"

# From low to high. A room may import from its own floor and from the floors below it.
FLOORS = (
    {"errors", "parallel", "compiled", "atomic"},
    {"plotting"},
    {"rules"},
    {"tables"},
    {"writers"},
    {"attribution"},
    {"lp"},
    {"fairness"},
    {"generation"},
    {"training"},
    {"fair_training"},
    {"governance"},
    {"persistence"},
    {"explanations"},
    {"estimators"},
    {"comparison", "datasets", "readers", "data_quality", "selection", "dictionary"},
    {"new_cases", "monitoring", "export", "outside_models", "dask"},
    {"report", "experiments"},
    {"cli"},
    {"__init__", "__main__"},
)
FLOOR_OF = {room: floor for floor, rooms in enumerate(FLOORS) for room in rooms}

# Stricter than their floor: these rooms must stay ignorant.
ONLY = {
    "errors": set(),
    "parallel": {"errors"},
    "compiled": set(),
    "plotting": {"errors"},  # labels and numbers in, pictures out
    "rules": {"errors", "plotting"},
    "attribution": {"compiled", "rules", "tables"},  # columns and conjunctions; who decided what is not its business
    "lp": {"errors", "parallel", "compiled"},  # arrays in, arrays out
}

# The dashboard, from low to high. The rooms of one floor of features never import each other.
FEATURES = {"setup", "rules", "applicants", "new_cases", "fairness", "compare", "past_runs", "report"}
GATHERERS = {"features", "report_worker"}  # they know several features
LOW_FLOORS = ({"places"}, {"people"}, {"runs"}, {"shell"}, {"session"})
BOARD_FLOORS = (*LOW_FLOORS, FEATURES, GATHERERS, {"pages"}, {"app", "serve"})
BOARD_FLOOR_OF = {room: floor for floor, rooms in enumerate(BOARD_FLOORS) for room in rooms}
LONGEST_CHAIN = 9  # modules of rugboard that need each other one after the other; it was 17 in one flat folder

DASHBOARD = {"streamlit", "rugboard", "pages", "app"}
HEAVY = ("streamlit", "shap", "lightgbm", "fairlearn", "gurobipy", "plotly", "sqlglot", "typst", "docx", "distributed")


@dataclass(frozen=True)
class Import:
    """One import statement of a module, with the full dotted name of what it brings in."""

    module: str
    line: int
    target: str

    @property
    def package(self) -> str:
        return self.target.split(".")[0]

    @property
    def room(self) -> str:
        """The room of the engine that it reaches into; the name `rugcore` itself is the front door."""
        parts = self.target.split(".")
        return parts[1] if len(parts) > 1 and (parts[1] in FLOOR_OF or is_room(parts[1])) else "__init__"

    def __str__(self) -> str:
        return f"{self.module}, line {self.line}, imports {self.target}"


def is_room(name: str) -> bool:
    return (ENGINE / name).is_dir() or (ENGINE / f"{name}.py").exists()


def modules() -> list[Path]:
    return sorted(ENGINE.rglob("*.py"))


def room_of(path: Path) -> str:
    return path.relative_to(ENGINE).parts[0].removesuffix(".py")


def imports_of(path: Path) -> list[Import]:
    return list(imports_in(path.read_text(encoding="utf-8"), path))


def imports_in(source: str, path: Path) -> Iterator[Import]:
    """Every import, also those inside functions: a late import is still a dependency."""
    module = named(path)
    package = path.relative_to(ROOT).parent.parts
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (Import(module, node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            origin = absolute(node, package)
            yield from (Import(module, node.lineno, f"{origin}.{alias.name}") for alias in node.names)


def absolute(node: ast.ImportFrom, package: tuple[str, ...]) -> str:
    above = package[: len(package) - node.level + 1] if node.level else ()
    return ".".join([*above, *([node.module] if node.module else [])])


def inner_imports(path: Path) -> list[Import]:
    """The version is a word that every floor may say."""
    return [found for found in imports_of(path) if found.package == "rugcore" and found.target != "rugcore.__version__"]


def is_allowed(room: str, target: str) -> bool:
    if target == room or not {room, target} <= set(FLOOR_OF):
        return True  # a room without a floor fails a test of its own
    if room in ONLY:
        return target in ONLY[room]
    return FLOOR_OF[target] <= FLOOR_OF[room]


def named(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def test_there_is_an_engine_to_look_at() -> None:
    assert len(modules()) > 10


@pytest.mark.parametrize("path", modules(), ids=named)
def test_every_module_of_the_engine_has_a_floor(path: Path) -> None:
    assert room_of(path) in FLOOR_OF, f"say in FLOORS of this test what rugcore.{room_of(path)} may import"


@pytest.mark.parametrize("path", modules(), ids=named)
def test_the_engine_never_imports_the_dashboard(path: Path) -> None:
    assert [str(found) for found in imports_of(path) if found.package in DASHBOARD] == []


@pytest.mark.parametrize("path", modules(), ids=named)
def test_no_room_imports_upwards(path: Path) -> None:
    upwards = [str(found) for found in inner_imports(path) if not is_allowed(room_of(path), found.room)]
    assert upwards == []


def test_rooms_do_not_import_each_other_in_circles() -> None:
    reached = {
        room: {found.room for path in modules() if room_of(path) == room for found in inner_imports(path)} - {room}
        for room in FLOOR_OF
    }
    left = set(reached)
    while free := {room for room in left if not reached[room] & left}:
        left -= free
    assert left == set(), f"these rooms need each other: {sorted(left)}"


def test_importing_the_engine_is_light() -> None:
    program = (
        "import rugcore, sys; "
        "[getattr(rugcore, name) for name in rugcore.__all__]; "  # public names are loaded on first use
        f"print(*[name for name in {HEAVY!r} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("from rugcore.lp import master", "rugcore.lp.master"),
        ("from rugcore import parallel", "rugcore.parallel"),
        ("from . import words", "rugcore.rules.words"),
        ("from ..errors import RugError", "rugcore.errors.RugError"),
        ("def f():\n    import streamlit.web", "streamlit.web"),
    ],
)
def test_the_reader_of_imports_sees_every_form(source: str, target: str) -> None:
    assert [found.target for found in imports_in(source, ENGINE / "rules" / "rule.py")] == [target]


# -- the dashboard -----------------------------------------------------------------------------------------


def board_modules() -> list[Path]:
    """The dashboard with its pages, without the lines that only describe a folder."""
    found = [*BOARD.rglob("*.py"), *(ROOT / "pages").glob("*.py"), ROOT / "app.py"]
    return sorted(path for path in found if path.name != "__init__.py")


def board_room_of(path: Path) -> str:
    parts = path.relative_to(ROOT).parts
    return parts[1 if parts[0] == "rugboard" else 0].removesuffix(".py")


def dotted(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts)


@cache
def reached(path: Path) -> set[Path]:
    """The modules of the dashboard that a module imports."""
    by_name = {dotted(module): module for module in board_modules()}
    names = [found.target for found in imports_of(path)]
    return {by_name[name] for target in names for name in (target, target.rpartition(".")[0]) if name in by_name} - {
        path
    }


def is_allowed_on_board(room: str, target: str) -> bool:
    if room == target:
        return room not in ("pages", "app")
    return BOARD_FLOOR_OF[target] < BOARD_FLOOR_OF[room]


@pytest.mark.parametrize("path", board_modules(), ids=named)
def test_every_module_of_the_dashboard_has_a_floor(path: Path) -> None:
    assert board_room_of(path) in BOARD_FLOOR_OF, f"say in BOARD_FLOORS what {named(path)} may import"


@pytest.mark.parametrize("path", board_modules(), ids=named)
def test_no_room_of_the_dashboard_imports_upwards_and_no_feature_another(path: Path) -> None:
    room = board_room_of(path)
    wrong = [named(target) for target in reached(path) if not is_allowed_on_board(room, board_room_of(target))]
    assert wrong == []


@cache
def longest_chain(path: Path) -> tuple[str, ...]:
    below = [longest_chain(target) for target in sorted(reached(path))]
    return (named(path), *max(below, key=len, default=()))


def test_no_modules_of_the_dashboard_import_each_other_in_circles() -> None:
    left = {path: reached(path) for path in board_modules()}
    while free := [path for path, needed in left.items() if not needed & set(left)]:
        for path in free:
            del left[path]
    assert [named(path) for path in left] == []


def test_whoever_reads_a_module_of_the_dashboard_need_not_read_many_others_first() -> None:
    chains = [longest_chain(path) for path in board_modules() if board_room_of(path) not in ("pages", "app")]
    longest = max(chains, key=len)
    assert len(longest) <= LONGEST_CHAIN, " -> ".join(longest)


@pytest.mark.parametrize("path", board_modules(), ids=named)
def test_the_dashboard_enters_the_engine_by_its_front_doors(path: Path) -> None:
    """`from rugcore import X`, or `from rugcore.room import X` where the room lists X: never from a module inside."""
    for found in inner_imports(path):
        door, _, name = found.target.rpartition(".")
        is_door = door == "rugcore" or (door.count(".") == 1 and is_room(door.split(".")[1]))
        assert is_door, f"{found}, which is inside a room"
        listed = getattr(importlib.import_module(door), "__all__", None)  # rugcore.errors and the like are no folders
        assert listed is None or name in listed, f"{found}, which is not in __all__ of {door}"


def test_the_processes_beside_the_server_load_no_streamlit() -> None:
    """Workers come and go; each would take seconds and memory for a package that shows nothing."""
    runs = [dotted(path) for path in board_modules() if board_room_of(path) == "runs"]
    workers = ["rugboard.compare.worker", "rugboard.rules.stability_worker", "rugboard.setup.search_worker"]
    workers += ["rugboard.report_worker", "rugboard.compare.imitation_worker"]
    names = [*runs, *workers, "rugboard.compare.case_study"]
    program = f"import sys, importlib; [importlib.import_module(name) for name in {names!r}]; "
    check = "print(*[name for name in ('streamlit', 'plotly') if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program + check], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_no_class_of_the_dashboard_has_the_name_of_another() -> None:
    """One name for one thing: also across the engine, whose classes the dashboard uses beside its own."""
    homes: dict[str, list[str]] = {}
    for path in [*modules(), *board_modules()]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                homes.setdefault(node.name.lstrip("_"), []).append(named(path))
    twice = {name: paths for name, paths in homes.items() if len(paths) > 1}
    assert {
        name: paths for name, paths in twice.items() if any(not path.startswith("rugcore/") for path in paths)
    } == {}
