"""One training run, from checked rows to a pool of weighted rules."""
