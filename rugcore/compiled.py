"""How the loops over rows are compiled: the `kernels` beside the rooms that call them.

Kernels release the interpreter lock and are cached on disk, so that only the first process on a machine compiles them.
They take plain arrays and write into arrays that the caller owns.
"""

from numba import njit

compiled = njit(nogil=True, cache=True)
