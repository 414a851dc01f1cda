"""Dictionaries are kept by the columns of their tables."""

from rugboard.runs.dictionaries import Dictionaries, KeptDictionary
from rugboard.runs.home import Home
from rugcore.dictionary import ColumnEntry, DataDictionary

NAMES = [f"column {number}" for number in range(20)]


def kept_for(names: list[str], label: str = "income") -> KeptDictionary:
    known = DataDictionary.blank(names).with_entry(names[0], ColumnEntry(label=label, special={-9: "not told"}))
    return KeptDictionary("loans.csv", known, refused=("a suggestion",))


def test_what_is_kept_is_found_by_its_columns_in_any_order(home: Home) -> None:
    store = Dictionaries(home)
    assert store.find(NAMES) is None
    store.keep(kept_for(NAMES))
    assert store.find(NAMES[::-1]) == kept_for(NAMES)
    assert store.find(NAMES[1:]) is None
    store.keep(kept_for(NAMES, "salary"))  # the last word counts
    found = store.find(NAMES)
    assert found is not None
    assert found.dictionary.entry(NAMES[0]).label == "salary"


def test_a_newer_file_is_recognised_and_another_one_is_not(home: Home) -> None:
    store = Dictionaries(home)
    store.keep(kept_for(NAMES))
    store.keep(kept_for([f"other {number}" for number in range(20)], "age"))
    found = store.recognise([*NAMES[1:], "a new column", "another"])
    assert found is not None
    assert found.kept == kept_for(NAMES)
    assert (len(found.how_far.common), len(found.how_far.new)) == (19, 2)
    assert store.recognise(NAMES[:5]) is None


def test_what_is_damaged_counts_as_none(home: Home) -> None:
    store = Dictionaries(home)
    store.keep(kept_for(NAMES))
    (path,) = (home.root / "dictionaries").iterdir()
    for text in ("", "[]", "{}", '{"table": 1}', '{"dictionary": {}, "refused": []}'):
        path.write_text(text)
        assert store.find(NAMES) is None
        assert store.recognise(NAMES) is None
