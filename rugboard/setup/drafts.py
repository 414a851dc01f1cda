"""What a person has decided so far on the way to a training run: a table, its columns, the settings."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any

from rugboard.runs.plan import Label, LargeTable, Plan, directions_of
from rugcore.dictionary import ColumnEntry, DataDictionary
from rugcore.errors import InputError
from rugcore.outside_models import OutsideModel
from rugcore.rules import SaidDirection


@dataclass(frozen=True)
class TableChoice:
    """A table that is kept under its snapshot id, and what a person calls it."""

    snapshot: str
    name: str
    demo: str | None = None
    notes: tuple[str, ...] = ()  # what the reader of the file had to say
    large: LargeTable | None = None  # the table itself, where the snapshot is a sample of it


@dataclass(frozen=True)
class ColumnChoices:
    """What the columns of the table mean; None and nothing: not said yet."""

    target: str | None = None
    favourable: Label | None = None
    sensitive: tuple[str, ...] = ()
    bands: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    features: tuple[str, ...] | None = None  # None: all that health does not advise against
    kinds: Mapping[str, str] = field(default_factory=dict)
    unreadable: tuple[str, ...] = ()  # features that are to be read as what they are not
    kept_out: tuple[str, ...] = ()  # not features unless somebody ticks them
    outside: OutsideModel | None = None  # a column with what another model decided; never a feature
    is_outside_refused: bool = False  # it cannot be read as that


@dataclass(frozen=True)
class TrainingSettings:
    """How to train; names and defaults are those of `Plan`."""

    max_depth: int = Plan.max_depth
    penalty: float = Plan.penalty
    max_iter: int = Plan.max_iter
    rule_cost: str = Plan.rule_cost
    pricing: str = Plan.pricing
    min_support: float | None = Plan.min_support
    solver: str = Plan.solver
    time_limit: float | None = Plan.time_limit
    train_fair: bool = Plan.train_fair
    fairness: str = Plan.fairness
    epsilon: float = Plan.epsilon
    guarantee: str = Plan.guarantee
    test_share: float = Plan.test_share
    split_seed: int = Plan.split_seed
    keep_directions: bool = Plan.keep_directions


@dataclass(frozen=True)
class Draft:
    """A plan in the making."""

    table: TableChoice
    columns: ColumnChoices = ColumnChoices()
    settings: TrainingSettings = TrainingSettings()
    dictionary: DataDictionary = field(default_factory=DataDictionary)  # as kept for such a table, not in the draft

    @property
    def is_ready(self) -> bool:
        """Whether everything that must be asked has been answered."""
        return not self.open_questions()

    def open_questions(self) -> tuple[str, ...]:
        """What is still to be said, each as the end of "please say …"."""
        columns = self.columns
        missing = []
        if columns.target is None:
            missing.append("which column is the outcome")
        elif columns.favourable is None:
            missing.append("which outcome serves the applicant well")
        if columns.features is not None and not self.features:
            missing.append("which columns the rules may use")
        if columns.unreadable:
            missing.append("how to read the columns that do not hold numbers")
        if columns.is_outside_refused:
            missing.append("which column holds the other model's decision, or none")
        return tuple(missing)

    @property
    def features(self) -> tuple[str, ...]:
        """The columns that rules may use: as chosen, without those that the dictionary keeps from them since."""
        features = [name for name in self.columns.features or () if name != outside_column(self.columns)]
        return tuple(name for name in features if not is_unused(self.dictionary.entry(name)))

    def directions(self) -> dict[str, SaidDirection]:
        """What should help (1) or harm (-1), or goes from worst to best, among the columns that rules may use."""
        return directions_of(self.dictionary, self.features, self.columns.kinds)

    def with_columns(self, columns: ColumnChoices) -> "Draft":
        return replace(self, columns=columns)

    def with_settings(self, settings: TrainingSettings) -> "Draft":
        return replace(self, settings=settings)

    def to_plan(self) -> Plan:
        """The plan; refused with an `InputError` if something is missing or makes no sense."""
        if not self.is_ready:
            raise InputError(f"Please say on the page Data {' and '.join(self.open_questions())}.")
        columns = self.columns
        if columns.target is None or columns.favourable is None:  # an open question, asked above
            raise InputError("Please say on the page Data which column is the outcome.")
        return Plan(
            snapshot=self.table.snapshot,
            data_name=self.table.name,
            target=columns.target,
            favourable=columns.favourable,
            features=self.features,
            sensitive=columns.sensitive,
            bands=dict(columns.bands),
            kinds={name: kind for name, kind in columns.kinds.items() if name in self.features},
            dictionary=self.dictionary,
            outside=columns.outside,
            large=self.table.large,
            **asdict(self.settings),
        )


def outside_column(columns: ColumnChoices) -> str | None:
    """The column with what another model decided, if there is one."""
    return None if columns.outside is None else columns.outside.column


def is_unused(entry: ColumnEntry) -> bool:
    """Whether the dictionary says that no rule may use the column."""
    return entry.protected or entry.left_out


def draft_of(plan: Plan) -> Draft:
    """The draft that would give this plan again, to be changed and trained again."""
    settings: dict[str, Any] = {item.name: getattr(plan, item.name) for item in fields(TrainingSettings)}
    return Draft(
        TableChoice(plan.snapshot, plan.data_name, large=plan.large),
        ColumnChoices(
            target=plan.target,
            favourable=plan.favourable,
            sensitive=plan.sensitive,
            bands=plan.bands,
            features=plan.features,
            kinds=plan.kinds,
            outside=plan.outside,
        ),
        TrainingSettings(**settings),
        plan.dictionary,
    )


def draft_to_json(draft: Draft) -> str:
    columns = draft.columns
    outside = None if columns.outside is None else asdict(columns.outside)
    plain = {**vars(columns), "bands": dict(columns.bands), "kinds": dict(columns.kinds), "outside": outside}
    return json.dumps({"table": asdict(draft.table), "columns": plain, "settings": asdict(draft.settings)})


def draft_from_json(text: str) -> Draft:
    """The inverse of `draft_to_json`; a `ValueError` if the text is none of its like."""
    try:
        kept = json.loads(text)
        table, columns = _with_tuples(kept["table"]), _with_tuples(kept["columns"])
        columns["bands"] = _with_tuples(columns["bands"])
        if table.get("large") is not None:
            table["large"] = LargeTable.read(table["large"])
        if columns.get("outside") is not None:
            columns["outside"] = OutsideModel.read(columns["outside"])
        return Draft(TableChoice(**table), ColumnChoices(**columns), TrainingSettings(**kept["settings"]))
    except (KeyError, TypeError, AttributeError, InputError) as error:  # written by an older version, say
        raise ValueError("This is no draft.") from error


def _with_tuples(kept: dict[str, Any]) -> dict[str, Any]:
    return {name: tuple(value) if isinstance(value, list) else value for name, value in kept.items()}


def usable_features(names: Sequence[str], columns: ColumnChoices, advised_against: Sequence[str]) -> tuple[str, ...]:
    """The columns that rules may use: as chosen, or all but the target, the sensitive ones and the doubtful ones."""
    if columns.features is not None:
        taken = columns.target, outside_column(columns)
        return tuple(name for name in columns.features if name in names and name not in taken)
    out = {columns.target, outside_column(columns), *columns.sensitive, *columns.kept_out, *advised_against}
    return tuple(name for name in names if name not in out)
