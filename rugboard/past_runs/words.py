"""What there is to know of a run in a list: the rules, accuracy and gap of its models, and what tells it apart."""

import math

from rugboard.runs.plan import FAIR, Plan
from rugboard.runs.records import FAILED, ModelSummary, Run
from rugboard.session import server
from rugboard.shell.formats import counted, percent, points, short
from rugboard.shell.text import named, plain
from rugboard.shell.theme import name_of_model

NOT_ESTIMABLE = "not estimable"


def description_of(run: Run) -> str:
    """A run in a line of the list."""
    if run.status == FAILED:
        return plain(run.error or "")
    trained = server.store().summaries(run.id)
    if not trained:
        return "" if run.is_over else plain(run.phase)
    return " · ".join([*(figures(name, summary) for name, summary in trained.items()), settings_of(run.plan)])


def figures(name: str, summary: ModelSummary) -> str:
    """Of one model: RUG 12 rules, 88.3 % right, gap 3.1 points."""
    own = f"{name_of_model(name)} {counted(summary.rules, 'rule')}, {percent(summary.test_accuracy)} right"
    return own if summary.test_gap is None else f"{own}, gap {gap_in_words(summary.test_gap)}"


def gap_in_words(gap: float) -> str:
    return NOT_ESTIMABLE if math.isnan(gap) else points(gap)


def settings_of(plan: Plan) -> str:
    """What tells runs on the same data apart."""
    if plan.origin is not None:
        return f"kept from {named(plan.origin.name)}"
    limit = [f"limit {points(plan.epsilon)}"] if FAIR in plan.models else []
    if limit and plan.guarantee == "proxy":
        limit.append("in the program only")
    if limit and plan.guarantee == "confident":
        limit.append("tested for new people")
    return ", ".join([f"up to {counted(plan.max_depth, 'condition')}", f"price {short(plan.penalty)}", *limit])
