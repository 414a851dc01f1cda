"""Does a model still hold? Newer people against those it was made from: columns, rules, decisions, mistakes, groups."""

from rugcore.monitoring.drift import LARGE_SHIFT, SHIFT, column_drift
from rugcore.monitoring.files import monitoring_from_json, monitoring_to_json
from rugcore.monitoring.monitoring import CONFIDENCE, Monitoring, Period, monitor
from rugcore.monitoring.sentences import NO_RULE, RIGHT, TIE, WORTH_A_LOOK

__all__ = [
    "CONFIDENCE",
    "LARGE_SHIFT",
    "NO_RULE",
    "RIGHT",
    "SHIFT",
    "TIE",
    "WORTH_A_LOOK",
    "Monitoring",
    "Period",
    "column_drift",
    "monitor",
    "monitoring_from_json",
    "monitoring_to_json",
]
