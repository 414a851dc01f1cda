"""Fair to people it has not seen? The same training on many random splits, judged on the rows left out each time."""

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from inspect import signature
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import _safe_indexing

from rugcore.errors import FairnessWarning, InputError, RugError
from rugcore.estimators import RuleClassifier
from rugcore.fairness.counts import RateCounts
from rugcore.fairness.groups import Groups
from rugcore.fairness.notions import Notion, notion_of, positive_code
from rugcore.fairness.outcomes import Estimation, Outcomes, check_epsilon
from rugcore.fairness.parity import MIN_CELL_SIZE
from rugcore.selection.over_splits import FairnessOverSplits, ModelOverSplits
from rugcore.selection.rows import WeighedRows, check_callback, seed_of, trained
from rugcore.tables.table import plain_value
from rugcore.training.settings import check_whole

FIRST = "model"  # what the first model is called where its kind has no name of its own
NAMES = {"RUGClassifier": "RUG", "FairRUGClassifier": "FairRUG"}


def fairness_over_splits(
    model: Any,
    X: Any,
    y: Any,
    *,
    sensitive_features: Any,
    n_splits: int = 12,
    test_size: float = 0.3,
    fairness: str | None = None,
    epsilon: float | None = None,
    positive_class: Any = None,
    beside: Mapping[str, Any] | None = None,
    min_cell_size: int = MIN_CELL_SIZE,
    confidence: float = 0.95,
    random_state: Any = 0,
    callback: Callable[[int, int], Any] | None = None,
) -> FairnessOverSplits:
    """Would the model treat groups alike that it has not seen? Trained again on many random splits of the rows.

    One split of a small group is a coin toss: its gap on the test rows can be ten points to one side, and on the next
    split ten to the other. Here the model is trained on many splits and each is judged on the rows that it did not see.
    Gaps keep their sign (first group minus second), so that chance cancels out over the splits and what is left is how
    the training treats new people.

    The intervals are those of a mean over splits that share rows (Nadeau and Bengio 2003, Inference for the
    generalization error, Machine Learning 52): the variance over the splits counts 1 / n_splits + n_test / n_train
    times. More splits make them hardly narrower; more rows do.

    Parameters
    ----------
    model : classifier
        `FairRUGClassifier`, `RUGClassifier` or any other with `fit` and `predict`. It is copied, and not changed. The
        sensitive features are passed on to `fit` and `predict` where these take them.
    X, y
        All rows, also those that were held out elsewhere: every split holds out its own.
    sensitive_features : column or table, one entry per row
        Who belongs to which group.
    n_splits : int, default=12
        How many splits; each takes a training of every model.
    test_size : float, default=0.3
        Share of the rows that a split holds out: the same of every class in every group.
    fairness : str or None
        What is compared; None: what the model was made for, else "dmc".
    epsilon : float or None
        The gap that was promised; None: that of the model, if it has one.
    positive_class : label or None
        The class that serves people well; None: that of the model, if it has one.
    beside : dict of classifiers by name, or None
        Further models for the same splits, such as {"RUG": RUGClassifier()}.
    min_cell_size : int, default=30
        Rates of groups with fewer rows, over the whole table, are not estimable.
    confidence : float, default=0.95
        Of every interval, on its own.
    random_state : int or None
        Decides the splits.
    callback : callable or None
        Called as callback(done, total) after every split; returning False ends it with what was measured so far.
    """
    check_whole("n_splits", n_splits, 1)
    check_callback(callback)
    estimation = Estimation.checked(min_cell_size, confidence)
    models = _named(model, beside)
    rows = WeighedRows.read(X, y, sensitive_features, None)
    judge = _Judge.of(rows, notion_of(_asked(fairness, model, "fairness", "dmc")), _positive(positive_class, model))
    allowed = check_epsilon(_asked(epsilon, model, "epsilon", None))
    rng = np.random.default_rng(seed_of(random_state))
    splits: list[dict[str, SplitCounts]] = []
    for number in range(1, n_splits + 1):
        is_test = _held_out(judge.strata, _checked_share(test_size), rng)
        splits.append({name: _measured(untrained, rows, is_test, judge) for name, untrained in models.items()})
        if callback is not None and callback(number, n_splits) is False:
            break
    return FairnessOverSplits(
        models=tuple(judge.joined(name, [split[name] for split in splits], float(test_size)) for name in models),
        notion=judge.notion.name,
        epsilon=allowed,
        n_asked=n_splits,
        n_rows=rows.n_rows,
        test_size=float(test_size),
        min_cell_size=estimation.min_cell_size,
        confidence=estimation.confidence,
    )


def _named(model: Any, beside: Mapping[str, Any] | None) -> dict[str, Any]:
    name = NAMES.get(type(model).__name__, FIRST)
    others = dict(beside or {})
    if name in others:
        raise InputError(f"Expected other names than {name!r} in beside, because the model itself is called so.")
    for item in (model, *others.values()):
        if not (hasattr(item, "fit") and hasattr(item, "predict")):
            raise InputError(f"Expected a classifier with fit and predict, but got {type(item).__name__}.")
    return {name: model} | others


def _asked(given: Any, model: Any, name: str, otherwise: Any) -> Any:
    return given if given is not None else getattr(model, name, otherwise)


def _positive(given: Any, model: Any) -> Any:
    return given if given is not None else getattr(model, "positive_class", None)


def _checked_share(test_size: Any) -> float:
    if isinstance(test_size, bool) or not isinstance(test_size, float) or not 0 < test_size < 1:
        raise InputError(f"Expected test_size to be a share between 0 and 1, such as 0.3, but got {test_size!r}.")
    return test_size


def _held_out(strata: np.ndarray, share: float, rng: np.random.Generator) -> np.ndarray:
    """Which rows are test rows: of every class in every group the same share, the odd row by chance."""
    is_test = np.zeros(len(strata), dtype=bool)
    for stratum in range(int(strata.max()) + 1):
        own = rng.permutation(np.flatnonzero(strata == stratum))
        n_test = int(np.floor(share * len(own) + rng.random()))
        is_test[own[:n_test]] = True
    return is_test


@dataclass(frozen=True, eq=False)
class SplitCounts:
    """One model on one split."""

    test: RateCounts
    training: RateCounts
    accuracy: float  # on the test rows
    n_rules: float  # NaN for a model without rules


@dataclass(frozen=True, eq=False)
class _Judge:
    """What is compared on every split: the classes and groups are those of the whole table."""

    notion: Notion
    classes: tuple[Any, ...]
    positive: int | None
    true: np.ndarray
    groups: Groups

    @classmethod
    def of(cls, rows: WeighedRows, notion: Notion, positive_class: Any) -> "_Judge":
        assert rows.groups is not None
        positive = positive_code(positive_class, rows.target.classes)
        if rows.groups.n_groups < 2:
            raise InputError("Expected at least two groups to compare, but all rows belong to one.")
        classes = tuple(plain_value(label) for label in rows.target.classes)
        notion.strata(classes, positive)  # says so if it needs a positive class
        return cls(notion, classes, positive, rows.target.codes, rows.groups)

    @property
    def strata(self) -> np.ndarray:
        return self.true * self.groups.n_groups + self.groups.codes

    def counts(self, predicted: np.ndarray, rows: np.ndarray) -> RateCounts:
        code = {label: number for number, label in enumerate(self.classes)}
        codes = np.array([code[plain_value(label)] for label in predicted], dtype=np.int64)
        outcomes = Outcomes(
            self.classes, self.positive, self.true[rows], codes, self.groups.take(rows), np.ones(len(rows))
        )
        return RateCounts.of(outcomes, self.notion)

    def joined(self, name: str, splits: list[SplitCounts], test_size: float) -> ModelOverSplits:
        return ModelOverSplits(
            name=name,
            keys=splits[0].test.keys,
            n_people=tuple(self._n_people(splits, test_size)),
            n=np.array([split.test.n for split in splits]),
            hits=np.array([split.test.hits for split in splits]),
            training_rates=np.array([split.training.rates for split in splits]),
            accuracy=np.array([split.accuracy for split in splits]),
            n_rules=np.array([split.n_rules for split in splits]),
        )

    def _n_people(self, splits: list[SplitCounts], test_size: float) -> list[int]:
        """Rows of the whole table behind every rate; where decisions settle who they are, as many as the splits say."""
        if all(stratum.is_settled for stratum in self.notion.strata(self.classes, self.positive)):
            labels = np.array(self.classes, dtype=object)[self.true]
            return list(self.counts(labels, np.arange(len(self.true))).n.tolist())
        return [round(n / test_size) for n in np.mean([split.test.n for split in splits], axis=0).tolist()]


def _measured(untrained: Any, rows: WeighedRows, is_test: np.ndarray, judge: _Judge) -> SplitCounts:
    train, test = np.flatnonzero(~is_test), np.flatnonzero(is_test)
    if not len(train) or not len(test):
        raise InputError(f"Expected rows on both sides of a split, but there are only {rows.n_rows}.")
    model = _trained(untrained, rows, train)
    decided = {name: _decided(model, rows, part) for name, part in (("train", train), ("test", test))}
    truth = rows.labels[test]
    return SplitCounts(
        test=judge.counts(decided["test"], test),
        training=judge.counts(decided["train"], train),
        accuracy=float(np.mean(decided["test"] == truth)),
        n_rules=float(len(model.rules_)) if hasattr(model, "rules_") else float("nan"),
    )


def _trained(untrained: Any, rows: WeighedRows, train: np.ndarray) -> Any:
    part = rows.take(train)
    if isinstance(untrained, RuleClassifier):
        return trained(_without_callback(untrained), part if _takes_groups(untrained.fit) else _without_groups(part))
    groups = {"sensitive_features": part.sensitive_features} if _takes_groups(untrained.fit) else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FairnessWarning)
        try:
            return clone(untrained).fit(part.X, part.labels, **groups)
        except ValueError as error:
            if isinstance(error, RugError):
                raise
            raise InputError(f"{type(untrained).__name__} could not be trained on a split: {error}") from error


def _without_callback(model: Any) -> Any:
    return clone(model).set_params(callback=None)


def _without_groups(rows: WeighedRows) -> WeighedRows:
    return WeighedRows(rows.X, rows.target, None, rows.weight, rows.is_weighed)


def _takes_groups(method: Any) -> bool:
    return "sensitive_features" in signature(method).parameters


def _decided(model: Any, rows: WeighedRows, part: np.ndarray) -> np.ndarray:
    groups = {"sensitive_features": rows.take(part).sensitive_features} if _takes_groups(model.predict) else {}
    return np.asarray(model.predict(_safe_indexing(rows.X, part), **groups))
