"""Tables as files that people open in a spreadsheet: nothing in them is run as a formula."""

from rugcore.writers.cells import harmless_cell, quoted_cell, unquoted_cell
from rugcore.writers.delimited import to_csv
from rugcore.writers.workbook import to_xlsx

__all__ = ["harmless_cell", "quoted_cell", "to_csv", "to_xlsx", "unquoted_cell"]
