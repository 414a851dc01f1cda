"""Every public name tells a newcomer what it is, and what goes into it."""

import inspect
import re
from collections.abc import Iterator
from typing import Any

import pytest

import rugcore
from docs.build import public_members

# What everybody who has used scikit-learn or fairlearn knows.
OBVIOUS = {"self", "cls", "X", "y", "sample_weight", "X_train", "y_train", "X_test", "y_test", "random_state"}
SHORTEST = 20  # letters that say anything at all
# "Parameters as in `audit`": described there.
ELSEWHERE = re.compile(r"(?:[Aa]s in|[Ss]ee) `(\w+)`")


def public_names() -> list[str]:
    return [name for name in rugcore.__all__ if not name.startswith("__")]


def described() -> Iterator[tuple[str, Any, str]]:
    """Every public class, function, method and property: its name, itself, and the text that should describe it."""
    for name in public_names():
        item = getattr(rugcore, name)
        yield name, item, inspect.getdoc(item) or ""
        if inspect.isclass(item):
            for member, found in public_members(item):
                yield f"{name}.{member}", found, inspect.getdoc(found) or ""


EVERYTHING = list(described())


@pytest.mark.parametrize(("name", "item", "text"), EVERYTHING, ids=[name for name, _, _ in EVERYTHING])
def test_it_says_what_it_is_and_what_goes_in(name: str, item: Any, text: str) -> None:
    assert len(text) >= SHORTEST, f"{name} has no docstring"
    assert not text.startswith(f"{name}("), f"{name} has only what dataclass writes"
    not_told = [parameter for parameter in parameters_of(item) if not is_told(parameter, text)]
    assert not_told == [], f"{name} does not say what these are"


def parameters_of(item: Any) -> list[str]:
    if isinstance(item, property) or (inspect.isclass(item) and issubclass(item, BaseException)):
        return []
    function = getattr(item, "__func__", item)
    return [name for name in inspect.signature(function).parameters if name not in OBVIOUS]


def is_told(parameter: str, text: str) -> bool:
    if re.search(rf"\b{re.escape(parameter)}\b", text):
        return True
    return any(is_told(parameter, text_of(name)) for name in ELSEWHERE.findall(text))


def text_of(name: str) -> str:
    return inspect.getdoc(getattr(rugcore, name)) or "" if name in rugcore.__all__ else ""
