"""From a table and a plan to what the engine is given: features, target, groups, and which rows are for the test.

Here, and nowhere else, the data dictionary is applied: columns come out under their labels and values in words, so that
rules, reasons and advice speak in them without knowing of it. `Plan.shown` is the plan in the same words.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import pandas as pd
from pandas.api import types
from sklearn.model_selection import train_test_split

from rugboard.runs.plan import Plan
from rugcore.data_quality import bands
from rugcore.dictionary import DataDictionary, value_text
from rugcore.errors import InputError

BLANK = "(blank)"
BETWEEN = " / "  # the parts of a group that is a combination
# Fairness is held between every two groups; with more the program would not fit, nor anybody read the result.
MOST_GROUPS = 50


@dataclass(frozen=True, eq=False)
class Prepared:
    """The rows that have an outcome. `rows` are their positions in the table; the index of the others counts on."""

    X: pd.DataFrame
    y: pd.Series
    groups: pd.Series | None
    rows: np.ndarray
    notes: tuple[str, ...]  # what a person should know about how the table was read


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Positions in `Prepared`: rows to learn from, and rows to be judged on."""

    train: np.ndarray
    test: np.ndarray
    notes: tuple[str, ...]


def prepare(frame: pd.DataFrame, plan: Plan) -> Prepared:
    """Read a table as the plan says; rows without an outcome are left out, and that is noted."""
    has_outcome = frame[plan.target].notna().to_numpy()
    rows = np.flatnonzero(has_outcome)
    labelled = frame if has_outcome.all() else frame.iloc[rows]  # a copy of a large table only where it must be
    labelled = labelled.reset_index(drop=True)
    _refuse_other_favourable(labelled[plan.target], plan)
    n_blank = len(frame) - len(rows)
    target = plan.dictionary.shown_name(plan.target)
    note = f"{n_blank:,} of {len(frame):,} rows have no value in {target!r} and were left out."
    return Prepared(
        X=features_of(labelled, plan),
        y=_outcomes_of(labelled, plan),
        groups=groups_of(labelled, plan),
        rows=rows,
        notes=(note,) if n_blank else (),
    )


def _refuse_other_favourable(target: pd.Series, plan: Plan) -> None:
    values = target.astype(object)
    if not (values == plan.favourable).any():
        raise InputError(
            f"The favourable value {plan.favourable!r} does not occur in {plan.target!r}. Choose one that does."
        )


def _outcomes_of(frame: pd.DataFrame, plan: Plan) -> pd.Series:
    raw, outcomes = frame[plan.target], plan.dictionary.applied(frame[[plan.target]]).iloc[:, 0]
    return outcomes if outcomes.dtype == raw.dtype else outcomes.astype("str")  # in words: categories


# -- features ----------------------------------------------------------------------------------------------


def features_of(frame: pd.DataFrame, plan: Plan) -> pd.DataFrame:
    """The columns that rules may use, each of the kind that the plan gives it, in the words of the dictionary."""
    columns = {name: _of_kind(frame[name], plan.kinds.get(name)) for name in plan.features}
    return plan.dictionary.applied(pd.DataFrame(columns, index=frame.index, copy=False))


def _of_kind(column: pd.Series, kind: str | None) -> pd.Series:
    if kind == "number":
        return as_numbers(column)
    return column.astype("category") if kind == "category" else column


def as_numbers(column: pd.Series) -> pd.Series:
    """Text as the numbers that it is; refused with an `InputError` if some of it is none."""
    if types.is_numeric_dtype(column.dtype) and not types.is_bool_dtype(column.dtype):
        return column
    values = column.astype(object)
    numbers = pd.to_numeric(values, errors="coerce").astype("float64")
    others = values[~np.isfinite(numbers) & column.notna()]
    if len(others):
        raise _no_numbers(str(column.name), others, len(column))
    return numbers


def _no_numbers(name: str, others: pd.Series, n_rows: int) -> InputError:
    alike = " and the like" if others.nunique() > 1 else ""
    where = f"all {n_rows:,} rows" if len(others) == n_rows else f"{len(others):,} of {n_rows:,} rows"
    return InputError(
        f"Column {name!r} cannot be read as numbers because of {others.iloc[0]!r}{alike} in {where}. Read it as it is, "
        "leave it out, or load a file with numbers or empty cells there."
    )


# -- groups ------------------------------------------------------------------------------------------------


class Grouping(Protocol):
    """The part of a plan that makes groups."""

    @property
    def sensitive(self) -> tuple[str, ...]: ...
    @property
    def bands(self) -> Mapping[str, tuple[float, ...]]: ...
    @property
    def dictionary(self) -> DataDictionary: ...


def groups_of(frame: pd.DataFrame, plan: Grouping) -> pd.Series | None:
    """The group of every row in words: the value of the sensitive column, or of several, a blank being one of them."""
    if not plan.sensitive:
        return None
    shown = plan.dictionary.shown_name
    parts = [_group_names(frame[[name]], plan.bands.get(name), plan.dictionary) for name in plan.sensitive]
    groups = parts[0]
    if len(parts) > 1:
        quoted = [part.where(~part.str.contains(BETWEEN, regex=False), "“" + part + "”") for part in parts]
        groups = quoted[0].str.cat(pd.concat(quoted[1:], axis=1), sep=BETWEEN)
    n_groups = groups.nunique()
    if n_groups > MOST_GROUPS:
        raise InputError(
            f"The sensitive attribute makes {n_groups:,} groups, and at most {MOST_GROUPS} can be compared. Cut its "
            "numbers into bands, or choose fewer columns."
        )
    return groups.rename(BETWEEN.join(map(shown, plan.sensitive)))


def _group_names(frame: pd.DataFrame, edges: tuple[float, ...] | None, dictionary: DataDictionary) -> pd.Series:
    """Of a table of one column. A special code is a group of its own: 999 for "not told" is no old age."""
    column, special = frame.iloc[:, 0], dictionary.entry(str(frame.columns[0])).special
    if edges is not None:
        numbers = as_numbers(column)
        return _bands(numbers, edges).where(~numbers.isin(list(special)), numbers.map(special))
    names = dictionary.applied(frame).iloc[:, 0].astype(object)
    names = names.map(lambda value: special.get(value, value_text(value)), na_action="ignore")
    return names.astype("str").where(column.notna(), BLANK)


def _bands(numbers: pd.Series, edges: tuple[float, ...]) -> pd.Series:
    return bands(numbers, edges).astype("str").where(numbers.notna(), BLANK)


# -- split -------------------------------------------------------------------------------------------------


def split(prepared: Prepared, plan: Plan) -> HeldOut:
    """Hold out rows for the test, in the proportions of the outcomes wherever there are enough of each."""
    outcome, values = pd.factorize(prepared.y)
    positions = np.arange(len(outcome))
    options = {"test_size": plan.test_share, "random_state": plan.split_seed}
    try:
        train, test = train_test_split(positions, stratify=outcome, **options)
    except ValueError:
        return _plain_split(positions, options, rarest=values[int(np.bincount(outcome).argmin())])
    return HeldOut(np.sort(train), np.sort(test), ())


def _plain_split(positions: np.ndarray, options: dict[str, float], rarest: object) -> HeldOut:
    try:
        train, test = train_test_split(positions, **options)
    except ValueError as error:
        raise InputError(f"The table has {len(positions)} rows with an outcome: too few to hold some out.") from error
    note = (
        f"The outcome {str(rarest)!r} is too rare to be shared out in proportion, so the test rows were drawn without "
        "regard to the outcome."
    )
    return HeldOut(np.sort(train), np.sort(test), (note,))
