"""Waiting for a cluster, never for ever."""

import time
from collections.abc import Callable

from distributed import Client

PATIENCE = 120.0  # seconds until a test gives up on a busy machine


def is_idle(client: Client) -> bool:
    """Nothing runs, and nothing is kept."""
    return not any(client.processing().values()) and not any(client.has_what().values())


def until(happens: Callable[[Client], bool], client: Client) -> bool:
    """Wait for it, and whether it came."""
    end = time.monotonic() + PATIENCE
    while not happens(client) and time.monotonic() < end:
        time.sleep(0.05)
    return bool(happens(client))
