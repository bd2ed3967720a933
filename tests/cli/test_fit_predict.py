"""``fit`` and ``predict``: every format there and back, labels of every type, columns by name."""

from __future__ import annotations

import csv
import io
import json
import re
import warnings

import numpy as np
import pyarrow as pa
import pytest
from numpy.testing import assert_array_equal
from PIL import Image
from pyarrow import parquet
from typer.testing import CliRunner

import manifoldforest as mf
from manifoldforest import cli
from manifoldforest.cli._models import RECIPES

RNG = np.random.default_rng(0)
N = 60
SIZE = RNG.normal(size=N).round(3)
COLOUR = RNG.choice(["red", "green", "blue"], N)
OLD = RNG.random(N) < 0.5
CODE = (SIZE > 0).astype(int) + OLD  # 0, 1, 2

TARGETS = {
    "text": np.array(["none", "one", "both"])[CODE],
    "whole numbers": CODE * 10,
    "negative numbers": -CODE,
    "booleans": SIZE > 0,
    "numbers": SIZE * 2 + OLD,
}


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def run(*arguments, **kwargs):
    result = CliRunner().invoke(cli.build_app(), arguments, **kwargs)
    if result.exception is not None:
        raise result.exception
    return result.stdout


def run_json(*arguments, **kwargs):
    return json.loads(run(*arguments, "--json", **kwargs))


def columns(target):
    return {"size": SIZE, "colour": COLOUR, "old": OLD, "what": TARGETS[target]}


def write(path, table):
    """Write columns in the format that the name says."""
    if path.endswith(".parquet"):
        arrays = {n: pa.array(c.tolist() if c.dtype.kind == "U" else c) for n, c in table.items()}
        parquet.write_table(pa.table(arrays), path)
        return path
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, delimiter="\t" if path.endswith(".tsv") else ",")
        writer.writerow(table)
        writer.writerows(zip(*(c.tolist() for c in table.values()), strict=True))
    return path


def read(path):
    """Return the columns of a table of predictions, with their types."""
    if path.endswith(".parquet"):
        table = parquet.read_table(path)
        return {name: table.column(name).to_pylist() for name in table.column_names}
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file, delimiter="\t" if path.endswith(".tsv") else ","))
    return {name: [row[j] for row in rows[1:]] for j, name in enumerate(rows[0])}


# ---------------------------------------------------------------------- formats and labels


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("suffix", ["csv", "tsv", "parquet"])
def test_tables_there_and_back(target, suffix):
    table = write(f"t.{suffix}", columns(target))
    run("fit", table, "--target", "what", "-o", "model.mf", "--trees", "20")
    run("predict", "model.mf", table, "-o", f"out.{suffix}")
    out = read(f"out.{suffix}")
    forest = mf.load("model.mf")
    X = np.column_stack([SIZE, COLOUR == "blue", COLOUR == "green", COLOUR == "red", OLD])
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="X does not have valid feature names")
        expected = forest.predict(X)
        shares = forest.predict_proba(X) if target != "numbers" else None
    names = list(out)
    assert names[0] == "what_prediction"
    if target == "numbers":
        assert names == ["what_prediction"]
        assert_array_equal(np.array(out["what_prediction"], float), expected)
        return
    labels = np.unique(TARGETS[target])
    assert names[1:] == [f"probability_{label}" for label in labels.tolist()]
    assert forest.classes_.dtype.kind == labels.dtype.kind
    found = out["what_prediction"]
    assert found == (expected.tolist() if suffix == "parquet" else list(map(str, expected)))
    assert_array_equal(np.array([out[name] for name in names[1:]], float).T, shares)
    assert np.mean(expected == TARGETS[target]) > 0.9


def test_columns_and_types_are_in_the_model():
    write("t.csv", columns("whole numbers"))
    run("fit", "t.csv", "--target", "what", "-o", "model.mf", "--trees", "2")
    forest = mf.load("model.mf")
    assert forest.table_schema_.to_json() == {
        "features": {
            "kind": "columns",
            "columns": [
                {"name": "size", "kind": "number", "dtype": "float64"},
                {
                    "name": "colour",
                    "kind": "text",
                    "dtype": "string",
                    "levels": ["blue", "green", "red"],
                },
                {"name": "old", "kind": "boolean", "dtype": "bool"},
            ],
        },
        "target": {"name": "what", "dtype": "int64"},
    }
    names = ["size", "colour=blue", "colour=green", "colour=red", "old"]
    assert forest.feature_names_in_.tolist() == names


@pytest.mark.parametrize("dtype", ["int8", "uint16", "int64", "bool", "<U3", "float32"])
@pytest.mark.parametrize("suffix", ["npz", "parquet"])
def test_labels_keep_their_type(dtype, suffix):
    labels = (CODE > 0).astype(dtype)
    if suffix == "npz":
        np.savez("t.npz", X=np.column_stack([SIZE, OLD]), y=labels)
        run("fit", "t.npz", "-o", "model.mf", "--trees", "3")
    else:
        write("t.parquet", {"size": SIZE, "y": labels})
        run("fit", "t.parquet", "--target", "y", "-o", "model.mf", "--trees", "3")
    run("predict", "model.mf", f"t.{suffix}", "-o", f"out.{suffix}")
    if suffix == "npz":
        with np.load("out.npz") as out:
            assert out["prediction"].dtype == labels.dtype
            assert out["classes"].dtype == labels.dtype
            assert out["probability"].shape == (N, 2)
    else:
        stored = parquet.read_table("out.parquet").schema.field("y_prediction").type
        expected = pa.string() if dtype == "<U3" else pa.from_numpy_dtype(labels.dtype)
        assert stored == expected


def test_an_array_with_its_target_in_a_column():
    table = np.column_stack([SIZE, CODE, OLD])
    np.save("t.npy", table)
    facts = run_json("fit", "t.npy", "--target", "1", "-o", "model.mf", "--trees", "20")
    assert facts["task"] == "classification"
    assert facts["feature_shape"] == [2]
    run("predict", "model.mf", "t.npy", "-o", "all.npy")
    np.save("features.npy", table[:, [0, 2]])
    run("predict", "model.mf", "features.npy", "-o", "some.npy")
    assert_array_equal(np.load("all.npy"), np.load("some.npy"))
    assert np.mean(np.load("all.npy") == CODE) > 0.9
    last = run_json("fit", "t.npy", "--target", "-2", "-o", "model2.mf", "--trees", "20")
    assert last["oob_score"] == facts["oob_score"]


def test_arrays_with_several_axes_are_images():
    images = RNG.integers(0, 256, size=(N, 6, 6), dtype=np.uint8)
    np.savez("t.npz", X=images, y=TARGETS["text"])
    facts = run_json("fit", "t.npz", "-o", "model.mf", "--trees", "3")
    assert facts["feature_shape"] == [6, 6]
    assert type(mf.load("model.mf").projection_).__name__ == "Patches"
    run("predict", "model.mf", "t.npz", "-o", "out.csv")
    assert list(read("out.csv"))[0] == "y_prediction"


def test_a_named_table_may_be_followed_by_an_array():
    write("t.csv", {"size": SIZE, "old": OLD, "what": TARGETS["text"]})
    run("fit", "t.csv", "--target", "what", "-o", "model.mf", "--trees", "5")
    np.save("t.npy", np.column_stack([SIZE, OLD]))
    run("predict", "model.mf", "t.csv", "-o", "a.csv")
    run("predict", "model.mf", "t.npy", "-o", "b.csv")
    assert read("a.csv") == read("b.csv")


# ---------------------------------------------------------------------------------- images


@pytest.fixture
def pictures(tmp_path):
    """Bright and dark images in folders of their class."""
    for label, low in {"dark": 0, "light": 120}.items():
        (tmp_path / "pictures" / label).mkdir(parents=True)
        for i in range(12):
            pixels = low + RNG.integers(0, 100, size=(6, 7), dtype=np.uint8)
            pixels[:, i % 7] = 255 - low
            Image.fromarray(pixels).save(tmp_path / "pictures" / label / f"{i:02}.png")
    return tmp_path / "pictures"


def test_folders_of_images(pictures):
    facts = run_json("fit", "pictures", "-o", "model.mf", "--trees", "10")
    assert facts["feature_shape"] == [6, 7]
    assert facts["classes"] == [{"label": k, "n_rows": 12} for k in ("dark", "light")]
    run("predict", "model.mf", "pictures", "-o", "out.csv")
    out = read("out.csv")
    assert list(out) == ["prediction", "probability_dark", "probability_light", "image"]
    assert [file.split("/")[0] for file in out["image"]] == out["prediction"]
    run("predict", "model.mf", "pictures/dark", "-o", "dark.csv")  # without labels
    assert read("dark.csv")["image"][0] == "00.png"
    assert read("dark.csv")["prediction"] == out["prediction"][:12]


def test_images_are_scaled_at_prediction_as_at_the_fit(pictures, tmp_path):
    Image.fromarray(np.zeros((9, 3), np.uint8)).save(pictures / "dark" / "other.png")
    run("fit", "pictures", "--resize", "4x5", "-o", "model.mf", "--trees", "3")
    run("predict", "model.mf", "pictures", "-o", "out.npz")
    with np.load("out.npz") as out:
        assert out["prediction"].shape == (25,)
        assert out["image"][-1] == "light/11.png"


# ------------------------------------------------------------------- columns at prediction


def test_columns_are_found_by_name_in_any_order():
    table = columns("text")
    write("t.csv", table)
    run("fit", "t.csv", "--target", "what", "-o", "model.mf", "--trees", "10")
    run("predict", "model.mf", "t.csv", "-o", "a.csv")
    names = ["old", "size", "colour"]
    write("mixed.csv", {"more": COLOUR} | {name: table[name] for name in names} | {"so": SIZE})
    run("predict", "model.mf", "mixed.csv", "-o", "b.csv")
    assert read("a.csv") == read("b.csv")


def encoded(cells):
    """Return what the forest gets for cells of the columns size, colour and old."""
    from manifoldforest.tables._encoding import encoded as encode
    from manifoldforest.tables._reading import read_data

    with open("new.csv", "w", encoding="utf-8") as file:
        file.write("size,colour,old\n" + "\n".join(cells) + "\n")
    return encode(mf.load("model.mf").table_schema_.features, read_data("new.csv"))


def test_text_booleans_and_empty_cells_as_numbers():
    write("t.csv", columns("text"))
    run("fit", "t.csv", "--target", "what", "-o", "model.mf", "--trees", "2")
    nan = np.nan
    X = encoded(["1.5,red,true", "2,green,false", ",,", "3,violet,true"])
    assert_array_equal(
        X,
        [
            [1.5, 0, 0, 1, 1],
            [2, 0, 1, 0, 0],
            [nan, nan, nan, nan, nan],
            [3, 0, 0, 0, 1],  # a text that the fit has not seen
        ],
    )
    assert X.dtype == np.float32
    assert_array_equal(encoded(["1,,1", "2,,0"])[:, [0, 1, 4]], [[1, nan, 1], [2, nan, 0]])


def test_missing_values_are_learned_from():
    holes = np.where(OLD, "", COLOUR)
    sizes = [str(s) if i % 5 else "" for i, s in enumerate(SIZE)]
    write("t.csv", {"a": np.array(sizes), "b": holes, "what": OLD})
    facts = run_json("fit", "t.csv", "--target", "what", "-o", "model.mf", "--trees", "30")
    assert facts["oob_score"] > 0.95
    run("predict", "model.mf", "t.csv", "-o", "out.csv")
    assert read("out.csv")["what_prediction"] == list(map(str, OLD))


# -------------------------------------------------------------------------------- streams


def test_standard_input_and_output():
    path = write("t.csv", columns("text"))
    with open(path, "rb") as file:
        content = file.read()
    run("fit", "-", "--target", "what", "-o", "model.mf", "--trees", "5", input=content)
    run("predict", "model.mf", "t.csv", "-o", "out.csv")
    out = run("predict", "model.mf", "-", "-o", "-", input=content)
    with open("out.csv", encoding="utf-8") as file:
        assert out == file.read()


@pytest.mark.parametrize("form", ["tsv", "parquet", "npy", "npz"])
def test_standard_output_in_other_formats(form):
    write("t.csv", columns("text"))
    run("fit", "t.csv", "--target", "what", "-o", "model.mf", "--trees", "5")
    run("predict", "model.mf", "t.csv", "-o", f"out.{form}")
    arguments = ["predict", "model.mf", "t.csv", "-o", "-", "--output-format", form]
    result = CliRunner().invoke(cli.build_app(), arguments)
    if form == "npz":  # a zip file has times
        with np.load(io.BytesIO(result.stdout_bytes)) as out, np.load("out.npz") as expected:
            assert_array_equal(out["prediction"], expected["prediction"])
        return
    with open(f"out.{form}", "rb") as file:
        assert result.stdout_bytes == file.read()


def test_a_format_can_be_told(tmp_path):
    write("t.csv", columns("text"))
    (tmp_path / "t.csv").rename("data.txt")
    run("fit", "data.txt", "--format", "csv", "--target", "what", "-o", "m.mf", "--trees", "2")
    arguments = ["predict", "m.mf", "data.txt", "--format", "csv"]
    run(*arguments, "-o", "out.txt", "--output-format", "csv")
    run(*arguments, "-o", "out.csv")
    assert (tmp_path / "out.txt").read_bytes() == (tmp_path / "out.csv").read_bytes()


# -------------------------------------------------------------------------------- options


@pytest.mark.parametrize(
    ("values", "task"),
    [
        (["a", "b"], "classification"),
        (["True", "False"], "classification"),
        (["0", "1"], "classification"),
        (["1.0", "2.0"], "classification"),
        (["0.5", "1"], "regression"),
        ([str(i) for i in range(20)], "classification"),
        ([str(i) for i in range(21)], "regression"),
    ],
)
def test_the_task_goes_by_the_values(values, task):
    target = np.resize(np.array(values), N)
    write("t.csv", {"size": SIZE, "what": target})
    assert (
        run_json("fit", "t.csv", "--target", "what", "-o", "m.mf", "--trees", "2")["task"] == task
    )


def test_few_rows_of_booleans_are_labels():
    write("t.csv", {"size": SIZE[:3], "what": np.array(["True", "False", "True"])})
    facts = run_json("fit", "t.csv", "--target", "what", "-o", "m.mf", "--trees", "2")
    assert facts["task"] == "classification"


def test_few_rows_of_whole_numbers_are_numbers():
    write("t.csv", {"size": SIZE[:5], "what": np.arange(5)})
    facts = run_json("fit", "t.csv", "--target", "what", "-o", "m.mf", "--trees", "2")
    assert facts["task"] == "regression"


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_a_task_can_be_told(task):
    write("t.csv", {"size": SIZE, "what": CODE})
    facts = run_json(
        "fit", "t.csv", "--target", "what", "--task", task, "-o", "m.mf", "--trees", "2"
    )
    assert facts["task"] == task
    assert facts["estimator"] == f"Forest{'Classifier' if task[0] == 'c' else 'Regressor'}"


def test_mixed_labels_can_be_labels():
    write("t.csv", {"size": SIZE, "what": np.where(OLD, "1", "x")})
    arguments = ["fit", "t.csv", "--target", "what", "-o", "m.mf", "--trees", "2"]
    run(*arguments, "--task", "classification")
    assert mf.load("m.mf").classes_.tolist() == ["1", "x"]


@pytest.mark.parametrize("recipe", sorted(set(RECIPES) - {"image"}))
def test_recipes_on_tables(recipe):
    write("t.csv", {"size": SIZE, "more": SIZE**2, "what": TARGETS["numbers"]})
    arguments = ["fit", "t.csv", "--target", "what", "-o", "m.mf", "--trees", "3"]
    facts = run_json(*arguments, "--recipe", recipe.lower())
    assert facts["recipe"] == ("table" if recipe == "auto" else recipe)
    assert facts["n_trees"] == 3
    forest = mf.load("m.mf")
    if recipe == "boosted":
        assert facts["estimator"] == "BoostedForestRegressor"
    else:
        named = mf.named_forest("table" if recipe == "auto" else recipe, "regression")
        assert forest.projection == named.projection
        assert forest.ranks == named.ranks
        if named.bootstrap:
            assert np.isclose(facts["oob_score"], forest.oob_score_)
        else:
            assert facts.get("oob_score") is None


def test_seeds_trees_and_threads():
    write("t.csv", columns("text"))
    arguments = ["fit", "t.csv", "--target", "what", "--trees", "3"]
    files = {}
    for name, more in {
        "a": [],
        "b": ["--n-jobs", "1"],
        "c": ["--seed", "1"],
    }.items():
        run(*arguments, "-o", f"{name}.mf", *more)
        with open(f"{name}.mf", "rb") as file:
            files[name] = file.read()
    assert files["a"] == files["b"]
    assert files["a"] != files["c"]


def test_ignored_columns_and_weights():
    weights = np.where(OLD, 0, 1)
    write("t.csv", columns("text") | {"w": weights, "id": np.array([f"id{i}" for i in range(N)])})
    arguments = ["fit", "t.csv", "--target", "what", "-o", "m.mf", "--trees", "10"]
    facts = run_json(*arguments, "--weights", "w", "--ignore", "id", "--ignore", "old")
    assert facts["columns"] == ["size", "colour"]
    predicted = run("predict", "m.mf", "t.csv", "-o", "-")
    assert "both" not in {line.split(",")[0] for line in predicted.splitlines()[1:]}
    np.savez("t.npz", X=np.column_stack([SIZE, weights]), y=TARGETS["text"], w=weights)
    for more in (["--weights", "w"], ["--weights", "1"]):
        facts = run_json("fit", "t.npz", "-o", "m.mf", "--trees", "10", *more)
        assert facts["feature_shape"] == [1 if more[1] == "1" else 2]
        assert mf.load("m.mf")._model.record.total_weight.tolist() == weights.tolist()


# -------------------------------------------------------------------------------- reports


def test_a_summary_says_what_was_done():
    write("t.csv", columns("text") | {"size": np.where(OLD, "", SIZE.astype(str))})
    out = run("fit", "t.csv", "--target", "what", "-o", "m.mf", "--trees", "20")
    assert all(len(line) <= 80 for line in out.splitlines())
    text = " ".join(out.split())
    n_old = int(OLD.sum())
    assert f"t.csv: 60 rows, 3 columns; text as zeros and ones: colour (3 values); {n_old}" in text
    assert "what, 3 classes: both" in text
    assert "ForestClassifier, 20 trees, recipe table" in text
    assert f"{mf.load('m.mf').oob_score_:.3f} out of bag" in text
    assert "m.mf, " in text
    assert re.search(r" time \d+\.\d s", text)
    out = run("predict", "m.mf", "t.csv", "-o", "out.csv")
    assert "60 rows" in out
    assert "out.csv" in out


def test_json_is_one_object():
    write("t.csv", columns("text"))
    facts = run_json(
        "fit", "t.csv", "--target", "what", "-o", "m.mf", "--trees", "20", "--seed", "3"
    )
    forest = mf.load("m.mf")
    expected = {
        "command": "fit",
        "version": mf.__version__,
        "table": "t.csv",
        "model": "m.mf",
        "recipe": "table",
        "seed": 3,
        "task": "classification",
        "target": "what",
        "estimator": "ForestClassifier",
        "n_trees": 20,
        "n_rows": N,
        "feature_shape": [5],
        "columns": ["size", "colour", "old"],
        "oob_score": forest.oob_score_,
        "notes": [],
    }
    assert {name: facts[name] for name in expected} == expected
    assert facts["seconds"].keys() == {"starting", "reading", "fitting", "writing"}
    counts = {c["label"]: c["n_rows"] for c in facts["classes"]}
    assert counts == {label: (TARGETS["text"] == label).sum() for label in ("both", "none", "one")}
    facts = run_json("predict", "m.mf", "t.csv", "-o", "out.csv")
    assert facts["n_rows"] == N
    assert facts["columns"][0] == "what_prediction"


def test_what_is_worth_knowing_is_a_note():
    table = {"": np.arange(N), "time": 1.6e9 + np.arange(N), "what": TARGETS["text"]}
    write("t.csv", table)
    facts = run_json("fit", "t.csv", "--target", "what", "-o", "m.mf", "--trees", "2")
    assert facts["columns"] == ["time"]
    assert "1 column has no name, and is left out" in facts["notes"]
    assert any("values of 'time' that differ are equal" in note for note in facts["notes"])
    assert any("in every bag" in note for note in facts["notes"])
    out = run("fit", "t.csv", "--target", "what", "-o", "m.mf", "--trees", "2")
    assert "note" in out


def test_where_no_rows_are_kept_apart_nothing_is_known():
    write("t.csv", columns("text"))
    arguments = ["fit", "t.csv", "--target", "what", "-o", "m.mf", "--recipe", "boosted"]
    assert run_json(*arguments, "--trees", "5")["oob_score"] is None
    assert "not known, as no rows were kept apart" in run(*arguments, "--trees", "5")


# ---------------------------------------------------------------- models of other origin


def test_models_that_python_has_saved():
    X = np.column_stack([SIZE, OLD])
    mf.ForestClassifier(5, random_state=0).fit(X, TARGETS["text"]).save("plain.mf")
    np.save("t.npy", X)
    run("predict", "plain.mf", "t.npy", "-o", "a.csv")
    assert list(read("a.csv"))[0] == "prediction"
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame({"size": SIZE, "old": OLD})
    mf.ForestClassifier(5, random_state=0).fit(table, TARGETS["text"]).save("named.mf")
    write("t.csv", {"old": OLD, "size": SIZE})
    run("predict", "named.mf", "t.csv", "-o", "b.csv")
    assert read("a.csv") == read("b.csv")
    mf.ForestRegressor(5, random_state=0).fit(X, X).save("two.mf")
    run("predict", "two.mf", "t.npy", "-o", "c.csv")
    assert list(read("c.csv")) == ["prediction_0", "prediction_1"]


def test_predictions_in_parts_are_those_of_the_whole(monkeypatch):
    from manifoldforest.cli import _predict

    write("t.csv", columns("text"))
    run("fit", "t.csv", "--target", "what", "-o", "m.mf", "--trees", "5")
    run("predict", "m.mf", "t.csv", "-o", "a.csv")
    monkeypatch.setattr(_predict, "_LEAST_ROWS", 7)
    run("predict", "m.mf", "t.csv", "-o", "b.csv")
    assert read("a.csv") == read("b.csv")
