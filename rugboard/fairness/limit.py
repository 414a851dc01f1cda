"""What all models are held against, and what a file must say to stand alone."""

from dataclasses import dataclass
from datetime import UTC, datetime

from rugboard.runs.plan import FAIR, Plan
from rugboard.runs.results import Results
from rugboard.session import adjusted_models
from rugboard.session.adjusted_models import Adjustment
from rugboard.session.evaluations import epsilon_now
from rugboard.setup.scorecard import NOTION_NAMES
from rugboard.shell.downloads import file_part
from rugboard.shell.formats import counted, percent, points, short
from rugboard.shell.text import value_in_words
from rugboard.shell.theme import name_of_model

PROXY = "proxy"
GUARANTEES = {
    "realised": "realised: the limit is about decisions on the training rows",
    PROXY: "proxy: the limit is about losses in the optimisation, not about decisions",
}
INTERVALS = "95 % on the test rows; training rows are counted in full and have none"


@dataclass(frozen=True)
class Asked:
    """The limit on the screen, and where the numbers come from; equal for the same numbers, so that files are kept."""

    notion: str
    epsilon: float
    facts: tuple[tuple[str, str], ...]  # the same in every line of a file
    changes: tuple[tuple[str, str], ...]  # by the name of the model: what differs from the training
    file_name: str  # without what the file is about

    @classmethod
    def of(cls, results: Results) -> "Asked":
        changes = {model: adjusted_models.adjustment(results.run.id, model) for model in results.summaries}
        return cls(
            notion=results.plan.fairness,
            epsilon=epsilon_now(results),
            facts=_facts(results),
            changes=tuple((name_of_model(model), change_in_words(change)) for model, change in changes.items()),
            file_name=f"{file_part(results.run.name)}{_ending(changes)}",
        )


def _facts(results: Results) -> tuple[tuple[str, str], ...]:
    plan, run = results.plan, results.run
    trained = datetime.fromtimestamp(run.ended or run.started or run.created, UTC)
    return (
        ("run", run.name),
        ("data", plan.data_name),
        ("trained", f"{trained:%Y-%m-%d %H:%M} UTC"),
        ("outcome", plan.target),
        ("favourable outcome", value_in_words(plan.fair_settings()["positive_class"])),
        ("groups by", " / ".join(plan.sensitive)),
        ("split", f"{percent(plan.test_share)} of the rows held out for the test, seed {plan.split_seed}"),
        ("asked for", f"{plan.fairness}: {NOTION_NAMES[plan.fairness].lower()}"),
        ("guarantee of FairRUG", _guarantee(plan, has_fair=FAIR in results.summaries)),
        ("intervals", INTERVALS),
    )


def _guarantee(plan: Plan, *, has_fair: bool) -> str:
    return GUARANTEES[plan.guarantee] if has_fair else "none: FairRUG is not part of this run"


def change_in_words(change: Adjustment) -> str:
    """What differs from the model as it was trained, or nothing."""
    parts = [
        *([f"a largest allowed gap of {points(change.epsilon)}"] if change.epsilon is not None else []),
        *([f"a price of a rule of {short(change.penalty)}"] if change.penalty is not None else []),
        *([f"{counted(len(change.without), 'rule')} left out"] if change.without else []),
    ]
    return " and ".join(parts)


def _ending(changes: dict[str, Adjustment]) -> str:
    """Files of other models have other names."""
    epsilon = changes[FAIR].epsilon if FAIR in changes else None
    is_other = any(change.penalty is not None or change.without for change in changes.values())
    limit = "" if epsilon is None else f"-limit-{100 * epsilon:g}".replace(".", "-")
    return f"{limit}{'-weighed-anew' if is_other else ''}"
