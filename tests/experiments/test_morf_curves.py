"""The learning curves of the MORF papers (M1, M2, M3, M5) and the demo notebook (M7)."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

pyplot = pytest.importorskip("matplotlib.pyplot")
pyplot.switch_backend("Agg")

from sklearn.neighbors import KNeighborsClassifier  # noqa: E402

from experiments.experiment import Run, Setting  # noqa: E402
from experiments.morf.data import digits_subset, mnist_subset, simulated  # noqa: E402
from experiments.morf.errors import (  # noqa: E402
    BUT_CNN,
    Errors,
    by_size,
    far_below,
    lowest,
    near_zero,
    not_above,
    same_as_published,
    shown,
)
from experiments.morf.learning_curve import first_of_each_class  # noqa: E402
from experiments.morf.methods import (  # noqa: E402
    BASELINES,
    FORESTS,
    METHODS,
    STYLES,
    scaled,
)
from experiments.registry import get_experiment  # noqa: E402
from experiments.results import Results, Row  # noqa: E402
from manifoldforest.datasets import make_circle, make_impulse  # noqa: E402
from manifoldforest.plot import COLORS  # noqa: E402

CURVES = ("M1", "M2", "M3", "M5")
QUICK, FULL = Setting("quick"), Setting("full")


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    pyplot.close("all")


def row(method, n, seed=0, *, id="M1", preset="quick", **metrics):
    metrics = {"error": 0.25, "train_seconds": 0.5, "test_seconds": 0.125} | metrics
    return Row(id, preset, seed, {"method": method, "n": n}, metrics, 1.0, "0", "")


# ------------------------------------------------------------------------------------- the data


def test_training_sets_of_a_seed_are_nested_and_seeds_differ():
    draw = simulated(make_circle, n_test=30)
    X10, y10, X_test, y_test = draw(10, 3, QUICK)
    X50, y50, X_test_again, _ = draw(50, 3, QUICK)
    assert (X50[:10] == X10).all()
    assert (y50[:10] == y10).all()
    assert y50.sum() == 25
    assert (X_test == X_test_again).all()
    assert X_test.shape == (30, 100)
    assert y_test.shape == (30,)
    assert not (X_test == X50[:30]).all()
    assert not (draw(10, 4, QUICK)[0] == X10).all()
    assert not (draw(10, 4, QUICK)[2] == X_test).all()


def test_digits_for_training_are_not_for_testing():
    X, y, X_test, _ = digits_subset(1000, 0, QUICK)
    smaller, smaller_y, _, _ = digits_subset(50, 0, QUICK)
    assert len(X) == 1000
    assert len(X_test) == 597
    assert (smaller == X[:50]).all()
    assert (smaller_y == y[:50]).all()
    tests = {image.tobytes() for image in X_test}
    assert not tests & {image.tobytes() for image in X}


def test_subsets_of_mnist_are_drawn_without_replacement(tmp_path):
    numbers = np.arange(40, dtype=np.uint8)
    images = np.broadcast_to(numbers[:, None, None], (40, 28, 28))
    np.savez(
        tmp_path / "mnist.npz",
        X_train=images,
        y_train=numbers % 10,
        X_test=images[:7],
        y_test=numbers[:7] % 10,
    )
    setting = Setting("full", tmp_path)
    X, y, X_test, _ = mnist_subset(25, 1, setting)
    assert len(set(X[:, 0, 0])) == 25
    assert (y == X[:, 0, 0] % 10).all()
    assert len(X_test) == 7
    assert (mnist_subset(10, 1, setting)[0] == X[:10]).all()
    assert not (mnist_subset(10, 2, setting)[0] == X[:10]).all()
    assert sorted(mnist_subset(40, 2, setting)[0][:, 0, 0]) == numbers.tolist()


def test_examples_show_every_class():
    X = np.arange(12).reshape(6, 2)
    found = first_of_each_class(X, np.array([1, 1, 0, 1, 0, 0]))
    assert found["labels"].tolist() == [0, 0, 1, 1]
    assert found["examples"][:, 0].tolist() == [4, 8, 0, 2]
    found = first_of_each_class(X, np.arange(6))
    assert found["labels"].tolist() == [0, 1, 2, 3, 4, 5]


# ---------------------------------------------------------------------------------- the methods


def test_forests_have_the_parameters_of_the_thesis():
    problem = get_experiment("M1").setups["full"].problem
    morf = problem.classifier("MORF", trees=500, seed=7)
    assert (morf.n_estimators, morf.max_features, morf.random_state, morf.n_jobs) == (500, 50, 7, 1)
    patches = morf.projection
    assert (patches.min_size, patches.max_size, patches.wrap) == (3, 12, True)
    assert problem.classifier("SPORF", trees=5, seed=0).max_features == "sqrt"
    bars, impulse, mnist = (get_experiment(id).setups["full"].problem for id in ("M2", "M3", "M5"))
    assert (bars.patches.min_size, bars.patches.max_size) == ((2, 2), (2, 9))
    assert (impulse.patches.min_size, impulse.patches.max_size) == (2, 12)
    assert (mnist.patches.min_size, mnist.patches.max_size) == ((2, 2), (2, 5))
    assert (bars.max_features, impulse.max_features, mnist.max_features) == (28, 30, 28)


def test_scaled_models_do_not_depend_on_units():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2, 2)), rng.integers(2, size=60)
    units = np.array([[1, 1000], [0.01, 5]])
    plain = scaled(KNeighborsClassifier(3)).fit(X, y).predict(X)
    assert (scaled(KNeighborsClassifier(3)).fit(X * units, y).predict(X * units) == plain).all()


def test_every_method_has_its_own_colour_and_marker():
    assert set(STYLES) == set(METHODS)
    colors, markers = ({style[key] for style in STYLES.values()} for key in ("color", "marker"))
    assert len(colors) == len(markers) == len(METHODS)
    assert {m: STYLES[m]["color"] for m in FORESTS} == {m: COLORS[m] for m in FORESTS}


# ------------------------------------------------------------------------------------- the runs


def test_runs_of_the_simulations():
    runs = get_experiment("M1").runs(FULL)
    assert [run.seed for run in runs] == sorted(run.seed for run in runs)
    of_morf = [run for run in runs if run.parameters["method"] == "MORF"]
    assert len(of_morf) == 20 * 7
    assert {run.parameters["n"] for run in of_morf} == {10, 50, 100, 200, 400, 1000, 2000}
    assert {run.parameters["trees"] for run in of_morf} == {500}
    assert {run.needs for run in runs} == {None}
    for method in BASELINES:
        assert sum(run.parameters["method"] == method for run in runs) == 20 * 7


def test_runs_of_mnist():
    runs = get_experiment("M5").runs(FULL)
    assert {run.needs for run in runs} == {"mnist.npz"}
    at_the_end = [run.parameters["method"] for run in runs if run.parameters["n"] == 60_000]
    counts = {method: at_the_end.count(method) for method in set(at_the_end)}
    assert {counts[method] for method in FORESTS} == {5}
    assert {counts[method] for method in BASELINES} == {1}


@pytest.mark.parametrize("id", [*CURVES, "M7"])
def test_quick_needs_nothing_but_scikit_learn(id):
    runs = get_experiment(id).runs(QUICK)
    assert {(run.needs, run.package) for run in runs} == {(None, None)}


def test_packages_of_the_full_preset():
    packages = {run.parameters["method"]: run.package for run in get_experiment("M1").runs(FULL)}
    assert packages == {
        **dict.fromkeys((*FORESTS, *BASELINES)),
        "CNN": "torch",
        "XGB": "xgboost",
    }


def test_error_and_examples_of_a_run():
    experiment = get_experiment("M3")
    outcome = experiment.measure(Run(1, {"method": "kNN", "n": 50}), QUICK)
    X, y, X_test, y_test = simulated(make_impulse, 2000)(50, 1, QUICK)
    X, X_test = X.astype(float), X_test.astype(float)
    center, scale = X.mean(axis=0), X.std(axis=0)
    X, X_test = (X - center) / scale, (X_test - center) / scale
    distances = ((X_test[:, None, :] - X[None]) ** 2).sum(axis=2)
    votes = y[np.argsort(distances, axis=1)[:, :5]].sum(axis=1)
    wrong = np.mean((votes >= 3) != y_test)
    assert outcome.metrics["error"] == pytest.approx(wrong, abs=2 / 2000)
    assert outcome.metrics["train_seconds"] >= 0
    assert outcome.metrics["test_seconds"] > 0
    assert not outcome.arrays
    outcome = experiment.measure(Run(0, {"method": "MORF", "n": 10, "trees": 100}), QUICK)
    assert outcome.arrays["examples"].shape == (4, 100)
    assert outcome.metrics["error"] < 0.35  # RF has about 0.39 with ten examples


def test_methods_that_do_not_converge_do_not_warn():
    run = Run(0, {"method": "LinSVM", "n": 100})
    outcome = get_experiment("M2").measure(run, QUICK)
    assert 0.3 < outcome.metrics["error"] < 0.6  # chance: a linear method cannot


# ----------------------------------------------------------------------------------- the claims


def errors(ours, published=None):
    arrays = {
        method: {n: np.array(values, dtype=float) for n, values in curve.items()}
        for method, curve in ours.items()
    }
    return Errors(arrays, published or {})


def test_same_as_published():
    published = by_size((10, 50, 100), {"MORF": (0.24, 0.2, 0.3)})
    claim = same_as_published("MORF", "why")
    # mean 0.2, standard deviation 0.02: two of them reach to 0.24
    inside = errors({"MORF": {10: [0.1801, 0.2, 0.2201], 50: [0.19, 0.21]}}, published)
    finding = claim(inside)
    assert finding.agrees is True
    assert finding.ours == "within at 2 of 2 sizes"
    assert finding.note == ""
    below = errors({"MORF": {10: [0.1801, 0.2, 0.2199], 50: [0.1, 0.12], 100: [0.5]}}, published)
    finding = claim(below)
    assert finding.agrees is False
    assert "within at 0 of 2" in finding.ours
    assert "ours is lower at n = 10: 0.200 ± 0.0199 against 0.240; n = 50" in finding.ours
    assert "higher" not in finding.ours
    assert finding.note == "why"
    above = claim(errors({"MORF": {50: [0.3, 0.31]}}, published))
    assert "ours is higher at n = 50" in above.ours
    assert same_as_published("MORF", to_size=10)(below).published == "n = 10: 0.240"
    assert claim(errors({"RF": {10: [0.1, 0.2]}}, published)).agrees is None


def test_not_above():
    published = by_size((400, 1000, 2000), {"MORF": (0.1, 0.05, 0.04)})
    claim = not_above("MORF", from_size=1000, margin=0.003)
    ours = {400: [0.2], 1000: [0.052, 0.054], 2000: [0.01]}
    assert claim(errors({"MORF": ours}, published)).agrees is True
    finding = claim(errors({"MORF": ours | {2000: [0.0431]}}, published))
    assert finding.agrees is False
    assert finding.note == "Not at n = 2000."
    assert finding.ours == "n = 1000: 0.053; n = 2000: 0.0431"
    assert claim(errors({"MORF": {400: [0.2]}}, published)).agrees is None


def test_a_single_repetition_counts_as_exact():
    ours = errors({"MORF": {10: [0.3]}, "RF": {10: [0.29, 0.31]}, "SVM": {10: [0.2]}})
    assert ours.noise("MORF", "RF", 10) == pytest.approx(12.706 * 0.01, rel=1e-4)
    assert ours.noise("MORF", "SVM", 10) == 0


def test_lowest_counts_what_is_beyond_noise():
    published = {"MORF": {10: 0.3}, "RF": {10: 0.299}}
    claim = lowest("MORF", "best", BUT_CNN)
    # standard errors 0.01 each: 0.0608 is Student's bound (4.303) of the difference (0.01414)
    morf, near, far = [0.29, 0.31], [0.230, 0.250], [0.229, 0.249]
    agreeing = claim(errors({"MORF": {10: morf}, "RF": {10: near}}, published))
    assert agreeing.agrees is True
    assert agreeing.ours == "no other is lower at 1 of 1 sizes (lower within noise at n = 10: RF)"
    assert agreeing.published == (
        "no other is lower at 0 of 1 sizes; lower at n = 10: RF 0.299 against 0.300"
    )
    finding = claim(errors({"MORF": {10: morf}, "RF": {10: far}}))
    assert finding.agrees is False
    assert "RF 0.239 against 0.300" in finding.ours
    assert "within noise" not in finding.ours
    assert claim(errors({"MORF": {10: morf}, "CNN": {10: far}})).agrees is None
    assert claim(errors({"MORF": {10: morf}, "XGB": {10: far}})).agrees is None
    other_size = errors({"MORF": {10: morf, 50: morf}, "RF": {50: far}})
    assert lowest("MORF", "best", to_size=10)(other_size).agrees is None
    assert lowest("MORF", "best", from_size=50)(other_size).agrees is False


def test_far_below():
    claim = far_below("MORF", ("RF", "SPORF"), "far", from_size=200, fraction=0.5)
    others = {"RF": {10: [0.4], 200: [0.4]}, "SPORF": {10: [0.4], 200: [0.3]}}
    assert claim(errors({"MORF": {10: [0.4], 200: [0.15]}, **others})).agrees is True
    assert claim(errors({"MORF": {200: [0.16]}, **others})).agrees is False
    assert claim(errors({"MORF": {200: [0.16]}})).agrees is None


def test_near_zero():
    claim = near_zero("none", from_size=400, bound=0.005, besides=("LogReg",))
    ours = {"RF": {200: [0.3], 400: [0.004, 0.006]}, "LogReg": {400: [0.5]}}
    finding = claim(errors(ours))
    assert finding.agrees is True
    assert finding.ours == "at most 0.0050 (RF, n = 400)"
    assert claim(errors(ours | {"kNN": {1000: [0.006]}})).agrees is False
    assert claim(errors({"LogReg": {400: [0.5]}})).agrees is None


def test_errors_are_written_with_three_digits():
    assert [shown(e) for e in (0.4985, 0.05, 0.0496, 0.0276, 0.0)] == [
        *("0.498", "0.050", "0.050", "0.0276", "0.0000")
    ]


# --------------------------------------------------------------------------- tables and figures


def test_table_of_errors():
    rows = (
        row("RF", 400, error=0.47),
        row("MORF", 400, error=0.07),
        row("MORF", 400, 1, error=0.08),
        row("MORF", 200, error=0.13),
    )
    first, second = get_experiment("M1").sheets(Results(rows, "quick"))
    assert first.columns == ("method", "n = 200", "n = 400")
    cells = {name: values for name, *values in first.rows}
    assert cells["MORF"] == ["0.130 (0.126)", "0.075 (0.073)"]
    assert cells["RF"] == ["– (0.492)", "0.470 (0.488)"]
    assert cells["CNN"] == ["– (0.122)", "– (0.0220)"]
    assert ("RF", "–", "0.50 + 0.12") in second.rows


def test_published_numbers_of_mnist_do_not_stand_beside_digits():
    rows = (row("MORF", 1000, id="M5"), row("MORF", 1000, 1, id="M5"))
    experiment = get_experiment("M5")
    quick = experiment.sheets(Results(rows, "quick"))[0]
    full = experiment.sheets(Results(rows, "full"))[0]
    assert quick.rows == (("MORF", "0.250"),)
    assert ("MORF", "0.250 (0.085)") in full.rows
    assert experiment.findings(Results(rows, "quick"))[0].published == "–"
    assert experiment.findings(Results(rows, "full"))[0].published == "n = 1000: 0.085"


def test_figure_shows_means_bands_and_published_errors():
    rows = tuple(
        row("MORF", n, seed, error=error)
        for n, found in {10: (0.4, 0.5, 0.45), 50: (0.3, 0.2, 0.1)}.items()
        for seed, error in enumerate(found)
    )
    (picture,) = get_experiment("M1").figures(Results(rows, "quick"))
    ax = picture.figure.axes[0]
    ours = next(line for line in ax.lines if line.get_label() == "MORF")
    assert ours.get_xdata().tolist() == [10, 50]
    assert ours.get_ydata() == pytest.approx([0.45, 0.2])
    published = [line for line in ax.lines if line.get_linestyle() == "--"]
    assert [0.504, 0.417] in [list(line.get_ydata()) for line in published]
    assert "CNN, published" in [text.get_text() for text in ax.get_legend().get_texts()]
    band = ax.collections[0].get_paths()[0].vertices[:, 1]
    assert (band.min(), band.max()) == (0.1, 0.5)
    assert ax.get_xscale() == "log"


@pytest.mark.parametrize("id", CURVES)
def test_a_single_row_is_enough(id, tmp_path):
    experiment = get_experiment(id)
    for method, n in (("MORF", 400), ("kNN", 17)):
        results = Results((row(method, n, id=id),), "quick")
        assert experiment.findings(results)
        assert experiment.sheets(results)
    for picture in experiment.figures(results):
        picture.figure.savefig(tmp_path / "figure.png", dpi=30)
        assert "up to 1" in picture.caption


def test_examples_are_drawn_above_the_curves(tmp_path):
    for id in ("M1", "M2", "M3"):
        experiment = get_experiment(id)
        run = experiment.runs(QUICK)[0]
        outcome = experiment.measure(run, QUICK)
        file = tmp_path / f"{id}.npz"
        np.savez(file, **outcome.arrays)
        finished = Row(
            *(id, "quick", 0, dict(run.parameters), dict(outcome.metrics)),
            *(1.0, "0", "", Path(file)),
        )
        (picture,) = experiment.figures(Results((finished,), "quick"))
        titles = [ax.get_title() for ax in picture.figure.axes]
        assert titles[0].startswith("class 0")
        assert titles[3].startswith("class 1")


# -------------------------------------------------------------------------------- the notebook


def notebook(accuracies, preset="full"):
    rows = [
        Row("M7", preset, seed, {"method": method, "n": 5000}, metrics, 1.0, "0", "")
        for method, found in accuracies.items()
        for seed, accuracy in enumerate(found)
        for metrics in [{"accuracy": accuracy, "train_seconds": 2.0, "test_seconds": 0.5}]
    ]
    return Results(tuple(rows), preset)


def test_notebook_compares_on_the_same_subsets():
    results = notebook({"RF": (0.93, 0.94), "MORF": (0.935, 0.939, 0.99)})
    rf, morf, gain = get_experiment("M7").findings(results)
    assert rf.ours == "0.9350 ± 0.0071 over 2 subsets"
    assert rf.agrees is True  # published 0.9361
    assert morf.published == "0.9427"
    assert gain.ours == "+0.0020, better on 1 of 2 subsets"
    assert gain.published == "+0.0066"
    assert gain.agrees is True
    assert rf.note == ""
    other = get_experiment("M7").findings(notebook({"RF": (0.92, 0.92)}))[0]
    assert other.agrees is False
    assert "first 5000" in other.note


@pytest.mark.parametrize("accuracies", [{"RF": (0.9,)}, {"MORF": (0.9, 0.91)}])
@pytest.mark.parametrize("preset", ["quick", "full"])
def test_notebook_with_runs_missing(accuracies, preset, tmp_path):
    results = notebook(accuracies, preset)
    experiment = get_experiment("M7")
    assert experiment.findings(results)[2].agrees is None
    (sheet,) = experiment.sheets(results)
    assert len(sheet.rows) == 1
    (picture,) = experiment.figures(results)
    picture.figure.savefig(tmp_path / "figure.png", dpi=30)


def test_notebook_measures_accuracy():
    experiment = get_experiment("M7")
    accuracies = {
        method: experiment.measure(Run(0, {"method": method}), QUICK).metrics["accuracy"]
        for method in ("RF", "MORF")
    }
    assert all(0.9 < accuracy < 1 for accuracy in accuracies.values())
    assert not math.isclose(*accuracies.values(), abs_tol=1e-9)
