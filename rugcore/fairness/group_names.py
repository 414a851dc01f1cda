"""What groups are called where people read: "yes" says nothing without the name of its column."""

from collections.abc import Collection

from rugcore.fairness.groups import BLANK

BETWEEN = " / "  # the parts of a group that is a combination
# Values that say nothing without the name of their column, as does anything with fewer than two letters.
BARE = {"yes", "no", "true", "false", BLANK, "(blank)"}  # as the dashboard calls a blank


def clear_names(names: Collection[str], attribute: str) -> dict[str, str]:
    """By the value or values in the data: what a group is called. If one needs the name of its column, all have it."""
    prefix = f"{attribute}: " if any(says_little(name) for name in names) else ""
    return {name: f"{prefix}{name}" for name in names}


def says_little(name: str) -> bool:
    """Of a combination: if each of its parts does."""
    return all(part.lower() in BARE or sum(map(str.isalpha, part)) < 2 for part in name.split(BETWEEN))
