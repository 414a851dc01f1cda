"""An Excel workbook of several sheets with formulas, as the few parts of XML that spreadsheets ask for (ECMA-376)."""

import io
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from xml.sax.saxutils import escape

from rugcore.writers.workbook import HEAD, LONG_AGO, OFFICE

MAIN = f"{OFFICE}/spreadsheetml/2006/main"
KIND = "application/vnd.openxmlformats-officedocument.spreadsheetml"
PLAIN, BOLD, AS_TEXT, WRAPPED = range(4)  # places among the cell formats of STYLES
STYLES = (
    f'<styleSheet xmlns="{MAIN}"><fonts count="2"><font/><font><b/></font></fonts>'
    '<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill>'
    '</fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs>'
    '<cellXfs count="4"><xf xfId="0"/><xf xfId="0" fontId="1" applyFont="1"/>'
    '<xf xfId="0" numFmtId="49" applyNumberFormat="1"/>'
    '<xf xfId="0" applyAlignment="1"><alignment wrapText="1" vertical="top"/></xf></cellXfs>'
    '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>'
)


@dataclass(frozen=True)
class Formula:
    """What a cell works out, without the sign in front."""

    text: str


@dataclass
class Sheet:
    """Lines of cells: None, text, numbers, true/false or formulas, each with the format of its column or its own."""

    name: str
    lines: list[list[Any]] = field(default_factory=list)
    widths: Sequence[float] = ()
    text_columns: frozenset[int] = frozenset()  # numbers of columns in which what is typed stays text
    bold_lines: frozenset[int] = frozenset()
    frozen_lines: int = 0
    is_wrapped: bool = False


def letters(column: int) -> str:
    """The name of a column, counted from 0.

    >>> letters(0), letters(25), letters(26), letters(701), letters(702)
    ('A', 'Z', 'AA', 'ZZ', 'AAA')
    """
    name = ""
    column += 1
    while column:
        column, rest = divmod(column - 1, 26)
        name = chr(65 + rest) + name
    return name


def workbook(sheets: Sequence[Sheet]) -> bytes:
    """The file; formulas are worked out when it is opened."""
    numbers = range(1, len(sheets) + 1)
    parts = {
        "[Content_Types].xml": _content_types(numbers),
        "_rels/.rels": _relations(
            {"rId1": (f"{OFFICE}/officeDocument/2006/relationships/officeDocument", "xl/workbook.xml")}
        ),
        "xl/workbook.xml": _book(sheets),
        "xl/_rels/workbook.xml.rels": _relations(
            {
                f"rId{n}": (f"{OFFICE}/officeDocument/2006/relationships/worksheet", f"worksheets/sheet{n}.xml")
                for n in numbers
            }
            | {"rId0": (f"{OFFICE}/officeDocument/2006/relationships/styles", "styles.xml")}
        ),
        "xl/styles.xml": STYLES,
        **{f"xl/worksheets/sheet{n}.xml": _sheet(sheet) for n, sheet in zip(numbers, sheets, strict=True)},
    }
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(zipfile.ZipInfo(name, LONG_AGO), HEAD + content, zipfile.ZIP_DEFLATED)
    return file.getvalue()


def _content_types(numbers: range) -> str:
    kinds = {"/xl/workbook.xml": "sheet.main", "/xl/styles.xml": "styles"}
    kinds |= {f"/xl/worksheets/sheet{n}.xml": "worksheet" for n in numbers}
    overrides = "".join(f'<Override PartName="{p}" ContentType="{KIND}.{kind}+xml"/>' for p, kind in kinds.items())
    return (
        f'<Types xmlns="{OFFICE}/package/2006/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f"{overrides}</Types>"
    )


def _relations(targets: dict[str, tuple[str, str]]) -> str:
    found = "".join(f'<Relationship Id="{i}" Type="{kind}" Target="{t}"/>' for i, (kind, t) in targets.items())
    return f'<Relationships xmlns="{OFFICE}/package/2006/relationships">{found}</Relationships>'


def _book(sheets: Sequence[Sheet]) -> str:
    found = "".join(
        f'<sheet name="{escape(sheet.name)}" sheetId="{n}" r:id="rId{n}"/>' for n, sheet in enumerate(sheets, start=1)
    )
    relations = f"{OFFICE}/officeDocument/2006/relationships"
    return (
        f'<workbook xmlns="{MAIN}" xmlns:r="{relations}"><sheets>{found}</sheets>'
        '<calcPr calcId="191029" fullCalcOnLoad="1"/></workbook>'
    )


def _sheet(sheet: Sheet) -> str:
    lines = "".join(_line(sheet, number, line) for number, line in enumerate(sheet.lines, start=1))
    return f'<worksheet xmlns="{MAIN}">{_view(sheet)}{_widths(sheet)}<sheetData>{lines}</sheetData></worksheet>'


def _view(sheet: Sheet) -> str:
    if not sheet.frozen_lines:
        return ""
    pane = f'<pane ySplit="{sheet.frozen_lines}" topLeftCell="A{sheet.frozen_lines + 1}" state="frozen"/>'
    return f'<sheetViews><sheetView workbookViewId="0">{pane}</sheetView></sheetViews>'


def _widths(sheet: Sheet) -> str:
    columns = "".join(
        f'<col min="{n}" max="{n}" width="{width}" customWidth="1"'
        + (f' style="{AS_TEXT}"' if n - 1 in sheet.text_columns else "")
        + "/>"
        for n, width in enumerate(sheet.widths, start=1)
    )
    return f"<cols>{columns}</cols>" if columns else ""


def _line(sheet: Sheet, number: int, cells: list[Any]) -> str:
    found = "".join(_cell(sheet, number, column, cell) for column, cell in enumerate(cells))
    return f'<row r="{number}">{found}</row>'


def _cell(sheet: Sheet, line: int, column: int, cell: Any) -> str:
    place = f'r="{letters(column)}{line}" s="{_style(sheet, line, column)}"'
    if cell is None:
        return f"<c {place}/>"
    if isinstance(cell, Formula):
        return f"<c {place}><f>{escape(cell.text)}</f></c>"
    if isinstance(cell, bool):
        return f'<c {place} t="b"><v>{int(cell)}</v></c>'
    if isinstance(cell, int | float):
        return f"<c {place}><v>{cell!r}</v></c>"
    return f'<c {place} t="inlineStr"><is><t xml:space="preserve">{escape(cell)}</t></is></c>'


def _style(sheet: Sheet, line: int, column: int) -> int:
    if line in sheet.bold_lines:
        return BOLD
    if column in sheet.text_columns:
        return AS_TEXT
    return WRAPPED if sheet.is_wrapped else PLAIN
