"""``python -m experiments`` as a whole: all experiments in small sizes, and a killed run."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from importlib.metadata import version
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from experiments.command import main, show_progress
from experiments.drawing import drawing
from experiments.experiment import Setting
from experiments.registry import experiment_ids, get_experiment
from experiments.reproduce import Progress, reproduce
from experiments.results import Results, RowFile
from experiments.runner import Plan

ROOT = Path(__file__).parents[2]

IDS = [
    *("M1", "M2", "M3", "M4", "M5", "M6", "M7", "M8", "T1"),
    *("R1", "R2", "R3", "R4", "R5", "R6", "R7", "R8", "D1", "D2", "D3"),
    *("B1", "B2", "B3", "B4", "B5", "B6", "B7", "B8"),
    *("G1", "G2", "G3", "G4"),
]


@pytest.fixture(scope="module")
def quick(tmp_path_factory):
    """Run all experiments once, without data sets."""
    out = tmp_path_factory.mktemp("reproduction")
    before = os.environ.pop("MANIFOLDFOREST_DATA", None)
    try:
        return reproduce(jobs=2, out=out)
    finally:
        if before is not None:
            os.environ["MANIFOLDFOREST_DATA"] = before


def test_there_is_an_experiment_for_every_figure_and_table():
    assert experiment_ids() == IDS


def test_an_unknown_id_is_an_error_that_lists_the_ids():
    with pytest.raises(ValueError, match=r"EXPERIMENT must be one of M1, M2, .*got 'Z9'"):
        get_experiment("Z9")


def test_quick_runs_all_experiments_without_data_sets(quick):
    assert quick.status == 0
    assert [section.experiment.id for section in quick.sections] == IDS
    for section in quick.sections:
        id = section.experiment.id
        assert section.statuses == ("finished",), id
        assert section.n_finished == section.n_runs > 0, id
        assert section.findings, id
        assert section.pictures, id
    page = next(file for file in quick.files if file.name == "report.html").read_text()
    assert all(f'<article id="{id}"' in page for id in IDS)


@pytest.mark.parametrize("id", IDS)
def test_an_interrupted_run_can_be_judged_and_drawn(quick, id):
    """Whatever is missing: one method, one size, all repetitions but one."""
    section = next(section for section in quick.sections if section.experiment.id == id)
    rows = _rows_of(quick, id)
    assert len(rows) == section.n_finished
    rng = random.Random(id)
    experiment = section.experiment
    with drawing():
        experiment.figures(Results(tuple(_some(rows, rng, 0.3)), "quick"))
        for share in (0.0, 0.1, 0.5, 0.9):
            results = Results(tuple(_some(rows, rng, share)), "quick")
            experiment.findings(results)
            experiment.sheets(results)


def _rows_of(quick, id):
    experiment = get_experiment(id)
    plan = Plan([experiment], Setting("quick"), version("manifoldforest"))
    finished = plan.finished(RowFile(quick.files[0].parent).read())
    return plan.results(experiment, finished).rows


def _some(rows, rng, share):
    """Return each row with some probability, and never none."""
    return [row for row in rows if rng.random() < share] or [rng.choice(rows)]


@pytest.mark.parametrize("id", IDS)
def test_full_runs_have_the_sizes_of_the_papers_and_name_what_they_need(id, tmp_path):
    experiment = get_experiment(id)
    runs = experiment.runs(Setting("full", tmp_path))
    quick = experiment.runs(Setting("quick"))
    if id not in ("R6", "G3"):  # which take the sets that are there
        assert len(runs) >= len(quick)
    assert all(run.needs is None for run in quick)
    if experiment.stand_in:
        assert any(run.needs for other in (id, *experiment.rows_of) for run in _full(other))


def _full(id):
    return get_experiment(id).runs(Setting("full", None))


# ------------------------------------------------------------------------------ a killed run


def lines(out):
    file = out / "rows.jsonl"
    return file.read_bytes().splitlines() if file.exists() else []


def keys(rows):
    parsed = [json.loads(row) for row in rows]
    return [json.dumps([row["seed"], row["parameters"]], sort_keys=True) for row in parsed]


@pytest.mark.skipif(os.name == "nt", reason="there is no SIGKILL")
def test_a_killed_run_goes_on_without_losing_or_repeating_a_row(tmp_path):
    command = [sys.executable, "-m", "experiments", "M3", "--jobs", "2"]
    process = subprocess.Popen(
        [*command, "--out", str(tmp_path)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=ROOT,
    )
    deadline = time.monotonic() + 600
    while len(lines(tmp_path)) < 5 and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.wait()
    before = lines(tmp_path)
    assert 5 <= len(before) < len(get_experiment("M3").runs(Setting("quick")))
    (tmp_path / "rows.jsonl").write_bytes(b"\n".join(before[:-1]) + b"\n" + before[-1][:30])

    told = []
    result = reproduce(["M3"], jobs=2, out=tmp_path, progress=told.append)
    after = lines(tmp_path)
    assert after[: len(before) - 1] == before[:-1]
    n_done = [progress.n_done for progress in told if progress.unit == "run"]
    assert n_done == list(range(len(before) - 1, len(after) + 1))
    assert len(set(keys(after))) == len(after) == result.sections[0].n_runs
    assert result.status == 0


# -------------------------------------------------------------------------------- the progress


@pytest.mark.parametrize(
    ("progress", "said"),
    [
        (Progress("", "loading the experiments"), "preparing: loading the experiments"),
        (Progress("run", "M1", 0, 99), "0 of 99 runs, time left not known yet (M1)"),
        (Progress("run", "M1", 9, 99, 42.4), "9 of 99 runs, 42 s left (M1)"),
        (Progress("run", "M1", 9, 99, 150), "9 of 99 runs, 2 min left (M1)"),
        (Progress("run", "R10", 99999, 99999, 1e6), "99999 of 99999 runs, 277.8 h left (R10)"),
        (
            Progress("experiment", "R10", 99, 99),
            "findings and figures: 99 of 99 experiments, now R10",
        ),
    ],
)
def test_progress_fits_80_columns(progress, said):
    screen = Console(width=80, force_terminal=True, file=StringIO())
    with show_progress(screen) as show:
        show(progress)
    shown = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", screen.file.getvalue())
    lines = [line.strip() for line in re.split(r"[\r\n]+", shown) if line.strip()]
    assert lines[-1].endswith(said)  # neither wrapped nor cut
    assert all(len(line) <= 80 for line in lines)
    assert "None" not in shown


def test_progress_in_a_log_is_a_line_now_and_then(monkeypatch):
    log = Console(width=20, force_terminal=False, file=StringIO())
    clock = iter([0.0, 10.0, 31.0, 31.0, 40.0])
    monkeypatch.setattr("experiments.command.time.monotonic", lambda: next(clock))
    with show_progress(log) as show:
        for n_done in (1, 2, 3):
            show(Progress("run", "M1", n_done, 9, 60.0))
    assert log.file.getvalue() == "2 of 9 runs, 60 s left (M1)\n"


# ------------------------------------------------------------------------- the command line


@pytest.mark.parametrize("name", ["manifoldforest", "rich", "matplotlib"])
def test_a_missing_package_is_one_line_that_names_the_extras(name):
    program = (
        f"import runpy, sys; sys.modules[{name!r}] = None; sys.argv = ['experiments', '--list'];"
        "runpy.run_module('experiments', run_name='__main__')"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 1
    assert ended.stdout == ""
    assert ended.stderr == (
        f"experiments: {name} is not installed; in the folder of the repository: "
        "pip install '.[cli,plot]'\n"
    )


def test_the_list_names_every_experiment(capsys):
    assert main(["--list"]) == 0
    printed = capsys.readouterr().out
    assert all(f"{id} " in printed for id in IDS)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["Z1"], "must be one of M1, M2"),
        (["M1", "--preset", "slow"], "slow"),
        (["M1", "--jobs", "0"], "jobs"),
        (["M1", "--data", "nowhere"], "nowhere is not a folder"),
    ],
)
def test_wrong_options_are_one_line_and_status_2(arguments, message, capsys, tmp_path):
    assert main([*arguments, "--out", str(tmp_path / "out")]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_a_damaged_file_of_rows_is_one_line_and_status_1(capsys, tmp_path):
    (tmp_path / "rows.jsonl").write_text("no row\n")
    assert main(["B2", "--out", str(tmp_path)]) == 1
    error = capsys.readouterr().err
    assert "rows.jsonl, line 1, is not a finished run" in error
    assert error.count("\n") == 1


def test_ids_may_be_written_small_and_data_sets_that_are_missing_give_status_3(capsys, tmp_path):
    arguments = ["m7", "--preset", "full", "--jobs", "1", "--out", str(tmp_path)]
    assert main([*arguments, "--data", str(tmp_path)]) == 3
    assert "mnist.npz" in capsys.readouterr().out
    assert "mnist.npz" in (tmp_path / "report.md").read_text()
