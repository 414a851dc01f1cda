"""Three people and a server that knows them, without a provider: its cookies are signed here."""

import json
import time
from collections.abc import Callable
from typing import Any

import pytest
from streamlit.web.server.starlette.starlette_app_utils import create_signed_value
from streamlit.web.server.starlette.starlette_server_config import USER_COOKIE_NAME

from rugboard.people.person import Person, Role
from rugboard.people.settings import OperatorSettings
from rugboard.runs.personal_store import PersonalStore
from rugboard.runs.store import RunStore
from rugboard.shell import signed_in

SECRET = "a secret that is used in tests, and nowhere else"
CLIENT = "rug"
ADA = Person("ada", "Ada", Role.ANALYST, frozenset({"risk"}))
BOB = Person("bob", "Bob", Role.ANALYST, frozenset({"risk"}))
CYD = Person("cyd", "Cyd", Role.ANALYST)
EVE = Person("eve", "Eve", Role.AUDITOR)
ROOT = Person("root", "Root", Role.ADMINISTRATOR)


def claims_of(person: Person, **changes: Any) -> dict[str, Any]:
    """What the provider says of a person, for this server and the next hour."""
    now = int(time.time())
    claims = {"iss": "https://id.example", "sub": person.id, "aud": CLIENT, "iat": now, "exp": now + 3600}
    said = {"name": person.name, "role": person.role.value, "teams": sorted(person.teams), "is_logged_in": True}
    return claims | said | changes


def cookies_of(claims: dict[str, Any], secret: str = SECRET) -> dict[str, str]:
    signed = create_signed_value(secret, USER_COOKIE_NAME, json.dumps(claims))
    return {USER_COOKIE_NAME: signed.decode()}


@pytest.fixture
def sign_in(monkeypatch: pytest.MonkeyPatch) -> OperatorSettings:
    """A server with sign-in."""
    for name, value in {
        "RUG_OIDC_METADATA_URL": "https://id.example/.well-known/openid-configuration",
        "RUG_OIDC_CLIENT_ID": CLIENT,
        "RUG_OIDC_CLIENT_SECRET": "not told",
        "RUG_COOKIE_SECRET": SECRET,
        "RUG_PUBLIC_URL": "http://localhost:8501",
    }.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(signed_in, "get_cookie_secret", lambda: SECRET)
    return OperatorSettings.current()


@pytest.fixture
def store_of(store: RunStore) -> Callable[..., PersonalStore]:
    def of(person: Person, **settings: Any) -> PersonalStore:
        return PersonalStore(store, person, OperatorSettings(**settings))

    return of
