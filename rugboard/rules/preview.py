"""What proposed changes of rules would do: the linear program solved with them, held against the model of the run."""

import time
import warnings
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rugboard.rules.proposal import RuleProposal
from rugboard.runs.keeping import keep_models
from rugboard.runs.plan import FAIR
from rugboard.runs.results import Results
from rugboard.runs.rule_log import LoggedChange, LoggedFigures, told_gap
from rugboard.session import adjusted_models, group_names, measures
from rugboard.session.adjustments import AS_TRAINED
from rugboard.session.cache import cached
from rugboard.session.dictionaries import dictionary_of
from rugboard.shell.formats import points
from rugboard.shell.text import named, value_in_words
from rugboard.shell.theme import name_of_model
from rugcore import RuleGovernance, governance_of
from rugcore.errors import FairnessWarning
from rugcore.report import MOMENT

if TYPE_CHECKING:
    from rugboard.runs.personal_store import PersonalStore
    from rugboard.runs.store import RunStore
    from rugcore.estimators import FairRUGClassifier, RuleClassifier

MODELS_KEPT = 8  # each holds the program of its rules
GOVERNED_KEPT = 24


@dataclass(frozen=True, eq=False)
class RulePreview:
    """Before and after, on the test rows."""

    solved: "RuleClassifier"
    before: LoggedFigures
    after: LoggedFigures
    n_test: int
    moved: tuple[tuple[Any, Any, int], ...]  # from which outcome to which, and how many test rows; most first
    n_righted: int  # of them: decided as the data says only now
    n_wronged: int  # only before
    heaviest_before: float  # weight of a rule
    broken: str  # what is promised no longer, in words; nothing where all is kept

    @property
    def n_moved(self) -> int:
        return sum(count for _, _, count in self.moved)


@cached(entries=GOVERNED_KEPT)
def decided_on(results: Results, model: str) -> RuleGovernance:
    """The rules of a model that people vetoed, locked or wrote."""
    return governance_of(results.model(model))


@cached(entries=MODELS_KEPT)
def preview(results: Results, model: str, proposal: RuleProposal) -> RulePreview:
    """An `InputError` says what is wrong with a proposal."""
    solved = governed(results, model, proposal)
    before = adjusted_models.decided(results, model, AS_TRAINED)
    after = solved.predict(results.data.X)
    rows = results.is_test
    truth = results.data.y.to_numpy(dtype=object)[rows]
    is_moved = before[rows] != after[rows]
    pairs = Counter(zip(before[rows][is_moved].tolist(), after[rows][is_moved].tolist(), strict=True))
    return RulePreview(
        solved=solved,
        before=_figures(results, before, len(results.model(model).rules_)),
        after=_figures(results, after, len(solved.rules_)),
        n_test=int(rows.sum()),
        moved=tuple((old, new, count) for (old, new), count in pairs.most_common()),
        n_righted=int((is_moved & (after[rows] == truth)).sum()),
        n_wronged=int((is_moved & (before[rows] == truth)).sum()),
        heaviest_before=max((rule.weight for rule in results.model(model).rules_), default=0.0),
        broken=broken_promise(results, solved) if model == FAIR else "",
    )


def governed(results: Results, model: str, proposal: RuleProposal) -> "RuleClassifier":
    added = [own.rule for own in proposal.written if own.instead_of is None]
    replaced = {own.instead_of: own.rule for own in proposal.written if own.instead_of is not None}
    floors = dict(proposal.locked) | {own.rule: own.least for own in proposal.written if own.least}
    groups = results.data.groups
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FairnessWarning)  # `broken_promise` says it
        return results.model(model).governed(
            vetoed=proposal.vetoed,
            locked=floors,
            unlocked=proposal.unlocked,
            added=added,
            replaced=replaced,
            protected=protected_columns(results),
            X=results.X_train,
            y=results.y_train,
            sensitive_features=None if groups is None else groups[~results.is_test],
        )


def protected_columns(results: Results) -> frozenset[str]:
    """What no rule written by hand may look at, by shown name."""
    return frozenset((*results.plan.sensitive, *dictionary_of(results).protected()))


def _figures(results: Results, decided: np.ndarray, n_rules: int) -> LoggedFigures:
    is_right = decided == results.data.y.to_numpy(dtype=object)
    gap = measures.gap_of(results, decided)
    return LoggedFigures(
        accuracy=float(is_right[results.is_test].mean()),
        gap=None if gap is None else told_gap(gap.on_test_rows),
        rules=n_rules,
    )


def broken_promise(results: Results, solved: "FairRUGClassifier") -> str:
    """What FairRUG promised and does not keep with these rules; nothing if it keeps it."""
    before, fit = results.fair.fairness_, group_names.in_fit(solved.fairness_, results)
    tested = ""
    if before.guarantee != fit.guarantee:
        tested = "The test on rows kept from training was about another model: what it assured is assured no longer."
    if fit.met or (fit.guarantee != "realised" and not before.met):
        return tested
    worst = fit.worst
    within = "" if worst.label is None else f" among those whose outcome is {named(value_in_words(worst.label))}"
    as_before = "" if before.met else " It was not kept before either."
    return (
        f"{name_of_model(FAIR)} does not keep its promise with these rules: at most {points(fit.epsilon)} were asked "
        f"for, and {points(fit.realised_gap)} are left on the training rows, between {named(worst.first)} and "
        f"{named(worst.second)}{within}.{as_before} {tested}".rstrip()
    )


# -- accepting -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Acceptance:
    """What a person types to accept a proposal."""

    who: str
    why: str
    name: str  # of the new run
    seen: str | None  # the last change of the same run that the person knows of


def accept(
    store: "RunStore | PersonalStore", results: Results, model: str, proposal: RuleProposal, said: Acceptance
) -> str:
    """Keep the changed model as a run with a line in its log; the id of that run."""
    found = preview(results, model, proposal)
    lines = tuple(line for line, _ in proposal.lines())
    logged = LoggedChange(
        when=time.strftime(MOMENT, time.gmtime()),
        who=said.who.strip(),
        why=said.why.strip(),
        model=model,
        what=lines,
        before=found.before,
        after=found.after,
        n_decided_otherwise=found.n_moved,
        n_test=found.n_test,
        knowingly=found.broken.replace("\\", ""),
    )
    models = {name: results.model(name) for name in results.summaries} | {model: found.solved}
    return keep_models(store, results, models, {model: lines}, said.name, logged=logged, seen=said.seen)
