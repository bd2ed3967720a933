"""The machinery of ``python -m experiments``: plan, rows, runs, time left."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure

from experiments import reproduce as reproduce_module
from experiments import runner
from experiments.experiment import (
    Experiment,
    Finding,
    Outcome,
    Paper,
    Picture,
    Run,
    Setting,
    Sheet,
)
from experiments.reproduce import Progress, reproduce, similarity_keys, time_left
from experiments.results import Results, Row, RowFile
from experiments.runner import Plan

PAPER = Paper("paper", "A Paper", "Somebody")


@dataclass(frozen=True, kw_only=True)
class Squares(Experiment):
    """Squares a number; what it does wrong is told by its parameters."""

    title: str = "Squares"
    paper: Paper = PAPER
    source: str = "Figure 1"
    question: str = "What is the square?"
    numbers: tuple[float, ...] = (2, 3)
    seeds: int = 2
    needs: str | None = None
    package: str | None = None

    def runs(self, setting: Setting) -> list[Run]:
        return [
            Run(seed, {"method": "square", "x": x}, self.needs, self.package if x == 3 else None)
            for seed in range(self.seeds)
            for x in self.numbers
        ]

    def measure(self, run: Run, setting: Setting) -> Outcome:
        x = float(run.parameters["x"])
        if x < 0:
            raise ValueError(f"x must be positive, got {x}")
        return Outcome({"square": x * x + run.seed}, {"powers": np.array([x, x * x])})

    def findings(self, results: Results) -> list[Finding]:
        return [Finding("squares", f"{results.mean('square'):.1f}", "7.0", True)]

    def figures(self, results: Results) -> list[Picture]:
        return []


@pytest.fixture
def known(monkeypatch):
    """Return a function that makes experiments known under their ids."""

    def make(*experiments):
        by_id = {experiment.id: experiment for experiment in experiments}
        monkeypatch.setattr(runner, "get_experiment", by_id.__getitem__)
        monkeypatch.setattr(reproduce_module, "experiment_ids", lambda: list(by_id))
        monkeypatch.setattr(
            reproduce_module, "get_experiments", lambda ids=(): [by_id[id] for id in ids or by_id]
        )

    return make


def rows_in(folder: Path) -> list[dict]:
    return [json.loads(line) for line in (folder / "rows.jsonl").read_text().splitlines()]


# ------------------------------------------------------------------------------------- rows


def make_row(seed=0, version="1", **parameters):
    return Row("X1", "quick", seed, parameters, {"error": 0.5}, 1.0, version, "2026-01-01")


def test_rows_come_back_with_their_arrays(tmp_path):
    file = RowFile(tmp_path)
    row = make_row(3, n=10, method="RF", flag=True, none=None, x=0.1)
    with file.append() as writer:
        writer.add(row, {"map": np.arange(6).reshape(2, 3)})
        writer.add(make_row(4), {})
    first, second = file.read()
    assert (first, second) == (row, make_row(4))
    np.testing.assert_array_equal(first.arrays["map"], np.arange(6).reshape(2, 3))
    assert second.arrays == {}
    assert first.key == row.key != second.key


def test_a_line_that_was_cut_off_is_dropped_and_the_next_one_is_whole(tmp_path):
    file = RowFile(tmp_path)
    with file.append() as writer:
        for seed in range(3):
            writer.add(make_row(seed), {})
    whole = file.path.read_bytes()
    file.path.write_bytes(whole[:-20])
    assert [row.seed for row in file.read()] == [0, 1]
    with file.append() as writer:
        writer.add(make_row(2), {})
    assert file.path.read_bytes() == whole


def test_a_line_that_is_no_row_is_an_error_with_its_number(tmp_path):
    file = RowFile(tmp_path)
    with file.append() as writer:
        writer.add(make_row(), {})
    file.path.write_bytes(file.path.read_bytes() + b'{"experiment": "X1"}\n')
    with pytest.raises(OSError, match="line 2"):
        file.read()


def test_two_programs_cannot_write_the_same_file(tmp_path):
    with (
        RowFile(tmp_path).append(),
        pytest.raises(OSError, match="another program"),
        RowFile(tmp_path).append(),
    ):
        pass


def test_a_metric_that_is_no_number_is_not_stored(tmp_path):
    file = RowFile(tmp_path)
    row = Row("X1", "quick", 0, {}, {"error": math.nan}, 1.0, "1", "2026-01-01")
    with file.append() as writer, pytest.raises(ValueError):
        writer.add(row, {})
    assert file.read() == []


# ----------------------------------------------------------------------------------- results


def test_results_are_chosen_by_parameters_and_averaged():
    rows = [
        Row("X1", "full", seed, {"n": n}, {"error": n + seed}, 1.0, "1", "")
        for seed in (0, 2)
        for n in (10, 20)
    ]
    results = Results((*rows, Row("X2", "full", 0, {"n": 10}, {}, 1.0, "1", "")), "full")
    assert results.distinct("n") == [10, 20]
    assert results.of("X1").where(n=10).mean("error") == 11
    assert results.where(n=10, seed=2).values("error").tolist() == [12]
    assert results.where(n=20).std("error") == pytest.approx(math.sqrt(2))
    assert math.isnan(results.where(n=30).mean("error"))
    assert math.isnan(results.where(n=20, seed=0).std("error"))
    assert [len(part) for part in results.by("n").values()] == [3, 2]


# -------------------------------------------------------------------------------------- plan


def test_first_repetitions_of_all_experiments_come_first(known):
    first, second = Squares(id="X1"), Squares(id="X2")
    known(first, second)
    plan = Plan([first, second], Setting("quick"), "1")
    order = [(task.run.seed, task.experiment.id) for task in plan.to_do([])]
    assert order == [(s, id) for s in (0, 1) for id in ("X1", "X1", "X2", "X2")]


def test_rows_of_another_version_or_preset_or_grid_do_not_count(known):
    experiment = Squares(id="X1")
    known(experiment)
    plan = Plan([experiment], Setting("quick"), "2")
    row = {"parameters": {"method": "square", "x": 2}, "metrics": {}, "seconds": 1, "date": ""}
    good = Row("X1", "quick", 1, version="2", **row)
    others = [
        Row("X1", "quick", 1, version="1", **row),
        Row("X1", "full", 1, version="2", **row),
        Row("X1", "quick", 9, version="2", **row),
        Row("X2", "quick", 1, version="2", **row),
    ]
    assert list(plan.finished([*others, good, *others]).values()) == [good]


def test_the_same_run_twice_is_an_error(known):
    experiment = Squares(id="X1", numbers=(2, 2))
    known(experiment)
    with pytest.raises(ValueError, match="two runs of X1"):
        Plan([experiment], Setting("quick"), "1")


def test_an_experiment_without_runs_is_an_error(known):
    experiment = Squares(id="X1", seeds=0)
    known(experiment)
    with pytest.raises(ValueError, match="no runs"):
        Plan([experiment], Setting("quick"), "1")


# ----------------------------------------------------------------------------------- running


def test_finished_runs_are_not_repeated_and_missing_ones_are_done(known, tmp_path):
    known(Squares(id="X1"))
    result = reproduce(jobs=1, out=tmp_path)
    assert result.status == 0
    before = (tmp_path / "rows.jsonl").read_bytes()
    assert [row["metrics"]["square"] for row in rows_in(tmp_path)] == [4, 9, 5, 10]
    assert {row["seed"] for row in rows_in(tmp_path)} == {0, 1}

    known(Squares(id="X1", numbers=(2, 3, 4)))
    reproduce(jobs=1, out=tmp_path)
    after = (tmp_path / "rows.jsonl").read_bytes()
    assert after.startswith(before)
    assert [row["parameters"]["x"] for row in rows_in(tmp_path)] == [2, 3, 2, 3, 4, 4]


def test_a_failed_run_costs_no_other_and_is_tried_again(known, tmp_path):
    known(Squares(id="X1", numbers=(2, -1, 3), seeds=1))
    result = reproduce(jobs=1, out=tmp_path)
    assert result.status == 1
    (section,) = result.sections
    assert (section.n_finished, section.n_runs) == (2, 3)
    assert "x must be positive, got -1.0" in section.failures[0]
    assert "x must be positive" in (tmp_path / "report.md").read_text()
    told = []
    reproduce(jobs=1, out=tmp_path, progress=told.append)
    assert [(p.n_done, p.n_all) for p in told if p.unit == "run"] == [(2, 3), (3, 3)]


def test_an_error_in_drawing_costs_no_other_experiment(known, tmp_path):
    class Undrawable(Squares):
        def figures(self, results):
            raise ZeroDivisionError("nothing to draw")

    known(Undrawable(id="X1"), Squares(id="X2"))
    result = reproduce(jobs=1, out=tmp_path)
    assert result.status == 1
    first, second = result.sections
    assert first.failures == ["X1, figures: ZeroDivisionError: nothing to draw"]
    assert first.findings
    assert not second.failures


def test_missing_data_are_named_and_the_rest_is_run(known, tmp_path):
    known(
        Squares(id="X1", needs="squares.npz"), Squares(id="X2"), Squares(id="X3", rows_of=("X1",))
    )
    data = tmp_path / "data"
    data.mkdir()
    result = reproduce(jobs=1, out=tmp_path / "out", data=data)
    assert result.status == 3
    first, second, third = result.sections
    assert first.statuses == ("lacks data",)
    assert first.lacks == {"squares.npz": 4}
    assert second.statuses == ("finished",)
    assert (third.n_finished, third.n_runs, len(third.lacks)) == (4, 8, 1)
    assert "squares.npz" in (tmp_path / "out" / "report.md").read_text()

    (data / "squares.npz").mkdir()
    assert reproduce(jobs=1, out=tmp_path / "out", data=data).status == 3  # an empty folder
    (data / "squares.npz").rmdir()
    (data / "squares.npz").touch()
    assert reproduce(jobs=1, out=tmp_path / "out", data=data).status == 0


def test_without_an_optional_package_finished_runs_still_count(known, tmp_path):
    known(Squares(id="X1", package="a_package_of_nobody"))
    section = reproduce(jobs=1, out=tmp_path).sections[0]
    assert section.statuses == ("finished",)
    assert (section.n_finished, section.n_runs, section.left_out) == (
        2,
        2,
        {"a_package_of_nobody": 2},
    )
    report = (tmp_path / "report.md").read_text()
    assert "; 2 more not measured: a_package_of_nobody is not installed." in report

    known(Squares(id="X1", package="json"))  # installed now
    assert reproduce(jobs=1, out=tmp_path).sections[0].n_finished == 4
    known(Squares(id="X1", package="a_package_of_nobody"))  # and gone again
    section = reproduce(out=tmp_path, report_only=True).sections[0]
    assert (section.n_finished, section.n_runs, section.left_out) == (4, 4, {})


def test_a_method_whose_package_is_missing_is_said_to_be_not_measured(known, tmp_path):
    class TwoMethods(Squares):
        def runs(self, setting):
            cubes = Run(0, {"method": "cube", "x": 3}, package="a_package_of_nobody")
            return [*super().runs(setting), cubes]

        def findings(self, results):
            return [
                Finding("square is below cube", "–", "always", None),
                Finding("squares", "4", "4", True),
            ]

        def sheets(self, results):
            return [Sheet("powers", ("method", "x"), (("square", "4"), ("cube", "– (8)")))]

        def figures(self, results):
            return [Picture(Figure(), "Powers.")]

    known(TwoMethods(id="X1"))
    result = reproduce(jobs=1, out=tmp_path)
    (section,) = result.sections
    reason = "not measured: a_package_of_nobody is not installed"
    assert [finding.ours for finding in section.findings] == [reason, "4"]
    assert section.sheets[0].rows == (("square", "4"), ("cube", "not measured (8)"))
    (picture,) = section.pictures
    assert picture.caption == "Powers. Not measured: cube (a_package_of_nobody is not installed)."
    for file in ("report.html", "report.md", "summary.md"):
        text = (tmp_path / file).read_text().replace("\\", "")
        assert reason in text
        assert "a_package_of_nobody is not installed. It is needed for cube of X1." in text
    assert result.status == 0


def test_an_experiment_all_of_whose_runs_need_a_missing_package_is_not_measured(known, tmp_path):
    known(Squares(id="X1", package="a_package_of_nobody", numbers=(3,)))
    result = reproduce(jobs=1, out=tmp_path)
    assert result.sections[0].statuses == ("not measured",)
    assert "1 experiment: 1 not measured." in (tmp_path / "summary.md").read_text()


def test_progress_is_told_while_preparing_running_and_drawing(known, tmp_path):
    known(Squares(id="X1", seeds=1), Squares(id="X2", seeds=1))
    told = []
    reproduce(jobs=1, out=tmp_path, progress=told.append)
    assert told[0] == Progress("", "loading the experiments")
    runs = [(p.now, p.n_done, p.n_all) for p in told if p.unit == "run"]
    assert runs == [("X1", 0, 4), ("X1", 1, 4), ("X1", 2, 4), ("X2", 3, 4), ("X2", 4, 4)]
    assert told[1].seconds_left is None
    assert told[5].seconds_left == 0
    drawn = [Progress("experiment", "X1", 0, 2), Progress("experiment", "X2", 1, 2)]
    assert told[6:] == drawn


def test_a_report_of_what_is_finished_runs_nothing(known, tmp_path):
    known(Squares(id="X1"))
    reproduce(jobs=1, out=tmp_path)
    known(Squares(id="X1", seeds=5))
    result = reproduce(jobs=1, out=tmp_path, report_only=True)
    assert result.sections[0].statuses == ("incomplete",)
    assert (result.sections[0].n_finished, result.sections[0].n_runs) == (4, 10)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"preset": "slow"}, "preset must be 'quick' or 'full', got 'slow'"),
        ({"jobs": 0}, "jobs must be an integer of at least 1, got 0"),
        ({"jobs": 1.5}, "jobs must be"),
    ],
)
def test_wrong_parameters_are_named(known, tmp_path, parameters, message):
    known(Squares(id="X1"))
    with pytest.raises(ValueError, match=message):
        reproduce(out=tmp_path / "out", **parameters)
    assert not (tmp_path / "out").exists()


def test_a_data_folder_that_is_none_is_an_error(known, tmp_path):
    known(Squares(id="X1"))
    with pytest.raises(FileNotFoundError, match="data must be a folder"):
        reproduce(out=tmp_path, data=tmp_path / "nowhere")


# --------------------------------------------------------------------------------- time left


def test_time_left_is_that_of_the_most_similar_runs():
    runs = [
        similarity_keys("X1", {"method": m, "n": n}) for m in ("RF", "SPORF") for n in (10, 100)
    ]
    assert time_left(runs, [], jobs=1) is None
    assert time_left([], [], jobs=1) == 0
    done = [
        (similarity_keys("X1", {"method": "RF", "n": 10}), 2.0),
        (similarity_keys("X1", {"n": 10, "method": "RF"}), 4.0),
        (similarity_keys("X1", {"method": "RF", "n": 100}), 12.0),
    ]
    # RF: the means of its sizes, 3 and 12; SPORF: that of all, 6
    assert time_left(runs, done, jobs=2) == (3 + 12 + 6 + 6) / 2
    bigger = similarity_keys("X1", {"method": "RF", "n": 1000})
    assert time_left([bigger] * 2, done, jobs=1) == 12
    # nothing is known of X2 but how long runs usually are
    assert time_left([similarity_keys("X2", {})], done, jobs=1) == 4
