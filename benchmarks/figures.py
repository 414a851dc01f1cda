"""The file of figures: every benchmark has its own part, and a run replaces only the parts that it measured."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rugcore.atomic import whole_file

QUICK = "quick "  # figures of a quick run stand beside those of a full one, never in their place


def save(path: Path, measured: Mapping[str, Any], *, quick: bool) -> None:
    """Write what was measured, by benchmark; the parts of all other benchmarks stay as they are."""
    kept = json.loads(path.read_text()) if path.exists() else {}
    parts = kept | {QUICK + name if quick else name: figures for name, figures in measured.items()}
    with whole_file(path) as file:
        file.write(json.dumps(parts, indent=1, sort_keys=True).encode())
