"""Who is asking: the person behind a script run, a request, or what the server does on somebody's behalf.

Asked again and again, because a page that is open knows only the sign-in with which it was opened: one that has expired
or was ended meanwhile ends at the next action, in every tab.
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Lock

import streamlit as st
from streamlit.auth_util import get_cookie_with_chunks
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.web.server.server_util import get_cookie_secret
from streamlit.web.server.starlette.starlette_app_utils import decode_signed_value
from streamlit.web.server.starlette.starlette_server_config import USER_COOKIE_NAME

from rugboard.people.person import ALONE, Person
from rugboard.people.settings import OperatorSettings
from rugboard.people.sign_in import Claims, SignInError, person_of, sign_in_id
from rugboard.runs.access_log import AccessLog
from rugboard.runs.home import Home
from rugboard.runs.known_people import KnownPeople

_ACTING: ContextVar[Person | None] = ContextVar("acting", default=None)
_lock = Lock()
_greeted: set[tuple[str, Person, str]] = set()  # by home
_sessions: dict[str, str] = {}  # by Streamlit's session: the id of its person

MOST_SESSIONS = 10_000


def person() -> Person:
    """Whoever is asking now; a `SignInError` if nobody is signed in who must be."""
    acting = _ACTING.get()
    if acting is not None:
        return acting
    if not OperatorSettings.current().has_sign_in:
        return ALONE
    context = get_script_run_ctx(suppress_warning=True)
    if context is None:
        raise SignInError("Please sign in.")
    found = person_in(st.user.to_dict())
    _remember(context.session_id, found)
    return found


@contextmanager
def acting_as(someone: Person) -> Iterator[None]:
    """What the server does in a thread of its own is done for somebody."""
    before = _ACTING.set(someone)
    try:
        yield
    finally:
        _ACTING.reset(before)


def person_of_cookies(cookies: Mapping[str, str]) -> Person:
    """Whoever sends a request; a `SignInError` if nobody is signed in who must be."""
    return person_in(claims_in(cookies)) if OperatorSettings.current().has_sign_in else ALONE


def claims_in(cookies: Mapping[str, str]) -> Claims:
    """What the cookie of a sign-in says; nothing where its signature is not this server's."""
    secret = get_cookie_secret()

    def signed(name: str) -> bytes | None:
        value = cookies.get(name)
        return None if value is None else decode_signed_value(secret, name, value.encode("latin-1", "replace"))

    try:
        claims = json.loads(get_cookie_with_chunks(signed, USER_COOKIE_NAME) or b"{}")
    except ValueError:
        return {}
    return claims if isinstance(claims, dict) else {}


def person_in(claims: Claims) -> Person:
    """The person of these claims, if the sign-in holds still."""
    found, sign_in = person_of(claims, OperatorSettings.current()), sign_in_id(claims)
    known = KnownPeople(home := Home.current())
    issued = claims.get("iat")
    if known.has_ended(found, sign_in, float(issued) if isinstance(issued, int | float) else 0.0):
        raise SignInError("You have signed out, or your sign-in was ended. Please sign in again.")
    _greet(known, home, found, sign_in)
    return found


def end_sign_in(cookies: Mapping[str, str]) -> None:
    """Sign out: everywhere that this sign-in is open."""
    claims = claims_in(cookies)
    try:
        found = person_of(claims, OperatorSettings.current())
    except SignInError:
        return
    KnownPeople(home := Home.current()).end(sign_in_id(claims))
    AccessLog(home.root).write(found, "signed out")


def is_theirs(session: str, someone: Person) -> bool:
    """Whether a session of Streamlit is this person's."""
    return someone.sees_all or _sessions.get(session) == someone.id


def sessions_of(someone: Person) -> set[str]:
    with _lock:
        return {session for session, owner in _sessions.items() if owner == someone.id}


def _remember(session: str, someone: Person) -> None:
    with _lock:
        _sessions.pop(session, None)
        _sessions[session] = someone.id
        while len(_sessions) > MOST_SESSIONS:
            del _sessions[next(iter(_sessions))]  # of which nobody has heard longest


def _greet(known: KnownPeople, home: Home, someone: Person, sign_in: str) -> None:
    """Once a server and sign-in; again if the role or the teams changed."""
    visit = (str(home.root), someone, sign_in)
    if visit in _greeted:
        return
    if known.greet(someone, sign_in):
        AccessLog(home.root).write(someone, "signed in")
    with _lock:
        if len(_greeted) > MOST_SESSIONS:
            _greeted.clear()
        _greeted.add(visit)
