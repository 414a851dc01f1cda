"""Which of up to 64 rules cover each row, one bit per rule.

Every code of a column has a word of bits saying which rules it does not rule out; a row is covered by the rules left
after joining the words of its columns with AND. Training and prediction both cover rows this way.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from rugcore.parallel import in_parallel, slices
from rugcore.tables import kernels
from rugcore.tables.columns import N_CODES

RULES_PER_WORD = 64
ROWS_PER_THREAD = 50_000  # handing a thread fewer costs more than it saves


class RuleBits:
    """Up to 64 rules; each maps the lines of the codes that it looks at to the codes that it allows there."""

    def __init__(self, rules: Sequence[Mapping[int, np.ndarray]]) -> None:
        lines = sorted({line for rule in rules for line in rule})
        self._lines = np.array(lines, dtype=np.int64)
        self._masks = np.array([_mask(rules, line) for line in lines], dtype=np.uint64).reshape(len(lines), N_CODES)

    def words(self, codes: np.ndarray) -> np.ndarray:
        """One 64-bit word per row; bit b is set where rule b covers it. Bits above the last rule mean nothing."""
        words = np.empty(codes.shape[1], dtype=np.uint64)

        def cover(part: slice) -> None:
            kernels.cover_words(codes, self._lines, self._masks, part.start, part.stop, words)

        in_parallel(cover, slices(len(words), at_least=ROWS_PER_THREAD))
        return words


def _mask(rules: Sequence[Mapping[int, np.ndarray]], line: int) -> np.ndarray:
    """For every code, the rules that it does not rule out."""
    mask = np.full(N_CODES, ~np.uint64(0))
    for bit, rule in enumerate(rules):
        if line in rule:
            mask[~rule[line]] &= ~(np.uint64(1) << np.uint64(bit))
    return mask
