"""The numbers of an audit, and how far they can be known.

A rate of no rows, or of fewer than `min_cell_size`, is not estimable: it is NaN, and a text says so. It is never 0.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from rugcore.fairness.intervals import effective_size, katz, newcombe, wilson
from rugcore.fairness.notions import NOTIONS, notion_of
from rugcore.fairness.outcomes import Estimation, Outcomes
from rugcore.fairness.parity import ROUNDING, Cells, Contrast, Parity, Rate, cell_numbers, parity
from rugcore.rules import words

# The share of the best-off group's selection rate below which United States agencies look closer (29 CFR 1607.4 D).
FOUR_FIFTHS = 0.8

GROUP_RATES = ("base_rate", "selection_rate", "error", "tpr", "fpr", "fnr", "ppv")
NO_POSITIVE_CLASS = "no positive class"
ONE_GROUP = "only one group, nothing to compare it with"
NAN = float("nan")


# --- Shares -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Shares:
    """Of the rows of every bin: how many, how many hit, and the weighted share that does; NaN where not estimable."""

    n: np.ndarray
    hits: np.ndarray
    rate: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    size: np.ndarray  # effective

    @classmethod
    def of(
        cls, bins: np.ndarray, n_bins: int, is_hit: np.ndarray, weight: np.ndarray, estimation: Estimation
    ) -> "Shares":
        n, hits = np.bincount(bins, minlength=n_bins), np.bincount(bins[is_hit], minlength=n_bins)
        total, squares = np.bincount(bins, weight, n_bins), np.bincount(bins, weight * weight, n_bins)
        hit_weight = np.bincount(bins, weight * is_hit, n_bins)
        is_known = (n >= estimation.min_cell_size) & (total > 0)
        size = effective_size(total, squares)
        rate = np.divide(hit_weight, total, out=np.full(n_bins, NAN), where=is_known)
        lower, upper = wilson(rate, np.where(is_known, size, NAN), estimation.confidence)
        return cls(n, hits, rate, lower, upper, size)

    def reason(self, number: int) -> str:
        """Why there is no rate, or nothing."""
        return _too_few(int(self.n[number]), self.size[number] > 0) if np.isnan(self.rate[number]) else ""


def _too_few(n: int, has_weight: bool) -> str:
    if n and not has_weight:
        return "no weight"
    return "no rows" if n == 0 else "1 row" if n == 1 else f"{n:,} rows"


# --- Gaps -------------------------------------------------------------------------------------------------------

GAP_COLUMNS: dict[str, Any] = {
    "gap": float,
    "lower": float,
    "upper": float,
    "epsilon": float,
    "met": "boolean",
    "worst_class": object,
    "worse_group": object,
    "better_group": object,
    "worse_error": float,
    "better_error": float,
    "worse_wrong": "Int64",
    "worse_n": "Int64",
    "better_wrong": "Int64",
    "better_n": "Int64",
    "score": float,
    "n": int,
    "not_estimable": str,
}


def gap_table(outcomes: Outcomes, estimation: Estimation) -> pd.DataFrame:
    """One line per notion of parity; `judged` holds them against an epsilon."""
    cells = Cells.of(outcomes.classes, outcomes.true, outcomes.groups, outcomes.weight)
    bins = cell_numbers(outcomes.true, outcomes.groups)
    loss = np.bincount(bins, outcomes.weight * outcomes.is_wrong, cells.n_cells)
    squares = np.bincount(bins, outcomes.weight**2, cells.n_cells)
    wrong = np.bincount(bins[outcomes.is_wrong], minlength=cells.n_cells)
    has_positive = outcomes.positive is not None
    notions = [name for name, notion in NOTIONS.items() if has_positive or not notion.needs_positive_class]
    lines = []
    for name in notions:
        notion = parity(name, cells, outcomes.positive, estimation.min_cell_size)
        pair = _worst(notion, loss, squares, estimation) | _counts(notion, loss, wrong)
        lines.append(_gap_line(notion, loss, len(outcomes.classes)) | pair)
    # As objects first: pandas would make a column of class numbers and blanks into fractions.
    frame = pd.DataFrame(lines, columns=list(GAP_COLUMNS), index=pd.Index(notions, name="notion"), dtype=object)
    return frame.astype(GAP_COLUMNS)


def judged(gaps: pd.DataFrame, epsilon: float, fairness: str | None = None) -> pd.DataFrame:
    """The table with what is allowed, and whether that is met; with `fairness` of that notion alone."""
    is_asked = np.ones(len(gaps), dtype=bool) if fairness is None else gaps.index == notion_of(fairness).name
    allowed = np.where(is_asked, epsilon, NAN)
    met = pd.array((gaps["gap"] <= allowed + ROUNDING).to_numpy(), dtype="boolean")
    met[np.isnan(gaps["gap"] + allowed)] = pd.NA
    return gaps.assign(epsilon=allowed, met=met)


def _gap_line(notion: Parity, loss: np.ndarray, n_classes: int) -> dict[str, Any]:
    return {
        "gap": notion.gap(loss),
        "met": pd.NA,
        "score": notion.score(loss, n_classes),
        "n": _rows_compared(notion),
        "not_estimable": _left_out(notion),
    }


def _rows_compared(notion: Parity) -> int:
    rates = {id(rate): rate for contrast in notion.contrasts for rate in (contrast.first, contrast.second)}
    return sum(rate.count for rate in rates.values())


def _left_out(notion: Parity) -> str:
    texts = [f"{_where(rate)} ({_too_few(rate.count, rate.weight > 0)})" for rate in notion.not_estimable]
    if not texts and not notion.contrasts:
        return ONE_GROUP
    return "; ".join(texts)


def _where(rate: Rate) -> str:
    return f"group {rate.group}" + ("" if rate.label is None else f", class {words.value(rate.label)}")


def _worst(notion: Parity, loss: np.ndarray, squares: np.ndarray, estimation: Estimation) -> dict[str, Any]:
    worst = notion.worst(loss)
    if worst is None:
        return {"worst_class": None, "worse_group": None, "better_group": None}
    worse, better = _by_error(worst, loss)
    rates = worse.mean(loss), better.mean(loss)
    lower, upper = newcombe(rates, (_size(worse, squares), _size(better, squares)), estimation.confidence)
    return {
        "lower": lower,
        "upper": upper,
        "worst_class": worst.label,
        "worse_group": worse.group,
        "better_group": better.group,
        "worse_error": rates[0],
        "better_error": rates[1],
    }


def _counts(notion: Parity, loss: np.ndarray, wrong: np.ndarray) -> dict[str, int]:
    """How many rows stand behind the rates of the worst pair, and how many of them are wrong, whatever they weigh."""
    worst = notion.worst(loss)
    if worst is None:
        return {}
    worse, better = _by_error(worst, loss)
    return {
        "worse_wrong": int(wrong[worse.cells].sum()),
        "worse_n": worse.count,
        "better_wrong": int(wrong[better.cells].sum()),
        "better_n": better.count,
    }


def _by_error(contrast: Contrast, loss: np.ndarray) -> tuple[Rate, Rate]:
    is_first_worse = contrast.gap(loss) >= 0
    return (contrast.first, contrast.second) if is_first_worse else (contrast.second, contrast.first)


def _size(rate: Rate, squares: np.ndarray) -> float:
    return float(effective_size(np.array(rate.weight), squares[rate.cells].sum()))


# --- Groups and classes -----------------------------------------------------------------------------------------


def group_rates(outcomes: Outcomes, estimation: Estimation) -> dict[str, Shares]:
    """The rates that can be asked for; without a positive class that is the error alone."""
    everybody = np.ones(len(outcomes.true), dtype=bool)

    def share(is_hit: np.ndarray, among: np.ndarray = everybody) -> Shares:
        groups = outcomes.groups
        return Shares.of(groups.codes[among], groups.n_groups, is_hit[among], outcomes.weight[among], estimation)

    error = {"error": share(outcomes.is_wrong)}
    if outcomes.positive is None:
        return error
    is_positive, is_selected = outcomes.true == outcomes.positive, outcomes.predicted == outcomes.positive
    return error | {
        "base_rate": share(is_positive),
        "selection_rate": share(is_selected),
        "tpr": share(is_selected, among=is_positive),
        "fpr": share(is_selected, among=~is_positive),
        "fnr": share(~is_selected, among=is_positive),
        "ppv": share(is_positive, among=is_selected),
    }


def group_table(names: tuple[str, ...], rates: Mapping[str, Shares]) -> pd.DataFrame:
    """One line per group."""
    columns: dict[str, Any] = {"n": rates["error"].n} | {
        name: pd.array(rates[rate].n if rate in rates else [pd.NA] * len(names), dtype="Int64")
        for name, rate in (("n_positive", "tpr"), ("n_selected", "ppv"))
    }
    unknown = np.full(len(names), NAN)
    for name in GROUP_RATES:
        shares = rates.get(name)
        columns[name] = unknown if shares is None else shares.rate
        columns[f"{name}_lower"] = unknown if shares is None else shares.lower
        columns[f"{name}_upper"] = unknown if shares is None else shares.upper
    columns["not_estimable"] = pd.array([_group_note(rates, group) for group in range(len(names))], dtype="str")
    return pd.DataFrame(columns, index=pd.Index(names, name="group"))


def _group_note(rates: Mapping[str, Shares], group: int) -> str:
    texts = [f"{name} ({reason})" for name in GROUP_RATES if name in rates and (reason := rates[name].reason(group))]
    return "; ".join([*texts, *([] if len(rates) > 1 else [f"all rates but error ({NO_POSITIVE_CLASS})"])])


RATE_COLUMNS: dict[str, Any] = {
    "n": int,
    "errors": int,
    "rate": float,
    "lower": float,
    "upper": float,
    "not_estimable": str,
}


def rate_table(outcomes: Outcomes, estimation: Estimation) -> pd.DataFrame:
    """One line per class and group."""
    index = pd.MultiIndex.from_product([outcomes.classes, outcomes.groups.names], names=["class", "group"])
    bins = cell_numbers(outcomes.true, outcomes.groups)
    shares = Shares.of(bins, len(index), outcomes.is_wrong, outcomes.weight, estimation)
    columns = {
        "n": shares.n,
        "errors": shares.hits,
        "rate": shares.rate,
        "lower": shares.lower,
        "upper": shares.upper,
        "not_estimable": [shares.reason(number) for number in range(len(index))],
    }
    return pd.DataFrame(columns, index=index).astype(RATE_COLUMNS)


# --- Demographic parity -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class SelectionParity:
    """Demographic parity: how often each group gets the positive class, whatever it deserves.

    Between the group with the highest and the group with the lowest selection rate: `difference` (0 = alike; `lower`
    and `upper` are Newcombe's interval for this pair) and `ratio` of the lowest to the highest (1 = alike;
    `ratio_lower` and `ratio_upper` are Katz's log interval, NaN if nobody is selected in a group, or everybody in
    both). Difference and ratio are NaN, with the reason in `not_estimable`, where they cannot be had. The counts are
    rows: `lowest_selected` of `lowest_n` are predicted positive.
    """

    difference: float
    lower: float
    upper: float
    ratio: float
    lowest_group: str | None
    highest_group: str | None
    lowest_rate: float
    highest_rate: float
    not_estimable: str
    ratio_lower: float = NAN
    ratio_upper: float = NAN
    lowest_selected: int = 0
    lowest_n: int = 0
    highest_selected: int = 0
    highest_n: int = 0

    @property
    def is_below_four_fifths(self) -> bool | None:
        """The four-fifths screen; None if there is no ratio.

        A screen says where to look closer. It is neither proof of discrimination nor of its absence: it knows nothing
        of how many rows there are, nor of what applicants deserved.
        """
        return None if np.isnan(self.ratio) else bool(self.ratio < FOUR_FIFTHS - ROUNDING)


def selection_parity(names: tuple[str, ...], shares: Shares | None, estimation: Estimation) -> SelectionParity:
    """Between the extremes of the groups that have a rate."""
    if shares is None:
        return _no_parity(NO_POSITIVE_CLASS)
    known = np.flatnonzero(~np.isnan(shares.rate))
    left_out = [f"group {name} ({shares.reason(number)})" for number, name in enumerate(names) if shares.reason(number)]
    if len(known) < 2:
        return _no_parity("; ".join(left_out) or ONE_GROUP)
    low, high = known[np.argmin(shares.rate[known])], known[np.argmax(shares.rate[known])]
    rates = float(shares.rate[high]), float(shares.rate[low])
    lower, upper = newcombe(rates, (shares.size[high], shares.size[low]), estimation.confidence)
    ratio_lower, ratio_upper = katz(rates[::-1], (shares.size[low], shares.size[high]), estimation.confidence)
    if rates[0] == 0:
        left_out.append("the ratio (nobody is predicted positive)")
    return SelectionParity(
        difference=rates[0] - rates[1],
        lower=lower,
        upper=upper,
        ratio=rates[1] / rates[0] if rates[0] > 0 else NAN,
        lowest_group=names[low],
        highest_group=names[high],
        lowest_rate=rates[1],
        highest_rate=rates[0],
        not_estimable="; ".join(left_out),
        ratio_lower=ratio_lower,
        ratio_upper=ratio_upper,
        lowest_selected=int(shares.hits[low]),
        lowest_n=int(shares.n[low]),
        highest_selected=int(shares.hits[high]),
        highest_n=int(shares.n[high]),
    )


def _no_parity(reason: str) -> SelectionParity:
    return SelectionParity(NAN, NAN, NAN, NAN, None, None, NAN, NAN, reason)
