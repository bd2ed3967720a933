"""Model files: the same forest comes back, equal forests are equal files, damage is noticed."""

from __future__ import annotations

import os
import pickle

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from safetensors.numpy import load_file, save_file
from scipy import sparse

import manifoldforest as mf
from manifoldforest.projections import (
    Axis,
    Dictionary,
    GraphBalls,
    MeanDifference,
    Mixture,
    Patches,
    Rotation,
    Sporf,
)
from reference.forged_files import as_format_2, repacked, rewritten


def small_data(n=60, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4, 3))
    return X, np.digitize(X[:, 0, 0] + X[:, 1, 1], [-0.7, 0.7])


X, Y = small_data()
X_NEW, _ = small_data(seed=1)


def classifier(**params):
    return mf.ForestClassifier(**({"n_estimators": 5, "random_state": 0} | params))


def saved(forest, folder, name="model.mf"):
    path = folder / name
    forest.save(path)
    return path


RING = sparse.csc_array(np.roll(np.eye(12), 1, axis=1))
FORESTS = {
    "default": classifier(),
    "patches": classifier(projection=Patches(min_size=1, max_size=(2, 3), placement="corner")),
    "rotation": classifier(projection=Rotation()),
    "dictionary": classifier(projection=Dictionary(np.eye(12)[:, :5])),
    "graph": classifier(projection=GraphBalls(RING)),
    "sum": classifier(projection=Sporf(2.0) + MeanDifference()),
    "mixture": classifier(projection=Mixture([("a", Axis(), 0.5), ("p", Patches(), 0.5)])),
    "ranks": classifier(ranks=True),
    "honest": classifier(honest=True, empty_leaf="ignore"),
    "hard votes": classifier(voting="hard", criterion="entropy"),
    "class weights": classifier(class_weight={0: 1.0, 1: 2.5, 2: 1}),
    "balanced": classifier(class_weight="balanced_subsample"),
    "no samples": classifier(keep_samples=False),
    "out of bag": classifier(n_estimators=40, oob_score=True),
    "numpy parameters": classifier(max_depth=np.int64(3), random_state=np.int32(3)),
}


@pytest.mark.parametrize("name", FORESTS)
def test_a_classifier_comes_back_as_it_was(name, tmp_path):
    forest = FORESTS[name].fit(X, Y)
    again = mf.load(saved(forest, tmp_path))
    assert type(again) is mf.ForestClassifier
    assert again.get_params(deep=False) == forest.get_params(deep=False)
    assert_array_equal(again.predict_proba(X_NEW), forest.predict_proba(X_NEW))
    assert_array_equal(again.predict(X_NEW), forest.predict(X_NEW))
    assert again.classes_.dtype == forest.classes_.dtype
    assert again.feature_shape_ == (4, 3)
    assert again.n_features_in_ == 12
    assert again.n_outputs_ == 1
    assert again.describe() == forest.describe()
    assert_array_equal(again.feature_importances_, forest.feature_importances_)
    if name != "no samples":
        assert (again.forest_weights(X_NEW) != forest.forest_weights(X_NEW)).nnz == 0
    if name == "out of bag":
        assert again.oob_score_ == forest.oob_score_
        assert again.oob_skipped_ == forest.oob_skipped_
        assert_array_equal(again.oob_decision_function_, forest.oob_decision_function_)
    # and once more: nothing is lost on the way
    assert saved(again, tmp_path, "again.mf").read_bytes() == (tmp_path / "model.mf").read_bytes()


def test_all_fitted_attributes_come_back(tmp_path):
    for forest in (
        classifier(n_estimators=40, oob_score=True, ranks=True).fit(X, np.stack([Y, Y > 0], 1)),
        mf.ForestRegressor(40, oob_score=True, random_state=0).fit(X, Y),
    ):
        again = mf.load(saved(forest, tmp_path))
        assert vars(again).keys() == vars(forest).keys()


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error"])
def test_a_regressor_comes_back_as_it_was(criterion, tmp_path):
    y = np.stack([X[:, 0, 0], X[:, 1, 0]], axis=1)
    forest = mf.ForestRegressor(5, criterion=criterion, random_state=0).fit(X, y)
    again = mf.load(saved(forest, tmp_path))
    assert_array_equal(again.predict(X_NEW), forest.predict(X_NEW))
    assert_array_equal(again.predict_interval(X_NEW), forest.predict_interval(X_NEW))


@pytest.mark.parametrize(
    "labels",
    [
        np.array(["left", "middle", "right"]),
        np.array(["left", "middle", "right"], dtype=object),
        np.array([0.0, 1.0, 5.0]),
        np.array([3, 5, 9], dtype=np.uint8),
        np.array([-5, 0, 2**40]),
    ],
)
def test_labels_come_back(labels, tmp_path):
    forest = classifier().fit(X, labels[Y])
    again = mf.load(saved(forest, tmp_path))
    assert again.classes_.dtype == labels.dtype
    assert_array_equal(again.predict(X_NEW), forest.predict(X_NEW))


def test_labels_that_cannot_be_stored_are_refused(tmp_path):
    dates = np.array(["2001-01-01", "2002-02-02", "2003-03-03"], dtype="datetime64[D]")
    forest = classifier().fit(X, dates[Y])
    with pytest.raises(TypeError, match="labels must be numbers or strings"):
        forest.save(tmp_path / "model.mf")
    assert os.listdir(tmp_path) == []


def test_feature_names_and_several_label_columns_come_back(tmp_path):
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame(X.reshape(60, -1), columns=[f"f{j}" for j in range(12)])
    y = pandas.DataFrame({"word": np.array(["a", "b", "c"])[Y], "number": Y})
    forest = classifier().fit(table, y)
    again = mf.load(saved(forest, tmp_path))
    assert_array_equal(again.feature_names_in_, forest.feature_names_in_)
    assert_array_equal(again.predict(table), forest.predict(table))


def test_a_projection_that_was_changed_after_fit_comes_back(tmp_path):
    forest = classifier(projection=Patches(max_size=2)).fit(X, Y)
    forest.set_params(projection__max_size=3)
    again = mf.load(saved(forest, tmp_path))
    assert again.projection == Patches(max_size=3)
    assert again.projection_ == Patches(max_size=2)
    assert_array_equal(again.predict_proba(X_NEW), forest.predict_proba(X_NEW))


def test_a_loaded_forest_can_grow_on(tmp_path):
    forest = classifier(warm_start=True).fit(X, Y)
    again = mf.load(saved(forest, tmp_path)).set_params(n_estimators=9).fit(X, Y)
    expected = classifier(n_estimators=9).fit(X, Y)
    assert_array_equal(again.predict_proba(X_NEW), expected.predict_proba(X_NEW))
    dropped = classifier(warm_start=True, keep_samples=False).fit(X, Y)
    again = mf.load(saved(dropped, tmp_path)).set_params(n_estimators=9)
    with pytest.raises(ValueError, match="number of rows"):
        again.fit(X[:-1], Y[:-1])


# -------------------------------------------------------------- equal files


@pytest.mark.parametrize("projection", ["sporf", "patches", "rotation"])
def test_equal_forests_are_equal_files_for_any_number_of_threads(projection, tmp_path):
    files = []
    for n_jobs in (1, 2, 8):
        forest = classifier(n_estimators=12, projection=projection, n_jobs=n_jobs).fit(X, Y)
        files.append(saved(forest, tmp_path, f"{n_jobs}.mf").read_bytes())
    assert files[0] == files[1] == files[2]
    other = classifier(n_estimators=12, projection=projection, random_state=1).fit(X, Y)
    assert saved(other, tmp_path).read_bytes() != files[0]


def test_files_hold_neither_threads_nor_verbosity_nor_generators(tmp_path):
    forest = classifier(n_jobs=2, random_state=np.random.RandomState(0), verbose=1)
    forest.set_params(n_estimators=40, oob_score=lambda truth, prediction: 0.5).fit(X, Y)
    again = mf.load(saved(forest, tmp_path))
    assert again.n_jobs is None
    assert again.verbose == 0
    assert again.random_state is None
    assert again.oob_score is True
    assert again.oob_score_ == 0.5


def test_pickles_and_files_say_the_same(tmp_path):
    forest = classifier().fit(X, Y)
    again = pickle.loads(pickle.dumps(forest))
    assert saved(again, tmp_path, "a.mf").read_bytes() == saved(forest, tmp_path).read_bytes()


# ------------------------------------------------------------------- damage


def test_damage_anywhere_is_noticed(tmp_path):
    path = saved(classifier(n_estimators=2, max_depth=2).fit(X, Y), tmp_path)
    whole = path.read_bytes()
    rng = np.random.default_rng(0)
    places = np.unique(np.r_[0:64, rng.integers(0, len(whole), size=400)])
    for place in places:
        damaged = bytearray(whole)
        damaged[place] ^= 1 << rng.integers(8)
        path.write_bytes(damaged)
        with pytest.raises(mf.ModelFileError):
            mf.load(path)


def test_truncated_files_are_refused(tmp_path):
    path = saved(classifier(n_estimators=2, max_depth=2).fit(X, Y), tmp_path)
    whole = path.read_bytes()
    for length in (0, 1, 8, 100, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:length])
        with pytest.raises(mf.ModelFileError):
            mf.load(path)
    path.write_bytes(whole + b"\0")
    with pytest.raises(mf.ModelFileError):
        mf.load(path)


def test_foreign_files_are_refused(tmp_path):
    path = tmp_path / "foreign"
    save_file({"weights": np.ones(3)}, path)
    with pytest.raises(mf.ModelFileError, match="not a model file"):
        mf.load(path)
    for content in (b"", b"hello", pickle.dumps(classifier().fit(X, Y)), bytes(1000)):
        path.write_bytes(content)
        with pytest.raises(mf.ModelFileError):
            mf.load(path)
    assert issubclass(mf.ModelFileError, ValueError)
    with pytest.raises(FileNotFoundError):
        mf.load(tmp_path / "absent")


def test_paths_may_be_bytes_but_not_open_files(tmp_path):
    forest = classifier().fit(X, Y)
    path = os.fsencode(tmp_path / "model.mf")
    forest.save(path)
    assert_array_equal(mf.load(path).predict(X_NEW), forest.predict(X_NEW))
    with pytest.raises(TypeError, match="path must be a string or path-like, got 3"):
        mf.load(3)
    with pytest.raises(TypeError, match="path must be a string or path-like, got None"):
        forest.save(None)


def test_a_folder_that_does_not_exist_is_named(tmp_path):
    path = tmp_path / "absent" / "model.mf"
    with pytest.raises(FileNotFoundError) as caught:
        classifier().fit(X, Y).save(path)
    assert caught.value.filename == str(path)


def test_subclasses_are_refused(tmp_path):
    class Mine(mf.ForestClassifier):
        pass

    class ForestClassifier(mf.ForestClassifier):
        pass

    for kind in (Mine, ForestClassifier):
        forest = kind(2, random_state=0).fit(X, Y)
        with pytest.raises(TypeError, match=f"itself to be stored, got .* {kind.__name__}"):
            forest.save(tmp_path / "model.mf")
    assert os.listdir(tmp_path) == []


def with_children(arrays, node, left):
    """Store children explicitly: those of trees that grew depth first follow from their shape."""
    trees = classifier(projection="axis").fit(X, Y)._model.trees
    children = trees["left"].copy()
    children[node] = left
    arrays["trees.left"] = children[trees["left"] != 0]


FORGERIES = {
    "newer version": lambda c, a: c.update(format_version=6),
    "older version": lambda c, a: c.update(format_version=1),
    "version in words": lambda c, a: c.update(format_version="4"),
    "version between two": lambda c, a: c.update(format_version=2.5),
    "unknown class": lambda c, a: c.update({"class": "os.system"}),
    "unknown parameter": lambda c, a: c["params"].update(command="rm"),
    "bad parameter": lambda c, a: c["params"].update(n_estimators=-1),
    "unknown projection": lambda c, a: c["projection"].update({"class": "Popen"}),
    "another shape": lambda c, a: c.update(feature_shape=[2, 2]),
    "missing array": lambda c, a: a.pop("trees.threshold"),
    "child before its parent": lambda c, a: with_children(a, 1, 1),
    "child outside of the tree": lambda c, a: with_children(a, 0, 10**6),
    "child of two parents": lambda c, a: with_children(a, 0, 3),
    "shifted trees": lambda c, a: a["trees.tree_sizes"].__setitem__(1, 10**6),
    "leaf that is split": lambda c, a: a["trees.inner"].__setitem__(-1, 1),
    "shifted atoms": lambda c, a: a["trees.atom_sizes"].__setitem__(1, 10**6),
    "shifted weights": lambda c, a: a["trees.weight_sizes"].__setitem__(1, 2),
    "feature that does not exist": lambda c, a: a["trees.atom_ints"].__setitem__(0, 10**6),
    "rows outside of the trees": lambda c, a: a["trees.leaf_rank_of_row"].__setitem__(
        (0, 0), 10**6
    ),
    "rows outside of the trees, not ranked": lambda c, a: a.update(
        {"trees.leaf_of_row": a.pop("trees.leaf_rank_of_row") + 10**6}
    ),
    "rows drawn in part": lambda c, a: a.update({"trees.inbag": a["trees.inbag"] + 0.5}),
    "training rows of no class": lambda c, a: a["record.y"].__setitem__(0, 3),
    "fractional classes": lambda c, a: a.update({"record.y": a["record.y"] + 0.5}),
    "no responses": lambda c, a: a.pop("record.y"),
    "fewer responses": lambda c, a: a.update({"record.y": a["record.y"][:-1]}),
    "fewer weights": lambda c, a: a.update({"record.row_weight": a["record.row_weight"][:-1]}),
    "negative weights": lambda c, a: a["record.row_weight"].__setitem__(0, -1.0),
    "missing weights": lambda c, a: a["record.total_weight"].__setitem__(0, np.nan),
    "no weights": lambda c, a: a.update({"record.total_weight": np.zeros(60)}),
    "rows drawn less often than never": lambda c, a: a["trees.inbag"].__setitem__((0, 0), -1),
    "rows drawn minus 100 times": lambda c, a: a["trees.inbag"].__setitem__((0, 0), -100),
    "unknown rule for empty leaves": lambda c, a: c.update(empty_leaf="burn"),
    "forgotten training rows": lambda c, a: c.update(record=None),
    "class that does not exist": lambda c, a: a["trees.columns"].__setitem__(0, 3),
    "more rows than there are": lambda c, a: a["trees.present"].__setitem__(0, 10**6),
    "fewer counts": lambda c, a: a.update({"trees.counts": a["trees.counts"][:-1]}),
    "unknown kind of node": lambda c, a: a["trees.kind"].__setitem__(0, 2),
    "too many labels": lambda c, a: a.update({"labels.0": np.arange(9)}),
    "another kind of number": lambda c, a: a.update(
        {"trees.threshold": a["trees.threshold"].astype(np.float32)}
    ),
    "labels in wide texts": lambda c, a: c.update(
        labels=[{"dtype": "<U500000000", "values": ["a", "b", "c"]}]
    ),
    "labels in bytes": lambda c, a: c.update(
        labels=[{"dtype": "|S500000000", "values": ["a", "b", "c"]}]
    ),
}


@pytest.mark.parametrize("forgery", FORGERIES)
def test_forged_files_are_refused(forgery, tmp_path):
    path = saved(classifier(projection="axis").fit(X, Y), tmp_path)
    repacked(path, lambda content, arrays: None)
    assert_array_equal(mf.load(path).predict(X), classifier(projection="axis").fit(X, Y).predict(X))
    repacked(path, FORGERIES[forgery])
    with pytest.raises(mf.ModelFileError):
        mf.load(path)


def test_classes_balanced_in_a_regressor_are_refused(tmp_path):
    path = saved(mf.ForestRegressor(3, random_state=0).fit(X, Y), tmp_path)
    repacked(path, lambda c, a: c["record"].update(balanced=True))
    with pytest.raises(mf.ModelFileError, match="balanced where there are none"):
        mf.load(path)


def test_rows_of_honest_trees_drawn_less_often_than_never_are_refused(tmp_path):
    path = saved(classifier(honest=True).fit(X, Y), tmp_path)
    repacked(path, lambda c, a: a["trees.inbag"].__setitem__((0, 0), -2))
    with pytest.raises(mf.ModelFileError, match="less often than never"):
        mf.load(path)


RANK_FORGERIES = {
    "counts with two axes": lambda a: a.update(counts_=np.ones((1, 12)) * a["counts_"][:, None]),
    "values with two axes": lambda a: a.update(values_=a["values_"][:, None]),
    "fewer ranks": lambda a: a.update(ranks_=a["ranks_"][:-1]),
    "fewer features": lambda a: a.update(counts_=a["counts_"][:-1], offsets_=a["offsets_"][:-1]),
    "more features": lambda a: a.update(
        counts_=np.r_[a["counts_"], 1.0], offsets_=np.r_[a["offsets_"], a["offsets_"][-1]]
    ),
    "offsets that end early": lambda a: a["offsets_"].__setitem__(-1, 5),
    "offsets that go back": lambda a: a["offsets_"].__setitem__(3, 10**6),
    "negative offsets": lambda a: a["offsets_"].__setitem__(0, -1),
    "fractional offsets": lambda a: a.update(offsets_=a["offsets_"] + 0.0),
    "values in single precision": lambda a: a.update(values_=a["values_"].astype(np.float32)),
    "missing values": lambda a: a["values_"].__setitem__(3, np.nan),
    "values in disorder": lambda a: a["values_"].__setitem__(3, a["values_"][2]),
    "ranks in disorder": lambda a: a["ranks_"].__setitem__(3, 0.0),
    "infinite counts": lambda a: a["counts_"].__setitem__(0, np.inf),
}


@pytest.mark.parametrize("forgery", RANK_FORGERIES)
def test_forged_ranks_are_refused(forgery, tmp_path):
    path = saved(classifier(ranks=True).fit(X, Y), tmp_path)

    def forge(content, arrays):
        names = [name for name in arrays if name.startswith("ranks.")]
        ranks = {name.removeprefix("ranks."): arrays[name] for name in names}
        RANK_FORGERIES[forgery](ranks)
        arrays.update({f"ranks.{name}": array for name, array in ranks.items()})

    repacked(path, lambda content, arrays: None)
    mf.load(path)
    repacked(path, forge)
    with pytest.raises(mf.ModelFileError):
        mf.load(path)


@pytest.mark.parametrize("missing", [False, True])
def test_ranks_of_columns_without_values_come_back(missing, tmp_path):
    rows = X.reshape(60, 12).copy()
    rows[:, 4] = np.nan if missing else 1.0
    rows[:, [0, 11]] = np.nan
    forest = classifier(ranks=True).fit(rows, Y)
    again = mf.load(saved(forest, tmp_path))
    assert_array_equal(again.predict_proba(rows), forest.predict_proba(rows))


@pytest.mark.parametrize("version", [2, 3])
def test_files_with_huge_radii_are_read_at_once(version, tmp_path):
    forest = classifier(projection=GraphBalls(RING, radius=12)).fit(X, Y)
    path = saved(forest, tmp_path)
    if version == 2:
        repacked(path, as_format_2)

    def enlarge(content, arrays):
        content["projection"]["params"]["radius"] = 10**9
        content["param_projection"] = "axis"

    repacked(path, enlarge)
    assert_array_equal(mf.load(path).predict(X), forest.predict(X))

    def enlarge_range(content, arrays):
        content["projection"]["params"]["radius"] = {"tuple": [0, 10**9]}

    repacked(path, enlarge_range)
    mf.load(path)  # 13 radii for each of 12 nodes


DENSE_FORGERIES = {
    "fill values that are not there": lambda c, a: a.pop("fill_values"),
    "fill values that are missing": lambda c, a: a["fill_values"].__setitem__(0, np.nan),
    "fewer fill values": lambda c, a: a.update(fill_values=a["fill_values"][:-1]),
    "fill values in double precision": lambda c, a: a.update(
        fill_values=a["fill_values"].astype(np.float64)
    ),
}


@pytest.mark.parametrize("forgery", DENSE_FORGERIES)
def test_forged_fill_values_are_refused(forgery, tmp_path):
    path = saved(classifier(projection="rotation").fit(X, Y), tmp_path)
    repacked(path, DENSE_FORGERIES[forgery])
    with pytest.raises(mf.ModelFileError, match="values of missing entries"):
        mf.load(path)


def test_fill_values_that_nothing_needs_are_refused(tmp_path):
    path = saved(classifier(projection="axis").fit(X, Y), tmp_path)
    repacked(path, lambda c, a: a.update(fill_values=np.zeros(12, np.float32)))
    with pytest.raises(mf.ModelFileError, match="values of missing entries"):
        mf.load(path)


def test_other_versions_are_named(tmp_path):
    path = saved(classifier().fit(X, Y), tmp_path)
    repacked(path, FORGERIES["older version"])
    with pytest.raises(mf.ModelFileError, match="has the format 1, expected one from 2 to 5"):
        mf.load(path)
    path = saved(classifier().fit(X, Y), tmp_path)
    repacked(path, lambda c, a: c.update(format_version=6, package_version="9.1"))
    with pytest.raises(mf.ModelFileError, match=r"by a newer version of manifoldforest \(9.1\)"):
        mf.load(path)


NOVELTIES = {
    "class": (lambda c, a: c.update({"class": "BoostedForest"}), "got a 'BoostedForest'"),
    "parameter": (lambda c, a: c["params"].update(new=3), "written by version 9.1 .* 'new'"),
    "projection": (
        lambda c, a: c["projection"].update({"class": "Waves"}),
        "written by version 9.1 .* 'Waves'",
    ),
    "kind of nodes": (
        lambda c, a: a["trees.kind"].__setitem__(0, 2),
        "written by version 9.1 .* kind 2, a split by a set of categories",
    ),
    "kind of atoms": (
        lambda c, a: a["trees.atom_kind"].__setitem__(0, 99),
        "written by version 9.1 .* unknown kind",
    ),
}


@pytest.mark.parametrize("novelty", NOVELTIES)
def test_what_a_later_version_adds_is_refused_by_name(novelty, tmp_path):
    change, message = NOVELTIES[novelty]
    path = saved(classifier().fit(X, Y), tmp_path)
    repacked(path, lambda c, a: (c.update(package_version="9.1"), change(c, a)))
    with pytest.raises(mf.ModelFileError, match=message):
        mf.load(path)


def test_keys_and_arrays_that_no_answer_needs_may_be_added(tmp_path):
    forest = classifier().fit(X, Y)
    path = saved(forest, tmp_path)
    whole = path.read_bytes()
    repacked(path, lambda c, a: (c.update(comment="new"), a.update(curve=np.arange(3.0))))
    again = mf.load(path)
    assert_array_equal(again.predict_proba(X_NEW), forest.predict_proba(X_NEW))
    assert saved(again, tmp_path, "again.mf").read_bytes() == whole


def test_parameters_that_a_file_lacks_have_their_defaults(tmp_path):
    path = saved(classifier(min_balance=0.1).fit(X, Y), tmp_path)
    repacked(path, lambda c, a: c["params"].pop("min_balance"))
    assert mf.load(path).min_balance == mf.ForestClassifier().min_balance


TENSOR_FORGERIES = {
    "tensor that is not described": lambda c, t: c["arrays"].pop("trees.gain"),
    "described tensor that is not there": lambda c, t: t.pop("trees.gain"),
    "tensors without descriptions": lambda c, t: c.pop("arrays"),
    "tensor cut off": lambda c, t: t.update({"trees.inner": t["trees.inner"][:-1]}),
    "tensor of another type": lambda c, t: t.update(
        {"trees.inner": t["trees.inner"].view(np.int8)}
    ),
    "no bits": lambda c, t: c["arrays"]["trees.inner"].update(bits=0),
    "more nodes than memory": lambda c, t: c["arrays"]["trees.inner"].update(shape=[10**15]),
    "more rows than memory": lambda c, t: c["arrays"]["trees.inbag"].update(shape=[5, 10**15]),
    "a type of endless texts": lambda c, t: c["arrays"]["trees.gain"].update(dtype="U1000000000"),
}


@pytest.mark.parametrize("forgery", TENSOR_FORGERIES)
def test_forged_tensors_are_refused(forgery, tmp_path):
    path = saved(classifier().fit(X, Y), tmp_path)
    rewritten(path, TENSOR_FORGERIES[forgery])
    with pytest.raises(mf.ModelFileError):
        mf.load(path)


def test_small_files_cannot_ask_for_large_memory(tmp_path):
    def claim_more_classes(content, arrays):
        arrays["labels.0"] = np.arange(10**5)
        arrays["fallback"] = np.zeros(10**5)

    path = saved(classifier(keep_samples=False).fit(X, Y), tmp_path)
    repacked(path, claim_more_classes)
    with pytest.raises(mf.ModelFileError, match="more memory than such a file may ask for"):
        mf.load(path)


def swap_some_bits(rng, tensors):
    for _ in range(rng.integers(1, 4)):
        tensor = tensors[rng.choice(sorted(name for name in tensors if tensors[name].nbytes))]
        tensor.reshape(-1).view(np.uint8)[rng.integers(tensor.nbytes)] ^= 1 << rng.integers(8)


def change_a_number(rng, described):
    description = described[rng.choice(sorted(described))]
    key = rng.choice(["bits", "low", "halves", "shape", "dtype"])
    if key == "dtype":
        description[key] = str(rng.choice(["int8", "int32", "int64", "uint8", "float32", "bool"]))
    elif key == "shape":
        description[key] = [int(n * rng.choice([0, 1, 2, 10**12])) for n in description[key]]
    else:
        description[key] = int(rng.choice([0, 1, 2, 3, 8, 31, 32, -(2**53), 2**53]))


FUZZED = {
    "depth first": classifier(),
    "best first": classifier(max_leaf_nodes=7),
    "patches": classifier(projection="patches"),
    "rotation": classifier(projection="rotation"),
    "dictionary": classifier(projection=Dictionary(np.triu(np.ones((12, 12))) * 1.25)),
    "balls": classifier(projection=GraphBalls(RING)),
    "weighted": classifier(class_weight="balanced_subsample"),
    "honest": classifier(honest=True, empty_leaf="uniform"),
    "regression": mf.ForestRegressor(5, random_state=0),
}


def assert_trees(flat):
    """One path leads to each node, and training rows lie in nodes of their trees."""
    sizes = np.diff(flat["tree_offsets"])
    for t, size in enumerate(sizes):
        left = flat.tree(t)["left"]
        children = left[left != 0]
        assert sorted([0, *children, *(children + 1)]) == list(range(size))
        assert (left[left != 0] > np.flatnonzero(left)).all()
    if flat.has_samples:
        assert ((flat["leaf_of_row"] >= 0) & (flat["leaf_of_row"] < sizes[:, None])).all()


@pytest.mark.filterwarnings("ignore")  # what strange numbers make NumPy say
@pytest.mark.parametrize("name", FUZZED)
def test_forged_bits_are_refused_or_harmless(name, tmp_path):
    path = saved(FUZZED[name].fit(X, Y), tmp_path)
    whole = path.read_bytes()
    rng = np.random.default_rng(0)

    def forge(content, tensors):
        if rng.random() < 0.7:
            swap_some_bits(rng, tensors)
        else:
            change_a_number(rng, content["arrays"])

    loaded = 0
    for _ in range(150):
        path.write_bytes(whole)
        rewritten(path, forge)
        try:
            forest = mf.load(path)
        except mf.ModelFileError:
            continue
        loaded += 1
        assert_trees(forest._model.trees)
        assert len(forest.predict(X_NEW)) == len(X_NEW)
        assert forest.apply(X_NEW).shape == (len(X_NEW), 5)
        assert forest.describe()
    assert 0 < loaded < 150


@pytest.mark.parametrize("projection", ["axis", "rotation"])
def test_files_without_trees_are_refused(projection, tmp_path):
    def fell(content, arrays):
        for name, array in arrays.items():
            if name.startswith("trees."):
                arrays[name] = array[:0]

    def fell_all_but_the_rotations(content, arrays):
        rotations = {n: a for n, a in arrays.items() if n.startswith("trees.rotation")}
        fell(content, arrays)
        arrays |= rotations

    for change in (fell, fell_all_but_the_rotations):
        path = saved(classifier(projection=projection).fit(X, Y), tmp_path)
        repacked(path, change)
        with pytest.raises(mf.ModelFileError, match="must have trees"):
            mf.load(path)


# -------------------------------------------------------------------- atomic


def test_a_failed_save_leaves_the_old_file(tmp_path, monkeypatch):
    forest = classifier().fit(X, Y)
    path = saved(forest, tmp_path)
    before = path.read_bytes()

    def fail(*arguments):
        raise OSError("disk full")

    monkeypatch.setattr("os.fsync", fail)
    with pytest.raises(OSError, match="disk full"):
        classifier(random_state=1).fit(X, Y).save(path)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["model.mf"]


def test_files_have_ordinary_access_rights(tmp_path):
    path = saved(classifier().fit(X, Y), tmp_path)
    (tmp_path / "ordinary").touch()
    assert path.stat().st_mode == (tmp_path / "ordinary").stat().st_mode


def test_files_are_ordinary_safetensors(tmp_path):
    forest = classifier().fit(X, Y)
    arrays = load_file(saved(forest, tmp_path))
    inner = forest._model.trees["left"] != 0
    assert_array_equal(arrays["trees.gain"], forest._model.trees["gain"][inner])
    path = str(tmp_path / "text.mf")
    forest.save(path)
    assert mf.load(path).n_features_in_ == 12
