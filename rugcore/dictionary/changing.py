"""What a person can change, as far as the name of a column and the rows tell; nothing that is only hoped.

Advice goes into letters, so that a column which nobody has described is not proposed: a category that the name does
not know as something to arrange, and a number of which neither the name nor the rows say which way is the better one.
"""

from rugcore.dictionary.entry import Change, Effect
from rugcore.dictionary.names import HELPS, TIME, WORK, effect_by_name, past_by_name, protected_by_name, words_of


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# What others decide, or have written down; nobody is told to open accounts.
NOT_THEIRS = _words(
    "interest apr grade grades rating unemployment record records charge charges opened inquiry inquiries limit limits "
    "accounts lines trades"
)
NOT_DONE_ON_MONDAY = _words("diploma degree state region country county job role occupation profession purpose")
# Time passes, and nobody makes it; the time that a loan is to run is agreed upon.
PASSES = _words("since tenure year years yr yrs month months")
AGREED = _words("term duration loan repayment maturity per")
LESS = _words("amount price expense expenses used loss losses")  # nobody is told to owe or to lose more
MORE = _words("gain gains education")
# Categories that people arrange for an application.
ARRANGED = _words("guarantor guarantors cosigner cosign coapplicant collateral telephone phone contract")
ONE_WAY: dict[Effect, Change] = {"helps": "up", "harms": "down"}


def change_by_name(name: str, is_number: bool) -> Change | None:
    """What the name suggests; None where it does not tell.

    Nobody changes what they are, what is past, or what others decide.

    Parameters
    ----------
    name : str
        Of the column.
    is_number : bool
        Whether it holds numbers; categories go neither up nor down.
    """
    words = set(words_of(name))
    if protected_by_name(name) or past_by_name(name) or words & (NOT_THEIRS | NOT_DONE_ON_MONDAY) or _passes(words):
        return "never"
    if not is_number:
        return "any" if words & ARRANGED else None
    effect = effect_by_name(name)
    if effect is not None:
        return ONE_WAY[effect.effect]
    if words & LESS:
        return "down"
    return "up" if words & MORE else None


def _passes(words: set[str]) -> bool:
    if words & WORK and words & TIME:
        return True
    return bool(words & PASSES) and not words & (AGREED | HELPS)


def usual_change(name: str, is_number: bool, in_rows: Effect = "unknown") -> Change | None:
    """What a person can change about a column, before anybody has said so; None: not known, so not to be proposed.

    Parameters
    ----------
    name : str
        Of the column.
    is_number : bool
        Whether it holds numbers.
    in_rows : {"helps", "harms", "unknown"}, default="unknown"
        What more of it does for the favourable outcome in the rows, from `effect_in_rows`. A number whose name does not
        tell goes where the rows say that it is better; one whose name says the opposite of the rows stays.
    """
    by_name = change_by_name(name, is_number)
    if not is_number or by_name == "never" or in_rows == "unknown":
        return by_name
    if by_name is None:
        return ONE_WAY[in_rows]
    return by_name if by_name == ONE_WAY[in_rows] else "never"
