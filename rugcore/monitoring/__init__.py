"""Does a model still hold? Newer people against those it was made from: columns, rules, decisions, mistakes, groups."""

from rugcore.monitoring.drift import column_drift
from rugcore.monitoring.monitoring import Monitoring, Period, monitor

__all__ = ["Monitoring", "Period", "column_drift", "monitor"]
