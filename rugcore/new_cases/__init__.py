"""Deciding on people whom the model has not seen, from a file or a form, and saying what could not be read."""

from rugcore.new_cases.deciding import NewCases, decide_new_cases

__all__ = ["NewCases", "decide_new_cases"]
