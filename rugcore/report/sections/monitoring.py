"""Whether the model still holds: what to watch, and what newer people showed when somebody last looked."""

from typing import Any

import pandas as pd

from rugcore.fairness import notion_of
from rugcore.monitoring import CONFIDENCE, LARGE_SHIFT, SHIFT, WORTH_A_LOOK, Monitoring
from rugcore.report.blocks import Block, Column, Facts, Grid, Heading, Paragraph, Value
from rugcore.report.evidence import Evidence, NewerPeople
from rugcore.report.formats import points
from rugcore.report.sections.changes import day
from rugcore.report.sections.common import FEWEST_TOLD, faint, known, missing
from rugcore.report.sections.purpose import said
from rugcore.report.sections.watching import values_to_watch

NOBODY_LOOKED = (
    "No newer people were held against this model. Load a file under “Newer people” on the page New cases, or name one "
    "with --newer, and make the report again."
)
WHEN_MOVED = (
    ("A column", f"PSI of {SHIFT:g} or more, far from {LARGE_SHIFT:g} on, and more than chance reaches"),
    ("Decisions, and the reach of a rule", f"{points(WORTH_A_LOOK)} or more, and more than chance"),
    ("Right decisions, and a rule that is right", "less often by more than chance"),
    ("No rule applies, or rules balance", "more often by more than chance"),
    ("Gap between groups", "above the allowed gap by more than chance"),
)
MOST_LINES = 200  # of a table
PSI_DIGITS = 3  # more say nothing beside the limits


def monitoring(evidence: Evidence) -> tuple[Block, ...]:
    return (
        *said(evidence, "monitoring", has_heading=False),
        *values_to_watch(evidence),
        Heading("What counts as moved"),
        Facts(WHEN_MOVED),
        faint(f"Chance is judged with {100 * CONFIDENCE:.0f} % confidence for all lines of a table together."),
        Heading("Newer people"),
        *((missing(NOBODY_LOOKED),) if evidence.newer is None else _newer(evidence.newer)),
    )


def _newer(newer: NewerPeople) -> tuple[Block, ...]:
    found = newer.found
    head, *findings = found.verdict
    return (
        Facts((("File or period", newer.name), ("Looked at", day(newer.when) if newer.when else "not recorded"))),
        Paragraph(head, "plain" if found.is_steady else "warning"),
        *(Paragraph(text) for text in findings),
        _shares("Decisions then and now", found.decisions, "What"),
        _columns(found),
        _shares("Who is covered by each rule", found.rules, "Rule"),
        *(() if found.right is None else (_shares("How often each rule is right", found.right, "Rule"),)),
        *_gaps(found),
        *_absent(found),
        faint("Changes are in points, with bounds that hold for all lines of a table together."),
    )


def _shares(caption: str, table: pd.DataFrame, what: str) -> Grid:
    """Of a few people nothing is told: somebody could know them."""
    lines = [_share_line(line, what) for line in table.head(MOST_LINES).to_dict("records")]
    more = f"; the first {MOST_LINES} of {len(table):,}" if len(table) > MOST_LINES else ""
    return Grid(
        f"{caption}{more}",
        (
            Column(what, width=2.4),
            Column("People then", "count", 0.7),
            Column("Then", "percent", 0.6),
            Column("People now", "count", 0.7),
            Column("Now", "percent", 0.6),
            Column("Change, points", "points interval", 1.2),
        ),
        tuple(lines),
    )


def _share_line(line: dict[object, object], what: str) -> tuple[Value, ...]:
    n_then, n_now = (int(str(line[name])) for name in ("n_then", "n_now"))
    is_told = min(n_then, n_now) >= FEWEST_TOLD
    then, now, change, low, high = (known(line[name]) for name in ("then", "now", "change", "low", "high"))
    name = f"if {line['what']}" if what == "Rule" else str(line["what"])
    if not is_told:
        return name, n_then, None, n_now, None, None
    return name, n_then, then, n_now, now, (change, low, high)


def _columns(found: Monitoring) -> Grid:
    lines = tuple(_column_line(line) for line in found.columns.to_dict("records"))
    return Grid(
        "Columns, those that moved most first",
        (
            Column("Column", width=1.5),
            Column("PSI", "number", 0.5),
            Column("By chance", "number", 0.6),
            Column("Verdict", width=0.7),
            Column("Moved most", width=1.5),
            Column("Then", "percent", 0.6),
            Column("Now", "percent", 0.6),
        ),
        lines,
    )


def _column_line(line: dict[Any, Any]) -> tuple[Value, ...]:
    """Of a column in which nothing differs, nothing moved most."""
    psi, by_chance = (known(round(float(line[name]), PSI_DIGITS)) for name in ("psi", "by_chance"))
    measured = str(line["column"]), psi, by_chance, str(line["status"])
    if not line["psi"]:
        return *measured, "nothing", None, None
    return *measured, str(line["change"]), known(line["then"]), known(line["now"])


def _gaps(found: Monitoring) -> tuple[Block, ...]:
    if found.gaps is None:
        return ()
    lines = tuple(
        (
            f"{notion_of(name).title}{' (watched)' if line['matters'] else ''}",
            _interval(line, "then"),
            _interval(line, "now"),
        )
        for name, line in found.gaps.iterrows()
    )
    columns = (Column("What is compared"), Column("Then", "points interval"), Column("Now", "points interval"))
    return (Grid("Gaps between groups, in points", columns, lines),)


def _interval(line: pd.Series, when: str) -> tuple[float | None, float | None, float | None]:
    own, lower, upper = (known(line[f"{name}_{when}"]) for name in ("gap", "lower", "upper"))
    return own, lower, upper


def _absent(found: Monitoring) -> tuple[Block, ...]:
    if found.right is None:
        return (missing("Mistakes and gaps among newer people are not known: the file had no outcomes."),)
    if found.gaps is None:
        return (missing("Gaps among newer people are not known: there were no groups."),)
    return ()
