"""Reasons for a decision against an applicant, in plain words, and true.

They compare the applicant with the people whom the model decides favourably. A column is named only if it speaks
against the applicant there, and if moving it alone to a value that occurs among them raises the score; the words point
where that change goes. They say nothing of thresholds, and never name a sensitive column. Where rules did not decide,
because none applies or because they balance, or where no column is left to name, there is no reason: such applicants
need a person, not an invented sentence.
"""

from rugcore.explanations.reasons.giving import Reason, ReasonFinder, Reasons, reasons
from rugcore.explanations.reasons.table import reasons_table
from rugcore.explanations.reasons.wording import ColumnWording, Wording

__all__ = ["ColumnWording", "Reason", "ReasonFinder", "Reasons", "Wording", "reasons", "reasons_table"]
