"""What the page Fairness computes and says, against rugcore's own audit and against cases made by hand."""

import io
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from rugboard.fairness import (
    alternatives_view,
    borrowing,
    burden,
    charts,
    levelling_down,
    promise,
    splits_view,
    tables,
    view,
)
from rugboard.fairness import words as fairness_words
from rugboard.fairness.levelling_down import RateChange
from rugboard.fairness.limit import FairnessLimit
from rugboard.fairness.words import ABOVE, ABOVE_PERHAPS, UNKNOWN, WITHIN, WITHIN_PERHAPS, Worst, certainty
from rugboard.session import lightgbm
from rugboard.session.evaluations import ROWS, TEST, TRAINING, Comparability, Evaluation, by_difference, by_selection
from rugboard.shell.downloads import file_part, to_csv
from rugboard.shell.formats import NOTHING
from rugcore.fair_training import CellFit, ContrastFit, Expectation, FairnessFit
from rugcore.fairness import Audit, audit, clear_ratio
from tests.tables import mixed_outcome, mixed_table

CLASSES = ("denied", "granted")


@dataclass(frozen=True)
class Cell:
    """Rows of one outcome in one group, and how many of them are decided wrongly."""

    group: str
    label: str
    n: int
    wrong: int


def audit_of(cells: Sequence[Cell]) -> Audit:
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
        classes=CLASSES,
    )


def _other(label: str) -> str:
    return CLASSES[1 - CLASSES.index(label)]


FAIR_CELLS = (
    Cell("*a*", "granted", 100, 10), Cell("*a*", "denied", 100, 20),
    Cell("=b", "granted", 100, 14), Cell("=b", "denied", 10, 1),
)  # fmt: skip


def evaluation(
    model: str = "fair",
    test: Sequence[Cell] = FAIR_CELLS,
    fit: FairnessFit | None = None,
    training: Sequence[Cell] = FAIR_CELLS,
    accuracy: float = 0.8,
) -> Evaluation:
    found = {TRAINING: audit_of(training), TEST: audit_of(test)}
    own = fairness_fit("realised", 0.0) if model == "fair" and fit is None else fit
    return Evaluation(model, found, dict.fromkeys(ROWS, accuracy), dict.fromkeys(ROWS, 310), own, 7)


def alike(n: int = 400, wrong: int = 40, *, more: int = 0) -> tuple[Cell, ...]:
    """Two groups treated alike, but for so many more mistakes in one of them."""
    return (
        Cell("a", "granted", n, wrong + more), Cell("a", "denied", n, wrong),
        Cell("b", "granted", n, wrong), Cell("b", "denied", n, wrong),
    )  # fmt: skip


ASKED = FairnessLimit(
    "dmc", 0.025, (("run", "Mortgages"), ("data", "hmda")), (("RUG", ""), ("FairRUG", "")), "mortgages"
)


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


def in_full(item: Evaluation, epsilon: float) -> str:
    """What the card of a model says, opened."""
    return f"{fairness_words.verdict(item, 'dmc')} {fairness_words.how_sure(item, 'dmc', epsilon)}"


def test_the_verdict_names_groups_rates_limit_and_interval() -> None:
    said = in_full(evaluation(), 0.025)
    worst = Worst.of(evaluation(), TEST, "dmc")
    assert worst is not None
    assert "The share of “granted” decided wrongly: " in said
    assert r"“\=b” **14.0 %** (14 of 100)" in said
    assert r"“\*a\*” **10.0 %** (10 of 100)" in said  # harmless
    assert "You asked for at most 2.5" in said
    assert "may be chance" in said
    assert fairness_words.interval(worst.lower, worst.upper) in said
    assert r"**Not estimable:** “\=b” among “denied”, 10 rows. So “denied” could not be compared." in said
    assert "widest of" not in said  # there is but one pair


@pytest.mark.parametrize(
    ("test", "begins"),
    [
        (alike(40, 4), "**Whether FairRUG keeps the limit on new people cannot be told from the test rows.**"),
        (alike(), "**FairRUG keeps the limit on the test rows.**"),
        (alike(more=200), "**FairRUG is above the limit on the test rows.**"),
        ((*alike()[:3], Cell("b", "denied", 12, 0)), "**FairRUG keeps the limit on the test rows as far as it can be"),
        ([Cell("a", "granted", 10, 1), Cell("b", "granted", 10, 5)], "**Nothing can be told.**"),
    ],
)
def test_the_page_in_a_line_begins_with_the_test_rows_and_has_the_screen(test: Any, begins: str) -> None:
    item = evaluation(test=test)
    said = fairness_words.headline(item, "dmc", 0.05)
    assert said.startswith(begins)
    parity = item.audits[TEST].parity
    if math.isnan(parity.ratio):
        assert said.endswith("The four-fifths screen cannot be applied here.")
    else:
        side = "below" if parity.ratio < 0.8 else "not below"
        assert f"Four-fifths screen: {clear_ratio(parity.ratio)}, {side} 0.8" in said
        assert ("may be chance" in said) == (parity.ratio_lower < 0.8 <= parity.ratio_upper)


def test_there_is_no_minus_nothing() -> None:
    assert [fairness_words.short_points(share) for share in (-0.0001, 0.0, -0.02)] == [
        "0.0", "0.0", f"{fairness_words.MINUS}2.0"
    ]  # fmt: skip


def test_nobody_asked_anything_of_another_model() -> None:
    said = in_full(evaluation("rug"), 0.025)
    assert "The limit is 2.5" in said
    assert "you asked" not in said.lower()


def test_on_training_rows_a_gap_is_a_fact() -> None:
    said = fairness_words.on_training_rows(evaluation(), "dmc", 0.05)
    assert "4.0 points" in said
    assert "within the limit as far as it can be measured" in said
    assert "Not estimable" in said
    assert "chance" not in said
    whole = fairness_words.on_training_rows(evaluation(training=alike()), "dmc", 0.05)
    assert whole.endswith("within the limit.")
    assert "above the limit of 2.5" in fairness_words.on_training_rows(evaluation(), "dmc", 0.025)


def test_where_nothing_can_be_compared_the_verdict_says_so() -> None:
    tiny = [Cell("a", "granted", 10, 1), Cell("b", "granted", 10, 5), Cell("b", "denied", 40, 5)]
    said = in_full(evaluation(test=tiny), 0.025)
    assert "No two groups are large enough" in said
    assert "larger share of test rows" in said  # a way out


def test_what_may_be_chance_is_exceeding_the_limit_where_the_difference_is_not() -> None:
    apart = evaluation(test=alike(more=24))
    worst = Worst.of(apart, TEST, "dmc")
    assert worst is not None
    assert 0 < worst.lower < 0.05 < worst.gap
    said = in_full(apart, 0.05)
    assert "That they differ is hardly chance; that they differ by more than the limit may be" in said
    assert "This may be chance" not in said
    assert "This is the widest of 2 pairs: picking it makes a large gap by chance more likely" in said
    assert "This may be chance" in in_full(evaluation(test=alike(more=14)), 0.025)


def test_chance_is_no_excuse_where_the_training_rows_say_the_same() -> None:
    too = "On the training rows, where there is no chance, the gap is above the limit as well."
    doubtful = alike(more=14)
    assert too in in_full(evaluation(test=doubtful, training=doubtful), 0.025)
    assert too not in in_full(evaluation(test=doubtful, training=alike()), 0.025)


def test_promise_and_evidence_are_two_verdicts() -> None:
    far, near = alike(more=200), alike()
    kept = evaluation(test=far, training=near)
    assert view.promise(kept, "dmc", 0.05)[0] == "Training: promise kept"
    assert view.evidence(kept, "dmc", 0.05)[0] == "Test: above the limit"
    broken = evaluation(test=near, training=far)
    assert view.promise(broken, "dmc", 0.05)[0] == "Training: promise not kept"
    assert view.evidence(broken, "dmc", 0.05)[0] == "Test: within the limit"
    assert view.evidence(evaluation(test=alike(40, 4)), "dmc", 0.05)[0] == "Test: cannot be told"
    other = evaluation("rug", training=far)
    assert view.promise(other, "dmc", 0.05)[0] == "Training: above, not promised"
    proxy = evaluation(fit=fairness_fit("proxy"), training=near)
    assert view.promise(proxy, "dmc", 0.05)[0] == "Training: within, not promised"


def test_nothing_passes_while_a_comparison_is_missing() -> None:
    lacking = (*alike()[:3], Cell("b", "denied", 12, 0))
    item = evaluation(test=lacking, training=lacking)
    words, colour, _ = view.evidence(item, "dmc", 0.05)
    assert words == "Test: within as far as it can be measured"
    assert colour != "green"
    words, colour, _ = view.promise(item, "dmc", 0.05)
    assert words == "Training: promise kept as far as it can be measured"
    assert colour != "green"
    said = in_full(item, 0.05)
    assert "within what is allowed as far as it can be measured" in said
    assert "“b” among “denied”, 12 rows" in said


def test_headings_are_words_and_no_names_of_classes() -> None:
    named = {"FairRUG", "LightGBM"}
    for room in (levelling_down, promise, splits_view, tables):
        found = [own for own in vars(room).values() if isinstance(own, dict)]
        titles = [own[0] for table in found for own in table.values() if isinstance(own, tuple) and len(own) == 2]
        for word in " ".join(map(str, titles)).split():
            assert word.strip(",?") in named or not re.search(r"[a-z][A-Z]", word), word


def test_the_words_follow_the_guarantee() -> None:
    realised = fairness_words.limit_in_words("dmc", 0.025, "realised")
    assert "in decisions on the training rows" in realised
    proxy = fairness_words.limit_in_words("dmc", 0.025, "proxy")
    assert "in the losses of its optimisation" in proxy
    assert "not in decisions" in proxy
    assert "training rows" not in proxy
    said = in_full(evaluation(fit=fairness_fit("proxy")), 0.025)
    assert "The limit of 2.5 was set for losses, not for decisions" in said
    assert "you asked" not in said.lower()


@pytest.mark.parametrize(("realised_gap", "words"), [(0.04, "the promise, kept"), (0.11, "the promise, not kept")])
def test_held_is_said_only_where_it_was_held(realised_gap: float, words: str) -> None:
    fit = replace(fairness_fit("realised", 0.0), realised_gap=realised_gap)
    results: Any = SimpleNamespace(plan=SimpleNamespace(fairness="dmc"))
    below = {label: second for label, _, second, _ in promise.in_decisions(results, evaluation(fit=fit))}
    assert below["Decisions, training"] == words
    proxy = promise.in_decisions(results, evaluation(fit=fairness_fit("proxy")))
    assert {label: second for label, _, second, _ in proxy}["Decisions, training"] == "not promised"


# -- levelling down ----------------------------------------------------------------------------------------


def test_no_heading_is_a_name_from_the_code() -> None:
    tables = (levelling_down, burden, borrowing, splits_view, alternatives_view)
    titles = [title for table in tables for title, _ in table.HEADINGS.values()]
    titles += [title for title, _ in (*promise.PAIR_HEADINGS.values(), *promise.CELL_HEADINGS.values())]
    names = [title for title in titles if re.search("[a-z][A-Z]|_", title.replace("FairRUG", ""))]
    assert names == []


def change(group: str, newly_wrong: int, newly_right: int, rows: str = TEST, n: int = 100) -> RateChange:
    return levelling_down.change_of(("granted", group), n, 36, newly_wrong, newly_right, rows=rows)


def test_who_is_worse_off_is_said_with_the_people_behind_it() -> None:
    found = [change("*a*", 34, 0), change("b", 0, 20), change("c", 3, 2)]
    said = levelling_down.in_words(found, TEST)
    assert r"of those whose outcome is “granted”, “\*a\*” are decided wrongly more often" in said
    assert "**70.0 % instead of 36.0 %** (34 of 100 newly wrong, 0 no longer)" in said
    assert "Of 3 groups by outcome, 1 is decided wrongly less often, 1 more often, 1 alike or too close to tell" in said
    assert "37 of these people are newly decided wrongly, 22 no longer." in said
    table = levelling_down.to_read(found)
    assert table["by"].tolist() == ["+34.0", f"{fairness_words.MINUS}20.0", "+1.0"]
    assert table["chance"].tolist() == ["no", "no", "may be chance"]


def test_chance_worsens_nobody_on_test_rows_and_does_not_exist_on_training_rows() -> None:
    assert "no group is seen to be decided wrongly more often" in levelling_down.in_words([change("a", 3, 0)], TEST)
    assert "decided wrongly more often: **39.0 %" in levelling_down.in_words([change("a", 3, 0, TRAINING)], TRAINING)
    # Six of six changed decisions for the worse: 2 / 2 ** 6 = 0.03; five of five: 0.06.
    assert [change("a", count, 0).may_be_chance for count in (5, 6)] == [True, False]
    assert change("a", 0, 0).may_be_chance
    assert levelling_down.in_words([change("a", 0, 0)], TEST).endswith("the same people are decided wrongly.")


@pytest.mark.parametrize(
    ("notion", "label", "said"),
    [
        ("odm", None, "the share decided wrongly"),
        ("dmc", "*a*", r"the share of “\*a\*” decided wrongly"),
        ("dmc", 1.0, "the share of “1” decided wrongly"),
        ("demographic_parity", None, "the share not decided “granted”"),
        ("predictive_parity", None, "the share of wrong ones among those decided “granted”"),
    ],
)
def test_a_share_is_told_as_its_notion_means_it(notion: str, label: Any, said: str) -> None:
    assert fairness_words.share_in_words(evaluation(), notion, label) == said


def test_what_is_expected_of_new_people_stands_beside_the_training_gap() -> None:
    told = Expectation(0.066, -0.054, 0.194, "granted", "=b", "*a*", "folds", "")
    item = evaluation(fit=replace(fairness_fit("realised", 0.0), expected=told))
    assert view.expected_gap(item) == ("6.6 points", fairness_words.interval(-0.054, 0.194))
    said = fairness_words.expected_in_words(item)
    expected = (
        r"On new people **6.6 points** are to be expected: “\=b” of “granted” are decided wrongly more often than"
    )
    assert f"{expected} “\\*a\\*” (" in said
    assert "trained without a fifth of the rows" in said


def test_where_no_gap_is_to_be_expected_nobody_is_said_to_be_worse_off() -> None:
    told = Expectation(0.0, -0.04, 0.03, "granted", "=b", "*a*", "folds", "")
    for gap in (0.0, 0.0004):
        item = evaluation(fit=replace(fairness_fit("realised", 0.0), expected=replace(told, gap=gap)))
        said = fairness_words.expected_in_words(item)
        assert said.startswith("On new people **0.0 points** are to be expected (five models")
    assert "have the larger rate" not in str(told)
    assert "0.000 (95% interval of this pair -0.040 to +0.030" in str(told)


def test_no_pair_is_the_widest_where_there_is_no_gap() -> None:
    cells = [Cell(group, label, 100, 0) for group in "abc" for label in CLASSES]
    assert "widest" not in fairness_words.how_sure(evaluation(test=cells), "dmc", 0.025)
    apart = [*cells[:-1], Cell("c", "granted", 100, 20)]
    assert "This is the widest of 6 pairs" in fairness_words.how_sure(evaluation(test=apart), "dmc", 0.025)


def test_mistakes_in_the_favour_of_people_are_told_as_such() -> None:
    told = Expectation(0.066, -0.054, 0.194, "denied", "=b", "*a*", "folds", "")
    item = evaluation(fit=replace(fairness_fit("realised", 0.0), expected=told))
    said = fairness_words.expected_in_words(item)
    assert r"“\=b” of “denied” are decided wrongly more often than “\*a\*”, here in their favour (" in said
    shares = replace(item.fair_fit, notion="demographic_parity", expected=replace(told, label=None))
    said = fairness_words.expected_in_words(replace(item, fit=shares))
    assert r"“\=b” are decided “granted” less often than “\*a\*” (" in said


def test_a_table_too_small_to_expect_anything_says_so() -> None:
    unknown = Expectation(None, None, None, None, None, None, "folds", "only 12 rows of *b*")
    item = evaluation(fit=replace(fairness_fit("realised", 0.0), expected=unknown))
    assert view.expected_gap(item) == (NOTHING, "table too small")
    said = fairness_words.expected_in_words(item)
    assert said == r"What to expect on new people cannot be told: the table is too small (only 12 rows of \*b\*)."
    old = evaluation(fit=replace(fairness_fit("realised", 0.0), expected=None))
    assert view.expected_gap(old) == (NOTHING, "not known")
    assert fairness_words.expected_in_words(evaluation("rug")) == ""


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
    for number in ("25.0 units", "5.0 % of the total", "0.050 between mean losses", "11.0 points"):
        assert number in said
    assert fairness_words.has_padding(fairness_fit())
    assert not fairness_words.has_padding(fairness_fit(padding=0.0))
    assert not fairness_words.has_padding(fairness_fit("realised"))


def test_the_screen_is_called_a_screen() -> None:
    uneven = [Cell("a", "granted", 100, 0), Cell("b", "granted", 100, 60)]
    said = fairness_words.screen(audit_of(uneven).parity)
    assert "0.40 times as often as “a” (40 of 100 against 100 of 100)" in said
    assert "below the four-fifths screen" in said
    assert "neither proof of discrimination nor of its absence" in said
    near = audit_of([Cell("a", "granted", 500, 0), Cell("b", "granted", 500, 101)]).parity
    assert "0.798 times as often" in fairness_words.screen(near)
    assert "just below the four-fifths screen" in fairness_words.screen(near)
    assert "On which side" in fairness_words.could_be_on_the_other_side(near)
    none = audit_of([Cell("a", "granted", 40, 0), Cell("b", "granted", 40, 40)]).parity
    assert "0 of 40 against 40 of 40" in fairness_words.screen(none)
    assert "has no interval" in fairness_words.could_be_on_the_other_side(none)
    even = [Cell("a", "granted", 100, 0), Cell("b", "granted", 100, 0)]
    said = fairness_words.screen(audit_of(even).parity)
    assert said.startswith("All groups that can be compared get the favourable decision equally often, not below")
    assert "“a”" not in said
    nobody = [Cell("a", "denied", 100, 0), Cell("b", "denied", 100, 0)]
    assert "cannot be applied" in fairness_words.screen(audit_of(nobody).parity)


def test_a_long_list_of_what_is_not_estimable_is_cut_and_says_so() -> None:
    lacking = [("granted", f"g{number}", "3 rows") for number in range(9)]
    said = fairness_words.not_estimable(lacking, 30)
    assert "“g0” among “granted” (3 rows)" in said
    assert "3 more" in said


# -- tables ------------------------------------------------------------------------------------------------


def test_tables_hold_the_numbers_of_the_audit() -> None:
    items = [evaluation("rug"), evaluation("fair")]
    gaps = tables.gaps(items, ASKED)
    assert len(gaps) == 2 * 2 * 5
    own = gaps[(gaps["model"] == "FairRUG") & (gaps["rows"] == "test")].set_index("notion")["gap"]
    assert own.to_dict() == items[1].audits[TEST].gaps["gap"].to_dict()
    assert len(tables.rates(items)) == 2 * 2 * 4
    assert len(tables.groups(items)) == 2 * 2 * 2
    whole = tables.whole_audit(items, ASKED)
    assert list(whole.columns[:2]) == ["model", "rows"]
    assert len(whole) == 4 * len(items[0].audits[TEST].to_frame())


def test_every_model_is_held_against_the_limit_on_the_screen() -> None:
    items = [evaluation(name, test=alike(more=60), training=alike(more=60)) for name in ("rug", "fair", "lightgbm")]
    for epsilon, verdict in ((0.2, "epsilon 0.2 is met"), (0.01, "epsilon 0.01 is not met")):
        whole = tables.whole_audit(items, replace(ASKED, epsilon=epsilon))
        notes = whole.query("measure == 'dmc gap'")["note"]
        assert len(notes) == 6
        assert notes.str.startswith(verdict).all()
        others = whole.query("measure in ('odm gap', 'eop gap')")["note"]
        assert not others.str.contains("epsilon").any()  # nobody asked for those
        gaps = tables.gaps(items, replace(ASKED, epsilon=epsilon)).set_index("notion")
        assert (gaps.loc["dmc", "epsilon"] == epsilon).all()
        assert gaps.loc[["odm", "eop"], ["epsilon", "met"]].isna().all(axis=None)


def test_the_audit_stands_alone_and_knows_what_was_changed() -> None:
    asked = replace(ASKED, changes=(("RUG", ""), ("FairRUG", "a largest allowed gap of 20.0 points")))
    whole = tables.whole_audit([evaluation("rug"), evaluation("fair"), evaluation("lightgbm")], asked)
    line = whole.iloc[0]
    assert (line["run"], line["data"], line["limit"]) == ("Mortgages", "hmda", 0.025)
    assert (line["training rows"], line["test rows"]) == (310, 310)
    reweighted = whole.groupby("model")["re-weighted after training"].unique().map(list).to_dict()
    assert reweighted == {"RUG": ["no"], "FairRUG": ["a largest allowed gap of 20.0 points"], "LightGBM": ["no"]}


def test_training_rows_are_counted_in_full_and_carry_no_bounds() -> None:
    item = evaluation()
    for table in (tables.rates([item]), tables.whole_audit([item], ASKED)):
        bounds = table.set_index("rows")[["lower", "upper"]]
        assert bounds.loc[TRAINING].isna().all(axis=None)
        assert bounds.loc[TEST].notna().any(axis=None)
    to_read = tables.rates_to_read([item], TRAINING, ["*a*"])["FairRUG"].tolist()
    assert to_read == ["20.0", "10.0"]
    figure = charts.error_rates((item,), TRAINING, ("*a*", "=b"))
    assert not any(max(trace.error_x.array, default=0) for trace in figure.data if trace.name == "FairRUG")


def test_a_rate_of_all_fits_its_column() -> None:
    assert tables.with_interval(1.0, 0.985, 1.0, TEST) == f"100 (98.5{tables.DASH}100)"
    assert tables.with_interval(0.999, 0.996, 0.9999, TEST) == f"99.9 (99.6{tables.DASH}100)"


def test_files_are_harmless_in_a_spreadsheet_and_read_back() -> None:
    frame = tables.whole_audit([evaluation()], ASKED)
    text = to_csv(frame).decode("utf-8-sig")
    assert '"\'=b"' in text
    assert ',"=b"' not in text
    back = pd.read_csv(io.StringIO(text))
    np.testing.assert_allclose(back["value"], frame["value"].astype(float))


def test_pairs_carry_the_gap_on_test_rows_with_its_sign() -> None:
    worse_now = (*FAIR_CELLS[:2], Cell("=b", "granted", 100, 5), Cell("=b", "denied", 10, 1))
    pairs = tables.pairs(evaluation(test=worse_now, fit=fairness_fit()))
    assert pairs["gap_on_test_rows"].iloc[0] == pytest.approx(0.10 - 0.05)
    assert math.isnan(pairs["gap_on_test_rows"].iloc[1])  # ten rows are too few
    assert pairs["price_per_point"].tolist() == [2.0, 0.0]
    to_read = tables.pairs_to_read(evaluation(test=worse_now, fit=fairness_fit()))
    assert to_read["test"].tolist() == ["5.0", "not estimable"]
    assert to_read["price"].tolist() == ["2.0", "0, does not bind"]


def test_what_is_not_estimable_is_never_a_zero() -> None:
    items = [evaluation()]
    assert tables.not_estimable(items, TEST) == [("denied", "=b", "10 rows")]
    rates = tables.rates_to_read(items, TEST, ["*a*", "=b"])
    line = rates[(rates["outcome"] == "denied") & (rates["group"] == "=b")].iloc[0]
    assert line["FairRUG"] == "not estimable"
    assert line["n"] == 10
    groups = tables.groups_to_read(items[0], TEST, ["*a*", "=b"])
    assert groups.set_index("group").loc["=b", "fpr"] == "not estimable"


@pytest.mark.parametrize(("notion", "n_all", "n_lacking"), [("dmc", 4, 1), ("odm", 2, 0), ("eop", 2, 0)])
def test_rates_left_out_are_counted_per_notion(notion: str, n_all: int, n_lacking: int) -> None:
    compared = Comparability.of(audit_of(FAIR_CELLS), notion)
    assert (compared.n_all, len(compared.missing), compared.n_pairs) == (n_all, n_lacking, 1)
    assert compared.incomparable == (("denied",) if n_lacking else ())


def test_groups_that_differ_most_come_first_and_unknown_ones_last() -> None:
    cells = [
        Cell("tiny", "granted", 5, 5), Cell("usual", "granted", 200, 20),
        Cell("far", "granted", 100, 60), Cell("near", "granted", 100, 22),
    ]  # fmt: skip
    order = by_difference([evaluation(test=cells)], TEST)
    assert order[0] == "far"
    assert order[-1] == "tiny"


def test_a_group_that_is_known_in_part_comes_behind_those_known_in_full() -> None:
    cells = [
        *(Cell(group, label, 100, 10) for group in ("usual", "also usual") for label in CLASSES),
        Cell("in part", "granted", 100, 90), Cell("in part", "denied", 5, 0),
    ]  # fmt: skip
    assert by_difference([evaluation(test=cells)], TEST)[-1] == "in part"
    assert by_selection([evaluation(test=cells)], TEST)[0] == "in part"


@pytest.mark.parametrize(("name", "expected"), [("Mortgages in Boston", "mortgages-in-boston"), ("../..", "run")])
def test_the_name_of_a_run_becomes_a_file_name(name: str, expected: str) -> None:
    assert file_part(name) == expected


# -- charts ------------------------------------------------------------------------------------------------


def test_the_limit_is_drawn_on_training_and_test_rows() -> None:
    figure = charts.gaps((evaluation("rug"), evaluation("fair")), 0.025, "dmc")
    lines = [shape for shape in figure.layout.shapes if shape.x0 == shape.x1 == 2.5]
    assert len(lines) == 2
    assert {(shape.y0, shape.y1) for shape in lines} == {(-0.5, 0.5)}  # the first line: what was asked for
    assert figure.layout.yaxis.ticktext[0].replace("<br>", " ") == "Equal mistakes for every outcome"
    named = {trace.name for trace in figure.data if trace.showlegend is not False}
    assert {"RUG", "FairRUG", "allowed: 2.5 points"} <= named


def test_no_limit_strikes_out_what_is_not_estimable() -> None:
    tiny = [Cell("a", "granted", 10, 1), Cell("b", "granted", 10, 5)]
    figure = charts.gaps((evaluation(test=tiny),), 0.025, "dmc")
    assert len(figure.layout.shapes) == 1  # on the training rows alone


def test_a_chart_without_a_single_gap_is_not_drawn() -> None:
    tiny = [Cell("a", "granted", 10, 1), Cell("b", "granted", 10, 5)]
    assert charts.has_gaps((evaluation(test=tiny),))
    assert not charts.has_gaps((evaluation(test=tiny, training=tiny),))


def test_long_names_are_broken_rather_than_cut() -> None:
    name = "Asian or Pacific Islander / married with spouse absent"
    assert charts.in_few_lines(name).replace("<br>", " ") == name
    assert charts.in_few_lines(name).count("<br>") == 2
    assert charts.in_few_lines("word " * 40).endswith("…")
    assert charts.in_few_lines("short") == "short"


def test_only_test_rows_have_an_interval_around_a_gap() -> None:
    figure = charts.gaps((evaluation("fair"),), 0.025, "dmc")
    test, training = (trace for trace in figure.data if trace.name == "FairRUG")
    assert set(training.error_x.array) == {0.0}
    assert min(test.error_x.array) > 0


def test_error_rates_have_the_intervals_of_the_audit_and_name_what_is_missing() -> None:
    item = evaluation()
    figure = charts.error_rates((item,), TEST, ("*a*", "=b"))
    dots = [trace for trace in figure.data if trace.name == "FairRUG"]
    assert len(dots) == 2  # a panel an outcome
    rates = item.audits[TEST].rates.loc["granted"]
    granted = dots[1]
    np.testing.assert_allclose(granted.x, 100 * rates["rate"])
    np.testing.assert_allclose(np.add(granted.x, granted.error_x.array), 100 * rates["upper"])
    missing = [trace for trace in figure.data if trace.mode == "text" and len(trace.x)]
    assert len(missing) == 1
    assert "not estimable" in missing[0].text
    titles = [axis.title.text for axis in figure.select_xaxes()]
    assert titles == [None, "decided wrongly"]  # the upper one would lie on the title of the lower panel


def test_names_from_files_are_no_markup_in_charts() -> None:
    cells = [Cell("<b>x</b>", "granted", 50, 5), Cell("y", "granted", 50, 5)]
    figure = charts.error_rates((evaluation(test=cells),), TEST, ("<b>x</b>", "y"))
    assert "<b>" not in figure.to_json().replace("\\u003c", "<")


# -- LightGBM ----------------------------------------------------------------------------------------------


def train_and_decide(table: pd.DataFrame, outcome: pd.Series, is_training: np.ndarray) -> np.ndarray:
    """LightGBM trained on some rows; what it decides for all of them."""
    return lightgbm.decisions_of(lightgbm.trained(table[is_training], outcome[is_training]), table)


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
