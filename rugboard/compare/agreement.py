"""Do the rules and SHAP name the same columns? Not for one applicant, but for a sample of them."""

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import streamlit as st

from rugboard.runs.results import Results
from rugboard.session import adjustments, applicant_address, explainers, page
from rugboard.session.adjustments import Adjustment
from rugboard.session.cache import cached
from rugboard.shell import charts, theme
from rugboard.shell.formats import NOTHING, counted, percent
from rugboard.shell.tables import LINE_BY_CLICK, clicked_line
from rugboard.shell.text import plain
from rugcore.comparison import Agreement, AgreementSample, agreement_over

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

SAMPLES_KEPT = 16
MOST_DIFFERENT = 8
HEIGHT = 230  # pixels
_CHOSEN = "_differing_applicant"


def sample_of(results: Results, model: str) -> AgreementSample:
    """Of the test rows, for a model as this visitor has set it."""
    return _sample(results, model, adjustments.current(results.run.id, model))


@cached(entries=SAMPLES_KEPT)
def _sample(results: Results, model: str, change: Adjustment) -> AgreementSample:
    rules, shap = explainers.of_rules(results, model, change), explainers.of_lightgbm(results, model, change)
    return agreement_over(rules, shap, results.X_test)


# -- on the screen -----------------------------------------------------------------------------------------


def show_agreement(results: Results, model: str) -> None:
    if (row := st.session_state.pop(_CHOSEN, None)) is not None:
        applicant_address.look_at(results, row)
        st.switch_page(page.APPLICANTS, query_params=page.address() | {"model": model})
    with st.spinner("Explaining a sample of applicants both ways …"):
        found = sample_of(results, model)
    if not any(item.by_rules for item in found.agreements):
        st.caption("No rule has a say on any of these rows, so there is nothing to hold against LightGBM.")
        return
    compared = explainers.compared_with(results, model, adjustments.current(results.run.id, model))
    st.markdown(in_a_sentence(found, theme.name_of_model(model), compared.words_of_sample))
    bars, rows = st.columns([1, 1.25], gap="large")
    with bars:
        st.caption(f"Shared columns, by number of applicants, {of_which(found)}")
        charts.show(distribution(found, model), key="compare-agreement", alt="Applicants by number of shared columns")
    with rows:
        st.caption("Where the two differ most. Click on somebody to see both explanations.")
        show_most_different(results, model, found)


def of_which(found: AgreementSample) -> str:
    return f"in a sample of {found.n:,} of {found.n_total:,}" if found.is_sample else f"all {found.n:,}"


def in_a_sentence(found: AgreementSample, model: str, compared: str) -> str:
    decided = [item for item in found.agreements if item.by_rules]
    n_named, n_shared = (sum(len(getattr(item, name)) for item in decided) for name in ("by_rules", "shared"))
    n_same_way = sum(len(item.same_sign) for item in decided)
    same_way = f", and {percent(n_same_way / n_shared)} of those push the same way in both" if n_shared else ""
    same = percent(np.mean([item.same_decision for item in found.agreements]).item())
    rows = (
        f"a sample of {found.n:,} of the {found.n_total:,} test rows"
        if found.is_sample
        else f"the {found.n:,} test rows"
    )
    return (
        f"Over {rows}: of the columns that {model} rests a decision on, **{percent(n_shared / n_named)}** are among "
        f"the {found.k} that matter most to LightGBM for the same applicant{same_way}. The decision itself is the same "
        f"for {same}. Both compare with {plain(compared)}."
    )


def distribution(found: AgreementSample, model: str) -> "Figure":
    import plotly.graph_objects as go

    counts = found.distribution()
    figure = go.Figure(
        go.Bar(
            x=[str(number) for number in counts.index],
            y=counts.to_numpy(),
            text=[f"{count:,}" for count in counts],
            textposition="outside",
            cliponaxis=False,
            marker_color=theme.colour_of_model(model),
            hovertemplate="%{x} shared columns: %{y:,} applicants<extra></extra>",
        )
    )
    figure.update_xaxes(title="columns that both name", type="category")
    figure.update_yaxes(showticklabels=False, showgrid=False, range=[0, 1.18 * max(counts.max(), 1)])
    return charts.styled(figure, HEIGHT)


def show_most_different(results: Results, model: str, found: AgreementSample) -> None:
    rows = applicant_address.positions_of_test_rows(results)
    frame = most_different(found)
    numbers = [applicant_address.number_of(results, int(rows[place])) for place in frame.pop("row")]
    key = f"most_different_{results.run.id}_{model}"

    def take() -> None:
        if (place := clicked_line(key)) is not None:
            st.session_state[_CHOSEN] = applicant_address.row_of(results, numbers[place])

    st.dataframe(
        frame.assign(number=numbers),
        key=key,
        hide_index=True,
        height="content",
        column_order=["number", "shared", "same_way", "decision"],
        column_config={
            "number": st.column_config.NumberColumn("Applicant", format="%d", width=80),
            "shared": st.column_config.TextColumn("Shared", help="Columns of the rules that LightGBM names too."),
            "same_way": st.column_config.TextColumn("Same way", help="Of the shared: those that push the same way."),
            "decision": st.column_config.TextColumn("Decision"),
        },
        selection_mode=LINE_BY_CLICK,
        on_select=take,
        alt="Applicants whose two explanations differ most",
    )


def most_different(found: AgreementSample) -> pd.DataFrame:
    """In words; those without any rule are not among them."""
    by_row = dict(zip(found.rows.tolist(), found.agreements, strict=True))
    rows = [row for row in found.to_frame()["row"].tolist() if by_row[row].by_rules][:MOST_DIFFERENT]
    return pd.DataFrame([_line(row, by_row[row]) for row in rows])


def _line(row: int, item: Agreement) -> dict[str, Any]:
    n_shared = len(item.shared)
    return {
        "row": row,
        "shared": f"{n_shared} of {counted(len(item.by_rules), 'column')}",
        "same_way": f"{len(item.same_sign)} of {n_shared}" if n_shared else NOTHING,
        "decision": "the same" if item.same_decision else "different",
    }
