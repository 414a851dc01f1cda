"""Workers that die, a cluster without any, a fit that is cancelled: never a hang, never other rules."""

import os
import signal
import time
from collections.abc import Iterator

import dask
import pytest
from distributed import Client, LocalCluster

from rugcore import Round, RUGClassifier
from rugcore.dask import DaskRUGClassifier
from rugcore.errors import ClusterError
from tests.unit.on_dask.conftest import HERE
from tests.unit.on_dask.tables_in_parts import in_parts, people
from tests.unit.on_dask.waiting import PATIENCE, is_idle, until

COLUMNS = ["income", "children", "purpose", "owner"]
FRAME = people(600)[[*COLUMNS, "outcome"]]
SETTINGS = {"max_depth": 2, "max_iter": 4, "penalty": 1.0, "random_state": 0}


@pytest.fixture(scope="module")
def processes(plain_main: None) -> Iterator[Client]:
    """Two workers, each a process that can be killed."""
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, processes=True, **HERE) as cluster,
        Client(cluster) as client,
    ):
        yield client


def test_a_worker_killed_in_the_second_round_changes_no_rule(processes: Client) -> None:
    killed: list[int] = []

    def kill_one(round_: Round) -> None:
        if round_.number == 1 and not killed:
            pid = next(iter(processes.run(os.getpid).values()))
            killed.append(pid)
            os.kill(pid, signal.SIGKILL)

    expected = RUGClassifier(**SETTINGS).fit(FRAME[COLUMNS], FRAME["outcome"])
    found = DaskRUGClassifier(client=processes, callback=kill_one, **SETTINGS).fit(in_parts(FRAME, 4), "outcome")
    assert killed
    assert found.rules_ == expected.rules_
    assert found.objective_ == pytest.approx(expected.objective_)
    assert until(is_idle, processes)


def test_a_cancelled_fit_leaves_nothing_running(processes: Client) -> None:
    def cancel(round_: Round) -> None:
        if round_.number == 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        DaskRUGClassifier(client=processes, callback=cancel, **SETTINGS).fit(in_parts(FRAME, 4), "outcome")
    assert until(is_idle, processes)


def test_without_any_worker_a_fit_gives_up_within_the_time_configured() -> None:
    with (
        dask.config.set({"rugcore.no-workers-timeout": "2s"}),
        LocalCluster(n_workers=1, threads_per_worker=1, processes=False, **HERE) as cluster,
        Client(cluster) as client,
    ):

        def send_home(round_: Round) -> None:
            if round_.number == 1:
                cluster.scale(0)
                assert until(lambda own: not own.nthreads(), client)
                started.append(time.monotonic())

        started: list[float] = []
        with pytest.raises(ClusterError, match="the cluster has had none for 2 seconds"):
            DaskRUGClassifier(client=client, callback=send_home, **SETTINGS).fit(in_parts(FRAME, 2), "outcome")
        assert 2.0 <= time.monotonic() - started[0] < 2.0 + PATIENCE
