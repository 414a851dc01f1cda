"""Pools as files: what `refit` gives before saving, it gives after loading."""

import io
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rugcore import FairRUGClassifier, InputError, ModelFileError, RUGClassifier, load_model, load_pool, save_pool
from tests.tables import mixed_outcome, mixed_table

X = mixed_table(300)
Y = mixed_outcome(X)
GROUPS = X["employed"]
N_DAMAGED = 200 * int(os.environ.get("RUG_MORE_BAD_FILES", "1"))


def trained(kind: str) -> RUGClassifier:
    if kind == "rug":
        return RUGClassifier(max_depth=2, max_iter=4).fit(X, Y)
    settings: dict[str, Any] = {"max_depth": 2, "max_iter": 4, "epsilon": 0.2, "min_cell_size": 10}
    return FairRUGClassifier(guarantee=kind, **settings).fit(X, Y, sensitive_features=GROUPS)


@pytest.fixture(scope="module", params=["rug", "realised", "proxy"])
def model(request: pytest.FixtureRequest) -> RUGClassifier:
    return trained(request.param)


def reopened(model: RUGClassifier, folder: Path) -> RUGClassifier:
    model.save(folder / "model.json")
    save_pool(model, folder / "model.pool")
    again = load_model(folder / "model.json")
    load_pool(again, folder / "model.pool")
    return again


def test_a_reopened_model_refits_as_the_first_one_would(model: RUGClassifier, tmp_path: Path) -> None:
    again = reopened(model, tmp_path)
    for penalty in (0.5, 3.0):
        before, after = model.refit(penalty=penalty), again.refit(penalty=penalty)
        assert after.objective_ == pytest.approx(before.objective_)
        assert (after.predict(X) == before.predict(X)).mean() > 0.95  # the vertex may be another one


def test_a_reopened_fair_model_follows_epsilon(tmp_path: Path) -> None:
    first = trained("realised")
    again = reopened(first, tmp_path)
    assert isinstance(first, FairRUGClassifier)
    assert isinstance(again, FairRUGClassifier)
    for epsilon in (0.1, 0.3):
        after, before = again.refit(epsilon=epsilon).fairness_, first.refit(epsilon=epsilon).fairness_
        assert repr(after) == repr(before)  # not ==: a cell without rows has no error rate, and NaN equals nothing


def test_another_lambda_goes_on_from_the_program_that_led_to_the_fair_model(tmp_path: Path) -> None:
    settings: dict[str, Any] = {"max_depth": 2, "max_iter": 4, "epsilon": 0.01, "min_cell_size": 10}
    first = FairRUGClassifier(**settings).fit(X, Y, sensitive_features=GROUPS)
    known = reopened(first, tmp_path).pool_.steered
    assert known.solution.objective == pytest.approx(first.pool_.steered.solution.objective)
    again = known.solver.solve(known.program(), known.solution.basis)
    assert again.n_iterations == 0  # it is the optimum already
    assert -again.objective == pytest.approx(known.solution.objective)


def test_the_certificate_still_holds(model: RUGClassifier, tmp_path: Path) -> None:
    assert reopened(model, tmp_path).pool_.certificate()


def test_nothing_is_lost_on_the_way(model: RUGClassifier, tmp_path: Path) -> None:
    pool = reopened(model, tmp_path).pool_
    assert [str(rule) for rule in pool.rules()] == [str(rule) for rule in model.pool_.rules()]
    assert np.array_equal(pool.rule_weight, model.pool_.rule_weight)
    assert np.array_equal(pool.merged_row, model.pool_.merged_row)
    assert (pool.master.votes() != model.pool_.master.votes()).nnz == 0


def test_the_pool_of_another_model_is_refused(tmp_path: Path) -> None:
    save_pool(trained("rug"), tmp_path / "a.pool")
    other = RUGClassifier(max_depth=1, max_iter=1).fit(X, Y)
    other.save(tmp_path / "b.json")
    with pytest.raises(InputError, match="that of another"):
        load_pool(load_model(tmp_path / "b.json"), tmp_path / "a.pool")


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 not really", b"{}", bytes(range(256))])
def test_something_else_is_refused(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "x.pool"
    path.write_bytes(content)
    with pytest.raises(ModelFileError, match=r"something else or damaged"):
        load_pool(trained("rug"), path)


def test_a_damaged_pool_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.pool"
    fitted = trained("rug")
    save_pool(fitted, path)
    with np.load(path) as archive:
        arrays = {name: archive[name] for name in archive.files if name != "rule_cost"}
    with path.open("wb") as file:
        np.savez(file, **arrays)
    with pytest.raises(ModelFileError, match="changed after it was saved"):
        load_pool(fitted, path)
    with pytest.raises(ModelFileError, match="there is no file"):
        load_pool(fitted, tmp_path / "none.pool")


def test_a_model_without_a_pool_cannot_save_one(tmp_path: Path) -> None:
    fitted = trained("rug")
    fitted.save(tmp_path / "a.json")
    with pytest.raises(InputError, match="loaded from a file"):
        save_pool(load_model(tmp_path / "a.json"), tmp_path / "a.pool")


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> tuple[RUGClassifier, bytes]:
    """A fair model, and the file of its pool."""
    fitted, path = trained("realised"), tmp_path_factory.mktemp("pool") / "x.pool"
    save_pool(fitted, path)
    return fitted, path.read_bytes()


def test_no_byte_of_a_pool_can_change_unseen(saved: tuple[RUGClassifier, bytes], tmp_path: Path) -> None:
    """Whatever a damaged file makes its readers say, a person hears one sentence."""
    fitted, content = saved
    path, rng = tmp_path / "x.pool", np.random.default_rng(0)
    n_loaded = 0
    for position in rng.integers(0, len(content), N_DAMAGED):
        damaged = bytearray(content)
        damaged[position] ^= 1 << int(rng.integers(8))
        path.write_bytes(damaged)
        n_loaded += _loads(fitted, path)
    for length in rng.integers(0, len(content), N_DAMAGED // 10):
        path.write_bytes(content[:length])
        assert not _loads(fitted, path)
    assert n_loaded < 0.3 * N_DAMAGED  # dates and names in the directory of the archive; what is loaded was not altered


def _loads(fitted: RUGClassifier, path: Path) -> bool:
    before = fitted.pool_
    try:
        load_pool(fitted, path)
    except ModelFileError:
        return False
    assert np.array_equal(fitted.pool_.rule_weight, before.rule_weight)
    assert fitted.pool_.solution.objective == before.solution.objective
    return True


def test_an_altered_array_is_refused(saved: tuple[RUGClassifier, bytes], tmp_path: Path) -> None:
    fitted, content = saved
    path = tmp_path / "x.pool"
    with np.load(io.BytesIO(content)) as archive:
        arrays = {name: archive[name] for name in archive.files}
    altered = [name for name, array in arrays.items() if name != "meta" and array.size]
    for name in altered:
        other = np.frombuffer(bytes([arrays[name].tobytes()[0] ^ 1]) + arrays[name].tobytes()[1:], arrays[name].dtype)
        other = other.reshape(arrays[name].shape)
        with path.open("wb") as file:
            np.savez(file, **arrays | {name: other})
        with pytest.raises(ModelFileError, match="changed after it was saved"):
            load_pool(fitted, path)
    assert len(altered) > 15
