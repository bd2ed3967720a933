"""Simulations of the RerF paper: pruning, rotations, comparisons and reports of any rows."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy.stats import t as students_t
from scipy.stats import ttest_1samp, ttest_ind

from experiments.drawing import drawing
from experiments.experiment import Run, Setting
from experiments.registry import get_experiment
from experiments.rerf import oob_study
from experiments.rerf.comparisons import Order, Trials
from experiments.rerf.oob_study import (
    candidate_grid,
    make_forest,
    pruned_leaves,
    pruned_oob_errors,
    training_set,
)
from experiments.rerf.r1_posteriors import true_posterior
from experiments.rerf.r7_ranks_and_means import spread
from experiments.results import Mean, Results, Row, average, mean_of
from manifoldforest import ForestClassifier
from manifoldforest.datasets import make_sparse_parity, make_trunk

QUICK, FULL = Setting("quick"), Setting("full")
IDS = ("R1", "R2", "R3", "R4", "R5", "R7")


def _row(experiment="R2", seed=0, metrics=None, **parameters):
    return Row(experiment, "quick", seed, parameters, metrics or {}, 0.0, "1", "")


# ------------------------------------------------------------------------------------ pruning


def _forest(trees, **params):
    X, y = make_sparse_parity(150, n_features=5, random_state=0)
    y = y + 2 * (X[:, 3] > 1.1)  # up to four classes
    params = {"projection": "axis", "min_samples_split": 10, "keep_samples": True, **params}
    forest = ForestClassifier(trees, random_state=1, **params)
    return forest.fit(X, y), y


def _weakest_link_leaves(tree, inbag, leaf_of_row, y, price):
    """Collapse the weakest link, again and again, as long as a leaf costs at least as much."""
    left = {t: int(tree.left[t]) for t in range(tree.n_nodes)}
    path = {t: tree.path(t) for t in range(tree.n_nodes)}
    votes = np.zeros((tree.n_nodes, y.max() + 1))
    for row, leaf in enumerate(leaf_of_row):
        votes[path[leaf], y[row]] += inbag[row]
    wrong = votes.sum(axis=1) - votes.max(axis=1)

    def leaves(t):
        return [t] if not left[t] else leaves(left[t]) + leaves(left[t] + 1)

    while True:
        alive = [t for leaf in leaves(0) for t in path[leaf] if left[t]]
        links = {t: (wrong[t] - wrong[leaves(t)].sum()) / (len(leaves(t)) - 1) for t in set(alive)}
        weak = [t for t, link in links.items() if link == min(links.values())]
        if not weak or links[weak[0]] > price:
            return sorted(leaves(0))
        for t in weak:
            left[t] = 0


@pytest.mark.parametrize("price", [0, 0.5, 1, 2, 7])
def test_pruning_is_that_of_the_weakest_link(price):
    forest, y = _forest(6)
    above = next(pruned_leaves(forest.trees_, [price]))
    root = 0
    for tree in forest.trees_:
        arrays = tree.arrays
        expected = _weakest_link_leaves(tree, arrays["inbag"], arrays["leaf_of_row"], y, price)
        nodes = slice(root, root + tree.n_nodes)
        found = np.unique(above[nodes][tree.is_leaf]) - root
        assert found.tolist() == expected
        for leaf in np.flatnonzero(tree.is_leaf):
            assert above[nodes][leaf] - root in tree.path(leaf)
        root = nodes.stop
    assert root == len(above)


def test_errors_of_pruned_forests():
    forest, y = _forest(25, oob_score=lambda truth, labels: float(np.mean(truth != labels)))
    nothing, everything = -1.0, 1e6
    unpruned, pruned = pruned_oob_errors(forest, y, (nothing, everything))
    assert unpruned == (pytest.approx(forest.oob_score_), 1.0, nothing)

    inbag = np.array([tree.arrays["inbag"] for tree in forest.trees_])
    shares = np.stack([np.bincount(y, bag, 4) / bag.sum() for bag in inbag])  # of the roots
    outside = inbag == 0
    seen = outside.any(axis=0)
    votes = outside.T[seen].astype(float) @ shares
    error, left, price = pruned
    assert price == everything
    assert error == pytest.approx(np.mean(votes.argmax(axis=1) != y[seen]))
    n_leaves = sum(int(tree.is_leaf.sum()) for tree in forest.trees_)
    assert left == pytest.approx(len(inbag) / n_leaves)


# ---------------------------------------------------------------------------------- rotations


def test_rotations_keep_angles_and_are_uniform():
    X = np.diag([3.0, 1.0, 2.0])[:2] @ np.eye(3, 6)
    copies = oob_study.rotated_copies(X, np.random.default_rng(0))
    drawn = np.stack([next(copies) for _ in range(4000)]).astype(float)
    np.testing.assert_allclose(
        drawn @ drawn.transpose(0, 2, 1), np.broadcast_to(X @ X.T, (4000, 2, 2)), atol=1e-5
    )
    # a uniform unit vector in p dimensions: E x² = 1/p, E x⁴ = 3 / (p (p + 2)), and no odd moments
    unit = drawn[:, 0] / 3.0
    np.testing.assert_allclose(unit.mean(axis=0), 0, atol=0.03)
    np.testing.assert_allclose((unit**2).mean(axis=0), 1 / 6, atol=0.015)
    np.testing.assert_allclose((unit**4).mean(axis=0), 3 / 48, atol=0.01)
    np.testing.assert_allclose((unit * drawn[:, 1]).mean(axis=0), 0, atol=0.02)


def test_out_of_bag_errors_of_trees_on_rotated_rows(monkeypatch):
    X, y = make_trunk(20, n_features=30, random_state=3)
    turned = [X, -X, X[:, ::-1].copy(), 2 * X]
    monkeypatch.setattr(oob_study, "rotated_copies", lambda X, rng: iter(turned))
    found = oob_study.wide_oob_errors(X, y, [1, 30], 4, seed=2)
    assert list(found) == [1, 30]
    for d, error in found.items():
        votes = np.zeros((20, 2))
        for t, rows in enumerate(turned):
            tree = make_forest("RF", d, 1, 2 * 4 + t, keep_samples=True).fit(rows, y)
            outside = np.setdiff1d(np.arange(20), tree.estimators_samples_[0])
            votes[outside] += tree.predict_proba(rows[outside])
        seen = votes.sum(axis=1) > 0
        assert error == pytest.approx(np.mean(votes[seen].argmax(axis=1) != y[seen]))


# ------------------------------------------------------------------------------- the protocol


@pytest.mark.parametrize(
    ("p", "expected"),
    [
        (2, [1, 2]),
        (5, [1, 2, 3, 4, 5]),
        (10, [1, 2, 4, 6, 10]),
        (16, [1, 2, 4, 8, 16]),
        (625, [1, 5, 25, 125, 625]),
        (1000, [1, 6, 32, 178, 1000]),
    ],
)
def test_grid_of_candidates(p, expected):
    assert candidate_grid(p) == expected


def test_forests_are_those_of_the_paper():
    for method in ("RerF", "RerF(d)", "RerF(d+r)"):
        params = make_forest(method, 3, 10, 0).get_params()
        variants = [v for name, v in params.items() if name.endswith("variant")]
        assert variants == ["2016"]
        assert (params["min_samples_split"], params["criterion"]) == (10, "gini")
        assert params["ranks"] == (method == "RerF(d+r)")


def test_transformed_training_sets_begin_with_the_same_rows():
    sets = {
        t: training_set(make_trunk, 100, 4, t, 0)
        for t in ("raw", "rotated", "scaled", "far outliers")
    }
    X, y = sets["raw"]
    factors = sets["scaled"][0] / X
    np.testing.assert_allclose(factors, np.broadcast_to(factors[0], factors.shape), rtol=1e-4)
    lengths = np.linalg.norm(X, axis=1)
    np.testing.assert_allclose(np.linalg.norm(sets["rotated"][0], axis=1), lengths, rtol=1e-4)
    np.testing.assert_array_equal(sets["far outliers"][0][:100], X)
    assert len(sets["far outliers"][0]) == 105
    assert len(training_set(make_trunk, 100, 4, "outliers", 0)[0]) == 120
    assert not np.array_equal(training_set(make_trunk, 100, 4, "raw", 1)[0], X)


def test_metrics_of_a_run():
    parameters = {"method": "RF", "p": 3, "transformation": "raw", "n": 80, "trees": 30}
    metrics = get_experiment("R2").measure(Run(4, parameters), QUICK).metrics
    X, y = training_set(make_sparse_parity, 80, 3, "raw", 4)
    errors = {}
    for d in (1, 2, 3):
        forest = make_forest("RF", d, 30, 4, keep_samples=True).fit(X, y)
        votes = np.zeros((80, 2))
        for tree, bag in zip(forest.trees_, forest.estimators_samples_, strict=True):
            outside = np.setdiff1d(np.arange(80), bag)
            votes[outside] += tree.value[tree.arrays["leaf_of_row"][outside]]
        errors[d] = np.mean(votes.argmax(axis=1) != y)
        assert metrics[f"error_d{d}"] == pytest.approx(errors[d])
    assert metrics["error"] == pytest.approx(min(errors.values()))
    assert errors[metrics["best_d"]] == pytest.approx(metrics["error"])
    assert metrics["error_pruned"] == min(metrics[f"error_pruned_{k}"] for k in (0, 1, 2, 4, 8))
    assert 0 < metrics["leaves_left"] <= 1


def test_numbers_of_trials():
    def count(id, method, p, transformation="raw"):
        wanted = {"method": method, "p": p, "transformation": transformation}
        runs = get_experiment(id).runs(FULL)
        return sum(wanted.items() <= run.parameters.items() for run in runs)

    assert count("R2", "RerF", 25) == 25
    assert count("R2", "RotRF", 100) == 10
    assert count("R3", "RF", 1000) == 25
    assert count("R3", "RotRF", 1000) == 0
    assert count("R5", "RotRF", 500, "affine") == 3
    assert count("R5", "RF", 500) == 0  # those of R3
    assert count("R7", "RerF(d)", 500) == 10


def test_true_posterior():
    X = np.random.default_rng(0).uniform(-0.5, 1.5, (50, 20))
    density = np.zeros((2, 50))
    for bits in product((0, 1), repeat=3):
        density[sum(bits) % 2] += np.exp(-16 * ((X[:, :3] - bits) ** 2).sum(axis=1))
    np.testing.assert_allclose(true_posterior(X), density[1] / density.sum(axis=0), atol=1e-9)


# ------------------------------------------------------------------------------- comparisons


def _trials(errors):
    rows = [
        _row(seed=seed, method=method, transformation="raw", p=p, metrics={"error": error})
        for (method, p), values in errors.items()
        for seed, error in enumerate(values)
    ]
    return Trials(Results(tuple(rows), "quick"))


def test_differences_are_paired():
    trials = _trials({("RF", 5): [0.1, 0.5, 0.9], ("RerF", 5): [0.0, 0.5]})
    found = trials.differences(("RerF", "raw"), ("RF", "raw"))
    assert found == {5: Mean(pytest.approx(-0.05), pytest.approx(0.05), freedom=1)}
    assert trials.differences(("RerF", "raw"), ("RF", "rotated")) == {}
    assert trials.curve(("RF", "raw"))[5].value == pytest.approx(0.5)
    assert average([Mean(1.0, 0.3), Mean(3.0, 0.4)]) == Mean(2.0, pytest.approx(0.25))
    assert str(mean_of([0.25])) == "+0.250"


@pytest.mark.parametrize("n", [2, 3, 10])
def test_a_clear_difference_is_one_by_students_test(n):
    values = np.random.default_rng(n).normal(size=n)
    for shift in np.linspace(-3, 3, 61):
        mean = mean_of(values + shift)
        clear = ttest_1samp(values + shift, 0).pvalue < 0.05
        assert mean.clearly_positive == (clear and mean.value > 0)
        assert mean.clearly_negative == (clear and mean.value < 0)
    assert not mean_of(values[:1] + 100).clearly_positive


def test_an_average_is_trusted_as_by_welch():
    first, second = np.random.default_rng(0).normal(size=(2, 5))
    found = average([mean_of(first), -mean_of(second[:3])])
    welch = ttest_ind(first, second[:3], equal_var=False)
    assert found.value / found.error == pytest.approx(welch.statistic)
    assert 2 * students_t.sf(abs(welch.statistic), found.freedom) == pytest.approx(welch.pvalue)
    assert average([Mean(1.0, 0.0, 2), Mean(0.5, 0.0, 2)]).clearly_positive
    assert not average([Mean(1.0, 0.0, 2), mean_of([0.5])]).clearly_positive


@pytest.mark.parametrize(
    ("rerf", "verdicts"),
    [  # by RF = 0.5: lower, higher, no higher, same
        ({5: [0.3, 0.305, 0.31], 10: [0.4, 0.405, 0.41]}, (True, False, True, False)),
        ({5: [0.3, 0.305, 0.31], 10: [0.45, 0.5, 0.53]}, (True, False, True, False)),
        ({5: [0.3, 0.305, 0.31], 10: [0.6, 0.605, 0.61]}, (False, False, False, False)),
        ({5: [0.4, 0.405, 0.41], 10: [0.59, 0.595, 0.6]}, (False, False, False, True)),
        ({5: [0.6, 0.605, 0.61], 10: [0.7, 0.705, 0.71]}, (False, True, False, False)),
        ({5: [0.4, 0.5, 0.6], 10: [0.45, 0.505, 0.56]}, (None, None, True, True)),
        ({5: [0.5] * 3, 10: [0.5] * 3}, (None, None, True, True)),
    ],
)
def test_verdicts(rerf, verdicts):
    errors = {("RF", p): [0.5] * 3 for p in (5, 10)} | {("RerF", p): e for p, e in rerf.items()}
    for how, verdict in zip(("lower", "higher", "no higher", "same"), verdicts, strict=True):
        order = Order("", ("RerF", "raw"), ("RF", "raw"), (5, 10, 25), how)
        finding = order.judge(_trials(errors), {("RerF", "raw"): {5: 0.1}, ("RF", "raw"): {5: 0.3}})
        assert finding is not None
        assert finding.agrees is verdict, how
        assert ("not decided" in finding.note) == (verdict is None)
        assert finding.published == "p=5: -0.200"


def test_two_trials_are_not_judged():
    order = Order("", ("RerF", "raw"), ("RF", "raw"), (5, 10), "lower")
    errors = {("RF", 5): [0.5] * 3, ("RerF", 5): [0.3] * 3}
    errors |= {("RF", 10): [0.5] * 3, ("RerF", 10): [0.3] * 2}
    finding = order.judge(_trials(errors), {})
    assert finding is not None
    assert finding.agrees is None
    assert finding.ours == "p=5: -0.200 ± 0.000, p=10: -0.200 ± 0.000"


def test_spread_over_transformations():
    errors = np.array([[0.1, 0.3, 0.2], [0.2, 0.5, 0.2]])  # means 0.15, 0.4, 0.2
    assert spread(errors) == Mean(pytest.approx(0.25), pytest.approx(0.05), freedom=1)


# ------------------------------------------------------------------------ reports of any rows


def _made_up_rows(id, tmp_path):
    rng = np.random.default_rng(0)
    names = ("error", "best_d", "train_seconds", "absolute_error")
    pruned = ("error_pruned", "leaves_left") if id == "R2" else ()
    file = tmp_path / "arrays.npz"
    np.savez(file, posterior=rng.random(2500))
    return [
        Row(
            experiment=id,
            preset="quick",
            seed=run.seed,
            parameters=dict(run.parameters),
            metrics={name: float(rng.random()) for name in (*names, *pruned)},
            seconds=0.0,
            version="1",
            date="",
            arrays_file=file if id == "R1" and run.seed == 0 else None,
        )
        for run in get_experiment(id).runs(QUICK)
    ]


@pytest.mark.parametrize("id", IDS)
def test_reports_of_any_rows(id, tmp_path):
    pytest.importorskip("matplotlib").use("Agg")
    experiment = get_experiment(id)
    rows = [row for source in (*experiment.rows_of, id) for row in _made_up_rows(source, tmp_path)]
    subsets = [rows, *([row] for row in rows[:: max(len(rows) // 12, 1)]), rows[1::7], rows[-5:]]
    for i, subset in enumerate(subsets):
        results = Results(tuple(subset), "quick")
        findings, sheets = experiment.findings(results), experiment.sheets(results)
        texts = [t for f in findings for t in (f.ours, f.published, f.note)]
        texts += [cell for sheet in sheets for row in sheet.rows for cell in row]
        assert "nan" not in " ".join(texts)
        assert all(len(row) == len(sheet.columns) for sheet in sheets for row in sheet.rows)
        if i < 2:  # all rows, and a single one
            with drawing():
                for picture in experiment.figures(results):
                    picture.figure.draw_without_rendering()
        if subset is rows:
            assert len(findings) >= 1
            assert len(sheets) >= 1
