"""What parity between groups means, defined once: training bounds it, the audit measures it. Nothing here learns."""

from rugcore.fairness.audit import Audit, audit, error_rates, fairness_report, group_report
from rugcore.fairness.groups import Groups, read_groups
from rugcore.fairness.measures import FOUR_FIFTHS, GROUP_RATES, SelectionParity
from rugcore.fairness.notions import (
    NOTIONS,
    ROUNDING,
    Cells,
    Contrast,
    Parity,
    Rate,
    cell_numbers,
    check_notion,
    parity,
)
from rugcore.fairness.sentences import clear_ratio, selected_counts

__all__ = [
    "FOUR_FIFTHS",
    "GROUP_RATES",
    "NOTIONS",
    "ROUNDING",
    "Audit",
    "Cells",
    "Contrast",
    "Groups",
    "Parity",
    "Rate",
    "SelectionParity",
    "audit",
    "cell_numbers",
    "check_notion",
    "clear_ratio",
    "error_rates",
    "fairness_report",
    "group_report",
    "parity",
    "read_groups",
    "selected_counts",
]
