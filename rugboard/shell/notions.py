"""The notions of fairness, as the pages call them: in the engine's own words."""

from rugcore.fairness import NOTIONS

NOTION_NAMES = {name: notion.title for name, notion in NOTIONS.items()}
NOTION_CODES = tuple(NOTION_NAMES)
NOTION_HELP = {name: notion.explanation for name, notion in NOTIONS.items()}
