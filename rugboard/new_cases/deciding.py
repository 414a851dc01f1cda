"""New people before the model that a visitor has chosen; they are held in memory only, and nowhere else."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import pandas as pd

from rugboard.runs.results import Results
from rugboard.session import adjusted_models, chance_record
from rugboard.session.adjustment_notice import change_in_words
from rugboard.session.adjustments import Adjustment
from rugboard.session.chance_record import ChanceRecord
from rugboard.session.dictionaries import dictionary_of, expected_directions, never_named
from rugboard.session.expectations import faring_well
from rugboard.shell.theme import name_of_model
from rugcore.dictionary import DataDictionary
from rugcore.new_cases import NewCases, ReadCases, decide_new_cases, read_cases
from rugcore.tables import plain_value

if TYPE_CHECKING:
    from rugcore.estimators import RuleClassifier

CHANCE_DIGITS = 3


@dataclass(frozen=True, eq=False)
class Decider:
    """A model of a run as this visitor has set it, with the dictionary of its columns."""

    results: Results
    name: str  # "rug" or "fair"
    change: Adjustment
    dictionary: DataDictionary  # by the names in the file; what names or groups protect may not be named either

    @classmethod
    def of(cls, results: Results, name: str, change: Adjustment) -> "Decider":
        dictionary, hidden = dictionary_of(results), never_named(results)
        for column in (name for name in results.run.plan.columns if dictionary.shown_name(name) in hidden):
            dictionary = dictionary.with_entry(column, replace(dictionary.entry(column), protected=True))
        return cls(results, name, change, dictionary)

    @property
    def key(self) -> tuple[str, str, str, str]:
        """Who decides: what was worked out for one holds for no other."""
        return self.results.run.id, self.name, self.change.cache_key, self.dictionary.to_json()

    @property
    def model(self) -> "RuleClassifier":
        return adjusted_models.with_adjustment(self.results, self.name, self.change)

    @property
    def classes(self) -> list[Any]:
        return [plain_value(label) for label in self.model.classes_]

    @property
    def favourable(self) -> Any:
        return self.results.plan.favourable

    @property
    def used(self) -> list[str]:
        """The columns that rules look at, by shown name, in the order of the table."""
        looked_at = self.model.rules_.features()
        return [name for name in self.model.schema_.names if name in looked_at]

    @property
    def words(self) -> str:
        """Which model decides, for a sentence or a file."""
        as_it_is = "as trained" if self.results.plan.origin is None else "as kept"
        how = f"re-weighted, with {change_in_words(self.change)}" if self.change.is_any else as_it_is
        return f"{name_of_model(self.name)} {how}"

    def read(self, frame: pd.DataFrame) -> ReadCases:
        """What can be read of a table with the names of the file."""
        return read_cases(self.model, frame, self.dictionary, self.results.X_train)

    def decide(self, frame: pd.DataFrame, ids: Sequence[Any] | None = None) -> NewCases:
        return decide_new_cases(
            self.model,
            frame,
            positive_class=self.favourable,
            dictionary=self.dictionary,
            background=self.results.X_train,
            directions=expected_directions(self.results),
            faring_well=faring_well(self.results, self.model),
            confidence=adjusted_models.confidence_finder(self.results, self.name, self.change),
            ids=ids,
        )

    def record_of(self, chance: float) -> ChanceRecord:
        return chance_record.record_of(self.results, self.name, self.change, chance)
