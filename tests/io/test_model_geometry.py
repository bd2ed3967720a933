"""What atoms refer to is kept with the trees: no later recipe and no forged file can change it."""

from __future__ import annotations

import copy
import os
import pickle

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse

import manifoldforest as mf
from manifoldforest import _core
from manifoldforest.forests._geometry import (
    pack_geometry,
    same_atoms,
    unpack_geometry,
    used_geometry,
)
from manifoldforest.io._bit_packing import same_bits
from manifoldforest.projections import Axis, Dictionary, GraphBalls, Mixture, Patches
from manifoldforest.views import FromTransformer, Gradients, Spectrum
from reference.forged_files import as_format_2, repacked

RNG = np.random.default_rng(0)
X = RNG.normal(size=(80, 4, 6))
Y = np.digitize(X[:, 0, 0] + X[:, 1, 1], [-0.7, 0.7])
X_NEW = RNG.normal(size=(50, 4, 6))
NEW = ("gradients", "two views")  # than format 2
KINDS = ("gradients", "difference", "spectrum")
RING = sparse.csc_array(np.roll(np.eye(24), 1, axis=1))
WEIGHTS = np.where(RNG.random((24, 300)) < 0.2, RNG.normal(size=(24, 300)), 0) + np.eye(24, 300)
WEIGHTS[0] += 0.1

PROJECTIONS = {
    "patches": Patches(),
    "two grids": Patches() + Patches(contiguous=(False, True)),
    "channels": Patches(wrap=True, channel_axis=-1),
    "balls": GraphBalls(RING),
    "dictionary": Dictionary(WEIGHTS),
    "two dictionaries": Dictionary(WEIGHTS) + GraphBalls(RING),
    "mixture": Mixture([("p", Patches(), 0.5), ("b", GraphBalls(RING), 0.3), ("a", Axis(), 0.2)]),
    "axis": Axis(),
    "gradients": Patches(view=Gradients(4)),
    "two views": Patches(view=Gradients(4)) + Patches(view=Spectrum()) + Patches(view=Gradients(8)),
}


def fitted(projection, n_estimators=5, **params):
    forest = mf.ForestClassifier(n_estimators, projection=projection, random_state=0, **params)
    return forest.fit(X, Y)


def assert_same_geometry(one, other):
    assert one.n_features == other.n_features
    assert one.views == other.views
    assert one.grids == other.grids
    assert all(map(same_bits, one.dictionary, other.dictionary))


def loaded(forest, folder, change=None):
    path = folder / "model.mf"
    forest.save(path)
    if change is not None:
        repacked(path, change)
    return mf.load(path)


# -------------------------------------------------------------- kept with trees


@pytest.mark.parametrize("name", PROJECTIONS)
def test_files_and_pickles_hold_the_geometry(name, tmp_path):
    forest = fitted(PROJECTIONS[name])
    for again in (loaded(forest, tmp_path), pickle.loads(pickle.dumps(forest))):
        assert_same_geometry(again._model.geometry, forest._model.geometry)
        assert_array_equal(again.predict_proba(X_NEW), forest.predict_proba(X_NEW))


def whole_geometry(projection):
    geometry = _core.Geometry(24)
    projection._build(geometry, (4, 6))
    return geometry


def test_only_the_atoms_in_use_are_kept():
    forest = fitted(PROJECTIONS["two dictionaries"])
    trees, kept = forest._model.trees, forest._model.geometry
    used = np.unique(trees["atom_ints"])
    assert set(trees["atom_kind"][trees["left"] != 0]) == {2}
    sizes = np.diff(kept.dictionary[0])
    assert_array_equal(np.flatnonzero(sizes), used)
    assert 0 < len(used) < len(sizes) == 372
    whole = whole_geometry(forest.projection_)
    assert same_atoms(kept, whole)
    assert not same_atoms(whole, kept)
    for atom in used:
        for mine, theirs in zip(kept.dictionary[1:], whole.dictionary[1:], strict=True):
            a, b = kept.dictionary[0][[atom, atom + 1]]
            c, d = whole.dictionary[0][[atom, atom + 1]]
            assert_array_equal(mine[a:b], theirs[c:d])


def test_atoms_are_the_same_only_if_all_of_them_are():
    def geometry(n_features=6, shape=(2, 3), features=(1, 4, 5), weight=2.0, more=0, view=()):
        made = _core.Geometry(n_features)
        if view:
            made.add_view("difference", [6], list(view))
        made.add_grid(list(shape), [True] * len(shape))
        offsets = np.array([0, 2, 3] + [3] * more)
        weights = np.array([1, weight, 1], np.float32)
        made.add_dictionary(offsets, np.array(features, np.int32), weights)
        return made

    assert same_atoms(geometry(), geometry())
    assert same_atoms(geometry(view=(1, 3)), geometry(view=(1, 3)))
    assert not same_atoms(geometry(view=(1, 3)), geometry(view=(2, 3)))
    for other in (
        geometry(n_features=7, shape=(7,)),
        geometry(shape=(3, 2)),
        geometry(features=(4, 1, 5)),
        geometry(weight=2.5),
        geometry(more=1),
        geometry(view=(1, 1)),
    ):
        assert not same_atoms(geometry(), other)
        assert not same_atoms(other, geometry())


def test_dictionaries_in_any_order_come_back_bit_for_bit():
    geometry = _core.Geometry(2**23 - 1)
    features = np.array([5, 3, 3, 2**23 - 2, 0, 7], np.int32)
    weights = np.array([1, -0.0, 3e38, 1e-45, 1, 1], np.float32)
    geometry.add_dictionary(np.array([0, 3, 3, 5, 6]), features, weights)
    again = unpack_geometry(geometry.n_features, *pack_geometry(geometry))
    assert_same_geometry(again, geometry)


def test_a_forest_of_roots_uses_no_atoms(tmp_path):
    forest = fitted(Dictionary(WEIGHTS), min_samples_split=1000)
    assert np.diff(forest._model.geometry.dictionary[0]).tolist() == [0] * 300
    for again in (loaded(forest, tmp_path), pickle.loads(pickle.dumps(forest))):
        assert_same_geometry(again._model.geometry, forest._model.geometry)
        assert_array_equal(again.predict_proba(X_NEW), forest.predict_proba(X_NEW))


def test_a_large_dictionary_takes_few_bytes(tmp_path):
    n = 60  # 3600 nodes, 10 800 balls of 14 nodes on average
    line = sparse.diags([np.ones(n - 1)], offsets=[1], shape=(n, n))
    one = sparse.identity(n)
    grid = sparse.csc_array(sparse.kron(line, one) + sparse.kron(one, line))
    rows = np.random.default_rng(0).normal(size=(100, n * n)).astype(np.float32)
    forest = mf.ForestClassifier(20, projection=GraphBalls(grid), random_state=0)
    forest.fit(rows, rows[:, 0] > 0)
    path = tmp_path / "model.mf"
    forest.save(path)
    with_geometry = os.path.getsize(path)
    repacked(path, as_format_2)
    without = os.path.getsize(path)
    n_splits = int(np.count_nonzero(forest._model.trees["left"]))
    whole = whole_size(grid)
    assert with_geometry - without < 24 * n_splits + 2000 < 0.1 * whole


def whole_size(grid):
    geometry = _core.Geometry(grid.shape[0])
    GraphBalls(grid)._build(geometry, (grid.shape[0],))
    return sum(part.nbytes for part in geometry.dictionary)


@pytest.fixture
def changed_recipe(monkeypatch):
    """A later version that puts balls in another order."""
    from manifoldforest.projections import _graphs

    in_order = _graphs.graph_balls

    def change():
        monkeypatch.setattr(_graphs, "graph_balls", lambda *a: in_order(*a)[:, ::-1])

    return change


@pytest.mark.parametrize("stored", ["file", "pickle", "copy"])
def test_a_changed_recipe_does_not_change_forests_that_are_there(stored, changed_recipe, tmp_path):
    forest = fitted(GraphBalls(RING))
    before = forest.predict_proba(X_NEW)
    importances, atoms = forest.feature_importances_, forest.trees_[0].atoms().toarray()
    forest.save(tmp_path / "model.mf")
    text = pickle.dumps(forest)
    changed_recipe()
    assert (fitted(GraphBalls(RING)).predict_proba(X_NEW) != before).any()
    again = {
        "file": lambda: mf.load(tmp_path / "model.mf"),
        "pickle": lambda: pickle.loads(text),
        "copy": lambda: copy.deepcopy(forest),
    }[stored]()
    assert_array_equal(again.predict_proba(X_NEW), before)
    assert_array_equal(again.feature_importances_, importances)
    assert_array_equal(again.trees_[0].atoms().toarray(), atoms)


def test_a_changed_recipe_stops_a_warm_start(changed_recipe, tmp_path):
    forest = loaded(fitted(GraphBalls(RING), warm_start=True), tmp_path)
    before = forest.predict_proba(X_NEW)
    changed_recipe()
    with pytest.raises(ValueError, match="warm_start must continue with the atoms it began with"):
        forest.set_params(n_estimators=9).fit(X, Y)
    assert_array_equal(forest.predict_proba(X_NEW), before)
    forest.set_params(warm_start=False).fit(X, Y)


@pytest.mark.parametrize("name", ["two dictionaries", "mixture", "two grids"])
def test_a_loaded_forest_can_grow_on(name, tmp_path):
    forest = loaded(fitted(PROJECTIONS[name], warm_start=True), tmp_path)
    forest.set_params(n_estimators=9).fit(X, Y)
    expected = fitted(PROJECTIONS[name], n_estimators=9)
    assert_same_geometry(forest._model.geometry, expected._model.geometry)
    assert_array_equal(forest.predict_proba(X_NEW), expected.predict_proba(X_NEW))


@pytest.mark.parametrize("name", [name for name in PROJECTIONS if name not in NEW])
def test_files_of_format_2_follow_the_recipe(name, tmp_path):
    forest = fitted(PROJECTIONS[name])
    again = loaded(forest, tmp_path, as_format_2)
    assert_same_geometry(again._model.geometry, forest._model.geometry)
    assert_array_equal(again.predict_proba(X_NEW), forest.predict_proba(X_NEW))


# -------------------------------------------------------------------- forgeries


def change_dictionary(array, change):
    return lambda c, a: a.update({f"geometry.{array}": change(a[f"geometry.{array}"])})


def at(place, value):
    def change(array):
        array = array.copy()
        array[place] = value
        return array

    return change


def use_another(used):
    present, absent = np.flatnonzero(used)[0], np.flatnonzero(used == 0)[0]
    return at([present, absent], [0, 1])(used)


def change_view(view):
    return lambda c, a: c["views"].__setitem__(0, view)


FORGERIES = {
    "no grids": ("patches", lambda c, a: c.update(grids=[])),
    "no list of grids": ("patches", lambda c, a: c.pop("grids")),
    "grids that are numbers": ("patches", lambda c, a: c.update(grids=3)),
    "grid without sums": ("patches", lambda c, a: c.update(grids=[[[4, 6]]])),
    "negative shape": ("patches", lambda c, a: c.update(grids=[[[-4, -6], [True, True]]])),
    "another product": ("patches", lambda c, a: c.update(grids=[[[4, 5], [True, True]]])),
    "another shape": ("patches", lambda c, a: c.update(grids=[[[24, 1], [True, True]]])),
    "another sum": ("patches", lambda c, a: c.update(grids=[[[4, 6], [False, False]]])),
    "huge shape": ("patches", lambda c, a: c.update(grids=[[[2**40, 6], [True, True]]])),
    "shape in parts": ("patches", lambda c, a: c.update(grids=[[[4.5, 6], [True, True]]])),
    "endless axes": (
        "patches", lambda c, a: c.update(grids=[[[24] + [1] * 10**5, [False] * (10**5 + 1)]]),
    ),
    "one grid of two": ("two grids", lambda c, a: c["grids"].pop()),
    "grid twice": ("two grids", lambda c, a: c["grids"].append(c["grids"][0])),
    "negative examples": ("patches", lambda c, a: c.update(feature_shape=[-4, -6])),
    "empty examples": ("patches", lambda c, a: c.update(feature_shape=[])),
    "fractional examples": ("patches", lambda c, a: c.update(feature_shape=[4.0, 6.0])),
    "huge examples": ("axis", lambda c, a: c.update(feature_shape=[24, 2**32, 2**32])),
    "examples that overflow to 24": (
        "axis",
        # 24 modulo 2**64
        lambda c, a: c.update(feature_shape=[8, 3 + 2**61]),
    ),
    "no dictionary": ("balls", lambda c, a: [a.pop(n) for n in list(a) if n[:9] == "geometry."]),
    "dictionary of nobody": ("axis", lambda c, a: a.update({
        "geometry.used": np.ones(1, np.uint8), "geometry.sizes": np.ones(1, np.int64),
        "geometry.first": np.ones(1, np.int32), "geometry.gaps": np.zeros(0, np.int32),
    })),
    "no sizes": ("balls", lambda c, a: a.pop("geometry.sizes")),
    "no gaps": ("balls", lambda c, a: a.pop("geometry.gaps")),
    "fewer atoms": ("balls", change_dictionary("used", lambda u: u[:-30])),
    "other atoms": ("dictionary", change_dictionary("used", use_another)),
    "more atoms in use": ("dictionary", change_dictionary("used", lambda u: u | 1)),
    "atoms in two axes": ("balls", change_dictionary("used", lambda u: u[None])),
    "empty atoms": ("balls", change_dictionary("sizes", at(slice(2), [0, 6]))),
    "negative sizes": ("balls", change_dictionary("sizes", at(slice(2), [-1, 7]))),
    "huge sizes": ("balls", change_dictionary("sizes", at(0, 2**40))),
    "sizes that overflow": ("balls", change_dictionary("sizes", at(slice(4), 2**62))),
    "sizes in parts": ("balls", change_dictionary("sizes", lambda s: s * 1.0)),
    "fewer sizes": ("balls", change_dictionary("sizes", lambda s: s[:-1])),
    "features beyond the last": ("balls", change_dictionary("first", at(0, 24))),
    "negative features": ("balls", change_dictionary("first", at(0, -1))),
    "features of another type": ("balls", change_dictionary("first", lambda f: f.astype(np.int64))),
    "steps beyond the last": ("balls", change_dictionary("gaps", at(0, 24))),
    "steps back beyond the first": ("balls", change_dictionary("gaps", at(0, -24))),
    "huge steps": ("balls", change_dictionary("gaps", lambda g: np.full_like(g, 2**31 - 1))),
    "fewer steps": ("balls", change_dictionary("gaps", lambda g: g[:-1])),
    "fewer weights": ("dictionary", change_dictionary("weights", lambda w: w[:-1])),
    "missing weights": ("dictionary", change_dictionary("weights", at(0, np.nan))),
    "infinite weights": ("dictionary", change_dictionary("weights", at(0, np.inf))),
    "weights of another type": (
        "dictionary", change_dictionary("weights", lambda w: w.astype(np.float64)),
    ),
    "atom beyond the last": ("balls", lambda c, a: a["trees.atom_ints"].__setitem__(0, 10**6)),
    "negative atom": ("balls", lambda c, a: a["trees.atom_ints"].__setitem__(0, -1)),
    "grid beyond the last": ("patches", lambda c, a: a["trees.atom_ints"].__setitem__(0, 1)),
    "dictionary atoms that are nowhere": (
        "axis", lambda c, a: a["trees.atom_kind"].__setitem__(slice(None), 2),
    ),
    "no views": ("gradients", lambda c, a: c.pop("views")),
    "views that are numbers": ("gradients", lambda c, a: c.update(views=[1])),
    "view of no kind": ("gradients", change_view(["", [4, 6], [-1, 4, 0]])),
    "view of unknown kind": ("gradients", change_view(["wavelets", [4, 6], [-1, 4, 0]])),
    "view of another shape": ("gradients", change_view(["gradients", [4, 5], [-1, 4, 0]])),
    "view of one axis": ("gradients", change_view(["gradients", [24], [-1, 4, 0]])),
    "view of no axis": ("gradients", change_view(["spectrum", [], []])),
    "negative view": ("gradients", change_view(["gradients", [-4, -6], [-1, 4, 0]])),
    "view that overflows": ("gradients", change_view(["gradients", [2**16] * 4, [-1, 4, 0]])),
    "huge view": ("gradients", change_view(["gradients", [2**40, 6], [-1, 4, 0]])),
    "fewer orientations": ("gradients", change_view(["gradients", [4, 6], [-1, 3, 0]])),
    "no orientations": ("gradients", change_view(["gradients", [4, 6], [-1, 0, 0]])),
    "huge orientations": ("gradients", change_view(["gradients", [4, 6], [-1, 2**31 - 1, 0]])),
    "channel axis of no channels": ("gradients", change_view(["gradients", [4, 6], [0, 4, 0]])),
    "channel axis beyond the last": (
        "gradients", change_view(["gradients", [4, 3, 2], [3, 4, 0]]),
    ),
    "fewer numbers": ("gradients", change_view(["gradients", [4, 6], [-1, 4]])),
    "numbers in parts": ("gradients", change_view(["gradients", [4, 6], [-1, 4.5, 0]])),
    "differences of order 0": ("gradients", change_view(["difference", [4, 6], [0, 1]])),
    "differences of all": ("gradients", change_view(["difference", [24], [24, 1]])),
    "even smoothing": ("gradients", change_view(["difference", [4, 24], [1, 2]])),
    "columns of code": ("gradients", change_view(["columns", [4, 4, 6], [0]])),
    "columns after others": ("gradients", change_view(["columns", [4, 4, 6], [7]])),
    "view twice": ("two views", lambda c, a: c["views"].append(c["views"][0])),
    "one view fewer": ("two views", lambda c, a: c["views"].pop()),
    "views in another order": ("two views", lambda c, a: c["views"].reverse()),
    "grid on no view": ("gradients", lambda c, a: c["grids"][0].pop()),
    "grid on a view beyond the last": ("gradients", lambda c, a: c["grids"][0].__setitem__(2, 1)),
    "grid on a negative view": ("gradients", lambda c, a: c["grids"][0].__setitem__(2, -2)),
    "grid on two views": ("gradients", lambda c, a: c["grids"][0].append(0)),
    "endless views": (
        "gradients",
        lambda c, a: c["views"].extend(["difference", [24], [1, 2 * k + 1]] for k in range(2000)),
    ),
}  # fmt: skip


@pytest.mark.parametrize("forgery", FORGERIES)
def test_forged_geometry_is_refused(forgery, tmp_path):
    name, change = FORGERIES[forgery]
    forest = fitted(PROJECTIONS[name])
    again = loaded(forest, tmp_path, lambda content, arrays: None)
    assert_array_equal(again.predict_proba(X_NEW), forest.predict_proba(X_NEW))
    with pytest.raises(mf.ModelFileError):
        loaded(forest, tmp_path, change)


def test_only_a_pickle_holds_columns_that_python_computes():
    forest = fitted(Patches(view=FromTransformer(np.tanh)))
    again = pickle.loads(pickle.dumps(forest))
    assert_same_geometry(again._model.geometry, forest._model.geometry)
    assert again._model.geometry.row_width == 48


def changed_number(rng, grids):
    """Change one number or answer of a list of grids, or how many there are of something."""
    pair = grids[rng.integers(len(grids))]
    numbers = pair[rng.integers(len(pair) - 2, len(pair)) if pair[0] in KINDS else rng.integers(2)]
    if not numbers:
        numbers.append(0)
    at = rng.integers(len(numbers))
    what = rng.integers(5)
    if what == 0:
        numbers[at] = int(rng.choice([-(2**63), -1, 0, 1, 2, 3, 4, 6, 8, 12, 24, 2**31, 2**70]))
    elif what == 1:
        numbers[at] = rng.choice([True, False]).item()
    elif what == 2:
        numbers.insert(at, 1)
    elif what == 3:
        numbers.pop(at)
    else:
        grids.insert(rng.integers(len(grids) + 1), copy.deepcopy(pair))


@pytest.mark.parametrize(
    "name", ["patches", "two grids", "channels", "mixture", "gradients", "two views"]
)
def test_forged_grids_and_views_are_refused_or_harmless(name, tmp_path):
    path = tmp_path / "model.mf"
    fitted(PROJECTIONS[name]).save(path)
    whole = path.read_bytes()
    rng = np.random.default_rng(0)

    def forge(content, arrays):
        for _ in range(rng.integers(1, 4)):
            changed_number(
                rng, content[rng.choice([n for n in ("views", "grids") if n in content])]
            )

    n_refused = 0
    for _ in range(100):
        path.write_bytes(whole)
        try:
            repacked(path, forge)
            forest = mf.load(path)
        except mf.ModelFileError:
            n_refused += 1
            continue
        assert np.isfinite(forest.predict_proba(X_NEW)).all()
        assert np.isfinite(forest.feature_importances_).all()
        if not forest.view_importances_:
            forest.trees_[0].atoms()
    assert n_refused > 50


def test_a_small_file_cannot_ask_for_many_atoms(tmp_path):
    """There is a bit in the file for each atom, whether it is used or not."""

    def claim(content, arrays):
        arrays["geometry.used"] = np.r_[arrays["geometry.used"], np.zeros(10**6, np.uint8)]

    path = tmp_path / "model.mf"
    fitted(GraphBalls(RING)).save(path)
    before = os.path.getsize(path)
    repacked(path, claim)
    mf.load(path)
    assert os.path.getsize(path) > before + 10**6 // 8 - 100


def test_geometry_without_a_dictionary_is_not_copied():
    geometry = whole_geometry(Patches())
    assert used_geometry(geometry, fitted(Patches())._model.trees) is geometry
