"""The same rules from tables that outgrow one machine, with Dask. Nothing else in rugcore imports this room."""

from rugcore.errors import missing_package

try:
    import distributed  # noqa: F401
    from dask import dataframe  # noqa: F401
except ImportError as error:  # the extra is not installed
    raise missing_package("Training on a Dask cluster", "dask") from error

from rugcore.dask.cluster import Cluster
from rugcore.dask.connecting import connected
from rugcore.dask.estimators import DaskFairRUGClassifier, DaskRUGClassifier
from rugcore.dask.sources import parts_of_parquet
from rugcore.readers.parquet import ParquetPart

__all__ = [
    "Cluster",
    "DaskFairRUGClassifier",
    "DaskRUGClassifier",
    "ParquetPart",
    "connected",
    "parts_of_parquet",
]
