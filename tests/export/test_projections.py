"""Every projection and view, with whole numbers, floats and missing values."""

import numpy as np
import pytest

import manifoldforest as mf
from export.onnx_models import assert_same
from manifoldforest import projections as P
from manifoldforest import views as V

RNG = np.random.default_rng(0)
N, SIDE = 160, 6
BYTES = RNG.integers(0, 256, size=(N, SIDE, SIDE)).astype(np.uint8)
FLOATS = RNG.normal(size=(N, SIDE, SIDE)).astype(np.float32)
LABELS = ((FLOATS[:, 1:3, 1:3].sum((1, 2)) > 0) + 2 * (BYTES[:, 2:4, 3] > 128).any(1)).astype(int)
NUMBERS = FLOATS[:, 2, 2] + BYTES[:, 1, 1] / 100.0
RING = np.roll(np.eye(SIDE * SIDE, dtype=int), 1, axis=1)
ATOMS = np.where(RNG.random((SIDE * SIDE, 40)) < 0.2, RNG.normal(size=(SIDE * SIDE, 40)), 0.0)
WIDE = np.where(RNG.random((SIDE * SIDE, 9)) < 0.8, 1.0, 0.0)

PROJECTIONS = {
    "axis": P.Axis(),
    "sporf": P.Sporf(),
    "many features": P.Sporf(rate=7.0, count="poisson"),
    "scaled": P.Sporf(scale="std"),
    "forest_rc": P.ForestRC(3),
    "rerf": P.RerF(),
    "rotation": P.Rotation(),
    "part of a rotation": P.Rotation(max_dims=5),
    "principal_axes": P.PrincipalAxes(),
    "mean_difference": P.MeanDifference(),
    "dictionary": P.Dictionary(ATOMS),
    "wide dictionary": P.Dictionary(WIDE),
    "graph_balls": P.GraphBalls(RING + RING.T),
    "patches": P.Patches(max_size=4),
    "around the ends": P.Patches(wrap=True),
    "around one end": P.Patches(wrap=(False, True), min_size=3),
    "scattered": P.Patches(contiguous=(True, False), max_size=3),
    "all scattered": P.Patches(contiguous=False, max_size=5),
    "channels": P.Patches(channel_axis=0, max_size=3),
    "last axis channels": P.Patches(channel_axis=-1),
    "interior": P.Patches(placement="interior", max_size=3),
    "corner": P.Patches(placement="corner", max_size=3),
    "sum": P.Sporf() + P.Patches(max_size=3) + P.MeanDifference(),
    "patches and features": P.Patches(max_size=3) + P.Axis(),
    "mixture": P.Mixture([("axis", P.Axis(), 0.5), ("patches", P.Patches(max_size=3), 0.5)]),
    "gradients": P.Patches(view=V.Gradients(orientations=6), max_size=3),
    "image": P.ImagePatches(),
    "difference": P.Patches(view=V.Difference(), max_size=3),
    "second difference": P.Patches(view=V.Difference(2, 3), channel_axis=0, max_size=3),
    "spectrum": P.Patches(view=V.Spectrum(), max_size=3),
    "identity": P.Patches(view=V.Identity(), max_size=3),
    "views beside each other": P.Patches(view=V.Spectrum(), max_size=3)
    + P.Patches(view=V.Gradients(), max_size=3)
    + P.Patches(max_size=2),
}


@pytest.mark.parametrize("name", PROJECTIONS)
@pytest.mark.parametrize("X", [BYTES, FLOATS], ids=["bytes", "floats"])
def test_a_model_says_what_the_forest_says(name, X):
    forest = mf.ForestClassifier(4, projection=PROJECTIONS[name], random_state=0).fit(X, LABELS)
    assert_same(forest, X)
    assert forest._model.trees.n_nodes > 20


@pytest.mark.parametrize("name", PROJECTIONS)
def test_missing_values_go_the_way_of_the_forest(name):
    X = np.where(RNG.random(FLOATS.shape) < 0.05, np.float32(np.nan), FLOATS)
    X[:5] = np.nan
    forest = mf.ForestRegressor(4, projection=PROJECTIONS[name], random_state=0).fit(X, NUMBERS)
    assert_same(forest, X)
    # a forest that has seen no missing value has a way for them, too
    assert_same(
        mf.ForestRegressor(3, projection=PROJECTIONS[name], random_state=1).fit(FLOATS, NUMBERS), X
    )


@pytest.mark.parametrize("name", PROJECTIONS)
def test_leaves_are_those_of_the_forest(name):
    """A tree whose leaves all differ tells by its predictions where a row went."""
    X = np.concatenate([FLOATS, np.where(RNG.random(FLOATS.shape) < 0.1, np.nan, FLOATS)])
    tree = mf.ForestRegressor(1, projection=PROJECTIONS[name], bootstrap=False, random_state=0).fit(
        FLOATS, np.arange(N) ** 2.0
    )
    found = assert_same(tree, X)["prediction"]
    leaves = tree.apply(X.astype(np.float32))[:, 0]
    assert len(np.unique(found)) == len(np.unique(leaves)) > N / 2


def test_images_in_colour():
    images = RNG.integers(0, 256, size=(N, 5, 6, 3)).astype(np.uint8)
    labels = (images[:, 1:3, 2:4, 1].mean((1, 2)) > 128).astype(int)
    for projection in (
        P.Patches(view=V.Gradients(), channel_axis=-1, max_size=3),
        P.Patches(channel_axis=-1, max_size=3),
        P.ImagePatches(),
    ):
        for X in (images, images.astype(np.float32) / 7):
            forest = mf.ForestClassifier(3, projection=projection, random_state=0).fit(X, labels)
            assert_same(forest, X)
            missing = np.where(RNG.random(X.shape) < 0.02, np.nan, X)
            assert_same(forest, missing)


def test_narrow_images_have_gradients():
    for shape in ((N, SIDE * SIDE, 1), (N, 1, SIDE * SIDE)):
        X = FLOATS.reshape(shape).copy()
        projection = P.Patches(view=V.Gradients(), max_size=1)
        forest = mf.ForestClassifier(3, projection=projection, random_state=0).fit(X, LABELS)
        X.reshape(N, -1)[:, ::5] = np.nan
        assert_same(forest, X)


def test_cubes_have_patches():
    cubes = FLOATS.reshape(N, 3, 4, 3)
    for projection in (
        P.Patches(channel_axis=None, max_size=2),
        P.Patches(channel_axis=None, wrap=True),
        # around all ends, and along the first axis around to where it begins: corners that cancel
        P.Patches(channel_axis=None, wrap=True, min_size=(3, 2, 2), max_size=(3, 3, 2)),
    ):
        forest = mf.ForestClassifier(6, projection=projection, random_state=0).fit(cubes, LABELS)
        assert_same(forest, cubes)


def test_bytes_may_come_as_fractions_and_beyond_255():
    """The model computes with floats, as the forest does with rows of float32."""
    for name in ("axis", "sporf", "patches", "gradients", "rotation"):
        forest = mf.ForestClassifier(5, projection=PROJECTIONS[name], random_state=0)
        forest.fit(BYTES, LABELS)
        assert_same(forest, BYTES * np.float32(3.3) - np.float32(100.25))


def test_large_and_small_numbers_are_not_lost():
    for factor in (1e30, 1e-30):
        X = FLOATS * np.float32(factor)
        for name in ("axis", "sporf", "patches", "forest_rc", "principal_axes"):
            forest = mf.ForestClassifier(3, projection=PROJECTIONS[name], random_state=0)
            assert_same(forest.fit(X, LABELS), X)
