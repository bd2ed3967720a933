"""BoundaryForestClassifier and BoundaryForestRegressor: what users of scikit-learn do with them."""

from __future__ import annotations

import os
import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import load_digits, load_iris
from sklearn.decomposition import PCA
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import manifoldforest as mf
import versions
from reference.boundary import edit_distance


def noisy_data(n=200, p=5, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)).astype(np.float32)
    return X, np.digitize(X[:, 0] + 0.7 * rng.normal(size=n), [-0.5, 0.5])


X, Y = noisy_data()
X_NEW, Y_NEW = noisy_data(seed=1)
VALUES = np.stack([X[:, 0] + X[:, 1], X[:, 2] ** 2], axis=1).astype(np.float64)


def classifier(**params):
    return mf.BoundaryForestClassifier(**({"n_estimators": 6, "random_state": 0} | params))


def regressor(**params):
    return mf.BoundaryForestRegressor(**({"n_estimators": 6, "random_state": 0} | params))


def outlines(forest):
    return [(tree.example.tolist(), tree.parent.tolist()) for tree in forest.trees_]


# The checks provoke warnings on purpose: column vectors as y, feature names that are missing.
@pytest.mark.filterwarnings("default")
@parametrize_with_checks(
    [
        mf.BoundaryForestClassifier(5),
        mf.BoundaryForestClassifier(5, max_children=3, passes=None, metric="manhattan"),
        mf.BoundaryForestRegressor(5),
    ]
)
def test_estimator_passes_scikit_learns_checks(estimator, check):
    check(estimator)


# --------------------------------------------------------------- predictions


def test_shares_are_shares():
    forest = classifier().fit(X, Y)
    shares = forest.predict_proba(X_NEW)
    assert shares.shape == (200, 3)
    assert (shares >= 0).all()
    assert_allclose(shares.sum(axis=1), 1, rtol=1e-12)
    assert ((shares > 0) & (shares < 1)).any()
    assert_array_equal(forest.predict(X_NEW), shares.argmax(axis=1))
    assert forest.score(X_NEW, Y_NEW) == np.mean(forest.predict(X_NEW) == Y_NEW)


def test_forests_learn():
    """Leave-one-out errors of nearest neighbours on these data are 1.2 %, 4 % and R2 0.9 or so."""
    digits = load_digits()
    even, odd = np.arange(0, 1797, 2), np.arange(1, 1797, 2)
    images = digits.images.astype(np.uint8)
    forest = mf.BoundaryForestClassifier(random_state=0).fit(images[even], digits.target[even])
    assert forest.score(images[odd], digits.target[odd]) > 0.96
    assert forest.n_features_in_ == 64
    iris = load_iris()
    order = np.random.default_rng(0).permutation(150)  # the roots are not to be of one class
    forest = make_pipeline(StandardScaler(), mf.BoundaryForestClassifier(random_state=0))
    assert cross_val_score(forest, iris.data[order], iris.target[order], cv=5).mean() > 0.9
    points = np.random.default_rng(0).random((2000, 2))
    values = np.sin(6 * points[:, 0]) * points[:, 1]
    forest = mf.BoundaryForestRegressor(random_state=0).fit(points[:1500], values[:1500])
    assert forest.score(points[1500:], values[1500:]) > 0.95


def test_one_row_is_predicted_like_many():
    for forest, method in (
        (classifier().fit(X, Y), "predict_proba"),
        (regressor().fit(X, VALUES), "predict"),
        (classifier(metric="cosine").fit(X, Y), "predict_proba"),
    ):
        ask = getattr(forest, method)
        together = ask(X_NEW)
        for i in (0, 1, 77, 199):
            assert_array_equal(ask(X_NEW[i : i + 1]), together[i : i + 1])


def test_images_equal_flat_rows():
    images = np.random.default_rng(0).integers(0, 256, size=(60, 4, 6), dtype=np.uint8)
    y = images[:, 1, 2] > 128
    forest = classifier().fit(images, y)
    flat = classifier().fit(images.reshape(60, 24), y)
    assert outlines(forest) == outlines(flat)
    assert forest.n_features_in_ == 24
    assert_array_equal(forest.predict_proba(images), flat.predict_proba(images.reshape(60, 24)))
    assert_array_equal(forest.predict_proba(images), forest.predict_proba(images.reshape(60, 24)))


# --------------------------------------------------------------- neighbours


def test_neighbours_are_stored_examples_at_their_distances():
    forest = classifier(max_children=5).fit(X, Y)
    distances, found = forest.query(X_NEW, k=7)
    assert distances.shape == found.shape == (200, 7)
    assert distances.dtype == np.float64
    assert np.isin(found, forest.stored_).all()
    assert all(len(set(row)) == 7 for row in found.tolist())
    assert (np.diff(distances, axis=1) >= 0).all()
    between = np.linalg.norm(X_NEW[:, None].astype(float) - X[found], axis=2)
    assert_allclose(distances, between, rtol=1e-5)
    assert forest.query(X_NEW)[0].shape == (200, 5)


def test_more_neighbours_than_walks_measure_are_exact():
    forest = classifier().fit(X, Y)
    n = len(forest.stored_)
    distances, found = forest.query(X_NEW[:5], k=1000)
    assert found.shape == (5, n)
    between = np.linalg.norm(X_NEW[:5, None].astype(float) - X[forest.stored_], axis=2)
    assert_allclose(distances, np.sort(between, axis=1), rtol=1e-5)
    assert_array_equal(np.sort(found, axis=1), np.tile(forest.stored_, (5, 1)))


def test_stored_examples_can_be_looked_at():
    forest = classifier().fit(X[:150], Y[:150]).partial_fit(X[150:], Y[150:])
    points, labels = forest.stored_examples_
    assert_array_equal(points, X[forest.stored_])
    assert_array_equal(labels, Y[forest.stored_])
    assert_array_equal(forest.stored_, np.unique(np.hstack([t.example for t in forest.trees_])))
    assert len(forest.stored_) < 200 == forest.n_seen_


# -------------------------------------------------------------------- labels


@pytest.mark.parametrize(
    "labels",
    [
        np.array(["no", "perhaps", "yes"]),
        np.array(["no", "perhaps", "yes"], dtype=object),
        np.array([7.0, -1.0, 3.0]),
        np.array([200, 3, 255], dtype=np.uint8),
    ],
)
def test_labels_of_any_type_come_back(labels):
    forest = classifier().fit(X, labels[Y])
    plain = classifier().fit(X, Y)
    assert_array_equal(forest.classes_, np.unique(labels))
    assert outlines(forest) == outlines(plain)
    assert_array_equal(forest.predict(X), labels[plain.predict(X)])


def test_classes_may_appear_later():
    words = np.array(["m", "z", "a"])
    first, late = Y != 2, Y == 2
    forest = classifier().partial_fit(X[first], words[Y[first]])
    assert forest.classes_.tolist() == ["m", "z"]
    before = forest.predict_proba(X_NEW)
    forest.partial_fit(X[late], words[Y[late]])
    assert forest.classes_.tolist() == ["a", "m", "z"]
    assert before.shape == (200, 2)
    assert forest.predict_proba(X_NEW).shape == (200, 3)
    assert forest.predict(X[late][-1:])[0] == "a"
    order = np.hstack([np.flatnonzero(first), np.flatnonzero(late)])
    at_once = classifier().fit(X[order], words[Y[order]])
    assert outlines(forest) == outlines(at_once)
    assert_array_equal(forest.predict_proba(X_NEW), at_once.predict_proba(X_NEW))


def test_longer_words_may_appear_later():
    forest = classifier().partial_fit(X[:50], np.array(["a", "b", "c"])[Y[:50]])
    forest.partial_fit(X[50:51], ["something else"])
    assert forest.predict(X[50:51])[0] == "something else"
    assert "something else" in forest.classes_.tolist()


def test_classes_may_be_announced():
    forest = classifier().partial_fit(X[:50], Y[:50] % 2, classes=[0, 1, 5])
    assert forest.classes_.tolist() == [0, 1, 5]
    shares = forest.predict_proba(X_NEW)
    assert shares.shape == (200, 3)
    assert_array_equal(shares[:, 2], 0)
    forest.partial_fit(X[50:51], [5])
    assert forest.predict(X[50:51])[0] == 5


def test_one_class_is_enough():
    forest = classifier().fit(X, np.full(200, "only"))
    assert_allclose(forest.predict_proba(X_NEW), 1, rtol=1e-12)
    # the six first examples are the roots, and nothing else is to be remembered
    assert forest.stored_.tolist() == list(range(6))
    assert forest.n_nodes_.tolist() == [1] * 6


# ---------------------------------------------------------------- regression


def test_several_outputs_come_back_in_their_shape():
    assert regressor().fit(X, VALUES).predict(X_NEW).shape == (200, 2)
    assert regressor().fit(X, VALUES[:, 0]).predict(X_NEW).shape == (200,)


def test_the_tolerance_is_a_twentieth_of_the_range_of_the_first_batch():
    y = VALUES[:, 0]
    by_default = regressor().partial_fit(X[:80], y[:80]).partial_fit(X[80:], 10 * y[80:])
    given = regressor(tolerance=0.05 * np.ptp(y[:80]))
    given.partial_fit(X[:80], y[:80]).partial_fit(X[80:], 10 * y[80:])
    assert outlines(by_default) == outlines(given)
    wider = regressor(tolerance=0.1 * np.ptp(y[:80]))
    wider.partial_fit(X[:80], y[:80]).partial_fit(X[80:], 10 * y[80:])
    assert outlines(wider) != outlines(given)


def test_a_wide_tolerance_keeps_few_examples_and_none_keeps_all():
    y = VALUES[:, 0]
    n_nodes = [regressor(tolerance=t).fit(X, y).n_nodes_.mean() for t in (0, 0.1, 0.5, 100)]
    assert n_nodes[0] == 200
    assert n_nodes == sorted(n_nodes, reverse=True)
    assert n_nodes[-1] == 1


# ----------------------------------------------------------------- embedding


def test_an_embedding_comes_before_everything():
    pca = PCA(2, random_state=0).fit(X)
    expected = classifier().fit(pca.transform(X), Y)
    for embedding in (PCA(2, random_state=0), pca, lambda X: pca.transform(X)):
        forest = classifier(embedding=embedding).fit(X, Y)
        assert outlines(forest) == outlines(expected)
        assert forest.n_features_in_ == 5
        assert_array_equal(forest.predict(X_NEW), expected.predict(pca.transform(X_NEW)))
        distances, _ = forest.query(X_NEW)
        assert_allclose(distances, expected.query(pca.transform(X_NEW))[0], rtol=1e-6)


def test_fit_trains_a_copy_of_the_embedding_and_partial_fit_none():
    embedding = PCA(2, random_state=0)
    classifier(embedding=embedding).fit(X, Y)
    assert not hasattr(embedding, "components_")
    with pytest.raises(NotFittedError):  # PCA's own error was another one in scikit-learn 1.6
        classifier(embedding=StandardScaler()).partial_fit(X, Y)
    embedding.fit(X[:100])
    axes = embedding.components_.copy()
    online = classifier(embedding=embedding).partial_fit(X[:90], Y[:90])
    online.partial_fit(X[90:], Y[90:])
    assert_array_equal(embedding.components_, axes)
    assert outlines(online) == outlines(classifier().fit(embedding.transform(X), Y))
    stateless = FunctionTransformer(np.abs)
    forest = regressor(embedding=stateless).partial_fit(X, VALUES)
    assert outlines(forest) == outlines(regressor().fit(np.abs(X), VALUES))


# ---------------------------------------------------- words, and other objects


def test_words_can_be_classified():
    words = ["tree", "trees", "free", "three", "river", "rivers", "rover", "drivers", "wood"]
    kinds = ["t"] * 4 + ["r"] * 4 + ["w"]
    forest = classifier(metric=edit_distance).fit(words, kinds)
    assert forest.predict(["treeing", "driver", "woods"]).tolist() == ["t", "r", "w"]
    forest.partial_fit(["woods", "mood"], ["w", "m"])
    assert forest.predict(["mood"])[0] == "m"
    assert forest.n_seen_ == 11
    distances, found = forest.query(["woods"], k=2)
    assert found.tolist()[0][0] in (8, 9)
    assert distances[0, 0] == edit_distance("woods", (*words, "woods")[found[0, 0]])


def test_an_object_with_a_distance_is_a_metric():
    class Manhattan:
        def distance(self, a, b):
            return np.abs(a.astype(float) - b).sum()

    by_object = classifier(metric=Manhattan()).fit(X, Y)
    assert outlines(by_object) == outlines(classifier(metric="manhattan").fit(X, Y))


# ------------------------------------------------------- as scikit-learn does


def test_parameters_are_those_of_the_constructor():
    forest = classifier(max_children=9, metric="cosine", power=2, passes=None)
    copy = clone(forest)
    assert copy.get_params() == forest.get_params()
    assert copy.max_children == 9
    assert not hasattr(copy.fit(X, Y).set_params(max_children=4), "max_children_")
    assert "tolerance" in regressor().get_params()
    search = GridSearchCV(
        classifier(), {"max_children": [2, 20], "metric": ["cosine", "manhattan"]}
    )
    assert search.fit(X, Y).best_score_ > 0.4


def test_fit_begins_anew():
    forest = classifier().fit(X[:50, :3], Y[:50])
    forest.partial_fit(X[50:70, :3], Y[50:70])
    forest.fit(X, Y)
    assert outlines(forest) == outlines(classifier().fit(X, Y))
    assert forest.n_seen_ == 200
    assert forest.n_features_in_ == 5


def as_bytes(rows):
    return (rows * 20 + 100).clip(0, 255).astype(np.uint8)


LETTERS = np.array(["a", "b", "c"])
STORED = {
    "classifier": (classifier(max_children=4), X, LETTERS[Y]),
    "regressor": (regressor(metric="chebyshev"), X, VALUES),
    "bytes": (classifier(), as_bytes(X), Y),
    "offline": (classifier(passes=None, max_children=3), X, Y),
    "start": (classifier(n_estimators=30), X[:20], Y[:20]),
}


@pytest.mark.parametrize("way", ["pickle", "file"])
@pytest.mark.parametrize("name", STORED)
def test_a_stored_forest_comes_back_and_learns_on(name, way, tmp_path):
    forest, rows, y = STORED[name]
    half = len(rows) // 2
    forest = clone(forest).fit(rows[:half], y[:half])
    if way == "pickle":
        again = pickle.loads(pickle.dumps(forest))
    else:
        forest.save(tmp_path / "forest.mf")
        again = mf.load(tmp_path / "forest.mf")
        assert type(again) is type(forest)
        again.save(tmp_path / "again.mf")
        assert (tmp_path / "again.mf").read_bytes() == (tmp_path / "forest.mf").read_bytes()
    assert again.get_params() == forest.get_params()
    queries = rows[half:] + (1 if name == "bytes" else 0.1)
    for _ in range(2):
        for attribute in ("stored_", "n_nodes_", "depth_", "n_seen_", "n_features_in_"):
            assert_array_equal(getattr(again, attribute), getattr(forest, attribute))
        assert outlines(again) == outlines(forest)
        assert_array_equal(again.predict(queries), forest.predict(queries))
        assert_array_equal(again.query(queries, 2), forest.query(queries, 2))
        for each in (forest, again):
            each.partial_fit(rows[half:], y[half:])
    assert forest.n_seen_ == 3 * half


def test_a_copy_learns_alone():
    forest = classifier().fit(X[:150], Y[:150])
    before = outlines(forest)
    copy = pickle.loads(pickle.dumps(forest)).partial_fit(X[150:], Y[150:])
    assert outlines(copy) != before
    assert outlines(forest) == before


def test_damaged_files_are_refused(tmp_path):
    path = tmp_path / "forest.mf"
    classifier(n_estimators=2).fit(X[:30], Y[:30]).save(path)
    whole = path.read_bytes()
    rng = np.random.default_rng(0)
    for place in np.unique(np.r_[0:16, rng.integers(0, len(whole), size=100)]):
        damaged = bytearray(whole)
        damaged[place] ^= 1 << rng.integers(8)
        path.write_bytes(damaged)
        with pytest.raises(mf.ModelFileError):
            mf.load(path)


def test_a_metric_that_is_a_function_cannot_be_stored_in_a_file(tmp_path):
    forest = classifier(metric=edit_distance).fit(["ab", "cd", "ef"], [0, 1, 0])
    with pytest.raises(TypeError, match="metric"):
        forest.save(tmp_path / "forest.mf")
    assert os.listdir(tmp_path) == []
    again = pickle.loads(pickle.dumps(forest))
    assert_array_equal(again.predict_proba(["abc"]), forest.predict_proba(["abc"]))


# ------------------------------------------------------------- many classes in a stream


def many_classes(kind, n=60):
    names = {"int": int, "float": float, "text": "class {}".format}
    return np.array([names[kind](i) for i in range(n)])


@pytest.mark.parametrize("kind", ["int", "float", "text"])
def test_announcing_many_classes_warns_of_nothing(kind):
    """Warnings are errors in these tests."""
    classes = many_classes(kind)
    X = np.arange(60.0)[:, None]
    forest = mf.BoundaryForestClassifier(3, random_state=0)
    forest.partial_fit(X[:1], classes[:1], classes=classes)
    forest.partial_fit(X[1:2], classes[1:2], classes=classes)
    assert_array_equal(forest.classes_, np.sort(classes))


@pytest.mark.parametrize("batch", [1, 30])
@pytest.mark.parametrize("kind", ["int", "float", "text"])
def test_a_stream_of_new_classes_warns_of_nothing(kind, batch):
    classes = many_classes(kind)
    X = np.arange(60.0)[:, None]
    forest = mf.BoundaryForestClassifier(3, random_state=0)
    for begin in range(0, 60, batch):
        forest.partial_fit(X[begin : begin + batch], list(classes[begin : begin + batch]))
    assert_array_equal(forest.predict(X), classes)


@pytest.mark.skipif(versions.SKLEARN < (1, 7), reason="scikit-learn did not warn of that")
def test_a_fit_to_nearly_as_many_classes_as_examples_still_warns():
    with pytest.warns(UserWarning, match="unique classes is greater than 50%"):
        mf.BoundaryForestClassifier(3).fit(np.arange(60.0)[:, None], many_classes("int"))


def test_fractions_are_no_labels_in_a_stream_either():
    forest = mf.BoundaryForestClassifier(3)
    y = np.arange(60.0)
    y[-1] += 0.5
    with pytest.raises(ValueError, match="Unknown label type: continuous"):
        forest.partial_fit(np.arange(60.0)[:, None], y)
    with pytest.raises(ValueError, match="Unknown label type: continuous"):
        forest.partial_fit([[0.0]], [0], classes=y)
