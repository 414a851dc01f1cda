"""The words of a column's name, however they were run together."""

import re
import unicodedata

# Where one word ends and the next begins: lowUp, 12Months, last12, ABCWord.
JOINTS = re.compile(r"(?<=[a-z])(?=[A-Z0-9])|(?<=[0-9])(?=[A-Z][a-z])|(?<=[A-Z])(?=[A-Z][a-z])")


def words_of(name: str) -> list[str]:
    """The words of a name in small letters, also of applicantAge, native_country and MSinceMostRecentDelq."""
    return [part for part in parts_of(name) if not part.isdigit()]


def parts_of(name: str) -> list[str]:
    """Words and whole numbers, as they stand in a name: WorstStatus12m is worst, status, 12, m."""
    parted = JOINTS.sub(" ", name)
    plain = unicodedata.normalize("NFKD", parted.replace("ı", "i").replace("İ", "I"))  # noqa: RUF001 - Turkish
    letters = "".join(letter for letter in plain if not unicodedata.combining(letter))
    return [part.lower() for part in re.findall(r"[^\W\d_]+|\d+", letters)]
