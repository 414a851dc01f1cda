"""What parity between groups means, defined once: training bounds it, the audit measures it. Nothing here learns."""

from rugcore.fairness.audit import Audit, audit, error_rates, fairness_report, group_report
from rugcore.fairness.groups import Groups, read_groups
from rugcore.fairness.measures import SelectionParity
from rugcore.fairness.metrics import demographic_parity_gap, equal_opportunity_gap, error_rate_gap
from rugcore.fairness.notions import Cells, Contrast, Parity, Rate, cell_numbers, check_notion, parity

__all__ = [
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
    "demographic_parity_gap",
    "equal_opportunity_gap",
    "error_rate_gap",
    "error_rates",
    "fairness_report",
    "group_report",
    "parity",
    "read_groups",
]
