"""What to trust before a model is used: which settings are worth their rules, and which rules come back."""

from rugcore.selection.choosing import choose_settings
from rugcore.selection.curve import SettingsCurve, SettingsPoint
from rugcore.selection.likeness import ALIKE
from rugcore.selection.stability import rule_stability, stability_in_words

__all__ = [
    "ALIKE",
    "SettingsCurve",
    "SettingsPoint",
    "choose_settings",
    "rule_stability",
    "stability_in_words",
]
