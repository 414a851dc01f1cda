"""Rules that people veto, lock, edit or write: a new solve of the linear program, never a weight set by hand."""

from rugcore.governance.changes import RuleChanges, RuleGovernance, governance_of, read_changes
from rugcore.governance.governing import governed_pool
from rugcore.governance.rows import PoolRows
from rugcore.governance.writing import written_rule

__all__ = [
    "PoolRows",
    "RuleChanges",
    "RuleGovernance",
    "governance_of",
    "governed_pool",
    "read_changes",
    "written_rule",
]
