"""Kinds of forests, labels and outputs, and what is refused."""

import sys

import numpy as np
import onnx
import pytest
from sklearn.exceptions import NotFittedError

import manifoldforest as mf
from export.onnx_models import assert_same, run
from manifoldforest import projections as P
from manifoldforest.export import _row_blocks, _to_onnx
from manifoldforest.export._ensemble import float_thresholds

RNG = np.random.default_rng(1)
N = 200
X = RNG.normal(size=(N, 5)).astype(np.float32)
LABELS = (X[:, 0] + X[:, 1] > 0).astype(int) + (X[:, 2] > 0.5)
WORDS = np.array(["ant", "bee", "cat"])[LABELS]
NUMBERS = X[:, 0] * 3 + X[:, 1] ** 2
TWO = np.stack([NUMBERS, X[:, 2]], axis=1)
NEW = RNG.normal(size=(300, 5)).astype(np.float32)


@pytest.mark.parametrize(
    "labels",
    [
        WORDS,
        WORDS.astype(object),
        LABELS.astype(np.uint8) * 100,
        LABELS - 2**40,
        LABELS.astype(float) + 1,
        LABELS > 0,
        LABELS.astype(np.uint64) + 2**63,
    ],
    ids=["words", "objects", "bytes", "large", "floats", "booleans", "unsigned"],
)
@pytest.mark.parametrize("make", [mf.ForestClassifier, mf.BoostedForestClassifier])
def test_labels_keep_their_values(make, labels):
    found = assert_same(make(5, random_state=0).fit(X, labels), NEW)
    assert len(np.unique(found["label"])) == len(np.unique(labels))


FORESTS = {
    "soft": (mf.ForestClassifier(7, random_state=0), WORDS),
    "hard": (mf.ForestClassifier(7, voting="hard", max_depth=3, random_state=0), WORDS),
    "an even number of votes": (
        mf.ForestClassifier(2, voting="hard", max_depth=2, random_state=0),
        WORDS,
    ),
    "refined": (mf.ForestClassifier(7, refine=True, min_samples_leaf=3, random_state=0), WORDS),
    "two classes, refined": (mf.ForestClassifier(7, refine=True, random_state=0), LABELS > 0),
    "one class": (mf.ForestClassifier(3, random_state=0), np.full(N, "ant")),
    "one class, refined": (mf.ForestClassifier(3, refine=True, random_state=0), np.full(N, 7)),
    "several columns of labels": (
        mf.ForestClassifier(5, max_depth=4, random_state=0),
        np.stack([WORDS, np.where(LABELS > 0, "yes", "no")], axis=1),
    ),
    "columns of numbers and words": (
        mf.ForestClassifier(5, voting="hard", max_depth=4, random_state=0),
        np.stack([WORDS.astype(object), LABELS.astype(object)], axis=1),
    ),
    "refined columns": (
        mf.ForestClassifier(5, refine=True, max_depth=4, random_state=0),
        np.stack([LABELS, LABELS > 0], axis=1).astype(int),
    ),
    "entropy and weights": (
        mf.ForestClassifier(5, criterion="entropy", class_weight="balanced", random_state=0),
        WORDS,
    ),
    "pruned": (mf.ForestClassifier(5, ccp_alpha=0.05, random_state=0), WORDS),
    "numbers": (mf.ForestRegressor(7, random_state=0), NUMBERS),
    "two numbers": (mf.ForestRegressor(7, max_depth=5, random_state=0), TWO),
    "medians": (mf.ForestRegressor(3, criterion="absolute_error", random_state=0), NUMBERS),
    "large numbers": (mf.ForestRegressor(7, random_state=0), NUMBERS * 1e30),
    "boosted": (mf.BoostedForestClassifier(20, random_state=0), WORDS),
    "boosted, two classes": (mf.BoostedForestClassifier(20, random_state=0), LABELS > 0),
    "boosted, one class": (mf.BoostedForestClassifier(3, random_state=0), np.zeros(N, int)),
    "boosted columns": (
        mf.BoostedForestClassifier(10, random_state=0),
        np.stack([LABELS, LABELS > 0, np.zeros(N)], axis=1).astype(int),
    ),
    "boosted numbers": (mf.BoostedForestRegressor(20, random_state=0), NUMBERS),
    "boosted, two numbers": (mf.BoostedForestRegressor(20, random_state=0), TWO),
    "boosted absolute error": (
        mf.BoostedForestRegressor(20, loss="absolute_error", random_state=0),
        NUMBERS,
    ),
    "boosted counts": (
        mf.BoostedForestRegressor(20, loss="poisson", random_state=0),
        np.floor(np.abs(NUMBERS) * 5),
    ),
    "stopped early": (
        mf.BoostedForestClassifier(30, early_stopping=True, n_iter_no_change=2, random_state=0),
        WORDS,
    ),
}
for rule in ("ignore", "uniform", "empirical", "prune"):
    honest = {"honest": True, "honest_fraction": 0.9, "empty_leaf": rule, "random_state": 0}
    FORESTS[f"honest, {rule}"] = (mf.ForestClassifier(3, **honest), WORDS)
    FORESTS[f"honest votes, {rule}"] = (mf.ForestClassifier(3, voting="hard", **honest), WORDS)
    if rule != "uniform":
        FORESTS[f"honest numbers, {rule}"] = (mf.ForestRegressor(2, **honest), TWO)


@pytest.mark.parametrize("name", FORESTS)
def test_a_model_says_what_the_forest_says(name):
    forest, y = FORESTS[name]
    assert_same(forest.fit(X, y), np.concatenate([X, NEW]))


def test_rows_of_which_no_tree_knows_anything_get_the_fallback():
    for make, y in ((mf.ForestClassifier, WORDS), (mf.ForestRegressor, NUMBERS)):
        forest = make(1, honest=True, honest_fraction=0.9, random_state=0).fit(X, y)
        leaves = forest.apply(NEW)[:, 0]
        assert (forest._model.trees["weight"][leaves] == 0).any()
        assert_same(forest, NEW)


@pytest.mark.parametrize("projection", ["axis", "sporf", P.Patches(max_size=2), "rotation"])
def test_any_number_of_rows_is_a_batch(projection, monkeypatch):
    forest = mf.ForestClassifier(3, projection=projection, random_state=0).fit(X, WORDS)
    batches = [np.resize(NEW, (n, 5)) for n in (1, 2, 31, 32, 33, 65)]
    for limit in (2**12, 0):  # together, and in blocks
        monkeypatch.setattr(_to_onnx, "_FEW_NUMBERS", limit)
        monkeypatch.setattr(_row_blocks, "_MOST_ROWS", 32)
        model = mf.to_onnx(forest)
        assert ("Scan" in {node.op_type for node in model.graph.node}) == (limit == 0)
        for rows in batches:
            found = run(model, rows)
            assert found["label"].tolist() == forest.predict(rows).tolist()
            np.testing.assert_allclose(
                found["probabilities"], forest.predict_proba(rows), rtol=0, atol=1e-6
            )
        found = run(model, NEW[:0])
        assert found["label"].shape == (0,)
        assert found["probabilities"].shape == (0, 3)


def test_blocks_of_rows_know_their_own_missing_values(monkeypatch):
    monkeypatch.setattr(_to_onnx, "_FEW_NUMBERS", 0)
    monkeypatch.setattr(_row_blocks, "_MOST_ROWS", 32)
    rows = NEW.copy()
    rows[100:130:3, 1] = np.nan
    for projection in ("axis", "sporf", P.Patches(max_size=2)):
        assert_same(mf.ForestRegressor(4, projection=projection, random_state=0).fit(X, TWO), rows)


def test_trees_may_be_divided_among_operators(monkeypatch):
    from manifoldforest.export import _ensemble

    forest = mf.ForestClassifier(9, projection="sporf", random_state=0).fit(X, WORDS)
    for most in (1, 60):
        monkeypatch.setattr(_ensemble, "_MOST_SPLITS", most)
        assert_same(forest, NEW)
    model = mf.to_onnx(forest)
    assert 1 < sum(node.op_type == "TreeEnsemble" for node in model.graph.node) <= 9


def test_no_leaf_has_the_number_of_a_split_beside_it():
    """Older runtimes take children of the same number for one leaf."""
    for seed in range(5):
        forest = mf.ForestClassifier(30, projection="axis", random_state=seed).fit(X, WORDS)
        (node,) = (n for n in mf.to_onnx(forest).graph.node if n.op_type == "TreeEnsemble")
        of = {a.name: np.array(a.ints) for a in node.attribute}
        mixed = of["nodes_trueleafs"] != of["nodes_falseleafs"]
        same = of["nodes_truenodeids"] == of["nodes_falsenodeids"]
        assert mixed.any()
        assert not same.any()


def test_trees_may_be_single_leaves():
    for make, y in ((mf.ForestClassifier, WORDS), (mf.ForestRegressor, TWO)):
        assert_same(make(3, max_leaf_nodes=2, min_samples_leaf=N, random_state=0).fit(X, y), NEW)
    # beside trees that are none
    y = np.zeros(N)
    y[0] = 1.0
    forest = mf.ForestRegressor(8, random_state=0).fit(X, y)
    n_nodes = np.diff(forest._model.trees["tree_offsets"])
    assert n_nodes.min() == 1 < n_nodes.max()
    assert_same(forest, np.concatenate([X, NEW]))


def test_values_between_neighbours_of_thresholds_go_their_way():
    # half way between neighbours, every other threshold is rounded up, and must not be
    x = (1 + np.arange(6) * 2.0**-23).astype(np.float32)
    x = np.concatenate([x, -x, [0.0]])[:, None].astype(np.float32)
    y = np.arange(13.0)
    for weight in (1.0, 0.3, -1.0, -7.7):
        projection = P.Dictionary(np.array([[weight]]))
        tree = mf.ForestRegressor(1, projection=projection, bootstrap=False).fit(x, y)
        near = np.concatenate([np.nextafter(x, np.float32(way)) for way in (-9, 9)])
        assert_same(tree, np.concatenate([x, near, np.nextafter(near, np.float32(9))]))


def test_thresholds_round_down():
    values = np.array([0.0, 0.1, -0.1, 1e300, -1e300, 1 + 2**-40, 2.0**-160, -(2.0**-160), np.inf])
    found = float_thresholds(values)
    assert found.dtype == np.float32
    assert (found.astype(float) <= values).all()
    with np.errstate(over="ignore"):
        assert (np.nextafter(found, np.float32(np.inf)).astype(float) > values)[:-1].all()


def test_negative_zero_is_zero():
    x = np.array([[-0.0], [0.0], [1.0], [-1.0]], dtype=np.float32)
    for projection in ("axis", "sporf"):
        tree = mf.ForestRegressor(1, projection=projection, bootstrap=False, min_samples_leaf=1)
        tree.fit(np.array([[0.0], [1.0]]), [1.0, 2.0])
        found = assert_same(tree, x)
        assert found["prediction"][0] == found["prediction"][1]
        zero = mf.ForestRegressor(1, projection=projection, bootstrap=False)
        zero.fit(np.array([[-1.0], [1.0]]), [1.0, 2.0])  # the threshold is 0
        assert_same(zero, x)


def test_a_model_of_one_row_and_of_one_column():
    assert_same(mf.ForestRegressor(2).fit(X[:1], [3.0]), NEW)
    assert_same(mf.ForestClassifier(2, random_state=0).fit(X[:, :1], WORDS), NEW[:, :1])


def test_forests_from_files_give_the_same_model(tmp_path):
    forest = mf.ForestClassifier(3, random_state=0).fit(X, WORDS)
    forest.save(tmp_path / "forest.mf")
    again = mf.load(tmp_path / "forest.mf")
    assert mf.to_onnx(again).SerializeToString() == mf.to_onnx(forest).SerializeToString()


def test_a_model_tells_what_it_is(tmp_path):
    forest = mf.ForestClassifier(3, random_state=0).fit(X.reshape(N, 5, 1), WORDS)
    model = mf.to_onnx(forest)
    onnx.save(model, tmp_path / "forest.onnx")
    read = onnx.load(tmp_path / "forest.onnx")
    assert (read.producer_name, read.producer_version) == ("manifoldforest", mf.__version__)
    told = {entry.key: entry.value for entry in read.metadata_props}
    assert told == {
        "manifoldforest_version": mf.__version__,
        "forest": "ForestClassifier",
        "projection": "sporf",
        "n_trees": "3",
        "feature_shape": "5 1",
    }
    assert "3 trees" in read.doc_string
    assert read.graph.input[0].name == "X"
    shape = read.graph.input[0].type.tensor_type.shape.dim
    assert (shape[0].dim_param, shape[1].dim_value) == ("n", 5)


@pytest.mark.parametrize(
    ("forest", "reason"),
    [
        (mf.BoundaryForestClassifier(2).fit(X, LABELS), "compares examples with stored ones"),
        (mf.BoundaryForestRegressor(2).fit(X, NUMBERS), "compares examples with stored ones"),
        (mf.MetricForestRegressor(2).fit(X, NUMBERS), "from the training responses"),
        (mf.KernelForestRegressor(2).fit(X, NUMBERS), "from the training responses"),
        (mf.ForestClassifier, "got the class ForestClassifier"),
        ("forest.mf", "got str"),
        (None, "got NoneType"),
    ],
    ids=["boundary", "boundary numbers", "metric", "kernel", "class", "path", "none"],
)
def test_other_estimators_are_refused_with_the_reason(forest, reason):
    with pytest.raises(TypeError, match=f"^forest must be .*{reason}"):
        mf.to_onnx(forest)


def test_forests_that_have_no_form_in_onnx_are_refused_with_the_reason(monkeypatch):
    ranked = mf.ForestClassifier(2, ranks=True).fit(X, LABELS)
    with pytest.raises(ValueError, match=r"^forest must be fitted with ranks=False"):
        mf.to_onnx(ranked)
    view = mf.views.FromTransformer(np.tanh)
    seen = mf.ForestClassifier(2, projection=P.Patches(view=view)).fit(X, LABELS)
    with pytest.raises(ValueError, match=r"FromTransformer view, which calls Python"):
        mf.to_onnx(seen)
    with pytest.raises(NotFittedError):
        mf.to_onnx(mf.ForestClassifier())
    monkeypatch.setattr(_to_onnx, "_MOST_BYTES", 100)
    with pytest.raises(ValueError, match="less than 2 GB"):
        mf.to_onnx(mf.ForestClassifier(2).fit(X, LABELS))


def test_without_the_package_an_error_names_the_extra(monkeypatch):
    forest = mf.ForestRegressor(1).fit(X, NUMBERS)
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(ImportError, match=r"pip install 'manifoldforest\[onnx\]'"):
        mf.to_onnx(forest)
