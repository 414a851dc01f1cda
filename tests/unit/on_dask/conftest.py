"""A cluster inside this process: quick to start, and its tasks are those of any cluster."""

from collections.abc import Iterator

import pytest
from distributed import Client, LocalCluster

HERE = {"dashboard_address": "127.0.0.1:0", "worker_dashboard_address": "127.0.0.1:0"}  # nobody else is to listen


@pytest.fixture(scope="session")
def client() -> Iterator[Client]:
    """One thread: compiled loops of the tests beside it need the cores as well."""
    with (
        LocalCluster(n_workers=1, threads_per_worker=1, processes=False, **HERE) as cluster,
        Client(cluster) as client,
    ):
        yield client
