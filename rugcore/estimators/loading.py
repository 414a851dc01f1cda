"""Read a saved model of whichever class the file names."""

from os import PathLike

from rugcore.estimators.fair_rug import FairRUGClassifier
from rugcore.estimators.rug import RUGClassifier
from rugcore.persistence import model_files


def load_model(path: str | PathLike[str]) -> RUGClassifier | FairRUGClassifier:
    """Read the model that `save` wrote to `path`, a `RUGClassifier` or a `FairRUGClassifier`.

    It predicts and explains; to `refit` it, see `load_pool`.
    """
    is_fair = model_files.class_name(path) == FairRUGClassifier.__name__
    return FairRUGClassifier.load(path) if is_fair else RUGClassifier.load(path)
