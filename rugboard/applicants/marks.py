"""What can change about an applicant: from the data dictionary, else from the names of columns, else as visitors say.

What the dictionary says of protected columns, past facts, ranges and what helps or harms always holds. A visitor may
say more about what a person can change; that is kept in the dictionary, so that the next training knows it too.
"""

import json
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from rugboard.applicants import cached, saved
from rugboard.applicants.cached import Case
from rugboard.runs.results import Results
from rugboard.session import cache
from rugboard.session.dictionaries import (
    dictionary_of,
    expected_directions,
    expected_effects,
    keep_dictionary,
    never_named,
)
from rugboard.session.expectations import ExpectedEffect, effects_in_rows, faring_well
from rugboard.session.training_columns import TrainingColumn
from rugcore.dictionary import (
    ColumnEntry,
    DataDictionary,
    Effect,
    arranged_values,
    consequences_by_name,
    effect_by_name,
    usual_change,
    words_of,
)
from rugcore.explanations import Flips, Limit, Reasons, SimilarPerson
from rugcore.tables import are_codes

ANY, UP, DOWN, NEVER = "may change", "only up", "only down", "cannot change"
DIRECTIONS = {ANY: "any", UP: "up", DOWN: "down"}
SAID = {"any": ANY, "up": UP, "down": DOWN, "never": NEVER}
SAYS = {mark: change for change, mark in SAID.items()}
FOR_NUMBERS, FOR_WORDS = [ANY, UP, DOWN, NEVER], [ANY, NEVER]
KEPT = 200
# Advice is for next week, not for another life: past half of the people, or to twice the income, is none.
MOST_STEP, MOST_TIMES = 0.5, 2.0
# To earn or to save more is not for a person alone to decide, to borrow less is: where both would do, the latter.
# Nobody earns half as much again next week, or has assets who has none: a quarter more is a rise or a second job.
EFFORT_OF_HAVING_MORE = 2.0
MOST_TIMES_OF_HAVING_MORE = 1.25
# What is to be borne every month, or for the loan: whoever bears too much of it is not told to pay back faster.
BORNE = set(
    words_of(
        "ratio debt payment payments expense expenses burden share rate instalment instalments installment "
        "installments dti pti emi annuity repayment repayments rate raten zins cuota mensualite"
    )
)
# What it is paid from: whoever has little of it is not told so either.
PAID_FROM = set(
    words_of(
        "income incomes salary wage wages earnings einkommen gehalt lohn revenu revenus salaire ingresos salario "
        "inkomen loon gelir maas"
    )
)


@dataclass(frozen=True)
class Mark:
    """What can be done about a column."""

    may: str = ANY
    whole: bool = False
    fill: bool = False  # a blank may be filled in


Marks = dict[str, Mark]


# -- without a screen --------------------------------------------------------------------------------------


def usual_marks(results: Results) -> Marks:
    """As the dictionary says; where it says nothing, as names suggest and rows show; what nobody knows stays."""
    columns, known = cached.columns(results), _said_of_columns(results)
    return {name: _usual(name, column, results, known) for name, column in columns.items()}


@dataclass(frozen=True)
class _SaidOfColumns:
    """All that is said about the columns of a run, looked up once."""

    dictionary: DataDictionary
    expected: Mapping[str, ExpectedEffect]
    in_rows: Mapping[str, Effect]

    def effect(self, name: str) -> Effect:
        """What people or rows say of more of it."""
        expected = self.expected.get(name)
        return self.in_rows.get(name, "unknown") if expected is None else expected.effect


def _said_of_columns(results: Results) -> _SaidOfColumns:
    return _SaidOfColumns(dictionary_of(results), expected_effects(results), effects_in_rows(results))


def _usual(name: str, column: TrainingColumn, results: Results, known: _SaidOfColumns) -> Mark:
    whole = column.is_number and column.profile.is_whole
    if name in results.plan.sensitive:
        return Mark(NEVER, whole)
    raw = known.dictionary.raw_name(name)
    entry, in_rows = known.dictionary.entry(raw), known.effect(name)
    has_order = name in known.expected and not column.is_number
    guessed = may_by_name(raw if raw in (name, entry.label) else f"{raw} {name}", column.is_number, in_rows, has_order)
    if not _is_settled(entry) and _is_coded(name, column):
        return Mark(NEVER, whole)  # nobody can be told to become A192
    if _is_settled(entry) or (entry.effect != "unknown" and guessed != NEVER):
        return Mark(_said(name, known.dictionary, column.is_number), whole)
    return Mark(guessed, whole)


def _is_coded(name: str, column: TrainingColumn) -> bool:
    return not column.is_number and are_codes(name, column.profile.categories)


def _is_settled(entry: ColumnEntry) -> bool:
    return entry.protected or entry.past_fact or entry.change != "any"


def unsaid(results: Results, names: Collection[str], marks: Marks) -> list[str]:
    """Of these columns, those of which nobody knows whether a person can change them."""
    known, columns = _said_of_columns(results), cached.columns(results)
    found = []
    for name in names:
        entry = known.dictionary.entry(known.dictionary.raw_name(name))
        by_name = usual_change(name, columns[name].is_number, known.effect(name), name in known.expected)
        is_open = by_name is None or (by_name != "never" and _is_coded(name, columns[name]))
        if is_open and not _is_settled(entry) and marks[name].may == NEVER:
            found.append(name)
    return found


def _said(name: str, dictionary: DataDictionary, is_number: bool) -> str:
    limit = dictionary.limits(numbers=[name] if is_number else [])[name]
    return SAID[limit.direction] if limit.changeable else NEVER


def may_by_name(name: str, is_number: bool, in_rows: Effect = "unknown", has_order: bool = False) -> str:
    """What the name of a column suggests, with what the rows show; what is not known is not proposed."""
    return SAID[usual_change(name, is_number, in_rows, has_order) or "never"]


def is_fixed(name: str, results: Results) -> bool:
    """Whether no visitor can say otherwise here: protected, or a past fact of the dictionary."""
    dictionary = dictionary_of(results)
    entry = dictionary.entry(dictionary.raw_name(name))
    return entry.protected or entry.past_fact or name in results.plan.sensitive


def limits_of(results: Results, marks: Marks) -> dict[str, Limit]:
    """What marks allow, within what the dictionary allows."""
    columns = cached.columns(results)
    numbers = [name for name, column in columns.items() if column.is_number]
    firm = dictionary_of(results).limits(numbers=numbers)
    never, expected = never_named(results), expected_effects(results)
    orders = {name: own.order for name, own in expected.items()}
    return {
        name: Limit(changeable=False)
        if name in never
        else within(_limit(name, mark, columns[name], orders.get(name, ())), firm.get(name, Limit()))
        for name, mark in marks.items()
    }


def _limit(name: str, mark: Mark, column: TrainingColumn, order: tuple[Any, ...]) -> Limit:
    if not column.is_number:
        possible = None if order else arranged_values(name, column.profile.categories)
        return Limit(
            changeable=mark.may != NEVER,
            order=order or None,
            next_only=_is_to_have_more(name),
            values=possible,
            may_be_filled=mark.fill,
        )
    return replace(limit_by_name(name, mark.may), whole=mark.whole, may_be_filled=mark.fill)


def limit_by_name(name: str, may: str) -> Limit:
    """Of a column of numbers, as it is marked: how far somebody can go with it, and what that brings along."""
    besides, is_to_have_more = consequences_by_name(name), _is_to_have_more(name)
    return Limit(
        changeable=may != NEVER,
        most_step=MOST_STEP,
        most_times=MOST_TIMES_OF_HAVING_MORE if is_to_have_more else MOST_TIMES,
        from_nothing=not is_to_have_more,
        direction=DIRECTIONS.get(may, "any"),  # type: ignore[arg-type]
        effort=EFFORT_OF_HAVING_MORE if is_to_have_more else 1.0,
        if_less=besides.if_less,
        if_more=besides.if_more,
    )


def _is_to_have_more(name: str) -> bool:
    """Of what people earn or have, as its name says."""
    effect = effect_by_name(name)
    return effect is not None and effect.effect == "helps"


def bearable(limits: Mapping[str, Limit], reasons: Reasons, raw_names: Mapping[str, str]) -> dict[str, Limit]:
    """Where a burden is said to be high, or an income low, no loan is to be paid back in less time: that costs more."""
    strained = {"high": BORNE, "low": PAID_FROM}
    told = [
        set(words_of(f"{raw_names.get(own.column, '')} {own.column}")) & strained.get(own.finding, set())
        for own in reasons.reasons
    ]
    if not any(told):
        return dict(limits)
    return {name: within(limit, Limit(direction="up")) if limit.if_less else limit for name, limit in limits.items()}


def within(limit: Limit, firm: Limit) -> Limit:
    """Both at once; a column that may only go two ways at once stays."""
    ways = {limit.direction, firm.direction} - {"any"}
    return replace(
        limit,
        changeable=limit.changeable and firm.changeable and len(ways) < 2,
        direction=min(ways, default="any"),
        lowest=max(limit.lowest, firm.lowest),
        highest=min(limit.highest, firm.highest),
        if_less=limit.if_less or firm.if_less,
        if_more=limit.if_more or firm.if_more,
    )


# -- as they were set -------------------------------------------------------------------------------------------------


def marks_of(results: Results) -> Marks:
    """As they were set for the run; whatever nobody set is as usual."""
    usual = usual_marks(results)
    own = _read(saved.read(results, saved.MARKS))
    columns = cached.columns(results)
    return usual | {name: fitting(mark, columns[name]) for name, mark in own.items() if name in columns}


def keep_marks(results: Results, marks: Marks) -> None:
    """In the dictionary; and with the run what the dictionary does not say, such as that a name misleads."""
    before, dictionary, columns = marks_of(results), dictionary_of(results), cached.columns(results)
    marks = {name: fitting(mark, columns[name]) for name, mark in marks.items()}
    new = dictionary
    for name, mark in marks.items():
        if mark.may != before[name].may and not is_fixed(name, results):
            raw = dictionary.raw_name(name)
            new = new.with_entry(raw, replace(new.entry(raw), change=SAYS[mark.may]))  # type: ignore[arg-type]
    if new != dictionary:
        keep_dictionary(results, new)
    usual = usual_marks(results)
    own = {name: asdict(mark) for name, mark in marks.items() if mark != usual.get(name)}
    saved.keep(results, saved.MARKS, json.dumps(own, ensure_ascii=False, indent=1))


def _read(text: str | None) -> Marks:
    """Nothing where the file is damaged."""
    try:
        content = json.loads(text or "{}")
        return {
            str(name): Mark(str(item["may"]), bool(item["whole"]), bool(item.get("fill", False)))
            for name, item in content.items()
        }
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return {}


def fitting(mark: Mark, column: TrainingColumn) -> Mark:
    """What makes no sense for a column has no effect: words go neither up nor down, and are not whole."""
    if column.is_number:
        return mark if mark.may in FOR_NUMBERS else replace(mark, may=ANY)
    return Mark(mark.may if mark.may in FOR_WORDS else ANY, fill=mark.fill)


# -- the nearest changes ------------------------------------------------------------------------------------


def flips_of(case: Case, marks: Marks) -> Flips:
    """Proposals that lead to the favourable outcome by rules: what is taken by default, a person has to decide."""
    said = tuple((name, mark.may, mark.whole, mark.fill) for name, mark in marks.items())
    return _flips(case, said, dictionary_of(case.results).to_json())


@cache.cached(entries=KEPT)
def _flips(case: Case, said: tuple[tuple[str, str, bool, bool], ...], dictionary: str) -> Flips:  # noqa: ARG001 - a key
    # What is said on the same page is not contradicted: a number that is too high is not to rise.
    reasons, own = reasons_of(case), dictionary_of(case.results)
    allowed = limits_of(case.results, {name: Mark(may, whole, fill) for name, may, whole, fill in said})
    limits = bearable(allowed, reasons, {name: own.raw_name(name) for name in allowed})
    finder, wanted, place = cached.finder(case.chosen), case.chosen.favourable, cached.place_among_tested(case)
    return finder.find(case.cells, wanted, limits=limits, by_default=False, reasons=reasons, without=place)


def reasons_of(case: Case, **options: Any) -> Reasons:
    """Never from a protected column, and none that says the opposite of what should help or harm."""
    directions = expected_directions(case.results)
    finder = cached.reason_finder(case.chosen)
    return finder.find(
        case.cells,
        sensitive=never_named(case.results),
        directions=directions,
        faring_well=faring_well(case.results, case.chosen.model),
        sure=cached.confidence(case),
        **options,
    )


def expected_of(case: Case) -> dict[str, ExpectedEffect]:
    """What should help and what should harm, of the columns that rules look at."""
    used = case.chosen.model.rules_.features()
    return {name: own for name, own in expected_effects(case.results).items() if name in used}


def similar_of(case: Case) -> SimilarPerson | None:
    """Somebody alike who was decided favourably, and was so in the data; nobody for whom it is favourable already."""
    if case.explanation.decision == case.chosen.favourable:
        return None
    found = cached.similar(case.chosen).find(case.cells, hidden=never_named(case.results))
    return found[0] if found else None
