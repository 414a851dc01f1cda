"""What it costs the server that many watch one training: visitors by web socket, without browsers of their own."""

import asyncio
import os
import tempfile
import time
from pathlib import Path
from typing import Any

import websockets
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from rugboard.runs.home import Home
from rugboard.runs.plan import Plan
from rugboard.runs.store import RunStore
from rugcore import load_demo
from tests.browser.screenshots import server_process

N_WATCHERS = 50
SECONDS_TO_SETTLE, SECONDS_WATCHED = 30.0, 40.0
ENDLESS = {"max_depth": 10, "penalty": 0.01, "max_iter": 100_000}
PAGE = "train"


class Watcher:
    """A visitor who looks at a training, and asks for it again as often as the page says."""

    def __init__(self, address: str, run_id: str) -> None:
        self._address = address.replace("http", "ws", 1) + "/_stcore/stream"
        self._run_id = run_id
        self._timers: dict[str, asyncio.Task[None]] = {}
        self._begun: set[str] = set()  # parts of the page that the running script has asked to be drawn again
        self.n_drawings = 0

    async def watch(self) -> None:
        async with websockets.connect(self._address, subprotocols=["streamlit"], max_size=None) as line:  # type: ignore[list-item]
            await self._ask(line, "")
            try:
                async for packet in line:
                    self._hear(line, ForwardMsg.FromString(packet))  # type: ignore[arg-type]
            finally:
                self._end(set(self._timers))

    def _hear(self, line: Any, message: ForwardMsg) -> None:
        kind = message.WhichOneof("type")
        if kind == "new_session":
            self._begun.clear()
        elif kind == "auto_rerun":
            self._begin(line, message.auto_rerun.fragment_id, message.auto_rerun.interval)
        elif kind == "script_finished":
            self.n_drawings += 1
            if message.script_finished == ForwardMsg.FINISHED_SUCCESSFULLY:  # all of the page, as it is from now on
                self._end(set(self._timers) - self._begun)

    def _begin(self, line: Any, fragment: str, seconds: float) -> None:
        self._end({fragment} & set(self._timers))
        self._begun.add(fragment)
        self._timers[fragment] = asyncio.create_task(self._repeat(line, fragment, seconds))

    def _end(self, fragments: set[str]) -> None:
        for fragment in fragments:
            self._timers.pop(fragment).cancel()

    async def _repeat(self, line: Any, fragment: str, seconds: float) -> None:
        while True:
            await asyncio.sleep(seconds)
            await self._ask(line, fragment)

    async def _ask(self, line: Any, fragment: str) -> None:
        message = BackMsg()
        message.rerun_script.query_string = f"run={self._run_id}"
        message.rerun_script.page_name = PAGE
        message.rerun_script.fragment_id = fragment
        message.rerun_script.is_auto_rerun = bool(fragment)
        await line.send(message.SerializeToString())


def run(n_watchers: int = N_WATCHERS) -> dict[str, float]:
    """Share of a core that the server takes, without watchers and with them."""
    with tempfile.TemporaryDirectory() as folder:
        run_id = _waiting_run(Home(Path(folder) / "runs"))
        with server_process(Path(folder)) as (address, process):
            found = asyncio.run(_watched(address, process, run_id, n_watchers))
        store = RunStore(Home(Path(folder) / "runs"))
        if store.get(run_id).is_over:
            raise RuntimeError("The training ended while it was watched.")
        store.ask_to_cancel(run_id)
    each = 1_000 * (found["watched"] - found["alone"]) / n_watchers
    print(
        f"{n_watchers} watchers of one training: {found['watched']:.3f} of a core, without them {found['alone']:.3f}; "
        f"{each:.2f} thousandths of a core each, {found['drawings']:.1f} drawings a second",
        flush=True,
    )
    return found


def _waiting_run(home: Home) -> str:
    demo, store = load_demo("adult"), RunStore(home)
    snapshot = store.snapshots.save(demo.X.assign(**{demo.target: demo.y}))
    plan = Plan(snapshot, "Incomes", demo.target, demo.favourable, tuple(demo.X.columns), **ENDLESS)  # type: ignore[arg-type]
    return store.create(plan)


async def _watched(address: str, process: int, run_id: str, n_watchers: int) -> dict[str, float]:
    await asyncio.sleep(SECONDS_TO_SETTLE / 2)
    alone = await _share_of_a_core(process, SECONDS_WATCHED / 3)
    watchers = [Watcher(address, run_id) for _ in range(n_watchers)]
    tasks = [asyncio.create_task(watcher.watch()) for watcher in watchers]
    await asyncio.sleep(SECONDS_TO_SETTLE)
    before = sum(watcher.n_drawings for watcher in watchers)
    share = await _share_of_a_core(process, SECONDS_WATCHED)
    drawings = (sum(watcher.n_drawings for watcher in watchers) - before) / SECONDS_WATCHED
    if ended := [task for task in tasks if task.done()]:
        raise RuntimeError(f"{len(ended)} watchers did not stay: {ended[0].exception()!r}")
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    return {"alone": alone, "watched": share, "drawings": drawings}


async def _share_of_a_core(process: int, seconds: float) -> float:
    before, started = seconds_of(process), time.monotonic()
    await asyncio.sleep(seconds)
    return (seconds_of(process) - before) / (time.monotonic() - started)


def seconds_of(process: int) -> float:
    """Of all threads of a process, since it began."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
