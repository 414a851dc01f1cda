"""What fairness costs, as a chart."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import pandas as pd
from sklearn.metrics import accuracy_score

from rugcore.errors import InputError
from rugcore.estimators.fair_rug import FairRUGClassifier
from rugcore.estimators.frontier import EPSILONS, FrontierPoint, frontier_of
from rugcore.fairness.metrics import error_rate_gap
from rugcore.plotting import charts, markup

if TYPE_CHECKING:
    from plotly.graph_objects import Figure


@dataclass(eq=False)
class FairnessFrontierDisplay:
    """Accuracy against the gap between groups, a point an epsilon; at the end of a cell it is shown as a chart.

    Make one with `from_estimator` or `from_points`, as the displays of scikit-learn are made.

    Parameters
    ----------
    epsilon : array, one entry a point
        The largest gap that was asked for.
    gap : array
        The gap that was measured; NaN where it is not estimable.
    accuracy : array
        Share of rows decided as the data says.
    n_rules : array
        How many rules there are to read.
    name : str
        Said above the chart.
    is_joined : bool, default=True
        Whether a line joins the points. Not where they are measured on rows that the training did not see: chance
        decides their order.

    Attributes
    ----------
    figure_ : plotly figure
        The last chart that was drawn.
    """

    epsilon: np.ndarray
    gap: np.ndarray
    accuracy: np.ndarray
    n_rules: np.ndarray
    name: str
    is_joined: bool = True

    @classmethod
    def from_estimator(
        cls,
        estimator: FairRUGClassifier,
        X: Any,
        y: Any,
        *,
        sensitive_features: Any,
        epsilons: Sequence[float] = EPSILONS,
        sample_weight: Any = None,
        name: str = "Accuracy against gap on the given rows",
    ) -> Self:
        """Re-weight the rules of a trained model for every epsilon, and measure on the rows given here.

        Parameters
        ----------
        estimator : FairRUGClassifier
            Trained in this session: a model read from a file does not have the rules that were found and not used.
        X, y : table and outcome
            Best of rows that the training did not see.
        sensitive_features : column or table, one entry per row
            The groups that are compared.
        epsilons : sequence of float
            One point each.
        sample_weight : one number per row, or None
            Weighs accuracy and gap.
        name : str
            Said above the chart.
        """
        if not isinstance(estimator, FairRUGClassifier):
            raise InputError(f"Expected a trained FairRUGClassifier, but got {type(estimator).__name__}.")
        points = list(frontier_of(estimator, epsilons))
        decided = [point.model.predict(X) for point in points]
        gaps = [
            error_rate_gap(
                y,
                labels,
                sensitive_features=sensitive_features,
                fairness=estimator.fairness,
                positive_class=estimator.positive_class,
                sample_weight=sample_weight,
                min_cell_size=estimator.min_cell_size,
            )
            for labels in decided
        ]
        accuracy = [accuracy_score(y, labels, sample_weight=sample_weight) for labels in decided]
        return cls._drawn(points, gaps, accuracy, name, is_joined=False)

    @classmethod
    def from_points(
        cls, points: Iterable[FrontierPoint], *, name: str = "Accuracy against gap on the training rows"
    ) -> Self:
        """Draw what `fairness_frontier` or `frontier_of` found, as measured on the training rows.

        Parameters
        ----------
        points : iterable of FrontierPoint
            An iterator is used up.
        name : str
            Said above the chart.
        """
        found = list(points)
        return cls._drawn(found, [point.gap for point in found], [point.accuracy for point in found], name, True)

    @classmethod
    def _drawn(
        cls, points: list[FrontierPoint], gaps: list[float], accuracy: list[float], name: str, is_joined: bool
    ) -> Self:
        if not points:
            raise InputError("Expected at least one point of a frontier, but got none.")
        display = cls(
            epsilon=np.array([point.epsilon for point in points]),
            gap=np.array(gaps, dtype=float),
            accuracy=np.array(accuracy, dtype=float),
            n_rules=np.array([point.n_rules for point in points]),
            name=name,
            is_joined=is_joined,
        )
        display.plot()
        return display

    def plot(self, epsilon: float | None = None) -> "Figure":
        """Draw the chart again and return it, a plotly figure to show or to save.

        Parameters
        ----------
        epsilon : float or None
            The largest gap that is allowed: drawn as a line across.
        """
        dots = [
            charts.Dot(gap, accuracy, f"epsilon {epsilon:g}: gap {gap:.3f}, accuracy {accuracy:.1%}, {n_rules} rules")
            for epsilon, gap, accuracy, n_rules in self._points()
        ]
        titles = {"x_title": "largest gap between groups in their error rates", "y_title": "accuracy"}
        self.figure_ = charts.curve(dots, name=self.name, is_joined=self.is_joined, limit=epsilon, **titles)
        return self.figure_

    def to_frame(self) -> pd.DataFrame:
        """One line a point: epsilon, gap, accuracy, n_rules."""
        columns = {"epsilon": self.epsilon, "gap": self.gap, "accuracy": self.accuracy, "n_rules": self.n_rules}
        return pd.DataFrame(columns)

    def _points(self) -> Iterator[tuple[float, float, float, int]]:
        columns = (self.epsilon, self.gap, self.accuracy, self.n_rules)
        return zip(*(column.tolist() for column in columns), strict=True)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        """As a notebook shows it: the chart, and where no chart can be shown a table."""
        bundle: dict[str, Any] = dict(self.figure_._repr_mimebundle_(include, exclude) or {})
        return {"text/html": self._table(), **bundle, "text/plain": repr(self)}

    def _table(self) -> str:
        lines = [
            (f"{epsilon:g}", f"{gap:.3f}", markup.share(accuracy), n_rules)
            for epsilon, gap, accuracy, n_rules in self._points()
        ]
        headers = ("epsilon", "gap", "accuracy", "rules")
        return markup.card(
            markup.line(markup.strong(self.name)), markup.table(headers, lines, kind="points", right=(0, 1, 2, 3))
        )
