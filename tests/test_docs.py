"""The pages of docs/ are what the examples show and the docstrings say today."""

import re
from pathlib import Path

import pytest

from docs import build

HINT = "run `make docs`, look at what changed, and commit the pages"

WRITTEN = {"dask.md", "operating.md", "reliability.md", "results.md"}  # by hand: what it tells was measured


@pytest.mark.parametrize("path", sorted(build.EXAMPLES.glob("*.py")), ids=lambda path: path.stem)
def test_an_example_runs_and_its_page_is_current(path: Path) -> None:
    page = build.FOLDER / f"{path.stem}.md"
    assert page.read_text(encoding="utf-8") == build.example_page(path), HINT


def test_the_page_of_public_names_is_current() -> None:
    assert (build.FOLDER / "api.md").read_text(encoding="utf-8") == build.api_page(), HINT


def test_every_page_is_made_and_linked() -> None:
    made = {f"{path.stem}.md" for path in build.EXAMPLES.glob("*.py")} | {"api.md"}
    assert {path.name for path in build.FOLDER.glob("*.md")} == made | WRITTEN
    readme = (build.FOLDER.parent / "README.md").read_text(encoding="utf-8")
    assert made <= set(re.findall(r"\(docs/([\w.]+)\)", readme))


def test_cells_are_told_apart() -> None:
    source = "# for editors\n# %% [markdown]\n# # Title\n#\n# Text.\n\n# %%\nx = 1\nprint(x)\nx + 1\n"
    prose, code = build.cells(source)
    assert (prose.is_prose, prose.text) == (True, "# Title\n\nText.")
    assert (code.is_prose, code.text) == (False, "x = 1\nprint(x)\nx + 1")
    assert build.run(code.text, {}, "cell") == "1\n2"


def test_docstrings_become_lists() -> None:
    doc = (
        "Does it.\n\nParameters\n----------\nx : float\n    How much\n    of it.\ny, z\n    As there.\n\nAfterwards.\n"
    )
    assert build.markdown(doc) == (
        "Does it.\n\n**Parameters**\n\n- `x` (float): How much of it.\n- `y, z`: As there.\n\nAfterwards."
    )
