"""Metrics that call back, hold what calls them, or meet a fork; and calls that are interrupted."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
import weakref

import numpy as np
import pytest

import manifoldforest as mf

RNG = np.random.default_rng(0)
POINTS = [float(x) for x in RNG.normal(size=40)]
SMALL = {"n_estimators": 4, "max_children": 3, "random_state": 0}
PATIENCE = 60


# --------------------------------------------------------------------- garbage


class Holder:
    """A metric that holds its index."""

    def __init__(self):
        self.index = mf.BoundaryIndex(metric=self.distance, **SMALL)
        self.index.add(POINTS)

    def distance(self, a, b):
        return abs(a - b)


class Point:
    """A point that holds its index."""

    def __init__(self, place, index):
        self.place, self.index = place, index


class Teacher:
    """A metric that holds its classifier."""

    def __init__(self):
        self.forest = mf.BoundaryForestClassifier(metric=self.distance, **SMALL)
        self.forest.partial_fit(POINTS, [0, 1] * 20)

    def distance(self, a, b):
        return abs(a - b)


def index_of_points():
    index = mf.BoundaryIndex(metric=lambda a, b: abs(a.place - b.place), **SMALL)
    index.add([Point(x, index) for x in POINTS])
    return index


@pytest.mark.parametrize("make", [Holder, Teacher, index_of_points])
def test_what_holds_itself_is_freed(make):
    held = make()
    alive = weakref.ref(held)
    del held
    gc.collect()
    assert alive() is None


def test_a_finalizer_that_asks_a_freed_index_gets_an_error():
    seen = []

    class Last(Holder):
        def __del__(self):
            try:
                seen.append(self.index.query([0.0], 3)[1].shape)
            except TypeError as error:
                seen.append(type(error))

    Last()
    gc.collect()
    assert seen in ([(1, 3)], [TypeError])


def test_removed_objects_are_freed_when_the_index_can_be_asked_again():
    lengths = []

    class Leaving(float):
        def __del__(self):
            lengths.append(len(index))

    index = mf.BoundaryIndex(metric=lambda a, b: abs(a - b), **SMALL)
    index.add([Leaving(x) for x in POINTS])
    index.remove(np.arange(10))
    gc.collect()
    assert lengths == [30] * 10
    index.update(np.arange(10, 15), POINTS[:5])
    gc.collect()
    assert lengths == [30] * 15
    lengths.clear()
    index.remove(index.ids)


# ------------------------------------------------------------------- calling back


class Calling:
    """A metric that does something to its index or forest once."""

    def __init__(self):
        self.call = None

    def __call__(self, a, b):
        if self.call is not None:
            call, self.call = self.call, None
            call()
        return abs(a - b)


def index_with(metric):
    index = mf.BoundaryIndex(metric=metric, **SMALL)
    index.add(POINTS)
    return index


OUTER = {
    "add": lambda index: index.add([0.5, 0.7]),
    "remove": lambda index: index.remove([1, 2, 3]),
    "update": lambda index: index.update([1, 2], [0.5, 0.7]),
    "query": lambda index: index.query([0.5], 2),
}
INNER = OUTER | {
    "len": len,
    "ids": lambda index: index.ids,
    "in": lambda index: 3 in index,
    "trees_": lambda index: index.trees_,
    "n_nodes_": lambda index: index.n_nodes_,
    "copy": lambda index: index.__getstate__(),
}


def seen_of(index):
    trees = [(tree.example.tolist(), tree.parent.tolist()) for tree in index.trees_]
    return index.ids.tolist(), trees, index.query([0.1, 0.2], 3)[1].tolist()


def within_patience(call):
    """Call in a thread; a call that waits for itself fails the test and does not stop the suite."""
    errors = []

    def run():
        try:
            call()
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(PATIENCE)
    assert not thread.is_alive(), "it waits for itself"
    if errors:
        raise errors[0]


@pytest.mark.parametrize("inner", INNER)
@pytest.mark.parametrize("outer", OUTER)
def test_a_metric_that_calls_its_index_gets_an_error_or_an_answer(outer, inner):
    metric = Calling()
    index = index_with(metric)
    before = seen_of(index)
    metric.call = lambda: INNER[inner](index)
    if outer == "query" and inner not in ("add", "remove", "update", "copy"):
        within_patience(lambda: OUTER[outer](index))  # to ask while asking does no harm
    else:
        with pytest.raises(RuntimeError, match="a metric must not change the forest or index"):
            within_patience(lambda: OUTER[outer](index))
    assert metric.call is None
    assert seen_of(index) == before
    OUTER[outer](index)


@pytest.mark.parametrize("change", ["add", "update"])
def test_a_metric_cannot_change_an_index_that_is_made_anew(change):
    metric = Calling()
    index = mf.BoundaryIndex(metric=metric, **SMALL)
    if change == "update":
        index.add(POINTS[:2])
    before = index.ids.tolist()
    metric.call = lambda: index.add([3.0], ids=[77])
    with pytest.raises(RuntimeError, match="a metric must not change"):
        if change == "add":
            within_patience(lambda: index.add(POINTS))
        else:
            within_patience(lambda: index.update([0, 1], POINTS[2:4]))
    assert index.ids.tolist() == before
    assert index.add([9.0]).tolist() == [len(before)]


@pytest.mark.parametrize("inner", ["partial_fit", "predict", "n_seen_", "stored_examples_"])
def test_a_metric_that_calls_its_classifier_gets_an_error(inner):
    metric = Calling()
    forest = mf.BoundaryForestClassifier(metric=metric, **SMALL).partial_fit(POINTS, [0, 1] * 20)
    before = forest.predict_proba(POINTS)
    calls = {
        "partial_fit": lambda: forest.partial_fit([0.3], [1]),
        "predict": lambda: forest.predict([0.3]),
    }
    metric.call = calls.get(inner, lambda: getattr(forest, inner))
    with pytest.raises(RuntimeError, match="a metric must not change the forest or index"):
        within_patience(lambda: forest.partial_fit([0.5], [2]))
    assert forest.classes_.tolist() == [0, 1]
    assert np.array_equal(forest.predict_proba(POINTS), before)
    forest.partial_fit([0.5], [2])
    assert forest.classes_.tolist() == [0, 1, 2]


@pytest.mark.parametrize("inner", ["index.add([9.5])", "pickle.dumps(index)", "index.save(path)"])
def test_a_metric_that_a_query_calls_does_not_wait_for_a_change_that_waits(inner, tmp_path):
    # The change waits for the query, so the metric of the query must not wait for the change.
    program = f"""
        import pickle, threading, time
        import manifoldforest as mf

        path = {str(tmp_path / "index.mf")!r}
        asked, seen = threading.Event(), []

        class Metric:
            def __call__(self, a, b):
                if asked.is_set() or b != 0.25:
                    return abs(a - b)
                asked.set()
                time.sleep(0.5)
                try:
                    {inner}
                except RuntimeError as error:
                    seen.append(str(error))
                return abs(a - b)

        index = mf.BoundaryIndex(3, metric=Metric(), random_state=0)
        index.add([1.0, 2.0, 3.0])
        change = threading.Thread(target=lambda: (asked.wait(), index.add([4.0])))
        change.start()
        index.query([0.25])
        change.join()
        print(len(index), seen[0].replace(" ", "_"))
    """
    n_points, message = run_program(program)
    assert n_points == "4"
    assert message.startswith("a_metric_must_not_change_the_forest_or_index")


# -------------------------------------------------------------------------- forks

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")


def run_program(program):
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", textwrap.dedent(program)],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@needs_fork
def test_a_child_forked_in_the_middle_of_a_change_gets_an_error():
    program = """
        import os, signal, threading
        import manifoldforest as mf

        inside, go_on = threading.Event(), threading.Event()

        def metric(a, b):
            if threading.current_thread() is not threading.main_thread():
                inside.set()
                go_on.wait()
            return abs(a - b)

        index = mf.BoundaryIndex(4, metric=metric, random_state=0)
        index.add([0.0, 1.0, 2.0, 3.0, 4.0, 5.0])
        other = mf.BoundaryIndex(4, random_state=0)
        other.add([[0.0], [1.0]])
        thread = threading.Thread(target=index.add, args=([6.0],))
        thread.start()
        inside.wait()
        child = os.fork()
        if child == 0:
            signal.alarm(20)  # a child that waits for ever is killed
            for call in (len, lambda i: i.query([1.0]), lambda i: i.add([7.0]),
                         lambda i: i.remove([0]), lambda i: i.trees_, lambda i: i.__getstate__()):
                try:
                    call(index)
                    os._exit(1)
                except RuntimeError as error:
                    if "forked" not in str(error):
                        os._exit(2)
            other.add([[2.0]])
            os._exit(0 if other.query([[2.0]])[1][0, 0] == 2 else 3)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        go_on.set()
        thread.join()
        print(len(index))
    """
    assert run_program(program) == ["0", "7"]


@needs_fork
def test_children_forked_at_any_moment_do_not_wait():
    program = """
        import os, signal, threading, time
        import numpy as np
        import manifoldforest as mf

        X = np.random.default_rng(0).normal(size=(300, 4)).astype(np.float32)
        index = mf.BoundaryIndex(10, random_state=0)
        index.add(X)
        done = threading.Event()

        def change():
            while not done.is_set():
                ids = index.add(X)
                index.remove(ids)

        def ask():
            while not done.is_set():
                index.query(X[:20], 3)

        threads = [threading.Thread(target=work) for work in (change, ask)]
        for thread in threads:
            thread.start()
        codes = []
        for i in range(25):
            time.sleep(0.002 * (i % 5))
            child = os.fork()
            if child == 0:
                signal.alarm(20)
                code = 0
                try:
                    index.query(X[:5], 3)
                    index.add(X[:5])
                    index.remove(index.ids[:50])
                    nodes = index.n_nodes_
                    code = 0 if (nodes == len(index)).all() else 9
                except RuntimeError as error:
                    code = 1 if "forked" in str(error) else 8
                finally:
                    os._exit(code)
            codes.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        done.set()
        for thread in threads:
            thread.join()
        print(*sorted(set(codes)))
    """
    assert set(run_program(program)) <= {"0", "1"}


# -------------------------------------------------------------------- interruptions


class Alarm(Exception):
    """What the user's patience has come to."""


@pytest.fixture
def alarm():
    """Return a function that sets an alarm, which raises in this thread."""
    if not hasattr(signal, "setitimer"):
        pytest.skip("this system has no timers")

    def ring(number, frame):
        raise Alarm

    before = signal.signal(signal.SIGALRM, ring)
    yield lambda seconds: signal.setitimer(signal.ITIMER_REAL, seconds)
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


def assert_stops(call, alarm, after=0.02):
    """The call is given up; one that went on to its end would have changed something."""
    alarm(after)
    with pytest.raises(Alarm):
        call()


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_changes_of_an_index_can_be_interrupted(n_jobs, alarm):
    X = RNG.normal(size=(12_000, 8)).astype(np.float32)
    index = mf.BoundaryIndex(100, random_state=0, n_jobs=n_jobs)
    index.add(X)
    record = index._storage.record()

    def assert_unchanged():
        now = index._storage.record()
        assert all(np.array_equal(now[name], record[name]) for name in record)

    assert_stops(lambda: index.remove(np.arange(8000)), alarm)
    assert_unchanged()
    assert_stops(lambda: index.update(np.arange(8000), X[:8000] + 1), alarm)
    assert_unchanged()
    assert_stops(lambda: index.add(np.vstack([X] * 3) * 2), alarm)
    assert_unchanged()
    assert index.add(X[:1]).tolist() == [12_000]


def test_questions_can_be_interrupted(alarm):
    X = np.random.default_rng(0).normal(size=(3000, 200)).astype(np.float32)
    index = mf.BoundaryIndex(3, random_state=0)
    index.add(X)

    def seconds(call):
        begin = time.perf_counter()
        call()
        return time.perf_counter() - begin

    for ask in (
        lambda: index.query(X[:1000], 3000),  # measures everything
        lambda: index.query(np.vstack([X] * 10), 3),
    ):
        assert seconds(lambda ask=ask: assert_stops(ask, alarm)) < seconds(ask) / 2


def test_who_waits_for_a_change_can_be_interrupted(alarm):
    inside, go_on = threading.Event(), threading.Event()

    def metric(a, b):
        if threading.current_thread() is not threading.main_thread():
            inside.set()
            go_on.wait(PATIENCE)
        return abs(a - b)

    index = mf.BoundaryIndex(2, metric=metric, random_state=0)
    index.add([0.0])
    thread = threading.Thread(target=index.add, args=([1.0],))
    thread.start()
    assert inside.wait(PATIENCE)
    try:
        assert_stops(lambda: index.query([0.5]), alarm)
        assert_stops(lambda: len(index), alarm)
    finally:
        go_on.set()
        thread.join(PATIENCE)
    assert len(index) == 2


# ------------------------------------------------------------------------- memory


@pytest.mark.skipif(
    "libasan" in os.environ.get("LD_PRELOAD", ""), reason="the address sanitizer keeps freed memory"
)
def test_trees_that_are_chains_take_memory_for_their_points_only():
    program = """
        import resource, sys
        import numpy as np
        import manifoldforest as mf

        def most():
            unit = 2**20 if sys.platform == "darwin" else 2**10  # bytes or kilobytes
            return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // unit

        X = np.arange(4000, dtype=np.float32)[:, None]
        index = mf.BoundaryIndex(1, random_state=0)
        index.add(X[:100])
        before = most()
        index.add(X[100:])
        assert index.depth_.max() > 3900
        print(most() - before)
    """
    pytest.importorskip("resource")
    (megabytes,) = run_program(program)
    assert int(megabytes) < 20
