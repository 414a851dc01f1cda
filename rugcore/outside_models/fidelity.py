"""How often rules and the model that they imitate agree, on rows that the rules were not learned from."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from rugcore.errors import InputError
from rugcore.fairness.groups import Groups
from rugcore.fairness.intervals import wilson
from rugcore.rules import words
from rugcore.tables.table import plain_value

COLUMNS = ["n", "agree", "rate", "lower", "upper"]
NUMBERS = ("on_training", "always_usual", "n_folds", "confidence")


@dataclass(frozen=True, eq=False)
class Fidelity:
    """Agreement of rules with the decisions that they imitate, each on rows held out in turn; `print` says it in words.

    Attributes
    ----------
    overall : Series
        n: rows. agree: those decided alike. rate: their share, with Wilson's interval in lower and upper.
    by_class : DataFrame
        The same for every decision of the imitated model.
    by_group : DataFrame or None
        The same for every group, if there were sensitive features.
    on_training : float
        Agreement of the final rules with the rows that they were learned from; look at the others first.
    always_usual : float
        Agreement of a rule-less model that gives everybody the most common decision: what there is to beat.
    n_folds : int
        How many times rows were held out.
    confidence : float
        Of every interval.
    """

    overall: pd.Series
    by_class: pd.DataFrame
    by_group: pd.DataFrame | None
    on_training: float
    always_usual: float
    n_folds: int
    confidence: float

    def to_frame(self) -> pd.DataFrame:
        """Everything in one table: what (overall, class or group), name, and the numbers."""
        parts = [("overall", pd.DataFrame([self.overall], index=["all rows"])), ("class", self.by_class)]
        if self.by_group is not None:
            parts.append(("group", self.by_group))
        frames = [frame.rename_axis("name").reset_index().assign(what=what) for what, frame in parts]
        return pd.concat(frames, ignore_index=True)[["what", "name", *COLUMNS]]

    def to_json(self) -> str:
        """As text, for a file beside the rules."""
        return json.dumps(
            {
                "overall": _entries(pd.DataFrame([self.overall]))[0],
                "by_class": _entries(self.by_class),
                "by_group": None if self.by_group is None else _entries(self.by_group),
                **{name: getattr(self, name) for name in NUMBERS},
            },
            ensure_ascii=False,
        )

    @classmethod
    def from_json(cls, text: str) -> "Fidelity":
        """Read the `text` that `to_json` wrote; anything else is refused with an `InputError`."""
        try:
            content = json.loads(text)
            by_group = content["by_group"]
            return cls(
                overall=_frame([content["overall"]]).iloc[0],
                by_class=_frame(content["by_class"]),
                by_group=None if by_group is None else _frame(by_group),
                on_training=float(content["on_training"]),
                always_usual=float(content["always_usual"]),
                n_folds=int(content["n_folds"]),
                confidence=float(content["confidence"]),
            )
        except (ValueError, KeyError, TypeError) as error:
            raise InputError(f"Expected a fidelity as JSON, but it is damaged ({error}). Measure it again.") from error

    def __str__(self) -> str:
        lines = [
            f"Rules and model agree on {_in_words(self.overall)} of rows held out in {self.n_folds} folds "
            f"({self.confidence:.0%} interval); always the most common decision would on {self.always_usual:.1%}.",
            *(f"  decided {words.clear(name)}: {_in_words(line)}" for name, line in self.by_class.iterrows()),
        ]
        if self.by_group is not None:
            lines += [f"  group {words.clear(str(name))}: {_in_words(line)}" for name, line in self.by_group.iterrows()]
        return "\n".join(lines)


def _entries(table: pd.DataFrame) -> list[dict[str, Any]]:
    lines: list[dict[Any, Any]] = table.astype({"n": int, "agree": int}).to_dict("records")
    return [{"name": plain_value(name), **line} for name, line in zip(table.index, lines, strict=True)]


def _frame(entries: list[dict[str, Any]]) -> pd.DataFrame:
    frame = pd.DataFrame([{name: entry[name] for name in COLUMNS} for entry in entries], columns=COLUMNS)
    frame.index = pd.Index([entry["name"] for entry in entries], dtype=object)
    return frame.astype({"n": int, "agree": int, "rate": float, "lower": float, "upper": float})


def _in_words(line: pd.Series) -> str:
    return f"{line['rate']:.1%} ({line['lower']:.1%} to {line['upper']:.1%}, {int(line['n']):,} rows)"


def measured_fidelity(
    is_same: np.ndarray, decisions: np.ndarray, groups: Groups | None, confidence: float
) -> tuple[pd.Series, pd.DataFrame, pd.DataFrame | None]:
    """Overall, by decision, and by group."""
    labels = pd.unique(pd.Series(decisions)).tolist()
    labels = sorted(labels, key=lambda label: (str(type(label)), label))
    everything = _table(["all rows"], [np.ones(len(is_same), dtype=bool)], is_same, confidence)
    by_class = _table(labels, [decisions == label for label in labels], is_same, confidence)
    if groups is None:
        return everything.iloc[0], by_class, None
    own = [groups.codes == code for code in range(groups.n_groups)]
    return everything.iloc[0], by_class, _table(groups.names, own, is_same, confidence)


def _table(names: Sequence[Any], parts: list[np.ndarray], is_same: np.ndarray, confidence: float) -> pd.DataFrame:
    n = np.array([part.sum() for part in parts], dtype=float)
    agree = np.array([(part & is_same).sum() for part in parts], dtype=float)
    rate = agree / n
    lower, upper = wilson(rate, n, confidence)
    frame = pd.DataFrame({"n": n, "agree": agree, "rate": rate, "lower": lower, "upper": upper}, index=list(names))
    return frame.astype({"n": int, "agree": int})
