"""Everything that defines a run, as one value that goes to the worker and stays with the result."""

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, asdict, dataclass, field, fields, replace
from itertools import pairwise
from typing import Any, Final

import numpy as np
import pandas as pd

from rugcore.dictionary import DataDictionary
from rugcore.errors import InputError
from rugcore.fair_training import STEERING_ROUNDS
from rugcore.fairness import NOTIONS
from rugcore.outside_models import OutsideModel
from rugcore.rules import SaidDirection, turned_round
from rugcore.tables import plain_value

Label = str | int | float | bool

RUG: Final = "rug"
FAIR: Final = "fair"
FAIRNESS_NOTIONS = tuple(NOTIONS)
REALISED, PROXY, CONFIDENT = "realised", "proxy", "confident"
GUARANTEES = (REALISED, CONFIDENT, PROXY)
TREES, EXACT = "tree", "exact"
SECONDS_TO_SEARCH = 300.0  # for each model, unless somebody says otherwise; the paper's limit
COLUMN_KINDS = ("number", "category")
LARGEST_SEED = 2**32 - 1


@dataclass(frozen=True)
class Origin:
    """The run that a model was kept from, and what a visitor had changed about it."""

    run: str  # its id; it may be deleted since
    name: str  # what it was called then
    changes: Mapping[str, tuple[str, ...]]  # by model, in words
    penalties: Mapping[str, float]  # by model: the price of a rule now
    before: "Origin | None" = field(default=None)  # of a run that was itself kept from another

    @classmethod
    def read(cls, content: Any) -> "Origin":
        """From what a plan keeps; refused if it is something else."""
        try:
            before = content["before"]
            return cls(
                run=str(content["run"]),
                name=str(content["name"]),
                changes={str(model): tuple(map(str, words)) for model, words in content["changes"].items()},
                penalties={str(model): float(price) for model, price in content["penalties"].items()},
                before=None if before is None else cls.read(before),
            )
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise InputError("The plan of this run is damaged: it does not say where it comes from.") from error


@dataclass(frozen=True)
class Place:
    """A folder or a file: which of the named folders, and the names on the way down from it."""

    folder: str
    names: tuple[str, ...] = ()

    def __str__(self) -> str:
        return "/".join((self.folder, *self.names))

    def below(self, name: str) -> "Place":
        return Place(self.folder, (*self.names, name))


@dataclass(frozen=True)
class LargeTable:
    """A table that stays where it lies: what it was when a sample of it was drawn for the pages, and how that was done.

    A row is known by its number over all files in the order of their names. Which rows are in the sample, and which are
    for the test (`prepare.is_test`), follows from it and a seed alone, and not from how the table is cut up.
    """

    folder: str
    names: tuple[str, ...]
    n_files: int
    n_rows: int
    n_sampled: int
    seed: int
    fingerprint: str  # of the files

    @classmethod
    def read(cls, content: Any) -> "LargeTable":
        """From what a plan or a draft keeps; refused if it is something else."""
        try:
            counts = {name: int(content[name]) for name in ("n_files", "n_rows", "n_sampled", "seed")}
            names = tuple(map(str, content["names"]))
            return cls(folder=str(content["folder"]), names=names, fingerprint=str(content["fingerprint"]), **counts)
        except (KeyError, TypeError, ValueError) as error:
            raise InputError("What this run says about its table is damaged. Load the folder again.") from error

    @property
    def place(self) -> Place:
        return Place(self.folder, self.names)

    @property
    def is_sampled(self) -> bool:
        """Whether there are more rows than the pages have."""
        return self.n_sampled < self.n_rows

    def sampled_rows(self) -> np.ndarray:
        """The numbers of the rows in the sample, in order; every row is equally likely to be one."""
        chosen = np.random.default_rng(self.seed).choice(self.n_rows, self.n_sampled, replace=False, shuffle=False)
        return np.sort(chosen)


@dataclass(frozen=True)
class Plan:
    """What to learn from which data, and how; refused on creation if it makes no sense."""

    snapshot: str  # the id of the data
    data_name: str  # what a person calls the data
    target: str
    favourable: Label  # the value of the target that serves a person well
    features: tuple[str, ...]
    sensitive: tuple[str, ...] = ()  # several columns: their combinations are the groups
    bands: Mapping[str, tuple[float, ...]] = field(default_factory=dict)  # where the next one begins, per column
    kinds: Mapping[str, str] = field(default_factory=dict)  # features to be read as another kind than they look
    test_share: float = 0.2
    split_seed: int = 21
    max_depth: int = 3
    penalty: float = 3.0  # cross-validated on the demos: about as accurate as 1, with fewer rules
    max_iter: int = 15
    rule_cost: str = "length"
    pricing: str = "tree"  # "exact": trees first, then a search until no rules are better, or the time is up
    min_support: float | None = None  # fewest people behind a rule; None: by the size of the table
    solver: str = "auto"
    time_limit: float | None = None  # seconds, for each model
    train_fair: bool = True  # has an effect only with a sensitive attribute
    fairness: str = "dmc"
    epsilon: float = 0.025
    guarantee: str = "realised"
    positive_class: Label | None = None  # None: the favourable value
    dictionary: DataDictionary = field(default_factory=DataDictionary)  # what the columns mean, by their raw names
    keep_directions: bool = True  # no rule asks for less of what the dictionary says should help
    origin: Origin | None = None  # of a run that was not trained, but kept from another
    outside: OutsideModel | None = None  # a column with what another model decided
    large: LargeTable | None = None  # the table itself, where the snapshot is a sample of it

    def __post_init__(self) -> None:
        if self.origin is not None and not isinstance(self.origin, Origin):
            object.__setattr__(self, "origin", Origin.read(self.origin))
        if self.outside is not None and not isinstance(self.outside, OutsideModel):
            object.__setattr__(self, "outside", OutsideModel.read(self.outside))
        if self.large is not None and not isinstance(self.large, LargeTable):
            object.__setattr__(self, "large", LargeTable.read(self.large))
        for name in ("favourable", "positive_class"):  # taken from a table, they are often of numpy
            object.__setattr__(self, name, plain_value(getattr(self, name)))
        self._check_columns()
        self._check_dictionary()
        self._check_sensitive()
        self._check_outside()
        self._check_split()
        self._check_fairness()
        self._check_settings()

    @property
    def models(self) -> tuple[str, ...]:
        """The models to train, in their order."""
        return (RUG, FAIR) if self.sensitive and self.train_fair else (RUG,)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the data that the run reads, each once."""
        other = () if self.outside is None else (self.outside.column,)
        return tuple(dict.fromkeys((*self.features, *self.sensitive, self.target, *other)))

    def penalty_of(self, model: str) -> float:
        """The price of a rule in one model: a kept run may have another one for each."""
        return self.penalty if self.origin is None else self.origin.penalties.get(model, self.penalty)

    def shown(self) -> "Plan":
        """The same plan in the words of its dictionary, as rules and prepared rows have them.

        This is the plan of opened `Results`; that of a `Run` has the names and values of the file.
        """
        shown = self.dictionary.shown_name
        return replace(
            self,
            target=shown(self.target),
            favourable=self._outcome_in_words(self.favourable),
            positive_class=None if self.positive_class is None else self._outcome_in_words(self.positive_class),
            features=tuple(map(shown, self.features)),
            sensitive=tuple(map(shown, self.sensitive)),
            bands={shown(name): edges for name, edges in self.bands.items()},
            kinds={shown(name): kind for name, kind in self.kinds.items()},
            outside=None if self.outside is None else replace(self.outside, column=shown(self.outside.column)),
        )

    def _outcome_in_words(self, value: Label) -> Label:
        words: Label = self.dictionary.applied(pd.DataFrame({self.target: [value]})).iloc[:, 0].tolist()[0]
        return words

    def most_rounds(self, model: str) -> int:
        """Equal for both models: where FairRUG goes on to even out the groups, RUG may go on as long for accuracy."""
        goes_on = model == RUG and FAIR in self.models and self.guarantee == REALISED
        return self.max_iter + (STEERING_ROUNDS if goes_on else 0)

    def settings_of(self, model: str) -> dict[str, Any]:
        """Parameters of one model."""
        own = self.fair_settings() if model == FAIR else {}
        return self.rug_settings() | own | {"max_iter": self.most_rounds(model)}

    def rug_settings(self) -> dict[str, Any]:
        """Parameters of both models."""
        names = ("max_depth", "penalty", "max_iter", "rule_cost", "min_support", "solver", "time_limit")
        special = self._about_numbers(self.dictionary.special_values())
        given = {
            "random_state": self.split_seed,
            "special_values": special or None,
            "monotonic_cst": self.directions() or None,
            "positive_class": self.favourable,
        }
        return {name: getattr(self, name) for name in names} | given | self._exact_settings()

    def _exact_settings(self) -> dict[str, Any]:
        """A search for all rules heeds no least support, and never goes on without a limit."""
        if self.pricing != EXACT:
            return {}
        return {"pricing": EXACT, "min_support": None, "time_limit": self.time_limit or SECONDS_TO_SEARCH}

    def directions(self) -> dict[str, SaidDirection]:
        """Which features should help (1) or harm (-1), or go from worst to best, as far as that is kept."""
        return directions_of(self.dictionary, self.features, self.kinds) if self.keep_directions else {}

    def _about_numbers(self, said: Mapping[str, Any]) -> dict[str, Any]:
        return about_numbers(said, self.dictionary, self.features, self.kinds)

    def fair_settings(self) -> dict[str, Any]:
        """Parameters that only the fair model has."""
        positive = self.favourable if self.positive_class is None else self.positive_class
        named = {name: getattr(self, name) for name in ("fairness", "epsilon", "guarantee")}
        is_same = positive == self.favourable  # of two outcomes, what helps one harms the other
        towards = {name: own if is_same else turned_round(own) for name, own in self.directions().items()}
        return named | {"positive_class": positive, "monotonic_cst": towards or None}

    # -- JSON ----------------------------------------------------------------------------------------------

    def to_json(self) -> str:
        content = {item.name: getattr(self, item.name) for item in fields(self)}
        content["dictionary"] = json.loads(self.dictionary.to_json())
        for name in ("origin", "outside", "large"):
            content[name] = None if content[name] is None else asdict(content[name])
        return json.dumps(content, ensure_ascii=False, allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> "Plan":
        """Read a plan; one that was damaged or comes from elsewhere raises an `InputError`."""
        try:
            content = json.loads(text)
        except ValueError as error:
            raise InputError("The plan of this run is damaged: it is not JSON. Delete the run.") from error
        _refuse_other_fields(cls, content)
        kept = content.pop("dictionary", None)  # plans of earlier versions have none
        dictionary = DataDictionary() if kept is None else DataDictionary.from_json(json.dumps(kept))
        return cls(**{name: _frozen(value) for name, value in content.items()}, dictionary=dictionary)

    # -- checks --------------------------------------------------------------------------------------------

    def _check_columns(self) -> None:
        for name in ("snapshot", "data_name", "target"):
            _require(_is_text(getattr(self, name)), f"The plan needs a text as {name}.")
        _require(_is_label(self.favourable), "Say which value of the target is the favourable one.")
        _check_names("features", self.features)
        _require(bool(self.features), "Choose at least one column that the rules may use.")
        _require(
            self.target not in self.features,
            f"The rules cannot use {self.target!r}, because it is what they are to tell. Take it off the features.",
        )
        _require(
            isinstance(self.kinds, Mapping) and set(self.kinds) <= set(self.features),
            "A kind is given for a column that is not among the features.",
        )
        for name, kind in self.kinds.items():
            _choice(f"the kind of column {name!r}", kind, COLUMN_KINDS)

    def _check_dictionary(self) -> None:
        _require(isinstance(self.dictionary, DataDictionary), "The dictionary of the plan is damaged.")
        protected = [name for name in self.features if self.dictionary.entry(name).protected]
        _require(
            not protected,
            f"The rules cannot use {_first(protected)!r}, because it is protected. Take it off the features, or say in "
            "the dictionary that it is not protected.",
        )
        for name in self.columns:
            label = self.dictionary.shown_name(name)
            _require(
                label == name or label not in (*self.columns, *self.dictionary.columns),
                f"Column {name!r} cannot be called {label!r}, because another column has that name. Give it another "
                "label in the dictionary.",
            )

    def _check_sensitive(self) -> None:
        _check_names("sensitive", self.sensitive)
        _require(self.target not in self.sensitive, f"The target {self.target!r} cannot be the sensitive attribute.")
        _require(
            isinstance(self.bands, Mapping) and set(self.bands) <= set(self.sensitive),
            "Bands are given for a column that is not a sensitive attribute.",
        )
        for name, edges in self.bands.items():
            are_numbers = isinstance(edges, tuple) and bool(edges) and all(_is_number(edge) for edge in edges)
            _require(
                are_numbers and all(lower < upper for lower, upper in pairwise(edges)),
                f"The bands of {name!r} need edges that are numbers and rise from one to the next.",
            )

    def _check_outside(self) -> None:
        if self.outside is None:
            return
        column = self.outside.column
        _require(self.large is None, "What another model decided can be read from an uploaded table only.")
        _require(column != self.target, f"The outcome {column!r} cannot be the other model's decision as well.")
        _require(
            column not in (*self.features, *self.sensitive),
            f"{column!r} holds what another model decided, so that it can be neither used by the rules nor make "
            "groups. Take it off both.",
        )

    def _check_split(self) -> None:
        is_share = _is_number(self.test_share) and 0 < self.test_share < 1
        _require(is_share, f"The share of test rows must lie between 0 and 1, but it is {self.test_share!r}.")
        is_seed = _is_whole(self.split_seed) and 0 <= self.split_seed <= LARGEST_SEED
        _require(is_seed, f"The seed must be a whole number from 0 to {LARGEST_SEED}, but it is {self.split_seed!r}.")

    def _check_fairness(self) -> None:
        _require(isinstance(self.train_fair, bool), "Whether to train the fair model is yes or no.")
        _require(isinstance(self.keep_directions, bool), "Whether to keep directions is yes or no.")
        _choice("fairness", self.fairness, FAIRNESS_NOTIONS)
        _choice("guarantee", self.guarantee, GUARANTEES)
        is_gap = _is_number(self.epsilon) and 0 <= self.epsilon <= 1
        _require(is_gap, f"Epsilon must be a number from 0 to 1, but it is {self.epsilon!r}.")
        is_class = self.positive_class is None or _is_label(self.positive_class)
        _require(is_class, "The positive class must be a value of the target.")

    def _check_settings(self) -> None:
        """The engine knows best what its parameters may be."""
        _choice("pricing", self.pricing, (TREES, EXACT))
        from rugcore import RUGClassifier
        from rugcore.training import Settings

        Settings.checked(RUGClassifier(**self.rug_settings()))


def about_numbers(
    said: Mapping[str, Any], dictionary: DataDictionary, features: Iterable[str], kinds: Mapping[str, str]
) -> dict[str, Any]:
    """Of what a dictionary says by shown name, what is about features that are not read as categories."""
    numbers = {dictionary.shown_name(name) for name in features if kinds.get(name) != "category"}
    return {shown: own for shown, own in said.items() if shown in numbers}


def directions_of(
    dictionary: DataDictionary, features: Iterable[str], kinds: Mapping[str, str]
) -> dict[str, SaidDirection]:
    """What should help (1) or harm (-1) among the features that hold numbers, and which categories are better."""
    names = list(features)
    shown = {dictionary.shown_name(name) for name in names}
    orders = {name: order for name, order in dictionary.orders().items() if name in shown}
    return about_numbers(dictionary.monotonic_cst(), dictionary, names, kinds) | orders


def _refuse_other_fields(plan_class: type[Plan], content: Any) -> None:
    possible = {item.name for item in fields(plan_class)}
    needed = {item.name for item in fields(plan_class) if item.default is item.default_factory is MISSING}
    if not isinstance(content, dict) or not needed <= set(content) <= possible:
        raise InputError("The plan of this run is damaged: it lacks something or holds something unknown. Delete it.")


def _frozen(value: Any) -> Any:
    """JSON has lists where a plan has tuples."""
    if isinstance(value, list):
        return tuple(_frozen(item) for item in value)
    if isinstance(value, dict):
        return {name: _frozen(item) for name, item in value.items()}
    return value


def _check_names(what: str, names: Any) -> None:
    are_names = isinstance(names, tuple) and all(isinstance(name, str) for name in names)
    _require(are_names, f"The plan needs a tuple of column names as {what}.")
    _require(len(set(names)) == len(names), f"A column is named twice among {what}.")


def _first(names: list[str]) -> str:
    return names[0] if names else ""


def _choice(what: str, value: Any, choices: Iterable[str]) -> None:
    _require(value in choices, f"Expected {what} to be one of {', '.join(choices)}, but got {value!r}.")


def _require(is_right: bool, sentence: str) -> None:
    if not is_right:
        raise InputError(sentence)


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _is_label(value: Any) -> bool:
    return isinstance(value, str | bool) or _is_number(value)
