"""Arrays of xarray: dims give the order of axes, and patches are told which axis is which."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import xarray as xr
from numpy.testing import assert_array_equal
from sklearn.model_selection import cross_val_predict

import manifoldforest as mf
from interop.data import ESTIMATORS, small
from manifoldforest.boundary._feature_names import FeatureNames
from manifoldforest.projections import Patches
from manifoldforest.validation._named_dims import stored_dims
from manifoldforest.views import Difference, Gradients

VALUES = np.random.default_rng(0).normal(size=(40, 4, 4))  # equal sides: shapes tell nothing
LABELS = (VALUES[:, 1, :3].sum(axis=1) > 0).astype(int)
NUMBERS = VALUES[:, 1, :3].sum(axis=1)
MAPS = xr.DataArray(VALUES, dims=("day", "lat", "lon"))


def y_of(name):
    return LABELS if name.endswith("Classifier") else NUMBERS


def projection_of(name):
    return {} if name.startswith("Boundary") else {"projection": Patches(wrap=(False, True))}


@pytest.mark.parametrize("name", ESTIMATORS)
def test_dims_are_kept_and_give_the_order_of_axes_at_prediction(name, tmp_path):
    params, y = projection_of(name), y_of(name)
    forest = small(name, **params).fit(MAPS, y)
    assert forest.feature_dims_ == ("lat", "lon")
    assert forest.feature_shape_ == (4, 4)
    expected = small(name, **params).fit(VALUES, y).predict(VALUES)
    forest.save(tmp_path / "forest.mf")
    for fitted in (forest, mf.load(tmp_path / "forest.mf"), pickle.loads(pickle.dumps(forest))):
        assert fitted.feature_dims_ == ("lat", "lon")
        assert_array_equal(fitted.predict(MAPS), expected)
        assert_array_equal(fitted.predict(VALUES), expected)
        assert_array_equal(fitted.predict(MAPS.transpose("lon", "day", "lat")), expected)
        other = MAPS.rename(day="hour").transpose("lat", "lon", "hour")
        assert_array_equal(fitted.predict(other), expected)
    assert not hasattr(forest.fit(VALUES, y), "feature_dims_")


REFUSED = {
    "one example": (MAPS[0], r"for one example pass X\.expand_dims"),
    "another name": (MAPS.rename(lon="longitude"), "'lat', 'lon', .*'longitude'.*rename them"),
    "flat": (MAPS.stack(place=("lat", "lon")), "got .'day', 'place'."),
    "a further dim": (MAPS.expand_dims("member"), "got .'member', 'day', 'lat', 'lon'."),
}


@pytest.mark.parametrize("case", REFUSED)
@pytest.mark.parametrize("name", ESTIMATORS)
def test_other_dims_are_refused_at_prediction(name, case):
    X, message = REFUSED[case]
    with pytest.raises(ValueError, match="X must have the dims of the fit, .*" + message):
        small(name).fit(MAPS, y_of(name)).predict(X)


def test_a_dataset_and_strange_dims_are_refused():
    for call in (
        lambda X: small("ForestClassifier").fit(X, LABELS),
        lambda X: small("BoundaryForestClassifier").fit(X, LABELS),
        mf.BoundaryIndex().add,
        mf.RankTransformer().fit,
    ):
        with pytest.raises(TypeError, match="X must be one array, got a Dataset of xarray"):
            call(MAPS.to_dataset(name="rain"))
    with pytest.raises(TypeError, match="X must have dims that are strings"):
        small("ForestClassifier").fit(MAPS.rename(lat=1), LABELS)
    for bad in (MAPS.rename(lat=1), MAPS.to_dataset(name="rain")):
        with pytest.raises(TypeError, match="^X must "):
            mf.BoundaryIndex().add(bad)


def test_a_forest_fitted_on_an_array_takes_axes_in_their_order():
    forest = small("ForestClassifier").fit(VALUES, LABELS)
    assert_array_equal(forest.predict(MAPS), forest.predict(VALUES))
    swapped = MAPS.transpose("day", "lon", "lat")
    assert_array_equal(forest.predict(swapped), forest.predict(swapped.to_numpy()))


@pytest.mark.parametrize("name", ["ForestClassifier", "BoostedForestClassifier"])
def test_a_warm_start_goes_on_with_the_same_dims(name):
    forest = small(name, warm_start=True).fit(MAPS, LABELS).set_params(n_estimators=5)
    with pytest.raises(ValueError, match="warm_start must continue with the dims of examples"):
        forest.fit(MAPS.rename(lat="lon", lon="lat"), LABELS)
    assert forest.fit(MAPS, LABELS).feature_dims_ == ("lat", "lon")
    assert len(forest) == 5


@pytest.mark.parametrize("kind", ["Classifier", "Regressor"])
def test_a_stream_goes_on_with_the_same_dims(kind):
    y = y_of(kind)
    forest = small(f"BoundaryForest{kind}").partial_fit(MAPS[:20], y[:20])
    forest.partial_fit(MAPS[20:].transpose("lon", "lat", "day"), y[20:])
    expected = small(f"BoundaryForest{kind}").partial_fit(VALUES[:20], y[:20])
    expected.partial_fit(VALUES[20:], y[20:])
    assert_array_equal(forest.predict(MAPS), expected.predict(VALUES))
    with pytest.raises(ValueError, match="X must have the dims of the fit"):
        forest.partial_fit(MAPS.rename(lon="x"), y)


@pytest.mark.parametrize("make", [mf.BoundaryIndex, mf.boundary.BruteForceIndex])
def test_an_index_keeps_dims(make, tmp_path):
    index, plain = make(), make()
    index.add(MAPS)
    plain.add(VALUES)
    index.save(tmp_path / "index.mf")
    for known in (index, mf.load(tmp_path / "index.mf")):
        queries = MAPS[:5].transpose("lon", "lat", "day")
        assert_array_equal(known.query(queries, k=2), plain.query(VALUES[:5], k=2))
        with pytest.raises(ValueError, match="X must have the dims of the first points"):
            known.query(MAPS.rename(lat="x"))


@pytest.mark.parametrize("dtype", [np.uint8, np.float32, bool])
def test_types_and_missing_values_stay(dtype):
    values = (VALUES > 0).astype(dtype)
    forest = small("ForestClassifier").fit(MAPS.copy(data=values), LABELS)
    rows = forest._rows(MAPS.copy(data=values))
    assert rows.dtype == (np.float32 if dtype == np.float32 else np.uint8)
    assert_array_equal(rows, values.reshape(len(values), -1))
    gaps = MAPS.where(MAPS > -1)
    forest = small("ForestClassifier").fit(gaps, LABELS)
    assert_array_equal(forest._rows(gaps), gaps.to_numpy().reshape(40, -1).astype(np.float32))


def test_columns_are_named_by_coordinates_that_are_text_and_by_no_others():
    flat = MAPS[:, 0].assign_coords(lon=["a", "b", "c", "d"])
    forest = small("ForestClassifier").fit(flat, LABELS)
    assert forest.feature_names_in_.tolist() == ["a", "b", "c", "d"]
    assert forest.feature_dims_ == ("lon",)
    with pytest.raises(ValueError, match="feature names"):
        forest.predict(flat[:, ::-1])
    numbered = small("ForestClassifier").fit(flat.assign_coords(lon=[1, 2, 3, 4]), LABELS)
    assert not hasattr(numbered, "feature_names_in_")
    # an array may have coordinates that are called like attributes of tables
    strange = xr.DataArray(VALUES[:, 0], dims=("day", "columns"), coords={"columns": range(4)})
    assert_array_equal(
        small("ForestClassifier").fit(strange, LABELS).predict(strange),
        numbered.predict(VALUES[:, 0]),
    )
    index = mf.BoundaryIndex()
    index.add(strange)
    assert index.query(strange)[1].ravel().tolist() == list(range(40))
    some = small("BoundaryForestClassifier").fit(strange, LABELS)
    plain = small("BoundaryForestClassifier").fit(VALUES[:, 0], LABELS)
    assert_array_equal(some.predict(strange), plain.predict(VALUES[:, 0]))
    mixed = flat.assign_coords(lon=np.array(["a", "b", 3, 4], dtype=object))
    assert not hasattr(small("ForestClassifier").fit(mixed, LABELS), "feature_names_in_")


def test_importances_have_the_dims_of_an_example():
    forest = small("ForestClassifier", projection="axis", n_estimators=30).fit(MAPS, LABELS)
    importances = xr.DataArray(forest.feature_importances_, dims=forest.feature_dims_)
    assert int(importances.sum("lon").argmax("lat")) == 1


def test_predictions_of_folds_are_those_of_arrays():
    forest = small("ForestClassifier")
    assert_array_equal(
        cross_val_predict(forest, MAPS, LABELS, cv=3),
        cross_val_predict(forest, VALUES, LABELS, cv=3),
    )


@pytest.mark.parametrize("dims", [["lat"], ["lat", "lat"], ["lat", 2], ["lat", "lon", "day"]])
def test_dims_in_a_file_that_do_not_fit_are_refused(dims):
    content = {"feature_dims": dims}
    with pytest.raises(ValueError, match="dims of examples do not fit"):
        stored_dims(content, (4, 4))
    with pytest.raises(ValueError, match="dims of examples do not fit"):
        FeatureNames.in_file(content, (4, 4))
    for names in (["a"], ["a", 2]):
        with pytest.raises(ValueError, match="names of features"):
            FeatureNames.in_file({"feature_names": names}, (2,))


# -------------------------------------------------------------------------- patches by dims

CUBES = xr.DataArray(np.zeros((9, 5, 3, 6)), dims=("sample", "time", "band", "x"))
BY_DIMS = {
    "nothing said": ({}, Patches()),
    "channels": ({"channel": "band"}, Patches(channel_axis=1)),
    "no channels": ({"channel": None}, Patches(channel_axis=None)),
    "a circle": ({"wrap": "time"}, Patches(wrap=[True, False, False])),
    "a torus": (
        {"wrap": ["x", "time"], "channel": "band"},
        Patches(wrap=True, channel_axis=1),
    ),
    "one after the channels": (
        {"wrap": "x", "channel": "band"},
        Patches(wrap=[False, True], channel_axis=1),
    ),
    "free": ({"free": "band"}, Patches(contiguous=[True, False, True])),
    "sizes for all": ({"min_size": 2, "max_size": 3}, Patches(min_size=2, max_size=3)),
    "sizes by dim": (
        {"min_size": {"x": 2}, "max_size": {"time": 4, "x": None}},
        Patches(min_size=[1, 1, 2], max_size=[4, None, None]),
    ),
    "a view": (
        {"view": Gradients(), "channel": "band", "placement": "corner", "max_size": {"x": 2}},
        Patches(view=Gradients(), channel_axis=1, placement="corner", max_size=[None, 2]),
    ),
}


@pytest.mark.parametrize("case", BY_DIMS)
def test_patches_by_dims_are_those_by_axes(case):
    by_dim, expected = BY_DIMS[case]
    assert Patches.from_xarray(CUBES, **by_dim) == expected


WRONG = {
    "an array": (np.zeros((3, 4)), {}, TypeError, "X must be a DataArray of xarray"),
    "examples only": (CUBES[:, 0, 0, 0], {}, ValueError, "at least one dim after"),
    "unknown channel": (CUBES, {"channel": "bands"}, ValueError, "channel .*did you mean 'band'"),
    "the examples": (CUBES, {"wrap": "sample"}, ValueError, "wrap must be among the dims 'time'"),
    "wrapped channels": (CUBES, {"wrap": "band", "channel": "band"}, ValueError, "wrap must be"),
    "a number": (CUBES, {"channel": 1}, TypeError, "channel must be among the dims"),
    "numbers": (CUBES, {"free": [1]}, TypeError, "free must be among the dims"),
    "true": (CUBES, {"wrap": True}, TypeError, "wrap must be a dim or a sequence of dims"),
    "size of nothing": (CUBES, {"max_size": {"z": 2}}, ValueError, "max_size must be among"),
    "sizes by axis": (CUBES, {"max_size": [1, 2, 3]}, TypeError, "max_size .*mapping from dims"),
    "no size": (CUBES, {"min_size": {"x": 0}}, ValueError, "min_size must be"),
    "a half": (CUBES, {"max_size": 1.5}, TypeError, "max_size must be"),
    "placement": (CUBES, {"placement": "random"}, ValueError, "placement must be one of"),
    "a class": (CUBES, {"view": Difference}, TypeError, "view must be .*with parentheses"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_dims_are_refused_by_name(case):
    X, by_dim, error, message = WRONG[case]
    with pytest.raises(error, match=message):
        Patches.from_xarray(X, **by_dim)


def test_what_looks_like_colours_is_asked_for_and_never_guessed():
    images = xr.DataArray(np.random.default_rng(0).random((20, 3, 8, 8)), dims=("n", "c", "y", "x"))
    y = np.arange(20) % 2
    with pytest.warns(UserWarning, match="look like images with 3 channels"):
        small("ForestClassifier", projection=Patches.from_xarray(images)).fit(images, y)
    for channel in ("c", None):  # pytest makes warnings errors
        patches = Patches.from_xarray(images, channel=channel)
        forest = small("ForestClassifier", projection=patches).fit(images, y)
        assert forest.projection_.channel_axis == (0 if channel else None)
