"""One training run, from checked rows to a pool of weighted rules."""

from rugcore.training.settings import Settings

__all__ = [
    "Settings",
]
