"""What a report is about: a model, the rows it learned from and is judged on, and what was worked out before.

Everything that two sections need is worked out here once.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from rugcore.dictionary import DataDictionary, protected_by_name
from rugcore.estimators import FairRUGClassifier, RuleClassifier
from rugcore.explanations.reasons import Wording
from rugcore.fair_training.outcome import FairnessFit
from rugcore.fairness import Audit, audit, read_groups
from rugcore.monitoring import Monitoring
from rugcore.outside_models import Fidelity
from rugcore.plotting.charts import COLOURS
from rugcore.report.guidance import Guidance
from rugcore.report.statements import ChangeEntry, RuleChangeEffect, Statements
from rugcore.rules import RuleSet, SaidDirection, words
from rugcore.rules.decisions import Decisions
from rugcore.selection import FairnessOverSplits
from rugcore.tables.table import plain_value

# As in the dashboard: `rugboard.shell.theme`.
GROUP_COLOURS = ("#7a5cc0", "#c08a10", "#2f8f9d", "#b4557f", "#789c60", "#846024", "#7878fc", "#7d8794")
MODEL_COLOUR, OTHER_COLOUR = "#0f9a76", "#5d7290"
OUTSIDE_NAME = "Other model"

Progress = Callable[[str, float], None]  # what is being done, and which share of the work is behind


@dataclass(frozen=True, eq=False)
class PeopleRows:
    """Rows with their outcomes and, where there is a sensitive attribute, their groups in words.

    Several sensitive columns make a group of every combination that occurs, and a blank is a group of its own.
    """

    X: pd.DataFrame
    y: pd.Series
    groups: Any = None

    def __post_init__(self) -> None:
        if self.groups is not None:
            found = read_groups(self.groups, len(self.y))
            names = pd.Series(np.array(found.names, dtype=object)[found.codes], index=self.y.index)
            object.__setattr__(self, "groups", names)

    def called(self, names: Mapping[str, str]) -> "PeopleRows":
        """The same people, with their groups called otherwise."""
        return self if self.groups is None else PeopleRows(self.X, self.y, self.groups.map(names))

    def __len__(self) -> int:
        return len(self.y)


@dataclass(frozen=True)
class ModelIdentity:
    """What tells this model from all others; a text that nobody knows is empty."""

    name: str  # of the run, or of the model file
    kind: str  # RUG or FairRUG
    model_hash: str  # SHA-256 of the model file
    data_name: str
    data_hash: str  # SHA-256 of the data
    run_id: str = ""
    trained: str = ""  # when, as 2026-01-31T12:00:00Z
    more: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, eq=False)
class OtherModel:
    """A model on the same test rows: what it decides, and what there is to read in it."""

    name: str
    decided: np.ndarray
    size: str = ""
    f1_macro: float = float("nan")
    auc: float = float("nan")
    why_not: str = ""  # it has no numbers


@dataclass(frozen=True)
class StabilityFound:
    """How often every rule came back when the model was trained again on samples, in the order of the rules."""

    n_samples: int
    n_back: tuple[int, ...]
    agreement: float  # share of the training rows decided alike, on average


@dataclass(frozen=True, eq=False)
class OutsideFound:
    """Another model of which the decisions are known: what they are, and how far rules can imitate them."""

    definition: tuple[tuple[str, str], ...]  # the column and how it was read, by name
    decided: np.ndarray  # on the test rows
    f1_macro: float = float("nan")
    auc: float = float("nan")
    fidelity: Fidelity | None = None  # of the rules that imitate it; None: none were learned
    rules: RuleSet | None = None

    @property
    def as_other(self) -> "OtherModel":
        """As a line among the other models."""
        return OtherModel(OUTSIDE_NAME, self.decided, "not known", self.f1_macro, self.auc)


@dataclass(frozen=True, eq=False)
class NewerPeople:
    """The last time that newer people were held against the model."""

    name: str  # of their file or period
    when: str  # as 2026-01-31T12:00:00Z; nothing where nobody knows
    found: Monitoring


@dataclass(frozen=True)
class FrontierLine:
    """One allowed gap, and what it costs."""

    epsilon: float
    met: bool
    n_rules: int
    training_gap: float
    training_accuracy: float
    test_gap: float
    test_accuracy: float


@dataclass(frozen=True, eq=False)
class Evidence:
    """All that a report may speak about. None: it was not worked out, and the report says so."""

    model: RuleClassifier
    identity: ModelIdentity
    test: PeopleRows
    training: PeopleRows | None
    target: str
    favourable: Any
    positive_class: Any = None  # of audits; None: the favourable one
    sensitive: tuple[str, ...] = ()
    fairness: str = "dmc"
    epsilon: float | None = None
    dictionary: DataDictionary = field(default_factory=DataDictionary)
    wording: Wording = field(default_factory=Wording)
    directions: Mapping[str, SaidDirection] | None = (
        None  # what no reason may contradict; None: what the model was told
    )
    statements: Statements = field(default_factory=Statements)
    guidance: Guidance = field(default_factory=Guidance.standard)
    held_out: str = ""  # how the test rows were chosen
    sample: tuple[str, ...] = ()  # where the rows are a sample: of what, and what was counted over all of them
    notes: tuple[str, ...] = ()  # on how the table was read
    changes: tuple[ChangeEntry, ...] = ()
    rule_changes: tuple[RuleChangeEffect, ...] = ()  # what those of `changes` that are about rules did
    others: tuple[OtherModel, ...] | None = None
    stability: StabilityFound | None = None
    splits: FairnessOverSplits | None = None
    frontier: tuple[FrontierLine, ...] | None = None
    fit: FairnessFit | None = None  # in the names of groups that the report uses
    outside: OutsideFound | None = None  # None: no other model's decisions are known, and the report is silent
    newer: NewerPeople | None = None

    # -- who -------------------------------------------------------------------------------------------------

    @property
    def is_fair_model(self) -> bool:
        return isinstance(self.model, FairRUGClassifier)

    @property
    def has_groups(self) -> bool:
        return self.test.groups is not None

    @property
    def attribute(self) -> str:
        return " / ".join(self.sensitive)

    @cached_property
    def classes(self) -> list[Any]:
        """The favourable one first."""
        found = [plain_value(label) for label in self.model.classes_]
        return sorted(found, key=lambda label: (label != self.favourable, str(label)))

    @cached_property
    def groups(self) -> list[str]:
        """All groups, in order."""
        parts = [rows.groups for rows in (self.training, self.test) if rows is not None and rows.groups is not None]
        return sorted({str(name) for part in parts for name in part.unique()})

    @property
    def protected(self) -> frozenset[str]:
        """Columns that are never named to a person: the sensitive ones, those of the dictionary, and by their names."""
        by_name = (name for name in self.model.schema_.names if protected_by_name(name))
        return frozenset((*self.sensitive, *self.dictionary.protected(), *by_name))

    # -- what the model does on the test rows ------------------------------------------------------------------

    @cached_property
    def coverage(self) -> sparse.csr_array:
        return sparse.csr_array(self.model.covering_rules(self.test.X))

    @cached_property
    def training_coverage(self) -> sparse.csr_array | None:
        return None if self.training is None else sparse.csr_array(self.model.covering_rules(self.training.X))

    @cached_property
    def decisions(self) -> Decisions:
        return self.model.decisions_for(self.coverage)

    @cached_property
    def decided(self) -> np.ndarray:
        labels: np.ndarray = self.model.classes_[self.decisions.class_code].astype(object)
        return labels

    @cached_property
    def truth(self) -> np.ndarray:
        return self.test.y.to_numpy(dtype=object)

    @cached_property
    def is_right(self) -> np.ndarray:
        found: np.ndarray = self.decided == self.truth
        return found

    @cached_property
    def test_audit(self) -> Audit | None:
        return self._audit(self.test, self.decided)

    @cached_property
    def training_audit(self) -> Audit | None:
        return None if self.training is None else self._audit(self.training, self.model.predict(self.training.X))

    def audit_of(self, decided: np.ndarray) -> Audit | None:
        """Of another model, on the test rows."""
        return self._audit(self.test, decided)

    def _audit(self, rows: PeopleRows, decided: np.ndarray) -> Audit | None:
        if rows.groups is None:
            return None
        found = audit(
            rows.y,
            decided,
            sensitive_features=rows.groups,
            positive_class=self.favourable if self.positive_class is None else self.positive_class,
            classes=[plain_value(label) for label in self.model.classes_],
        )
        return found if self.epsilon is None else found.judged(self.epsilon, self.fairness)

    # -- colours -----------------------------------------------------------------------------------------------

    def class_colours(self) -> dict[str, str]:
        return _colours([words.value(label) for label in self.classes], COLOURS)

    def group_colours(self) -> dict[str, str]:
        return _colours(self.groups, GROUP_COLOURS)


def _colours(names: Sequence[str], palette: Sequence[str]) -> dict[str, str]:
    return {name: palette[place % len(palette)] for place, name in enumerate(names)}


def nothing_said(what: str, share: float) -> None:
    """The progress of somebody who does not watch."""
