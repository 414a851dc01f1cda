"""What a model knows of how people fared, counted anew one person after the other."""

import copy
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from rugcore import ReasonFinder, RUGClassifier, decide_new_cases, load_model, reasons_table
from rugcore.attribution import Fared
from rugcore.rules import Interval

NO_RECORD = -9.0


def applications(seed: int, n_rows: int = 600) -> tuple[pd.DataFrame, np.ndarray]:
    """Blanks, a special code, and a category that only three people have."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "wage": rng.integers(0, 40, n_rows).astype(float),
            "debt": rng.uniform(0, 1, n_rows).round(2),
            "housing": rng.choice(["own", "rent", "free"], n_rows),
        }
    )
    frame.loc[rng.random(n_rows) < 0.1, "debt"] = np.nan
    frame.loc[rng.random(n_rows) < 0.1, "wage"] = NO_RECORD
    frame.loc[:2, "housing"] = "boat"
    score = frame["wage"] / 10 - 3 * frame["debt"].fillna(0.5) + (frame["housing"] == "own") + rng.normal(0, 1, n_rows)
    return frame, np.where(score > np.median(score), "grant", "refuse")


def trained(frame: pd.DataFrame, outcome: np.ndarray, **options: Any) -> RUGClassifier:
    model = RUGClassifier(max_depth=3, special_values={"wage": {NO_RECORD: "no record"}}, random_state=0)
    return model.fit(frame, outcome, **options)


@pytest.mark.parametrize("seed", range(3))
def test_everybody_is_counted_once_where_the_rules_look(seed: int) -> None:
    frame, outcome = applications(seed)
    weight = np.random.default_rng(seed).integers(1, 4, len(frame)).astype(float)
    model = trained(frame, outcome, sample_weight=weight)
    fared = model.fared_
    assert fared is not None
    assert fared.all.tolist() == [weight[outcome == label].sum() for label in model.classes_]
    assert set(fared.numbers) | set(fared.categories) == set(model.rules_.features())
    for name, counts in fared.numbers.items():
        conditions = [
            c for rule in model.rules_ for c in rule.conditions if c.feature == name and isinstance(c, Interval)
        ]
        bounds = {bound for c in conditions for bound in (c.lower, c.upper) if np.isfinite(bound)}
        edges = [-np.inf, *sorted(bounds), np.inf]
        assert len(counts) == len(edges) - 1
        for low, high, own in zip(edges, edges[1:], counts, strict=False):
            there = (frame[name] > low) & (frame[name] <= high) & (frame[name] != NO_RECORD)
            assert own.tolist() == [weight[there & (outcome == label)].sum() for label in model.classes_]
    for value, own in fared.categories.get("housing", {}).items():
        has_it = frame["housing"] == value
        assert own.tolist() == [weight[has_it & (outcome == label)].sum() for label in model.classes_]


def test_parts_add_up_to_the_whole() -> None:
    frame, outcome = applications(1)
    model = trained(frame, outcome)
    people, cuts = model._people, model.rule_votes_.cuts
    assert people is not None
    parts = []
    for rows in (np.arange(200), np.arange(200, 600)):
        part = copy.copy(people)
        for name, own in (("codes", people.codes[:, rows]), ("weight", people.weight[rows])):
            object.__setattr__(part, name, own)
        object.__setattr__(part, "class_codes", people.class_codes[rows])
        parts.append(Fared.of(cuts, part, 2))
    assert_same(Fared.together(parts), Fared.of(cuts, people, 2))


def assert_same(one: Fared, other: Fared) -> None:
    np.testing.assert_array_equal(one.all, other.all)
    assert set(one.numbers) == set(other.numbers)
    for name, counts in one.numbers.items():
        np.testing.assert_array_equal(counts, other.numbers[name])
    assert {n: {v: c.tolist() for v, c in own.items()} for n, own in one.categories.items()} == {
        n: {v: c.tolist() for v, c in own.items()} for n, own in other.categories.items()
    }


def test_a_file_keeps_it_but_for_what_hardly_anybody_has(tmp_path: Path) -> None:
    frame, outcome = applications(2)
    model = trained(frame, outcome)
    model.save(tmp_path / "model.json")
    again = load_model(tmp_path / "model.json")
    assert model.fared_ is not None
    assert again.fared_ is not None
    assert_same(again.fared_, model.fared_.told())
    assert "boat" not in (tmp_path / "model.json").read_text().partition('"fared"')[2]


def test_without_it_nothing_is_held_back(tmp_path: Path) -> None:
    """As in a file of an earlier version."""
    frame, outcome = applications(2)
    model = trained(frame, outcome)
    model.fared_ = None
    model.save(tmp_path / "model.json")
    again = load_model(tmp_path / "model.json")
    assert again.fared_ is None
    lines = reasons_table(again, frame, "grant")
    pd.testing.assert_frame_equal(lines, reasons_table(again, frame, "grant", faring_well={}))


@pytest.mark.parametrize("seed", range(4))
def test_no_reason_of_a_saved_model_is_one_that_the_data_do_not_bear_out(seed: int, tmp_path: Path) -> None:
    """Who has as little, or as much, as far as rules tell it apart, or the same category, fares worse than all."""
    frame, outcome = applications(seed)
    outcome[:250] = np.where(frame["debt"][:250] > 0.7, "grant", outcome[:250])  # much debt does not harm
    trained(frame, outcome).save(tmp_path / "model.json")
    model = load_model(tmp_path / "model.json")
    finder, usual = ReasonFinder(model, "grant"), (outcome == "grant").mean()
    n_told = 0
    for row in range(0, len(frame), 5):
        for reason in finder.find(frame.iloc[row]).reasons:
            n_told += 1
            alike = who_is_alike(frame, reason, frame.iloc[row], model)
            assert alike.sum() < 5 or (outcome[alike] == "grant").mean() < usual, reason.text
    assert n_told > 20


def who_is_alike(frame: pd.DataFrame, reason: Any, person: pd.Series, model: Any) -> np.ndarray:
    own, column = person[reason.column], frame[reason.column]
    if reason.finding == "value":
        return (column == own).to_numpy()
    if reason.finding not in ("high", "low"):
        return np.zeros(len(frame), dtype=bool)
    cuts = next(c.cuts for c in model.rule_votes_.cuts.columns if c.name == reason.column)
    if reason.finding == "low":
        return ((column <= min([*cuts[cuts >= own], np.inf])) & (column != NO_RECORD)).to_numpy()
    return ((column > max([*cuts[cuts < own], -np.inf])) & (column != NO_RECORD)).to_numpy()


def test_new_cases_are_decided_with_what_the_file_knows(tmp_path: Path) -> None:
    """Were the people of every interval to fare the other way round, hardly a number could be told."""
    frame, outcome = applications(0)
    model = trained(frame, outcome)
    own = decide_new_cases(model, frame, positive_class="grant", directions={}).frame
    fared = model.fared_
    assert fared is not None
    model.fared_ = Fared(fared.all, {name: counts[:, ::-1] for name, counts in fared.numbers.items()}, {})
    model.save(tmp_path / "model.json")
    other = decide_new_cases(load_model(tmp_path / "model.json"), frame, positive_class="grant", directions={}).frame
    assert own["decision"].tolist() == other["decision"].tolist()
    assert (own["reason 1"] == "wage is low").sum() > 100
    assert not (other["reason 1"] == "wage is low").any()
    assert other["remarks"].str.contains("nobody has said which numbers are better").sum() > 100
