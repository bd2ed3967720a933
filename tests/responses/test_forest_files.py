"""Model files and pickles of forests in metric spaces."""

import pickle

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.base import clone

import manifoldforest as mf
from manifoldforest import spaces
from manifoldforest.io import _archive
from manifoldforest.io._bit_packing import PackedArrays

RNG = np.random.default_rng(0)
X = RNG.normal(size=(50, 3)).astype(np.float32)
POINTS = np.column_stack([X[:, 0], X[:, 1] + X[:, 0] ** 2])
ANGLES = np.mod(3 * X[:, 0], 2 * np.pi)
DISTANCES = cdist(POINTS, POINTS)

FORESTS = {
    "euclidean": (mf.MetricForestRegressor(10), POINTS),
    "circle by name": (mf.MetricForestRegressor(10, space="circle", oob_score=True), ANGLES),
    "circle with parameters": (
        mf.MetricForestRegressor(10, space=spaces.Circle(24, split="geodesic")),
        ANGLES,
    ),
    "spd": (
        mf.MetricForestRegressor(10, space=spaces.SPD("affine-invariant")),
        np.exp(X[:, :1, None]) * np.eye(2) + 0.1,
    ),
    "isomap, drf": (
        mf.MetricForestRegressor(
            10, space=spaces.Isomap(8), prediction="drf", embedding_dim=2, max_rank=3
        ),
        POINTS,
    ),
    "precomputed": (
        mf.MetricForestRegressor(10, space=spaces.Precomputed(DISTANCES), ranks=True),
        np.arange(50),
    ),
    "kernel": (mf.KernelForestRegressor(10, bandwidth=0.5), POINTS),
    "kernel matrix": (
        mf.KernelForestRegressor(10, kernel=np.exp(-(DISTANCES**2))),
        np.arange(50),
    ),
}


# few trees, few rows, and distances along a curved line
pytestmark = [
    pytest.mark.filterwarnings("ignore:Some inputs do not have OOB"),
    pytest.mark.filterwarnings("ignore:the distances between responses are not Euclidean"),
]


@pytest.fixture(params=FORESTS)
def fitted(request):
    forest, Y = FORESTS[request.param]
    return clone(forest).set_params(random_state=0).fit(X, Y), Y


def test_a_file_holds_the_forest(fitted, tmp_path):
    forest, Y = fitted
    forest.save(tmp_path / "forest.mf")
    again = mf.load(tmp_path / "forest.mf")
    assert type(again) is type(forest)
    assert repr(again) == repr(forest.set_params(n_jobs=None))
    np.testing.assert_array_equal(again.predict(X), forest.predict(X))
    assert again.score(X, Y) == forest.score(X, Y)
    assert again.predict_region(X[:1])[1] == forest.predict_region(X[:1])[1]
    assert again.describe() == forest.describe()
    for name in ("oob_prediction_", "oob_distance_", "truncation_error_"):
        assert hasattr(again, name) == hasattr(forest, name)
        if hasattr(forest, name):
            np.testing.assert_array_equal(getattr(again, name), getattr(forest, name))
    again.save(tmp_path / "again.mf")
    assert (tmp_path / "again.mf").read_bytes() == (tmp_path / "forest.mf").read_bytes()


def test_pickles_hold_no_distances(fitted):
    forest, _ = fitted
    forest.predict(X)
    stored = pickle.dumps(forest)
    np.testing.assert_array_equal(pickle.loads(stored).predict(X), forest.predict(X))
    assert "squared" not in stored.decode("latin-1")


def test_what_is_made_of_code_is_not_stored(tmp_path):
    def apart(a, b):
        return float(np.abs(a - b))

    path = tmp_path / "forest.mf"
    forest = mf.MetricForestRegressor(2, space=spaces.FromCallable(apart)).fit(X, ANGLES)
    with pytest.raises(TypeError, match="space must be one of .* own .* got FromCallable"):
        forest.save(path)
    forest = mf.KernelForestRegressor(2, kernel=lambda A, B: A @ B.T).fit(X, POINTS)
    with pytest.raises(TypeError, match="space.kernel cannot be stored"):
        forest.save(path)
    assert not path.exists()


def test_a_damaged_file_is_refused(tmp_path):
    forest = mf.MetricForestRegressor(2, space="circle").fit(X, ANGLES)
    path = tmp_path / "forest.mf"
    forest.save(path)
    whole = path.read_bytes()
    path.write_bytes(whole[:-20])
    with pytest.raises(mf.ModelFileError):
        mf.load(path)


def test_as_many_responses_as_training_rows_are_expected(tmp_path):
    path = tmp_path / "model.mf"
    for forest, Y in (FORESTS["euclidean"], FORESTS["kernel"], FORESTS["circle by name"]):
        for change in (lambda r: r[:-1], lambda r: np.concatenate([r, r])):
            clone(forest).set_params(random_state=0).fit(X, Y).save(path)
            change_responses(path, change)
            with pytest.raises(mf.ModelFileError, match="as many responses as training rows"):
                mf.load(path)


@pytest.mark.parametrize("name", ["euclidean", "kernel", "circle by name"])
def test_responses_are_kept_once(name, tmp_path):
    forest, Y = FORESTS[name]
    forest = clone(forest).fit(X, Y)
    assert forest._model.record.y is None
    forest.save(tmp_path / "model.mf")
    stored = _archive.read(tmp_path / "model.mf").content["arrays"]
    assert "record.y" not in stored
    assert "record.total_weight" in stored


def change_responses(path, change):
    archive = _archive.read(path)
    packed = PackedArrays(archive.content["arrays"], archive.tensors)
    packed["responses"] = np.ascontiguousarray(change(packed["responses"]))
    _archive.write(path, archive.content | {"arrays": packed.described}, packed.stored)


def test_a_number_of_quantiles_that_responses_do_not_have_is_refused(tmp_path):
    path = tmp_path / "model.mf"
    forest = mf.MetricForestRegressor(3, space=spaces.Wasserstein1D(7), random_state=0)
    forest.fit(X, RNG.normal(size=(50, 9))).save(path)
    mf.load(path)
    archive = _archive.read(path)
    archive.content["described"]["space"]["params"]["n_quantiles"] = 10**12
    _archive.write(path, archive.content, archive.tensors)
    with pytest.raises(mf.ModelFileError, match="quantiles of their space"):
        mf.load(path)
