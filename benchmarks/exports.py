"""Do exports decide as the model does? Every kind of model: all rows of its demo, and rows of edges."""

import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.export_engines import ENGINES, ExportEngine
from benchmarks.exported_models import Trained, models
from rugcore.export.cases import cells_of, frame_of
from rugcore.export.portable import PortableModel

N_EDGE_ROWS = 10_000
QUICK_EDGE_ROWS = 1_000


def run(folder: Path | None, quick: bool) -> list[dict[str, Any]]:  # noqa: ARG001
    n_edge_rows = QUICK_EDGE_ROWS if quick else N_EDGE_ROWS
    for engine in ENGINES:
        if not engine.is_here:
            print(f"{engine.name} is not run: it is not installed here.")
    figures: list[dict[str, Any]] = []
    for trained in models(quick):
        print(f"\n{trained.name}: {len(trained.model.rules_)} rules")
        for engine in ENGINES:
            figures += compared(engine, trained, n_edge_rows)
    _summary(figures)
    return figures


def compared(engine: ExportEngine, trained: Trained, n_edge_rows: int) -> list[dict[str, Any]]:
    """How many decisions differ on the rows of the demo, and on rows of edges."""
    if not engine.is_here or (engine.is_for_two_classes and len(trained.model.classes_) != 2):
        return []
    if engine.most_rules is not None and len(trained.model.rules_) > engine.most_rules:
        print(f"  {engine.name} is not run: it would take minutes for more than {engine.most_rules} rules.")
        return []
    own = PortableModel.of(trained.model)
    edges = engine.rows_of_edges(trained.model, n_edge_rows, seed=1)
    sets = {"rows of the demo": (cells_of(own, trained.X), trained.X), "rows of edges": (edges, frame_of(own, edges))}
    expected = {name: trained.model.predict(frame).tolist() for name, (_, frame) in sets.items()}
    if engine.most_rows is None:
        return [_figure(engine, trained, name, rows, expected[name]) for name, (rows, _) in sets.items()]
    half = engine.most_rows // 2
    places = {name: np.linspace(0, len(rows) - 1, half).astype(int) for name, (rows, _) in sets.items()}
    sample = [sets[name][0][place] for name, own_places in places.items() for place in own_places]
    wanted = [expected[name][place] for name, own_places in places.items() for place in own_places]
    return [_figure(engine, trained, "rows of both", sample, wanted)]


def _figure(engine: ExportEngine, trained: Trained, name: str, rows: list[Any], expected: list[Any]) -> dict[str, Any]:
    started = time.perf_counter()
    found = engine.run(trained.model, rows)
    seconds = time.perf_counter() - started
    n_different = sum(one != other for one, other in zip(found, expected, strict=True))
    print(f"  {engine.name:28} {len(rows):7,} {name:18} {n_different:3} differ   {seconds:6.1f} s", flush=True)
    return {
        "model": trained.name,
        "engine": engine.name,
        "rows": name,
        "n_rows": len(rows),
        "n_different": n_different,
    }


def _summary(figures: list[dict[str, Any]]) -> None:
    print("\nAll models together:")
    for engine in ENGINES:
        own = [figure for figure in figures if figure["engine"] == engine.name]
        if own:
            n_rows, n_different = (sum(figure[key] for figure in own) for key in ("n_rows", "n_different"))
            note = f" (a sample: {engine.most_rows} rows a model, and its 100 test cases)" if engine.most_rows else ""
            print(f"  {engine.name:28} {n_rows:9,} decisions, {n_different} differ{note}")
