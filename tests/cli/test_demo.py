"""The command ``demo``, and the experiment behind it."""

import ast
import json
import re
from importlib.metadata import version
from pathlib import Path

import matplotlib.image
import numpy as np
import pytest
from typer.testing import CliRunner

from manifoldforest import cli
from manifoldforest.cli import _demo as command
from manifoldforest.datasets import make_impulse
from manifoldforest.demo import _demo, _figure

PNG = b"\x89PNG\r\n\x1a\n"
N_CASES = sum(len(problem.sizes) for problem in _demo.PROBLEMS)


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def small(monkeypatch):
    """Make the experiment short: two training sets, few test points."""
    Settings = _demo.Settings
    monkeypatch.setattr(
        _demo, "Settings", lambda **chosen: Settings(n_repetitions=2, n_test=200, **chosen)
    )


def run(*arguments):
    return CliRunner().invoke(cli.build_app(), arguments, env={"COLUMNS": "120"})


# ------------------------------------------------------------------------------------- the demo


@pytest.mark.usefixtures("small")
def test_demo_prints_a_table_and_writes_a_picture(tmp_path):
    result = run("demo", "--trees", "3", "--output", "picture.png", "--n-jobs", "1")
    assert result.exit_code == 0, result.output
    for word in ("circle", "bars", "impulse", "digits", "RF", "SPORF", "MORF", "0.073"):
        assert word in result.stdout
    assert "picture.png" in result.stdout
    assert result.stderr == "", "no progress bar when nobody watches"
    assert [path.name for path in tmp_path.iterdir()] == ["picture.png"]
    assert (tmp_path / "picture.png").read_bytes().startswith(PNG)
    height, width, _ = matplotlib.image.imread(tmp_path / "picture.png").shape
    assert min(height, width) > 800


@pytest.mark.usefixtures("small")
def test_demo_json_is_one_row_per_line(tmp_path):
    result = run("demo", "--trees", "3", "--seed", "7", "--json")
    assert result.exit_code == 0, result.output
    rows = [json.loads(line) for line in result.stdout.splitlines()]
    assert len(rows) == N_CASES * len(_demo.METHODS)
    assert {row["problem"] for row in rows} == {"circle", "bars", "impulse", "digits"}
    for row in rows:
        assert 0 <= row["error"] <= 1
        assert row["standard_error"] >= 0
        assert row["fit_seconds"] > 0
        assert (row["n_trees"], row["seed"], row["n_training_sets"]) == (3, 7, 2)
        assert row["version"] == version("manifoldforest")
        assert (row["published"] is None) == (row["problem"] == "digits")
    assert (tmp_path / "demo.png").exists()


def test_experiment_is_reproducible_and_reports_every_fit():
    settings = _demo.Settings(n_trees=2, n_repetitions=1, n_test=50, n_jobs=1)
    steps: list[str] = []
    first, second = _demo.run(settings, steps.append), _demo.run(settings)
    assert len(steps) == _demo.n_steps(settings)
    assert [row.errors for row in first.rows] == [row.errors for row in second.rows]
    assert all(row.standard_error is None for row in first.rows)


def test_the_sentence_says_the_numbers_of_the_table():
    settings = _demo.Settings(n_trees=3, n_repetitions=3, n_test=77, n_jobs=1)
    results = _demo.run(settings)
    sentence = _demo.in_words(results)
    gap = re.search(
        r"widest on the (\w+) with (\d+) .*? is (.*?), .*? SPORF (.*?) and .*? MORF (\S+)\. ",
        sentence,
    )
    rows = [row for row in results.rows if (row.problem, str(row.n_samples)) == gap.group(1, 2)]
    assert gap.group(3, 4, 5) == tuple(f"{row.error:.3f}" for row in rows)
    table = command._error_table(results)
    cells = {str(cell) for column in table.columns for cell in column.cells}
    assert cells >= set(gap.group(3, 4, 5))


def test_the_demo_uses_public_names_only():
    for file in Path(_demo.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.level == 2:
                names = [*(node.module or "").split("."), *(alias.name for alias in node.names)]
                assert not [name for name in names if name.startswith("_")], file.name


def test_the_drawn_impulse_is_that_of_the_problem():
    X, y = make_impulse(20_000, random_state=0)
    mean = X[y == 1].mean(axis=0)
    assert np.abs(mean - _figure._impulse(100)).max() < 0.05  # five standard errors


def test_patches_win_on_the_circle():
    # published, with 500 trees: 0.073 for MORF, 0.488 for the others
    circle = _demo.PROBLEMS[0]
    X, y, X_test, y_test = circle.draw(400, 1000, 0)
    accuracy = {
        method: circle.forest(method, n_estimators=50, random_state=0)
        .fit(X, y)
        .score(X_test, y_test)
        for method in _demo.METHODS
    }
    assert accuracy["MORF"] > 0.85
    assert max(accuracy["RF"], accuracy["SPORF"]) < 0.6


def test_digits_of_training_and_test_are_different():
    X, _, X_test, y_test = _demo.digits(1000, 5000, 0)
    assert len(X) + len(X_test) == 1797
    assert X.dtype == "uint8"
    assert len(y_test) == 797


# --------------------------------------------------------------------------------- the options


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["--trees", "0"], "--trees"),
        (["--trees", "many"], "--trees"),
        (["--seed", "-1"], "--seed"),
        (["--n-jobs", "0"], "--n-jobs"),
        (["--output", "no/such/folder/demo.png"], "--output"),
        (["--output", "demo.txt"], "--output"),
        (["--output", "n" * 300 + ".png"], "--output"),
        (["--colour"], "--colour"),
    ],
)
def test_a_wrong_option_is_one_line_and_a_failure(arguments, word, capsys, tmp_path):
    assert cli.main(["demo", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("manifoldforest: ")
    assert err.count("\n") == 1
    assert word in err
    assert not list(tmp_path.iterdir())


def test_a_picture_that_cannot_be_written_is_noticed_before_the_experiment(monkeypatch, tmp_path):
    def refuse(path, mode):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "open", refuse)
    monkeypatch.setattr(_demo, "run", lambda *_: pytest.fail("the experiment began"))
    assert cli.main(["demo", "--output", "demo.png"]) == 2


def test_trying_to_write_changes_nothing(monkeypatch, tmp_path):
    def fail(*_):
        raise OSError("disk is full")

    monkeypatch.setattr(_demo, "run", fail)
    (tmp_path / "old.png").write_bytes(b"a picture")
    for name in ("old.png", "new.png"):
        assert cli.main(["demo", "--output", name]) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["old.png"]
    assert (tmp_path / "old.png").read_bytes() == b"a picture"


@pytest.mark.parametrize(
    ("raised", "status", "line"),
    [(KeyboardInterrupt(), 130, "interrupted"), (OSError("disk is full"), 1, "disk is full")],
)
def test_what_goes_wrong_later_is_one_line_too(raised, status, line, capsys, monkeypatch):
    def fail(*_):
        raise raised

    monkeypatch.setattr(_demo, "run", fail)
    assert cli.main(["demo"]) == status
    assert capsys.readouterr().err.strip() == f"manifoldforest: {line}"
