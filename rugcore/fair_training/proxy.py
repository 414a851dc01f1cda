"""The paper's constraint: mean losses of the cells within epsilon, inside the linear program.

Column generation goes over the constrained master problem (`constrained_master`) from the first round on. The
constraint can be met on paper by padding losses; what came out in decisions is measured and kept beside it.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np

from rugcore.fair_training.constrained_master import ParityMaster, ParitySolution
from rugcore.fair_training.outcome import FitRecord
from rugcore.fair_training.people import People
from rugcore.fair_training.pool import FairPool
from rugcore.fair_training.settings import FairSettings
from rugcore.fairness.parity import cell_numbers
from rugcore.lp.certificate import Certificate
from rugcore.lp.master import MasterProblem
from rugcore.lp.merging import MergedRows
from rugcore.lp.program import Solver
from rugcore.training.rows import TrainingRows
from rugcore.training.run import TrainingResult, TrainingRun
from rugcore.training.settings import Settings
from rugcore.training.twins import Twins


@dataclass(frozen=True)
class ProxyPool(FairPool):
    """A pool weighed by the linear program with the constraint in it."""

    exact: ParitySolution | None = None

    def adjusted(self, penalty: float, epsilon: float, without: Collection[int]) -> "ProxyPool":
        """This pool under another lambda and epsilon, and without some rules."""
        assert isinstance(self.master, ParityMaster)
        pool = self._solved(self.master.with_epsilon(epsilon, penalty), without)
        return pool.weighed(epsilon).joined()

    def over(self, master: MasterProblem, also: np.ndarray, *, may_stay: bool) -> "ProxyPool":  # noqa: ARG002
        """As of any pool, within the constraint."""
        solution = master.solve()
        pool = replace(self, master=master, solution=solution, rule_weight=solution.rule_weight)
        return pool.weighed(self.fair.epsilon).joined()

    def weighed(self, epsilon: float) -> "ProxyPool":
        """Solve to the end, and measure what came out."""
        assert isinstance(self.master, ParityMaster)
        exact = self.master.solve_exactly()
        model = self.search(exact.rule_weight).measure(exact.rule_weight)
        record = FitRecord(
            guarantee=self.fair.guarantee,
            epsilon=epsilon,
            tally=model.tally,
            expected_tally=model.tally,
            cell_loss=exact.cell_loss,
            padding=exact.padding,
            importance=np.maximum(1.0 + exact.price @ self.master.contrasts, 0.0),
            price=exact.price,
        )
        solution = replace(
            self.solution, objective=exact.value, rule_weight=exact.rule_weight, merged_dual=exact.row_dual
        )
        return replace(self._with(record, exact.rule_weight, epsilon), solution=solution, exact=exact)

    def _reweighed(self, n_new: int) -> "ProxyPool":  # noqa: ARG002
        return self.weighed(self.fair.epsilon)

    def _moved(self, twins: Sequence[Twins]) -> "ProxyPool | None":
        pool = super()._moved(twins)
        assert pool is not None
        assert pool.exact is not None
        return replace(pool, exact=replace(pool.exact, rule_weight=pool.rule_weight))

    def certificate(self) -> Certificate:
        """Proof that the rule weights are optimal under the constraint, over the pool."""
        assert isinstance(self.master, ParityMaster)
        assert self.exact is not None
        return self.master.certificate(self.exact)


def train_proxy(
    rows: TrainingRows, people: People, settings: Settings, fair: FairSettings, started: float
) -> TrainingResult:
    def make_master(merged: MergedRows, wrong_vote: float, penalty: float, solver: Solver) -> ParityMaster:
        return ParityMaster(merged, wrong_vote, penalty, solver, people.parity.matrix, fair.epsilon)

    cells = cell_numbers(rows.class_codes, people.groups)
    run = TrainingRun(rows, settings, started, cells, make_master)
    run.allow_corrections()
    stop_reason = run.run()
    run.strip()
    pool = ProxyPool.around(run.pool(), people, fair, settings)
    return run.result(stop_reason, pool.weighed(fair.epsilon).joined())
