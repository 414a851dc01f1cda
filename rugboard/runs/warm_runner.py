"""A worker that is ready before there is a run for it.

Importing the engine takes a worker two seconds, and the first click should not wait for that. So one process waits with
everything loaded; the next run is handed to it through a socket, with its lifeline and its log. It is one worker per
run all the same: after the run it ends. Without a spare, because it died or is at work, a run starts as ever.
"""

import logging
import os
import socket
import subprocess
import sys
from threading import Lock
from typing import Any

from rugboard.places import PROJECT
from rugboard.runs.runner import Runner

LONGEST_ID = 100  # bytes of a run's id
OUTPUTS = (1, 2)  # where a process writes what it has to say
LOG = logging.getLogger(__name__)


class Spare:
    """The waiting process, as the server sees it."""

    def __init__(self, environment: dict[str, str]) -> None:
        self._line, its_end = socket.socketpair()
        with its_end:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "rugboard.runs.warm_runner", str(its_end.fileno())],
                cwd=PROJECT,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=(its_end.fileno(),),
                start_new_session=True,
            )

    def take(self, run_id: str, lifeline: int, log: int) -> bool:
        """Give it a run; False if it is no more."""
        if self.process.poll() is not None:
            return False
        try:
            socket.send_fds(self._line, [run_id.encode()], [lifeline, log])
        except OSError:
            return False
        finally:
            self._line.close()
        return True

    def dismiss(self) -> None:
        """It ends when nobody is left on the line, also when the server is gone."""
        self._line.close()


class WarmRunner(Runner):
    """A runner that keeps one worker ready while nothing is at work."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._spare: Spare | None = None
        self._wants_spare = True
        self._spare_lock = Lock()

    def sweep(self) -> None:
        super().sweep()
        with self._spare_lock:
            if self._spare is not None and self._spare.process.poll() is not None:
                LOG.warning("The waiting worker ended by itself; runs start without one from now on.")
                self._spare, self._wants_spare = None, False  # or a broken one would be started again and again
            is_idle = not self._children and not self._stopped.is_set()
            if self._wants_spare and is_idle and self._spare is None:
                self._spare = Spare(self._environment())

    def stop_watch(self) -> None:
        super().stop_watch()
        with self._spare_lock:
            if self._spare is not None:
                self._spare.dismiss()
                self._spare.process.wait()
                self._spare = None

    def _worker(self, run_id: str, lifeline: int) -> subprocess.Popen[bytes]:
        with self._spare_lock:
            spare, self._spare = self._spare, None
        if spare is not None:
            with self.store.home.log(run_id).open("ab") as log:
                if spare.take(run_id, lifeline, log.fileno()):
                    return spare.process
        return super()._worker(run_id, lifeline)


def main(line: socket.socket) -> int:
    """Load everything, wait for a run, do it."""
    from rugboard.runs import worker

    warm_up()
    with line:
        run_id, descriptors, _, _ = socket.recv_fds(line, LONGEST_ID, 2)
    if not run_id:
        return 0  # the server is gone, or wants no spare any more
    _lifeline, log = descriptors  # the lifeline stays open as long as this process lives
    for output in OUTPUTS:
        os.dup2(log, output)
    logging.basicConfig(format="%(asctime)s %(message)s")
    return worker.main(run_id.decode())


def warm_up() -> None:
    """Import the engine and load its compiled kernels, by learning something small."""
    from rugcore import FairRUGClassifier, RUGClassifier, make_loans

    loans = make_loans(200, random_state=0)
    settings: dict[str, Any] = {"max_depth": 2, "max_iter": 2, "random_state": 0}
    RUGClassifier(**settings).fit(loans.X, loans.y).predict(loans.X)
    FairRUGClassifier(**settings).fit(loans.X, loans.y, sensitive_features=loans.X["group"]).predict(loans.X)


if __name__ == "__main__":
    sys.exit(main(socket.socket(fileno=int(sys.argv[1]))))
