"""The master problem with the paper's fairness constraint: gaps between groups, in the mean loss that the program sees.

    minimise    lambda * sum_j c_j w_j + sum_i u_i v_i
    subject to  sum_j a_ij w_j + v_i >= 1                                          for every row i
                -epsilon <= sum_q D_pq (sum of u_i v_i over cell q) <= epsilon     for every contrast p
                w, v >= 0

D_pq is 1 / (weight of the first group), -1 / (weight of the second), or 0. Nothing but its price keeps v_i from being
larger than the loss it stands for: the program may pad the loss of the group that fares better instead of treating the
other better. Padding is therefore a number of its own here, one p_q >= 0 for every cell, and v_i is the loss itself:

                -epsilon <= sum_q D_pq (loss of cell q + p_q) <= epsilon

Give the constraints of contrast p the prices g+_p, g-_p >= 0, and let g = g+ - g-. What is left is the plain master
problem, in which the rows of cell q weigh 1 + sum_p g_p D_pq (>= 0, because padding is free to grow) times as much; let
F(g) be its optimum. By duality the optimum with the constraint is the largest F(g) - epsilon * sum_p (g+_p + g-_p).
F is concave, and every model w gives an upper bound on it: loss and rule cost of w, plus g times its gaps. So the small
linear program

    maximise    z - epsilon * sum_p (g+_p + g-_p)
    subject to  z <= objective_t + sum_p g_p gap_tp                 for every model t found so far  (dual alpha_t)
                1 + sum_p g_p D_pq >= 0                             for every cell q                (dual p_q)

proposes prices, the plain master problem answers with a model, and so on until both agree. Its duals mix the models
found (sum alpha_t = 1) into one that satisfies the constraint, and are the padding.
"""

from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse

from rugcore.errors import SolverError
from rugcore.lp.certificate import Certificate
from rugcore.lp.master import MasterProblem, MasterSolution
from rugcore.lp.merging import MergedRows
from rugcore.lp.program import LinearProgram, Solver

# Ask half-way between the best prices so far and those proposed: full steps would jump from corner to corner.
STEP = 0.5
# While rules are still being found, prices need not be exact.
STEPS_PER_ROUND = 2
MOST_STEPS = 1000
# Value and bound agree to the solver's own accuracy.
AGREEMENT = 1e-7
# A share or weight below this is the solver's rounding.
NEGLIGIBLE = 1e-9


@dataclass(frozen=True)
class Mixture:
    """The best mixture of the models found so far that obeys the constraint, and the prices it proposes."""

    value: float  # its objective, padding included
    share: np.ndarray  # of every model
    padding: np.ndarray  # by cell
    price: np.ndarray  # g of every contrast


@dataclass(frozen=True)
class ParitySolution:
    """What the constraint did: the rule weights, the padding, and the price of a unit of every gap."""

    value: float
    lower_bound: float  # no rule weights do better
    rule_weight: np.ndarray
    cell_loss: np.ndarray  # by cell, without padding
    padding: np.ndarray  # by cell
    price: np.ndarray  # g of every contrast: its sign says which of the two groups is protected
    row_dual: np.ndarray  # of the merged rows, at these prices


@dataclass(frozen=True)
class _Model:
    """An answer of the plain master problem at some prices."""

    rule_weight: np.ndarray
    rule_cost: float
    loss: float
    gaps: np.ndarray

    @property
    def objective(self) -> float:
        return self.rule_cost + self.loss

    def padded(self, n_new_rules: int) -> "_Model":
        return replace(self, rule_weight=np.concatenate([self.rule_weight, np.zeros(n_new_rules)]))

    def needs_only(self, kept: np.ndarray) -> bool:
        return np.count_nonzero(self.rule_weight) == np.count_nonzero(self.rule_weight[kept])

    def with_rules(self, kept: np.ndarray) -> "_Model":
        return replace(self, rule_weight=self.rule_weight[kept])


class ParityMaster(MasterProblem):
    """A master problem whose solution obeys the constraint; to column generation it looks like any other."""

    def __init__(
        self,
        merged: MergedRows,
        wrong_vote: float,
        penalty: float,
        solver: Solver,
        contrasts: np.ndarray,
        epsilon: float,
    ) -> None:
        super().__init__(merged, wrong_vote, penalty, solver)
        self.contrasts = contrasts  # D, one line per contrast, one column per cell
        self.epsilon = epsilon
        self.importance = np.ones(contrasts.shape[1])
        self._models: list[_Model] = []
        self._price = np.zeros(len(contrasts))  # the best so far
        self._bound = -np.inf  # at that price, with the rules of now
        self._answer: MasterSolution | None = None  # at that price
        self._has_agreed = False  # whether the last steps came to the end

    def with_epsilon(self, epsilon: float, penalty: float) -> "ParityMaster":
        """The same rules under another epsilon and lambda; this problem stays as it is."""
        other = ParityMaster(self.merged, self.wrong_vote, penalty, self.solver, self.contrasts, epsilon)
        other.rule_class, other.rule_cost, other.floor = self.rule_class, self.rule_cost, self.floor
        other._last, other._start = self._last, self._start
        if np.isfinite(epsilon):
            other._price = self._price
        other._models = [other._model(model.rule_weight) for model in self._models]
        return other

    def copy(self, penalty: float) -> "ParityMaster":
        """The same problem, constraint included, under another lambda."""
        return self.with_epsilon(self.epsilon, penalty)

    def hold(self, floor: np.ndarray) -> None:
        super().hold(floor)
        self._bound, self._has_agreed = -np.inf, False  # with higher floors F is higher
        self._models = [model for model in self._models if (model.rule_weight >= floor).all()]

    def add(self, merged: MergedRows, parent: np.ndarray, rule_classes: np.ndarray, costs: np.ndarray) -> None:
        super().add(merged, parent, rule_classes, costs)
        self._bound, self._has_agreed = -np.inf, False  # with more rules F is lower
        self._models = [model.padded(len(rule_classes)) for model in self._models]

    def keep(self, kept: np.ndarray) -> np.ndarray:
        number = super().keep(kept)
        self._bound, self._has_agreed = -np.inf, False
        self._models = [model.with_rules(kept) for model in self._models if model.needs_only(kept)]
        return number

    def solve(self) -> MasterSolution:
        """A few steps: weights that obey the constraint, and duals at prices close to the best."""
        return self._as_master(self._approach(STEPS_PER_ROUND))

    def finish(self) -> MasterSolution | None:
        """As many steps as it takes, unless the last few were enough."""
        return None if self._has_agreed else self._as_master(self._approach(MOST_STEPS))

    def _as_master(self, mixture: Mixture) -> MasterSolution:
        assert self._answer is not None
        return replace(
            self._answer,
            objective=mixture.value,
            rule_weight=self._mixed(mixture),
            dual_constant=self._answer.dual_constant + self._paid(self._price),
        )

    def solve_exactly(self) -> ParitySolution:
        """Steps until value and bound agree, then a vertex of the constrained program over the rules in use."""
        mixture = self._approach(MOST_STEPS)
        if not self._has_agreed:
            raise SolverError(
                f"The fairness constraint was not solved in {MOST_STEPS} steps (value {mixture.value:g}, bound "
                f"{self._bound:g}). Use guarantee='realised'."
            )
        assert self._answer is not None
        rule_weight, padding = self._vertex(np.flatnonzero((self._mixed(mixture) > NEGLIGIBLE) | (self.floor > 0)))
        cell_loss = self.cell_loss(rule_weight)
        return ParitySolution(
            value=float(self.penalty * self.rule_cost @ rule_weight + cell_loss.sum() + padding.sum()),
            lower_bound=self._bound,
            rule_weight=rule_weight,
            cell_loss=cell_loss,
            padding=padding,
            price=self._price,
            row_dual=self._answer.merged_dual,
        )

    def start_at(self, price: np.ndarray) -> None:
        """Ask at these prices first."""
        self._price = price

    # -- the steps -----------------------------------------------------------------------------------------

    def _approach(self, most_steps: int) -> Mixture:
        """Ask, propose, ask again between the best prices and the proposal; after a failure, at the proposal itself."""
        price = self._price
        for _ in range(most_steps):
            has_improved = self._ask(price)
            mixture = self._mix()
            self._has_agreed = self._agrees(mixture)
            if self._has_agreed:
                break
            price = self._price + (STEP if has_improved else 1.0) * (mixture.price - self._price)
        return mixture

    def _agrees(self, mixture: Mixture) -> bool:
        return mixture.value - self._bound <= AGREEMENT * (1.0 + abs(mixture.value))

    def _ask(self, price: np.ndarray) -> bool:
        """The best model at given prices; says whether they are the best prices so far."""
        self.importance = np.maximum(1.0 + price @ self.contrasts, 0.0)
        answer = super().solve()
        self._models.append(self._model(answer.rule_weight))
        bound = answer.objective - self._paid(price)
        if bound <= self._bound:
            return False
        self._bound, self._price, self._answer = bound, price, answer
        return True

    def _paid(self, price: np.ndarray) -> float:
        """What the prices take from the bound; where nothing is bounded there are none."""
        return self.epsilon * float(np.abs(price).sum()) if price.any() else 0.0

    def _model(self, rule_weight: np.ndarray) -> _Model:
        loss = self.cell_loss(rule_weight)
        rule_cost = float(self.penalty * self.rule_cost @ rule_weight)
        return _Model(rule_weight, rule_cost, float(loss.sum()), self.contrasts @ loss)

    def _mix(self) -> Mixture:
        """The small linear program above, as a minimisation over z, g+ and g-."""
        (n_contrasts, n_cells), n_models = self.contrasts.shape, len(self._models)
        gaps = np.array([model.gaps for model in self._models]).reshape(n_models, n_contrasts)
        matrix = np.block(
            [
                [np.ones((n_models, 1)), -gaps, gaps],
                [np.zeros((n_cells, 1)), -self.contrasts.T, self.contrasts.T],
            ]
        )
        is_bounded = np.isfinite(self.epsilon)
        no_price_above = float(self.merged.weight.sum()) if is_bounded else 0.0  # more than all rows together
        program = LinearProgram(
            cost=np.concatenate([[-1.0], np.full(2 * n_contrasts, self.epsilon if is_bounded else 0.0)]),
            matrix=sparse.csc_array(matrix),
            row_lower=np.full(n_models + n_cells, -np.inf),
            row_upper=np.concatenate([[model.objective for model in self._models], np.ones(n_cells)]),
            lower=np.concatenate([[-np.inf], np.zeros(2 * n_contrasts)]),
            upper=np.concatenate([[np.inf], np.full(2 * n_contrasts, no_price_above)]),
        )
        solution = self.solver.solve(program)
        duals = np.maximum(-solution.row_duals, 0.0)
        return Mixture(
            value=-solution.objective,
            share=duals[:n_models],
            padding=duals[n_models:],
            price=solution.x[1 : 1 + n_contrasts] - solution.x[1 + n_contrasts :],
        )

    def _mixed(self, mixture: Mixture) -> np.ndarray:
        weights = np.array([model.rule_weight for model in self._models]).reshape(len(self._models), self.n_rules)
        share = np.where(mixture.share > NEGLIGIBLE, mixture.share, 0.0)
        return np.asarray(share @ weights)

    # -- the vertex ----------------------------------------------------------------------------------------

    def _vertex(self, used: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The paper's program over some rules only: their weights, and by how much v is padded in every cell."""
        merged, _ = self.merged.with_rules(used)
        plain = MasterProblem(merged, self.wrong_vote, self.penalty, self.solver)
        plain.rule_class, plain.rule_cost = self.rule_class[used], self.rule_cost[used]
        n_rows, n_contrasts = merged.n_rows, len(self.contrasts)
        gap_of_rows = sparse.csr_array(self.contrasts[:, merged.cell] * merged.weight)
        matrix = sparse.block_array(
            [
                [plain.votes().T, sparse.eye_array(n_rows)],
                [None, gap_of_rows],
                [None, -gap_of_rows],
            ],
            format="csc",
        )
        n_columns = matrix.shape[1]
        program = LinearProgram(
            cost=np.concatenate([self.penalty * plain.rule_cost, merged.weight]),
            matrix=matrix,
            row_lower=np.concatenate([np.ones(n_rows), np.full(2 * n_contrasts, -np.inf)]),
            row_upper=np.concatenate([np.full(n_rows, np.inf), np.full(2 * n_contrasts, self.epsilon)]),
            lower=np.concatenate([self.floor[used], np.zeros(n_rows)]),
            upper=np.full(n_columns, np.inf),
        )
        x = np.maximum(self.solver.solve(program).x, program.lower)
        rule_weight = np.zeros(self.n_rules)
        rule_weight[used] = x[: len(used)]
        padded_loss = np.bincount(merged.cell, x[len(used) :] * merged.weight, self.contrasts.shape[1])
        return rule_weight, np.maximum(padded_loss - self.cell_loss(rule_weight), 0.0)

    def certificate(self, solution: ParitySolution) -> Certificate:
        """Proof that the solution is optimal over the rules at hand, computed from the merged rows alone.

        dual    max sum(beta) + mu @ floor - epsilon * sum |g|
                s.t.  votes @ beta + mu = lambda c,  0 <= beta <= importance * weight,  mu >= 0
        """
        importance = 1.0 + solution.price @ self.contrasts
        beta = solution.row_dual
        price_of_rule = self.votes() @ beta - self.penalty * self.rule_cost
        gaps = self.contrasts @ (self.cell_loss(solution.rule_weight) + solution.padding)
        primal = float(self.penalty * self.rule_cost @ solution.rule_weight)
        primal += float(self.cell_loss(solution.rule_weight).sum() + solution.padding.sum())
        dual = float(beta.sum() - price_of_rule @ self.floor) - self._paid(solution.price)
        too_much = beta - importance[self.merged.cell] * self.merged.weight
        return Certificate(
            primal_violation=max(
                float(np.max(np.abs(gaps), initial=0.0)) - self.epsilon,
                float(np.max(self.floor - solution.rule_weight, initial=0.0)),
                float(np.max(-solution.padding, initial=0.0)),
                0.0,
            ),
            dual_violation=max(
                float(np.max(price_of_rule, initial=0.0)),
                float(np.max(too_much, initial=0.0)),
                float(np.max(-beta, initial=0.0)),
                float(np.max(-importance, initial=0.0)),
            ),
            gap=abs(primal - dual) / (1 + abs(primal)),
        )
