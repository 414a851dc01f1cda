"""Names are read word by word: what stands inside another word says nothing."""

import pytest

from rugcore.dictionary.names import effect_by_name, past_by_name, protected_by_name, tidied


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
    ],
)
def test_protected_words_are_found(name: str, topic: str) -> None:
    found = protected_by_name(name)
    assert found is not None
    assert found.topic == topic


@pytest.mark.parametrize(
    "name",
    [
        *("usage", "mortgage", "average", "stage", "package", "image", "percentage", "coverage", "language", "manager"),
        *("essex", "sexton", "unisex", "racecar", "trace", "terrace", "blacklist", "single_family_home", "x1", ""),
        *("account_age", "AgeOldestTradeLine", "vehicle age", "foreign_currency_balance", "RelationshipSatisfaction"),
        *("nationwide", "originated", "zipper", "childhood_x"),
    ],
)
def test_other_words_are_not(name: str) -> None:
    assert protected_by_name(name) is None


def test_the_past_cannot_be_undone_but_what_is_due_can_be_paid() -> None:
    past = ["credit_history", "times_90_days_late", "MSinceMostRecentDelq", "prior offences", "pubrec", "was_denied"]
    assert all(past_by_name(name) for name in past)
    assert past_by_name("inquiries_last_12m") == "last m"
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
        *(("risk_score", None), ("income_verification", None), ("loan amount", None), ("plate", None)),
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
    ],
)
def test_labels_are_the_name_and_nothing_guessed(name: str, label: str) -> None:
    assert tidied(name) == label
