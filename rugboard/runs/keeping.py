"""Keeping models that a visitor re-weighted as a run of its own: it opens, restarts and survives like any other."""

import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final
from uuid import uuid4

from rugboard.runs.home import ONLY_THE_OWNER
from rugboard.runs.judging import judge
from rugboard.runs.plan import FAIR, RUG, Origin, Plan
from rugboard.runs.records import ModelSummary
from rugboard.runs.results import Results, model_file, pool_file, save_test_rows
from rugboard.runs.rule_log import LoggedChange
from rugcore.persistence import save_pool

if TYPE_CHECKING:
    from rugboard.runs.personal_store import PersonalStore
    from rugboard.runs.store import RunStore
    from rugcore.estimators import RuleClassifier

Models = Mapping[str, "RuleClassifier"]

SET_BY_VISITORS: Final = ("wording.json", "marks.json", "statements.json")  # see `rugboard.runs.results`


def keep_models(
    store: "RunStore | PersonalStore",
    results: Results,
    models: Models,
    changes: Mapping[str, tuple[str, ...]],
    name: str,
    *,
    logged: LoggedChange | None = None,
    seen: str | None = None,
) -> str:
    """Keep models made from those of a run, and return the id of the new run; the run they come from stays as it is.

    The data and the test rows are the same. `changes` says in words what was changed about each model. A change of
    rules is `logged`; `seen` is the last such change of the same run that the person knows of (see `RunStore.enter`).
    """
    run_id = str(uuid4())
    if logged is not None:
        logged = replace(logged, parent=results.run.id, run=run_id)
    plan = plan_of(results, models, changes)
    folder = store.home.run_folder(run_id)
    folder.mkdir(mode=ONLY_THE_OWNER, parents=True)
    try:
        _write(folder, results, models)
        summaries = _summaries(results, models, plan.shown())
        store.enter(run_id, plan, name, summaries, results.run.notes, logged, seen)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return run_id


def plan_of(results: Results, models: Models, changes: Mapping[str, tuple[str, ...]]) -> Plan:
    """The plan of the run they come from, with the settings that the models have now."""
    origin = Origin(
        run=results.run.id,
        name=results.run.name,
        changes={model: tuple(words) for model, words in changes.items() if words},
        penalties={model: float(solved.penalty) for model, solved in models.items()},
        before=results.plan.origin,
    )
    epsilon = float(models[FAIR].epsilon) if FAIR in models else results.plan.epsilon
    return replace(results.run.plan, origin=origin, penalty=origin.penalties[RUG], epsilon=epsilon)


def _write(folder: Path, results: Results, models: Models) -> None:
    save_test_rows(folder, results.data.rows[results.is_test])
    for model, solved in models.items():
        save_pool(solved, folder / pool_file(model))
        solved.save(folder / model_file(model))
    for file in SET_BY_VISITORS:
        if (results.folder / file).exists():
            shutil.copyfile(results.folder / file, folder / file)


def _summaries(results: Results, models: Models, plan: Plan) -> dict[str, ModelSummary]:
    """The seconds are those of the training that found the rules."""
    return {
        model: judge(solved, results.summaries[model].seconds, results.data, plan, results.is_test)
        for model, solved in models.items()
    }
