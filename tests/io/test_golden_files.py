"""Files of older versions: each loads, and answers as it did when it was written.

`tests/golden/make.py` writes files that are not there yet. Files that are there are never changed:
if one of them fails here, what reads it is wrong.
"""

from __future__ import annotations

import inspect
import json
import pickle
from pathlib import Path

import numpy as np
import pytest
from safetensors import safe_open
from safetensors.numpy import load_file

import manifoldforest as mf
import versions
from golden import make
from golden.make import CASES, answers, stored_rows
from manifoldforest.boundary._model_file import classes as boundary_classes
from manifoldforest.io._bit_packing import same_bits
from manifoldforest.projections import Mixture, Projection, Sum
from manifoldforest.projections import __all__ as names_of_projections
from manifoldforest.spaces._names import CLASSES as STORED_SPACES
from manifoldforest.views._names import CLASSES as STORED_VIEWS
from reference.forged_files import rewritten

FOLDER = Path(__file__).parents[1] / "golden"
FILES = sorted(FOLDER.glob("format*/*.mf"))
# Number of the format of each class; forests of all other classes have FORMAT_OF_FORESTS, or that
# of banks if they have one.
FORMAT_OF_FORESTS = 4
FORMAT_OF_BANKS = 5
WRITTEN_NOW = dict.fromkeys(boundary_classes(), 2)
pytestmark = pytest.mark.filterwarnings("ignore:the distances between responses are not Euclidean")


def named(path):
    return f"{path.parent.name}/{path.stem}"


def content_of(path):
    with safe_open(path, framework="numpy") as file:
        return json.loads(file.metadata()["manifoldforest"])["content"]


def stored_answers(path):
    answers_path = path.with_suffix(".answers")
    with safe_open(answers_path, framework="numpy") as file:
        kind = file.metadata()["rows"]
    return load_file(answers_path), stored_rows()[kind]


def assert_answers(model, path):
    expected, rows = stored_answers(path)
    found = answers(model, rows)
    assert found.keys() == expected.keys()
    for name, array in expected.items():
        if name == "predict" and hasattr(model, "space"):
            # LAPACK and iterations are part of these: the last bits are those of a machine. Which
            # training rows count, and how much, follows from `apply`.
            np.testing.assert_allclose(found[name], array, rtol=1e-6, atol=1e-6)
        elif getattr(model, "loss", None) == "poisson" and versions.NUMPY < (2, 0):
            # which has another exp, one bit off where rates are made of scores
            np.testing.assert_array_max_ulp(found[name], array, maxulp=1)
        else:
            assert same_bits(found[name], array), name


@pytest.mark.parametrize("path", FILES, ids=named)
def test_a_golden_file_answers_as_it_did(path, tmp_path):
    model = mf.load(path)
    assert_answers(model, path)
    assert_answers(pickle.loads(pickle.dumps(model)), path)
    model.save(tmp_path / "again.mf")
    assert_answers(mf.load(tmp_path / "again.mf"), path)


def test_golden_files_are_what_their_folders_say():
    assert FILES
    for path in FILES:
        assert f"format{content_of(path)['format_version']}" == path.parent.name


def parts_of(projection):
    if isinstance(projection, Sum | Mixture):
        yield from (
            found
            for part in projection.get_params().values()
            if isinstance(part, Projection)
            for found in parts_of(part)
        )
    yield type(projection).__name__


def is_current(path):
    """Whether a file has the layout that this version writes."""
    return content_of(path)["format_version"] in make.formats(path.stem)


def format_of(model):
    if getattr(getattr(model, "_model", None), "bank", None) is not None:
        return FORMAT_OF_BANKS
    return WRITTEN_NOW.get(type(model).__name__, FORMAT_OF_FORESTS)


@pytest.fixture(scope="module")
def current():
    """All models in files of the layout that is written now."""
    return [mf.load(path) for path in FILES if is_current(path)]


def test_the_script_leaves_files_that_are_there(tmp_path, monkeypatch):
    monkeypatch.setattr(make, "FOLDER", tmp_path)
    assert "bytes" in make.write("axis")
    (path,) = tmp_path.glob("*/axis.mf")
    assert_answers(mf.load(path), path)
    path.write_bytes(b"an older file")
    said = path.with_suffix(".answers").read_bytes()
    assert "stays as it is" in make.write("axis")
    assert path.read_bytes() == b"an older file"
    assert path.with_suffix(".answers").read_bytes() == said


MISSING = "add a case to tests/golden/make.py and run it"


def test_every_case_has_a_file():
    assert not make.missing(), MISSING
    assert CASES.keys() == {path.stem for path in FILES if is_current(path)}, MISSING


@pytest.mark.parametrize("path", FILES, ids=named)
def test_parameters_of_a_golden_file_mean_what_they_mean_now(path):
    """An older file has the parameters that make the same forest now."""
    _, fit = CASES[path.stem]
    assert parameters(mf.load(path)) == parameters(fit())


def parameters(model):
    if hasattr(model, "get_params"):
        return model.get_params(deep=False)
    return {name: getattr(model, name) for name in inspect.signature(type(model)).parameters}


def test_older_files_of_honest_forests_say_which_share_splits(tmp_path):
    old = FOLDER / "format3/honest_fraction.mf"
    assert content_of(old)["params"]["honest_fraction"] == 0.2
    forest = mf.load(old)
    assert forest.honest_fraction == 0.8
    expected, rows = stored_answers(old)
    grown_now = CASES["honest_fraction"][1]()
    assert same_bits(grown_now.predict_proba(rows), expected["predict_proba.0"])
    forest.save(tmp_path / "again.mf")
    assert content_of(tmp_path / "again.mf")["params"]["honest_fraction"] == 0.8
    assert mf.load(tmp_path / "again.mf").honest_fraction == 0.8


def test_a_share_of_leaves_next_to_nothing_stays_a_share_below_one(tmp_path):
    path = tmp_path / "old.mf"
    path.write_bytes((FOLDER / "format3/honest_fraction.mf").read_bytes())
    rewritten(path, lambda content, _: content["params"].update(honest_fraction=1e-20))
    assert 0.999 < mf.load(path).honest_fraction < 1


def test_this_version_writes_the_formats_that_are_called_current(current, tmp_path):
    for model in current:
        model.save(tmp_path / "model.mf")
        version = content_of(tmp_path / "model.mf")["format_version"]
        assert version == format_of(model), MISSING


def test_every_estimator_has_a_file(current):
    of_boundary = {name: getattr(mf.boundary, name) for name in mf.boundary.__all__}
    of_package = {name: getattr(mf, name) for name in mf.__all__}
    classes = of_package | of_boundary
    public = {name for name, found in classes.items() if hasattr(found, "save")}
    assert public == {type(model).__name__ for model in current}, MISSING


def test_every_projection_has_a_file(current):
    public = {
        name
        for name in names_of_projections
        if isinstance(kind := getattr(mf.projections, name), type)
        and issubclass(kind, Projection)
        and kind is not Projection
    }
    forests = [model for model in current if hasattr(model, "projection_")]
    given = [forest.projection for forest in forests if isinstance(forest.projection, Projection)]
    used = [forest.projection_ for forest in forests]
    stored = {name for projection in (*given, *used) for name in parts_of(projection)}
    assert public == stored, MISSING


def test_every_view_that_can_be_stored_has_a_file(current):
    projections = [model.projection_ for model in current if hasattr(model, "projection_")]
    parts = [part for one in projections for part in (one, *one.get_params().values())]
    stored = {
        type(part.view).__name__ for part in parts if isinstance(part, mf.projections.Patches)
    }
    assert STORED_VIEWS.keys() | {"NoneType"} == stored, MISSING


@pytest.mark.parametrize("kind", [mf.ForestClassifier, mf.ForestRegressor])
def test_every_criterion_has_a_file(kind, current):
    stored = {model.criterion for model in current if type(model) is kind}
    assert set(kind._rules["criterion"].words) == stored, MISSING


def test_every_space_that_can_be_stored_has_a_file(current):
    stored = {type(model.space_).__name__ for model in current if hasattr(model, "space_")}
    assert STORED_SPACES.keys() <= stored, MISSING


@pytest.mark.parametrize("path", FILES, ids=named)
def test_golden_files_are_small(path):
    assert path.stat().st_size < 16_000
    assert path.with_suffix(".answers").stat().st_size < 2_000
