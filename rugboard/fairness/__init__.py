"""How groups fare under each model, how sure that is, and what more fairness would cost."""
