"""RUGClassifier and FairRUGClassifier: the engine behind scikit-learn's interface."""

import time
import warnings
from collections.abc import Callable, Iterable
from copy import copy
from os import PathLike
from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from rugcore import fair_training, model_io, training, validation
from rugcore.decisions import Decisions, decide
from rugcore.encoding.schema import Schema
from rugcore.errors import FairnessWarning, InputError
from rugcore.explain import Explanation, explain_row
from rugcore.fair_pool import FairPool, ProxyPool, RealisedPool
from rugcore.fairness.groups import read_groups
from rugcore.fairness.notions import positive_number
from rugcore.fairness.result import FairnessFit, describe
from rugcore.generation.loop import Round
from rugcore.matching import RuleMatcher
from rugcore.pool import RulePool
from rugcore.rules.rule import Rule


class RUGClassifier(ClassifierMixin, BaseEstimator):
    """Weighted if-then rules, learned by linear programming with column generation.

    Parameters
    ----------
    max_depth : int, default=3
        The most conditions a rule can have.
    penalty : float, default=1.0
        Lambda: the price of rule cost against classification loss. Higher means fewer rules.
    max_iter : int, default=15
        Pricing rounds after the first pool of rules.
    rule_cost : {"length", "unit"}, default="length"
        Whether a rule costs its share of the longest allowed length, or the same as every other.
    weight_threshold : float, default=0.05
        Rules whose weight is not above this share of the largest are left out; 0 keeps every rule with
        weight.
    pricing : {"tree", "exact"}, default="tree"
        How rules are found: by trees fed with the duals, or by an integer program that finds the best one
        over deciles and categories. Exact pricing is slow, and gives a lower bound on the objective.
    solver : {"auto", "highs", "gurobi"}, default="auto"
        "auto" is Gurobi where its licence has no size limit, and HiGHS everywhere else.
    time_limit : float or None, default=None
        Seconds after which no new round begins; the best model so far is kept.
    callback : callable or None, default=None
        Called with every `Round`; returning False ends training with the best model so far.
    random_state : int, RandomState or None, default=None
        Decides which rows the quantiles are taken from when a table has more than 200,000. Nothing else is
        random.

    Attributes
    ----------
    rules_ : RuleSet
        The rules kept for prediction, heaviest first.
    classes_ : ndarray
        The classes, sorted.
    history_ : list of Round
        What each round did.
    objective_ : float
        Objective of the master problem in the last round, over all rules of the pool.
    lower_bound_ : float or None
        With exact pricing, no set of rules over the binarised columns has a lower objective.
    stop_reason_ : str
        "converged", "max_iter", "time_limit" or "callback". Converged means that pricing found no rule that improves
        the objective; with exact pricing there is none.
    pool_ : RulePool
        The rules and the linear program of the last round; what `refit` works on. Not kept in files.
    n_iter_ : int
        Rounds, the first pool included.
    solver_ : str
        The solver that was used.
    class_share_ : ndarray
        Share of each class in the training rows; the largest is the default for uncovered rows.
    """

    def __init__(
        self,
        *,
        max_depth: int = 3,
        penalty: float = 1.0,
        max_iter: int = 15,
        rule_cost: str = "length",
        weight_threshold: float = 0.05,
        pricing: str = "tree",
        solver: str = "auto",
        time_limit: float | None = None,
        callback: Callable[[Round], Any] | None = None,
        random_state: Any = None,
    ) -> None:
        self.max_depth = max_depth
        self.penalty = penalty
        self.max_iter = max_iter
        self.rule_cost = rule_cost
        self.weight_threshold = weight_threshold
        self.pricing = pricing
        self.solver = solver
        self.time_limit = time_limit
        self.callback = callback
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn rules from a DataFrame (numbers, text, categories, true/false, blanks) or an array."""
        started = time.perf_counter()
        settings = training.Settings.checked(self)
        rows, _ = self._rows(X, y, sample_weight)
        self._take(training.train(rows, settings, started))
        return self

    def _rows(self, X: Any, y: Any, sample_weight: Any) -> tuple[training.TrainingRows, np.ndarray]:
        """The rows to learn from, and which of the given ones they are: a row without weight is as good as absent."""
        table = validation.training_table(self, X)
        target = validation.read_target(y, table.n_rows)
        weight = validation.read_weights(sample_weight, table.n_rows)
        has_weight = weight > 0
        if not has_weight.all():
            table, target, weight = table.take(has_weight), target.take(has_weight), weight[has_weight]
        if len(target.classes) < 2:
            raise InputError("Expected at least two classes with weight, but all sample_weight lies on one class.")
        self.classes_ = target.classes
        self.schema_ = Schema.of(table)
        return training.TrainingRows.of(table, target, weight), has_weight

    def _take(self, result: training.TrainingResult) -> None:
        self.history_ = result.history
        self.n_iter_ = len(result.history)
        self.lower_bound_ = result.lower_bound
        self.stop_reason_ = result.stop_reason
        self.class_share_ = result.class_share
        self._take_pool(result.pool)

    def _take_pool(self, pool: RulePool) -> None:
        self.pool_ = pool
        self.rules_ = pool.kept_rules(self.weight_threshold)
        self.objective_ = pool.solution.objective
        self.solver_ = pool.master.solver.name
        self._prepare()

    def refit(self, *, penalty: float | None = None, without: Rule | Iterable[Rule] = ()) -> Self:
        """A new model from the rules already found, under another lambda or without some rules.

        One small linear program is solved, no new rules are looked for, and this model stays as it is: quick, but a
        new training would look for rules that suit the new lambda, and may end with fewer. `history_` still tells how
        the rules were found; `lower_bound_` belonged to the old lambda and is None. Needs a model trained here.
        """
        check_is_fitted(self)
        other = copy(self)
        if penalty is not None:
            training.check_penalty(penalty)
            other.penalty = penalty
        other._take_pool(training.pool_of(self).resolved(other.penalty, training.numbers_of(self, without)))
        other.lower_bound_ = None
        return other

    def _prepare(self) -> None:
        """What prediction needs besides the fitted attributes, derived from them."""
        self._matcher = RuleMatcher(self.rules_, self.schema_)
        position = {label: number for number, label in enumerate(self.classes_.tolist())}
        self._rule_labels = [position[rule.label] for rule in self.rules_]

    # -- prediction ----------------------------------------------------------------------------------------

    def decisions(self, X: Any) -> Decisions:
        """Class, scores, margin and the flags `is_uncovered` and `is_tie` for every row, as arrays."""
        check_is_fitted(self)
        table = validation.table_to_predict(self, X)
        votes = self._matcher.votes(table, self._rule_labels, len(self.classes_))
        return decide(votes, self.class_share_)

    def decisions_for(self, coverage: sparse.csr_array) -> Decisions:
        """The same for rows of which it is known which rules cover them, as `covering_rules` tells."""
        check_is_fitted(self)
        weights = np.zeros((len(self.rules_), len(self.classes_)))
        weights[np.arange(len(self.rules_)), self._rule_labels] = [rule.weight for rule in self.rules_]
        return decide(np.asarray(coverage @ weights), self.class_share_)

    def predict(self, X: Any) -> np.ndarray:
        """The class with the highest score; ties and uncovered rows go to the more frequent class."""
        label = self.decisions(X).label
        return self.classes_[label]

    def predict_proba(self, X: Any) -> np.ndarray:
        """Share of the covering weight per class; for uncovered rows the training share of each class."""
        return self.decisions(X).shares

    def decision_function(self, X: Any) -> np.ndarray:
        """The score vectors of the paper, shape (n, K); with two classes the score of the second, (n,)."""
        scores = self.decisions(X).scores
        return scores[:, 1] if len(self.classes_) == 2 else scores

    def covering_rules(self, X: Any) -> sparse.csr_array:
        """A boolean matrix with one line a row of X and one column a rule of `rules_`."""
        check_is_fitted(self)
        return self._matcher.coverage(validation.table_to_predict(self, X))

    def explain(self, row: Any) -> Explanation:
        """Why this decision: the rules for and against it, with the values that made them hold."""
        check_is_fitted(self)
        cells = self.schema_.cells(row)
        covering = [rule for rule in self.rules_ if rule.holds(cells)]
        return explain_row(cells, covering, self.classes_, self.class_share_)

    # -- files ---------------------------------------------------------------------------------------------

    def save(self, path: str | PathLike[str]) -> None:
        """Write the model as JSON: all that prediction and explanations need, nothing that can be executed."""
        check_is_fitted(self)
        model_io.save(self, path)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Read a model that `save` wrote; a damaged, altered or foreign file raises a `ModelFileError`."""
        return model_io.load(cls, path)

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = dict(super().__getstate__())
        state.pop("_matcher", None)  # rebuilt from the rules
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        if "rules_" in state:
            self._prepare()


def load_model(path: str | PathLike[str]) -> RUGClassifier:
    """Read a saved model of whichever class the file names."""
    is_fair = model_io.class_name(path) == FairRUGClassifier.__name__
    return FairRUGClassifier.load(path) if is_fair else RUGClassifier.load(path)


class FairRUGClassifier(RUGClassifier):
    """Weighted if-then rules whose error rates differ between groups by at most epsilon.

    The sensitive features are needed to train, never to predict; unless they stand in X as well, no rule mentions
    them.

    Parameters
    ----------
    fairness : {"dmc", "odm", "eop"}, default="dmc"
        What is compared between every two groups: the error rate of every class (DMC, disparate mistreatment per
        class; with two classes equalized odds, also called "eod"), the overall error rate (ODM), or the error rate of
        the positive class (EOP, equal opportunity).
    epsilon : float, default=0.025
        The largest gap allowed between two groups; infinity asks for nothing.
    guarantee : {"realised", "proxy"}, default="realised"
        "realised" bounds the gap between shares of training rows decided wrongly, which is what an audit measures.
        "proxy" is the paper's constraint on the mean loss in the linear program; it can be met by padding losses, and
        `fairness_` says how much padding there is.
    positive_class : object, default=None
        The class that serves people well; needed by "eop" unless the classes are 0 and 1.
    min_cell_size : int, default=30
        Rates with fewer rows are not estimable: they are left out of the constraint and listed in `fairness_`.
    validation_fraction : float or None, default=None
        With "realised": share of rows held out from training, on which one of several stricter models is chosen. None
        trains and chooses on all rows.
    max_depth, penalty, max_iter, rule_cost, weight_threshold, pricing, solver, time_limit, callback, random_state
        As in `RUGClassifier`. `random_state` also decides which rows are held out.

    Attributes
    ----------
    fairness_ : FairnessFit
        Requested epsilon, the gap in the linear program, the realised gap on the training rows, whether it was met,
        padding, and the price of every constraint ("proxy") or the weight of every cell ("realised").
    groups_ : tuple of str
        The groups that occur, as they are named in `fairness_`.

    All attributes of `RUGClassifier` are there too. With "realised", `pool_` holds the linear program that the rules
    came from, while the weights in `rules_` were moved from its solution until the decisions were fair.
    """

    def __init__(
        self,
        *,
        fairness: str = "dmc",
        epsilon: float = 0.025,
        guarantee: str = "realised",
        positive_class: Any = None,
        min_cell_size: int = 30,
        validation_fraction: float | None = None,
        max_depth: int = 3,
        penalty: float = 1.0,
        max_iter: int = 15,
        rule_cost: str = "length",
        weight_threshold: float = 0.05,
        pricing: str = "tree",
        solver: str = "auto",
        time_limit: float | None = None,
        callback: Callable[[Round], Any] | None = None,
        random_state: Any = None,
    ) -> None:
        super().__init__(
            max_depth=max_depth,
            penalty=penalty,
            max_iter=max_iter,
            rule_cost=rule_cost,
            weight_threshold=weight_threshold,
            pricing=pricing,
            solver=solver,
            time_limit=time_limit,
            callback=callback,
            random_state=random_state,
        )
        self.fairness = fairness
        self.epsilon = epsilon
        self.guarantee = guarantee
        self.positive_class = positive_class
        self.min_cell_size = min_cell_size
        self.validation_fraction = validation_fraction

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, sensitive_features: Any = None) -> Self:
        """Learn fair rules. `sensitive_features` is one column or several (then every combination is a group), of any
        kind; a blank is a group of its own. If no model within epsilon is found, the fairest is kept, with a warning.
        """
        started = time.perf_counter()
        settings = training.Settings.checked(self)
        fair = fair_training.checked(self)
        rows, has_weight = self._rows(X, y, sample_weight)
        groups = read_groups(sensitive_features, len(has_weight)).take(has_weight).present()
        positive = positive_number(self.positive_class, self.classes_)
        self.groups_ = groups.names
        self._take(fair_training.train_fair(rows, groups, positive, settings, fair, started))
        self._warn_if_unfair()
        return self

    def _take_pool(self, pool: RulePool) -> None:
        assert isinstance(pool, FairPool)
        assert pool.fit is not None
        self.fairness_: FairnessFit = pool.fit
        super()._take_pool(pool)

    def refit(
        self,
        *,
        penalty: float | None = None,
        epsilon: float | None = None,
        without: Rule | Iterable[Rule] = (),
    ) -> Self:
        """A new model from the rules already found, under another epsilon or lambda, or without some rules.

        No new rules are looked for, and this model stays as it is: quick, but a new training could find rules that
        suit the new epsilon better. Needs a model trained here.
        """
        check_is_fitted(self)
        other = copy(self)
        if penalty is not None:
            training.check_penalty(penalty)
            other.penalty = penalty
        if epsilon is not None:
            fair_training.check_epsilon(epsilon)
            other.epsilon = epsilon
        pool = training.pool_of(self)
        assert isinstance(pool, ProxyPool | RealisedPool)
        numbers = training.numbers_of(self, without)
        other._take_pool(pool.adjusted(other.penalty, float(other.epsilon), numbers))
        other.lower_bound_ = None
        other._warn_if_unfair()
        return other

    def _warn_if_unfair(self) -> None:
        """A guarantee that was asked for is never dropped silently; the paper's constraint promises no realised gap."""
        fit = self.fairness_
        if fit.guarantee == "realised" and not fit.met:
            warnings.warn(
                f"Asked for a gap of at most {fit.epsilon:g} between groups, but the fairest model found has "
                f"{fit.realised_gap:.4f} on the training rows ({describe(fit.worst)}). It is kept, and fairness_.met "
                "is False. Allow a larger epsilon, more rounds or deeper rules.",
                FairnessWarning,
                stacklevel=3,
            )
