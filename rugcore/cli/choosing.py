"""`choose` and `stability`: which settings are worth their rules, and which rules come back."""

import argparse
import sys
from collections.abc import Callable
from typing import Any

import pandas as pd

from rugcore.cli.tables import refuse_bad_place
from rugcore.cli.training import (
    add_fairness,
    add_other_settings,
    add_settings,
    add_table,
    fitted,
    other_settings,
    read_rows,
)


def add_choose(commands: Any) -> None:
    choose = commands.add_parser("choose", help="which depth and price of rules to train with, by cross-validation")
    add_table(choose)
    choose.add_argument(
        "--depths", type=int, nargs="+", default=[1, 2, 3, 4, 5], metavar="N", help="depths to try (default 1 to 5)"
    )
    choose.add_argument(
        "--penalties",
        type=float,
        nargs="+",
        default=[0.3, 1, 3, 10, 30],
        metavar="P",
        help="prices of a rule to try (default 0.3 1 3 10 30)",
    )
    choose.add_argument("--folds", type=int, default=5, help="parts that are held out in turn (default 5)")
    choose.add_argument("--about-rules", type=float, metavar="N", help="how many rules you want to read, more or less")
    choose.add_argument("--save", metavar="FILE.csv", help="where to write all settings with their figures")
    add_other_settings(choose)
    add_fairness(choose)
    choose.set_defaults(run=_choose)


def add_stability(commands: Any) -> None:
    stability = commands.add_parser("stability", help="train, and see which rules come back on samples of the rows")
    add_table(stability)
    stability.add_argument("--samples", type=int, default=20, metavar="N", help="samples to train on (default 20)")
    stability.add_argument("--save", metavar="FILE.csv", help="where to write a line per rule with all figures")
    add_settings(stability)
    add_fairness(stability)
    stability.set_defaults(run=_stability)


def _choose(options: argparse.Namespace) -> None:
    from rugcore.selection import choose_settings

    refuse_bad_place(options.save)
    rows = read_rows(options)
    curve = _counted(
        "trainings",
        lambda count: choose_settings(
            rows.X,
            rows.y,
            depths=options.depths,
            penalties=options.penalties,
            cv=options.folds,
            sensitive_features=rows.people,
            about_n_rules=options.about_rules,
            random_state=options.seed,
            callback=count,
            **other_settings(rows, options),
        ),
    )
    print(curve)
    chosen = curve.recommended
    print(f"\nTo train with it: train {options.file} --depth {chosen.depth} --penalty {chosen.penalty:g} ...")
    _save(curve.to_frame(), options.save)


def _stability(options: argparse.Namespace) -> None:
    from rugcore.selection import rule_stability, stability_in_words

    refuse_bad_place(options.save)
    rows = read_rows(options)
    model = fitted(rows, options, "training on all rows")
    frame = _counted(
        "samples",
        lambda count: rule_stability(
            model,
            rows.X,
            rows.y,
            n_samples=options.samples,
            sensitive_features=rows.people,
            random_state=options.seed,
            callback=count,
        ),
    )
    for line in frame.to_dict("records"):
        print(_in_words(line))
    print()
    for sentence in stability_in_words(frame):
        print(sentence)
    _save(frame, options.save)


def _in_words(line: dict[Any, Any]) -> str:
    from rugcore.rules import words

    weight = f"weight {line['weight']:.3g}"
    if line["recurs"] > 0:
        weight += f", then {line['weight_low']:.3g} to {line['weight_high']:.3g}"
    often = f"{line['recurs']:4.0%} ({line['recurs_low']:.0%} to {line['recurs_high']:.0%})"
    return f"{often}: if {line['rule']} then {words.clear(line['label'])} ({weight})"


def _save(frame: pd.DataFrame, path: str | None) -> None:
    if path:
        frame.to_csv(path, index=False)
        print(f"Saved to {path}")


def _counted(what: str, work: Callable[[Callable[[int, int], None]], Any]) -> Any:
    """Do it, with one line that is written over and over on a terminal."""
    has_begun = False

    def count(done: int, total: int) -> None:
        nonlocal has_begun
        if sys.stderr.isatty():
            print(f"\r{what}: {done} of {total}", end="", file=sys.stderr, flush=True)
            has_begun = True

    try:
        return work(count)
    finally:
        if has_begun:
            print(file=sys.stderr)
