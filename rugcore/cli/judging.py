"""`explain` and `audit`: what a saved model does, to one person and to groups."""

import argparse
from typing import Any

import pandas as pd

from rugcore.cli.tables import (
    add_dictionary_option,
    read_dictionary,
    read_in_words,
    refuse_bad_place,
    refuse_unknown,
    speak_in_words,
    with_target,
)
from rugcore.errors import InputError


def add_explain(commands: Any) -> None:
    explain = commands.add_parser("explain", help="why a saved model decides as it does on a row of a file")
    explain.add_argument("model", metavar="MODEL.json")
    explain.add_argument("file", metavar="FILE", help="a table with the columns of the training table")
    explain.add_argument("--row", type=int, default=1, help="which row, counting from 1 (default 1)")
    explain.add_argument(
        "--favourable", metavar="VALUE", help="the outcome that serves people well: reasons are given for others"
    )
    explain.add_argument(
        "--sensitive",
        action="append",
        default=[],
        metavar="COLUMN",
        help="a column not to name as a reason; repeatable",
    )
    add_background(explain)
    add_dictionary_option(explain)
    explain.set_defaults(run=_explain)


def add_background(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--background",
        metavar="FILE",
        help="the training rows, to compare with; needed only if the model file does not know them",
    )


def add_audit(commands: Any) -> None:
    audit = commands.add_parser("audit", help="how far a saved model treats groups apart on the rows of a file")
    audit.add_argument("model", metavar="MODEL.json")
    audit.add_argument("file", metavar="FILE", help="a table with true outcomes, best one that was not used to train")
    audit.add_argument("--target", required=True, metavar="COLUMN", help="the column with the true outcome")
    add_group_options(audit, is_required=True)
    audit.add_argument("--save", metavar="FILE.csv", help="where to write every number of the audit")
    add_dictionary_option(audit)
    audit.set_defaults(run=_audit)


def add_group_options(parser: argparse.ArgumentParser, *, is_required: bool = False) -> None:
    """What makes the groups, who is served well, and how far groups may be apart."""
    parser.add_argument(
        "--sensitive",
        action="append",
        required=is_required,
        default=None if is_required else [],
        metavar="COLUMN",
        help="the column that makes the groups; repeatable: then every combination is a group",
    )
    parser.add_argument(
        "--favourable", metavar="VALUE", help="the outcome that serves people well (default: as the model was told)"
    )
    parser.add_argument("--epsilon", type=float, metavar="E", help="the largest gap that is allowed, such as 0.05")


def _explain(options: argparse.Namespace) -> None:
    model = loaded(options.model)
    frame = read_in_words(options.file, model, read_dictionary(options.dictionary))
    if not 1 <= options.row <= len(frame):
        raise InputError(f"Expected a row from 1 to {len(frame)}, but got {options.row}.")
    row = frame.iloc[options.row - 1]
    print(model.explain(row))
    favourable = favourable_of(options.favourable, model)
    if favourable is not None:
        _print_reasons(model, row, favourable, options)


def _print_reasons(model: Any, row: pd.Series, favourable: Any, options: argparse.Namespace) -> None:
    """Compared with the training rows as the model file knows them, or with those of another file."""
    from rugcore.dictionary import expected_directions, never_told
    from rugcore.explanations.reasons import ReasonFinder
    from rugcore.rules import words

    dictionary = read_dictionary(options.dictionary)
    protected = never_told(dictionary, model.schema_.names)
    sensitive = [*map(dictionary.shown_name, options.sensitive), *protected]
    for name in options.sensitive:
        if dictionary.shown_name(name) not in model.schema_.names:
            raise InputError(f"Expected --sensitive to name a column of the model, but it has no column {name!r}.")
    background = None
    if options.background is not None:
        background = read_in_words(options.background, model, dictionary)
        background = background[all_present(model, background, options.background)]
    elif model.reference_ is None:
        print(
            "No reasons: this model file does not say whom to compare with. Train and save the model again, or give "
            "its training rows: --background FILE."
        )
        return
    finder = ReasonFinder(model, favourable, background=background)
    directions = expected_directions(dictionary, model.schema_.names_of("number"))
    found = finder.find(row, sensitive=sensitive, wording=dictionary.wording(), directions=directions)
    if found.status == "manual review":
        print(f"Needs manual review. {found.why}")
    elif found.reasons:
        print(f"Reasons, compared with people who were decided {words.outcome(favourable)}:\n{found}")


def loaded(path: str) -> Any:
    from rugcore.estimators import load_model

    return load_model(path)


def _audit(options: argparse.Namespace) -> None:
    from rugcore.fairness.audit import audit

    refuse_bad_place(options.save)
    model = loaded(options.model)
    frame = _table_to_audit(model, options)
    found = audit(
        frame[options.target],
        model.predict(frame[list(model.schema_.names)]),
        sensitive_features=frame[options.sensitive],
        positive_class=favourable_of(options.favourable, model),
        epsilon=options.epsilon,
        classes=model.classes_.tolist(),
    )
    print(f"Groups by {' and '.join(options.sensitive)}: {found}")
    if options.save:
        found.to_frame().to_csv(options.save, index=False)
        print(f"\nSaved to {options.save}")


def _table_to_audit(model: Any, options: argparse.Namespace) -> pd.DataFrame:
    """The rows whose outcome is known, with every column that the audit and the model ask for."""
    dictionary = read_dictionary(options.dictionary)
    is_text = isinstance(model.classes_[0], str)  # the model knows "1" and "2" as text, so that is what they are
    frame = read_in_words(options.file, model, dictionary, [options.target] if is_text else [])
    speak_in_words(options, dictionary)
    for name in (options.target, *options.sensitive):
        refuse_unknown(name, frame, options.file, "Name one column each time; --sensitive can be repeated.")
    all_present(model, frame, options.file)
    return with_target(frame, options.target)


def all_present(model: Any, frame: pd.DataFrame, file: str) -> list[str]:
    """The columns that the model was trained on; refuses a table that lacks some."""
    lacking = ", ".join(repr(name) for name in model.schema_.names if name not in frame.columns)
    if lacking:
        raise InputError(f"Expected the columns that the model was trained on, but {file} lacks {lacking}.")
    return list(model.schema_.names)


def favourable_of(text: str | None, model: Any) -> Any:
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
