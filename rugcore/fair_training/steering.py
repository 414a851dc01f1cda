"""Moving importance towards the cells that fare worse, in small steps that learn their own size."""

import numpy as np

from rugcore.fairness.parity import Cells, Parity

FIRST_STEP = 0.3
LARGEST_STEP = 1.0
FASTER, SLOWER = 1.4, 0.5
# Aim a little below epsilon, or the search would stop on the wrong side of it.
AIM = 0.8
# A class of a group that fares too well is held back half as much by the group's other classes.
COUNTERWEIGHT = 0.5


class Steering:
    """The importance of every cell, moved after every look at the rates.

    A cell whose rate lies above the middle of its stratum gains importance, one below loses some, and the notion
    says how the other classes of the same group move with it. Each cell keeps a step size of its own, which grows
    while the direction stands and shrinks when it turns (as in resilient propagation), so that no scale has to be
    guessed.
    """

    def __init__(self, parity: Parity, cells: Cells, positive: int | None) -> None:
        self._parity = parity
        self._positive = positive
        self._cells = cells
        self._log_importance = np.zeros(cells.count.shape)
        self._step = np.full(cells.count.shape, FIRST_STEP)
        self._direction = np.zeros(cells.count.shape)

    def look(self, tally: np.ndarray, epsilon: float) -> None:
        """Take a step, given the weight of every cell by decided class."""
        push = self._push(tally, AIM * epsilon)
        direction = np.sign(push)
        turned = direction * self._direction
        self._step = np.where(turned > 0, np.minimum(self._step * FASTER, LARGEST_STEP), self._step)
        self._step = np.where(turned < 0, self._step * SLOWER, self._step)
        self._direction = np.where(direction != 0, direction, self._direction)
        largest = np.abs(push).max(initial=0.0)
        if largest > 0:
            self._log_importance += self._step * push / largest

    def importance(self) -> np.ndarray:
        """By cell; what the notion compares apart keeps its total weight."""
        importance = np.exp(self._log_importance)
        return self._parity.notion.share_of_importance(importance, self._cells.weight).ravel()

    def _push(self, tally: np.ndarray, aim: float) -> np.ndarray:
        """How far each cell's rate lies above the middle of its stratum, if that spreads by more than `aim`.

        A rate that cannot be told, because too few are decided so, counts as 0: then more of them will be.
        """
        push = np.zeros(self._cells.n_cells)
        for rates in self._parity.strata():
            means = np.nan_to_num([rate.mean(tally) for rate in rates], nan=0.0)
            if means.max() - means.min() <= aim:
                continue
            for rate, mean in zip(rates, means, strict=True):
                push[rate.cells] = mean - (means.max() + means.min()) / 2
        by_class = push.reshape(self._cells.count.shape)
        return self._parity.notion.traded_off(by_class, COUNTERWEIGHT, self._positive)
