"""What training towards parity achieved, as a notebook shows it."""

import numpy as np

from rugcore.fair_training.outcome import FairnessFit
from rugcore.plotting import markup
from rugcore.plotting.markup import Markup
from rugcore.rules import words


def fit_card(fit: FairnessFit) -> str:
    """What was asked for and reached in words, then every pair of groups, then every class and group."""
    verdict, *rest = str(fit).splitlines()
    return markup.card(
        markup.line(markup.strong(verdict)),
        *(markup.line(markup.faint(text)) for text in rest),
        _pairs(fit),
        _cells(fit),
    )


def _pairs(fit: FairnessFit) -> Markup:
    """The widest first."""
    sizes = {id(contrast): float(np.nan_to_num(abs(contrast.realised_gap))) for contrast in fit.contrasts}
    contrasts = sorted(fit.contrasts, key=lambda contrast: -sizes[id(contrast)])
    largest = max(sizes.values())
    lines = [
        (
            "all" if contrast.label is None else words.clear(contrast.label),
            f"{contrast.first} against {contrast.second}",
            markup.bar(sizes[id(contrast)], largest),
            "cannot be told" if np.isnan(contrast.realised_gap) else f"{contrast.realised_gap:+.3f}",
            "" if contrast.lp_gap is None else f"{contrast.lp_gap:+.3f}",
        )
        for contrast in contrasts
    ]
    headers = ("class", "groups", "size of the gap", "in decisions", "in the linear program")
    return markup.table(headers, lines, kind="pairs", rest="; to_frame() has them all", right=(3, 4))


def _cells(fit: FairnessFit) -> Markup:
    lines = [(words.clear(cell.label), cell.group, f"{cell.n_rows:,}", markup.share(cell.error)) for cell in fit.cells]
    rest = "; cells_frame() has them all"
    return markup.table(("class", "group", "rows", "wrong"), lines, kind="cells", rest=rest, right=(2, 3))
