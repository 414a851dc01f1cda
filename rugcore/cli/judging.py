"""`explain` and `audit`: what a saved model does, to one person and to groups."""

import argparse
from typing import Any

import pandas as pd

from rugcore.cli.tables import read_noted, refuse_bad_place, refuse_unknown, with_target
from rugcore.errors import InputError


def add_explain(commands: Any) -> None:
    explain = commands.add_parser("explain", help="why a saved model decides as it does on a row of a file")
    explain.add_argument("model", metavar="MODEL.json")
    explain.add_argument("file", metavar="FILE", help="a table with the columns of the training table")
    explain.add_argument("--row", type=int, default=1, help="which row, counting from 1 (default 1)")
    explain.set_defaults(run=_explain)


def add_audit(commands: Any) -> None:
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


def _explain(options: argparse.Namespace) -> None:
    model = _loaded(options.model)
    frame = read_noted(options.file, text_columns=model.schema_.names_of("category"))
    if not 1 <= options.row <= len(frame):
        raise InputError(f"Expected a row from 1 to {len(frame)}, but got {options.row}.")
    print(model.explain(frame.iloc[options.row - 1]))


def _loaded(path: str) -> Any:
    from rugcore.estimators import load_model

    return load_model(path)


def _audit(options: argparse.Namespace) -> None:
    from rugcore.fairness.audit import audit

    refuse_bad_place(options.save)
    model = _loaded(options.model)
    frame = _table_to_audit(model, options)
    found = audit(
        frame[options.target],
        model.predict(frame[list(model.schema_.names)]),
        sensitive_features=frame[options.sensitive],
        positive_class=_positive_class(options.favourable, model),
        epsilon=options.epsilon,
        classes=model.classes_.tolist(),
    )
    print(f"Groups by {' and '.join(options.sensitive)}: {found}")
    if options.save:
        found.to_frame().to_csv(options.save, index=False)
        print(f"\nSaved to {options.save}")


def _table_to_audit(model: Any, options: argparse.Namespace) -> pd.DataFrame:
    """The rows whose outcome is known, with every column that the audit and the model ask for."""
    text_columns = list(model.schema_.names_of("category"))
    if isinstance(model.classes_[0], str):
        text_columns.append(options.target)  # the model knows "1" and "2" as text, so that is what they are
    frame = read_noted(options.file, text_columns=text_columns)
    for name in (options.target, *options.sensitive):
        refuse_unknown(name, frame, options.file, "Name one column each time; --sensitive can be repeated.")
    lacking = ", ".join(repr(name) for name in model.schema_.names if name not in frame.columns)
    if lacking:
        raise InputError(f"Expected the columns that the model was trained on, but {options.file} lacks {lacking}.")
    return with_target(frame, options.target)


def _positive_class(text: str | None, model: Any) -> Any:
    """The class that is written like this; by default what the model was told, if it was."""
    if text is None:
        return getattr(model, "positive_class", None)
    return favourable_class(text, model.classes_.tolist())


def favourable_class(text: str | None, classes: list[Any]) -> Any:
    """The class that a person writes like this."""
    from rugcore.rules import words

    for label in classes:
        if words.value(label) == text:
            return label
    if text is None:
        return None
    known = ", ".join(sorted(words.value(label) for label in classes))
    raise InputError(f"Expected --favourable to be one of the classes {known}, but got {text}.")
