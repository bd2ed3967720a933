"""The experiments of the dRF paper: their measures, and what they say about rows."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from sklearn.neighbors import kneighbors_graph
from threadpoolctl import threadpool_limits

from experiments.datasets import digits
from experiments.drf import completion
from experiments.drf import swiss_roll as roll
from experiments.drf.completion import CompletionSize, suspicious
from experiments.drf.d1_swiss_roll import D1, RollSize
from experiments.drf.d2_digits import D2, FIRST, RANDOM, misread, other_digits
from experiments.drf.d3_faces import D3, DRAWN, draw_faces
from experiments.drf.methods import Paired, fit_predict
from experiments.experiment import Setting
from experiments.results import Results, Row
from reference import responses

QUICK = Setting("quick")
SMALL = {
    "D1": replace(
        D1,
        other_leaves=(20,),
        quick=RollSize(
            n_train=100, n_test=40, n_trees=5, noise_variances=(0.0, 0.5), repetitions=2
        ),
    ),
    "D2": replace(
        D2,
        quick=CompletionSize(
            n_train=120, n_test=40, n_trees=5, repetitions=2, images=(FIRST, RANDOM)
        ),
    ),
    "D3": replace(
        D3,
        quick=CompletionSize(n_train=60, n_test=20, n_trees=5, repetitions=2, images=(DRAWN,)),
    ),
}


def row(id, parameters, metrics, seed=0, arrays_file=None):
    return Row(id, "quick", seed, parameters, metrics, 0.0, "0", "", arrays_file)


def results(*rows, preset="full"):
    return Results(tuple(rows), preset)


# ------------------------------------------------------------------------------- the swiss roll


def on_roll(t, u):
    return np.column_stack([t * np.cos(t), u, t * np.sin(t)])


def test_points_moved_off_the_roll_are_as_far_as_they_were_moved():
    rng = np.random.default_rng(0)
    t, u = rng.uniform(np.pi + 0.2, 3 * np.pi - 0.2, 50), rng.uniform(0, 21, 50)
    along = np.column_stack([np.cos(t) - t * np.sin(t), 0 * t, np.sin(t) + t * np.cos(t)])
    normal = np.column_stack([along[:, 2], 0 * t, -along[:, 0]])
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    moved = rng.uniform(-0.5, 0.5, 50)
    points = on_roll(t, u) + moved[:, None] * normal
    np.testing.assert_allclose(roll.distance_to_roll(points), np.abs(moved), atol=1e-9)


def test_the_roll_ends():
    inner = on_roll(np.array([np.pi]), np.array([21.0]))
    beyond = inner + [[0, 3, 0]]
    tangent = np.array([[-1.0, 0.0, -np.pi]]) / np.hypot(1, np.pi)  # of growing t at t = pi
    before = inner - 0.5 * tangent
    found = roll.distance_to_roll(np.concatenate([inner, beyond, before]))
    np.testing.assert_allclose(found, [0, 3, 0.5], atol=1e-9)


def test_distance_to_the_roll_is_that_to_its_nearest_point():
    rng = np.random.default_rng(1)
    points = rng.normal(scale=7, size=(20, 3))
    t, u = np.meshgrid(np.linspace(np.pi, 3 * np.pi, 2000), np.linspace(0, 21, 211))
    cloud = on_roll(t.ravel(), u.ravel())
    brute = [np.sqrt(((cloud - point) ** 2).sum(axis=1).min()) for point in points]
    np.testing.assert_allclose(roll.distance_to_roll(points), brute, atol=3e-3)


def test_errors_on_the_roll_by_hand():
    points = np.array([[3.0, 1.0, 4.0], [0.0, 2.0, 1.0]])
    truth = np.array([[0.0, 1.0, 3.0], [0.0, 2.0, 2.0]])
    np.testing.assert_allclose(roll.radius(points) - roll.radius(truth), [2, -1])
    assert roll.root_mean_square(points - truth) == pytest.approx(np.sqrt((10 + 1) / 2))


def test_noise_changes_responses_and_nothing_else():
    clean, noisy = (roll.draw_split(300, 100, variance, seed=3) for variance in (0.0, 2.0))
    np.testing.assert_array_equal(clean.X_train, noisy.X_train)
    np.testing.assert_array_equal(clean.on_roll_test, noisy.on_roll_test)
    np.testing.assert_array_equal(clean.Y_train, clean.on_roll_train)
    assert noisy.Y_train.shape == (300, 3)
    assert noisy.Y_test.shape == (100, 3)
    noise = np.concatenate([noisy.Y_train - noisy.on_roll_train, noisy.Y_test - noisy.on_roll_test])
    # 1200 squares of variance 2 * 4: six standard errors
    assert np.mean(noise**2) == pytest.approx(2, abs=6 * np.sqrt(8 / 1200))


def test_a_point_between_the_ends_of_the_roll_is_a_shortcut():
    split = roll.draw_split(300, 10, 0.0, seed=0)
    assert roll.count_shortcuts(split, 7) == 0
    outer = np.argmax(split.on_roll_train[:, 0] * -1.0)  # near (-3 pi, u, 0)
    moved = split.Y_train.copy()
    moved[outer] = [-np.pi - 0.5, moved[outer, 1], 0.0]  # beside the inner end
    assert roll.count_shortcuts(split._replace(Y_train=moved), 7) >= 7


# -------------------------------------------------------------------------- the steps of dRF


@pytest.mark.parametrize("seed", range(5))
def test_algorithm_1_is_that_of_the_paper(seed):
    rng = np.random.default_rng(seed)
    D = rng.uniform(size=(12, 12))
    D = D + D.T
    np.fill_diagonal(D, 0)
    affinity = rng.uniform(size=12)
    found = roll.algorithm_1(int(affinity.argmax()), D)
    np.testing.assert_array_equal(found, responses.algorithm_1(affinity, D))


@pytest.fixture(scope="module")
def steps():
    split = roll.draw_split(150, 30, 0.5, seed=0)
    return split, D1.forests, roll.follow_steps(split, D1.forests, 20, 5, 0)


def test_the_picture_of_the_method_shows_what_the_method_does(steps):
    split, forests, outcome = steps
    step = outcome.arrays
    train = split.X_train, split.Y_train
    predicted = fit_predict(forests.model("dRF", 20, 5, 0), train, split.X_test)
    errors = np.hypot(*(predicted - split.Y_test)[:, [0, 2]].T)
    shown = np.argmin(np.abs(predicted - step["predicted"]).sum(axis=1))
    np.testing.assert_allclose(step["predicted"], predicted[shown], rtol=1e-5)
    assert np.sum(errors < errors[shown]) == len(errors) // 2
    # the new place is that of the response with the largest affinity, but for the distance to it
    nearest = step["affinity"].argmax()
    assert step["distances"].argmin() == nearest
    span = np.ptp(step["embedding"], axis=0).max()
    assert np.linalg.norm(step["new_place"] - step["embedding"][nearest]) < 0.01 * span
    assert outcome.metrics["deviation"] == 0


def test_edges_of_the_picture_are_those_of_the_graph(steps):
    split, forests, outcome = steps
    graph = kneighbors_graph(split.Y_train, forests.n_neighbors).toarray() > 0
    wanted = {(i, j) for i, j in np.argwhere(np.triu(graph | graph.T))}
    found = {(i, j) for i, j in outcome.arrays["edges"]}
    assert wanted <= found
    assert len(found) < 1.02 * len(wanted)  # the line may be the shortest path by chance


# ---------------------------------------------------------------------------------- the images


def test_halves_of_images_are_flat():
    pictures = np.arange(2 * 6 * 4, dtype=float).reshape(2, 6, 4)
    upper, lower = completion.halves(pictures)
    np.testing.assert_array_equal(upper[0], np.arange(12))
    np.testing.assert_array_equal(np.concatenate([upper, lower], axis=1).reshape(2, 6, 4), pictures)


def test_errors_of_images_by_hand():
    truth = np.random.default_rng(0).uniform(size=(2, 2, 4))
    whole = truth.copy()
    whole[:, 1] += [[2.0, 2.0, 2.0, 2.0], [0.0, 0.0, 0.0, 4.0]]
    found = completion.image_metrics(whole, truth)
    assert found["mse"] == pytest.approx(4.0)
    assert found["rmse"] == pytest.approx(2.0)
    assert found["brightness"] == pytest.approx(whole[:, 1].sum() / truth[:, 1].sum())
    narrow = completion.image_metrics(whole[:, :, :2], truth[:, :, :2])
    assert narrow["rmse"] == pytest.approx(1.0)


def test_seam_and_sharpness_by_hand():
    picture = np.array([[[9.0, 9.0], [1.0, 2.0], [4.0, 0.0], [4.0, 3.0]]])
    # down: 0, 3; across: -4, -1
    np.testing.assert_allclose(completion.gradient_energies(picture), [9 + 16 + 1])
    found = completion.image_metrics(picture / 2, picture)
    assert found["real_seam"] == pytest.approx((3 + 2) / 2)
    assert found["seam"] == pytest.approx((3 + 2) / 4)
    assert found["sharpness"] == pytest.approx(0.25)


def test_digits_are_judged_by_the_nearest_training_image():
    training = np.array([[[0.0, 0.0], [0.0, 0.0]], [[8.0, 8.0], [8.0, 8.0]]])
    whole = np.array([[[0.0, 1.0], [0.0, 0.0]], [[8.0, 8.0], [1.0, 8.0]], [[8.0, 0.0], [0.0, 0.0]]])
    wrong = misread(whole, np.array([0, 0, 1]), training, np.array([0, 1]))
    np.testing.assert_array_equal(wrong, [False, True, True])


def test_retrieved_halves_tell_their_digit():
    lower = np.array([[0.0, 1.0], [2.0, 3.0]])
    found = other_digits(lower[[0, 1, 1]], np.array([5, 5, 7]), lower, np.array([5, 7]))
    assert found == pytest.approx(1 / 3)
    assert other_digits(lower + 0.5, np.array([5, 5]), lower, np.array([5, 7])) is None


def test_blurred_images_and_rough_seams_are_suspicious():
    rng = np.random.default_rng(0)
    real = rng.normal(size=(200, 8, 8)).cumsum(axis=1)
    blurred, rough = real[:1].copy(), real[1:2].copy()
    blurred[:] = 1.0
    rough[:, 4:] += 50
    found = suspicious(np.concatenate([blurred, rough, real]), real)
    assert found[0]
    assert found[1]
    assert 0.02 < found[2:].mean() <= 0.1


# -------------------------------------------------------------------------------------- the data


def digits_problem(which, seed=0):
    return D2.problem(which, 800, 200, seed, QUICK)


def test_the_first_hundred_digits_of_each_class():
    problem = digits_problem(FIRST)
    whole, classes = digits()
    wanted = [whole[classes == digit][:100] for digit in range(10)]
    found = np.concatenate([problem.train, problem.test])
    assert problem.train.shape == (800, 8, 8)
    rows = {image.tobytes() for image in np.concatenate(wanted).astype(float)}
    assert {image.tobytes() for image in found} == rows
    np.testing.assert_array_equal(np.bincount(problem.test_labels[problem.examples]), [2] * 10)


def test_other_seeds_choose_other_random_digits():
    some, others = (
        {i.tobytes() for i in np.concatenate([p.train, p.test])}
        for p in (digits_problem(RANDOM, seed) for seed in (0, 1))
    )
    assert len(some - others) > 200


def test_no_face_of_a_test_person_is_trained_on():
    problem = D3.problem(DRAWN, 150, 50, 1, QUICK)
    assert (len(problem.train), len(problem.test)) == (150, 50)
    assert not set(problem.train_labels) & set(problem.test_labels)
    assert len(set(problem.test_labels[problem.examples])) == 5


def test_drawn_faces_are_alike_for_one_person():
    faces, people = draw_faces(12, 10, seed=0)
    assert faces.min() >= 0
    assert faces.max() <= 1
    means = np.array([faces[people == person].mean(axis=0) for person in range(12)])
    within = np.mean((faces - means[people]) ** 2)
    between = np.mean((means - means.mean(axis=0)) ** 2)
    assert between > within
    np.testing.assert_array_equal(faces, draw_faces(12, 10, seed=0)[0])


# ----------------------------------------------------------------------------------- comparisons


def test_only_common_repetitions_are_compared():
    rows = [row("D1", {"method": "a"}, {"x": value}, seed) for seed, value in enumerate([1, 2, 9])]
    rows += [row("D1", {"method": "b"}, {"x": value}, seed) for seed, value in enumerate([2, 1])]
    rows += [row("D1", {"method": "c"}, {"other": 1.0})]
    found = Paired.of(results(*rows), "x", ["a", "b", "c", "d"])
    assert {name: list(values) for name, values in found.items()} == {"a": [1, 2], "b": [2, 1]}
    assert found.wins("a") == "1 of 2 repetitions"
    assert f"{Paired({'a': np.array([1.0, 2.0])})}" == "a 1.5"
    assert f"{found.only('a'):.2f}" == "a 1.50"
    assert Paired({"a": np.array([3.0]), "b": np.array([2.0])}).smallest == "b"


def roll_row(method, variance, seed=0, **metrics):
    given = {"part": "predictions", "method": method, "noise_variance": variance, "leaf": 5}
    values = {"to_roll": 1.0, "rmse": 1.0, "to_truth": 1.0, "radius_error": 0.0, **metrics}
    return row("D1", given, values, seed)


def verdicts(experiment, rows, preset="full"):
    found = experiment.findings(results(*rows, preset=preset))
    return {finding.claim: finding for finding in found}


@pytest.mark.parametrize("at_4", [0.1, 0.9])
def test_robustness_to_noise_is_judged_at_every_level(at_4):
    rows = [
        roll_row(method, variance, to_roll=value)
        for variance, drf in ((0.5, 0.1), (4.0, at_4))
        for method, value in (("5NN", 3.0), ("RF", 1.0), ("kRF", 0.5), ("dRF", drf))
    ]
    found = verdicts(D1, rows)
    assert found["Predictions of dRF are closest to the manifold"].agrees is True
    robust = found["dRF is robust to noise in the responses"]
    assert robust.agrees is (at_4 < 0.5)
    assert ("behind kRF at a variance of 4" in robust.ours) is (at_4 > 0.5)
    assert "behind RF" not in robust.ours


def test_the_best_method_is_told_whichever_it_is():
    rows = [roll_row(m, 0.5, to_truth=v) for m, v in (("RF", 2.0), ("kRF", 1.0), ("dRF", 1.5))]
    found = verdicts(D1, rows)["dRF outperforms the other methods"]
    assert found.agrees is False
    assert "smallest: kRF, in 1 of 1 repetition" in found.ours
    rows[2] = roll_row("dRF", 0.5, to_truth=0.5)
    assert verdicts(D1, rows)["dRF outperforms the other methods"].agrees is True


def digit_row(method, seed, rmse, leaf=5, grey="0..16", which=FIRST):
    given = {"method": method, "grey_values": grey, "leaf": leaf, "images": which, "n_train": 800}
    return row("D2", given, {"rmse": rmse}, seed)


@pytest.mark.parametrize(("errors", "agrees"), [([2.7, 2.8], True), ([3.1, 3.11], False)])
def test_published_errors_must_lie_within_two_deviations(errors, agrees):
    rows = [digit_row("RF", seed, value) for seed, value in enumerate(errors)]
    rows += [digit_row("RF", seed, 1.0, leaf=1) for seed in (0, 1)]
    claim = "Error of RF (Table 1), with the deviation over repetitions"
    found = verdicts(D2, rows)[claim]
    assert found.agrees is agrees
    assert found.published == "2.7651"
    assert found.note == "With leaves of 1: 1.000."
    assert verdicts(D2, rows[:1])[claim].agrees is None


def test_cells_have_the_published_number_beside_ours():
    (sheet,) = D2.sheets(results(digit_row("RF", 0, 3.0), digit_row("RF", 0, 2.5, leaf=1)))
    assert sheet.columns[:4] == ("method", "grey values", "leaf", "RMSE of an image, 0..16")
    assert [cells[:4] for cells in sheet.rows] == [
        ("RF", "0..16", "5", "3.000 (2.7651)"),
        ("RF", "0..16", "1", "2.500"),
    ]


@pytest.mark.parametrize(("drf", "agrees"), [(0.01, True), (0.09, False)])
def test_the_smoothest_seam(drf, agrees):
    rows = [
        row(
            "D3",
            {"method": method, "grey_values": "0..1", "leaf": 5, "images": "faces"},
            {"seam": value, "real_seam": 0.03, "sharpness": 1.0},
        )
        for method, value in (("1NN", 0.09), ("LR", 0.05), ("dRF", drf))
    ]
    found = verdicts(D3, rows)["dRF has the smoothest transition between the halves"]
    assert found.agrees is agrees


# ------------------------------------------------------------------------- from runs to a report


@pytest.fixture(scope="module", params=["D1", "D2", "D3"])
def finished(request, tmp_path_factory):
    """Return a small version of an experiment, and its rows."""
    experiment = SMALL[request.param]
    folder = tmp_path_factory.mktemp(experiment.id)
    rows = []
    for number, run in enumerate(experiment.runs(QUICK)):
        with threadpool_limits(limits=1):
            outcome = experiment.measure(run, QUICK)
        stored = Path(folder, f"{number}.npz") if outcome.arrays else None
        if stored:
            np.savez(stored, **outcome.arrays)
        rows.append(
            row(experiment.id, dict(run.parameters), dict(outcome.metrics), run.seed, stored)
        )
    return experiment, rows


@pytest.mark.parametrize("experiment", [D1, D2, D3], ids=lambda experiment: experiment.id)
@pytest.mark.parametrize("preset", ["quick", "full"])
def test_every_run_has_a_key_of_its_own(experiment, preset):
    runs = experiment.runs(Setting(preset))
    keys = {json.dumps([run.seed, dict(run.parameters)], sort_keys=True) for run in runs}
    assert len(keys) == len(runs)
    wanted = "olivetti.npz" if (experiment.id, preset) == ("D3", "full") else None
    assert {run.needs for run in runs} == {wanted}
    assert [run.seed for run in runs] == sorted(run.seed for run in runs)


def test_a_run_is_the_same_whenever_it_is_done(finished):
    experiment, rows = finished
    runs = experiment.runs(QUICK)
    with threadpool_limits(limits=1):
        again = experiment.measure(runs[-1], QUICK).metrics
    first = rows[-1].metrics
    assert {k: v for k, v in again.items() if k != "seconds"} == {
        k: v for k, v in first.items() if k != "seconds"
    }


def test_stored_arrays_are_small(finished):
    _, rows = finished
    assert all(sum(a.nbytes for a in r.arrays.values()) < 100_000 for r in rows)
    assert any(r.arrays for r in rows)


def test_any_rows_are_enough_for_a_report(finished):
    experiment, rows = finished
    for one in rows:
        experiment.findings(results(one, preset="quick"))
        assert all(
            len(cells) == len(sheet.columns)
            for sheet in experiment.sheets(results(one, preset="quick"))
            for cells in sheet.rows
        )
    rng = np.random.default_rng(0)
    for _ in range(20):
        some = [rows[i] for i in np.flatnonzero(rng.uniform(size=len(rows)) < 0.5)]
        experiment.findings(results(*some, preset="quick"))
        experiment.sheets(results(*some, preset="quick"))


def test_figures_are_drawn_from_all_and_from_some_rows(finished):
    plt = pytest.importorskip("matplotlib.pyplot")
    experiment, rows = finished
    counts = []
    for some in (rows, rows[1:2], rows[-1:], rows[1::3]):
        pictures = experiment.figures(results(*some, preset="quick"))
        counts.append(len(pictures))
        for picture in pictures:
            assert picture.caption
            assert picture.figure.get_figwidth() <= 10
        plt.close("all")
    assert counts[0] == {"D1": 3, "D2": 1, "D3": 1}[experiment.id]
