"""What an operator sets: from environment variables, or from a TOML file that RUG_SETTINGS names.

Every setting is a variable RUG_<NAME>; the same name in small letters in the file. The environment wins. A value may
also be in a file of its own, named by RUG_<NAME>_FILE: so come secrets that must not be seen in a list of processes.
"""

import os
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import urlparse

from rugcore.errors import RugError

PREFIX, IN_A_FILE = "RUG_", "_FILE"
SETTINGS_FILE = "RUG_SETTINGS"
NOT_HERE = ("RUG_HOME", SETTINGS_FILE)  # read elsewhere
YES, NO = ("1", "true", "yes", "on"), ("0", "false", "no", "off", "")
SHORTEST_SECRET = 32  # letters


class SettingsError(RugError):
    """A setting cannot be as it is. Never says what a secret is."""


def _text(value: Any) -> str:
    if not isinstance(value, str | int | float) or isinstance(value, bool):
        raise ValueError("a text")
    return str(value).strip()


def _number(value: Any) -> int:
    try:
        number = int(_text(value))
    except ValueError as error:
        raise ValueError("a whole number from 0 up, where 0 means no limit") from error
    if number < 0:
        raise ValueError("a whole number from 0 up, where 0 means no limit")
    return number


def _yes_or_no(value: Any) -> bool:
    word = str(value).strip().lower()
    if word not in YES + NO:
        raise ValueError("yes or no")
    return word in YES


def _pairs(value: Any) -> Mapping[str, str]:
    """group=role, group=role"""
    if isinstance(value, dict):
        return {str(name): str(meaning) for name, meaning in value.items()}
    parts = [part.partition("=") for part in _text(value).split(",") if part.strip()]
    if not all(sign and name.strip() and meaning.strip() for name, sign, meaning in parts):
        raise ValueError("pairs such as risk-audit=auditor, risk-admins=administrator")
    return {name.strip(): meaning.strip() for name, _, meaning in parts}


def _setting(what: str, default: Any = "", read: Callable[[Any], Any] = _text, *, secret: bool = False) -> Any:
    about = {"what": what, "read": read, "secret": secret}
    if isinstance(default, dict):
        return field(default_factory=lambda: default, metadata=about)
    return field(default=default, metadata=about, repr=not secret)


@dataclass(frozen=True)
class OperatorSettings:
    """All settings; docs/operating.md has them in a table, which a test holds against this."""

    # -- sign-in
    oidc_metadata_url: str = _setting("address of the provider's `.well-known/openid-configuration`; turns sign-in on")
    oidc_client_id: str = _setting("what the provider calls this dashboard; tokens for others are refused")
    oidc_client_secret: str = _setting("the secret that goes with it", secret=True)
    public_url: str = _setting("address that people type; the provider must know `<public_url>/oauth2callback`")
    cookie_secret: str = _setting("signs the cookie of a sign-in; 32 letters or more, random", secret=True)
    role_claim: str = _setting("claim of the ID token that holds the role", "role")
    roles: Mapping[str, str] = _setting(
        "what values of that claim mean, as `group=role, ...`; a value that is the name of a role needs none",
        {},
        _pairs,
    )
    team_claim: str = _setting("claim of the ID token that lists a person's teams", "teams")
    open_to_all: bool = _setting(
        "lets the server listen beyond this machine without sign-in: everybody sees and deletes everything",
        False,
        _yes_or_no,
    )
    # -- fair sharing
    workers: int = _setting("trainings at the same time; 0: one a core", 0, _number)
    most_runs_at_once: int = _setting("trainings of one person at the same time; the others wait", 0, _number)
    most_rows: int = _setting("rows of a table that one person may load", 0, _number)
    most_megabytes: int = _setting("disk that the runs and data of one person may take", 0, _number)
    keep_days: int = _setting("days after which a run is deleted; its owner is told before and after", 0, _number)
    # -- operating
    log_format: str = _setting("`text`, or `json` for one JSON object a line", "text")
    metrics_token: str = _setting(
        "who asks for `/metrics` must send it as a bearer token; without it there are none", secret=True
    )

    @property
    def has_sign_in(self) -> bool:
        return bool(self.oidc_metadata_url)

    def check(self) -> None:
        """Refuse what cannot work, before anybody visits."""
        if self.log_format not in ("text", "json"):
            raise SettingsError(f"Expected RUG_LOG_FORMAT to be text or json, but got {self.log_format!r}.")
        if not self.has_sign_in:
            return
        needed = ("oidc_client_id", "oidc_client_secret", "public_url", "cookie_secret")
        missing = [variable(name) for name in needed if not getattr(self, name)]
        if missing:
            raise SettingsError(
                f"Sign-in also needs {', '.join(missing)}. Set them, or take RUG_OIDC_METADATA_URL away."
            )
        if len(self.cookie_secret) < SHORTEST_SECRET:
            raise SettingsError(
                f"RUG_COOKIE_SECRET is too short: it needs {SHORTEST_SECRET} letters. "
                "Make one with: python -c 'import secrets; print(secrets.token_hex(32))'"
            )
        address = urlparse(self.public_url)
        if address.scheme not in ("http", "https") or not address.netloc:
            raise SettingsError(f"Expected RUG_PUBLIC_URL to begin with https://, but got {self.public_url!r}.")

    @classmethod
    def current(cls) -> "OperatorSettings":
        return _read(tuple(sorted((name, value) for name, value in os.environ.items() if name.startswith(PREFIX))))


def variable(name: str) -> str:
    """What the environment calls a setting."""
    return f"{PREFIX}{name.upper()}"


@lru_cache(maxsize=8)
def _read(environment: tuple[tuple[str, str], ...]) -> OperatorSettings:
    given = dict(environment)
    in_file = _from_file(given.get(SETTINGS_FILE))
    values = {}
    for item in fields(OperatorSettings):
        raw = _raw(item.name, given, in_file)
        if raw is None:
            continue
        try:
            values[item.name] = item.metadata["read"](raw)
        except ValueError as error:
            shown = "something else" if item.metadata["secret"] else repr(raw)
            raise SettingsError(f"Expected {variable(item.name)} to be {error}, but got {shown}.") from None
    return OperatorSettings(**values)


def _raw(name: str, given: Mapping[str, str], in_file: Mapping[str, Any]) -> Any:
    own = variable(name)
    if own in given:
        return given[own]
    if own + IN_A_FILE in given:
        try:
            return Path(given[own + IN_A_FILE]).read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise SettingsError(f"The file that {own}{IN_A_FILE} names cannot be read.") from error
    return in_file.get(name)


def _from_file(path: str | None) -> Mapping[str, Any]:
    if not path:
        return {}
    try:
        found = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SettingsError(f"The settings in {path} cannot be read ({type(error).__name__}).") from None
    unknown = set(found) - {item.name for item in fields(OperatorSettings)}
    if unknown:
        raise SettingsError(f"The settings in {path} have no {', '.join(sorted(unknown))}. See docs/operating.md.")
    return found
