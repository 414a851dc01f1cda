"""From votes to a decision, with everything that was decided by default made visible."""

from dataclasses import dataclass, fields

import numpy as np
import pandas as pd

# Votes are sums of rule weights; sums that differ by less than this share are the same number added up in
# another order.
TIE_TOLERANCE = 1e-9


@dataclass(frozen=True)
class Decisions:
    """One entry per row."""

    class_code: np.ndarray  # number of the class
    scores: np.ndarray  # (n, K), the paper's score vectors
    shares: np.ndarray  # (n, K), share of the covering weight
    margin: np.ndarray  # score of the decided class minus the best other score; 0 where a default decided
    is_uncovered: np.ndarray  # no rule covers the row: the default class was taken
    is_tie: np.ndarray  # two classes have the highest score: the more frequent one was taken

    def labelled(self, classes: np.ndarray, index: pd.Index | None = None) -> "LabelledDecisions":
        """The same with the names of the classes and of the rows; rows without names are numbered."""
        own = {field.name: getattr(self, field.name) for field in fields(Decisions)}
        return LabelledDecisions(
            **own, classes=classes, index=pd.RangeIndex(len(self.margin)) if index is None else index
        )


@dataclass(frozen=True)
class LabelledDecisions(Decisions):
    """Decisions that know what the classes and the rows are called, and can be shown as a table."""

    classes: np.ndarray
    index: pd.Index

    def to_frame(self) -> pd.DataFrame:
        """One line per row of X, under its own index.

        decision: the class as the user's labels name it. margin: score of that class minus the best other; 0 where a
        default decided. score CLASS: the score of every class. is_uncovered: no rule covers the row. is_tie: the rules
        for two classes weigh the same, and the more frequent one was taken.
        """
        scores = {f"score {label}": self.scores[:, code] for code, label in enumerate(self.classes.tolist())}
        columns = {"decision": self.classes[self.class_code], "margin": self.margin, **scores}
        flags = {"is_uncovered": self.is_uncovered, "is_tie": self.is_tie}
        return pd.DataFrame(columns | flags, index=self.index)


def majority(class_share: np.ndarray) -> int:
    """The number of the most common class; the first of equals."""
    return int(np.argmax(class_share))


def decide(votes: np.ndarray, class_share: np.ndarray, default: int | None = None) -> Decisions:
    """Votes are the weights of the covering rules by row and class.

    Rows that no rule covers get the class numbered `default`, or else the most common one; ties go to the more common
    of the tied classes.

    A rule for class k adds its weight to k and takes 1/(K-1) of it from every other class, so
    score_k = votes_k - (sum of the other votes) / (K - 1).
    """
    n_classes = votes.shape[1]
    highest = votes.max(axis=1, keepdims=True)
    is_best = votes >= highest - TIE_TOLERANCE * votes.sum(axis=1, keepdims=True)
    votes = np.where(is_best, highest, votes)  # nobody is to see a difference where the decision sees none
    total = votes.sum(axis=1)
    scores = votes - (total[:, None] - votes) / (n_classes - 1)
    # In this order the first of equals is the class with the larger training share.
    order = np.argsort(-class_share, kind="stable")
    class_code = order[np.argmax(is_best[:, order], axis=1)]
    is_uncovered = total <= 0
    class_code = np.where(is_uncovered, majority(class_share) if default is None else default, class_code)
    is_tie = (is_best.sum(axis=1) > 1) & ~is_uncovered
    return Decisions(
        class_code=class_code,
        scores=scores,
        shares=_shares(votes, total, is_uncovered, class_share),
        margin=np.where(is_tie | is_uncovered, 0.0, _margin(scores, class_code)),
        is_uncovered=is_uncovered,
        is_tie=is_tie,
    )


def _shares(votes: np.ndarray, total: np.ndarray, is_uncovered: np.ndarray, class_share: np.ndarray) -> np.ndarray:
    safe_total = np.where(is_uncovered, 1.0, total)
    return np.where(is_uncovered[:, None], class_share, votes / safe_total[:, None])


def _margin(scores: np.ndarray, class_code: np.ndarray) -> np.ndarray:
    rows = np.arange(len(scores))
    others = scores.copy()
    others[rows, class_code] = -np.inf
    return scores[rows, class_code] - others.max(axis=1)
