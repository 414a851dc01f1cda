"""What the run store refuses, in one sentence; and what is said when the disk does not do as asked."""

import errno
import shutil
from pathlib import Path

from rugcore.errors import RugError

DISK_FULL = (
    "The disk is full, so nothing more can be kept; what was kept before is still there. Delete runs that nobody needs "
    "on the page Start, or make room on the server, then try again."
)
READ_ONLY = (
    "The folder {folder} cannot be written to, so runs can be looked at, but not trained, renamed or deleted. Make it "
    "writable for the server, or set RUG_HOME to another folder."
)
NO_SPACE = (errno.ENOSPC, errno.EDQUOT)
NOT_WRITABLE = (errno.EROFS, errno.EACCES, errno.EPERM)


NEXT_TO_NOTHING = 16_384  # bytes: what SQLite needs for the smallest change


class RunError(RugError):
    """A run, its data or the store that keeps it cannot be used as asked."""


class ChangedMeanwhileError(RunError):
    """Somebody else changed the rules of a run since its page was drawn; nothing was kept."""


class StorageError(RunError):
    """The disk is full, read-only, or not there."""


def gone(folder: Path) -> str:
    """What is said when the home itself is no longer there."""
    return (
        f"The folder of all runs and data, {folder}, is gone: it was deleted, or its disk is not mounted. Mount the "
        "disk or put back a copy, then start the dashboard again; without one, it begins with an empty folder."
    )


def storage_error(error: OSError, root: Path) -> StorageError | None:
    """What went wrong about a file, for a person; None if it is not about the disk as a whole."""
    if not root.is_dir():
        return StorageError(gone(root))
    if error.errno in NO_SPACE:
        return StorageError(DISK_FULL)
    if error.errno in NOT_WRITABLE:
        return StorageError(READ_ONLY.format(folder=Path(error.filename or root)))
    return None


def as_storage_error(error: Exception, root: Path) -> Exception:
    """The same error, as a sentence if it is about the disk."""
    return (storage_error(error, root) or error) if isinstance(error, OSError) else error


def is_full(folder: Path) -> bool:
    """Whether the disk of a folder has no room for the smallest change."""
    try:
        return shutil.disk_usage(folder).free < NEXT_TO_NOTHING
    except OSError:
        return False
