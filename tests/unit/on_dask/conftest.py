"""A cluster inside this process: quick to start, and its tasks are those of any cluster."""

from collections.abc import Iterator

import pytest
from distributed import Client, LocalCluster


@pytest.fixture(scope="session")
def client() -> Iterator[Client]:
    """One thread: compiled loops of the tests beside it need the cores as well."""
    with (
        LocalCluster(n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        yield client
