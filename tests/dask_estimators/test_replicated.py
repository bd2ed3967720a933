"""With all rows on all workers a forest is that of the local estimator, byte for byte."""

import dask.array as da
import numpy as np
import pytest

import manifoldforest as mf
from dask_estimators.cases import (
    LABELS,
    MAIN_CASES,
    MORE_CASES,
    TABLE,
    WEIGHT,
    collection,
    model_bytes,
)
from manifoldforest._progress import progress_told_to
from manifoldforest.dask._replicated import tree_ranges


def both(case, client):
    """Return the forest of the local estimator, and that of the workers."""
    (name, params), X, y, weight = case
    local = getattr(mf, name)(**params).fit(X, y, weight)
    forest = getattr(mf.dask, name)(**params, client=client)
    return local, forest.fit(collection(X), collection(y), collection(weight))


@pytest.mark.parametrize("case", MAIN_CASES.values(), ids=MAIN_CASES.keys())
def test_two_processes_grow_the_forest_of_one(case, two_processes, tmp_path):
    local, forest = both(case, two_processes)
    assert model_bytes(forest, tmp_path) == model_bytes(local, tmp_path)


@pytest.mark.parametrize("case", MAIN_CASES.values(), ids=MAIN_CASES.keys())
def test_three_processes_of_which_one_has_no_data_do_too(case, three_processes, tmp_path):
    (name, params), *data = case
    local = getattr(mf, name)(**params).fit(*data)
    holders = sorted(three_processes.nthreads())[:2]
    held = three_processes.persist(
        [collection(values) for values in data if values is not None], workers=holders
    )
    forest = getattr(mf.dask, name)(**params, client=three_processes).fit(*held)
    assert model_bytes(forest, tmp_path) == model_bytes(local, tmp_path)


@pytest.mark.parametrize("case", MORE_CASES.values(), ids=MORE_CASES.keys())
def test_all_kinds_of_forests_are_the_same(case, in_process, tmp_path):
    local, forest = both(case, in_process)
    if "FromCallable" in repr(local):  # files hold no functions
        assert forest.predict(collection(case[1])).compute().tolist() == local.predict(case[1])
    else:
        assert model_bytes(forest, tmp_path) == model_bytes(local, tmp_path)


def test_a_dataframe_gives_the_names_of_its_columns(in_process, tmp_path):
    dd = pytest.importorskip("dask.dataframe")
    pd = pytest.importorskip("pandas")
    table = pd.DataFrame(TABLE, columns=list("abcde")).assign(label=LABELS, weight=WEIGHT)
    data = [table[list("abcde")], table["label"], table["weight"]]
    local = mf.ForestClassifier(5, random_state=0).fit(*data)
    forest = mf.dask.ForestClassifier(5, random_state=0, client=in_process)
    forest.fit(*(dd.from_pandas(part, npartitions=3) for part in data))
    assert forest.feature_names_in_.tolist() == list("abcde")
    assert model_bytes(forest, tmp_path) == model_bytes(local, tmp_path)


def test_a_warm_start_adds_the_trees_that_a_single_fit_has(in_process, tmp_path):
    X, y = collection(TABLE), collection(LABELS)
    forest = mf.dask.ForestClassifier(4, warm_start=True, oob_score=lambda *_: 0.5, random_state=0)
    with pytest.warns(UserWarning, match="Some inputs do not have OOB scores"):
        forest.set_params(client=in_process).fit(X, y)
    with pytest.warns(UserWarning, match="Some inputs do not have OOB scores"):
        forest.set_params(n_estimators=9).fit(X, y)
    forest.set_params(oob_score=False, n_estimators=20).fit(X, y)
    local = mf.ForestClassifier(20, random_state=0, warm_start=True).fit(TABLE, LABELS)
    assert model_bytes(forest, tmp_path) == model_bytes(local, tmp_path)
    with pytest.raises(ValueError, match="n_estimators must be at least 20"):
        forest.set_params(n_estimators=3).fit(X, y)
    assert len(forest.to_local()) == 20  # a failed fit changes nothing


def test_a_generator_is_drawn_from_once_for_each_fit(in_process):
    here, there = np.random.RandomState(3), np.random.RandomState(3)
    for _ in range(2):
        local = mf.ForestClassifier(3, random_state=here).fit(TABLE, LABELS)
        forest = mf.dask.ForestClassifier(3, random_state=there, client=in_process)
        forest.fit(collection(TABLE), collection(LABELS))
        assert forest.to_local()._model.seed == local._model.seed
    assert forest.random_state is there


def test_blocks_of_x_and_y_need_not_be_the_same(in_process, tmp_path):
    local = mf.ForestRegressor(3, random_state=0).fit(TABLE, TABLE[:, 0])
    X = da.from_array(TABLE, chunks=((100, 0, 140), (2, 3)))  # divided columns, an empty block
    y = da.from_array(TABLE[:, 0], chunks=77)
    forest = mf.dask.ForestRegressor(3, random_state=0, client=in_process).fit(X, y)
    assert model_bytes(forest, tmp_path) == model_bytes(local, tmp_path)


def test_blocks_of_unknown_sizes_are_taken(in_process, tmp_path):
    kept = TABLE[:, 0] > -0.5
    local = mf.ForestClassifier(3, random_state=0).fit(TABLE[kept], LABELS[kept])
    X, y = collection(TABLE), collection(LABELS)
    forest = mf.dask.ForestClassifier(3, random_state=0, client=in_process)
    forest.fit(X[X[:, 0] > -0.5], y[X[:, 0] > -0.5])
    assert model_bytes(forest, tmp_path) == model_bytes(local, tmp_path)


def test_types_of_blocks_are_joined_as_numpy_joins_them(in_process, tmp_path):
    bits = np.arange(240, dtype=np.uint8).reshape(-1, 2)
    X = da.concatenate([da.from_array(bits, chunks=60), da.from_array(bits / 3.0, chunks=60)])
    y = da.from_array(np.arange(240) % 7, chunks=50)
    forest = mf.dask.ForestClassifier(3, random_state=0, client=in_process).fit(X, y)
    local = mf.ForestClassifier(3, random_state=0).fit(X.compute(), y.compute())
    assert model_bytes(forest, tmp_path) == model_bytes(local, tmp_path)


def test_trees_are_divided_by_threads_and_groups_of_copies_stay_together():
    assert tree_ranges(range(0, 10), [1, 1], 1) == [range(0, 5), range(5, 10)]
    assert tree_ranges(range(4, 13), [1, 2], 1) == [range(4, 7), range(7, 13)]
    assert tree_ranges(range(0, 2), [1, 1, 1], 1) == [range(0, 1), range(1, 1), range(1, 2)]
    assert tree_ranges(range(5, 33), [1, 1], 10) == [range(5, 20), range(20, 33)]
    assert [len(r) for r in tree_ranges(range(3, 3), [1, 1], 10)] == [0, 0]


@pytest.mark.parametrize("rows", ["replicated", "partitioned"])
def test_progress_is_told_on_the_client(rows, in_process, capsys):
    heard = []
    forest = mf.dask.ForestClassifier(30, verbose=1, rows=rows, client=in_process)
    with progress_told_to(lambda done, total: heard.append((done, total))):
        forest.fit(collection(TABLE), collection(LABELS))
    assert heard[-1] == (30, 30)
    assert heard == sorted(set(heard))
    assert "ForestClassifier: 30 of 30 trees" in capsys.readouterr().err
