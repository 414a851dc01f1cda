"""Other ways to treat groups alike: the reductions and the post-processing of fairlearn, measured like FairRUG.

ExponentiatedGradient trains a model many times on re-weighted rows, and decides by a lottery among the results.
ThresholdOptimizer trains once and gives every group cut-offs of its own, between which it may draw lots too; it has to
be told the group of everybody whom it decides about.

A. Agarwal et al. (2018), A reductions approach to fair classification. ICML.
M. Hardt, E. Price, N. Srebro (2016), Equality of opportunity in supervised learning. NeurIPS.
"""

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from rugcore.comparison.peers import PeerClassifier
from rugcore.errors import InputError, missing_package
from rugcore.fair_training.settings import check_epsilon
from rugcore.fairness.groups import Groups, read_groups
from rugcore.fairness.notions import NOTIONS, Notion, notion_of, positive_code
from rugcore.fairness.parity import MIN_CELL_SIZE, Cells, cell_numbers, parity
from rugcore.tables import validation
from rugcore.tables.table import plain_value

EXPONENTIATED_GRADIENT, THRESHOLD_OPTIMIZER = "ExponentiatedGradient", "ThresholdOptimizer"
Learner = Literal["logistic regression", "decision tree"]
LEARNERS: tuple[Learner, ...] = ("logistic regression", "decision tree")
EPSILONS = (0.01, 0.05, 0.1)
CERTAIN = 1e-6  # a chance nearer to 0 or 1 than this is no lottery
HAS_A_SAY = 1e-9  # weight in the lottery


@dataclass(frozen=True)
class FairAlternative:
    """One model of fairlearn, measured on training rows and test rows.

    Attributes
    ----------
    method : str
        "ExponentiatedGradient" or "ThresholdOptimizer".
    learner : str
        What it trains: "logistic regression" or "decision tree".
    epsilon : float
        The gap that was allowed; NaN for ThresholdOptimizer, which allows none.
    training_gap, test_gap, training_accuracy, test_accuracy : float
        As for FairRUG. Where lots are drawn these are what is to be expected, not one drawing. NaN if not estimable.
    n_models : int
        How many models have a say.
    n_rules : float
        Leaves of all their trees, each of which is a rule to read; NaN for logistic regressions.
    random_share : float
        Share of the test rows whose decision is drawn by lot.
    needs_group : bool
        Whether it must be told the group of whom it decides about.
    """

    method: str
    learner: str
    epsilon: float
    training_gap: float
    test_gap: float
    training_accuracy: float
    test_accuracy: float
    n_models: int
    n_rules: float
    random_share: float
    needs_group: bool

    @property
    def is_one_readable_model(self) -> bool:
        """One tree that decides the same people the same way every day, without being told their group."""
        return self.n_models == 1 and self.random_share == 0 and not self.needs_group and not np.isnan(self.n_rules)


def fair_alternatives(
    X_train: Any,
    y_train: Any,
    X_test: Any,
    y_test: Any,
    *,
    sensitive_train: Any,
    sensitive_test: Any,
    fairness: str = "dmc",
    positive_class: Any = None,
    epsilons: Sequence[float] = EPSILONS,
    max_depth: int = 3,
    min_cell_size: int = MIN_CELL_SIZE,
    random_state: int = 0,
) -> Iterator[FairAlternative]:
    """What fairlearn reaches on the same rows: a point for every learner and epsilon, as soon as each is there.

    Parameters
    ----------
    X_train, y_train, X_test, y_test
        What is learned from and measured on; two classes.
    sensitive_train, sensitive_test : column or table, one entry per row
        Who belongs to which group.
    fairness : {"dmc", "eop", "odm", "demographic_parity"}, default="dmc"
        What is to be alike between groups; fairlearn has nothing for predictive parity.
    positive_class : label or None
        The class that serves people well; not needed if the classes are 0 and 1.
    epsilons : sequence of float
        The gaps that ExponentiatedGradient is asked for.
    max_depth : int, default=3
        Of the trees.
    min_cell_size : int, default=30
        Rates of fewer rows are left out of every gap.
    random_state : int, default=0
        Of the learners.
    """
    _load()
    notion = notion_of(fairness)
    if notion.reduction is None:
        known = ", ".join(name for name, one in NOTIONS.items() if one.reduction is not None)
        raise InputError(
            f"Expected fairness to be one of {known}, because fairlearn has no other, but got {fairness!r}."
        )
    for epsilon in epsilons:
        check_epsilon(epsilon)
    train = _Rows.of(X_train, y_train, sensitive_train, positive_class)
    test = _Rows.of(X_test, y_test, sensitive_test, positive_class, train.classes)
    measure = _Measure(notion, min_cell_size, train, test)
    return _alternatives(measure, [float(epsilon) for epsilon in epsilons], max_depth, random_state)


def n_alternatives(fairness: str, epsilons: Sequence[float] = EPSILONS) -> int:
    """How many points `fair_alternatives` makes; none for a notion that fairlearn does not know."""
    notion = notion_of(fairness)
    return 0 if notion.reduction is None else len(LEARNERS) * (len(epsilons) + (notion.threshold is not None))


def _load() -> Any:
    try:
        import fairlearn
    except ImportError as error:
        raise missing_package("Comparing with fairlearn", "compare") from error
    return fairlearn


# -- rows --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Rows:
    """Rows with their class as 0 or 1 (the positive one) and their group."""

    X: Any
    classes: tuple[Any, Any]  # the positive one last
    is_positive: np.ndarray
    groups: Groups

    @classmethod
    def of(cls, X: Any, y: Any, sensitive: Any, positive_class: Any, known: tuple[Any, Any] | None = None) -> "_Rows":
        target = validation.read_target(y, len(X))
        classes = [plain_value(label) for label in target.classes]
        if len(classes) != 2:
            raise InputError(f"Expected two classes, because fairlearn knows no more, but y has {len(classes)}.")
        positive = positive_code(positive_class, target.classes)
        if positive is None:
            positive = 1  # which is which matters to notions that ask for it
        ordered = (classes[1 - positive], classes[positive])
        if known is not None and known != ordered:
            raise InputError(f"Expected the classes of the training rows, {known}, but the test rows have {ordered}.")
        return cls(X, ordered, target.codes == positive, read_groups(sensitive, len(X)))

    @property
    def names(self) -> np.ndarray:
        return np.array(self.groups.names, dtype=object)[self.groups.codes]


# -- models ------------------------------------------------------------------------------------------------


def _alternatives(
    measure: "_Measure", epsilons: list[float], max_depth: int, random_state: int
) -> Iterator[FairAlternative]:
    thresholds = measure.notion.threshold
    for learner in LEARNERS:
        base = _Base.of(learner, measure.train, max_depth, random_state)
        for epsilon in epsilons:
            yield measure.of(EXPONENTIATED_GRADIENT, learner, epsilon, _Reduction.of(base, measure, epsilon))
        if thresholds is not None:
            yield measure.of(THRESHOLD_OPTIMIZER, learner, float("nan"), _Thresholds.of(base, measure, thresholds))


@dataclass(frozen=True, eq=False)
class _Base:
    """What is trained again and again: columns as numbers in, by the same encoding as the other peers."""

    peer: PeerClassifier  # trained once, for its encoding

    @classmethod
    def of(cls, learner: Learner, rows: _Rows, max_depth: int, random_state: int) -> "_Base":
        settings = {"max_depth": max_depth} if learner == "decision tree" else None
        return cls(PeerClassifier(learner, settings=settings, random_state=random_state).fit(rows.X, rows.is_positive))

    def matrix(self, rows: _Rows) -> np.ndarray:
        return self.peer._matrix(validation.table_to_predict(self.peer, rows.X))

    def untrained(self) -> Any:
        from sklearn.base import clone

        return clone(self.peer.estimator_)

    def n_leaves(self, trained: Any) -> float:
        return float(trained.get_n_leaves()) if hasattr(trained, "get_n_leaves") else float("nan")

    @property
    def weight_name(self) -> str:
        """How the learner takes the weights of rows; the last step of a pipeline wants its name before it."""
        steps = getattr(self.peer.estimator_, "steps", None)
        return "sample_weight" if steps is None else f"{steps[-1][0]}__sample_weight"


@dataclass(frozen=True, eq=False)
class _Reduction:
    base: _Base
    predictors: list[Any]
    weights: np.ndarray
    needs_group: bool = False

    @classmethod
    def of(cls, base: _Base, measure: "_Measure", epsilon: float) -> "_Reduction":
        from fairlearn import reductions

        assert measure.notion.reduction is not None
        constraint = getattr(reductions, measure.notion.reduction)(difference_bound=epsilon)
        trained = reductions.ExponentiatedGradient(base.untrained(), constraint, sample_weight_name=base.weight_name)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of scikit-learn and pandas, about fairlearn's own calls
            rows = measure.train
            trained.fit(base.matrix(rows), rows.is_positive.astype(int), sensitive_features=rows.names)
        has_a_say = trained.weights_ > HAS_A_SAY
        chosen = [trained.predictors_[place] for place in trained.weights_.index[has_a_say]]
        return cls(base, chosen, trained.weights_[has_a_say].to_numpy())

    @property
    def n_models(self) -> int:
        return len(self.predictors)

    @property
    def n_rules(self) -> float:
        return float(np.sum([self.base.n_leaves(one) for one in self.predictors]))

    def chances(self, rows: _Rows) -> np.ndarray:
        matrix = self.base.matrix(rows)
        decided = np.array([np.asarray(one.predict(matrix), dtype=float) for one in self.predictors])
        return np.asarray(self.weights @ decided / self.weights.sum())


@dataclass(frozen=True, eq=False)
class _Thresholds:
    base: _Base
    trained: Any
    n_models: int = 1
    needs_group: bool = True

    @classmethod
    def of(cls, base: _Base, measure: "_Measure", constraint: str) -> "_Thresholds":
        from fairlearn.postprocessing import ThresholdOptimizer

        rows = measure.train
        optimizer = ThresholdOptimizer(
            estimator=base.peer.estimator_, constraints=constraint, prefit=True, predict_method="predict_proba"
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            optimizer.fit(base.matrix(rows), rows.is_positive.astype(int), sensitive_features=rows.names)
        return cls(base, optimizer)

    @property
    def n_rules(self) -> float:
        return self.base.n_leaves(self.base.peer.estimator_)

    def chances(self, rows: _Rows) -> np.ndarray:
        """Two cut-offs of the group, between which lots are drawn, and a constant that may be drawn instead."""
        score = self.base.peer.estimator_.predict_proba(self.base.matrix(rows))[:, 1]
        chances = np.full(len(score), np.nan)
        for name, rule in self.trained.interpolated_thresholder_.interpolation_dict.items():
            drawn = rule.p0 * rule.operation0(score) + rule.p1 * rule.operation1(score)
            if "p_ignore" in rule:
                drawn = rule.p_ignore * rule.prediction_constant + (1 - rule.p_ignore) * drawn
            is_meant = rows.names == name
            chances[is_meant] = drawn[is_meant]
        return chances


# -- measuring ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Measure:
    notion: Notion
    min_cell_size: int
    train: _Rows
    test: _Rows

    def of(self, method: str, learner: str, epsilon: float, model: _Reduction | _Thresholds) -> FairAlternative:
        chances = {rows: model.chances(rows) for rows in (self.train, self.test)}
        gaps = {rows: self._gap(rows, found) for rows, found in chances.items()}
        right = {rows: float(np.mean(_chance_of_right(rows, found))) for rows, found in chances.items()}
        drawn = chances[self.test]
        return FairAlternative(
            method,
            learner,
            epsilon,
            gaps[self.train],
            gaps[self.test],
            right[self.train],
            right[self.test],
            model.n_models,
            model.n_rules,
            float(np.mean((drawn > CERTAIN) & (drawn < 1 - CERTAIN))),
            model.needs_group,
        )

    def _gap(self, rows: _Rows, chances: np.ndarray) -> float:
        """The largest, in what is to be expected of the lottery: everybody counts under both decisions, by chance."""
        true = rows.is_positive.astype(np.int64)
        cells = Cells.of(rows.classes, true, rows.groups)
        numbers = cell_numbers(true, rows.groups)
        tally = np.array([np.bincount(numbers, weight, cells.n_cells) for weight in (1 - chances, chances)]).T
        return parity(self.notion, cells, 1, self.min_cell_size).gap(tally)


def _chance_of_right(rows: _Rows, chances: np.ndarray) -> np.ndarray:
    return np.where(rows.is_positive, chances, 1 - chances)
