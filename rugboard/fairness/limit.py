"""What all models are held against, and what a file must say to stand alone."""

from dataclasses import dataclass
from datetime import UTC, datetime

from rugboard.runs.plan import CONFIDENT, FAIR, PROXY, REALISED, Plan
from rugboard.runs.results import Results
from rugboard.session import adjustments
from rugboard.session.adjustment_notice import change_in_words
from rugboard.session.adjustments import Adjustment
from rugboard.shell.downloads import file_part
from rugboard.shell.formats import percent
from rugboard.shell.notions import NOTION_NAMES
from rugboard.shell.text import value_in_words
from rugboard.shell.theme import name_of_model

GUARANTEES_IN_WORDS = {
    REALISED: "realised: the limit is about decisions on the training rows",
    CONFIDENT: "confident: the limit is about new people, tested with 95 % confidence on rows kept from training",
    PROXY: "proxy: the limit is about losses in the optimisation, not about decisions",
}
INTERVALS = "95 % on the test rows; training rows are counted in full and have none"


@dataclass(frozen=True)
class FairnessLimit:
    """The limit on the screen, and where the numbers come from; equal for the same numbers, so that files are kept."""

    notion: str
    epsilon: float
    origin: tuple[tuple[str, str], ...]  # the same in every line of a file
    changes: tuple[tuple[str, str], ...]  # by the name of the model: what differs from the training
    file_name: str  # without what the file is about

    @classmethod
    def of(cls, results: Results) -> "FairnessLimit":
        changes = {model: adjustments.current(results.run.id, model) for model in results.summaries}
        return cls(
            notion=results.plan.fairness,
            epsilon=adjustments.allowed_gap(results),
            origin=_origin(results),
            changes=tuple((name_of_model(model), change_in_words(change)) for model, change in changes.items()),
            file_name=f"{file_part(results.run.name)}{_ending(changes)}",
        )


def _origin(results: Results) -> tuple[tuple[str, str], ...]:
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
    return GUARANTEES_IN_WORDS[plan.guarantee] if has_fair else "none: FairRUG is not part of this run"


def _ending(changes: dict[str, Adjustment]) -> str:
    """Files of other models have other names."""
    epsilon = changes[FAIR].epsilon if FAIR in changes else None
    is_other = any(change.penalty is not None or change.without for change in changes.values())
    limit = "" if epsilon is None else f"-limit-{100 * epsilon:g}".replace(".", "-")
    return f"{limit}{'-re-weighted' if is_other else ''}"
