"""The page Fairness: what it says about a trained run, and what it says when there is little to say."""

import io
import json
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from rugboard.fairness import frontier, view
from rugboard.fairness.words import short_points
from rugboard.runs import worker
from rugboard.runs.opening import open_results
from rugboard.runs.plan import Plan
from rugboard.runs.store import RunStore
from rugboard.session.adjusted_models import with_adjustment
from rugboard.session.adjustments import Adjustment
from rugboard.shell.formats import NOTHING, points
from rugcore import load_demo
from rugcore.errors import InputError
from rugcore.fairness import audit
from tests.dashboard.conftest import Open, TrainNow, is_calm, offered_files, texts
from tests.dashboard.pages.test_data import choose, use_demo


def finish_frontier(app: AppTest) -> AppTest:
    """Wait for the points, and look again."""
    frontier._worker().submit(lambda: None).result()
    return app.run()


DRAWERS = ("gaps", "error_rates", "promise", "audit", "borrowing", "in_full_rug", "in_full_fair")


def opened(app: AppTest) -> AppTest:
    """With all that is folded unfolded."""
    for drawer in DRAWERS:
        app.session_state[drawer] = True
    return app.run()


def metrics(app: AppTest, label: str) -> list[str]:
    return [item.value for item in app.metric if item.label == label]


def charts(app: AppTest) -> list[str]:
    """The file names under which the charts can be saved."""
    return [json.loads(item.proto.config)["toImageButtonOptions"]["filename"] for item in app.get("plotly_chart")]


def downloads(app: AppTest) -> set[str]:
    """Their labels. Each file can be fetched, and holds a table."""
    found = offered_files(app)
    assert all(len(pd.read_csv(io.BytesIO(content))) for content in found.values())
    return set(found)


# -- a trained run -----------------------------------------------------------------------------------------


def test_the_verdicts_are_those_of_the_audit(
    open_page: Open, train_now: TrainNow, mortgage_plan: Plan, store: RunStore
) -> None:
    run = train_now(mortgage_plan)
    app = open_page("fairness", run=run)
    assert is_calm(app)
    results = open_results(store, run)
    gaps = {
        rows: [
            audit(
                results.data.y[chosen],
                results.model(model).predict(results.data.X)[chosen],
                sensitive_features=results.data.groups[chosen],
                positive_class="approved",
            ).gaps.loc["dmc", "gap"]
            for model in ("rug", "fair")
        ]
        for rows, chosen in (("training", ~results.is_test), ("test", results.is_test))
    }
    assert metrics(app, "Gap, training rows") == [points(gap) for gap in gaps["training"]]
    assert metrics(app, "Gap, test rows") == [points(gap) for gap in gaps["test"]]
    said = texts(opened(app))
    assert "On 476 test rows the groups are" in said
    assert "On the 1,904 training applicants" in said
    assert f"You asked for at most {short_points(mortgage_plan.epsilon)}" in said
    assert "“African American: yes”" in said  # not a bare yes
    assert "true difference" in said  # a gap on test rows is never told without its interval
    assert "in decisions on the training rows" in said  # the mode, near the top
    assert "compared with RUG" in said  # who pays for it


def test_everything_can_be_taken_home(open_page: Open, train_now: TrainNow, mortgage_plan: Plan) -> None:
    app = finish_frontier(open_page("fairness", run=train_now(mortgage_plan)))
    assert is_calm(app)
    in_sight = {"Frontier as CSV", "Download the audit"}
    assert downloads(app) == in_sight
    assert is_calm(opened(app))
    folded = {
        "Gaps as CSV",
        "Error rates as CSV",
        "Pairs as CSV",
        "Groups as CSV",
        "Rates by group as CSV",
        "Borrowed rates as CSV",
    }
    assert downloads(app) == in_sight | folded
    assert charts(app) == [
        "fairness-gaps",
        "fairness-error-rates",
        "fairness-selection-rates",
        "fairness-frontier",
    ]


def test_the_slider_re_weights_here_and_elsewhere_and_goes_back(
    open_page: Open, train_now: TrainNow, mortgage_plan: Plan, store: RunStore
) -> None:
    run = train_now(mortgage_plan)
    app = opened(open_page("fairness", run=run))
    key = f"fairness_epsilon_{run}"
    before = metrics(app, "Gap, training rows")
    n_buttons = len(app.button)
    assert app.button(key="as_trained").disabled  # it has its place already
    app.select_slider(key=key).set_value(0.2).run()
    assert is_calm(app)
    assert len(app.button) == n_buttons  # nothing was pushed down
    assert metrics(app, "Asked for") == ["20.0 points"]
    solved = with_adjustment(open_results(store, run), "fair", Adjustment(epsilon=0.2))
    assert metrics(app, "Gap, training rows")[1] == points(solved.fairness_.realised_gap)
    assert app.session_state["_adjustments"][run, "fair"] == Adjustment(epsilon=0.2)  # what the page Rules reads
    assert "Re-weighted from" in texts(app)
    app.switch_page("pages/train.py").run()
    app.switch_page("pages/fairness.py").run()
    assert allowed_gap(app) == 0.2
    opened(app)
    app.button(key="as_trained").click().run()
    assert metrics(app, "Gap, training rows") == before
    assert allowed_gap(app) == mortgage_plan.epsilon


def allowed_gap(app: AppTest) -> object:
    """Whatever the key of the slider is."""
    return next(slider.value for slider in app.select_slider if slider.label == "Largest allowed gap")


def test_training_rows_can_be_looked_at_as_well(open_page: Open, train_now: TrainNow, mortgage_plan: Plan) -> None:
    app = opened(open_page("fairness", run=train_now(mortgage_plan)))
    assert "on the test rows. Bars" in texts(app)
    app.session_state["fairness_rows"] = "training"
    app.run()
    assert is_calm(app)
    assert "on the training rows. These rows are counted in full" in texts(app)
    assert "On the training rows, compared with RUG" in texts(app)


def test_lightgbm_stands_beside_when_asked_for(open_page: Open, train_now: TrainNow, mortgage_plan: Plan) -> None:
    app = open_page("fairness", run=train_now(mortgage_plan))
    assert len(metrics(app, "Gap, test rows")) == 2
    app.toggle(key="fairness_peer").set_value(True).run()
    assert is_calm(app)
    assert len(metrics(app, "Gap, test rows")) == 3
    assert "**LightGBM**" in texts(app)


def test_what_has_too_few_rows_is_listed(open_page: Open, train_now: TrainNow, mortgage_plan: Plan) -> None:
    app = opened(open_page("fairness", run=train_now(mortgage_plan)))
    said = "\n".join(item.value for item in app.warning).replace("\\", "")
    assert "Not estimable" in said
    assert "“African American: yes” among “denied” (19 rows)" in said


@pytest.fixture
def padded_plan(store: RunStore) -> Plan:
    demo = load_demo("compas")
    return Plan(
        snapshot=store.snapshots.save(demo.X.assign(**{demo.target: demo.y})),
        data_name="Defendants",
        target=demo.target,
        favourable=demo.favourable,
        features=tuple(demo.X.columns.drop(list(demo.sensitive_options))),
        sensitive=("race",),
        max_iter=10,
        epsilon=0.05,
        guarantee="proxy",
    )


def test_padding_is_shown_where_it_occurs(
    open_page: Open, train_now: TrainNow, padded_plan: Plan, store: RunStore
) -> None:
    run = train_now(padded_plan)
    app = opened(open_page("fairness", run=run))
    assert is_calm(app)
    fit = open_results(store, run).fair.fairness_
    assert fit.padding > 1
    said = "\n".join(item.value for item in app.warning)
    assert "this is called padding" in said
    assert metrics(app, "In the linear program") == [f"{fit.lp_gap:.3f}"]  # of losses, not of people
    assert metrics(app, "Decisions, training") == [points(fit.realised_gap)]
    assert metrics(app, "Padding") == [f"{fit.padding:.1f}"]
    assert "Asking for one point less between" in texts(app)
    assert "in the losses of its optimisation" in texts(app)
    assert "in decisions on the training rows" not in texts(app)
    app.select_slider(key=f"fairness_epsilon_{run}").set_value(0.2).run()
    assert is_calm(app)


def test_without_padding_there_is_no_word_of_it(open_page: Open, train_now: TrainNow, mortgage_plan: Plan) -> None:
    app = opened(open_page("fairness", run=train_now(mortgage_plan)))
    assert not any("padding" in item.value for item in app.warning)
    assert "times as much" in texts(app) or "counted alike" in texts(app)
    assert "not rules about groups" in texts(app)
    assert not metrics(app, "In the linear program")  # it held nothing in this mode
    assert not metrics(app, "Padding")


def test_the_audit_judges_every_model_by_the_limit_on_the_screen(
    open_page: Open, train_now: TrainNow, mortgage_plan: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    files: dict[str, bytes] = {}

    def keep(label: str, content: bytes, name: str, *args: object, **options: object) -> None:
        files[name] = content

    monkeypatch.setattr(view, "show_file", keep)
    run = train_now(mortgage_plan)
    app = open_page("fairness", run=run)
    app.toggle(key="fairness_peer").set_value(True).run()
    app.select_slider(key=f"fairness_epsilon_{run}").set_value(0.2).run()
    assert is_calm(app)
    name = "mortgages-in-boston"
    assert {f"{name}-fairness-audit.csv", f"{name}-limit-20-fairness-audit.csv"} <= set(files)
    for ending, limit in (("", mortgage_plan.epsilon), ("-limit-20", 0.2)):
        frame = pd.read_csv(io.BytesIO(files[f"{name}{ending}-fairness-audit.csv"]))
        assert frame["limit"].unique().tolist() == [limit]
        notes = frame.query("measure == 'dmc gap'")["note"]
        assert notes.str.startswith(f"epsilon {limit:g} is").all()
        assert set(frame["run"]) == {"Mortgages in Boston"}
        assert set(frame["guarantee of FairRUG"].str.split(":").str[0]) == {"realised"}
        assert frame["split"].str.contains("seed 21").all()
    reweighted = frame.groupby("model")["re-weighted after training"].first().to_dict()
    assert reweighted == {"RUG": "no", "LightGBM": "no", "FairRUG": "a largest allowed gap of 20.0 points"}


def test_changes_against_rug_are_those_of_the_decisions(
    open_page: Open, train_now: TrainNow, mortgage_plan: Plan, store: RunStore
) -> None:
    run = train_now(mortgage_plan)
    app = open_page("fairness", run=run)
    assert is_calm(opened(app))
    table = next(item.value for item in app.dataframe if "newly_wrong" in item.value.columns)
    results = open_results(store, run)
    wrong = {
        model: (results.model(model).predict(results.data.X) != results.data.y.to_numpy(dtype=object))[results.is_test]
        for model in ("rug", "fair")
    }
    is_denied = (results.y_test == "denied").to_numpy()
    is_other = (results.data.groups[results.is_test] == "no").to_numpy()
    chosen = is_denied & is_other
    line = table.set_index(["outcome", "group"]).loc[("denied", "African American: no")]
    assert line["n"] == chosen.sum()
    assert line["newly_wrong"] == (wrong["fair"] & ~wrong["rug"])[chosen].sum()
    assert line["newly_right"] == (wrong["rug"] & ~wrong["fair"])[chosen].sum()
    assert ("denied", "African American: yes") not in table.set_index(["outcome", "group"]).index  # 19 people


def test_what_is_expected_of_new_people_is_what_the_model_says(
    open_page: Open, train_now: TrainNow, mortgage_plan: Plan, store: RunStore
) -> None:
    run = train_now(mortgage_plan)
    app = opened(open_page("fairness", run=run))
    expected = open_results(store, run).fair.fairness_.expected
    assert expected is not None
    shown = points(expected.gap) if expected.gap is not None else NOTHING
    assert metrics(app, "Expected, new people") == [shown]  # of FairRUG alone
    assert "On new people" in texts(app) or "the table is too small" in texts(app)


def test_a_promise_that_was_tested_is_told_as_it_came_out(
    open_page: Open, train_now: TrainNow, mortgage_plan: Plan, store: RunStore
) -> None:
    """Chosen on Train, trained, and read on Fairness."""
    app = use_demo(open_page("data"), "hmda")
    app.switch_page("pages/train.py").run()
    app = choose(app, "radio", "guarantee", "confident")
    app.button("train").click().run()
    assert is_calm(app)
    (started,) = store.runs()
    assert started.plan.guarantee == "confident"
    run = train_now(replace(mortgage_plan, guarantee=started.plan.guarantee))
    app = opened(open_page("fairness", run=run))
    assert is_calm(app)
    fit = open_results(store, run).fair.fairness_
    assert not fit.assured  # 96 people of the smaller group were denied: far too few for 2.5 points
    said = texts(app)
    assert "on new people, with 95 % confidence (tested on rows kept apart)" in said
    assert "Cannot be assured" in said
    assert f"{fit.assurance.smallest_epsilon:.4f}" in said
    assert "rows kept from training" in said


@pytest.mark.parametrize("notion", ["demographic_parity", "predictive_parity"])
def test_other_notions_are_told_in_their_own_words(
    open_page: Open, train_now: TrainNow, mortgage_plan: Plan, store: RunStore, notion: str
) -> None:
    run = train_now(replace(mortgage_plan, fairness=notion, max_iter=5))
    app = opened(finish_frontier(open_page("fairness", run=run)))
    assert is_calm(app)
    results = open_results(store, run)
    test = results.is_test
    gaps = [
        audit(
            results.data.y[test],
            results.model(model).predict(results.data.X)[test],
            sensitive_features=results.data.groups[test],
            positive_class="approved",
        ).gaps.loc[notion, "gap"]
        for model in ("rug", "fair")
    ]
    assert metrics(app, "Gap, test rows") == [points(gap) for gap in gaps]
    words = {
        "demographic_parity": "The share not decided “approved”: ",
        "predictive_parity": "The share of wrong ones among those decided “approved”: ",
    }[notion]
    assert words in texts(app)
    assert "The share of “approved” decided wrongly" not in texts(app)


# -- when there is little to say ---------------------------------------------------------------------------


def test_without_a_sensitive_attribute_it_says_where_to_choose_one(
    open_page: Open, train_now: TrainNow, mortgage_plan: Plan
) -> None:
    app = open_page("fairness", run=train_now(replace(mortgage_plan, sensitive=())))
    assert is_calm(app)
    assert "no sensitive attribute" in texts(app)
    assert not app.metric


def test_rug_alone_is_judged_all_the_same(open_page: Open, train_now: TrainNow, mortgage_plan: Plan) -> None:
    app = open_page("fairness", run=train_now(replace(mortgage_plan, train_fair=False)))
    assert is_calm(app)
    assert "Only RUG was trained" in texts(app)
    assert len(metrics(app, "Gap, test rows")) == 1
    assert "fairness-frontier" not in charts(app)


def test_a_failed_fairrug_leaves_rug_and_its_reason(
    open_page: Open, train_now: TrainNow, mortgage_plan: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = worker.train

    def train(name: str, *args: object) -> object:
        if name == "fair":
            raise InputError("No two groups have *enough* rows.")
        return original(name, *args)  # type: ignore[arg-type]

    monkeypatch.setattr(worker, "train", train)
    app = open_page("fairness", run=train_now(mortgage_plan))
    assert is_calm(app)
    assert "FairRUG could not be trained: No two groups have *enough* rows." in texts(app)
    assert len(metrics(app, "Gap, test rows")) == 1


def test_one_group_alone_has_nobody_to_be_compared_with(
    open_page: Open, train_now: TrainNow, mortgage_plan: Plan, store: RunStore
) -> None:
    frame = store.snapshots.load(mortgage_plan.snapshot).assign(**{"African American": "no"})
    plan = replace(mortgage_plan, snapshot=store.snapshots.save(frame), train_fair=False)
    app = open_page("fairness", run=train_now(plan))
    assert is_calm(app)
    assert "one group" in texts(app)


def test_three_outcomes_and_many_groups_stay_legible(
    open_page: Open, train_now: TrainNow, store: RunStore, three_outcomes: pd.DataFrame
) -> None:
    rng = np.random.default_rng(0)
    table = three_outcomes.assign(place=rng.choice([f"*place* {number}" for number in range(12)], len(three_outcomes)))
    plan = Plan(
        snapshot=store.snapshots.save(table),
        data_name="Three",
        target="outcome",
        favourable="grant",
        features=("income", "debt ratio", "purpose", "employed"),
        sensitive=("place",),
        max_depth=2,
        max_iter=4,
        fairness="odm",
    )
    app = opened(open_page("fairness", run=train_now(plan)))
    assert is_calm(app)
    assert "left off the chart" in texts(app)  # a third of a twelfth of the test rows is not much
    app.session_state["fairness_rows"] = "training"
    app.run()
    toggle = app.toggle(key="all_groups_rates")
    assert re.search(r"Show all \d+ groups with enough people", toggle.label)
    toggle.set_value(True).run()
    assert is_calm(app)
    finish_frontier(app)
    assert is_calm(app)


def test_groups_too_small_for_anything_are_one_sentence_and_nothing_at_all_has_a_way_out(
    open_page: Open, train_now: TrainNow, mortgage_plan: Plan, store: RunStore
) -> None:
    frame = store.snapshots.load(mortgage_plan.snapshot)
    places = pd.Series(["large"] * (len(frame) - 20) + [f"small {number}" for number in range(20)], index=frame.index)
    named = replace(mortgage_plan, sensitive=("place",), train_fair=False)
    some = replace(
        named, snapshot=store.snapshots.save(frame.assign(place=places.sample(frac=1, random_state=0).array))
    )
    app = opened(open_page("fairness", run=train_now(some)))
    assert is_calm(app)
    assert "of too few people" in texts(app)
    assert "left off the chart" in texts(app)
    assert "no two groups are large enough" in texts(app)
    tiny = [f"place {number}" for number in range(40)]
    none = frame.assign(place=np.resize(tiny, len(frame)))
    app = opened(open_page("fairness", run=train_now(replace(named, snapshot=store.snapshots.save(none)))))
    assert is_calm(app)
    assert "There is nothing to draw" in texts(app)
    assert "A larger share of test rows" in texts(app)
    assert charts(app) == ["fairness-gaps"]  # there are enough training rows
