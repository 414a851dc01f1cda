"""How a reason is worded: defaults from the column's name, any of which the user can replace."""

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from itertools import takewhile
from typing import Any, Literal

from rugcore.errors import InputError
from rugcore.rules import words
from rugcore.tables.name_words import parts_of
from rugcore.tables.table import is_blank

# What a rule found in a column, without its thresholds.
Finding = Literal["high", "low", "middle", "value", "missing", "known", "special"]

COLUMN, VALUE = "{column}", "{value}"
BRACED = re.compile(r"\{[^{}]*\}?|\}")


@dataclass(frozen=True)
class ColumnWording:
    """Texts for one column; an empty one is the default.

    `{column}` stands for the column's name and `{value}` for the applicant's own value.
    """

    high: str = ""
    low: str = ""
    middle: str = ""  # neither high nor low: a rule, or several together, set a limit on both sides
    value: str = ""  # a category
    missing: str = ""
    known: str = ""
    special: str = ""  # a special code in a column of numbers, such as -9 for "no such record"
    values: Mapping[str, str] = field(default_factory=dict)  # by category, where one needs a text of its own


DEFAULTS = ColumnWording(
    high=f"{COLUMN} is high",
    low=f"{COLUMN} is low",
    middle=f"{COLUMN} is in an unfavourable range",
    value=f'{COLUMN} is "{VALUE}"',
    missing=f"{COLUMN} is not known",
    known=f"{COLUMN} is known",
    special=f'{COLUMN} is "{VALUE}"',
)
# Of a column that has but two numbers, such as 0 and 1, each is a value.
FLAG = f"{COLUMN} is {VALUE}"
RELATIVE = " for this application"
OF_AMOUNTS: tuple[Finding, ...] = ("high", "low", "middle", "missing", "known")
# What stands behind one of these, or behind a number, tells more of what a name is about.
BEHIND = frozenset(
    ["in", "of", "per", "since", "within", "over", "at", "for", "with", "on", "last", "opened", "employed", "ever"]
)
NO_PLURAL = ("ss", "us", "is")  # loss, status, basis
# What is measured is one: a percentage of trades, a gap in mths.
MEASURES = frozenset(
    ["percent", "percentage", "pct", "share", "fraction", "num", "number", "nr", "count", "average", "avg"]
)
UNITS_IN_SHORT = frozenset(["mths", "mnths", "mos", "yrs", "hrs", "wks"])
PLAIN_FIELDS = tuple(item.name for item in fields(ColumnWording) if item.name != "values")


@dataclass(frozen=True)
class Wording:
    """How reasons are worded; give it to `reasons_table`.

    Parameters
    ----------
    columns : dict of ColumnWording
        Texts by column; columns that are not there have the defaults, such as "income is low".
    """

    columns: Mapping[str, ColumnWording] = field(default_factory=dict)

    def text(
        self, column: str, finding: Finding, value: Any = None, *, is_flag: bool = False, is_relative: bool = False
    ) -> str:
        """The reason in words; what stands in the user's data is put in as it is, and never read as a template.

        Parameters
        ----------
        column : str
            The column that a rule looks at.
        finding : {"high", "low", "middle", "value", "missing", "known", "special"}
            What the rule found there.
        value : object
            The applicant's own value; of a special code, what it stands for.
        is_flag : bool, default=False
            Whether the column has but two numbers, such as 0 and 1, so that neither is high or low.
        is_relative : bool, default=False
            Whether a number is high or low only for this person, while most of those compared with have no better one.
        """
        own = self.columns.get(column, ColumnWording())
        shown = "" if is_blank(value) else words.value(words.measured(value) if isinstance(value, float) else value)
        template = own.values.get(shown, "") if finding in ("value", "special") else ""
        template = template or getattr(own, finding) or _usual(column, finding, is_flag, is_relative)
        parts = [part.replace(COLUMN, column) for part in template.split(VALUE)]
        return shown.join(parts)

    def to_json(self) -> str:
        """All texts as JSON, to keep or to edit; `from_json` reads it back."""
        return json.dumps({name: asdict(own) for name, own in self.columns.items()}, ensure_ascii=False, indent=1)

    @classmethod
    def from_json(cls, text: str) -> "Wording":
        """Read the `text` that `to_json` wrote; anything else is refused with an `InputError`."""
        try:
            content = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise InputError("Expected a wording as JSON, but the text is not JSON.") from error
        if not isinstance(content, dict):
            raise InputError(f"Expected a wording with one entry per column, but got {type(content).__name__}.")
        return cls({name: column_wording(name, item) for name, item in content.items()})


def _usual(column: str, finding: Finding, is_flag: bool, is_relative: bool) -> str:
    """The text where nobody has one of their own."""
    is_amount = finding in ("high", "low")
    is_value = (is_flag and is_amount) or finding not in OF_AMOUNTS
    text: str = FLAG if is_flag and is_amount else getattr(DEFAULTS, finding)
    if is_plural(column):
        text = text.replace(f"{COLUMN} is ", f"{COLUMN}: " if is_value else f"{COLUMN} are ")
    return text + (RELATIVE if is_relative and is_amount and not is_flag else "")


def is_plural(column: str) -> bool:
    """Whether a name speaks of several, as "assets" or "inquiriesIn6Months" do; "loan term in months" does not."""
    told = takewhile(lambda part: part not in BEHIND and not part.isdigit(), parts_of(column))
    *before, last = list(told) or [""]
    if last in UNITS_IN_SHORT or MEASURES & set(before[:1]):
        return False
    return len(last) > len("gas") and last.endswith("s") and not last.endswith(NO_PLURAL)


def check_template(text: str) -> None:
    """Refuse a text with a placeholder that nothing would be put in for, or with a brace left open."""
    wrong = next((part for part in BRACED.findall(text) if part not in (COLUMN, VALUE)), None)
    if wrong is not None:
        raise InputError(
            f"Expected no other words in braces than {COLUMN} (the name of the column) and {VALUE} (the applicant's "
            f"value), but got {wrong!r}."
        )


def column_wording(column: str, item: Any) -> ColumnWording:
    """Texts of one column as they stand in a file; anything else is refused with an `InputError`."""
    if not isinstance(item, dict) or not set(item) <= {*PLAIN_FIELDS, "values"}:
        listed = ", ".join((*PLAIN_FIELDS, "values"))
        raise InputError(f"Expected the wording of {column!r} to have no other fields than {listed}.")
    texts = {name: item[name] for name in PLAIN_FIELDS if name in item}
    by_value = item.get("values", {})
    if not isinstance(by_value, dict) or not all(isinstance(t, str) for t in (*texts.values(), *by_value.values())):
        raise InputError(f"Expected every wording of {column!r} to be text.")
    for text in (*texts.values(), *by_value.values()):
        check_template(text)
    return ColumnWording(**texts, values=by_value)
