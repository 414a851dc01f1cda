"""A run speaks in the words of its dictionary on every page, and what is said later outlives a new training."""

from dataclasses import replace

import pytest

from rugboard.applicants import marks
from rugboard.runs.opening import open_results
from rugboard.runs.plan import Plan
from rugboard.runs.store import RunStore
from rugboard.session.dictionaries import dictionary_of, keep_dictionary
from rugcore.dictionary import ColumnEntry, DataDictionary
from rugcore.explanations import ColumnWording
from tests.dashboard.conftest import Open, TrainNow, is_calm, texts

LABELS = {
    "payments to income ratio": ColumnEntry(label="debt service", unit="share of income", effect="harms"),
    "consumer credit history": ColumnEntry(label="credit record", past_fact=True),
    "denied mortgage insurance": ColumnEntry(label="insurer", values={"yes": "said no", "no": "did not say no"}),
    "African American": ColumnEntry(label="race", values={"yes": "Black", "no": "other"}, protected=True),
    "decision": ColumnEntry(label="answer", values={"approved": "loan", "denied": "no loan"}),
}


@pytest.fixture
def labelled(mortgage_plan: Plan) -> Plan:
    return replace(mortgage_plan, dictionary=DataDictionary(LABELS))


def test_all_pages_speak_in_labels(open_page: Open, train_now: TrainNow, labelled: Plan, store: RunStore) -> None:
    run_id = train_now(labelled)
    results = open_results(store, run_id)
    assert set(results.rug.rules_.features()) <= set(results.plan.features)
    assert "debt service (share of income)" in results.plan.features
    assert set(results.rug.classes_) == {"loan", "no loan"}
    for page in ("start", "train", "rules", "applicants", "fairness", "compare"):
        app = open_page(page, run=run_id)
        assert is_calm(app), page
        assert "“answer”" in texts(app)
        assert "decision”" not in texts(app)
        assert "payments to income" not in texts(app)


def test_what_is_said_after_the_training_holds_for_the_run_and_the_next(
    train_now: TrainNow, labelled: Plan, store: RunStore
) -> None:
    results = open_results(store, train_now(labelled))
    assert dictionary_of(results) == labelled.dictionary
    entry = dictionary_of(results).entry("payments to income ratio")
    said = replace(entry, label="not now", change="never", wording=ColumnWording(high="You owe much."))
    keep_dictionary(results, dictionary_of(results).with_entry("payments to income ratio", said))
    for opened in (results, open_results(store, train_now(labelled))):
        found = dictionary_of(opened)
        shown = "debt service (share of income)"  # a name stays what the rules call it
        assert found.limits()[shown].changeable is False
        assert found.wording().text(shown, "high") == "You owe much."
        assert found.entry("consumer credit history").past_fact


def test_a_dictionary_that_nobody_changes_is_read_once(
    train_now: TrainNow, labelled: Plan, store: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page Applicants asks for every column, and took seconds for a click when each answer was read afresh."""
    results = open_results(store, train_now(labelled))
    keep_dictionary(results, dictionary_of(results).with_entry("decision", replace(LABELS["decision"], label="answer")))
    n_read, read = [0], DataDictionary.from_json

    def counted(text: str) -> DataDictionary:
        n_read[0] += 1
        return read(text)

    monkeypatch.setattr(DataDictionary, "from_json", counted)
    for _ in range(3):
        marks.marks_of(results)
        marks.unsaid(results, results.plan.features, marks.marks_of(results))
        assert n_read[0] <= 2  # that of the plan, and the one kept since
