"""What parity between groups means, defined once: the linear program bounds it, the audit measures it."""
