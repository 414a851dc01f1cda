"""Signed gaps over many splits: a small dot for every split, a large one with its interval for all together."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rugboard.fairness.chart_style import SIGNS, explain_limit, put_legend_above
from rugboard.fairness.words import short_points
from rugboard.runs.plan import FAIR, RUG
from rugboard.shell import theme
from rugboard.shell.charts import escaped, styled
from rugboard.shell.formats import points
from rugboard.shell.text import value_in_words
from rugcore.selection import FairnessOverSplits

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

LINE = 22  # pixels for a model
BETWEEN = 40  # pixels between pairs, with room for their names
HEAD = 76
MOST_PAIRS = 12  # lines; the numbers have them all
LONGEST = 44  # letters above a line, which fit a phone
NAMES = {"FairRUG": FAIR, "RUG": RUG}


def over_splits(found: FairnessOverSplits, names: Mapping[str, str]) -> "Figure":
    """One line per outcome and pair of groups, those first whose gap is widest."""
    from plotly.graph_objects import Figure

    table = found.to_frame().query("not_estimable == ''")
    pairs = _widest_pairs(table.to_dict("records"))
    figure = Figure()
    models = [model.name for model in found.models]
    step = len(models) * LINE + BETWEEN
    for number, model in enumerate(models):
        lines = [_line_of(table.to_dict("records"), model, pair) for pair in pairs]
        heights = [place * step + number * LINE for place in range(len(pairs))]
        _add_model(figure, found, model, lines, heights, names)
    for place, pair in enumerate(pairs):
        figure.add_annotation(
            text=_title(pair, names), x=0, xref="paper", xanchor="left", y=place * step - LINE * 0.85, yref="y",
            showarrow=False, align="left",
        )  # fmt: skip
    for limit in (-found.epsilon, found.epsilon):
        figure.add_vline(x=100 * limit, line={"color": theme.LIMIT, "dash": "dash", "width": 1.5})
    explain_limit(figure, f"allowed: {points(found.epsilon)} either way")
    height = step * len(pairs)
    figure.update_yaxes(visible=False, range=[height - BETWEEN / 2, -LINE * 1.6])
    figure.update_xaxes(title="points", zeroline=True)
    figure = styled(figure, HEAD + height + 40)
    put_legend_above(figure, HEAD)
    return figure


Pair = tuple[Any, str, str]


def _pair(line: Mapping[Any, Any]) -> Pair:
    return line["class"], line["first_group"], line["second_group"]


def _widest_pairs(lines: list[dict[Any, Any]]) -> list[Pair]:
    widest: dict[Pair, float] = {}
    for line in lines:
        widest[_pair(line)] = max(widest.get(_pair(line), 0.0), abs(line["gap"]))
    return sorted(widest, key=lambda pair: -widest[pair])[:MOST_PAIRS]


def _line_of(lines: list[dict[Any, Any]], model: str, pair: Pair) -> dict[Any, Any]:
    return next(line for line in lines if line["model"] == model and _pair(line) == pair)


def _title(pair: Pair, names: Mapping[str, str]) -> str:
    label, first, second = pair
    among = "" if label is None else f"<b>{escaped(value_in_words(label), LONGEST // 2)}</b>: "
    one, other = (escaped(names.get(group, group), LONGEST // 2) for group in (first, second))
    return f"{among}{one} against {other}"


def _add_model(
    figure: "Figure",
    found: FairnessOverSplits,
    model: str,
    lines: list[dict[Any, Any]],
    heights: list[int],
    names: Mapping[str, str],
) -> None:
    code = NAMES.get(model, model)
    own = found.model(model)
    places = {(pair.label, pair.first, pair.second): place for place, pair in enumerate(own.pairs)}
    single = [
        (100 * float(gap), height)
        for line, height in zip(lines, heights, strict=True)
        for gap in own.split_gaps[:, places[_pair(line)]]
    ]
    colour = theme.colour_of_model(code)
    figure.add_scatter(
        x=[gap for gap, _ in single],
        y=[height for _, height in single],
        mode="markers",
        marker={"color": colour, "size": 6, "symbol": "line-ns-open", "opacity": 0.75},
        name=f"{model}, single splits",
        hovertemplate="one split: %{x:.1f} points<extra></extra>",
        legendgroup=code,
        showlegend=code == FAIR or len(found.models) == 1,
    )
    figure.add_scatter(
        x=[100 * line["gap"] for line in lines],
        y=heights,
        error_x={
            "type": "data",
            "symmetric": False,
            "array": [_reach(line["upper"] - line["gap"]) for line in lines],
            "arrayminus": [_reach(line["gap"] - line["lower"]) for line in lines],
            "thickness": 2,
            "width": 4,
        },
        mode="markers",
        marker={"color": colour, "size": 12, "symbol": SIGNS.get(code, "circle")},
        name=f"{model}, all splits",
        legendgroup=code,
        customdata=[_hover(line, names) for line in lines],
        hovertemplate="%{customdata}<extra></extra>",
    )


def _reach(length: float) -> float:
    return 100 * length if length == length else 0.0


def _hover(line: Mapping[Any, Any], names: Mapping[str, str]) -> str:
    bounds = (
        ""
        if line["lower"] != line["lower"]
        else f", interval {short_points(line['lower'])} to {short_points(line['upper'])}"
    )
    return (
        f"{line['model']}: {_title(_pair(line), names)}<br>{short_points(line['gap'])} points{bounds}<br>"
        f"on the rows trained on {short_points(line['training_gap'])}"
    )
