"""`experiment NAME`: a table of the paper, worked out again."""

import argparse
import sys
import time
from pathlib import Path
from typing import Any

from rugcore.errors import InputError

NAMES = ("interpretability", "multiclass", "fairness-binary", "fairness-multiclass", "exact", "case-study")


def add_paper_options(experiment: argparse.ArgumentParser) -> None:
    """Those that only the paper's tables have."""
    experiment.add_argument("--sets", nargs="+", default=[], metavar="SET", help="some of its data sets only")
    experiment.add_argument("--systems", nargs="+", default=[], metavar="SYSTEM", help="some of its systems only")
    experiment.add_argument(
        "--out", type=Path, default=Path("results"), metavar="DIR", help="where results go, and are found again"
    )
    experiment.add_argument("--limit", type=float, default=300.0, help="seconds for one training (default 300)")
    experiment.add_argument("--cores", type=int, default=None, help="processes side by side (default: one a core)")


def run_paper(name: str, options: argparse.Namespace) -> None:
    """Cells that are there are taken as they are; the tables are written again after every new one."""
    from rugcore.experiments import DataFolder, cells_of, experiment_named, run_cells
    from rugcore.parallel import n_workers

    if options.data is None:
        raise InputError("Expected --data DIR, the folder with the paper's data sets, but got none.")
    experiment, data = experiment_named(name), DataFolder(options.data)
    cells, missing = cells_of(
        experiment, data, options.out, sets=options.sets, systems=options.systems, limit=options.limit
    )
    for absent in missing:
        print(f"{absent}: its file is missing in {options.data}")
    every, missing = cells_of(experiment, data, options.out, limit=options.limit)  # the tables hold all that is there
    n_done, errors, started = 0, 0, time.perf_counter()
    for number, done in enumerate(run_cells(cells, data, options.cores or n_workers()), start=1):
        progress = f"[{number}/{len(cells)}, {time.perf_counter() - started:.0f} s] {done.cell.title}"
        if done.result is None:
            errors += 1
            print(f"{progress}: failed. {done.error}", file=sys.stderr, flush=True)
            continue
        n_done += 1
        print(f"{progress}: accuracy {done.result['measures']['acc']:.2f}", flush=True)
        _write(experiment, every, missing, options.out)
    files = " and ".join(str(path) for path in _write(experiment, every, missing, options.out))
    print(f"{n_done} of {len(cells)} cells; tables in {files}")
    if errors:
        raise InputError(f"{errors} of {len(cells)} cells failed, as said above. Run the same again to try them again.")


def _write(experiment: Any, cells: list[Any], missing: list[str], folder: Path) -> tuple[Path, Path]:
    from rugcore.atomic import whole_file
    from rugcore.experiments import results_table, to_markdown

    found = [result for cell in cells if (result := cell.result()) is not None]
    table = results_table(experiment, found, missing)
    paths = folder / f"{experiment.name}.csv", folder / f"{experiment.name}.md"
    folder.mkdir(parents=True, exist_ok=True)
    for path, text in zip(paths, (table.to_csv(index=False), to_markdown(experiment, table)), strict=True):
        with whole_file(path) as file:
            file.write(text.encode())
    return paths
