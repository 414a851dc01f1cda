"""Logistic regression by Newton's method, to the last digits: the same rows in another order give the same answer."""

from collections.abc import Callable

import numpy as np
from scipy import sparse
from scipy.special import log_softmax

from rugcore.training import kernels

MOST_STEPS = 100
SMALLEST_DECREMENT = 1e-11  # Newton squares the error: one step later nothing is left to gain
SMALLEST_STEP = 1e-6  # shorter steps are lost in rounding


def ridge_logistic(features: sparse.csr_array, target: np.ndarray, weight: np.ndarray, ridge: float) -> np.ndarray:
    """Intercept and coefficients of log-odds that add up from the features (yes or no); the intercept pays no ridge.

    One imaginary row without any feature, whose target is the mean, keeps the intercept finite.
    """
    matrix, target, weight = _with_imaginary_row(features, target, weight)
    price = np.full(matrix.shape[1], ridge)
    price[0] = 0.0

    def loss(at: np.ndarray) -> float:
        odds = matrix @ at
        return float((weight * (np.logaddexp(0.0, odds) - target * odds)).sum() + 0.5 * (price * at * at).sum())

    def slopes(at: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        chance = 0.5 * (1.0 + np.tanh(0.5 * (matrix @ at)))
        gradient = matrix.T @ (weight * (chance - target)) + price * at
        return gradient, _gram(matrix, weight * chance * (1.0 - chance)) + np.diag(price)

    return newton(loss, slopes, np.zeros(matrix.shape[1]))


def signed_ridge_logistic(
    features: sparse.csr_array, target: np.ndarray, weight: np.ndarray, ridge: float, signs: np.ndarray
) -> np.ndarray:
    """The same, where a feature of sign 1 adds no less than nothing, and one of sign -1 no more.

    A feature that would do otherwise adds nothing, and the others are fitted again.
    """
    found = np.zeros(1 + len(signs))
    kept = np.arange(len(signs))
    while True:
        found[:] = 0.0
        found[np.append(0, 1 + kept)] = ridge_logistic(sparse.csr_array(features[:, kept]), target, weight, ridge)
        is_wrong = signs * found[1:] < 0
        if not is_wrong.any():
            return found
        kept = np.setdiff1d(kept, np.flatnonzero(is_wrong))


def scaled_softmax(
    evidence: np.ndarray, class_code: np.ndarray, weight: np.ndarray, ridge: float
) -> tuple[float, np.ndarray]:
    """The scale a and the shifts b for which softmax(a * evidence + b) fits best; ridge draws a to 1 and b to 0."""
    n_rows, n_classes = evidence.shape
    is_class = np.eye(n_classes)[class_code]
    start = np.zeros(1 + n_classes)
    start[0] = 1.0

    def loss(at: np.ndarray) -> float:
        logs = log_softmax(at[0] * evidence + at[1:], axis=1)
        return float(-weight @ logs[np.arange(n_rows), class_code] + 0.5 * ridge * ((at - start) ** 2).sum())

    def slopes(at: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        chance = np.exp(log_softmax(at[0] * evidence + at[1:], axis=1))
        wrong = weight[:, None] * (chance - is_class)
        gradient = np.concatenate([[(wrong * evidence).sum()], wrong.sum(axis=0)]) + ridge * (at - start)
        mean = (chance * evidence).sum(axis=1, keepdims=True)
        spread = weight[:, None] * chance * (evidence - mean)
        curvature = np.empty((1 + n_classes, 1 + n_classes))
        curvature[0, 0] = (spread * evidence).sum()
        curvature[0, 1:] = curvature[1:, 0] = spread.sum(axis=0)
        curvature[1:, 1:] = np.diag(weight @ chance) - (chance * weight[:, None]).T @ chance
        return gradient, curvature + ridge * np.eye(1 + n_classes)

    found = newton(loss, slopes, start)
    return float(found[0]), found[1:]


def newton(
    loss: Callable[[np.ndarray], float],
    slopes: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]],
    start: np.ndarray,
) -> np.ndarray:
    """The minimum of a strictly convex loss; a step that does not help is halved."""
    at, value = start, loss(start)
    for _ in range(MOST_STEPS):
        gradient, curvature = slopes(at)
        step = gradient.copy()
        kernels.solve_positive(curvature, step)
        decrement = float(gradient @ step)
        length = 1.0
        while decrement > SMALLEST_DECREMENT and length > SMALLEST_STEP and loss(at - length * step) > value:
            length /= 2
        at = at - length * step
        value = loss(at)
        if decrement <= SMALLEST_DECREMENT:
            break
    return at


def _with_imaginary_row(
    features: sparse.csr_array, target: np.ndarray, weight: np.ndarray
) -> tuple[sparse.csr_array, np.ndarray, np.ndarray]:
    nothing = sparse.csr_array((1, features.shape[1]))
    rows = sparse.vstack([features.astype(np.float64), nothing], format="csr")
    matrix = sparse.csr_array(sparse.hstack([np.ones((rows.shape[0], 1)), rows], format="csr"))
    matrix.sort_indices()
    mean = weight @ target / weight.sum()
    return matrix, np.append(target, mean), np.append(weight, 1.0)


def _gram(matrix: sparse.csr_array, weight: np.ndarray) -> np.ndarray:
    """The lower half of what weighs the features against each other."""
    gram = np.zeros((matrix.shape[1], matrix.shape[1]))
    kernels.add_gram(matrix.indptr, matrix.indices, weight, gram)
    return gram
