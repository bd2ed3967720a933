"""B1, B2, B7 and B8: counts against literal references, and reports from a few rows."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.integrate import quad
from sklearn.base import clone
from threadpoolctl import threadpool_limits

from experiments.boundary import b7_differentiable as b7
from experiments.boundary.b1_growth import B1, LENGTHS, rings, wave
from experiments.boundary.b2_regression import B2, eps_for, ramp
from experiments.boundary.b7_differentiable import B7, FOREST, LEARNED, NEAREST, NETWORK, TREE
from experiments.boundary.b8_comparisons import B8, SIZES, straight_line, walks
from experiments.boundary.classification import flat_digits
from experiments.boundary.growth import exponent, nodes_after, unit_square
from experiments.drawing import drawing
from experiments.experiment import Setting
from experiments.results import Results, Row
from manifoldforest import BoundaryForestClassifier, BoundaryForestRegressor, BoundaryIndex
from manifoldforest.boundary import BoundaryTree

QUICK = Setting("quick")


# ----------------------------------------------------------------------------------- walks (B8)


class LiteralTree:
    """A tree that keeps every point, as the paper tells it, with a count of distances."""

    def __init__(self, point, limit):
        self.point, self.limit, self.children = point, limit, []
        self.seen = []

    def query(self, point):
        node, own = self, self._distance(self.point, point)
        while node.children:
            near = [self._distance(child.point, point) for child in node.children]
            best = min(range(len(near)), key=near.__getitem__)
            if len(node.children) < self.limit and own < near[best]:
                break
            node, own = node.children[best], near[best]
        return node

    def _distance(self, a, b):
        self.seen.append(sum((x - y) ** 2 for x, y in zip(a, b, strict=True)) ** 0.5)
        return self.seen[-1]


@pytest.mark.parametrize("limit", [2, 5, None])
def test_walks_measure_as_many_distances_as_a_literal_tree(limit):
    points = np.random.default_rng(0).random((400, 3), dtype=np.float32)
    queries = np.random.default_rng(1).random((50, 3), dtype=np.float32)
    literal = LiteralTree(points[0].tolist(), limit or np.inf)
    for point in points[1:].tolist():
        literal.query(point).children.append(LiteralTree(point, limit or np.inf))

    index = BoundaryIndex(1, max_children=limit or 65_535, n_jobs=1)
    index.add(points)
    (tree,) = index.trees_
    n_distances, nearest = walks(queries, points[tree.example], tree.parent, limit)
    for query, count, least in zip(queries, n_distances, nearest, strict=True):
        literal.seen.clear()
        literal.query(query.tolist())
        assert count == len(literal.seen)
        assert least == pytest.approx(min(literal.seen))


def test_a_full_node_is_never_the_end_of_a_walk():
    points = np.array([[0.0], [4.0], [-4.0], [6.0]])
    parent = np.array([-1, 0, 0, 1])  # in no order: 6 lies below 4
    query = np.array([[0.5]])
    assert walks(query, points, parent, None) == (3, 0.5)
    assert walks(query, points, parent, 2) == (4, 0.5)  # the root has two: on to 4, and to 6?


def test_comparisons_are_those_of_the_walks():
    run = next(run for run in B8.runs(QUICK) if run.parameters["max_children"] == 5)
    outcome = B8.measure(run, QUICK)
    assert outcome.metrics["most_children"] == 5
    assert 1 <= outcome.metrics["distance_ratio"] < 3
    # a walk through d levels of at most 5 children
    assert outcome.metrics["most_comparisons"] <= 1 + 5 * outcome.metrics["depth"]
    assert 10 < outcome.metrics["comparisons"] < outcome.metrics["most_comparisons"]


def test_lines_over_log_n_are_told_from_curves():
    n = np.array(SIZES, dtype=float)
    line = straight_line(n, 3 + 2.5 * np.log2(n))
    assert line.intercept == pytest.approx(3)
    assert line.per_doubling == pytest.approx(2.5)
    assert line.bend == pytest.approx(1)
    assert straight_line(n, np.log2(n) ** 2).bend == pytest.approx(1.29, abs=0.01)
    assert straight_line(n, np.sqrt(n)).bend == pytest.approx(3.25, abs=0.01)


# --------------------------------------------------------------------------------- growth (B1, B2)


def test_nodes_at_any_time_are_those_of_trees_that_saw_no_more():
    X = unit_square(800, 3)
    forest = BoundaryForestClassifier(5, n_jobs=1, random_state=0).fit(X, wave(X))
    for n in (20, 100, 555, 800):
        short = BoundaryForestClassifier(5, n_jobs=1, random_state=0).fit(X[:n], wave(X[:n]))
        assert nodes_after(forest.trees_, n) == short.n_nodes_.mean()


def test_exponent_of_square_numbers_is_a_half():
    squares = np.arange(1000, dtype=np.int64) ** 2  # the 100th comes after 10 000 examples
    tree = BoundaryTree(squares, np.zeros(1000, dtype=np.int32), None)
    assert exponent([tree], 1_000_000) == pytest.approx(0.5, abs=0.002)
    everything = BoundaryTree(np.arange(1000), np.zeros(1000, dtype=np.int32), None)
    assert exponent([everything], 1000) == pytest.approx(1)


def test_pictures_and_the_lengths_of_their_borders():
    assert wave(np.array([[0.0, 0.49], [0.0, 0.51], [np.pi / 12, 0.74]])).tolist() == [0, 1, 0]
    assert rings(np.array([[0.5, 0.5], [0.5, 0.63], [0.25, 0.5], [0.0, 0.0]])).tolist() == [
        *(0, 1, 2, 4)
    ]
    assert LENGTHS["wave"] == pytest.approx(
        quad(lambda x: np.hypot(1, 1.5 * np.cos(6 * x)), 0, 1)[0]
    )
    assert LENGTHS["rings"] == pytest.approx(2 * np.pi * 1.05)


def test_growth_counts_and_errors_are_those_of_the_forest():
    run = next(run for run in B1.runs(QUICK) if run.parameters["picture"] == "rings")
    metrics = B1.measure(run, QUICK).metrics
    X, test = unit_square(10_000, 0), unit_square(10_000, 1_000_000)
    tree = BoundaryForestClassifier(1, n_jobs=1, random_state=0).fit(X, rings(X))
    assert metrics["nodes_10000"] == tree.n_nodes_[0]
    assert metrics["error_10000"] == pytest.approx(1 - tree.score(test, rings(test)))
    assert metrics["exponent"] == pytest.approx(
        np.log10(metrics["nodes_10000"] / metrics["nodes_1000"])
    )


def test_regression_counts_nodes_and_answers_that_are_off():
    run = next(run for run in B2.runs(QUICK) if run.parameters["eps"] == 0.1)
    metrics = B2.measure(run, QUICK).metrics
    X, test = unit_square(10_000, 0), unit_square(10_000, 1_000_000)
    tree = BoundaryForestRegressor(1, tolerance=0.2, n_jobs=1, random_state=0).fit(X, ramp(X))
    off = tree.predict(test) - ramp(test)
    assert metrics["nodes_10000"] == tree.n_nodes_[0]
    assert metrics["rmse"] == pytest.approx(np.std(off) / 2, rel=0.05)  # hardly a bias
    assert metrics["beyond"] == np.count_nonzero(np.abs(off) > 0.2) / 10_000


def test_tolerance_for_a_number_of_nodes():
    eps = np.array([0.01, 0.02, 0.08])
    nodes = 0.4 / eps**2
    assert eps_for(0.4 / 0.05**2, eps, nodes) == pytest.approx(0.05)
    assert eps_for(1, eps, nodes) is None  # not between measured ones
    assert eps_for(nodes[0], eps[:1], nodes[:1]) is None


# ------------------------------------------------------------------------------ learned trees (B7)


def test_only_the_learned_tree_needs_torch():
    packages = {run.parameters["method"]: run.package for run in B7.runs(QUICK)}
    assert packages == {LEARNED: "torch", **dict.fromkeys((NETWORK, TREE, FOREST, NEAREST))}


def test_other_trees_are_ordinary_trees_in_the_representation(monkeypatch):
    monkeypatch.setattr(b7, "N_OTHER_TREES", 1)
    data = X, y, X_test, y_test = flat_digits(QUICK, B7.quick.n_train)
    # the identity as representation, and choices that are never random
    fitted = SimpleNamespace(transform=lambda X: X.astype(float), n_tree_samples=200, sigma=1e-6)
    rows = np.random.default_rng(0).permutation(len(X))[:200]
    tree = BoundaryForestClassifier(1, max_children=200, n_jobs=1).fit(X[rows], y[rows])
    expected = 1 - tree.score(X_test, y_test)
    assert b7.other_trees_error(fitted, data) == pytest.approx(expected)


def test_random_walks_end_as_products_of_choices_say():
    # preorder: node 1 and 3 are below the root, node 2 below node 1
    tree = BoundaryTree(np.arange(4), np.array([2, 1, 0, 0], dtype=np.int32), None)
    assert tree.parent.tolist() == [-1, 0, 1, 0]
    halves = np.log(2) * np.array([[0.0, 1.0, 2.0, 1.0]])  # weights 1, 1/2, 1/4 and 1/2
    # at the root 1/2, 1/4 and 1/4 stay, go to node 1 and to node 3; at node 1 two thirds stay
    expected = [[1 / 2, 1 / 4 * 2 / 3, 1 / 4 * 1 / 3, 1 / 4]]
    np.testing.assert_allclose(b7.random_walk_ends(tree, halves), expected)


def test_picture_keeps_the_nodes_next_to_the_root(monkeypatch):
    monkeypatch.setattr(b7, "N_DRAWN", 4)
    parent = np.array([-1, 0, 1, 2, 0, 4])  # preorder; levels 0 1 2 3 1 2
    images = np.arange(6, dtype=np.uint8)[:, None] * np.ones(4, dtype=np.uint8)
    drawn = b7.nodes_near_root(images, parent, np.arange(6))
    assert drawn["label"].tolist() == [0, 1, 2, 4]
    assert drawn["parent"].tolist() == [-1, 0, 1, 0]
    assert drawn["images"][3].tolist() == [[4, 4], [4, 4]]


def test_learned_tree_is_measured_where_torch_is():
    pytest.importorskip("torch")
    tree = clone(B7.quick.tree).set_params(n_epochs=2)
    short = replace(B7, quick=replace(B7.quick, tree=tree, n_shown=100))
    run = short.runs(QUICK)[0]
    with threadpool_limits(limits=1):
        outcome = short.measure(run, QUICK)
    assert 0 < outcome.metrics["error"] < 0.9
    assert len(outcome.arrays["images"]) == min(outcome.metrics["nodes"], b7.N_DRAWN)
    assert outcome.arrays["tsne"].shape == (100, 2)


# ---------------------------------------------------------------------------------------- reports


EXPERIMENTS = (B1, B2, B8, B7)
SOME = {
    "B1": lambda run: run.seed < 2 and run.parameters["trees"] == 1,
    "B2": lambda run: run.seed < 2 and run.parameters["eps"] in (0.05, 0.1),
    "B8": lambda run: (
        run.seed == 0
        and run.parameters["n"] <= 4000
        and run.parameters["max_children"] in (2, None)
    ),
    "B7": lambda run: run.parameters["method"] != LEARNED,
}


@pytest.fixture(scope="module")
def rows_of(tmp_path_factory):
    """Return the rows of some quick runs of an experiment, each done once."""
    done = {}

    def do(experiment):
        if experiment.id not in done:
            runs = filter(SOME[experiment.id], experiment.runs(QUICK))
            done[experiment.id] = tuple(_row(experiment, run, folder) for run in runs)
        return done[experiment.id]

    folder = tmp_path_factory.mktemp("rows")
    return do


def _row(experiment, run, folder):
    with threadpool_limits(limits=1):
        outcome = experiment.measure(run, QUICK)
    file = folder / f"{experiment.id} {run.seed} {run.parameters}.npz"
    np.savez(file, **outcome.arrays)
    parameters, metrics = dict(run.parameters), dict(outcome.metrics)
    return Row(experiment.id, "quick", run.seed, parameters, metrics, 0.1, "", "", file)


@pytest.mark.parametrize("experiment", EXPERIMENTS, ids=lambda experiment: experiment.id)
def test_any_rows_make_a_report(experiment, rows_of):
    rows = rows_of(experiment)
    assert len(rows) >= 4
    for some in (rows, *((row,) for row in rows), rows[1::3]):
        for preset in ("quick", "full"):
            results = Results(some, preset)
            for finding in experiment.findings(results):
                assert "nan" not in f"{finding.claim}{finding.ours}{finding.note}"
            for sheet in experiment.sheets(results):
                assert sheet.rows
                assert {len(row) for row in sheet.rows} == {len(sheet.columns)}
                assert "nan" not in str(sheet.rows)


@pytest.mark.parametrize("experiment", EXPERIMENTS, ids=lambda experiment: experiment.id)
def test_any_rows_make_pictures(experiment, rows_of):
    rows = rows_of(experiment)
    for some in (rows, rows[1::3]):
        with drawing():
            for picture in experiment.figures(Results(some, "quick")):
                assert picture.figure.get_size_inches()[0] <= 10
                picture.figure.draw_without_rendering()


def test_published_numbers_are_beside_ours_in_the_full_preset_only(rows_of):
    rows = rows_of(B7)
    for preset, published in (("full", "(2.4)"), ("quick", "")):
        (sheet,) = B7.sheets(Results(rows, preset))
        (cell,) = (line[2] for line in sheet.rows if line[0] == NETWORK)
        assert cell.endswith(published)
        assert ("(" in cell) == (preset == "full")
        assert sheet.rows[0][:2] == (LEARNED, f"not measured; {b7.NEEDS_TORCH}")
        first = B7.findings(Results(rows, preset))[0]
        assert first.note == b7.NEEDS_TORCH
        assert first.agrees is None


class PixelTree(BoundaryForestClassifier):
    """Stands for a differentiable tree whose representation is that of pixels."""

    n_tree_samples, sigma = 300, 0.3

    def transform(self, X):
        return X.astype(np.float32)


def test_runs_of_the_learned_tree_are_judged_and_drawn(rows_of, monkeypatch, tmp_path):
    (run,) = (run for run in B7.runs(QUICK) if run.parameters["method"] == LEARNED)
    with monkeypatch.context() as patch:  # torch is not needed to look at what comes after it
        patch.setattr(b7, "_model", lambda method, size, seed: PixelTree(1, n_jobs=1))
        patch.setattr(b7, "one_torch_thread", nullcontext)
        row = _row(B7, run, tmp_path)
    assert row.metrics["error"] < row.metrics["other_trees_error"] < 0.3  # which learn from fewer
    assert row.arrays["images"].shape == (b7.N_DRAWN, 8, 8)
    results = Results((row, *rows_of(B7)), "full")
    errors, network, small, apart = B7.findings(results)
    assert errors.ours.startswith(f"{100 * row.metrics['error']:.2f} %; other trees")
    assert network.published == "tree 1.85 %, network 2.4 %"
    assert small.agrees is False  # the tree of all images has more nodes than that of 300
    assert f"tree {row.metrics['silhouette']:.2f}" in apart.ours
    (sheet,) = B7.sheets(results)
    assert sheet.rows[0][0] == LEARNED
    assert "not measured" not in str(sheet.rows)
    with drawing():
        learned, _, plane = B7.figures(results)
        assert "the learned representation" in learned.caption
        assert "not measured" not in plane.caption
        assert len(plane.figure.axes) == 3


def test_findings_of_growth_judge_the_exponent():
    def row(seed, nodes, exponent):
        parameters = {"picture": "wave", "trees": 1, "max_children": 50, "n": 100_000}
        metrics = {"nodes_10000": nodes, "exponent": exponent}
        return Row("B1", "full", seed, parameters, metrics, 0.1, "", "")

    for slope, agrees in ((0.53, True), (0.6, False)):
        found = B1.findings(Results((row(0, 150.0, slope), row(1, 160.0, slope)), "full"))
        assert found[0].agrees is agrees
        assert f"{slope:.2f} ± 0.00" in found[0].ours
    # 155 nodes on a border of 1.41: 680 would need one of 6.2
    assert "about 6.2 sides" in found[1].note
