"""How sure the rules are, on the page Rules: a button, the samples as they come in, and what they say."""

import streamlit as st

from rugboard.rules.comebacks import RuleComebacks
from rugboard.rules.stability_job import N_SAMPLES, StabilityJob, StabilityReport
from rugboard.rules.tables import ids
from rugboard.runs.jobs import JobProgress
from rugboard.runs.results import Results
from rugboard.session import adjustments, server
from rugboard.session.job_progress import how_it_ended, lost, start, watch_job
from rugboard.session.page import one_at_a_time
from rugboard.shell.formats import counted, percent
from rugboard.shell.guard import guarded
from rugboard.shell.theme import name_of_model

MOSTLY_ALIKE = 0.9  # share of the rows that a sample decides as the model does
HELP = (
    "A sample is drawn from the training rows with replacement, as many of every outcome as there are, and the same "
    "training is run on it. A rule came back if a rule for the same outcome asks about the same columns in the same "
    "direction and covers almost the same people; its numbers may differ a little."
)


def job_of(results: Results, model: str) -> StabilityJob:
    return StabilityJob.of(server.store().home, results.run.id, model)


def found(results: Results, model: str) -> StabilityReport:
    """What the samples say so far; nothing of a file that belongs to other rules."""
    report = job_of(results, model).read() or StabilityReport()
    is_of_this_model = len(report.n_back) == len(results.model(model).rules_)
    return report if is_of_this_model else StabilityReport()


def comebacks(results: Results, model: str) -> RuleComebacks:
    """How often the rules of the model as trained came back; those that re-weighting brought in are not among them."""
    report = found(results, model)
    if not report.n_samples:
        return RuleComebacks()
    return RuleComebacks(report.n_samples, dict(zip(ids(results.model(model).rules_), report.n_back, strict=True)))


@guarded
def show_stability(results: Results, model: str) -> None:
    """The button, the progress, or what was found."""
    if not len(results.model(model).rules_):
        return
    job = job_of(results, model)
    progress = job.progress()
    with one_at_a_time():
        if progress.is_under_way:
            with st.container(border=True, key="stability_progress"):
                watch_job(job, "stability", headline, lambda report: report.n_samples / N_SAMPLES)
            return
        report = found(results, model)
        if report.n_samples < N_SAMPLES:
            _show_start(job, progress)
        if report.n_samples:
            _show_found(results, model, report)


def headline(report: StabilityReport) -> str:
    return f"Training on sample {report.n_samples + 1} of {N_SAMPLES}"


def _show_start(job: StabilityJob, progress: JobProgress[StabilityReport]) -> None:
    with st.container(border=True, key="start_stability"):
        words, button = st.columns([2.6, 1], vertical_alignment="center")
        words.markdown(what_there_is(progress), help=HELP)
        label = "Go on" if progress.report is not None and progress.report.n_samples else "See how sure the rules are"
        if button.button(label, key="stability", icon=":material/replay:", width="stretch"):
            start(job)
            st.rerun()


def what_there_is(progress: JobProgress[StabilityReport]) -> str:
    done = f"after {progress.report.n_samples if progress.report else 0} of {counted(N_SAMPLES, 'sample')}"
    if ended := how_it_ended(progress, done):
        return ended
    question = "**Would the same rules be found had other people applied?**"
    return f"{lost(progress)}{question} Train on {N_SAMPLES} samples and see."


def _show_found(results: Results, model: str, report: StabilityReport) -> None:
    words = in_words(report, len(results.y_train), name_of_model(model))
    if report.is_shaky:
        st.warning(words, icon=":material/shuffle:")
    else:
        st.markdown(f":material/verified: {words}", help=HELP)
    if adjustments.current(results.run.id, model).is_any:
        st.caption("About the model as trained: rules that came in by re-weighting have no number.")


def in_words(report: StabilityReport, n_rows: int, name: str) -> str:
    """How many rules come back, and whether the decisions do."""
    n_rules, samples = counted(len(report.n_back), "rule"), counted(report.n_samples, "sample")
    number = f"Only {report.n_usual}" if report.is_shaky else f"{report.n_usual}"
    came = f"{number if report.n_usual else 'None'} of {n_rules} came back in more than half of {samples}."
    decided = f"{percent(report.mean_agreement)} of the {n_rows:,} training rows are decided alike, on average."
    if not report.is_shaky:
        return f"{came} {decided}"
    too = "Decisions change less" if report.mean_agreement >= MOSTLY_ALIKE else "Decisions change too"
    return (
        f"{came} With other applicants {name} would read differently: do not hang a policy on a single rule, or "
        f"train with fewer or shorter ones. {too}: {decided}"
    )
