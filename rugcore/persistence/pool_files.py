"""The rules of a training run with their linear program as a file, so that another process can re-solve it later.

A numpy archive of plain arrays and one JSON text; nothing in it can be executed. A model file holds what prediction
needs; this holds what `refit` needs, and belongs to the model file it was saved beside.
"""

import hashlib
import json
import struct
import tokenize
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import asdict, replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from rugcore.atomic import whole_file
from rugcore.errors import InputError, ModelFileError
from rugcore.fair_training import outcome
from rugcore.fair_training.constrained_master import ParityMaster, ParitySolution
from rugcore.fair_training.likely_groups import LikelyGroups
from rugcore.fair_training.people import People
from rugcore.fair_training.pool import FairPool
from rugcore.fair_training.proxy import ProxyPool
from rugcore.fair_training.realised import RealisedPool, Start
from rugcore.fair_training.settings import FairSettings
from rugcore.fairness.groups import Groups
from rugcore.fairness.parity import Cells
from rugcore.generation.candidates import Candidate, RuleKey
from rugcore.generation.costs import CostModel
from rugcore.lp.master import MasterProblem, MasterSolution
from rugcore.lp.merging import MergedRows
from rugcore.lp.program import Basis
from rugcore.lp.solvers.choice import choose_solver
from rugcore.rules import serial
from rugcore.rules.conditions import Condition
from rugcore.rules.ruleset import RuleSet
from rugcore.tables.columns import CategoryColumn, Column, NumberColumn
from rugcore.training.pool import RulePool
from rugcore.training.refitting import pool_of

FORMAT = "rugcore-pool"
VERSION = 1

EXACT = tuple(ParitySolution.__dataclass_fields__)

# What a damaged archive makes its readers raise: that of zip files, that of arrays, and that of their headers.
UNREADABLE = (
    OSError, EOFError, zipfile.BadZipFile, zlib.error, struct.error, tokenize.TokenError, SyntaxError, ValueError,
    TypeError, LookupError, RuntimeError, ArithmeticError, MemoryError,
)  # fmt: skip

Arrays = dict[str, np.ndarray]


def save_pool(model: Any, path: str | PathLike[str]) -> None:
    """Write the rules and the linear program of a `model` trained here to `path`, for `load_pool`.

    A crash half-way leaves an older file as it was.
    """
    arrays, meta = _pool_content(pool_of(model))
    meta = {"format": FORMAT, "version": VERSION, "digest": _digest(arrays, meta)} | meta
    text = json.dumps(meta, ensure_ascii=False, allow_nan=False)
    content: dict[str, Any] = arrays | {"meta": np.frombuffer(text.encode(), dtype=np.uint8)}
    with whole_file(path) as file:
        np.savez_compressed(file, **content)


def load_pool(model: Any, path: str | PathLike[str]) -> None:
    """Give a `model` read from its file the pool that `save_pool` wrote to `path`: `refit` works again."""
    arrays = _arrays(Path(path))
    try:
        meta = _meta(arrays, Path(path))
        _refuse_altered(arrays, meta, Path(path))
        pool = _pool(arrays, meta)
    except ModelFileError:
        raise
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError, MemoryError) as error:
        raise ModelFileError(f"{path} is not a pool that can be used ({error}). Train the model again.") from error
    kept = pool.kept_rules(model.weight_threshold)
    if pool.classes != tuple(model.classes_.tolist()) or _weighed(kept) != _weighed(model.rules_):
        raise InputError(f"Expected the pool of this model, but {path} holds that of another.")
    model.pool_ = pool


def _weighed(rules: RuleSet) -> list[tuple[str, str]]:
    """In an order of its own, and without the last digits: a file may have been written before they were rounded."""
    return sorted((str(rule), f"{rule.weight:.9g}") for rule in rules)


def _arrays(path: Path) -> Arrays:
    if not path.is_file():
        raise ModelFileError(f"Expected a pool file, but there is no file {path}.")
    try:
        with np.load(path, allow_pickle=False) as archive:
            return {name: archive[name] for name in archive.files}
    except UNREADABLE as error:
        raise ModelFileError(f"Expected a pool saved by rugcore, but {path} is something else or damaged.") from error


def _meta(arrays: Arrays, path: Path) -> dict[str, Any]:
    meta: dict[str, Any] = json.loads(arrays["meta"].tobytes().decode())
    if meta.get("format") != FORMAT or meta.get("version") != VERSION:
        raise ModelFileError(f"{path} is not a pool of the version that this rugcore reads. Train the model again.")
    return meta


def _digest(arrays: Arrays, meta: Mapping[str, Any]) -> str:
    """Of all that a pool holds: an altered number may still make a program, and then another model."""
    digest = hashlib.sha256()
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        digest.update(repr((name, arrays[name].shape, array.dtype.str)).encode() + array.tobytes())
    own = {name: value for name, value in meta.items() if name not in ("format", "version", "digest")}
    digest.update(json.dumps(own, sort_keys=True).encode())
    return "sha256:" + digest.hexdigest()


def _refuse_altered(arrays: Arrays, meta: Mapping[str, Any], path: Path) -> None:
    """Files of earlier versions have no digest."""
    own = {name: array for name, array in arrays.items() if name != "meta"}
    if "digest" in meta and meta["digest"] != _digest(own, meta):
        raise ModelFileError(
            f"{path} was changed after it was saved (its checksum does not match). Train the model again."
        )


# -- any pool ------------------------------------------------------------------------------------------------------


def _pool_content(pool: RulePool) -> tuple[Arrays, dict[str, Any]]:
    arrays = _candidate_arrays(pool.candidates) | _master_arrays(pool.master) | _solution_arrays(pool.solution)
    arrays |= {"class_weight": pool.class_weight, "merged_row": pool.merged_row, "rule_weight": pool.rule_weight}
    arrays |= {"has_blanks": pool.has_blanks} | _left_out_arrays(pool.left_out)
    arrays |= {f"written_{name}": array for name, array in _candidate_arrays(_written_rules(pool)).items()}
    meta = {
        "kind": type(pool).__name__,
        "labels": [serial.plain(label) for label in pool.classes],
        "columns": [_column_meta(column) for column in pool.columns],
        "penalty": pool.master.penalty,
        "wrong_vote": pool.master.wrong_vote,
        "solver": pool.master.solver.name,
        "objective": pool.solution.objective,
        "costs": asdict(pool.costs),
        "written": [[serial.condition_to_dict(part) for part in own] for own in pool.written.values()],
    }
    if isinstance(pool, FairPool):
        fair_arrays, fair_meta = _fair_content(pool)
        return arrays | fair_arrays, meta | fair_meta
    return arrays, meta


def _pool(arrays: Arrays, meta: Mapping[str, Any]) -> RulePool:
    fields: dict[str, Any] = {
        "candidates": _candidates(arrays),
        "columns": tuple(_column(item) for item in meta["columns"]),
        "classes": tuple(meta["labels"]),
        "class_weight": arrays["class_weight"],
        "solution": _solution(arrays, float(meta["objective"])),
        "merged_row": arrays["merged_row"],
        "rule_weight": arrays["rule_weight"],
        "costs": _costs(arrays, meta),
        "has_blanks": arrays.get("has_blanks", np.ones(len(meta["columns"]), dtype=bool)),
        "left_out": _left_out(arrays),
        "written": _written(arrays, meta),
    }
    if meta["kind"] == RulePool.__name__:
        return RulePool(**fields, master=_master(arrays, meta))
    return _fair_pool(arrays, meta, fields)


def _costs(arrays: Arrays, meta: Mapping[str, Any]) -> CostModel:
    """Before they were kept: a rule that costs less than 1 does so by its length."""
    if "costs" in meta:
        return CostModel(**meta["costs"])
    rules, cost = _candidates(arrays), arrays["rule_cost"]
    longest = [round(rule.length / price) for rule, price in zip(rules, cost, strict=True) if price < 1.0]
    depth = longest[0] if longest else max((rule.length for rule in rules), default=1)
    return CostModel(float(meta["penalty"]), depth, by_length=bool(longest), wrong_vote=_wrong_vote(meta))


def _left_out_arrays(left_out: frozenset[RuleKey]) -> Arrays:
    """As rules of their own, which are in no program."""
    rules = tuple(Candidate.of_key(key) for key in sorted(left_out))
    return {f"left_out_{name}": array for name, array in _candidate_arrays(rules).items()}


def _left_out(arrays: Arrays) -> frozenset[RuleKey]:
    own = {name.removeprefix("left_out_"): array for name, array in arrays.items() if name.startswith("left_out_")}
    return frozenset(rule.key() for rule in _candidates(own)) if own else frozenset()


def _written_rules(pool: RulePool) -> tuple[Candidate, ...]:
    return tuple(Candidate.of_key(key) for key in pool.written)


def _written(arrays: Arrays, meta: Mapping[str, Any]) -> dict[RuleKey, tuple[Condition, ...]]:
    """Rules that a person wrote, in that person's words; in files of earlier versions there are none."""
    own = {name.removeprefix("written_"): array for name, array in arrays.items() if name.startswith("written_")}
    if not own:
        return {}
    words = [tuple(serial.condition_from_dict(part) for part in conditions) for conditions in meta["written"]]
    return {rule.key(): conditions for rule, conditions in zip(_candidates(own), words, strict=True)}


def _candidate_arrays(candidates: tuple[Candidate, ...]) -> Arrays:
    """One line for every condition: its rule, its column, and its 256 allowed codes as bits."""
    lines = [(rule, feature, codes) for rule, item in enumerate(candidates) for feature, codes in item.allowed.items()]
    return {
        "condition_rule": np.array([rule for rule, _, _ in lines], dtype=np.int64),
        "condition_column": np.array([feature for _, feature, _ in lines], dtype=np.int64),
        "condition_codes": np.packbits(np.array([codes for _, _, codes in lines], dtype=bool).reshape(-1, 256), axis=1),
        "candidate_label": np.array([item.class_code for item in candidates], dtype=np.int64),
    }


def _candidates(arrays: Arrays) -> tuple[Candidate, ...]:
    codes = np.unpackbits(arrays["condition_codes"], axis=1).astype(bool)
    allowed: list[dict[int, np.ndarray]] = [{} for _ in arrays["candidate_label"]]
    for rule, feature, line in zip(arrays["condition_rule"], arrays["condition_column"], codes, strict=True):
        allowed[int(rule)][int(feature)] = line
    return tuple(
        Candidate(item, int(class_code)) for item, class_code in zip(allowed, arrays["candidate_label"], strict=True)
    )


def _column_meta(column: Column) -> dict[str, Any]:
    if isinstance(column, NumberColumn):
        own = {"special": serial.specials_to_list(column.specials)} if column.specials else {}
        return {"name": column.name, "cuts": column.cuts.tolist()} | own
    return {
        "name": column.name,
        "values": [serial.plain(value) for value in column.values],
        "unnamed": column.has_unnamed,
        **({"ordered": column.n_ordered} if column.n_ordered else {}),
    }


def _column(item: Mapping[str, Any]) -> Column:
    if "cuts" in item:
        specials = serial.specials_from_list(item.get("special", []))  # there were none in earlier versions
        return NumberColumn(item["name"], np.array(item["cuts"], dtype=float), specials)
    return CategoryColumn(item["name"], tuple(item["values"]), bool(item["unnamed"]), int(item.get("ordered", 0)))


def _master_arrays(master: MasterProblem) -> Arrays:
    merged = master.merged
    return {
        "cell": merged.cell,
        "label": merged.class_code,
        "weight": merged.weight,
        "covering_rules": merged.coverage.indices,
        "covering_ends": merged.coverage.indptr,
        "rule_label": master.rule_class,
        "rule_cost": master.rule_cost,
        "importance": master.importance,
        "floor": master.floor,
    }


def _merged(arrays: Arrays) -> MergedRows:
    indices, indptr = arrays["covering_rules"], arrays["covering_ends"]
    shape = (len(arrays["label"]), len(arrays["rule_label"]))
    coverage = sparse.csr_array((np.ones(len(indices), dtype=bool), indices, indptr), shape=shape)
    coverage.check_format(full_check=True)
    return MergedRows(arrays["cell"], arrays["label"], arrays["weight"], coverage)


def _master(arrays: Arrays, meta: Mapping[str, Any]) -> MasterProblem:
    master = MasterProblem(_merged(arrays), _wrong_vote(meta), float(meta["penalty"]), choose_solver(meta["solver"]))
    _continue(master, arrays, meta)
    return master


def _wrong_vote(meta: Mapping[str, Any]) -> float:
    """Before it was kept, it was the paper's."""
    return float(meta.get("wrong_vote", 1.0 / (len(meta["labels"]) - 1)))


def _continue(master: MasterProblem, arrays: Arrays, meta: Mapping[str, Any]) -> None:
    master.rule_class, master.rule_cost = arrays["rule_label"], arrays["rule_cost"]
    master.floor = arrays.get("floor", np.zeros(len(master.rule_cost)))  # earlier versions knew none
    master.importance = arrays["importance"]
    master.start_from(_solution(arrays, float(meta["objective"])))


def _solution_arrays(solution: MasterSolution) -> Arrays:
    return {
        "lp_rule_weight": solution.rule_weight,
        "merged_dual": solution.merged_dual,
        "basis_columns": solution.basis.columns,
        "basis_rows": solution.basis.rows,
        "dual_constant": np.array(solution.dual_constant),
    }


def _solution(arrays: Arrays, objective: float) -> MasterSolution:
    basis = Basis(arrays["basis_columns"], arrays["basis_rows"])
    return MasterSolution(
        objective, arrays["lp_rule_weight"], arrays["merged_dual"], basis, float(arrays["dual_constant"])
    )


# -- fair pools ----------------------------------------------------------------------------------------------------


def _fair_content(pool: FairPool) -> tuple[Arrays, dict[str, Any]]:
    assert pool.fit is not None
    arrays = {"cell_count": pool.people.cells.count, "cell_weight": pool.people.cells.weight}
    arrays |= _likely_arrays(pool.people)
    fair = asdict(pool.fair)
    meta = {
        "groups": list(pool.people.groups.names),
        "attribute": pool.people.groups.attribute,
        "positive": pool.people.positive,
        "fair": fair | {"epsilon": None if np.isinf(pool.fair.epsilon) else pool.fair.epsilon},
        "weight_threshold": pool.weight_threshold,
        "fit": outcome.to_dict(pool.fit),
    }
    if isinstance(pool, RealisedPool):
        return arrays | _start_arrays(pool.starts) | _steered_arrays(pool.steered), meta
    assert isinstance(pool, ProxyPool)
    assert pool.exact is not None
    return arrays | {f"exact_{name}": np.asarray(getattr(pool.exact, name)) for name in EXACT}, meta


def _likely_arrays(people: People) -> Arrays:
    likely = people.likely
    if likely is None:
        return {}
    own = {"share": likely.share, "group": likely.group, "weight": likely.weight}
    return {"expected_cell_weight": people.expected_cells.weight} | {f"likely_{name}": own[name] for name in own}


def _people(arrays: Arrays, meta: Mapping[str, Any], fair: FairSettings) -> People:
    no_rows = np.empty(0, dtype=np.int64)  # only training asks for the rows' groups
    groups = Groups(tuple(meta["groups"]), no_rows, meta.get("attribute", ""))
    cells = Cells(tuple(meta["labels"]), groups.names, arrays["cell_count"], arrays["cell_weight"])
    people = People.of(cells, groups, meta["positive"], fair)
    if "likely_share" not in arrays:
        return people
    likely = LikelyGroups(arrays["likely_share"], arrays["likely_group"], arrays["likely_weight"])
    return people.by_likelihood(likely, replace(cells, weight=arrays["expected_cell_weight"]), fair)


def _start_arrays(starts: tuple[Start, ...]) -> Arrays:
    """Rules that came later have no weight in a start: rows of unequal length, one after the other."""
    return {
        "start_importance": np.array([start.importance for start in starts]),
        "start_length": np.array([len(start.rule_weight) for start in starts], dtype=np.int64),
        "start_weight": np.concatenate([start.rule_weight for start in starts]),
    }


def _starts(arrays: Arrays) -> tuple[Start, ...]:
    weights = np.split(arrays["start_weight"], np.cumsum(arrays["start_length"])[:-1])
    return tuple(
        Start(importance, weight) for importance, weight in zip(arrays["start_importance"], weights, strict=True)
    )


def _steered_arrays(steered: MasterProblem | None) -> Arrays:
    """The rows and rules are those of the pool: what is its own is the importance, and where its solution stands."""
    if steered is None:
        return {}
    found = {f"steered_{name}": array for name, array in _solution_arrays(steered.solution).items()}
    return found | {"steered_importance": steered.importance, "steered_objective": np.array(steered.solution.objective)}


def _steered(arrays: Arrays, master: MasterProblem) -> MasterProblem | None:
    own = {name.removeprefix("steered_"): array for name, array in arrays.items() if name.startswith("steered_")}
    if not own:
        return None
    steered = master.copy(master.penalty)
    steered.importance = own["importance"]
    steered.start_from(_solution(own, float(own["objective"])))
    return steered


def _fair_pool(arrays: Arrays, meta: Mapping[str, Any], fields: dict[str, Any]) -> FairPool:
    epsilon = np.inf if meta["fair"]["epsilon"] is None else float(meta["fair"]["epsilon"])
    known = {name: value for name, value in meta["fair"].items() if name in FairSettings.__dataclass_fields__}
    fair = FairSettings(**(known | {"epsilon": epsilon}))  # earlier versions had further settings
    people = _people(arrays, meta, fair)
    fields |= {
        "people": people,
        "fair": fair,
        "weight_threshold": float(meta["weight_threshold"]),
        "fit": outcome.from_dict(meta["fit"]),
    }
    if meta["kind"] == RealisedPool.__name__:
        master = _master(arrays, meta)
        pool = RealisedPool(**fields, master=master, starts=_starts(arrays))
        pool.__dict__["steered"] = _steered(arrays, master)  # known already
        return pool
    master = ParityMaster(
        _merged(arrays),
        _wrong_vote(meta),
        float(meta["penalty"]),
        choose_solver(meta["solver"]),
        people.parity.matrix,
        fair.epsilon,
    )
    _continue(master, arrays, meta)
    exact = _exact(arrays)
    master.start_at(exact.price)
    return ProxyPool(**fields, master=master, exact=exact)


def _exact(arrays: Arrays) -> ParitySolution:
    found = {name: arrays[f"exact_{name}"] for name in EXACT}
    values: dict[str, Any] = {name: array if array.ndim else float(array) for name, array in found.items()}
    return ParitySolution(**values)
