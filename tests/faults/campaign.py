"""Make every allocation of a call fail, one after the other, and see what is left of the object.

Run by `tests/core/test_failed_calls.py` in a process of its own, in which `failing_new.cpp` is
loaded first: ``python campaign.py library group``. Prints one line of JSON per scenario.
"""

from __future__ import annotations

import ctypes
import itertools
import json
import sys
import tempfile
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import manifoldforest as mf
from manifoldforest import _core
from manifoldforest.boundary import BruteForceIndex

NEW, THREAD = 0, 1
RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3)).astype(np.float32)
MORE = RNG.normal(size=(20, 3)).astype(np.float32)
Y = (X[:, 0] * X[:, 1] > 0).astype(int)
QUERIES = RNG.normal(size=(20, 3)).astype(np.float32)
SMALL = {"n_estimators": 4, "max_children": 3, "random_state": 0}


@dataclass
class Scenario:
    """An object, a call that changes it, and all that can be seen of it."""

    make: Callable[[], Any]
    change: Callable[[Any], Any]
    state: Callable[[Any], Any]
    step: int = 1  # which allocations fail: every step-th


def taxicab(a, b):
    return float(np.abs(np.subtract(a, b)).sum())


# ------------------------------------------------------------------ what can be seen


def record_of(forest):
    """Everything in a forest of the core."""
    if forest is None:
        return None
    record = forest.record()
    return {
        name: value.tobytes() if isinstance(value, np.ndarray) else value
        for name, value in record.items()
        if name != "objects"
    } | {"objects": [np.asarray(o).tobytes() for o in record.get("objects", [])]}


def index_state(index):
    found = index.query(QUERIES, 3) if len(index) else ()
    return (
        [part.tobytes() for part in found],
        index.ids.tolist(),
        index.n_nodes_.tolist(),
        index._next_id,
        index._seed,
        record_of(index._storage),
    )


def brute_force_state(index):
    found = index.query(QUERIES, 3) if len(index) else ()
    return [part.tobytes() for part in found], index.ids.tolist(), index._next_id, index.dim


def estimator_state(forest):
    if not hasattr(forest, "_learned"):
        return None
    answer = getattr(forest, "predict_proba", forest.predict)(QUERIES)
    return (
        answer.tobytes(),
        getattr(forest, "classes_", None) is not None and forest.classes_.tolist(),
        sorted(vars(forest)),
        record_of(forest._learned.forest),
    )


def forest_state(forest):
    if not hasattr(forest, "n_features_in_"):
        return None
    return np.asarray(forest.predict(QUERIES)).tobytes(), sorted(vars(forest))


# ------------------------------------------------------------------------ scenarios


def index_of(n, **params):
    index = mf.BoundaryIndex(**SMALL | params)
    if n:
        index.add(X[:n])
    return index


def of_index(n, change, **params):
    return Scenario(lambda: index_of(n, **params), change, index_state)


def add(index):
    index.add(MORE)


def remove(index):
    index.remove(index.ids[1::3])


def update(index):
    index.update(index.ids[1::3], MORE[: len(index.ids[1::3])])


def index_scenarios():
    scenarios = {
        "index add to an empty one": of_index(0, add),
        "index add to few points": of_index(2, lambda index: index.add(MORE[:3])),
        "index add": of_index(40, add),
        "index add with threads": of_index(60, add, n_jobs=3),
        "index add one": of_index(40, lambda index: index.add(MORE[:1])),
        "index remove": of_index(60, remove),
        "index remove one": of_index(60, lambda index: index.remove([7])),
        "index remove from few points": of_index(3, lambda index: index.remove([1])),
        "index remove with threads": of_index(60, remove, n_jobs=3),
        "index update": of_index(45, update),
        "index update of few points": of_index(3, lambda index: index.update([1], MORE[:1])),
        "index update of all points": of_index(20, lambda index: index.update(np.arange(20), MORE)),
        "index update with threads": of_index(45, update, n_jobs=3),
    }
    scenarios["index query with threads"] = of_index(60, lambda index: index.query(X, 3), n_jobs=3)
    for name, change in {"add": add, "remove": remove, "update": update}.items():
        scenarios[f"index {name} with a function"] = of_index(12, change, metric=taxicab)
    brute = {"add": add, "remove": remove, "update": update}
    for name, change in brute.items():
        scenarios[f"brute force {name}"] = Scenario(brute_force, change, brute_force_state)
    return scenarios


def brute_force():
    index = BruteForceIndex()
    index.add(X[:30])
    return index


def estimator_scenarios():
    scenarios = {}
    for kind in (mf.BoundaryForestClassifier, mf.BoundaryForestRegressor):
        for metric in ("euclidean", taxicab):
            n = 60 if metric == "euclidean" else 20

            def fitted(kind=kind, metric=metric, n=n, **params):
                return kind(metric=metric, **SMALL, **params).fit(X[:n], Y[:n])

            name = f"{kind.__name__} {'with a function ' if callable(metric) else ''}"
            scenarios[name + "partial_fit"] = Scenario(
                fitted, lambda f: f.partial_fit(MORE, np.arange(20) // 5), estimator_state
            )
            scenarios[name + "fit again"] = Scenario(
                lambda fitted=fitted: fitted(passes=3),
                lambda f: f.fit(MORE, np.arange(20) // 5),
                estimator_state,
            )
        scenarios[f"{kind.__name__} first partial_fit"] = Scenario(
            lambda kind=kind: kind(n_jobs=2, **SMALL),
            lambda f: f.partial_fit(X, Y),
            estimator_state,
        )
    return scenarios


def forest_scenarios():
    scenarios = {}
    responses = {"angle": Y * 2.0 - 1, "label": Y}
    for n_jobs in (1, 2):
        for kind, y, params in (
            (mf.ForestClassifier, responses["label"], {}),
            (mf.ForestRegressor, responses["angle"], {}),
            (mf.MetricForestRegressor, responses["angle"], {"space": "circle"}),
            (mf.BoostedForestClassifier, responses["label"], {"early_stopping": True}),
        ):
            scenarios[f"{kind.__name__} fit again, n_jobs={n_jobs}"] = Scenario(
                lambda kind=kind, y=y, params=params, n_jobs=n_jobs: kind(
                    2, n_jobs=n_jobs, random_state=0, **params
                ).fit(X, y),
                lambda f, y=y: f.fit(MORE, y[20:40]),
                forest_state,
                step=3,
            )
            scenarios[f"{kind.__name__} predict, n_jobs={n_jobs}"] = Scenario(
                scenarios[f"{kind.__name__} fit again, n_jobs={n_jobs}"].make,
                lambda f: f.predict(np.vstack([X] * 20)),
                forest_state,
            )
    return scenarios


GROUPS = {
    "index": index_scenarios,
    "estimators": estimator_scenarios,
    "forests": forest_scenarios,
}


# ------------------------------------------------------------------------- campaign


class Faults:
    """What `failing_new.cpp` offers."""

    def __init__(self, library):
        self._library = ctypes.CDLL(library)
        self._library.faults_arm.argtypes = [ctypes.c_int, ctypes.c_long, ctypes.c_int]
        self._library.faults_disarm.restype = ctypes.c_long

    def spared(self, function):
        """Return a function during which nothing fails."""

        def call(*args, **kwargs):
            self._library.faults_pause(1)
            try:
                return function(*args, **kwargs)
            finally:
                self._library.faults_pause(0)

        return call

    def during(self, call, what, k, forever):
        """Call with the k-th allocation or thread failing; return the error and how many failed."""
        error = None
        _core.end_idle_threads()  # so that the call must start those that it needs
        self._library.faults_arm(what, k, forever)
        try:
            call()
        except BaseException as caught:
            error = caught
        n_failed = self._library.faults_disarm()
        return error, n_failed


def check_file(thing, state, before):
    """What a failed call left can be stored and comes back."""
    if not hasattr(thing, "save") or callable(getattr(thing, "metric", None)) or before is None:
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model"
        thing.save(path)
        assert state(mf.load(path))[0] == before[0], "another object came back from its file"


def run(scenario, faults, what, forever):
    """Return how many calls failed."""
    untouched = scenario.make()
    scenario.change(untouched)
    expected = scenario.state(untouched)
    thing = scenario.make()
    n_failures = 0
    for k in itertools.count(1, scenario.step if what == NEW else 1):
        before = scenario.state(thing)
        error, n_failed = faults.during(lambda: scenario.change(thing), what, k, forever)  # noqa: B023
        if n_failed == 0:
            assert error is None, f"failed although nothing was refused: {error!r}"
            break
        if error is None:  # somebody could do without
            assert scenario.state(thing) == expected, f"k={k}: changed in another way"
            thing = scenario.make()
            continue
        n_failures += 1
        wanted = MemoryError if what == NEW else RuntimeError
        assert isinstance(error, wanted), f"k={k}: {type(error).__name__}: {error}"
        assert scenario.state(thing) == before, f"k={k}: a failed call left a trace"
        if n_failures % 100 == 1:
            check_file(thing, scenario.state, before)
    assert scenario.state(thing) == expected, "after failed calls the change is another one"
    return n_failures


def spare_nanobind(faults):
    """Leave out what nanobind does in functions that cannot fail, where it would end the process.

    Its table of all bound objects grows now and then, and it makes shared pointers of the samplers
    of projections; these are a few bytes before anything is done.
    """
    held = [_core.GrowOptions() for _ in range(1000)]
    del held
    for name in dir(_core):
        if name.endswith("_sampler"):
            setattr(_core, name, faults.spared(getattr(_core, name)))


def main(library, group):
    faults = Faults(library)
    spare_nanobind(faults)
    for name, scenario in GROUPS[group]().items():
        print(json.dumps({"begins": name}), flush=True)
        problem, counts = None, {}
        try:
            counts["memory"] = run(scenario, faults, NEW, False)
            if scenario.step == 1:
                counts["no more memory"] = run(scenario, faults, NEW, True)
            counts["threads"] = run(scenario, faults, THREAD, False)
        except Exception:
            problem = traceback.format_exc()
        print(json.dumps({"name": name, "problem": problem, "counts": counts}), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
