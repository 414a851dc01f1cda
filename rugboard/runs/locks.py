"""Locks that end with the process that holds them, however it ends: the kernel sees to it.

A worker holds the lock of its run as long as it lives. Unlike a process number, a lock cannot be mistaken for that of
another process, and it means the same in every container that shares the folder.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def hold(path: Path) -> int | None:
    """Lock the file and return its descriptor, or None if somebody else holds it. To let go, close the descriptor.

    A child process that inherits the descriptor holds the lock as well.
    """
    descriptor = _opened(path)
    if _takes(descriptor):
        return descriptor
    os.close(descriptor)
    return None


def is_held(path: Path) -> bool:
    """Whether some process holds the lock now."""
    try:
        descriptor = os.open(path, os.O_RDONLY)  # a look must be possible where nothing can be written
    except FileNotFoundError:
        return False
    try:
        return not _takes(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def exclusive(path: Path) -> Iterator[None]:
    """Wait for the lock, and hold it for the length of a block."""
    descriptor = _opened(path)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _takes(descriptor: int) -> bool:
    """Take the lock; False if somebody has it."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _opened(path: Path) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
