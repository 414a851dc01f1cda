"""All reports: for auditors. The report of every run that has one, also of runs that are not shared."""

import streamlit as st

from rugboard.report.job import ReportJob
from rugboard.runs.known_people import KnownPeople
from rugboard.runs.plan import FAIR, RUG
from rugboard.runs.records import Run
from rugboard.session import page
from rugboard.session.server import store
from rugboard.shell.downloads import file_part, show_file
from rugboard.shell.formats import ago
from rugboard.shell.guard import guarded
from rugboard.shell.text import plain
from rugboard.shell.theme import name_of_model

FORMS = {"pdf": "PDF", "json": "JSON"}


@guarded
def main() -> None:
    page.title("All reports", "What was written down about every model, also of runs that are not shared with you.")
    own = store()
    names = KnownPeople(own.home).names()
    jobs = [(run, ReportJob.of(own.home, run.id, model)) for run in own.reported() for model in (RUG, FAIR)]
    made = [(run, job) for run, job in jobs if job.is_made]
    if not made:
        st.caption("None yet. Whoever trains a model makes its report on the page Report.")
    for run, job in made:
        show_line(run, job, names.get(run.owner, ""))


def show_line(run: Run, job: ReportJob, owner: str) -> None:
    with st.container(border=True, horizontal=True, vertical_alignment="center"):
        st.markdown(f"**{plain(run.name)}** · {name_of_model(job.model)}", width="stretch")
        st.caption(f"{plain(owner)} · {ago(run.ended or run.created)}", width="content")
        for form, label in FORMS.items():
            path = job.product(form)
            name = f"report-{file_part(run.name)}-{job.model}.{form}"
            show_file(label, path.read_bytes, name, f"{form}_{run.id}_{job.model}")


main()
