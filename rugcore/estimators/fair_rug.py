"""FairRUGClassifier: rules whose rates of errors or decisions differ between groups by at most epsilon."""

import math
import time
import warnings
from collections.abc import Callable, Iterable, Mapping
from copy import copy
from typing import Any, Self

from sklearn.utils.validation import check_is_fitted

from rugcore.errors import FairnessWarning
from rugcore.estimators.base import RuleClassifier
from rugcore.fair_training.assurance import assurance_in_words
from rugcore.fair_training.outcome import FairnessFit, describe
from rugcore.fair_training.pool import FairPool
from rugcore.fair_training.run import train_fair
from rugcore.fair_training.settings import check_epsilon, checked_settings
from rugcore.fairness.groups import read_groups
from rugcore.fairness.notions import notion_of, positive_code
from rugcore.generation.loop import Round
from rugcore.rules.rule import Rule
from rugcore.training.chances import Trust
from rugcore.training.pool import RulePool
from rugcore.training.refitting import numbers_to_leave_out, pool_of
from rugcore.training.settings import Settings, check_penalty
from rugcore.training.trust import trust_in


class FairRUGClassifier(RuleClassifier):
    """Weighted if-then rules whose rates differ between groups by at most epsilon.

    The sensitive features are needed to train, never to predict; unless they stand in X as well, no rule mentions
    them.

    Parameters
    ----------
    fairness : {"dmc", "odm", "eop", "demographic_parity", "predictive_parity"}, default="dmc"
        What is compared between every two groups: the error rate of every class (DMC, disparate mistreatment per
        class; with two classes equalized odds, also called "eod"), the overall error rate (ODM), the error rate of
        the positive class (EOP, equal opportunity), the share decided for the positive class (demographic parity), or
        the share of right ones among those decided for it (predictive parity, the positive predictive value; not
        estimable, and so not met, where fewer than `min_cell_size` people of a group are).
    epsilon : float, default=0.025
        The largest gap allowed between two groups; infinity asks for nothing.
    guarantee : {"realised", "confident", "proxy"}, default="realised"
        "realised" bounds the gap between shares of training rows decided wrongly, which is what an audit measures, and
        where a group is small also what is expected of it on new people. "confident" keeps two fifths of the rows from
        training and tests the model on them: `fairness_.assured` says whether, with `confidence`, no gap on new people
        from the same source is larger than epsilon; if not, `fairness_` says what could be assured, and `fit` warns.
        "proxy" is the paper's constraint on the mean loss in the linear program; it can be met by padding losses, and
        `fairness_` says how much padding there is. It exists for "dmc", "odm" and "eop" only.
    positive_class : object, default=None
        The class that serves people well; needed by "eop", "demographic_parity", "predictive_parity" and
        `monotonic_cst` unless the classes are 0 and 1.
    min_cell_size : int, default=30
        Rates with fewer rows are not estimable: they are left out of the constraint and listed in `fairness_`.
    confidence : float, default=0.95
        Of "confident": in at most 5 of 100 tables would a model be assured whose gap is larger than epsilon.
    validation_fraction : None
        Does nothing any more; `fairness_.expected_gap` says what to expect on new people.
    max_depth, penalty, max_iter, rule_cost, weight_threshold, pricing, loss, min_support, special_values,
    monotonic_cst, solver, time_limit, callback, random_state
        As in `RUGClassifier`. `random_state` also decides which rows "confident" keeps from training; with None that is
        always the same draw.

    Attributes
    ----------
    fairness_ : FairnessFit
        Requested epsilon, the gap in the linear program, the realised gap on the training rows, whether it was met,
        the gap to expect on new people, the outcome of the test ("confident"), padding, and the price of every
        constraint ("proxy") or the weight of every cell ("realised").
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
        confidence: float = 0.95,
        validation_fraction: float | None = None,
        max_depth: int = 3,
        penalty: float = 1.0,
        max_iter: int = 15,
        rule_cost: str = "length",
        weight_threshold: float = 0.05,
        pricing: str = "tree",
        loss: str = "margin",
        min_support: float | None = None,
        special_values: Mapping[str, Any] | None = None,
        monotonic_cst: Any = None,
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
            loss=loss,
            min_support=min_support,
            special_values=special_values,
            monotonic_cst=monotonic_cst,
            positive_class=positive_class,
            solver=solver,
            time_limit=time_limit,
            callback=callback,
            random_state=random_state,
        )
        self.fairness = fairness
        self.epsilon = epsilon
        self.guarantee = guarantee
        self.min_cell_size = min_cell_size
        self.confidence = confidence
        self.validation_fraction = validation_fraction

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, sensitive_features: Any = None) -> Self:
        """Learn fair rules. If no model within epsilon is found, the fairest is kept, with a `FairnessWarning`.

        Parameters
        ----------
        X : DataFrame or array
            Numbers, text, categories, true/false and blanks, as they are.
        y : one label per row
            The outcome to learn.
        sample_weight : one number per row, or None
            How much each row counts.
        sensitive_features : column or table, one entry per row
            Who belongs to which group; needed. Several columns make a group of every combination; a blank is a group
            of its own. In searches and pipelines of scikit-learn, `set_fit_request(sensitive_features=True)` has it
            passed on.
        """
        started = time.perf_counter()
        settings = Settings.checked(self)
        fair = checked_settings(self)
        rows, has_weight = self._rows(X, y, sample_weight)
        groups = read_groups(sensitive_features, len(has_weight)).take(has_weight).present()
        positive = positive_code(self.positive_class, self.classes_)
        self.groups_ = groups.names
        result = train_fair(rows, groups, positive, settings, fair, started)
        self._take(
            result, trust_in(rows, settings, result, started), rows
        )  # of plain models: fair ones take far longer
        self._warn_if_unfair()
        return self

    def _take_pool(self, pool: RulePool, trust: Trust) -> None:
        assert isinstance(pool, FairPool)
        assert pool.fit is not None
        self.fairness_: FairnessFit = pool.fit
        super()._take_pool(pool, trust)

    def refit(
        self,
        *,
        penalty: float | None = None,
        epsilon: float | None = None,
        without: Rule | Iterable[Rule] = (),
    ) -> Self:
        """A new model from the rules already found, under another epsilon or lambda, or without some rules.

        No new rules are looked for, and this model stays as it is: quick, but a new training could find rules that
        suit the new epsilon better. Needs a model trained here. Of a model with guarantee="confident" comes one with
        "realised": it is not the model that was tested.

        Parameters
        ----------
        penalty : float or None
            The new lambda; None keeps it.
        epsilon : float or None
            The new bound on the gap; None keeps it.
        without : Rule or several
            Rules of `rules_` that the new model must not use.
        """
        check_is_fitted(self)
        other = copy(self)
        if penalty is not None:
            check_penalty(penalty)
            other.penalty = penalty
        if epsilon is not None:
            check_epsilon(epsilon)
            other.epsilon = epsilon
        pool = pool_of(self)
        assert isinstance(pool, FairPool)
        numbers = numbers_to_leave_out(self, without)
        adjusted = pool.adjusted(other.penalty, float(other.epsilon), numbers)
        other.guarantee = adjusted.fair.guarantee
        other._take_pool(adjusted, self._trust)
        other.lower_bound_ = None
        other._warn_if_unfair()
        return other

    def _tell_of_governing(self) -> None:
        assert isinstance(self.pool_, FairPool)
        self.guarantee = self.pool_.fair.guarantee
        self._warn_if_unfair()

    def _warn_if_unfair(self) -> None:
        """A guarantee that was asked for is never dropped silently; the paper's constraint promises no realised gap."""
        fit = self.fairness_
        if fit.guarantee == "confident" and not fit.assured:
            whom = notion_of(fit.notion).whom
            told = " ".join(assurance_in_words(fit.assurance, fit.assured_rates, fit.epsilon, whom))
            warnings.warn(f"{told} The model is kept, and fairness_.met is False.", FairnessWarning, stacklevel=3)
        if fit.guarantee == "realised" and not fit.met:
            gap = "one that cannot be told" if math.isnan(fit.realised_gap) else f"{fit.realised_gap:.4f}"
            warnings.warn(
                f"Asked for a gap of at most {fit.epsilon:g} between groups, but the fairest model found has "
                f"{gap} on the training rows ({describe(fit.worst)}). It is kept, and fairness_.met is False. Allow a "
                "larger epsilon, more rounds or deeper rules.",
                FairnessWarning,
                stacklevel=3,
            )
