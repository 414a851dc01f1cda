"""Which columns and rules give the group away, and which rules push the groups apart."""

from rugcore.fairness import rule_gaps_for, stand_ins
from rugcore.report.blocks import Block, Column, Grid, Heading, Paragraph
from rugcore.report.evidence import Evidence
from rugcore.report.sections.common import faint, known, missing

HOW_TOLD = (
    "Two people are drawn, one of each of two groups, and somebody guesses who is who from this alone. The share of "
    "pairs guessed rightly is given for the two groups that are told apart best: 50 % is a coin, 100 % is certainty."
)


PUSHES = (
    "Pushes: the largest gap between groups minus that without the rule, all else left as it is. Below 0 the rule "
    "brings groups closer."
)


def stand_in_section(evidence: Evidence) -> tuple[Block, ...]:
    if evidence.test.groups is None:
        return (missing("No sensitive attribute was named, so that nothing can stand in for it."),)
    return (Paragraph(HOW_TOLD), Heading("Columns"), _columns(evidence), Heading("Rules"), *_rules(evidence))


def _columns(evidence: Evidence) -> Grid:
    rows = evidence.test if evidence.training is None else evidence.training
    found = stand_ins(rows.X, rows.groups)
    lines = tuple(
        (str(own["column"]), known(own["tells"]), _pair(own["first_group"], own["second_group"]))
        for own in found.to_dict("records")
    )
    which = "test" if evidence.training is None else "training"
    return Grid(
        f"How well a column alone tells groups apart, {which} rows",
        (Column("Column", width=1.5), Column("Tells", "percent", 0.6), Column("Best told apart", width=2.0)),
        lines,
    )


def _pair(first: object, second: object) -> str:
    if first is None or second is None:
        return "not estimable"
    attribute, parted, name = str(second).partition(": ")
    is_told = parted and str(first).startswith(f"{attribute}: ")  # once is enough
    return f"{first} from {name if is_told else second}"


def _rules(evidence: Evidence) -> tuple[Block, ...]:
    if not len(evidence.model.rules_):
        return (Paragraph("The model has no rules."),)
    found = rule_gaps_for(
        evidence.model,
        evidence.coverage,
        evidence.test.y,
        evidence.test.groups,
        evidence.fairness,
        evidence.favourable if evidence.positive_class is None else evidence.positive_class,
    )
    of_columns = stand_ins(evidence.test.X, evidence.test.groups)
    by_column = dict(zip(of_columns["column"], of_columns["tells"], strict=True))
    lines = []
    for place, (rule, own) in enumerate(zip(evidence.model.rules_, found.to_dict("records"), strict=True), start=1):
        told = max(rule.features, key=lambda name: known(by_column.get(name)) or 0.0, default="")
        lines.append(
            (
                str(place),
                known(own["tells"]),
                _pair(own["told_first"], own["told_second"]),
                told or "none",
                known(own["pushes"]),
                int(own["n_changed"]),
            )
        )
    table = Grid(
        "What every rule tells about groups, and what it adds to the gap, test rows",
        (
            Column("Rule", width=0.4),
            Column("Tells", "percent", 0.6),
            Column("Best told apart", width=1.6),
            Column("Its most telling column", width=1.4),
            Column("Pushes the gap, points", "points", 0.8),
            Column("Decided otherwise without it", "count", 0.9),
        ),
        tuple(lines),
    )
    return table, faint(PUSHES)
