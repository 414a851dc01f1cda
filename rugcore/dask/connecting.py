"""A client for an address, or for a cluster on this machine that ends with it."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from distributed import Client, LocalCluster

from rugcore.errors import InputError

LOCAL = "local"
SECONDS_TO_CONNECT = 30
# One thread a worker, as compiled loops hold on to theirs; nobody else is to listen.
ON_THIS_MACHINE = {"threads_per_worker": 1, "host": "127.0.0.1", "dashboard_address": "127.0.0.1:0"}


@contextmanager
def connected(address: str) -> Iterator[Any]:
    """A client of the cluster at an address; for "local" one on this machine, which ends with the block.

    Parameters
    ----------
    address : str
        Of the scheduler, such as tcp://host:8786, or "local".
    """
    if address == LOCAL:
        cluster = LocalCluster(**ON_THIS_MACHINE)
        try:
            with Client(cluster) as client:
                yield client
        finally:
            with suppress(TimeoutError):  # workers that are slow to leave end with this process
                cluster.close()
        return
    try:
        client = Client(address, timeout=SECONDS_TO_CONNECT)
    except (OSError, ValueError) as error:
        raise InputError(
            f"Expected a Dask scheduler at {address!r}, such as tcp://host:8786, but none answers there ({error})."
        ) from error
    with client:
        yield client
