"""Make the pages of docs/: the examples with what they print, and the public names with their docstrings.

    python -m docs.build

Pages are made from the code, so that they cannot tell what is not so; a test makes them again and compares.
"""

import ast
import inspect
import io
import re
import textwrap
from collections.abc import Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

import rugcore
import rugcore.dask
import rugcore.export

FOLDER = Path(__file__).resolve().parent
EXAMPLES = FOLDER / "examples"
MADE = "<!-- Made by `make docs`; change {source} instead. -->\n\n"
LONGEST_CALL = 90  # letters; longer ones have a line a parameter
DIGITS = 3  # of a number in a table


def pages() -> dict[Path, str]:
    """Every page with its text."""
    found = {FOLDER / f"{path.stem}.md": example_page(path) for path in sorted(EXAMPLES.glob("*.py"))}
    return found | {FOLDER / "api.md": api_page()}


def main() -> None:
    for path, text in pages().items():
        path.write_text(text, encoding="utf-8")


# --- Examples -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Cell:
    """A piece of an example: prose, or code."""

    is_prose: bool
    text: str


def example_page(path: Path) -> str:
    """The example with everything that it shows."""
    names: dict[str, Any] = {"__name__": "__main__"}
    parts = []
    for cell in cells(path.read_text(encoding="utf-8")):
        if cell.is_prose:
            parts.append(cell.text)
        else:
            shown = run(cell.text, names, path.name)
            parts.append(f"```python\n{cell.text}\n```")
            parts += [f"```text\n{shown}\n```"] if shown else []
    return MADE.format(source=f"docs/examples/{path.name}") + "\n\n".join(parts) + "\n"


def cells(source: str) -> list[Cell]:
    """What stands between the lines that begin with `# %%`; what stands above the first is for editors."""
    pieces = re.split(r"^# %%(.*)\n", source, flags=re.MULTILINE)[1:]
    found = []
    for heading, body in zip(pieces[::2], pieces[1::2], strict=True):
        is_prose = heading.strip() == "[markdown]"
        text = re.sub(r"^# ?", "", body, flags=re.MULTILINE) if is_prose else body
        found.append(Cell(is_prose, text.strip()))
    return found


def run(code: str, names: dict[str, Any], file: str) -> str:
    """What a notebook would show: what is printed, and the value of the last line."""
    body = ast.parse(code).body
    last = body.pop() if isinstance(body[-1], ast.Expr) else None
    printed = io.StringIO()
    with redirect_stdout(printed):
        exec(compile(ast.Module(body, []), file, "exec"), names)
        value = None if last is None else eval(compile(ast.Expression(last.value), file, "eval"), names)
    texts = [printed.getvalue().rstrip(), "" if value is None else in_words(value)]
    return "\n".join(text for text in texts if text)


def in_words(value: Any) -> str:
    """As text: tables whole, everything else as `print` shows it."""
    if isinstance(value, pd.DataFrame):
        return value.to_string(float_format=lambda number: f"{number:.{DIGITS}g}")
    return value.to_string() if isinstance(value, pd.Series) else str(value)


# --- Public names ---------------------------------------------------------------------------------------------------

INTRODUCTION = """# The names of rugcore

Everything below is imported from `rugcore`; the rest of the package may change without notice. `help(name)` tells the
same in Python."""


def api_page() -> str:
    names = [name for name in rugcore.__all__ if not name.startswith("__")]
    classes = [name for name in names if inspect.isclass(getattr(rugcore, name))]
    functions = [name for name in names if name not in classes]
    parts = [INTRODUCTION, "## Classes", *map(entry, classes), "## Functions", *map(entry, functions)]
    exports = [name for name in rugcore.export.__all__ if inspect.isfunction(getattr(rugcore.export, name))]
    parts += ["## Exports", "Imported from `rugcore.export`.", *(entry(name, rugcore.export) for name in exports)]
    parts += ["## On a cluster", "Imported from `rugcore.dask`; what is not told here is as on one machine."]
    parts += [entry(name, rugcore.dask) for name in rugcore.dask.__all__ if name.startswith("Dask")]
    return MADE.format(source="the docstrings in rugcore/") + "\n\n".join(parts) + "\n"


def entry(name: str, home: Any = rugcore) -> str:
    """The name, how it is called, and its docstring; of a class also its methods."""
    item = getattr(home, name)
    parts = [f"### {name}", f"```text\n{name}{signature(item)}\n```", markdown(inspect.getdoc(item) or "")]
    if inspect.isclass(item):
        parts += [member(item, method, found) for method, found in public_members(item)]
    return "\n\n".join(parts)


def member(kind: type, name: str, found: Any) -> str:
    """A method with how it is called, or a property, and its docstring."""
    call = "" if isinstance(found, property) else f"```text\n{name}{signature(getattr(kind, name))}\n```\n\n"
    return f"#### {kind.__name__}.{name}\n\n{call}{markdown(inspect.getdoc(found) or '')}"


def public_members(kind: type) -> Iterator[tuple[str, Any]]:
    """In alphabetical order; those of scikit-learn and of Python are described there."""
    for name in sorted(dir(kind)):
        found = inspect.getattr_static(kind, name)
        function = getattr(found, "__func__", getattr(found, "fget", found))
        room = "rugcore.dask" if kind.__module__.startswith("rugcore.dask") else "rugcore"
        is_ours = str(getattr(function, "__module__", "")).startswith(room)
        if not name.startswith("_") and is_ours and (callable(function) or isinstance(found, property)):
            yield name, found


def signature(item: Any) -> str:
    """Names and defaults; types are told in words, and look different in every version of Python."""
    if inspect.isclass(item) and issubclass(item, BaseException):
        return ""
    found = inspect.signature(item)
    bare = [
        parameter.replace(annotation=inspect.Parameter.empty)
        for parameter in found.parameters.values()
        if parameter.name != "self"
    ]
    text = str(found.replace(parameters=bare, return_annotation=inspect.Signature.empty))
    if len(text) <= LONGEST_CALL:
        return text
    names = [f"    {parameter},\n" for parameter in bare]
    first_by_name = next((place for place, item in enumerate(bare) if item.kind is item.KEYWORD_ONLY), None)
    if first_by_name is not None:
        names.insert(first_by_name, "    *,\n")
    return f"(\n{''.join(names)})"


def markdown(doc: str) -> str:
    """A docstring with sections under dashes as Markdown."""
    pieces = re.split(r"^(\w+)\n-{3,}\n", doc, flags=re.MULTILINE)
    parts = [prose(pieces[0])]
    for heading, body in zip(pieces[1::2], pieces[2::2], strict=True):
        items, rest = items_of(body)
        parts += [f"**{heading}**", "\n".join(items), prose(rest)]
    return "\n\n".join(part for part in parts if part)


def items_of(body: str) -> tuple[list[str], str]:
    """`name : type` and what is indented below it, as a list; and the prose after the list."""
    listed, _, rest = body.strip("\n").partition("\n\n")
    items: list[str] = []
    for line in listed.splitlines():
        if line.startswith(" "):
            items[-1] += f" {line.strip()}"
        else:
            name, _, kind = line.partition(" : ")
            items.append(f"- `{name}`{f' ({kind})' if kind else ''}:")
    return [item.removesuffix(":") if item.endswith(":") else item for item in items], rest


def prose(text: str) -> str:
    """Paragraphs as they are; what is indented is code."""
    blocks = [block for block in re.split(r"\n\s*\n", text.strip("\n")) if block.strip()]
    return "\n\n".join(
        f"```python\n{textwrap.dedent(block)}\n```" if block.startswith("    ") else block for block in blocks
    )


if __name__ == "__main__":
    main()
