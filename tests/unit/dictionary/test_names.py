"""Names are read word by word: what stands inside another word says nothing."""

import numpy as np
import pytest

from rugcore.dictionary.names import (
    as_done,
    effect_by_name,
    is_number_of_dependents,
    past_by_name,
    protected_by_name,
    protected_by_values,
    tidied,
)


@pytest.mark.parametrize(
    ("name", "topic"),
    [
        *(
            ("age", "age"),
            ("applicantAge", "age"),
            ("AGE_YEARS", "age"),
            ("âge", "age"),
            ("yaş", "age"),
            ("DOB", "age"),
        ),
        *(("Sex", "sex"), ("Geschlecht", "sex"), ("cinsiyet", "sex"), ("is_female", "sex")),
        *(("race", "race"), ("black", "race"), ("hispan", "race"), ("African American", "race")),
        *(("Staatsangehörigkeit", "origin"), ("native_country", "origin"), ("foreign_worker", "origin")),
        *(("married", "family"), ("single", "family"), ("num_dependents", "family"), ("estado civil", "family")),
        *(("zip_code", "place"), ("Religion", "religion"), ("disabled", "disability"), ("pregnant", "pregnancy")),
        *(("gndr", "sex"), ("Anrede", "sex"), ("minority_pop", "race"), ("mstat", "family")),
        *(("union_member", "union"), ("union", "union"), ("veteran", "service"), ("welfare_income", "assistance")),
        *(("firstname", "name"), ("Last Name", "name"), ("post_cd", "place"), ("Mother tongue", "origin")),
        *(("sick_days_ly", "disability"), ("native_language", "origin"), ("parental_leave", "family")),
        *(("lang", "origin"), ("preferred_language", "origin"), ("Sprache", "origin")),
        *(("health", "disability"), ("family", "family"), ("FamilySize", "family")),
    ],
)
def test_protected_words_are_found(name: str, topic: str) -> None:
    found = protected_by_name(name)
    assert found is not None
    assert found.topic == topic


@pytest.mark.parametrize(
    "name",
    [
        *("usage", "mortgage", "average", "stage", "package", "image", "percentage", "coverage", "garbage", "manager"),
        *("essex", "sexton", "unisex", "racecar", "trace", "terrace", "blacklist", "single_family_home", "x1", ""),
        *("account_age", "AgeOldestTradeLine", "vehicle age", "foreign_currency_balance", "RelationshipSatisfaction"),
        *("nationwide", "originated", "zipper", "childhood_x", "credit_union", "union_bank_loan", "minority_interest"),
        *("file_name_full", "minor_repairs", "calendar", "first_payment", "programming_language", "lang_score"),
    ],
)
def test_other_words_are_not(name: str) -> None:
    assert protected_by_name(name) is None


def test_the_past_cannot_be_undone_but_what_is_due_can_be_paid() -> None:
    past = ["credit_history", "times_90_days_late", "MSinceMostRecentDelq", "prior offences", "pubrec", "was_denied"]
    assert all(past_by_name(name) for name in past)
    assert past_by_name("inquiries_last_12m") == "last 12m"
    assert past_by_name("TrainingTimesLastYear") == "last year"
    assert past_by_name("last_name_changes") is None
    assert past_by_name("NumberOfTime30-59DaysPastDueNotWorse") == "past due"
    assert [past_by_name(name) for name in ("amount_past_due", "accounts_now_delinquent", "plate", "income")] == [
        None
    ] * 4


@pytest.mark.parametrize(
    ("name", "effect"),
    [
        *(("annual_income", "helps"), ("savings", "helps"), ("FICO", "helps"), ("years in job", "helps")),
        *(("employment_duration", "helps"), ("present_employment_since", "helps"), ("years_since_last_job", None)),
        *(("MSinceMostRecentDelq", "helps"), ("PercentTradesNeverDelq", "helps"), ("amount past due", "harms")),
        *(("payments to income ratio", "harms"), ("DebtRatio", "harms"), ("debt_to_income", "harms"), ("dti", "harms")),
        *(("NumInqLast6M", "harms"), ("times_late", "harms"), ("RevolvingUtilization", "harms")),
        *(("loan_to_income", "harms"), ("appinc", "helps"), ("atotinc", "helps"), ("zinc", None), ("province", None)),
        *(("Nettoeinkommen", "helps"),),
        *(
            ("unemployment rate in industry", "harms"),
            ("MSinceLstDlq", "helps"),
            ("NumEnq6M", "harms"),
            ("PTI", "harms"),
        ),
        *(("risk_score", None), ("income_verification", None), ("loan amount", None), ("plate", None)),
        *(("amt_inc", None), ("loan_income", None), ("inc_rent", None), ("AMT_INCOME_TOTAL", "helps")),
        *(("FraudScore", None), ("desired_salary", None), ("unverified income", None), ("income_loss", None)),
    ],
)
def test_what_more_of_it_should_do(name: str, effect: str | None) -> None:
    found = effect_by_name(name)
    assert (found.effect if found else None) == effect


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("MSinceMostRecentDelq", "M since most recent delq"),
        ("NumTrades60Ever2DerogPubRec", "Num trades 60 ever 2 derog pub rec"),
        ("loan_amount", "loan amount"),
        ("FICO", "FICO"),
        ("hrat", "hrat"),
        ("Anzahl Mahnungen", "Anzahl Mahnungen"),
        ("x7", "x7"),
        ("mortlat1", "mortlat1"),
    ],
)
def test_labels_are_the_name_and_nothing_guessed(name: str, label: str) -> None:
    assert tidied(name) == label


@pytest.mark.parametrize(
    ("name", "words"),
    [
        *(("CCJ_Count", "ccj"), ("tax_liens", "liens"), ("number_of_enquiries", "enquiries")),
        *(("MonthsSinceLastArrears", "since last"), ("WorstStatus12m", "12m"), ("Searches_3m", "3m")),
        *(("accounts_opened_24m", "24m"), ("NumInqLast6M", "last 6m"), ("collections in 12 months", "12 months")),
        *(("term_36m", None), ("rate_5y", None), ("present_employment_since", None), ("concavity_worst", None)),
    ],
)
def test_what_happened_in_a_period_before_is_past(name: str, words: str | None) -> None:
    assert past_by_name(name) == words


@pytest.mark.parametrize(
    ("values", "topic"),
    [
        (["Mr", "Mrs", "Ms", "Dr"], "sex"),
        (["male : single", "female : divorced"], "sex"),
        (["Married", "Single", "Divorced"], "family"),
        (["single", "double"], None),
        (["White", "Black", "Hispanic", "Other"], "race"),
        (["white", "black"], None),  # cars
        (["white", "asian", "red"], None),
        (["deutsch", "türkisch", "polnisch"], "origin"),
        (["English", "French", "Spanish"], "origin"),
        (["English", "French"], None),  # subjects at school
        (["Catholic", "Muslim", "none"], "religion"),
        (["Indian", "Chinese", "Italian"], None),  # restaurants
        (["Mr"], None),
        (["yes", "no"], None),
        (["Manager", "Woman's wear"], None),
    ],
)
def test_values_tell_what_a_name_does_not(values: list[str], topic: str | None) -> None:
    found = protected_by_values(values)
    assert (None if found is None else found.topic) == topic


def test_numbers_of_people_to_provide_for_are_about_the_family() -> None:
    for name in ("number_of_people_being_liable_to_provide_maintenance_for", "num_dep", "numdeps"):
        assert protected_by_name(name) is not None, name
    assert is_number_of_dependents("dep", np.array([0.0, 3, 8, np.nan]))
    assert not is_number_of_dependents("dep", np.array([0.5, 12_000]))  # a deposit
    assert not is_number_of_dependents("department", np.array([0.0, 3]))


@pytest.mark.parametrize(
    ("name", "done"),
    [("approve", "approved"), ("loan default", "loan defaulted"), ("survived", "survived"), ("bad", "bad")],
)
def test_outcomes_are_called_what_was_done(name: str, done: str) -> None:
    assert as_done(name) == done


@pytest.mark.parametrize("name", ["card", "churn risk", "need", "seed"])
def test_other_outcomes_stay(name: str) -> None:
    assert as_done(name) is None
