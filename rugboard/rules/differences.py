"""What RUG and FairRUG have in common, in a sentence."""

from rugboard.runs.plan import FAIR, RUG
from rugboard.session.rule_differences import RuleDifferences, shares_in_words
from rugboard.shell.formats import points
from rugboard.shell.theme import name_of_model


def in_a_sentence(found: RuleDifferences, limit: float) -> str:
    """How many rules the two share, and how much that is; `limit` is the gap that FairRUG was allowed."""
    if found.are_alike:
        return (
            "Both models have the same rules with the same weights: with a limit of "
            f"{points(limit)} on the training rows nothing had to change."
        )
    return shares_in_words(found, name_of_model(RUG), name_of_model(FAIR))
