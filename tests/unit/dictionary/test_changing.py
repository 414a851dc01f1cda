"""What can change about a person, by name and rows: what nobody knows is not proposed."""

import pytest

from rugcore.dictionary import (
    ColumnEntry,
    DataDictionary,
    arranged_values,
    change_by_name,
    consequences_by_name,
    usual_change,
)


@pytest.mark.parametrize(
    ("name", "change"),
    [
        *(
            (name, "never")
            for name in ("sex", "Gender", "race", "ethnic group", "nation", "native country", "religion")
        ),
        *((name, "never") for name in ("country of birth", "marital_status", "maritalStatus", "DISABILITY", "origin")),
        *((name, "never") for name in ("age", "Age in years", "applicantAge", "age_at_entry", "purpose", "job role")),
        *((name, "never") for name in ("consumer credit history", "public bad credit record", "prior offences")),
        *((name, "never") for name in ("interest rate", "lender grade", "unemployment rate in industry")),
        *(
            (name, "never")
            for name in ("years in job", "present_residence_since", "years_at_address", "months", "tenure")
        ),
        *((name, "never") for name in ("TotalWorkingYears", "inquiries_last_12m", "earliest_credit_line")),
        *((name, "up") for name in ("wage", "annual income", "assets", "income_per_month")),
        *((name, "down") for name in ("debt", "payments to income ratio", "amount requested")),
        *((name, "down") for name in ("capital loss", "loan_to_income", "PTI", "loan_amt")),
        *((name, "never") for name in ("MSinceLstDlq", "NumEnq6M")),
        *((name, None) for name in ("mortgage", "average", "stage", "racecourse", "Essex", "origination fee")),
        *((name, None) for name in ("hours per week", "donation", "percentage", "duration_in_month", "", "收入")),
        *(
            (name, None)
            for name in ("current_account_balance", "loan term in months", "capital gain", "price of goods")
        ),
    ],
)
def test_names_tell_what_can_change(name: str, change: str | None) -> None:
    assert change_by_name(name, is_number=True) == change
    assert change_by_name(name, is_number=False) == ("never" if change == "never" else None)


def test_categories_are_proposed_only_if_people_arrange_them() -> None:
    assert change_by_name("other debtors or guarantors", is_number=False) == "any"
    assert usual_change("housing", is_number=False) is None


def test_that_more_of_it_helps_does_not_tell_that_people_can_have_more_of_it() -> None:
    assert usual_change("duration_in_month", True, "harms") == "down"  # which is agreed upon
    assert usual_change("gdlin", True, "helps") is None
    assert usual_change("credit_score", True, "helps") == "never"  # others work it out
    assert usual_change("duration_in_month", True) is None
    assert usual_change("Dur_M", True, "harms") == "down"
    assert usual_change("call_duration", True, "helps") is None  # which is over
    assert usual_change("years_at_address", True, "helps") == "never"  # time passes, and nobody makes it


def test_categories_in_an_order_are_proposed_where_their_name_tells_what_they_are() -> None:
    assert usual_change("savings", False, has_order=True) == "any"
    assert usual_change("savings", False) is None
    assert usual_change("job_satisfaction", False, has_order=True) == "never"  # nobody changes a job on Monday
    assert usual_change("work_life_balance", False, has_order=True) is None


def test_nobody_is_told_to_give_up_what_people_arrange() -> None:
    assert arranged_values("telephone", ["none", "yes"]) == ("yes",)
    assert arranged_values("guarantor", ["no", "co-applicant", "guarantor"]) == ("co-applicant", "guarantor")
    assert arranged_values("other installment plans", ["none", "bank"]) is None


def test_where_name_and_rows_disagree_nothing_is_proposed() -> None:
    assert usual_change("amount requested", True, "helps") == "never"
    assert usual_change("amount requested", True, "harms") == "down"
    assert usual_change("amount requested", True) == "down"


@pytest.mark.parametrize(
    ("name", "is_told"),
    [
        *((name, True) for name in ("term in months", "duration_in_month", "LoanDuration", "loan_term", "Laufzeit")),
        *((name, True) for name in ("duration", "Dur_M")),  # nobody is told to halve it without a word
        *(
            (name, False)
            for name in (
                "call duration",
                "employment_duration",
                "months since last delinquency",
                "years in job",
                "amount",
            )
        ),
    ],
)
def test_a_loan_paid_back_in_less_time_has_larger_instalments(name: str, is_told: bool) -> None:
    assert bool(consequences_by_name(name).if_less) == is_told
    limit = DataDictionary({name: ColumnEntry()}).limits()[name]
    assert ("larger instalments" in limit.consequence(36.0, 24.0)) == is_told
    assert ("more interest" in limit.consequence(24.0, 36.0)) == is_told
    assert limit.consequence(24.0, 24.0) == limit.consequence("a", "b") == limit.consequence(float("nan"), 24.0) == ""
