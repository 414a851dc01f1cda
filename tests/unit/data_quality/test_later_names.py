"""Names that tell of what comes after the decision are asked about; what is known of an applicant is not."""

import pandas as pd
import pytest

from rugcore.data_quality import examine
from rugcore.data_quality.later_names import later_by_name, later_names


@pytest.mark.parametrize(
    "name",
    [
        *("paid_principal", "paid_interest", "total_paid", "paid_late_fees", "total_rec_prncp", "recoveries"),
        *("loan_status", "dunning_letters_sent", "collection_letters", "disbursement_method", "DisbursedAmount"),
        *("repaid", "charged_off", "ChgOffDate", "closing_date", "outstanding_balance", "out_prncp", "last_pymnt_d"),
    ],
)
def test_what_comes_after_the_decision_is_found(name: str) -> None:
    assert later_by_name(name) is not None


@pytest.mark.parametrize(
    "name",
    [
        *("balance", "savings_balance", "checking_account_balance", "CardBalance", "avg_cur_bal", "current_balance"),
        *("previous_loans_repaid", "num_collections_last_12m", "prior_charge_off", "interest_rate", "loan_amount"),
        *("total_income", "recovery_time", "marital_status", "status", "taxes_paid_total", "paid_up_policy"),
    ],
)
def test_what_is_known_of_an_applicant_is_not(name: str) -> None:
    assert later_by_name(name) is None


def test_a_balance_is_asked_about_beside_payments_on_the_loan() -> None:
    assert later_names(["balance", "income"]) == {}
    assert set(later_names(["balance", "income", "paid_total"])) == {"balance", "paid_total"}


def test_the_question_is_asked_once_and_not_about_the_target() -> None:
    n_rows = 200
    table = pd.DataFrame(
        {
            "paid_total": [float(number % 17) for number in range(n_rows)],
            "repaid": ["yes", "no", "yes", "yes"] * (n_rows // 4),
            "disbursed": ["a"] * n_rows,
            "income": [float(number % 13) for number in range(n_rows)],
        }
    )
    found = [finding for finding in examine(table, "repaid").findings if finding.topic == "known later"]
    assert [finding.columns for finding in found] == [("paid_total",)]  # a column with one value is of no use anyway
    assert found[0].sentence.endswith("its name says 'paid total'. Was it known before the decision?")
    assert not [finding for finding in examine(table).findings if finding.topic == "known later"]
