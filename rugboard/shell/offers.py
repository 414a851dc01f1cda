"""Files that the server holds ready for visitors, each under an address that outlives any redraw of the page.

Streamlit forgets a file as soon as the page that offered it was drawn again, by whomever: a click in that moment comes
to nothing. A file here can be fetched for half an hour after it was last offered, and as long as its page is open.
"""

import hashlib
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from threading import Lock
from types import FunctionType
from typing import Any

from rugboard.people.person import ALONE, Person

SECONDS_KEPT = 30 * 60  # after the last offer, whoever draws what meanwhile
MOST_FILES = 2_000
MOST_FUNCTIONS = 256  # among them: a function may hold on to the table that its file is made of
MOST_BYTES = 256_000_000
TOKEN_BYTES = 24  # nobody guesses it

Content = bytes | str | Callable[[], bytes | str]
PLAIN = (str, bytes, int, float, bool, type(None))


@dataclass(eq=False)
class Offer:
    """One file for one visitor. `make` is called at the first fetch, if the file is not there already."""

    token: str
    visitor: str  # the tab that was offered it
    person: Person  # who alone may fetch it
    place: str  # the button; a later offer there takes over from this one
    name: str
    media_type: str
    identity: Hashable
    content: bytes | None
    make: Callable[[], bytes | str] | None
    offered: float
    making: Lock = field(default_factory=Lock)

    @property
    def size(self) -> int:
        return len(self.content or b"")


class Offers:
    """All files on offer. `is_present` says whether a visitor's page is still open."""

    def __init__(
        self, is_present: Callable[[str], bool] = lambda _: False, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._is_present = is_present
        self._clock = clock
        self._lock = Lock()
        self._by_token: OrderedDict[str, Offer] = OrderedDict()  # the one offered longest ago first
        self._by_identity: dict[Hashable, str] = {}
        self._newest: dict[tuple[str, str], str] = {}  # by visitor and place

    def offer(
        self, visitor: str, place: str, name: str, media_type: str, content: Content, person: Person = ALONE
    ) -> str:
        """Hold a file ready; the token under which it can be fetched, the same as before if nothing changed."""
        if isinstance(content, str):
            content = content.encode()
        identity = (visitor, person.id, place, name, _identity(content))
        with self._lock:
            token = self._by_identity.get(identity)
            if token is None:
                token = secrets.token_urlsafe(TOKEN_BYTES)
                made, make = (content, None) if isinstance(content, bytes) else (None, content)
                self._by_token[token] = Offer(
                    token, visitor, person, place, name, media_type, identity, made, make, self._clock()
                )
                self._by_identity[identity] = token
            self._by_token[token].offered = self._clock()
            self._by_token.move_to_end(token)
            self._newest[visitor, place] = token
            self._tidy_up(keep=token)
        return token

    def withdraw(self, visitor: str, place: str) -> None:
        """Drop what a visitor was offered at a place, now and before."""
        with self._lock:
            for offer in list(self._by_token.values()):
                if (offer.visitor, offer.place) == (visitor, place):
                    self._drop(offer)

    def find(self, token: str, person: Person = ALONE) -> Offer | None:
        """What was offered to a person under a token; None if it never was, to somebody else, or too long ago."""
        with self._lock:
            found = self._by_token.get(token)
            if found is None or found.person.id != person.id:
                return None
            return None if self._is_over(found) else found

    def fetch(self, offer: Offer) -> bytes:
        """The content of a file. One that must be made is made once, however many ask for it; errors go to them."""
        with offer.making:
            if offer.content is None:
                assert offer.make is not None
                made = offer.make()
                offer.content = made.encode() if isinstance(made, str) else made
                with self._lock:
                    self._tidy_up(keep=offer.token)
            return offer.content

    def _is_over(self, offer: Offer) -> bool:
        if self._clock() - offer.offered <= SECONDS_KEPT:
            return False
        is_newest = self._newest.get((offer.visitor, offer.place)) == offer.token
        return not (is_newest and self._is_present(offer.visitor))

    def _tidy_up(self, keep: str) -> None:
        """Drop what is over, and beyond the limits what was offered longest ago."""
        for offer in list(self._by_token.values()):
            if self._clock() - offer.offered <= SECONDS_KEPT:
                break  # all others are younger
            if self._is_over(offer):
                self._drop(offer)
        held = list(self._by_token.values())
        n_files, n_bytes = len(held), sum(offer.size for offer in held)
        functions = [offer for offer in held if offer.make is not None]
        for offer in functions[: max(len(functions) - MOST_FUNCTIONS, 0)]:
            self._drop(offer)
            n_files, n_bytes = n_files - 1, n_bytes - offer.size
        for offer in held:
            if n_files <= MOST_FILES and n_bytes <= MOST_BYTES:
                break
            if offer.token != keep and offer.token in self._by_token:
                self._drop(offer)
                n_files, n_bytes = n_files - 1, n_bytes - offer.size

    def _drop(self, offer: Offer) -> None:
        del self._by_token[offer.token]
        del self._by_identity[offer.identity]
        if self._newest.get((offer.visitor, offer.place)) == offer.token:
            del self._newest[offer.visitor, offer.place]


def _identity(content: bytes | Callable[[], bytes | str]) -> Hashable:
    """Two offers with the same one give the same file.

    Functions are the same if they run the same lines on the same things: a page makes new ones whenever it is drawn.
    """
    if isinstance(content, bytes):
        return hashlib.sha256(content).digest()
    if not isinstance(content, FunctionType) or content.__defaults__ or content.__kwdefaults__:
        return _Same(content)
    return content.__code__, *(_part(cell.cell_contents) for cell in content.__closure__ or ())


def _part(thing: Any) -> Hashable:
    return (type(thing), thing) if isinstance(thing, PLAIN) else _Same(thing)


class _Same:
    """Equal to itself only, and keeps the thing alive, so that no other one gets its place in memory."""

    def __init__(self, thing: object) -> None:
        self._thing = thing

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other._thing is self._thing

    def __hash__(self) -> int:
        return id(self._thing)
