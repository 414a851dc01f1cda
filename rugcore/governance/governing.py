"""A pool changed by hand: the linear program with other rules, or with floors under their weights, solved again.

    veto      the rule leaves the program, and is not joined from others again
    lock      a floor under its weight (`rugcore.lp.master`)
    write     a further rule: its column says which training rows it covers, with the thresholds as written
    edit      the old rule is vetoed, the new one written

The weights are those of the program, as ever: a rule that a person wrote has one only if it is worth its price, or if
it is locked.
"""

from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse

from rugcore.errors import InputError
from rugcore.generation.candidates import Candidate, RuleKey
from rugcore.governance.changes import EXAMPLE, RuleChanges
from rugcore.governance.recoding import Recoding, meaning
from rugcore.governance.rows import PoolRows
from rugcore.rules.conditions import Membership
from rugcore.rules.rule import Rule
from rugcore.training.pool import RulePool

ROUNDING = 1e-12  # of a sum of weights, relative


def governed_pool(pool: RulePool, changes: RuleChanges, rows: PoolRows | None = None) -> RulePool:
    """The pool with the changes, solved; the pool itself stays as it is. Added rules need the training `rows`."""
    draft = _PoolDraft(pool)
    draft.hold(changes)
    if changes.added:
        if rows is None:
            raise InputError(f"Expected the training rows, to see whom the new rules cover: {EXAMPLE}.")
        draft.write(changes, rows)
    draft.veto(changes)
    return draft.solved(has_news=bool(changes.added or changes.unlocked))


class _PoolDraft:
    """A pool on its way: what follows from the changes, before the program is solved."""

    def __init__(self, pool: RulePool) -> None:
        self.pool = pool
        self.master = pool.master.copy(pool.master.penalty)
        self.weight = pool.rule_weight  # as it is now; of new rules 0

    def hold(self, changes: RuleChanges) -> None:
        """Floors under rules that are there, and no floors any more under others."""
        floor = self.master.floor.copy()
        floor[list(changes.unlocked)] = 0.0
        for number, least in changes.floors.items():
            floor[number] = least
        self.master.hold(floor)

    # -- rules that a person wrote ---------------------------------------------------------------------------

    def write(self, changes: RuleChanges, rows: PoolRows) -> None:
        """Rules with the thresholds and values that somebody wrote, in columns that know them."""
        rows.refuse_unknown_values(self.pool.columns, _named_values(changes.added))
        recoding = self._recode(changes.added)
        written = [recoding.written(rule, self.pool.classes.index(rule.label)) for rule in changes.added]
        meanings = [self._meaning(rule) for rule in written]
        self._refuse_vetoed(meanings, changes)
        number = {self._meaning(rule): place for place, rule in enumerate(self.pool.candidates)}
        new = [place for place, own in enumerate(meanings) if own not in number]
        number |= {meanings[place]: len(self.pool.candidates) + place_in_new for place_in_new, place in enumerate(new)}
        self._take_in([written[place] for place in new], [changes.added[place] for place in new], rows)
        words, floor = dict(self.pool.written), self.master.floor.copy()
        for own, rule, least in zip(meanings, changes.added, changes.added_floors, strict=True):
            # A rule that was there already is called as the person calls it from now on.
            words[self.pool.candidates[number[own]].key()] = rule.conditions
            floor[number[own]] = least or floor[number[own]]
        self.pool = replace(self.pool, written=words)
        self.master.hold(floor)

    def _recode(self, added: tuple[Rule, ...]) -> Recoding:
        pool = self.pool
        out = [Candidate.of_key(key) for key in pool.left_out]
        recoding = Recoding.for_rules(added, pool.columns, [*pool.candidates, *out])
        self.pool = replace(
            pool,
            columns=recoding.columns,
            candidates=tuple(recoding.candidate(rule) for rule in pool.candidates),
            left_out=frozenset(recoding.key(key) for key in pool.left_out),
            written={recoding.key(key): words for key, words in pool.written.items()},
        )
        return recoding

    def _take_in(self, entering: list[Candidate], rules: list[Rule], rows: PoolRows) -> None:
        """Further rules: the merged rows are split by whom they cover."""
        if not entering:
            return
        block, merged = rows.block(self.pool, self.pool.columns), self.master.merged
        split = block.refine(entering, merged.n_rows)
        for place, rule in enumerate(rules):
            if not split.new_rules[:, place].any():
                raise InputError(
                    f"Expected rules that cover somebody, but '{rule}' covers none of the {rows.is_seen.sum():,} "
                    "training rows: nothing tells what it is worth."
                )
        costs = np.array([self.pool.costs.cost(rule.length) for rule in entering])
        classes = np.array([rule.class_code for rule in entering], dtype=np.int64)
        refined = merged.refined(split.parent, split.weight, sparse.csr_array(split.new_rules))
        self.master.add(refined, split.parent, classes, costs)
        self.weight = np.concatenate([self.weight, np.zeros(len(entering))])
        candidates = (*self.pool.candidates, *entering)
        self.pool = replace(self.pool, candidates=candidates, merged_row=block.signature)

    def _refuse_vetoed(self, meanings: list[RuleKey], changes: RuleChanges) -> None:
        out = {self._meaning(Candidate.of_key(key)) for key in self.pool.left_out}
        out |= {self._meaning(self.pool.candidates[number]) for number in changes.vetoed}
        for own, rule in zip(meanings, changes.added, strict=True):
            if own in out:
                raise InputError(
                    f"Expected a rule that is not vetoed, but '{rule}' covers the same people as one that is. To use "
                    "it, go back to the model from before the veto."
                )

    # -- rules that a person will not have -------------------------------------------------------------------

    def veto(self, changes: RuleChanges) -> None:
        """Without these rules, and without whatever else says the same."""
        rules = self.pool.candidates
        gone = {self._meaning(rules[number]) for number in changes.vetoed}
        is_gone = np.array([bool(gone) and self._meaning(rule) in gone for rule in rules], dtype=bool)
        if not is_gone.any():
            return
        kept = np.flatnonzero(~is_gone)
        merged_row = self.master.keep(kept).astype(np.int32)[self.pool.merged_row]
        self.weight = self.weight[kept]
        self.pool = replace(
            self.pool,
            candidates=tuple(rules[j] for j in kept.tolist()),
            merged_row=merged_row,
            left_out=self.pool.left_out | {rules[j].key() for j in np.flatnonzero(is_gone).tolist()},
        )

    def solved(self, *, has_news: bool) -> RulePool:
        """`has_news`: there is something to choose from that was not there before."""
        also = np.maximum(self.weight, self.master.floor)
        lost = float(self.pool.rule_weight.sum() - self.weight.sum())
        is_as_before = np.array_equal(also, self.weight) and abs(lost) <= ROUNDING * float(self.weight.sum())
        return self.pool.over(self.master, also, may_stay=is_as_before and not has_news)

    def _meaning(self, rule: Candidate) -> RuleKey:
        return meaning(rule, self.pool.columns)


def _named_values(rules: tuple[Rule, ...]) -> dict[str, set[Any]]:
    named: dict[str, set[Any]] = {}
    for rule in rules:
        for condition in rule.conditions:
            if isinstance(condition, Membership):
                named.setdefault(condition.feature, set()).update(condition.values)
    return named
