"""A curve of settings in words, as a table and as a chart."""

import math
from typing import TYPE_CHECKING

from rugcore.plotting import charts, markup

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

    from rugcore.selection.curve import SettingsCurve, SettingsPoint

HEADERS = ("depth", "penalty", "accuracy", "rules", "conditions", "")


def curve_in_words(curve: "SettingsCurve") -> str:
    """How it was measured, the settings worth a thought, the one to take, and a warning where none is worth it."""
    lines = [HEADERS, *(_line(curve, point) for point in _shown(curve))]
    widths = [max(len(line[place]) for line in lines) for place in range(len(HEADERS) - 1)]
    table = ["  ".join([*_padded(line, widths), line[-1]]).rstrip() for line in lines]
    return "\n".join([measured_in_words(curve), "", *table, "", *advice(curve)])


def _shown(curve: "SettingsCurve") -> "list[SettingsPoint]":
    """Those worth a thought; where many rules were wished for, the recommended one need not be among them."""
    return sorted({*curve.undominated, curve.recommended}, key=lambda point: (point.n_conditions, -point.accuracy))


def _padded(line: tuple[str, ...], widths: list[int]) -> list[str]:
    return [text.rjust(width) for text, width in zip(line[:-1], widths, strict=True)]


def _line(curve: "SettingsCurve", point: "SettingsPoint") -> tuple[str, ...]:
    marks = {"recommended": point is curve.recommended, "most accurate": point is curve.best}
    return (
        str(point.depth),
        f"{point.penalty:g}",
        accuracy_in_words(point),
        f"{point.n_rules:.1f}",
        f"{point.n_conditions:.1f}",
        ", ".join(name for name, is_so in marks.items() if is_so),
    )


def accuracy_in_words(point: "SettingsPoint") -> str:
    """With its standard error, if there is one."""
    error = "" if math.isnan(point.standard_error) else f" +- {100 * point.standard_error:.1f}"
    return f"{point.accuracy:.1%}{error}"


def measured_in_words(curve: "SettingsCurve") -> str:
    """What was tried, and on what."""
    n_tried = f"{len(curve.points)} settings" if len(curve.points) != 1 else "1 setting"
    ended = "" if curve.is_complete else f" (ended early: {curve.n_settings} were asked for)"
    return (
        f"{n_tried}{ended}, each measured on {curve.n_folds} folds of {curve.n_rows:,} rows, +- one standard error. "
        "Not shown: settings that are less accurate than one with no more to read."
    )


def advice(curve: "SettingsCurve") -> list[str]:
    """Which setting to take and why, in sentences."""
    chosen, best = curve.recommended, curve.best
    sentences = [f"Take {_in_words(chosen)}: {_reason(curve)}"]
    if best is not chosen:
        sentences.append(f"The most accurate is {_in_words(best)}.")
    if not math.isnan(chosen.gap):
        sentences.append(f"The largest gap between groups on rows not trained on: {chosen.gap:.3f}.")
    return [*sentences, _against_baseline(curve)]


def _in_words(point: "SettingsPoint") -> str:
    return (
        f"{point.name} ({accuracy_in_words(point)}; {point.n_rules:.1f} rules, {point.n_conditions:.1f} conditions "
        "in all)"
    )


def _reason(curve: "SettingsCurve") -> str:
    if curve.about_n_rules is not None:
        return f"the most accurate with about {curve.about_n_rules:g} rules, or the nearest to it."
    if curve.recommended is curve.best:
        return "the most accurate, and nothing within one standard error of it has less to read."
    return "the least to read within one standard error of the most accurate."


def _against_baseline(curve: "SettingsCurve") -> str:
    point = curve.recommended
    always = f"Always saying the most common outcome is right in {point.baseline:.1%}"
    lead = f"{100 * point.lead:+.1f} points, standard error {100 * point.lead_error:.1f}"
    if curve.beats_baseline:
        return f"{always}; the rules are better ({lead})."
    return (
        f"Warning: {always[0].lower()}{always[1:]}, and the rules are not clearly better ({lead}). They may say "
        "nothing about new cases: look for columns that matter or for more rows before you use them."
    )


def curve_card(curve: "SettingsCurve") -> str:
    """As a notebook shows it."""
    lines = [_line(curve, point) for point in _shown(curve)]
    return markup.card(
        markup.line(markup.strong("Accuracy against what there is to read")),
        markup.table(HEADERS, lines, kind="settings", rest="; to_frame() has them all", right=(0, 1, 2, 3, 4)),
        *(markup.line(sentence) for sentence in advice(curve)),
        markup.line(markup.faint(measured_in_words(curve))),
    )


def curve_chart(curve: "SettingsCurve") -> "Figure":
    """All settings as points, a line through those worth a thought, the recommended one, and the baseline."""
    figure = charts.curve(
        _dots(curve.points),
        name="Accuracy against what there is to read",
        x_title="conditions to read in all",
        y_title="accuracy on rows not trained on",
        is_joined=False,
    )
    charts.add_floor(figure, curve.recommended.baseline, "always the most common outcome")
    charts.add_series(figure, _dots(curve.undominated), name="none is as accurate with less to read", is_joined=True)
    charts.add_series(figure, _dots([curve.recommended]), name=f"recommended: {curve.recommended.name}")
    if min(point.n_conditions for point in curve.points) > 0:
        figure.update_xaxes(type="log")  # from a handful to hundreds: it is the handful that matters
    return figure


def _dots(points: "list[SettingsPoint] | tuple[SettingsPoint, ...]") -> list[charts.Dot]:
    return [charts.Dot(point.n_conditions, point.accuracy, _in_words(point)) for point in points]
