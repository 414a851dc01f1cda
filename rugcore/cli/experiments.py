"""`experiment`: a table of the paper (`paper.py`), or its measures on the demos."""

import argparse
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from rugcore.cli.paper import NAMES, add_paper_options, run_paper
from rugcore.errors import FairnessWarning, InputError
from rugcore.fairness.notions import NOTIONS

SPLIT_SEED = 21  # the paper's
TEST_SHARE = 0.2


@dataclass(frozen=True)
class ExperimentTable:
    """One data set; the sensitive column, if there is one, stands among the features as in the paper."""

    name: str
    X: pd.DataFrame
    y: np.ndarray
    sensitive: str | None
    positive: Any


def add_experiment(commands: Any) -> None:
    experiment = commands.add_parser("experiment", help="the paper's tables worked out again, or its measures on demos")
    experiment.add_argument(
        "names",
        nargs="*",
        metavar="NAME",
        help=f"a table of the paper ({', '.join(NAMES)}), which needs --data; or demos (default: all of them)",
    )
    experiment.add_argument(
        "--data",
        type=Path,
        metavar="DIR",
        help="a folder with NAME.csv.gz files (label in the column target) and catalog.json, see docs/results.md",
    )
    experiment.add_argument("--depth", type=int, default=3, help="of demos: the most conditions in a rule (default 3)")
    experiment.add_argument("--epsilon", type=float, default=0.025, help="of demos: the largest gap (default 0.025)")
    experiment.add_argument("--save", metavar="FILE.csv", help="of demos: where to write the table")
    add_paper_options(experiment)
    experiment.set_defaults(run=_experiment)


def _experiment(options: argparse.Namespace) -> None:
    if options.names and options.names[0] in NAMES:
        for name in options.names:
            run_paper(name, options)
        return
    _demos(options)


def _demos(options: argparse.Namespace) -> None:
    from rugcore.cli.tables import refuse_bad_place

    if options.data is not None:
        raise InputError(f"Expected --data with one of the experiments {', '.join(NAMES)}, but got none of them.")
    refuse_bad_place(options.save)
    lines = []
    for table in _tables(options.names):
        for line in _lines(table, options):
            lines.append(line)
            print("  ".join(f"{name} {_shown(value)}" for name, value in line.items()), flush=True)
    if options.save:
        pd.DataFrame(lines).to_csv(options.save, index=False)
        print(f"Saved to {options.save}")


def _shown(value: Any) -> str:
    return f"{value:.4f}" if isinstance(value, float) else str(value)


def _tables(names: list[str]) -> Iterator[ExperimentTable]:
    from rugcore.datasets.demos import list_demos, load_demo

    for name in names or list_demos():
        demo = load_demo(name)
        yield ExperimentTable(name, demo.X, demo.y.to_numpy(), demo.sensitive, demo.favourable)


def _lines(table: ExperimentTable, options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """RUG, then, where there are groups, FairRUG for every notion of the paper that makes sense, by both guarantees."""
    from rugcore.estimators import FairRUGClassifier, RUGClassifier

    yield _measured(RUGClassifier(max_depth=options.depth), table, "RUG", "")
    if table.sensitive is None:
        return
    has_positive = table.positive is not None
    of_paper = [notion for notion in NOTIONS.values() if notion.bounds_losses]
    notions = [notion.name for notion in of_paper if has_positive or not notion.needs_positive_class]
    for notion in notions:
        for guarantee in ("realised", "proxy"):
            model = FairRUGClassifier(
                fairness=notion,
                guarantee=guarantee,
                epsilon=options.epsilon,
                positive_class=table.positive,
                max_depth=options.depth,
            )
            yield _measured(model, table, f"FairRUG {guarantee}", notion)


def _measured(model: Any, table: ExperimentTable, title: str, notion: str) -> dict[str, Any]:
    """Trained on 80 % of the rows, measured on the others."""
    from sklearn.metrics import f1_score
    from sklearn.model_selection import train_test_split

    from rugcore.rules.readability import interpretability_report

    rows = np.arange(len(table.y))
    train, test = train_test_split(rows, test_size=TEST_SHARE, random_state=SPLIT_SEED, stratify=table.y)
    people = {"sensitive_features": table.X[table.sensitive].iloc[train]} if notion else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FairnessWarning)  # the gap is in the table
        model.fit(table.X.iloc[train], table.y[train], **people)
    predicted = model.predict(table.X.iloc[test])
    reading = interpretability_report(model, table.X.iloc[test])
    line = {
        "set": table.name,
        "model": title,
        "notion": notion,
        "accuracy": float(np.mean(predicted == table.y[test])),
        "weighted_f1": float(f1_score(table.y[test], predicted, average="weighted")),
        "rules": int(reading["n_rules"]),
        "rule_length": float(reading["average_rule_length"]),
        "rules_per_row": float(reading["rules_per_row"]),
    }
    return line | (_gaps(model, table, test, predicted, notion) if notion else {})


def _gaps(model: Any, table: ExperimentTable, test: np.ndarray, predicted: np.ndarray, notion: str) -> dict[str, float]:
    from rugcore.fairness.audit import fairness_report

    assert table.sensitive is not None
    line: Any = fairness_report(
        table.y[test],
        predicted,
        sensitive_features=table.X[table.sensitive].iloc[test],
        positive_class=table.positive,
        min_cell_size=1,
        classes=model.classes_.tolist(),
    ).loc[notion]
    return {
        "training_gap": model.fairness_.realised_gap,
        "padding": model.fairness_.padding,
        "test_gap": float(line["gap"]),
        "test_score": float(line["score"]),
    }
