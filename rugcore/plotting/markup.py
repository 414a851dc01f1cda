"""Small tables in HTML for notebooks, light or dark: no script, nothing from elsewhere, colours of the page itself.

Names and values from data are text from strangers. Whatever is put in is escaped, unless a function of this module
made it.
"""

import math
from collections.abc import Iterable, Sequence
from html import escape

MOST_LINES = 50  # of a table; a page of a notebook should not be filled by one of them
LONGEST = 1_000  # letters of a cell; a rule over many categories is still shown whole
BAR_WIDTH = 6.0  # in letters

# Neither class exists here: with them a notebook does not read "$a$" in a name as a formula.
_NOT_MATHS = 'class="tex2jax_ignore mathjax_ignore"'
_CARD = "color:inherit;background:transparent;max-width:72em;line-height:1.4"
_TABLE = "border-collapse:collapse;margin:.4em 0;color:inherit;background:transparent"
_CELL = "padding:.15em .7em .15em 0;border:0;border-bottom:1px solid rgba(128,128,128,.35);background:transparent;"
_FAINT = "opacity:.7"


class Markup(str):
    """HTML that was made here, and is shown as it is."""

    __slots__ = ()


def shown(item: object) -> Markup:
    """Anything as text, without effect on the page around it; what was made here stays."""
    if isinstance(item, Markup):
        return item
    text = "".join(letter if letter.isprintable() else " " for letter in str(item))
    return Markup(escape(text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"))


def strong(item: object) -> Markup:
    return Markup(f"<b>{shown(item)}</b>")


def faint(item: object) -> Markup:
    return Markup(f'<span style="{_FAINT}">{shown(item)}</span>')


def line(*items: object) -> Markup:
    """A paragraph of text and of parts made here."""
    return Markup(f'<div style="margin:.2em 0">{"".join(shown(item) for item in items)}</div>')


def bar(value: float, largest: float) -> Markup:
    """A bar in the colour of the text, as long as the value is large, with the number beside it."""
    share = min(max(value / largest, 0.0), 1.0) if largest > 0 and math.isfinite(value) else 0.0
    length = f"display:inline-block;height:.7em;background:currentColor;opacity:.5;width:{BAR_WIDTH * share:.2f}em"
    frame = f"display:inline-block;width:{BAR_WIDTH:g}em"
    return Markup(
        f'<span style="white-space:nowrap"><span style="{frame}"><span style="{length}"></span></span> '
        f"{number(value)}</span>"
    )


def number(value: float, digits: int = 3) -> Markup:
    """Significant digits; a dash for what is not known."""
    return Markup("&ndash;") if math.isnan(value) else shown(f"{value:.{digits}g}")


def share(value: float, digits: int = 1) -> Markup:
    """In percent; a dash for what is not known."""
    return Markup("&ndash;") if math.isnan(value) else shown(f"{value:.{digits}%}")


def table(
    headers: Sequence[object], rows: Iterable[Sequence[object]], *, kind: str, rest: str = "", right: Sequence[int] = ()
) -> Markup:
    """At most 50 rows and a line that says how many more there are; `kind` is what they are called.

    `rest` says where to see them all, and `right` lists the columns of numbers.
    """
    lines = list(rows)
    head = "".join(_cell("th", item, place in right) for place, item in enumerate(headers))
    body = "".join(f"<tr>{_cells(row, right)}</tr>" for row in lines[:MOST_LINES])
    drawn = f'<table style="{_TABLE}"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'
    return Markup(drawn + _folded(len(lines) - MOST_LINES, kind, rest))


def card(*parts: object) -> Markup:
    """All of it in one frame that keeps the styles of the notebook out."""
    return Markup(f'<div {_NOT_MATHS} style="{_CARD}">{"".join(shown(part) for part in parts)}</div>')


def _cells(row: Sequence[object], right: Sequence[int]) -> str:
    return "".join(_cell("td", item, place in right) for place, item in enumerate(row))


def _cell(tag: str, item: object, is_number: bool) -> str:
    side = "right" if is_number else "left"
    return f'<{tag} style="{_CELL}text-align:{side};vertical-align:top">{shown(item)}</{tag}>'


def _folded(n_more: int, kind: str, rest: str) -> Markup:
    return line(faint(f"and {n_more:,} more {kind}{rest}")) if n_more > 0 else Markup("")
