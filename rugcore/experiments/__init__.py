"""The paper's experiments: its data sets, systems, grids and figures, run again and held against ours."""

from rugcore.experiments.definitions import EXPERIMENTS, Experiment, experiment_named
from rugcore.experiments.running import Cell, cells_of, run_cells
from rugcore.experiments.sets import DataFolder
from rugcore.experiments.writing import results_table, to_markdown

__all__ = [
    "EXPERIMENTS",
    "Cell",
    "DataFolder",
    "Experiment",
    "cells_of",
    "experiment_named",
    "results_table",
    "run_cells",
    "to_markdown",
]
