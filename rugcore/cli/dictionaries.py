"""`dictionary`: what the columns of a table could mean, written to a file for a person to correct."""

import argparse
from pathlib import Path
from typing import Any

import pandas as pd

from rugcore.cli.judging import favourable_class
from rugcore.cli.tables import read_noted, refuse_bad_place, refuse_unknown
from rugcore.errors import InputError

WORDS = {
    "protected": "protected",
    "left_out": "left out",
    "special": "special codes",
    "past_fact": "past fact",
    "effect": "more of it",
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
        print(f"{suggestion.column}: {WORDS[suggestion.what]} {_shown(suggestion.value)}\n    {suggestion.why}")
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


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        return ", ".join(f"{code:g}" for code in value)
    return f"{value:g}" if isinstance(value, float) else str(value)
