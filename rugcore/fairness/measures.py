"""The numbers of an audit, and how far they can be known.

A rate of no rows, or of fewer than `min_cell_size`, is not estimable: it is NaN, and a text says so. It is never 0.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from rugcore.fairness.intervals import effective_size, katz, newcombe, wilson
from rugcore.fairness.notions import NOTIONS, Notion, Stratum, notion_of
from rugcore.fairness.outcomes import Estimation, Outcomes
from rugcore.fairness.parity import ROUNDING, cell_numbers

# The share of the best-off group's selection rate below which United States agencies look closer (29 CFR 1607.4 D).
FOUR_FIFTHS = 0.8

GROUP_RATES = ("base_rate", "selection_rate", "error", "tpr", "fpr", "fnr", "ppv")
NO_POSITIVE_CLASS = "no positive class"
ONE_GROUP = "only one group, nothing to compare it with"
NAN = float("nan")


# --- Shares -----------------------------------------------------------------------------------------------------


class _People(NamedTuple):
    """Of every entry: the weight of a row, and how many rows it stands for."""

    weight: np.ndarray
    n_rows: np.ndarray

    @classmethod
    def of(cls, outcomes: Outcomes, among: Any = slice(None)) -> "_People":
        return cls(outcomes.weight[among], outcomes.n_rows[among])


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
        cls, bins: np.ndarray, n_bins: int, is_hit: np.ndarray, people: "_People", estimation: Estimation
    ) -> "Shares":
        weight, together = people.weight, people.weight * people.n_rows  # of one row, of all that an entry stands for
        n, hits = (np.bincount(bins, people.n_rows * own, n_bins).astype(np.int64) for own in (1, is_hit))
        total, squares = np.bincount(bins, together, n_bins), np.bincount(bins, weight * together, n_bins)
        hit_weight = np.bincount(bins, together * is_hit, n_bins)
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
    notions = _known_notions(outcomes)
    lines = [_gap_line(notion, outcomes, estimation) for notion in notions]
    index = pd.Index([notion.name for notion in notions], name="notion")
    # As objects first: pandas would make a column of class numbers and blanks into fractions.
    return pd.DataFrame(lines, columns=list(GAP_COLUMNS), index=index, dtype=object).astype(GAP_COLUMNS)


COMPARED_COLUMNS: dict[str, Any] = {
    "class": object,
    "group": str,
    "n": int,
    "counted": int,
    "rate": float,
    "lower": float,
    "upper": float,
    "not_estimable": str,
}


def compared_table(outcomes: Outcomes, estimation: Estimation) -> pd.DataFrame:
    """One line per notion, class (None for all) and group: the rates that the notion compares."""
    lines = [
        {
            "notion": notion.name,
            "class": stratum.label,
            "group": group,
            "n": int(shares.n[number]),
            "counted": int(shares.hits[number]),
            "rate": shares.rate[number],
            "lower": shares.lower[number],
            "upper": shares.upper[number],
            "not_estimable": shares.reason(number),
        }
        for notion in _known_notions(outcomes)
        for stratum in notion.strata(outcomes.classes, outcomes.positive)
        for shares in (_shares_within(stratum, outcomes, estimation),)
        for number, group in enumerate(outcomes.groups.names)
    ]
    frame = pd.DataFrame(lines, columns=["notion", *COMPARED_COLUMNS], dtype=object).set_index("notion")
    return frame.astype(COMPARED_COLUMNS)


def _known_notions(outcomes: Outcomes) -> list[Notion]:
    has_positive = outcomes.positive is not None
    return [notion for notion in NOTIONS.values() if has_positive or not notion.needs_positive_class]


def judged(gaps: pd.DataFrame, epsilon: float, fairness: str | None = None) -> pd.DataFrame:
    """The table with what is allowed, and whether that is met; with `fairness` of that notion alone."""
    is_asked = np.ones(len(gaps), dtype=bool) if fairness is None else gaps.index == notion_of(fairness).name
    allowed = np.where(is_asked, epsilon, NAN)
    met = pd.array((gaps["gap"] <= allowed + ROUNDING).to_numpy(), dtype="boolean")
    met[np.isnan(gaps["gap"] + allowed)] = pd.NA
    return gaps.assign(epsilon=allowed, met=met)


@dataclass(frozen=True, eq=False)
class _Pair:
    """Two groups within one stratum, by their places in its shares; the worse one first."""

    stratum: Stratum
    shares: Shares
    worse: int
    better: int

    @classmethod
    def of(cls, stratum: Stratum, shares: Shares, pair: tuple[int, int]) -> "_Pair":
        first, second = pair
        is_first_worse = shares.rate[first] >= shares.rate[second]
        return cls(stratum, shares, *((first, second) if is_first_worse else (second, first)))

    @property
    def gap(self) -> float:
        return float(self.shares.rate[self.worse] - self.shares.rate[self.better])


def _gap_line(notion: Notion, outcomes: Outcomes, estimation: Estimation) -> dict[str, Any]:
    strata = notion.strata(outcomes.classes, outcomes.positive)
    found = [(stratum, _shares_within(stratum, outcomes, estimation)) for stratum in strata]
    pairs = [[_Pair.of(stratum, shares, pair) for pair in combinations(_known(shares), 2)] for stratum, shares in found]
    every = [pair for within in pairs for pair in within]
    gaps = [max(pair.gap for pair in within) for within in pairs if within]
    return {
        "gap": max(gaps, default=NAN),
        "met": pd.NA,
        "score": notion.score(gaps, len(outcomes.classes)) if gaps else NAN,
        "n": sum(int(shares.n[_known(shares)].sum()) for _, shares in found if len(_known(shares)) > 1),
        "not_estimable": _left_out(found, outcomes.groups.names) or ("" if every else ONE_GROUP),
    } | _worst(max(every, key=lambda pair: pair.gap, default=None), outcomes.groups.names, estimation)


def _shares_within(stratum: Stratum, outcomes: Outcomes, estimation: Estimation) -> Shares:
    among, groups = outcomes.among(stratum), outcomes.groups
    return Shares.of(
        groups.codes[among],
        groups.n_groups,
        outcomes.counted(stratum)[among],
        _People.of(outcomes, among),
        estimation,
    )


def _known(shares: Shares) -> np.ndarray:
    return np.flatnonzero(~np.isnan(shares.rate))


def _left_out(found: list[tuple[Stratum, Shares]], names: tuple[str, ...]) -> str:
    return "; ".join(
        f"group {name}{stratum.said and f', {stratum.said}'} ({shares.reason(number)})"
        for stratum, shares in found
        for number, name in enumerate(names)
        if shares.reason(number)
    )


def _worst(pair: _Pair | None, names: tuple[str, ...], estimation: Estimation) -> dict[str, Any]:
    """Where the gap is; how many rows stand behind its rates, and how many of them count, whatever they weigh."""
    if pair is None:
        return {"worst_class": None, "worse_group": None, "better_group": None}
    shares, worse, better = pair.shares, pair.worse, pair.better
    rates = float(shares.rate[worse]), float(shares.rate[better])
    lower, upper = newcombe(rates, (float(shares.size[worse]), float(shares.size[better])), estimation.confidence)
    return {
        "lower": lower,
        "upper": upper,
        "worst_class": pair.stratum.label,
        "worse_group": names[worse],
        "better_group": names[better],
        "worse_error": rates[0],
        "better_error": rates[1],
        "worse_wrong": int(shares.hits[worse]),
        "worse_n": int(shares.n[worse]),
        "better_wrong": int(shares.hits[better]),
        "better_n": int(shares.n[better]),
    }


# --- Groups and classes -----------------------------------------------------------------------------------------


def group_rates(outcomes: Outcomes, estimation: Estimation) -> dict[str, Shares]:
    """The rates that can be asked for; without a positive class that is the error alone."""
    everybody = np.ones(len(outcomes.true), dtype=bool)

    def share(is_hit: np.ndarray, among: np.ndarray = everybody) -> Shares:
        groups = outcomes.groups
        return Shares.of(groups.codes[among], groups.n_groups, is_hit[among], _People.of(outcomes, among), estimation)

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
    shares = Shares.of(bins, len(index), outcomes.is_wrong, _People.of(outcomes), estimation)
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
