"""The command line, `rug` or `python -m rugcore`: one command a task, such as `train` or `explain`."""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from rugcore.cli.choosing import add_choose, add_stability
from rugcore.cli.dictionaries import add_dictionary
from rugcore.cli.experiments import add_experiment
from rugcore.cli.exporting import add_export
from rugcore.cli.judging import add_audit, add_explain
from rugcore.cli.monitoring import add_monitor
from rugcore.cli.predicting import add_predict
from rugcore.cli.reporting import add_report
from rugcore.cli.training import add_demo, add_train
from rugcore.errors import RugError

REFUSED = 2
INTERRUPTED = 130  # what a shell reports after Ctrl-C
OPTION_OF = {
    "max_depth": "--depth",
    "penalty": "--penalty",
    "max_iter": "--rounds",
    "weight_threshold": "--weight-threshold",
    "time_limit": "--time-limit",
    "epsilon": "--epsilon",
    "positive_class": "--favourable",
    "monotonic_cst": "--direction",
    "special_values": "--special",
    "y_true": "--target",
    "every one of depths": "--depths",
    "every one of penalties": "--penalties",
    "cv": "--folds",
    "about_n_rules": "--about-rules",
    "n_samples": "--samples",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; a refusal is one sentence on the error stream and the exit code 2."""
    options = _parser().parse_args(arguments)
    try:
        options.run(options)
        sys.stdout.flush()
    except BrokenPipeError:
        _let_go_of_output()
    except RugError as error:
        return _refuse(_in_terms_of_options(str(error)))
    except OSError as error:
        return _refuse(f"{error.filename or 'A file'} cannot be used ({error.strerror}).")
    except KeyboardInterrupt:
        print("\nStopped.", file=sys.stderr)
        return INTERRUPTED
    return 0


def _refuse(sentence: str) -> int:
    print(f"error: {sentence}", file=sys.stderr)
    return REFUSED


def _let_go_of_output() -> None:
    """The reader (`| head`) has seen enough; what is still to be written must go nowhere, not fail."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())


def _in_terms_of_options(message: str) -> str:
    """The engine names its parameters; the person at the command line knows them by their options."""
    for parameter, option in OPTION_OF.items():
        if message.startswith((f"Expected {parameter} ", f"Expected {parameter},")):
            return message.replace(parameter, option)
    return message


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="rug" if Path(sys.argv[0]).stem == "rug" else "python -m rugcore",
        description="Learn weighted if-then rules from a table, explain decisions, and audit them for fairness.",
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    add_train(commands)
    add_choose(commands)
    add_stability(commands)
    add_explain(commands)
    add_predict(commands)
    add_export(commands)
    add_dictionary(commands)
    add_audit(commands)
    add_monitor(commands)
    add_report(commands)
    add_experiment(commands)
    add_demo(commands)
    warmup = commands.add_parser("warmup", help="compile the engine once, so that no later run waits for it")
    warmup.set_defaults(run=_warmup)
    return parser


def _warmup(_: argparse.Namespace) -> None:
    import warnings

    import numpy as np

    from rugcore.estimators import FairRUGClassifier, RUGClassifier
    from rugcore.explanations.attributions import attribute

    X = np.random.RandomState(0).rand(64, 2)
    y = X[:, 0] + X[:, 1] > 1
    for pricing in ("tree", "exact"):
        model = RUGClassifier(max_depth=2, max_iter=1, pricing=pricing).fit(X, y)
        model.predict(X)
        model.covering_rules(X)
        attribute(model, X, X)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # whether 64 random rows can be fair is of no interest
        FairRUGClassifier(max_depth=2, max_iter=1, min_cell_size=5).fit(X, y, sensitive_features=X[:, 0] > X[:, 1])
    print("The engine is compiled.")
