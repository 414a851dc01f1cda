"""Colours that can be seen on both themes, and mean one thing each."""

import itertools
import tomllib
from pathlib import Path

import pytest

from rugboard.shell import theme as look

CONFIG = tomllib.loads((Path(__file__).resolve().parents[3] / ".streamlit" / "config.toml").read_text())
BACKGROUNDS = [CONFIG["theme"][theme]["backgroundColor"] for theme in ("light", "dark")]
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
