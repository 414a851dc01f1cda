"""Sums over partitions: the same order every time, whatever the number of partitions."""

import time

import numpy as np
import pytest
from distributed import Client

from rugcore.dask import partitions
from rugcore.dask.cluster import Cluster
from rugcore.dask.partitions import Pairs
from rugcore.dask.sources import _is_by_name
from rugcore.readers.parquet import _together
from tests.unit.on_dask.waiting import is_idle, until


def joined(texts: list[str]) -> str:
    return f"({' '.join(texts)})"


@pytest.mark.parametrize(
    ("n_parts", "expected"),
    [(1, "0"), (3, "(0 1 2)"), (9, "((0 1 2 3 4 5 6 7) 8)")],
)
def test_answers_are_added_in_a_tree_in_the_order_of_the_partitions(
    client: Client, n_parts: int, expected: str
) -> None:
    with Cluster(client) as cluster:
        assert cluster.added([cluster.share(str(number)) for number in range(n_parts)], joined) == expected


def test_a_result_that_is_gone_from_here_is_gone_from_the_cluster(client: Client) -> None:
    with Cluster(client) as cluster:
        kept = cluster.share("kept")
        assert cluster.result(cluster.share("asked for")) == "asked for"
        cluster.result(cluster.submit(joined, [kept]))
        assert kept.key in client.futures
    assert until(lambda own: kept.key not in own.futures, client)


def test_tasks_that_wait_when_a_fit_ends_are_never_started(client: Client) -> None:
    ran: list[int] = []

    def slow(number: int) -> None:
        time.sleep(0.05)
        ran.append(number)

    def interrupted() -> None:
        with Cluster(client) as cluster:
            futures = [cluster.submit(slow, number) for number in range(100)]
            cluster.result(futures[0])
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert until(is_idle, client)
    assert len(ran) < 100


@pytest.mark.parametrize("n_parts", [1, 2, 5])
def test_pairs_of_all_partitions_are_numbered_as_if_they_were_one(n_parts: int) -> None:
    rng = np.random.default_rng(n_parts)
    parent, word = rng.integers(0, 4, 60), rng.integers(0, 2**63, 5).astype(np.uint64)[rng.integers(0, 5, 60)]
    weight = rng.integers(1, 9, 60).astype(float)
    cuts = np.sort(rng.integers(0, 60, n_parts - 1))
    parts = zip(np.split(parent, cuts), np.split(word, cuts), np.split(weight, cuts), strict=True)
    union = partitions.add_pairs([partitions.add_pairs([Pairs(*own)]) for own in parts])
    expected = sorted(set(zip(parent.tolist(), word.tolist(), strict=True)))
    assert list(zip(union.parent.tolist(), union.word.tolist(), strict=True)) == expected
    totals = [weight[(parent == own[0]) & (word == own[1])].sum() for own in expected]
    np.testing.assert_array_equal(union.weight, totals)


def test_neighbouring_row_groups_are_read_together_as_long_as_they_fit() -> None:
    assert _together([4, 4, 4, 20, 1, 1], most=10) == [(0, 1), (2,), (3,), (4, 5)]
    assert _together([], most=10) == []


def test_names_of_columns_are_told_from_series() -> None:
    assert _is_by_name("outcome")
    assert _is_by_name(["sex", "age"])
    assert not _is_by_name(None)
    assert not _is_by_name([])
