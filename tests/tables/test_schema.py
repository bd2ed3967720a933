"""Schemas of tables: model files keep them, another fit drops them, readers check them."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone

import manifoldforest as mf
from manifoldforest.tables import TableSchema
from manifoldforest.tables._schema import (
    ArrayPositions,
    FeatureColumn,
    ImagePixels,
    NamedColumns,
)
from reference.forged_files import rewritten

RNG = np.random.default_rng(0)
X = RNG.normal(size=(30, 4)).astype(np.float32)
LABELS = np.where(X[:, 0] > 0, "yes", "no")

COLUMNS = NamedColumns(
    (
        FeatureColumn("size", "number", "int64"),
        FeatureColumn("colour", "text", "string", ("blue", "red")),
        FeatureColumn("old", "boolean", "bool"),
    )
)
SCHEMA = TableSchema(COLUMNS, "bought", "string")
SCHEMAS = {
    "columns": SCHEMA,
    "all of an array": TableSchema(ArrayPositions(), "y", "int8"),
    "some of an array": TableSchema(ArrayPositions(5, (0, 1, 3, 4), 2), None, "float32"),
    "without a target among the columns": TableSchema(ArrayPositions(2, (1,)), "y", "bool"),
    "images": TableSchema(ImagePixels(8, 9, "colour", True), None, "string"),
}


def fitted():
    forest = mf.ForestClassifier(3, random_state=0).fit(X, LABELS)
    forest.table_schema_ = SCHEMA
    return forest


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_schema_comes_back_from_json(name):
    assert TableSchema.from_json(SCHEMAS[name].to_json()) == SCHEMAS[name]


def test_features_of_a_text_column_are_named_after_its_texts():
    assert COLUMNS.feature_names == ["size", "colour=blue", "colour=red", "old"]


# ---------------------------------------------------------------------------------- files


def test_a_model_file_keeps_the_schema(tmp_path):
    forest = fitted()
    forest.save(tmp_path / "model.mf")
    again = mf.load(tmp_path / "model.mf")
    assert again.table_schema_ == SCHEMA
    again.save(tmp_path / "again.mf")
    assert (tmp_path / "again.mf").read_bytes() == (tmp_path / "model.mf").read_bytes()
    assert pickle.loads(pickle.dumps(forest)).table_schema_ == SCHEMA


def test_a_forest_without_a_schema_has_the_file_it_had(tmp_path):
    forest = mf.ForestClassifier(3, random_state=0).fit(X, LABELS)
    forest.save(tmp_path / "model.mf")
    assert b"table_schema" not in (tmp_path / "model.mf").read_bytes()
    assert not hasattr(mf.load(tmp_path / "model.mf"), "table_schema_")


def test_older_files_have_no_schema():
    folder = Path(__file__).parents[1] / "golden"
    for path in (folder / "format2/axis.mf", folder / "format4/axis.mf"):
        assert not hasattr(mf.load(path), "table_schema_")


def test_a_golden_file_has_the_schema_it_was_given():
    path = Path(__file__).parents[1] / "golden/format4/table_schema.mf"
    expected = TableSchema(ImagePixels(4, 6, "grey", resize=True), None, "string")
    assert mf.load(path).table_schema_ == expected


def test_another_fit_forgets_the_schema():
    forest = fitted()
    assert not hasattr(clone(forest), "table_schema_")
    forest.fit(X, LABELS)
    assert not hasattr(forest, "table_schema_")


def test_all_forests_of_one_output_keep_a_schema(tmp_path):
    schema = TableSchema(ArrayPositions(), "y", "float64")
    for kind in (
        mf.ForestRegressor,
        mf.BoostedForestRegressor,
        mf.MetricForestRegressor,
        mf.KernelForestRegressor,
    ):
        forest = kind(2, random_state=0).fit(X, X[:, 0])
        forest.table_schema_ = schema
        forest.save(tmp_path / "model.mf")
        assert mf.load(tmp_path / "model.mf").table_schema_ == schema


# -------------------------------------------------------------------------------- forgery


def changed(*keys, value):
    """Return a function that sets one entry of a schema in JSON, or removes it."""

    def change(content):
        for key in keys[:-1]:
            content = content[key]
        if value is None and isinstance(content, dict) and keys[-1] not in content:
            raise AssertionError(keys)
        content[keys[-1]] = value

    return change


def without(*keys):
    def change(content):
        for key in keys[:-1]:
            content = content[key]
        del content[keys[-1]]

    return change


SECOND = ("features", "columns", 1)
FORGED_COLUMNS = {
    "no target": without("target"),
    "a key too many": changed("more", value=1),
    "a target that is a text": changed("target", value="bought"),
    "a target with a number for a name": changed("target", "name", value=3),
    "a target of objects": changed("target", "dtype", value="object"),
    "a target of a type that is a list": changed("target", "dtype", value=["string"]),
    "a target of numbers": changed("target", "dtype", value="int64"),
    "a target of booleans": changed("target", "dtype", value="bool"),
    "features that are a list": changed("features", value=[]),
    "features of another kind": changed("features", "kind", value="sounds"),
    "features of a kind that is a list": changed("features", "kind", value=[]),
    "columns that are a text": changed("features", "columns", value="abc"),
    "columns that are texts": changed("features", "columns", value=["a", "b", "c", "d"]),
    "a column too few": without("features", "columns", 2),
    "a column without a type": without(*SECOND, "dtype"),
    "a column without a name": changed(*SECOND, "name", value=" "),
    "two columns of one name": changed(*SECOND, "name", value="size"),
    "a name that is a number": changed(*SECOND, "name", value=1),
    "a column of another kind": changed(*SECOND, "kind", value="date"),
    "a column of a kind that is a list": changed(*SECOND, "kind", value=["text"]),
    "text of the type of numbers": changed(*SECOND, "dtype", value="int64"),
    "numbers of the type of text": changed("features", "columns", 0, "dtype", value="string"),
    "no texts": changed(*SECOND, "levels", value=[]),
    "texts in another order": changed(*SECOND, "levels", value=["red", "blue"]),
    "the same text twice": changed(*SECOND, "levels", value=["red", "red"]),
    "an empty text": changed(*SECOND, "levels", value=["", "red"]),
    "texts that are numbers": changed(*SECOND, "levels", value=[1, 2]),
    "texts that are one text": changed(*SECOND, "levels", value="ab"),
    "a text too many": changed(*SECOND, "levels", value=["a", "b", "c"]),
    "very many texts": changed(*SECOND, "levels", value=[f"{i:03}" for i in range(21)]),
    "numbers with texts": changed("features", "columns", 0, "levels", value=["a"]),
}


@pytest.mark.parametrize("name", FORGED_COLUMNS)
def test_forged_schemas_in_files_are_refused(name, tmp_path):
    path = tmp_path / "model.mf"
    fitted().save(path)
    rewritten(path, lambda content, _: FORGED_COLUMNS[name](content["table_schema"]))
    with pytest.raises(mf.ModelFileError, match="the table schema is damaged or does not fit"):
        mf.load(path)


FORGED_OTHERS = {
    "array: width in text": ("some of an array", changed("features", "n_columns", value="5")),
    "array: no columns": ("some of an array", changed("features", "n_columns", value=None)),
    "array: huge": ("some of an array", changed("features", "n_columns", value=2**40)),
    "array: places beyond": ("some of an array", changed("features", "used", value=[0, 5])),
    "array: places before": ("some of an array", changed("features", "used", value=[-1, 1])),
    "array: places in disorder": ("some of an array", changed("features", "used", value=[1, 0])),
    "array: places that are true": ("some of an array", changed("features", "used", value=[True])),
    "array: no places": ("some of an array", changed("features", "used", value=[])),
    "array: the target is a feature": ("some of an array", changed("features", "target", value=1)),
    "array: the target is beyond": ("some of an array", changed("features", "target", value=9)),
    "array: the target is true": ("some of an array", changed("features", "target", value=True)),
    "images: no height": ("images", changed("features", "height", value=0)),
    "images: width of a fraction": ("images", changed("features", "width", value=1.5)),
    "images: other pixels": ("images", changed("features", "pixels", value="infrared")),
    "images: pixels that are a list": ("images", changed("features", "pixels", value=[])),
    "images: resize is a number": ("images", changed("features", "resize", value=1)),
    "images: a key too few": ("images", without("features", "resize")),
}


@pytest.mark.parametrize("name", FORGED_OTHERS)
def test_forged_schemas_of_arrays_and_images_are_refused(name):
    schema, change = FORGED_OTHERS[name]
    content = copy.deepcopy(SCHEMAS[schema].to_json())
    change(content)
    with pytest.raises(ValueError, match="damaged or does not fit"):
        TableSchema.from_json(content)


@pytest.mark.parametrize(
    ("schema", "shape", "kind"),
    [
        ("columns", (3,), "U"),
        ("columns", (4,), "i"),
        ("columns", (4,), None),
        ("some of an array", (5,), None),
        ("some of an array", (4,), "U"),
        ("images", (8, 9), "U"),
        ("images", (9, 8, 3), "U"),
        ("without a target among the columns", (1,), "i"),
    ],
)
def test_a_schema_must_fit_the_forest(schema, shape, kind):
    with pytest.raises(ValueError, match="does not fit"):
        SCHEMAS[schema].check(shape, kind)


def test_a_schema_is_for_one_output(tmp_path):
    path = tmp_path / "model.mf"
    mf.ForestRegressor(2, random_state=0).fit(X, X[:, :2]).save(path)
    schema = TableSchema(ArrayPositions(), None, "float64").to_json()
    rewritten(path, lambda content, _: content.update(table_schema=schema))
    with pytest.raises(mf.ModelFileError, match="for one output"):
        mf.load(path)
