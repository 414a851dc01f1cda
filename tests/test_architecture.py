"""The house has one direction: nothing imports upwards, and the engine never knows of the dashboard."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
ENGINE = ROOT / "rugcore"

# From low to high. A room may import from its own floor and from the floors below it.
FLOORS = (
    {"errors", "parallel", "compiled"},
    {"plotting"},
    {"rules"},
    {"tables"},
    {"lp"},
    {"fairness"},
    {"generation"},
    {"training"},
    {"fair_training"},
    {"persistence"},
    {"explanations"},
    {"estimators"},
    {"comparison", "datasets", "readers", "data_quality"},
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
    "lp": {"errors", "parallel", "compiled"},  # arrays in, arrays out
}

DASHBOARD = {"streamlit", "rugboard", "pages", "app"}
HEAVY = ("streamlit", "shap", "lightgbm", "gurobipy", "plotly")


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
    return [found for found in imports_of(path) if found.package == "rugcore"]


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
