"""Data and parameters of forests that are the same with and without Dask."""

from functools import partial

import dask.array as da
import dask.bag as db
import numpy as np

import manifoldforest as mf

ROWS = 240
RNG = np.random.default_rng(0)
TABLE = RNG.normal(size=(ROWS, 5))
HOLES = np.where(RNG.random((ROWS, 5)) < 0.1, np.nan, TABLE)
IMAGES = RNG.integers(0, 256, size=(ROWS, 8, 8), dtype=np.uint8)
LABELS = (TABLE[:, 0] > 0).astype(int) + (TABLE[:, 1] > 0.5)
WORDS = np.array(["low", "middle", "high"])[LABELS]
WEIGHT = RNG.integers(0, 3, ROWS).astype(float)
FACTORS = RNG.normal(size=(ROWS, 2, 2))
MATRICES = FACTORS @ FACTORS.transpose(0, 2, 1) + np.eye(2)
DISTANCES = np.abs(TABLE[:, :1] - TABLE[:, 0])


def difference(a, b):
    return abs(a[0] - b[0])


def make(name, n_estimators=7, **params):
    return name, {"n_estimators": n_estimators, "random_state": 0, **params}


CLASSIFIER = partial(make, "ForestClassifier")
REGRESSOR = partial(make, "ForestRegressor")
METRIC = partial(make, "MetricForestRegressor")
PATCHES = mf.projections.Patches(max_size=3)

# (class, parameters), X, y, weights
MAIN_CASES = {
    "classifier of a float table, weights, out of bag": (
        CLASSIFIER(40, oob_score=True), TABLE, LABELS, WEIGHT,
    ),
    "classifier of uint8 images by patches": (
        CLASSIFIER(projection=PATCHES), IMAGES, IMAGES[:, 2, 3] > 128, None,
    ),
    "regressor with weights, out of bag": (
        REGRESSOR(40, oob_score=True), TABLE, TABLE[:, 0], WEIGHT + 0.5,
    ),
    "metric forest of matrices, out of bag": (
        METRIC(40, space="spd", oob_score=True), TABLE, MATRICES, None,
    ),
}  # fmt: skip
MORE_CASES = {
    "string labels, honest": (CLASSIFIER(honest=True), TABLE, WORDS, None),
    "several label columns, balanced": (
        CLASSIFIER(class_weight="balanced"), TABLE, np.stack([WORDS, WORDS[::-1]], axis=1), WEIGHT,
    ),
    "ranks of float32, one tree": (CLASSIFIER(1, ranks=True), TABLE.astype("f4"), LABELS, None),
    "copies and refined leaves": (
        CLASSIFIER(33, augment=1, refine=True, projection=PATCHES), IMAGES, LABELS, None,
    ),
    "chosen projection": (CLASSIFIER(projection="auto"), IMAGES, LABELS, WEIGHT),
    "statistics of series": (
        CLASSIFIER(
            projection=mf.projections.Intervals() + mf.projections.DilatedKernels(20)
        ),
        HOLES, LABELS, WEIGHT,
    ),
    "missing values under dense directions": (
        REGRESSOR(projection="rotation"), HOLES, TABLE[:, :2], None,
    ),
    "missing values, scaled": (
        REGRESSOR(projection=mf.projections.Sporf(scale="std")), HOLES, TABLE[:, 0], WEIGHT,
    ),
    "responses in a matrix of distances": (
        METRIC(space=mf.spaces.Precomputed(DISTANCES)), TABLE, np.arange(ROWS), None,
    ),
    "responses that are objects": (
        METRIC(space=mf.spaces.FromCallable(difference)), TABLE, list(map(tuple, TABLE)), None,
    ),
}  # fmt: skip


def collection(values, sizes=(100, 40, 100)):
    """Return rows as a collection with blocks of these sizes."""
    if values is None:
        return None
    if isinstance(values, list):
        return db.from_sequence(values, npartitions=3)
    return da.from_array(values, chunks=(sizes, *values.shape[1:]))


def model_bytes(forest, folder):
    """Return the bytes of the file of a forest."""
    path = folder / "forest.mf"
    forest.save(path)
    return path.read_bytes()
