"""The first page, run without a browser."""

from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from rugcore.errors import InputError
from ui import training
from ui.training import TrainedModel, TrainingRequest

APP = str(Path(__file__).resolve().parents[2] / "app.py")
SECONDS = 120  # on a busy machine


@pytest.fixture
def page() -> AppTest:
    return AppTest.from_file(APP, default_timeout=SECONDS).run()


@pytest.fixture(scope="module")
def expected() -> TrainedModel:
    """The model that the page must show, trained apart from it."""
    return training.train(TrainingRequest("hmda", max_depth=2, penalty=3.0), on_round=print)


def train_small(page: AppTest) -> AppTest:
    page.selectbox("demo").select("hmda")
    page.slider("max_depth").set_value(2)
    page.select_slider("penalty").set_value(3.0)
    return page.button("train").click().run()


def metrics(page: AppTest) -> dict[str, str]:
    return {metric.label: metric.value for metric in page.metric}


def test_a_first_visit_explains_and_offers_to_train(page: AppTest) -> None:
    assert not page.exception
    assert page.title[0].value == "Decisions you can read"
    assert page.button("train").label == "Train on this data"
    assert "No model yet" in page.info[0].value
    assert len(page.metric) == 0
    assert len(page.dataframe) == 0


def test_the_description_follows_the_chosen_demo(page: AppTest) -> None:
    page.selectbox("demo").select("credit_data").run()
    assert "consumer loans" in page.caption[0].value
    assert "marital status" in page.caption[0].value


def test_training_shows_accuracy_beside_the_majority_share(page: AppTest, expected: TrainedModel) -> None:
    train_small(page)
    assert not page.exception
    shown = metrics(page)
    y_test = expected.split.y_test
    accuracy = np.mean(expected.model.predict(expected.split.X_test) == y_test)
    assert shown["Test accuracy"] == f"{100 * accuracy:.1f} %"
    assert shown["Always “approved”"] == f"{100 * np.mean(y_test == 'approved'):.1f} %"
    assert shown["Rules"] == str(len(expected.model.rules_))


def test_rules_that_beat_nothing_are_called_so(page: AppTest) -> None:
    page.slider("max_depth").set_value(1)
    page.select_slider("penalty").set_value(30.0)
    page.selectbox("demo").select("lending_club")
    page.button("train").click().run()
    assert not page.exception
    assert "no better than always answering “good”" in page.warning[0].value


def test_training_shows_every_rule_in_words(page: AppTest, expected: TrainedModel) -> None:
    train_small(page)
    table = page.dataframe[0].value
    assert list(table["rule"]) == [str(rule) for rule in expected.model.rules_]
    assert list(table["label"]) == [rule.label for rule in expected.model.rules_]
    assert table["length"].max() <= 2


def test_the_protected_attribute_is_in_no_rule(page: AppTest) -> None:
    train_small(page)
    assert not page.dataframe[0].value["rule"].str.contains("African American").any()


@pytest.mark.parametrize("number", [1, 17, 714])
def test_a_row_gets_the_decision_of_the_model(page: AppTest, expected: TrainedModel, number: int) -> None:
    train_small(page)
    page.number_input("row_of_hmda").set_value(number).run()
    assert not page.exception
    row = expected.split.X_test.iloc[[number - 1]]
    assert metrics(page)["Decision of the rules"] == expected.model.predict(row)[0]
    assert metrics(page)["In the data"] == expected.split.y_test.iloc[number - 1]


def test_the_same_request_is_trained_once(page: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    train_small(page)
    monkeypatch.setattr(training, "train", lambda *_: pytest.fail("trained again"))
    again = train_small(AppTest.from_file(APP, default_timeout=SECONDS).run())
    assert not again.exception
    assert metrics(again) == metrics(page)


def test_an_error_of_the_engine_is_a_sentence_and_the_page_goes_on(
    page: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise InputError("The target has one value only; choose a column with two or more.")

    with monkeypatch.context() as broken:
        broken.setattr(training, "train_once", refuse)
        page.button("train").click().run()
    assert not page.exception
    assert "The target has one value only" in page.error[0].value.replace("\\", "")
    page.run()
    assert len(page.error) == 0
    assert "No model yet" in page.info[0].value
