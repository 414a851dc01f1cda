"""The nearest changes that flip a decision, found from the rules themselves.

A rule sees of a number only between which thresholds it lies, and of a category only whether it is one of those named.
So every column falls into a few segments within which nothing changes, and trying every segment of up to three columns
is an exact search over all values. Of each segment only the value nearest to the present one can be in a best answer.

Answers are ordered by the number of columns, then by cost. A number costs its change divided by the standard deviation
of its column in training; a category, or a cell that becomes blank or known, costs 1.
"""

from rugcore.explanations.counterfactuals.finder import FlipFinder, nearest_flips
from rugcore.explanations.counterfactuals.limits import Limit
from rugcore.explanations.counterfactuals.profiles import ColumnProfile, column_profiles
from rugcore.explanations.counterfactuals.result import Change, Flip, Flips

__all__ = ["Change", "ColumnProfile", "Flip", "FlipFinder", "Flips", "Limit", "column_profiles", "nearest_flips"]
