"""What parity between groups means, defined once: training bounds it, the audit measures it. Nothing here learns."""

from rugcore.fairness.audit import Audit, audit, error_rates, fairness_report, group_report
from rugcore.fairness.groups import Groups, read_groups
from rugcore.fairness.measures import SelectionParity
from rugcore.fairness.notions import NOTIONS, Notion, notion_of
from rugcore.fairness.parity import Cells, Contrast, Parity, Rate, cell_numbers, parity

__all__ = [
    "NOTIONS",
    "Audit",
    "Cells",
    "Contrast",
    "Groups",
    "Notion",
    "Parity",
    "Rate",
    "SelectionParity",
    "audit",
    "cell_numbers",
    "error_rates",
    "fairness_report",
    "group_report",
    "notion_of",
    "parity",
    "read_groups",
]
