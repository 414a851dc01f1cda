"""Rules without what they do not need: literals are left out, and rules taken away, while the weights stand.

The trees that find rules split on in order to tell everybody apart; a rule seldom needs all of that. With the weights
of the linear program held, what a literal is worth is the loss that it saves: leave it out, and the rule speaks for
more people, rightly or wrongly. In the linear program a literal pays for itself if it saves its share of the cost. A
reader asks for more: it stays only if it saves `WORTH_READING` times lambda and the rule's weight on top. So does a
rule, unless it alone speaks for somebody. The linear program is then solved again over what is left.

Together with the smallest number of people behind a rule (`soundness`, `widening`), over 11 tables of up to 5,000 rows
and ten splits at lambda 3, this changed accuracy by +0.5 points at depth 3 and +0.2 at depth 5 (standard errors 0.2 and
0.3), and left 64 % and 46 % of the conditions to read. To leave out every rule that no training decision depends on
cost 0.3 to 0.9 points on the same tables: such rules are kept, because new people are not the training rows.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from rugcore.generation.candidates import Candidate
from rugcore.generation.costs import CostModel
from rugcore.generation.features import Features
from rugcore.generation.literals import CodeLiteral, joined, literals_of, n_columns
from rugcore.generation.seam import AnyRowVotes, Rows, Surroundings, Vote
from rugcore.generation.soundness import Soundness

# In units of lambda, and in misjudged people: a high lambda says that rules are dear already.
# Two thirds instead of one gave +0.1 points of accuracy and +0.6 of F1 over ten small tables and six splits at depth 3,
# and -0.3 and -0.5 over 16 tables and three others: chance, for a tenth more to read.
WORTH_READING, MOST_WORTH_READING = 1.0, 3.0
# Losses are summed over the rows in whatever order these come; sums that differ by less than this share are equal.
SAME = 1e-7


@dataclass(frozen=True)
class WeighedRule:
    """A rule of the pool: where it stands there, and what it weighs."""

    number: int
    rule: Candidate
    weight: float


# By number in the pool: the rule that takes the place, or None where the rule goes.
Changes = dict[int, Candidate | None]


class Shortener:
    """Looks at one rule after the other, the lightest first; the next one sees what became of those before."""

    def __init__(self, rows: Rows, features: Features, costs: CostModel, soundness: Soundness) -> None:
        self._rows = rows
        self._features = features
        self._costs = costs
        self._soundness = soundness

    @property
    def _reading_price(self) -> float:
        """Of a literal or a rule, per unit of the rule's weight."""
        return min(WORTH_READING * self._costs.penalty, MOST_WORTH_READING)

    def by_loss(self, rules: Sequence[WeighedRule], row_votes: AnyRowVotes) -> Changes:
        """Leave out what does not save its price, as the head of this file has it."""
        changes: Changes = {}
        for item in _lightest_first(rules):
            literals = literals_of(item.rule, self._features)
            around = self._rows.look_around(literals, row_votes, self._vote(item))
            if self._can_go(item, literals, around):
                self._rows.silence(literals, row_votes, self._vote(item))
                changes[item.number] = None
            else:
                changes |= self._shortened(item, literals, row_votes, self._dearest, around)
        return changes

    def by_decision(self, rules: Sequence[WeighedRule], row_votes: AnyRowVotes) -> Changes:
        """Leave out only what nobody's decision depends on: whom the rule then reaches is decided as it says already.

        A vote for the class that has won leaves every decision, and so every rate of every group, as it was.
        """
        changes: Changes = {}
        for item in _lightest_first(rules):
            changes |= self._shortened(item, literals_of(item.rule, self._features), row_votes, self._unopposed)
        return changes

    def by_coverage(self, rules: Mapping[int, Candidate]) -> Changes:
        """Leave out only what excludes nobody; the rules need not have weight."""
        nothing_said = self._rows.unspoken()
        changes: Changes = {}
        for number, rule in rules.items():
            item = WeighedRule(number, rule, 0.0)
            changes |= self._shortened(item, literals_of(rule, self._features), nothing_said, _idle)
        return changes

    def _vote(self, item: WeighedRule) -> Vote:
        return Vote(item.rule.class_code, item.weight, -self._costs.wrong_vote * item.weight)

    def _shortened(
        self,
        item: WeighedRule,
        literals: list[CodeLiteral],
        row_votes: AnyRowVotes,
        choose: Callable[[WeighedRule, list[CodeLiteral], Surroundings], int | None],
        around: Surroundings | None = None,
    ) -> Changes:
        """Leave out one literal after the other, as `choose` says which; `around`, if known, is as it stands now."""
        n_before = len(literals)
        vote = self._vote(item)
        while len(literals) > 1:
            dropped = choose(item, literals, around or self._rows.look_around(literals, row_votes, vote))
            if dropped is None:
                break
            if item.weight:
                self._rows.widen(literals, dropped, row_votes, vote)
            literals, around = literals[:dropped] + literals[dropped + 1 :], None
        return {item.number: Candidate(joined(literals), item.rule.class_code)} if len(literals) < n_before else {}

    def _can_go(self, item: WeighedRule, literals: list[CodeLiteral], around: Surroundings) -> bool:
        cost = self._costs.penalty * self._costs.cost(n_columns(literals))
        saved = item.weight * (cost + self._reading_price)
        return around.alone == 0 and bool(around.loss[-1] <= saved * (1.0 + SAME))

    def _dearest(self, item: WeighedRule, literals: list[CodeLiteral], around: Surroundings) -> int | None:
        """The literal that costs most, of those that do not save what they cost."""
        lengths = [n_columns(literals[:place] + literals[place + 1 :]) for place in range(len(literals))]
        saved = self._costs.cost(n_columns(literals)) - self._costs.costs(np.array(lengths))
        price = self._costs.penalty * item.weight
        rise = _in_steps(around.loss[:-1] - price * saved, SAME * (price + item.weight))
        is_sound = self._soundness.holds(around.reached[:-1] + around.reached[-1], item.rule.class_code)
        may_go = (is_sound & (rise <= self._reading_price * item.weight * (1.0 + SAME))) | (
            around.reached[:-1].sum(axis=1) == 0
        )
        return int(np.argmin(np.where(may_go, rise, np.inf))) if may_go.any() else None

    def _unopposed(self, item: WeighedRule, literals: list[CodeLiteral], around: Surroundings) -> int | None:  # noqa: ARG002
        """The literal without which the rule reaches most, of those beyond which all are decided as it says."""
        is_sound = self._soundness.holds(around.reached[:-1] + around.reached[-1], item.rule.class_code)
        n_reached = around.reached[:-1].sum(axis=1)
        may_go = (is_sound & (around.opposed[:-1] == 0)) | (n_reached == 0)
        return int(np.argmax(np.where(may_go, n_reached, -1.0))) if may_go.any() else None


def _in_steps(values: np.ndarray, step: float) -> np.ndarray:
    return np.round(values / step) * step if step > 0 else values


def _idle(item: WeighedRule, literals: list[CodeLiteral], around: Surroundings) -> int | None:  # noqa: ARG001
    places = np.flatnonzero(around.reached[:-1].sum(axis=1) == 0)
    return int(places[0]) if len(places) else None


def _lightest_first(rules: Sequence[WeighedRule]) -> list[WeighedRule]:
    return sorted(rules, key=lambda item: (item.weight, item.number))
