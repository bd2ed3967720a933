"""Performance profiles (R6) and complexity (R8) of the RerF paper."""

import itertools
import math

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier

import manifoldforest as mf
from experiments.experiment import Run, Setting
from experiments.rerf.profiles import (
    METHODS,
    Panel,
    area,
    interval,
    profile,
    ratios,
    resampled_areas,
)
from experiments.rerf.r6_uci import PUBLISHED, R6, TRANSFORMATIONS, examples
from experiments.rerf.r8_complexity import R8, SWEEPS, fit_slope, memory, noise
from experiments.results import Results, Row

QUICK = Setting("quick")


def row(experiment, metrics, seed=0, preset="full", **parameters):
    return Row(experiment, preset, seed, parameters, metrics, 0.0, "0", "2020-01-01")


def benchmark_row(data, method, error, seconds=1.0, transformation="raw", rows=100, features=4):
    metrics = {"error": error, "train_seconds": seconds, "rows": rows, "features": features}
    return row("R6", metrics, data=data, transformation=transformation, method=method, trees=10)


def panel_rows(errors, **others):
    """Return rows for a table of errors, data sets × methods."""
    return [
        benchmark_row(f"set{i}", method, error, **others)
        for i, of_set in enumerate(errors)
        for method, error in zip(METHODS, of_set, strict=True)
    ]


# ------------------------------------------------------------------------------ profiles


def test_ratios_and_profile_by_hand():
    ratio = ratios(np.array([[0.1, 0.2, 0.1], [0.3, 0.1, 0.4]]))
    np.testing.assert_allclose(ratio, [[1, 2, 1], [3, 1, 4]])
    at, share = profile(np.array([1.0, 3.0, 1.0, 2.0]))
    assert at.tolist() == [1, 2, 3]
    assert share.tolist() == [0.5, 0.75, 1]


def test_area_is_the_integral_of_the_profile():
    ratio = np.array([[1.0], [1.5], [4.0], [9.0]])
    # heights 1/4 on [1, 1.5], 2/4 on [1.5, 4], 3/4 on [4, 5]; the last is beyond the axis
    assert area(ratio, 5)[0] == pytest.approx(0.25 * 0.5 + 0.5 * 2.5 + 0.75 * 1)

    grid = np.linspace(1, 5, 400_001)
    at, share = profile(ratio[:, 0])
    heights = np.concatenate([[0], share])[np.searchsorted(at, grid, side="right")]
    assert area(ratio, 5)[0] == pytest.approx(heights.mean() * 4, abs=1e-4)


def test_resampled_areas_draw_sets_for_all_methods_together():
    rng = np.random.default_rng(0)
    one = 1 + rng.exponential(size=60)
    draws = resampled_areas(np.column_stack([one, one, one + 0.5]), 50)
    assert (draws[:, 0] == draws[:, 1]).all()
    np.testing.assert_allclose(draws[:, 0] - draws[:, 2], 0.5)
    # the width of the interval is that of the standard error of a mean
    low, high = interval(draws[:, 0])
    assert (high - low) / (2 * 1.96 * one.std() / math.sqrt(60)) == pytest.approx(1, abs=0.1)


def test_published_mean_ratios_are_at_least_one():
    for panel in PUBLISHED:
        implied = panel.end - np.array(panel.areas)
        assert 1 <= implied.min() < 1.1


# ----------------------------------------------------------------------------- R6: data


@pytest.fixture
def stored(tmp_path):
    """Return the setting of a folder with a large set, one with a test part, and gaps in it."""
    folder = tmp_path / "uci121"
    folder.mkdir()
    rng = np.random.default_rng(0)
    X = rng.normal(5, 3, size=(40, 3)).astype(np.float32)
    X[:3, 1] = np.nan
    y = np.arange(40) % 2
    np.savez(folder / "gaps.npz", X=X, y=y, n_train=30)
    np.savez(folder / "wide.npz", X=np.ones((12, 200), np.float32), y=y[:12])
    np.savez(folder / "long.npz", X=np.ones((1001, 2), np.float32), y=np.arange(1001) % 2)
    return Setting("full", tmp_path)


def test_runs_go_from_small_to_large_and_costly_sets_wait(stored):
    runs = R6.runs(stored)
    assert len(runs) == 3 * 4 * 3
    assert all(run.needs == "uci121" for run in runs)
    assert [run.parameters["data"] for run in runs[::12]] == ["gaps", "long", "wide"]
    assert [run.parameters["trees"] for run in runs[::12]] == [1000, 500, 1000]
    assert [run.seed for run in runs[::12]] == [0, 0, 1]
    assert {run.parameters["transformation"] for run in runs[:12]} == set(TRANSFORMATIONS)


@pytest.mark.parametrize("exists", [False, True])
def test_runs_without_data_sets_say_what_they_need(tmp_path, exists):
    runs = R6.runs(Setting("full", tmp_path if exists else None))
    assert [run.parameters["method"] for run in runs] == list(METHODS)
    assert all(run.needs == "uci121" for run in runs)


def test_examples_are_the_training_part_filled_and_in_standard_units(stored):
    X, y = examples("gaps", stored)
    with np.load(stored.data / "uci121" / "gaps.npz") as file:
        known = file["X"][:30].astype(float)
    known[:3, 1] = np.median(known[3:, 1])
    np.testing.assert_allclose(X, (known - known.mean(axis=0)) / known.std(axis=0), atol=1e-5)
    assert X.dtype == np.float32
    assert y.tolist() == [0, 1] * 15


# --------------------------------------------------------------------------- R6: measures


def test_error_is_the_smallest_over_d_and_agrees_with_scikit_learn():
    parameters = {"data": "iris", "transformation": "raw", "method": "RF", "trees": 300}
    metrics = R6.measure(Run(0, parameters), QUICK).metrics
    by_d = {name: value for name, value in metrics.items() if name.startswith("error_d")}
    assert set(by_d) == {"error_d1", "error_d2", "error_d3", "error_d4"}
    assert metrics["error"] == min(by_d.values())
    assert (metrics["rows"], metrics["features"]) == (150, 4)
    assert metrics["train_seconds"] > 0

    X, y = examples("iris", QUICK)
    other = RandomForestClassifier(
        300, max_features=2, min_samples_split=10, oob_score=True, random_state=0
    ).fit(X, y)
    assert by_d["error_d2"] == pytest.approx(1 - other.oob_score_, abs=0.025)


def test_scaling_leaves_rf_as_it_is_and_rotation_does_not():
    errors = {}
    for transformation in TRANSFORMATIONS:
        parameters = {"data": "parity", "transformation": transformation, "trees": 30}
        metrics = R6.measure(Run(0, {**parameters, "method": "RF"}), QUICK).metrics
        errors[transformation] = [v for k, v in metrics.items() if k.startswith("error_d")]
    assert errors["raw"] == errors["scaled"]
    assert errors["rotated"] == errors["affine"]
    assert errors["raw"] != errors["rotated"]


# --------------------------------------------------------------------------- R6: findings


def test_costs_leave_out_unfinished_sets_and_count_zero_as_half_a_row():
    rows = panel_rows([[0.0, 0.02, 0.0], [0.1, 0.2, 0.3]])
    rows += [benchmark_row("unfinished", "RF", 0.5)]
    rows += panel_rows([[0.9, 0.9, 0.9]], transformation="scaled")
    panel = Panel("error", "raw", 33, (1, 1, 1))
    costs = panel.costs(Results(tuple(rows), "full"))
    np.testing.assert_allclose(costs, [[0.005, 0.02, 0.005], [0.1, 0.2, 0.3]])


def order(errors):
    results = Results(tuple(panel_rows(errors)), "full")
    return R6.findings(results)[0]


def test_order_as_published_agrees():
    finding = order([[0.21, 0.2, 0.3]] * 9)  # raw: RerF > RF > RotRF
    assert finding.agrees is True
    # areas: 33 − 1.05, 33 − 1, 33 − 1.5
    assert finding.ours == "RerF 32.00 > RF 31.95 > RotRF 31.50"
    assert finding.published == "RerF 31.95 > RF 31.87 > RotRF 30.94"
    assert "RerF − RF +0.05 [+0.05, +0.05], published +0.08" in finding.note


def test_order_against_the_published_one_contradicts():
    assert order([[0.2, 0.21, 0.3]] * 9).agrees is False


def test_order_that_chance_may_have_made_is_undecided():
    assert order([[0.2, 0.25, 0.6], [0.24, 0.2, 0.6], [0.2, 0.22, 0.6]]).agrees is None


def test_training_times_by_hand():
    seconds = {"RF": 2.0, "RerF": 2.2, "RotRF": 8.0}
    rows = [
        benchmark_row("a", method, 0.1, time, transformation)
        for method, time in seconds.items()
        for transformation in TRANSFORMATIONS
    ]
    found = {finding.claim: finding for finding in R6.findings(Results(tuple(rows), "full"))}
    rerf = found["RF and RerF need comparable training time, whatever the transformation"]
    assert rerf.agrees is True
    assert rerf.ours == "RerF takes 1.10 to 1.10 times as long"
    rotation = found["RotRF is slower on raw and scaled data, but not on rotated and affine ones"]
    assert rotation.agrees is False
    assert "affine 4.00" in rotation.ours


# --------------------------------------------------------------------------------- R8


def test_slope_of_a_power_law_and_its_error():
    sizes = np.array([10, 20, 40, 80])
    exact = fit_slope(sizes, 7 * sizes**2.5)
    assert (exact.value, exact.error) == (pytest.approx(2.5), pytest.approx(0, abs=1e-9))

    costs = sizes**2.0 * np.array([1.1, 0.9, 1.2, 1.0])
    line, covariance = np.polyfit(np.log(sizes), np.log(costs), 1, cov=True)
    slope, error = line[0], math.sqrt(covariance[0, 0])
    noisy = fit_slope(sizes, costs)
    assert noisy.value == pytest.approx(slope)
    assert noisy.error == pytest.approx(error)
    assert str(noisy) == f"{slope:.2f} ± {error:.2f}"


def test_slope_of_too_few_sizes():
    assert fit_slope([10, 10], [1, 2]) is None
    assert fit_slope([10, 20, 40], [1, -2, 0]) is None
    two = fit_slope([10, 100], [1, 10])
    assert str(two) == "1.00"


def test_rotations_are_all_that_rotrf_stores_more():
    parameters = {"over": "features", "rows": 100, "trees": 4}
    costs = {
        (method, p): R8.measure(
            Run(0, {**parameters, "method": method, "features": p}), QUICK
        ).metrics
        for method, p in itertools.product(("RF", "RotRF"), (40, 80))
    }
    for p in (40, 80):
        extra = costs["RotRF", p]["model_bytes"] - costs["RF", p]["model_bytes"]
        assert extra == pytest.approx(4 * p**2, rel=0.1)
    assert costs["RF", 40]["memory_bytes"] < 4 * 40**2 < costs["RotRF", 40]["memory_bytes"]


def test_memory_counts_the_arrays_of_all_trees():
    X, y = noise(60, 5, 0)
    one, two = (
        mf.named_forest("RF", n_estimators=k, keep_samples=False, random_state=0).fit(X, y)
        for k in (1, 2)
    )
    nodes = one.trees_[0].n_nodes
    # at least child, threshold and the shares of two classes of each node
    assert memory(one) >= nodes * (4 + 4 + 2 * 4)
    assert 1.3 < memory(two) / memory(one) < 2.7


def complexity_rows(exponents):
    """Return rows of costs that are exact powers of the sizes."""
    return [
        row(
            "R8",
            {name: 3.0 * size ** exponents[method] for name in ("train_seconds", "model_bytes")}
            | {"memory_bytes": 1.0},
            preset="quick",
            over=sweep.over,
            method=method,
            trees=2,
            **sweep.size(size),
        )
        for sweep in SWEEPS["quick"]
        for size in sweep.values
        for method in METHODS
    ]


def test_exponents_decide_the_findings():
    rows = complexity_rows({"RF": 1.0, "RerF": 1.05, "RotRF": 2.5})
    found = R8.findings(Results(tuple(rows), "quick"))
    assert [finding.agrees for finding in found[:4]] == [True] * 4
    assert "RF 1.00 ± 0.00, RerF 1.05 ± 0.00" in found[0].ours
    assert found[4].agrees is True  # time: 2.5 and a little, because RF is taken away
    assert found[5].agrees is False  # bytes: not 2

    rows = complexity_rows({"RF": 1.0, "RerF": 1.2, "RotRF": 1.0})
    assert not any(f.agrees for f in R8.findings(Results(tuple(rows), "quick"))[:4])


# ------------------------------------------------------------------------ any subset of rows


@pytest.fixture(scope="module")
def all_rows():
    rng = np.random.default_rng(1)
    benchmark = [
        benchmark_row(name, method, rng.uniform(0, 0.5), rng.uniform(1, 2), transformation)
        for name in "abc"
        for transformation in TRANSFORMATIONS
        for method in METHODS
    ]
    return {"R6": benchmark, "R8": complexity_rows({"RF": 1.0, "RerF": 1.1, "RotRF": 2.0})}


@pytest.mark.parametrize("n_rows", [1, 3, 20])
@pytest.mark.parametrize("experiment", [R6, R8], ids=lambda e: e.id)
def test_any_rows_can_be_reported(experiment, n_rows, all_rows):
    plt = pytest.importorskip("matplotlib.pyplot")
    rows = all_rows[experiment.id]
    rng = np.random.default_rng(n_rows)
    chosen = rng.permutation(len(rows))[:n_rows]
    results = Results(tuple(rows[i] for i in np.sort(chosen)), rows[0].preset)
    for finding in experiment.findings(results):
        assert "nan" not in f"{finding.ours} {finding.note}"
    for sheet in experiment.sheets(results):
        assert all(len(line) == len(sheet.columns) for line in sheet.rows)
        assert not any("nan" in cell for line in sheet.rows for cell in line)
    for picture in experiment.figures(results):
        picture.figure.draw_without_rendering()
        plt.close(picture.figure)
