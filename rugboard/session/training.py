"""The runner of this server: it trains what visitors ask for, also while no browser looks."""

from pathlib import Path
from threading import Thread

from rugboard.runs.home import Home
from rugboard.runs.runner import Runner
from rugboard.runs.warm_runner import WarmRunner
from rugboard.session import prefetch
from rugboard.session.cache import cached
from rugboard.session.server import HOMES_KEPT, home_root


def runner() -> Runner:
    """The one runner of this server, started when the first visitor comes."""
    return _runner(home_root())


@cached(entries=HOMES_KEPT)
def _runner(root: str) -> Runner:
    made = WarmRunner(Home(Path(root)))
    made.keep_watch()
    Thread(target=prefetch.warm_up, name="warm-up", daemon=True).start()
    return made
