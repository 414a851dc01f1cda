"""Deciding on people whom the model has not seen, from a file or a form, and saying what could not be read."""

from rugcore.new_cases.deciding import NewCases, decide_new_cases
from rugcore.new_cases.reading import ReadCases, read_cases

__all__ = ["NewCases", "ReadCases", "decide_new_cases", "read_cases"]
