"""`monitor`: whether a saved model still holds for newer people."""

import argparse
from typing import TYPE_CHECKING, Any

from rugcore.cli.judging import add_group_options, all_present, favourable_of, loaded
from rugcore.cli.tables import add_dictionary_option, read_dictionary, read_in_words, refuse_unknown

if TYPE_CHECKING:
    from rugcore.monitoring import Period

LINES_SHOWN = 10


def add_monitor(commands: Any) -> None:
    monitor = commands.add_parser("monitor", help="whether a saved model still holds for newer people")
    monitor.add_argument("model", metavar="MODEL.json")
    monitor.add_argument("file", metavar="FILE", help="newer people, with the columns of the training table")
    monitor.add_argument(
        "--then",
        required=True,
        metavar="FILE",
        help="people of the time when the model was made, best some that it was not trained on",
    )
    monitor.add_argument("--target", metavar="COLUMN", help="the column with the true outcome, if it is known by now")
    add_group_options(monitor)
    add_dictionary_option(monitor)
    monitor.set_defaults(run=_monitor)


def _monitor(options: argparse.Namespace) -> None:
    from rugcore.monitoring import monitor

    model = loaded(options.model)
    found = monitor(
        model,
        _period(options.then, model, options),
        _period(options.file, model, options),
        positive_class=favourable_of(options.favourable, model),
        fairness=getattr(model, "fairness", "dmc"),
        epsilon=options.epsilon,
    )
    print(found)
    print(f"\nColumns, those that moved most first:\n{found.columns.head(LINES_SHOWN).round(3).to_string(index=False)}")
    print(f"\nDecisions:\n{found.decisions.round(3).to_string(index=False)}")
    if found.gaps is not None:
        print(f"\nGaps between groups:\n{found.gaps.round(3).to_string()}")


def _period(file: str, model: Any, options: argparse.Namespace) -> "Period":
    from rugcore.monitoring import Period

    dictionary = read_dictionary(options.dictionary)
    is_text = isinstance(model.classes_[0], str)  # the model knows "1" and "2" as text, so that is what they are
    frame = read_in_words(file, model, dictionary, [options.target] if is_text and options.target else [])
    target = None if options.target is None else dictionary.shown_name(options.target)
    sensitive = [dictionary.shown_name(name) for name in options.sensitive]
    for name in (*([target] if target else []), *sensitive):
        refuse_unknown(name, frame, file, "Name one column each time; --sensitive can be repeated.")
    X = frame[all_present(model, frame, file)]
    return Period(X, frame[target] if target else None, frame[sensitive] if sensitive else None)
