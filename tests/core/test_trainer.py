"""One trainer grows any number of forests, each as if it were the first."""

import os
import sys
import threading

import numpy as np
import pytest

from manifoldforest import _core
from manifoldforest.forests._forest_model import make_sampler
from manifoldforest.projections import Axis, Patches, Rotation, Sporf
from reference.growing import grow, grow_options

# Nodes of at least 32768 rows are searched by all workers that are idle.
LARGE = 70_000


def options(**settings):
    defaults = {"n_trees": 1, "seed": 3, "n_candidates": 4, "splitter": "auto"}
    return grow_options(**{**defaults, **settings})


def weights(n, seed=None):
    """Return strata, draw weights, row weights and counts; those of rows at random if asked for."""
    row = np.ones(n) if seed is None else np.random.default_rng(seed).random(n) + 0.1
    return np.zeros(n, np.int32), np.ones(n), row, np.ones(n, np.int64)


def table(n, p=5, seed=0, dtype=np.float32, missing=0.0):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 256, (n, p)).astype(dtype)
    labels = (X[:, 0].astype(int) + X[:, 1] > 250).astype(np.int32) + (X[:, 2] > 200)
    if missing:
        X[rng.random(X.shape) < missing] = np.nan
    return X, labels.astype(np.int32)[:, None], rng.normal(size=(n, 1)) + labels[:, None]


def assert_same(one, other):
    assert one.keys() == other.keys()
    for name in one:
        assert np.array_equal(one[name], other[name], equal_nan=True), name


# --------------------------------------------------------------------------- weights


SETTINGS = [
    {},
    {"bootstrap": False},
    {"bootstrap": False, "n_draws": 400},
    {"stratify": True},
    {"honest": True, "empty_leaf": "prune"},
    {"honest": True, "bootstrap": False},
    {"balanced_subsample": True},
    {"n_draws": 3000},
]


@pytest.mark.parametrize("weight", [1.0, 2.0, 0.3])
@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_a_number_that_all_rows_share_may_lie_in_one_place(settings, weight):
    X, labels, responses = table(700, missing=0.1)
    trainer = _core.Trainer(X, *make_sampler(Axis(), (X.shape[1],))[:2], 1)
    each = (np.zeros(700, np.int32), np.ones(700), np.full(700, weight), np.ones(700, np.int64))
    shared = [np.broadcast_to(array[0], (700,)) for array in each]
    tasks = [(labels, {"n_classes": [3]}), (responses, {"criterion": "squared_error"})]
    for y, learned in tasks if "balanced_subsample" not in settings else tasks[:1]:
        chosen = options(n_trees=3, **learned, **settings)
        assert_same(trainer.grow(y, *each, chosen), trainer.grow(y, *shared, chosen))


def test_numbers_of_rows_may_lie_apart_but_each_row_has_one():
    X, labels, _ = table(700)
    trainer = _core.Trainer(X, *make_sampler(Axis(), (X.shape[1],))[:2], 1)
    strata, draw, row, count = weights(700, seed=1)
    apart = np.stack([row, -row], axis=1)[:, 0]
    expected = trainer.grow(labels, strata, draw, row, count, options(n_classes=[3]))
    assert_same(expected, trainer.grow(labels, strata, draw, apart, count, options(n_classes=[3])))
    with pytest.raises(ValueError, match="row_weight and row_count must have one entry per row"):
        trainer.grow(labels, strata, draw, row[:-1], count, options(n_classes=[3]))


@pytest.mark.parametrize("n_classes", [256, 257])  # labels of 8 bits, and one more
@pytest.mark.parametrize("count", [1, 65535, 65536])  # counts of 16 bits, and one more
def test_rows_are_learned_whether_labels_and_counts_have_room_together(n_classes, count):
    """Twice the count is twice the weight of every node, and the same tree."""
    y = np.repeat(np.arange(n_classes, dtype=np.int32), 3)[:, None]
    X = (y + np.array([0.0, 0.1, 0.2] * n_classes)[:, None]).astype(np.float32)
    trainer = _core.Trainer(X, *make_sampler(Axis(), (1,))[:2], 1)
    n = len(X)
    chosen = options(n_classes=[n_classes], bootstrap=False, splitter="exact", n_candidates=1)
    few, many = (
        trainer.grow(
            y, np.zeros(n, np.int32), np.ones(n), np.full(n, float(c)), np.full(n, c), chosen
        )
        for c in (1, count)
    )
    assert (few["left"] == 0).sum() == n_classes
    assert np.array_equal(few["threshold"], many["threshold"])
    assert np.array_equal(few["value"], many["value"])
    assert np.array_equal(few["weight"] * count, many["weight"])


# --------------------------------------------------------------------------- many calls


def test_a_trainer_forgets_the_bags_of_forests_before():
    X, labels, responses = table(900)
    trainer = _core.Trainer(X, *make_sampler(Axis(), (X.shape[1],))[:2], 2)
    draws = [{**settings, "keep_samples": kept} for settings in SETTINGS for kept in (True, False)]
    for settings in draws + draws[::-1]:
        chosen = options(n_trees=2, n_classes=[3], **settings)
        fresh = _core.Trainer(X, *make_sampler(Axis(), (X.shape[1],))[:2], 1)
        expected = fresh.grow(labels, *weights(900), chosen)
        assert_same(expected, trainer.grow(labels, *weights(900), chosen))


@pytest.mark.parametrize("n", [120, 30_000, 40_000, 70_000])  # leaves: 8 bits, 16, as ranks, 32
def test_rows_are_in_the_leaves_where_the_forest_sends_them(n):
    X = np.random.default_rng(0).permutation(n).astype(np.float32)[:, None]
    y = np.random.default_rng(1).random((n, 1))
    geometry, sampler = make_sampler(Axis(), (1,))[:2]
    trainer = _core.Trainer(X, geometry, sampler, 1)
    chosen = options(n_trees=2, criterion="squared_error", bootstrap=False, n_candidates=1)
    arrays = trainer.grow(y, *weights(n), chosen)
    assert (arrays["left"] == 0).sum() == 2 * n
    predictor = _core.Predictor(arrays, geometry, [], False, np.zeros(1))
    assert np.array_equal(predictor.apply(X, 1).T, arrays["leaf_of_row"])


@pytest.mark.parametrize("splitter", ["auto", "exact"])  # codes and values of columns
def test_a_trainer_that_has_freed_its_columns_grows_the_same_forest(splitter):
    X, labels, _ = table(3000, missing=0.1)
    trainer = _core.Trainer(X, *make_sampler(Axis(), (X.shape[1],))[:2], 2)
    settings = options(n_classes=[3], splitter=splitter)
    first = trainer.grow(labels, *weights(len(X)), settings)
    assert_same(first, trainer.grow(labels, *weights(len(X)), settings, last=True))
    assert_same(first, trainer.grow(labels, *weights(len(X)), settings))


@pytest.mark.parametrize("dtype", [np.uint8, np.float32])
@pytest.mark.parametrize("projection", [Axis(), Sporf(), Patches(max_size=2), Rotation()])
def test_trees_that_are_grown_one_by_one_are_those_of_one_call(dtype, projection):
    X, y, _ = table(500, 6, dtype=dtype)
    shape = (2, 3) if isinstance(projection, Patches) else (6,)
    geometry, sampler = make_sampler(projection, shape)[:2]
    trainer = _core.Trainer(X, geometry, sampler, 1)
    settings = {"n_classes": [3], "splitter": "exact"}
    together = trainer.grow(y, *weights(500), options(n_trees=5, **settings))
    for tree in range(5):
        alone = trainer.grow(y, *weights(500), options(first_tree=tree, **settings))
        begin, end = together["tree_offsets"][tree : tree + 2]
        assert np.array_equal(alone["threshold"], together["threshold"][begin:end])
        assert np.array_equal(alone["value"], together["value"][begin:end])
        assert np.array_equal(alone["leaf_of_row"][0], together["leaf_of_row"][tree])


def test_a_trainer_learns_one_target_after_another():
    X, labels, responses = table(800)
    geometry, sampler = make_sampler(Sporf(), (5,))[:2]
    trainer = _core.Trainer(X, geometry, sampler, 2)
    tasks = [
        (labels, {"criterion": "gini", "n_classes": [3]}),
        (responses, {"criterion": "squared_error"}),
        (responses, {"criterion": "absolute_error", "max_depth": 3}),
        (labels, {"criterion": "entropy", "n_classes": [3], "max_leaf_nodes": 9}),
    ]
    for y, settings in tasks + tasks[::-1]:
        fresh = grow(X, y, *weights(800), geometry, sampler, options(n_trees=3, **settings))
        assert_same(trainer.grow(y, *weights(800), options(n_trees=3, **settings)), fresh)


def test_a_call_that_fails_leaves_the_trainer_as_it_was():
    X, y, _ = table(800)
    geometry, sampler = make_sampler(Axis(), (5,))[:2]
    trainer = _core.Trainer(X, geometry, sampler, 2)
    settings = options(n_trees=20, n_classes=[3])
    before = trainer.grow(y, *weights(800), settings)

    def refuse(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        trainer.grow(y, *weights(800), settings, refuse)
    with pytest.raises(ValueError, match="y must have one row per row of X"):
        trainer.grow(y[:-1], *weights(800), settings)
    with pytest.raises(ValueError, match="n_trees must be at least 1"):
        trainer.grow(y, *weights(800), options(n_trees=0, n_classes=[3]))
    assert_same(trainer.grow(y, *weights(800), settings), before)


def test_threads_that_share_a_trainer_wait_for_one_another():
    X, y, _ = table(2000)
    geometry, sampler = make_sampler(Axis(), (5,))[:2]
    trainer = _core.Trainer(X, geometry, sampler, 2)
    expected = {
        seed: grow(X, y, *weights(2000), geometry, sampler, options(seed=seed, n_classes=[3]))
        for seed in range(4)
    }
    found = {}

    def work(seed):
        for _ in range(5):
            found[seed] = trainer.grow(y, *weights(2000), options(seed=seed, n_classes=[3]))

    threads = [threading.Thread(target=work, args=(seed,)) for seed in expected]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for seed, arrays in expected.items():
        assert_same(found[seed], arrays)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_starts_threads_of_its_own():
    X, y, _ = table(500)
    geometry, sampler = make_sampler(Axis(), (5,))[:2]
    trainer = _core.Trainer(X, geometry, sampler, 2)
    settings = options(n_trees=4, n_classes=[3])
    before = trainer.grow(y, *weights(500), settings)
    child = os.fork()
    if child == 0:
        same = False
        try:
            after = trainer.grow(y, *weights(500), settings)
            same = np.array_equal(after["threshold"], before["threshold"])
            del trainer
        finally:
            sys.stdout.flush()
            os._exit(0 if same else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert_same(trainer.grow(y, *weights(500), settings), before)


# --------------------------------------------------------------------- nodes of many rows


@pytest.mark.parametrize("splitter", ["auto", "exact", "histogram", "random"])
@pytest.mark.parametrize("criterion", ["gini", "entropy", "squared_error"])
@pytest.mark.parametrize("missing", [0.0, 0.05])
def test_several_threads_search_a_node_as_one_does(splitter, criterion, missing):
    X, labels, responses = table(LARGE, missing=missing)
    classes = criterion in ("gini", "entropy")
    settings = options(
        criterion=criterion,
        splitter=splitter,
        n_classes=[3] if classes else [],
        n_candidates=5,
        max_depth=3,
    )
    y = labels if classes else responses
    geometry, sampler = make_sampler(Sporf(), (5,))[:2]
    arguments = (y, *weights(LARGE, seed=1), geometry, sampler, settings)
    one = grow(X, *arguments, n_threads=1)
    assert len(one["left"]) > 5
    for n_threads in (2, 5):
        assert_same(grow(X, *arguments, n_threads=n_threads), one)


def test_several_threads_search_bytes_patches_and_medians_as_one_does():
    X, labels, responses = table(LARGE, 16, dtype=np.uint8)
    cases = [
        (Axis(), (16,), labels, {"n_classes": [3]}),
        (Patches(max_size=3), (4, 4), labels, {"n_classes": [3]}),
        (Axis(), (16,), responses, {"criterion": "absolute_error", "n_candidates": 3}),
        (Axis(), (16,), labels, {"n_classes": [3], "max_leaf_nodes": 6, "n_candidates": 16}),
    ]
    for projection, shape, y, extra in cases:
        geometry, sampler = make_sampler(projection, shape)[:2]
        settings = options(max_depth=2, **extra)
        arguments = (y, *weights(LARGE), geometry, sampler, settings)
        assert_same(grow(X, *arguments, n_threads=3), grow(X, *arguments, n_threads=1))


@pytest.mark.parametrize("dtype", [np.uint8, np.float32])
@pytest.mark.parametrize("n_trees", [1, 3])
@pytest.mark.parametrize("honest", [False, True])
def test_several_threads_share_a_rotated_tree(dtype, n_trees, honest):
    X, y, _ = table(LARGE, 12, dtype=dtype)
    geometry, sampler = make_sampler(Rotation(max_dims=8) + Axis(), (12,))[:2]
    settings = options(n_trees=n_trees, n_classes=[3], max_depth=5, honest=honest)
    arguments = (y, *weights(LARGE), geometry, sampler, settings)
    one = grow(X, *arguments)
    assert one["rotations"].shape == (n_trees, 8, 8)
    for n_threads in (2, 4):
        assert_same(grow(X, *arguments, n_threads=n_threads), one)


def test_a_perfect_split_and_constant_candidates_of_a_large_node():
    rng = np.random.default_rng(0)
    X = np.zeros((LARGE, 8), np.float32)
    X[:, 2] = X[:, 5] = rng.integers(0, 2, LARGE)  # both decide all; the rest is constant
    y = X[:, 2].astype(np.int32)[:, None]
    geometry, sampler = make_sampler(Axis(), (8,))[:2]
    chosen = set()
    for seed in range(8):
        settings = options(seed=seed, n_classes=[2], n_candidates=8)
        arguments = (y, *weights(LARGE), geometry, sampler, settings)
        one, four = grow(X, *arguments), grow(X, *arguments, n_threads=4)
        assert_same(one, four)
        assert len(one["left"]) == 3
        chosen.add(int(one["atom_ints"][0]))
    assert chosen == {2, 5}  # the first in the order of the draw


def test_an_interrupt_ends_the_search_of_a_large_node():
    X, y, _ = table(400_000)
    geometry, sampler = make_sampler(Axis(), (5,))[:2]
    trainer = _core.Trainer(X, geometry, sampler, 3)

    def refuse(done, total):
        raise KeyboardInterrupt

    settings = options(n_trees=3, n_classes=[3], n_candidates=5)
    with pytest.raises(KeyboardInterrupt):
        trainer.grow(y, *weights(len(X)), settings, refuse)
    assert len(trainer.grow(y, *weights(len(X)), options(n_classes=[3], max_depth=1))["left"]) == 3


# --------------------------------------------------------------------------- what is refused


def grids():
    geometry = _core.Geometry(6)
    geometry.add_grid([2, 3], [True, True])
    geometry.add_dictionary(np.array([0, 2, 2]), np.array([0, 1], np.int32), np.ones(2, np.float32))
    return geometry


def patches(shape=(2, 3), grid=0, rule="contiguous"):
    ones = [1] * len(shape)
    return _core.patch_sampler(list(shape), grid, [rule] * len(shape), ones, ones, "uniform")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: _core.axis_sampler(7), "draws from 7 features, the geometry has 6"),
        (lambda: _core.axis_sampler(5), "draws from 5 features"),
        (lambda: _core.forest_rc_sampler(7, 2), "draws from 7 features"),
        (lambda: _core.forest_rc_sampler(6, 0), "n_nonzeros must be at least 1, got 0"),
        (lambda: _core.rerf_sampler(7, "paper"), "draws from 7 features"),
        (lambda: _core.sporf_sampler(7, 1.0, "fixed"), "draws from 7 features"),
        (lambda: _core.sporf_sampler(-1, 1.0, "poisson"), "draws from -1 features"),
        (lambda: _core.rotation_sampler(7, 2), "draws from 7 features"),
        (lambda: _core.mean_difference_sampler(5), "draws from 5 features"),
        (lambda: _core.principal_axes_sampler(5, 1, 50), "draws from 5 features"),
        (lambda: patches(grid=1), "no grid 1"),
        (lambda: patches(grid=-1), "no grid -1"),
        (lambda: patches(shape=(3, 2)), "axes are not those of grid 0"),
        (lambda: patches(shape=(6,)), "axes are not those of grid 0"),
        (lambda: patches(rule="free"), "axes are not those of grid 0"),
        (lambda: _core.dictionary_sampler(0, 3), "atoms that the dictionary"),
        (lambda: _core.dictionary_sampler(-1, 1), "atoms that the dictionary"),
        (lambda: _core.dictionary_sampler(2**62, 2**62), "atoms that the dictionary"),
        (lambda: _core.dictionary_sampler(0, 2), "atom 1 of the dictionary has no features"),
        (
            lambda: _core.edge_sampler(np.array([0, 2]), np.array([1, 6], np.int32), 1, 2),
            "an edge is feature 6, the geometry has 6",
        ),
        (
            lambda: _core.sum_sampler([_core.axis_sampler(6), _core.axis_sampler(7)]),
            "draws from 7 features",
        ),
        (lambda: _core.mixture_sampler([_core.axis_sampler(7)], [1.0]), "draws from 7 features"),
        (lambda: _core.mixture_sampler([], []), "at least one part"),
        (lambda: _core.sum_sampler([None]), "parts must not be None"),
    ],
)
def test_a_sampler_of_another_geometry_is_refused(make, message):
    X = np.zeros((10, 6), np.float32)
    with pytest.raises(ValueError, match=message):
        _core.Trainer(X, grids(), make(), 1)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"n_candidates": 0}, "n_candidates must be at least 1"),
        ({"honest": True, "honest_fraction": -1.0}, "honest_fraction must be between 0 and 1"),
        ({"honest": True, "honest_fraction": np.nan}, "honest_fraction must be between 0 and 1"),
        ({"balanced_subsample": True}, "balanced_subsample is for classes"),
    ],
)
def test_options_that_do_not_fit_are_refused(settings, message):
    X, _, values = table(100)
    trainer = _core.Trainer(X, *make_sampler(Axis(), (5,))[:2], 1)
    made = options(criterion="squared_error", **settings)
    with pytest.raises(ValueError, match=message):
        trainer.grow(values, *weights(100), made)


@pytest.mark.parametrize("which", [1, 2])
@pytest.mark.parametrize(
    ("weight", "message"),
    [(np.nan, "at least 0"), (-1.0, "at least 0"), (np.inf, "finite"), (1e308, "finite")],
)
def test_weights_that_are_none_are_refused(which, weight, message):
    X, labels, _ = table(100)
    trainer = _core.Trainer(X, *make_sampler(Axis(), (5,))[:2], 1)
    given = list(weights(100))
    given[which] = np.full(100, weight)
    with pytest.raises(ValueError, match=f"draw_weight and row_weight must .*{message}"):
        trainer.grow(labels, *given, options(n_classes=[3]))


def test_progress_that_calls_its_trainer_gets_an_error():
    X, labels, _ = table(500)
    trainer = _core.Trainer(X, *make_sampler(Axis(), (5,))[:2], 2)
    made = options(n_classes=[3])
    with pytest.raises(RuntimeError, match="progress must not call grow of the trainer"):
        trainer.grow(
            labels, *weights(500), made, lambda *_: trainer.grow(labels, *weights(500), made)
        )
    assert len(trainer.grow(labels, *weights(500), made)["tree_offsets"]) == 2


def test_progress_may_change_its_options_for_later_calls():
    X, labels, _ = table(LARGE)
    trainer = _core.Trainer(X, *make_sampler(Axis(), (5,))[:2], 2)
    made = options(n_classes=[3], n_trees=4)

    def change(_done, _total):
        made.n_trees = 100_000
        made.n_classes = [1]
        made.objective = _core.objective("squared_error")

    assert len(trainer.grow(labels, *weights(LARGE), made, change)["tree_offsets"]) == 5
