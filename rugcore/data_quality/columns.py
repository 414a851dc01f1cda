"""What there is to say about one column, whatever the target is."""

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from rugcore.data_quality.findings import Column, Finding, Severity, percent
from rugcore.readers.columns import MOSTLY
from rugcore.rules.words import value
from rugcore.tables.coded_values import are_codes
from rugcore.tables.name_words import JOINTS
from rugcore.tables.table import numbers_of, plain_value

MISSING_WORTH_A_NOTE = 0.05
MISSING_WORTH_A_WARNING = 0.5
MANY_VALUES = 50  # categories that a person would look through

FEWEST_FOR_IDENTIFIER = 20  # distinct values; a short column may have no value twice by chance
NEARLY_ALL = 0.95  # of the known values are distinct
MANY = 0.5  # enough where the name says the same
ADVICE_ON_DATES = (
    "Write the year, or the days since a fixed day, into a column of the file to have a number, or leave it out."
)
# Names of numbers that name something, however often each stands there: more of a job_ad_id is no more of anything.
NAMES_OF_NAMES = {"id", "ids", "uuid", "guid", "iban", "ssn"}
NAMES_OF_IDENTIFIERS = {"id", "uuid", "guid", "key", "nr", "no", "number", "iban", "ssn", "email", "phone", "index"}


def findings_on_blanks(column: Column, missing_share: float) -> Iterator[Finding]:
    if column.kind == "blank":
        yield column.finding("blank", "warning", "has no value in any row. No rule can use it.")
    elif missing_share >= MISSING_WORTH_A_NOTE:
        severity: Severity = "warning" if missing_share >= MISSING_WORTH_A_WARNING else "note"
        yield column.finding("missing", severity, f"is blank in {percent(missing_share)} of the rows.")


def findings_on_values(column: Column) -> list[Finding]:
    if column.n_distinct == 1:
        only = value(plain_value(column.distinct[0]))
        return [column.finding("constant", "note", f"has only the value {only!r}. It tells no rows apart.")]
    found = _identifier(column)
    if found:
        return [found]
    if column.kind == "date":
        words = "looks like dates, and each date would be a category."
        return [column.finding("dates", "note", words, ADVICE_ON_DATES)]
    return _findings_on_categories(column)


def _findings_on_categories(column: Column) -> list[Finding]:
    if column.kind != "category":
        return []
    if not isinstance(column.series.dtype, pd.CategoricalDtype):  # those were made categories on purpose
        text = pd.Series(column.distinct).astype(str).str.strip()
        is_other = pd.to_numeric(text, errors="coerce").isna().to_numpy()
        n_others = int(is_other[column.codes[column.codes >= 0]].sum())
        if n_others < (1 - MOSTLY) * column.n_known:
            return [_numbers_as_text(column, text[is_other], n_others)]
        if are_codes(column.name, text.tolist()):
            words = f"holds codes such as {text.iloc[0]!r}, and no letter can name one that nobody has explained."
            return [column.finding("codes", "note", words, "Say what they mean in the data dictionary.")]
    if column.n_distinct > MANY_VALUES:
        words = f"has {column.n_distinct:,} different values; a rule speaks of one or a few."
        return [column.finding("many values", "note", words, "Consider grouping them.")]
    return []


def _numbers_as_text(column: Column, others: pd.Series, n_rows: int) -> Finding:
    if others.empty:
        words = "holds numbers as text; each would be a category."
        return column.finding("numbers as text", "note", words, "Read it as a number if its order matters.")
    words = f"is text because of {others.iloc[0]!r} and the like in {n_rows:,} rows, and numbers in the rest."
    advice = "Leave those cells empty to have it read as numbers."
    return column.finding("numbers as text", "warning", words, advice)


def _identifier(column: Column) -> Finding | None:
    """Values that name a row rather than describe it."""
    share = column.n_distinct / column.n_known
    if column.n_distinct <= FEWEST_FOR_IDENTIFIER or column.kind == "boolean":
        return None
    if share < MANY:
        return _name_in_numbers(column)
    is_named_so = is_name_of_identifier(column.name)
    is_text = column.kind == "category"
    if not (is_text or column.kind == "date") and not _is_whole(column.distinct):
        return None
    if is_named_so or (is_text and share >= NEARLY_ALL) or (_is_run(column) and share == 1):
        words = f"has {_nearly(share)} different value in every row, like an identifier."
        return column.finding("identifier", "warning", words, "Leave it out of the rules.")
    if share == 1 and column.kind == "number":
        words = "has a different value in every row."
        return column.finding("identifier", "note", words, "If it is an identifier, leave it out of the rules.")
    return None


def _name_in_numbers(column: Column) -> Finding | None:
    """Numbers that many rows share and that stand for something else, such as a branch or an advertisement."""
    *_, last = re.findall(r"[^\W\d_]+", JOINTS.sub(" ", column.name).lower()) or [""]
    if column.kind != "number" or last not in NAMES_OF_NAMES or not _is_whole(column.distinct):
        return None
    words = "holds numbers that stand for something else, as its name says: more of it means nothing."
    return column.finding("identifier", "warning", words, "Leave it out of the rules.")


def _nearly(share: float) -> str:
    return "a" if share == 1 else "nearly a" if share >= NEARLY_ALL else "often a"


def is_name_of_identifier(name: str) -> bool:
    """`customer_id`, `CustomerID`, `account number`; but not `number of accounts`."""
    words = [word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)]
    return bool(words) and (words[-1] in NAMES_OF_IDENTIFIERS or words[0] == "id")


def _is_whole(values: Any) -> bool:
    numbers = numbers_of(pd.Series(values))
    return bool(np.isfinite(numbers).all() and (numbers == np.floor(numbers)).all())


def _is_run(column: Column) -> bool:
    """Whole numbers that count the rows, more or less."""
    if column.kind != "number":
        return False
    numbers = numbers_of(pd.Series(column.distinct))
    return float(numbers.max() - numbers.min()) < 2 * len(numbers)
