"""Other ways to treat groups alike: measured as fairlearn itself would, lotteries included."""

import builtins
from typing import Any

import numpy as np
import pandas as pd
import pytest
from fairlearn.metrics import MetricFrame
from fairlearn.postprocessing import ThresholdOptimizer
from fairlearn.reductions import EqualizedOdds, ExponentiatedGradient
from sklearn.model_selection import train_test_split
from sklearn.tree import DecisionTreeClassifier

from rugcore import FairAlternative, InputError, MissingPackageError, fair_alternatives, load_demo
from rugcore.comparison import PeerClassifier, n_alternatives
from rugcore.comparison.fair_peers import _chance_of_right, _Rows

EPSILON = 0.05
pytestmark = pytest.mark.filterwarnings("ignore::Warning:fairlearn")


class People:
    def __init__(self) -> None:
        demo = load_demo("hmda")
        X = demo.X.drop(columns=list(demo.sensitive_options))
        parts = train_test_split(X, demo.y, demo.X[demo.sensitive], random_state=0, test_size=0.3)
        self.X, self.X_test, self.y, self.y_test, self.who, self.who_test = parts
        self.favourable = demo.favourable

    def compare(self, **changes: Any) -> list[FairAlternative]:
        given = {"sensitive_train": self.who, "sensitive_test": self.who_test, "positive_class": self.favourable}
        return list(
            fair_alternatives(
                self.X, self.y, self.X_test, self.y_test, **given | {"epsilons": [EPSILON], "max_depth": 2} | changes
            )
        )


@pytest.fixture(scope="module")
def people() -> People:
    return People()


@pytest.fixture(scope="module")
def found(people: People) -> list[FairAlternative]:
    return people.compare()


def expected(people: People, chance: np.ndarray) -> tuple[float, float]:
    """Gap and accuracy on the test rows if everybody is approved with this chance, counted by fairlearn."""
    truth = (people.y_test == people.favourable).to_numpy()
    wrong = np.where(truth, 1 - chance, chance)
    frame = MetricFrame(
        metrics=lambda _, loss: np.mean(loss),
        y_true=truth,
        y_pred=wrong,
        sensitive_features=people.who_test.to_numpy(),
        control_features=truth,
    )
    return float(frame.difference().max()), float(1 - wrong.mean())


def test_every_learner_has_a_point_for_every_epsilon_and_one_with_thresholds(found: list[FairAlternative]) -> None:
    assert [(item.method, item.learner) for item in found] == [
        ("ExponentiatedGradient", "logistic regression"),
        ("ThresholdOptimizer", "logistic regression"),
        ("ExponentiatedGradient", "decision tree"),
        ("ThresholdOptimizer", "decision tree"),
    ]
    assert len(found) == n_alternatives("dmc", [EPSILON]) == 4
    assert n_alternatives("odm", [EPSILON]) == 2


def test_trees_are_measured_as_fairlearn_measures_them(people: People, found: list[FairAlternative]) -> None:
    tree = PeerClassifier("decision tree", settings={"max_depth": 2}).fit(people.X, people.y == people.favourable)
    train, test = (_matrix(tree, rows) for rows in (people.X, people.X_test))
    y, who = (people.y == people.favourable).astype(int), people.who.to_numpy()
    reduction = ExponentiatedGradient(
        DecisionTreeClassifier(max_depth=2, random_state=0), EqualizedOdds(difference_bound=EPSILON)
    ).fit(train, y, sensitive_features=who)
    gap, accuracy = expected(people, np.asarray(reduction._pmf_predict(test))[:, 1])
    ours = next(item for item in found if (item.method, item.learner) == ("ExponentiatedGradient", "decision tree"))
    assert (ours.test_gap, ours.test_accuracy) == pytest.approx((gap, accuracy))
    has_a_say = reduction.weights_[reduction.weights_ > 1e-9].index
    assert ours.n_models == len(has_a_say)
    assert ours.n_rules == sum(reduction.predictors_[place].get_n_leaves() for place in has_a_say)
    thresholds = ThresholdOptimizer(
        estimator=tree.estimator_, constraints="equalized_odds", prefit=True, predict_method="predict_proba"
    ).fit(train, y, sensitive_features=who)
    chance = thresholds._pmf_predict(test, sensitive_features=people.who_test.to_numpy())[:, 1]
    ours = next(item for item in found if (item.method, item.learner) == ("ThresholdOptimizer", "decision tree"))
    assert (ours.test_gap, ours.test_accuracy) == pytest.approx(expected(people, chance))
    assert ours.random_share == pytest.approx(np.mean((chance > 1e-6) & (chance < 1 - 1e-6)))


def _matrix(tree: PeerClassifier, rows: pd.DataFrame) -> np.ndarray:
    from rugcore.tables import validation

    return tree._matrix(validation.table_to_predict(tree, rows))


def test_it_says_what_is_readable_what_draws_lots_and_what_must_be_told_the_group(
    found: list[FairAlternative],
) -> None:
    for item in found:
        assert item.needs_group == (item.method == "ThresholdOptimizer")
        assert np.isnan(item.n_rules) == (item.learner == "logistic regression")
        assert item.training_gap <= EPSILON + 0.05
        readable = item.n_models == 1 and item.random_share == 0 and not item.needs_group
        assert item.is_one_readable_model == (readable and item.learner == "decision tree")
    assert all(np.isnan(item.epsilon) for item in found if item.method == "ThresholdOptimizer")


def test_a_lottery_is_right_as_often_as_its_chances_say() -> None:
    rows = _Rows(None, ("no", "yes"), np.array([True, False]), None)  # type: ignore[arg-type]
    np.testing.assert_allclose(_chance_of_right(rows, np.array([0.8, 0.3])), [0.8, 0.7])


def test_what_fairlearn_cannot_do_is_one_sentence(people: People, monkeypatch: pytest.MonkeyPatch) -> None:
    three = pd.Series(np.arange(len(people.y)) % 3, index=people.y.index)
    groups = {"sensitive_train": people.who, "sensitive_test": people.who}
    with pytest.raises(InputError, match="two classes, because fairlearn knows no more"):
        fair_alternatives(people.X, three, people.X, three, **groups)
    original = builtins.__import__

    def without(name: str, *args: Any, **options: Any) -> Any:
        if name.startswith("fairlearn"):
            raise ImportError(name)
        return original(name, *args, **options)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingPackageError, match=r"rug-dashboard\[compare\]"):
        people.compare()
