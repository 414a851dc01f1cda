"""One applicant at a time: the decision, its reasons, and what would change it."""
