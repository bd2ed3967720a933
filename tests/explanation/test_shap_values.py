"""Shapley values of predictions: against all sets of players, and relations."""

import sys

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

import manifoldforest as mf
from manifoldforest import _core
from manifoldforest.projections import (
    Axis,
    Dictionary,
    ForestRC,
    GraphBalls,
    ImagePatches,
    MeanDifference,
    Mixture,
    Patches,
    PrincipalAxes,
    RerF,
    Rotation,
    Sporf,
)
from reference.shap import explained_row, feature_shares, linear_splits, numbered

RNG = np.random.default_rng(0)
FLOATS = RNG.normal(size=(80, 6)).astype(np.float32)
BYTES = RNG.integers(0, 256, size=(80, 6), dtype=np.uint8)
IMAGES = RNG.integers(0, 200, size=(80, 4, 5), dtype=np.uint8)
LABELS = np.where(FLOATS[:, 0] + FLOATS[:, 1] > 0, "up", np.where(FLOATS[:, 2] > 0, "side", "down"))
NUMBERS = FLOATS[:, 0] * FLOATS[:, 1] + BYTES[:, 2] / 100.0 + IMAGES[:, 1, 2] / 50.0
RING = np.roll(np.eye(6, dtype=int), 1, axis=1) + np.roll(np.eye(6, dtype=int), -1, axis=1)
SMALL = {"max_depth": 3, "random_state": 0}

PROJECTIONS = {
    "axis": Axis(),
    "sporf": Sporf(),
    "scaled": Sporf(scale="std"),
    "forest_rc": ForestRC(),
    "rerf": RerF(),
    "rotation": Rotation(),
    "rotation_of_some": Rotation(max_dims=3),
    "patches": Patches(max_size=3),
    "wrapped": Patches(max_size=3, wrap=True),
    "graph": GraphBalls(RING),
    "dictionary": Dictionary(np.hstack([RING + np.eye(6), 2.0 * np.eye(6)])),
    "mean_difference": MeanDifference(),
    "principal_axes": PrincipalAxes(),
    "mixture": Mixture([("a", Axis(), 0.5), ("s", Sporf(), 0.5)]),
}


def predictions(forest, X):
    """What is explained: probabilities or numbers, or the scores before their link."""
    if hasattr(forest, "decision_function"):
        return np.asarray(forest.decision_function(X))
    if hasattr(forest, "loss_"):
        return forest._scores(X)[:, 0] if forest.n_outputs_ == 1 else forest._scores(X)
    if not hasattr(forest, "classes_"):
        return forest.predict(X)
    if forest._model.link != "identity":
        values = forest._model.trees["value"]
        nodes = forest.apply(X) + forest._model.trees["tree_offsets"][:-1]
        return values[nodes].sum(axis=1)
    shares = forest.predict_proba(X)
    return np.concatenate(shares, axis=1) if isinstance(shares, list) else shares


def sums(explained):
    """Base values plus the sum over features, rows × values."""
    features = tuple(range(1, explained.data.ndim))
    return explained.base_values + explained.values.sum(axis=features)


def assert_additive(forest, X):
    explained = mf.shap_values(forest, X)
    predicted = predictions(forest, X)
    scale = max(1.0, float(np.abs(predicted).max()))
    assert sums(explained).shape == predicted.shape
    np.testing.assert_allclose(sums(explained), predicted, rtol=0, atol=1e-6 * scale)
    assert np.abs(explained.values).max() > 0
    return explained


def leaf_values(forest):
    """Values of the nodes of each tree as they enter the prediction."""
    values = []
    for tree in forest.trees_:
        value = tree.value.astype(np.float64)
        if getattr(forest, "voting", "soft") == "hard":
            value = (value == value.max(axis=1, keepdims=True)).astype(float)
            value *= np.cumsum(value, axis=1) == 1  # the first of equals
        values.append(value)
    return values


def assert_equals_reference(forest, X, splits_of=linear_splits):
    explained = mf.shap_values(forest, X)
    rows = forest._rows(X).astype(np.float64)
    adds_up = forest._aggregation == "sum" or forest._model.link != "identity"
    divisor = 1 if adds_up else len(forest)
    start = forest._model.fallback if hasattr(forest, "loss_") else 0.0
    for i, x in enumerate(rows):
        expected, base = explained_row(forest.trees_, splits_of, x, leaf_values(forest))
        shape = (*forest.feature_shape_, *explained.base_values[i].shape)
        np.testing.assert_allclose(
            explained.values[i], (expected / divisor).reshape(shape), rtol=0, atol=3e-7
        )
        np.testing.assert_allclose(
            np.ravel(explained.base_values[i]), start + base / divisor, rtol=0, atol=3e-7
        )


# ----------------------------------------------------------------------- all sets of players


@pytest.mark.parametrize("name", PROJECTIONS)
@pytest.mark.parametrize("dtype", [np.float32, np.uint8])
def test_values_are_those_of_all_sets_of_players(name, dtype):
    X = FLOATS if dtype == np.float32 else BYTES
    forest = mf.ForestClassifier(3, projection=PROJECTIONS[name], **SMALL).fit(X, LABELS)
    assert_equals_reference(forest, X[:4])
    forest = mf.ForestRegressor(3, projection=PROJECTIONS[name], **SMALL).fit(X, NUMBERS)
    assert_equals_reference(forest, X[4:7])


def repeated_splits_forest():
    """Deep trees on few features: most splits are on features that were split before."""
    y = np.sin(4 * FLOATS[:, 0]) + np.cos(5 * FLOATS[:, 1]) * FLOATS[:, 2]
    forest = mf.ForestRegressor(3, projection="axis", random_state=0)
    return forest.fit(FLOATS[:, :3], y)


def test_features_that_are_split_again_and_again_are_one_player():
    forest = repeated_splits_forest()
    assert max(tree.depth.max() for tree in forest.trees_) > 8
    assert_equals_reference(forest, FLOATS[:5, :3])


FORESTS = {
    "hard voting": lambda: mf.ForestClassifier(3, projection="axis", voting="hard", **SMALL),
    "refined": lambda: mf.ForestClassifier(3, projection="axis", refine=True, **SMALL),
    "uniform": lambda: mf.ForestClassifier(
        3, projection="axis", honest=True, empty_leaf="uniform", honest_fraction=0.8, **SMALL
    ),
    "empirical": lambda: mf.ForestClassifier(
        3, projection="axis", honest=True, empty_leaf="empirical", honest_fraction=0.9, **SMALL
    ),
    "pruned": lambda: mf.ForestClassifier(3, honest=True, empty_leaf="prune", **SMALL),
    "ranks": lambda: mf.ForestClassifier(3, ranks=True, **SMALL),
    "boosted": lambda: mf.BoostedForestClassifier(3, projection="axis", **SMALL),
    "random thresholds": lambda: mf.ForestClassifier(3, splitter="random", **SMALL),
    "balanced": lambda: mf.ForestClassifier(3, class_weight="balanced", **SMALL),
}


@pytest.mark.parametrize("name", FORESTS)
def test_forests_of_labels_are_explained_as_they_predict(name):
    forest = FORESTS[name]().fit(FLOATS, LABELS)
    if name in ("uniform", "empirical"):
        assert any((tree.weight == 0).any() for tree in forest.trees_)
    assert_equals_reference(forest, FLOATS[:4])
    assert_additive(forest, FLOATS)


NUMBER_FORESTS = {
    "squared error": lambda: mf.BoostedForestRegressor(3, projection="axis", **SMALL),
    "absolute error": lambda: mf.BoostedForestRegressor(3, loss="absolute_error", **SMALL),
    "poisson": lambda: mf.BoostedForestRegressor(3, loss="poisson", **SMALL),
    "medians": lambda: mf.ForestRegressor(3, criterion="absolute_error", **SMALL),
}


@pytest.mark.parametrize("name", NUMBER_FORESTS)
def test_forests_of_numbers_are_explained_as_they_predict(name):
    forest = NUMBER_FORESTS[name]().fit(FLOATS, np.abs(NUMBERS))
    assert_equals_reference(forest, FLOATS[:4])
    explained = assert_additive(forest, FLOATS)
    assert explained.scale == ("score" if name == "poisson" else "response")


@pytest.mark.parametrize("projection", ["axis", "sporf", "rotation"])
def test_missing_values_go_where_the_split_sends_them(projection):
    X = np.where(RNG.random(FLOATS.shape) < 0.3, np.nan, FLOATS)
    forest = mf.ForestClassifier(3, projection=projection, **SMALL).fit(X, LABELS)
    assert_equals_reference(forest, X[:6])
    explained = assert_additive(forest, X)
    assert np.isfinite(explained.values).all()


def test_an_atom_that_is_zero_is_shared_equally_and_a_missing_one_by_what_is_missing():
    both = Dictionary(np.array([[1.0], [2.0], [4.0]]))
    X = np.array([[1.0, 1, 1], [2, 2, 2], [3, 3, 3], [-1, -1, -1]])
    tree = mf.ForestRegressor(1, projection=both, bootstrap=False, max_depth=1).fit(X, [0, 0, 5, 0])
    asked = [[0.0, 0, 0], [np.nan, 1, np.nan], [-1, 1, 0]]
    values = mf.shap_values(tree, asked).values
    shares = values / values.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(shares, [[1 / 3] * 3, [0.5, 0, 0.5], [1 / 3, 2 / 3, 0]], atol=1e-12)


def gradient_splits(forest):
    """Read splits on patches of gradient orientations, whose cells belong to their pixels."""
    (shape, summed, _view) = forest._model.geometry.grids[0]

    def splits_of(tree, x):
        cells = forest._model.cells(x[None].astype(np.uint8), 0)[0].astype(np.float64)
        values, keys, shares = [], [], []
        offsets, ints = tree.arrays["atom_offsets"], tree.arrays["atom_ints"]
        for node in range(tree.n_nodes):
            atom = [int(i) for i in ints[offsets[node] : offsets[node + 1]]]
            keys.append(tuple(atom) or None)
            chosen, at = [], 1
            for axis, length in enumerate(shape if atom else ()):
                if summed[axis]:
                    chosen.append(range(atom[at], min(length, atom[at] + atom[at + 1])))
                    at += 2
                else:
                    chosen.append(atom[at + 1 : at + 1 + atom[at]])
                    at += 1 + atom[at]
            used = np.zeros(forest.feature_shape_, dtype=bool)
            if atom:
                used[np.ix_(*chosen[1:])] = True
            values.append(cells[np.ix_(*chosen)].sum() if atom else np.nan)
            shares.append(feature_shares(np.zeros(used.size), used.ravel()))
        return np.array(values), numbered(keys), shares

    return splits_of


def test_patches_on_a_view_share_equally_among_the_pixels_of_their_cells():
    edges = Patches(max_size=3, view=mf.views.Gradients(orientations=4))
    y = IMAGES[:, 1, 2] > IMAGES[:, 2, 2]
    forest = mf.ForestClassifier(3, projection=edges, **SMALL).fit(IMAGES, y)
    assert_equals_reference(forest, IMAGES[:4], gradient_splits(forest))


# ----------------------------------------------------------------------------------- relations

SERIES = RNG.normal(size=(80, 30)).astype(np.float32)
WIDE = {
    "image patches": (ImagePatches(), IMAGES),
    "colours": (Patches(max_size=2, channel_axis=-1), RNG.random((80, 4, 4, 3))),
    "difference": (Patches(view=mf.views.Difference()), SERIES),
    "spectrum": (Patches(view=mf.views.Spectrum()), SERIES),
    "own view": (Patches(view=mf.views.FromTransformer(lambda X: X**2)), SERIES),
    "sporf of bytes": (Sporf(), IMAGES),
    "mixture": (Mixture([("p", Patches(), 0.5), ("r", Rotation(max_dims=5), 0.5)]), IMAGES),
}


@pytest.mark.parametrize("name", WIDE)
def test_values_and_base_sum_to_the_prediction_for_every_projection(name):
    projection, X = WIDE[name]
    y = np.asarray(X).reshape(80, -1)[:, :3].sum(axis=1)
    forest = mf.ForestRegressor(10, projection=projection, random_state=0).fit(X, y)
    explained = assert_additive(forest, X[:20])
    assert explained.values.shape == X[:20].shape
    labels = np.digitize(y, np.quantile(y, [0.3, 0.6]))
    forest = mf.ForestClassifier(10, projection=projection, random_state=0).fit(X, labels)
    assert assert_additive(forest, X[:20]).values.shape == (*X[:20].shape, 3)
    forest = mf.BoostedForestClassifier(10, projection=projection, random_state=0).fit(X, labels)
    assert_additive(forest, X[:20])


@pytest.fixture(scope="module")
def deep_forest():
    X = RNG.normal(size=(600, 12)).astype(np.float32)
    y = np.digitize(X[:, 0] + X[:, 1] * X[:, 2] + RNG.normal(size=600), [-1, 0, 1])
    return mf.ForestClassifier(12, random_state=0).fit(X, y), X


def test_n_jobs_and_the_rows_beside_a_row_change_no_bit(deep_forest):
    forest, X = deep_forest
    together = mf.shap_values(forest, X[:21]).values
    threads = mf.shap_values(forest.set_params(n_jobs=3), X[:21]).values
    forest.set_params(n_jobs=None)
    np.testing.assert_array_equal(together, threads)
    for i in (0, 7, 8, 20):
        np.testing.assert_array_equal(mf.shap_values(forest, X[i : i + 1]).values[0], together[i])
    np.testing.assert_array_equal(mf.shap_values(forest, X[13:24]).values[:8], together[13:])


def test_every_instruction_set_gives_the_same_bits(deep_forest):
    forest, X = deep_forest
    sets = _core.supported_kernels()
    try:
        results = []
        for name in sets:
            _core.use_kernels(name)
            results.append([mf.shap_values(forest, X[:n]).values for n in (1, 9)])
    finally:
        _core.use_kernels(sets[-1])
    for result in results[1:]:
        for one, other in zip(result, results[0], strict=True):
            np.testing.assert_array_equal(one, other)


def test_a_stored_forest_has_the_same_values(deep_forest, tmp_path):
    forest, X = deep_forest
    forest.save(tmp_path / "forest.mf")
    again = mf.shap_values(mf.load(tmp_path / "forest.mf"), X[:9])
    np.testing.assert_array_equal(again.values, mf.shap_values(forest, X[:9]).values)


def test_the_base_of_a_tree_without_bootstrap_is_the_mean_of_its_training_rows():
    forest = mf.ForestRegressor(3, bootstrap=False, random_state=0)
    weight = RNG.integers(0, 3, size=80)
    forest.fit(FLOATS, NUMBERS, sample_weight=weight)
    base = mf.shap_values(forest, FLOATS[:1]).base_values[0]
    np.testing.assert_allclose(base, np.average(NUMBERS, weights=weight))


def test_exchanging_columns_exchanges_their_values():
    tree = mf.ForestRegressor(
        1, projection="axis", bootstrap=False, max_features=None, splitter="exact", max_depth=3
    )
    values = mf.shap_values(tree.fit(FLOATS, NUMBERS), FLOATS[:9]).values
    order = [2, 0, 5, 1, 3, 4]
    exchanged = mf.shap_values(tree.fit(FLOATS[:, order], NUMBERS), FLOATS[:9, order]).values
    np.testing.assert_allclose(exchanged, values[:, order], atol=1e-12)


def test_responses_of_extreme_size_keep_their_unit():
    forest = mf.ForestRegressor(3, random_state=0)
    plain = mf.shap_values(forest.fit(FLOATS, NUMBERS), FLOATS[:5])
    huge = mf.shap_values(forest.fit(FLOATS, NUMBERS * 2.0**1000), FLOATS[:5])
    np.testing.assert_allclose(huge.values / 2.0**1000, plain.values, atol=1e-12)
    np.testing.assert_allclose(huge.base_values / 2.0**1000, plain.base_values)


def chain(n):
    """A tree whose splits cut off one row after the other, each on an atom of its own."""
    order = np.arange(n)
    atoms = np.triu(np.ones((n, n)))
    X = (order[:, None] >= order).astype(np.float32)
    return mf.ForestRegressor(
        1, projection=Dictionary(atoms), bootstrap=False, max_features=n, random_state=0
    ).fit(X, 2.0**-order), X


def test_long_paths_of_many_players_lose_no_digits():
    forest, X = chain(150)
    assert forest.trees_[0].depth.max() > 60
    explained = mf.shap_values(forest, X)
    np.testing.assert_allclose(sums(explained), forest.predict(X), rtol=0, atol=1e-12)


# ------------------------------------------------------------------------- shapes and names


def test_shapes_and_names_of_all_tasks():
    two_numbers = np.stack([NUMBERS, -NUMBERS], axis=1)
    two_labels = np.stack([LABELS, np.where(NUMBERS > 2, "high", "low")], axis=1)
    binary = np.where(NUMBERS > 2, "high", "low")
    cases = [
        (mf.ForestRegressor(3), NUMBERS, None, "response"),
        (mf.ForestRegressor(3), two_numbers, ["output 0", "output 1"], "response"),
        (mf.ForestClassifier(3), binary, ["high", "low"], "probability"),
        (mf.ForestClassifier(3, refine=True), binary, ["high", "low"], "score"),
        (mf.ForestClassifier(3), LABELS, ["down", "side", "up"], "probability"),
        (
            mf.ForestClassifier(3),
            two_labels,
            [f"output {k}" for k in ("0: down", "0: side", "0: up", "1: high", "1: low")],
            "probability",
        ),
        (mf.BoostedForestClassifier(3), binary, None, "score"),
        (mf.BoostedForestClassifier(3), LABELS, ["down", "side", "up"], "score"),
        (mf.BoostedForestRegressor(3), two_numbers, ["output 0", "output 1"], "response"),
    ]
    for forest, y, names, scale in cases:
        forest.set_params(random_state=0).fit(FLOATS, y)
        explained = mf.shap_values(forest, FLOATS[:7])
        last = () if names is None else (len(names),)
        assert explained.values.shape == (7, 6, *last), forest
        assert explained.base_values.shape == (7, *last), forest
        assert (explained.output_names, explained.scale) == (names, scale)
        if not isinstance(forest, mf.BoostedForestClassifier):
            assert_additive(forest, FLOATS[:7])


def test_boosted_labels_of_several_outputs_have_the_scores_of_each():
    binary = np.where(NUMBERS > 2, "high", "low")
    forest = mf.BoostedForestClassifier(3, random_state=0)
    forest.fit(FLOATS, np.stack([LABELS, binary], axis=1))
    explained = mf.shap_values(forest, FLOATS[:7])
    names = ["output 0: down", "output 0: side", "output 0: up", "output 1: low"]
    assert explained.output_names == names
    np.testing.assert_allclose(sums(explained), forest._scores(FLOATS[:7]), atol=1e-9)


def test_one_class_and_one_leaf_have_nothing_to_explain():
    forest = mf.ForestClassifier(3, random_state=0).fit(FLOATS, ["only"] * 80)
    explained = mf.shap_values(forest, FLOATS[:3])
    assert explained.values.shape == (3, 6, 1)
    assert not explained.values.any()
    np.testing.assert_array_equal(explained.base_values, np.ones((3, 1)))
    constant = mf.ForestRegressor(3, random_state=0).fit(FLOATS, np.full(80, 7.0))
    np.testing.assert_array_equal(mf.shap_values(constant, FLOATS[:2]).base_values, [7.0, 7.0])


def test_tables_keep_the_names_of_their_columns():
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame(FLOATS, columns=list("abcdef"))
    forest = mf.ForestRegressor(3, random_state=0).fit(table, NUMBERS)
    explained = mf.shap_values(forest, table[:2])
    assert explained.feature_names == list("abcdef")
    np.testing.assert_array_equal(explained.data, FLOATS[:2])
    assert repr(explained) == "<ShapValues of 2 examples of shape (6,), on the scale 'response'>"


def test_many_classes_are_shortened_in_the_text():
    forest = mf.ForestClassifier(2, random_state=0).fit(FLOATS, np.arange(80) % 8)
    assert repr(mf.shap_values(forest, FLOATS[:1])).endswith("'4', '5', ...]>")


# ------------------------------------------------------------------------------------ refusals


def test_honest_forests_that_leave_trees_out_are_refused():
    forest = mf.ForestClassifier(5, honest=True, random_state=0).fit(FLOATS, LABELS)
    with pytest.raises(ValueError, match="forest must use all of its trees .* empty_leaf='prune'"):
        mf.shap_values(forest, FLOATS[:1])
    filled = mf.ForestClassifier(5, honest=True, max_depth=1, random_state=0).fit(FLOATS, LABELS)
    assert_additive(filled, FLOATS)  # it has no empty leaf


@pytest.mark.parametrize(
    ("forest", "reason"),
    [
        (mf.MetricForestRegressor(2, space="circle"), "means in a space of responses"),
        (mf.BoundaryForestClassifier(2), "compare whole examples"),
        (mf.ForestClassifier, "got <class"),
        (None, "got None"),
    ],
)
def test_other_forests_are_refused_with_the_reason(forest, reason):
    with pytest.raises(TypeError, match=f"forest must be a fitted ForestClassifier, .*{reason}"):
        mf.shap_values(forest, FLOATS)


def test_a_forest_must_be_fitted():
    with pytest.raises(NotFittedError):
        mf.shap_values(mf.ForestClassifier(), FLOATS)


def test_examples_must_have_the_shape_of_the_training_examples():
    forest = mf.ForestRegressor(2, random_state=0).fit(FLOATS, NUMBERS)
    with pytest.raises(ValueError, match="5 features"):
        mf.shap_values(forest, FLOATS[:, :5])


# ------------------------------------------------------------------------------ the shap library


def test_without_shap_the_error_names_the_extra(monkeypatch):
    forest = mf.ForestRegressor(2, random_state=0).fit(FLOATS, NUMBERS)
    monkeypatch.setitem(sys.modules, "shap", None)
    with pytest.raises(ModuleNotFoundError, match=r"manifoldforest\[shap\]"):
        mf.shap_values(forest, FLOATS[:2]).to_explanation()


def as_shap_tree(tree, value):
    """Describe a tree of single features as shap.TreeExplainer takes it."""
    split = tree.left > 0
    feature = np.full(tree.n_nodes, -2)
    feature[split] = tree.atoms().tocsr()[split].indices
    return {
        "children_left": np.where(split, tree.left, -1),
        "children_right": np.where(split, tree.right, -1),
        "children_default": np.where(tree.missing_left, tree.left, tree.right),
        "features": feature,
        "thresholds": np.where(split, tree.threshold, -2.0),
        "values": value,
        "node_sample_weight": tree.weight,
    }


def test_axis_forests_agree_with_the_shap_library():
    shap = pytest.importorskip("shap")
    for make, y in ((mf.ForestClassifier, LABELS), (mf.ForestRegressor, NUMBERS)):
        forest = make(5, projection="axis", random_state=0).fit(FLOATS, y)
        trees = [as_shap_tree(tree, tree.value / 5) for tree in forest.trees_]
        model = {"trees": trees, "tree_output": "raw_value", "objective": None}
        explainer = shap.TreeExplainer(model, feature_perturbation="tree_path_dependent")
        expected = explainer.shap_values(FLOATS[:9].astype(np.float64), check_additivity=False)
        explained = mf.shap_values(forest, FLOATS[:9])
        np.testing.assert_allclose(explained.values, expected, atol=1e-6)


def test_an_explanation_of_shap_has_the_same_arrays():
    shap = pytest.importorskip("shap")
    forest = mf.ForestClassifier(3, random_state=0).fit(FLOATS, LABELS)
    explained = mf.shap_values(forest, FLOATS[:4])
    explanation = explained.to_explanation()
    assert isinstance(explanation, shap.Explanation)
    np.testing.assert_array_equal(explanation.values, explained.values)
    np.testing.assert_array_equal(explanation.base_values, explained.base_values)
    assert list(explanation.output_names) == explained.output_names
