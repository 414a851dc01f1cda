"""The runner of this server: it trains what visitors ask for, also while no browser looks."""

from pathlib import Path
from threading import Thread

from rugboard.people.person import ALONE
from rugboard.people.settings import OperatorSettings
from rugboard.runs.home import Home
from rugboard.runs.plan import Plan
from rugboard.runs.runner import Runner, Sharing
from rugboard.runs.warm_runner import WarmRunner
from rugboard.session import prefetch
from rugboard.session.cache import cached
from rugboard.session.server import HOMES_KEPT, home_root, store
from rugboard.shell import signed_in


def train(plan: Plan) -> str:
    """Queue a run of whoever is asking, start it if there is room, and return its id."""
    run_id = store().create(plan)
    runner().start_soon()
    return run_id


def runner() -> Runner:
    """The one runner of this server, started when the first visitor comes."""
    return _runner(home_root())


@cached(entries=HOMES_KEPT)
def _runner(root: str) -> Runner:
    made = WarmRunner(Home(Path(root)), sharing=Sharing.of(OperatorSettings.current()))
    made.keep_watch()
    Thread(target=_warm_up, name="warm-up", daemon=True).start()
    return made


def _warm_up() -> None:
    with signed_in.acting_as(ALONE):  # the demos are everybody's
        prefetch.warm_up()
