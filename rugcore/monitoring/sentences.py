"""What was found, in sentences that somebody can act on; what chance may explain is told apart, as an open question."""

from collections.abc import Iterable
from typing import Any

import pandas as pd

from rugcore.fairness import notion_of
from rugcore.monitoring.drift import MOVED, MOVED_FAR, TOO_FEW
from rugcore.rules import words

NO_RULE, TIE, RIGHT = "no rule applies", "rules balance", "decided as it turned out"
# A share that moved by less is not worth a look, however sure the change is.
WORTH_A_LOOK = 0.05
MOST_NAMED = 5


def findings(
    columns: pd.DataFrame,
    decisions: pd.DataFrame,
    rules: pd.DataFrame,
    right: pd.DataFrame | None,
    gaps: pd.DataFrame | None,
    epsilon: float | None,
) -> list[str]:
    """Sentences on what is sure and asks for a look, the most important first."""
    return [
        *_fewer_right(decisions),
        *_wider_gap(gaps, epsilon),
        *([] if right is None else _rules(right[right["high"] < 0], "is right less often")),
        *_more_by_default(decisions),
        *_other_decisions(decisions),
        *_columns(columns),
        *_rules(_moved(rules), "covers another share of people"),
    ]


def open_questions(columns: pd.DataFrame, gaps: pd.DataFrame | None, epsilon: float | None) -> list[str]:
    """Sentences on what may have moved or not: nobody is to train again because of them."""
    return [*_doubtful_gap(gaps, epsilon), *_too_few(columns)]


def verdict(found: list[str], unsure: list[str], sizes: tuple[int, int]) -> tuple[str, ...]:
    """The findings and the open questions with a line above that says what to do."""
    then, now = (f"{size:,} {'person' if size == 1 else 'people'}" for size in sizes)
    if found:
        return (f"{now} now, {then} then. Look into this, and train again if it stays:", *found, *unsure)
    if unsure:
        head = f"Nothing is sure to have moved, but not all can be told: {now} now, {then} then. Look again with more:"
        return head, *unsure
    return (f"Nothing has moved by more than chance explains: {now} now, {then} then. Keep the model, look again.",)


def _fewer_right(decisions: pd.DataFrame) -> Iterable[str]:
    for line in _lines(_of(decisions, RIGHT)):
        if line.high < 0:
            yield (
                f"Decisions are right less often: {_share(line.then)} of {line.n_then:,} then, {_share(line.now)} of "
                f"{line.n_now:,} now ({_points(line)})."
            )


def _wider_gap(gaps: pd.DataFrame | None, epsilon: float | None) -> Iterable[str]:
    for name, line in _that_matters(gaps):
        if epsilon is not None and line["lower_now"] > epsilon:
            yield _gap_in_words(name, line, epsilon)


def _doubtful_gap(gaps: pd.DataFrame | None, epsilon: float | None) -> Iterable[str]:
    for name, line in _that_matters(gaps):
        if pd.isna(line["gap_now"]):
            yield f"The gap between groups ({_notion(name)}) cannot be measured now: too few people of a group."
        elif epsilon is not None and line["gap_now"] > epsilon >= line["lower_now"]:
            yield f"{_gap_in_words(name, line, epsilon)} That may be chance."


def _that_matters(gaps: pd.DataFrame | None) -> Iterable[tuple[Any, pd.Series]]:
    return () if gaps is None else gaps[gaps["matters"].astype(bool)].iterrows()


def _gap_in_words(name: Any, line: pd.Series, epsilon: float) -> str:
    then = "not measurable" if pd.isna(line["gap_then"]) else _in_points(line["gap_then"])
    return (
        f"The gap between groups ({_notion(name)}) is {_in_points(line['gap_now'])} now, {then} then; "
        f"{_in_points(epsilon)} are allowed."
    )


def _notion(name: Any) -> str:
    title = notion_of(str(name)).title
    return f"{title[0].lower()}{title[1:]}"


def _more_by_default(decisions: pd.DataFrame) -> Iterable[str]:
    for what, said in ((NO_RULE, "No rule applies to"), (TIE, "Rules balance for")):
        for line in _lines(_of(decisions, what)):
            if line.low > 0:
                yield f"{said} more people: {_share(line.then)} then, {_share(line.now)} now ({_points(line)})."


def _other_decisions(decisions: pd.DataFrame) -> Iterable[str]:
    moved = _moved(decisions[decisions["what"].str.startswith("decided ") & (decisions["what"] != RIGHT)])
    if len(moved):
        line = next(iter(_lines(moved)))
        how = "more" if line.change > 0 else "less"
        yield f"People are {line.what} {how} often: {_share(line.then)} then, {_share(line.now)} now ({_points(line)})."


def _columns(columns: pd.DataFrame) -> Iterable[str]:
    for line in _lines(columns[columns["status"].isin([MOVED, MOVED_FAR])].head(MOST_NAMED)):
        far = "far" if line.status == MOVED_FAR else "somewhat"
        yield (
            f"{words.clear(line.column)} has moved {far} (PSI {line.psi:.2f}): {line.change} for {_share(line.then)} "
            f"then, {_share(line.now)} now."
        )
    rest = int(columns["status"].isin([MOVED, MOVED_FAR]).sum()) - MOST_NAMED
    if rest > 0:
        yield f"{rest:,} further {'column has' if rest == 1 else 'columns have'} moved."


def _too_few(columns: pd.DataFrame) -> Iterable[str]:
    unsure = columns.loc[columns["status"] == TOO_FEW, "column"].tolist()
    if unsure:
        named = ", ".join(words.clear(name) for name in unsure[:MOST_NAMED]) + (
            " and more" if unsure[MOST_NAMED:] else ""
        )
        yield f"Whether {named} moved cannot be told from so few people."


def _rules(lines: pd.DataFrame, said: str) -> Iterable[str]:
    for line in _lines(lines.head(MOST_NAMED)):
        yield (f"A rule {said}, {_share(line.then)} then and {_share(line.now)} now ({_points(line)}): if {line.what}.")
    rest = len(lines) - MOST_NAMED
    if rest > 0:
        yield f"The same goes for {rest:,} further {'rule' if rest == 1 else 'rules'}."


def _moved(lines: pd.DataFrame) -> pd.DataFrame:
    """Those whose change is sure and worth a look, the largest first."""
    is_sure = (lines["low"] > 0) | (lines["high"] < 0)
    moved = lines[is_sure & (lines["change"].abs() >= WORTH_A_LOOK)]
    return moved.reindex(moved["change"].abs().sort_values(ascending=False, kind="stable").index)


def _lines(frame: pd.DataFrame) -> Iterable[Any]:
    return frame.itertuples()


def _of(decisions: pd.DataFrame, what: str) -> pd.DataFrame:
    return decisions[decisions["what"] == what]


def _share(share: float) -> str:
    return f"{100 * share:.1f} %"


def _in_points(gap: float) -> str:
    return f"{100 * gap:.1f} points"


def _points(line: Any) -> str:
    low, high = (100 * getattr(line, name) for name in ("low", "high"))
    return f"{low:+.1f} to {high:+.1f} points"
