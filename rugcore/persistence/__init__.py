"""Models and pools as files: checked on the way in, and nothing in them can be executed."""

from rugcore.persistence.model_files import digest_of
from rugcore.persistence.pool_files import load_pool, save_pool

__all__ = ["digest_of", "load_pool", "save_pool"]
