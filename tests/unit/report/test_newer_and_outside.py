"""What a report says about another model, and about newer people: counted apart from the code that tells it."""

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest

from rugcore import Period, audit_decisions, monitor, surrogate_rules
from rugcore.errors import InputError
from rugcore.fairness import NOTIONS
from rugcore.monitoring import Monitoring, monitoring_from_json, monitoring_to_json
from rugcore.report import Evidence, ModelReport, NewerPeople, OutsideFound, Statements, build_report
from tests.unit.report.reports import mortgage_report, mortgages
from tests.unit.report.test_building import facts, grid, sentences

RISK, CUT_OFF = "payments to income ratio", 0.4


@cache
def with_other(*, is_imitated: bool = True) -> Evidence:
    """Another bank refuses whoever pays more than 40 % of the income."""
    evidence = mortgages()
    decided = np.where(evidence.test.X[RISK] >= CUT_OFF, "denied", "approved").astype(object)
    rules: Any = surrogate_rules(
        evidence.test.X, decided, sensitive_features=evidence.test.groups, n_folds=3, max_depth=1, max_iter=2
    )
    found = OutsideFound((("Column", RISK), ("Cut-off", "0.4")), decided, auc=0.5)
    return replace(
        evidence,
        outside=replace(found, fidelity=rules.fidelity_, rules=rules.rules_) if is_imitated else found,
    )


@cache
def told() -> ModelReport:
    return build_report(with_other())


# -- another model -----------------------------------------------------------------------------------------


def test_a_report_is_silent_where_no_other_model_is_known() -> None:
    assert "outside" not in [section.key for section in mortgage_report().sections]
    assert "Other model" not in mortgage_report().to_json()


def test_gaps_of_the_other_model_are_those_of_audit_decisions() -> None:
    test = with_other().test
    wanted = audit_decisions(
        test.y, test.X[RISK], sensitive_features=test.groups, cut_off=CUT_OFF, above="denied", positive_class="approved"
    )
    shown = grid(told(), "outside", "Largest gaps")
    np.testing.assert_allclose([value[0] for value in shown["Other model"]], wanted.gaps["gap"])
    rates = grid(told(), "outside", "Share decided favourably").set_index("Group")
    np.testing.assert_allclose(rates["Other model"], wanted.groups["selection_rate"][rates.index])


def test_agreement_is_counted_by_hand() -> None:
    evidence = with_other()
    assert evidence.outside is not None
    ours, theirs = evidence.model.predict(evidence.test.X), evidence.outside.decided
    n_same = sum(a == b for a, b in zip(ours, theirs, strict=True))
    share = f"{100 * n_same / len(ours):.1f} % of {len(ours):,} test people"
    assert share in facts(told(), "outside")["Decides as this model does"]
    table = grid(told(), "outside", "Decided alike").set_index("Group")
    for group, own in pd.Series(ours == theirs).groupby(evidence.test.groups.to_numpy()):
        assert table.loc[group, "People"] == len(own)
        assert table.loc[group, "Alike"][0] == pytest.approx(own.mean())
    assert f"{len(ours) - n_same:,} of {len(ours):,} test people are decided differently" in sentences(
        told(), "outside"
    )


def test_it_stands_among_the_other_models() -> None:
    evidence = with_other()
    assert evidence.outside is not None
    table = grid(told(), "performance", "Right decisions on the").set_index("Model")
    assert table.loc["Other model", "Right"][0] == pytest.approx((evidence.outside.decided == evidence.truth).mean())
    assert table.loc["Other model", "AUC"] == 0.5


def test_rules_that_imitate_it_carry_their_agreement() -> None:
    evidence = with_other()
    assert evidence.outside is not None
    assert evidence.outside.rules is not None
    assert evidence.outside.fidelity is not None
    table = grid(told(), "outside", "How often the rules").set_index("Whom")
    assert table.loc["all rows", "People"] == len(evidence.test)
    assert table.loc["all rows", "Alike"][0] == evidence.outside.fidelity.overall["rate"]
    assert set(evidence.test.groups) <= set(table.index)
    assert len(grid(told(), "outside", "Rules that imitate")) == len(evidence.outside.rules)
    without = build_report(with_other(is_imitated=False))
    missing = grid(without, "brief", "Open points")["What is missing"]
    assert missing.str.contains("No rules were learned that imitate it").any()


# -- newer people ------------------------------------------------------------------------------------------


@cache
def newer(factor: float = 2.0) -> Monitoring:
    rows = mortgages().test
    moved = rows.X.assign(**{RISK: rows.X[RISK] * factor})
    people = mortgages().test
    return monitor(
        mortgages().model,
        Period(people.X, people.y, people.groups),
        Period(moved, rows.y, rows.groups),
        positive_class="approved",
        epsilon=0.05,
    )


def test_without_newer_people_that_is_said_with_the_thresholds() -> None:
    assert "No newer people were held against this model" in sentences(mortgage_report(), "monitoring")
    assert "PSI of 0.1" in facts(mortgage_report(), "monitoring")["A column"]
    assert list(grid(mortgage_report(), "monitoring", "What the model did").columns)[-1] == "Who says so"


def test_what_newer_people_showed_is_what_monitor_found() -> None:
    found = newer()
    people = NewerPeople("newer.csv", "2026-02-03T04:05:06Z", found)
    statements = Statements({}, {"accuracy": 0.999, "gap": 1.0})
    report = build_report(replace(mortgages(), newer=people, statements=statements))
    assert not found.is_steady
    assert set(found.verdict) <= set(sentences(report, "monitoring").splitlines())
    assert facts(report, "monitoring")["Looked at"] == "2026-02-03 04:05 UTC"
    table = grid(report, "monitoring", "Decisions then and now")
    assert table["What"].tolist() == found.decisions["what"].tolist()
    np.testing.assert_allclose(table["Now"], found.decisions["now"])
    columns = grid(report, "monitoring", "Columns, those that moved").set_index("Column")
    assert columns.loc[RISK, "Verdict"] == "moved far"
    watched = grid(report, "monitoring", "What the model did").set_index("Measure")
    assert watched.loc["Right decisions", "Newer people"].endswith("crossed")
    assert "crossed" not in watched.loc["Largest gap between groups", "Newer people"]
    assert "newer.csv" in sentences(report, "performance")
    assert ": The section" not in sentences(report, "performance"), "a sentence that breaks off"
    gaps = grid(report, "monitoring", "Gaps between groups")["What is compared"]
    assert gaps.tolist() == [
        f"{NOTIONS[name].title}{' (watched)' if name == 'dmc' else ''}" for name in found.gaps.index
    ]
    steady = columns[columns["PSI"] == 0]
    assert len(steady)
    assert set(steady["Moved most"]) == {"nothing"}


def test_nothing_is_told_of_a_handful_of_newer_people() -> None:
    found = newer()
    assert found.right is not None
    few = replace(found, right=found.right.assign(n_now=3))
    report = build_report(replace(mortgages(), newer=NewerPeople("few.csv", "", few)))
    table = grid(report, "monitoring", "How often each rule is right")
    assert table["Now"].isna().all()
    assert facts(report, "monitoring")["Looked at"] == "not recorded"


@pytest.mark.parametrize("with_outcomes", [True, False])
def test_what_monitor_found_comes_back_as_it_was_written(with_outcomes: bool) -> None:
    found = newer() if with_outcomes else replace(newer(), right=None, gaps=None)
    again = monitoring_from_json(monitoring_to_json(found))
    assert (again.verdict, again.is_steady) == (found.verdict, found.is_steady)
    for name in ("columns", "decisions", "rules", "right", "gaps"):
        before, after = getattr(found, name), getattr(again, name)
        if before is None:
            assert after is None
        else:
            pd.testing.assert_frame_equal(after, before, check_dtype=False, check_index_type=False, check_names=False)


NONSENSE = (
    "",
    "{",
    "[]",
    "{}",
    '{"format": "rug-monitoring", "version": 2}',
    '{"format": "rug-monitoring", "version": 1}',
)


@pytest.mark.parametrize("text", NONSENSE)
def test_a_damaged_file_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="Monitor again"):
        monitoring_from_json(text)
