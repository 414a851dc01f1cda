"""What every classifier made of rules can do once it is trained: decide, explain, save, be refitted."""

from collections.abc import Callable, Iterable, Mapping
from copy import copy
from dataclasses import replace
from functools import cached_property
from os import PathLike
from typing import Any, Self

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from rugcore.attribution import CodedPeople, Fared, Reference, RuleVotes
from rugcore.errors import InputError
from rugcore.explanations.explanation import Explanation, explain_row
from rugcore.generation.directions import Directions
from rugcore.generation.loop import Round
from rugcore.governance import PoolRows, governed_pool, read_changes
from rugcore.persistence import model_files
from rugcore.rules.decisions import Decisions, LabelledDecisions, decide, majority
from rugcore.rules.rule import Rule
from rugcore.rules.ruleset import RuleSet
from rugcore.tables import validation
from rugcore.tables.matching import RuleMatcher
from rugcore.tables.schema import Schema
from rugcore.tables.special import special_codes
from rugcore.tables.table import plain_value
from rugcore.training.chances import Chances, Trust
from rugcore.training.directions import effect_signs, read_directions
from rugcore.training.pool import RulePool
from rugcore.training.rows import Trainable, TrainingRows
from rugcore.training.run import TrainingResult


class RuleClassifier(ClassifierMixin, BaseEstimator):
    """The shared base: the parameters that every rule model has; subclasses bring `fit`, `refit` and what they add."""

    schema_: Schema
    rules_: RuleSet
    classes_: np.ndarray
    class_share_: np.ndarray
    default_class_: Any
    pool_: RulePool
    history_: list[Round]
    objective_: float
    lower_bound_: float | None
    chances_: Chances | None
    _people: CodedPeople | None = None  # the training rows, to refit with; a model read from a file has none

    def __init__(
        self,
        *,
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
        positive_class: Any = None,
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
        self.loss = loss
        self.min_support = min_support
        self.special_values = special_values
        self.monotonic_cst = monotonic_cst
        self.positive_class = positive_class
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

    # -- training: what subclasses build on ----------------------------------------------------------------

    def _rows(self, X: Any, y: Any, sample_weight: Any) -> tuple[TrainingRows, np.ndarray]:
        """The rows to learn from, and which of the given ones they are: a row without weight is as good as absent."""
        table = validation.training_table(self, X)
        table = replace(table, specials=special_codes(self.special_values, table))
        target = validation.read_target(y, table.n_rows)
        weight = validation.read_weights(sample_weight, table.n_rows)
        has_weight = weight > 0
        if not has_weight.all():
            table, target, weight = table.take(has_weight), target.take(has_weight), weight[has_weight]
        if len(target.classes) < 2:
            raise InputError("Expected at least two classes with weight, but all sample_weight lies on one class.")
        self.classes_ = target.classes
        self.schema_ = Schema.of(table)
        return TrainingRows.of(table, target, weight, self._directions), has_weight

    @property
    def _directions(self) -> Directions | None:
        return read_directions(self.monotonic_cst, self.positive_class, self.schema_, self.classes_)

    def _take(self, result: TrainingResult, trust: Trust, rows: Trainable) -> None:
        self._people = rows.people(result.pool.columns)
        self.history_ = result.history
        self.n_iter_ = len(result.history)
        self.lower_bound_ = result.lower_bound
        self.stop_reason_ = result.stop_reason
        self.class_share_ = result.class_share
        self._take_pool(result.pool, trust)

    def _take_pool(self, pool: RulePool, trust: Trust) -> None:
        self.pool_ = pool
        self.rules_ = pool.kept_rules(self.weight_threshold)
        self.objective_ = pool.solution.objective
        self.solver_ = pool.master.solver.name
        signs = effect_signs(self.rules_, self._directions, self.schema_.names, self.classes_.tolist())
        self.chances_ = Chances.of(pool.kept_rows(self.weight_threshold), self.class_share_, trust, signs)
        self.default_class_ = self.classes_[self._default_code(self.chances_)]
        for name in ("rule_votes_", "reference_", "fared_"):
            self.__dict__.pop(name, None)  # of other rules: worked out anew when needed
        self._prepare()

    def _default_code(self, chances: Chances) -> int:  # noqa: ARG002
        """The number of the class of rows that no rule covers."""
        return majority(self.class_share_)

    @property
    def _trust(self) -> Trust:
        """How far this model's evidence is believed, for one that is refitted from it; an old file does not say."""
        return Trust.full(len(self.classes_)) if self.chances_ is None else self.chances_.trust

    def _prepare(self) -> None:
        """What prediction needs besides the fitted attributes, derived from them."""
        self._matcher = RuleMatcher(self.rules_, self.schema_)
        position = {label: code for code, label in enumerate(self.classes_.tolist())}
        self._rule_classes = [position[rule.label] for rule in self.rules_]
        self._default = position[plain_value(self.default_class_)]

    # -- rules that people decide on -----------------------------------------------------------------------

    def governed(
        self,
        *,
        vetoed: Rule | Iterable[Rule] = (),
        locked: Rule | Iterable[Rule] | Mapping[Rule, float | None] = (),
        unlocked: Rule | Iterable[Rule] = (),
        added: Rule | Iterable[Rule] = (),
        replaced: Mapping[Rule, Rule] | None = None,
        protected: Iterable[str] = (),
        X: Any = None,
        y: Any = None,
        sample_weight: Any = None,
        sensitive_features: Any = None,
    ) -> Self:
        """A new model whose rules a person has a say in: the linear program solved again, no weight set by hand.

        This model stays as it is, and the new one saves, explains, exports, refits and is governed further like any
        other. A fair model is weighed within its epsilon again; if that cannot be kept, it warns, and `fairness_.met`
        is False. Needs a model trained here, or one with its pool (`load_pool`).

        Parameters
        ----------
        vetoed : Rule or several
            Rules of this model that the new one, and all made from it, must not use.
        locked : Rule, several, or {Rule: weight}
            Rules that must stay, with at least this weight; without one, or with None, at least their present one.
            Also of rules in `added`.
        unlocked : Rule or several
            Rules that need not stay any more.
        added : Rule or several
            Rules written by hand, such as `Rule((Interval("income", upper=42000.0),), "denied")`. The program gives
            them a weight if they are worth it; to have one for certain, lock them. Directions bind them.
        replaced : {Rule: Rule}
            Rules of this model, each with what is written in its place: the first is vetoed, the second added.
        protected : names of columns
            What no rule written by hand may look at.
        X, y, sample_weight, sensitive_features
            The training rows as in `fit`, needed for `added` and `replaced`: whom does a new rule cover? The groups are
            needed only after guarantee="confident".
        """
        check_is_fitted(self)
        changes = read_changes(
            self,
            vetoed=vetoed,
            locked=locked,
            unlocked=unlocked,
            added=added,
            replaced=replaced,
            protected=protected,
        )
        rows = None
        if X is not None or y is not None:
            rows = PoolRows.of(self, X, y, sample_weight, sensitive_features)
        pool = governed_pool(self.pool_, changes, rows)
        other = copy(self)
        if rows is not None:
            other._people = rows.people(pool.columns)
        other._take_pool(pool, self._trust)
        other.lower_bound_ = None
        other._tell_of_governing()
        return other

    def _tell_of_governing(self) -> None:
        """What a subclass has to say about a model that was changed by hand."""

    # -- prediction ----------------------------------------------------------------------------------------

    def decisions(self, X: Any) -> LabelledDecisions:
        """Class, scores, margin and the flags `is_uncovered` and `is_tie` for every row, as arrays.

        `decisions(X).to_frame()` is a table with one line per row of X, with the classes by name.
        """
        check_is_fitted(self)
        table = validation.table_to_predict(self, X)
        votes = self._matcher.votes(table, self._rule_classes, len(self.classes_))
        index = X.index if isinstance(X, pd.DataFrame) else None
        return decide(votes, self.class_share_, self._default).labelled(self.classes_, index)

    def decisions_for(self, coverage: sparse.csr_array) -> Decisions:
        """The decisions about rows of which it is known which rules cover them.

        Parameters
        ----------
        coverage : sparse boolean array (n_rows, n_rules)
            What `covering_rules` returns; with a column set to nothing, the decisions without that rule.
        """
        check_is_fitted(self)
        weights = np.zeros((len(self.rules_), len(self.classes_)))
        weights[np.arange(len(self.rules_)), self._rule_classes] = [rule.weight for rule in self.rules_]
        return decide(np.asarray(coverage @ weights), self.class_share_, self._default)

    def predict(self, X: Any) -> np.ndarray:
        """The class with the highest score; ties go to the more frequent class, uncovered rows to `default_class_`."""
        class_code = self.decisions(X).class_code
        return self.classes_[class_code]

    def predict_proba(self, X: Any) -> np.ndarray:
        """The chance of every class, shape (n, K): calibrated, never 0 or 1, and from the rules that cover a row.

        A regression on the training rows finds what each rule adds to the log-odds of a class; how far that can be
        believed was measured in `fit` on rows held out in turn (tables of up to 5,000 different rows; longer ones
        need no correction). Rows that no rule covers get the class shares of such rows, drawn towards those of the
        whole table. `refit` keeps what `fit` measured.

        The class that `predict` says, which votes decide, always has the highest chance: in the one row in twenty
        where the evidence speaks for another class, both get nearly the same. Rows are not ranked by margin, so
        `decision_function` may rank them otherwise. For the share of the covering weight use `decisions(X).shares`; a
        model read from a file of version 0.1 knows no chances and returns these shares.
        """
        coverage = self.covering_rules(X)
        decisions = self.decisions_for(coverage)
        return decisions.shares if self.chances_ is None else self.chances_.of_rows(coverage, decisions.class_code)

    def decision_function(self, X: Any) -> np.ndarray:
        """The score vectors of the paper, shape (n, K); with two classes the score of the second, (n,)."""
        scores = self.decisions(X).scores
        return scores[:, 1] if len(self.classes_) == 2 else scores

    def covering_rules(self, X: Any) -> sparse.csr_array:
        """A boolean matrix with one line per row of X and one column per rule of `rules_`."""
        check_is_fitted(self)
        return self._matcher.coverage(validation.table_to_predict(self, X))

    def explain(self, row: Any) -> Explanation:
        """Why this decision: the rules for and against it, with the values that made them hold.

        Parameters
        ----------
        row : Series, dict or table of one row
            One row with the columns of the training table, such as `X.iloc[0]`.
        """
        check_is_fitted(self)
        cells = self.schema_.cells(row)
        covering = [rule for rule in self.rules_ if rule.holds(cells)]
        return explain_row(cells, covering, self.classes_, self.class_share_, self._default)

    # -- whom to compare with --------------------------------------------------------------------------------

    @cached_property
    def rule_votes_(self) -> RuleVotes:
        """The rules as a sum of conjunctions: what exact Shapley values are worked out from."""
        check_is_fitted(self, "rules_")
        return RuleVotes.of(self.rules_, self.schema_, self.classes_, self.class_share_, self._default)

    @cached_property
    def reference_(self) -> Reference | None:
        """The training people by what this model decides about them: whom reasons compare with.

        Worked out when first needed, kept in files, and new after `refit`. None in a model read from a file of version
        0.1, and in one that was refitted after it was read: pass the training rows as `background` instead.
        """
        check_is_fitted(self, "rules_")
        if self._people is None:
            return None
        return self.rule_votes_.reference(self._people.codes_for(self.rule_votes_.cuts), self._people.weight)

    @cached_property
    def fared_(self) -> Fared | None:
        """What became of the training people, by what they have: reasons that the data do not bear out are not told.

        Worked out when first needed, kept in files, and new after `refit`. None where `reference_` is, and in a model
        read from a file that was written without it.
        """
        check_is_fitted(self, "rules_")
        if self._people is None:
            return None
        return Fared.of(self.rule_votes_.cuts, self._people, len(self.classes_))

    # -- files ---------------------------------------------------------------------------------------------

    def save(self, path: str | PathLike[str]) -> None:
        """Write the model to `path` as JSON: what prediction and explanations need, nothing that can be executed."""
        check_is_fitted(self)
        model_files.save(self, path)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Read the model that `save` wrote to `path`; a damaged, altered or foreign file raises a `ModelFileError`."""
        return model_files.load(cls, path)

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = dict(super().__getstate__())
        for name in ("_matcher", "rule_votes_"):
            state.pop(name, None)  # rebuilt from the rules
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        if "rules_" in state:
            self._prepare()
