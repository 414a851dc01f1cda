"""A decision in the colour of its class."""

from collections.abc import Hashable, Sequence
from html import escape

from rugboard.shell import theme
from rugboard.shell.text import brief, value_in_words

LONGEST = 60  # letters


def label_in_colour(label: Hashable, classes: Sequence[Hashable], favourable: Hashable, size: str = "1rem") -> str:
    """As HTML; the word says it too."""
    return text_in_colour(value_in_words(label), theme.colour_of_class(label, classes, favourable), size)


def text_in_colour(text: str, colour: str, size: str = "1rem") -> str:
    return (
        f'<span style="font-size:{size};font-weight:650;line-height:1.25;overflow-wrap:anywhere">'
        f'<span style="display:inline-block;width:.6em;height:.6em;border-radius:50%;background:{colour};'
        f'margin-right:.4em"></span>{escape(brief(text, LONGEST))}</span>'
    )
