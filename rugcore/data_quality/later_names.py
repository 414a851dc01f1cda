"""Names of columns that are filled in after the decision: what was paid, what is still owed, who was dunned.

A name is no proof, so that it is a question. Words that an applicant's past may be told in are asked about only beside
others: a balance may be that of a savings account, unless the table tells of payments on the loan.
"""

from collections.abc import Sequence

from rugcore.tables.name_words import words_of


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Words that say so by themselves.
ALONE = _words(
    "recoveries dunning disbursed disbursement disbursements repaid repayed chargedoff repossessed repossession lgd"
)
# Words that say so together, side by side.
PHRASES = (
    *(
        "loan status",
        "status of loan",
        "charged off",
        "charge off",
        "chg off",
        "written off",
        "write off",
        "loss given default",
    ),
    *("collection letter", "collection letters", "collections letter", "collections letters", "collection agency"),
    *("collection recovery", "recovery amount", "recovery fee", "recovered amount", "amount recovered"),
    *("closing date", "closure date", "date closed", "closed date", "close date", "settlement date", "date settled"),
    *("settlement amount", "is settled", "loan settled", "outstanding balance", "remaining balance", "loan balance"),
    *("balance outstanding", "outstanding principal", "remaining principal", "principal outstanding", "out prncp"),
    *("last pymnt", "next pymnt", "total pymnt", "last payment date", "last payment amount", "next payment date"),
)
PAID, RECEIVED = _words("paid payed"), _words("rec received")
PARTS_OF_LOAN = _words("principal interest prncp int fee fees total")
ONLY_BESIDE_OTHERS = ("balance", "current balance", "settled")
# About earlier loans, an account, or a record, which are known when somebody applies.
KNOWN_BEFORE = _words(
    "previous previously prior past history historical earlier former existing ever last account accounts savings "
    "checking deposit card cards record records bill bills tax taxes rent"
)
# What stands in PHRASES with "last" is about this loan.
SINCE_THE_DECISION = ("last pymnt", "last payment date", "last payment amount")


def later_by_name(name: str) -> str | None:
    """The words that say that a column is filled in after the decision; None where there are none."""
    words = words_of(name)
    text, known = f" {' '.join(words)} ", set(words)
    later = next((phrase for phrase in SINCE_THE_DECISION if f" {phrase} " in text), None)
    if later is not None or known & KNOWN_BEFORE:
        return later
    phrase = next((phrase for phrase in PHRASES if f" {phrase} " in text), None)
    if phrase is not None:
        return phrase
    alone = next((word for word in words if word in ALONE), None)
    if alone is not None:
        return alone
    if known & (PAID | RECEIVED) and known & PARTS_OF_LOAN and len(known) <= 4:
        return " ".join(word for word in words if word in PAID | RECEIVED | PARTS_OF_LOAN)
    return None


def later_names(names: Sequence[str]) -> dict[str, str]:
    """Of the columns of a table those that may be filled in after the decision, with the words that say so."""
    found = {name: words for name in names if (words := later_by_name(name)) is not None}
    if found:
        beside = {name: " ".join(words_of(name)) for name in names if name not in found}
        found |= {name: words for name, words in beside.items() if words in ONLY_BESIDE_OTHERS}
    return found
