"""A process by its number and its birth, so that a recycled number is never mistaken for the old process."""

import os
import signal
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path

PROC = Path("/proc")
# In /proc/<pid>/stat, counted behind the name, which may hold spaces and brackets itself; see proc(5).
STATE, START_TIME = 0, 19


@dataclass(frozen=True)
class Process:
    """One process of this machine."""

    pid: int
    birth: str

    @classmethod
    def current(cls) -> "Process":
        return cls(os.getpid(), birth_of(os.getpid()) or "")

    def is_alive(self) -> bool:
        return bool(self.birth) and birth_of(self.pid) == self.birth

    def send(self, number: signal.Signals) -> bool:
        """Signal this process and no other; False if it is gone, or is not ours to signal."""
        if not self.is_alive():
            return False
        try:
            os.kill(self.pid, number)
        except (ProcessLookupError, PermissionError):
            return False
        return True

    def is_from_before_the_last_boot(self) -> bool:
        """Known where the kernel gives each boot a name, which is Linux."""
        return self.birth.partition("/")[0] != boot_name()


def birth_of(pid: int) -> str | None:
    """When a process began, in a form that only serves to be compared; None if it is gone."""
    return _birth_on_linux(pid) if (PROC / "self" / "stat").exists() else _birth_from_ps(pid)


def _birth_on_linux(pid: int) -> str | None:
    try:
        fields = (PROC / str(pid) / "stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[STATE] in "ZX" else f"{boot_name()}/{fields[START_TIME]}"


def _birth_from_ps(pid: int) -> str | None:
    done = subprocess.run(["ps", "-o", "lstart=", "-p", str(pid)], capture_output=True, text=True, check=False)
    started = done.stdout.strip()
    return f"{boot_name()}/{started}" if started else None


@cache
def boot_name() -> str:
    """The kernel counts the start of a process from its own start; this tells one start from another."""
    path = PROC / "sys" / "kernel" / "random" / "boot_id"
    return path.read_text(encoding="ascii").strip() if path.exists() else ""
