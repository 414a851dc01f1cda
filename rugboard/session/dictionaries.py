"""What the columns of a table mean: the same for the page Data, for every run on such a table, and after retraining.

There is one dictionary per set of columns. How columns are called and which values have meanings is fixed when a run is
trained; what can change about a person, and how reasons are worded, is always as it was last said.
"""

from dataclasses import replace

from rugboard.runs.dictionaries import Dictionaries, KeptDictionary, read_kept
from rugboard.runs.results import Results
from rugboard.session.cache import cached
from rugboard.session.expectations import ExpectedEffect, expectations
from rugboard.session.server import store
from rugboard.session.training_columns import columns
from rugcore.dictionary import ColumnEntry, DataDictionary, never_told
from rugcore.rules import SaidDirection

KEPT = 24
# What may be said about a column after the training, without changing what the rules are about.
SAID_LATER = ("description", "past_fact", "effect", "change", "lowest", "highest", "wording", "order")


def dictionary_of(results: Results) -> DataDictionary:
    """The dictionary of a run by the names in the file; `limits`, `wording` and the like speak of shown names."""
    return _dictionary(results, _kept_text(results))


@cached(entries=KEPT)
def _dictionary(results: Results, kept_text: str) -> DataDictionary:
    trained, kept = results.run.plan.dictionary, _read(kept_text)
    if kept is None:
        return trained
    names = dict.fromkeys((*trained.columns, *kept.dictionary.columns))
    return DataDictionary(
        {name: _fitting(_later(trained.entry(name), kept.dictionary.entry(name)), name, results) for name in names}
    )


def keep_dictionary(results: Results, dictionary: DataDictionary) -> None:
    """Keep what is said about the columns of a run: for this run, others on such tables, and the next training."""
    store().refuse_unless_own(results.run.id)
    trained = results.run.plan.dictionary
    before = _kept(results) or KeptDictionary(results.run.plan.data_name, _knowing_all(results, trained))
    new = before.dictionary
    for name, entry in dictionary.columns.items():
        new = new.with_entry(name, _later(new.entry(name), entry))
    _dictionaries(results).keep(replace(before, dictionary=new))


def never_named(results: Results) -> frozenset[str]:
    """Columns that no applicant is told of: sensitive, protected by the dictionary, or by their names."""
    return never_told(dictionary_of(results), results.plan.features) | frozenset(results.plan.sensitive)


def expected_effects(results: Results) -> dict[str, ExpectedEffect]:
    """What more of a column should do for people, or which categories are better, as far as anything tells."""
    return dict(_expected(results, _kept_text(results)))


@cached(entries=KEPT)
def _expected(results: Results, kept_text: str) -> dict[str, ExpectedEffect]:
    """Without the suggestions about such a table that were refused on the page Data."""
    kept = _read(kept_text)
    refused = frozenset() if kept is None else frozenset(kept.refused)
    return expectations(results, _dictionary(results, kept_text), refused)


def expected_directions(results: Results) -> dict[str, SaidDirection]:
    """What no reason in a letter may contradict; where one would, a person has to look."""
    return {name: own.said for name, own in expected_effects(results).items()}


def _later(trained: ColumnEntry, said: ColumnEntry) -> ColumnEntry:
    return replace(trained, **{name: getattr(said, name) for name in SAID_LATER})


def _fitting(entry: ColumnEntry, name: str, results: Results) -> ColumnEntry:
    """What the models have learned as amounts, or as true and false, is no list of words any more."""
    column = columns(results).get(results.run.plan.dictionary.shown_name(name))
    has_words = column is None or all(isinstance(value, str) for value in column.profile.categories)
    return entry if has_words and (column is None or not column.is_number) else replace(entry, order=())


def _kept(results: Results) -> KeptDictionary | None:
    return _read(_kept_text(results))


def _kept_text(results: Results) -> str:
    """As it is written now: pages ask for it many times, and to read it into a dictionary takes long."""
    return _dictionaries(results).text_for(_column_names(results))


@cached(entries=KEPT)
def _read(kept_text: str) -> KeptDictionary | None:
    return read_kept(kept_text)


def _dictionaries(results: Results) -> Dictionaries:
    """Of the run's owner, whoever looks."""
    return Dictionaries(store().home, results.run.owner)


def _knowing_all(results: Results, dictionary: DataDictionary) -> DataDictionary:
    names = _column_names(results)
    return DataDictionary({name: dictionary.entry(name) for name in names})


def _column_names(results: Results) -> list[str]:
    return store().snapshots.column_names(results.plan.snapshot)
