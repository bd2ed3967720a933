"""Clusters for the tests: of processes where that matters, otherwise threads of this process."""

import pytest

distributed = pytest.importorskip("distributed")


def cluster(n_workers, *, processes):
    return distributed.LocalCluster(
        n_workers=n_workers,
        threads_per_worker=1,
        processes=processes,
        dashboard_address=":0",
        memory_limit=0,
        silence_logs="CRITICAL",
    )


@pytest.fixture(scope="module")
def two_processes():
    with cluster(2, processes=True) as started, distributed.Client(started) as client:
        client.wait_for_workers(2, timeout=60)
        yield client


@pytest.fixture(scope="module")
def three_processes():
    with cluster(3, processes=True) as started, distributed.Client(started) as client:
        client.wait_for_workers(3, timeout=60)
        yield client


@pytest.fixture(scope="module")
def in_process():
    with cluster(2, processes=False) as started, distributed.Client(started) as client:
        client.wait_for_workers(2, timeout=60)
        yield client
