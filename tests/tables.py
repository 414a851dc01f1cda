"""Tables of every kind of column, for tests of more than one room."""

import numpy as np
import pandas as pd

PURPOSES = ["car", "house", "new business", "food and drinks", "missing"]


def mixed_table(n_rows: int = 200, seed: int = 0, blanks: float = 0.1) -> pd.DataFrame:
    """Numbers, codes, text, categories and true/false, with blanks in most columns."""
    rng = np.random.default_rng(seed)

    def with_blanks(values: list[object]) -> list[object]:
        return [
            None if is_blank else value for value, is_blank in zip(values, rng.random(n_rows) < blanks, strict=False)
        ]

    return pd.DataFrame(
        {
            "income": rng.normal(40_000, 15_000, n_rows).round(2),
            "debt ratio": pd.array(with_blanks(rng.random(n_rows).tolist()), dtype="Float64"),
            "children": pd.array(with_blanks(rng.integers(0, 5, n_rows).tolist()), dtype="Int64"),
            "purpose": pd.array(with_blanks(rng.choice(PURPOSES, n_rows).tolist()), dtype="str"),
            "region": pd.Categorical(
                with_blanks(rng.choice(["north", "south", "east"], n_rows).tolist()),
                categories=["east", "north", "south", "unused"],
            ),
            "branch": pd.Categorical(with_blanks(rng.choice([7, 12, 1500], n_rows).tolist())),
            "employed": pd.array(with_blanks(rng.choice([True, False], n_rows).tolist()), dtype="boolean"),
        }
    )


def mixed_outcome(table: pd.DataFrame, seed: int = 0) -> pd.Series:
    """Three classes that hang on numbers, text, categories and blanks alike, with some noise."""
    rng = np.random.default_rng(seed + 1)
    is_poor = table["income"] < 35_000
    is_risky = table["debt ratio"].isna() | table["purpose"].isin(["missing", "car"])
    is_settled = table["employed"].fillna(False).astype(bool) & (table["region"] == "north").to_numpy(bool)
    outcome = np.select([is_poor & is_risky, is_settled], ["refuse", "grant"], "ask")
    is_noise = rng.random(len(table)) < 0.1
    outcome = np.where(is_noise, rng.choice(["refuse", "grant", "ask"], len(table)), outcome)
    return pd.Series(outcome, name="outcome", index=table.index)
