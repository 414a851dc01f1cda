"""Settings that were found by cross-validation, in sentences. Nothing here is shown."""

import math

from rugboard.shell.formats import counted, decimal, percent, points, short, whole
from rugboard.shell.text import named
from rugcore.selection import SettingsCurve, SettingsPoint


def setting_name(point: SettingsPoint) -> str:
    """As the form calls them."""
    return f"longest rule {point.depth}, price {short(point.penalty)}"


def heading(point: SettingsPoint) -> str:
    name = setting_name(point)
    return f"{name[0].upper()}{name[1:]}"


def rules_in_words(point: SettingsPoint) -> str:
    """An average over several trainings: of few rules, tenths matter."""
    number = decimal(point.n_rules) if point.n_rules < 10 else whole(point.n_rules)
    return f"about {number.removesuffix('.0')} rules"


def accuracy_in_words(point: SettingsPoint) -> str:
    error = "" if math.isnan(point.standard_error) else f" (± {100 * point.standard_error:.1f})"
    return f"{percent(point.accuracy)}{error}"


def what_it_brings(curve: SettingsCurve, point: SettingsPoint) -> str:
    to_read = f"{rules_in_words(point)}, {whole(point.n_conditions)} conditions in all"
    return (
        f"**{heading(point)}**: {to_read}. Right for {accuracy_in_words(point)} of {curve.n_rows:,} training rows, "
        "each decided by rules learned without it."
    )


def why_this_one(curve: SettingsCurve, point: SettingsPoint) -> str:
    """Why a point of the curve is offered."""
    if point is not curve.recommended:
        return "Your choice."
    if curve.about_n_rules is not None:
        return f"Of what was tried, the best with {short(curve.about_n_rules)} rules or about as many."
    if point is curve.best:
        return "The most accurate, and nothing shorter comes within one standard error of it."
    best = curve.best
    return (
        f"The least to read within one standard error of the most accurate ({setting_name(best)}: "
        f"{percent(best.accuracy)}, {rules_in_words(best)})."
    )


def baseline_in_words(point: SettingsPoint, most_common: str) -> str:
    return f"Always answering {named(most_common)} is right for {percent(point.baseline)}."


def warning_in_words(point: SettingsPoint, most_common: str) -> str:
    """Where the rules do not clearly beat giving everybody the same answer; else nothing."""
    if point.beats_baseline:
        return ""
    error = "" if math.isnan(point.lead_error) else f", give or take {points(point.lead_error)}"
    compared = f"{100 * point.lead:+.1f} points{error}"
    return (
        f"{baseline_in_words(point, most_common)} These rules are not clearly better ({compared}). They may say "
        "nothing about new applicants: look for columns that matter, or for more rows."
    )


def how_far(n_measured: int, n_settings: int) -> str:
    return f"{n_measured} of {counted(n_settings, 'setting')} measured"
