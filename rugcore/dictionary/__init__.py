"""What the columns of a table mean: labels, units, codes, who is protected, what helps, what can change.

A dictionary belongs to a file and outlives it: a newer file with the same columns is recognised. Rules, reasons and
advice need not know of it, because they are given tables in its words (`DataDictionary.applied`).
"""

from rugcore.dictionary.by_default import expected_directions, never_told
from rugcore.dictionary.changing import arranged_values, change_by_name, consequences_by_name, usual_change
from rugcore.dictionary.data_dictionary import DataDictionary, Recognition
from rugcore.dictionary.directions import effect_in_rows
from rugcore.dictionary.entry import CHANGES, EFFECTS, Change, ColumnEntry, Effect, value_text
from rugcore.dictionary.names import ProtectedName, effect_by_name, may_help, past_by_name, protected_by_name
from rugcore.dictionary.orders import FoundOrder, find_order
from rugcore.dictionary.stand_ins import protected_in
from rugcore.dictionary.suggesting import (
    SUGGESTION_ORDER,
    Suggestion,
    accepted,
    subject_of,
    suggest,
    suggest_from_labels,
)
from rugcore.tables.name_words import words_of

__all__ = [
    "CHANGES",
    "EFFECTS",
    "SUGGESTION_ORDER",
    "Change",
    "ColumnEntry",
    "DataDictionary",
    "Effect",
    "FoundOrder",
    "ProtectedName",
    "Recognition",
    "Suggestion",
    "accepted",
    "arranged_values",
    "change_by_name",
    "consequences_by_name",
    "effect_by_name",
    "effect_in_rows",
    "expected_directions",
    "find_order",
    "may_help",
    "never_told",
    "past_by_name",
    "protected_by_name",
    "protected_in",
    "subject_of",
    "suggest",
    "suggest_from_labels",
    "usual_change",
    "value_text",
    "words_of",
]
