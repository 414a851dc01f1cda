"""The tables of the page Fairness: with plain numbers to take home, and in words to read."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pandas as pd

from rugboard.fairness.limit import FairnessLimit
from rugboard.fairness.words import is_binding, price_per_point, short_points
from rugboard.session.evaluations import ROWS, TEST, TRAINING, Evaluation
from rugboard.shell.formats import NOTHING, decimal, percent, points, thousandths, whole
from rugboard.shell.notions import NOTION_CODES, NOTION_NAMES
from rugboard.shell.text import value_in_words
from rugcore.fair_training import ContrastFit, FairnessFit
from rugcore.fairness import GROUP_RATES, Audit

NOT_ESTIMABLE = "not estimable"
ALL_OUTCOMES = "all"
DASH = "\u2013"


# -- to take home: one number per cell -------------------------------------------------------------------------


def gaps(evaluations: Sequence[Evaluation], limit: FairnessLimit) -> pd.DataFrame:
    """One line per model, rows and notion; only that of the limit is judged, each model by the same one."""
    return _of_all(evaluations, lambda found: found.judged(limit.epsilon, limit.notion).gaps.reset_index())


def rates(evaluations: Sequence[Evaluation]) -> pd.DataFrame:
    """One line per model, rows, outcome and group."""
    return _of_all(evaluations, lambda found: found.rates.reset_index())


def groups(evaluations: Sequence[Evaluation]) -> pd.DataFrame:
    """One line per model, rows and group."""
    return _of_all(evaluations, lambda found: found.groups.reset_index())


def whole_audit(evaluations: Sequence[Evaluation], limit: FairnessLimit) -> pd.DataFrame:
    """Everything, one number per line, with all that a reader must know who has nothing but the file."""
    table = _of_all(evaluations, lambda found: found.judged(limit.epsilon, limit.notion).to_frame())
    changed = {name: text or "no" for name, text in limit.changes}
    facts: dict[str, Any] = {
        "limit": limit.epsilon,
        "re-weighted after training": table["model"].map(changed).fillna("no"),
        **dict(limit.origin),
        **{f"{rows} rows": evaluations[0].n_rows[rows] for rows in ROWS},
    }
    return table.assign(**facts)


def _of_all(evaluations: Sequence[Evaluation], table: Callable[[Audit], pd.DataFrame]) -> pd.DataFrame:
    """A table of every audit, one below the other."""
    parts = [table(item.audits[rows]).assign(model=item.name, rows=rows) for item in evaluations for rows in ROWS]
    whole = pd.concat(parts, ignore_index=True)
    # Training rows are counted in full: what is known of them is no sample of anything.
    bounds = [name for name in whole.columns if name.endswith(("lower", "upper"))]
    whole.loc[whole["rows"] == TRAINING, bounds] = float("nan")
    return _first(whole, "model", "rows")


def frontier(points_of: Sequence[Evaluation]) -> pd.DataFrame:
    """One line per epsilon; the gaps are those of the notion that was asked for."""
    lines = [
        {
            "epsilon": item.fit.epsilon,
            **{f"{rows}_gap": item.gap(rows, item.fit.notion) for rows in ROWS},
            **{f"{rows}_accuracy": item.accuracy[rows] for rows in ROWS},
            "rules": item.n_rules,
        }
        for item in points_of
        if item.fit is not None
    ]
    return pd.DataFrame(lines)


def pairs(evaluation: Evaluation) -> pd.DataFrame:
    """What FairRUG did about every pair of groups."""
    fit = evaluation.fair_fit
    lines = [
        {
            "outcome": ALL_OUTCOMES if item.label is None else item.label,
            "first_group": item.first,
            "second_group": item.second,
            "gap_in_program": item.lp_gap,
            "gap_on_training_rows": item.realised_gap,
            "gap_on_test_rows": gap_of_pair(evaluation, TEST, item),
            "price_per_point": price_per_point(item),
        }
        for item in fit.contrasts
    ]
    return pd.DataFrame(lines)


def cells(fit: FairnessFit) -> pd.DataFrame:
    """What FairRUG did about every outcome in every group."""
    lines = [
        {
            "outcome": cell.label,
            "group": cell.group,
            "rows": cell.n_rows,
            "error": cell.error,
            "weight": cell.importance,
            "padding": cell.padding,
        }
        for cell in fit.cells
    ]
    return pd.DataFrame(lines)


def gap_of_pair(evaluation: Evaluation, rows: str, contrast: ContrastFit) -> float:
    """Signed: positive where the rate of the first group is the larger one; NaN where not estimable."""
    found = evaluation.audits[rows].compared
    of_notion = found[found.index == evaluation.fair_fit.notion]
    lines: Any = of_notion[["class", "group", "rate"]].itertuples(index=False)
    rates = {group: rate for label, group, rate in lines if label == contrast.label}
    first, second = (float(rates.get(name, float("nan"))) for name in (contrast.first, contrast.second))
    return first - second


def _first(frame: pd.DataFrame, *names: str) -> pd.DataFrame:
    return frame[[*names, *frame.columns.drop(list(names))]]


# -- to read -----------------------------------------------------------------------------------------------


def gaps_to_read(evaluations: Sequence[Evaluation]) -> pd.DataFrame:
    """One line per notion and model, training and test beside each other."""
    return pd.DataFrame(
        _gap_to_read(item, notion) for notion in NOTION_CODES for item in evaluations if notion in item.gaps[TEST]
    )


def _gap_to_read(item: Evaluation, notion: str) -> dict[str, str]:
    training, test = (item.gaps[rows][notion] for rows in ROWS)
    label = test["worst_class"]
    is_known = not math.isnan(test["gap"])
    return {
        "notion": NOTION_NAMES[notion],
        "model": item.name,
        "training": points(training["gap"]),
        "test": points(test["gap"]) if is_known else NOT_ESTIMABLE,
        "interval": f"{short_points(test['lower'])} to {short_points(test['upper'])}" if is_known else "",
        "outcome": "" if not is_known else ALL_OUTCOMES if label is None else value_in_words(label),
        "worse": f"{test['worse_group']}: {percent(test['worse_error'])}" if is_known else "",
        "better": f"{test['better_group']}: {percent(test['better_error'])}" if is_known else "",
    }


def rates_to_read(evaluations: Sequence[Evaluation], rows: str, order: Sequence[str]) -> pd.DataFrame:
    """One line per outcome and group, the models beside each other."""
    tables = {item.name: item.rates[rows] for item in evaluations}
    first = next(iter(tables.values()))
    keys = [(label, group) for label in dict.fromkeys(label for label, _ in first) for group in order]
    return pd.DataFrame(
        {"outcome": value_in_words(key[0]), "group": key[1], "n": first[key]["n"]}
        | {name: _rate_to_read(table[key], rows) for name, table in tables.items()}
        for key in keys
        if key in first
    )


def _rate_to_read(line: Mapping[str, Any], rows: str) -> str:
    return with_interval(line["rate"], line["lower"], line["upper"], rows)


def with_interval(rate: float, lower: float, upper: float, rows: str) -> str:
    """A rate in percent, on test rows with its bounds behind it; the heading says that it is percent."""
    if math.isnan(rate):
        return NOT_ESTIMABLE
    return _digits(rate) if rows == TRAINING else f"{_digits(rate)} ({_digits(lower)}{DASH}{_digits(upper)})"


def _digits(share: float) -> str:
    """One behind the point; 100 needs none, and the column is narrow."""
    text = f"{100 * share:.1f}"
    return "100" if text == "100.0" else text


def groups_to_read(evaluation: Evaluation, rows: str, order: Sequence[str]) -> pd.DataFrame:
    """One line per group with every rate an auditor asks for."""
    table = evaluation.groups[rows]
    return pd.DataFrame(
        {"group": group, "n": table[group]["n"]}
        | {name: _group_rate_to_read(table[group], name, rows) for name in GROUP_RATES}
        for group in order
        if group in table
    )


def _group_rate_to_read(line: Mapping[str, Any], name: str, rows: str) -> str:
    return with_interval(line[name], line[f"{name}_lower"], line[f"{name}_upper"], rows)


def not_estimable(evaluations: Sequence[Evaluation], rows: str) -> list[tuple[Any, str, str]]:
    """Which outcome in which group has too few rows, and how many; the same for all models."""
    table = evaluations[0].rates[rows]
    return [(label, group, text) for (label, group), line in table.items() if (text := line["not_estimable"])]


def pairs_to_read(evaluation: Evaluation) -> pd.DataFrame:
    """`pairs` in words, the dearest or the widest first."""
    fit = evaluation.fair_fit
    ordered = sorted(fit.contrasts, key=lambda item: (-abs(item.price or 0), -abs(item.realised_gap)))
    lines = [
        {
            "outcome": ALL_OUTCOMES if item.label is None else value_in_words(item.label),
            "pair": f"{item.first} against {item.second}",
            "program": NOTHING if item.lp_gap is None else thousandths(item.lp_gap),
            "training": short_points(item.realised_gap),
            "test": _or_not_estimable(gap_of_pair(evaluation, TEST, item)),
            "price": _price_to_read(item, fit),
        }
        for item in ordered
    ]
    return pd.DataFrame(lines)


def _or_not_estimable(gap: float) -> str:
    return NOT_ESTIMABLE if math.isnan(gap) else short_points(gap)


def _price_to_read(contrast: ContrastFit, fit: FairnessFit) -> str:
    if contrast.price is None:
        return NOTHING
    return decimal(price_per_point(contrast)) if is_binding(contrast, fit) else "0, does not bind"


def cells_to_read(fit: FairnessFit) -> pd.DataFrame:
    """`cells` in words."""
    return pd.DataFrame(
        {
            "outcome": value_in_words(cell.label),
            "group": cell.group,
            "n": whole(cell.n_rows),
            "error": percent(cell.error),
            "weight": f"{cell.importance:.2f}",
            "padding": decimal(cell.padding),
        }
        for cell in fit.cells
    )
