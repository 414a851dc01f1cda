"""Twenty people, signed in, go through all pages while ten trainings wait their turn: how long each waits for a page.

Meanwhile one more brings a large file by browser and trains on it, before the ten: how much memory that takes. The
others come by web socket, without browsers of their own, with cookies that are signed here in place of a provider: what
is measured is what the server takes to answer, not what a browser takes to draw.
"""

import asyncio
import json
import os
import secrets
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np
import websockets
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.web.server.starlette.starlette_app_utils import create_signed_value, generate_xsrf_token_string
from streamlit.web.server.starlette.starlette_server_config import USER_COOKIE_NAME, XSRF_COOKIE_NAME

from benchmarks.large_file import train_on_file, watched_memory, write_large_file
from benchmarks.watching import seconds_of
from rugboard.people.person import Person, Role
from rugboard.people.settings import OperatorSettings
from rugboard.runs.home import VARIABLE, Home
from rugboard.runs.personal_store import PersonalStore
from rugboard.runs.plan import Plan
from rugboard.runs.store import RunStore
from rugcore import load_demo
from tests.browser.conftest import ROOT, free_port, stop, wait_until_healthy

N_PEOPLE, N_TRAININGS, MEGABYTES = 20, 10, 100.0
PAGES = ("", "data", "train", "rules", "applicants", "new_cases", "fairness", "compare", "report", "runs")
SECONDS_TO_READ = 3.0  # between two pages
SECONDS_IDLE = 10.0
MOST_SECONDS = 1800.0
CLIENT, SECRET = "rug", secrets.token_hex(32)
SORRY = b"Something went wrong"


@dataclass
class Visitor:
    """One person at one tab."""

    person: Person
    address: str
    run_id: str
    waits: list[float] = field(default_factory=list)
    n_errors: int = 0

    def headers(self, token: str) -> dict[str, str]:
        cookie = self.cookie()
        return {"Cookie": f'{USER_COOKIE_NAME}={cookie}; {XSRF_COOKIE_NAME}="{token}"'}

    def cookie(self) -> str:
        """As the server signs it once the provider has said who somebody is."""
        now = int(time.time())
        claims = {"sub": self.person.id, "name": self.person.name, "role": self.person.role.value, "aud": CLIENT}
        signed_in = {"iat": now, "exp": now + 3600, "is_logged_in": True, "origin": self.address}
        return create_signed_value(SECRET, USER_COOKIE_NAME, json.dumps(claims | signed_in)).decode()

    def connected(self) -> Any:
        token = generate_xsrf_token_string()
        protocols: Any = ["streamlit", token]
        return websockets.connect(
            self.address.replace("http", "ws", 1) + "/_stcore/stream",
            subprotocols=protocols,
            additional_headers=self.headers(token),
            origin=self.address,  # type: ignore[arg-type]
            max_size=None,
        )

    async def look_at_all(self) -> None:
        """Open every page once."""
        async with self.connected() as line:
            for page in PAGES:
                await self._ask(line, page)

    async def visit(self, is_over: asyncio.Event, is_idle: asyncio.Event) -> None:
        """Stay on the first page until all are there, then go from page to page until the trainings are over."""
        async with self.connected() as line:
            await self._ask(line, "")
            await is_idle.wait()
            self.waits.clear()
            while not is_over.is_set():
                for page in PAGES:
                    await self._ask(line, page)
                    await asyncio.sleep(SECONDS_TO_READ)

    async def _ask(self, line: Any, page: str) -> None:
        """Open a page, and wait until the server has sent it all."""
        message = BackMsg()
        message.rerun_script.query_string = f"run={self.run_id}"
        message.rerun_script.page_name = page
        started = time.perf_counter()
        await line.send(message.SerializeToString())
        has_begun = False
        while True:
            packet = await line.recv()
            found = ForwardMsg.FromString(packet)
            has_begun = has_begun or found.WhichOneof("type") == "new_session"
            is_error = found.WhichOneof("type") == "delta" and found.delta.new_element.WhichOneof("type") == "exception"
            self.n_errors += is_error or SORRY in packet
            if has_begun and found.WhichOneof("type") == "script_finished":
                break
        self.waits.append(time.perf_counter() - started)


def run(data: Path | None = None, quick: bool = False) -> dict[str, float]:  # noqa: ARG001 - as all benchmarks
    """Waits in seconds, memory in megabytes."""
    n_people, n_trainings, megabytes = (5, 2, 5.0) if quick else (N_PEOPLE, N_TRAININGS, MEGABYTES)
    with tempfile.TemporaryDirectory() as folder:
        home = Home(Path(folder) / "runs")
        people = [Person(f"person-{number}", f"Person {number}", Role.ANALYST) for number in range(n_people)]
        address = f"http://localhost:{free_port()}"
        _queue(RunStore(home), people[:1])
        file = Path(folder) / "loans.csv"
        table = write_large_file(file, megabytes)
        process, log = _started(address, home, Path(folder))
        try:
            wait_until_healthy(address, process, log)
            found = asyncio.run(_measured(address, process.pid, home, people, n_trainings, file))
        finally:
            stop(process)
        found |= {"megabytes of the file": file.stat().st_size / 1e6, "megabytes of its table": table}
        for part in ("megabytes more at the peak", "of them the server", "of them the largest worker"):
            found[f"{part}, as tables"] = found[part] / table
        found["tracebacks"] = float(log.read_text().count("Traceback"))
    for name, value in found.items():
        print(f"{name:44} {value:10.3f}", flush=True)
    return found


def _started(address: str, home: Home, folder: Path) -> tuple[subprocess.Popen[bytes], Path]:
    settings = {
        VARIABLE: str(home.root),
        "RUG_OIDC_METADATA_URL": "http://localhost:1/.well-known/openid-configuration",  # nobody asks it
        "RUG_OIDC_CLIENT_ID": CLIENT,
        "RUG_OIDC_CLIENT_SECRET": "unused",
        "RUG_COOKIE_SECRET": SECRET,
        "RUG_PUBLIC_URL": address,
        "RUG_WORKERS": "1",  # the other core is for pages
        "RUG_MOST_RUNS_AT_ONCE": "1",
    }
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", address.rpartition(":")[2]]
    log = folder / "server.txt"
    with log.open("w") as output:
        return subprocess.Popen(
            command, cwd=ROOT, env=os.environ | settings, stdout=output, stderr=subprocess.STDOUT
        ), log


async def _measured(
    address: str, process: int, home: Home, people: list[Person], n_trainings: int, file: Path
) -> dict[str, float]:
    store = RunStore(home)
    first = [run.id for run in store.runs()]
    await _until_over(store, first)
    await Visitor(people[0], address, first[0]).look_at_all()  # so that the server has everything loaded
    visitors = [Visitor(person, address, "") for person in people]
    before = _megabytes(process)
    is_over, is_idle = asyncio.Event(), asyncio.Event()
    tasks = [asyncio.create_task(visitor.visit(is_over, is_idle)) for visitor in visitors]
    while not all(visitor.waits for visitor in visitors):
        await asyncio.sleep(0.2)
        _raise_if_any(tasks)
    await asyncio.sleep(SECONDS_IDLE)
    per_person = (_megabytes(process) - before) / len(people)
    started, worked = time.perf_counter(), seconds_of(process)
    is_idle.set()
    health = asyncio.create_task(_health(address, is_over))
    with watched_memory(process) as memory:
        is_training = Event()
        large = asyncio.create_task(_train_on_file(address, file, is_training))
        while not is_training.is_set():
            await asyncio.sleep(0.5)
            _raise_if_any([large, *tasks])
        runs = await asyncio.to_thread(_queue, store, [people[number % len(people)] for number in range(n_trainings)])
        for visitor, run_id in zip(visitors, runs, strict=False):
            visitor.run_id = run_id
        await large
    await _until_over(store, runs)
    seconds = time.perf_counter() - started
    await asyncio.sleep(len(PAGES) * SECONDS_TO_READ)
    is_over.set()
    await asyncio.gather(*tasks)
    waits = [wait for visitor in visitors for wait in visitor.waits]
    medians = [statistics.median(visitor.waits) for visitor in visitors]
    checks = await health
    worked = seconds_of(process) - worked
    return {
        "people": len(people),
        "trainings": len(runs),
        "trainings finished": sum(store.get(run_id).status == "finished" for run_id in runs),
        "seconds of all trainings": seconds,
        "pages": len(waits),
        "seconds of a core per page": worked / len(waits),  # whatever else the machine does
        "median wait for a page": statistics.median(waits),
        "median wait of the slowest person": max(medians),
        "95 of 100 waits": float(np.quantile(waits, 0.95)),
        "errors on pages": sum(visitor.n_errors for visitor in visitors),
        "health check, 95 of 100": float(np.quantile(checks, 0.95)),
        "megabytes per idle person": per_person,
        "megabytes of the server": _megabytes(process),
        "megabytes more at the peak": memory.peak - memory.before,
        "of them the server": memory.server_peak - memory.server_before,
        "of them the largest worker": memory.worker_peak - memory.worker_before,
    }


async def _train_on_file(address: str, file: Path, is_training: Event) -> None:
    visitor = Visitor(Person("large", "Large", Role.ANALYST), address, "")
    await asyncio.to_thread(train_on_file, address, {USER_COOKIE_NAME: visitor.cookie()}, file, is_training)


def _queue(store: RunStore, owners: list[Person]) -> list[str]:
    demo = load_demo("credit_data")
    table = demo.X.assign(**{demo.target: demo.y})
    made = []
    for owner in owners:
        own = PersonalStore(store, owner, OperatorSettings())
        snapshot = own.snapshots.save(table)
        features = tuple(demo.X.columns.drop(list(demo.sensitive_options)))
        made.append(own.create(Plan(snapshot, "Loans", demo.target, demo.favourable, features, max_depth=3)))
    return made


async def _until_over(store: RunStore, runs: list[str]) -> None:
    deadline = time.monotonic() + MOST_SECONDS
    while not all(store.get(run_id).is_over for run_id in runs):
        if time.monotonic() > deadline:
            raise RuntimeError("The trainings did not end in time.")
        await asyncio.sleep(0.5)


async def _health(address: str, is_over: asyncio.Event) -> list[float]:
    waits = []
    while not is_over.is_set():
        started = time.perf_counter()
        await asyncio.to_thread(lambda: urllib.request.urlopen(f"{address}/_stcore/health", timeout=60).read())
        waits.append(time.perf_counter() - started)
        await asyncio.sleep(0.5)
    return waits


def _raise_if_any(tasks: list[asyncio.Task[None]]) -> None:
    for task in tasks:
        if task.done() and (error := task.exception()) is not None:
            raise error


def _megabytes(process: int) -> float:
    """What the server itself holds; the trainings have processes of their own."""
    pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6
