"""Charts: one bar an item, labels that are only labels, and one sentence where the package is missing."""

import sys

import pytest

from rugcore import MissingPackageError, RugError
from rugcore.plotting import charts
from rugcore.plotting.charts import Bar, Dot

BARS = [Bar("a", 2.0, "yes", "first"), Bar("b", 1.5, "no"), Bar("a", 0.5, "yes")]


def test_every_bar_has_a_place_of_its_own_from_the_top() -> None:
    figure = charts.bars(BARS, title="Weights", value_title="weight")
    drawn = {place: length for trace in figure.data for place, length in zip(trace.y, trace.x, strict=True)}
    assert drawn == {0: 2.0, 1: 1.5, 2: 0.5}
    assert [trace.name for trace in figure.data] == ["yes", "no"]
    assert list(figure.layout.yaxis.ticktext) == ["a", "b", "a"]
    top, bottom = sorted(figure.layout.yaxis.range)
    assert figure.layout.yaxis.range[0] == bottom > top  # the first is on top
    assert figure.data[0].hovertext[0] == "a<br>first"


def test_labels_are_no_commands() -> None:
    name = '<a href="javascript:alert(1)">x</a>'
    figure = charts.bars([Bar(name, 1.0, name, name)], title=name, value_title=name)
    drawn = figure.to_json()
    assert "<a " not in drawn
    assert "\\u003ca " not in drawn
    assert "&lt;a" in drawn


def test_a_long_label_is_cut_and_told_whole_beside_the_pointer() -> None:
    figure = charts.bars([Bar("word " * 50, 1.0, "yes")], title="", value_title="")
    assert len(figure.layout.yaxis.ticktext[0]) <= charts.LONGEST_LABEL
    assert figure.data[0].hovertext[0].startswith("word " * 50)


def test_nothing_to_draw_is_an_empty_chart() -> None:
    assert len(charts.bars([], title="Decision: no", value_title="weight").data) == 0


def test_a_curve_keeps_its_order_and_shows_the_limit() -> None:
    dots = [Dot(0.1, 0.8, "one"), Dot(0.05, 0.81, "two")]
    figure = charts.curve(dots, name="n", x_title="x", y_title="y", is_joined=True, limit=0.07)
    assert list(figure.data[0].x) == [0.1, 0.05]
    assert list(figure.data[0].hovertext) == ["one", "two"]
    assert figure.layout.shapes[0].x0 == 0.07
    assert figure.data[0].mode == "lines+markers"
    alone = charts.curve(dots[:1], name="n", x_title="x", y_title="y", is_joined=False)
    assert alone.data[0].mode == "markers"
    low, high = alone.layout.yaxis.range
    assert high - low == pytest.approx(charts.LEAST_SPAN)


def test_without_plotly_one_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "plotly", None)
    monkeypatch.setitem(sys.modules, "plotly.graph_objects", None)
    with pytest.raises(MissingPackageError, match="pip install plotly") as caught:
        charts.bars(BARS, title="", value_title="")
    assert isinstance(caught.value, RugError)
    assert isinstance(caught.value, ImportError)


def test_a_curve_can_have_more_series_and_a_floor() -> None:
    dots = [Dot(1.0, 0.8), Dot(2.0, 0.9)]
    figure = charts.curve(dots, name="n", x_title="x", y_title="y", is_joined=False)
    charts.add_series(figure, dots[:1], name="<b>chosen</b>")
    charts.add_floor(figure, 0.6, "always")
    assert [trace.marker.color for trace in figure.data] == list(charts.COLOURS[:2])
    assert figure.data[1].name == "&lt;b&gt;chosen&lt;/b&gt;"
    assert figure.layout.showlegend
    assert figure.layout.shapes[0].y0 == 0.6
    low, high = figure.layout.yaxis.range
    assert low < 0.6
    assert high > 0.9
