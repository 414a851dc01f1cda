"""An audit told in words, and as one long table."""

import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from rugcore.fairness.measures import FOUR_FIFTHS, GROUP_RATES, SelectionParity
from rugcore.fairness.notions import NOTIONS
from rugcore.rules import words

RATE_WORDS = {
    "base_rate": "positive",
    "selection_rate": "predicted positive",
    "error": "wrong",
    "tpr": "TPR",
    "fpr": "FPR",
    "fnr": "FNR",
    "ppv": "PPV",
}


# --- Words ------------------------------------------------------------------------------------------------------


def gaps_in_words(gaps: pd.DataFrame, confidence: float) -> list[str]:
    lines = ["Gaps between groups (0 = none):"]
    for notion, line in lines_of(gaps):
        lines.append(f"  {NOTIONS[notion]}: {_gap(line, confidence)}")
        judged = _joined(_score(line), _verdict(line))
        lines += _indented(pair_in_words(notion, line), judged, _left_out(line["not_estimable"]))
    return lines


def _gap(line: dict[str, Any], confidence: float) -> str:
    if np.isnan(line["gap"]):
        return "not estimable"
    return f"{line['gap']:.3f} ({_interval(line['lower'], line['upper'], confidence)})"


def _interval(lower: float, upper: float, confidence: float) -> str:
    return f"{100 * confidence:g}% interval of this pair: {lower:.3f} to {upper:.3f}"


def pair_in_words(notion: str, line: dict[str, Any]) -> str:
    """Where the gap is: the class, the two groups, and the rows behind them."""
    if line["worse_group"] is None:
        return ""
    where = "" if line["worst_class"] is None else f"class {words.clear(line['worst_class'])}: "
    worse = f"{line['worse_error']:.1%} {NOTIONS[notion].verb} in {printable(line['worse_group'])}"
    better = f"{line['better_error']:.1%} in {printable(line['better_group'])}"
    return f"{where}{worse}; {better} ({_counts(line)})"


def _counts(line: dict[str, Any]) -> str:
    """The rows behind the worst pair."""
    if line["worse_group"] is None:
        return ""
    worse, better = (f"{line[f'{side}_wrong']:,} of {line[f'{side}_n']:,}" for side in ("worse", "better"))
    return f"{worse} against {better}"


def _score(line: dict[str, Any]) -> str:
    return "" if np.isnan(line["score"]) else f"score {line['score']:.3f} (1 = fair)"


def _verdict(line: dict[str, Any]) -> str:
    if pd.isna(line["met"]):
        return ""
    if not line["met"]:
        return f"epsilon {line['epsilon']:g} is not met"
    # A gap between groups that nobody could measure may be of any size.
    reservation = " as far as it can be measured" if line["not_estimable"] else ""
    return f"epsilon {line['epsilon']:g} is met{reservation}"


def reservations(line: dict[str, Any]) -> str:
    """Whether epsilon is met, and what could not be measured."""
    return _joined(_verdict(line), _left_out(line["not_estimable"]))


def _left_out(text: str) -> str:
    return f"not estimable: {printable(text)}" if text else ""


def groups_in_words(groups: pd.DataFrame) -> list[str]:
    lines = ["Groups:"]
    for name, line in lines_of(groups):
        lines.append(f"  {printable(name)} ({line['n']:,} {'row' if line['n'] == 1 else 'rows'})")
        known = [f"{RATE_WORDS[rate]} {_share(line, rate)}" for rate in GROUP_RATES if not np.isnan(line[rate])]
        lines += _indented(", ".join(known[:3]), ", ".join(known[3:]), _left_out(line["not_estimable"]))
    return lines


def _share(line: dict[str, Any], rate: str) -> str:
    return f"{line[rate]:.1%} ({line[f'{rate}_lower']:.1%} to {line[f'{rate}_upper']:.1%})"


def parity_in_words(found: SelectionParity, confidence: float) -> list[str]:
    lines = ["Screen for demographic parity (how often a group is predicted positive, right or wrong):"]
    if found.lowest_group is not None and found.highest_group is not None:
        high = f"{found.highest_rate:.1%} in {printable(found.highest_group)}"
        low = f"{found.lowest_rate:.1%} in {printable(found.lowest_group)}"
        interval = _interval(found.lower, found.upper, confidence)
        lines += [f"  {high}; {low}", f"  difference {found.difference:.3f} ({interval})"]
    if found.is_below_four_fifths is not None:
        side = "below" if found.is_below_four_fifths else "not below"
        lines.append(
            f"  ratio {clear_ratio(found.ratio, 3)} ({selected_counts(found)}; {_ratio_interval(found, confidence)}), "
            f"{side} four fifths: a screen says where to look closer, not more"
        )
    return lines + [f"  {text}" for text in (_left_out(found.not_estimable),) if text]


def clear_ratio(ratio: float, least_digits: int = 2) -> str:
    """With as many digits as it takes to see on which side of four fifths it lies."""
    for digits in range(least_digits, 7):
        text = f"{ratio:.{digits}f}"
        if (float(text) < FOUR_FIFTHS) == (ratio < FOUR_FIFTHS):
            return text
    return f"{ratio:.{least_digits}f}"  # four fifths, but for rounding


def selected_counts(found: SelectionParity) -> str:
    """The rows behind the ratio, the lowest rate first."""
    low = f"{found.lowest_selected:,} of {found.lowest_n:,}"
    return f"{low} against {found.highest_selected:,} of {found.highest_n:,}"


def _ratio_interval(found: SelectionParity, confidence: float) -> str:
    if np.isnan(found.ratio_lower):
        return "no interval"
    return f"{100 * confidence:g}% interval of this pair: {found.ratio_lower:.3f} to {found.ratio_upper:.3f}"


def printable(text: str) -> str:
    """A name from a stranger's table, which must not move the cursor or colour the screen."""
    return text if text.isprintable() else json.dumps(text)


def _indented(*texts: str) -> list[str]:
    return [f"      {text}" for text in texts if text]


def _joined(*texts: str) -> str:
    return "; ".join(text for text in texts if text)


def lines_of(frame: pd.DataFrame) -> Iterator[tuple[Any, dict[str, Any]]]:
    """Each line with its name; a blank of a nullable column comes as None."""
    records: Any = frame.to_dict("records")
    return zip(frame.index, records, strict=True)


# --- One long table ---------------------------------------------------------------------------------------------

IN_WORDS = {
    **{f"{name} gap": notion.gap_in_words for name, notion in NOTIONS.items()},
    **{f"{name} score": notion.score_in_words for name, notion in NOTIONS.items()},
    "demographic parity difference": "highest minus lowest share predicted positive",
    "demographic parity ratio": "lowest share predicted positive over the highest",
    "base_rate": "share whose true class is the positive one",
    "selection_rate": "share predicted positive",
    "error": "share decided wrongly, over all classes",
    "tpr": "of those of the positive class, the share predicted positive",
    "fpr": "of those of other classes, the share predicted positive",
    "fnr": "of those of the positive class, the share not predicted positive",
    "ppv": "of those predicted positive, the share of the positive class",
    "error rate of the class": "of those of the class, the share decided wrongly",
}

COLUMNS: dict[str, Any] = {
    "measure": str,
    "in words": str,
    "class": object,
    "group": object,
    "against": object,
    "n": "Int64",
    "value": float,
    "lower": float,
    "upper": float,
    "note": str,
}


def long_table(gaps: pd.DataFrame, groups: pd.DataFrame, rates: pd.DataFrame, parity: SelectionParity) -> pd.DataFrame:
    """A number per line."""
    lines = [*_gap_lines(gaps), *_parity_lines(parity), *_group_lines(groups), *_rate_lines(rates)]
    empty: dict[str, Any] = dict.fromkeys(COLUMNS) | {"note": ""}
    told = [empty | line | {"in words": IN_WORDS[line["measure"]]} for line in lines]
    return pd.DataFrame(told, dtype=object).astype(COLUMNS)


def _gap_lines(gaps: pd.DataFrame) -> list[dict[str, Any]]:
    lines = []
    for notion, line in lines_of(gaps):
        pair = {"class": line["worst_class"], "group": line["worse_group"], "against": line["better_group"]}
        note = _joined(_verdict(line), _counts(line), _left_out(line["not_estimable"]))
        gap = {"measure": f"{notion} gap", "value": line["gap"], "lower": line["lower"], "upper": line["upper"]}
        lines.append(gap | pair | {"n": line["n"], "note": note})
        lines.append({"measure": f"{notion} score", "value": line["score"], "n": line["n"]})
    return lines


def _parity_lines(found: SelectionParity) -> list[dict[str, Any]]:
    note = _left_out(found.not_estimable)
    screen = "below four fifths (a screen)" if found.is_below_four_fifths else ""
    high_to_low = {"group": found.highest_group, "against": found.lowest_group}
    low_to_high = {"group": found.lowest_group, "against": found.highest_group}
    difference = {"value": found.difference, "lower": found.lower, "upper": found.upper}
    ratio = {"value": found.ratio, "lower": found.ratio_lower, "upper": found.ratio_upper}
    counts = "" if found.lowest_group is None else selected_counts(found)
    return [
        {"measure": "demographic parity difference", "note": note} | high_to_low | difference,
        {"measure": "demographic parity ratio", "note": _joined(screen, counts, note)} | low_to_high | ratio,
    ]


def _group_lines(groups: pd.DataFrame) -> list[dict[str, Any]]:
    return [
        {
            "measure": rate,
            "group": name,
            "n": _rows_behind(line, rate),
            "value": line[rate],
            "lower": line[f"{rate}_lower"],
            "upper": line[f"{rate}_upper"],
            "note": "not estimable" if np.isnan(line[rate]) else "",
        }
        for name, line in lines_of(groups)
        for rate in GROUP_RATES
    ]


def _rows_behind(line: dict[str, Any], rate: str) -> Any:
    """How many rows a rate of a group rests on; None without a positive class."""
    if rate in ("tpr", "fnr") or line["n_positive"] is None:
        return line["n"] if rate == "error" else line["n_positive"]
    if rate == "fpr":
        return line["n"] - line["n_positive"]
    return line["n_selected"] if rate == "ppv" else line["n"]


def _rate_lines(rates: pd.DataFrame) -> list[dict[str, Any]]:
    return [
        {
            "measure": "error rate of the class",
            "class": label,
            "group": group,
            "n": line["n"],
            "value": line["rate"],
            "lower": line["lower"],
            "upper": line["upper"],
            "note": _left_out(line["not_estimable"]),
        }
        for (label, group), line in lines_of(rates)
    ]
