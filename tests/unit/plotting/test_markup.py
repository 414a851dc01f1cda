"""Tables for notebooks: whatever stands in the data is text, and nothing but text."""

from html.parser import HTMLParser

import pytest

from rugcore.plotting import markup

HOSTILE = [
    "<script>alert(1)</script>",
    "=1+1",
    '"><img src=x onerror=alert(1)>',
    "a & b",
    "'; --",
    "\x1b[31m",
    "\u202e",
]


class Reader(HTMLParser):
    """Which tags there are, whether each is closed, and the text between them."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: set[str] = set()
        self.open: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.open.append(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def read(html: str) -> Reader:
    reader = Reader()
    reader.feed(html)
    reader.close()
    assert reader.open == []
    return reader


@pytest.mark.parametrize("text", HOSTILE)
def test_names_from_data_are_shown_letter_for_letter(text: str) -> None:
    parts = (markup.strong(text), markup.faint(text), markup.line(text), markup.table([text], [[text]], kind=text))
    page = read(markup.card(text, *parts))
    assert set(page.tags) <= {"div", "b", "span", "table", "thead", "tbody", "tr", "th", "td"}
    assert page.attributes <= {"style", "class"}
    printable = "".join(letter if letter.isprintable() else " " for letter in text)
    assert page.text == printable * 6


def test_only_what_was_made_here_is_html() -> None:
    assert markup.shown("<b>") == "&lt;b&gt;"
    assert markup.shown(markup.strong("a")) == "<b>a</b>"
    assert not isinstance(markup.strong("a") + "<script>", markup.Markup)


def test_a_long_table_says_how_many_lines_are_left_out() -> None:
    page = read(markup.table(["n"], [[number] for number in range(1_234)], kind="rules", rest="; see there"))
    assert page.tags.count("tr") == 1 + markup.MOST_LINES
    assert page.text.endswith("and 1,184 more rules; see there")
    assert "more" not in read(markup.table(["n"], [[1]] * markup.MOST_LINES, kind="rules")).text


@pytest.mark.parametrize(
    ("value", "largest", "width"),
    [(1.0, 2.0, 3.0), (2.0, 2.0, 6.0), (0.0, 2.0, 0.0), (1.0, 0.0, 0.0), (float("nan"), 1.0, 0.0), (5.0, 1.0, 6.0)],
)
def test_a_bar_is_as_long_as_its_value_is_large(value: float, largest: float, width: float) -> None:
    assert f"width:{width:.2f}em" in markup.bar(value, largest)


def test_what_is_not_known_is_a_dash() -> None:
    assert read(markup.number(float("nan"))).text == read(markup.share(float("nan"))).text == "\u2013"
    assert markup.share(0.256) == "25.6%"


def test_a_cell_has_an_end() -> None:
    assert len(markup.shown("a" * 5_000)) == markup.LONGEST
