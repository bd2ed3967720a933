"""Forests whose trees grow on one partition each agree on all that is common to them."""

import dask.array as da
import numpy as np
import pytest

import manifoldforest as mf
from dask_estimators.cases import HOLES, IMAGES, LABELS, TABLE, WEIGHT, WORDS, collection
from manifoldforest.dask import _growing
from manifoldforest.dask._growing import teams_of_partitions, trees_of_partitions
from manifoldforest.dask._subtrees import _seed_of_leaf
from manifoldforest.dask._tops import forest_of_tops, largest_share


def classifier(client, n_estimators=20, **params):
    params = {"random_state": 0, "rows": "partitioned", "client": client, **params}
    return mf.dask.ForestClassifier(n_estimators, **params)


def regressor(client, n_estimators=20, **params):
    params = {"random_state": 0, "rows": "partitioned", "client": client, **params}
    return mf.dask.ForestRegressor(n_estimators, **params)


def test_trees_that_stay_whole_are_those_of_their_partitions(in_process):
    """Trees of the local estimator on the rows of a partition, with the same seed and numbers."""
    params = {"projection": "axis", "bootstrap": False, "max_leaf_nodes": 12}
    forest = classifier(in_process, 12, **params).fit(collection(TABLE), collection(LABELS))
    trees = forest.to_local().trees_
    assert len(trees) == 12
    for first, rows in ((0, slice(0, 100)), (5, slice(100, 140)), (7, slice(140, 240))):
        local = mf.ForestClassifier(12, random_state=0, **params).fit(TABLE[rows], LABELS[rows])
        for number in range(first, {0: 5, 5: 7, 7: 12}[first]):
            assert np.array_equal(trees[number].threshold, local.trees_[number].threshold)
            assert np.array_equal(trees[number].value, local.trees_[number].value)


def reference_values(forest, X, y, weight, blocks, seed, params):
    """Return what each tree says of each row, made of local forests of one tree.

    A top on one block, then for each of its leaves a forest on the rows of all blocks.
    """
    ends = np.cumsum([0, *blocks])
    n_trees = trees_of_partitions(blocks, len(forest.trees_))
    number, values = 0, []
    for first, last, n in zip(ends, ends[1:], n_trees, strict=False):
        for _ in range(n):
            rows = slice(first, last)
            top_params = forest_of_tops(type(forest)(**params), last - first, len(X)).get_params()
            top_params |= {"n_estimators": 1 + number, "random_state": None}
            top = Seeded(seed, type(forest)(**top_params)).fit(X[rows], y[rows], weight[rows])
            leaves = top.apply(X)[:, number]
            depths = top._model.trees.depths_of_tree(number)
            told = top.predict_per_tree(X)[number].copy()
            for leaf in np.unique(leaves):
                of_leaf = np.flatnonzero(leaves == leaf)
                if len(of_leaf) > largest_share(last - first) * len(X):
                    continue
                n_draws = max(1, round(len(X) * weight[of_leaf].sum() / weight.sum()))
                sub = type(forest)(**params | {"max_samples": n_draws, "n_estimators": 1 + number})
                if params.get("max_depth") is not None:
                    if depths[leaf] == params["max_depth"]:
                        continue
                    sub.set_params(max_depth=params["max_depth"] - depths[leaf])
                own = Seeded(_seed_of_leaf(seed, number, int(leaf)), sub)
                own.fit(X[of_leaf], y[of_leaf], weight[of_leaf])
                told[of_leaf] = own.predict_per_tree(X[of_leaf])[number]
            values.append(told)
            number += 1
    return np.array(values)


def Seeded(seed, forest):
    """Return a forest with a seed of the core in place of a random state."""
    forest.set_params(random_state=FixedDraw(seed))
    return forest


class FixedDraw(np.random.RandomState):
    """A generator that draws one number."""

    def __init__(self, number):
        super().__init__(0)
        self.number = number

    def randint(self, *args, **kwargs):
        return self.number


@pytest.mark.parametrize("n_groups", [1, 3])
@pytest.mark.parametrize("params", [{}, {"max_depth": 4}, {"min_samples_leaf": 3}], ids=str)
def test_trees_go_on_with_the_rows_of_all_partitions(params, n_groups, in_process, monkeypatch):
    monkeypatch.setattr(_growing, "_LEAST_BYTES", 240 * 5 * 4 // n_groups)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(240, 5)).astype("f4")
    y = X[:, 0] * X[:, 1] + X[:, 2]
    weight = np.where(np.arange(240) % 3, 1.0, 2.0)
    blocks = (100, 40, 100)
    params = {"projection": "axis", "max_features": 2, **params}
    forest = regressor(in_process, 7, random_state=FixedDraw(12345), **params)
    forest.fit(*(collection(values, blocks) for values in (X, y, weight)))
    local = forest.to_local()
    expected = reference_values(local, X, y, weight, blocks, 12345, params)
    assert np.allclose(local.predict_per_tree(X), expected, rtol=1e-6)
    for tree in local.trees_:
        assert np.isclose(tree.weight[0], 240, atol=24)  # leaves that stay tell of their block


def test_partitions_get_trees_in_proportion_to_their_rows():
    assert trees_of_partitions([100, 40, 100], 12) == [5, 2, 5]
    assert trees_of_partitions([1, 1, 1], 4) == [2, 1, 1]
    assert trees_of_partitions([3, 0, 1], 2) == [2, 0, 0]
    assert sum(trees_of_partitions([7, 11, 13], 100)) == 100


def test_teams_have_at_most_eight_partitions_and_leave_none_out():
    assert teams_of_partitions(4) == [[0, 1, 2, 3]]
    assert [len(team) for team in teams_of_partitions(9)] == [4, 5]
    assert [len(team) for team in teams_of_partitions(24)] == [8, 8, 8]
    assert sum(teams_of_partitions(1001), []) == list(range(1001))


def test_teams_take_turns_and_every_partition_is_learned_from(in_process, monkeypatch):
    monkeypatch.setattr(_growing, "MOST_PARTITIONS", 2)
    y = np.repeat([0.0, 0.0, 1.0, 1.0], 60)  # the first two partitions, the last two
    forest = regressor(in_process, 8, projection="axis", bootstrap=False)
    forest.fit(collection(TABLE, [60] * 4), collection(y, [60] * 4))
    roots = [tree.value[0, 0] for tree in forest.to_local().trees_]
    assert roots == [0.0] * 4 + [1.0] * 4  # trees of a team know its rows only


def test_the_same_seed_gives_the_same_forest_and_another_another(in_process):
    X, y = collection(TABLE), collection(LABELS)
    first, again = (classifier(in_process).fit(X, y).to_local() for _ in range(2))
    other = classifier(in_process, random_state=1).fit(X, y).to_local()
    assert np.array_equal(first.predict_proba(TABLE), again.predict_proba(TABLE))
    assert not np.array_equal(first.predict_proba(TABLE), other.predict_proba(TABLE))


def test_trees_of_a_partition_differ_also_where_all_features_are_candidates(in_process):
    forest = regressor(in_process, 6, projection="axis", max_features=1.0)
    forest.fit(collection(TABLE), collection(TABLE[:, 0] + TABLE[:, 1]))
    per_tree = forest.to_local().predict_per_tree(TABLE)
    assert len(np.unique(per_tree, axis=0)) == 6


def test_labels_that_a_partition_lacks_are_classes_all_the_same(in_process):
    words = np.where(np.arange(240) < 239, WORDS, "rare")
    words[:100] = np.where(words[:100] == "middle", "low", words[:100])
    forest = classifier(in_process)
    with pytest.warns(UserWarning, match="partition 0 has no row of the class"):
        forest.fit(collection(TABLE), collection(words))
    assert forest.classes_.tolist() == ["high", "low", "middle", "rare"]
    local = forest.to_local()
    assert local.predict_proba(TABLE).shape == (240, 4)
    assert (local.predict(TABLE[140:]) == words[140:]).mean() > 0.8


def test_several_label_columns_with_classes_of_their_own(in_process):
    labels = np.stack([WORDS, (TABLE[:, 2] > 0).astype(int).astype(str)], axis=1)
    forest = classifier(in_process, class_weight="balanced")
    forest.fit(collection(TABLE), collection(labels), collection(WEIGHT))
    assert [part.tolist() for part in forest.classes_] == [["high", "low", "middle"], ["0", "1"]]
    predicted = forest.predict(collection(TABLE)).compute()
    assert (predicted == labels).mean() > 0.8


def test_what_no_tree_knows_is_the_mean_of_all_rows(in_process):
    y = TABLE[:, :2] + 3
    fitted = regressor(in_process).fit(collection(TABLE), collection(y), collection(WEIGHT))
    assert np.allclose(fitted.to_local()._model.fallback, np.average(y, axis=0, weights=WEIGHT))
    forest = classifier(in_process).fit(collection(TABLE), collection(LABELS), collection(WEIGHT))
    shares = np.bincount(LABELS, WEIGHT) / WEIGHT.sum()
    assert np.allclose(forest.to_local()._model.fallback, shares)


def test_balanced_classes_weigh_the_same_in_all_rows_and_not_in_each_partition(in_process):
    y = np.r_[np.zeros(90), np.ones(10), np.zeros(20), np.ones(20), np.zeros(60), np.ones(40)]
    forest = classifier(in_process, class_weight="balanced", max_samples=None)
    forest.fit(collection(TABLE), collection(y))
    assert np.allclose(forest.to_local()._model.fallback, 0.5)
    by_hand = classifier(in_process, class_weight={0.0: 240 / 340, 1.0: 240 / 140})
    by_hand.fit(collection(TABLE), collection(y))
    share = [f.to_local().predict_proba(TABLE) for f in (forest, by_hand)]
    assert np.allclose(*share)


def test_responses_of_extreme_size_have_one_unit(in_process):
    y = TABLE[:, 0] * np.where(np.arange(240) < 100, 1e-30, 1e30)
    whole = regressor(in_process, 9, max_leaf_nodes=20)  # each tree knows one partition
    forest = whole.fit(collection(TABLE), collection(y)).to_local()
    gains = [tree.gain.max() for tree in forest.trees_]
    assert max(gains[:3]) < 1e-20 * max(gains[4:])


def test_what_a_projection_learns_is_the_same_for_all_trees(in_process):
    params = {"projection": mf.projections.Sporf(scale="std")}
    forest = regressor(in_process, **params).fit(collection(HOLES), collection(TABLE[:, 0]))
    deviations = np.nanstd(HOLES, axis=0)
    assert np.allclose(forest.projection_.spread_, deviations, rtol=1e-5)
    dense = regressor(in_process, projection="rotation")
    dense.fit(collection(HOLES), collection(TABLE[:, 0]))
    means = dense.to_local()._model.fill_values
    assert np.allclose(means, np.nanmean(HOLES, axis=0), atol=1e-6)


def test_bytes_stay_bytes_and_become_floats_if_any_partition_has_floats(in_process):
    gradients = mf.projections.Patches(max_size=3, view=mf.views.Gradients())
    y = collection(LABELS)
    forest = classifier(in_process, projection=gradients).fit(collection(IMAGES), y)
    assert forest.projection_.view.whole_
    blocks = [da.from_array(IMAGES[:100]), da.from_array(IMAGES[100:] / 2.0)]
    mixed = classifier(in_process, projection=gradients)
    mixed.fit(da.concatenate(blocks), y.rechunk(((100, 140),)))
    assert not mixed.projection_.view.whole_
    assert mixed.predict(collection(IMAGES)).compute().shape == (240,)


@pytest.mark.parametrize(
    "params",
    [
        {"honest": True},
        {"stratify": True},
        {"augment": 1, "projection": mf.projections.Patches(max_size=3)},
        {"projection": "auto"},
        {"class_weight": "balanced_subsample"},
        {"bootstrap": False, "max_samples": 0.5, "min_samples_leaf": 0.02},
        {"bootstrap": False, "max_samples": 150},  # more than any partition has
        {"min_weight_fraction_leaf": 0.1, "min_impurity_decrease": 0.001},
        {"ccp_alpha": 0.001, "max_leaf_nodes": 9},
    ],
    ids=str,
)
def test_other_parameters_work(params, in_process):
    y = IMAGES[:, 2, 3] > 128
    forest = classifier(in_process, **params).fit(collection(IMAGES), collection(y))
    assert len(forest.to_local()) == 20
    assert forest.predict_proba(collection(IMAGES)).compute().shape == (240, 2)


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error", "poisson"])
def test_numbers_are_learned_under_every_criterion(criterion, in_process):
    y = np.exp(TABLE[:, 0])
    forest = regressor(in_process, 30, criterion=criterion, projection="axis")
    predicted = forest.fit(collection(TABLE), collection(y)).predict(collection(TABLE)).compute()
    local = mf.ForestRegressor(30, criterion=criterion, projection="axis", random_state=0)
    expected = local.fit(TABLE, y).predict(TABLE)
    error, of_local = np.mean((predicted - y) ** 2), np.mean((expected - y) ** 2)
    assert error < 2 * of_local < 0.2 * np.var(y)


def test_a_dataframe_gives_the_names_of_its_columns(in_process):
    dd = pytest.importorskip("dask.dataframe")
    pd = pytest.importorskip("pandas")
    table = dd.from_pandas(
        pd.DataFrame(TABLE, columns=list("abcde")).assign(y=WORDS), npartitions=3
    )
    forest = classifier(in_process).fit(table[list("abcde")], table["y"])
    assert forest.feature_names_in_.tolist() == list("abcde")
    predicted = forest.predict(table[list("abcde")]).compute()
    assert (predicted == WORDS).mean() > 0.8


def test_empty_partitions_and_those_without_weight_have_no_trees(in_process):
    X = da.from_array(TABLE, chunks=((100, 0, 40, 100), 5))
    weight = np.where(np.arange(240) < 100, 0.0, 1.0)
    # labels in other blocks than the rows; those of weight 0 stay among the classes
    forest = classifier(in_process, 10).fit(
        X, da.from_array(LABELS, chunks=77), da.from_array(weight, chunks=((100, 140),))
    )
    rows = slice(100, 240)
    local = mf.ForestClassifier(10, random_state=0).fit(TABLE[rows], LABELS[rows])
    assert forest.classes_.tolist() == local.classes_.tolist()
    assert len(forest.to_local()) == 10
    assert np.allclose(
        forest.to_local()._model.fallback, np.bincount(LABELS[rows]) / 140, atol=1e-12
    )


def test_a_warning_tells_of_partitions_without_trees(in_process):
    forest = classifier(in_process, 2, honest=True)
    with pytest.warns(UserWarning, match="1 of 3 partitions have no tree"):
        forest.fit(collection(TABLE), collection(LABELS))
    assert len(forest.to_local()) == 2


@pytest.mark.parametrize(
    ("params", "name"),
    [
        ({"oob_score": True}, "oob_score"),
        ({"keep_samples": True}, "keep_samples"),
        ({"refine": True}, "refine"),
        ({"ranks": True}, "ranks"),
        ({"warm_start": True}, "warm_start"),
    ],
)
def test_what_needs_all_rows_in_one_place_raises_before_any_work(params, name):
    forest = classifier(None, **params)  # no client: nothing is asked of one
    with pytest.raises(ValueError, match=f"{name} must not be set with rows='partitioned', as "):
        forest.fit(collection(TABLE), collection(LABELS))


def test_metric_forests_need_all_responses_in_one_place():
    forest = mf.dask.MetricForestRegressor(rows="partitioned")
    with pytest.raises(ValueError, match="rows must be 'replicated' for MetricForestRegressor"):
        forest.fit(collection(TABLE), collection(TABLE[:, 0]))


def test_trees_of_partitions_see_the_same_statistics_of_series(in_process, tmp_path):
    projection = mf.projections.Intervals() + mf.projections.DilatedKernels(10)
    forest = classifier(in_process, projection=projection)
    forest.fit(collection(HOLES), collection(LABELS), collection(WEIGHT + 1))
    local = forest.to_local()
    assert local.score(HOLES, LABELS) > 0.7
    assert np.array_equal(forest.predict(collection(HOLES)).compute(), local.predict(HOLES))
    local.save(tmp_path / "forest.mf")
    again = mf.load(tmp_path / "forest.mf")
    assert np.array_equal(again.predict_proba(HOLES), local.predict_proba(HOLES))
    assert local.feature_importances_.shape == (5,)
