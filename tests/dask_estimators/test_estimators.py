"""Parameters, predictions and copies of the estimators."""

import inspect
import io
import pickle
import subprocess
import sys

import cloudpickle
import dask.array as da
import joblib
import numpy as np
import pytest
from distributed import Client
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

import manifoldforest as mf
from dask_estimators.cases import IMAGES, LABELS, MATRICES, TABLE, WORDS, collection
from manifoldforest.dask._parameters_of import _with_parameters

NAMES = ["ForestClassifier", "ForestRegressor", "MetricForestRegressor"]


@pytest.mark.parametrize("name", NAMES)
def test_constructors_are_those_of_local_estimators_with_client_and_rows(name):
    local = inspect.signature(getattr(mf, name)).parameters
    here = inspect.signature(getattr(mf.dask, name)).parameters
    assert list(here)[:-2] == list(local)
    assert all(here[key].default == local[key].default for key in local)
    assert all(here[key].kind == local[key].kind for key in local)
    assert (here["client"].default, here["rows"].default) == (None, "replicated")
    with pytest.raises(TypeError, match="n_trees"):
        getattr(mf.dask, name)(n_trees=3)


def test_docstrings_do_not_depend_on_their_indentation():
    text = mf.dask._classifier.ForestClassifier.__doc__
    own = """Forests.

    Parameters
    ----------
    rows : str
        Where:

        * here,
        * there.

    Examples
    --------
    >>> 1
    """
    local = mf.ForestClassifier.__doc__
    cleaned = [inspect.cleandoc(part) for part in (own, local)]
    assert _with_parameters(*cleaned) == _with_parameters(own, local)
    assert "* there.\n\nExamples" in _with_parameters(own, local)
    assert text == inspect.cleandoc(text) + "\n"


def test_python_without_docstrings_has_the_estimators():
    code = "import manifoldforest.dask as d; assert d.ForestClassifier(3).n_estimators == 3"
    subprocess.run([sys.executable, "-OO", "-W", "ignore", "-c", code], check=True, timeout=120)


@pytest.mark.parametrize("name", NAMES)
def test_docstrings_have_all_parameters_and_those_that_differ_in_other_words(name):
    here, local = getattr(mf.dask, name).__doc__, getattr(mf, name).__doc__
    for parameter in inspect.signature(getattr(mf.dask, name)).parameters:
        assert here.count(f"\n{parameter} : ") == 1
    assert "Number of threads on each worker" in here
    assert "Number of threads on each worker" not in local


def test_parameters_of_parameters_can_be_read_and_set():
    forest = mf.dask.ForestClassifier(7, projection="patches", rows="partitioned")
    forest.set_params(projection__max_size=3, n_jobs=2, rows="replicated")
    params = forest.get_params()
    assert (params["projection__max_size"], params["n_jobs"], params["rows"]) == (
        3,
        2,
        "replicated",
    )
    assert (forest.n_estimators, forest.client) == (7, None)
    with pytest.raises(ValueError, match="Invalid parameter 'trees'"):
        forest.set_params(trees=3)


@pytest.fixture(scope="module")
def fitted(in_process):
    forest = mf.dask.ForestClassifier(5, random_state=0, client=in_process)
    return forest.fit(collection(TABLE), collection(WORDS))


@pytest.mark.parametrize("module", [pickle, cloudpickle, joblib])
def test_copies_have_no_client_and_the_same_trees(module, fitted):
    unfitted = mf.dask.ForestRegressor(3, client=fitted.client)
    for forest in (fitted, unfitted, fitted.to_local()):
        if module is joblib:
            file = io.BytesIO()
            joblib.dump(forest, file)
            file.seek(0)
            copied = joblib.load(file)
        else:
            copied = module.loads(module.dumps(forest))
        assert getattr(copied, "client", None) is None
        assert type(copied) is type(forest)
        if forest is not unfitted:
            assert np.array_equal(copied.feature_importances_, fitted.feature_importances_)
    assert fitted.client is not None


def test_a_clone_keeps_the_client_and_no_trees(fitted):
    copied = clone(fitted)
    assert copied.client is fitted.client
    assert copied.get_params() == fitted.get_params()
    assert not hasattr(copied, "classes_")
    with pytest.raises(ValueError, match="not fitted"):
        copied.to_local()


def test_predictions_are_lazy_and_those_of_the_local_estimator(fitted):
    local, X = fitted.to_local(), collection(TABLE)
    for method in ("predict", "predict_proba", "apply"):
        lazy, expected = getattr(fitted, method)(X), getattr(local, method)(TABLE)
        assert isinstance(lazy, da.Array)
        assert (lazy.shape, lazy.dtype) == (expected.shape, expected.dtype)
        assert lazy.chunks[0] == X.chunks[0]
        assert np.array_equal(lazy.compute(), expected)


def test_predictions_of_several_outputs_and_of_points(in_process):
    labels = np.stack([LABELS, LABELS[::-1]], axis=1)
    X = collection(IMAGES)
    forest = mf.dask.ForestClassifier(3, client=in_process).fit(X, collection(labels))
    assert forest.predict(X).compute().tolist() == forest.to_local().predict(IMAGES).tolist()
    for lazy, expected in zip(
        forest.predict_proba(X), forest.to_local().predict_proba(IMAGES), strict=True
    ):
        assert np.array_equal(lazy.compute(), expected)
    points = mf.dask.MetricForestRegressor(3, space="spd", client=in_process)
    points.fit(X, collection(MATRICES))
    assert points.predict(X).shape == (240, 2, 2)
    assert np.allclose(points.predict(X).compute(), points.to_local().predict(IMAGES))


def test_predictions_of_blocks_without_rows_or_of_unknown_size(fitted):
    X = da.from_array(TABLE, chunks=((0, 100, 0, 140), 5))
    assert np.array_equal(fitted.predict(X).compute(), fitted.to_local().predict(TABLE))
    kept = TABLE[:, 0] > 1
    some = fitted.predict(X[X[:, 0] > 1])
    assert np.isnan(some.shape[0])
    assert np.array_equal(some.compute(), fitted.to_local().predict(TABLE[kept]))


def test_what_is_wrong_with_examples_is_said_before_anything_is_computed(fitted):
    with pytest.raises(ValueError, match="X has 4 features"):
        fitted.predict(collection(TABLE[:, :4]))
    with pytest.raises(TypeError, match="X must be a dask array or a dask dataframe"):
        fitted.predict(TABLE)


def test_names_of_columns_are_compared_at_prediction(in_process):
    dd = pytest.importorskip("dask.dataframe")
    pd = pytest.importorskip("pandas")
    table = dd.from_pandas(pd.DataFrame(TABLE, columns=list("abcde")), npartitions=2)
    forest = mf.dask.ForestRegressor(3, random_state=0, client=in_process)
    forest.fit(table, table["a"])
    expected = forest.to_local().predict(table.compute())
    assert np.array_equal(forest.predict(table).compute(), expected)
    with pytest.raises(ValueError, match="feature names should match"):
        forest.predict(table.rename(columns={"a": "z"}))


def test_the_default_client_is_used_and_a_fit_without_any_is_an_error(in_process):
    X, y = collection(TABLE), collection(LABELS)
    forest = mf.dask.ForestClassifier(2, random_state=0)
    with in_process.as_current():
        assert forest.fit(X, y).classes_.tolist() == [0, 1, 2]
    closed = Client(in_process.scheduler.address, set_as_default=False)
    closed.close()
    with pytest.raises(ValueError, match="client must be connected to a scheduler, got one whose"):
        forest.set_params(client=closed).fit(X, y)


@pytest.mark.skipif(not hasattr(joblib, "parallel_config"), reason="joblib < 1.3")
def test_searches_for_parameters_of_local_forests_run_on_workers(in_process):
    search = GridSearchCV(
        mf.ForestClassifier(3, random_state=0), {"max_depth": [1, 5]}, cv=2, refit=False
    )
    here = search.fit(TABLE, LABELS).cv_results_["mean_test_score"]
    with in_process.as_current(), joblib.parallel_config("dask", wait_for_workers_timeout=30):
        there = clone(search).fit(TABLE, LABELS).cv_results_["mean_test_score"]
    assert np.array_equal(here, there)


def test_without_dask_the_error_names_the_extra():
    code = "import sys; sys.modules['distributed'] = None; import manifoldforest.dask"
    found = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120
    )
    assert "ModuleNotFoundError" in found.stderr
    assert "manifoldforest.dask needs distributed" in found.stderr
    assert "pip install 'manifoldforest[dask]'" in found.stderr
