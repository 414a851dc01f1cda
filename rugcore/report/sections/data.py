"""The data: where it comes from, what is blank, who is in it, and what the columns mean."""

from typing import Any

import pandas as pd

from rugcore.data_quality import Health, examine
from rugcore.dictionary import ColumnEntry
from rugcore.report.blocks import Block, Column, Grid, Heading, Paragraph
from rugcore.report.evidence import Evidence, PeopleRows
from rugcore.report.sections.common import FEWEST_TOLD, LEFT_OUT, faint, known, lines_of, listed, missing, outcome
from rugcore.report.sections.purpose import said

KINDS = {"number": "number", "category": "category", "boolean": "yes or no", "date": "date", "blank": "all blank"}
HOW_HELD_OUT = (
    "It is not recorded how the test rows were chosen. All measures below rest on them; if the model was trained on "
    "some of them, they flatter it."
)
NO_TRAINING_ROWS = "The training rows were not given, so that only the rows to judge on are described here."
CHANGES = {
    "never": "nobody can change it",
    "up": "can only be raised",
    "down": "can only be lowered",
    "any": "",
}
EFFECTS = {"helps": "more of it should help", "harms": "more of it should harm", "unknown": ""}


def data(evidence: Evidence) -> tuple[Block, ...]:
    health = _examined(evidence)
    return (
        *(block for topic in ("origin", "period", "exclusions") for block in said(evidence, topic)),
        Heading("Rows"),
        *_rows(evidence),
        *_groups(evidence),
        Heading("Columns"),
        *_columns(evidence, health),
        Heading("What is odd about the table"),
        *_findings(health),
    )


# -- rows and groups ---------------------------------------------------------------------------------------


def _parts(evidence: Evidence) -> list[tuple[str, PeopleRows]]:
    training = [] if evidence.training is None else [("Training rows", evidence.training)]
    return [*training, ("Test rows", evidence.test)]


def _rows(evidence: Evidence) -> tuple[Block, ...]:
    parts = _parts(evidence)
    counts = {name: rows.y.value_counts() for name, rows in parts}
    lines = [
        (outcome(label), *(cell for name, rows in parts for cell in _counted(counts[name], label, rows)))
        for label in evidence.classes
    ]
    total = ("all", *(value for _, rows in parts for value in (len(rows), 1.0)))
    columns = [column for name, _ in parts for column in (Column(name, "count"), Column("Share", "percent"))]
    table = Grid("Rows by outcome", (Column(evidence.target, width=1.5), *columns), (*lines, total))
    alone = () if evidence.training is not None else (missing(NO_TRAINING_ROWS),)
    notes = tuple(Paragraph(note) for note in evidence.notes)
    return (
        table,
        Paragraph(evidence.held_out) if evidence.held_out else missing(HOW_HELD_OUT),
        *alone,
        *notes,
    )


def _counted(counts: pd.Series, label: Any, rows: PeopleRows) -> tuple[int, float | None]:
    n = int(counts.get(label, 0))
    return n, n / len(rows) if len(rows) else None


def _groups(evidence: Evidence) -> tuple[Block, ...]:
    if not evidence.has_groups:
        return Heading("Groups"), missing("No sensitive attribute was named, so that nobody is told apart by group.")
    audits = [("Training rows", evidence.training_audit), ("Test rows", evidence.test_audit)]
    there = [(name, found.groups) for name, found in audits if found is not None]
    lines = tuple(
        (group, *(value for _, table in there for value in _group_cells(table, group)))
        for group in evidence.groups
        if sum(_group_cells(table, group)[0] for _, table in there) >= FEWEST_TOLD
    )
    few = f" {LEFT_OUT}" if len(lines) < len(evidence.groups) else ""
    favourable = outcome(evidence.favourable)
    columns = [
        column for name, _ in there for column in (Column(name, "count"), Column(f"of these {favourable}", "percent"))
    ]
    return (
        Heading("Groups"),
        Grid(f"Groups by {evidence.attribute}", (Column("Group", width=1.5), *columns), lines),
        faint(f"A share of fewer than 30 rows is not estimable.{few}"),
    )


def _group_cells(table: pd.DataFrame, group: str) -> tuple[int, float | None]:
    line = lines_of(table).get(group)
    return (0, None) if line is None else (int(line["n"]), known(line["base_rate"]))


# -- columns -----------------------------------------------------------------------------------------------


def _everybody(evidence: Evidence) -> pd.DataFrame:
    parts = [rows.X for _, rows in _parts(evidence)]
    return parts[0] if len(parts) == 1 else pd.concat(parts, ignore_index=True)


def _columns(evidence: Evidence, found: Health) -> tuple[Block, ...]:
    health = {column.name: column for column in found.columns if column.name != _target_name(evidence)}
    uses = {name: sum(name in rule.features for rule in evidence.model.rules_) for name in health}
    lines = tuple(
        (name, KINDS[own.kind], known(own.missing_share), own.n_distinct, uses[name]) for name, own in health.items()
    )
    table = Grid(
        "Columns that rules may use",
        (
            Column("Column", width=2.2),
            Column("Kind", width=0.8),
            Column("Blank", "percent", 0.7),
            Column("Values", "count", 0.7),
            Column("Rules that use it", "count", 0.8),
        ),
        lines,
    )
    return table, _protected(evidence), *_dictionary(evidence)


def _protected(evidence: Evidence) -> Paragraph:
    used = sorted(evidence.protected & set(evidence.model.rules_.features()))
    if not used:
        return Paragraph("No rule looks at a protected column.")
    return Paragraph(f"Rules look at protected columns: {listed(used, most=20)}.", "warning")


def _dictionary(evidence: Evidence) -> tuple[Block, ...]:
    entries = [(name, own) for name, own in evidence.dictionary.columns.items() if not own.is_blank]
    if not entries:
        return Heading("Data dictionary"), missing("There is no data dictionary: columns are called as in the file.")
    table = Grid(
        "Data dictionary",
        (Column("Column", width=1.2), Column("In the file", width=0.9), Column("What is known about it", width=2.2)),
        tuple((own.shown_name(name), name, meaning(own)) for name, own in entries),
    )
    return Heading("Data dictionary"), *_kept_out(evidence), table


def _kept_out(evidence: Evidence) -> tuple[Block, ...]:
    """What the dictionary wants, held against what the rules do: it may be younger than the model."""
    entries = evidence.dictionary.columns.items()
    wanted = {own.shown_name(name): name for name, own in entries if own.protected or own.left_out}
    if not wanted:
        return (Paragraph("No column is kept out of the rules by it."),)
    looked_at = set(evidence.model.rules_.features())
    used = [shown for shown, name in wanted.items() if {shown, name} & looked_at]
    unused = [shown for shown in wanted if shown not in used]
    kept_out = (Paragraph(f"Kept out of the rules: {', '.join(unused)}."),) if unused else ()
    if not used:
        return kept_out
    text = f"The dictionary wants {listed(used, most=20)} kept out of the rules, but rules look there: train again."
    return *kept_out, Paragraph(text, "warning")


def meaning(own: ColumnEntry) -> str:
    """All that a dictionary says about a column, in a few words."""
    values = ", ".join(f"{value} = {text}" for value, text in own.values.items())  # noqa: PD011 - no table
    special = ", ".join(f"{code:g} = {text}" for code, text in own.special.items())
    parts = [
        own.description,
        "protected" if own.protected else "",
        "left out" if own.left_out else "",
        "past fact" if own.past_fact else "",
        EFFECTS[own.effect],
        f"from worst to best: {', '.join(own.shown_order())}" if own.order else "",
        CHANGES[own.change],
        f"values: {values}" if values else "",
        f"no amounts: {special}" if special else "",
        f"from {own.lowest:g}" if own.lowest is not None else "",
        f"to {own.highest:g}" if own.highest is not None else "",
    ]
    return "; ".join(part for part in parts if part) or "what it is called"


# -- findings ----------------------------------------------------------------------------------------------


def _examined(evidence: Evidence) -> Health:
    """The same look at the table as on the page Data, at the columns that rules may use and the outcome."""
    target = pd.concat([rows.y for _, rows in _parts(evidence)], ignore_index=True)
    name = _target_name(evidence)
    return examine(_everybody(evidence).assign(**{name: target.to_numpy()}), target=name)


def _target_name(evidence: Evidence) -> str:
    return evidence.target if evidence.target not in evidence.test.X.columns else f"{evidence.target} (outcome)"


def _findings(health: Health) -> tuple[Block, ...]:
    found = health.findings
    if not found:
        return (Paragraph("Nothing was found: no leaks, identifiers, duplicates or nearly blank columns."),)
    lines = tuple((finding.severity, ", ".join(finding.columns) or "the table", finding.sentence) for finding in found)
    return (
        Grid("Findings", (Column("Kind", width=0.5), Column("About", width=1.1), Column("Finding", width=2.6)), lines),
    )
