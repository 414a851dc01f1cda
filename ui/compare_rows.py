"""One model of a comparison as a line of numbers that a file can hold, and the table made of such lines."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ui.look import name_of_model

if TYPE_CHECKING:
    from rugcore.comparison import ModelRow

NAN = float("nan")

# The names of the engine, and those by which look and colour are found.
KEYS = {
    "logistic regression": "logistic",
    "decision tree": "tree",
    "random forest": "forest",
    "AdaBoost": "adaboost",
    "LightGBM": "lightgbm",
}
LIGHTGBM = "lightgbm"


@dataclass(frozen=True)
class Line:
    """What was measured of one model on the test rows; with an error, why nothing was."""

    model: str  # as `ui.look` knows it
    accuracy: float = NAN
    f1_binary: float = NAN
    f1_macro: float = NAN
    f1_weighted: float = NAN
    auc: float = NAN
    gaps: Mapping[str, float] = field(default_factory=dict)
    size: float = NAN
    unit: str = ""
    rule_length: float = NAN
    rules_per_row: float = NAN
    seconds: float = NAN
    error: str = ""
    rules: str = ""  # as JSON, where they are to be shown

    @classmethod
    def of(cls, model: str, row: "ModelRow", *, seconds: float | None = None, rules: str = "") -> "Line":
        return cls(
            model=model,
            accuracy=row.accuracy,
            f1_binary=row.f1_binary,
            f1_macro=row.f1_macro,
            f1_weighted=row.f1_weighted,
            auc=row.auc,
            gaps=row.gaps,
            size=float(row.size.count),
            unit=row.size.unit,
            rule_length=row.size.average_rule_length,
            rules_per_row=row.size.rules_per_row,
            seconds=row.fit_seconds if seconds is None else seconds,
            rules=rules,
        )

    @property
    def name(self) -> str:
        return name_of_model(self.model)

    @property
    def is_measured(self) -> bool:
        return not self.error


@dataclass(frozen=True, eq=False)
class Task:
    """Models by the name that they have on the page, and the rows that they learn from and are judged on."""

    models: Mapping[str, Any]
    X_train: pd.DataFrame
    y_train: pd.Series
    X_test: pd.DataFrame
    y_test: pd.Series
    groups: pd.Series | None
    positive_class: Any
    with_rules: bool = False  # keep the rules of each model


@dataclass(frozen=True)
class ShapShares:
    """Mean |SHAP| of LightGBM by column, and of how many rows."""

    importance: Mapping[str, float]
    n: int
    n_total: int

    @property
    def is_sample(self) -> bool:
        return self.n < self.n_total


@dataclass(frozen=True)
class Report:
    """What a comparison has found so far; written by its worker, read by everybody."""

    total: int = 0
    now: str = ""  # the model that is being trained
    is_waiting: bool = False
    is_finished: bool = False
    error: str = ""
    lines: tuple[Line, ...] = ()
    shap: ShapShares | None = None
    decisions: tuple[Any, ...] = ()  # what LightGBM decides for the test rows, as numbers of `classes`
    classes: tuple[Any, ...] = ()

    def to_json(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> "Report":
        values: dict[str, Any] = json.loads(text)
        values["lines"] = tuple(Line(**line) for line in values["lines"])
        values["shap"] = None if values["shap"] is None else ShapShares(**values["shap"])
        values["decisions"], values["classes"] = tuple(values["decisions"]), tuple(values["classes"])
        return cls(**values)

    def line(self, model: str) -> Line | None:
        return next((line for line in self.lines if line.model == model), None)

    @property
    def measured(self) -> tuple[Line, ...]:
        return tuple(line for line in self.lines if line.is_measured)


def in_order(lines: Sequence[Line]) -> list[Line]:
    """The models in one order everywhere, whichever was ready first."""
    order = ["rug", "fair", *KEYS.values()]
    return sorted(lines, key=lambda line: order.index(line.model) if line.model in order else len(order))


# -- the table ---------------------------------------------------------------------------------------------

LARGER_IS_BETTER = {"accuracy", "f1", "auc"}
NEITHER_IS_BETTER = {"rules_per_row"}  # few are quick to read, but none is no reason at all


def frame(lines: Sequence[Line], notion: str | None, *, is_binary: bool) -> pd.DataFrame:
    """The columns of the table on the page; `notion` None: there are no groups."""
    return pd.DataFrame(
        {
            "model": [line.name for line in lines],
            "accuracy": [line.accuracy for line in lines],
            "f1": [line.f1_binary if is_binary else line.f1_weighted for line in lines],
            "auc": [line.auc for line in lines],
            **({} if notion is None else {"gap": [line.gaps.get(notion, NAN) for line in lines]}),
            "size": [line.size for line in lines],
            "rule_length": [line.rule_length for line in lines],
            "rules_per_row": [line.rules_per_row for line in lines],
            "seconds": [line.seconds for line in lines],
        }
    )


def place_of_best(column: pd.Series) -> int | None:
    """The place of the best value; None where there is none, or no value is better than another as such."""
    values = column.to_numpy(dtype=float)
    if np.isnan(values).all() or column.name in NEITHER_IS_BETTER:
        return None
    return int(np.nanargmax(values) if column.name in LARGER_IS_BETTER else np.nanargmin(values))


def file_frame(lines: Sequence[Line]) -> pd.DataFrame:
    """Everything that was measured, for a spreadsheet."""
    notions = list(dict.fromkeys(notion for line in lines for notion in line.gaps))
    return pd.DataFrame([_file_line(line, notions) for line in lines])


def _file_line(line: Line, notions: Sequence[str]) -> dict[str, Any]:
    return {
        "model": line.name,
        "accuracy": line.accuracy,
        "f1_favourable": line.f1_binary,
        "f1_macro": line.f1_macro,
        "f1_weighted": line.f1_weighted,
        "auc": line.auc,
        **{f"gap_{notion}": line.gaps.get(notion, NAN) for notion in notions},
        "size": line.size,
        "unit": line.unit,
        "average_rule_length": line.rule_length,
        "rules_per_applicant": line.rules_per_row,
        "seconds_to_train": line.seconds,
        "note": line.error,
    }
