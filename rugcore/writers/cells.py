"""Cells of a CSV file that no spreadsheet takes for a formula, and back."""

# A spreadsheet takes a cell that begins so for a formula, and runs it.
FORMULA_BEGINNINGS = ("=", "+", "-", "@", "\t", "\r", "\n")
QUOTE = "'"


def harmless_cell(cell: object) -> object:
    """Text that no spreadsheet runs: a quote in front makes it text."""
    return f"{QUOTE}{cell}" if isinstance(cell, str) and cell.startswith(FORMULA_BEGINNINGS) else cell


def quoted_cell(text: str) -> str:
    """Like `harmless_cell`, for files that are read again: a quote that was there before is told from ours."""
    return f"{QUOTE}{text}" if text.startswith((*FORMULA_BEGINNINGS, QUOTE)) else text


def unquoted_cell(text: str) -> str:
    """What `quoted_cell` was given; a quote that a person typed before other letters stays."""
    is_ours = text.startswith(QUOTE) and text[1:].startswith((*FORMULA_BEGINNINGS, QUOTE))
    return text[1:] if is_ours else text
