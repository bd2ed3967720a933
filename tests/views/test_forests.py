"""Forests whose patches lie on views."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.model_selection import GridSearchCV

import manifoldforest as mf
from manifoldforest import _core
from manifoldforest.projections import Axis, Mixture, Patches
from manifoldforest.views import Difference, FromTransformer, Gradients, Identity, Spectrum
from stages import use_kernels

RNG = np.random.default_rng(0)
N = 300
LABELS = np.arange(N) % 3


def images(shape=(12, 10), n=N):
    """Noise with an edge, whose direction depends on the class."""
    noise = RNG.integers(0, 60, size=(n, *shape))
    labels = np.arange(n) % 3
    noise[labels == 0, : shape[0] // 2] += 150
    noise[labels == 1, :, : shape[1] // 2] += 150
    return noise.astype(np.uint8)


IMAGES = images()
REALS = (IMAGES / 7 + RNG.normal(size=IMAGES.shape)).astype(np.float32)
HOLES = np.where(RNG.random(REALS.shape) < 0.01, np.nan, REALS).astype(np.float32)
SERIES = RNG.normal(size=(N, 2, 24)).astype(np.float32)
SERIES[LABELS == 1] += np.cos(np.arange(24) * 2.0)
SERIES[LABELS == 2] += np.cos(np.arange(24) * 1.0 + RNG.uniform(0, 6, size=(100, 1, 1)))
EDGES = Patches(view=Gradients(), min_size=2, max_size=5, placement="interior")


def forest(projection, **params):
    return mf.ForestClassifier(
        5, projection=clone(projection), random_state=0, **{"max_features": 6, **params}
    )


def same_trees(one, other, *, but=()):
    arrays, others = one._model.trees.arrays, other._model.trees.arrays
    assert arrays.keys() == others.keys()
    return all(np.array_equal(arrays[name], others[name]) for name in arrays if name not in but)


# ----------------------------------------------------------------- the same as on cells by hand


@pytest.mark.parametrize("splitter", ["exact", "auto", "random", "histogram"])
@pytest.mark.parametrize("name", ["IMAGES", "REALS", "HOLES"])
def test_a_forest_on_a_view_is_that_on_its_cells(name, splitter):
    X = globals()[name]
    cells = Gradients().transform(X)
    by_hand = Patches(min_size=2, max_size=5, placement="interior", channel_axis=0)
    seen = forest(EDGES, splitter=splitter).fit(X, LABELS)
    fed = forest(by_hand, splitter=splitter).fit(cells, LABELS)
    assert same_trees(seen, fed)
    assert np.array_equal(seen.predict_proba(X), fed.predict_proba(cells))
    assert np.array_equal(seen.apply(X), seen._model.trees["leaf_of_row"].T)


def test_large_images_whose_rows_have_no_blocks_and_small_nodes_that_sum_cells():
    X = images((132, 130), 200)
    cells = Gradients().transform(X)
    params = {"min_size": 1, "max_size": 6, "placement": "interior"}
    y = np.arange(200) % 9
    seen = forest(Patches(view=Gradients(), **params)).fit(X, y)
    fed = forest(Patches(channel_axis=0, **params)).fit(cells, y)
    assert same_trees(seen, fed)
    assert np.array_equal(seen.predict_proba(X), fed.predict_proba(cells))


def test_sums_of_bytes_that_need_32_bits():
    X = images((40, 36))
    params = {"min_size": 20, "max_size": 36, "placement": "interior"}
    seen = forest(Patches(view=Gradients(), **params)).fit(X, LABELS)
    fed = forest(Patches(channel_axis=0, **params)).fit(Gradients().transform(X), LABELS)
    assert same_trees(seen, fed)
    assert np.array_equal(
        seen.predict_proba(X[:50]), fed.predict_proba(Gradients().transform(X[:50]))
    )


@pytest.mark.parametrize("view", [Difference(2, 3), Spectrum()])
@pytest.mark.parametrize("X", [SERIES, SERIES[:, 0], (SERIES * 10).astype(np.uint8)])
def test_views_of_series(view, X):
    if X.dtype == np.float32:
        X = np.where(RNG.random(X.shape) < 0.005, np.nan, X)
    cells = view.transform(X)
    free = (False, True) if X.ndim == 3 else True
    seen = forest(Patches(view=view, max_size=2, contiguous=free)).fit(X, LABELS)
    fed = forest(Patches(max_size=2, contiguous=free)).fit(cells, LABELS)
    assert same_trees(seen, fed)
    assert np.array_equal(seen.predict_proba(X), fed.predict_proba(cells))


def test_colour_images_have_their_channel_axis_in_the_view():
    X = np.stack([IMAGES, 255 - IMAGES, IMAGES // 2], axis=-1)
    cells = Gradients(4).transform(X, channel_axis=-1)
    seen = forest(Patches(view=Gradients(4), max_size=3, channel_axis=-1)).fit(X, LABELS)
    fed = forest(Patches(max_size=3, channel_axis=0)).fit(cells, LABELS)
    assert same_trees(seen, fed)
    assert seen.feature_importances_.shape == (12, 10, 3)


def test_flat_rows_are_images_of_the_shape_of_patches():
    flat = clone(EDGES).set_params(shape=(12, 10))
    rows = IMAGES.reshape(N, -1)
    seen = forest(flat).fit(rows, LABELS)
    assert same_trees(seen, forest(EDGES).fit(IMAGES, LABELS))
    assert np.array_equal(seen.predict(rows), forest(EDGES).fit(IMAGES, LABELS).predict(IMAGES))


def test_the_identity_is_no_view():
    assert same_trees(
        forest(Patches(max_size=3, view=Identity())).fit(IMAGES, LABELS),
        forest(Patches(max_size=3)).fit(IMAGES, LABELS),
    )


def test_sums_and_mixtures_of_views():
    both = EDGES + Patches(max_size=3) + Patches(view=Gradients(4), max_size=3) + Axis()
    fitted = forest(both).fit(IMAGES, LABELS)
    assert np.array_equal(fitted.apply(IMAGES), fitted._model.trees["leaf_of_row"].T)
    views = fitted.view_importances_
    assert [v.shape for v in views] == [(8, 12, 10), (4, 12, 10)]
    assert 0 < sum(v.sum() for v in views) < 1
    mixed = Mixture([("edges", EDGES, 1.0), ("spectrum", Patches(view=Spectrum()), 1.0)])
    fitted = forest(mixed).fit(IMAGES, LABELS)
    assert np.isclose(sum(v.sum() for v in fitted.view_importances_), 1)
    assert np.array_equal(fitted.apply(IMAGES), fitted._model.trees["leaf_of_row"].T)
    again = pickle.loads(pickle.dumps(fitted))
    assert np.array_equal(again.predict_proba(IMAGES), fitted.predict_proba(IMAGES))


def test_equal_views_are_computed_once():
    both = EDGES + Patches(view=Gradients(), max_size=2)
    geometry = _core.Geometry(120)
    both._learned(IMAGES.reshape(N, -1), (12, 10), np.ones(N))._build(geometry, (12, 10))
    assert len(geometry.views) == len(geometry.grids) == 1


# ------------------------------------------------------------------------------ what is the same


def test_views_change_no_count_of_candidates():
    assert forest(EDGES, max_features="sqrt").fit(IMAGES, LABELS).max_features_ == 10
    assert forest(EDGES, max_features=None).fit(IMAGES, LABELS).max_features_ == 120


@pytest.mark.parametrize("X", [IMAGES, REALS])
def test_any_number_of_threads_and_instruction_set_gives_the_same_forest(X):
    one = forest(EDGES, n_jobs=1).fit(X, LABELS)
    proba = one.predict_proba(X)
    assert same_trees(one, forest(EDGES, n_jobs=3).fit(X, LABELS))
    for name in _core.supported_kernels():  # the last is the fastest, which is in use
        use_kernels(name)
        assert same_trees(one, forest(EDGES).fit(X, LABELS))
        assert np.array_equal(one.predict_proba(X), proba)


def test_a_forest_of_bytes_answers_floats_of_the_same_values_alike():
    fitted = forest(EDGES).fit(IMAGES, LABELS)
    for X in (IMAGES.astype(np.float32), IMAGES.astype(np.float64), IMAGES.astype(int)):
        assert np.array_equal(fitted.predict_proba(X), fitted.predict_proba(IMAGES))
    of_floats = forest(EDGES).fit(IMAGES.astype(np.float32), LABELS)
    assert np.array_equal(
        of_floats.predict_proba(IMAGES), of_floats.predict_proba(IMAGES.astype(np.float32))
    )


def test_float_images_may_be_in_any_unit_of_a_power_of_two():
    one, other = forest(EDGES).fit(REALS, LABELS), forest(EDGES).fit(REALS * 1024, LABELS)
    assert same_trees(one, other, but=("threshold",))
    assert np.array_equal(other._model.trees["threshold"], one._model.trees["threshold"] * 1024)


def test_warm_starts_go_on_with_the_view_of_the_first_trees(tmp_path):
    whole = forest(EDGES).fit(IMAGES, LABELS)
    some = forest(EDGES, warm_start=True).set_params(n_estimators=2).fit(IMAGES, LABELS)
    some.save(tmp_path / "some.mf")
    loaded = mf.load(tmp_path / "some.mf")
    for part in (some, loaded):
        part.set_params(n_estimators=5).fit(IMAGES, LABELS)
        assert same_trees(part, whole)
    with pytest.raises(ValueError, match="projection"):
        some.set_params(n_estimators=6, projection__view__orientations=4).fit(IMAGES, LABELS)


def test_ranks_go_before_views():
    fitted = forest(EDGES, ranks=True).fit(IMAGES, LABELS)
    assert fitted.projection_.view.whole_ is False
    assert fitted.score(IMAGES, LABELS) > 0.9


def test_dense_directions_beside_views_fill_in_missing_values():
    fitted = forest(EDGES + mf.projections.MeanDifference()).fit(HOLES, LABELS)
    assert fitted.score(HOLES, LABELS) > 0.9


@pytest.mark.parametrize("projection", [EDGES, EDGES + Patches(view=Spectrum(), max_size=2)])
def test_files_and_pickles_hold_views(projection, tmp_path):
    fitted = forest(projection).fit(IMAGES, LABELS)
    fitted.save(tmp_path / "forest.mf")
    for again in (mf.load(tmp_path / "forest.mf"), pickle.loads(pickle.dumps(fitted))):
        assert again.projection_ == fitted.projection_
        assert np.array_equal(again.predict_proba(IMAGES), fitted.predict_proba(IMAGES))
        assert np.array_equal(again.feature_importances_, fitted.feature_importances_)
        again.save(tmp_path / "again.mf")
        assert (tmp_path / "again.mf").read_bytes() == (tmp_path / "forest.mf").read_bytes()


def test_views_can_be_tuned_and_are_compared_by_value():
    assert clone(EDGES) == EDGES
    assert clone(EDGES).set_params(view__orientations=4) != EDGES
    search = GridSearchCV(
        forest(EDGES),
        {"projection__view__orientations": [4, 8], "projection__view": [Gradients()]},
        cv=2,
    ).fit(IMAGES, LABELS)
    assert search.best_score_ > 0.5
    params = forest(EDGES).get_params()
    assert params["projection__view__orientations"] == 8


# -------------------------------------------------------------------------------- other families


def test_regression_and_metric_forests_see_views():
    y = IMAGES[:, :6].mean(axis=(1, 2)).astype(float)
    params = {"projection": EDGES, "random_state": 0, "max_features": 6}
    assert mf.ForestRegressor(10, **params).fit(IMAGES, y).score(IMAGES, y) > 0.5
    Y = np.stack([y, -y], axis=1)
    for make in (mf.MetricForestRegressor, mf.KernelForestRegressor):
        fitted = make(5, **params).fit(IMAGES, Y)
        assert fitted.predict(IMAGES).shape == Y.shape
        assert fitted.view_importances_[0].shape == (8, 12, 10)
        again = pickle.loads(pickle.dumps(fitted))
        assert np.array_equal(again.predict(IMAGES), fitted.predict(IMAGES))


@pytest.mark.parametrize("view", [Gradients(), FromTransformer(PCA(3, random_state=0))])
def test_views_are_embeddings_of_boundary_forests_and_indexes(view):
    X = IMAGES if isinstance(view, Gradients) else IMAGES.reshape(N, -1)
    cells = clone(view).fit(X).transform(X).reshape(N, -1)
    fitted = mf.BoundaryForestClassifier(5, embedding=view, random_state=0).fit(X, LABELS)
    by_hand = mf.BoundaryForestClassifier(5, random_state=0).fit(cells, LABELS)
    assert np.array_equal(fitted.predict(X), by_hand.predict(cells))
    y = LABELS.astype(float)
    regressor = mf.BoundaryForestRegressor(5, embedding=view, random_state=0).fit(X, y)
    by_hand = mf.BoundaryForestRegressor(5, random_state=0).fit(cells, y)
    assert np.array_equal(regressor.predict(X), by_hand.predict(cells))
    index = mf.BoundaryIndex(5, embedding=clone(view).fit(X))
    by_hand = mf.BoundaryIndex(5)
    index.add(X)
    by_hand.add(cells)
    assert np.array_equal(index.query(X[:9])[1], by_hand.query(cells[:9])[1])


# ---------------------------------------------------------------------------------- inspection


def test_importances_come_back_to_the_pixels():
    fitted = forest(EDGES).fit(IMAGES, LABELS)
    (cells,) = fitted.view_importances_
    assert np.isclose(cells.sum(), 1)
    np.testing.assert_allclose(fitted.feature_importances_, cells.sum(axis=0), atol=1e-12)
    assert forest(Patches()).fit(IMAGES, LABELS).view_importances_ == []


def test_importances_of_frequencies_are_shared_by_their_series():
    one = Patches(view=Spectrum(), contiguous=(False, True), max_size=(1, 3))
    fitted = forest(one).fit(SERIES, LABELS)
    (cells,) = fitted.view_importances_
    assert cells.shape == (2, 13)
    expected = np.repeat(cells.sum(axis=1, keepdims=True) / 24, 24, axis=1)
    np.testing.assert_allclose(fitted.feature_importances_, expected, atol=1e-12)
    assert fitted.feature_usage_.shape == (2, 24)


def test_texts_name_what_splits_look_at():
    names = {
        "gradients": (EDGES, IMAGES, "sum of orientation"),
        "difference": (Patches(view=Difference(), max_size=1), SERIES[:, 0], "sum of difference "),
        "spectrum": (Patches(view=Spectrum(), max_size=1), SERIES[:, 0], "sum of frequency "),
        "columns": (Patches(view=FromTransformer(np.sqrt), max_size=1), IMAGES, "sum of axis 0: "),
    }
    for kind, (projection, X, text) in names.items():
        fitted = forest(projection).fit(X, LABELS)
        assert fitted._model.atom_text(0, 0).startswith(text)
        with pytest.raises(ValueError, match=f"splits of kind 'patch on {kind}'"):
            fitted.leaf_region(0, int(fitted.apply(X)[0, 0]))
        with pytest.raises(ValueError, match=f"TreeView.atoms .*'patch on {kind}'"):
            fitted.trees_[0].atoms()
    rows = forest(EDGES).fit(IMAGES, LABELS)._model.atom_text(0, 0)
    assert "row" in rows
    assert "column" in rows
    assert "8 × 12 × 10 of Gradients()" in str(forest(EDGES).fit(IMAGES, LABELS).describe())


# --------------------------------------------------------------------------------- transformers


def roots(X):
    return np.sqrt(X.astype(np.float32))


def test_functions_see_examples_and_transformers_flat_rows():
    seen = []

    def function(X):
        seen.append(X.shape[1:])
        return roots(X)

    fitted = forest(Patches(view=FromTransformer(function), max_size=3)).fit(IMAGES, LABELS)
    fed = forest(Patches(max_size=3)).fit(roots(IMAGES), LABELS)
    assert set(seen) == {(12, 10)}
    assert same_trees(fitted, fed)
    assert np.array_equal(fitted.predict_proba(IMAGES), fed.predict_proba(roots(IMAGES)))
    components = FromTransformer(PCA(4, random_state=0))
    fitted = forest(Patches(view=components, max_size=1)).fit(IMAGES, LABELS)
    pca = PCA(4, random_state=0).fit(IMAGES.reshape(N, -1))
    cells = pca.transform(IMAGES.reshape(N, -1)).astype(np.float32)
    assert same_trees(fitted, forest(Patches(max_size=1)).fit(cells, LABELS))
    assert not hasattr(components, "transformer_")
    assert not hasattr(components.transformer, "components_")


def test_features_beside_a_transformer_are_those_of_the_examples():
    function = FromTransformer(lambda X: 1e6 + X[:, 0])
    other = FromTransformer(PCA(3, random_state=0))
    projection = Axis() + Patches(view=function, max_size=2) + Patches(view=other, max_size=2)
    fitted = forest(projection + EDGES).fit(IMAGES, LABELS)
    assert fitted.n_features_in_ == 120
    assert fitted.feature_importances_.shape == (12, 10)
    assert [v.shape for v in fitted.view_importances_] == [(10,), (3,), (8, 12, 10)]
    assert np.array_equal(fitted.apply(IMAGES), fitted._model.trees["leaf_of_row"].T)
    axes = forest(Axis(), max_features=120).fit(IMAGES, LABELS)
    beside = forest(Axis() + Patches(view=function, max_size=1), max_features=120)
    beside.fit(IMAGES, LABELS)
    first = axes._model.trees["atom_ints"]
    assert first.max() < 120
    increase = beside.permutation_importance(IMAGES, LABELS, features=[0, 5], random_state=0)
    assert np.isfinite(increase.ravel()[[0, 5]]).all()


def test_missing_cells_of_a_transformer():
    fitted = forest(Patches(view=FromTransformer(lambda X: X), max_size=3)).fit(HOLES, LABELS)
    fed = forest(Patches(max_size=3)).fit(HOLES, LABELS)
    assert same_trees(fitted, fed)
    assert np.array_equal(fitted.predict_proba(HOLES), fed.predict_proba(HOLES))
    # the example is whole, but not what is made of it
    projection = Patches(view=FromTransformer(lambda X: np.where(X > 100, np.nan, X)), max_size=3)
    fitted = forest(projection).fit(IMAGES, LABELS)
    assert np.array_equal(fitted.apply(IMAGES), fitted._model.trees["leaf_of_row"].T)


def test_a_forest_with_a_transformer_is_pickled_but_not_saved(tmp_path):
    projection = Patches(view=FromTransformer(PCA(4, random_state=0)), max_size=2)
    fitted = forest(projection).fit(IMAGES, LABELS)
    again = pickle.loads(pickle.dumps(fitted))
    assert np.array_equal(again.predict_proba(IMAGES), fitted.predict_proba(IMAGES))
    with pytest.raises(TypeError, match="view must be one of manifoldforest's own"):
        fitted.save(tmp_path / "forest.mf")
    assert list(tmp_path.iterdir()) == []
    more = fitted.set_params(warm_start=True, n_estimators=7).fit(IMAGES, LABELS)
    assert len(more) == 7


@pytest.mark.parametrize(
    ("function", "error", "match"),
    [
        (lambda X: X[:-1], ValueError, "one entry for each of"),
        (lambda X: 3.0, ValueError, "one entry for each of"),
        (lambda X: X * np.inf, ValueError, "finite"),
        (lambda X: np.full(X.shape, "a"), TypeError, "array of numbers"),
        (lambda X: np.zeros((len(X), len(X))), ValueError, "cells of one shape"),
    ],
)
def test_what_a_transformer_must_return(function, error, match):
    subject = forest(Patches(view=FromTransformer(function), max_size=1))
    with pytest.raises(error, match=match):
        subject.fit(REALS + 1, LABELS)
    assert not hasattr(subject, "projection_")


def test_a_transformer_must_be_fitted_before_it_is_used_alone():
    with pytest.raises(ValueError, match="not fitted"):
        FromTransformer(PCA(2)).transform(IMAGES)
    cells = FromTransformer(roots).transform(IMAGES.astype(np.float32))
    assert np.array_equal(cells, roots(IMAGES))
