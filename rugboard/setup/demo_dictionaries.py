"""What is known of the demos: what cannot be undone, what helps or harms, and how people can change it.

Labels are not needed, since the tables have plain names; what the columns mean is in `data/README.md`. Which columns
are protected is left to the visitor: those that may stand for a protected group are no features unless somebody ticks
them.
"""

from dataclasses import replace
from typing import Final

from rugcore.dictionary import ColumnEntry, DataDictionary
from rugcore.explanations import ColumnWording

PAST: Final = ColumnEntry(past_fact=True)
PAST_HARM: Final = ColumnEntry(past_fact=True, effect="harms")
HELPS: Final = ColumnEntry(effect="helps", lowest=0)
HARMS: Final = ColumnEntry(effect="harms", lowest=0)
GROWS: Final = ColumnEntry(effect="helps", change="never", lowest=0)  # with time, and nobody is told to wait for years
GIVEN: Final = ColumnEntry(change="never")
OF_LAST_YEAR: Final = ColumnEntry(past_fact=True, effect="helps", lowest=0)
# Of two loans of the same amount, the one for dearer goods has the larger part paid by the borrower. Whether the price
# is low for the amount is not for the wording to say: rules look at the price, and some pay a large part themselves.
GOODS: Final = ColumnEntry(change="never", wording=ColumnWording(low="{column} is low for this application"))

# From worst to best. Whoever has no history has no place: whether that is better or worse is for nobody to say.
SLOW_PAYMENTS: Final = (
    "payments 90 days overdue",
    "payments 60 days overdue",
    "more than two slow payments",
    "one or two slow payments",
    "no slow payments",
)
LATE_PAYMENTS: Final = ("more than two late payments", "one or two late payments", "no late payments")
NO_IS_BETTER: Final = ("yes", "no")

_KNOWN: Final[dict[str, dict[str, ColumnEntry]]] = {
    "hmda": {
        "payments to income ratio": HARMS,
        "housing expense to income ratio": HARMS,
        "loan to value ratio": HARMS,
        "consumer credit history": replace(PAST, order=SLOW_PAYMENTS),
        "mortgage credit history": replace(PAST, order=LATE_PAYMENTS),
        "public bad credit record": replace(PAST, order=NO_IS_BETTER),
        "unemployment rate in industry": replace(GIVEN, effect="harms"),
        "denied mortgage insurance": replace(GIVEN, order=NO_IS_BETTER),  # another firm's decision
        "African American": GIVEN,
    },
    "credit_data": {
        "years in job": GROWS,
        "prior records": replace(PAST, order=NO_IS_BETTER),
        "income": HELPS,
        "assets": HELPS,
        "debt": HARMS,
        "amount requested": HARMS,
        "price of goods": GOODS,
        "age": ColumnEntry(change="up"),
    },
    "lending_club": {
        "annual income": HELPS,
        "years employed": GROWS,
        "delinquencies in 2 years": PAST_HARM,
        "credit inquiries in 6 months": PAST_HARM,
        "credit inquiries in 12 months": PAST_HARM,
        "personal finance inquiries": PAST_HARM,
        "accounts now delinquent": HARMS,
        "amount past due": HARMS,
        "interest rate": GIVEN,  # the lender's own judgement
        "lender grade": GIVEN,
    },
    "adult": {
        "age": ColumnEntry(change="up"),
        "education level": GROWS,
        "capital gain": OF_LAST_YEAR,
        "capital loss": PAST_HARM,  # in these rows it goes with wealth, and nobody is told to lose more
        "race": GIVEN,
        "sex": GIVEN,
        "native country": GIVEN,
    },
    "compas": {
        "age": ColumnEntry(change="up"),
        "sex": GIVEN,
        "race": GIVEN,
        "juvenile felonies": PAST_HARM,
        "juvenile misdemeanors": PAST_HARM,
        "other juvenile offences": PAST_HARM,
        "prior offences": PAST_HARM,
        "charge degree": PAST,
    },
}


def demo_dictionary(name: str) -> DataDictionary:
    """Of a demo by its name; one that knows nothing, if there is none."""
    return DataDictionary(_KNOWN.get(name, {}))
