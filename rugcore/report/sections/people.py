"""A few test people explained, without anything that tells who they are."""

from collections.abc import Iterator
from string import ascii_uppercase

import numpy as np

from rugcore.explanations import CoveringRule, Explanation, by_default, weights_in_words
from rugcore.explanations.confidence import Confidence, ConfidenceFinder, in_percent
from rugcore.explanations.triage import queues
from rugcore.report.blocks import Block, Facts, Heading, Paragraph
from rugcore.report.evidence import Evidence
from rugcore.report.sections.common import FEWEST_TOLD, outcome
from rugcore.report.sections.reasons import faring_well, finder_of, masked, why_no_reasons

HIDDEN = "a rule that looks at a protected attribute, which is not told of a person"
INTRODUCTION = (
    "Test people, each picked for what stands in the heading. They have letters instead of names; row numbers, exact "
    "amounts and protected attributes are left out on purpose. Rules are told by their number in the section on rules. "
    "“How sure” counts the other test people, never the person in question."
)


def people(evidence: Evidence) -> tuple[Block, ...]:
    chosen = dict(_chosen(evidence))
    if not chosen:
        return (Paragraph("There are no test people to explain."),)
    teller = _Teller(evidence)
    blocks: list[Block] = [Paragraph(INTRODUCTION)]
    for letter, (why, place) in zip(ascii_uppercase, chosen.items(), strict=False):
        blocks += [Heading(f"Person {letter}: {why}"), teller.facts(place)]
    return tuple(blocks)


def _chosen(evidence: Evidence) -> Iterator[tuple[str, int]]:
    """Nobody twice; a kind of person that does not occur is left out."""
    code = evidence.decisions.class_code
    chance = evidence.model.predict_proba(evidence.test.X)[np.arange(len(code)), code]
    queue = queues(evidence.decisions, evidence.model.classes_, evidence.favourable, chance=chance)
    by_rules = ~(evidence.decisions.is_uncovered | evidence.decisions.is_tie)
    is_favoured = evidence.decided == evidence.favourable
    refused = queue.rejected[by_rules[queue.rejected]]
    favoured = queue.everyone[(is_favoured & by_rules)[queue.everyone]]
    wrong = ~evidence.is_right
    kinds = (
        ("not decided favourably, the surest", refused[::-1]),
        ("not decided favourably, of middling sureness", refused[len(refused) // 2 :]),
        ("not decided favourably, the least sure", refused),
        ("not decided favourably, and wrongly so, the surest of these", refused[wrong[refused]][::-1]),
        ("decided favourably, the surest", favoured[::-1]),
        ("decided favourably, and wrongly so, the surest of these", favoured[wrong[favoured]][::-1]),
        ("no rule applies", queue.uncovered),
        ("the rules balance", queue.ties),
    )
    taken: set[int] = set()
    for why, places in kinds:
        free = next((int(place) for place in places if int(place) not in taken), None)
        if free is not None:
            taken.add(free)
            yield why, free


def _how_sure(found: Confidence) -> str:
    """What became of a handful of people is not told."""
    if found.n >= FEWEST_TOLD:
        return str(found)
    chance = f"{'at best ' if found.is_even else ''}{in_percent(found.chance)}"
    return (
        f"The model is {chance} sure. Fewer than {FEWEST_TOLD} test people were decided alike: too few to tell how "
        "good that is."
    )


class _Teller:
    """Says about one test person what may be said."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self._confidence = ConfidenceFinder(evidence.model, evidence.test.X, evidence.test.y)
        self._reasons = None if why_no_reasons(evidence) else finder_of(evidence)
        self._faring_well = faring_well(evidence)
        self._number = {rule: place for place, rule in enumerate(evidence.model.rules_, start=1)}

    def facts(self, place: int) -> Facts:
        row = self._evidence.test.X.iloc[place]
        explanation = self._evidence.model.explain(row)
        true = "rightly" if self._evidence.is_right[place] else "wrongly"
        default = by_default(explanation)
        sure = "" if default else _how_sure(self._confidence.find(row, without=place))
        items = [
            (
                "Decision",
                f"{outcome(explanation.decision)}, {true}: the data says {outcome(self._evidence.truth[place])}",
            ),
            ("How", f"{default} {weights_in_words(explanation)}.".strip()),
            *([("How sure", sure)] if sure else []),
            *self._given(place, explanation),
            *self._rules("for it", explanation.rules_for),
            *self._rules("against it", explanation.rules_against),
        ]
        return Facts(tuple(items))

    def _given(self, place: int, explanation: Explanation) -> list[tuple[str, str]]:
        if explanation.decision == self._evidence.favourable or self._reasons is None:
            return []
        found = self._reasons.find(
            self._evidence.test.X.iloc[place],
            wording=masked(self._evidence.wording),
            sensitive=self._evidence.protected,
            directions=self._evidence.directions,
            faring_well=self._faring_well,
            sure=self._confidence.find(self._evidence.test.X.iloc[place], without=place),
        )
        if found.status == "manual review":
            return [("Reasons", f"Needs manual review. {found.why}")]
        return [("Reasons", "; ".join(reason.text for reason in found.reasons))]

    def _rules(self, side: str, rules: tuple[CoveringRule, ...]) -> list[tuple[str, str]]:
        """The heaviest in words, the others by number and weight: all words would be a wall."""
        if not rules:
            return []
        heaviest = self._told(rules[0], with_words=True)
        told = [self._told(own) for own in rules[1:]]
        n_hidden, shown = told.count(HIDDEN), [own for own in told if own != HIDDEN]
        hidden = f"{'and ' if shown else ''}{n_hidden} that look{'s' if n_hidden == 1 else ''} at a protected attribute"
        others = ", ".join([*shown, *([hidden] if n_hidden else [])])
        return [(f"Heaviest rule {side}", heaviest), *([(f"Other rules {side}", others)] if others else [])]

    def _told(self, own: CoveringRule, with_words: bool = False) -> str:
        if self._evidence.protected & set(own.rule.features):
            return HIDDEN
        words = f"if {own.rule}, weight" if with_words else "weight"
        return f"no. {self._number[own.rule]} ({words} {own.rule.weight:.3g})"
