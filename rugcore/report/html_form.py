"""A report as one HTML file that opens without a network. Everything from the report is escaped."""

from collections.abc import Callable
from html import escape
from typing import Any

from rugcore.report.blocks import Facts, Grid, Heading, Paragraph, Picture, SignOff
from rugcore.report.document import ModelReport, Section
from rugcore.report.drawing import svg
from rugcore.report.formats import cell, harmless

POLICY = "default-src 'none'; style-src 'unsafe-inline'"
STYLE = """
:root { --ink: #1b2430; --faint: #5b6675; --line: #d8dee6; --accent: #2a78c2; --warn: #c2413b; --soft: #f4f6f9; }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 60rem; padding: 2rem 1.25rem 4rem; color: var(--ink); background: #fff;
  font: 16px/1.5 'Source Sans Pro','Source Sans 3',system-ui,sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0 0 .3rem; } h2 { font-size: 1.4rem; margin: 3rem 0 .6rem;
  padding-top: 1rem; border-top: 2px solid var(--ink); break-after: avoid; }
h3 { font-size: 1.05rem; margin: 1.6rem 0 .3rem; break-after: avoid; } p { margin: .5rem 0; max-width: 46rem; }
.faint { color: var(--faint); font-size: .9rem; } .warning, .missing { border-left: 3px solid var(--warn);
  background: var(--soft); padding: .5rem .75rem; } .missing { border-color: var(--faint); }
nav ol { columns: 2; column-gap: 2rem; padding-left: 1.5rem; } a { color: var(--accent); }
figure { margin: 1rem 0; } .scroll { overflow-x: auto; } .scroll:focus-visible { outline: 2px solid var(--accent); }
figcaption, caption { text-align: left; font-weight: 600; padding: .3rem 0; caption-side: top; }
svg { max-width: 100%; height: auto; min-width: 34rem; overflow: visible; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; margin: .8rem 0; font-variant-numeric: tabular-nums; }
th, td { border-bottom: 1px solid var(--line); padding: .3rem .5rem; text-align: left; vertical-align: top; }
thead th { border-bottom: 2px solid var(--ink); } .number { text-align: right; } td.short { white-space: nowrap; }
td, th { min-width: 3rem; } td.text { min-width: 7rem; } td.interval { min-width: 6.5rem; }
td.wide { min-width: 14rem; }
thead th, td.number { overflow-wrap: break-word; } thead th { max-width: 12rem; }
table.facts th { width: 12rem; min-width: 7rem; font-weight: 600; } tr { break-inside: avoid; }
table.sign td { height: 3.2rem; min-width: 6rem; } table.sign tbody th { min-width: 9rem; }
@media (min-width: 60rem) { td.interval { min-width: 10rem; } }
@media (max-width: 40rem) { nav ol { columns: 1; } table.facts th { width: 7.5rem; } }
@page { margin: 1.5cm; }
@media print { body { max-width: none; padding: 0; font-size: 10pt; } .scroll { overflow: visible; } }
""".strip()
WIDE, NARROW = 1.8, 0.6  # a column of the one width holds sentences, below the other it holds numbers of rules


def to_html(report: ModelReport) -> str:
    """The file as text."""
    title = _text(report.title)
    contents = "".join(f'<li><a href="#{escape(own.key)}">{_text(own.title)}</a></li>' for own in report.sections)
    body = "\n".join(_section(place, own) for place, own in enumerate(report.sections, start=1))
    date = f'<p class="faint">Model of {_text(report.date[:10])}</p>' if report.date else ""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light">\n'
        f"<title>{title}</title>\n<style>\n{STYLE}\n</style>\n</head>\n<body>\n"
        f"<header><h1>{title}</h1><p>{_text(report.subtitle)}</p>{date}</header>\n"
        f'<nav aria-label="Contents"><ol>{contents}</ol></nav>\n<main>\n{body}\n</main>\n</body>\n</html>\n'
    )


def _text(words: str) -> str:
    """Escaped, and kept apart from the direction of the text around it."""
    return f"<bdi>{escape(harmless(words))}</bdi>" if not words.isascii() else escape(harmless(words))


def _section(place: int, section: Section) -> str:
    blocks = "\n".join(WRITERS[type(block)](block) for block in section.blocks)
    return f'<section id="{escape(section.key)}">\n<h2>{place}. {_text(section.title)}</h2>\n{blocks}\n</section>'


def _heading(block: Heading) -> str:
    return f"<h3>{_text(block.text)}</h3>"


def _paragraph(block: Paragraph) -> str:
    kind = "" if block.tone == "plain" else f' class="{block.tone}"'
    return f"<p{kind}>{_text(block.text)}</p>"


def _facts(block: Facts) -> str:
    lines = "".join(f'<tr><th scope="row">{_text(name)}</th><td>{_text(own)}</td></tr>' for name, own in block.items)
    return f'<table class="facts"><tbody>{lines}</tbody></table>'


def _grid(block: Grid) -> str:
    head = "".join(
        f'<th scope="col"{"" if column.kind == "text" else " class=number"}>{_text(column.title)}</th>'
        for column in block.columns
    )
    lines = "".join(
        "<tr>" + "".join(_cell(value, column) for value, column in zip(row, block.columns, strict=True)) + "</tr>"
        for row in block.rows
    )
    table = (
        f"<table><caption>{_text(block.caption)}</caption><thead><tr>{head}</tr></thead><tbody>{lines}</tbody></table>"
    )
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(harmless(block.caption))}">{table}</div>'
    )


def _cell(value: Any, column: Any) -> str:
    if column.kind == "text":
        kind = "wide" if column.width >= WIDE else "text" if column.width >= NARROW else "mark"
    else:
        kind = "number interval" if column.kind.endswith("interval") else "number short"
    return f'<td class="{kind}">{_text(cell(value, column))}</td>'


def _picture(block: Picture) -> str:
    drawn = f'<div class="scroll" tabindex="0" role="region" aria-label="Chart">{svg(block)}</div>'
    return f"<figure><figcaption>{_text(block.title)}</figcaption>{drawn}</figure>"


def _sign_off(block: SignOff) -> str:
    head = "".join(f'<th scope="col">{name}</th>' for name in ("Role", "Name", "Date", "Signature"))
    lines = "".join(f'<tr><th scope="row">{_text(role)}</th><td></td><td></td><td></td></tr>' for role in block.roles)
    table = f'<table class="sign"><thead><tr>{head}</tr></thead><tbody>{lines}</tbody></table>'
    return f'<div class="scroll" tabindex="0" role="region" aria-label="Sign-off">{table}</div>'


WRITERS: dict[type, Callable[[Any], str]] = {
    Heading: _heading,
    Paragraph: _paragraph,
    Facts: _facts,
    Grid: _grid,
    Picture: _picture,
    SignOff: _sign_off,
}
