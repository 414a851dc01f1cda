"""Names and values from files reach the screen letter for letter."""

import re

import pytest

from ui.text import WORD_JOINER, counted, percent, plain, points_between

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


def test_numbers_read_as_a_person_writes_them() -> None:
    assert percent(0.8834) == "88.3 %"
    assert points_between(0.71878, 0.75243) == 3.3  # between 71.9 % and 75.2 %, as printed
    assert counted(1, "rule") == "1 rule"
    assert counted(2380, "row") == "2,380 rows"
