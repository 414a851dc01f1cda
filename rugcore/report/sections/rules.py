"""Every rule: what it says, what it weighs, whom it covers and how often it is right, also by group."""

from collections.abc import Iterator

import numpy as np
from scipy import sparse

from rugcore.governance import governance_of
from rugcore.report.blocks import Block, ChartMark, Column, Grid, Heading, Interval, Paragraph, Picture
from rugcore.report.evidence import Evidence, PeopleRows
from rugcore.report.formats import counted, number, percent
from rugcore.report.sections.common import (
    FEWEST_TOLD,
    UNTOLD,
    faint,
    missing,
    outcome,
    people,
    share_of,
    untold,
)
from rugcore.rules.readability import contrary_rules, interpretability_of

MOST_BARS = 15  # of a chart that leaves room on its page
MOST_GROUPS = 12  # with more, a table by rule and group is a book that nobody reads


def rules(evidence: Evidence) -> tuple[Block, ...]:
    if not len(evidence.model.rules_):
        return (Paragraph("The model has no rules: everybody gets the most common outcome.", "warning"),)
    return (
        Paragraph(_in_short(evidence)),
        _weights(evidence),
        Heading("Every rule"),
        _table(evidence),
        faint(
            "People and right decisions on training rows are those that the rule was chosen for; on test rows nobody "
            "was known to it. An interval in brackets has 95 % confidence. A share of few people is a rough guess, and "
            f"fewer than {FEWEST_TOLD} are not counted. {_usual(evidence)}"
        ),
        *_contrary(evidence),
        *_by_people(evidence),
        Heading("By group"),
        *_by_group(evidence),
    )


def _in_short(evidence: Evidence) -> str:
    found = interpretability_of(evidence.model, evidence.coverage)
    n_rules, length = len(evidence.model.rules_), number(round(float(found["average_rule_length"]), 2))
    conditions = f"{length} condition{'' if length == '1' else 's'}{'' if n_rules == 1 else ' on average'}"
    reach = f"{number(round(float(found['rules_per_row']), 2))} rules apply to a test person on average."
    head = f"{counted(n_rules, 'rule')} with {conditions}. {reach}"
    n_without, n_ties = (int(own.sum()) for own in (evidence.decisions.is_uncovered, evidence.decisions.is_tie))
    if not n_without and not n_ties:
        return f"{head} Some rule applies to every test person, and for nobody do both sides weigh the same."
    return f"{head} {_without(n_without, n_ties, len(evidence.test))}"


def _without(n_without: int, n_ties: int, n: int) -> str:
    """Whom rules do not decide; nobody is told as 0.0 %."""
    parts = [
        *([f"to {counted_people(n_without)} ({percent(n_without / n)}) no rule applies"] if n_without else []),
        *([f"for {counted_people(n_ties)} ({percent(n_ties / n)}) both sides weigh the same"] if n_ties else []),
    ]
    text = ", and ".join(parts)
    needs = "this person needs" if n_without + n_ties == 1 else "these need"
    return f"{text[0].upper()}{text[1:]}; {needs} manual review."


def counted_people(n: int) -> str:
    return "1 test person" if n == 1 else f"{n:,} test people"


def _usual(evidence: Evidence) -> str:
    """What a share is to be held against: a rule for a rare outcome may be wrong about most, and say much."""
    model = evidence.model
    shares = [f"{outcome(label)} {percent(own)}" for label, own in zip(model.classes_, model.class_share_, strict=True)]
    return f"Of all training rows: {', '.join(shares)}."


def _contrary(evidence: Evidence) -> tuple[Block, ...]:
    numbers = [str(place + 1) for place in np.flatnonzero(contrary_rules(evidence.model)).tolist()]
    if not numbers:
        return ()
    which, whom = (
        (f"Rule {numbers[0]} votes", "it applies")
        if len(numbers) == 1
        else (f"Rules {', '.join(numbers)} vote", "they apply")
    )
    text = f"{which} for an outcome that is rarer among the training rows to which {whom} than among all: what is seen "
    return (Paragraph(f"{text}there speaks against the vote.", "warning"),)


def _by_people(evidence: Evidence) -> tuple[Block, ...]:
    """Rules that people vetoed, locked or wrote; nothing where nobody did, or where the pool is not there to tell."""
    if getattr(evidence.model, "pool_", None) is None:
        return ()
    found = governance_of(evidence.model)
    lines = (
        *(("vetoed: never used", own, None) for own in found.vetoed),
        *(("locked: weighs at least", own, own.weight) for own in found.locked),
        *(("written or edited by hand: weighs", own, own.weight) for own in found.written),
    )
    if not lines:
        return ()
    columns = (
        Column("Decided", width=1.2),
        Column("Rule", width=2.6),
        Column("Votes for", width=0.9),
        Column("Weight", "number", 0.6),
    )
    table = Grid(
        "Rules that people decided on",
        columns,
        tuple((what, f"if {rule}", outcome(rule.label), weight) for what, rule, weight in lines),
    )
    return Heading("Decided by people"), table, faint("Who, when and why stands in the change log.")


def _weights(evidence: Evidence) -> Picture:
    shown = list(evidence.model.rules_)[:MOST_BARS]
    more = "" if len(shown) == len(evidence.model.rules_) else f", the {MOST_BARS} heaviest"
    return Picture(
        kind="bars",
        title=f"Weights of the rules{more}",
        alt=f"Bars: the weight of each rule{more}, coloured by the outcome that it votes for.",
        unit="number",
        axis="weight",
        marks=tuple(
            ChartMark(f"{place}. {rule}", outcome(rule.label), float(rule.weight))
            for place, rule in enumerate(shown, 1)
        ),
        colours=evidence.class_colours(),
    )


def _table(evidence: Evidence) -> Grid:
    test = RuleCounts.of(evidence.coverage, evidence.test, evidence)
    training = None
    if evidence.training is not None and evidence.training_coverage is not None:
        training = RuleCounts.of(evidence.training_coverage, evidence.training, evidence)
    lines = []
    for place, rule in enumerate(evidence.model.rules_):
        seen = () if training is None else (people(training.n(place)), training.right(place)[0])
        lines.append(
            (
                str(place + 1),
                f"if {rule}",
                outcome(rule.label),
                float(rule.weight),
                *seen,
                people(test.n(place)),
                test.right(place),
            )
        )
    seen_columns = (Column("Training people", "count", 0.75), Column("Right", "percent", 0.7))
    return Grid(
        "Rules, heaviest first",
        (
            Column("No.", width=0.4),
            Column("Rule", width=2.6),
            Column("Votes for", width=0.9),
            Column("Weight", "number", 0.7),
            *(() if training is None else seen_columns),
            Column("Test people", "count", 0.65),
            Column("Right, test", "percent interval", 1.55),
        ),
        tuple(lines),
    )


def _by_group(evidence: Evidence) -> tuple[Block, ...]:
    if not evidence.has_groups:
        return (missing("No sensitive attribute was named, so that rules cannot be told by group."),)
    if len(evidence.groups) > MOST_GROUPS:
        return (
            missing(
                f"There are {len(evidence.groups)} groups; the table by rule and group is left out beyond "
                f"{MOST_GROUPS}."
            ),
        )
    counts = RuleCounts.of(evidence.coverage, evidence.test, evidence)
    columns = (
        Column("Rule", width=0.4),
        Column("Votes for", width=0.9),
        Column("Group", width=1.8),
        Column("People", "count", 0.7),
        Column("Share of the group", "percent", 0.9),
        Column("Right", "percent interval", 1.4),
    )
    table = Grid("What every rule does to every group, test rows", columns, tuple(counts.lines()))
    return table, faint(
        f"Groups of which a rule covers nobody, or fewer than {FEWEST_TOLD} people, are left out of its lines. What "
        "became of the next larger group is not told where a total would give these away."
    )


class RuleCounts:
    """People whom rules cover, by group, and how many of them have the outcome that the rule votes for."""

    def __init__(self, evidence: Evidence, covered: np.ndarray, right: np.ndarray, size: np.ndarray) -> None:
        self._evidence = evidence
        self.covered = covered  # (rules, groups)
        self.n_right = right
        self.size = size  # of every group

    @classmethod
    def of(cls, coverage: sparse.csr_array, rows: PeopleRows, evidence: Evidence) -> "RuleCounts":
        groups = evidence.groups if rows.groups is not None else [""]
        number_of = {name: place for place, name in enumerate(groups)}
        group: np.ndarray = np.zeros(len(rows), dtype=np.int64)
        if rows.groups is not None:
            group = rows.groups.map(number_of).to_numpy(np.int64)
        votes = np.array([rule.label for rule in evidence.model.rules_], dtype=object)
        of_pair = np.repeat(np.arange(len(rows)), np.diff(coverage.indptr))
        cell = coverage.indices.astype(np.int64) * len(groups) + group[of_pair]
        is_right = rows.y.to_numpy(dtype=object)[of_pair] == votes[coverage.indices]
        shape = (len(votes), len(groups))
        covered = np.bincount(cell, minlength=shape[0] * shape[1]).reshape(shape)
        right = np.bincount(cell[is_right], minlength=shape[0] * shape[1]).reshape(shape)
        return cls(evidence, covered, right, np.bincount(group, minlength=len(groups)))

    def n(self, rule: int) -> int:
        return int(self.covered[rule].sum())

    def right(self, rule: int) -> Interval:
        n = self.n(rule)
        return share_of(int(self.n_right[rule].sum()), n) if n >= FEWEST_TOLD else UNTOLD

    def lines(self) -> Iterator[tuple[str, str, str, int, float, Interval]]:
        """By rule and group, as far as there is more than a handful."""
        for rule, own in enumerate(self._evidence.model.rules_):
            is_untold = untold(self.covered[rule].tolist())
            for place, group in enumerate(self._evidence.groups):
                n, size = int(self.covered[rule, place]), int(self.size[place])
                if n >= FEWEST_TOLD:
                    right = UNTOLD if is_untold[place] else share_of(int(self.n_right[rule, place]), n)
                    yield str(rule + 1), outcome(own.label), group, n, n / size, right
