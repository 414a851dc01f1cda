"""Every way the engine says no.

A message states what was expected, what came, and what to do about it.
"""


class RugError(Exception):
    """Base of all errors that rugcore raises on purpose."""


class InputError(RugError, ValueError):
    """The table, the target or a parameter cannot be used as given."""


class ModelFileError(RugError, ValueError):
    """A file is not a model that this version can load."""


class SolverError(RugError, RuntimeError):
    """A solver stopped without an optimal solution, or cannot be used here."""


class ClusterError(RugError, RuntimeError):
    """A cluster could not finish what it was asked to do."""


class MissingPackageError(RugError, ImportError):
    """What was asked for needs a package that is not installed."""


def missing_package(what: str, extra: str) -> MissingPackageError:
    """To be raised where an import fails; `extra` is the part of the installation that is missing."""
    return MissingPackageError(f"{what} needs more packages: pip install 'rug-dashboard[{extra}]'")


class FairnessWarning(UserWarning):
    """A fair model was asked for, and the one that was found is not fair enough."""
