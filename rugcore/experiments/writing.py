"""Results beside the paper's figures: one line per set, system and notion, as CSV and as Markdown."""

from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from rugcore.experiments.definitions import Experiment
from rugcore.experiments.measures import MEASURES
from rugcore.experiments.running import Result

KEYS = ["set", "system", "notion"]
OWN_MEASURES = ("gap", "proof_gap")  # which the paper does not print
TITLES = {
    "cpu_s": "CPU, s",
    "f1": "F1, %",
    "acc": "accuracy, %",
    "score": "fairness, %",
    "n_rules": "rules",
    "avg_rule_length": "length",
    "rules_per_row": "rules a row",
    "rule_length_per_row": "length a row",
    "gap": "gap, points",
    "proof_gap": "gap to the optimum, %",
}
FIGURES = Path(__file__).with_name("paper_figures.csv")


@cache
def paper_figures() -> pd.DataFrame:
    """The paper's tables; a line for every experiment, set, system and notion."""
    return pd.read_csv(FIGURES, keep_default_na=False, na_values={name: [""] for name in MEASURES})


def results_table(experiment: Experiment, results: Iterable[Result], missing: Iterable[str] = ()) -> pd.DataFrame:
    """Ours, the paper's, and the difference of every measure; what only one of the two has is blank in the other.

    `status` says what a line is: ours and the paper's, ours alone, quoted from the paper, or a missing set.
    """
    ours = pd.DataFrame([{key: result[key] for key in KEYS} | result["measures"] for result in results])
    ours = ours.reindex(columns=[*KEYS, *MEASURES, *OWN_MEASURES])
    theirs = paper_figures().query("experiment == @experiment.name").drop(columns="experiment")
    table = ours.merge(theirs, on=KEYS, how="outer", suffixes=("", "_paper"), indicator="status")
    table["status"] = (
        table["status"].astype(str).map({"both": "ours and paper's", "left_only": "ours", "right_only": "quoted"})
    )
    table.loc[table["set"].isin(list(missing)), "status"] = "set is missing, quoted"
    for name in MEASURES:
        table[f"{name}_difference"] = table[name] - table[f"{name}_paper"]
    table["comparable"] = ~table["set"].isin(experiment.not_comparable)
    return table.sort_values(KEYS, ignore_index=True)


def to_markdown(experiment: Experiment, table: pd.DataFrame) -> str:
    """Every cell "ours (paper's, difference)"; what nobody measured is left out, and means stand below."""
    measures = [name for name in (*MEASURES, *OWN_MEASURES) if _is_there(table, name)]
    keys = [key for key in KEYS if (table[key] != "").any()]
    head = [*keys, *(TITLES[name] for name in measures), "what"]
    lines = [[*(str(row[key]) for key in keys), *(_shown(row, name) for name in measures), _what(row)]
             for row in table.to_dict("records")]  # fmt: skip
    means = [[*_padded(keys, system), *shown, "mean"] for system, shown in _means(table, measures)]
    body = [f"| {' | '.join(line)} |" for line in (head, ["---"] * len(head), *lines, *means)]
    return f"## {experiment.name}: {experiment.about}\n\n" + "\n".join(body) + "\n"


def _is_there(table: pd.DataFrame, name: str) -> bool:
    return bool(table[name].notna().any() or (f"{name}_paper" in table and table[f"{name}_paper"].notna().any()))


def _what(row: dict[Any, Any]) -> str:
    return str(row["status"]) if row["comparable"] else f"{row['status']}; the paper's has another target"


def _shown(row: dict[Any, Any], name: str) -> str:
    own, theirs = row[name], row.get(f"{name}_paper", float("nan"))
    if pd.isna(own):
        return "" if pd.isna(theirs) else f"({theirs:g})"
    if pd.isna(theirs):
        return _number(own)
    return f"{_number(own)} ({theirs:g}, {own - theirs:+.2f})"


def _number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")


def _padded(keys: list[str], system: str) -> list[str]:
    return [{"set": "**comparable sets**", "system": system}.get(key, "") for key in keys]


def _means(table: pd.DataFrame, measures: list[str]) -> Iterable[tuple[str, list[str]]]:
    """Of every system that both have: over the sets that both have, and that are comparable."""
    both = table[(table["status"] == "ours and paper's") & table["comparable"]]
    for (system, notion), own in both.groupby(["system", "notion"]):
        means = {name: np.mean(own[name]) for name in measures}
        means |= {f"{name}_paper": np.mean(own[f"{name}_paper"]) for name in measures if f"{name}_paper" in own}
        means = {name: round(float(value), 2) for name, value in means.items()}
        yield f"{system} {notion}".strip() + f", {len(own)} sets", [_shown(means, name) for name in measures]
