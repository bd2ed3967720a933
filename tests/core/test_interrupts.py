"""Ctrl-C ends long work of the core soon: inside of drawing directions, and between trees."""

from __future__ import annotations

import signal
import subprocess
import sys
import time

import pytest

resource = pytest.importorskip("resource")  # which Windows has not, nor signals of POSIX

# Each would go on for minutes, or for much longer than the limit below where one direction or one
# draw of a node is concerned.
WORK = {
    "a rotation": """
X, y = data(100, 3000)
forest = mf.ForestClassifier(10, projection="rotation", n_jobs=1)
ready()
forest.fit(X, y)
""",
    "principal axes": """
X, y = data(1000, 2500)
forest = mf.ForestClassifier(10, projection="principal_axes", n_jobs=2)
ready()
forest.fit(X, y)
""",
    "many candidates": """
X, y = data(2000, 200)
forest = mf.ForestClassifier(100, projection=Sporf(rate=4), max_features=10**7, n_jobs=1)
ready()
forest.fit(X, y)
""",
    "rounds of boosting": """
X, y = data(20000, 50)
forest = mf.BoostedForestClassifier(10**6, early_stopping=False, n_jobs=2)
ready()
forest.fit(X, y)
""",
    "refining leaves": """
n = 10**6
arrays = {"tree_offsets": np.array([0, 1]), "left": np.zeros(1, np.int32), "weight": np.ones(1)}
y = np.zeros((n, 1), np.int32)
ready()
_core.refine_leaves(arrays, y.T.copy(), y, [10**5], np.ones(n), 0)
""",
    "turning one block of rows": """
X, y = data(40, 300)
forest = mf.ForestClassifier(2, projection="rotation", n_jobs=1).fit(X, y)
trees = forest._model.trees
trees = type(trees).joined([trees] * 512)
forest._model = dataclasses.replace(forest._model, trees=trees)
X = np.repeat(X, 30, axis=0)
ready()
forest.predict(X)
""",
}

PRELUDE = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)  # jobs in the background ignore it
import dataclasses
import numpy as np
import manifoldforest as mf
from manifoldforest import _core
from manifoldforest.projections import Sporf

def data(n, p):
    X = np.random.default_rng(0).normal(size=(n, p)).astype(np.float32)
    return X, np.arange(n) % 2

def ready():
    print("ready", flush=True)
"""

# What a process may take in all, in seconds of the processor, which do not depend on what else the
# machine does: imports, preparations, a second of the work and a second more.
LIMIT = 10.0


def cpu_seconds_of_children():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@pytest.mark.parametrize("work", WORK)
def test_ctrl_c_ends_long_work(work):
    code = PRELUDE + WORK[work] + "print('finished', flush=True)\n"
    before = cpu_seconds_of_children()
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout.readline() == "ready\n"
            time.sleep(1.0)
            process.send_signal(signal.SIGINT)
            out, errors = process.communicate(timeout=100)
        finally:
            process.kill()
    assert "finished" not in out
    assert errors.rstrip().endswith("KeyboardInterrupt")
    assert cpu_seconds_of_children() - before < LIMIT
