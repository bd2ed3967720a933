"""The page on the command line: its commands print what it says, but for times."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from manifoldforest import cli

PAGE = (Path(__file__).parents[2] / "docs/howto/command_line.md").read_text(encoding="utf-8")
COLUMNS = 70  # of the terminal of the page


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


def commands():
    """Return the commands of the page on tables, each with the lines below it."""
    for block in blocks("console"):
        for command, output in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE):
            yield command, output.splitlines()


def without_times(lines):
    return [line for line in lines if not re.match(r"time |  +.* s\)$", line)]


def without_numbers(lines):
    return [" ".join(re.sub(r"[\d.]+", "0", line).split()) for line in lines]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the tables of the page."""
    folder = tmp_path_factory.mktemp("page")
    code = blocks("python")[0].replace("open(name", f"open({str(folder)!r} + '/' + name")
    exec(code, {})
    return folder


def test_the_table_is_that_of_the_page(folder):
    assert (folder / "flats.csv").read_text().startswith(blocks("text")[0])


def test_commands_print_what_the_page_says(folder, monkeypatch):
    monkeypatch.chdir(folder)
    n_compared = 0
    for command, expected in commands():
        words = shlex.split(command)
        if words[0] == "head":
            lines = (folder / words[-1]).read_text().splitlines()
            assert lines[: len(expected)] == expected
            continue
        if "digits" in command:  # needs a folder of images
            continue
        assert words.pop(0) == "manifoldforest"
        filtered = "|" in words  # by jq
        words = words[: words.index("|")] if filtered else words
        result = CliRunner().invoke(cli.build_app(), words, env={"COLUMNS": str(COLUMNS)})
        if result.exit_code:
            assert expected == [f"manifoldforest: {result.exception}"]
        elif filtered:
            assert expected[0] in result.stdout
        else:
            printed = shortened(result.stdout.splitlines(), expected)
            expected = without_times(expected)
            if words[0] in ("evaluate", "describe"):  # whose numbers others write
                printed, expected = without_numbers(printed), without_numbers(expected)
            assert printed == expected
        n_compared += 1
    assert n_compared == 6


def shortened(printed, expected):
    """Return the lines that were printed, without those that the page leaves out."""
    if "..." in expected:
        place = expected.index("...")
        n_last = len(expected) - place - 1
        printed = [*printed[:place], "...", *printed[len(printed) - n_last :]]
    return without_times(printed)


def test_options_of_the_page_exist():
    helps = {
        command: CliRunner().invoke(cli.build_app(), [command, "--help"]).stdout
        for command in ("fit", "predict", "evaluate", "describe")
    }
    everything = "".join(helps.values()) + "--install-completion --help"
    for option in set(re.findall(r"(?<!-)--[a-z][a-z-]+", PAGE)):
        assert option in everything, option
