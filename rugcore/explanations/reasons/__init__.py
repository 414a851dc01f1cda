"""Reasons for a decision against an applicant, in plain words.

They come only from rules that fired, from columns that speak against the applicant on balance, say nothing of
thresholds, and never name a sensitive column. Where rules did not decide, because none applies or because they balance,
there is no reason: such applicants need a person, not an invented sentence.
"""

from rugcore.explanations.reasons.giving import Reason, Reasons, reasons
from rugcore.explanations.reasons.table import reasons_table
from rugcore.explanations.reasons.wording import ColumnWording, Wording

__all__ = ["ColumnWording", "Reason", "Reasons", "Wording", "reasons", "reasons_table"]
