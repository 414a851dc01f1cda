"""The process that makes a report: `python -m rugboard.report_worker RUN_ID/MODEL/`, started by `ReportJob.start`.

It stands above the features, because a report gathers what several of them have found.
"""

import hashlib
import os
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rugboard.compare.imitation_job import ImitationJob
from rugboard.compare.job import Job
from rugboard.fairness.splits_job import SplitsJob
from rugboard.new_cases import monitoring_file
from rugboard.report import statements_file
from rugboard.report.job import ReportJob, ReportProgress
from rugboard.rules.stability_job import StabilityJob
from rugboard.runs import job_worker
from rugboard.runs.home import Home
from rugboard.runs.plan import FAIR, RUG, Origin
from rugboard.runs.results import Results, model_file
from rugboard.runs.rule_log import LoggedChange
from rugboard.runs.store import RunStore
from rugboard.shell.formats import duration, percent, points
from rugboard.shell.theme import name_of_model
from rugcore.atomic import whole_file

if TYPE_CHECKING:
    from rugcore.outside_models import OutsideModel
    from rugcore.report import (
        ChangeEntry,
        Evidence,
        Guidance,
        OtherModel,
        OutsideFound,
        PeopleRows,
        RuleChangeEffect,
        StabilityFound,
    )
    from rugcore.selection import FairnessOverSplits

GUIDANCE = "guidance.json"  # in the home: an operator's own template for the cross-reference
GATHERED, TOLD = 0.35, 0.85  # shares of the work, about as long as they take


def main(name: str) -> int:
    """Make the report of one model of a run."""
    job = ReportJob(Home.current(), name)
    return job_worker.do(job, lambda report: work(job, report), lambda: job_worker.is_run_gone(job.home, job.run_id))


def work(job: ReportJob, progress: ReportProgress) -> None:
    """Gather, tell, and write every form; a report that is half made takes no other's place."""
    from rugboard.runs.opening import open_results
    from rugcore.report import build_report, to_docx, to_html, to_pdf

    def say(step: str, share: float) -> None:
        job.write(replace(progress, step=step, share=share))

    sources = job.sources()
    say("Opening the run", 0.0)
    results = open_results(RunStore(job.home), job.run_id)
    evidence = gathered(job, results, say)
    report = build_report(evidence, lambda what, share: say(f"{what}", GATHERED + (TOLD - GATHERED) * share))
    say("Setting the pages", TOLD)
    made = {
        "json": report.to_json().encode(),
        "html": to_html(report).encode(),
        "pdf": to_pdf(report),
        "docx": to_docx(report),
    }
    for form, content in made.items():
        with whole_file(job.product(form)) as file:
            file.write(content)
    job.write(replace(progress, step="", share=1.0, made_from=sources, is_finished=True))


# -- what there is -----------------------------------------------------------------------------------------


def gathered(job: ReportJob, results: Results, say: Any) -> "Evidence":
    """All that is known about a model of a run."""
    from rugboard.session import group_names
    from rugboard.session.dictionaries import dictionary_of, expected_directions
    from rugcore.report import Evidence, frontier_lines

    model, plan = results.model(job.model), results.plan
    training, test = people(results)
    positive = plan.fair_settings()["positive_class"]
    say("Comparing with other models", 0.05)
    others = other_models_of(job, results, training, test)
    frontier = None
    if job.with_frontier and job.model == FAIR:
        say("Weighing the rules for other limits", 0.2)
        frontier = frontier_lines(results.fair, test, plan.fairness, positive, epsilons_of(plan.epsilon))
    dictionary = dictionary_of(results)
    kept = statements_file.read(job.folder)
    log = RunStore(job.home).rule_log(job.run_id)
    return Evidence(
        model=model,
        identity=identity_of(results, job.model),
        test=test,
        training=training,
        target=plan.target,
        favourable=plan.favourable,
        positive_class=positive,
        sensitive=plan.sensitive,
        fairness=plan.fairness,
        epsilon=plan.epsilon if FAIR in results.summaries else None,
        dictionary=dictionary.within(results.run.plan.columns),
        wording=wording_of(results, dictionary),
        directions=expected_directions(results),
        statements=kept.said,
        guidance=guidance_of(job.home),
        held_out=held_out(results),
        notes=results.run.notes,
        sample=sample_in_words(results, job.model),
        changes=in_order((*history(results), *kept.log, *(logged_entry(own) for own in log))),
        rule_changes=tuple(logged_effect(own) for own in log),
        others=others,
        stability=stability_of(job, results),
        splits=splits_of(job, results),
        frontier=frontier,
        fit=group_names.in_fit(results.fair.fairness_, results) if job.model == FAIR else None,
        outside=outside_of(job, results),
        newer=monitoring_file.read(job.folder, job.model),
    )


def people(results: Results) -> tuple["PeopleRows", "PeopleRows"]:
    """Training rows and test rows, with groups called as everywhere."""
    from rugboard.session import group_names
    from rugcore.report import PeopleRows

    groups = None if results.data.groups is None else group_names.of_rows(results)
    parts = [(~results.is_test, results.X_train, results.y_train), (results.is_test, results.X_test, results.y_test)]
    training, test = (PeopleRows(X, y, None if groups is None else groups[rows]) for rows, X, y in parts)
    return training, test


def epsilons_of(asked: float) -> tuple[float, ...]:
    from rugcore.estimators import EPSILONS

    return tuple(sorted({*EPSILONS, asked}))


def identity_of(results: Results, model: str) -> Any:
    from rugcore.report import ModelIdentity

    run, plan = results.run, results.run.plan
    seconds = results.summaries[model].seconds
    kept = [] if plan.origin is None else [("Kept from", f"{plan.origin.name} ({plan.origin.run})")]
    return ModelIdentity(
        name=run.name,
        kind=name_of_model(model),
        model_hash=_hash(results.folder / model_file(model)),
        data_name=plan.data_name,
        data_hash=plan.snapshot,
        run_id=run.id,
        trained=moment(run.ended or run.created),
        more=(*kept, ("Training took", duration(seconds)), ("Seed", str(plan.split_seed))),
    )


def moment(seconds: float) -> str:
    from rugcore.report import MOMENT

    return time.strftime(MOMENT, time.gmtime(seconds))


def _hash(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def sample_in_words(results: Results, model: str) -> tuple[str, ...]:
    """Of a table that is not here: that this report looks at a sample, and what was counted over all rows."""
    large = results.plan.large
    if not results.is_sampled or large is None:
        return ()
    note = (
        f"The rules were learned from all training rows of {large.place} ({large.n_rows:,} rows in {large.n_files:,} "
        f"files). This report counts a sample of {large.n_sampled:,} of these rows, each equally likely (seed "
        f"{large.seed}), unless it says otherwise."
    )
    if results.all_rows is None:
        return (note,)
    summary = results.summaries[model]
    gap = "" if summary.test_gap is None else f"; the largest gap between groups there is {points(summary.test_gap)}"
    right = f"{percent(summary.test_accuracy)} of all {summary.test_rows:,} test rows are decided rightly"
    return note, f"Counted over all rows: {right}, and {percent(summary.train_accuracy)} of the training rows{gap}."


def held_out(results: Results) -> str:
    plan = results.plan
    if results.is_sampled:
        return (
            f"Every row was kept from the training with a chance of {100 * plan.test_share:.0f} % (seed "
            f"{plan.split_seed}). All measures of this report rest on those of them that are in the sample, unless "
            "they say otherwise."
        )
    return (
        f"{100 * plan.test_share:.0f} % of the rows with an outcome were drawn at random (seed {plan.split_seed}) and "
        "kept from the training, in the proportions of the outcomes unless a note here says otherwise. All measures of "
        "this report rest on these test rows."
    )


def wording_of(results: Results, dictionary: Any) -> Any:
    """As on the page Applicants: what the dictionary says, else what an earlier version kept with the run."""
    from rugcore.errors import InputError
    from rugcore.explanations import Wording

    try:
        earlier = Wording.from_json((results.folder / "wording.json").read_text(encoding="utf-8"))
    except (OSError, InputError):
        earlier = Wording()
    return Wording({**earlier.columns, **dictionary.wording().columns})


def guidance_of(home: Home) -> "Guidance":
    """The operator's template if there is one; a damaged one is an error, never left aside silently."""
    from rugcore.report import Guidance

    own = home.root / GUIDANCE
    return Guidance.from_json(own.read_text(encoding="utf-8")) if own.is_file() else Guidance.standard()


# -- what others have found --------------------------------------------------------------------------------


def other_models_of(
    job: ReportJob, results: Results, training: "PeopleRows", test: "PeopleRows"
) -> tuple["OtherModel", ...]:
    """The other model of the run, and those of the page Compare; without these, a few simple ones are trained here."""
    from rugcore.report import OtherModel, measured_model, other_models, size_in_words

    beside = {name_of_model(name): results.model(name) for name in (RUG, FAIR) if name in results.summaries}
    beside.pop(name_of_model(job.model))
    compared = Job(job.home, job.run_id).read()
    if compared is None or not compared.measured:
        return other_models(training, test, results.plan.favourable, beside)
    own = [measured_model(name, model, None, test, results.plan.favourable) for name, model in beside.items()]
    lines = [
        OtherModel(
            line.name,
            compared.decided(line.model),
            size_in_words(line.size, line.unit),
            line.f1_macro,
            line.auc,
            line.error or ("" if line.model in compared.packed else "what it decides was not kept"),
        )
        for line in compared.lines
    ]
    return (*own, *lines)


def outside_of(job: ReportJob, results: Results) -> "OutsideFound | None":
    """Another model that the table knows, with the rules that imitate it if somebody had them learned."""
    from rugcore.comparison import measure_decisions
    from rugcore.report import OutsideFound

    if results.data.outside is None or results.plan.outside is None:
        return None
    said, imitation = results.data.outside.of_rows(results.is_test), ImitationJob(job.home, job.run_id).read()
    row = measure_decisions("", said.decided, results.y_test, score=said.score, positive_class=results.plan.favourable)
    is_found = imitation is not None and imitation.is_found
    return OutsideFound(
        definition=definition_of(results.plan.outside, results.plan.favourable),
        decided=said.decided,
        f1_macro=row.f1_macro,
        auc=row.auc,
        fidelity=imitation.measured if imitation is not None and is_found else None,
        rules=imitation.rule_set if imitation is not None and is_found else None,
    )


def definition_of(model: "OutsideModel", favourable: object) -> tuple[tuple[str, str], ...]:
    """Which column, and how it was read."""
    if model.cut_off is None:
        return ("Column", model.column), ("Holds", "decisions")
    side = "at or above" if model.high_is_good else "below"
    return ("Column", model.column), ("Holds", "a score"), ("Cut-off", f"“{favourable}” {side} {model.cut_off:g}")


def stability_of(job: ReportJob, results: Results) -> "StabilityFound | None":
    """What the samples say; nothing of a file that belongs to other rules."""
    from rugcore.report import StabilityFound

    found = StabilityJob.of(job.home, job.run_id, job.model).read()
    if found is None or not found.n_samples or len(found.n_back) != len(results.model(job.model).rules_):
        return None
    return StabilityFound(found.n_samples, found.n_back, found.mean_agreement)


def splits_of(job: ReportJob, results: Results) -> "FairnessOverSplits | None":
    """What many splits say, in the names of the groups; nothing of a file about another limit or other rows."""
    from rugboard.session import group_names

    report = SplitsJob(job.home, job.run_id).read()
    found = None if report is None else report.found()
    plan = results.plan
    if found is None or (found.n_rows, found.notion, found.epsilon) != (
        len(results.data.y),
        plan.fairness,
        plan.epsilon,
    ):
        return None
    names = group_names.by_value(results)
    models = tuple(
        replace(own, keys=tuple(replace(key, group=names[key.group]) for key in own.keys)) for own in found.models
    )
    return replace(found, models=models)


# -- what happened -----------------------------------------------------------------------------------------


def history(results: Results) -> list["ChangeEntry"]:
    """From the run itself: where it comes from, and when it was trained."""
    from rugcore.report import ChangeEntry

    run = results.run
    when = moment(run.ended or run.created)
    origin = results.plan.origin
    if origin is None:
        return [ChangeEntry(moment(run.created), "Training asked for"), ChangeEntry(when, f"Trained: {run.status}")]
    return [*_before(origin), ChangeEntry(when, f"Kept as a run of its own, from {origin.name}", _words(origin))]


def in_order(entries: "tuple[ChangeEntry, ...]") -> "tuple[ChangeEntry, ...]":
    """Those with a moment by it; what was before stays first."""
    return tuple(sorted(entries, key=lambda entry: entry.when if entry.when.endswith("Z") else ""))


def logged_entry(own: LoggedChange) -> "ChangeEntry":
    """A change of rules that somebody made by hand."""
    from rugcore.report import ChangeEntry

    knowingly = f" Accepted knowingly: {own.knowingly}" if own.knowingly else ""
    return ChangeEntry(own.when, f"{name_of_model(own.model)}: {'; '.join(own.what)}.{knowingly}", own.why, own.who)


def logged_effect(own: LoggedChange) -> "RuleChangeEffect":
    from rugcore.report import RuleChangeEffect

    return RuleChangeEffect(
        when=own.when,
        model=name_of_model(own.model),
        accuracy=(own.before.accuracy, own.after.accuracy),
        gap=(own.before.gap, own.after.gap),
        rules=(own.before.rules, own.after.rules),
        n_decided_otherwise=own.n_decided_otherwise,
    )


def _before(origin: Origin) -> list["ChangeEntry"]:
    from rugcore.report import ChangeEntry

    earlier = origin.before
    if earlier is None:
        return [ChangeEntry("before", f"Trained as {origin.name} (run {origin.run})")]
    return [*_before(earlier), ChangeEntry("before", f"Kept as {origin.name} (run {origin.run})", _words(earlier))]


def _words(origin: Origin) -> str:
    return "; ".join(f"{name_of_model(model)}: {', '.join(words)}" for model, words in origin.changes.items())


if __name__ == "__main__":
    job_worker.start_logging()
    os.nice(5)  # somebody may be looking at a page meanwhile
    sys.exit(main(sys.argv[1]))
