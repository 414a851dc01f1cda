"""A report as PDF: typst sets the pages from `template.typ`. Tagged, PDF/A-2a and PDF/UA-1, the same bytes every time.

The fonts come from packages, never from the machine, so that a report looks the same everywhere. Letters that no font
has are written as their number, such as [U+4E2D]: a name is never dropped or shown as an empty box.
"""

import json
from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import UTC
from pathlib import Path
from types import ModuleType
from typing import Any

from rugcore.errors import InputError, missing_package
from rugcore.report.blocks import Block, ChartMark, Facts, Grid, Heading, Paragraph, Picture, SignOff
from rugcore.report.document import ModelReport
from rugcore.report.drawing import svg
from rugcore.report.formats import cell, harmless

STANDARDS = ("a-2a", "ua-1")
TEMPLATE = Path(__file__).with_name("template.typ")
# Rooms are in ems of the letters that stand there, at the widths of `template.typ`; a longer word may break anywhere.
LINE_ROOM = 47.0
TABLE_ROOM, CELL_INSET = 56.5, 1.0
SECTION_ROOM, HEADING_ROOM, TITLE_ROOM = 26.0, 40.0, 18.5
NAME_ROOM, FACT_ROOM = 14.9, 36.5
# Widths of the letters of Source Sans Pro, regular or semibold, in ems, rounded up. None is cut short by it.
WIDTHS = {
    letter: width
    for width, letters in {
        0.2: " \u00a0",
        0.3: "',.:;Iijl|",
        0.35: "!()-/[\\]f{}",
        0.4: "rt",
        0.45: "*?sz",
        0.5: '"J_cvxy',
        0.55: "#$+0123456789<=>EFLSTVXYZ^`aegko~",
        0.6: "ABCKPRbdhnpqu",
        0.7: "&DGHNOQU",
        0.75: "Mw",
        0.85: "%Wm",
        0.9: "@",
    }.items()
    for letter in letters
}
WIDEST = max(WIDTHS.values())
LONG_FACTS = 2_500  # letters; shorter ones are kept on one page
SHORT_TABLE = 12  # lines; so few are kept on one page
LONG_CELL = 800  # letters; the lines of a table that hold more may break over two pages
ZERO_WIDTH_SPACE = "\u200b"
LONGEST_HEADER = 90  # letters of the title that stand on every page
PIXELS_PER_INCH = 200.0  # of charts where vector graphics cannot be had

PROBE = b"""#set document(title: "probe")
#set text(font: ("Source Sans Pro", "DejaVu Sans Mono", "Libertinus Serif"), lang: "en")
#for letter in json(bytes(sys.inputs.letters)) [#text(letter) ]
"""
CHART = b"""#set page(width: auto, height: auto, margin: 0pt)
#image(bytes(sys.inputs.svg), format: "svg", width: 480pt)
"""
LACKING_NOTE = "Letters that the fonts of this file lack are written as their Unicode number, such as [U+4E2D]."


def to_pdf(report: ModelReport) -> bytes:
    """The file; the same report gives the same bytes with the same version of typst."""
    compile_ = _compiler()
    lacking = lacking_letters(_letters(report.to_json()), compile_)
    content = _Writer(lacking).content(report)
    made: bytes = compile_(
        TEMPLATE.read_bytes(),
        sys_inputs={"report": json.dumps(content, ensure_ascii=False)},
        pdf_standards=list(STANDARDS),
        timestamp=int(report.moment.replace(tzinfo=UTC).timestamp()),
    )
    return made


def to_png(picture: Picture) -> bytes:
    """A chart as pixels, for formats that take no vector graphics."""
    compile_ = _compiler()
    texts = [picture.title, picture.axis, picture.height_axis, *(f"{own.label}{own.series}" for own in picture.marks)]
    lacking = lacking_letters(_letters("".join(texts)), compile_)
    drawn = svg(_Writer(lacking).picture(picture))
    made: bytes = compile_(CHART, sys_inputs={"svg": drawn}, format="png", ppi=PIXELS_PER_INCH)
    return made


# -- typst -------------------------------------------------------------------------------------------------


def _compiler() -> Callable[..., Any]:
    """`typst.compile` that looks at no font of the machine."""
    typst, fonts = _packages()

    def compile_(source: bytes, **options: Any) -> Any:
        return typst.compile(source, ignore_system_fonts=True, font_paths=[fonts], **options)

    return compile_


def _packages() -> tuple[ModuleType, str]:
    try:
        import font_source_sans_pro
        import typst
    except ImportError as error:
        raise missing_package("A report as PDF or DOCX", "report") from error
    return typst, str(Path(font_source_sans_pro.__file__).with_name("files"))


def _letters(text: str) -> list[str]:
    """Those that a font might lack."""
    return sorted({letter for letter in text if not letter.isascii() and letter.isprintable()})


def lacking_letters(letters: list[str], compile_: Callable[..., Any]) -> frozenset[str]:
    """Which of them no font has: typst refuses them all in one go, each by name."""
    from typst import TypstError

    if not letters:
        return frozenset()
    try:
        compile_(PROBE, sys_inputs={"letters": json.dumps(letters)}, pdf_standards=["a-2u"])
    except TypstError as error:
        found = frozenset(letter for letter in letters if any(form in error.diagnostic for form in _quoted(letter)))
        if not found:
            raise InputError(f"The report cannot be set as PDF: {error.message}") from error
        return found | lacking_letters([letter for letter in letters if letter not in found], compile_)
    return frozenset()


def _quoted(letter: str) -> tuple[str, str]:
    """As typst writes it in a message: as it is, or by its number."""
    return f'`"{letter}"`', f'`"\\u{{{ord(letter):x}}}"`'


# -- words and numbers into what the template reads --------------------------------------------------------


class _Writer:
    """Puts a report into strings that typst can show."""

    def __init__(self, lacking: Iterable[str]) -> None:
        self._numbers = {ord(letter): f"[U+{ord(letter):04X}]" for letter in lacking}

    def content(self, report: ModelReport) -> dict[str, Any]:
        parts = ("year", "month", "day", "hour", "minute", "second")
        return {
            "title": self.text(report.title, TITLE_ROOM),
            "short_title": self.text(_brief(harmless(report.title))),
            "subtitle": self.text(report.subtitle),
            "model_mark": self.text(report.mark),
            "date": {part: getattr(report.moment, part) for part in parts},
            "day": f"Model of {report.moment.day} {report.moment:%B %Y}" if report.date else "",
            "notes": [LACKING_NOTE] if self._numbers else [],
            "sections": [
                {"title": self.text(own.title, SECTION_ROOM), "blocks": [self.block(block) for block in own.blocks]}
                for own in report.sections
            ],
        }

    def block(self, block: Block) -> dict[str, Any]:
        match block:
            case Heading(text):
                return {"type": "heading", "text": self.text(text, HEADING_ROOM)}
            case Paragraph(text, tone):
                return {"type": "paragraph", "text": self.text(text), "tone": tone}
            case Facts(items):
                return self._facts(items)
            case Grid():
                return self._grid(block)
            case Picture():
                return {
                    "type": "chart",
                    "title": self.text(block.title),
                    "alt": self.text(block.alt),
                    "svg": svg(self.picture(block)),
                }
            case SignOff(roles):
                return {"type": "sign-off", "roles": [self.text(role) for role in roles]}

    def _facts(self, items: tuple[tuple[str, str], ...]) -> dict[str, Any]:
        shown = [[self.text(name, NAME_ROOM), self.text(own, FACT_ROOM)] for name, own in items]
        return {"type": "facts", "items": shown, "is_long": sum(len(own) for _, own in items) > LONG_FACTS}

    def _grid(self, block: Grid) -> dict[str, Any]:
        total = sum(own.width for own in block.columns)
        columns = [(own, TABLE_ROOM * own.width / total - CELL_INSET) for own in block.columns]
        longest = max((len(value) for row in block.rows for value in row if isinstance(value, str)), default=0)
        return {
            "type": "table",
            "caption": self.text(block.caption),
            "columns": [
                {"title": self.text(own.title, room), "kind": own.kind, "width": own.width} for own, room in columns
            ],
            "rows": [
                [self.text(cell(value, own), room) for value, (own, room) in zip(row, columns, strict=True)]
                for row in block.rows
            ],
            "is_short": len(block.rows) <= SHORT_TABLE and longest <= LONG_CELL,
            "breaks_lines": longest > LONG_CELL,
        }

    def picture(self, block: Picture) -> Picture:
        """With words that fonts have; a chart breaks its lines itself."""
        plain = self._plain
        return replace(
            block,
            alt=plain(block.alt),
            axis=plain(block.axis),
            height_axis=plain(block.height_axis),
            marks=tuple(self._mark(own) for own in block.marks),
            colours={plain(name): colour for name, colour in block.colours.items()},
        )

    def _mark(self, own: ChartMark) -> ChartMark:
        return replace(own, label=self._plain(own.label), series=self._plain(own.series))

    def text(self, words: str, room: float = LINE_ROOM) -> str:
        """Words that are longer than the room for a line may break anywhere; others stay whole."""
        return " ".join(
            word if _width(word) <= room else ZERO_WIDTH_SPACE.join(word) for word in self._plain(words).split(" ")
        )

    def _plain(self, words: str) -> str:
        return harmless(words).translate(self._numbers)


def _width(word: str) -> float:
    """In ems, at most."""
    return sum(WIDTHS.get(letter, WIDEST) for letter in word)


def _brief(text: str) -> str:
    return text if len(text) <= LONGEST_HEADER else f"{text[: LONGEST_HEADER - 1]}…"
