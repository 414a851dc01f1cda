"""A worker that is ready before there is a run for it.

Importing the engine takes a worker two seconds, and the first click should not wait for that. So one process waits with
everything loaded; the next run is handed to it through a socket, with its lifeline and its log. It is one worker per
run all the same: after the run it ends. Without a waiting worker, because it died or is at
work, a run starts one of its own.
"""

import logging
import os
import socket
import sys
from threading import Lock
from typing import Any

from rugboard.runs import worker_process
from rugboard.runs.home import Home
from rugboard.runs.runner import Runner
from rugboard.runs.worker_process import Child

LONGEST_ID = 100  # bytes of a run's id
OUTPUTS = (1, 2)  # where a process writes what it has to say
LOG = logging.getLogger(__name__)


class WarmWorker:
    """The waiting process, as the server sees it."""

    def __init__(self, home: Home, threads: int) -> None:
        self._line, its_end = socket.socketpair()
        with its_end:
            number = its_end.fileno()
            self.process = worker_process.start(
                "rugboard.runs.warm_runner", str(number), home, threads=threads, inherits=number
            )

    def take(self, run_id: str, lifeline: int, log: int) -> bool:
        """Give it a run; False if it has ended."""
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
        self._warm_worker: WarmWorker | None = None
        self._wants_warm_worker = True
        self._warm_lock = Lock()

    def sweep(self) -> None:
        super().sweep()
        with self._warm_lock:
            if self._warm_worker is not None and self._warm_worker.process.poll() is not None:
                LOG.warning("The waiting worker ended by itself; runs start without one from now on.")
                # Or a broken one would be started again and again.
                self._warm_worker, self._wants_warm_worker = None, False
            is_idle = not self._children and not self._stopped.is_set()
            if self._wants_warm_worker and is_idle and self._warm_worker is None:
                self._warm_worker = WarmWorker(self.store.home, self._threads)

    def stop_watch(self) -> None:
        super().stop_watch()
        with self._warm_lock:
            if self._warm_worker is not None:
                self._warm_worker.dismiss()
                self._warm_worker.process.wait()
                self._warm_worker = None

    def _start_worker(self, run_id: str, lifeline: int) -> Child:
        with self._warm_lock:
            waiting, self._warm_worker = self._warm_worker, None
        if waiting is not None:
            with self.store.home.log(run_id).open("ab") as log:
                if waiting.take(run_id, lifeline, log.fileno()):
                    return waiting.process
        return super()._start_worker(run_id, lifeline)


def main(line: socket.socket) -> int:
    """Load everything, wait for a run, do it."""
    from rugboard.runs import worker

    warm_up()
    with line:
        run_id, descriptors, _, _ = socket.recv_fds(line, LONGEST_ID, 2)
    if not run_id:
        return 0  # the server is gone, or wants no waiting worker any more
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
