"""The command `rug-dashboard`: starts the dashboard, from wherever it is called."""

import argparse
import os
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from rugboard.places import APP
from rugboard.runs.data_folders import FOLDERS, SCHEDULER
from rugcore import __version__
from rugcore.errors import InputError, missing_package

PORT = 8501
ADDRESS = "127.0.0.1"  # this machine only
NEEDED = ("streamlit", "starlette", "plotly", "pyarrow")
REFUSED = 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve until interrupted."""
    options, more = _parser().parse_known_args(arguments)
    if not all(find_spec(name) for name in NEEDED):
        print(f"error: {missing_package('The dashboard', 'dashboard')}", file=sys.stderr)
        return REFUSED
    try:
        _name_folders(options.data_folder, options.dask)
    except InputError as error:
        print(f"error: {error}", file=sys.stderr)
        return REFUSED
    from streamlit.web import cli

    where = ["--server.port", str(options.port), "--server.address", options.address]
    cli.main(["run", str(APP), *where, *more], prog_name="streamlit")
    return 0


def _name_folders(folders: Sequence[Path], scheduler: str | None) -> None:
    """For the server, and for the processes that it starts."""
    for folder in folders:
        if not folder.is_dir():
            raise InputError(f"Expected --data-folder to be a folder, but {folder} is none.")
    if folders:
        os.environ[FOLDERS] = os.pathsep.join(str(folder.resolve()) for folder in folders)
    if scheduler:
        os.environ[SCHEDULER] = scheduler


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="rug-dashboard",
        description="Serve the dashboard. Other options go to Streamlit; 'streamlit run --help' lists them.",
        epilog=(
            "Whoever can open the dashboard sees all runs. To let others open it, name the address to listen on and "
            "what they will type: rug-dashboard --address 0.0.0.0 --server.allowedHosts analysis.example.org"
        ),
        allow_abbrev=False,
    )
    parser.add_argument("--port", type=int, default=PORT, help=f"default: {PORT}")
    parser.add_argument("--address", default=ADDRESS, help=f"to listen on; default: {ADDRESS}, this machine only")
    parser.add_argument(
        "--data-folder",
        action="append",
        default=[],
        type=Path,
        metavar="FOLDER",
        help="whoever can open the dashboard may train on the Parquet files in it, where they lie; repeatable (or "
        f"{FOLDERS} in the environment)",
    )
    parser.add_argument(
        "--dask",
        metavar="ADDRESS",
        help=f"the Dask scheduler that trains on them; default: a cluster on this machine (or {SCHEDULER})",
    )
    parser.add_argument("--version", action="version", version=__version__)
    return parser
