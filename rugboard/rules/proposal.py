"""What a visitor proposes to change about the rules of a model for good: held per run and model, until accepted."""

import json
from dataclasses import dataclass, replace

import streamlit as st

from rugboard.session.adjustments import rule_id
from rugboard.shell.formats import short
from rugboard.shell.text import value_in_words
from rugcore.rules import Rule

_PROPOSALS = "_rule_proposals"


@dataclass(frozen=True)
class WrittenRule:
    """A rule that somebody wrote, perhaps in place of another; the least weight is 0 where the program decides."""

    rule: Rule
    least: float = 0.0
    instead_of: Rule | None = None


@dataclass(frozen=True)
class RuleProposal:
    """Changes in the order in which a visitor made them; nothing, by default."""

    vetoed: tuple[Rule, ...] = ()
    locked: tuple[tuple[Rule, float], ...] = ()
    unlocked: tuple[Rule, ...] = ()
    written: tuple[WrittenRule, ...] = ()

    @property
    def is_any(self) -> bool:
        return self != RuleProposal()

    @property
    def cache_key(self) -> str:
        return json.dumps(
            [
                sorted(map(rule_id, self.vetoed)),
                sorted((rule_id(rule), least) for rule, least in self.locked),
                sorted(map(rule_id, self.unlocked)),
                [(rule_id(own.rule), own.least, _id_or_nothing(own.instead_of)) for own in self.written],
            ]
        )

    def without(self, rule: Rule) -> "RuleProposal":
        """Without what is proposed about a rule."""
        own = rule_id(rule)
        return RuleProposal(
            vetoed=tuple(other for other in self.vetoed if rule_id(other) != own),
            locked=tuple(pair for pair in self.locked if rule_id(pair[0]) != own),
            unlocked=tuple(other for other in self.unlocked if rule_id(other) != own),
            written=tuple(
                other for other in self.written if own not in (rule_id(other.rule), _id_or_nothing(other.instead_of))
            ),
        )

    def vetoing(self, rule: Rule) -> "RuleProposal":
        found = self.without(rule)
        return replace(found, vetoed=(*found.vetoed, rule))

    def locking(self, rule: Rule, least: float) -> "RuleProposal":
        found = self.without(rule)
        return replace(found, locked=(*found.locked, (rule, least)))

    def relocking(self, rule: Rule, least: float) -> "RuleProposal":
        """With another least weight, in the same place."""
        own = rule_id(rule)
        locked = tuple((other, least if rule_id(other) == own else floor) for other, floor in self.locked)
        return replace(self, locked=locked)

    def unlocking(self, rule: Rule) -> "RuleProposal":
        found = self.without(rule)
        return replace(found, unlocked=(*found.unlocked, rule))

    def writing(self, written: WrittenRule) -> "RuleProposal":
        found = self.without(written.rule)
        found = found if written.instead_of is None else found.without(written.instead_of)
        return replace(found, written=(*found.written, written))

    def lines(self) -> list[tuple[str, Rule]]:
        """Each change in words, not escaped, with the rule that it is known by."""
        return [
            *((f"Veto: {said(rule)}", rule) for rule in self.vetoed),
            *((f"Lock with a weight of at least {short(least)}: {said(rule)}", rule) for rule, least in self.locked),
            *((f"Unlock: {said(rule)}", rule) for rule in self.unlocked),
            *((_written_line(own), own.rule) for own in self.written),
        ]


def said(rule: Rule) -> str:
    return f"if {rule}, then {value_in_words(rule.label)}"


def _written_line(own: WrittenRule) -> str:
    least = f", with a weight of at least {short(own.least)}" if own.least else ""
    if own.instead_of is None:
        return f"Write: {said(own.rule)}{least}"
    return f"Edit: instead of {said(own.instead_of)}, now {said(own.rule)}{least}"


def _id_or_nothing(rule: Rule | None) -> str:
    return "" if rule is None else rule_id(rule)


# -- held for a visitor --------------------------------------------------------------------------------------


def current(run_id: str, model: str) -> RuleProposal:
    found = st.session_state.get(_PROPOSALS, {}).get((run_id, model))
    return found if isinstance(found, RuleProposal) else RuleProposal()


def propose(run_id: str, model: str, new: RuleProposal) -> None:
    st.session_state[_PROPOSALS] = {**st.session_state.get(_PROPOSALS, {}), (run_id, model): new}


def take_back(run_id: str, model: str, rule: Rule) -> None:
    propose(run_id, model, current(run_id, model).without(rule))


def veto(run_id: str, model: str, rule: Rule) -> None:
    propose(run_id, model, current(run_id, model).vetoing(rule))


def lock(run_id: str, model: str, rule: Rule) -> None:
    propose(run_id, model, current(run_id, model).locking(rule, rule.weight))


def unlock(run_id: str, model: str, rule: Rule) -> None:
    propose(run_id, model, current(run_id, model).unlocking(rule))
