"""Times, importance maps, tuning and consistency of MORF: M4, M6, M8 and T1."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pytest

from experiments.experiment import Run, Setting
from experiments.morf.data import simulated
from experiments.morf.m4_times import M4, seconds_in
from experiments.morf.m6_importance import M6, background_share, draw_images, total_variation
from experiments.morf.m8_tuning import CIRCLE, M8, MNIST, errors_of, no_worse
from experiments.morf.t1_consistency import T1, excess_error, excess_in, forest_of, share_of_convex
from experiments.results import Results, Row
from manifoldforest import ForestClassifier
from manifoldforest.datasets import bayes_error, make_impulse
from manifoldforest.datasets._impulse import impulse_curve
from manifoldforest.projections import Patches

QUICK = Setting("quick")


def row(experiment, metrics, seed=0, preset="full", **parameters):
    return Row(experiment, preset, seed, parameters, metrics, 1.0, "0", "today")


def all_said(experiment, results):
    """Ask an experiment for everything a report shows."""
    findings, sheets = experiment.findings(results), experiment.sheets(results)
    pictures = experiment.figures(results)
    for picture in pictures:
        picture.figure.canvas.draw()
        plt.close(picture.figure)
    for sheet in sheets:
        assert all(len(cells) == len(sheet.columns) for cells in sheet.rows)
        assert "nan" not in str(sheet)
    assert "nan" not in str(findings)
    return findings


# ------------------------------------------------------------------------------------------- M4


def times(experiment, method, n, train, test=1.0, **more):
    trees = {"trees": 500} if method in ("MORF", "SPORF", "RF") else {}
    metrics = {"train_seconds": train, "test_seconds": test}
    return row(experiment, metrics, method=method, n=n, **trees, **more)


def test_seconds_are_means_by_size_of_one_problem():
    rows = (
        times("M1", "RF", 200, 3.0),
        times("M1", "RF", 10, 1.0, seed=0),
        times("M1", "RF", 10, 2.0, seed=1),
        times("M1", "SPORF", 10, 7.0),
        times("M2", "RF", 10, 9.0),
        times("M1", "RF", 50, 0.0),  # shorter than the clock can tell
    )
    found = seconds_in(Results(rows, "full"), "train_seconds")["circle"]["RF"]
    assert list(found.items()) == [(10, 1.5), (200, 3.0)]


def test_times_are_judged_by_ratios():
    rows = (
        *(times("M1", m, 2000, s) for m, s in {"MORF": 3, "SPORF": 2, "RF": 1, "CNN": 6}.items()),
        *(times("M3", m, 2000, s) for m, s in {"MORF": 9, "SPORF": 3, "RF": 4, "CNN": 3}.items()),
        times("M3", "MORF", 10, 1.0),
        times("M3", "CNN", 10, 4.0),
    )
    findings = all_said(M4, Results(rows, "full"))
    assert "circle 1.5 (n = 2000), impulse 2.2 (n = 2000)" in findings[0].ours
    assert findings[0].agrees is False  # 9 / 4 is more than twice
    assert findings[1].agrees is True
    assert findings[2].ours.startswith("2 of 3 simulations × sizes")
    assert findings[2].agrees is True
    assert "circle 0.50 (n = 2000), impulse 3.00 (n = 2000)" in findings[2].ours
    # 45 cores × 2.04 s / 3 s and 45 × 1.15 / 9
    assert "theirs are 31, 6 times" in findings[4].note


def test_times_without_networks_or_trees_as_published():
    quick = row("M2", {"train_seconds": 1.0, "test_seconds": 1.0}, method="kNN", n=10)
    findings = all_said(M4, Results((quick,), "quick"))
    assert len(findings) == 4  # no seconds of ours beside the published
    assert all(finding.agrees is None for finding in findings)
    assert M4.runs(QUICK) == []


# ------------------------------------------------------------------------------------------- M6


def test_total_variation_by_hand():
    image = np.array([[1.0, 3.0], [0.0, 4.0]])  # rows: 2 + 4, columns: 1 + 1; sum 8
    assert total_variation(image) == pytest.approx(1.0)
    assert total_variation(100 * image) == pytest.approx(1.0)
    assert total_variation(np.ones((5, 7))) == 0
    single = np.zeros((5, 5))
    single[2, 2] = 3
    assert total_variation(single) == pytest.approx(4)


def test_background_share_by_hand():
    images = np.zeros((2, 2, 2))
    images[0, 0, 0], images[1, 1, 1] = 5, 1
    assert background_share(np.array([[4.0, 1.0], [2.0, 3.0]]), images) == pytest.approx(0.3)


def test_images_are_of_both_classes_and_drawn_by_the_seed():
    images, labels = draw_images(0, QUICK)
    assert images.shape == (200, 8, 8)
    assert np.bincount(labels)[[3, 5]].tolist() == [100, 100]
    assert len(np.unique(images.reshape(200, -1), axis=0)) == 200  # none twice
    assert not np.array_equal(images, draw_images(1, QUICK)[0])


def test_importance_of_a_forest_never_lies_on_constant_pixels_for_rf():
    run = Run(0, {"data": "digits", "method": "RF", "trees": 100, "n": 200})
    outcome = M6.measure(run, QUICK)
    assert outcome.metrics["background"] == 0
    assert outcome.metrics["background_pixels"] > 0.1
    assert outcome.arrays["importance"].sum() == pytest.approx(1, abs=1e-5)
    images, labels = draw_images(0, QUICK)
    np.testing.assert_allclose(outcome.arrays["mean_3"], images[labels == 3].mean(axis=0), 1e-5)


def importance_row(method, variation, background, seed=0):
    metrics = {
        "total_variation": variation,
        "background": background,
        "background_pixels": 0.3,
    }
    return row("M6", metrics, seed, method=method, trees=500)


def test_importance_is_judged_by_means():
    rows = (
        importance_row("RF", 0.5, 0.0),
        importance_row("RF", 0.9, 0.0, seed=1),
        importance_row("SPORF", 0.3, 0.2),
        importance_row("MORF", 0.6, 0.11),
    )
    smoother, background = all_said(M6, Results(rows, "full"))
    assert (smoother.agrees, background.agrees) == (True, False)
    assert "RF 0.700" in smoother.ours
    for one in rows:
        for finding in all_said(M6, Results((one,), "full")):
            assert finding.agrees is None


# ------------------------------------------------------------------------------------------- M8


def tuning_row(setting, d, error, seed=0):
    metrics = {"error": error, "train_seconds": 1.0}
    return row("M8", metrics, seed, data="circle", n=1000, setting=setting, d=d, trees=500)


TUNING = (
    tuning_row("3–12", 50, 0.02),
    tuning_row("3–12", 50, 0.04, seed=1),
    tuning_row("1–5", 22, 0.4),
    tuning_row("SPORF", 22, 0.45),
    tuning_row("RF", 22, 0.39),
    tuning_row("SPORF", 50, 0.45),
    tuning_row("RF", 50, 0.44),
)


def test_tuning_compares_settings_with_forests_of_the_same_candidates():
    results = Results(TUNING, "full")
    cells = errors_of(results, CIRCLE)
    of_range = {key: error for key, error in cells.items() if key[0] == "3–12"}
    assert of_range == {("3–12", 50): pytest.approx(0.03)}
    assert no_worse(cells, CIRCLE.sizes) == (1, 2)  # 0.03 < 0.44, but 0.4 > 0.39
    robust, rerun = all_said(M8, results)
    assert robust.agrees is False  # 0.4 is more than 1.5 times 0.03
    near = (tuning_row("3–12", 50, 0.02), tuning_row("1–15", 22, 0.029), tuning_row("4–6", 22, 0.5))
    assert all_said(M8, Results(near, "full"))[0].agrees is True  # 4–6 is none of the authors'
    assert "0.0300 (sizes 3–12, d = 50) to 0.400 (sizes 1–5, d = 22)" in robust.ours
    assert "mostly worse: sizes 1–5" in robust.ours
    assert rerun.agrees is True


def test_tuning_says_what_it_can_of_any_rows():
    for one in TUNING:
        assert all_said(M8, Results((one,), "full"))[0].agrees is None


def test_tuning_runs_what_its_grids_say():
    runs = M8.runs(Setting("full"))
    assert len(runs) == 5 * 3 * 7 * 4
    assert {run.needs for run in runs if run.parameters["data"] != "mnist"} == {None}
    first = next(r for r in M8.runs(QUICK) if r.parameters["setting"] == "2–12")
    # the same forest, made from its parts
    X, y, X_test, y_test = simulated(make_impulse, 2000)(200, first.seed, QUICK)
    forest = ForestClassifier(
        first.parameters["trees"],
        projection=Patches(min_size=2, max_size=12),
        max_features=first.parameters["d"],
        random_state=first.seed,
    )
    expected = np.mean(forest.fit(X, y).predict(X_test) != y_test)
    assert M8.measure(first, QUICK).metrics["error"] == pytest.approx(expected)


def test_sizes_of_patches_are_as_their_names_say():
    series, image = CIRCLE.patches("3–12"), MNIST.patches("2 × 2–5")
    assert (series.min_size, series.max_size, series.wrap) == ((3,), (12,), True)
    assert (image.min_size, image.max_size, image.wrap) == ((2, 2), (2, 5), False)
    for grid in (CIRCLE, MNIST):
        assert {grid.chosen[0], *grid.authors} <= set(grid.sizes)


# ------------------------------------------------------------------------------------------- T1


def test_excess_error_of_rules_whose_errors_are_known():
    X, y = make_impulse(40_000, random_state=0)
    curve = impulse_curve()
    best = X @ curve > curve @ curve / 2
    assert excess_error(best, X) == 0
    lowest = bayes_error("impulse")
    # always one class: error 1/2; always the worse class: 1 - Bayes error
    assert excess_error(np.zeros(len(X)), X) == pytest.approx(0.5 - lowest, abs=0.008)
    assert excess_error(~best, X) == pytest.approx(1 - 2 * lowest, abs=0.008)
    # a single value of the series, against its errors by labels
    rule = X[:, 20] > 0.5
    by_labels = np.mean(rule != y)
    assert lowest + excess_error(rule, X) == pytest.approx(by_labels, abs=0.01)


def test_share_of_convex_tells_convex_cells_from_others():
    X = np.random.default_rng(0).normal(size=(3000, 2))

    def strips(points):
        return np.floor(points[:, :1]).astype(int)

    def rings(points):  # half-way between two points of the outer ring is often the inner disc
        return (np.hypot(*points.T) > 1).astype(int)[:, None]

    assert share_of_convex(strips, X, 500, seed=0) == (1.0, 500)
    share, tried = share_of_convex(rings, X, 500, seed=0)
    assert tried == 500
    assert share < 0.95


def test_cells_of_trees_are_convex():
    X, y = make_impulse(300, random_state=0)
    X_test = make_impulse(1000, random_state=1)[0]
    for method in ("MORF", "SPORF", "RF"):
        forest = forest_of(method, 300, trees=3, seed=0).fit(X, y)
        share, tried = share_of_convex(forest.apply, X_test, 1500, seed=0)
        assert tried > 1000
        assert share > 0.998  # but for rounding


def test_honest_forests_are_those_of_the_theorem():
    forest = forest_of("honest MORF", 1000, trees=5, seed=0)
    assert forest.honest
    assert not forest.bootstrap
    assert forest.max_samples == round(1000**0.9)
    assert forest.projection.min_size == 1  # single features are among the projections
    assert not forest_of("MORF", 1000, trees=5, seed=0).honest


def excess_row(method, n, excess, seed=0):
    metrics = {"error": 0.12 + excess, "excess": excess}
    return row("T1", metrics, seed, part="error", method=method, n=n, trees=100)


def test_consistency_is_judged_by_falling_excess():
    rows = (
        excess_row("honest MORF", 400, 0.01),
        excess_row("honest MORF", 100, 0.01),
        excess_row("honest MORF", 100, 0.03, seed=1),
        excess_row("honest SPORF", 100, 0.05),
        excess_row("honest SPORF", 400, 0.06),
        excess_row("MORF", 400, 0.005),
        row("T1", {"convex": 0.75, "pairs": 400.0}, part="cells", method="RF", n=400, trees=10),
    )
    results = Results(rows, "full")
    assert excess_in(results).means()["honest MORF"] == {100: pytest.approx(0.02), 400: 0.01}
    morf, sporf, price, convex = all_said(T1, results)
    assert (morf.agrees, sporf.agrees, price.agrees, convex.agrees) == (True, False, None, False)
    assert "n^-0.50" in morf.ours  # halved while n is four times as large
    assert convex.ours.startswith("100 of 400")
    for one in rows:
        all_said(T1, Results((one,), "full"))


def test_quick_runs_store_what_figures_need():
    run = next(r for r in T1.runs(QUICK) if r.parameters["part"] == "cells")
    outcome = T1.measure(run, QUICK)
    assert outcome.metrics["convex"] == pytest.approx(1, abs=1e-4)
    assert outcome.arrays["plane"].shape == (160, 160)
    assert outcome.arrays["plane"].nbytes < 100_000
