"""What LightGBM makes of the same applicant, and how far the two explanations agree."""

from typing import TYPE_CHECKING, Any

import pandas as pd
import streamlit as st

from rugboard.applicants.cached import Case
from rugboard.session import explainers
from rugboard.shell import charts, theme
from rugboard.shell.agreement import agreement_in_words
from rugboard.shell.formats import counted
from rugboard.shell.text import named, plain, value_in_words
from rugcore.comparison import Agreement, ShapExplanation, agreement

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

TOP = 5  # columns of each explanation that are held against each other
SHOWN = 8  # columns in the chart; the others are one bar
BAR = 30  # pixels
HALF_BAR, OUTSIDE = 0.35, 0.6  # of a bar, and from the middle of the last bar to the edge of the chart
LONGEST_NAME, LONGEST_VALUE = 26, 14
SIGNS = "Above 0 it speaks for the decision of the rules, below 0 against it. Empty: not among those that matter most."


def explained(case: Case, cells: dict[str, Any] | None = None) -> ShapExplanation:
    """Towards the decision of the rules; of the applicant, or of changed values."""
    explainer = explainers.of_lightgbm(*case.chosen.adjusted)
    return explainer.explain(case.cells if cells is None else cells, case.explanation.decision)


# -- the chart ---------------------------------------------------------------------------------------------


def show_shap(case: Case, shap: ShapExplanation) -> None:
    st.markdown(f"**LightGBM decides {named(value_in_words(shap.predicted))}**{_too(case, shap)}")
    charts.show(
        waterfall(shap, case),
        key="shap_waterfall",
        alt=f"What every column adds to the score of LightGBM towards {value_in_words(shap.towards)}",
    )
    st.caption(
        scale_in_words(shap, len(case.chosen.classes), explainers.compared_with(*case.chosen.adjusted).words_of_sample)
    )


def _too(case: Case, shap: ShapExplanation) -> str:
    same = shap.predicted == case.explanation.decision
    if case.explanation.is_uncovered or case.explanation.is_tie:  # the rules did not decide
        return ", as was taken by default" if same else ", unlike what was taken by default"
    return ", as the rules do" if same else ", unlike the rules"


def scale_in_words(shap: ShapExplanation, n_classes: int, compared: str) -> str:
    towards = named(value_in_words(shap.towards))
    wins = f"above 0 it decides {towards}" if n_classes == 2 else "the outcome with the highest score wins"
    return (
        f"SHAP values: what each column adds to the score for {towards}, from {shap.base_value:+.2f} for the average "
        f"of {plain(compared)} to {shap.output:+.2f} here; {wins}."
    )


def waterfall(shap: ShapExplanation, case: Case) -> "Figure":
    """From the average score of those compared with, at the top, to the applicant's own at the bottom."""
    import plotly.graph_objects as go

    steps = steps_of(shap, case)
    starts = [shap.base_value + sum(amount for _, amount in steps[:place]) for place in range(len(steps))]
    amounts = [amount for _, amount in steps]
    for_it, against = _colours(shap, case)
    figure = go.Figure(
        go.Bar(
            x=amounts,
            y=list(range(len(steps))),
            base=starts,
            orientation="h",
            marker_color=[for_it if amount >= 0 else against for amount in amounts],
            text=[f"{amount:+.2f}" for amount in amounts],
            textposition="outside",
            cliponaxis=False,
            customdata=[name for name, _ in steps],
            hovertemplate="%{customdata}: %{text}<extra></extra>",
        )
    )
    _mark(figure, shap.base_value, "average", -OUTSIDE, "bottom")
    _mark(figure, shap.output, "here", len(steps) - 1 + OUTSIDE, "top")
    figure.update_xaxes(range=_room(starts, amounts), nticks=6, showticklabels=False, showgrid=False)
    figure.update_yaxes(
        range=[len(steps) - 1 + OUTSIDE, -OUTSIDE],
        tickmode="array",
        tickvals=list(range(len(steps))),
        ticktext=[name for name, _ in steps],
    )
    figure.update_layout(showlegend=False)
    charts.styled(figure, 60 + BAR * len(steps))
    return figure.update_layout(margin={"l": 8, "r": 16, "t": 24, "b": 24}, bargap=1 - 2 * HALF_BAR)


def _mark(figure: "Figure", value: float, words: str, end: float, anchor: str) -> None:
    """A score at the end of the chart where it belongs; a line through all bars would cross their numbers."""
    bar = end + (OUTSIDE - HALF_BAR if end < 0 else HALF_BAR - OUTSIDE)
    line = {"color": theme.OTHER, "dash": "dot", "width": 1}
    figure.add_shape(type="line", x0=value, x1=value, y0=end, y1=bar, line=line)
    figure.add_annotation(x=value, y=end, yanchor=anchor, showarrow=False, text=words)


def steps_of(shap: ShapExplanation, case: Case) -> list[tuple[str, float]]:
    """Columns with their values, and what each adds; the small ones together at the end."""
    shown, rest = shap.top(SHOWN)
    steps = [
        (
            f"{charts.escaped(item.column, LONGEST_NAME)}: "
            f"{charts.escaped(case.in_words(item.column, item.value), LONGEST_VALUE)}",
            item.amount,
        )
        for item in shown
    ]
    n_more = len(shap.contributions) - len(shown)
    return [*steps, (counted(n_more, "other column"), rest)] if n_more else steps


def _colours(shap: ShapExplanation, case: Case) -> tuple[str, str]:
    classes, favourable = case.chosen.classes, case.chosen.favourable
    others = [label for label in classes if label != shap.towards]
    against = theme.colour_of_class(others[0], classes, favourable) if len(others) == 1 else theme.OTHER
    return theme.colour_of_class(shap.towards, classes, favourable), against


def _room(starts: list[float], amounts: list[float]) -> list[float]:
    """Room for the numbers at the ends of the bars."""
    ends = [start + amount for start, amount in zip(starts, amounts, strict=True)]
    lowest, highest = min(*starts, *ends, 0.0), max(*starts, *ends, 0.0)
    room = 0.24 * (highest - lowest or 1.0)
    return [lowest - room, highest + room]


# -- agreement ---------------------------------------------------------------------------------------------


def show_agreement(case: Case, shap: ShapExplanation) -> None:
    rules = explainers.of_rules(*case.chosen.adjusted).explain(case.cells, shap.towards)
    found = agreement(case.explanation, rules, shap, TOP)
    st.markdown(f"**Do they agree?** {agreement_in_words(found)}")
    if not found.by_rules:
        return
    compared = plain(explainers.compared_with(*case.chosen.adjusted).words_of_sample)
    st.caption(f"Shapley values of both, compared with {compared}.")
    st.dataframe(
        agreement_frame(found, rules, shap),
        key="agreement",
        hide_index=True,
        height="content",
        column_config={
            "column": st.column_config.TextColumn("Column", width=240),
            "rules": st.column_config.TextColumn("Rules", width=60, help=SIGNS),
            "shap": st.column_config.TextColumn("LightGBM", width=75, help=SIGNS),
            "verdict": st.column_config.TextColumn("Together", width=120),
        },
        alt="Columns that the rules and LightGBM rest on",
    )


def agreement_frame(found: Agreement, rules: ShapExplanation, shap: ShapExplanation) -> pd.DataFrame:
    by_rules, values = ({item.column: item.amount for item in own.contributions} for own in (rules, shap))
    lines = [
        {
            "column": name,
            "rules": _push(by_rules.get(name, 0.0), name in found.by_rules),
            "shap": _push(values.get(name, 0.0), name in found.by_shap),
            "verdict": _verdict(name, found),
        }
        for name in dict.fromkeys((*found.by_rules, *found.by_shap))
    ]
    return pd.DataFrame(lines)


def _push(amount: float, is_named: bool) -> str:
    return f"{amount:+.2f}" if is_named else ""


def _verdict(name: str, found: Agreement) -> str:
    if name not in found.shared:
        return "only the rules" if name in found.by_rules else "only LightGBM"
    return "same way" if name in found.same_sign else "opposite ways"
