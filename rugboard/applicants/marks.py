"""What can change about an applicant, as visitors marked it for a run, and the nearest changes within that."""

import json
from dataclasses import asdict, dataclass, replace
from typing import Any

import streamlit as st

from rugboard.applicants import cached, saved
from rugboard.applicants.cached import Case, ChosenModel
from rugboard.runs.results import Results
from rugboard.session import cache
from rugboard.session.training_columns import TrainingColumn
from rugcore.dictionary import protected_by_name
from rugcore.explanations import Flips, Limit

ANY, UP, DOWN, NEVER = "may change", "only up", "only down", "cannot change"
DIRECTIONS = {ANY: "any", UP: "up", DOWN: "down"}
FOR_NUMBERS, FOR_WORDS = [ANY, UP, DOWN, NEVER], [ANY, NEVER]
KEPT = 200


@dataclass(frozen=True)
class Mark:
    """What a visitor says about a column."""

    may: str = ANY
    whole: bool = False


Marks = dict[str, Mark]


# -- without a screen --------------------------------------------------------------------------------------


def usual_marks(results: Results) -> Marks:
    """What is sensible unless somebody says otherwise: nobody changes what they are, or grows younger."""
    return {name: _usual(name, column, results) for name, column in cached.columns(results).items()}


def _usual(name: str, column: TrainingColumn, results: Results) -> Mark:
    whole = column.is_number and column.profile.is_whole
    return Mark(NEVER if name in results.plan.sensitive else may_by_name(name, column.is_number), whole)


def may_by_name(name: str, is_number: bool) -> str:
    """What the name of a column suggests."""
    found = protected_by_name(name)
    if found is None:
        return ANY
    return UP if found.grows and is_number else NEVER  # bands of age cannot go up, being words


def limits_of(marks: Marks, columns: dict[str, TrainingColumn]) -> dict[str, Limit]:
    return {name: _limit(mark, columns[name]) for name, mark in marks.items()}


def _limit(mark: Mark, column: TrainingColumn) -> Limit:
    if not column.is_number:
        return Limit(changeable=mark.may != NEVER)
    return Limit(
        changeable=mark.may != NEVER,
        direction=DIRECTIONS.get(mark.may, "any"),  # type: ignore[arg-type]
        whole=mark.whole,
    )


# -- as they were set -------------------------------------------------------------------------------------------------


def marks_of(results: Results) -> Marks:
    """As they were set for the run; whatever nobody set is as usual."""
    usual = usual_marks(results)
    own = _read(saved.read(results, saved.MARKS))
    columns = cached.columns(results)
    return usual | {name: fitting(mark, columns[name]) for name, mark in own.items() if name in columns}


def keep_marks(results: Results, marks: Marks) -> None:
    """Only what is not as usual."""
    usual = usual_marks(results)
    own = {name: asdict(mark) for name, mark in marks.items() if mark != usual.get(name)}
    saved.keep(results, saved.MARKS, json.dumps(own, ensure_ascii=False, indent=1))


def _read(text: str | None) -> Marks:
    """Nothing where the file is damaged."""
    try:
        content = json.loads(text or "{}")
        return {str(name): Mark(str(item["may"]), bool(item["whole"])) for name, item in content.items()}
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return {}


def fitting(mark: Mark, column: TrainingColumn) -> Mark:
    """What makes no sense for a column has no effect: words go neither up nor down, and are not whole."""
    if column.is_number:
        return mark if mark.may in FOR_NUMBERS else replace(mark, may=ANY)
    return Mark(mark.may if mark.may in FOR_WORDS else ANY)


# -- the nearest changes ------------------------------------------------------------------------------------


def flips_of(case: Case, wanted: Any, marks: Marks) -> Flips:
    """Proposals that rules decide; where there are none, those that lead to the wanted outcome by default."""
    said = tuple((name, mark.may, mark.whole) for name, mark in marks.items())
    return _flips(case, wanted, said)


@cache.cached(entries=KEPT)
def _flips(case: Case, wanted: Any, said: tuple[tuple[str, str, bool], ...]) -> Flips:
    marks = {name: Mark(may, whole) for name, may, whole in said}
    finder = cached.finder(case.chosen)
    limits = limits_of(marks, cached.columns(case.results))
    # What is said on the same page is not contradicted: a number that is too high is not to rise.
    reasons = cached.reason_finder(case.chosen).find(case.cells, sensitive=case.results.plan.sensitive)
    found = finder.find(case.cells, wanted, limits=limits, by_default=False, reasons=reasons)
    return found if found.found else finder.find(case.cells, wanted, limits=limits, reasons=reasons)


def first_wanted(chosen: ChosenModel, decision: Any) -> Any:
    """What a change is to lead to: the favourable outcome, or away from it."""
    if decision != chosen.favourable:
        return chosen.favourable
    return next(label for label in chosen.classes if label != decision)


def wanted_of(case: Case) -> Any:
    """What the visitor wants to reach, as far as it makes sense."""
    first = first_wanted(case.chosen, case.explanation.decision)
    wanted = st.session_state.get(wanted_key(case), first)
    return wanted if wanted in case.chosen.classes and wanted != case.explanation.decision else first


def wanted_key(case: Case) -> str:
    return f"wanted_{case.results.run.id}_{case.row}"
