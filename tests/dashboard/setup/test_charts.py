"""Charts of the pages Data and Train."""

import pytest

from rugboard.setup.charts import _exact_enough


@pytest.mark.parametrize(
    ("costs", "form"),
    [
        ((), ",.4~r"),
        ((10.0,), ",.4~r"),
        ((1729.0, 1405.0), ",.4~r"),
        ((13890.4, 13889.6), ",.7~r"),
        ((0.0, 0.0), ",.4~r"),
    ],
)
def test_marks_on_the_axis_of_costs_differ_however_little_it_falls(costs: tuple[float, ...], form: str) -> None:
    assert _exact_enough(costs) == form
