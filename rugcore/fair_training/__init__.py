"""Learning towards parity between groups: the paper's constraint, realised parity, and what fairness costs."""
