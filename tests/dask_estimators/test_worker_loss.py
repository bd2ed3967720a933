"""A worker that dies during a fit changes nothing but the time."""

import os
import signal

import numpy as np
import pytest

import manifoldforest as mf
from dask_estimators.cases import model_bytes
from manifoldforest._progress import progress_told_to
from manifoldforest.dask import _cluster

da = pytest.importorskip("dask.array")


class Killer:
    """Kills a process when the first trees are there."""

    def __init__(self, process):
        self.process, self.at = process, None

    def __call__(self, done, total):
        if self.at is None:
            self.at = done, total
            os.kill(self.process, signal.SIGKILL)


CASES = {
    "replicated": {"rows": "replicated", "n_estimators": 60},
    "partitioned": {"rows": "partitioned", "n_estimators": 30},
    "partitioned, whole trees": {"rows": "partitioned", "n_estimators": 400, "honest": True},
}


@pytest.mark.parametrize("case", CASES)
def test_trees_of_a_worker_that_died_are_grown_again(case, two_processes, tmp_path, monkeypatch):
    monkeypatch.setattr(_cluster, "_LOOK", 0.01)  # to hear of the first trees early
    rng = np.random.default_rng(0)
    X = rng.normal(size=(8000, 10)).astype("f4")
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    params = {"random_state": 0, "client": two_processes} | CASES[case]
    blocks = [da.from_array(v, chunks=(2000, *v.shape[1:])) for v in (X, y)]
    # half of the rows are lost with the worker; Dask makes them again
    held = two_processes.persist(blocks)
    two_processes.wait_for_workers(2, timeout=60)
    if case == "replicated":
        expected = mf.ForestClassifier(params["n_estimators"], random_state=0).fit(X, y)
    else:
        expected = mf.dask.ForestClassifier(**params).fit(*blocks)
    victim = next(iter(two_processes.run(os.getpid).values()))
    killer = Killer(victim)
    with progress_told_to(killer):
        forest = mf.dask.ForestClassifier(**params).fit(*held)
    assert killer.at is not None
    assert killer.at[0] < killer.at[1]  # in the middle of the fit
    assert model_bytes(forest, tmp_path) == model_bytes(expected, tmp_path)
