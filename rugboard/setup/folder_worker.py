"""The process that draws the sample of a table in a named folder: `python -m rugboard.setup.folder_worker ID`."""

import os
import sys
from dataclasses import replace

from rugboard.runs import job_worker
from rugboard.runs.data_folders import DataFolders
from rugboard.runs.home import Home
from rugboard.runs.store import RunStore
from rugboard.runs.table_parts import described, draw_sample, parts_of
from rugboard.setup.folder_job import FolderJob, FolderReport


def main(name: str) -> int:
    job = FolderJob(Home.current(), name)
    return job_worker.do(job, lambda report: work(job, report), lambda: not job.folder.exists())


def work(job: FolderJob, report: FolderReport) -> None:
    """The place is looked up again among the named folders: what it was when somebody asked does not count."""
    place = job.place()
    paths = DataFolders.current().files(place)
    parts = parts_of(paths)
    large = described(place, paths, parts)

    def tell(n_read: int) -> None:
        job.write(replace(report, n_read=n_read, n_parts=len(parts)))

    tell(0)
    snapshot = RunStore(job.home).snapshots.save(draw_sample(large, parts, tell))
    job.write(replace(report, n_read=len(parts), n_parts=len(parts), large=large, snapshot=snapshot, is_finished=True))


if __name__ == "__main__":
    job_worker.start_logging()
    os.nice(5)  # somebody may be looking at a page meanwhile
    sys.exit(main(sys.argv[1]))
