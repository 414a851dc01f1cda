"""Tables as an Excel workbook of one sheet: numbers as numbers, all else as text, which is never run.

An .xlsx file is a zip archive of XML. These few parts are all that spreadsheets ask for (ECMA-376, part 1).
"""

import io
import math
import re
import zipfile
from collections.abc import Iterable
from numbers import Real
from typing import Any
from xml.sax.saxutils import escape

import pandas as pd

from rugcore.errors import InputError
from rugcore.tables.table import is_blank, plain_value

MOST_ROWS = 1_048_576  # of a sheet
MOST_LETTERS = 32_767  # of a cell
NOT_IN_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
LONG_AGO = (1980, 1, 1, 0, 0, 0)  # the same table is the same file, whenever it is written

HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
OFFICE = "http://schemas.openxmlformats.org"
SHEET_TYPE = f"{OFFICE}/officeDocument/2006/relationships/worksheet"
PARTS = {
    "[Content_Types].xml": (
        f'<Types xmlns="{OFFICE}/package/2006/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Override PartName="/xl/workbook.xml" '
        'ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/>'
        '<Override PartName="/xl/worksheets/sheet1.xml" '
        'ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/></Types>'
    ),
    "_rels/.rels": (
        f'<Relationships xmlns="{OFFICE}/package/2006/relationships"><Relationship Id="rId1" '
        f'Type="{OFFICE}/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>'
    ),
    "xl/workbook.xml": (
        f'<workbook xmlns="{OFFICE}/spreadsheetml/2006/main" '
        f'xmlns:r="{OFFICE}/officeDocument/2006/relationships"><sheets>'
        '<sheet name="Sheet1" sheetId="1" r:id="rId1"/></sheets></workbook>'
    ),
    "xl/_rels/workbook.xml.rels": (
        f'<Relationships xmlns="{OFFICE}/package/2006/relationships"><Relationship Id="rId1" '
        f'Type="{SHEET_TYPE}" Target="worksheets/sheet1.xml"/></Relationships>'
    ),
}


def to_xlsx(frame: pd.DataFrame) -> bytes:
    """A table as an Excel workbook; text that looks like a formula is text."""
    if len(frame) >= MOST_ROWS:
        raise InputError(f"Expected fewer than {MOST_ROWS:,} rows for a sheet, but got {len(frame):,}. Take CSV.")
    lines = [frame.columns.tolist(), *frame.astype(object).to_numpy().tolist()]
    rows = "".join(f"<row>{_cells(line)}</row>" for line in lines)
    sheet = f'<worksheet xmlns="{OFFICE}/spreadsheetml/2006/main"><sheetData>{rows}</sheetData></worksheet>'
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in {**PARTS, "xl/worksheets/sheet1.xml": sheet}.items():
            archive.writestr(zipfile.ZipInfo(name, LONG_AGO), HEAD + content, zipfile.ZIP_DEFLATED)
    return file.getvalue()


def _cells(items: Iterable[Any]) -> str:
    return "".join(_cell(plain_value(item)) for item in items)


def _cell(item: Any) -> str:
    if is_blank(item):
        return "<c/>"
    if isinstance(item, Real) and not isinstance(item, bool) and math.isfinite(item):
        return f"<c><v>{float(item)!r}</v></c>"
    text = escape(NOT_IN_XML.sub("\ufffd", str(item))[:MOST_LETTERS])
    return f'<c t="inlineStr"><is><t xml:space="preserve">{text}</t></is></c>'
