"""What parity between groups means, defined once: training bounds it, the audit measures it. Nothing here learns."""

from rugcore.fairness.audit import Audit, audit, error_rates, fairness_report, group_report
from rugcore.fairness.borrowing import borrowed_rates
from rugcore.fairness.group_names import BETWEEN, clear_names
from rugcore.fairness.groups import Groups, read_groups
from rugcore.fairness.intervals import wilson
from rugcore.fairness.measures import FOUR_FIFTHS, GROUP_RATES, SelectionParity
from rugcore.fairness.metrics import demographic_parity_gap, equal_opportunity_gap, error_rate_gap
from rugcore.fairness.notions import NOTIONS, Notion, is_in_their_favour, notion_of
from rugcore.fairness.parity import ROUNDING, Cells, Contrast, Parity, Rate, cell_numbers, parity, tally_of
from rugcore.fairness.rule_gaps import rule_gaps, rule_gaps_for
from rugcore.fairness.sentences import clear_ratio, selected_counts
from rugcore.fairness.stand_ins import stand_ins

__all__ = [
    "BETWEEN",
    "FOUR_FIFTHS",
    "GROUP_RATES",
    "NOTIONS",
    "ROUNDING",
    "Audit",
    "Cells",
    "Contrast",
    "Groups",
    "Notion",
    "Parity",
    "Rate",
    "SelectionParity",
    "audit",
    "borrowed_rates",
    "cell_numbers",
    "clear_names",
    "clear_ratio",
    "demographic_parity_gap",
    "equal_opportunity_gap",
    "error_rate_gap",
    "error_rates",
    "fairness_report",
    "group_report",
    "is_in_their_favour",
    "notion_of",
    "parity",
    "read_groups",
    "rule_gaps",
    "rule_gaps_for",
    "selected_counts",
    "stand_ins",
    "tally_of",
    "wilson",
]
