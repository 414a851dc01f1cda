"""Tasks on a Dask cluster: one per partition, their answers added up in a tree, always in the same order.

Every task is a function of what other tasks gave, and nothing is kept on a worker but results that Dask can compute
again. So a worker that is lost costs time, and no more: there are no actors, no scattered data, no task that is bound
to one worker.
"""

import time
from collections.abc import Callable, Iterable, Sequence
from itertools import count
from typing import Any, Self
from uuid import uuid4
from weakref import WeakValueDictionary

import dask
from dask.utils import parse_timedelta
from distributed import CancelledError, Client, Future, KilledWorker, default_client
from distributed.comm import CommClosedError

from rugcore.errors import ClusterError, InputError

# So many answers are added up by one task: fewer would take more steps, more would wait for one worker.
FAN_IN = 8
# In Dask's configuration: how long a fit waits while the cluster has no worker at all.
PATIENCE = "rugcore.no-workers-timeout"
SECONDS_WITHOUT_WORKERS = "60s"
# How often a fit that waits looks whether there is anybody to wait for; twice as long every time, to the second number.
SHORTEST_LOOK, LONGEST_LOOK = 0.5, 10.0
EMPTY_ANSWERS = 5  # of distributed in a row, for one result


def client_of(given: Any) -> Client:
    """The client that was given, or the default one; a cluster is never started behind anybody's back."""
    if given is None:
        try:
            given = default_client()
        except ValueError as error:
            raise InputError(
                "Expected a Dask client, but there is none. Make one first, such as "
                "distributed.Client('tcp://scheduler:8786') or distributed.Client() for this machine, or pass it as "
                "client=..."
            ) from error
    if not isinstance(given, Client) or given.asynchronous:
        raise InputError(f"Expected client to be a distributed.Client that is not asynchronous, but got {given!r}.")
    if given.status != "running":
        raise InputError(
            f"Expected a client that is connected to a scheduler, but it is {given.status}. Make a new one."
        )
    return given


class Cluster:
    """Where tasks run, for one fit. As a context it leaves nothing behind: what still waits at its end is dropped."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._name = f"rug-{uuid4().hex[:12]}"
        self._numbers = count()
        # What still runs, or is kept for later: as long as somebody here holds on to it.
        self._alive: WeakValueDictionary[str, Future] = WeakValueDictionary()
        self._seconds_without_workers = parse_timedelta(dask.config.get(PATIENCE, SECONDS_WITHOUT_WORKERS))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failure: object) -> None:
        """Nobody wants these results any more, and so Dask drops them, and the tasks on the way to them.

        `Client.cancel` would do so, too, but fails in the scheduler on results whose dependents were released before.
        """
        self.release(list(self._alive.values()))

    # -- starting tasks --------------------------------------------------------------------------------------

    def submit(self, task: Callable[..., Any], *arguments: Any) -> Future:
        """Start a task; futures among its arguments are what it waits for."""
        key = f"{self._name}-{task.__name__}-{next(self._numbers)}"
        future = self._client.submit(task, *arguments, key=key, pure=False)
        self._alive[key] = future
        return future

    def share(self, message: Any) -> Future:
        """What every partition is told, sent once: a task whose result it is, and which can be run again."""
        return self.submit(as_it_is, message)

    def compute(self, recipes: Sequence[Any]) -> list[Future]:
        """Start what Dask's own collections and `dask.delayed` describe."""
        futures: list[Future] = self._client.compute(list(recipes))
        for future in futures:
            self._alive[future.key] = future
        return futures

    def release(self, futures: Iterable[Future]) -> None:
        """These are not needed any more; a result that others depend on can still be computed again."""
        for future in futures:
            self._alive.pop(future.key, None)
            future.release()

    # -- answers -----------------------------------------------------------------------------------------------

    def added(self, futures: Sequence[Future], add: Callable[[list[Any]], Any]) -> Any:
        """All answers as one, from a tree of additions over the partitions in their order."""
        level = list(futures)
        while len(level) > 1:
            parts = [level[start : start + FAN_IN] for start in range(0, len(level), FAN_IN)]
            above = [part[0] if len(part) == 1 else self.submit(add, part) for part in parts]
            self.release(future for future in level if future not in above)
            level = above
        return self.result(level[0])

    def gathered(self, futures: Sequence[Future]) -> list[Any]:
        """All answers, in order."""
        return [self.result(future) for future in futures]

    def result(self, future: Future) -> Any:
        """Wait for one answer, as long as there are workers that might give it; then it is gone from the cluster."""
        try:
            found = self._awaited(future)
        except (CancelledError, CommClosedError) as error:
            raise ClusterError(
                f"Expected the cluster to finish what it was asked, but the connection was lost or the work was "
                f"cancelled ({error}). Look at the scheduler, and fit again."
            ) from error
        except KilledWorker as error:
            raise ClusterError(
                "Expected workers to live through their tasks, but several died one after the other on the same one "
                f"({error}). They most often lack memory: use smaller partitions, or workers with more of it."
            ) from error
        self.release([future])
        return found

    def _awaited(self, future: Future) -> Any:
        look, lonely_since, n_empty = SHORTEST_LOOK, None, 0
        while True:
            try:
                return future.result(timeout=look)
            except TimeoutError:
                if future.status == "error":  # the task itself timed out
                    raise
            except UnboundLocalError:  # distributed's `sync` has no answer for asyncio's CancelledError, which a
                # time-out under load lets through: ask again
                n_empty += 1
                if future.status == "error" or n_empty > EMPTY_ANSWERS:
                    raise
            lonely_since = None if self._client.nthreads() else lonely_since or time.monotonic()
            if lonely_since is not None and time.monotonic() - lonely_since >= self._seconds_without_workers:
                raise ClusterError(
                    f"Expected workers, but the cluster has had none for {self._seconds_without_workers:g} seconds. "
                    f"Start some and fit again, or wait longer: dask.config.set({{{PATIENCE!r}: '10min'}})."
                )
            look = min(2 * look, LONGEST_LOOK) if lonely_since is None else SHORTEST_LOOK


def as_it_is(message: Any) -> Any:
    return message
