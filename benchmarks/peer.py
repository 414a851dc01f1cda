"""Accuracy, F1 and number of rules against the peer, with the same split, rounds, lambda, cost and threshold.

The peer breaks ties in its trees at random and its scores move by a point with its seed, so it is run with several
seeds and its mean is shown beside its best; the project's own result does not depend on a seed.
"""

from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import models, tables


def run(data: Path | None, quick: bool) -> list[dict[str, Any]]:
    sets = tables.binary_sets(data)
    sets = sets[:5] if quick else sets
    seeds = (21,) if quick else (21, 22, 23)
    results = [_compare(name, data, depth, seeds) for depth in (5, 3) for name in sets]
    for depth in (5, 3):
        _summary(depth, [result for result in results if result["depth"] == depth], seeds)
    return results


def _compare(name: str, data: Path | None, depth: int, seeds: tuple[int, ...]) -> dict[str, Any]:
    split = tables.load(name, data)
    own = models.scores_of_rug(models.rug(depth).fit(split.X_train, split.y_train), split)
    train_rows, test_rows = split.encoded()
    peers = [
        models.scores_of_peer(models.peer(depth, seed).fit(train_rows, split.y_train), split, test_rows)
        for seed in seeds
    ]
    result = {
        "set": name,
        "depth": depth,
        "rug": [own.accuracy, own.f1, own.n_rules],
        "peer": [[item.accuracy, item.f1, item.n_rules] for item in peers],
    }
    mean = np.mean(result["peer"], axis=0)
    print(
        f"depth {depth} {name:20s} accuracy {own.accuracy:6.2f} (peer {mean[0]:6.2f})  "
        f"F1 {own.f1:6.2f} ({mean[1]:6.2f})  rules {own.n_rules:4d} ({mean[2]:5.1f})",
        flush=True,
    )
    return result


def _summary(depth: int, results: list[dict[str, Any]], seeds: tuple[int, ...]) -> None:
    own = np.mean([result["rug"] for result in results], axis=0)
    peers = np.mean([result["peer"] for result in results], axis=0)  # (seed, measure)
    print(f"\ndepth {depth}, mean over {len(results)} sets: accuracy, F1, rules")
    print("  rugcore       " + "  ".join(f"{value:7.2f}" for value in own))
    for seed, line in zip(seeds, peers, strict=True):
        print(f"  peer, seed {seed} " + "  ".join(f"{value:7.2f}" for value in line))
    print("  peer, mean    " + "  ".join(f"{value:7.2f}" for value in peers.mean(axis=0)), flush=True)
