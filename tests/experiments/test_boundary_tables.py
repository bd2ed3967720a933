"""Experiments B3 to B6: features, methods, and what is said about finished rows."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from experiments.boundary import classification
from experiments.boundary.b3_mnist import B3
from experiments.boundary.b4_mnist_hog import B4, hog_features
from experiments.boundary.b5_seconds import B5, COPIED, TEST, TRAINING
from experiments.boundary.b6_errors import B6, PUBLISHED
from experiments.boundary.classification import METHODS, classify, held_out
from experiments.drawing import drawing
from experiments.experiment import Finding, Run, Setting
from experiments.results import Results, Row

QUICK, FULL = Setting("quick"), Setting("full")


def finished(experiment, run: Run, preset="full", **metrics) -> Row:
    """A row as the runner would store it."""
    given = {"error": 0.1, "train_seconds": 2.0, "test_seconds": 1.0, **metrics}
    parameters = dict(run.parameters)
    return Row(experiment.id, preset, run.seed, parameters, given, 1.0, "0", "2026-01-01")


def as_published(name: str, method: str) -> dict[str, float]:
    """What the paper has for one method on one set."""
    metrics = {"error": PUBLISHED[name].get(method, 10) / 100}
    for part in (TRAINING, TEST):
        if method in part.published[name]:
            metrics[part.metric] = part.published[name][method]
    return metrics


def table_rows(change=lambda run, metrics: metrics) -> Results:
    """All rows of a full run with the numbers of the paper, each changed at will."""
    rows = []
    for run in B6.runs(FULL):
        metrics = as_published(str(run.parameters["data"]), str(run.parameters["method"]))
        rows.append(finished(B6, run, **change(run, metrics)))
    return Results(tuple(rows), "full")


def finding(found: list[Finding], words: str) -> Finding:
    matches = [each for each in found if words in each.claim]
    assert len(matches) == 1, [each.claim for each in found]
    return matches[0]


# --------------------------------------------------------------------------------------- features


def test_hog_of_a_ramp_to_the_right_by_hand():
    image = np.tile([0, 1, 2, 3], (4, 1)).astype(np.uint8)
    # Differences are (0, 2, 2, 0) in each row and point to the right: direction 0 of nine. Each
    # of the four cells has two of the eight pixels with a gradient, so a quarter of the sum.
    expected = np.zeros((4, 9))
    expected[:, 0] = 0.5
    np.testing.assert_allclose(hog_features(image[None], 2)[0], expected.ravel(), atol=1e-7)


@pytest.mark.parametrize(
    ("right", "down", "direction"),
    [(1, 0, 0), (0, 1, 4), (1, 1, 2), (-1, -1, 2), (-1, 1, 6), (9, 1, 0), (9, -1, 8)],
)
def test_hog_puts_gradients_into_directions_of_20_degrees(right, down, direction):
    rows, columns = np.mgrid[:6, :6]
    image = right * columns + down * rows + 60
    # the middle cell of nine has no pixel at an edge, where gradients are not whole
    middle = hog_features(image[None].astype(np.uint8), 2)[0].reshape(9, 9)[4]
    assert np.flatnonzero(middle).tolist() == [direction]


def test_hog_does_not_depend_on_contrast_and_has_length_one():
    images = np.random.default_rng(0).integers(0, 50, (1203, 8, 8)).astype(np.uint8)
    features = hog_features(images)
    np.testing.assert_allclose(features, hog_features(5 * images), atol=1e-6)
    np.testing.assert_allclose((features.astype(float) ** 2).sum(axis=1), 1, atol=1e-6)
    np.testing.assert_array_equal(features[1100:], hog_features(images[1100:]))


def test_hog_of_a_blank_image_is_zero_and_cells_must_fit():
    assert not hog_features(np.full((1, 8, 8), 7, np.uint8)).any()
    with pytest.raises(ValueError, match="whole cells of 3"):
        hog_features(np.zeros((1, 8, 8), np.uint8), 3)


# ---------------------------------------------------------------------------------- data, methods


def test_held_out_rows_are_a_third_and_never_trained_on():
    X, y = np.arange(31)[:, None], np.arange(31)
    X_train, y_train, X_test, y_test = held_out(X, y)
    assert len(X_train) == 20
    assert sorted([*y_train, *y_test]) == list(range(31))
    np.testing.assert_array_equal(X_train[:, 0], y_train)
    np.testing.assert_array_equal(X_test[:, 0], y_test)
    np.testing.assert_array_equal(held_out(X, y)[2], X_test)


@pytest.fixture(scope="module")
def clusters():
    rng = np.random.default_rng(3)
    y = rng.integers(0, 3, 450)
    X = rng.normal(size=(450, 4)) + 1.3 * np.eye(3, 4)[y]
    return X[:300].astype(np.float32), y[:300], X[300:].astype(np.float32), y[300:]


@pytest.mark.parametrize("k", [1, 3])
def test_nearest_neighbours_err_as_all_distances_say(clusters, k):
    X_train, y_train, X_test, y_test = clusters
    nearest = np.argsort(cdist(X_test, X_train), axis=1)[:, :k]
    said = [np.bincount(y_train[of], minlength=3).argmax() for of in nearest]
    error = classify(f"{k}-NN", clusters, 0).metrics["error"]
    assert error == pytest.approx(np.mean(said != y_test), abs=1e-12)
    assert 0 < error < 0.6


def test_offline_forests_know_their_training_set(clusters):
    X_train, y_train, _, _ = clusters
    known = classify("OBF", (X_train, y_train, X_train, y_train), 0).metrics
    once = classify("BF", (X_train, y_train, X_train, y_train), 0).metrics
    assert known["error"] == 0
    assert known["passes"] > once["passes"] == 1
    assert known["kept"] == pytest.approx(known["nodes"] / 300)
    assert known["nodes"] > once["nodes"]


def test_every_method_is_timed_and_seeds_repeat(clusters):
    for name in METHODS:
        metrics = classify(name, clusters, 1).metrics
        assert metrics["train_seconds"] >= 0
        assert metrics["test_seconds"] >= 0
        assert metrics["error"] == classify(name, clusters, 1).metrics["error"]


# ------------------------------------------------------------------------------------------- runs


def test_only_random_methods_are_repeated_and_missing_sets_are_listed():
    seeds: dict[tuple, set] = {}
    for run in B6.runs(FULL):
        seeds.setdefault((run.parameters["data"], run.parameters["method"]), set()).add(run.seed)
    assert len(seeds) == 6 * 5
    assert {len(of) for (_, method), of in seeds.items() if "NN" in method} == {1}
    assert {len(of) for (_, method), of in seeds.items() if "NN" not in method} == {5}
    needs = {run.parameters["data"]: run.needs for run in B6.runs(FULL)}
    assert needs["protein"] == "libsvm/protein.npz"
    assert needs["seismic"] == "libsvm/seismic.npz"
    for experiment in (B3, B4, B6):
        assert all(run.needs for run in experiment.runs(FULL))
        assert not any(run.needs for run in experiment.runs(QUICK))
    assert B5.runs(FULL) == []
    assert B5.rows_of == ("B6",)


# --------------------------------------------------------------------------------------- findings


def test_numbers_of_the_paper_agree_with_the_paper():
    results = table_rows()
    judged = [each.agrees for each in B6.findings(results)]
    assert judged
    assert all(judged[:6])  # errors of BF on six sets
    assert finding(B6.findings(results), "1-NN").agrees
    assert finding(B6.findings(results), "OBF errs more").agrees
    seconds = B5.findings(results)
    assert all(
        each.agrees for each in seconds if "faster" in each.claim or "no longer" in each.claim
    )
    assert finding(seconds, "exactly as long").agrees
    assert finding(seconds, "625").agrees


def test_an_error_too_high_or_too_low_is_said_to_be_so():
    def worse(run, metrics):
        shift = {"mnist": 0.01, "letter": -0.01}.get(run.parameters["data"], 0)
        return {**metrics, "error": metrics["error"] + shift}

    found = B6.findings(table_rows(worse))
    high, low = finding(found, "error of BF on mnist"), finding(found, "error of BF on letter")
    assert (high.agrees, low.agrees) == (False, False)
    assert "higher by 1.00 points" in high.note
    assert "lower by 1.00 points" in low.note
    neighbours = finding(found, "1-NN")
    assert neighbours.agrees is False
    assert "letter and mnist" in neighbours.note


def test_errors_within_two_deviations_agree():
    def spread(run, metrics):
        return {**metrics, "error": metrics["error"] + 0.002 * (run.seed - 2) + 0.004}

    # seeds deviate by 0.2 * sqrt(2.5) = 0.316 points, the mean by 0.4
    assert finding(B6.findings(table_rows(spread)), "error of BF on mnist").agrees


def test_a_changed_order_is_named():
    def better_forest(run, metrics):
        better = run.parameters["data"] == "pendigits" and run.parameters["method"] == "BF"
        return {**metrics, "error": 0.02} if better else metrics

    found = B6.findings(table_rows(better_forest))
    order = finding(found, "nearest neighbour")
    assert order.agrees is False
    assert "pendigits" in order.note
    assert "pendigits (2.00 : 2.26)" in order.ours
    assert finding(found, "random forest").agrees


def test_gain_of_training_offline_is_averaged_over_sets():
    offline = B6.findings(table_rows())
    # by hand from Table 2: (1.2 - 0.1 - 0.36 + 0.02 + 2.5 + 1.0) / 6
    average = finding(offline, "marginally")
    assert average.ours.startswith("+0.71 points")
    assert average.agrees


def test_copied_seconds_are_named():
    for name in PUBLISHED:
        same = TRAINING.published[name]["BF"] == TEST.published[name]["BF"]
        assert same == (name in COPIED)

    def measured(run, metrics):
        return {**metrics, "train_seconds": 4.0, "test_seconds": 1.0}

    copied = finding(B5.findings(table_rows(measured)), "exactly as long")
    assert copied.agrees is False
    assert "dna 0.25" in copied.ours
    assert "copying error" in copied.note


def test_smaller_factors_are_explained():
    def fast_neighbours(run, metrics):
        fast = run.parameters["method"] == "1-NN" and run.parameters["data"] == "mnist"
        return {**metrics, "test_seconds": 47.8} if fast else metrics

    factor = finding(B5.findings(table_rows(fast_neighbours)), "faster than that of 1-NN")
    assert "mnist 2.0 ×" in factor.ours
    assert "smaller on mnist" in factor.note
    assert "1-NN 61 times faster, BF 1 times" in factor.note  # 2900 / 47.8
    assert "of dna, letter, pendigits, protein rest on doubtful" in factor.note
    assert factor.agrees


def test_factor_of_distances_measured_one_by_one():
    def slow(run, metrics):
        neighbours = run.parameters["method"] == "1-NN"
        return {**metrics, "one_by_one_seconds": 239.0} if neighbours else metrics

    words = "that of 1-NN, every distance for itself"
    both = B5.findings(table_rows(slow).where(data="mnist"))
    found = finding(both, words)
    assert found.ours == "mnist 10 ×"
    assert found.published == "mnist 121 ×"
    assert found.agrees is False
    assert finding(both, "that of 1-NN, by products of matrices").agrees
    both = B5.findings(table_rows(slow).where(data="dna"))
    assert finding(both, words).agrees  # 239 / 0.34 is above 3.75 / 0.34


def test_time_one_by_one_is_scaled_to_all_queries(clusters, monkeypatch):
    ticks = iter(range(100))  # every piece of work takes one second
    monkeypatch.setattr("time.process_time", lambda: float(next(ticks)))
    monkeypatch.setattr(classification, "TIMED_QUERIES", 50)
    metrics = classify("1-NN", clusters, 0).metrics
    assert metrics["test_seconds"] == 1
    assert metrics["one_by_one_seconds"] == 3  # 150 queries, of which 50 are timed


def test_accuracy_is_judged_by_its_last_digit():
    def results(error):
        return Results(tuple(finished(B3, run, error=error) for run in B3.runs(FULL)), "full")

    assert finding(B3.findings(results(0.0229)), "accuracy of BF").agrees
    assert finding(B3.findings(results(0.0240)), "accuracy of BF").agrees is False
    assert finding(B3.findings(results(0.0285)), "accuracy of 3-NN").agrees
    assert finding(B3.findings(results(0.02)), "more accurate").agrees is False


# ------------------------------------------------------------------------------ tables and figures


def test_cells_have_ours_and_the_published_number():
    errors, kept = B6.sheets(table_rows())
    dna = dict(zip(errors.columns, errors.rows[0], strict=True))
    assert dna["data"] == "dna"
    assert dna["BF"] == "14.30 ± 0.00 (14.3)"
    assert dna["1-NN"] == "25.00 (25)"
    assert dna["CT"] == "- (25.55)"
    assert kept.columns[0] == "data"
    training, _ = B5.sheets(table_rows())
    mnist = dict(zip(training.columns, training.rows[2], strict=True))
    assert mnist["BF"] == "103.9 (103.9)"
    assert mnist["BF-4"] == "- (37.1)"


def test_doubtful_entries_get_question_marks():
    with drawing():
        training, test = (picture.figure for picture in B5.figures(table_rows()))
        marks = {
            (kind, axes.get_title()): [text.get_position() for text in axes.texts]
            for kind, figure in (("training", training), ("test", test))
            for axes in figure.axes
        }
        assert all(text.get_text() == "?" for axes in test.axes for text in axes.texts)
    counts = {key: len(of) for key, of in marks.items() if of}
    assert counts == {
        ("training", "pendigits"): 1,
        ("test", "dna"): 1,
        ("test", "letter"): 1,
        ("test", "pendigits"): 1,
        ("test", "protein"): 2,
    }


def test_sets_without_rows_are_drawn_as_published():
    dna = table_rows().where(data="dna")
    with drawing():
        figure = B6.figures(dna)[0].figure
        titles = [axes.get_title() for axes in figure.axes]
        assert titles[0] == "dna"
        assert titles[1:] == [f"{name} (published only)" for name in list(PUBLISHED)[1:]]
        hollow = [line for line in figure.axes[1].lines if line.get_markerfacecolor() == "none"]
        drawn = [float(line.get_xdata()[0]) for line in hollow]
        assert drawn == list(PUBLISHED["letter"].values())
        assert figure.get_size_inches()[0] <= 10


@pytest.mark.parametrize("preset", ["quick", "full"])
@pytest.mark.parametrize("experiment", [B3, B4, B5, B6], ids=lambda each: each.id)
def test_any_rows_can_be_judged_and_drawn(experiment, preset):
    source = B6 if experiment is B5 else experiment
    runs = source.runs(Setting(preset))
    rows = [finished(source, run, preset, test_seconds=0.0 * run.seed) for run in runs]
    for subset in (rows, rows[:1], rows[-1:], rows[1:4], rows[::3]):
        results = Results(tuple(subset), preset)
        found = experiment.findings(results)
        assert preset == "full" or all(each.published == "-" for each in found)
        assert experiment.sheets(results)
    for subset in (rows[:1], rows[::3])[preset == "quick" :]:
        with drawing():
            assert experiment.figures(Results(tuple(subset), preset))
