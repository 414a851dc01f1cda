"""Moving importance towards the cells that fare worse, in small steps that learn their own size."""

import numpy as np

from rugcore.fairness.notions import Cells, Parity

FIRST_STEP = 0.3
LARGEST_STEP = 1.0
FASTER, SLOWER = 1.4, 0.5
# Aim a little below epsilon, or the search would stop on the wrong side of it.
AIM = 0.8
# A class of a group that fares too well is held back half as much by the group's other classes.
COUNTERWEIGHT = 0.5


class Steering:
    """The importance of every cell, moved after every look at the error rates.

    A cell whose error rate lies above the middle of its class gains importance, one below loses some, and the other
    classes of the same group move the other way: an error rate is moved least expensively by trading it against the
    errors that the same people suffer in another class. Each cell keeps a step size of its own, which grows while the
    direction stands and shrinks when it turns (as in resilient propagation), so that no scale has to be guessed.
    """

    def __init__(self, parity: Parity, cells: Cells) -> None:
        self._parity = parity
        self._cells = cells
        self._log_importance = np.zeros(cells.count.shape)
        self._step = np.full(cells.count.shape, FIRST_STEP)
        self._direction = np.zeros(cells.count.shape)

    def look(self, cell_errors: np.ndarray, epsilon: float) -> None:
        """Take a step, given the wrongly decided weight of every cell."""
        push = self._push(cell_errors, AIM * epsilon)
        direction = np.sign(push)
        turned = direction * self._direction
        self._step = np.where(turned > 0, np.minimum(self._step * FASTER, LARGEST_STEP), self._step)
        self._step = np.where(turned < 0, self._step * SLOWER, self._step)
        self._direction = np.where(direction != 0, direction, self._direction)
        largest = np.abs(push).max(initial=0.0)
        if largest > 0:
            self._log_importance += self._step * push / largest

    def importance(self) -> np.ndarray:
        """By cell; the total weight of every class (with ODM: of all rows) stays what it was."""
        importance, weight = np.exp(self._log_importance), self._cells.weight
        axis = None if self._parity.notion == "odm" else 1
        before = np.sum(weight, axis=axis, keepdims=True)
        after = np.sum(importance * weight, axis=axis, keepdims=True)
        kept = np.divide(before, after, out=np.ones_like(before), where=after > 0)  # a class may have no rows here
        return np.asarray(importance * kept).ravel()

    def _push(self, cell_errors: np.ndarray, aim: float) -> np.ndarray:
        """How far each cell's error rate lies above the middle of its stratum, if that spreads by more than `aim`."""
        push = np.zeros(self._cells.n_cells)
        for rates in self._parity.strata():
            means = np.array([rate.mean(cell_errors) for rate in rates])
            if means.max() - means.min() <= aim:
                continue
            for rate, mean in zip(rates, means, strict=True):
                push[rate.cells] = mean - (means.max() + means.min()) / 2
        by_class = push.reshape(self._cells.count.shape)
        return by_class if self._parity.notion == "odm" else _traded_off(by_class)


def _traded_off(push: np.ndarray) -> np.ndarray:
    others = push.sum(axis=0) - push
    traded: np.ndarray = push - COUNTERWEIGHT * others / (len(push) - 1)
    return traded
