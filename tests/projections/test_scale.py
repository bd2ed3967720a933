"""Weights relative to the spread of columns: `scale` of sparse combinations."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

import manifoldforest as mf
from manifoldforest.projections import Axis, ForestRC, Mixture, RerF, Rotation, Sporf
from manifoldforest.projections._spreads import standard_deviations, weight_factors

SCALED = {
    "ForestRC": ForestRC(3, scale="std"),
    "RerF": RerF(scale="std"),
    "RerF 2016": RerF("2016", scale="std"),
    "Sporf": Sporf(3, scale="std"),
    "Sporf poisson": Sporf(2, "poisson", scale="std"),
    "sum": Axis() + Sporf(scale="std"),
    "mixture": Mixture([("axis", Axis(), 0.3), ("sporf", Sporf(3, scale="std"), 0.7)]),
    "mixture in a sum": Mixture([("sporf", Sporf(3, scale="std"), 1.0)]) + RerF(),
}
every_scaled = pytest.mark.parametrize("projection", SCALED.values(), ids=SCALED)
# RerF without `scale` is no part of these: its weights depend on units
every_invariant = pytest.mark.parametrize("name", [n for n in SCALED if n != "mixture in a sum"])

RNG = np.random.default_rng(0)
X = RNG.normal(3.0, 1.0, (120, 6)).astype(np.float32)
Y = (X[:, 0] - X[:, 1] + 0.3 * RNG.normal(size=120) > 0).astype(int)
POWERS = np.array([2.0**-30, 2.0**20, 1.0, 2.0**9, 2.0**-3, 2.0**40], dtype=np.float32)
WEIGHT = RNG.integers(0, 4, 120).astype(np.float64)


def classifier(projection, **params):
    params = {"n_estimators": 8, "max_features": 5, "random_state": 0} | params
    return mf.ForestClassifier(projection=projection, **params)


def with_gaps(X, share=0.1):
    return np.where(np.random.default_rng(1).random(X.shape) < share, np.nan, X)


def atoms(forest):
    """Features and weights of all splits."""
    pairs = []
    for tree in forest.trees_:
        rows = tree.atoms()[~tree.is_leaf]
        pairs += [(rows[i].indices, rows[i].data) for i in range(rows.shape[0])]
    return pairs


# Spreads


def test_spreads_are_standard_deviations():
    assert_allclose(standard_deviations(X, np.ones(120)), X.std(axis=0, dtype=float), rtol=1e-12)
    many = np.repeat(X, WEIGHT.astype(int), axis=0)
    assert_allclose(standard_deviations(X, WEIGHT), many.std(axis=0, dtype=float), rtol=1e-12)
    gaps = with_gaps(X)
    expected = np.nanstd(gaps.astype(float), axis=0)
    assert_allclose(standard_deviations(gaps, np.full(120, 0.1)), expected, rtol=1e-12)
    images = RNG.integers(0, 256, (50, 4)).astype(np.uint8)
    assert_allclose(standard_deviations(images, np.ones(50)), images.std(axis=0), rtol=1e-12)


def test_spreads_of_tables_of_several_chunks(monkeypatch):
    whole = standard_deviations(X, WEIGHT)
    monkeypatch.setattr("manifoldforest.projections._spreads._CHUNK", 40)
    assert_allclose(standard_deviations(X, WEIGHT), whole, rtol=1e-12)


def test_a_large_mean_costs_no_digits():
    column = np.float32(2**23) + np.arange(100, dtype=np.float32)[:, None] % 2
    assert_allclose(standard_deviations(column, np.ones(100)), [0.5], rtol=1e-12)


def test_constant_columns_have_the_size_of_their_value():
    rows = np.tile(np.array([0.1, -5.0, 0.0, np.nan, 1e-40], dtype=np.float32), (1000, 1))
    expected = [np.float32(0.1), 5.0, 1.0, 1.0, rows[0, 4]]
    assert_array_equal(standard_deviations(rows, np.ones(1000)), expected)
    rows[7] = 1.0  # the only other row has no weight
    weight = np.ones(1000)
    weight[7] = 0.0
    assert_array_equal(standard_deviations(rows, weight), expected)


@pytest.mark.parametrize("weight", [1e-300, 1.0, 1e300])
def test_extreme_numbers_and_weights_have_usable_factors(weight):
    big, small = np.finfo(np.float32).max, np.float32(1e-45)
    rows = np.array([[big, small, 0.0], [-big, -small, small]], dtype=np.float32)
    spreads = standard_deviations(rows, np.full(2, weight))
    assert_allclose(spreads, [float(big), float(small), float(small) / 2])
    factors = weight_factors(spreads)
    assert factors.dtype == np.float32
    assert np.isfinite(factors).all()
    assert (factors > 0).all()


def test_extreme_columns_can_be_learned():
    columns = X * np.array([1e-44, 1e-38, 1e37, 1e37, 1e-44, 1.0], dtype=np.float32)
    forest = classifier(Sporf(3, scale="std")).fit(columns, Y)
    assert all(np.isfinite(weights).all() for _, weights in atoms(forest))
    assert np.isfinite(forest.predict_proba(columns)).all()
    assert forest.score(columns, Y) > 0.9


# Forests


@every_invariant
@pytest.mark.parametrize("splitter", ["auto", "exact", "histogram", "random"])
def test_units_that_are_powers_of_two_change_nothing(name, splitter):
    X_test = RNG.normal(3.0, 1.0, (200, 6)).astype(np.float32)
    constant = np.hstack([X, np.full((120, 1), 7, np.float32), with_gaps(X)[:, :2]])
    units = np.concatenate([POWERS, [2.0**12, 2.0**-12, 2.0**5]]).astype(np.float32)
    test = np.hstack([X_test, np.full((200, 1), 7, np.float32), X_test[:, :2]])
    forest = classifier(SCALED[name], splitter=splitter)
    expected = clone(forest).fit(constant, Y).predict_proba(test)
    actual = forest.fit(constant * units, Y).predict_proba(test * units)
    assert_array_equal(actual, expected)


def test_without_scale_units_matter():
    expected = classifier(Sporf(3)).fit(X, Y).predict_proba(X)
    assert (classifier(Sporf(3)).fit(X * POWERS, Y).predict_proba(X * POWERS) != expected).any()


@pytest.mark.parametrize("kind", [mf.ForestRegressor, mf.MetricForestRegressor])
def test_forests_of_numbers_scale_too(kind):
    y = X[:, 0] - X[:, 2]
    forest = kind(5, projection=Sporf(3, scale="std"), random_state=0)
    expected = forest.fit(X, y).predict(X)
    assert_array_equal(forest.fit(X * POWERS, y).predict(X * POWERS), expected)


@pytest.mark.parametrize("name", ["ForestRC", "RerF", "RerF 2016", "Sporf", "Sporf poisson"])
def test_weights_are_those_without_scale_over_the_spread(name):
    """Of stumps with one candidate: the same seed draws the same, whatever its weights are."""
    forest = classifier(SCALED[name], n_estimators=300, max_depth=1, max_features=1)
    factors = weight_factors(standard_deviations(X, np.ones(120)))
    scaled = atoms(forest.fit(X, Y))
    plain = atoms(forest.set_params(projection__scale=None).fit(X, Y))
    for (features, weights), (same, whole) in zip(scaled, plain, strict=True):
        assert_array_equal(features, same)
        alone = len(features) == 1
        assert_array_equal(weights, [1.0] if alone else whole * factors[features])
    assert name == "RerF" or sum(len(features) > 1 for features, _ in scaled) > 20


def test_spreads_are_kept_by_the_fitted_projection_and_not_by_the_parameter():
    forest = classifier(Sporf(scale="std"))
    forest.fit(X, Y)
    assert_array_equal(forest.projection_.spread_, standard_deviations(X, np.ones(120)))
    assert not hasattr(forest.projection, "spread_")
    assert not hasattr(clone(forest.projection_), "spread_")
    assert forest.projection_ == forest.projection
    again = pickle.loads(pickle.dumps(forest))
    assert_array_equal(again.projection_.spread_, forest.projection_.spread_)
    assert not hasattr(classifier(Sporf()).fit(X, Y).projection_, "spread_")


def test_a_refit_learns_new_spreads():
    forest = classifier(Sporf(scale="std")).fit(X, Y)
    forest.set_params(projection=forest.projection_).fit(4 * X, Y)
    assert_array_equal(forest.projection_.spread_, standard_deviations(4 * X, np.ones(120)))


def test_parts_learn_for_themselves():
    forest = classifier(SCALED["mixture in a sum"]).fit(X, Y)
    mixture, rerf = (part for _, part in forest.projection_.parts)
    assert_array_equal(mixture.parts[0][1].spread_, standard_deviations(X, np.ones(120)))
    assert not hasattr(rerf, "spread_")
    assert not hasattr(forest.projection.parts[0][1].parts[0][1], "spread_")


def test_spreads_are_those_of_ranks():
    forest = classifier(Sporf(3, scale="std"), ranks=True).fit(X, Y)
    ranks = forest.rank_transformer_.transform(X).astype(np.float32)
    assert_array_equal(forest.projection_.spread_, standard_deviations(ranks, np.ones(120)))


def test_spreads_follow_sample_weights():
    forest = classifier(Sporf(scale="std"), bootstrap=False).fit(X, Y, sample_weight=WEIGHT)
    many = np.repeat(X, WEIGHT.astype(int), axis=0)
    assert_allclose(forest.projection_.spread_, many.std(axis=0, dtype=float), rtol=1e-12)
    exact = {"bootstrap": False, "splitter": "exact"}
    weighted = classifier(Sporf(3, scale="std"), **exact).fit(X, Y, sample_weight=WEIGHT)
    repeated = classifier(Sporf(3, scale="std"), **exact).fit(
        many, np.repeat(Y, WEIGHT.astype(int))
    )
    assert_array_equal(weighted.predict_proba(X), repeated.predict_proba(X))


def test_bytes_and_the_same_floats_make_the_same_forest():
    images = RNG.integers(0, 256, (100, 9)).astype(np.uint8)
    labels = (images[:, 0].astype(int) - images[:, 3] > 0).astype(int)
    forest = classifier(Sporf(3, scale="std"), splitter="exact")
    expected = clone(forest).fit(images.astype(np.float32), labels)
    forest.fit(images, labels)
    assert_array_equal(forest.predict_proba(images), expected.predict_proba(images))
    assert_array_equal(
        forest.predict_proba(images.astype(float)), expected.predict_proba(images.astype(float))
    )


def test_missing_values_are_left_out_and_filled_in_only_for_dense_parts():
    gaps = with_gaps(X)
    expected = np.nanstd(gaps.astype(float), axis=0)
    for projection in (Sporf(scale="std"), Sporf(scale="std") + Rotation()):
        learned = classifier(projection).fit(gaps, Y).projection_
        sporf = learned if isinstance(learned, Sporf) else learned.parts[0][1]
        assert_allclose(sporf.spread_, expected, rtol=1e-12)


@every_scaled
@pytest.mark.parametrize("through", ["memory", "file", "pickle"])
def test_warm_starts_go_on_with_the_same_spreads(projection, through, tmp_path):
    forest = classifier(projection, n_estimators=3, warm_start=True).fit(X, Y)
    if through == "file":
        forest.save(tmp_path / "model.mf")
        forest = mf.load(tmp_path / "model.mf")
    elif through == "pickle":
        forest = pickle.loads(pickle.dumps(forest))
    forest.set_params(n_estimators=8).fit(X, Y)
    assert_array_equal(forest.predict_proba(X), classifier(projection).fit(X, Y).predict_proba(X))


def test_a_file_gives_back_the_parameter(tmp_path):
    forest = classifier(Sporf(3, scale="std")).fit(X, Y)
    forest.save(tmp_path / "model.mf")
    again = mf.load(tmp_path / "model.mf")
    assert again.projection == again.projection_ == Sporf(3, scale="std")
    assert_array_equal(again.predict_proba(X), forest.predict_proba(X))


def test_a_search_reaches_scale():
    forest = classifier("sporf").set_params(projection__scale="std")
    assert forest.projection == Sporf(scale="std")
    assert classifier(SCALED["sum"]).get_params()["projection__sporf__scale"] == "std"


@pytest.mark.parametrize("kind", [ForestRC, RerF, Sporf])
@pytest.mark.parametrize(("scale", "error"), [("iqr", ValueError), (1, TypeError)])
def test_refusals(kind, scale, error):
    message = rf"{kind.__name__}.scale must be one of 'std' or None, got {scale!r}"
    with pytest.raises(error, match=message):
        classifier(kind(scale=scale)).fit(X, Y)
    with pytest.raises(error, match=message):
        classifier(Axis() + kind(scale=scale)).fit(X, Y)
