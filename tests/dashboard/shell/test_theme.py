"""Colours that can be seen on both themes, and mean one thing each."""

import itertools
import re
import tomllib
from pathlib import Path

import pytest

from rugboard.shell import theme as look

CONFIG = tomllib.loads((Path(__file__).resolve().parents[3] / ".streamlit" / "config.toml").read_text())
BACKGROUNDS = [CONFIG["theme"][theme]["backgroundColor"] for theme in ("light", "dark")]
STYLE = look.STYLE.read_text()
ALL = {*look.CLASSES, *look.GROUPS, *look.MODELS.values(), look.OTHER, look.LIMIT}


def luminance(colour: str) -> float:
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(colour: str, other: str) -> float:
    dark, light = sorted((luminance(colour), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize(("colour", "background"), list(itertools.product(sorted(ALL), BACKGROUNDS)))
def test_every_colour_stands_out_from_both_backgrounds(colour: str, background: str) -> None:
    assert contrast(colour, background) >= 3.0  # what WCAG asks of graphics


READABLE = 4.5  # what WCAG asks of words


@pytest.mark.parametrize("colour", look.CLASSES)
def test_white_words_on_the_colour_of_a_class_can_be_read(colour: str) -> None:
    """As in the table of rules."""
    assert contrast(colour, "#ffffff") >= READABLE


@pytest.mark.parametrize("name", ["light", "dark"])
def test_words_can_be_read_on_every_background(name: str) -> None:
    own = CONFIG["theme"][name]
    for background in (own["backgroundColor"], own["secondaryBackgroundColor"], own["dataframeHeaderBackgroundColor"]):
        for words in ("textColor", "linkColor"):
            assert contrast(own[words], background) >= READABLE, (words, background)
        for share in shares_of_ink():
            assert contrast(mixed(own["textColor"], background, share), background) >= READABLE, (share, background)


@pytest.mark.parametrize("name", ["light", "dark"])
def test_words_on_buttons_can_be_read(name: str) -> None:
    light, dark = re.findall(r"color: light-dark\((#\w{6}), (#\w{6})\)", STYLE)[-1]
    words = {"light": light, "dark": dark}[name]
    assert contrast(words, CONFIG["theme"][name]["primaryColor"]) >= READABLE


def test_the_style_speaks_of_the_colours_of_the_theme() -> None:
    """It cannot read them from the theme, so that they stand there twice."""
    for name, part in (("light", 1), ("dark", 2)):
        inks = {found[part - 1] for found in re.findall(r"light-dark\(rgb\((.*?) /.*?\), rgb\((.*?) /.*?\)\)", STYLE)}
        ink = CONFIG["theme"][name]["textColor"]
        assert inks == {" ".join(str(int(ink[place : place + 2], 16)) for place in (1, 3, 5))}


def shares_of_ink() -> set[float]:
    """How strongly small print is printed."""
    shares = {int(share) / 100 for share in re.findall(r"/ (\d+)%", STYLE)}
    shares |= {float(share) for share in re.findall(r"fill-opacity: ([\d.]+)", STYLE)}
    assert shares
    return shares


def mixed(ink: str, paper: str, share: float) -> str:
    parts = [(int(ink[place : place + 2], 16), int(paper[place : place + 2], 16)) for place in (1, 3, 5)]
    return "#" + "".join(f"{round(share * first + (1 - share) * second):02x}" for first, second in parts)


def test_the_favourable_class_has_one_colour_whatever_its_name() -> None:
    assert look.colour_of_class("good", ["bad", "good"], "good") == look.colour_of_class(1, [0, 1], 1)
    assert look.colour_of_class("bad", ["bad", "good"], "good") != look.colour_of_class("good", ["bad", "good"], "good")


def test_groups_and_models_have_colours_of_their_own() -> None:
    groups = [f"group {number}" for number in range(8)]
    assert len({look.colour_of_group(group, groups) for group in groups}) == 8
    assert len({look.colour_of_model(model) for model in ("rug", "fair", "lightgbm")}) == 3
    assert look.colour_of_group("unheard of", groups) == look.OTHER


def test_icons_are_files_of_our_own() -> None:
    for path in (look.ICON, look.LOGO):
        assert "http" not in Path(path).read_text().replace("http://www.w3.org/2000/svg", "")


def test_tables_offer_no_csv_of_streamlits_own() -> None:
    """It would hold live formulas."""
    assert 'button[aria-label^="Download as CSV"] { display: none; }' in look.STYLE.read_text(encoding="utf-8")
