"""Reasons for a decision against an applicant, in plain words.

They come only from rules that fired against the applicant, say nothing of thresholds, and never name a sensitive
column. Where there is no such rule there is no reason: such applicants need a person, not an invented sentence.
"""

from rugcore.reasons.giving import Reason, Reasons, reasons
from rugcore.reasons.table import reasons_table
from rugcore.reasons.wording import ColumnWording, Wording

__all__ = ["ColumnWording", "Reason", "Reasons", "Wording", "reasons", "reasons_table"]
