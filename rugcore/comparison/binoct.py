"""Classification trees by an integer program whose thresholds are binary numbers (BinOCT, Verwer and Zhang 2019)."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import sparse

from rugcore.comparison.questions import Leaf, Question, Scale, Split, Tree, relabelled
from rugcore.comparison.tree_rules import FoundTree, Patterns, TreeRulesClassifier, greedy_tree
from rugcore.lp.integer import solve_integer
from rugcore.lp.program import LinearProgram
from rugcore.lp.solvers.choice import choose_solver

# Of the matrix of the program. With more, its first linear program alone takes minutes, and gigabytes.
MOST_ENTRIES = 1_500_000


class BinOCTClassifier(TreeRulesClassifier):
    """The tree with the fewest mistakes on the training rows, as far as an integer program finds it in time.

    It starts from the tree that scikit-learn grows greedily on the same questions, so that there is always one, and
    says how far from the best possible it may be: `loss_` against `lower_bound_`. The bounds of this program are weak:
    a proof is to be had at depth 1 and 2 on small tables.

    Parameters
    ----------
    max_depth : int, default=2
        Questions from the root to a leaf, at most.
    solver : {"auto", "highs", "gurobi"}, default="auto"
    time_limit : float or None, default=None
        Seconds.

    For the attributes see `TreeRulesClassifier`.
    """

    def __init__(self, max_depth: int = 2, *, solver: str = "auto", time_limit: float | None = None) -> None:
        self.max_depth = max_depth
        self.solver = solver
        self.time_limit = time_limit

    def _found(self, patterns: Patterns, started: float) -> FoundTree:
        solver = choose_solver(self.solver)
        start = greedy_tree(patterns, self.max_depth)
        if not patterns.scales or n_entries(patterns, self.max_depth) > MOST_ENTRIES:
            return FoundTree(start, 0.0, "too large" if patterns.scales else "optimal")
        program = TreeProgram(patterns, self.max_depth)
        left = self._seconds_left(started)
        if left is not None and left <= 0.0:
            return FoundTree(start, 0.0, "time limit")
        found = solve_integer(program.linear, program.is_integer, solver, left, start=program.point_of(start))
        tree = program.tree_of(found.x)
        best = min((start, tree), key=patterns.mistakes)
        known = max(found.lower_bound, 0.0)  # minus infinity where time was too short for the relaxation
        return FoundTree(best, known, "time limit")


def n_entries(patterns: Patterns, max_depth: int) -> int:
    """About how many numbers the matrix of the program has, most of them where questions send rows."""
    per_row = sum(1 + scale.n_questions.bit_length() for scale in patterns.scales)
    return patterns.codes.shape[1] * (per_row * max_depth * 2 ** (max_depth - 1) + 2**max_depth)


@dataclass(frozen=True)
class Range:
    """Rows whose place is in [first, last] have this answer if the bits of the cut are as said."""

    first: int
    last: int
    answer: bool
    bits: tuple[bool, ...]  # the highest first


def ranges_of(n_questions: int) -> list[Range]:
    """What the bits of a cut say about every place: the cuts from `low` to before `high` are halved by every bit."""
    ends = [Range(0, 0, True, ()), Range(n_questions, n_questions, False, ())]
    return [*ends, *_halved(0, n_questions, ())]


def _halved(low: int, high: int, bits: tuple[bool, ...]) -> Iterator[Range]:
    if high - low == 1:
        return
    middle = (low + high) // 2
    yield Range(low + 1, middle, True, (*bits, True))
    yield Range(middle, high - 1, False, (*bits, False))
    yield from _halved(low, middle, (*bits, False))
    yield from _halved(middle, high, (*bits, True))


def bits_of(cut: int, n_questions: int) -> list[bool]:
    low, high, bits = 0, n_questions, []
    while high - low > 1:
        middle = (low + high) // 2
        bits.append(cut >= middle)
        low, high = (middle, high) if bits[-1] else (low, middle)
    return bits


def cut_of(bits: np.ndarray, n_questions: int) -> int:
    low, high = 0, n_questions
    for bit in bits:
        if high - low == 1:
            break
        middle = (low + high) // 2
        low, high = (middle, high) if bit else (low, middle)
    return low


class TreeProgram:
    """The integer program of a tree with all its 2^depth leaves; rows that look alike are one pattern s.

    Columns: f_nj, node n asks on scale j; t_nb, bit b of its cut; p_lc, leaf l decides for class c; x_sl, the share of
    pattern s that comes to leaf l; e_lc, rows of class c that leaf l decides wrongly. n_s rows have pattern s, n_sc of
    them class c.

        minimise    sum e_lc
        subject to  sum_j f_nj = 1,  sum_c p_lc = 1,  sum_l x_sl = 1
                    sum_s n_sc x_sl - N_c p_lc <= e_lc
                    sum_{s in R} n_s (share of s that leaves n by the other branch)
                        <= M_R (1 - f_nj + bits of the cut that are not those of R)

    for every node, scale and range R of places that bits of the cut decide (`ranges_of`), M_R the rows in it. How many
    inequalities there are does not depend on the number of rows, which is the point of the paper.
    """

    def __init__(self, patterns: Patterns, max_depth: int) -> None:
        self._patterns, self._depth = patterns, max_depth
        self._n_nodes, self._n_leaves = 2**max_depth - 1, 2**max_depth
        self._n_bits = max((scale.n_questions - 1).bit_length() for scale in patterns.scales)
        shapes = {
            "f": (self._n_nodes, len(patterns.scales)),
            "t": (self._n_nodes, self._n_bits),
            "p": (self._n_leaves, patterns.n_classes),
            "x": (patterns.codes.shape[1], self._n_leaves),
            "e": (self._n_leaves, patterns.n_classes),
        }
        self._at: dict[str, np.ndarray] = {}  # the number of every column
        first = 0
        for name, shape in shapes.items():
            self._at[name] = first + np.arange(np.prod(shape)).reshape(shape)
            first += int(np.prod(shape))
        self.n_columns = first

    @property
    def is_integer(self) -> np.ndarray:
        found = np.zeros(self.n_columns, dtype=bool)
        for name in "ftp":
            found[self._at[name]] = True
        return found

    @cached_property
    def linear(self) -> LinearProgram:
        rows = [*self._sums(), *self._errors(), *self._questions()]
        sizes = [len(columns) for columns, _, _, _ in rows]
        columns = np.concatenate([columns for columns, _, _, _ in rows])
        values = np.concatenate([values for _, values, _, _ in rows])
        indptr = np.concatenate([[0], np.cumsum(sizes)])
        matrix = sparse.csr_array((values, columns, indptr), shape=(len(rows), self.n_columns))
        cost, upper = np.zeros(self.n_columns), np.ones(self.n_columns)
        cost[self._at["e"]], upper[self._at["e"]] = 1.0, np.inf
        return LinearProgram(
            cost=cost,
            matrix=sparse.csc_array(matrix),
            row_lower=np.array([lower for _, _, lower, _ in rows]),
            row_upper=np.array([upper for _, _, _, upper in rows]),
            lower=np.zeros(self.n_columns),
            upper=upper,
        )

    def _sums(self) -> Iterator["_Row"]:
        for name in "fpx":
            for columns in self._at[name]:
                yield columns, np.ones(len(columns)), 1.0, 1.0

    def _errors(self) -> Iterator["_Row"]:
        counts = self._patterns.counts
        for leaf in range(self._n_leaves):
            for class_code in range(self._patterns.n_classes):
                own = np.flatnonzero(counts[:, class_code])
                columns = [*self._at["x"][own, leaf], self._at["p"][leaf, class_code], self._at["e"][leaf, class_code]]
                values = [*counts[own, class_code], -counts[:, class_code].sum(), -1.0]
                yield np.array(columns), np.array(values), -np.inf, 0.0

    def _questions(self) -> Iterator["_Row"]:
        n = self._patterns.counts.sum(axis=1)
        for number, scale in enumerate(self._patterns.scales):
            place = scale.place[self._patterns.codes[scale.feature]]
            for one in ranges_of(scale.n_questions):
                own = np.flatnonzero((place >= one.first) & (place <= one.last))
                if len(own):
                    for node in range(self._n_nodes):
                        yield self._row_of(one, own, n[own], node, number)

    def _row_of(self, one: Range, own: np.ndarray, n: np.ndarray, node: int, scale: int) -> "_Row":
        most, bits = float(n.sum()), np.array(one.bits, dtype=bool)
        wrong = self._leaves_below(node, answer=not one.answer)
        columns = [*self._at["x"][np.ix_(own, wrong)].ravel(), self._at["f"][node, scale]]
        columns += list(self._at["t"][node, : len(bits)])
        values = [*np.repeat(n, len(wrong)), most, *np.where(bits, most, -most)]
        return np.array(columns), np.array(values), -np.inf, most * (1.0 + float(bits.sum()))

    def _leaves_below(self, node: int, *, answer: bool) -> np.ndarray:
        """Nodes are numbered level by level, children of n are 2 n + 1 (yes) and 2 n + 2."""
        first = last = 2 * node + (1 if answer else 2)
        while first < self._n_nodes:
            first, last = 2 * first + 1, 2 * last + 2
        return np.arange(first, last + 1) - self._n_nodes

    # -- from trees and back -------------------------------------------------------------------------------

    def point_of(self, tree: Tree) -> np.ndarray:
        """The columns as the tree says; where it asks nothing any question will do, with the same class below."""
        point = np.zeros(self.n_columns)
        any_question = Question(self._patterns.scales[0], 0)
        scales = {id(scale): number for number, scale in enumerate(self._patterns.scales)}

        def fill(node: int, below: Tree, rows: np.ndarray) -> None:
            if node >= self._n_nodes:
                assert isinstance(below, Leaf)
                self._fill_leaf(point, node - self._n_nodes, below.class_code, rows)
                return
            asked = below.question if isinstance(below, Split) else any_question
            point[self._at["f"][node, scales[id(asked.scale)]]] = 1.0
            bits = bits_of(asked.cut, asked.scale.n_questions)
            point[self._at["t"][node, : len(bits)]] = bits
            is_yes = asked.is_yes(self._patterns.codes[:, rows])
            yes, no = (below.yes, below.no) if isinstance(below, Split) else (below, below)
            fill(2 * node + 1, yes, rows[is_yes])
            fill(2 * node + 2, no, rows[~is_yes])

        fill(0, tree, np.arange(self._patterns.codes.shape[1]))
        return point

    def _fill_leaf(self, point: np.ndarray, leaf: int, class_code: int, rows: np.ndarray) -> None:
        point[self._at["p"][leaf, class_code]] = 1.0
        point[self._at["x"][rows, leaf]] = 1.0
        wrong = self._patterns.counts[rows].sum(axis=0)
        wrong[class_code] = 0.0
        point[self._at["e"][leaf]] = wrong

    def tree_of(self, point: np.ndarray) -> Tree:
        def below(node: int) -> Tree:
            if node >= self._n_nodes:
                return Leaf(0)  # its class is found below
            scale: Scale = self._patterns.scales[int(np.argmax(point[self._at["f"][node]]))]
            cut = cut_of(point[self._at["t"][node]] > 0.5, scale.n_questions)
            return Split(Question(scale, cut), below(2 * node + 1), below(2 * node + 2))

        return relabelled(below(0), self._patterns.codes, self._patterns.counts)


# One row of the program: columns, their values, and the bounds of their sum.
_Row = tuple[np.ndarray, np.ndarray, float, float]
