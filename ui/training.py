"""Training on demo data: what was asked for, the model it gave, and each model kept for the next visitor."""

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock

import pandas as pd
import streamlit as st
from sklearn.model_selection import train_test_split

from rugcore import RUGClassifier, load_demo
from rugcore.datasets import Dataset
from rugcore.generation import Round

TEST_SHARE = 0.3
SEED = 0  # the same split and the same model for everybody
MAX_ROUNDS = 15
MODELS_KEPT = 16  # shared by all visitors

# The demos as a person would call them.
DEMO_TITLES = {
    "hmda": "Mortgages in Boston",
    "credit_data": "Consumer loans",
    "lending_club": "Lending Club loans",
    "adult": "Incomes in the US census",
    "compas": "Defendants in Florida (COMPAS)",
}

OnRound = Callable[[Round], None]


@dataclass(frozen=True)
class TrainingRequest:
    """Everything that decides what the model will be."""

    demo: str
    max_depth: int
    penalty: float


@dataclass(frozen=True, eq=False)
class Split:
    """A demo cut into rows to learn from and rows to be judged on."""

    dataset: Dataset
    X_train: pd.DataFrame
    X_test: pd.DataFrame
    y_train: pd.Series
    y_test: pd.Series


@dataclass(frozen=True, eq=False)
class TrainedModel:
    """A model with the numbers that say what it is worth."""

    request: TrainingRequest
    model: RUGClassifier
    split: Split
    test_accuracy: float
    majority_label: object
    majority_share: float  # of the test rows: the accuracy of always giving the same answer

    @property
    def average_length(self) -> float:
        lengths = [rule.length for rule in self.model.rules_]
        return sum(lengths) / max(len(lengths), 1)

    @property
    def heaviest_weight(self) -> float:
        return max((rule.weight for rule in self.model.rules_), default=1.0)


def demo_title(name: str) -> str:
    return DEMO_TITLES.get(name, name.replace("_", " "))


@st.cache_resource(show_spinner=False)
def demo_split(name: str) -> Split:
    """Cached without copying: nobody may change what is in it."""
    dataset = load_demo(name)
    # A protected attribute is no reason for a decision unless somebody says it is.
    features = dataset.X.drop(columns=dataset.sensitive)
    X_train, X_test, y_train, y_test = train_test_split(
        features, dataset.y, test_size=TEST_SHARE, stratify=dataset.y, random_state=SEED
    )
    return Split(dataset, X_train, X_test, y_train, y_test)


class ModelStore:
    """The last models trained by anybody.

    Not `st.cache_resource` around `train`: Streamlit repeats at every hit what a cached function drew, and
    fails where it drew into a place made outside it, such as a progress bar.
    """

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._models: OrderedDict[TrainingRequest, TrainedModel] = OrderedDict()
        self._lock = Lock()

    def get(self, request: TrainingRequest) -> TrainedModel | None:
        with self._lock:
            if request in self._models:
                self._models.move_to_end(request)
            return self._models.get(request)

    def keep(self, trained: TrainedModel) -> None:
        with self._lock:
            self._models[trained.request] = trained
            if len(self._models) > self._capacity:
                self._models.popitem(last=False)


@st.cache_resource(show_spinner=False)
def _store() -> ModelStore:
    return ModelStore(MODELS_KEPT)


def train_once(request: TrainingRequest, on_round: OnRound) -> TrainedModel:
    """The model for this request: the one kept, or a new one, reporting each round."""
    kept = _store().get(request)
    if kept is not None:
        return kept
    trained = train(request, on_round)
    _store().keep(trained)
    return trained


def train(request: TrainingRequest, on_round: OnRound) -> TrainedModel:
    split = demo_split(request.demo)
    model = RUGClassifier(
        max_depth=request.max_depth,
        penalty=request.penalty,
        max_iter=MAX_ROUNDS,
        callback=on_round,
        random_state=SEED,
    )
    model.fit(split.X_train, split.y_train)
    model.set_params(callback=None)  # the model is kept; the page that watched it is gone
    majority_label = split.y_train.mode()[0]
    return TrainedModel(
        request=request,
        model=model,
        split=split,
        test_accuracy=float((model.predict(split.X_test) == split.y_test).mean()),
        majority_label=majority_label,
        majority_share=float((split.y_test == majority_label).mean()),
    )
