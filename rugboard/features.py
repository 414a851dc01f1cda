"""What the features want done before a visitor needs it; registered here once, because no feature knows another."""

from rugboard.applicants import cached as applicants
from rugboard.fairness import view as fairness
from rugboard.rules import cached as rules
from rugboard.session import explainers, lightgbm, prefetch
from rugboard.setup import sources


def register() -> None:
    """In the order in which a visitor will need it."""
    prefetch.register_at_start("the first click", sources.warm_up)
    prefetch.register_at_start("LightGBM", lightgbm.load)  # last: needed by the page Applicants only
    prefetch.register_for_runs("rules", rules.prefetch)
    prefetch.register_for_runs("fairness", fairness.prefetch)
    prefetch.register_for_runs("applicants", applicants.prefetch)
    prefetch.register_for_runs("explanations", explainers.prefetch)
