"""What holds of columns that nobody has described: names that are not told, and what should help, by their words."""

from collections.abc import Collection

from rugcore.dictionary.data_dictionary import SIGN, DataDictionary
from rugcore.dictionary.names import effect_by_name, protected_by_name
from rugcore.rules.orders import SaidDirection


def never_told(dictionary: DataDictionary, shown_names: Collection[str]) -> frozenset[str]:
    """Columns that no letter may name: protected by the dictionary, or else by their names.

    Parameters
    ----------
    dictionary : DataDictionary
        What is known of the columns.
    shown_names : collection of str
        The columns of a model.
    """
    return frozenset((*dictionary.protected(), *(name for name in shown_names if protected_by_name(name))))


def expected_directions(dictionary: DataDictionary, shown_numbers: Collection[str]) -> dict[str, SaidDirection]:
    """What no letter may contradict: as the dictionary says, or else by the names of columns of numbers.

    Parameters
    ----------
    dictionary : DataDictionary
        What is known of the columns.
    shown_numbers : collection of str
        The columns of numbers of a model.
    """
    named = {name: effect_by_name(name) for name in shown_numbers}
    by_name: dict[str, SaidDirection] = {name: SIGN[own.effect] for name, own in named.items() if own is not None}
    return by_name | dictionary.monotonic_cst()
