"""What is settled before the server starts: whether it may, who signs in, and how it logs."""

import json
import logging
import sys
import time
from typing import Any
from urllib.parse import urlparse

import streamlit as st
from streamlit import config

from rugboard.people.settings import OperatorSettings, SettingsError
from rugboard.shell.doorkeeper import is_loopback
from rugcore.errors import missing_package

REFUSED = 2  # the exit code
OPEN_WITHOUT_SIGN_IN = (
    "The dashboard would listen on {address}, where others can reach it, and nobody has to sign in: whoever opens it "
    "sees and deletes everything. Set up sign-in (docs/operating.md), listen on 127.0.0.1, or set "
    "RUG_OPEN_TO_ALL=yes if that is what you want."
)
TRUSTED_HEADERS = (
    "server.trustedUserHeaders lets whoever can send a header say who they are, beside the sign-in. Take it out of "
    "Streamlit's configuration."
)
NO_XSRF = "Sign-in needs server.enableXsrfProtection. Take it out of Streamlit's configuration, where it is turned off."
AGENTS = "server.enableAgentApi opens the pages to programs without sign-in. Take it out of Streamlit's configuration."


def settings_or_exit() -> OperatorSettings:
    """The settings, if the server may start with them; else it says why not, and ends."""
    try:
        settings = OperatorSettings.current()
        settings.check()
        refuse_if_unsafe(settings)
    except SettingsError as error:
        sys.stderr.write(f"error: {error}\n")
        sys.exit(REFUSED)
    return settings


def refuse_if_unsafe(settings: OperatorSettings) -> None:
    """However the server was started: these are the options that Streamlit will use."""
    address = st.get_option("server.address") or "0.0.0.0"
    if settings.has_sign_in:
        _refuse_what_undoes_sign_in()
    elif not settings.open_to_all and not is_loopback(address):
        raise SettingsError(OPEN_WITHOUT_SIGN_IN.format(address=address))


def _refuse_what_undoes_sign_in() -> None:
    from importlib.util import find_spec

    if find_spec("authlib") is None or find_spec("httpx") is None:
        raise SettingsError(missing_package("Sign-in", "sign-in"))
    if st.get_option("server.trustedUserHeaders"):
        raise SettingsError(TRUSTED_HEADERS)
    if not st.get_option("server.enableXsrfProtection"):
        raise SettingsError(NO_XSRF)
    if st.get_option("server.enableAgentApi"):
        raise SettingsError(AGENTS)


def allow_public_name(settings: OperatorSettings) -> None:
    """People come by the public address; the names that Streamlit answers to are else those of this machine."""
    name = urlparse(settings.public_url).hostname
    if name:
        config.set_option("server.allowedHosts", [*st.get_option("server.allowedHosts"), name], "RUG_PUBLIC_URL")


def secrets(settings: OperatorSettings) -> dict[str, Any]:
    """What Streamlit needs to sign people in."""
    if not settings.has_sign_in:
        return {}
    return {
        "auth": {
            "redirect_uri": f"{settings.public_url.rstrip('/')}/oauth2callback",
            "cookie_secret": settings.cookie_secret,
            "client_id": settings.oidc_client_id,
            "client_secret": settings.oidc_client_secret,
            "server_metadata_url": settings.oidc_metadata_url,
        }
    }


# -- logs ----------------------------------------------------------------------------------------------------


class JsonLines(logging.Formatter):
    """One JSON object a line, for programs that collect logs."""

    def format(self, record: logging.LogRecord) -> str:
        values = {
            "at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(record.created)),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        if record.exc_info:
            values["error"] = self.formatException(record.exc_info)
        return json.dumps(values, ensure_ascii=False)


def set_up_logs(settings: OperatorSettings) -> None:
    """For everything that the server says, Streamlit's own words included."""
    if settings.log_format != "json":
        return
    handler = logging.StreamHandler()
    handler.setFormatter(JsonLines())
    logging.basicConfig(level=logging.INFO, handlers=[handler], force=True)
    for name in list(logging.root.manager.loggerDict):
        if name.startswith(("streamlit", "uvicorn")):
            own = logging.getLogger(name)
            own.handlers, own.propagate = [], True
    logging.getLogger("uvicorn.access").setLevel(logging.WARNING)  # addresses hold codes of sign-ins and of files
