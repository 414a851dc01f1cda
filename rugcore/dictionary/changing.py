"""What a person can change, as far as the name of a column and the rows tell; nothing that is only hoped.

Advice goes into letters, so that a column which nobody has described is not proposed: a category that the name does
not know as something to arrange, and a number whose name does not tell what a person would have to do.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rugcore.dictionary.entry import Change, Effect
from rugcore.dictionary.names import HELPS, TIME, WORK, effect_by_name, past_by_name, protected_by_name
from rugcore.tables.name_words import words_of


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# What others decide, or have written down; nobody is told to open accounts.
NOT_THEIRS = _words(
    "score scores fico creditscore estimate interest apr grade grades rating unemployment record records charge "
    "charges opened inquiry inquiries limit limits accounts lines trades"
)
NOT_DONE_ON_MONDAY = _words("diploma degree state region country county job role occupation profession purpose")
# Time passes, and nobody makes it; the time that a loan is to run is agreed upon.
PASSES = _words("since tenure year years yr yrs month months")
AGREED = _words("term duration dur loan repayment maturity per")
RUNS = _words("term duration dur maturity hours")  # shorter or longer, as the rows say
# With one of these, what lasts is no loan: nobody arranges the length of a call for an application.
NO_LOAN = _words("call calls contact visit stay illness relationship")
# Nobody is told to owe or to lose more.
LESS = _words(
    "amount amt expense expenses used loss losses loanamt loanamnt loanamount creditamount kreditsumme kreditbetrag "
    "kredithohe darlehenssumme darlehensbetrag ausgaben haushaltsausgaben montant depenses importe monto gastos "
    "leenbedrag uitgaven"
)
# The time in which a loan is paid back, which the amount and the instalments go with.
LOAN_TIME = _words("term maturity laufzeit duration dur")
LOAN_TIME_IF = _words("time period months month")  # if one of these stands beside it:
LOAN = _words("loan credit repayment mortgage kredit")
# Categories that people arrange for an application.
ARRANGED = _words("guarantor guarantors cosigner cosign coapplicant collateral telephone phone contract")
NOT_THERE = _words("no none nothing without false n 0 kein keine nein aucun non ninguno geen nee yok")
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
    return "down" if words & LESS else None


def _passes(words: set[str]) -> bool:
    if words & WORK and words & TIME:
        return True
    return bool(words & PASSES) and not words & (AGREED | HELPS)


def usual_change(name: str, is_number: bool, in_rows: Effect = "unknown", has_order: bool = False) -> Change | None:
    """What a person can change about a column, before anybody has said so; None: not known, so not to be proposed.

    Parameters
    ----------
    name : str
        Of the column.
    is_number : bool
        Whether it holds numbers.
    in_rows : {"helps", "harms", "unknown"}, default="unknown"
        What more of it does for the favourable outcome in the rows, from `effect_in_rows`, or as people say. That more
        of it helps does not tell whether anybody can have more of it: a number whose name does not say what it is
        stays, and so does one whose name says the opposite of the rows. A loan runs as long as the rows advise.
    has_order : bool, default=False
        Whether it is known which of its categories are better. One whose name speaks of what people have or owe, such
        as savings in bands, may then become a better one.
    """
    by_name = change_by_name(name, is_number)
    if by_name is None and has_order and not is_number and effect_by_name(name) is not None:
        return "any"
    if not is_number or by_name == "never" or in_rows == "unknown":
        return by_name
    if by_name is None:
        words = set(words_of(name))
        return ONE_WAY[in_rows] if words & RUNS and not words & NO_LOAN else None
    return by_name if by_name == ONE_WAY[in_rows] else "never"


@dataclass(frozen=True)
class Consequences:
    """What has to be said with every proposal of less of a column, or of more."""

    if_less: str = ""
    if_more: str = ""


IN_LESS_TIME = Consequences(
    if_less="The same amount in less time means larger instalments; the model was not asked about those.",
    if_more="The same amount over more time costs more interest in all.",
)


def consequences_by_name(name: str) -> Consequences:
    """What a change of a column brings along that a model does not see, as far as its name tells.

    Parameters
    ----------
    name : str
        Of the column.
    """
    words = set(words_of(name))
    is_about_loan = bool(words & LOAN_TIME) or bool(words & LOAN_TIME_IF and words & LOAN)
    is_another_time = past_by_name(name) is not None or "since" in words or bool(words & (NO_LOAN | WORK))
    return IN_LESS_TIME if is_about_loan and not is_another_time else Consequences()


def arranged_values(name: str, categories: Sequence[Any]) -> tuple[Any, ...] | None:
    """Of something that people arrange, such as a guarantor, all but to have none; None for any other column.

    Parameters
    ----------
    name : str
        Of the column.
    categories : sequence
        Its values.
    """
    if not set(words_of(name)) & ARRANGED:
        return None
    return tuple(value for value in categories if str(value).strip().lower() not in NOT_THERE)
