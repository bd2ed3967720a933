"""Tasks stay where their rows are, and a worker that leaves is noticed."""

import time

import dask.array as da
import numpy as np
import pytest

import manifoldforest as mf
from manifoldforest._progress import progress_told_to
from manifoldforest.dask import _cluster
from manifoldforest.dask._cluster import WorkerLeft, _least_used, homes_of
from manifoldforest.dask._tasks import MOST_LOSSES, Tasks, lasting

NOWHERE = "tcp://127.0.0.1:9"


def test_partitions_are_not_copied_to_other_workers(two_processes, monkeypatch):
    monkeypatch.setattr(_cluster, "_LOOK", 0.01)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, 10)).astype("f4")
    blocks = [da.from_array(v, chunks=(5000, *v.shape[1:])) for v in (X, X[:, 0] * X[:, 1] > 0)]
    held = two_processes.persist(blocks)
    partitions = two_processes.compute(list(held[0].to_delayed().ravel()))
    homes = homes_of(two_processes, partitions)
    copies = []

    def look(done, total):
        holders = two_processes.who_has(partitions)
        copies.extend(len(holders[partition.key]) for partition in partitions)

    params = {"random_state": 0, "rows": "partitioned", "client": two_processes}
    with progress_told_to(look):
        mf.dask.ForestClassifier(8, **params).fit(*held)
    assert len(set(homes)) == 2
    assert len(copies) > 4
    assert set(copies) == {1}


def test_of_several_holders_the_least_used_is_home():
    assert _least_used([["b", "a"], ["a", "b"], ["a"], ["a", "b", "c"]]) == ["a", "b", "a", "c"]
    assert _least_used([]) == []


@pytest.mark.parametrize("waits", ["wait_for", "results_of"])
def test_a_worker_that_is_gone_ends_the_wait(waits, in_process):
    with Tasks(in_process, None) as tasks:
        stuck = tasks.submit(sum, [1, 2], place=NOWHERE)
        start = time.monotonic()
        with pytest.raises(WorkerLeft, match=f"the worker {NOWHERE} left"):
            getattr(tasks, waits)([stuck])
        assert time.monotonic() - start < 30  # a limit, not a speed
    here = next(iter(in_process.nthreads()))
    with Tasks(in_process, None) as tasks:
        assert tasks.results_of([tasks.submit(sum, [1, 2], place=here)]) == [3]


def test_a_result_that_is_lost_on_its_way_ends_the_wait(in_process, monkeypatch):
    """As if the worker left after the task was done and before its result was there."""
    monkeypatch.setattr(_cluster, "wait_for", lambda *args: None)
    with Tasks(in_process, None) as tasks, pytest.raises(WorkerLeft):
        tasks.results_of([tasks.submit(sum, [1, 2], place=NOWHERE)])


def test_steps_begin_anew_a_limited_number_of_times():
    calls = []

    def step(n_losses):
        calls.append(n_losses)
        if len(calls) <= n_losses:
            raise WorkerLeft("the worker x left")
        return "done"

    assert lasting(lambda: step(3)) == "done"
    assert len(calls) == 4
    calls.clear()
    with pytest.raises(RuntimeError, match=r"workers that stay.*the worker x left"):
        lasting(lambda: step(MOST_LOSSES))
    assert len(calls) == MOST_LOSSES
