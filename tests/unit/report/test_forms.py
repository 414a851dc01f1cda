"""PDF, HTML and DOCX from report.json alone: the same bytes every time, and names from strangers inert."""

import io
import json
import re
import subprocess
import sys
import zipfile
from dataclasses import replace
from html.parser import HTMLParser
from xml.etree import ElementTree

import pikepdf
import pytest

from rugcore.errors import InputError
from rugcore.report import Column, Facts, Grid, ModelReport, Paragraph, Picture, Section, to_docx, to_html, to_pdf
from rugcore.report.blocks import ChartMark, Heading, SignOff
from rugcore.report.formats import harmless
from rugcore.report.pdf_form import _Writer
from tests.unit.report.reports import HOSTILE, NASTY, hostile, mortgage_report

WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
MARGIN = 20 / 25.4 * 72  # points, of the pages
PDF_UA = "{http://www.aiim.org/pdfua/ns/id/}part"


def words_in_docx(content: bytes) -> str:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        root = ElementTree.fromstring(archive.read("word/document.xml"))
    return "\n".join(node.text or "" for node in root.iter(f"{WORD}t"))


def letters_in_pdf(content: bytes) -> str:
    """All text, read back through the fonts' own tables of letters, without blanks."""
    found = []
    with pikepdf.open(io.BytesIO(content)) as file:
        for page in file.pages:
            tables = {name: _letters_of(font) for name, font in page.Resources.Font.items()}
            font: dict[int, str] = {}
            for operands, operator in pikepdf.parse_content_stream(page):
                if str(operator) == "Tf":
                    font = tables[str(operands[0])]
                elif str(operator) == "TJ":
                    found += [_read(bytes(part), font) for part in operands[0] if isinstance(part, pikepdf.String)]
                elif str(operator) == "Tj":
                    found.append(_read(bytes(operands[0]), font))
    return re.sub(r"[\s\u200b]", "", "".join(found))


def _letters_of(font: pikepdf.Object) -> dict[int, str]:
    text = font.ToUnicode.read_bytes().decode("ascii")
    pairs = [
        pair
        for block in re.findall(r"beginbfchar(.*?)endbfchar", text, re.S)
        for pair in re.findall(r"<(\w+)>\s*<(\w+)>", block)
    ]
    return {int(code, 16): bytes.fromhex(letters).decode("utf-16-be") for code, letters in pairs}


def _read(codes: bytes, font: dict[int, str]) -> str:
    return "".join(font.get(int.from_bytes(codes[n : n + 2], "big"), "") for n in range(0, len(codes), 2))


# -- the same bytes ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("write", [to_pdf, to_html, to_docx])
def test_the_same_report_gives_the_same_bytes_also_in_another_process(write, tmp_path) -> None:
    text = mortgage_report().to_json()
    (tmp_path / "report.json").write_text(text, encoding="utf-8")
    program = (
        f"import sys, hashlib, pathlib; from rugcore.report import ModelReport, {write.__name__}; "
        f"made = {write.__name__}(ModelReport.from_json(pathlib.Path(sys.argv[1]).read_text(encoding='utf-8'))); "
        "print(hashlib.sha256(made.encode() if isinstance(made, str) else made).hexdigest())"
    )
    done = [
        subprocess.run(
            [sys.executable, "-c", program, str(tmp_path / "report.json")], capture_output=True, text=True, check=True
        ).stdout
        for _ in range(2)
    ]
    assert done[0] == done[1]


# -- PDF ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("report", [mortgage_report, hostile], ids=["mortgages", "hostile"])
def test_the_pdf_is_what_it_claims_to_be(report) -> None:
    """PDF/A-2a and PDF/UA-1 as far as it can be seen without a validator of its own: typst refuses what breaks them."""
    with pikepdf.open(io.BytesIO(to_pdf(report()))) as file:
        assert file.check_pdf_syntax() == []
        with file.open_metadata() as metadata:
            assert metadata.pdfa_status == "2A"
            assert metadata[PDF_UA] == "1"
            assert metadata["dc:title"]
        assert file.Root.MarkInfo.Marked
        assert str(file.Root.Lang) == "en"
        assert file.Root.ViewerPreferences.DisplayDocTitle
        assert "/OutputIntents" in file.Root
        assert "/JavaScript" not in file.Root.get("/Names", {})
        assert "/OpenAction" not in file.Root
        assert not file.is_encrypted
        for page in file.pages:
            for font in page.Resources.Font.values():
                descriptor = font.DescendantFonts[0].FontDescriptor
                assert {"/FontFile2", "/FontFile3"} & set(descriptor.keys()), "every font is inside the file"
        tags = [str(tag) for tag in _tags(file.Root.StructTreeRoot)]
    assert {"/H1", "/H2", "/P", "/Table", "/THead", "/TH", "/TD", "/Figure"} <= set(tags)


def _tags(node):
    if "/S" in node:
        yield node.S
    children = node.get("/K", [])
    for child in children if isinstance(children, pikepdf.Array) else [children]:
        if isinstance(child, pikepdf.Dictionary):
            yield from _tags(child)


def test_figures_have_words_for_whoever_cannot_see_them() -> None:
    with pikepdf.open(io.BytesIO(to_pdf(mortgage_report()))) as file:
        figures = [node for node in _nodes(file.Root.StructTreeRoot) if str(node.get("/S")) == "/Figure"]
        assert len(figures) >= 4
        assert all(str(figure.get("/Alt", "")) for figure in figures)


def _nodes(node):
    yield node
    children = node.get("/K", [])
    for child in children if isinstance(children, pikepdf.Array) else [children]:
        if isinstance(child, pikepdf.Dictionary):
            yield from _nodes(child)


def long_table(n_rows: int) -> ModelReport:
    columns = (Column("Name of the line"), Column("Amount", "number"))
    rows = tuple((f"line {number}", float(number)) for number in range(n_rows))
    return ModelReport("Long", "", "", "", (Section("rules", "Rules", (Grid("Many", columns, rows),)),))


def test_a_table_that_breaks_over_pages_repeats_its_header() -> None:
    content = to_pdf(long_table(200))
    with pikepdf.open(io.BytesIO(content)) as file:
        n_pages = len(file.pages)
    assert n_pages >= 4
    assert letters_in_pdf(content).count("Nameoftheline") == n_pages - 1  # all but the first page


def test_long_words_stay_on_the_page() -> None:
    """A word that nobody could break would be drawn beyond the edge of its column."""
    word = "W" * 400
    blocks = (
        Paragraph(word),
        Grid("Wide", (Column(word), Column(word), Column("x", "count", 0.2)), ((word, word, 1),)),
    )
    report = ModelReport(word, word, "", "", (Section("rules", word, blocks),))
    content = to_pdf(report)
    with pikepdf.open(io.BytesIO(content)) as file:
        width = float(file.pages[0].MediaBox[2])
        ends = [end for page in file.pages for end in _ends_of_lines(page)]
    assert max(ends) < width - MARGIN + 1
    assert min(ends) > MARGIN
    assert letters_in_pdf(content).count("W") > 400 * 4


def test_words_that_fit_stay_whole() -> None:
    """A word with places to break in it cannot be searched for, and is read out letter by letter."""
    report = ModelReport.from_json(mortgage_report().to_json())
    for title in ("Training", "Weight", "coefficients", "African-American"):
        table = Grid("Many", tuple(Column(f"{title} {n}", width=1) for n in range(6)), ((title,) * 6,))
        report = replace(report, sections=(*report.sections, Section("x", title, (table,))))
    written = json.dumps(_Writer(()).content(report), ensure_ascii=False)
    assert "\u200b" not in written.replace("\u200b".join("ab" * 32), "")  # wider than a hash ever is


def _ends_of_lines(page) -> list[float]:
    """How far every piece of text goes, in points from the left, by the widths that its font tells."""
    fonts = {name: _widths_of(font.DescendantFonts[0]) for name, font in page.Resources.Font.items()}
    ends, moves, x, size, widths = [], [(1.0, 0.0)], 0.0, 10.0, {}
    for operands, operator in pikepdf.parse_content_stream(page):
        name = str(operator)
        if name == "q":
            moves.append(moves[-1])
        elif name == "Q":
            moves.pop()
        elif name == "cm":
            scale, shift = moves[-1]
            moves[-1] = (scale * float(operands[0]), shift + scale * float(operands[4]))
        elif name == "Tf":
            widths, size = fonts[str(operands[0])], float(operands[1])
        elif name == "Tm":
            x = float(operands[4])
        elif name in ("TJ", "Tj"):
            parts = operands[0] if name == "TJ" else [operands[0]]
            ends.append(moves[-1][1] + moves[-1][0] * (x + size / 1000 * sum(_width(part, widths) for part in parts)))
    return ends


def _widths_of(font) -> dict[int, float]:
    widths, entries = {}, list(font.W)
    while entries:
        first, own = int(entries[0]), entries[1]
        if isinstance(own, pikepdf.Array):
            widths |= {first + place: float(width) for place, width in enumerate(own)}
            entries = entries[2:]
        else:
            widths |= dict.fromkeys(range(first, int(own) + 1), float(entries[2]))
            entries = entries[3:]
    return widths


def _width(part, widths: dict[int, float]) -> float:
    if not isinstance(part, pikepdf.String):
        return -float(part)
    codes = bytes(part)
    return sum(widths.get(int.from_bytes(codes[n : n + 2], "big"), 1000.0) for n in range(0, len(codes), 2))


def test_letters_that_no_font_has_are_told_by_their_number() -> None:
    report = ModelReport("中", "", "", "", (Section("rules", "Rules", (Paragraph("a 😀 b"),)),))
    letters = letters_in_pdf(to_pdf(report))
    assert "[U+4E2D]" in letters
    assert "a[U+1F600]b" in letters
    assert "arewrittenastheirUnicodenumber" in letters


# -- names from strangers ----------------------------------------------------------------------------------


def test_hostile_names_are_inert_in_pdf() -> None:
    content = to_pdf(hostile())
    letters = letters_in_pdf(content)
    assert "<script>alert(1)</script>" in letters
    assert '#import"@preview/evil:1.0.0":*#panic("typst")$x$*bold*_it_`raw`@label<tag>' in letters
    assert '=HYPERLINK("http://example.invalid";"x")' in letters
    with pikepdf.open(io.BytesIO(content)) as file:
        assert not [page for page in file.pages for note in page.get("/Annots", []) if "/URI" in note.get("/A", {})]


class _Reader(HTMLParser):
    """What a browser would see: elements with their attributes, and the text outside of them."""

    def __init__(self) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []

    def handle_starttag(self, tag, attrs) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data) -> None:
        self.text.append(data)


def test_hostile_names_are_inert_in_html() -> None:
    reader = _Reader()
    reader.feed(to_html(hostile()))
    tags = {tag for tag, _ in reader.elements}
    assert not tags & {"script", "img", "b", "iframe", "link", "object", "tag"}
    assert not [name for _, attributes in reader.elements for name in attributes if name.startswith("on")]
    addresses = [
        own for _, attributes in reader.elements for name, own in attributes.items() if name in ("href", "src")
    ]
    assert addresses
    assert all(own is not None and own.startswith("#") for own in addresses), "the file opens without a network"
    text = "".join(reader.text)
    for name in HOSTILE:
        assert harmless(name) in text
    assert not re.search("[\u202a-\u202e\u2066-\u2069]", text)


def test_hostile_names_are_inert_in_docx() -> None:
    content = to_docx(hostile())
    text = words_in_docx(content)
    for name in HOSTILE:
        assert harmless(name) in text
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    document = ElementTree.fromstring(parts["word/document.xml"])
    assert not {node.tag.removeprefix(WORD) for node in document.iter()} & {
        "hyperlink",
        "fldSimple",
        "instrText",
        "object",
    }
    assert b"TargetMode" not in parts["word/_rels/document.xml.rels"], "nothing outside of the file"
    assert not [name for name in parts if "vba" in name.lower() or "macro" in name.lower()]


def nasty(name: str) -> ModelReport:
    """A name at every place where a report shows words."""
    chart = Picture("bars", name, name, "number", (ChartMark(name, name, 1.0),), name, name, colours={name: "#0f9a76"})
    blocks = (
        Heading(name),
        Paragraph(name),
        Paragraph(name, "warning"),
        Facts(((name, name),)),
        Grid(name, tuple(Column(name, width=width) for width in (0.3, 2.0)), ((name, name),)),
        chart,
        replace(chart, kind="curve", marks=(ChartMark(name, name, 0.1, height=0.2),)),
        SignOff((name,)),
    )
    return ModelReport(name, name, "", name, (Section("x", name, blocks),))


@pytest.mark.parametrize("name", NASTY, ids=["300 letters", "right to left", "emoji", "fields", "controls"])
def test_nasty_names_are_inert_and_stay_on_the_page(name: str) -> None:
    report = nasty(name)
    content = to_pdf(report)
    with pikepdf.open(io.BytesIO(content)) as file:
        notes = [note for page in file.pages for note in page.get("/Annots", [])]
        assert not [note for note in notes if "/URI" in note.get("/A", {})]
        assert max(end for page in file.pages for end in _ends_of_lines(page)) < 595.28 - MARGIN + 1
    reader = _Reader()
    reader.feed(html := to_html(report))
    assert not {tag for tag, _ in reader.elements} & {"script", "img", "b", "iframe", "link", "object"}
    assert not [key for _, attributes in reader.elements for key in attributes if key.startswith("on")]
    assert html.count("</style>") == html.count("</title>") == 1
    assert harmless(name) in "".join(reader.text)
    docx = to_docx(report)
    assert harmless(name) in words_in_docx(docx)
    with zipfile.ZipFile(io.BytesIO(docx)) as archive:
        parts = {part: archive.read(part) for part in archive.namelist() if part.endswith(".xml")}
    tags = {node.tag.removeprefix(WORD) for node in ElementTree.fromstring(parts["word/document.xml"]).iter()}
    assert not tags & {"hyperlink", "fldSimple", "instrText", "object"}
    for text in (html, *(part.decode() for part in parts.values())):
        assert not re.search("[\x00-\x08\x0b\x0e-\x1f\x85\u2028\u202a-\u202e\u2066-\u2069]", text)


def test_tables_of_the_docx_repeat_their_headers_and_charts_have_words() -> None:
    with zipfile.ZipFile(io.BytesIO(to_docx(mortgage_report()))) as archive:
        document = archive.read("word/document.xml").decode()
        pictures = [name for name in archive.namelist() if name.startswith("word/media/")]
    n_tables = sum(isinstance(block, Grid) for section in mortgage_report().sections for block in section.blocks)
    assert document.count("<w:tblHeader") == n_tables + 1  # and that of the lines to sign
    assert len(pictures) >= 4
    assert document.count('descr="') >= len(pictures)


# -- missing packages, damaged files -----------------------------------------------------------------------


@pytest.mark.parametrize(("package", "write"), [("typst", to_pdf), ("font_source_sans_pro", to_pdf), ("docx", to_docx)])
def test_a_missing_package_is_asked_for_in_one_sentence(package, write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ImportError, match=r"needs more packages: pip install 'rug-dashboard\[report\]'$"):
        write(long_table(1))


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", '{"format": "rug-report", "version": 2}', '{"format": "rug-report", "version": 1, "title": 3}'],
)
def test_anything_else_than_a_report_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="Expected a report"):
        ModelReport.from_json(text)
