"""The bar: on a terminal only, and for what takes longer than a second."""

from __future__ import annotations

import io
import re
import time

import pytest
from rich.console import Console

from manifoldforest.cli import _progress
from manifoldforest.cli._output import Stopwatch, plural


@pytest.fixture
def terminal(monkeypatch):
    """Return what a terminal would have been sent."""
    sent = io.StringIO()
    monkeypatch.setattr(
        _progress,
        "Console",
        lambda stderr: Console(
            file=sent, force_terminal=True, width=80, _environ={"TERM": "xterm"}
        ),
    )
    return sent


def test_a_long_task_shows_what_is_done_and_the_time_left(terminal, monkeypatch):
    monkeypatch.setattr(_progress, "DELAY", 0.01)
    with _progress.progress_bar("growing trees") as report:
        for done in range(1, 6):
            report(done, 10)
            time.sleep(0.06)
    text = terminal.getvalue()
    assert "growing trees" in text
    assert "5 of 10" in text
    assert re.search(r"0:00:0\d left", text)


def test_a_task_may_have_no_news_for_a_while(terminal, monkeypatch):
    monkeypatch.setattr(_progress, "DELAY", 0.01)
    with _progress.progress_bar("growing trees"):
        time.sleep(0.2)
    assert "growing trees" in terminal.getvalue()
    assert "left" not in terminal.getvalue()


def test_a_short_task_shows_nothing(terminal, monkeypatch):
    monkeypatch.setattr(_progress, "DELAY", 60.0)
    started = time.monotonic()
    with _progress.progress_bar("growing trees") as report:
        report(10, 10)
    assert "growing" not in terminal.getvalue()
    assert time.monotonic() - started < 30


def test_an_error_ends_the_bar(terminal, monkeypatch):
    monkeypatch.setattr(_progress, "DELAY", 0.0)
    with pytest.raises(KeyboardInterrupt), _progress.progress_bar("growing trees"):
        time.sleep(0.1)
        raise KeyboardInterrupt
    assert terminal.getvalue().endswith("\x1b[2K")  # the line is erased


def test_without_a_terminal_there_is_no_bar(capsys, monkeypatch):
    monkeypatch.setattr(_progress, "DELAY", 0.0)
    with _progress.progress_bar("growing trees") as report:
        report(1, 2)
        time.sleep(0.05)
    assert capsys.readouterr() == ("", "")


def test_times_in_words():
    watch = Stopwatch()
    watch.seconds = {"starting": 1.31, "reading": 0.04, "fitting": 83.2}
    assert str(watch).replace("\u00a0", " ") == "1 min 25 s (starting 1.3 s, fitting 1 min 23 s)"
    watch.seconds = {"reading": 0.04, "fitting": 9.96}
    assert str(watch) == "10 s"
    with watch("writing"):
        pass
    assert 0 <= watch.seconds["writing"] < 5


def test_numbers_in_words():
    assert [plural(n, "class") for n in (1, 2)] == ["1 class", "2 classes"]
    assert plural(12345, "row") == "12 345 rows"
