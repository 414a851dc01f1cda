"""Who decides about the people of a run: the models trained on it, and another one whose decisions the table holds.

Pages that set models side by side ask here who they are, and `adjusted_models.decided_now` what each decides: they need
not know of which kind it is.
"""

from rugboard.runs.results import Results
from rugboard.shell.formats import short
from rugboard.shell.text import named, value_in_words
from rugboard.shell.theme import OUTSIDE
from rugcore.outside_models import OutsideDecisions


def of_run(results: Results) -> tuple[str, ...]:
    """The models that decide about every row; only those in `Results.summaries` have rules."""
    return (*results.summaries, *((OUTSIDE,) if results.data.outside is not None else ()))


def outside_of(results: Results) -> OutsideDecisions:
    """Of a run whose table holds what another model decided."""
    if results.data.outside is None:
        raise TypeError("This run knows no other model's decisions: ask `of_run` first.")
    return results.data.outside


def outside_in_words(results: Results) -> str:
    """What the other model is, for Markdown; nothing for a run without one."""
    own, good = results.plan.outside, named(value_in_words(results.plan.favourable))
    if own is None:
        return ""
    if own.cut_off is None:
        return f"Other model: what {named(own.column)} says."
    side = "at or above" if own.high_is_good else "below"
    return f"Other model: {named(own.column)}, {good} {side} {short(own.cut_off)}."
