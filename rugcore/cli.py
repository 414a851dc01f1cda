"""The command line: `python -m rugcore train | explain | audit | demo | warmup`."""

import argparse
import os
import sys
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import pandas as pd

from rugcore.errors import InputError, RugError

REFUSED = 2
INTERRUPTED = 130  # what a shell reports after Ctrl-C
LARGEST_SEED = 2**32 - 1
OPTION_OF = {
    "max_depth": "--depth",
    "penalty": "--penalty",
    "max_iter": "--rounds",
    "weight_threshold": "--weight-threshold",
    "time_limit": "--time-limit",
    "epsilon": "--epsilon",
    "positive_class": "--favourable",
    "y_true": "--target",
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
        if message.startswith(f"Expected {parameter} "):
            return message.replace(parameter, option, 1)
    return message


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m rugcore",
        description="Learn weighted if-then rules from a table, explain decisions, and audit them for fairness.",
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    _add_train(commands)
    _add_explain(commands)
    _add_audit(commands)
    _add_demo(commands)
    warmup = commands.add_parser("warmup", help="compile the engine once, so that no later run waits for it")
    warmup.set_defaults(run=_warmup)
    return parser


def _add_train(commands: Any) -> None:
    train = commands.add_parser("train", help="learn rules from a CSV or Parquet file")
    train.add_argument("file", metavar="FILE", help="the table: CSV (comma, semicolon, tab or |) or Parquet")
    train.add_argument("--target", required=True, metavar="COLUMN", help="the column to predict")
    train.add_argument("--drop", action="append", default=[], metavar="COLUMN", help="a column not to use; repeatable")
    train.add_argument("--save", metavar="MODEL.json", help="where to write the model")
    train.add_argument(
        "--test-share",
        type=float,
        default=0.2,
        help="share of rows held out to measure accuracy (default 0.2; 0: none)",
    )
    _add_settings(train)
    train.set_defaults(run=_train)


def _add_settings(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--depth", type=int, default=3, help="the most conditions in a rule (default 3)")
    parser.add_argument("--penalty", type=float, default=1.0, help="price of a rule: higher gives fewer (default 1)")
    parser.add_argument("--rounds", type=int, default=15, help="rounds of finding new rules (default 15)")
    parser.add_argument(
        "--rule-cost", choices=("length", "unit"), default="length", help="long rules cost more, or all the same"
    )
    parser.add_argument(
        "--weight-threshold", type=float, default=0.05, help="leave out rules below this share of the largest weight"
    )
    parser.add_argument(
        "--pricing", choices=("tree", "exact"), default="tree", help="how rules are found; exact is slow (default tree)"
    )
    parser.add_argument("--solver", choices=("auto", "highs", "gurobi"), default="auto", help="(default auto)")
    parser.add_argument(
        "--time-limit", type=float, default=None, metavar="SECONDS", help="for each of the trainings (default none)"
    )
    parser.add_argument("--seed", type=_seed, default=0, help="decides which rows are held out (default 0)")


def _seed(text: str) -> int:
    if not text.isdecimal() or int(text) > LARGEST_SEED:
        raise argparse.ArgumentTypeError(f"expected a whole number from 0 to {LARGEST_SEED}, but got {text!r}")
    return int(text)


def _add_explain(commands: Any) -> None:
    explain = commands.add_parser("explain", help="why a saved model decides as it does on a row of a file")
    explain.add_argument("model", metavar="MODEL.json")
    explain.add_argument("file", metavar="FILE", help="a table with the columns of the training table")
    explain.add_argument("--row", type=int, default=1, help="which row, counting from 1 (default 1)")
    explain.set_defaults(run=_explain)


def _add_audit(commands: Any) -> None:
    audit = commands.add_parser("audit", help="how far a saved model treats groups apart on the rows of a file")
    audit.add_argument("model", metavar="MODEL.json")
    audit.add_argument("file", metavar="FILE", help="a table with true outcomes, best one that was not used to train")
    audit.add_argument("--target", required=True, metavar="COLUMN", help="the column with the true outcome")
    audit.add_argument(
        "--sensitive",
        action="append",
        required=True,
        metavar="COLUMN",
        help="the column that makes the groups; repeatable: then every combination is a group",
    )
    audit.add_argument(
        "--favourable", metavar="VALUE", help="the outcome that serves people well (default: 1 of 0 and 1)"
    )
    audit.add_argument("--epsilon", type=float, metavar="E", help="the largest gap that is allowed, such as 0.05")
    audit.add_argument("--save", metavar="FILE.csv", help="where to write every number of the audit")
    audit.set_defaults(run=_audit)


def _add_demo(commands: Any) -> None:
    demo = commands.add_parser("demo", help="train on a demo data set and show its rules and one decision")
    demo.add_argument("name", nargs="?", default="hmda", help="hmda, credit_data, lending_club, adult or compas")
    _add_settings(demo)
    demo.set_defaults(run=_demo)


def _train(options: argparse.Namespace) -> None:
    from rugcore.files import read_file, remarks

    _refuse_bad_place(options.save)
    frame = read_file(options.file)
    for name in (options.target, *options.drop):
        _refuse_unknown(name, frame, options.file, "Name one column each time; --drop can be repeated.")
    if options.target in options.drop:
        raise InputError(f"Expected to predict {options.target!r}, but --drop leaves it out.")
    frame = _with_target(frame, options.target)
    for remark in remarks(frame.drop(columns=[options.target, *options.drop])):
        print(f"Note: {remark}")
    X = frame.drop(columns=[options.target, *options.drop])
    model = _fit_and_report(X, frame[options.target], options)
    if options.save:
        model.save(options.save)
        print(f"Saved to {options.save}")


def _refuse_unknown(name: str, frame: pd.DataFrame, file: str, hint: str) -> None:
    names = [str(column) for column in frame.columns]
    if name not in names:
        alike = [other for other in names if other.lower() == name.lower()] or get_close_matches(name, names, 1)
        known = ", ".join(repr(other) for other in names)
        advice = f"Did you mean {alike[0]!r}?" if alike else hint
        raise InputError(f"Expected a column {name!r}, but {file} has only {known}. {advice}")


def _refuse_bad_place(path: str | None) -> None:
    """Now rather than after all the work."""
    if path is not None and (Path(path).is_dir() or not Path(path).absolute().parent.is_dir()):
        raise InputError(f"Expected --save to name a file in a folder that exists, but got {path}.")


def _with_target(frame: pd.DataFrame, target: str) -> pd.DataFrame:
    is_known = frame[target].notna()
    if not is_known.all():
        print(f"{int((~is_known).sum())} rows without a value of {target!r} are left out.", file=sys.stderr)
    frame = frame[is_known]
    labels = frame[target]
    if pd.api.types.is_float_dtype(labels.dtype) and (labels == labels.round()).all():
        frame = frame.assign(**{target: labels.astype(int)})  # blanks had made 0 and 1 into 0.0 and 1.0
    return frame


def _explain(options: argparse.Namespace) -> None:
    from rugcore.files import read_file

    model = _loaded(options.model)
    frame = read_file(options.file, text_columns=model.schema_.names_of("category"))
    if not 1 <= options.row <= len(frame):
        raise InputError(f"Expected a row from 1 to {len(frame)}, but got {options.row}.")
    print(model.explain(frame.iloc[options.row - 1]))


def _loaded(path: str) -> Any:
    from rugcore.estimators import load_model

    return load_model(path)


def _audit(options: argparse.Namespace) -> None:
    from rugcore.reports import audit

    _refuse_bad_place(options.save)
    model = _loaded(options.model)
    frame = _table_to_audit(model, options)
    found = audit(
        frame[options.target],
        model.predict(frame[list(model.schema_.names)]),
        sensitive_features=frame[options.sensitive],
        positive_class=_favourable_class(options.favourable, model),
        epsilon=options.epsilon,
        classes=model.classes_.tolist(),
    )
    print(f"Groups by {' and '.join(options.sensitive)}: {found}")
    if options.save:
        found.to_frame().to_csv(options.save, index=False)
        print(f"\nSaved to {options.save}")


def _table_to_audit(model: Any, options: argparse.Namespace) -> pd.DataFrame:
    """The rows whose outcome is known, with every column that the audit and the model ask for."""
    from rugcore.files import read_file

    text_columns = list(model.schema_.names_of("category"))
    if isinstance(model.classes_[0], str):
        text_columns.append(options.target)  # the model knows "1" and "2" as text, so that is what they are
    frame = read_file(options.file, text_columns=text_columns)
    for name in (options.target, *options.sensitive):
        _refuse_unknown(name, frame, options.file, "Name one column each time; --sensitive can be repeated.")
    lacking = ", ".join(repr(name) for name in model.schema_.names if name not in frame.columns)
    if lacking:
        raise InputError(f"Expected the columns that the model was trained on, but {options.file} lacks {lacking}.")
    return _with_target(frame, options.target)


def _favourable_class(text: str | None, model: Any) -> Any:
    """The class that is written like this; by default what the model was told, if it was."""
    from rugcore.rules import words

    if text is None:
        return getattr(model, "positive_class", None)
    for label in model.classes_.tolist():
        if words.value(label) == text:
            return label
    known = ", ".join(words.value(label) for label in model.classes_.tolist())
    raise InputError(f"Expected --favourable to be one of the model's classes {known}, but got {text}.")


def _demo(options: argparse.Namespace) -> None:
    from rugcore.datasets import load_demo

    demo = load_demo(options.name)
    print(demo.description)
    print(f"Not used in the rules, because they may be sensitive: {', '.join(demo.sensitive_options)}.")
    X = demo.X.drop(columns=list(demo.sensitive_options))
    options.test_share = 0.2
    model = _fit_and_report(X, demo.y, options)
    print("\nThe first row of the table:")
    print(model.explain(X.iloc[0]))


def _fit_and_report(X: pd.DataFrame, y: pd.Series, options: argparse.Namespace) -> Any:
    """Measure on held-out rows first, then train the model that is kept on all rows."""
    if not 0 <= options.test_share < 1:
        raise InputError(f"Expected --test-share to lie between 0 and 1, but got {options.test_share:g}.")
    if options.test_share:
        _report_on_held_out(X, y, options)
    model = _fitted(X, y, options, "training on all rows")
    print(f"\n{len(model.rules_)} rules from {len(X):,} rows (solver {model.solver_}, stopped: {model.stop_reason_}):")
    print(model.rules_)
    return model


def _report_on_held_out(X: pd.DataFrame, y: pd.Series, options: argparse.Namespace) -> None:
    from sklearn.model_selection import train_test_split

    _refuse_rare_classes(y)
    try:
        parts = train_test_split(X, y, test_size=options.test_share, random_state=options.seed, stratify=y)
    except ValueError as error:
        raise InputError(
            f"The rows cannot be split to measure accuracy ({str(error).rstrip('.')}). Use --test-share 0."
        ) from error
    X_train, X_test, y_train, y_test = parts
    model = _fitted(X_train, y_train, options, "measuring on held-out rows")
    default = float((y_test == y_train.mode().iloc[0]).mean())
    print(
        f"Accuracy on {len(X_test):,} held-out rows: {model.score(X_test, y_test):.1%} "
        f"(always saying the most frequent class: {default:.1%})"
    )


def _refuse_rare_classes(y: pd.Series) -> None:
    counts = y.value_counts()
    if len(counts) and counts.iloc[-1] < 2:
        raise InputError(
            f"Expected at least two rows of every class, to hold some out, but {counts.index[-1]!r} occurs once; the "
            f"target has {len(counts):,} different values in {len(y):,} rows. Is it the column you want to predict? "
            "If so, use --test-share 0."
        )


def _fitted(X: pd.DataFrame, y: pd.Series, options: argparse.Namespace, what: str) -> Any:
    from rugcore.estimators import RUGClassifier

    progress = _Progress(what, options.rounds) if sys.stderr.isatty() else None
    model = RUGClassifier(
        max_depth=options.depth,
        penalty=options.penalty,
        max_iter=options.rounds,
        rule_cost=options.rule_cost,
        weight_threshold=options.weight_threshold,
        pricing=options.pricing,
        solver=options.solver,
        time_limit=options.time_limit,
        callback=progress,
        random_state=options.seed,
    )
    try:
        return model.fit(X, y)
    finally:
        if progress:
            progress.end()


class _Progress:
    """One line that is written over and over on a terminal."""

    def __init__(self, what: str, rounds: int) -> None:
        self._what = what
        self._rounds = rounds
        self._has_begun = False

    def __call__(self, round_: Any) -> None:
        text = f"{self._what}: round {round_.number} of {self._rounds}, objective {round_.objective:,.1f}"
        print(f"\r{text:<78}", end="", file=sys.stderr, flush=True)
        self._has_begun = True

    def end(self) -> None:
        """Leave the line, however training ended."""
        if self._has_begun:
            print(file=sys.stderr)


def _warmup(_: argparse.Namespace) -> None:
    import numpy as np

    from rugcore.estimators import RUGClassifier

    X = np.random.RandomState(0).rand(64, 2)
    y = X[:, 0] + X[:, 1] > 1
    for pricing in ("tree", "exact"):
        model = RUGClassifier(max_depth=2, max_iter=1, pricing=pricing).fit(X, y)
        model.predict(X)
        model.covering_rules(X)
    print("The engine is compiled.")
