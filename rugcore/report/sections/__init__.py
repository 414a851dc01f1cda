"""The chapters of a report: each is a function from the evidence to blocks."""
