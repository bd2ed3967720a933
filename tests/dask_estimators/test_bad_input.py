"""Wrong input is an error that says what is wrong, or gives the right result; never a wait."""

import dask.array as da
import dask.bag as db
import numpy as np
import pytest
from distributed import Client, LocalCluster

import manifoldforest as mf
from dask_estimators.cases import LABELS, TABLE, WORDS, collection
from manifoldforest.dask import _cluster

each_way = pytest.mark.parametrize("rows", ["replicated", "partitioned"])


def blocks(*arrays):
    """Return a collection whose blocks are not what it says, as those of a faulty reader."""
    made = [da.from_array(array) for array in arrays]
    parts = [
        da.from_delayed(part.to_delayed().reshape(-1)[0], (len(array), 5), float)
        for part, array in zip(made, arrays, strict=True)
    ]
    return da.concatenate(parts)


@pytest.mark.parametrize(
    ("name", "wrong", "error"),
    [
        ("client", "tcp://host:8786", TypeError),
        ("rows", 3, TypeError),
        ("rows", "spread", ValueError),
        ("n_estimators", 0, ValueError),
        ("projection", "nothing", ValueError),
        ("n_jobs", "all", TypeError),
    ],
)
def test_a_wrong_parameter_is_an_error_that_names_it(name, wrong, error):
    with pytest.raises(error, match=rf"{name} must .*got"):
        mf.dask.ForestClassifier(**{name: wrong}).fit(collection(TABLE), collection(LABELS))


@pytest.mark.parametrize(
    ("X", "y", "weight", "text"),
    [
        (TABLE, collection(LABELS), None, "X must be a dask array or a dask dataframe, got"),
        (None, collection(LABELS), None, "X must be a dask array or a dask dataframe, got None"),
        (collection(TABLE), LABELS, None, "y must be a dask array, a dask series"),
        (collection(TABLE), db.from_sequence([1, 2]), None, "y must be a dask array, a dask"),
        (collection(TABLE), collection(LABELS), np.ones(240), "sample_weight must be a dask array"),
    ],
)
def test_data_in_memory_are_refused(X, y, weight, text):
    with pytest.raises(TypeError, match=text):
        mf.dask.ForestClassifier().fit(X, y, weight)


def test_y_is_needed():
    with pytest.raises(ValueError, match="requires y to be passed, but the target y is None"):
        mf.dask.ForestClassifier().fit(collection(TABLE), None)


@each_way
def test_different_numbers_of_rows_are_an_error(rows, in_process):
    forest = mf.dask.ForestClassifier(2, rows=rows, client=in_process)
    with pytest.raises(ValueError, match="got 240 rows of X and 239 rows of y"):
        forest.fit(collection(TABLE), da.from_array(LABELS[:239]))
    X, y = collection(TABLE), collection(LABELS)
    with pytest.raises(ValueError, match="X and y must have equally many rows"):
        forest.fit(X[X[:, 0] > 0], y[X[:, 0] > -0.5])  # of unknown sizes


def test_partitions_of_unknown_sizes_must_be_as_many(in_process):
    forest = mf.dask.ForestClassifier(2, rows="partitioned", client=in_process)
    X, y = collection(TABLE), da.from_array(LABELS, chunks=120)
    with pytest.raises(ValueError, match="y must have as many partitions as X, 3, as long as"):
        forest.fit(X[X[:, 0] > 0], y[y > 0])


@each_way
def test_partitions_of_different_widths_are_an_error(rows, in_process):
    forest = mf.dask.ForestClassifier(2, rows=rows, client=in_process)
    X = blocks(TABLE[:100], TABLE[100:, :4])
    y = da.from_array(LABELS, chunks=((100, 140),))
    with pytest.raises(ValueError, match=r"partition 0 and \(4,\) in partition 1"):
        forest.fit(X, y)


@each_way
def test_labels_of_different_types_are_an_error(rows, in_process):
    labels = LABELS[:100].astype(object), WORDS[100:].astype(object)
    y = da.concatenate([da.from_array(part, chunks=-1) for part in labels])
    forest = mf.dask.ForestClassifier(2, rows=rows, client=in_process)
    with pytest.raises((TypeError, ValueError), match="y must .*labels of one type, got"):
        forest.fit(da.from_array(TABLE, chunks=((100, 140), 5)), y)


@each_way
@pytest.mark.parametrize(
    ("X", "y", "weight", "text"),
    [
        (np.where(TABLE > 2, np.inf, TABLE), LABELS, None, "infinity"),
        (TABLE, LABELS + 0.5, None, "Unknown label type"),
        (TABLE, np.where(LABELS, np.nan, 1.0), None, "contains NaN"),
        (TABLE, LABELS, np.zeros(240), "sample_weight must have at least one weight"),
        (TABLE, LABELS, np.full(240, -1.0), "sample_weight must hold finite numbers >= 0"),
        (TABLE[:0], LABELS[:0], None, "row|sample"),
    ],
)
def test_errors_of_workers_are_those_of_a_local_fit(X, y, weight, text, rows, in_process):
    forest = mf.dask.ForestClassifier(2, rows=rows, client=in_process)
    with pytest.raises(ValueError, match=text):
        forest.fit(
            *(
                v if v is None else da.from_array(v, chunks=(120, *v.shape[1:]))
                for v in (X, y, weight)
            )
        )
    with pytest.raises(ValueError, match=text):
        mf.ForestClassifier(2).fit(X, y, weight)


@each_way
def test_missing_values_are_taken(rows, in_process):
    X = np.where(TABLE > 1, np.nan, TABLE)
    forest = mf.dask.ForestClassifier(5, rows=rows, client=in_process)
    forest.fit(collection(X), collection(LABELS))
    assert forest.predict(collection(X)).compute().shape == (240,)


@each_way
def test_a_poisson_forest_needs_events_and_no_negative_number(rows, in_process):
    forest = mf.dask.ForestRegressor(4, criterion="poisson", rows=rows, client=in_process)
    events = np.where(np.arange(240) % 4, 0.0, 1.0)
    forest.fit(collection(TABLE), collection(events))
    with pytest.raises(ValueError, match="poisson"):
        forest.fit(collection(TABLE), collection(-events))
    late = np.where(np.arange(240) < 150, 0.0, 1.0)  # nothing but 0 in partition 0
    if rows == "replicated":
        forest.fit(collection(TABLE), collection(late))
    else:
        with pytest.raises(ValueError, match=r"above 0 .*\(in partition 0\)"):
            forest.fit(collection(TABLE), collection(late))


@pytest.mark.parametrize(
    ("version", "has"), [("0.0.1", "manifoldforest 0.0.1"), (None, "no manifoldforest")]
)
def test_a_worker_with_another_version_is_an_error(version, has, in_process, monkeypatch):
    ask = in_process.get_versions

    def answers(**packages):
        found = ask(**packages)
        worker = next(iter(found["workers"].values()))
        assert worker["packages"]["manifoldforest"] == mf.__version__
        worker["packages"]["manifoldforest"] = version
        return found

    monkeypatch.setattr(in_process, "get_versions", answers)
    forest = mf.dask.ForestClassifier(2, client=in_process)
    with pytest.raises(RuntimeError, match=f"must have .* got the worker .* with {has}"):
        forest.fit(collection(TABLE), collection(LABELS))


def test_a_cluster_without_workers_is_an_error_after_a_while(monkeypatch):
    monkeypatch.setattr(_cluster, "WORKER_LIMIT", 0.5)
    with (
        LocalCluster(n_workers=0, processes=False, dashboard_address=":0") as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        forest = mf.dask.ForestClassifier(2, client=client)
        with pytest.raises(RuntimeError, match="client must have workers, got a cluster without"):
            forest.fit(collection(TABLE), collection(LABELS))


def test_workers_that_are_gone_for_long_end_a_fit(monkeypatch):
    monkeypatch.setattr(_cluster, "WORKER_LIMIT", 0.5)
    with (
        LocalCluster(n_workers=1, processes=False, dashboard_address=":0") as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        future = client.submit(sum, [1, 2], resources={"nowhere": 1})
        cluster.scale(0)
        with pytest.raises(RuntimeError, match="all workers were gone for 0.5 s during the fit"):
            _cluster.results_of(client, [future])


def test_a_failed_fit_leaves_the_estimator_as_it_was(in_process):
    forest = mf.dask.ForestClassifier(2, client=in_process)
    with pytest.raises(ValueError, match="Unknown label type"):
        forest.fit(collection(TABLE), collection(TABLE[:, 0]))
    assert not hasattr(forest, "classes_")
    forest.fit(collection(TABLE), collection(LABELS))
    with pytest.raises(ValueError, match="Unknown label type"):
        forest.fit(collection(TABLE), collection(TABLE[:, 0]))
    assert forest.classes_.tolist() == [0, 1, 2]
