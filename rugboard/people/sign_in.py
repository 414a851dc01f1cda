"""From the claims of a sign-in to a person, or a sentence that says why not.

The claims are those of an ID token whose signature was checked when it was issued, from a cookie whose signature was
checked just now. They are still held against what this server expects, whenever somebody does something.
"""

import hashlib
import json
import time
from collections.abc import Mapping
from typing import Any

from rugboard.people.person import Person, Role
from rugboard.people.settings import OperatorSettings
from rugcore.errors import RugError

Claims = Mapping[str, Any]

WHICH_SIGN_IN = ("iss", "sub", "aud", "iat", "exp", "auth_time", "nonce", "sid", "jti", "at_hash")
LONGEST_ID = 255  # letters, as OpenID Connect allows
NOBODYS_ID = "*"  # the store means everybody by it
LONGEST_NAME = 100
GIVEN_ROLES = (Role.ADMINISTRATOR, Role.AUDITOR, Role.ANALYST)  # whoever has several has the first


class SignInError(RugError):
    """Nobody is signed in, or no longer, or not for this server."""


class NoRoleError(SignInError):
    """Somebody is signed in whom this server does not know what to let do."""


def person_of(claims: Claims, settings: OperatorSettings, now: float | None = None) -> Person:
    """The person, if all that is claimed is for this server and holds still."""
    if claims.get("is_logged_in") is not True:
        raise SignInError("Please sign in.")
    if settings.oidc_client_id not in _listed(claims.get("aud")):
        raise SignInError("This sign-in is for another application. Please sign in here.")
    ends = claims.get("exp")
    if not isinstance(ends, int | float) or not ends > (time.time() if now is None else now):  # also if it is no number
        raise SignInError("Your sign-in has ended. Please sign in again.")
    own_id = claims.get("sub")
    if not isinstance(own_id, str) or not 0 < len(own_id) <= LONGEST_ID or own_id == NOBODYS_ID:
        raise SignInError("This sign-in does not say who you are. Please sign in again.")
    return Person(
        own_id, _name(claims, own_id), _role(claims, settings), frozenset(_listed(claims.get(settings.team_claim)))
    )


def sign_in_id(claims: Claims) -> str:
    """Tells one sign-in from another, also of the same person."""
    return hashlib.sha256(json.dumps([claims.get(name) for name in WHICH_SIGN_IN]).encode()).hexdigest()


def _name(claims: Claims, own_id: str) -> str:
    found = next((claims[key] for key in ("name", "preferred_username", "email") if claims.get(key)), own_id)
    return " ".join(str(found).split())[:LONGEST_NAME]


def _role(claims: Claims, settings: OperatorSettings) -> Role:
    given = {settings.roles.get(value, value) for value in _listed(claims.get(settings.role_claim))}
    for role in GIVEN_ROLES:
        if role.value in given:
            return role
    raise NoRoleError(
        "You are signed in, but have no role here. Ask whoever looks after this server to make you an analyst, an "
        "auditor or an administrator."
    )


def _listed(value: Any) -> list[str]:
    """A claim may be one value or several."""
    several = value if isinstance(value, list | tuple) else [value]
    return [item for item in several if isinstance(item, str) and item]
