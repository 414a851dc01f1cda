"""Both cores, with plain threads: the compiled kernels and numpy let go of the interpreter lock.

Threads rather than numba's own thread pool: that pool aborts the process when two Python threads enter it at once,
which a web server does sooner or later.
"""

import itertools
import os
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache, wraps
from typing import ParamSpec, TypeVar

Item = TypeVar("Item")
Found = TypeVar("Found")
Parameters = ParamSpec("Parameters")

_here = threading.local()


def n_workers() -> int:
    """The cores this process may use, or one where somebody else has shared out the cores already."""
    if getattr(_here, "is_alone", False):
        return 1
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def on_one_core(task: Callable[Parameters, Found]) -> Callable[Parameters, Found]:
    """A task that others run beside others of its kind, one a core: it must not start threads of its own."""

    @wraps(task)
    def alone(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Found:
        before = getattr(_here, "is_alone", False)
        _here.is_alone = True
        try:
            return task(*args, **kwargs)
        finally:
            _here.is_alone = before

    return alone


def in_parallel(task: Callable[[Item], Found], items: Iterable[Item]) -> list[Found]:
    """Run `task` on every item; the first error is raised. Tasks that write must write to places of their own."""
    work = list(items)
    if len(work) <= 1 or n_workers() <= 1:
        return [task(item) for item in work]
    return list(_pool().map(task, work))


@cache
def _pool() -> ThreadPoolExecutor:
    """One pool for the life of the process: starting threads costs more than many a task. Tasks never nest."""
    return ThreadPoolExecutor(n_workers(), thread_name_prefix="rugcore")


def slices(length: int, at_least: int = 1) -> Iterator[slice]:
    """Cut `range(length)` into one piece a worker, none shorter than `at_least` unless it is the only one."""
    most = length // max(at_least, 1)
    pieces = min(n_workers(), most) if most > 1 else 1  # to ask for the cores takes time, too
    edges = [length * piece // pieces for piece in range(pieces + 1)]
    for start, stop in itertools.pairwise(edges):
        yield slice(start, stop)
