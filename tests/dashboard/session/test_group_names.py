"""A group is called the same on every page and in every file."""

import io
import re
from dataclasses import replace

import pandas as pd
import pytest

from rugboard.applicants import cached as applicants
from rugboard.applicants import decision_card, listing
from rugboard.applicants.cached import ChosenModel
from rugboard.applicants.filters import ApplicantFilter, kept
from rugboard.compare import own_models
from rugboard.compare.report import LIGHTGBM, Report, packed
from rugboard.fairness import levelling_down
from rugboard.fairness import tables as fairness_tables
from rugboard.fairness.limit import FairnessLimit
from rugboard.rules import cached as rules
from rugboard.rules import tables as rule_tables
from rugboard.rules.statistics import TEST
from rugboard.runs.opening import open_results
from rugboard.runs.plan import Plan
from rugboard.runs.results import Results
from rugboard.runs.store import RunStore
from rugboard.session import group_names
from rugboard.session.adjustments import AS_TRAINED
from rugboard.session.evaluations import evaluate
from rugboard.session.group_names import clear_names, with_attribute
from tests.dashboard.conftest import Open, TrainNow, is_calm


@pytest.mark.parametrize(
    ("names", "sensitive", "expected"),
    [
        (("yes", "no"), ("married",), ["married: yes", "married: no"]),
        (("3", "4"), ("region",), ["region: 3", "region: 4"]),
        (("f", "m"), ("sex",), ["sex: f", "sex: m"]),
        (("18 - 25", "over 25"), ("age",), ["age: 18 - 25", "age: over 25"]),  # if one needs it, all have it
        (("man", "woman"), ("sex",), ["man", "woman"]),
        (("under 25", "25 to 39"), ("age",), ["under 25", "25 to 39"]),
        (("1 / 2", "1 / 3"), ("a", "b"), ["a / b: 1 / 2", "a / b: 1 / 3"]),
        (("yes / woman", "no / man"), ("married", "sex"), ["yes / woman", "no / man"]),
        ((), ("sex",), []),
    ],
)
def test_a_name_that_says_little_has_its_column_in_front(
    names: tuple[str, ...], sensitive: tuple[str, ...], expected: list[str]
) -> None:
    assert list(clear_names(names, sensitive).values()) == expected


def test_alone_a_group_is_named_with_its_column_once() -> None:
    assert with_attribute("woman", ("sex",)) == "sex: woman"
    assert with_attribute("sex: f", ("sex",)) == "sex: f"


@pytest.fixture
def coded(train_now: TrainNow, store: RunStore, mortgage_plan: Plan) -> Results:
    """Groups that the data calls 3 and 4."""
    frame = store.snapshots.load(mortgage_plan.snapshot)
    codes = frame[mortgage_plan.sensitive[0]].map({"no": 3, "yes": 4})
    assert codes.notna().all()
    plan = replace(
        mortgage_plan, snapshot=store.snapshots.save(frame.assign(code=codes)), sensitive=("code",), max_iter=2
    )
    return open_results(store, train_now(plan))


NAMES = ["code: 3", "code: 4"]


def test_the_rules_call_the_groups_so(coded: Results) -> None:
    found = rules.statistics(coded, "rug", AS_TRAINED)
    assert list(found.people.groups) == NAMES
    headings = [column.heading for column in rule_tables.group_columns(found, TEST)]
    assert [re.sub(r"^Applies to: | \(\d+\)$", "", heading) for heading in headings] == NAMES
    as_csv, _ = rules.files(coded, "rug", AS_TRAINED)
    columns = pd.read_csv(io.BytesIO(as_csv), encoding="utf-8-sig").columns
    assert {name.split(": coverage")[0] for name in columns if ": coverage" in name} == set(NAMES)


def test_the_page_applicants_calls_the_groups_so(coded: Results) -> None:
    chosen = ChosenModel(coded, "rug", AS_TRAINED)
    rows = applicants.rows_of(coded, only_test=True)
    shown = listing.frame_of(chosen, rows, None)["group"]
    assert sorted(set(shown)) == NAMES
    assert len(kept(chosen, rows, ApplicantFilter(groups=("code: 4",)))) == (shown == "code: 4").sum() > 0
    case = applicants.case_of(chosen, int(rows[0]))
    assert case.group == shown.iloc[0]
    assert decision_card.whose_row(case).replace("\\", "").endswith(f" · {case.group}")


def test_the_page_fairness_and_its_files_call_the_groups_so(coded: Results) -> None:
    both = tuple(evaluate(coded, model, AS_TRAINED) for model in ("rug", "fair"))
    assert all(sorted(found.groups[rows]) == NAMES for found in both for rows in found.groups)
    assert {item.first for item in both[1].fair_fit.contrasts} | {
        item.second for item in both[1].fair_fit.contrasts
    } == set(NAMES)
    audit = fairness_tables.whole_audit(both, FairnessLimit.of(coded))
    assert set(audit["group"].dropna()) - {""} <= set(NAMES)
    assert {change.group for change in levelling_down.changes(coded, both, TEST)} <= set(NAMES)


def test_the_page_compare_calls_the_groups_so(coded: Results) -> None:
    numbers = coded.y_test.map({label: place for place, label in enumerate(sorted(coded.y_test.unique()))})
    report = Report(classes=tuple(sorted(coded.y_test.unique())), packed={LIGHTGBM: packed(numbers.to_numpy())})
    found = own_models.decided_differently(coded, "rug", LIGHTGBM, report)
    assert set(found.by_group["group"]) <= set(NAMES)
    assert len(found.by_group)


def test_the_filter_of_the_page_offers_the_same_names(open_page: Open, coded: Results) -> None:
    app = open_page("applicants", run=coded.run.id)
    assert is_calm(app)
    assert app.multiselect(f"applicants_group_{coded.run.id}").options == group_names.of_run(coded) == NAMES
