"""Forests that learn shifted copies of their examples: augment=."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_digits

import manifoldforest as mf
from manifoldforest.augmentation import Shifts
from manifoldforest.augmentation._as_augmentation import random_of_draw
from manifoldforest.forests._augmented_growing import (
    TREES_PER_DRAW,
    check_copies,
    with_copies,
)
from manifoldforest.forests._weights import RowWeights
from manifoldforest.io import ModelFileError
from manifoldforest.projections import Patches, Rotation
from manifoldforest.validation._inputs import Examples
from reference.forged_files import rewritten

RNG = np.random.default_rng(0)
N = 60
X = RNG.normal(size=(N, 4, 5)).astype(np.float32)
BYTES = RNG.integers(0, 256, size=(N, 4, 5), dtype=np.uint8)
HOLES = np.where(RNG.random(X.shape) < 0.1, np.float32(np.nan), X)
Y = np.digitize(X[:, 0, 0] + X[:, 1, 1], [-0.7, 0.7])
NUMBERS = X[:, 0, 0] + X[:, 1, 1] ** 2
X_NEW = RNG.normal(size=(40, 4, 5)).astype(np.float32)
SHIFTS = Shifts(1, copies=2)


def forest(n_estimators=12, kind=mf.ForestClassifier, **params):
    defaults = {"projection": Patches(max_size=2), "augment": SHIFTS, "random_state": 0}
    return kind(n_estimators, **(defaults | params))


def augmented(model, draw, rows=X):
    """Return examples and copies of the trees of one draw of a fitted forest."""
    shape = rows.shape[1:]
    random = random_of_draw(model._model.seed, draw)
    flat = model.augmentation_._draw(rows.reshape(len(rows), -1), shape, random)
    return flat.reshape(-1, *shape)


def same_trees(one, other, numbers):
    for t in numbers:
        for name in ("left", "threshold", "value", "weight", "atom_ints"):
            assert_array_equal(one.trees_[t].arrays[name], other.trees_[t].arrays[name])


GROWN = {
    "bootstrap": {},
    "all rows": {"bootstrap": False},
    "some rows": {"bootstrap": False, "max_samples": 0.5},
    "strata": {"stratify": True},
    "balanced": {"class_weight": "balanced_subsample"},
    "fractions": {"min_samples_leaf": 0.05, "min_samples_split": 0.2, "max_samples": 0.7},
}


@pytest.mark.parametrize("rows", [X, BYTES, HOLES], ids=["floats", "bytes", "holes"])
@pytest.mark.parametrize("name", GROWN)
def test_trees_are_those_of_rows_and_copies(name, rows):
    model = forest(23, **GROWN[name]).fit(rows, Y)
    for draw in range(3):
        plain = forest(23, augment=None, **GROWN[name])
        plain.fit(augmented(model, draw, rows), np.tile(Y, 3))
        same_trees(model, plain, range(23)[draw * TREES_PER_DRAW : (draw + 1) * TREES_PER_DRAW])


def test_every_draw_has_copies_of_its_own():
    model = forest(23).fit(X, Y)
    draws = [augmented(model, draw) for draw in range(3)]
    assert_array_equal(draws[0][:N], X)
    assert not np.array_equal(draws[0][N:], draws[1][N:])
    assert not np.array_equal(draws[1][N:], draws[2][N:])
    assert not np.array_equal(draws[0][N : 2 * N], draws[0][2 * N :])


@pytest.mark.parametrize("params", [{}, {"bootstrap": False, "max_samples": 0.3}], ids=str)
def test_draws_of_copies_count_for_their_rows(params):
    model = forest(10, **params).fit(X, Y)
    plain = forest(10, augment=None, **params).fit(augmented(model, 0), np.tile(Y, 3))
    counts = plain._model.trees["inbag"].reshape(10, 3, N).sum(axis=1)
    assert_array_equal(model._model.trees["inbag"], counts)
    assert (counts == 0).any()
    assert_array_equal(model._model.trees["leaf_of_row"], model.apply(X).T)
    assert_array_equal(model.oob_samples_[3], np.flatnonzero(counts[3] == 0))
    assert len(model.estimators_samples_[3]) == counts[3].sum()


def test_out_of_bag_is_a_row_without_draws_of_its_own_or_its_copies():
    model = forest(60, oob_score=True, max_samples=0.3).fit(X, Y)
    out = model._model.trees["inbag"] == 0
    per_tree = model.predict_proba_per_tree(X)
    expected = np.array([per_tree[out[:, i], i].mean(axis=0) for i in range(N)])
    assert_allclose(model.oob_decision_function_, expected)
    assert model.oob_score_ == (expected.argmax(axis=1) == Y).mean()


def test_forest_weights_are_those_of_rows():
    model = forest().fit(X, Y)
    weights = model.forest_weights(X_NEW)
    assert weights.shape == (40, N)
    assert_allclose(weights.sum(axis=1), 1.0)


@pytest.mark.parametrize("kind", [mf.ForestClassifier, mf.ForestRegressor])
@pytest.mark.parametrize("keep_samples", [True, False])
def test_a_warm_start_equals_a_single_fit(kind, keep_samples):
    y = Y if kind is mf.ForestClassifier else NUMBERS
    warm = forest(4, kind, warm_start=True, keep_samples=keep_samples).fit(X, y)
    for n_estimators in (13, 25):
        warm.set_params(n_estimators=n_estimators).fit(X, y)
    whole = forest(25, kind, keep_samples=keep_samples).fit(X, y)
    same_trees(warm, whole, range(25))
    if keep_samples:
        assert_array_equal(warm._model.trees["inbag"], whole._model.trees["inbag"])
        assert_array_equal(warm._model.trees["leaf_of_row"], whole._model.trees["leaf_of_row"])


def test_a_warm_start_goes_on_with_the_augmentation_it_began_with():
    warm = forest(4, warm_start=True, augment=1).fit(X, Y)
    with pytest.raises(ValueError, match="warm_start must continue with the augment it began with"):
        warm.set_params(n_estimators=8, augment=2).fit(X, Y)
    warm.set_params(augment=Shifts(1)).fit(X, Y)
    assert len(warm) == 8


@pytest.mark.parametrize("y", [Y, NUMBERS], ids=["classes", "numbers"])
def test_the_number_of_threads_changes_nothing(y):
    kind = mf.ForestClassifier if y is Y else mf.ForestRegressor
    one, two = (forest(12, kind, n_jobs=n).fit(X, y) for n in (1, 2))
    same_trees(one, two, range(12))


def test_regression_learns_from_copies():
    params = {"kind": mf.ForestRegressor, "criterion": "absolute_error"}
    model = forest(10, **params).fit(X, NUMBERS)
    plain = forest(10, augment=None, **params).fit(augmented(model, 0), np.tile(NUMBERS, 3))
    same_trees(model, plain, range(10))
    scored = forest(40, mf.ForestRegressor, oob_score=True, max_samples=0.3).fit(X, NUMBERS)
    assert scored.oob_prediction_.shape == (N,)


def test_several_outputs_and_labels_of_any_kind_are_learned():
    two = np.stack([np.array(["a", "b", "c"])[Y], np.array(["x", "y"])[Y % 2]], axis=1)
    assert forest().fit(X, two).predict(X).shape == (N, 2)


def test_ranks_are_those_of_the_rows_themselves():
    params = {"ranks": True, "augment": Shifts(1, copies=1, fill="wrap"), "bootstrap": False}
    model = forest(5, **params).fit(X, Y)
    alone = mf.RankTransformer().fit(X.reshape(N, -1))
    assert_array_equal(model.rank_transformer_.values_, alone.values_)
    ranked = alone.transform(augmented(model, 0).reshape(2 * N, -1)).reshape(-1, 4, 5)
    plain = forest(5, augment=None, bootstrap=False).fit(ranked, np.tile(Y, 2))
    same_trees(model, plain, range(5))


def test_missing_values_are_filled_with_means_of_the_rows_themselves():
    model = forest(5, projection=Rotation()).fit(HOLES, Y)
    assert_array_equal(
        model._model.fill_values,
        forest(5, projection=Rotation(), augment=None).fit(HOLES, Y)._model.fill_values,
    )
    assert np.isfinite(model.predict_proba(HOLES)).all()


@pytest.mark.parametrize("params", [{"bootstrap": False}, {}], ids=str)
def test_weights_are_those_of_the_example_for_all_its_copies(params):
    weight = np.arange(N) % 4
    model = forest(10, **params).fit(X, Y, weight)
    plain = forest(10, augment=None, **params)
    plain.fit(augmented(model, 0), np.tile(Y, 3), np.tile(weight, 3))
    same_trees(model, plain, range(10))


def test_counts_that_are_too_large_to_be_repeated_become_weights():
    ones = np.ones(3)
    large = RowWeights(ones, 2.0**30 * ones, np.full(3, 2**29), ones)
    assert_array_equal(with_copies(large, 1).count, np.ones(6))
    assert_array_equal(with_copies(large, 1).row, np.full(6, 2.0**30))
    few = RowWeights(ones, ones, np.array([0, 1, 2]), ones)
    assert_array_equal(with_copies(few, 2).count, np.tile([0, 1, 2], 3))


def test_too_many_copies_are_refused():
    rows = np.broadcast_to(np.zeros(2, dtype=np.uint8), (2**22, 2))
    examples = Examples(rows, (2,), None, None, rows)
    check_copies(Shifts(1, copies=510), examples)
    with pytest.raises(ValueError, match=r"augment must give fewer than 2\*\*31 rows"):
        check_copies(Shifts(1, copies=511), examples)


def test_copies_make_fewer_errors_on_digits():
    digits = load_digits()
    images, labels = digits.images.astype(np.uint8), digits.target
    plain, shifted = (
        forest(40, augment=augment)
        .fit(images[:200], labels[:200])
        .score(images[200:], labels[200:])
        for augment in (None, 1)
    )
    assert shifted > plain + 0.01


def test_refinement_learns_copies_that_no_tree_has_seen():
    model = forest(20, refine=True, min_samples_leaf=3).fit(X, Y)
    assert_array_equal(
        model._model.trees["value"],
        forest(20, refine=True, min_samples_leaf=3, keep_samples=False)
        .fit(X, Y)
        ._model.trees["value"],
    )
    on_rows = forest(20, min_samples_leaf=3).fit(X, Y)
    assert_array_equal(model._model.trees["left"], on_rows._model.trees["left"])
    warm = forest(7, refine=True, min_samples_leaf=3, warm_start=True).fit(X, Y)
    warm.set_params(n_estimators=20).fit(X, Y)
    assert_array_equal(warm.predict_proba(X_NEW), model.predict_proba(X_NEW))


def test_paths_of_pruning_are_those_of_all_draws():
    model = forest(23).fit(X, Y)
    path = forest(23).cost_complexity_pruning_path(X, Y)
    prices = [0.0]
    for draw in range(3):
        data = augmented(model, draw), np.tile(Y, 3)
        trees = forest(23, augment=None)
        fitted = trees._fitted_on(*data, None, find_pruning_path=True)["_model"].trees
        ends = fitted["path_offsets"]
        end = min(23, (draw + 1) * TREES_PER_DRAW)
        prices.extend(fitted["path_alphas"][ends[draw * TREES_PER_DRAW] : ends[end]])
    assert set(path.ccp_alphas) == set(prices)


AUGMENTS = {
    "number": 2,
    "object": Shifts((1, 0), copies=3, flip=[0, 1], fill=0.5, channel_axis=None, shape=(4, 5)),
}


@pytest.mark.parametrize("name", AUGMENTS)
@pytest.mark.parametrize("kind", [mf.ForestClassifier, mf.ForestRegressor])
def test_files_and_pickles_bring_it_back(name, kind, tmp_path):
    y = Y if kind is mf.ForestClassifier else NUMBERS
    model = forest(4, kind, augment=AUGMENTS[name]).fit(X, y)
    model.save(tmp_path / "model.mf")
    for again in (mf.load(tmp_path / "model.mf"), pickle.loads(pickle.dumps(model))):
        assert again.augment == model.augment
        assert again.augmentation_ == model.augmentation_
        assert_array_equal(again.predict(X_NEW), model.predict(X_NEW))
        again.save(tmp_path / "again.mf")
        assert (tmp_path / "again.mf").read_bytes() == (tmp_path / "model.mf").read_bytes()
        again.set_params(n_estimators=12, warm_start=True).fit(X, y)
        same_trees(again, forest(12, kind, augment=AUGMENTS[name]).fit(X, y), range(12))


def test_a_file_keeps_what_was_used_apart_from_what_is_to_be_used(tmp_path):
    forest(2).fit(X, Y).set_params(augment=None).save(tmp_path / "model.mf")
    again = mf.load(tmp_path / "model.mf")
    assert again.augment is None
    assert again.augmentation_ == SHIFTS


def test_files_with_wrong_parameters_are_refused(tmp_path):
    forest(2).fit(X, Y).save(tmp_path / "model.mf")

    def change(content, tensors):
        content["described"]["augment"]["class"] = "Turns"

    rewritten(tmp_path / "model.mf", change)
    with pytest.raises(ModelFileError):
        mf.load(tmp_path / "model.mf")


def test_a_fit_without_augmentation_forgets_that_of_the_one_before():
    model = forest(2).fit(X, Y)
    assert model.augmentation_ == SHIFTS
    assert not hasattr(model.set_params(augment=None).fit(X, Y), "augmentation_")


def test_parameters_of_the_object_can_be_set():
    model = forest(2, augment=Shifts(1, copies=5)).set_params(augment__copies=1).fit(X, Y)
    assert model.augmentation_ == Shifts(1, copies=1)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"honest": True}, "honest must be False with augment"),
        ({"augment": Shifts(4)}, "Shifts.max_shift must be below 4"),
        ({"augment": Shifts(1, copies=0)}, "Shifts.copies must be an integer in"),
        ({"augment": Shifts(1, fill="none")}, "Shifts.fill must be one of 'edge', 'wrap'"),
    ],
    ids=str,
)
def test_what_cannot_be_done_is_refused_and_leaves_the_forest_as_it_was(params, message):
    model = forest(2).fit(X, Y)
    before = model.predict_proba(X_NEW)
    with pytest.raises(ValueError, match=message):
        model.set_params(**params).fit(X, Y)
    assert_array_equal(model.predict_proba(X_NEW), before)


def test_progress_is_that_of_all_trees(capsys):
    forest(23, verbose=1).fit(X, Y)
    lines = capsys.readouterr().err.splitlines()
    assert all(" of 23 trees" in line for line in lines)
    assert lines[-1].startswith("ForestClassifier: 23 of 23 trees")
    assert len(lines) <= 10
