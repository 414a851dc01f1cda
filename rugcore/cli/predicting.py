"""`predict`: a saved model decides on the people of a file."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from rugcore.cli.judging import add_background, all_present, favourable_of, loaded
from rugcore.cli.tables import (
    add_dictionary_option,
    read_dictionary,
    read_in_words,
    read_noted,
    refuse_bad_place,
    refuse_unknown,
)
from rugcore.errors import InputError

if TYPE_CHECKING:
    from rugcore.dictionary import DataDictionary
    from rugcore.new_cases import NewCases

LINES_SHOWN = 20
ENDINGS = (".csv", ".xlsx")


def add_predict(commands: Any) -> None:
    predict = commands.add_parser("predict", help="decide on the people of a file with a saved model")
    predict.add_argument("model", metavar="MODEL.json")
    predict.add_argument("file", metavar="FILE", help="the people: CSV, Parquet or a spreadsheet")
    add_dictionary_option(predict)
    predict.add_argument(
        "--favourable", metavar="VALUE", help="the outcome that serves people well: reasons are given for others"
    )
    predict.add_argument(
        "--id", metavar="COLUMN", help="what people are called (default: a column whose name says so, or the row)"
    )
    add_background(predict)
    predict.add_argument("--out", metavar="FILE", help="where to write the decisions: .csv or .xlsx")
    predict.set_defaults(run=_predict)


def _predict(options: argparse.Namespace) -> None:
    from rugcore.new_cases import decide_new_cases

    refuse_bad_place(options.out, "--out")
    if options.out and Path(options.out).suffix.lower() not in ENDINGS:
        raise InputError(f"Expected --out to name a .csv or an .xlsx file, but got {options.out}.")
    model = loaded(options.model)
    dictionary = read_dictionary(options.dictionary)
    texts = [dictionary.raw_name(name) for name in model.schema_.names_of("category")]
    frame = read_noted(options.file, text_columns=texts)
    favourable = favourable_of(options.favourable, model)
    id_column = _id_column(options, frame, model, dictionary)
    cases = decide_new_cases(
        model,
        frame if id_column is None or _is_used(id_column, model, dictionary) else frame.drop(columns=id_column),
        positive_class=favourable,
        dictionary=dictionary,
        background=_background(options.background, model, dictionary),
        ids=None if id_column is None else frame[id_column].tolist(),
    )
    _report(cases, options, id_column)


def _background(file: str | None, model: Any, dictionary: "DataDictionary") -> pd.DataFrame | None:
    if file is None:
        return None
    frame = read_in_words(file, model, dictionary)
    return frame[all_present(model, frame, file)]


def _is_used(column: str, model: Any, dictionary: "DataDictionary") -> bool:
    return dictionary.shown_name(column) in model.schema_.names


def _id_column(
    options: argparse.Namespace, frame: pd.DataFrame, model: Any, dictionary: "DataDictionary"
) -> str | None:
    from rugcore.data_quality import is_name_of_identifier

    if options.id is not None:
        refuse_unknown(options.id, frame, options.file, "Name the column that tells people apart.")
        return str(options.id)
    names = [str(name) for name in frame.columns if not _is_used(str(name), model, dictionary)]
    return next((name for name in names if is_name_of_identifier(name)), None)


def _report(cases: "NewCases", options: argparse.Namespace, id_column: str | None) -> None:
    """What could not be read first, then how many were decided how, then the decisions."""
    for problem in cases.problems:
        print(f"Note: {problem}")
    if options.background is None:
        print("Note: Values that are new to the model cannot be told without its training rows: --background FILE.")
    decided = ", ".join(f"{count:,} {_outcome(label)}" for label, count in cases.counts.items())
    n_people = "1 person" if len(cases.frame) == 1 else f"{len(cases.frame):,} people"
    print(f"{n_people}: {decided}.")
    table = _table(cases, id_column)
    if options.out:
        _save(table, options.out)
        print(f"Saved to {options.out}")
        return
    print(table.head(LINES_SHOWN).to_string(index=False, na_rep=""))
    if len(table) > LINES_SHOWN:
        print(f"and {len(table) - LINES_SHOWN:,} more; --out FILE writes all of them.")


def _outcome(label: str) -> str:
    return "for manual review" if label == "manual review" else label


def _table(cases: "NewCases", id_column: str | None) -> pd.DataFrame:
    from rugcore.rules import words

    chance = "chance" if cases.positive_class is None else f"chance of {words.value(cases.positive_class)}"
    table = cases.frame.rename(columns={"chance": chance, "applicant": id_column or "row"})
    table[chance] = table[chance].round(3)
    return table


def _save(table: pd.DataFrame, path: str) -> None:
    from rugcore.atomic import whole_file
    from rugcore.writers import to_csv, to_xlsx

    content = to_xlsx(table) if Path(path).suffix.lower() == ".xlsx" else to_csv(table)
    with whole_file(path) as file:
        file.write(content)
