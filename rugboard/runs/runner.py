"""Starts the worker of each run, sees to those that died, and stops those that were cancelled.

Several servers, and several threads of each, may have runners on one home: a run is started by whoever claims it in
the store. A worker has a session of its own and goes on when its server stops; the next server finds it at work.
"""

import logging
import signal
import time
from dataclasses import dataclass
from threading import Event, Lock, Thread

from rugboard.people.person import ALONE
from rugboard.people.settings import OperatorSettings
from rugboard.runs import worker_process
from rugboard.runs.access_log import AccessLog
from rugboard.runs.errors import StorageError, as_storage_error
from rugboard.runs.home import Home
from rugboard.runs.plan import Plan
from rugboard.runs.records import CANCELLED, RUNNING, Run
from rugboard.runs.snapshots import A_DAY
from rugboard.runs.store import NO_LIMIT, RunStore
from rugboard.runs.worker_process import NOT_WRITTEN, Child
from rugcore.parallel import n_workers

GRACE = 5.0  # seconds between asking a worker to stop, telling it to, and ending it
SECONDS_BETWEEN_LOOKS = 0.5
SECONDS_BETWEEN_DELETIONS = 3600.0
LOG = logging.getLogger(__name__)

REBOOTED = "The computer was restarted while this run was training. Train it again."
GONE = (
    "The training process is gone: it was ended from outside, perhaps when the server was restarted, or by the system "
    "for lack of memory. Train it again."
)
KILLED = (
    "The training process was killed by the system, perhaps for lack of memory. Use fewer rows or columns, or shorter "
    "rules."
)
EXPIRED = "Your run “{name}” was deleted: this server keeps runs for {days} days."
UNWRITTEN = (
    "The training stopped because what it found could not be written: the disk was full, read-only or not there. Make "
    "room, then train it again."
)


@dataclass(frozen=True)
class Sharing:
    """How people share a server."""

    slots: int | None = None  # trainings at once; None: one a core
    most_of_one: int = NO_LIMIT  # of one person
    keep_days: int = 0  # after which runs are deleted; 0: never

    @classmethod
    def of(cls, settings: OperatorSettings) -> "Sharing":
        return cls(settings.workers or None, settings.most_runs_at_once or NO_LIMIT, settings.keep_days)


class Runner:
    """At most `slots` runs train at once, by default one per core; the others wait their turn."""

    def __init__(
        self,
        home: Home | None = None,
        slots: int | None = None,
        grace: float = GRACE,
        sharing: Sharing = Sharing(),  # noqa: B008 - frozen
    ) -> None:
        self.store = RunStore(home or Home.current())
        self._sharing = sharing
        self._looked_for_old = float("-inf")
        self._tidy_up()
        self._slots = slots or sharing.slots or n_workers()
        self._grace = grace
        self._children: dict[str, Child] = {}
        self._exits: dict[str, int] = {}  # of workers that ended, until the store knows
        self._lock = Lock()
        self._stopped = Event()

    def submit(self, plan: Plan, name: str = "", owner: str = "") -> str:
        """Queue a run, start it if there is room, and return its id."""
        run_id = self.store.create(plan, name, owner)
        self.start_soon()
        return run_id

    def start_soon(self) -> None:
        """Look now whether a run that was just queued can begin; if the disk does not let it, it waits."""
        try:
            self.sweep()
        except StorageError as error:
            LOG.warning("Runs have to wait: %s", error)

    def cancel(self, run_id: str) -> None:
        """Ask a run to stop. It is asked kindly at first; `sweep` becomes firmer."""
        self.store.ask_to_cancel(run_id)

    def sweep(self) -> None:
        """See to all runs once: end those whose worker is gone, press those that were cancelled, start the next."""
        with self._lock:
            self.store.recover_if_lost()
            self._collect_exits()  # before the store is read: what such a worker had to say, it has said
            for run in self.store.runs(status=RUNNING):
                reason = self._reason_of_death(run)
                if reason is None:
                    self._press(run)
                elif self.store.fail(run.id, reason) == CANCELLED:
                    self.store.home.discard(run.id)
            self._exits.clear()  # the store knows them now
            self._start_waiting()
            self._delete_old()

    def keep_watch(self) -> None:
        """Sweep in the background as long as this server lives, also while no browser looks."""
        Thread(target=self._watch, name="runs", daemon=True).start()

    def stop_watch(self) -> None:
        self._stopped.set()

    def _watch(self) -> None:
        trouble = ""  # with the disk, said once as long as it lasts
        while not self._stopped.wait(SECONDS_BETWEEN_LOOKS):
            try:
                self.sweep()
                trouble = ""
            except StorageError as error:
                if str(error) != trouble:
                    LOG.warning("The runs cannot be looked after: %s", error)
                trouble = str(error)
            except Exception:
                LOG.exception("Looking after the runs failed; the next look may succeed.")

    def _tidy_up(self) -> None:
        """Not what a full disk, or one that cannot be written to, should keep anybody from looking at runs."""
        try:
            self.store.recover()
            self.store.remove_unused_data()
            self.store.home.remove_leftovers()
        except StorageError as error:
            LOG.warning("The runs could not be tidied up: %s", error)

    # -- workers that ended --------------------------------------------------------------------------------

    def _collect_exits(self) -> None:
        exits = {run_id: code for run_id, child in self._children.items() if (code := child.poll()) is not None}
        for run_id in exits:
            del self._children[run_id]
        self._exits |= exits

    def _reason_of_death(self, run: Run) -> str | None:
        """Why the worker of a run has ended; None if it is alive."""
        if run.id in self._exits:
            return _reason_of_exit(self._exits[run.id])
        if run.id in self._children or worker_process.is_alive(self.store.home.lifeline(run.id)):
            return None
        has_rebooted = run.process is not None and run.process.is_from_before_the_last_boot()
        return REBOOTED if has_rebooted else GONE

    def _press(self, run: Run) -> None:
        if run.cancel_asked is None or run.process is None:
            return
        waited = time.time() - run.cancel_asked
        if waited > 2 * self._grace:
            run.process.send(signal.SIGKILL)
        elif waited > self._grace:
            run.process.send(signal.SIGTERM)

    # -- runs that are too old -----------------------------------------------------------------------------

    def _delete_old(self) -> None:
        """Once an hour, if the operator says so; their owners are told."""
        days, now = self._sharing.keep_days, time.time()
        if not days or now - self._looked_for_old < SECONDS_BETWEEN_DELETIONS:
            return
        self._looked_for_old = now
        for run in self.store.runs():
            if run.is_over and now - (run.ended or run.created) > days * A_DAY:
                self.store.delete(run.id)
                self.store.tell(run.owner, EXPIRED.format(name=run.name, days=days))
                AccessLog(self.store.home.root).write(ALONE, "expired", f"run {run.id} {run.name}", run.owner)

    # -- workers to start ----------------------------------------------------------------------------------

    def _start_waiting(self) -> None:
        while (run_id := self.store.next_in_line(self._sharing.most_of_one)) is not None:
            if not self._start(run_id):
                return

    def _start(self, run_id: str) -> bool:
        """Start a run; False if there is no room, or somebody else is starting it.

        The lifeline comes first: a running run without one would be taken for dead.
        """
        home = self.store.home
        try:
            home.make_run_folder(run_id)
            with worker_process.lifeline(home.lifeline(run_id)) as lifeline:
                return lifeline is not None and self._claim_and_start(run_id, lifeline)
        except OSError as error:
            raise as_storage_error(error, home.root) from error

    def _claim_and_start(self, run_id: str, lifeline: int) -> bool:
        if not self.store.claim(run_id, self._slots, self._sharing.most_of_one):
            return False
        try:
            self._children[run_id] = self._start_worker(run_id, lifeline)
        except OSError as error:
            self.store.fail(run_id, f"The training process could not be started ({error.strerror or error}).")
        return True

    def _start_worker(self, run_id: str, lifeline: int) -> Child:
        home = self.store.home
        with home.log(run_id).open("ab") as log:
            return worker_process.start(
                "rugboard.runs.worker", run_id, home, threads=self._threads, inherits=lifeline, log=log
            )

    @property
    def _threads(self) -> int:
        """Of each worker, so that all of them together have as many as there are cores."""
        return max(n_workers() // self._slots, 1)


def _reason_of_exit(code: int) -> str:
    if code == -signal.SIGKILL:
        return KILLED
    if code == NOT_WRITTEN:
        return UNWRITTEN
    if code < 0:
        return f"The training process was ended from outside ({signal.Signals(-code).name}). Train it again."
    return f"The training process ended without a result (exit code {code}). The log of the run says more."
