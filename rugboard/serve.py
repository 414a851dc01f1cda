"""The command `rug-dashboard`: starts the dashboard, from wherever it is called."""

import argparse
import sys
from collections.abc import Sequence
from importlib.util import find_spec

from rugboard.places import APP
from rugcore import __version__
from rugcore.errors import missing_package

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
    from streamlit.web import cli

    where = ["--server.port", str(options.port), "--server.address", options.address]
    cli.main(["run", str(APP), *where, *more], prog_name="streamlit")
    return 0


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
    parser.add_argument("--version", action="version", version=__version__)
    return parser
