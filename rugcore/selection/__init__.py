"""What to trust before a model is used: settings worth their rules, rules that come back, gaps on new people."""

from rugcore.selection.choosing import choose_settings
from rugcore.selection.curve import SettingsCurve, SettingsPoint
from rugcore.selection.likeness import ALIKE
from rugcore.selection.over_splits import FairnessOverSplits, ModelOverSplits
from rugcore.selection.splits import fairness_over_splits
from rugcore.selection.stability import rule_stability, stability_in_words

__all__ = [
    "ALIKE",
    "FairnessOverSplits",
    "ModelOverSplits",
    "SettingsCurve",
    "SettingsPoint",
    "choose_settings",
    "fairness_over_splits",
    "rule_stability",
    "stability_in_words",
]
