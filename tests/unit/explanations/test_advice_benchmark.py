"""The benchmark of advice: it finds nothing wrong with what the page proposes, and would see it if there were."""

import pytest

from benchmarks.advice import BY_HAND, Judge, expected_effects, limits_by_name
from benchmarks.reasons import Trained, trained_on
from rugcore import FlipFinder, Limit, column_profiles, list_demos
from rugcore.explanations import Change, Flip


@pytest.fixture(scope="module")
def loans() -> Trained:
    return trained_on("hmda", "RUG")


def broken(case: Trained, limits: dict[str, Limit]) -> set[str]:
    rejected = case.X_test[case.model.predict(case.X_test) != case.favourable]
    finder, judge = FlipFinder(case.model, column_profiles(case.X_train), case.X_train), Judge("hmda", case)
    found = [finder.find(rejected.iloc[row], case.favourable, limits=limits) for row in range(len(rejected))]
    cells = [case.model.schema_.cells(rejected.iloc[row]) for row in range(len(rejected))]
    told = [(flip, before) for own, before in zip(found, cells, strict=True) for flip in own.found]
    return {judge.why_broken(flip, {}, before) for flip, before in told} - {""}


def test_what_names_say_keeps_advice_followable(loans: Trained) -> None:
    assert broken(loans, limits_by_name(loans.X_train, expected_effects(loans))) == set()
    assert "past fact" in broken(loans, {})


@pytest.mark.parametrize(
    ("change", "finding", "word"),
    [
        (Change("payments to income ratio", 0.3, 0.5, 0.1), "", "wrong way"),
        (Change("payments to income ratio", 0.3, 99.0, 0.1), "", "nobody has it"),
        (Change("loan to value ratio", 0.5, 0.8, 0.1), "high", "contradicts a reason"),
        (Change("self-employed", "no", "perhaps", 1.0), "", "nobody has it"),
        (Change("single", "no", "yes", 1.0), "", "protected"),
        (Change("loan to value ratio", 0.8, 0.5, 0.1), "high", ""),
        (Change("loan to value ratio", float("nan"), 0.5, 1.0), "", "blank filled"),
    ],
)
def test_the_judge_sees_what_is_wrong(loans: Trained, change: Change, finding: str, word: str) -> None:
    approved = loans.X_test[loans.model.predict(loans.X_test) == loans.favourable].iloc[0]
    flip = Flip((change,), 0.1, 1.0, False, False, loans.model.schema_.cells(approved))
    assert Judge("hmda", loans).why_broken(flip, {change.column: finding}) == word


def test_the_judge_sees_a_part_that_exceeds_the_whole(loans: Trained) -> None:
    approved = loans.X_test[loans.model.predict(loans.X_test) == loans.favourable].iloc[0]
    after = loans.model.schema_.cells(approved)
    before = after | {"payments to income ratio": after["housing expense to income ratio"] + 0.1}
    change = Change("payments to income ratio", before["payments to income ratio"], 0.3, 0.1)
    torn = after | {"housing expense to income ratio": after["payments to income ratio"] + 0.01}
    judge = Judge("hmda", loans)
    assert judge.why_broken(Flip((change,), 0.1, 1.0, False, False, torn), {}, before) == "ordering broken"
    assert judge.why_broken(Flip((change,), 0.1, 1.0, False, False, torn), {}, torn) == ""  # it was so before
    assert judge.why_broken(Flip((change,), 0.1, 1.0, False, False, after), {}, before) == ""


def test_every_demo_was_looked_at() -> None:
    assert set(BY_HAND) == set(list_demos())
