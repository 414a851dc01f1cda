"""Models as files: the same model back, and a clear word about every file that is none."""

import hashlib
import json
import pickle
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from rugcore import ModelFileError, RUGClassifier, Rule, RuleSet, reasons_table
from rugcore.persistence import model_files
from rugcore.rules import Interval, serial
from tests.tables import mixed_outcome, mixed_table


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    return mixed_table()


@pytest.fixture(scope="module")
def model(table: pd.DataFrame) -> RUGClassifier:
    return RUGClassifier(max_iter=5, penalty=0.3, max_depth=2, random_state=3).fit(table, mixed_outcome(table))


@pytest.fixture
def path(tmp_path: Path, model: RUGClassifier) -> Path:
    target = tmp_path / "model.json"
    model.save(target)
    return target


# --- There and back ---------------------------------------------------------------------------------------------


def test_a_loaded_model_is_the_same_model(path: Path, model: RUGClassifier, table: pd.DataFrame) -> None:
    loaded = RUGClassifier.load(path)
    other_rows = mixed_table(150, seed=5, blanks=0.3)
    for frame in (table, other_rows):
        np.testing.assert_array_equal(loaded.predict(frame), model.predict(frame))
        np.testing.assert_array_equal(loaded.predict_proba(frame), model.predict_proba(frame))
        np.testing.assert_array_equal(loaded.decision_function(frame), model.decision_function(frame))
        np.testing.assert_array_equal(loaded.covering_rules(frame).toarray(), model.covering_rules(frame).toarray())
    assert loaded.rules_ == model.rules_
    assert str(loaded.rules_) == str(model.rules_)
    assert [str(loaded.explain(table.iloc[n])) for n in range(20)] == [
        str(model.explain(table.iloc[n])) for n in range(20)
    ]


def test_a_loaded_model_compares_with_the_same_people(path: Path, model: RUGClassifier, table: pd.DataFrame) -> None:
    loaded, copied = RUGClassifier.load(path), pickle.loads(pickle.dumps(model))
    expected = reasons_table(model, table, "grant", background=table)
    assert (expected["status"] == "reasons").sum() > 20
    for other in (loaded, copied):
        pd.testing.assert_frame_equal(reasons_table(other, table, "grant"), expected)


def test_the_file_tells_counts_and_nobody_s_values(path: Path, model: RUGClassifier, table: pd.DataFrame) -> None:
    """What a rule asks is in the file anyway; of the people, only how many meet it."""
    kept = json.loads(path.read_text(encoding="utf-8"))["model"]["reference"]
    granted = model.classes_.tolist().index("grant")
    decided, covered = model.predict(table), model.covering_rules(table).toarray()
    for number, rule in enumerate(model.rules_):
        assert kept["rules"][number]["1" * rule.length][granted] == (covered[:, number] & (decided == "grant")).sum()
    assert set(kept["columns"]) == set(model.rules_.features())


def test_a_loaded_model_knows_what_the_model_knew(path: Path, model: RUGClassifier) -> None:
    loaded = RUGClassifier.load(path)
    assert loaded.get_params() == model.get_params()
    assert loaded.classes_.tolist() == model.classes_.tolist()
    assert loaded.class_share_.tolist() == model.class_share_.tolist()
    assert loaded.history_ == model.history_
    assert loaded.n_iter_ == model.n_iter_
    assert loaded.objective_ == model.objective_
    assert loaded.lower_bound_ is None
    assert loaded.stop_reason_ == model.stop_reason_
    assert loaded.solver_ == model.solver_
    assert loaded.n_features_in_ == model.n_features_in_
    assert loaded.feature_names_in_.tolist() == model.feature_names_in_.tolist()


def test_a_loaded_model_can_be_saved_and_trained_again(path: Path, tmp_path: Path, table: pd.DataFrame) -> None:
    loaded = RUGClassifier.load(path)
    loaded.save(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == path.read_bytes()
    assert len(loaded.fit(table, mixed_outcome(table)).rules_) > 0


@pytest.mark.parametrize("labels", [[0, 1], [False, True], [0.0, 1.0], ["no", "ja 日本"], [-7, 12]])
def test_classes_of_every_type_come_back(labels: list[Any], tmp_path: Path) -> None:
    X = pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0]})
    model = RUGClassifier(penalty=0.1).fit(X, [labels[0], labels[0], labels[1], labels[1]])
    model.save(tmp_path / "m.json")
    loaded = RUGClassifier.load(str(tmp_path / "m.json"))
    assert loaded.predict(X).tolist() == model.predict(X).tolist()
    assert [type(item) for item in loaded.classes_.tolist()] == [type(item) for item in labels]


@pytest.mark.parametrize("name", ["a b", "Größe", "x <= 3", 'the "best"', "c is d", "收入", "", "a\nb", "\\", "🙂"])
def test_every_name_and_category_comes_back(name: str, tmp_path: Path) -> None:
    X = pd.DataFrame({name: [f"{name}1", name, f"{name}1", name, None, None] * 3, "n": range(18)})
    y = np.resize([0, 1, 0, 1, 2, 2], 18)
    model = RUGClassifier(penalty=0.1).fit(X, y)
    model.save(tmp_path / "m.json")
    loaded = RUGClassifier.load(tmp_path / "m.json")
    assert loaded.predict(X).tolist() == y.tolist()
    assert loaded.rules_ == model.rules_
    assert loaded.rules_.features() == [name]


@pytest.mark.filterwarnings("ignore:X has feature names")
def test_a_model_of_an_array_comes_back_without_names(tmp_path: Path) -> None:
    X = np.arange(8.0)[:, None]
    RUGClassifier().fit(X, X[:, 0] > 3).save(tmp_path / "m.json")
    loaded = RUGClassifier.load(tmp_path / "m.json")
    assert not hasattr(loaded, "feature_names_in_")
    assert loaded.predict(X).tolist() == (X[:, 0] > 3).tolist()


def test_the_bound_of_exact_pricing_comes_back(tmp_path: Path) -> None:
    X = pd.DataFrame({"x": np.arange(12.0), "c": list("ab") * 6})
    model = RUGClassifier(pricing="exact", max_depth=1).fit(X, (X["x"] > 5) & (X["c"] == "a"))
    model.save(tmp_path / "m.json")
    assert RUGClassifier.load(tmp_path / "m.json").lower_bound_ == model.lower_bound_ is not None


def test_a_function_and_a_generator_are_not_saved(tmp_path: Path) -> None:
    X = np.arange(8.0)[:, None]
    model = RUGClassifier(callback=lambda _: True, random_state=np.random.RandomState(0)).fit(X, X[:, 0] > 3)
    model.save(tmp_path / "m.json")
    loaded = RUGClassifier.load(tmp_path / "m.json")
    assert loaded.callback is None
    assert loaded.random_state is None


def test_the_file_is_plain_json_that_a_person_can_read(path: Path, model: RUGClassifier) -> None:
    document = json.loads(path.read_text(encoding="utf-8"))
    assert document["format"] == "rugcore-model"
    assert document["version"] == 2
    assert document["model"]["rules"][0]["text"] == str(model.rules_[0])


# --- Saving is all or nothing -----------------------------------------------------------------------------------


def test_a_failed_save_leaves_the_older_file_and_nothing_else(
    path: Path, model: RUGClassifier, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = path.read_bytes()

    def full_disk(self: Path, target: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full_disk)  # everything is written by then, but not yet in its place
    with pytest.raises(OSError, match="No space"):
        model.save(path)
    assert path.read_bytes() == before
    assert [file.name for file in path.parent.iterdir()] == ["model.json"]


def test_a_model_that_cannot_be_written_leaves_the_older_file(
    path: Path, model: RUGClassifier, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = path.read_bytes()
    monkeypatch.setattr(model, "objective_", float("nan"))
    with pytest.raises(ValueError, match="JSON"):
        model.save(path)
    assert path.read_bytes() == before


def test_saving_over_a_file_replaces_it(path: Path, model: RUGClassifier) -> None:
    path.write_text("an older file")
    model.save(path)
    assert RUGClassifier.load(path).rules_ == model.rules_
    assert [file.name for file in path.parent.iterdir()] == ["model.json"]


# --- Files that are no models -----------------------------------------------------------------------------------


def refusal(path: Path) -> str:
    with pytest.raises(ModelFileError) as caught:
        RUGClassifier.load(path)
    sentence = str(caught.value)
    assert str(path) in sentence
    return sentence


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "stops being JSON at line 1"),
        (b"hello", "stops being JSON"),
        (b"[]", "some other JSON file"),
        (b"null", "some other JSON file"),
        (b'{"cells": [], "nbformat": 4}', "some other JSON file"),
        (b'{"format": "rugcore-model", "version": 2}', "some other JSON file"),
        (b'{"format": "rugcore-model", "version": 1, "model": {}}', "version 1, but this rugcore reads version 2"),
        (b'{"format": "rugcore-model", "version": "1", "model": {}}', "version '1'"),
        (b'{"format": "rugcore-model", "version": 2, "model": 3}', "Expected a RUGClassifier"),
        (b'{"format": "rugcore-model", "version": 2, "model": {"class": "Forest"}}', "holds 'Forest'"),
        (b'{"format": NaN}', "holds NaN"),
        (b"[" * 100_000, "absurdly deep"),
        (b'{"format": 1' + b"0" * 5_000 + b"}", "absurdly deep or long"),
        (bytes(range(256)), "not text"),
        (b"PK\x03\x04\xff\xfe", "not text"),
        (pickle.dumps({"a": np.arange(3)}), "not text|stops being JSON"),
    ],
)
def test_a_foreign_file_is_refused(content: bytes, words: str, tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    path.write_bytes(content)
    sentence = refusal(path)
    assert re.search(words, sentence), sentence


def test_nothing_in_a_file_is_ever_executed(tmp_path: Path) -> None:
    class Trap:
        def __reduce__(self) -> tuple[Callable[[str], Any], tuple[str]]:
            return Path.touch, (tmp_path / "sprung",)  # type: ignore[return-value]

    path = tmp_path / "model.json"
    path.write_bytes(pickle.dumps(Trap()))
    refusal(path)
    assert not (tmp_path / "sprung").exists()


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    assert "there is no file" in refusal(tmp_path / "none.json")
    assert "there is no file" in refusal(tmp_path)


def test_a_file_that_is_far_too_large(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_files, "LARGEST_FILE", 100)
    assert "larger than any model file" in refusal(path)


def test_a_file_that_may_not_be_read(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(*_: Any, **__: Any) -> str:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_text", forbidden)
    assert "Permission denied" in refusal(path)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.99])
def test_a_truncated_file_is_refused(path: Path, share: float) -> None:
    text = path.read_text(encoding="utf-8")
    path.write_text(text[: int(len(text) * share)], encoding="utf-8")
    assert "stops being JSON" in refusal(path)


# --- Tampering --------------------------------------------------------------------------------------------------

Change = Callable[[dict[str, Any]], Any]


def interval_of(content: dict[str, Any]) -> dict[str, Any]:
    return next(c for rule in content["rules"] for c in rule["if"] if c["kind"] == "interval")


def membership_of(content: dict[str, Any]) -> dict[str, Any]:
    """One that could stand on the column income."""
    free = [rule["if"] for rule in content["rules"] if all(c["feature"] != "income" for c in rule["if"])]
    return next(c for conditions in free for c in conditions if c["kind"] == "membership")


def counts_of(content: dict[str, Any]) -> list[list[float]]:
    """Of the people compared with, by a column that rules look at."""
    first: list[list[float]] = next(iter(content["reference"]["columns"].values()))
    return first


def fates_of(content: dict[str, Any]) -> list[list[float]]:
    """What became of people, by a column of numbers that rules look at."""
    first: list[list[float]] = next(iter(content["fared"]["numbers"].values()))
    return first


CHANGES: dict[str, tuple[Change, str]] = {
    "a weight": (lambda m: m["rules"][0].update(weight=-1.0), "rule 1, the field 'weight' holds -1.0"),
    "no weight": (lambda m: m["rules"][0].pop("weight"), "rule 1, the field 'weight' is missing"),
    "a weight beyond all numbers": (lambda m: m["rules"][0].update(weight=10**400), "'weight' holds 1000"),
    "a condition of no kind": (lambda m: interval_of(m).update(kind="eval"), "unknown kind 'eval'"),
    "another column": (lambda m: interval_of(m).update(feature="shoe size"), "column 'shoe size', which the model"),
    "another class": (lambda m: m["rules"][0].update(then="maybe"), "class 'maybe', which the model does not have"),
    "an empty interval": (lambda m: interval_of(m).update(above=5, up_to=5), "no number lies in it"),
    "words on a number": (lambda m: membership_of(m).update(feature="income"), "'income'"),
    "numbers on words": (lambda m: interval_of(m).update(feature="region"), "'region'"),
    "too many values": (lambda m: membership_of(m).update(values=[f"v{n}" for n in range(300)]), "at most 254"),
    "one class": (lambda m: m.update(classes=["ask"]), "two or more classes"),
    "a class twice": (lambda m: m.update(classes=["ask", "ask", "grant"]), "names a class twice"),
    "mixed classes": (lambda m: m.update(classes=["ask", "grant", 3]), "two or more classes of one kind"),
    "unreadable classes": (lambda m: m.update(classes=[["a"], ["b"], ["c"]]), "expected text, a number"),
    "no classes": (lambda m: m.pop("classes"), "'classes' is missing"),
    "shares of one class": (lambda m: m.update(class_share=[1.0]), "one share per class"),
    "shares beyond one": (lambda m: m.update(class_share=[0.5, 0.5, 0.5]), "adding up to one"),
    "shares as words": (lambda m: m.update(class_share=["a", "b", "c"]), "'class_share' holds 'a'"),
    "columns as words": (lambda m: m.update(columns="abc"), "'columns' has the wrong type str"),
    "a column of no kind": (lambda m: m["columns"][0].update(kind="python"), "unknown kind"),
    "a column twice": (lambda m: m["columns"].append(m["columns"][0]), "repeats a column"),
    "a nameless column": (lambda m: m["columns"][0].pop("name"), "'name' is missing"),
    "an unknown setting": (lambda m: m["settings"].update(hook="os.system"), "unknown setting 'hook'"),
    "a bad setting": (lambda m: m["settings"].update(max_depth="deep"), "Expected max_depth to be a whole number"),
    "no settings": (lambda m: m.update(settings=None), "'settings' has the wrong type"),
    "no rules": (lambda m: m.pop("rules"), "'rules' is missing"),
    "rules as words": (lambda m: m.update(rules={}), "'rules' has the wrong type dict"),
    "no objective": (lambda m: m.update(objective=None), "'objective' holds None"),
    "a bound as words": (lambda m: m.update(lower_bound="low"), "'lower_bound' holds 'low'"),
    "a history as words": (lambda m: m.update(history=["long ago"]), "'number' is missing"),
    "a round as words": (lambda m: m["history"][0].update(objective="low"), "'objective' has the wrong type str"),
    "no named columns": (lambda m: m.pop("named_columns"), "'named_columns' is missing"),
    "chances as words": (lambda m: m.update(chances="high"), "'effect' is missing"),
    "chances of other rules": (lambda m: m["chances"]["effect"].pop(), "one effect a rule"),
    "an effect too few": (lambda m: m["chances"]["effect"][0].pop(), "one number a class in the field 'effect'"),
    "an effect as words": (lambda m: m["chances"]["effect"][0].__setitem__(0, "x"), "'effect' holds 'x'"),
    "an effect beyond reason": (lambda m: m["chances"]["effect"][0].__setitem__(0, 1e9), "'effect' holds"),
    "a base of two": (lambda m: m["chances"].update(base=[0.0, 0.0]), "one number a class in the field 'base'"),
    "trust below nothing": (lambda m: m["chances"].update(scale=-1.0), "'scale' holds -1.0"),
    "no shift": (lambda m: m["chances"].pop("shift"), "'shift' is missing"),
    "chances beyond one": (lambda m: m["chances"].update(uncovered=[0.5, 0.5, 0.5]), "uncovered rows to add up"),
    "a reference as words": (lambda m: m.update(reference="all"), "'rules' is missing"),
    "people of other rules": (lambda m: m["reference"]["rules"].pop(), "every rule and column"),
    "people of other columns": (lambda m: m["reference"]["columns"].popitem(), "every rule and column"),
    "a pattern too long": (
        lambda m: m["reference"]["rules"][0].update({"0" * 99: [1, 0, 0]}),
        "patterns of conditions",
    ),
    "a pattern of words": (
        lambda m: m["reference"]["rules"].__setitem__(0, {"x": [1, 0, 0]}),
        "patterns of conditions",
    ),
    "patterns as a list": (lambda m: m["reference"]["rules"].__setitem__(0, []), "patterns of conditions"),
    "people of one class": (lambda m: counts_of(m).__setitem__(0, [1.0]), "one number a class"),
    "a cut too few": (lambda m: counts_of(m).pop(), "one number a class"),
    "fewer people than none": (lambda m: counts_of(m)[0].__setitem__(0, -1), "'reference' holds -1"),
    "people as words": (lambda m: counts_of(m)[0].__setitem__(0, "x"), "'reference' holds 'x'"),
    "other people": (lambda m: counts_of(m)[0].__setitem__(0, 10**6), "the same people"),
    "fates as words": (lambda m: m.update(fared="well"), "'numbers' is missing"),
    "fates of other columns": (lambda m: m["fared"]["numbers"].popitem(), "every column that rules look at"),
    "fates of a strange column": (lambda m: m["fared"]["categories"].update(shoes=[]), "every column that rules look"),
    "fates of a cut too few": (lambda m: fates_of(m).pop(), "one number a class"),
    "fates as a table": (lambda m: m["fared"]["categories"].update(region={"a": 1}), "pairs of a value"),
    "fates of more people": (lambda m: fates_of(m)[0].__setitem__(0, 10**6), "no more of them than there are"),
    "fates of nobody": (lambda m: m["fared"].update(all=[0, 0, 0]), "no more of them than there are"),
    "an impossible class": (lambda m: m["chances"].update(least=[0.1, 0.1, 0.0]), "least chances above zero"),
}


def change(path: Path, alter: Change, with_new_checksum: bool) -> None:
    document = json.loads(path.read_text(encoding="utf-8"))
    alter(document["model"])
    if with_new_checksum:
        text = json.dumps(document["model"], sort_keys=True, ensure_ascii=True, separators=(",", ":"))
        document["digest"] = "sha256:" + hashlib.sha256(text.encode()).hexdigest()
    path.write_text(json.dumps(document), encoding="utf-8")


def test_a_file_rewritten_without_a_change_is_still_good(path: Path, model: RUGClassifier) -> None:
    change(path, lambda _: None, with_new_checksum=False)
    assert RUGClassifier.load(path).rules_ == model.rules_


@pytest.mark.parametrize("name", CHANGES)
def test_every_change_is_noticed(name: str, path: Path) -> None:
    change(path, CHANGES[name][0], with_new_checksum=False)
    assert "checksum does not match" in refusal(path)


@pytest.mark.parametrize(
    "alter",
    [
        lambda m: m["rules"][0].update(weight=m["rules"][0]["weight"] * (1 + 1e-12)),
        lambda m: m["classes"].reverse(),
        lambda m: m["rules"].reverse(),
        lambda m: m["rules"].pop(),
        lambda m: m["rules"][0].update(text="always"),
        lambda m: m.update(note="harmless"),
    ],
)
def test_changes_that_would_pass_every_other_check_are_noticed_too(alter: Change, path: Path) -> None:
    change(path, alter, with_new_checksum=False)
    assert "checksum does not match" in refusal(path)


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_with_a_forged_checksum_is_refused_for_what_it_is(name: str, path: Path) -> None:
    alter, words = CHANGES[name]
    change(path, alter, with_new_checksum=True)
    sentence = refusal(path)
    assert words in sentence, sentence


def test_a_file_without_its_checksum_is_refused(path: Path) -> None:
    document = json.loads(path.read_text(encoding="utf-8"))
    del document["digest"]
    path.write_text(json.dumps(document), encoding="utf-8")
    assert "checksum does not match" in refusal(path)


def test_a_threshold_comes_back_to_the_last_bit(tmp_path: Path) -> None:
    numbers = [0.1, 0.1 + 2**-56, 5e-324, 1e-323, 1.7976931348623155e308, 1.7976931348623157e308]
    rules = RuleSet([Rule((Interval("x", upper=number),), 1, 1 / 3, 0.1, 0.2) for number in numbers])
    assert RuleSet.from_json(rules.to_json()) == rules


def test_a_name_that_stands_twice_is_refused() -> None:
    with pytest.raises(ModelFileError, match="'weight' stands twice"):
        serial.parse('{"rules": [{"weight": 1, "weight": 2}]}')
