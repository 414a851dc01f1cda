"""Attempts to be somebody else, or to have what is somebody else's: each is refused."""

import json
import logging
import subprocess
import sys
from collections.abc import Callable
from dataclasses import fields
from http import HTTPStatus
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import HTTPConnection, Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient
from streamlit.testing.v1 import AppTest
from streamlit.web.server.starlette.starlette_server_config import USER_COOKIE_NAME

from rugboard.people.person import ALONE, Person, Role
from rugboard.people.settings import OperatorSettings, SettingsError, variable
from rugboard.people.sign_in import NoRoleError, SignInError, person_of, sign_in_id
from rugboard.report.job import FORMS, ReportJob
from rugboard.rules import governance_view
from rugboard.rules.proposal import RuleProposal
from rugboard.runs.access_log import AccessLog
from rugboard.runs.errors import RunError
from rugboard.runs.home import Home
from rugboard.runs.known_people import KnownPeople
from rugboard.runs.opening import open_results
from rugboard.runs.plan import Plan
from rugboard.runs.records import Share
from rugboard.runs.store import RunStore
from rugboard.runs.worker_process import environment
from rugboard.session import state
from rugboard.shell import doorkeeper, downloads, guard, server_metrics, signed_in, starting
from tests.dashboard.conftest import APP, SECONDS, TrainNow, texts
from tests.dashboard.people.conftest import ADA, BOB, EVE, ROOT, SECRET, claims_of, cookies_of

ROOT_FOLDER = Path(__file__).resolve().parents[3]


# -- claims ------------------------------------------------------------------------------------------------


def test_a_sign_in_says_who_somebody_is(sign_in: OperatorSettings) -> None:
    assert person_of(claims_of(ADA), sign_in) == ADA
    several = claims_of(ADA, aud=["other", "rug"], role=["staff", "auditor", "analyst"], teams="risk")
    assert person_of(several, sign_in) == Person("ada", "Ada", Role.AUDITOR, frozenset({"risk"}))
    mapped = OperatorSettings(oidc_client_id="rug", role_claim="groups", roles={"g-17": "administrator"})
    assert person_of(claims_of(ADA, groups=["g-17"]), mapped).role is Role.ADMINISTRATOR


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"is_logged_in": False}, "Please sign in"),
        ({"is_logged_in": "true"}, "Please sign in"),
        ({"aud": "another application"}, "another application"),
        ({"aud": ["another", "and another"]}, "another application"),
        ({"aud": None}, "another application"),
        ({"exp": 1}, "has ended"),
        ({"exp": None}, "has ended"),
        ({"exp": "9999999999"}, "has ended"),
        ({"exp": True}, "has ended"),
        ({"exp": float("nan")}, "has ended"),
        ({"sub": ""}, "who you are"),
        ({"sub": None}, "who you are"),
        ({"sub": "*"}, "who you are"),
        ({"sub": 7}, "who you are"),
        ({"role": None}, "no role"),
        ({"role": "alone"}, "no role"),  # nobody becomes everybody
        ({"role": {"administrator": True}}, "no role"),
    ],
)
def test_claims_that_do_not_hold_are_refused(sign_in: OperatorSettings, changes: dict[str, Any], words: str) -> None:
    with pytest.raises(SignInError, match=words):
        person_of(claims_of(ADA) | changes, sign_in)


def test_a_sign_in_that_was_ended_ends_everywhere(sign_in: OperatorSettings, home: Home) -> None:
    one, other = claims_of(ADA, jti="1"), claims_of(ADA, jti="2")
    assert sign_in_id(one) != sign_in_id(other)
    assert signed_in.person_of_cookies(cookies_of(one)) == ADA
    signed_in.end_sign_in(cookies_of(one))
    with pytest.raises(SignInError, match="signed out"):
        signed_in.person_of_cookies(cookies_of(one))
    assert signed_in.person_of_cookies(cookies_of(other)) == ADA
    KnownPeople(home).end_all(ADA)
    with pytest.raises(SignInError, match="ended"):
        signed_in.person_of_cookies(cookies_of(other))
    assert signed_in.person_of_cookies(cookies_of(claims_of(BOB))) == BOB
    assert [entry.did for entry in AccessLog(home.root).entries()][::-1] == [
        "signed in", "signed out", "signed in", "signed in",
    ]  # fmt: skip


# -- requests ----------------------------------------------------------------------------------------------


@pytest.fixture
def client(sign_in: OperatorSettings, monkeypatch: pytest.MonkeyPatch) -> TestClient:
    """What is behind the doorkeeper answers everything."""

    def answer(request: Request) -> PlainTextResponse:
        response = PlainTextResponse("inside")
        response.set_cookie("a", "b")
        return response

    monkeypatch.setattr(doorkeeper, "_media_of", lambda person: {"adas"} if person == ADA else set())
    monkeypatch.setitem(signed_in._sessions, "adas-session", "ada")
    routes = [*downloads.routes(), *server_metrics.routes(), Route("/{rest:path}", answer, methods=["GET", "PUT"])]
    return TestClient(Starlette(routes=routes, middleware=doorkeeper.middleware()))


def status(client: TestClient, path: str, cookies: dict[str, str], **more: Any) -> int:
    client.cookies.clear()
    client.cookies.update(cookies)
    return int(client.get(path, **more).status_code)


HERS = ("/media/adas.svg", "/_stcore/upload_file/adas-session/1")


def tampered(cookies: dict[str, str]) -> dict[str, str]:
    """One letter of what is signed is another."""
    ((name, value),) = cookies.items()
    return {name: ("A" if value[0] != "A" else "B") + value[1:]}


@pytest.mark.parametrize("path", HERS)
def test_what_is_hers_is_for_her_alone(client: TestClient, path: str) -> None:
    hers = cookies_of(claims_of(ADA))
    assert status(client, path, hers) == HTTPStatus.OK
    forged = {"X-Forwarded-User": "ada", "X-Remote-User": "ada", "Remote-User": "ada", "X-Auth-Request-User": "ada"}
    for name, cookies, headers in (
        ("nobody", {}, {}),
        ("somebody else", cookies_of(claims_of(BOB)), {}),
        ("an auditor", cookies_of(claims_of(EVE)), {}),
        ("an administrator", cookies_of(claims_of(ROOT)), {}),
        ("a tampered cookie", tampered(hers), {}),
        ("a cookie signed by others", cookies_of(claims_of(ADA), "another secret of about the same length"), {}),
        ("a cookie without signature", {USER_COOKIE_NAME: json.dumps(claims_of(ADA))}, {}),
        ("an expired token", cookies_of(claims_of(ADA, exp=1)), {}),
        ("a token of another audience", cookies_of(claims_of(ADA, aud="other")), {}),
        ("forged headers", {}, forged),
        ("another's cookie and forged headers", cookies_of(claims_of(BOB)), forged),
    ):
        assert status(client, path, cookies, headers=headers) == HTTPStatus.NOT_FOUND, name


@pytest.mark.parametrize(
    ("path", "is_open"),
    [
        ("/", True), ("/rules", True), ("/static/index.js", True), ("/_stcore/health", True), ("/oauth2callback", True),
        ("/_stcore/metrics", False), ("/_stcore/agent/interact", False), ("/_stcore/script-health-check", False),
        ("/%6dedia/adas.svg", False), ("/media/../media/adas.svg", False),
        ("/app/static/x", False), ("/metrics", False),
    ],
)  # fmt: skip
def test_without_sign_in_only_the_shell_is_there(client: TestClient, path: str, is_open: bool) -> None:
    assert (status(client, path, {}) == HTTPStatus.OK) == is_open


@pytest.mark.parametrize("path", ["//media/adas.svg", "/media//adas.svg", "/media/./adas.svg"])
def test_more_slashes_open_nothing(sign_in: OperatorSettings, path: str) -> None:
    asked = {"type": "http", "path": path, "headers": [], "server": ("127.0.0.1", 8501)}
    assert doorkeeper.refusal_of(HTTPConnection(asked)) == doorkeeper.NOT_FOUND


def test_files_are_for_whom_they_were_offered_to(client: TestClient, home: Home) -> None:
    token = downloads.OFFERS.offer("tab", "rules", "rules.csv", "text/csv", b"secret", ADA)
    path = f"/files/{token}"
    hers = cookies_of(claims_of(ADA))
    assert status(client, path, cookies_of(claims_of(BOB))) == HTTPStatus.NOT_FOUND
    assert status(client, path, {}) == HTTPStatus.UNAUTHORIZED
    assert status(client, path, cookies_of(claims_of(ADA, exp=1))) == HTTPStatus.UNAUTHORIZED
    assert status(client, path, hers) == HTTPStatus.OK
    for name in ("../runs.sqlite", "..%2fruns.sqlite", "%2e%2e/runs.sqlite", "/etc/passwd", f"{token}/../x"):
        client.cookies.update(hers)
        assert b"secret" not in client.get(f"/files/{name}").content
        assert b"SQLite" not in client.get(f"/files/{name}").content
    downloaded = [entry.about for entry in AccessLog(home.root).entries() if entry.did == "downloaded"]
    assert downloaded[-1] == "file rules.csv"
    signed_in.end_sign_in(hers)
    assert status(client, path, hers) == HTTPStatus.UNAUTHORIZED


def test_a_file_is_made_for_the_person_who_fetches_it(client: TestClient) -> None:
    token = downloads.OFFERS.offer("tab", "who", "who.csv", "text/csv", lambda: signed_in.person().id, ADA)
    client.cookies.update(cookies_of(claims_of(ADA)))
    assert client.get(f"/files/{token}").text == "ada"
    with pytest.raises(SignInError):
        signed_in.person()  # a thread of the server's is nobody


def test_signing_out_by_its_address_ends_the_sign_in(client: TestClient) -> None:
    hers = cookies_of(claims_of(ADA))
    assert status(client, "/auth/logout", hers) == HTTPStatus.OK
    assert status(client, HERS[0], hers) == HTTPStatus.NOT_FOUND


def test_cookies_are_for_encrypted_lines_where_people_come_by_one(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "secure" not in client.get("/").headers["set-cookie"].lower()
    monkeypatch.setenv("RUG_PUBLIC_URL", "https://rug.example")
    assert client.get("/").headers["set-cookie"].endswith("; Secure")


def test_metrics_are_for_those_with_the_token(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RUG_METRICS_TOKEN", "told to Prometheus")
    ask = {"Authorization": "Bearer told to Prometheus"}
    found = client.get("/metrics", headers=ask)
    assert 'rug_runs{status="finished"} 0' in found.text
    for line in found.text.splitlines():  # each a comment or: name, perhaps labels, number
        assert line.startswith("# ") or float(line.rpartition(" ")[2]) >= 0
    assert client.get("/metrics", headers={"Authorization": "Bearer else"}).status_code == HTTPStatus.NOT_FOUND
    monkeypatch.delenv("RUG_METRICS_TOKEN")
    assert client.get("/metrics", headers={"Authorization": "Bearer "}).status_code == HTTPStatus.NOT_FOUND


# -- pages -------------------------------------------------------------------------------------------------

Visit = Callable[..., AppTest]


@pytest.fixture
def visit(sign_in: OperatorSettings) -> Visit:
    def opened(claims: dict[str, Any], page: str = "start", run: str | None = None) -> AppTest:
        app = AppTest.from_file(APP, default_timeout=SECONDS)
        app.user = claims
        if run is not None:
            app.query_params["run"] = run
        app.run()
        return app if page == "start" else app.switch_page(f"pages/{page}.py").run()

    return opened


def test_nobody_sees_a_page_before_signing_in(visit: Visit) -> None:
    for claims in ({"is_logged_in": False}, claims_of(ADA, exp=1), claims_of(ADA, aud="other")):
        app = visit(claims)
        assert [button.label for button in app.button] == ["Sign in"]
        assert "Decisions you can read" not in texts(app)
    assert [button.label for button in visit(claims_of(ADA, role="guest")).button] == ["Sign out"]


def test_an_ended_sign_in_ends_at_the_next_action(visit: Visit, home: Home) -> None:
    app = visit(claims_of(ADA))
    assert "Ada" in texts(app)
    KnownPeople(home).end_all(ADA)
    app.button(key="try_it").click().run()
    assert "your sign-in was ended" in texts(app)
    assert not app.exception


def test_a_part_of_a_page_asks_again_whether_its_run_may_be_seen(visit: Visit, monkeypatch: pytest.MonkeyPatch) -> None:
    """A part that draws itself again holds on to the run that the page opened; it may be shared no longer."""
    visit(claims_of(ADA))
    monkeypatch.setattr(guard, "get_script_run_ctx", lambda **_: SimpleNamespace(fragment_ids_this_run=["one"]))
    monkeypatch.setattr(state, "run_id", lambda: "00000000-0000-4000-8000-000000000000")
    with signed_in.acting_as(ADA), pytest.raises(RunError, match="There is no such run"):
        guard._check()


def test_an_auditor_is_offered_no_training(visit: Visit) -> None:
    """That the store refuses it too is tested with the store."""
    app = visit(claims_of(EVE))
    assert "your role is that of an auditor" in texts(app)
    assert "What others share with you is listed here." in texts(app)
    assert [button.label for button in app.button] == ["Sign out"]


def test_who_only_reads_a_run_cannot_write_about_it(
    visit: Visit, store: RunStore, mortgage_plan: Plan, train_now: TrainNow
) -> None:
    run_id = train_now(mortgage_plan)
    store.hand_over(run_id, "ada")
    store.share(run_id, [Share("person", "bob")])
    for claims, may_write in ((claims_of(ADA), True), (claims_of(BOB), False)):
        app = visit(claims, "report", run_id)
        assert {area.disabled for area in app.text_area} == {not may_write}
        assert ("Only the owner of the run can write here." in texts(app)) == (not may_write)


def test_an_auditor_reads_all_reports_and_nothing_else(
    visit: Visit, store: RunStore, mortgage_plan: Plan, train_now: TrainNow
) -> None:
    run_id = train_now(mortgage_plan, "Of somebody else")
    job = ReportJob.of(store.home, run_id, "rug")
    for form in FORMS:
        job.product(form).write_bytes(b"a report")
    app = visit(claims_of(EVE), "all_reports")
    assert "Of somebody else" in texts(app)
    offered = [offer for offer in downloads.OFFERS._by_token.values() if offer.person == EVE]
    assert [downloads.OFFERS.fetch(offer) for offer in offered] == [b"a report"] * 2
    assert "There is no such run" in texts(visit(claims_of(EVE), "rules", run_id))
    with pytest.raises(Exception, match="(?i)page"):
        visit(claims_of(ADA), "all_reports")


def test_nobody_signs_a_change_of_rules_with_anothers_name(
    visit: Visit, store: RunStore, mortgage_plan: Plan, train_now: TrainNow
) -> None:
    assert governance_view.signature(ADA) == "Ada (ada)"
    run_id = train_now(mortgage_plan)
    store.hand_over(run_id, "ada")
    results = open_results(store, run_id)
    veto = RuleProposal(vetoed=(results.rug.rules_[0],))
    typed = {"who": "Bob", "why": "So.", "name": "mine"}
    with pytest.MonkeyPatch.context() as patch, signed_in.acting_as(ADA):
        patch.setattr(governance_view.st, "session_state", dict(typed))
        patch.setattr(governance_view.state, "look_at", lambda _: None)
        patch.setattr(governance_view.proposals, "propose", lambda *_: None)
        governance_view.take(results, "rug", veto, governance_view.AcceptanceFields("who", "why", "name", None), None)
    made = store.successor(run_id)
    assert made is not None
    assert [entry.who for entry in store.rule_log(made)] == ["Ada (ada)"]
    assert store.get(made).owner == "ada"


def test_the_page_for_administrators_is_for_administrators(visit: Visit) -> None:
    app = visit(claims_of(ROOT), "server")
    assert "Access log" in [heading.value for heading in app.subheader]
    assert "Ada" not in texts(app)
    for person in (ADA, EVE):
        with pytest.raises(Exception, match="(?i)page"):
            visit(claims_of(person), "server")


# -- starting ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("address", ["0.0.0.0", "::", "192.0.2.7", "rug.example", "unix:///tmp/rug.sock"])
def test_the_server_does_not_start_where_others_reach_it_without_sign_in(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(starting.st, "get_option", lambda _: address)
    with pytest.raises(SettingsError, match="nobody has to sign in"):
        starting.refuse_if_unsafe(OperatorSettings())
    starting.refuse_if_unsafe(OperatorSettings(open_to_all=True))


@pytest.mark.parametrize("address", ["127.0.0.1", "localhost", "::1", "127.8.8.8", "::ffff:127.0.0.1"])
def test_it_starts_on_this_machine_alone(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(starting.st, "get_option", lambda _: address)
    starting.refuse_if_unsafe(OperatorSettings())


@pytest.mark.parametrize(
    "command",
    [
        ["-m", "streamlit", "run", "app.py", "--server.address", "0.0.0.0", "--server.port", "0"],
        ["-c", "from rugboard.serve import main; main(['--address', '0.0.0.0', '--port', '0'])"],
    ],
    ids=["streamlit run", "rug-dashboard"],
)
def test_it_ends_with_a_sentence_however_it_was_started(command: list[str]) -> None:
    done = subprocess.run([sys.executable, *command], cwd=ROOT_FOLDER, capture_output=True, text=True, timeout=300)
    assert done.returncode == starting.REFUSED, done.stderr
    assert "error: The dashboard would listen on 0.0.0.0" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_server_that_listens_elsewhere_all_the_same_answers_nobody_from_there() -> None:
    """For instance under another program than Streamlit's, whose address cannot be known beforehand."""

    async def inside(scope: Any, receive: Any, send: Any) -> None:
        await PlainTextResponse("inside")(scope, receive, send)

    far = TestClient(doorkeeper.Doorkeeper(inside), base_url="http://203.0.113.7")
    near = TestClient(doorkeeper.Doorkeeper(inside), base_url="http://127.0.0.1")
    assert (far.get("/").status_code, near.get("/").status_code) == (HTTPStatus.NOT_FOUND, HTTPStatus.OK)


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("server.trustedUserHeaders", {"X-User": "sub"}),
        ("server.enableXsrfProtection", False),
        ("server.enableAgentApi", True),
    ],
)
def test_sign_in_is_not_undone_by_other_options(
    sign_in: OperatorSettings, option: str, value: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = {"server.enableXsrfProtection": True}
    monkeypatch.setattr(starting.st, "get_option", lambda name: options.get(name))
    starting.refuse_if_unsafe(sign_in)
    options[option] = value  # type: ignore[assignment]
    with pytest.raises(SettingsError, match=option):
        starting.refuse_if_unsafe(sign_in)


# -- settings ----------------------------------------------------------------------------------------------


def test_settings_come_from_the_environment_a_file_or_a_file_each(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, secret = tmp_path / "rug.toml", tmp_path / "secret"
    file.write_text('most_rows = 100\nworkers = 3\nlog_format = "json"\n[roles]\n"g 1" = "auditor"\n')
    secret.write_text("hidden\n")
    with monkeypatch.context() as given:
        given.setenv("RUG_SETTINGS", str(file))
        given.setenv("RUG_WORKERS", "7")
        given.setenv("RUG_COOKIE_SECRET_FILE", str(secret))
        found = OperatorSettings.current()
        assert (found.most_rows, found.workers, found.cookie_secret) == (100, 7, "hidden")
        assert found.roles == {"g 1": "auditor"}
        file.write_text("most_rowz = 100\n")
        given.setenv("RUG_WORKERS", "8")
        with pytest.raises(SettingsError, match="most_rowz"):
            OperatorSettings.current()


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [("RUG_WORKERS", "-1", "from 0 up"), ("RUG_MOST_ROWS", "many", "from 0 up"),
     ("RUG_OPEN_TO_ALL", "perhaps", "yes or no"), ("RUG_ROLES", "auditors", "pairs such as")],
)  # fmt: skip
def test_a_setting_that_cannot_be_is_refused(
    name: str, value: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as given:
        given.setenv(name, value)
        with pytest.raises(SettingsError, match=words):
            OperatorSettings.current()


def test_what_sign_in_lacks_is_said(sign_in: OperatorSettings) -> None:
    sign_in.check()
    given = {item.name: getattr(sign_in, item.name) for item in fields(sign_in)}
    for name in ("oidc_client_id", "oidc_client_secret", "public_url", "cookie_secret"):
        with pytest.raises(SettingsError, match=variable(name)):
            OperatorSettings(**given | {name: ""}).check()
    with pytest.raises(SettingsError, match="too short"):
        OperatorSettings(**given | {"cookie_secret": "short"}).check()


def test_secrets_are_told_to_nobody(sign_in: OperatorSettings, home: Home) -> None:
    """Not in words about settings, and not to the processes that train."""
    secrets = [item.name for item in fields(OperatorSettings) if item.metadata["secret"]]
    assert {"oidc_client_secret", "cookie_secret", "metrics_token"} == set(secrets)
    assert SECRET not in repr(sign_in)
    assert "not told" not in repr(sign_in)
    inherited = environment(home, 1)
    assert [name for name in inherited if name.startswith("RUG_")] == ["RUG_HOME"]


def test_logs_are_json_if_asked_for() -> None:
    record = logging.LogRecord("rugboard", logging.WARNING, "x.py", 1, "The run “%s” waits.", ("Ünique",), None)
    found = json.loads(starting.JsonLines().format(record))
    assert found["message"] == "The run “Ünique” waits."
    assert (found["level"], found["logger"]) == ("warning", "rugboard")


def test_without_sign_in_whoever_asks_is_alone(home: Home) -> None:
    assert signed_in.person() is ALONE
    assert signed_in.person_of_cookies({}) is ALONE


def test_nobody_without_a_role_is_known(sign_in: OperatorSettings, home: Home) -> None:
    with pytest.raises(NoRoleError):
        signed_in.person_of_cookies(cookies_of(claims_of(ADA, role="guest")))
    assert KnownPeople(home).people() == []
    signed_in.person_of_cookies(cookies_of(claims_of(ADA)))
    assert [known.person for known in KnownPeople(home).people()] == [ADA]


def table_of_settings() -> str:
    def shown(value: object) -> str:
        return "" if value in ("", 0, False) or value == {} else f"`{value}`"

    return "\n".join(
        f"| `{variable(item.name)}` | {shown(getattr(OperatorSettings(), item.name))} | {item.metadata['what']} |"
        for item in fields(OperatorSettings)
    )


def test_the_table_of_settings_is_current() -> None:
    assert table_of_settings() in (ROOT_FOLDER / "docs" / "operating.md").read_text(encoding="utf-8")
