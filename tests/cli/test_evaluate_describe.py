"""``evaluate`` and ``describe``: the numbers of the package, on the table of the user."""

from __future__ import annotations

import csv
import json
import re

import numpy as np
import pytest
from PIL import Image
from typer.testing import CliRunner

import manifoldforest as mf
from manifoldforest import cli
from manifoldforest.tables._encoding import encoded
from manifoldforest.tables._reading import read_data

RNG = np.random.default_rng(0)
N = 80
SIZE = RNG.normal(size=N).round(3)
COLOUR = RNG.choice(["red", "blue"], N)
WEIGHT = RNG.integers(1, 4, N)
LABELS = {
    "text": np.where(SIZE + RNG.normal(0, 0.5, N) > 0, "big", "small"),
    "whole numbers": (SIZE + RNG.normal(0, 0.5, N) > 0).astype(int),
    "booleans": SIZE + RNG.normal(0, 0.5, N) > 0,
    "numbers": (SIZE + RNG.normal(0, 0.5, N)).round(3),
}


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def run(*arguments):
    result = CliRunner().invoke(cli.build_app(), arguments)
    if result.exception is not None:
        raise result.exception
    return result.stdout


def write(path, rows, target):
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["size", "colour", "weight", "what"])
        table = zip(SIZE[rows], COLOUR[rows], WEIGHT[rows], LABELS[target][rows], strict=True)
        writer.writerows([cell.item() for cell in row] for row in table)


TRAIN, TEST = slice(0, 50), slice(50, N)


def fit(target):
    write("train.csv", TRAIN, target)
    write("test.csv", TEST, target)
    arguments = ["fit", "train.csv", "--target", "what", "--ignore", "weight", "-o", "m.mf"]
    run(*arguments, "--trees", "10")
    return mf.load("m.mf")


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
@pytest.mark.parametrize("target", LABELS)
@pytest.mark.parametrize("weighted", [False, True])
def test_evaluate_has_the_numbers_of_the_package(target, weighted):
    forest = fit(target)
    options = ["--weights", "weight"] if weighted else []
    facts = json.loads(run("evaluate", "m.mf", "test.csv", "--json", "--seed", "3", *options))
    X = encoded(forest.table_schema_.features, read_data("test.csv"))
    weight = WEIGHT[TEST] if weighted else None
    y = LABELS[target][TEST]
    expected = mf.evaluate(forest, X, y, sample_weight=weight, random_state=3)
    assert facts["evaluation"] == json.loads(json.dumps(expected.to_dict()))
    assert facts["n_rows"] == 30
    assert facts["command"] == "evaluate"
    text = run("evaluate", "m.mf", "test.csv", "--seed", "3", *options)
    assert text.startswith(str(expected))
    assert "\n\ntime  " in text


def test_labels_that_the_fit_has_not_seen_are_errors():
    fit("text")
    with open("test.csv", encoding="utf-8") as file:
        content = file.read().replace("small", "tiny")
    with open("test.csv", "w", encoding="utf-8") as file:
        file.write(content)
    metrics = json.loads(run("evaluate", "m.mf", "test.csv", "--json"))["evaluation"]["metrics"]
    assert metrics["accuracy"]["value"] < 0.7


def test_evaluate_arrays_and_images():
    table = np.column_stack([SIZE, LABELS["whole numbers"], WEIGHT])
    np.save("t.npy", table)
    run("fit", "t.npy", "--target", "1", "-o", "m.mf", "--trees", "20")
    by_column = json.loads(run("evaluate", "m.mf", "t.npy", "--json"))
    np.savez("t.npz", X=table[:, [0, 2]], y=table[:, 1])
    by_name = json.loads(run("evaluate", "m.mf", "t.npz", "--json"))
    assert by_column["evaluation"] == by_name["evaluation"]
    assert by_column["evaluation"]["metrics"]["accuracy"]["value"] > 0.9


def test_evaluate_images(tmp_path):
    for label, low in {"dark": 0, "light": 120}.items():
        (tmp_path / "pictures" / label).mkdir(parents=True)
        for i in range(6):
            pixels = low + RNG.integers(0, 100, size=(6, 6), dtype=np.uint8)
            pixels[:, i] = 255 - low
            Image.fromarray(pixels).save(tmp_path / "pictures" / label / f"{i}.png")
    run("fit", "pictures", "-o", "m.mf", "--trees", "5")
    facts = json.loads(run("evaluate", "m.mf", "pictures", "--json"))
    assert facts["n_rows"] == 12
    assert facts["evaluation"]["metrics"]["accuracy"]["value"] > 0.9


# ------------------------------------------------------------------------------- describe


def test_describe_is_the_report(tmp_path):
    forest = fit("text")
    text, time = run("describe", "m.mf").rsplit("\n\n", 1)
    assert text.strip() == str(forest.describe()).strip()
    assert re.fullmatch(r"time  \d+(\.\d)? s.*\n", time)
    facts = json.loads(run("describe", "m.mf", "--json"))
    assert facts["report"] == json.loads(json.dumps(forest.describe().to_dict()))
    assert facts["seconds"].keys() == {"starting", "describing"}
    end = run("describe", "m.mf", "--html", "page.html").rsplit("\n\n", 1)[1]
    assert re.fullmatch(r"page  page\.html, \d+ kB\ntime  \d+(\.\d)? s.*\n", end)
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert page.startswith("<!DOCTYPE html>")
    assert "colour=red" in page


def test_describe_takes_models_of_all_kinds():
    index = mf.BoundaryIndex(2, random_state=0)
    index.add(np.column_stack([SIZE, WEIGHT]))
    index.save("index.mf")
    assert "BoundaryIndex" in run("describe", "index.mf")
