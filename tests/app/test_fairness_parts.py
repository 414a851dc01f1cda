"""What the page Fairness computes and says, against rugcore's own audit and against cases made by hand."""

import io
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest

from rugcore.fairness.report import Audit, audit
from rugcore.fairness.result import CellFit, ContrastFit, FairnessFit
from tests.tables import mixed_outcome, mixed_table
from ui import fairness_charts, fairness_tables, fairness_words, peers
from ui.downloads import file_part, to_csv
from ui.fairness_standing import ROWS, TEST, TRAINING, Rates, Standing, by_difference
from ui.fairness_words import ABOVE, ABOVE_PERHAPS, UNKNOWN, WITHIN, WITHIN_PERHAPS, Worst, certainty

CLASSES = ("denied", "granted")


@dataclass(frozen=True)
class Cell:
    """Rows of one outcome in one group, and how many of them are decided wrongly."""

    group: str
    label: str
    n: int
    wrong: int


def audit_of(cells: Sequence[Cell], epsilon: float = 0.05) -> Audit:
    lines = [
        (cell.group, cell.label, cell.label if place >= cell.wrong else _other(cell.label))
        for cell in cells
        for place in range(cell.n)
    ]
    table = pd.DataFrame(lines, columns=["group", "true", "decided"])
    return audit(
        table["true"],
        table["decided"],
        sensitive_features=table["group"],
        positive_class="granted",
        epsilon=epsilon,
        classes=CLASSES,
    )


def _other(label: str) -> str:
    return CLASSES[1 - CLASSES.index(label)]


FAIR_CELLS = (
    Cell("*a*", "granted", 100, 10), Cell("*a*", "denied", 100, 20),
    Cell("=b", "granted", 100, 14), Cell("=b", "denied", 10, 1),
)  # fmt: skip


def standing(model: str = "fair", test: Sequence[Cell] = FAIR_CELLS, fit: FairnessFit | None = None) -> Standing:
    found = {TRAINING: audit_of(FAIR_CELLS), TEST: audit_of(test)}
    return Standing(model, found, dict.fromkeys(ROWS, 0.8), dict.fromkeys(ROWS, 310), fit, 7)


# -- words -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("gap", "lower", "upper", "expected"),
    [
        (0.01, -0.01, 0.02, WITHIN),
        (0.01, -0.04, 0.06, WITHIN_PERHAPS),
        (0.01, -0.09, 0.02, WITHIN_PERHAPS),  # the other way round it could be too large as well
        (0.04, -0.01, 0.09, ABOVE_PERHAPS),
        (0.09, 0.06, 0.12, ABOVE),
        (math.nan, math.nan, math.nan, UNKNOWN),
    ],
)
def test_a_gap_is_only_as_certain_as_its_interval(gap: float, lower: float, upper: float, expected: str) -> None:
    assert certainty(gap, lower, upper, 0.025) == expected


def test_the_verdict_names_groups_rates_limit_and_interval() -> None:
    said = fairness_words.verdict(standing(), "dmc", 0.025, CLASSES)
    worst = Worst.of(standing(), TEST, "dmc")
    assert worst is not None
    assert "310 test applicants" in said
    assert "the share of “granted” wrongly decided “denied” is **4.0 points** higher" in said
    assert r"“\=b” (14.0 %)" in said
    assert r"“\*a\*” (10.0 %)" in said  # harmless
    assert "you asked for at most 2.5" in said
    assert "may be chance" in said
    assert fairness_words.interval(worst.lower, worst.upper) in said
    assert "**1 of 4 rates is not estimable**" in said


def test_nobody_asked_anything_of_another_model() -> None:
    said = fairness_words.verdict(standing("rug"), "dmc", 0.025, CLASSES)
    assert "the limit is 2.5" in said
    assert "you asked" not in said


def test_on_training_rows_a_gap_is_a_fact() -> None:
    said = fairness_words.on_training_rows(standing(), "dmc", 0.05, CLASSES)
    assert "4.0 points" in said
    assert "within the limit" in said
    assert "chance" not in said
    assert "above the limit of 2.5" in fairness_words.on_training_rows(standing(), "dmc", 0.025, CLASSES)


def test_where_nothing_can_be_compared_the_verdict_says_so() -> None:
    tiny = [Cell("a", "granted", 10, 1), Cell("b", "granted", 10, 5), Cell("b", "denied", 40, 5)]
    said = fairness_words.verdict(standing(test=tiny), "dmc", 0.025, CLASSES)
    assert "no two groups are large enough" in said


def test_outcomes_are_told_by_what_was_decided_instead() -> None:
    assert fairness_words.share_of_mistakes(None, CLASSES) == "the share decided wrongly"
    assert fairness_words.share_of_mistakes(1.0, (0.0, 1.0)) == "the share of “1” wrongly decided “0”"
    assert fairness_words.share_of_mistakes("a", ("a", "b", "c")) == "the share of “a” decided wrongly"


def fairness_fit(guarantee: str = "proxy", padding: float = 25.0) -> FairnessFit:
    is_proxy = guarantee == "proxy"
    return FairnessFit(
        notion="dmc",
        guarantee=guarantee,
        epsilon=0.05,
        lp_gap=0.05,
        realised_gap=0.11,
        accuracy=0.8,
        padding=padding,
        loss=475.0,
        contrasts=(
            ContrastFit("granted", "*a*", "=b", 0.05, -0.04, -200.0 if is_proxy else None),
            ContrastFit("denied", "*a*", "=b", 0.02, 0.11, 0.0 if is_proxy else None),
        ),
        cells=(
            CellFit("granted", "*a*", 100, 0.1, 1.02, padding),
            CellFit("granted", "=b", 100, 0.14, 2.5, 0.0),
            CellFit("denied", "=b", 100, 0.1, 0.0, 0.0),
        ),
        not_estimable=(),
    )


def test_the_price_of_a_point_is_a_hundredth_of_the_dual() -> None:
    said = fairness_words.prices(fairness_fit())
    assert said == [
        r"Asking for one point less between “\*a\*” and “\=b” among “granted” would cost 2.0 units of loss, 0.40 % of "
        "the total."
    ]


def test_weights_tell_only_what_is_out_of_the_ordinary() -> None:
    said = fairness_words.weights(fairness_fit("realised", 0.0))
    assert len(said) == 2
    assert any("2.50 times" in line for line in said)
    assert any("hardly at all" in line for line in said)


def test_padding_is_told_in_two_sentences_with_its_numbers() -> None:
    said = fairness_words.padding(fairness_fit())
    assert said.count(". ") == 1
    assert said.endswith(".")
    for number in ("25.0 units", "5.0 % of the total", "5.0 points", "11.0 points"):
        assert number in said
    assert fairness_words.has_padding(fairness_fit())
    assert not fairness_words.has_padding(fairness_fit(padding=0.0))
    assert not fairness_words.has_padding(fairness_fit("realised"))


def test_the_screen_is_called_a_screen() -> None:
    uneven = [Cell("a", "granted", 100, 0), Cell("b", "granted", 100, 60)]
    said = fairness_words.screen(audit_of(uneven).parity)
    assert "0.40 times as often" in said
    assert "below the four-fifths screen" in said
    assert "neither proof of discrimination nor of its absence" in said
    even = [Cell("a", "granted", 100, 0), Cell("b", "granted", 100, 0)]
    assert "not below" in fairness_words.screen(audit_of(even).parity)
    nobody = [Cell("a", "denied", 100, 0), Cell("b", "denied", 100, 0)]
    assert "cannot be applied" in fairness_words.screen(audit_of(nobody).parity)


def test_a_long_list_of_what_is_not_estimable_is_cut_and_says_so() -> None:
    lacking = [("granted", f"g{number}", "3 rows") for number in range(9)]
    said = fairness_words.not_estimable(lacking, 30)
    assert "“g0” among “granted” (3 rows)" in said
    assert "3 more" in said


# -- tables ------------------------------------------------------------------------------------------------


def test_tables_hold_the_numbers_of_the_audit() -> None:
    items = [standing("rug"), standing("fair")]
    gaps = fairness_tables.gaps(items)
    assert len(gaps) == 2 * 2 * 3
    own = gaps[(gaps["model"] == "FairRUG") & (gaps["rows"] == "test")].set_index("notion")["gap"]
    assert own.to_dict() == items[1].audits[TEST].gaps["gap"].to_dict()
    assert len(fairness_tables.rates(items)) == 2 * 2 * 4
    assert len(fairness_tables.groups(items)) == 2 * 2 * 2
    whole = fairness_tables.whole_audit(items)
    assert list(whole.columns[:2]) == ["model", "rows"]
    assert len(whole) == 4 * len(items[0].audits[TEST].to_frame())


def test_files_are_harmless_in_a_spreadsheet_and_read_back() -> None:
    frame = fairness_tables.whole_audit([standing()])
    text = to_csv(frame).decode("utf-8-sig")
    assert '"\'=b"' in text
    assert ',"=b"' not in text
    back = pd.read_csv(io.StringIO(text))
    np.testing.assert_allclose(back["value"], frame["value"].astype(float))


def test_pairs_carry_the_gap_on_test_rows_with_its_sign() -> None:
    worse_now = (*FAIR_CELLS[:2], Cell("=b", "granted", 100, 5), Cell("=b", "denied", 10, 1))
    pairs = fairness_tables.pairs(standing(test=worse_now, fit=fairness_fit()))
    assert pairs["gap_on_test_rows"].iloc[0] == pytest.approx(0.10 - 0.05)
    assert math.isnan(pairs["gap_on_test_rows"].iloc[1])  # ten rows are too few
    assert pairs["price_per_point"].tolist() == [2.0, 0.0]
    to_read = fairness_tables.pairs_to_read(standing(test=worse_now, fit=fairness_fit()))
    assert to_read["test"].tolist() == ["5.0", "not estimable"]
    assert to_read["price"].tolist() == ["2.0", "0, does not bind"]


def test_what_is_not_estimable_is_never_a_zero() -> None:
    items = [standing()]
    assert fairness_tables.not_estimable(items, TEST) == [("denied", "=b", "10 rows")]
    rates = fairness_tables.rates_to_read(items, TEST, ["*a*", "=b"])
    line = rates[(rates["outcome"] == "denied") & (rates["group"] == "=b")].iloc[0]
    assert line["FairRUG"] == "not estimable"
    assert line["n"] == 10
    groups = fairness_tables.groups_to_read(items[0], TEST, ["*a*", "=b"])
    assert groups.set_index("group").loc["=b", "fpr"] == "not estimable"


@pytest.mark.parametrize(("notion", "n_all", "n_lacking"), [("dmc", 4, 1), ("odm", 2, 0), ("eop", 2, 0)])
def test_rates_left_out_are_counted_per_notion(notion: str, n_all: int, n_lacking: int) -> None:
    assert Rates.of(audit_of(FAIR_CELLS), notion) == Rates(n_all, n_lacking)


def test_groups_that_differ_most_come_first_and_unknown_ones_last() -> None:
    cells = [
        Cell("tiny", "granted", 5, 5), Cell("usual", "granted", 200, 20),
        Cell("far", "granted", 100, 60), Cell("near", "granted", 100, 22),
    ]  # fmt: skip
    order = by_difference([standing(test=cells)], TEST)
    assert order[0] == "far"
    assert order[-1] == "tiny"


@pytest.mark.parametrize(("name", "expected"), [("Mortgages in Boston", "mortgages-in-boston"), ("../..", "run")])
def test_the_name_of_a_run_becomes_a_file_name(name: str, expected: str) -> None:
    assert file_part(name) == expected


# -- charts ------------------------------------------------------------------------------------------------


def test_the_limit_is_drawn_on_training_and_test_rows() -> None:
    figure = fairness_charts.gaps((standing("rug"), standing("fair")), 0.025, "dmc")
    lines = [shape for shape in figure.layout.shapes if shape.x0 == shape.x1 == 2.5]
    assert len(lines) == 2
    named = {trace.name for trace in figure.data if trace.showlegend is not False}
    assert {"RUG", "FairRUG", "allowed: 2.5 points"} <= named


def test_only_test_rows_have_an_interval_around_a_gap() -> None:
    figure = fairness_charts.gaps((standing("fair"),), 0.025, "dmc")
    training, test = (trace for trace in figure.data if trace.name == "FairRUG")
    assert set(training.error_x.array) == {0.0}
    assert min(test.error_x.array) > 0


def test_error_rates_have_the_intervals_of_the_audit_and_name_what_is_missing() -> None:
    item = standing()
    figure = fairness_charts.error_rates((item,), TEST, ("*a*", "=b"))
    dots = [trace for trace in figure.data if trace.name == "FairRUG"]
    assert len(dots) == 2  # a panel an outcome
    rates = item.audits[TEST].rates.loc["granted"]
    granted = dots[1]
    np.testing.assert_allclose(granted.x, 100 * rates["rate"])
    np.testing.assert_allclose(np.add(granted.x, granted.error_x.array), 100 * rates["upper"])
    missing = [trace for trace in figure.data if trace.mode == "text" and len(trace.x)]
    assert len(missing) == 1
    assert "not estimable" in missing[0].text


def test_names_from_files_are_no_markup_in_charts() -> None:
    cells = [Cell("<b>x</b>", "granted", 50, 5), Cell("y", "granted", 50, 5)]
    figure = fairness_charts.error_rates((standing(test=cells),), TEST, ("<b>x</b>", "y"))
    assert "<b>" not in figure.to_json().replace("\\u003c", "<")


def test_the_frontier_tells_the_epsilon_of_every_dot() -> None:
    fit = fairness_fit()
    figure = fairness_charts.frontier((standing(fit=fit),), (standing("rug"),), "dmc", 0.05)
    dots = [trace for trace in figure.data if trace.name == "FairRUG"]
    assert [trace.customdata[0][0] for trace in dots] == [0.05, 0.05]
    assert dots[0].x[0] == pytest.approx(4.0)


# -- LightGBM ----------------------------------------------------------------------------------------------


def train_and_decide(table: pd.DataFrame, outcome: pd.Series, is_training: np.ndarray) -> np.ndarray:
    """LightGBM trained on some rows; what it decides for all of them."""
    return peers.decisions_of(peers.trained(table[is_training], outcome[is_training]), table)


def test_lightgbm_reads_every_kind_of_column_and_beats_the_usual_answer() -> None:
    table = mixed_table(600).rename(columns={"income": '[in] {come}: "a", b'})
    outcome = mixed_outcome(mixed_table(600))
    is_training = np.arange(600) % 4 > 0
    decided = train_and_decide(table, outcome, is_training)
    is_right = decided == outcome.to_numpy(dtype=object)
    usual = outcome.value_counts(normalize=True).max()
    assert is_right[is_training].mean() > usual
    again = train_and_decide(table, outcome, is_training)
    assert (decided == again).all()


def test_lightgbm_never_learns_from_test_rows() -> None:
    table = mixed_table(400)
    outcome = mixed_outcome(table)
    is_training = np.arange(400) < 300
    other = outcome.where(is_training, "ask")
    assert (train_and_decide(table, outcome, is_training) == train_and_decide(table, other, is_training)).all()
