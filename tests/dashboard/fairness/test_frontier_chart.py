"""The chart of the frontier: which points are beaten, what lies off the scale, and what it says in words."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from rugboard.fairness.frontier_chart import beaten_by, better_choice, frontier, hides_points, spread
from rugboard.session.evaluations import Evaluation
from tests.dashboard.fairness.test_fairness_parts import FAIR_CELLS, Cell, alike, evaluation, fairness_fit

TINY = [Cell("a", "granted", 10, 1), Cell("b", "granted", 10, 5)]


def point(epsilon: float, more: int, accuracy: float, test: Sequence[Cell] = FAIR_CELLS) -> Evaluation:
    """A point whose gap on the training rows is so many of 400 people."""
    fit = replace(fairness_fit("realised", 0.0), epsilon=epsilon)
    return evaluation(fit=fit, test=test, training=alike(more=more), accuracy=accuracy)


POINTS = (point(0.01, 4, 0.80), point(0.02, 8, 0.79), point(0.05, 20, 0.81), point(0.1, 20, 0.81))


def points_in(figure: Any) -> list[Any]:
    """The traces of FairRUG on training rows and on test rows."""
    return [trace for trace in figure.data if trace.name == "FairRUG" and trace.customdata is not None]


def test_a_point_is_beaten_by_one_that_is_closer_and_more_accurate() -> None:
    beaten = [beaten_by(item, POINTS, "dmc") for item in POINTS]
    assert beaten == [None, POINTS[0], None, None]  # equal points do not beat each other


def test_only_unbeaten_points_are_joined_and_the_others_are_faint() -> None:
    figure = frontier(POINTS, (evaluation("rug"),), "dmc", 0.02)
    training, test = points_in(figure)
    assert [trace.customdata[1][0] for trace in (training, test)] == [0.02, 0.02]
    clear, faint = training.marker.color[0], training.marker.color[1]
    assert clear != faint
    unseen = training.marker.color[3]  # it lies behind the one before; faint ones on top of each other would look clear
    assert list(training.marker.color) == [clear, faint, clear, unseen]
    assert unseen.endswith(",0)")
    (line,) = (trace for trace in figure.data if trace.mode == "lines" and trace.x[0] is not None)
    assert list(line.x) == pytest.approx([1.0, 5.0, 5.0])
    named = [trace.name for trace in figure.data if trace.showlegend is not False]
    assert named.count("FairRUG") == 1
    assert {"shown here", "beaten by another", "allowed: 2.0 points"} <= set(named)
    assert list(training.marker.line.width) == [0, 3, 0, 0]


def test_a_beaten_choice_is_told_what_would_be_better() -> None:
    said = better_choice(POINTS, "dmc", 0.02)
    assert "a limit of 1.0 points leaves 1.0 points with 80.0 % right, against 2.0 points with 79.0 %" in said
    assert better_choice(POINTS, "dmc", 0.05) == ""


def test_points_on_top_of_each_other_name_all_their_limits() -> None:
    figure = frontier(POINTS, (), "dmc", 0.05)
    training, _ = points_in(figure)
    assert "allowed 5.0 or 10.0" in training.customdata[2][1]
    assert "allowed 5.0 or 10.0" in training.customdata[3][1]
    assert hides_points(POINTS, "dmc")
    assert not hides_points(POINTS[:3], "dmc")


def test_another_model_does_not_stretch_the_axis() -> None:
    peer = evaluation("lightgbm", accuracy=0.99)
    figure = frontier(POINTS, (evaluation("rug", accuracy=0.82), peer), "dmc", 0.05)
    low, high = figure.layout.yaxis.range
    assert 75 < low < 79
    assert 82 < high < 85
    assert not any(trace.name == "LightGBM" for trace in figure.data)
    said = [note.text for note in figure.layout.annotations if "LightGBM" in note.text]
    assert said == ["↑ LightGBM, off the scale: 99.0 %, 4.0 points apart"] * 2
    near = frontier(POINTS, (replace(peer, accuracy=POINTS[0].accuracy),), "dmc", 0.05)
    assert sum(trace.showlegend is True for trace in near.data if trace.name == "LightGBM") == 1


def test_an_empty_panel_says_why() -> None:
    figure = frontier((point(0.05, 4, 0.8, TINY),), (evaluation("rug", TINY),), "dmc", 0.05)
    said = [note for note in figure.layout.annotations if "no two groups are large enough" in note.text]
    assert len(said) == 1
    assert sum(shape.x0 == shape.x1 == 5 for shape in figure.layout.shapes) == 1  # no limit where nothing is


def test_heights_are_told_in_people() -> None:
    said = spread(POINTS)
    assert "On the training rows the points lie from 79.0 to 81.0 %, 6 of 310 people apart." in said
    assert "On the test rows" in said
    assert "all points are right equally often" in spread(POINTS[2:])
