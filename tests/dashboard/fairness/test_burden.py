"""Burden by group on the page Fairness: the engine's numbers within what the page Applicants lets people change."""

import numpy as np
import pandas as pd

from rugboard.applicants import marks
from rugboard.fairness import burden
from rugboard.fairness.burden import Allowed
from rugboard.runs.results import Results
from rugboard.session.adjustments import AS_TRAINED
from rugcore.explanations import ConfidenceFinder, burden_by_group
from tests.dashboard.conftest import Open, is_calm, offered_files, texts


def test_it_is_what_the_engine_finds_and_the_page_shows_it(open_page: Open, run_id: str, results: Results) -> None:
    app = open_page("fairness", run=run_id)
    app.session_state["burden"] = True
    app.run()
    assert is_calm(app)
    assert "Test rows that FairRUG does not decide “approved”, at most 60 of each group" in texts(app)
    shown = next(item.value for item in app.dataframe if "no_way" in item.value.columns)
    assert shown["group"].tolist() == ["African American: no", "African American: yes"]
    assert "Burden as CSV" in offered_files(app)
    limits = marks.limits_of(results, marks.usual_marks(results))
    found = burden.burden(results, "fair", AS_TRAINED, Allowed(limits))
    expected = burden_by_group(
        results.fair,
        results.X_test,
        results.data.groups[results.is_test],
        positive_class="approved",
        X_train=results.X_train,
        limits=limits,
        people=ConfidenceFinder(results.fair, results.X_test, results.y_test),
        most_rows=burden.MOST_ROWS,
    )
    pd.testing.assert_frame_equal(found.drop(columns="group"), expected.drop(columns="group"))
    assert found["n_rejected"].tolist() == [int(text.replace(",", "")) for text in shown["rejected"]]


def test_no_way_is_said_and_few_people_have_no_interval() -> None:
    nothing = np.nan
    lines = [
        ("a", 5, 5, 0.6, 0.2, 0.9, np.inf, nothing, nothing, 1.0),
        ("b", 90, 60, 0.1, 0.05, 0.2, 0.25, 0.2, np.inf, 1.5),
        ("c", 0, 0, nothing, nothing, nothing, nothing, nothing, nothing, nothing),
        ("d", 60, 60, 1.0, 0.94, 1.0, np.inf, np.inf, np.inf, nothing),
    ]
    columns = ["group", "n_rejected", "n", "no_way", "no_way_lower", "no_way_upper"]
    columns += ["median_cost", "median_cost_lower", "median_cost_upper", "mean_changes"]
    told = burden.to_read(pd.DataFrame(lines, columns=columns))
    assert told["distance"].tolist() == ["no way", "0.25", "n/a", "no way"]
    assert told["interval"].tolist() == ["too few people", "0.20 to no way", "too few people", "no way"]
    assert told["no_way"].tolist()[1] == "10.0 % (5.0 % to 20.0 %)"
