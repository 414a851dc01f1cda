"""`train` and `demo`: learn rules, measure them on held-out rows, show them."""

import argparse
import math
import sys
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import pandas as pd

from rugcore.cli.clusters import add_dask, classes_of, connected, refuse_with_cluster, trained_on_cluster
from rugcore.cli.judging import favourable_class
from rugcore.cli.tables import (
    add_dictionary_option,
    read_dictionary,
    read_noted,
    refuse_bad_place,
    refuse_unknown,
    speak_in_words,
    with_target,
)
from rugcore.errors import FairnessWarning, InputError
from rugcore.fair_training.settings import GUARANTEES
from rugcore.fairness.notions import NOTIONS
from rugcore.training.settings import LOSSES

if TYPE_CHECKING:
    from rugcore.dictionary import DataDictionary

Said = TypeVar("Said")
LARGEST_SEED = 2**32 - 1


def add_train(commands: Any) -> None:
    train = commands.add_parser("train", help="learn rules from a table, fair ones if --sensitive is given")
    add_table(train)
    train.add_argument("--save", metavar="MODEL.json", help="where to write the model")
    train.add_argument(
        "--test-share",
        type=float,
        default=0.2,
        help="share of rows held out to measure accuracy (default 0.2; 0: none)",
    )
    add_settings(train)
    add_fairness(train)
    add_dask(train)
    train.set_defaults(run=_train)


def add_table(parser: argparse.ArgumentParser) -> None:
    """Which table, what to predict, and what the columns are for."""
    parser.add_argument("file", metavar="FILE", help="the table: CSV, Parquet or a spreadsheet")
    parser.add_argument("--target", required=True, metavar="COLUMN", help="the column to predict")
    parser.add_argument("--drop", action="append", default=[], metavar="COLUMN", help="a column not to use; repeatable")
    parser.add_argument(
        "--sensitive",
        action="append",
        default=[],
        metavar="COLUMN",
        help="train a fair model: the column that makes the groups; repeatable: every combination is a group",
    )
    add_dictionary_option(parser)
    parser.add_argument(
        "--with-directions",
        action="store_true",
        help="no rule may reward what the dictionary says is worse, nor punish what is better (needs --favourable)",
    )
    parser.add_argument(
        "--sensitive-in-rules", action="store_true", help="let rules use the sensitive columns (default: they do not)"
    )


def add_fairness(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--fairness",
        choices=tuple(NOTIONS),
        default="dmc",
        help="what is compared: errors within every class, over all rows, or within the favourable class; shares "
        "decided favourably; shares of right ones among these (default dmc)",
    )
    parser.add_argument("--epsilon", type=float, default=0.025, help="the largest gap between groups (default 0.025)")
    parser.add_argument(
        "--guarantee",
        choices=GUARANTEES,
        default="realised",
        help="bound the gap in decisions, the paper's proxy for it, or test the model on rows kept from training and "
        "say whether the gap on new people is within epsilon with 95 %% confidence (default realised)",
    )
    parser.add_argument(
        "--favourable",
        metavar="VALUE",
        help="the outcome that serves people well (all notions but dmc and odm, and --direction, need it)",
    )


def add_settings(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--depth", type=int, default=3, help="the most conditions in a rule (default 3)")
    parser.add_argument("--penalty", type=float, default=1.0, help="price of a rule: higher gives fewer (default 1)")
    add_other_settings(parser)


def add_other_settings(parser: argparse.ArgumentParser) -> None:
    """All but how long and how dear rules may be."""
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
    parser.add_argument(
        "--loss",
        choices=LOSSES,
        default="margin",
        help="with three or more classes: bounds the errors, or as published",
    )
    parser.add_argument(
        "--min-support",
        type=float,
        default=None,
        metavar="PEOPLE",
        help="fewest training rows a rule may rest on (default by the size of the table, at most 20)",
    )
    parser.add_argument(
        "--special",
        action="append",
        default=[],
        type=_special,
        metavar="COLUMN=CODES",
        help="codes that are no amounts, such as months=-9,-8 or 'months=-9:no such record,-8'; repeatable",
    )
    parser.add_argument(
        "--direction",
        action="append",
        default=[],
        type=_direction,
        metavar="COLUMN=+1",
        help="more of the column should help (+1) or harm (-1) towards --favourable; repeatable",
    )
    parser.add_argument("--solver", choices=("auto", "highs", "gurobi"), default="auto", help="(default auto)")
    parser.add_argument(
        "--time-limit", type=float, default=None, metavar="SECONDS", help="for each of the trainings (default none)"
    )
    parser.add_argument("--seed", type=_seed, default=0, help="decides which rows are held out (default 0)")


def _special(text: str) -> tuple[str, dict[float, str]]:
    """A column and its special codes, each with what it stands for if that is said."""
    column, _, codes = text.rpartition("=")
    pairs = [code.partition(":") for code in codes.split(",")]
    try:
        found = {float(number): meaning for number, _, meaning in pairs}
    except ValueError:
        found = {}
    if not column or not found:
        raise argparse.ArgumentTypeError(f"expected a column and its codes, such as months=-9,-8, but got {text!r}")
    return column, found


def _direction(text: str) -> tuple[str, int]:
    """A column, and what more of it should do."""
    column, _, sign = text.rpartition("=")
    if not column or sign not in ("+1", "1", "-1", "0"):
        raise argparse.ArgumentTypeError(f"expected a column and +1 or -1, such as income=+1, but got {text!r}")
    return column, int(sign)


def _seed(text: str) -> int:
    if not text.isdecimal() or int(text) > LARGEST_SEED:
        raise argparse.ArgumentTypeError(f"expected a whole number from 0 to {LARGEST_SEED}, but got {text!r}")
    return int(text)


def add_demo(commands: Any) -> None:
    demo = commands.add_parser("demo", help="train on a demo data set and show its rules and one decision")
    demo.add_argument("name", nargs="?", default="hmda", help="hmda, credit_data, lending_club, adult or compas")
    demo.add_argument("--fair", action="store_true", help="train a fair model for the demo's sensitive attribute")
    add_settings(demo)
    add_fairness(demo)
    demo.set_defaults(run=_demo)


def _train(options: argparse.Namespace) -> None:
    refuse_bad_place(options.save)
    model = _fit_on_cluster(options) if options.dask else _fit_and_report(read_rows(options), options)
    if options.save:
        model.save(options.save)
        print(f"Saved to {options.save}")


def read_rows(options: argparse.Namespace) -> "LabelledRows":
    """The table that `add_table` asks for; what is odd about it is said."""
    from rugcore.readers import remarks

    frame = read_noted(options.file)
    for name in (options.target, *options.drop, *options.sensitive):
        refuse_unknown(name, frame, options.file, "Name one column each time; the option can be repeated.")
    if options.target in (*options.drop, *options.sensitive):
        raise InputError(f"Expected to predict {options.target!r}, but --drop or --sensitive names it too.")
    dictionary = read_dictionary(options.dictionary)
    frame = dictionary.applied(frame)
    speak_in_words(options, dictionary)
    frame = with_target(frame, options.target)
    X = _allowed(_features(frame, options), dictionary)
    # What is typed goes before what was written.
    options.special = [*_said_of(X, dictionary.special_values()), *options.special]
    if options.with_directions:
        orders = [(name, order) for name, order in dictionary.orders().items() if name in X.columns]
        options.direction = [*_said_of(X, dictionary.monotonic_cst()), *orders, *options.direction]
    for remark in remarks(X):
        print(f"Note: {remark}")
    people = frame[options.sensitive] if options.sensitive else None
    return LabelledRows(X, frame[options.target], people)


def _allowed(X: pd.DataFrame, dictionary: "DataDictionary") -> pd.DataFrame:
    """Without the columns that the dictionary says are protected or left out."""
    unused = [name for name in dictionary.unused() if name in X.columns]
    if unused:
        print(f"Not used in the rules, as the dictionary says: {', '.join(unused)}.")
    return X.drop(columns=unused)


def _said_of(X: pd.DataFrame, by_column: Mapping[str, Said]) -> list[tuple[str, Said]]:
    """What a dictionary says about columns of numbers that the rules may use."""
    return [(name, said) for name, said in by_column.items() if _holds_numbers(X, name)]


def _holds_numbers(X: pd.DataFrame, name: str) -> bool:
    is_there = name in X.columns
    return is_there and pd.api.types.is_numeric_dtype(X[name]) and not pd.api.types.is_bool_dtype(X[name])


def _demo(options: argparse.Namespace) -> None:
    from rugcore.datasets.demos import load_demo

    demo = load_demo(options.name)
    print(demo.description)
    print(f"Not used in the rules, because they may be sensitive: {', '.join(demo.sensitive_options)}.")
    X = demo.X.drop(columns=list(demo.sensitive_options))
    options.test_share = 0.2
    options.favourable = options.favourable or demo.favourable
    people = demo.X[[demo.sensitive]] if options.fair else None
    model = _fit_and_report(LabelledRows(X, demo.y, people), options)
    print("\nThe first row of the table:")
    print(model.explain(X.iloc[0]))


@dataclass(frozen=True)
class LabelledRows:
    """What is learned from, what is to be predicted, and who the rows are, if they are to be treated alike."""

    X: pd.DataFrame
    y: pd.Series
    people: pd.DataFrame | None = None

    def take(self, numbers: np.ndarray) -> "LabelledRows":
        people = None if self.people is None else self.people.iloc[numbers]
        return LabelledRows(self.X.iloc[numbers], self.y.iloc[numbers], people)


def _features(frame: pd.DataFrame, options: argparse.Namespace) -> pd.DataFrame:
    """Sensitive columns stay out of the rules, unless they are asked for."""
    kept_out = [] if options.sensitive_in_rules else options.sensitive
    return frame.drop(columns=[*dict.fromkeys([options.target, *options.drop, *kept_out])])


def _fit_on_cluster(options: argparse.Namespace) -> Any:
    """All rows are trained on: to hold some out, put them into files of their own."""
    refuse_with_cluster(options)
    with connected(options.dask) as client:
        classes = classes_of(options, client) if options.favourable else []
        settings = _settings(options, classes, is_fair=bool(options.sensitive))
        model = trained_on_cluster(options, settings, client)
    print("Nothing was held out to measure accuracy: keep some files from training, and give them to audit.")
    _show(model, options.file, is_fair=bool(options.sensitive))
    return model


def _show(model: Any, rows: str, is_fair: bool) -> None:
    if is_fair:
        print(f"\n{model.fairness_}")
    print(f"\n{len(model.rules_)} rules from {rows} (solver {model.solver_}, stopped: {model.stop_reason_}):")
    print(model.rules_)


def _fit_and_report(rows: LabelledRows, options: argparse.Namespace) -> Any:
    """Measure on held-out rows first, then train the model that is kept on all rows."""
    if not 0 <= options.test_share < 1:
        raise InputError(f"Expected --test-share to lie between 0 and 1, but got {options.test_share:g}.")
    if options.test_share:
        _report_on_held_out(rows, options)
    model = fitted(rows, options, "training on all rows")
    _show(model, f"{len(rows.X):,} rows", is_fair=rows.people is not None)
    return model


def _report_on_held_out(rows: LabelledRows, options: argparse.Namespace) -> None:
    train, test = _split(rows, options)
    model = fitted(train, options, "measuring on held-out rows")
    default = float((test.y == train.y.mode().iloc[0]).mean())
    print(
        f"Accuracy on {len(test.X):,} held-out rows: {model.score(test.X, test.y):.1%} "
        f"(always saying the most frequent class: {default:.1%})"
    )
    if test.people is not None:
        _report_gaps(model, test, options)


def _report_gaps(model: Any, test: LabelledRows, options: argparse.Namespace) -> None:
    from rugcore.fairness.audit import audit

    found = audit(
        test.y,
        model.predict(test.X),
        sensitive_features=test.people,
        positive_class=model.positive_class,
        epsilon=options.epsilon,
        classes=model.classes_.tolist(),
    )
    line = found.gaps.loc[model.fairness_.notion]
    name = str(NOTIONS[model.fairness_.notion]).partition(" (")[0]
    if math.isnan(line["gap"]):
        print(f"Gap between groups there ({name}): not estimable ({line['not_estimable']})")
        return
    print(
        f"Gap between groups there ({name}): {line['gap']:.3f}, with {found.confidence:.0%} "
        f"confidence between {line['lower']:.3f} and {line['upper']:.3f}; asked for at most {options.epsilon:g}"
    )


def _split(rows: LabelledRows, options: argparse.Namespace) -> tuple[LabelledRows, LabelledRows]:
    from sklearn.model_selection import train_test_split

    _refuse_rare_classes(rows.y)
    numbers = np.arange(len(rows.X))
    try:
        parts = train_test_split(numbers, test_size=options.test_share, random_state=options.seed, stratify=rows.y)
    except ValueError as error:
        raise InputError(
            f"The rows cannot be split to measure accuracy ({str(error).rstrip('.')}). Use --test-share 0."
        ) from error
    return rows.take(parts[0]), rows.take(parts[1])


def _refuse_rare_classes(y: pd.Series) -> None:
    counts = y.value_counts()
    if len(counts) and counts.iloc[-1] < 2:
        raise InputError(
            f"Expected at least two rows of every class, to hold some out, but {counts.index[-1]!r} occurs once; the "
            f"target has {len(counts):,} different values in {len(y):,} rows. Is it the column you want to predict? "
            "If so, use --test-share 0."
        )


def fitted(rows: LabelledRows, options: argparse.Namespace, what: str) -> Any:
    progress = _Progress(what, options.rounds) if sys.stderr.isatty() else None
    model = _model(rows, options, progress)
    people = {} if rows.people is None else {"sensitive_features": rows.people}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FairnessWarning)  # what was reached is printed in any case
            return model.fit(rows.X, rows.y, **people)
    finally:
        if progress:
            progress.end()


def _model(rows: LabelledRows, options: argparse.Namespace, progress: "_Progress | None") -> Any:
    from rugcore.estimators import FairRUGClassifier, RUGClassifier

    kind = RUGClassifier if rows.people is None else FairRUGClassifier
    classes = rows.y.unique().tolist()
    return kind(**_settings(options, classes, is_fair=rows.people is not None), callback=progress)


def _settings(options: argparse.Namespace, classes: list[Any], is_fair: bool) -> dict[str, Any]:
    own = {"max_depth": options.depth, "penalty": options.penalty, "random_state": options.seed}
    return own | settings_of(options, classes, is_fair)


def other_settings(rows: LabelledRows, options: argparse.Namespace) -> dict[str, Any]:
    """As `settings_of`, for rows that are at hand."""
    return settings_of(options, rows.y.unique().tolist(), is_fair=rows.people is not None)


def settings_of(options: argparse.Namespace, classes: list[Any], is_fair: bool) -> dict[str, Any]:
    """What `add_other_settings` and, where there are groups, `add_fairness` ask for, by the names of the engine."""
    settings = {
        "max_iter": options.rounds,
        "rule_cost": options.rule_cost,
        "weight_threshold": options.weight_threshold,
        "pricing": options.pricing,
        "loss": options.loss,
        "min_support": options.min_support,
        "special_values": dict(options.special) or None,
        "monotonic_cst": dict(options.direction) or None,
        "positive_class": favourable_class(options.favourable, classes),
        "solver": options.solver,
        "time_limit": options.time_limit,
    }
    if not is_fair:
        return settings
    return settings | {
        "fairness": options.fairness,
        "epsilon": options.epsilon,
        "guarantee": options.guarantee,
    }


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
