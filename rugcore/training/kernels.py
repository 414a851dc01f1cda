"""Loops of the regressions, compiled: without the threads of a linear algebra package, which wait for busy cores."""

import numpy as np

from rugcore.compiled import compiled


@compiled
def add_gram(indptr, indices, weight, gram):
    """gram[i, j] += weight of the rows that have both features, for j <= i; the indices of a row ascend."""
    for row in range(weight.size):
        for first in range(indptr[row], indptr[row + 1]):
            line = gram[indices[first]]
            for second in range(indptr[row], first + 1):
                line[indices[second]] += weight[row]


@compiled
def solve_positive(matrix, right):
    """Solve matrix @ x = right in place by Cholesky's method; only the lower half of the matrix is looked at."""
    size = right.size
    for row in range(size):
        for column in range(row + 1):
            rest = matrix[row, column]
            for place in range(column):
                rest -= matrix[row, place] * matrix[column, place]
            matrix[row, column] = np.sqrt(rest) if row == column else rest / matrix[column, column]
    for row in range(size):
        for place in range(row):
            right[row] -= matrix[row, place] * right[place]
        right[row] /= matrix[row, row]
    for row in range(size - 1, -1, -1):
        for place in range(row + 1, size):
            right[row] -= matrix[place, row] * right[place]
        right[row] /= matrix[row, row]
