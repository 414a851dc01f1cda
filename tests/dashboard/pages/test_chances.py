"""Chances on Compare: their numbers against scikit-learn and by hand, the cut-off, and tables with other outcomes."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import brier_score_loss, confusion_matrix, roc_auc_score, roc_curve

from rugboard.compare import chances, chances_charts, chances_view
from rugboard.compare import worker as compare_worker
from rugboard.compare.chances import AS_VOTED, CUT_OFFS, ChanceBin, ModelChances
from rugboard.compare.job import Job
from rugboard.compare.report import LIGHTGBM, Report, packed
from rugboard.runs.home import Home
from rugboard.runs.plan import Plan
from rugboard.runs.results import Results
from rugboard.runs.store import RunStore
from rugboard.session import lightgbm as peers
from tests.dashboard.conftest import Open, TrainNow, is_calm, texts
from tests.dashboard.pages.test_data import choose, draft, upload_frame


def some_chances(n: int = 400, seed: int = 0) -> ModelChances:
    """Chances that hold, with many ties, and some rows decided against them."""
    rng = np.random.default_rng(seed)
    chance = np.round(rng.random(n), 2)
    return ModelChances("rug", chance, chance > 0.5, rng.random(n) < chance)


# -- numbers -----------------------------------------------------------------------------------------------


def test_the_chances_are_those_of_the_models_and_the_measures_those_of_scikit_learn(results: Results) -> None:
    decided = Report(
        classes=("approved", "denied"), packed={LIGHTGBM: packed(peers.decided(results)[results.is_test] == "denied")}
    )
    found = {item.model: item for item in chances.all_chances(results, decided)}
    assert list(found) == ["rug", "fair", LIGHTGBM]
    happened = (results.y_test == "approved").to_numpy()
    models = {"rug": results.rug, "fair": results.fair, LIGHTGBM: peers.lightgbm(results)}
    for name, model in models.items():
        column = model.classes_.tolist().index("approved")
        chance = model.predict_proba(results.X_test)[:, column]
        assert np.array_equal(found[name].chance, chance)
        assert found[name].brier == pytest.approx(brier_score_loss(happened, chance))
        assert found[name].brier == pytest.approx(((chance - happened) ** 2).mean())
        assert found[name].auc == pytest.approx(roc_auc_score(happened, chance))
        wrongly, rightly, _ = roc_curve(happened, chance)
        assert np.array_equal(found[name].roc, (wrongly, rightly))
    assert LIGHTGBM not in {item.model for item in chances.all_chances(results, Report())}


def test_without_a_model_everybody_gets_the_share_of_the_training_rows(results: Results) -> None:
    share = (results.y_train == "approved").mean()
    expected = brier_score_loss(results.y_test == "approved", np.full(len(results.y_test), share))
    assert chances.brier_without_model(results) == pytest.approx(expected)


def test_the_area_under_the_curve_is_how_often_one_of_a_pair_has_the_higher_chance() -> None:
    found = some_chances()
    first, second = found.chance[found.has_happened], found.chance[~found.has_happened]
    pairs = (first[:, None] > second).mean() + 0.5 * (first[:, None] == second).mean()
    assert found.auc == pytest.approx(pairs)
    said = chances_view.ranked_in_words([found], "approved", "denied")
    assert f"one of the {len(first)} “approved” and one of the {len(second)} “denied”" in said
    assert f"in **{100 * pairs:.0f}** of 100 cases" in said


def test_calibration_by_hand() -> None:
    found = some_chances()
    found.chance[:2] = 1.0, 0.0  # the ends belong to the last tenth and to the first
    assert sum(one.n for one in found.bins) == len(found.chance)
    for one in found.bins:
        last = one.high == 1.0
        is_in = (found.chance >= one.low - 1e-12) & ((found.chance < one.high - 1e-12) | last)
        assert one.n == is_in.sum()
        assert one.n_happened == found.has_happened[is_in].sum()
        assert one.said == pytest.approx(found.chance[is_in].mean())
        low, high = one.interval
        assert low <= one.share <= high
    few = replace(found, chance=np.full(len(found.chance), 0.93))
    assert [(one.low, one.high, one.n) for one in few.bins] == [(0.9, 1.0, len(found.chance))]


@pytest.mark.parametrize("cut_off", CUT_OFFS)
def test_right_and_wrong_are_those_of_scikit_learn(cut_off: int) -> None:
    found = some_chances()
    decided = found.is_decided if cut_off == AS_VOTED else found.chance >= cut_off / 100
    expected = confusion_matrix(found.has_happened, decided, labels=[True, False])
    assert np.array_equal(chances.confusion_at(found, cut_off, ("good", "bad")), expected)


def test_any_number_of_outcomes_in_a_table() -> None:
    rng = np.random.default_rng(1)
    happened, decided = (rng.choice(np.array(["a", "b", "c"], dtype=object), 200) for _ in range(2))
    expected = confusion_matrix(happened, decided, labels=["b", "a", "c", "d"])
    assert np.array_equal(chances.confusion(happened, decided, ("b", "a", "c", "d")), expected)


def test_at_the_default_the_decisions_are_those_of_the_votes(results: Results) -> None:
    for item in chances.all_chances(results, Report()):
        voted = results.model(item.model).predict(results.X_test) == "approved"
        assert np.array_equal(item.is_favoured(AS_VOTED), voted)
        assert np.array_equal(item.chance > 0.5, voted)  # what the engine promises, so that the slider does not jump


# -- words and charts --------------------------------------------------------------------------------------


def test_right_and_wrong_in_words() -> None:
    table = pd.DataFrame([[410, 9], [40, 80]], index=["approved", "denied"], columns=["approved", "denied"])
    assert chances_view.confusion_in_words(table, "at this cut-off") == [
        "Of 120 people who were in fact “denied”, 80 are “denied” at this cut-off.",
        "Of 419 people who were in fact “approved”, 410 are “approved” at this cut-off.",
    ]
    lonely = pd.DataFrame([[1, 0], [0, 0]], index=[1.0, "<b>"], columns=[1.0, "<b>"])
    assert chances_view.confusion_in_words(lonely, "so") == ["Of 1 person who was in fact “1”, 1 is “1” so."]
    one = ChanceBin(0.6, 0.7, 0.65, 61, 39)
    assert "Of 61 people with a chance from 60 to 70 %, 39 (63.9 %) are in fact “approved”" in (
        chances_view.bin_in_words(one, "approved")
    )


def test_every_point_of_the_calibration_says_how_many_people_stand_behind_it() -> None:
    found = some_chances()
    figure = chances_charts.calibration(found, "<b>good</b>")
    written = next(trace for trace in figure.data if trace.mode == "text")
    assert list(written.text) == [str(one.n) for one in found.bins]
    assert list(figure.data[1].y) == [one.share for one in found.bins]
    assert "&lt;b" in figure.layout.xaxis.title.text


def test_the_sign_on_the_curve_stands_where_the_cut_off_is() -> None:
    found = some_chances()
    figure = chances_charts.roc([found], 80, "good", "bad")
    sign = figure.data[-1]
    is_favoured = found.chance >= 0.8
    assert sign.x[0] == pytest.approx(is_favoured[~found.has_happened].mean())
    assert sign.y[0] == pytest.approx(is_favoured[found.has_happened].mean())
    assert f"of {found.has_happened.sum()} good" in figure.layout.yaxis.title.text


# -- the page ----------------------------------------------------------------------------------------------


def test_the_page_follows_the_cut_off(open_page: Open, run_id: str, results: Results, home: Home) -> None:
    assert compare_worker.main(run_id) == 0
    report = Job(home, run_id).read()
    assert report is not None
    app = open_page("compare", run=run_id)
    assert is_calm(app)
    assert app.select_slider(key="cut_off").value == AS_VOTED
    decided = pd.Series(results.rug.predict(results.X_test))
    n_right = int((decided == results.y_test.to_numpy()).sum())
    assert f"**RUG**: {n_right} of {len(decided)} right" in texts(app)
    tables = [frame.value for frame in app.dataframe if "fact" in frame.value]
    assert len(tables) == 3
    expected = confusion_matrix(results.y_test, decided, labels=["approved", "denied"])
    assert tables[0][["decided approved", "decided denied"]].to_numpy().tolist() == expected.tolist()
    scores = {metric.label: metric.value for metric in app.metric}
    found = {item.model: item for item in chances.all_chances(results, report)}
    column = peers.lightgbm(results).classes_.tolist().index("approved")
    again = peers.lightgbm(results).predict_proba(results.X_test)[:, column]
    assert found[LIGHTGBM].chance == pytest.approx(again, abs=1e-6)  # kept by the worker
    assert scores["LightGBM: Brier score"] == f"{found[LIGHTGBM].brier:.3f}"

    app.select_slider(key="cut_off").set_value(80).run()
    assert is_calm(app)
    table = chances.confusion_at(found["rug"], 80, ("approved", "denied"))
    for sentence in chances_view.confusion_in_words(table, "at this cut-off"):
        assert sentence in texts(app)


def test_three_outcomes_are_shown_without_a_cut_off(
    open_page: Open, train_now: TrainNow, three_outcomes: pd.DataFrame, store: RunStore
) -> None:
    app = upload_frame(open_page("data"), three_outcomes)
    app = choose(app, "selectbox", "target", "outcome")
    app = choose(app, "radio", "favourable", "grant")
    run_id = train_now(replace(draft(app).to_plan(), max_iter=2, max_depth=2))
    app = open_page("compare", run=run_id)
    assert is_calm(app)
    assert "With 3 outcomes there is no single cut-off to move" in texts(app)
    assert not app.select_slider
    assert "who were in fact “grant”" in texts(app)


def test_one_outcome_among_the_test_rows_is_said(
    open_page: Open, train_now: TrainNow, mortgage_plan: Plan, store: RunStore
) -> None:
    """Two of sixty were denied, and both are needed to learn from."""
    table = store.snapshots.load(mortgage_plan.snapshot)
    is_denied = table[mortgage_plan.target] == "denied"
    few = pd.concat([table[~is_denied].head(58), table[is_denied].head(2)], ignore_index=True)
    plan = replace(mortgage_plan, snapshot=store.snapshots.save(few), sensitive=(), test_share=0.1)
    app = open_page("compare", run=train_now(plan))
    assert is_calm(app)
    assert "All 6 test rows have the same outcome, so that chances cannot be judged" in texts(app)
