"""Files that a visitor takes home."""

import logging
from http import HTTPStatus
from pathlib import PurePath
from typing import Literal
from urllib.parse import quote

import streamlit as st
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import BaseRoute, Route
from streamlit import runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.url_util import make_url_path

from rugboard.people.sign_in import SignInError
from rugboard.runs.access_log import AccessLog
from rugboard.runs.home import Home
from rugboard.shell import signed_in
from rugboard.shell.offers import Content, Offers
from rugcore.writers import to_csv as to_csv  # what pages offer as files

LOG = logging.getLogger(__name__)

FOLDER = "files"  # in the address
HEADERS = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}
GONE = "This file is no longer on offer. Reload the page that you came from, and press its button again."
NOT_MADE = "This file could not be made; the server's log says why. Reload the page that you came from, and try again."
PAGE = (
    '<!doctype html><html lang="en"><meta charset="utf-8"><meta name="color-scheme" content="light dark">'
    '<title>RUG Dashboard</title><body style="font-family: system-ui, sans-serif; margin: 3rem"><p>{text}</p>'
)

FILE_LETTERS = 60
MIME = {
    ".csv": "text/csv",
    ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    ".json": "application/json",
    ".html": "text/html",
    ".sql": "application/sql",
    ".pmml": "application/xml",
    ".py": "text/x-python",
    ".js": "text/javascript",
    ".pdf": "application/pdf",
    ".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
}


def file_part(name: str) -> str:
    """The name of a run as part of the name of a file, on any system."""
    words = "".join(letter if letter.isalnum() else " " for letter in name[:FILE_LETTERS]).split()
    return "-".join(words).lower() or "run"


def show_file(
    label: str,
    content: Content,
    name: str,
    key: str,
    *,
    kind: Literal["secondary", "tertiary"] = "secondary",
    help_text: str | None = None,
    disabled: bool = False,
) -> None:
    """A button that saves a file; pressing it does not draw the page again.

    What is quick to make is given as it is. A function is called when the file is fetched, without the visitor's
    session: it must bring along all that it needs.
    """
    st.link_button(
        label,
        "#" if disabled else _offered_at(content, name, key),
        key=key,
        icon=":material/download:",
        type=kind,
        help=help_text,
        disabled=disabled,
    )


def withdraw_file(key: str) -> None:
    """Take back what `show_file` offered this visitor under a key."""
    OFFERS.withdraw(_visitor(), key)


def _offered_at(content: Content, name: str, key: str) -> str:
    return address_of(OFFERS.offer(_visitor(), key, name, MIME[PurePath(name).suffix], content, signed_in.person()))


def _visitor() -> str:
    context = get_script_run_ctx()
    return "" if context is None else context.session_id


def _is_here(visitor: str) -> bool:
    return runtime.exists() and runtime.get_instance().is_active_session(visitor)


OFFERS = Offers(_is_here)


# -- the address of a file ---------------------------------------------------------------------------------


def address_of(token: str) -> str:
    return make_url_path(st.get_option("server.baseUrlPath") or "", f"{FOLDER}/{token}")


def routes() -> list[BaseRoute]:
    """What the server needs to hand out files."""
    return [Route(address_of("{token}"), _send, methods=["GET"])]


def _send(request: Request) -> Response:
    """Not a coroutine, so that it runs in a thread: making a file may take long."""
    try:
        person = signed_in.person_of_cookies(request.cookies)
    except SignInError as error:
        return _sentence(str(error), HTTPStatus.UNAUTHORIZED)
    offer = OFFERS.find(request.path_params["token"], person)
    if offer is None:
        return _sentence(GONE, HTTPStatus.NOT_FOUND)
    try:
        with signed_in.acting_as(person):
            content = OFFERS.fetch(offer)
    except Exception:
        LOG.exception("The file %s could not be made.", offer.name)
        return _sentence(NOT_MADE, HTTPStatus.INTERNAL_SERVER_ERROR)
    if not person.sees_all:
        AccessLog(Home.current().root).write(person, "downloaded", f"file {offer.name}")
    disposition = {"Content-Disposition": _attachment(offer.name)}
    return Response(content, media_type=offer.media_type, headers=HEADERS | disposition)


def _sentence(text: str, status: HTTPStatus) -> Response:
    return HTMLResponse(PAGE.format(text=text), status, HEADERS)


def _attachment(name: str) -> str:
    """The name in letters that any browser reads, and as it is for those that read all letters (RFC 6266)."""
    simple = "".join(letter if letter.isascii() and (letter.isalnum() or letter in "-._ ") else "_" for letter in name)
    return f"attachment; filename=\"{simple}\"; filename*=UTF-8''{quote(name, safe='')}"
