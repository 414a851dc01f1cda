"""Models and pools as files: checked on the way in, and nothing in them can be executed."""

from rugcore.persistence.pool_files import load_pool, save_pool

__all__ = ["load_pool", "save_pool"]
