"""Names and values from files reach the screen letter for letter."""

import re

import pytest

from rugboard.shell.text import WORD_JOINER, plain

HOSTILE = [
    "**bold** a_b_c `x`",
    "<script>alert(1)</script>",
    "$x^2$",
    ":red[text] :smile: :material/home:",
    "![](http://x/y.png)",
    "# title",
    "www.x.example a@x.example",
    "-> <- <-> -- >= <= ~=",
]


@pytest.mark.parametrize("hostile", HOSTILE)
def test_plain_leaves_no_markup_unescaped(hostile: str) -> None:
    escaped = plain(hostile)
    assert re.sub(f"[\\\\{WORD_JOINER}]", "", escaped) == hostile
    assert not re.search(r"(?<!\\)[*<>$:\[\]#_`!]", escaped)


def test_plain_keeps_to_one_line() -> None:
    assert plain("two\n\n# lines") == r"two \# lines"
