"""What the run store refuses, in one sentence."""

from rugcore.errors import RugError


class RunError(RugError):
    """A run, its data or the store that keeps it cannot be used as asked."""


class ChangedMeanwhileError(RunError):
    """Somebody else changed the rules of a run since its page was drawn; nothing was kept."""
