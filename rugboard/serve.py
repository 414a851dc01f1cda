"""The command `rug-dashboard`: starts the dashboard from wherever it is called, and copies all runs."""

import argparse
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from rugboard.places import APP
from rugcore import __version__
from rugcore.errors import RugError, missing_package

BACK_UP, RESTORE = "backup", "restore"
PORT = 8501
ADDRESS = "127.0.0.1"  # this machine only
NEEDED = ("streamlit", "starlette", "plotly", "pyarrow")
REFUSED = 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve until interrupted; or `backup FILE`, or `restore FILE`."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given and given[0] in (BACK_UP, RESTORE):
        return copy(given)
    options, more = _parser().parse_known_args(given)
    if not all(find_spec(name) for name in NEEDED):
        print(f"error: {missing_package('The dashboard', 'dashboard')}", file=sys.stderr)
        return REFUSED
    from streamlit.web import cli

    where = ["--server.port", str(options.port), "--server.address", options.address]
    cli.main(["run", str(APP), *where, *more], prog_name="streamlit")
    return 0


def copy(given: Sequence[str]) -> int:
    """Make a copy of all runs, or put one back; RUG_HOME says where they are."""
    from rugboard.runs.backup import back_up, restore
    from rugboard.runs.home import Home

    parser = argparse.ArgumentParser(
        prog="rug-dashboard", description="Copy all runs, data and logs, or put them back."
    )
    parser.add_argument("what", choices=(BACK_UP, RESTORE))
    parser.add_argument("file", type=Path, help="the copy, for instance runs.tar.gz")
    options = parser.parse_args(given)
    home = Home.current()
    try:
        n_files = (back_up if options.what == BACK_UP else restore)(home, options.file)
    except RugError as error:
        print(f"error: {error}", file=sys.stderr)
        return REFUSED
    print(f"{n_files} files {'from' if options.what == BACK_UP else 'into'} {home.root}")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="rug-dashboard",
        description="Serve the dashboard. Other options go to Streamlit; 'streamlit run --help' lists them.",
        epilog=(
            "Without sign-in the dashboard listens on this machine only. To let others open it, set up sign-in as "
            "docs/operating.md says, and name the address to listen on and what people will type: "
            "rug-dashboard --address 0.0.0.0 --server.allowedHosts analysis.example.org. 'rug-dashboard backup FILE' "
            "copies all runs, 'rug-dashboard restore FILE' puts them back."
        ),
        allow_abbrev=False,
    )
    parser.add_argument("--port", type=int, default=PORT, help=f"default: {PORT}")
    parser.add_argument("--address", default=ADDRESS, help=f"to listen on; default: {ADDRESS}, this machine only")
    parser.add_argument("--version", action="version", version=__version__)
    return parser
