"""LightGBM on the rows of a run, trained once for everybody: the model nobody can read, beside the one that is read."""

import logging
from threading import Thread

import numpy as np
import pandas as pd

from rugboard.runs.results import Results
from rugboard.session.cache import cached
from rugcore.comparison import PeerClassifier, ShapExplainer
from rugcore.errors import RugError
from rugcore.tables import plain_value

PEERS_KEPT = 4  # each holds its trees, and one value per row
ROWS_AT_ONCE = 50_000  # of a large table that are decided together
SEED = 21  # the same model for everybody
LOG = logging.getLogger(__name__)


@cached(entries=PEERS_KEPT)
def lightgbm(results: Results) -> PeerClassifier:
    """Trained on the training rows of the run."""
    return trained(results.X_train, results.y_train)


@cached(entries=PEERS_KEPT)
def decided(results: Results) -> np.ndarray:
    """What that model decides for every row of the run's table, training rows and test rows alike."""
    return decisions_of(lightgbm(results), results.data.X)


def trained(table: pd.DataFrame, outcome: pd.Series) -> PeerClassifier:
    # One thread: as many trainings as cores may run beside it.
    return PeerClassifier("LightGBM", random_state=SEED, n_jobs=1).fit(table, outcome)


def decisions_of(model: PeerClassifier, table: pd.DataFrame) -> np.ndarray:
    """One plain label per row."""
    labels = np.empty(len(model.classes_), dtype=object)
    labels[:] = [plain_value(label) for label in model.classes_]
    number = {label: place for place, label in enumerate(labels)}
    portions = [model.predict(table.iloc[begin : begin + ROWS_AT_ONCE]) for begin in range(0, len(table), ROWS_AT_ONCE)]
    found = [number[plain_value(label)] for portion in portions for label in portion]
    return labels[np.array(found, dtype=np.int64)]


# -- made ready before anybody needs it ------------------------------------------------------------------------


@cached(entries=1)
def warm_up() -> None:
    """Load the packages beside what the visitor reads; once for the whole server."""
    Thread(target=load, name="load-lightgbm", daemon=True).start()


def load() -> None:
    """LightGBM takes seconds to load."""
    try:
        tiny = pd.DataFrame({"number": np.arange(100.0)})
        ShapExplainer(trained(tiny, pd.Series(np.arange(100) % 2)), tiny).explain(tiny.iloc[[0]])
    except RugError as error:  # a package is missing, say
        LOG.warning("%s", error)
    except Exception:
        LOG.exception("LightGBM could not be made ready; the first applicant will take longer.")
