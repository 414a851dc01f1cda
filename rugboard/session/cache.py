"""What is worked out once for everybody who asks for the same.

    @cached(entries=24)
    def coverage(results: Results, model: str, change: Adjustment) -> Coverage: ...

The key is made of the arguments: text, numbers, booleans and enumerations stand for themselves, and anything else for
its `cache_key`. Tables have none on purpose, because to compare large tables costs more than to look things up by what
made them. Nothing is copied: nobody may change what comes out. Of several threads that ask for the same at the same
moment, one works and the others wait for it. An error is not kept.
"""

import inspect
from collections import OrderedDict
from collections.abc import Callable, Hashable
from enum import Enum
from functools import update_wrapper
from threading import Lock
from typing import Any, Generic, ParamSpec, TypeVar
from weakref import WeakSet

P = ParamSpec("P")
T = TypeVar("T")

PLAIN = (str, bytes, bool, int, float, Enum, type(None))
_NOTHING: Any = object()
_all: "WeakSet[Cached[Any, Any]]" = WeakSet()


class _Entry:
    """One answer, and the lock of whoever works it out."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.value: Any = _NOTHING


class Cached(Generic[P, T]):
    """A function that remembers its last answers; the one that was used longest ago goes first."""

    def __init__(self, function: Callable[P, T], entries: int) -> None:
        update_wrapper(self, function)
        self._function = function
        self._signature = inspect.signature(function)
        self._most = entries
        self._entries: OrderedDict[Hashable, _Entry] = OrderedDict()
        self._lock = Lock()
        _all.add(self)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> T:
        entry = self._entry(self._key(*args, **kwargs))
        with entry.lock:
            if entry.value is _NOTHING:
                entry.value = self._function(*args, **kwargs)
            value: T = entry.value
        return value

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._entries.clear()

    def _key(self, *args: P.args, **kwargs: P.kwargs) -> Hashable:
        given = self._signature.bind(*args, **kwargs)
        given.apply_defaults()
        return tuple(key_of(argument) for argument in given.arguments.values())

    def _entry(self, key: Hashable) -> _Entry:
        with self._lock:
            entry = self._entries.setdefault(key, _Entry())
            self._entries.move_to_end(key)
            while len(self._entries) > self._most:
                self._entries.popitem(last=False)
        return entry


def cached(entries: int) -> Callable[[Callable[P, T]], Cached[P, T]]:
    """Remember the last `entries` answers of a function, for all visitors."""

    def decorate(function: Callable[P, T]) -> Cached[P, T]:
        return Cached(function, entries)

    return decorate


def key_of(argument: object) -> Hashable:
    """What an argument is known by; refused if that cannot be said."""
    kind = type(argument)
    if isinstance(argument, PLAIN):
        return kind, argument  # 1, 1.0 and True are equal, but not the same
    if isinstance(argument, tuple):
        return tuple, tuple(key_of(item) for item in argument)
    if hasattr(argument, "cache_key"):
        return kind, key_of(argument.cache_key)
    raise TypeError(f"A cache cannot tell this argument from others: {kind.__name__} without cache_key.")


def clear_all() -> None:
    """As if the server had just started; for tests."""
    for function in list(_all):
        function.clear()
