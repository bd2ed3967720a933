"""Input that cannot be used: one line that names it, exit code 2, and no file is left behind."""

from __future__ import annotations

import os
import re
import sys

import numpy as np
import pyarrow as pa
import pytest
from PIL import Image
from pyarrow import parquet

import manifoldforest as mf
from manifoldforest import cli
from manifoldforest.tables import TableSchema
from manifoldforest.tables._schema import ArrayPositions

RNG = np.random.default_rng(0)
ROWS = 30
GOOD = "size,colour,kind\n" + "".join(
    f"{RNG.normal():.3f},{'red' if i % 3 else 'blue'},{'ab'[i % 2]}\n" for i in range(ROWS)
)
MANY = "name,when,price,note,kind\n" + "".join(
    f"n{i},2020-01-{i + 1:02},{i if i != 4 else 'cheap'},{i}x,{'ab'[i % 2]}\n" for i in range(ROWS)
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a good model and all kinds of bad files."""
    path = tmp_path_factory.mktemp("bad input")
    texts = {
        "good.csv": GOOD,
        "many.csv": MANY,
        "notes.txt": "hello\n",
        "nothing.csv": "",
        "header.csv": "size,colour,kind\n",
        "ragged.csv": "size,kind\n1,a\n2\n",
        "no header.csv": "1,2\n3,4\n",
        "twice.csv": "a,a,kind\n1,2,x\n",
        "hole.csv": "size,kind\n1,a\n2,\n3,b\n4,\n",
        "one class.csv": "size,kind\n1,a\n2,a\n",
        "all different.csv": "size,kind\n1,a\n2,b\n3,c\n",
        "mixed target.csv": "size,kind\n1,4\n2,many\n3,4\n4,5\n",
        "dates.csv": "size,kind\n1,2020-01-01\n2,2020-01-02\n",
        "infinite.csv": "size,kind\n1,a\ninf,b\n",
        "huge.csv": "size,kind\n1,a\n2e39,b\n",
        "infinite target.csv": "size,kind\n1,0.5\n2,inf\n",
        "weights.csv": "size,kind,w,v,u\n1,a,1,x,0\n2,b,-1,y,0\n",
        "alone.csv": "kind\na\nb\n",
        "latin.csv": "",
        "no size.csv": "colour,kind\nred,a\n",
        "words.csv": "size,colour,kind\n1,red,a\nbig,blue,b\n",
        "numbers.csv": "size,colour,kind\n1,4,a\n2,5,b\n",
        "other.csv": "size,colour,kind\n1,red,x\n2,red,y\n",
        "coded.csv": "size,colour,kind\n1,red,1\n2,red,2\n",
        "truth.csv": "size,colour,kind\n1,red,a\n2,red,\n",
        "broken.parquet": "PAR1 and nothing else",
        "broken.npy": "hello",
        "broken.mf": "hello",
    }
    for name, text in texts.items():
        (path / name).write_text(text, encoding="utf-8")
    (path / "latin.csv").write_bytes("size,kind\n1,gr\xfcn\n2,blau\n".encode("latin-1"))
    good = path / "good.mf"
    arguments = ["fit", str(path / "good.csv"), "--target", "kind", "-o", str(good)]
    assert cli.main([*arguments, "--trees", "2"]) == 0
    size = ["fit", str(path / "good.csv"), "--target", "size", "-o", str(path / "size.mf")]
    assert cli.main([*size, "--trees", "2"]) == 0
    (path / "cut.mf").write_bytes(good.read_bytes()[:-100])
    parquet.write_table(pa.table({"a": [[1], [2]], "kind": ["x", "y"]}), path / "lists.parquet")
    X = RNG.normal(size=(ROWS, 3))
    np.save(path / "x.npy", X)
    np.save(path / "wide.npy", np.zeros((2, 9)))
    np.save(path / "line.npy", np.zeros(5))
    np.save(path / "volume.npy", np.zeros((2, 3, 4, 5, 6)))
    np.savez(path / "volume.npz", X=np.zeros((4, 3, 4, 5)), y=[0, 1, 0, 1])
    np.savez(path / "xy.npz", X=X, y=np.arange(ROWS) % 2)
    np.savez(path / "infinite.npz", X=np.where(X > 1, np.inf, X), y=np.arange(ROWS) % 2)
    np.savez(path / "fractions.npz", X=X[:2], y=[0, 0.5])
    np.savez(path / "short.npz", X=X, y=np.zeros(3))
    mf.ForestClassifier(2, random_state=0).fit(X, np.arange(ROWS) % 2).save(path / "array.mf")
    mf.ForestClassifier(2).fit(X, np.ones((ROWS, 2), int)).save(path / "several.mf")
    index = mf.BoundaryIndex(2, random_state=0)
    index.add(X)
    index.save(path / "index.mf")
    (path / "a folder").mkdir()
    for name, size in {"images/a/1": (4, 4), "images/b/1": (4, 4)}.items():
        (path / name).parent.mkdir(parents=True)
        pixels = RNG.integers(0, 256, size=size, dtype=np.uint8)
        Image.fromarray(pixels).save(path / f"{name}.png")
    for name in ("sizes", "damaged", "loose", "one"):
        (path / name / "a").mkdir(parents=True)
        (path / name / "b").mkdir()
        Image.fromarray(np.zeros((4, 4), np.uint8)).save(path / name / "a" / "1.png")
    Image.fromarray(np.zeros((5, 4), np.uint8)).save(path / "sizes/b/2.png")
    (path / "damaged/b/2.png").write_bytes(b"\x89PNG\r\n\x1a\nhello")
    Image.fromarray(np.zeros((4, 4), np.uint8)).save(path / "loose/2.png")
    assert (
        cli.main(["fit", str(path / "images"), "-o", str(path / "images.mf"), "--trees", "2"]) == 0
    )
    return path


def fit(table, *options, target="kind", output="new.mf"):
    with_target = [] if target is None else ["--target", target]
    return ["fit", table, *with_target, "-o", output, *options]


def predict(model="good.mf", table="good.csv", output="new.csv", *options):
    return ["predict", model, table, "-o", output, *options]


WRONG = {
    # files
    "missing table": (fit("god.csv"), r"there is no file god\.csv: did you mean good\.csv\?"),
    "missing folder": (fit("no/t.csv"), "nor a folder no"),
    "unknown format": (fit("notes.txt"), r"notes\.txt does not end in .*--format"),
    "empty file": (fit("nothing.csv"), r"nothing\.csv is empty"),
    "empty table": (fit("header.csv"), r"header\.csv has no rows"),
    "broken csv": (fit("ragged.csv"), "1 cells in line 3, and its header 2"),
    "no header": (fit("no header.csv"), "has no header"),
    "two columns of one name": (fit("twice.csv"), "two columns 'a'"),
    "another encoding": (fit("latin.csv"), "is not UTF-8 text: save"),
    "broken parquet": (fit("broken.parquet"), r"broken\.parquet is not a whole parquet file"),
    "broken array": (fit("broken.npy"), r"broken\.npy is not a whole npy"),
    "csv as parquet": (fit("good.csv", "--format", "parquet"), "is not a whole parquet file"),
    "folder without images": (fit("a folder", target=None), "a folder has no images"),
    "sizes of images": (fit("sizes", target=None), r"sizes/b/2\.png has 5 × 4 pixels"),
    "damaged image": (fit("damaged", target=None), r"damaged/b/2\.png cannot be read as an image"),
    "image without a label": (fit("loose", target=None), r"loose/2\.png is not in the folder of"),
    "images of one class": (fit("one", target=None), "has one class only, 'a'"),
    # outputs
    "no output folder": (fit("good.csv", output="no/m.mf"), "--output: there is no folder no"),
    "model to standard output": (fit("good.csv", output="-"), "--output must be a file"),
    "output is a folder": (fit("good.csv", output="a folder"), "is a folder or a device"),
    "output is a device": (fit("good.csv", output=os.devnull), "is a folder or a device"),
    "predictions nowhere": (predict(output="no/t.csv"), "there is no folder no"),
    "predictions of a strange suffix": (predict(output="t.xls"), "--output-format csv"),
    "page nowhere": (["describe", "good.mf", "--html", "no/p.html"], "there is no folder no"),
    "two streams": (predict("good.mf", "good.csv", "-", "--json"), "--json and -o -"),
    # columns
    "no target": (fit("good.csv", target=None), "--target must name the column .*'size', 'colour'"),
    "unknown target": (fit("good.csv", target="kin"), "no column 'kin', .*did you mean 'kind'"),
    "quite unknown target": (fit("good.csv", target="xyz"), "It has 'size', 'colour', 'kind'"),
    "unknown ignored column": (fit("good.csv", "--ignore", "colr"), "did you mean 'colour'"),
    "unknown weights": (fit("good.csv", "--weights", "siz"), "did you mean 'size'"),
    "negative weights": (fit("weights.csv", "--weights", "w"), r"got -1\.0 in row 2"),
    "weights of text": (fit("weights.csv", "--weights", "v"), "must hold numbers, got text"),
    "no weights": (fit("weights.csv", "--weights", "u"), "must not be 0 in all rows"),
    "ignored target": (fit("good.csv", "--ignore", "kind"), "--ignore must not name 'kind'"),
    "target as weights": (fit("good.csv", "--weights", "kind"), "--weights must not name 'kind'"),
    "no features": (fit("alone.csv"), "no column to learn from besides 'kind'"),
    "text, dates and mixed types": (
        fit("many.csv"),
        "'name' holds 30 different texts; 'when' holds dates; 'price' holds numbers and text, "
        "'cheap' in row 5; 'note' holds 30 .*"
        "--ignore name --ignore when --ignore price --ignore note",
    ),
    "other types": (fit("lists.parquet"), "'a' holds values of the type list"),
    "infinite number": (fit("infinite.csv"), "column 'size' .* holds inf in row 2"),
    "huge number": (fit("huge.csv"), r"holds 2e\+39 in row 2: forests take numbers up to 3.4e38"),
    # targets
    "missing target": (fit("hole.csv"), r"is empty in row 2 \(2 in all\): fill"),
    "one class": (fit("one class.csv"), "has one class only, 'a'"),
    "another label in each row": (fit("all different.csv"), "another label in each of its 3 rows"),
    "mixed target": (fit("mixed target.csv"), "numbers and text, 'many' in row 2"),
    "dates as target": (fit("dates.csv"), "must hold numbers or labels, got dates"),
    "infinite target": (fit("infinite target.csv"), "finite numbers, got inf in row 2"),
    "text as numbers": (fit("good.csv", "--task", "regression"), "got text, such as 'a'"),
    "fractions as labels": (
        fit("good.csv", "--task", "classification", target="size"),
        "in row 1 is a fraction: numbers are for --task regression",
    ),
    # arrays
    "array without a target": (fit("x.npy", target=None), "--target must be the place"),
    "target by name in an array": (fit("x.npy"), "from 0 to 2, or from -1 backwards, got 'kind'"),
    "target beyond the array": (fit("x.npy", target="3"), "--target must be from 0 to 2"),
    "ignored target of an array": (
        fit("x.npy", "--ignore", "0", target="-3"),
        "names column 0, and",
    ),
    "array of one axis": (fit("line.npy", target="0"), r"got the shape \(5,\)"),
    "target of volumes": (fit("volume.npy", target="0"), r"has the shape \(2, 3, 4, 5, 6\)"),
    "volumes": (fit("volume.npz", target=None), "--recipe must be given for examples of shape"),
    "boosted volumes": (
        fit("volume.npz", "--recipe", "boosted", target=None),
        "for tables and images",
    ),
    "y and a target": (fit("xy.npz"), "--target must not be given"),
    "short y": (fit("short.npz", target=None), r"the shape \(30,\), got the shape \(3,\)"),
    "infinite array": (fit("infinite.npz", target=None), "an infinite number in row"),
    # options
    "unknown recipe": (fit("good.csv", "--recipe", "sporff"), "did you mean 'SPORF'"),
    "image recipe": (fit("good.csv", "--recipe", "image"), "--recipe image is for images"),
    "labels for dRF": (fit("good.csv", "--recipe", "drf"), "--recipe dRF predicts numbers"),
    "strange size": (fit("images", "--resize", "4", target=None), "--resize must be .* 32x32"),
    "target of images": (fit("images"), "--target is for tables: the labels of images"),
    "unknown task": (fit("good.csv", "--task", "guess"), "--task: there is no 'guess': it must be"),
    "unknown input format": (fit("good.csv", "--format", "parket"), "did you mean 'parquet'"),
    "no trees": (fit("good.csv", "--trees", "0"), "--trees"),
    "negative seed": (fit("good.csv", "--seed", "-1"), "--seed"),
    "no threads": (fit("good.csv", "--n-jobs", "0"), "--n-jobs"),
    # models
    "missing model": (predict("no.mf"), r"there is no model no\.mf"),
    "no model": (predict("broken.mf"), r"broken\.mf is not a whole model file"),
    "half a model": (predict("cut.mf"), r"cut\.mf is not a whole model file"),
    "table as a model": (["describe", "good.csv"], r"good\.csv is not a whole model file"),
    "folder as a model": (["describe", "a folder"], "a folder cannot be read"),
    "an index": (
        predict("index.mf", "x.npy"),
        "BoundaryIndex, which predicts",
    ),
    "several labels": (predict("several.mf", "x.npy"), "predicts several labels"),
    # tables that do not fit the model
    "missing feature": (predict(table="no size.csv"), "lacks the column 'size', from which"),
    "text for numbers": (predict(table="words.csv"), "holds numbers and text, 'big' in row 2, and"),
    "numbers for text": (predict(table="numbers.csv"), "'colour' .* holds numbers, and held text"),
    "array for a table": (predict(table="x.npy"), "fitted on text in column 'colour'"),
    "images for a table": (predict(table="images"), "fitted on a table with named columns"),
    "table for images": (predict("images.mf"), "fitted on images"),
    "table for an array": (predict("array.mf"), "fitted on an array"),
    "wide array": (predict("array.mf", "wide.npy"), r"shape \(9,\), .* fitted on \(3,\)"),
    "images of another size": (predict("images.mf", "sizes"), r"b/2\.png has 5 × 4 .*--resize 4x4"),
    # evaluation
    "no truth": (["evaluate", "good.mf", "no size.csv"], "lacks the column 'size'"),
    "no truth in an array": (["evaluate", "array.mf", "x.npy"], "npz file with arrays X and y"),
    "unknown labels": (
        ["evaluate", "good.mf", "other.csv"],
        "'x', none of which .* 'a', 'b'",
    ),
    "other labels": (["evaluate", "good.mf", "coded.csv"], "such as 1, none of which"),
    "fractions": (["evaluate", "array.mf", "fractions.npz"], r"0\.5 in row 2 is a fraction"),
    "numbers that are text": (["evaluate", "size.mf", "words.csv"], "must hold numbers, as at the"),
    "missing truth": (["evaluate", "good.mf", "truth.csv"], "is empty in row 2"),
    "no labels": (["evaluate", "images.mf", "loose"], "not in the folder of a class"),
}


@pytest.mark.parametrize("name", WRONG)
def test_bad_input_is_one_line(name, folder, capsys, monkeypatch):
    monkeypatch.chdir(folder)
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()}
    arguments, message = WRONG[name]
    status = cli.main(arguments)
    out, err = capsys.readouterr()
    assert status == 2, err
    assert out == ""
    assert err.startswith("manifoldforest: ")
    assert err.count("\n") == 1
    assert re.search(message, err), err
    after = {path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()}
    assert after == before


def test_a_target_that_lacks_at_an_evaluation(folder, capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(folder)
    lines = [line.rsplit(",", 1)[0] for line in GOOD.splitlines()]
    (tmp_path / "t.csv").write_text("\n".join(lines))
    assert cli.main(["evaluate", "good.mf", str(tmp_path / "t.csv")]) == 2
    assert "lacks the column 'kind', the target of the model" in capsys.readouterr().err


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX permissions")
def test_files_and_folders_that_are_forbidden(folder, capsys, monkeypatch, tmp_path):
    if os.geteuid() == 0:
        monkeypatch.setattr(os, "access", lambda path, mode: False)
    else:
        tmp_path.chmod(0o500)
    model = str(tmp_path / "m.mf")
    assert cli.main(["fit", str(folder / "good.csv"), "--target", "kind", "-o", model]) == 2
    assert "you may not write to the folder" in capsys.readouterr().err


def test_a_write_that_fails_leaves_the_former_file(folder, capsys, monkeypatch, tmp_path):
    from manifoldforest.tables import _writing

    def fail(*_):
        raise OSError(28, "No space left on device")

    target = tmp_path / "out.csv"
    target.write_text("before")
    monkeypatch.setattr(_writing, "_write", fail)
    monkeypatch.chdir(folder)
    assert cli.main(predict(output=str(target))) == 1
    assert "No space left on device" in capsys.readouterr().err
    assert target.read_text() == "before"
    assert [path.name for path in tmp_path.iterdir()] == ["out.csv"]


def test_a_schema_that_does_not_fit_its_forest_is_refused(folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    forest = mf.load("array.mf")
    forest.table_schema_ = TableSchema(ArrayPositions(9, (0, 1), None), None, "int64")
    forest.save("forged.mf")
    try:
        assert cli.main(predict("forged.mf", "x.npy")) == 2
    finally:
        os.unlink("forged.mf")
    assert "the table schema is damaged or does not fit" in capsys.readouterr().err
