"""The look of the dashboard: one colour per class, group and model, the same on every page and in both themes.

Every colour stands out from the light and from the dark background by at least 3 to 1, and white words on the colour of
a class by 4.5 to 1. The order was chosen so that the first ones differ most for the colour-blind too, and no chart
tells things apart by colour alone.
"""

from collections.abc import Hashable, Sequence
from pathlib import Path

PRODUCT = "RUG Dashboard"
STATIC = Path(__file__).with_name("static")
# Files of our own: a named icon would be fetched from another server by every visitor's browser.
ICON = str(STATIC / "icon.svg")
LOGO = str(STATIC / "logo.svg")
STYLE = STATIC / "theme.css"

CLASSES = ("#2a78c2", "#bc570d", "#8a5a86", "#4c7e72", "#8e7127", "#576ed0")
GROUPS = ("#7a5cc0", "#c08a10", "#2f8f9d", "#b4557f", "#789c60", "#846024", "#7878fc", "#7d8794")
OUTSIDE = "outside"  # another model, known by its decisions alone
MODELS = {
    "rug": "#5d7290",
    "fair": "#0f9a76",
    "lightgbm": "#c2792a",
    "logistic": "#8a63c9",
    "tree": "#c0507f",
    "forest": "#4f8fd0",
    "adaboost": "#8d8a1f",
    "list": "#b06a3c",
    "fair_list": "#3a8c9e",
    "binoct": "#a9599b",
    "gosdt": "#6b7fd6",
    "streed": "#5f8a3a",
    "fair_tree": "#b3743f",
    OUTSIDE: "#6f66dc",
}
OTHER = "#7d8794"
LIMIT = "#c2413b"  # a line that should not be crossed, such as the largest allowed gap

MODEL_NAMES = {
    "rug": "RUG",
    "fair": "FairRUG",
    "lightgbm": "LightGBM",
    "logistic": "Logistic regression",
    "tree": "Decision tree",
    "forest": "Random forest",
    "adaboost": "AdaBoost",
    "list": "Short list",
    "fair_list": "Fair short list",
    "binoct": "BinOCT tree",
    "gosdt": "GOSDT tree",
    "streed": "STreeD tree",
    "fair_tree": "Fair tree",
    OUTSIDE: "Other model",
}


def colour_of_class(label: Hashable, classes: Sequence[Hashable], favourable: Hashable) -> str:
    """The favourable class has the first colour, whatever its name; the others follow in their order."""
    if label == favourable:
        return CLASSES[0]
    others = [item for item in classes if item != favourable]
    return CLASSES[1:][others.index(label) % (len(CLASSES) - 1)] if label in others else OTHER


def colour_of_group(group: Hashable, groups: Sequence[Hashable]) -> str:
    """By the place of the group in the sorted list of all groups of the run."""
    return GROUPS[list(groups).index(group) % len(GROUPS)] if group in groups else OTHER


def colour_of_model(model: str) -> str:
    return MODELS.get(model, OTHER)


def name_of_model(model: str) -> str:
    return MODEL_NAMES.get(model, model)
