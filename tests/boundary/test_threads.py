"""Questions to a boundary forest while another thread teaches it.

Every answer must be that of the forest after some whole number of examples, and no thread may see
it go back. The forests after each number of examples are computed before, one by one.
"""

from __future__ import annotations

import copy
import pickle
import threading

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import manifoldforest as mf

N_FIRST, N = 20, 420
RNG = np.random.default_rng(0)
X = RNG.random((N, 2)).astype(np.float32)
Y = (X[:, 0] + 0.3 * RNG.normal(size=N) > 0.5).astype(int)
QUERIES = RNG.random((12, 2)).astype(np.float32)
PARAMS = {"n_estimators": 5, "max_children": 4, "random_state": 0}
N_ASKING = 3
PATIENCE = 60  # seconds until a thread that does not come forward fails the test


class Course:
    """Threads that ask while one teaches; the one waits for the others now and then."""

    def __init__(self, ask, steps):
        """`ask` returns an answer, `steps` are functions that teach something."""
        self.ask, self.steps = ask, steps
        self.answers = [[] for _ in range(N_ASKING)]
        self.errors = []
        self.done = threading.Event()
        self.asked = threading.Condition()

    def run(self):
        threads = [threading.Thread(target=self._guarded, args=(self._teach,), daemon=True)]
        for mine in self.answers:
            threads.append(
                threading.Thread(target=self._guarded, args=(self._question, mine), daemon=True)
            )
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(PATIENCE)
        assert not any(thread.is_alive() for thread in threads), "threads wait for each other"
        if self.errors:
            raise self.errors[0]
        return self.answers

    def _guarded(self, work, *arguments):
        try:
            work(*arguments)
        except BaseException as error:
            self.errors.append(error)
            self.done.set()

    def _teach(self):
        pause = max(1, len(self.steps) // 20)
        for i, step in enumerate(self.steps):
            step()
            if i % pause == 0:  # so that every thread sees many states, however fast they are
                self._wait_for_answers()
        self.done.set()

    def _wait_for_answers(self):
        wanted = [len(mine) + 1 for mine in self.answers]
        with self.asked:
            assert self.asked.wait_for(
                lambda: (
                    self.done.is_set()
                    or all(len(m) >= w for m, w in zip(self.answers, wanted, strict=True))
                ),
                PATIENCE / 2,
            )

    def _question(self, mine):
        while not self.done.is_set():
            answer = self.ask()
            with self.asked:
                mine.append(answer)
                self.asked.notify_all()


def assert_forward(answers, states):
    """Every row of every answer belongs to a state not before those that were seen earlier.

    states[s][row] is the answer of a state; returns how many different states must have been seen.
    """
    known = [{} for _ in states[0]]
    for s, state in enumerate(states):
        for row, value in enumerate(state):
            known[row].setdefault(np.asarray(value).tobytes(), []).append(s)
    earliest, seen = 0, set()
    for answer in answers:
        first = []
        for row, value in enumerate(answer):
            matching = known[row].get(np.asarray(value).tobytes(), [])
            later = [s for s in matching if s >= earliest]
            assert later, f"row {row} has the answer of {'an older' if matching else 'no'} state"
            first.append(later[0])
        earliest = max(first)
        seen.add(earliest)
    return len(seen)


def taxicab(a, b):
    return float(abs(a[0] - b[0]) + abs(a[1] - b[1]))


def batches(size):
    return [slice(begin, min(begin + size, N)) for begin in range(N_FIRST, N, size)]


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("size", [1, 25])
@pytest.mark.parametrize("kind", ["classifier", "regressor", "function"])
def test_answers_while_learning_are_those_of_some_moment(kind, size, n_jobs):
    metric = taxicab if kind == "function" else "manhattan"
    make = mf.BoundaryForestRegressor if kind == "regressor" else mf.BoundaryForestClassifier
    method = "predict" if kind == "regressor" else "predict_proba"
    params = PARAMS | {"metric": metric, "n_jobs": n_jobs}
    forest, alone = make(**params), make(**params)
    for each in (forest, alone):
        each.partial_fit(X[:N_FIRST], Y[:N_FIRST])
    states = [getattr(alone, method)(QUERIES)]
    for i in range(N_FIRST, N):
        alone.partial_fit(X[i : i + 1], Y[i : i + 1])
        states.append(getattr(alone, method)(QUERIES))
    course = Course(
        lambda: getattr(forest, method)(QUERIES),
        [lambda part=part: forest.partial_fit(X[part], Y[part]) for part in batches(size)],
    )
    n_seen = [assert_forward(answers, states) for answers in course.run()]
    assert min(n_seen) > 2
    assert_array_equal(getattr(forest, method)(QUERIES), states[-1])


def test_answers_of_an_index_that_grows_and_shrinks_are_those_of_some_moment():
    index, alone = mf.BoundaryIndex(**PARAMS), mf.BoundaryIndex(**PARAMS)
    for each in (index, alone):
        each.add(X[:N_FIRST])

    def change(each, i):
        """Every third change removes a point, another one moves a point."""
        if i % 3 == 0:
            each.remove(each.ids[[i % len(each)]])
        elif i % 3 == 1:
            each.update(each.ids[[i % len(each)]], X[i : i + 1] / 2)
        else:
            each.add(X[i : i + 1])
            each.add(X[i : i + 1] / 3)

    def answer(each):
        distances, ids = each.query(QUERIES, 3)
        return [np.hstack(pair) for pair in zip(distances, ids, strict=True)]

    states = [answer(alone)]
    for i in range(N_FIRST, 200):
        if i % 3 == 1:  # an update may be seen as two steps, between which the point is gone
            halfway = copy.deepcopy(alone)
            halfway.remove(alone.ids[[i % len(alone)]])
            states.append(answer(halfway))
        elif i % 3 == 2:
            halfway = copy.deepcopy(alone)
            halfway.add(X[i : i + 1])
            states.append(answer(halfway))
        change(alone, i)
        states.append(answer(alone))
    course = Course(
        lambda: answer(index), [lambda i=i: change(index, i) for i in range(N_FIRST, 200)]
    )
    n_seen = [assert_forward(answers, states) for answers in course.run()]
    assert min(n_seen) > 2
    assert list(index) == list(alone)


def test_a_removed_id_is_not_found_by_questions_that_begin_later():
    index = mf.BoundaryIndex(**PARAMS)
    index.add(X)
    removed = set()

    def ask():
        gone = set(removed)  # before the question
        _, ids = index.query(QUERIES, 5)
        return gone & set(ids.ravel().tolist())

    def remove(i):
        index.remove([i])
        removed.add(i)

    order = np.random.default_rng(0).permutation(N)[:300].tolist()
    for answers in Course(ask, [lambda i=i: remove(i) for i in order]).run():
        assert len(answers) > 5
        assert not set().union(*answers)


def test_a_forest_may_be_looked_at_saved_and_copied_while_it_learns(tmp_path):
    forest = mf.BoundaryForestClassifier(**PARAMS).partial_fit(X[:N_FIRST], Y[:N_FIRST])
    alone = mf.BoundaryForestClassifier(**PARAMS).partial_fit(X[:N_FIRST], Y[:N_FIRST])
    states = {}
    for i in range(N_FIRST, N + 1):
        states[alone.n_seen_] = [tree.example.tolist() for tree in alone.trees_]
        if i < N:
            alone.partial_fit(X[i : i + 1], Y[i : i + 1])

    def ask():
        pickled = pickle.loads(pickle.dumps(forest))
        path = tmp_path / f"{threading.get_ident()}.mf"
        forest.save(path)
        loaded = mf.load(path)
        return [
            (c.n_seen_, [tree.example.tolist() for tree in c.trees_]) for c in (pickled, loaded)
        ]

    steps = [lambda i=i: forest.partial_fit(X[i : i + 1], Y[i : i + 1]) for i in range(N_FIRST, N)]
    for answers in Course(ask, steps).run():
        for copies in answers:
            for n_seen, trees in copies:
                assert trees == states[n_seen]
        assert len({copies[0][0] for copies in answers}) > 2


def test_objects_are_recorded_under_their_ids_while_others_come_and_go():
    points = [(*map(float, x), i) for i, x in enumerate(X)]
    index = mf.BoundaryIndex(metric=taxicab, **PARAMS)
    index.add(points[:N_FIRST])
    stored = list(range(N_FIRST))
    states, steps = [tuple(stored)], []
    for i in range(N_FIRST, N):
        if i % 3 == 0:  # the next point takes the place of this one
            gone = stored.pop(i % len(stored))
            steps.append(lambda gone=gone: index.remove([gone]))
        else:
            stored.append(i)
            steps.append(lambda i=i: index.add([points[i]], ids=[i]))
        states.append(tuple(stored))

    def ask():
        looked_at = index._storage.record()  # unlike a pickle, in the middle of a change
        copied = pickle.loads(pickle.dumps(index))._storage.record()
        return [(tuple(r["ids"].tolist()), r["objects"]) for r in (looked_at, copied)]

    for answers in Course(ask, steps).run():
        records = [record for pair in answers for record in pair]
        for ids, objects in records:
            assert objects == [points[i] for i in ids]
        moments = [0]
        for ids, _ in records:  # a state may come back, but never out of turn
            assert ids in states[moments[-1] :]
            moments.append(states.index(ids, moments[-1]))
        assert len(set(moments)) > 2
    assert list(index) == stored


class Failing:
    """A metric that fails at the n-th distance of the thread that changes something."""

    def __init__(self):
        self.left = threading.local()

    def __call__(self, a, b):
        left = getattr(self.left, "calls", None)
        if left is not None:
            self.left.calls = left - 1
            if left == 0:
                raise ZeroDivisionError("the metric has failed")
        return taxicab(a, b)


def test_no_question_sees_a_change_that_fails():
    points = [(*map(float, x), i) for i, x in enumerate(X)]
    metric = Failing()
    index = mf.BoundaryIndex(metric=metric, **PARAMS)
    index.add(points[:60])

    def answer():
        distances, ids = index.query([(0.2, 0.4), (0.9, 0.1)], 4)
        nodes = [tree.example.tolist() for tree in index.trees_]
        return distances.tolist(), ids.tolist(), nodes, len(index)

    before = answer()

    def fail(change, n):
        metric.left.calls = n
        with pytest.raises(ZeroDivisionError):
            change()
        del metric.left.calls

    changes = [
        lambda: index.add(points[60:70]),
        lambda: index.remove(list(range(0, 60, 4))),
        lambda: index.update(list(range(0, 60, 6)), points[70:80]),
    ]
    steps = [lambda c=c, n=n: fail(c, n) for c in changes for n in range(0, 40, 3)]
    for answers in Course(answer, steps).run():
        assert all(each == before for each in answers)
    assert answer() == before
