"""Giving memory back: the allocators keep what reading a large table took, and the server would only grow."""

import ctypes
import gc
from functools import cache

import pyarrow as pa  # type: ignore[import-untyped]


def give_back() -> None:
    """Return what is free to the system."""
    gc.collect()
    pa.default_memory_pool().release_unused()
    trim = _malloc_trim()
    if trim is not None:
        trim(0)


@cache
def _malloc_trim() -> "ctypes._NamedFuncPointer | None":
    """Of the GNU C library; other systems see to it themselves."""
    try:
        return ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError):
        return None
