"""A process that works beside the server: for training, for comparisons, and one that waits with everything loaded.

It has a session of its own and goes on when its server stops. As long as it lives it holds its lifeline, a locked file,
so that any server can tell whether it is alive.
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from rugboard.people.settings import PREFIX
from rugboard.places import PROJECT
from rugboard.runs import locks
from rugboard.runs.home import VARIABLE, Home

# Libraries that wait for work by spinning; with more threads than cores they slow each other down manifold.
THREAD_LIMITS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")

NOT_WRITTEN = os.EX_IOERR  # the exit code of a worker that could not even write how it ended

Child = subprocess.Popen[bytes]


def start(module: str, argument: str, home: Home, *, threads: int, inherits: int, log: BinaryIO | None = None) -> Child:
    """Run `python -m module argument`; the process inherits one descriptor, and writes what it says into the log."""
    return subprocess.Popen(
        [sys.executable, "-m", module, argument],
        cwd=PROJECT,
        env=environment(home, threads),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL if log is None else log,
        stderr=subprocess.DEVNULL if log is None else subprocess.STDOUT,
        pass_fds=(inherits,),
        start_new_session=True,
    )


def environment(home: Home, threads: int) -> dict[str, str]:
    """What the operator has set, secrets among it, is not for workers."""
    given = {name: value for name, value in os.environ.items() if not name.startswith(PREFIX)}
    return given | dict.fromkeys(THREAD_LIMITS, str(threads)) | {VARIABLE: str(home.root)}


@contextmanager
def lifeline(path: Path) -> Iterator[int | None]:
    """Hold a lifeline until the worker does; None if another worker holds it.

    The worker that inherits the descriptor holds the lock as well, and alone when this block ends.
    """
    descriptor = locks.hold(path)
    try:
        yield descriptor
    finally:
        if descriptor is not None:
            os.close(descriptor)


def is_alive(path: Path) -> bool:
    """Whether the worker of a lifeline lives, whoever started it."""
    return locks.is_held(path)
