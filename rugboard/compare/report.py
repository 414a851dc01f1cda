"""One model of a comparison as a line of numbers that a file can hold, and the table made of such lines."""

import base64
import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import pandas as pd

from rugboard.compare.readable import READABLE
from rugboard.runs.jobs import JobReport
from rugboard.shell.theme import name_of_model

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
BASELINE = "baseline"  # no model: the most common outcome for everybody
# The order in which they are trained: LightGBM before the slow ones, because half of the page is about it.
ORDER = ("logistic regression", "decision tree", "LightGBM", "AdaBoost", "random forest")
LONGEST_OUTCOME = 30  # letters in a table
# Said wherever a difference between two models is judged.
TEST_HELP = (
    "McNemar's exact test: it looks at the test rows that one of two models alone decides rightly. If the models were "
    "equally good, each of these rows would be the toss of a coin. A difference that coins would show in at least 5 of "
    "100 cases may be chance."
)
VERSION = 2  # of the file; one of another version is not read


@dataclass(frozen=True)
class ModelLine:
    """What was measured of one model on the test rows; with an error, why nothing was."""

    model: str  # as `rugboard.shell.theme` knows it
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
    uncovered: float = NAN  # share of the rows on which no rule has a say
    error: str = ""
    rules: str = ""  # as JSON, where they are to be shown
    title: str = ""  # where the model has no name of its own
    note: str = ""  # what is proven about it

    @classmethod
    def of(
        cls, model: str, row: "ModelRow", *, seconds: float | None = None, rules: str = "", note: str = ""
    ) -> "ModelLine":
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
            uncovered=row.size.uncovered_share,
            rules=rules,
            note=note,
        )

    @property
    def name(self) -> str:
        return self.title or name_of_model(self.model)

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
    training_groups: pd.Series | None = None  # for those that learn to treat groups alike


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
class Report(JobReport):
    """What a comparison has found so far."""

    total: int = 0
    now: str = ""  # the model that is being trained
    lines: tuple[ModelLine, ...] = ()
    shap: ShapShares | None = None
    classes: tuple[Any, ...] = ()
    packed: Mapping[str, str] = field(default_factory=dict)  # by model: what it decides for the test rows
    packed_chances: Mapping[str, str] = field(default_factory=dict)  # with two classes: the chance of the second
    version: int = VERSION

    def begun(self) -> Self:
        return replace(super().begun(), now="")

    def ended_by(self, sentence: str) -> Self:
        return replace(super().ended_by(sentence), now="")

    @classmethod
    def from_json(cls, text: str) -> Self:
        values = cls.values_in(text, VERSION)
        values["lines"] = tuple(ModelLine(**line) for line in values["lines"])
        values["shap"] = None if values["shap"] is None else ShapShares(**values["shap"])
        values["classes"] = tuple(values["classes"])
        return cls(**values)

    @property
    def cache_key(self) -> str:
        """The decisions in it say which comparison it is, and how far that has come."""
        return sha256(json.dumps([self.classes, self.packed], default=str).encode()).hexdigest()

    def line(self, model: str) -> ModelLine | None:
        return next((line for line in self.lines if line.model == model), None)

    @property
    def measured(self) -> tuple[ModelLine, ...]:
        return tuple(line for line in self.lines if line.is_measured)

    def decided(self, model: str) -> np.ndarray:
        """What a model decides, test row by test row; nothing where that is not known."""
        labels = np.empty(len(self.classes), dtype=object)
        labels[:] = self.classes
        found: np.ndarray = labels[unpacked(self.packed[model])] if model in self.packed else labels[:0]
        return found

    def chance(self, model: str, label: object) -> np.ndarray | None:
        """Of one of two classes, test row by test row; None where that was not kept."""
        if model not in self.packed_chances:
            return None
        of_second = unpacked(self.packed_chances[model])
        return of_second if label == self.classes[1] else 1.0 - of_second


def with_readable(report: Report, readable: Report) -> Report:
    """Both comparisons of a run as one."""
    return replace(
        report,
        lines=(*report.lines, *readable.lines),
        classes=report.classes or readable.classes,
        packed={**report.packed, **readable.packed},
    )


def packed(numbers: np.ndarray) -> str:
    """Numbers of classes as text: of 400,000 rows less than 90 kB, where a list takes 1.2 MB."""
    return _as_text(numbers, np.uint8 if len(numbers) == 0 or numbers.max() < 256 else np.uint32)


def packed_shares(shares: np.ndarray) -> str:
    """Shares as text, to seven digits."""
    return _as_text(shares, np.float32)


def _as_text(values: np.ndarray, width: Any) -> str:
    return f"{np.dtype(width).name}:{base64.b64encode(zlib.compress(values.astype(width).tobytes())).decode()}"


def unpacked(text: str) -> np.ndarray:
    """Whole numbers, or shares."""
    width, _, content = text.partition(":")
    values = np.frombuffer(zlib.decompress(base64.b64decode(content)), dtype=np.dtype(width))
    return values.astype(np.float64 if values.dtype.kind == "f" else np.int64)


def in_order(lines: Sequence[ModelLine]) -> list[ModelLine]:
    """The models in one order everywhere, whichever was ready first."""
    order = [BASELINE, "rug", "fair", "outside", *READABLE, *KEYS.values()]
    return sorted(lines, key=lambda line: order.index(line.model) if line.model in order else len(order))


# -- the table ---------------------------------------------------------------------------------------------

SMALLER_IS_BETTER = ("size", "rule_length")  # counted, so that there is no chance in it


def frame(lines: Sequence[ModelLine], notion: str | None) -> pd.DataFrame:
    """The columns of the table on the page; `notion` None: there are no groups."""
    return pd.DataFrame(
        {
            "model": [line.name for line in lines],
            "accuracy": [line.accuracy for line in lines],
            "f1": [line.f1_macro for line in lines],
            "auc": [line.auc for line in lines],
            **({} if notion is None else {"gap": [line.gaps.get(notion, NAN) for line in lines]}),
            "size": [line.size for line in lines],
            "rule_length": [line.rule_length for line in lines],
            "rules_per_row": [line.rules_per_row for line in lines],
            "seconds": [line.seconds for line in lines],
        }
    )


def smallest(values: Sequence[float]) -> set[int]:
    """The places of the smallest value; of none if all are alike."""
    numbers = np.array(values, dtype=float)
    measured = numbers[~np.isnan(numbers)]
    if not len(measured) or measured.min() == measured.max():
        return set()
    return {int(place) for place in np.flatnonzero(numbers == measured.min())}


def file_frame(lines: Sequence[ModelLine]) -> pd.DataFrame:
    """Everything that was measured, for a spreadsheet."""
    notions = list(dict.fromkeys(notion for line in lines for notion in line.gaps))
    return pd.DataFrame([_file_line(line, notions) for line in lines])


def _file_line(line: ModelLine, notions: Sequence[str]) -> dict[str, Any]:
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
        "rules_or_leaves_per_applicant": line.rules_per_row,
        "share_without_a_rule": line.uncovered,
        "seconds_to_train": line.seconds,
        "note": line.error or line.note,
    }
