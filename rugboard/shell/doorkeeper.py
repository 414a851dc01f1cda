"""Stands before every request: what belongs to a person is handed to nobody else, and to nobody who is not signed in.

Streamlit hands its files (/media) to whoever has their address, and lets whoever knows a session load files into it.
Its own code, the pages without content, and what a sign-in needs are for everybody. Where nobody signs in, the server
answers on this machine only, unless the operator opened it to all.
"""

import ipaddress
from http import HTTPStatus
from pathlib import PurePosixPath

import streamlit as st
from starlette.datastructures import MutableHeaders
from starlette.middleware import Middleware
from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketClose
from streamlit import runtime

from rugboard.people.person import Person
from rugboard.people.settings import OperatorSettings
from rugboard.people.sign_in import SignInError
from rugboard.shell import signed_in

OPEN = ("_stcore/health", "_stcore/host-config", "_stcore/stream")  # the stream: what it carries, the scripts guard
GUARDED = ("_stcore", "media", "component", "app")  # by the first part of the path; files have a route of their own
SIGN_OUT = "auth/logout"
UPLOADS, MEDIA = ("_stcore", "upload_file"), "media"
NOT_FOUND = "There is nothing here for you. Sign in, and open the page again."
NOT_FROM_AFAR = "This dashboard has no sign-in, so it answers on its own machine only."


def middleware() -> list[Middleware]:
    return [Middleware(Doorkeeper)]


class Doorkeeper:
    """Lets a request pass, or answers that there is nothing."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        refusal = refusal_of(HTTPConnection(scope))
        if refusal is None:
            await self._app(scope, receive, _with_secure_cookies(send) if scope["type"] == "http" else send)
        elif scope["type"] == "websocket":
            await WebSocketClose(1008, refusal)(scope, receive, send)
        else:
            await PlainTextResponse(refusal, HTTPStatus.NOT_FOUND)(scope, receive, send)


def refusal_of(asked: HTTPConnection) -> str | None:
    """Why a request may not pass; None if it may."""
    settings = OperatorSettings.current()
    if not settings.has_sign_in:
        return None if settings.open_to_all or is_local(asked.scope.get("server")) else NOT_FROM_AFAR
    parts = _path(asked)
    path = "/".join(parts)
    if path == SIGN_OUT:
        signed_in.end_sign_in(asked.cookies)  # Streamlit only takes the cookie of this one browser away
        return None
    if path in OPEN or not parts or parts[0] not in GUARDED:
        return None
    try:
        person = signed_in.person_of_cookies(asked.cookies)
    except SignInError:
        return NOT_FOUND
    return None if _is_for(person, parts) else NOT_FOUND


def _is_for(person: Person, parts: list[str]) -> bool:
    if parts[0] == MEDIA:
        return PurePosixPath(parts[-1]).stem in _media_of(person)
    if tuple(parts[:2]) == UPLOADS:
        return len(parts) > 2 and signed_in.is_theirs(parts[2], person)
    return parts[0] == "component"  # code of Streamlit's parts; all else has no use here


def _media_of(person: Person) -> set[str]:
    """The files that pages of this person show now."""
    shown = runtime.get_instance().media_file_mgr._files_by_session_and_coord
    return {name for session in signed_in.sessions_of(person) for name in list(shown.get(session, {}).values())}


def _path(asked: HTTPConnection) -> list[str]:
    """Its parts, below the folder that Streamlit serves from."""
    base = (st.get_option("server.baseUrlPath") or "").strip("/")
    return [part for part in asked.scope["path"].removeprefix(f"/{base}" if base else "").split("/") if part]


def is_local(server: tuple[str, int | None] | None) -> bool:
    """Whether an address is that of this machine alone; a socket in the file system has none."""
    host = "" if server is None else str(server[0])
    return is_loopback(host)


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a server that listens there."""
    if host.lower() == "localhost":
        return True
    try:
        address = ipaddress.ip_address(host.strip("[]").partition("%")[0])
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    return (mapped or address).is_loopback


def _with_secure_cookies(send: Send) -> Send:
    """Streamlit does not mark its cookies for encrypted lines only."""
    if not OperatorSettings.current().public_url.startswith("https://"):
        return send

    async def send_secure(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            cookies = headers.getlist("set-cookie")
            del headers["set-cookie"]
            for cookie in cookies:
                marked = "; secure" in cookie.lower()
                headers.append("set-cookie", cookie if marked else f"{cookie}; Secure")
        await send(message)

    return send_secure
