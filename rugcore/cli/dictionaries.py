"""`dictionary`: what the columns of a table could mean, written to a file for a person to correct."""

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from rugcore.cli.judging import favourable_class
from rugcore.cli.tables import read_noted, refuse_bad_place, refuse_unknown
from rugcore.errors import InputError

if TYPE_CHECKING:
    from rugcore.dictionary import Suggestion

WORDS = {
    "protected": "protected",
    "left_out": "left out",
    "special": "special codes",
    "past_fact": "past fact",
    "effect": "more of it",
    "order": "from the worst to the best:",
    "values": "values",
    "lowest": "lowest",
    "label": "label",
}


def add_dictionary(commands: Any) -> None:
    parser = commands.add_parser("dictionary", help="suggest what the columns of a table mean, in a file to be edited")
    parser.add_argument("file", metavar="FILE", help="the table: CSV, Parquet or a spreadsheet")
    parser.add_argument("--target", metavar="COLUMN", help="the column with the outcome, to find what gives it away")
    parser.add_argument("--favourable", metavar="VALUE", help="the outcome that serves people well, to find what helps")
    parser.add_argument(
        "--save", metavar="DICTIONARY", help="where to write it: .json, or .csv to edit it in a spreadsheet"
    )
    parser.set_defaults(run=_dictionary)


def _dictionary(options: argparse.Namespace) -> None:
    from rugcore.dictionary import DataDictionary, accepted, suggest

    refuse_bad_place(options.save)
    if options.save and Path(options.save).suffix.lower() not in (".json", ".csv"):
        raise InputError(f"Expected --save to name a .json or a .csv file, but got {options.save}.")
    frame = read_noted(options.file)
    found = suggest(frame, options.target, _favourable(frame, options))
    dictionary = DataDictionary.blank(map(str, frame.columns))
    for suggestion in found:
        dictionary = accepted(dictionary, suggestion)
        print(f"{in_words(suggestion)}\n    {suggestion.why}")
    if options.save:
        is_csv = Path(options.save).suffix.lower() == ".csv"
        text = dictionary.to_csv() if is_csv else dictionary.to_json()
        Path(options.save).write_bytes(text.encode("utf-8-sig" if is_csv else "utf-8"))
        print(
            f"Saved to {options.save}, with {len(found)} suggestions as if they were accepted. Correct what is wrong."
        )


def _favourable(frame: pd.DataFrame, options: argparse.Namespace) -> Any:
    if options.target is None:
        if options.favourable is not None:
            raise InputError("Expected --target with --favourable, but got no target.")
        return None
    refuse_unknown(options.target, frame, options.file, "Name the column with the outcome.")
    return favourable_class(options.favourable, frame[options.target].dropna().unique().tolist())


def in_words(suggestion: "Suggestion") -> str:
    """What would be said of a column, in a line."""
    what = WORDS.get(suggestion.what, suggestion.what.replace("_", " "))
    return f"{suggestion.column}: {what} {_shown(suggestion)}"


def _shown(suggestion: "Suggestion") -> str:
    value = suggestion.value
    if isinstance(value, bool):
        return "yes" if value else "no"
    if suggestion.what == "special":
        return ", ".join(f"{code:g}" for code in value)
    if isinstance(value, Mapping):
        return ", ".join(f"{own} = {meaning}" for own, meaning in value.items())
    if isinstance(value, tuple | list):
        return ", ".join(map(str, value))
    return f"{value:g}" if isinstance(value, float) else str(value)
