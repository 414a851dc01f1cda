"""The steps of sliders that several pages have."""

PRICES = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)
GAPS = (0.0, 0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.3)


def steps_with(usual: tuple[float, ...], *chosen: float | None) -> list[float]:
    """The usual steps, and values that were chosen elsewhere."""
    return sorted({*usual, *(value for value in chosen if value is not None)})
