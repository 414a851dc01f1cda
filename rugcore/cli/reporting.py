"""`report`: a model on paper, as PDF, HTML, DOCX or JSON."""

import argparse
import hashlib
import sys
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from rugcore.cli.judging import add_group_options, all_present, favourable_of, loaded
from rugcore.cli.tables import (
    add_dictionary_option,
    read_dictionary,
    read_in_words,
    refuse_bad_place,
    refuse_unknown,
    speak_in_words,
    with_target,
)
from rugcore.errors import InputError, ModelFileError

if TYPE_CHECKING:
    from rugcore.report import ModelReport, NewerPeople, PeopleRows

SUFFIXES = (".pdf", ".html", ".docx", ".json")


def add_report(commands: Any) -> None:
    parser = commands.add_parser("report", help="a model on paper: rules, performance, fairness, reasons, sign-off")
    parser.add_argument("model", metavar="MODEL.json")
    parser.add_argument("file", metavar="FILE", help="rows with true outcomes that the model was not trained on")
    parser.add_argument("--target", required=True, metavar="COLUMN", help="the column with the true outcome")
    parser.add_argument(
        "--out",
        required=True,
        action="append",
        metavar="REPORT",
        help="where to write it: .pdf, .html, .docx or .json; repeatable",
    )
    add_group_options(parser)
    parser.add_argument("--training", metavar="FILE", help="the training rows, for other models to compare with")
    parser.add_argument("--frontier", action="store_true", help="also what other limits on the gap would cost (slow)")
    parser.add_argument("--statements", metavar="FILE.json", help="purpose, users, limits and so on, by topic")
    parser.add_argument("--guidance", metavar="FILE.json", help="a template of your own for the cross-reference")
    parser.add_argument("--newer", metavar="FILE", help="newer people, to tell whether the model still holds")
    parser.add_argument("--date", metavar="YYYY-MM-DD", help="when the model was made; stands on the report")
    add_dictionary_option(parser)
    parser.set_defaults(run=_report)


def _report(options: argparse.Namespace) -> None:
    writers = [(path, _writer(path)) for path in options.out]
    made = _made(options)
    for path, write in writers:
        Path(path).write_bytes(write(made))
        print(f"Saved to {path}")


def _writer(path: str) -> Callable[["ModelReport"], bytes]:
    """Refused now rather than after all the work."""
    from rugcore.report import to_docx, to_html, to_pdf

    refuse_bad_place(path, "--out")
    writers: dict[str, Callable[[ModelReport], bytes]] = {
        ".pdf": to_pdf,
        ".docx": to_docx,
        ".html": lambda report: to_html(report).encode(),
        ".json": lambda report: report.to_json().encode(),
    }
    suffix = Path(path).suffix.lower()
    if suffix not in writers:
        raise InputError(f"Expected --out to name a file that ends in {', '.join(SUFFIXES)}, but got {path}.")
    return writers[suffix]


def _made(options: argparse.Namespace) -> "ModelReport":
    from rugcore.fair_training import with_group_names
    from rugcore.report import Evidence, build_report, frontier_lines, other_models

    model = _with_pool(options.model)
    files = options.file, options.training, options.newer
    dictionary = read_dictionary(options.dictionary)
    tables = [None if file is None else _table(model, file, options, dictionary) for file in files]
    speak_in_words(options, dictionary)
    test = _rows(model, tables[0], options, options.file)
    training = None if tables[1] is None else _rows(model, tables[1], options, options.training)
    newer = None if tables[2] is None else _newer_rows(options, model, tables[2])
    favourable = _favourable(options, model)
    fit = getattr(model, "fairness_", None)
    names = _group_names(options, fit, (test, training, newer))
    test = test.called(names)
    training, newer = (None if rows is None else rows.called(names) for rows in (training, newer))
    fairness = getattr(model, "fairness", "dmc")
    has_curve = options.frontier and fit is not None and hasattr(model, "pool_") and test.groups is not None
    evidence = Evidence(
        model=model,
        identity=_identity(options, model),
        test=test,
        training=training,
        target=options.target,
        favourable=favourable,
        sensitive=tuple(options.sensitive),
        fairness=fairness,
        epsilon=options.epsilon if options.epsilon is not None else getattr(model, "epsilon", None),
        dictionary=dictionary,
        wording=dictionary.wording(),
        **_templates(options),
        others=None if training is None else other_models(training, test, favourable),
        frontier=frontier_lines(model, test, fairness, favourable) if has_curve else None,
        fit=None if fit is None else with_group_names(fit, names),
        newer=None if newer is None else _newer(options, model, test, favourable, newer),
    )
    return build_report(evidence, lambda what, _: print(f"{what} …", file=sys.stderr))


def _group_names(options: argparse.Namespace, fit: Any, parts: Sequence["PeopleRows | None"]) -> dict[str, str]:
    """What groups are called in the report; those of several columns have their names already."""
    from rugcore.fairness import clear_names

    found = [str(name) for rows in parts if rows is not None and rows.groups is not None for name in rows.groups]
    found += [] if fit is None else [own.group for own in fit.cells]
    names = dict.fromkeys(found)
    return clear_names(names, options.sensitive[0]) if len(options.sensitive) == 1 else {name: name for name in names}


def _newer_rows(options: argparse.Namespace, model: Any, frame: pd.DataFrame) -> "PeopleRows":
    """Newer people; outcomes and groups count as far as their file has them."""
    from rugcore.report import PeopleRows

    has_groups = bool(options.sensitive) and set(options.sensitive) <= set(frame.columns)
    outcomes = frame[options.target] if options.target in frame.columns else pd.Series(None, frame.index, dtype=object)
    return PeopleRows(
        frame[all_present(model, frame, options.newer)], outcomes, frame[options.sensitive] if has_groups else None
    )


def _newer(
    options: argparse.Namespace, model: Any, test: "PeopleRows", favourable: Any, rows: "PeopleRows"
) -> "NewerPeople":
    """Newer people against the test rows."""
    from rugcore.monitoring import Period, monitor
    from rugcore.report import NewerPeople

    epsilon = options.epsilon if options.epsilon is not None else getattr(model, "epsilon", None)
    found = monitor(
        model,
        Period(test.X, test.y, test.groups),
        Period(rows.X, rows.y, rows.groups),
        positive_class=favourable,
        fairness=getattr(model, "fairness", "dmc"),
        epsilon=epsilon,
    )
    return NewerPeople(Path(options.newer).name, "", found)


def _with_pool(path: str) -> Any:
    """The model, with its pool if that lies beside it: the proof of optimal weights needs it."""
    from rugcore.persistence import load_pool

    model, pool = loaded(path), Path(path).with_suffix(".pool")
    if pool.is_file():
        try:
            load_pool(model, pool)
        except ModelFileError as error:
            print(f"Note: {pool} is left aside. {error}", file=sys.stderr)
    return model


def _table(model: Any, file: str, options: argparse.Namespace, dictionary: Any) -> pd.DataFrame:
    is_text = isinstance(model.classes_[0], str)
    return read_in_words(file, model, dictionary, [options.target] if is_text else [])


def _rows(model: Any, frame: Any, options: argparse.Namespace, file: str) -> "PeopleRows":
    from rugcore.report import PeopleRows

    for name in (options.target, *options.sensitive):
        refuse_unknown(name, frame, file, "Name one column each time; --sensitive can be repeated.")
    names = all_present(model, frame, file)
    known = with_target(frame, options.target)
    if not len(known):
        raise InputError(f"Expected rows with a value of {options.target!r} in {file}, but there are none.")
    groups = known[options.sensitive] if options.sensitive else None
    return PeopleRows(known[names], known[options.target], groups)


def _favourable(options: argparse.Namespace, model: Any) -> Any:
    found = favourable_of(options.favourable, model)
    if found is None:
        known = ", ".join(sorted(str(label) for label in model.classes_))
        raise InputError(f"Expected --favourable, the outcome that serves people well: one of {known}.")
    return found


def _identity(options: argparse.Namespace, model: Any) -> Any:
    from rugcore.report import ModelIdentity

    return ModelIdentity(
        name=Path(options.model).stem,
        kind="FairRUG" if hasattr(model, "fairness_") else "RUG",
        model_hash=_hash(options.model),
        data_name=Path(options.file).name,
        data_hash=_hash(options.file),
        trained=_date(options.date),
    )


def _hash(path: str) -> str:
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _date(text: str | None) -> str:
    from rugcore.report import MOMENT

    if text is None:
        return ""
    try:
        return datetime.strptime(text, "%Y-%m-%d").strftime(MOMENT)
    except ValueError as error:
        raise InputError(f"Expected --date like 2026-01-31, but got {text}.") from error


def _templates(options: argparse.Namespace) -> dict[str, Any]:
    from rugcore.report import Guidance, Statements

    given: dict[str, Any] = {}
    if options.statements is not None:
        given["statements"] = Statements.from_json(Path(options.statements).read_text(encoding="utf-8"))
    if options.guidance is not None:
        given["guidance"] = Guidance.from_json(Path(options.guidance).read_text(encoding="utf-8"))
    return given
