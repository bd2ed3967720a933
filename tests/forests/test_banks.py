"""Forests on cells of a bank: statistics of intervals and pooled kernels of series."""

import pickle
import re

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

import manifoldforest as mf
from manifoldforest.augmentation import Shifts
from manifoldforest.forests import _bank
from manifoldforest.forests._bank import bank_of, made_bank
from manifoldforest.io import _archive
from manifoldforest.projections import Axis, DilatedKernels, Intervals, Mixture, Patches, Sum
from manifoldforest.views import Difference, Identity, Spectrum

RNG = np.random.default_rng(0)
LENGTH = 24
X = RNG.normal(size=(60, LENGTH)).astype(np.float32)
X[30:, 8:16] *= 4
Y = np.repeat([0, 1], 30)
NUMBERS = X[:, 8:16].std(axis=1) + 0.1 * X[:, 0]
CHANNELS = RNG.normal(size=(60, 3, LENGTH)).astype(np.float32)
CHANNELS[:, 1] = X
SHORTER = X.copy()
SHORTER[::3, 17:] = np.nan
SHORTER[1, 4] = np.nan

PROJECTIONS = {
    "intervals": Intervals(("mean", "std", "quantile"), depth=4),
    "random intervals": Intervals("std", intervals="random", n_intervals=12),
    "kernels": DilatedKernels(40),
    "sum": Intervals(depth=3) + DilatedKernels(30, view=Spectrum()),
}
projections = pytest.mark.parametrize("projection", PROJECTIONS.values(), ids=PROJECTIONS.keys())


def points_of(y):
    return np.stack([y, y**2], axis=1)


def classifier(projection, **params):
    return mf.ForestClassifier(6, projection=projection, random_state=0, **params)


def forests(projection, **params):
    """Return one fitted forest of each class."""
    some = {"projection": projection, "random_state": 0, **params}
    return {
        "classifier": mf.ForestClassifier(6, **some).fit(X, Y),
        "regressor": mf.ForestRegressor(6, **some).fit(X, NUMBERS),
        "boosted classifier": mf.BoostedForestClassifier(6, **some).fit(X, Y),
        "boosted regressor": mf.BoostedForestRegressor(6, **some).fit(X, NUMBERS),
        "metric": mf.MetricForestRegressor(6, space="euclidean", **some).fit(X, points_of(NUMBERS)),
    }


def file_of(forest, folder, name="forest.mf"):
    path = folder / name
    forest.save(path)
    return path


def cells_of(forest, rows):
    return forest._model.bank.cells(np.asarray(rows, np.float32).reshape(len(rows), -1), 1)


# ---------------------------------------------------------------------------- predictions


@projections
def test_all_forests_learn_from_cells(projection):
    fitted = forests(projection)
    assert fitted["classifier"].score(X, Y) > 0.9
    assert fitted["boosted classifier"].score(X, Y) > 0.9
    for name in ("regressor", "boosted regressor"):
        assert fitted[name].score(X, NUMBERS) > 0.4
    assert fitted["metric"].predict(X).shape == (60, 2)
    for forest in fitted.values():
        assert forest.n_features_in_ == LENGTH
        assert forest.feature_shape_ == (LENGTH,)
        assert forest._model.geometry.n_features == forest._model.bank.n_cells


@projections
def test_a_forest_on_a_bank_is_the_forest_of_single_cells(projection):
    forest = classifier(projection, max_features=0.5).fit(X, Y)
    cells = cells_of(forest, X)
    table = classifier(Axis(), max_features=0.5).fit(cells, Y)
    assert np.array_equal(forest.predict_proba(X), table.predict_proba(cells))
    assert forest.max_features_ == table.max_features_ == cells.shape[1] // 2


@projections
def test_threads_do_not_change_a_forest(projection, tmp_path):
    for one, three in zip(
        forests(projection).values(), forests(projection, n_jobs=3).values(), strict=True
    ):
        first = file_of(one, tmp_path, "one.mf").read_bytes()
        assert file_of(three, tmp_path, "three.mf").read_bytes() == first
        assert np.array_equal(one.predict(X), three.predict(X))


@projections
def test_one_row_and_some_rows_at_a_time_are_told_what_many_are(projection, monkeypatch):
    for name, forest in forests(projection).items():
        expected = forest.predict(X)
        leaves = forest.apply(X)
        one_by_one = np.concatenate([forest.predict(X[i : i + 1]) for i in range(9)])
        assert np.array_equal(one_by_one, expected[:9]), name
        with monkeypatch.context() as patch:
            patch.setattr(_bank, "_AT_ONCE", 4 * forest._model.bank.n_cells * 7)
            assert len(list(forest._model.bank.chunks(60))) == 9
            assert np.array_equal(forest.predict(X), expected), name
            assert np.array_equal(forest.apply(X), leaves), name
            patch.setattr(_bank, "_AT_ONCE", 1)
            assert np.array_equal(forest.predict(X[:5]), expected[:5]), name


@projections
def test_channels_are_series_of_an_example(projection):
    forest = classifier(projection, oob_score=True).set_params(n_estimators=30).fit(CHANNELS, Y)
    assert forest.feature_shape_ == (3, LENGTH)
    assert forest.oob_score_ > 0.7
    flat = CHANNELS.reshape(60, -1)
    assert np.array_equal(forest.predict_proba(flat), forest.predict_proba(CHANNELS))
    assert forest.feature_importances_.shape == (3, LENGTH)


@projections
def test_types_of_numbers_that_hold_the_same_give_the_same_forest(projection):
    whole = RNG.integers(0, 200, size=(60, LENGTH)).astype(np.uint8)
    expected = classifier(projection).fit(whole.astype(np.float32), Y).predict_proba(whole)
    for kind in (np.uint8, np.int64, np.float64):
        forest = classifier(projection).fit(whole.astype(kind), Y)
        assert np.array_equal(forest.predict_proba(whole.astype(kind)), expected)
        assert np.array_equal(forest.predict_proba(whole), expected)


@projections
def test_series_may_end_early_and_have_gaps(projection):
    for name, forest in {
        "classifier": classifier(projection).fit(SHORTER, Y),
        "boosted": mf.BoostedForestClassifier(6, projection=projection).fit(SHORTER, Y),
    }.items():
        assert forest.score(SHORTER, Y) > 0.9, name
        nothing = np.full((1, LENGTH), np.nan)
        assert np.isfinite(forest.predict_proba(nothing)).all()


@projections
@pytest.mark.parametrize("length", [1, 2, 3])
def test_short_series_are_no_error(projection, length):
    forest = classifier(projection).fit(X[:, 8 : 8 + length], Y)
    assert forest.predict(X[:, :length]).shape == (60,)


def test_series_that_are_too_short_for_a_view_are_an_error():
    for projection in (
        Intervals(views=[Difference(order=2)]),
        DilatedKernels(5, view=Difference(order=2)),
    ):
        with pytest.raises(ValueError, match="order"):
            classifier(projection).fit(X[:, :2], Y)


@projections
@pytest.mark.parametrize(
    "params",
    [
        {"refine": True},
        {"honest": True},
        {"augment": Shifts(max_shift=2)},
        {"ranks": True},
        {"splitter": "random", "bootstrap": False},
        {"class_weight": "balanced"},
    ],
    ids=str,
)
def test_other_parameters_go_with_a_bank(projection, params, tmp_path):
    forest = classifier(projection, **params).fit(X, Y)
    assert forest.score(X, Y) > 0.6
    again = mf.load(file_of(forest, tmp_path))
    assert np.array_equal(again.predict_proba(X), forest.predict_proba(X))
    assert np.array_equal(
        classifier(projection, n_jobs=2, **params).fit(X, Y).predict_proba(X),
        forest.predict_proba(X),
    )


def test_boosted_forests_augment_series():
    forest = mf.BoostedForestClassifier(6, projection=Intervals(), augment=Shifts(), random_state=0)
    assert forest.fit(X, Y).score(X, Y) > 0.9


def test_the_projection_may_be_a_name():
    for name, projection in {"intervals": Intervals(), "dilated_kernels": DilatedKernels()}.items():
        by_name = classifier(name).fit(X, Y)
        assert by_name.projection_ == projection
        assert by_name.projection == name
        assert np.array_equal(
            by_name.predict_proba(X), classifier(projection).fit(X, Y).predict_proba(X)
        )


# ---------------------------------------------------------------------------- parameters


def test_clones_and_nested_parameters():
    forest = classifier(Intervals() + DilatedKernels(30))
    forest.set_params(projection__intervals__depth=2, projection__dilated_kernels__n_kernels=5)
    assert forest.projection == Intervals(depth=2) + DilatedKernels(5)
    assert forest.get_params()["projection__dilated_kernels__n_kernels"] == 5
    copied = clone(forest.fit(X, Y))
    assert copied.projection == forest.projection
    assert not hasattr(copied.projection.parts[1][1], "kernels_")
    assert not hasattr(forest.projection.parts[1][1], "kernels_")
    assert hasattr(forest.projection_.parts[1][1], "kernels_")
    assert forest.projection_ == forest.projection
    assert not hasattr(clone(forest.projection_).parts[1][1], "kernels_")


def test_grid_search_over_a_parameter_of_the_projection():
    search = GridSearchCV(classifier(Intervals("std")), {"projection__depth": [1, 3]}, cv=2)
    search.fit(X, Y)
    assert search.best_params_["projection__depth"] in (1, 3)
    assert search.best_score_ > 0.7


def test_statistics_of_series_and_features_do_not_mix():
    for projection in (Axis() + Intervals(), Patches(max_size=3) + DilatedKernels(5)):
        with pytest.raises(ValueError, match="must all make cells of series"):
            classifier(projection).fit(X, Y)
    nested = Sum([("a", Intervals()), ("b", Sum([("c", Axis())]))])
    with pytest.raises(ValueError, match="must all make cells of series"):
        classifier(nested).fit(X, Y)
    parts = [("a", Intervals(), 0.5), ("b", DilatedKernels(5), 0.5)]
    for mixed in (parts, [*parts, ("c", Axis(), 0.5)]):
        with pytest.raises(ValueError, match=r"Mixture\.parts must"):
            classifier(Mixture(mixed)).fit(X, Y)


def test_parts_of_a_sum_that_make_the_same_cells_have_them_once():
    once = bank_of(Intervals(depth=2), (LENGTH,))
    twice = bank_of(Sum([("a", Intervals(depth=2)), ("b", Intervals(depth=2))]), (LENGTH,))
    assert twice.geometry.views == once.geometry.views
    inner = Sum([("a", Intervals(depth=2)), ("b", Intervals("std"))])
    nested = bank_of(Sum([("c", inner), ("d", Intervals("std"))]), (LENGTH,))
    assert nested.geometry.views == bank_of(inner, (LENGTH,)).geometry.views


def test_a_view_that_is_given_twice_is_there_once():
    forest = classifier(Intervals(views=[Identity(), Identity()])).fit(X, Y)
    assert len(forest._model.bank.geometry.views) == 1


def test_huge_parameters_are_those_of_the_longest_series():
    huge = Intervals(depth=2**40, spacing=2**40, min_size=2**40, random_state=2**70)
    largest = Intervals(depth=LENGTH, spacing=LENGTH, min_size=LENGTH)
    assert bank_of(huge, (LENGTH,)).geometry.views == bank_of(largest, (LENGTH,)).geometry.views
    one = huge.set_params(intervals="random", n_intervals=5, views=[Identity()])
    assert bank_of(one, (LENGTH,)).geometry.views[0][2][-2:] == [0, LENGTH]


# ------------------------------------------------------------------------- files and warm starts


@projections
def test_files_and_pickles_hold_the_bank(projection, tmp_path):
    for name, forest in forests(projection).items():
        path = file_of(forest, tmp_path)
        loaded = mf.load(path)
        for again in (
            loaded,
            pickle.loads(pickle.dumps(forest)),
            pickle.loads(pickle.dumps(loaded)),
        ):
            assert np.array_equal(again.predict(X), forest.predict(X)), name
            assert np.array_equal(again.apply(X), forest.apply(X)), name
            assert np.array_equal(again.feature_importances_, forest.feature_importances_), name
            assert again.trees_[0].split_text(0) == forest.trees_[0].split_text(0), name
        assert file_of(loaded, tmp_path, "again.mf").read_bytes() == path.read_bytes(), name
        assert loaded.n_features_in_ == LENGTH
        assert loaded.projection_ == forest.projection_
        assert loaded.max_features_ == forest.max_features_


def test_only_files_with_a_bank_have_the_format_of_banks(tmp_path):
    with_bank = _archive.read(file_of(classifier(Intervals()).fit(X, Y), tmp_path)).content
    assert with_bank["format_version"] == 5
    assert [view[0] for view in with_bank["bank"]] == ["intervals"] * 4
    without = _archive.read(file_of(classifier("axis").fit(X, Y), tmp_path)).content
    assert without["format_version"] == 4
    assert "bank" not in without


@projections
@pytest.mark.parametrize("boosted", [False, True])
def test_a_warm_start_grows_the_trees_of_one_fit(projection, boosted, tmp_path):
    kind = mf.BoostedForestClassifier if boosted else mf.ForestClassifier
    some = {"projection": projection, "random_state": 0}
    whole = kind(8, **some).fit(X, Y)
    half = kind(3, warm_start=True, **some).fit(X, Y)
    loaded = mf.load(file_of(half, tmp_path))
    for begun in (half, loaded, pickle.loads(pickle.dumps(half))):
        begun.set_params(n_estimators=8).fit(X, Y)
        assert np.array_equal(begun.predict_proba(X), whole.predict_proba(X))
        assert np.array_equal(begun.apply(X), whole.apply(X))


@pytest.mark.parametrize("boosted", [False, True])
def test_a_warm_start_keeps_to_its_bank(boosted, tmp_path):
    kind = mf.BoostedForestClassifier if boosted else mf.ForestClassifier
    forest = kind(3, projection=DilatedKernels(20), warm_start=True, random_state=0).fit(X, Y)
    path = file_of(forest, tmp_path)
    kernels = forest.projection_.kernels_
    forest.set_params(n_estimators=5).fit(X[::-1].copy(), Y)
    assert forest.projection_.kernels_ == kernels
    loaded = mf.load(path).set_params(n_estimators=5)
    with pytest.raises(ValueError, match="warm_start must continue with the kernels"):
        loaded.fit(X[::-1].copy(), Y)
    with pytest.raises(ValueError, match="warm_start must continue with the projection"):
        forest.set_params(n_estimators=9, projection=DilatedKernels(21)).fit(X, Y)


# ----------------------------------------------------------------------------- inspection


@projections
def test_importances_are_the_gains_of_cells_shared_out_to_their_times(projection):
    forest = classifier(projection).fit(CHANNELS, Y)
    model = forest._model
    gains, uses = np.zeros(model.bank.n_cells), np.zeros(model.bank.n_cells)
    for tree in forest.trees_:
        splits = np.flatnonzero(tree.left)
        cells = tree.arrays["atom_ints"][tree.arrays["atom_offsets"][splits]]
        np.add.at(gains, cells, tree.gain[splits] / tree.gain[splits].sum())
        np.add.at(uses, cells, 1)
    shares = model.bank.shares(np.arange(model.bank.n_cells)).toarray()
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    expected = (gains @ shares).reshape(3, LENGTH)
    found = forest.feature_importances_
    np.testing.assert_allclose(found, expected / expected.sum(), atol=1e-6)
    np.testing.assert_allclose(found.sum(), 1)
    usage = (uses @ (shares > 0)).reshape(3, LENGTH)
    np.testing.assert_allclose(forest.feature_usage_, usage / usage.sum())
    by_view = forest.view_importances_
    shapes = [tuple(model.bank.geometry.cell_shape(v)) for v in range(len(by_view))]
    assert [array.shape for array in by_view] == shapes
    flat = np.concatenate([array.ravel() for array in by_view])
    np.testing.assert_allclose(flat, gains / gains.sum(), atol=1e-6)


def test_importances_of_all_forests_have_the_shape_of_examples():
    for forest in forests(Intervals(depth=3)).values():
        assert forest.feature_importances_.shape == forest.feature_usage_.shape == (LENGTH,)
        np.testing.assert_allclose(forest.feature_importances_.sum(), 1)
        np.testing.assert_allclose(sum(a.sum() for a in forest.view_importances_), 1)


def test_importance_lies_where_the_classes_differ():
    projection = Intervals("std", views=[Identity()])
    importances = classifier(projection).fit(CHANNELS, Y).feature_importances_
    assert importances[1, 8:16].sum() > 0.5


def test_a_forest_without_splits_has_no_importance():
    forest = classifier(Intervals()).fit(X, np.zeros(60))
    assert not forest.feature_importances_.any()
    assert not forest.feature_usage_.any()
    assert all(not gains.any() for gains in forest.view_importances_)


@projections
def test_shapley_values_add_up_to_predictions(projection):
    fitted = forests(projection)
    del fitted["metric"]
    for name, forest in fitted.items():
        explained = mf.shap_values(forest, SHORTER[:11])
        values = explained.values
        assert values.shape[:2] == (11, LENGTH)
        total = explained.base_values + values.sum(axis=1)
        if name == "classifier":
            expected = forest.predict_proba(SHORTER[:11])
        elif name == "boosted classifier":
            expected = forest.decision_function(SHORTER[:11])
        else:
            expected = forest.predict(SHORTER[:11])
        np.testing.assert_allclose(total, expected, atol=1e-6)


def test_shapley_values_have_the_shape_of_examples_and_those_of_cells_shared_out():
    forest = classifier(Intervals("std", depth=3)).fit(CHANNELS, Y)
    explained = mf.shap_values(forest, CHANNELS[:3])
    assert explained.values.shape == (3, 3, LENGTH, 2)
    cells = cells_of(forest, CHANNELS)
    bank, table = forest._model.bank, classifier(Axis()).fit(cells, Y)
    of_cells = mf.shap_values(table, cells[:3]).values
    shares = bank.shares(np.arange(bank.n_cells)).toarray()
    expected = np.einsum("ncv,cf->nfv", of_cells, shares).reshape(3, 3, LENGTH, 2)
    np.testing.assert_allclose(explained.values, expected, atol=1e-9)


def test_texts_of_splits_name_statistics():
    forest = classifier(Intervals("std", views=[Identity()])).fit(X, Y)
    assert forest.trees_[0].split_text(0).startswith("standard deviation of times ")
    forest = classifier(DilatedKernels(20, pool="mean")).fit(CHANNELS, Y)
    text = forest.trees_[0].split_text(0)
    assert text.startswith("mean answer of kernel ")
    assert ", series " in text


def test_statistics_are_no_weighted_sums_of_features():
    forest = classifier(Intervals()).fit(X, Y)
    with pytest.raises(ValueError, match=r"TreeView\.atoms needs splits on weighted sums"):
        forest.trees_[0].atoms()
    leaf = int(forest.apply(X[:1])[0, 0])
    with pytest.raises(ValueError, match="leaf_region needs splits on weighted sums"):
        forest.leaf_region(0, leaf)


@projections
def test_permutation_importance_and_out_of_bag_score(projection):
    forest = classifier(projection, oob_score=True, keep_samples=True)
    forest.set_params(n_estimators=30).fit(X, Y)
    assert 0.5 < forest.oob_score_ <= 1
    for held_out in (False, True):
        drops = forest.permutation_importance(X, Y, held_out=held_out, random_state=0)
        assert drops.shape == (LENGTH,)
        assert np.isfinite(drops).all()
    metric = mf.MetricForestRegressor(
        30, space="euclidean", projection=projection, oob_score=True, random_state=0
    ).fit(X, points_of(NUMBERS))
    assert np.isfinite(metric.oob_score_)


def test_paths_of_examples_end_in_their_leaves():
    forest = classifier(Intervals()).fit(X, Y)
    indicator, offsets = forest.decision_path(X)
    assert indicator.shape == (60, offsets[-1])
    ends = forest.apply(X) + offsets[:-1]
    assert (np.take_along_axis(indicator.toarray(), ends, axis=1) == 1).all()


# -------------------------------------------------------------------- reports, pictures, export


@projections
def test_reports_tell_of_statistics(projection):
    for name, forest in forests(projection).items():
        atoms = forest.describe().to_dict()["atoms"]["atoms"]
        assert len(atoms) > 0, name
        for atom in atoms:
            assert re.search(r" of (.* )?(times?|differences?|frequenc\w+) \d", atom["text"]) or (
                " of kernel " in atom["text"]
            ), name


def test_pictures_of_forests_on_series():
    plt = pytest.importorskip("matplotlib.pyplot")
    for data in (X, CHANNELS):
        forest = classifier(Intervals("std") + DilatedKernels(30)).fit(data, Y)
        mf.plot.importance_map(forest)
        bars = mf.plot.atoms(forest, n=4)
        labels = [label.get_text() for label in bars.get_yticklabels()]
        assert all(" of " in label for label in labels)
        tree = mf.plot.tree(forest)
        texts = " ".join(text.get_text().replace("\n", " ") for text in tree.texts)
        assert "standard deviation" in texts or "kernel" in texts
        mf.plot.shap_map(mf.shap_values(forest, data[:1]))
        with pytest.raises(ValueError, match="statistics of series"):
            mf.plot.view_map(forest)
        plt.close("all")


def test_statistics_of_series_are_not_exported():
    for kind in (mf.ForestClassifier, mf.BoostedForestClassifier):
        forest = kind(3, projection=Intervals()).fit(X, Y)
        with pytest.raises(ValueError, match="must not split on statistics of series"):
            mf.to_onnx(forest)


# ---------------------------------------------------------------------------- the bank itself


def test_a_bank_refuses_views_that_are_none():
    numbers = [0, 0, 0, 1, 0, 0, 8]
    assert made_bank(8, [("intervals", [8], numbers)]).n_cells == 1
    for views, match in {
        "twice": ([("intervals", [8], numbers)] * 2, "same as one before"),
        "of another shape": ([("intervals", [9], numbers)], "shape|features"),
        "of no such kind": ([("nothing", [8], numbers)], "kind"),
        "of code": ([("columns", [8], [0])], "made of code"),
    }.values():
        with pytest.raises(ValueError, match=match):
            made_bank(8, views)


def test_amounts_of_cells_come_back_to_features():
    bank = bank_of(Intervals("mean", depth=2, views=[Identity()]), (8,))
    amounts = np.arange(bank.n_cells, dtype=float)
    shares = bank.shares(np.arange(bank.n_cells)).toarray()
    np.testing.assert_allclose(bank.by_feature(amounts), amounts @ shares)
    np.testing.assert_allclose(bank.by_feature(np.zeros((2, bank.n_cells))), np.zeros((2, 8)))
    (only,) = bank.by_view(amounts)
    assert np.array_equal(only, amounts)
