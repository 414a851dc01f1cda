"""A report as DOCX, for editing. The same report gives the same bytes."""

import io
import zipfile
from datetime import datetime
from typing import Any

from rugcore.errors import missing_package
from rugcore.report.blocks import Block, Facts, Grid, Heading, Paragraph, Picture, SignOff
from rugcore.report.document import ModelReport
from rugcore.report.formats import cell, harmless
from rugcore.report.pdf_form import to_png

PAGE_WIDTH = 17.0  # centimetres between the margins
FAINT, WARNING = (0x5B, 0x66, 0x75), (0xC2, 0x41, 0x3B)
TONES = {"faint": FAINT, "missing": FAINT, "warning": WARNING}
FONT = "Calibri"
SMALL = 8.0  # points


def to_docx(report: ModelReport) -> bytes:
    """The file."""
    writer = _Writer(_docx())
    writer.write(report)
    return _with_fixed_dates(writer.saved(), report.moment)


def _docx() -> Any:
    try:
        import docx
    except ImportError as error:
        raise missing_package("A report as PDF or DOCX", "report") from error
    return docx


def _with_fixed_dates(content: bytes, moment: datetime) -> bytes:
    """The same archive, as if every part had been written when the model was."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as given, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as made:
        for part in given.infolist():
            entry = zipfile.ZipInfo(part.filename, moment.timetuple()[:6])
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3  # Unix, wherever it was made
            made.writestr(entry, given.read(part.filename))
    return out.getvalue()


class _Writer:
    """Writes blocks one after the other."""

    def __init__(self, docx: Any) -> None:
        self._docx = docx
        self._file = docx.Document()
        self._set_up_page()

    def saved(self) -> bytes:
        out = io.BytesIO()
        self._file.save(out)
        return out.getvalue()

    def write(self, report: ModelReport) -> None:
        self._describe(report)
        self._file.add_heading(harmless(report.title), level=0)
        self._file.add_paragraph(harmless(report.subtitle))
        for place, section in enumerate(report.sections, start=1):
            self._file.add_heading(f"{place}. {harmless(section.title)}", level=1)
            for block in section.blocks:
                self._block(block)

    def _describe(self, report: ModelReport) -> None:
        own, moment = self._file.core_properties, report.moment
        own.title, own.subject = harmless(report.title)[:255], harmless(report.subtitle)[:255]
        own.author, own.comments, own.last_modified_by = "", harmless(report.mark)[:255], ""
        own.created = own.modified = moment
        own.language = "en"

    def _set_up_page(self) -> None:
        from docx.shared import Cm, Pt

        section = self._file.sections[0]
        section.page_width, section.page_height = Cm(21.0), Cm(29.7)
        section.left_margin = section.right_margin = Cm(2.0)
        section.top_margin = section.bottom_margin = Cm(2.2)
        normal = self._file.styles["Normal"]
        normal.font.name, normal.font.size = FONT, Pt(10)
        for level in ("Title", "Heading 1", "Heading 2"):
            self._file.styles[level].font.name = FONT
            self._file.styles[level].font.color.rgb = self._docx.shared.RGBColor(0x1B, 0x24, 0x30)

    def _block(self, block: Block) -> None:
        match block:
            case Heading(text):
                self._file.add_heading(harmless(text), level=2)
            case Paragraph(text, tone):
                self._paragraph(harmless(text), tone)
            case Facts(items):
                self._table([], [[name, own] for name, own in items], [0.3, 0.7], is_named=True)
            case Grid():
                self._grid(block)
            case Picture():
                self._picture(block)
            case SignOff(roles):
                lines = [[role, "", "", ""] for role in roles]
                self._table(["Role", "Name", "Date", "Signature"], lines, [0.25, 0.3, 0.15, 0.3], is_named=True)

    def _paragraph(self, text: str, tone: str) -> None:
        run = self._file.add_paragraph().add_run(text)
        if tone in TONES:
            run.font.color.rgb = self._docx.shared.RGBColor(*TONES[tone])
            run.italic = tone == "missing"

    def _caption(self, text: str) -> None:
        paragraph = self._file.add_paragraph()
        paragraph.paragraph_format.keep_with_next = True
        paragraph.add_run(harmless(text)).bold = True

    def _grid(self, block: Grid) -> None:
        self._caption(block.caption)
        total = sum(own.width for own in block.columns)
        self._table(
            [own.title for own in block.columns],
            [[cell(value, own) for value, own in zip(row, block.columns, strict=True)] for row in block.rows],
            [own.width / total for own in block.columns],
            numbers=[own.kind != "text" for own in block.columns],
        )

    def _table(
        self,
        titles: list[str],
        lines: list[list[str]],
        widths: list[float],
        *,
        numbers: list[bool] | None = None,
        is_named: bool = False,
    ) -> None:
        """Written as XML at once: python-docx looks every cell up again, which takes minutes on a long table."""
        table = self._file.add_table(rows=0, cols=len(widths))
        table.style = "Table Grid"
        table.autofit = False
        table._tblPr.append(self._docx.oxml.parse_xml(NARROW_CELLS))
        right = numbers or [False] * len(widths)
        body = [_row_xml(line, widths, right, is_bold=[is_named, *[False] * len(widths)]) for line in lines]
        head = [_row_xml(titles, widths, right, is_bold=[True] * len(widths), is_head=True)] if titles else []
        for row in [*head, *body]:
            table._tbl.append(self._docx.oxml.parse_xml(row))
        for column, width in zip(table.columns, widths, strict=True):
            column.width = self._docx.shared.Cm(PAGE_WIDTH * width)
        behind = self._file.add_paragraph().paragraph_format  # Word needs one; as a full line it may fill a page alone
        behind.space_after, behind.line_spacing = self._docx.shared.Pt(2), self._docx.shared.Pt(6)

    def _picture(self, block: Picture) -> None:
        from docx.shared import Cm

        self._caption(block.title)
        shape = self._file.add_picture(io.BytesIO(to_png(block)), width=Cm(PAGE_WIDTH * 0.92))
        shape._inline.docPr.set("descr", harmless(block.alt))


NAMESPACE = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
NARROW_CELLS = (
    f'<w:tblCellMar xmlns:w="{NAMESPACE}"><w:left w:w="50" w:type="dxa"/>'
    '<w:right w:w="50" w:type="dxa"/></w:tblCellMar>'
)
TWENTIETHS_PER_CM = 1440 / 2.54


def _row_xml(
    texts: list[str], widths: list[float], right: list[bool], *, is_bold: list[bool], is_head: bool = False
) -> str:
    mark = "<w:tblHeader/>" if is_head else ""
    cells = "".join(
        _cell_xml(own, width, is_right, bold)
        for own, width, is_right, bold in zip(texts, widths, right, is_bold, strict=False)
    )
    return f'<w:tr xmlns:w="{NAMESPACE}"><w:trPr><w:cantSplit/>{mark}</w:trPr>{cells}</w:tr>'


def _cell_xml(text: str, width: float, is_right: bool, is_bold: bool) -> str:
    from xml.sax.saxutils import escape

    size = f'<w:sz w:val="{2 * SMALL:.0f}"/>'
    bold = "<w:b/>" if is_bold else ""
    side = '<w:jc w:val="right"/>' if is_right else ""
    twentieths = PAGE_WIDTH * width * TWENTIETHS_PER_CM
    return (
        f'<w:tc><w:tcPr><w:tcW w:w="{twentieths:.0f}" w:type="dxa"/></w:tcPr><w:p><w:pPr><w:spacing w:before="20" '
        f'w:after="20"/>{side}</w:pPr><w:r><w:rPr>{bold}{size}</w:rPr><w:t xml:space="preserve">'
        f"{escape(harmless(text))}</w:t></w:r></w:p></w:tc>"
    )
