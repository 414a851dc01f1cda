"""Timings and quality against peers, always as ratios within one run. Never a gate of the tests."""
