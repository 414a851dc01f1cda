"""RUGClassifier: weighted if-then rules behind scikit-learn's interface."""

import time
from collections.abc import Iterable
from copy import copy
from typing import Any, Self

from sklearn.utils.validation import check_is_fitted

from rugcore.estimators.base import RuleClassifier
from rugcore.rules.decisions import majority
from rugcore.rules.rule import Rule
from rugcore.training.chances import Chances
from rugcore.training.refitting import numbers_to_leave_out, pool_of
from rugcore.training.rounds import train_best
from rugcore.training.rows import Trainable
from rugcore.training.settings import Settings, check_penalty
from rugcore.training.trust import trust_in


class RUGClassifier(RuleClassifier):
    """Weighted if-then rules, learned by linear programming with column generation.

    Parameters
    ----------
    max_depth : int, default=3
        The most conditions a rule can have.
    penalty : float, default=1.0
        Lambda: the price of rule cost against classification loss. Higher means fewer rules.
    max_iter : int, default=15
        Pricing rounds after the first pool of rules, at most. With three or more classes, and up to 5,000 different
        rows, fewer are taken where they do better on rows held out in turn. With exact pricing, rounds of trees before
        the search begins; the search itself ends with its proof, or with `time_limit`.
    rule_cost : {"length", "unit"}, default="length"
        Whether a rule costs its share of the longest allowed length, or the same as every other.
    weight_threshold : float, default=0.05
        Rules whose weight is not above this share of the largest are left out; 0 keeps every rule with
        weight.
    pricing : {"tree", "exact"}, default="tree"
        How rules are found: by trees fed with the duals, or exactly. Exact pricing begins with trees over deciles and
        categories; where they find nothing more, a search over all rules of `max_depth` conditions finds the best ones,
        until it has proved that none is missing, or until `time_limit`, with a lower bound on the objective. Small
        tables take seconds; large ones at depth 3 may take hours: set a limit.
    loss : {"margin", "paper"}, default="margin"
        Three or more classes: "margin" counts votes for wrong classes in full, so that the sum of the losses bounds the
        number of errors; "paper" holds the right class against the mean rival, as published. Two classes: the same.
    min_support : float or None, default=None
        Fewest training rows that a rule may rest on (in total weight, where rows have weights). None: one in a hundred,
        but 5 to 20 are enough; one in twenty where there are less than 100. A rule must also be right more often than
        its class is common, by more than a standard error of the people it covers. Exact pricing looks at all rules and
        allows only None or 0; the paper's loss for three or more classes heeds neither.
    special_values : dict or None, default=None
        Codes in columns of numbers that are no amounts, with what they stand for: `{"months": {-9: "no such record"}}`,
        or `{"months": [-9, -8]}`. Each is a kind of its own beside the numbers, never inside an interval: -9 does not
        meet `months <= 5`, but may meet `months <= 5 or "no such record"` and `months is "no such record"`.
    monotonic_cst : dict, sequence or None, default=None
        Directions, for two classes: `{"income": 1, "arrears": -1}`, or one entry a column. 1: more of the column should
        help towards `positive_class`; -1: it should harm; 0: nothing is said. No rule for a class then asks for less of
        what should help it, and no score, decision or chance gets worse when a value gets better. Of a column of
        categories, these from the worst to the best: `{"rating": ("poor", "fair", "good")}`. Blanks, special codes and
        categories that are not listed are free.
    positive_class : label or None, default=None
        The class that serves people well; needed by `monotonic_cst` unless the classes are 0 and 1.
    solver : {"auto", "highs", "gurobi"}, default="auto"
        "auto" is Gurobi where its licence has no size limit, and HiGHS everywhere else.
    time_limit : float or None, default=None
        Seconds after which no new round begins; the best model so far is kept. An exact search stops within its round.
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
        Objective of the master problem over all rules of the pool. After the last round what the rules do not need was
        taken out of them, and the problem solved again: it need not be the objective of `history_[-1]`.
    lower_bound_ : float or None
        With exact pricing, no set of rules over the binarised columns has a lower objective.
    stop_reason_ : str
        "converged", "max_iter", "held_out", "time_limit" or "callback". Converged means that pricing found no rule that
        improves the objective; with exact pricing there is none. "held_out": more rounds did worse on rows held out.
    pool_ : RulePool
        The rules and the linear program of the last round; what `refit` works on. Not kept in files.
    n_iter_ : int
        Rounds, the first pool included.
    solver_ : str
        The solver that was used.
    class_share_ : ndarray
        Share of each class in the training rows.
    default_class_ : label
        What rows get that no rule covers. Two classes: the most common one. Three or more: the most common one among
        such training rows, whose shares are drawn towards those of the whole table; where no class has half of the
        people, the loss leaves them without a rule, and the most common class of all says little about them.
    reference_ : Reference or None
        The training people by what this model decides about them, as counts: whom reasons compare with. None in a model
        read from a file of version 0.1, or refitted after it was read.
    fared_ : Fared or None
        What became of the training people, by what they have in the columns that rules look at, as counts: reasons that
        the data do not bear out are not told. None where `reference_` is, and in files that were written without it.
    chances_ : Chances or None
        What `predict_proba` goes by; None in a model read from a file of version 0.1.
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn rules from a table of past decisions.

        Parameters
        ----------
        X : DataFrame or array
            Numbers, text, categories, true/false and blanks, as they are.
        y : one label per row
            The outcome to learn.
        sample_weight : one number per row, or None
            How much each row counts.
        """
        started = time.perf_counter()
        settings = Settings.checked(self)
        rows, _ = self._rows(X, y, sample_weight)
        return self._learned(rows, settings, started)

    def _learned(self, rows: Trainable, settings: Settings, started: float) -> Self:
        result, settings = train_best(rows, settings, started)
        self._take(result, trust_in(rows, settings, result, started), rows)
        return self

    def _default_code(self, chances: Chances) -> int:
        return super()._default_code(chances) if len(self.classes_) == 2 else majority(chances.uncovered)

    def refit(self, *, penalty: float | None = None, without: Rule | Iterable[Rule] = ()) -> Self:
        """A new model from the rules already found, under another lambda or without some rules.

        One small linear program is solved, no new rules are looked for, and this model stays as it is: quick, but a
        new training would look for rules that suit the new lambda, and may end with fewer. `history_` still tells how
        the rules were found; `lower_bound_` belonged to the old lambda and is None. Needs a model trained here.

        Parameters
        ----------
        penalty : float or None
            The new lambda; None keeps it.
        without : Rule or several
            Rules of `rules_` that the new model must not use.
        """
        check_is_fitted(self)
        other = copy(self)
        if penalty is not None:
            check_penalty(penalty)
            other.penalty = penalty
        other._take_pool(pool_of(self).resolved(other.penalty, numbers_to_leave_out(self, without)), self._trust)
        other.lower_bound_ = None
        return other
