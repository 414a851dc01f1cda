"""From a table and a plan to what the engine is given: features, target, groups, and which rows are for the test.

Here, and nowhere else, the data dictionary is applied: columns come out under their labels and values in words, so that
rules, reasons and advice speak in them without knowing of it. `Plan.shown` is the plan in the same words.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split

from rugboard.runs.plan import Plan
from rugcore.data_quality import bands
from rugcore.dictionary import DataDictionary, value_text
from rugcore.errors import InputError
from rugcore.fairness import BETWEEN
from rugcore.outside_models import OutsideDecisions, is_undecided, outcomes_in_words, read_outside
from rugcore.tables import as_numbers

BLANK = "(blank)"
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
    outside: OutsideDecisions | None = None  # what another model decided about these rows


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Positions in `Prepared`: rows to learn from, and rows to be judged on."""

    train: np.ndarray
    test: np.ndarray
    notes: tuple[str, ...]


def prepare(frame: pd.DataFrame, plan: Plan) -> Prepared:
    """Read a table as the plan says; rows without an outcome are left out, and that is noted."""
    _refuse_other_favourable(frame[plan.target], plan)
    return prepare_part(frame, plan)


def prepare_part(frame: pd.DataFrame, plan: Plan) -> Prepared:
    """The same of a part of a table, in which the favourable outcome need not occur."""
    has_outcome = frame[plan.target].notna().to_numpy()
    is_used = has_outcome & _is_decided_elsewhere(frame, plan)
    rows = np.flatnonzero(is_used)
    labelled = frame if is_used.all() else frame.iloc[rows]  # a copy of a large table only where it must be
    labelled = labelled.reset_index(drop=True)
    n_blank, n_undecided = len(frame) - int(has_outcome.sum()), int((has_outcome & ~is_used).sum())
    return Prepared(
        X=features_of(labelled, plan),
        y=outcomes_in_words(labelled, plan.target, plan.dictionary),
        groups=groups_of(labelled, plan),
        rows=rows,
        notes=(
            *_left_out(n_blank, len(frame), plan.target, plan),
            *_left_out(n_undecided, len(frame), "" if plan.outside is None else plan.outside.column, plan),
        ),
        outside=_outside_of(labelled, plan),
    )


def _left_out(n_rows: int, n_all: int, column: str, plan: Plan) -> tuple[str, ...]:
    if not n_rows:
        return ()
    name = plan.dictionary.shown_name(column)
    return (f"{n_rows:,} of {n_all:,} rows have no value in {name!r} and were left out.",)


def _is_decided_elsewhere(frame: pd.DataFrame, plan: Plan) -> np.ndarray:
    """Rows to keep, where people without a decision of the other model are to be left out."""
    if plan.outside is None or not plan.outside.skip_blanks:
        return np.ones(len(frame), dtype=bool)
    return ~is_undecided(frame[plan.outside.column], plan.dictionary)


def _outside_of(frame: pd.DataFrame, plan: Plan) -> OutsideDecisions | None:
    if plan.outside is None:
        return None
    return read_outside(frame, plan.outside, plan.target, plan.favourable, plan.dictionary)


def _refuse_other_favourable(target: pd.Series, plan: Plan) -> None:
    values = target.astype(object)
    if not (values == plan.favourable).any():
        raise InputError(
            f"The favourable value {plan.favourable!r} does not occur in {plan.target!r}. Choose one that does."
        )


# -- features ----------------------------------------------------------------------------------------------


def features_of(frame: pd.DataFrame, plan: Plan) -> pd.DataFrame:
    """The columns that rules may use, each of the kind that the plan gives it, in the words of the dictionary."""
    columns = {name: _of_kind(frame[name], plan.kinds.get(name)) for name in plan.features}
    return plan.dictionary.applied(pd.DataFrame(columns, index=frame.index, copy=False))


def _of_kind(column: pd.Series, kind: str | None) -> pd.Series:
    if kind == "number":
        return as_numbers(column)
    return column.astype("category") if kind == "category" else column


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


# -- and of a table that is not here -------------------------------------------------------------------------


def is_test(rows: np.ndarray, seed: int, share: float) -> np.ndarray:
    """Which rows are kept from training, by their numbers: each with this chance, whatever the others are.

    The number is stirred by splitmix64 (Steele, Lea and Flood, 2014), which makes of neighbours, and of neighbouring
    seeds, what no test tells from chance.
    """
    stirred = _splitmix64(np.asarray(rows, dtype=np.uint64) ^ _splitmix64(np.uint64(seed)))
    chances: np.ndarray = (stirred >> np.uint64(11)) * 2.0**-53  # as many bits as a fraction has
    return chances < share


def _splitmix64(numbers: Any) -> Any:
    with np.errstate(over="ignore"):  # counting on from zero is what it rests on
        mixed = numbers + np.uint64(0x9E3779B97F4A7C15)
        mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return mixed ^ (mixed >> np.uint64(31))
