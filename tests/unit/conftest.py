"""For all tests of the engine."""

import sys
from collections.abc import Iterator
from types import ModuleType

import pytest


@pytest.fixture(scope="module")
def plain_main() -> Iterator[None]:
    """A main module that child processes may run again.

    Tests of pages leave theirs behind, and a process that is spawned later in the same test process would run it.
    """
    with pytest.MonkeyPatch.context() as patched:
        patched.setitem(sys.modules, "__main__", ModuleType("__main__"))
        yield
