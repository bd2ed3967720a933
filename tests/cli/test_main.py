"""The command as a whole: help, version, completion, packages that are missing, Ctrl-C."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import suppress
from importlib.metadata import version

import pytest
from typer.testing import CliRunner

from manifoldforest import cli
from manifoldforest.cli import _fit, _models, _options
from manifoldforest.forests import _presets
from manifoldforest.tables import _reading

COMMANDS = ("fit", "predict", "evaluate", "describe", "demo")
HEAVY = ("numpy", "scipy", "sklearn", "matplotlib", "pyarrow", "PIL", "safetensors")


def run(*arguments):
    return CliRunner().invoke(cli.build_app(), arguments, env={"COLUMNS": "100", "TERM": "dumb"})


def test_version():
    result = run("--version")
    assert (result.exit_code, result.stdout) == (0, f"manifoldforest {version('manifoldforest')}\n")


@pytest.mark.parametrize("arguments", [(), ("--help",)])
def test_help_lists_the_commands(arguments):
    result = run(*arguments)
    assert result.exit_code == 0
    for command in COMMANDS:
        assert f" {command} " in result.stdout


@pytest.mark.parametrize("command", COMMANDS)
def test_the_help_of_a_command_has_an_example(command):
    result = run(command, "--help")
    assert result.exit_code == 0
    assert f"Example: manifoldforest {command} " in " ".join(result.stdout.split())


@pytest.mark.parametrize("arguments", [["--help"], ["fit", "--help"], ["--version"], ["fit"]])
def test_help_and_wrong_options_load_nothing_heavy(arguments):
    code = (
        "import sys; from manifoldforest.cli import main; main(sys.argv[1:])\n"
        "loaded = {name.partition('.')[0] for name in sys.modules}\n"
        f"sys.exit(str(loaded & {set(HEAVY)!r}) if loaded & {set(HEAVY)!r} else 0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_the_shell_completes_commands_and_recipes():
    def completions(words):
        environment = {
            **os.environ,
            "_MANIFOLDFOREST_COMPLETE": "complete_bash",
            "COMP_WORDS": words,
            "COMP_CWORD": str(len(words.split()) - (not words.endswith(" "))),
        }
        code = "import sys; from manifoldforest.cli import main; sys.exit(main([]))"
        done = subprocess.run(
            [sys.executable, "-c", code],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        return done.stdout.split()

    assert completions("manifoldforest d") == ["describe", "demo"]
    assert completions("manifoldforest fit --recipe Re") == [
        *("RerF", "RerF(r)", "RerF(d)", "RerF(d+r)"),
    ]
    assert "--install-completion" in run("--help").stdout


def test_recipes_and_formats_are_those_of_the_package():
    assert _options.FORMATS == _reading.FORMATS
    assert set(_models.RECIPES) == {"auto", "boosted", *_presets._RECIPES}


@pytest.mark.parametrize("module", ["typer", "rich"])
def test_a_missing_extra_is_one_line_that_names_it(module, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, module, None)
    assert cli.main(["demo"]) == 1
    assert capsys.readouterr().err == (
        f"manifoldforest: the command line needs {module}: pip install 'manifoldforest[cli]'\n"
    )


@pytest.mark.parametrize(
    ("module", "extra", "arguments"),
    [
        ("matplotlib", "plot", ["demo"]),
        ("pyarrow", "cli", ["fit", "t.csv", "--target", "a", "-o", "t.mf"]),
        ("pyarrow", "cli", ["fit", "t.parquet", "--target", "a", "-o", "t.mf"]),
        ("PIL", "cli", ["fit", "images", "-o", "t.mf"]),
    ],
)
def test_packages_are_needed_where_they_are_used(
    module, extra, arguments, capsys, monkeypatch, tmp_path
):
    monkeypatch.chdir(tmp_path)
    for name in ("t.csv", "t.parquet"):
        (tmp_path / name).write_text("a,b\n1,2\n")
    (tmp_path / "images").mkdir()
    monkeypatch.setitem(sys.modules, module, None)
    assert cli.main(arguments) == 1
    assert f"needs {module}: pip install 'manifoldforest[{extra}]'" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [["paint"], ["fit"], ["--colour"], ["fit", "a.csv"]])
def test_wrong_usage_is_one_line(arguments, capsys):
    assert cli.main(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("manifoldforest: ")
    assert err.count("\n") == 1


def test_ctrl_c(monkeypatch, capsys, tmp_path):
    def interrupted(*_):
        raise KeyboardInterrupt

    (tmp_path / "t.csv").write_text("a,b\n1,2\n2,3\n1,2\n2,3\n")
    monkeypatch.setattr(_fit, "_fit_and_tell", interrupted)
    model = tmp_path / "t.mf"
    assert cli.main(["fit", str(tmp_path / "t.csv"), "--target", "a", "-o", str(model)]) == 130
    assert capsys.readouterr().err == "manifoldforest: interrupted\n"
    assert not model.exists()


def test_a_bug_is_not_hidden(monkeypatch, tmp_path):
    def fail(*_):
        raise ValueError("a bug")

    (tmp_path / "t.csv").write_text("a,b\n1,2\n2,3\n1,2\n2,3\n")
    monkeypatch.setattr(_fit, "_fit_and_tell", fail)
    with pytest.raises(ValueError, match="a bug"):
        cli.main(["fit", str(tmp_path / "t.csv"), "--target", "a", "-o", str(tmp_path / "t.mf")])


def test_a_reader_that_goes_away_is_no_error(tmp_path, monkeypatch, capsys):
    """As in ``manifoldforest predict ... -o - | head``."""
    table, model = str(tmp_path / "t.csv"), str(tmp_path / "t.mf")
    with open(table, "w", encoding="utf-8") as file:
        file.write("a,b\n" + "1,2\n2,3\n" * 10)
    assert cli.main(["fit", table, "--target", "a", "--trees", "2", "-o", model]) == 0
    capsys.readouterr()
    read_end, write_end = os.pipe()
    os.close(read_end)
    with suppress(BrokenPipeError), open(write_end, "w", encoding="utf-8") as closed:
        monkeypatch.setattr(sys, "stdout", closed)
        assert cli.main(["predict", model, table, "-o", "-"]) == 1
    assert capsys.readouterr().err == ""
