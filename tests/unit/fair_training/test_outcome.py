"""What training towards parity says about itself, and that it survives a file."""

import json
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from rugcore.errors import ModelFileError
from rugcore.fair_training import outcome
from rugcore.fair_training.outcome import FairnessFit, FitRecord, describe
from rugcore.fair_training.people import People
from rugcore.fair_training.settings import FairSettings
from rugcore.fairness.groups import Groups
from rugcore.fairness.intervals import newcombe
from rugcore.fairness.parity import Cells

CELLS = Cells(
    ("no", "yes"), ("f", "m", "x"), np.array([[50, 100, 4], [40, 80, 0]]), np.array([[50.0, 100, 4], [40, 80, 0]])
)


def tally_with(wrong: list[float]) -> np.ndarray:
    """The wrongly decided weight of every cell goes to the other class."""
    right = CELLS.weight.ravel() - wrong
    return np.array([[right[cell], wrong[cell]] if cell < 3 else [wrong[cell], right[cell]] for cell in range(6)])


def fit_of(epsilon: float = 0.1, notion: str = "dmc", price: list[float] | None = None, **changes: Any) -> FairnessFit:
    """Error rates 0.1 and 0.3 in class no, 0.5 and 0.25 in class yes; x is too small for any."""
    values: dict[str, Any] = {
        "guarantee": "realised" if price is None else "proxy",
        "epsilon": epsilon,
        "tally": tally_with([5.0, 30.0, 1.0, 20.0, 20.0, 0.0]),
        "expected_tally": tally_with([5.0, 30.0, 1.0, 20.0, 20.0, 0.0]),
        "cell_loss": np.array([10.0, 60.0, 2.0, 30.0, 36.0, 0.0]),
        "padding": np.array([15.0, 0, 0, 0, 0, 0]),
        "importance": np.array([1.0, 1.5, 1.0, 2.0, 0.5, 1.0]),
        "price": None if price is None else np.array(price),
    }
    asked = FairSettings(notion, epsilon, "realised", 30)
    people = People.of(CELLS, Groups(CELLS.groups, np.empty(0, dtype=int)), 1, asked)
    return FitRecord(**(values | changes)).fit(people)


def test_gaps_are_counted_by_hand() -> None:
    fit = fit_of()
    assert [(gap.label, gap.first, gap.second) for gap in fit.contrasts] == [("no", "f", "m"), ("yes", "f", "m")]
    assert [gap.realised_gap for gap in fit.contrasts] == pytest.approx([0.1 - 0.3, 0.5 - 0.25])
    assert [gap.lp_gap for gap in fit.contrasts] == pytest.approx([25 / 50 - 60 / 100, 30 / 40 - 36 / 80])
    assert fit.realised_gap == pytest.approx(0.25)
    assert fit.lp_gap == pytest.approx(0.3)
    assert fit.accuracy == pytest.approx(1 - 76 / 274)
    assert fit.padding == 15
    assert fit.loss == 138
    assert fit.worst is fit.contrasts[1]


def test_cells_say_what_happened_in_them() -> None:
    cells = {(cell.label, cell.group): cell for cell in fit_of().cells}
    assert len(cells) == 6
    assert cells["no", "m"].error == pytest.approx(0.3)
    assert cells["yes", "f"].importance == 2.0
    assert cells["no", "f"].padding == 15
    assert cells["yes", "m"].n_rows == 80
    assert math.isnan(cells["yes", "x"].error)


def test_what_is_expected_of_new_people_is_told_with_its_interval() -> None:
    fit = fit_of()
    lower, upper = newcombe((0.5, 0.25), (40, 80), 0.95)
    assert fit.expected_gap == pytest.approx(0.25)
    assert fit.expected is not None
    assert (fit.expected.lower, fit.expected.upper) == pytest.approx((lower, upper))
    assert (fit.expected.worse, fit.expected.better, fit.expected.label) == ("f", "m", "yes")
    assert (
        "Expected on new people: 0.250 ('f' in class yes are decided wrongly more often than 'm'; 95% interval"
        in str(fit)
    )


def test_groups_are_told_with_what_they_are_groups_of() -> None:
    assert str(replace(fit_of(), attribute="married")).startswith("DMC (within every class) by married: asked for")
    assert str(fit_of()).startswith("DMC (within every class): asked for")


def test_a_result_of_an_earlier_version_expects_nothing() -> None:
    content = outcome.to_dict(fit_of())
    old = {
        name: value
        for name, value in content.items()
        if name not in ("expected", "assurance", "assured_rates", "attribute")
    }
    fit = outcome.from_dict(json.loads(json.dumps(old)))
    assert fit.expected_gap is None
    assert not fit.assured
    assert "new people" not in str(fit)


def test_tiny_cells_are_listed() -> None:
    assert [(rate.label, rate.group, rate.n_rows) for rate in fit_of().not_estimable] == [
        ("no", "x", 4),
        ("yes", "x", 0),
    ]
    assert [(rate.label, rate.group, rate.n_rows) for rate in fit_of(notion="odm").not_estimable] == [(None, "x", 4)]


@pytest.mark.parametrize(("epsilon", "met", "met_in_lp"), [(0.2, False, False), (0.25, True, False), (0.3, True, True)])
def test_met_means_at_most_epsilon(epsilon: float, met: bool, met_in_lp: bool) -> None:
    fit = fit_of(epsilon)
    assert fit.met is met
    assert fit.met_in_lp is met_in_lp


def test_in_words_it_says_no_where_it_is_no() -> None:
    text = str(fit_of(0.1))
    assert "NOT met" in text
    assert "0.250" in text
    assert "'f' against 'm'" in text
    assert "15.0 units of padding" in text
    assert "Not estimable" in text
    assert "x" in text.splitlines()[-1]
    assert "NOT met" not in str(fit_of(0.3))
    assert describe(fit_of().worst) == "'f' against 'm' in class yes, +0.250"
    assert describe(fit_of(notion="odm").worst).startswith("'f' against 'm', ")


def test_as_a_table_there_is_a_line_a_pair() -> None:
    frame = fit_of(price=[-3.0, 7.0]).to_frame()
    assert len(frame) == 2
    assert frame.astype(object).to_numpy().tolist()[1][-3:] == pytest.approx([0.3, 0.25, 7.0])


# --- Files --------------------------------------------------------------------------------------------------------


def there_and_back(fit: FairnessFit) -> FairnessFit:
    return outcome.from_dict(json.loads(json.dumps(outcome.to_dict(fit), allow_nan=False)))


@pytest.mark.parametrize("notion", ["dmc", "odm", "eop"])
@pytest.mark.parametrize("epsilon", [0.0, 0.1, math.inf])
@pytest.mark.parametrize("has_price", [True, False])
def test_a_result_survives_a_file(notion: str, epsilon: float, has_price: bool) -> None:
    n_contrasts = 2 if notion == "dmc" else 1
    fit = fit_of(epsilon, notion, [1.5, -2.0][:n_contrasts] if has_price else None)
    again = there_and_back(fit)
    assert repr(again) == repr(fit)  # NaN is not equal to itself, but reads the same
    assert again.met == fit.met
    assert str(again) == str(fit)


def changed(**changes: Any) -> dict[str, Any]:
    return outcome.to_dict(fit_of(price=[1.0, 2.0])) | changes


def with_line(table: str, **changes: Any) -> dict[str, Any]:
    content = changed()
    content[table][0] |= changes
    return content


def without(name: str) -> dict[str, Any]:
    return {key: value for key, value in changed().items() if key != name}


@pytest.mark.parametrize(
    "content",
    [
        without("notion"),
        without("epsilon"),
        without("cells"),
        without("validation_gap"),
        changed(notion="fairness"),
        changed(notion=["dmc"]),
        changed(notion=None),
        changed(guarantee="absolute"),
        changed(guarantee={}),
        changed(epsilon="small"),
        changed(epsilon=-0.1),
        changed(epsilon=True),
        changed(lp_gap=None),
        changed(lp_gap="0.1"),
        changed(realised_gap=-1),
        changed(realised_gap=10**400),
        changed(accuracy=[0.9]),
        changed(accuracy=1.5),
        changed(padding=-3.0),
        changed(loss="none"),
        changed(validation_gap="low"),
        changed(validation_accuracy={}),
        changed(expected={"gap": 0.1}),
        changed(expected=[0.1]),
        changed(assurance={"confidence": "high"}),
        changed(contrasts=[]),
        changed(contrasts="none"),
        changed(contrasts=[[]]),
        changed(contrasts=["f against m"]),
        changed(cells=None),
        changed(cells={"a": 1}),
        changed(not_estimable=3),
        with_line("contrasts", realised_gap="0.2"),
        with_line("contrasts", realised_gap=None),
        with_line("contrasts", lp_gap=[1]),
        with_line("contrasts", first=5),
        with_line("contrasts", second=None),
        with_line("contrasts", price="high"),
        with_line("contrasts", label={"a": 1}),
        with_line("cells", n_rows="many"),
        with_line("cells", n_rows=-1),
        with_line("cells", n_rows=2.5),
        with_line("cells", n_rows=True),
        with_line("cells", error="none"),
        with_line("cells", importance=None),
        with_line("cells", padding={}),
        with_line("cells", group=["f"]),
        with_line("not_estimable", n_rows=None),
    ],
)
def test_what_cannot_be_a_result_is_refused_with_a_sentence(content: dict[str, Any]) -> None:
    with pytest.raises(ModelFileError, match="^its fairness results .*[.]$"):
        outcome.from_dict(content)


def test_what_was_not_changed_is_accepted() -> None:
    assert outcome.from_dict(changed()).notion == "dmc"
    assert outcome.from_dict(changed(lp_gap=1)).lp_gap == 1  # a whole number is a number
    assert outcome.from_dict(changed(surprise="harmless")).notion == "dmc"
    assert outcome.from_dict(with_line("contrasts", label=None)).contrasts[0].label is None
