"""The nearest changes that flip a decision, found from the rules themselves.

A rule sees of a number only between which thresholds it lies, and of a category only whether it is one of those named.
So every column falls into a few segments within which nothing changes, and trying every segment of up to three columns
is an exact search over all values. Of each segment only the value nearest to the present one can be in a best answer.

Answers are ordered by the number of columns, then by cost. A number costs the share of training people between its
present value and the new one; a category, or a cell that becomes blank or known, costs 1. What takes more effort, such
as to earn more, costs a multiple of that (`Limit.effort`): a ratio of loan to income comes down through the loan first.

Only what somebody has is proposed: numbers and categories that occur in training, no special code, and combinations
that some of the people who are most alike otherwise have. Numbers keep a little away from thresholds where there is
room. Nothing is proposed that would leave the decision uncertain, or that cannot be: see `carrying_out`.
"""

from rugcore.explanations.counterfactuals.finder import FlipFinder, nearest_flips
from rugcore.explanations.counterfactuals.limits import Limit
from rugcore.explanations.counterfactuals.result import Change, Flip, Flips
from rugcore.explanations.people import ColumnProfile, column_profiles

__all__ = ["Change", "ColumnProfile", "Flip", "FlipFinder", "Flips", "Limit", "column_profiles", "nearest_flips"]
