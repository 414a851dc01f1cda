"""A disk that is full or read-only: everything can be looked at, deleting works, and what cannot be done is said."""

import subprocess
import sys

import pytest

from rugboard.places import PROJECT

ALONE = ["unshare", "--map-root-user", "--mount"]  # with mounts that nobody else sees
MAY_MOUNT = [*ALONE, "mount", "-t", "tmpfs", "tmpfs", "/mnt"]


def may_mount() -> bool:
    try:
        return subprocess.run(MAY_MOUNT, capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        return False


@pytest.mark.skipif(not may_mount(), reason="a disk in memory cannot be mounted here")
def test_a_disk_that_is_full_or_cannot_be_written_to() -> None:
    program = [*ALONE, sys.executable, "-m", "tests.dashboard.runs.small_disk"]
    done = subprocess.run(program, cwd=PROJECT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "all of it\n"), done.stderr[-8_000:]
