"""gosdt in a process of its own: it may take far more time and memory than it is given, and break down.

`python -m rugcore.comparison.gosdt_process` reads answers, classes and settings from its input, and writes the tree as
JSON: {"bound": of the objective, "is_over": whether it came to its end, "tree": nested [question, yes, no] or class}.
"""

import contextlib
import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

MOST_MEMORY = 4 * 2**30  # bytes of address space; the package alone takes a quarter of that
# A process that starts, and a package that looks at the clock between two steps of its search only.
GRACE = 5.0

Answer = dict[str, Any]


def run_gosdt(answers: np.ndarray, classes: np.ndarray, settings: Answer, seconds: float | None) -> Answer | None:
    """What the package found; None if it did not find anything in this time, or needed too much memory."""
    content = io.BytesIO()
    np.savez(content, answers=answers, classes=classes, settings=np.array(json.dumps(settings)))
    folder = str(Path(__file__).resolve().parents[2])
    try:
        done = subprocess.run(
            [sys.executable, "-m", __name__],
            input=content.getvalue(),
            capture_output=True,
            timeout=None if seconds is None else seconds + GRACE,
            check=False,
            env=os.environ | {"PYTHONPATH": os.pathsep.join([folder, *filter(None, [os.environ.get("PYTHONPATH")])])},
        )
    except subprocess.TimeoutExpired:
        return None
    said = done.stdout.decode(errors="replace").splitlines()  # before the tree, the package may say what it likes
    return json.loads(said[-1]) if done.returncode == 0 and said else None


def main() -> int:
    from gosdt import GOSDTClassifier, Status

    limit_memory()
    given = np.load(io.BytesIO(sys.stdin.buffer.read()))
    with contextlib.redirect_stdout(io.StringIO()):  # it prints what it warns of
        package = GOSDTClassifier(**json.loads(str(given["settings"])))
        package.fit(given["answers"], given["classes"])
    found = package.result_
    tree = nested(package.trees_[0].tree)
    sys.stdout.write(json.dumps({"bound": found.lowerbound, "is_over": found.status == Status.CONVERGED, "tree": tree}))
    return 0


def limit_memory() -> None:
    """Where the system can."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))


def nested(node: Any) -> Any:
    if hasattr(node, "prediction"):
        return int(node.prediction)
    return [int(node.feature), nested(node.left_child), nested(node.right_child)]


if __name__ == "__main__":
    sys.exit(main())
