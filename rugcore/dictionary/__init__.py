"""What the columns of a table mean: labels, units, codes, who is protected, what helps, what can change.

A dictionary belongs to a file and outlives it: a newer file with the same columns is recognised. Rules, reasons and
advice need not know of it, because they are given tables in its words (`DataDictionary.applied`).
"""

from rugcore.dictionary.data_dictionary import DataDictionary, Recognition
from rugcore.dictionary.entry import CHANGES, EFFECTS, ColumnEntry, value_text
from rugcore.dictionary.names import ProtectedName, effect_by_name, past_by_name, protected_by_name, words_of
from rugcore.dictionary.suggesting import Suggestion, accepted, suggest

__all__ = [
    "CHANGES",
    "EFFECTS",
    "ColumnEntry",
    "DataDictionary",
    "ProtectedName",
    "Recognition",
    "Suggestion",
    "accepted",
    "effect_by_name",
    "past_by_name",
    "protected_by_name",
    "suggest",
    "value_text",
    "words_of",
]
