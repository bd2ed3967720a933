"""Differentiable boundary trees: probabilities against plain loops, gradients, learning."""

import itertools
import pickle
import sys

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.datasets import load_digits, make_moons
from sklearn.exceptions import NotFittedError
from sklearn.utils.estimator_checks import parametrize_with_checks

import manifoldforest as mf
from manifoldforest.boundary import _differentiable_training
from manifoldforest.boundary._differentiable_training import (
    full_log_likelihood,
    greedy_log_likelihood,
)
from manifoldforest.boundary._numpy_tree import NumpyTree, build_tree

#       0 a
#   1 b      4 b
#  2 a 3 c   5 a
TREE = NumpyTree(
    example=np.arange(6),
    parent=np.array([-1, 0, 1, 1, 0, 4]),
    label=np.array([0, 1, 0, 2, 1, 0]),
)
POINTS = np.array([[0.0, 0.0], [2.0, 0.0], [3.0, 0.5], [2.5, -1.0], [-2.0, 0.0], [-3.0, 0.2]])


# ---------------------------------------------------------------------------- plain references


def options_of(tree, node):
    return [child for child in range(len(tree.parent)) if tree.parent[child] == node] + [node]


def probabilities(tree, distances, node, sigma):
    """Probability of each option at a node, for one example."""
    options = options_of(tree, node)
    weights = {option: np.exp(-distances[option] / sigma) for option in options}
    return {option: weight / sum(weights.values()) for option, weight in weights.items()}


def greedy_path(tree, distances):
    """Nodes at which one example has a choice, and the node where it ends."""
    node, choices = 0, []
    while True:
        options = options_of(tree, node)
        if len(options) == 1 and choices:
            return choices, node
        choices.append(node)
        nearest = min(options, key=lambda option: distances[option])
        if nearest == node:
            return choices, node
        node = nearest


def reference_greedy(tree, distances, code, sigma):
    """Likelihood along the greedy path, by the words of the paper."""
    choices, _ = greedy_path(tree, distances)
    while choices:
        last = probabilities(tree, distances, choices[-1], sigma)
        of_class = sum(p for option, p in last.items() if tree.label[option] == code)
        if of_class > 0:
            before = 1.0
            for node, following in itertools.pairwise(choices):
                before *= probabilities(tree, distances, node, sigma)[following]
            return np.log(before) + np.log(of_class)
        choices.pop()  # the class is no option there
    return 0.0


def reference_full(tree, distances, code, sigma):
    """Likelihood over all ways down the tree."""
    total = 0.0
    for node in range(len(tree.parent)):
        if tree.label[node] != code:
            continue
        p, at = probabilities(tree, distances, node, sigma)[node], node
        while tree.parent[at] >= 0:
            p *= probabilities(tree, distances, tree.parent[at], sigma)[at]
            at = tree.parent[at]
        total += p
    return np.log(total) if total > 0 else 0.0


def reference_tree(points, labels):
    """The boundary tree by its definition; nodes in the order in which they came."""
    nodes, parent = [0], [-1]
    for example in range(1, len(points)):
        node = 0
        while True:
            children = [i for i in range(len(nodes)) if parent[i] == node]
            distances = np.linalg.norm(
                points[[nodes[i] for i in children]] - points[example], axis=1
            )
            own = np.linalg.norm(points[nodes[node]] - points[example])
            if not children or own < distances.min():
                break
            node = children[int(distances.argmin())]
        if labels[nodes[node]] != labels[example]:
            nodes.append(example)
            parent.append(node)
    return {nodes[i]: (nodes[p] if p >= 0 else -1) for i, p in enumerate(parent)}


# -------------------------------------------------------------------------------------- the tree


@pytest.mark.parametrize("seed", range(5))
def test_the_tree_is_the_boundary_tree_of_its_definition(seed):
    rng = np.random.default_rng(seed)
    points, labels = rng.normal(size=(150, 2)), rng.integers(3, size=150)
    tree = build_tree(points, labels)
    parents = {
        int(example): int(tree.example[parent]) if parent >= 0 else -1
        for example, parent in zip(tree.example, tree.parent, strict=True)
    }
    assert parents == reference_tree(points, labels)
    np.testing.assert_array_equal(tree.label, labels[tree.example])


def test_nodes_are_in_preorder_and_children_in_the_order_of_arrival():
    rng = np.random.default_rng(0)
    tree = build_tree(rng.normal(size=(300, 2)), rng.integers(3, size=300))
    path = [0]
    for node in range(1, len(tree.parent)):
        while path[-1] != tree.parent[node]:
            path.pop()
        path.append(node)
    for parent in np.unique(tree.parent[1:]):
        assert (np.diff(tree.example[tree.parent == parent]) > 0).all()


def test_a_child_is_preferred_over_its_parent_at_the_same_distance():
    points = np.array([[0.0], [0.0], [0.0]])
    tree = build_tree(points, np.array([0, 1, 0]))
    np.testing.assert_array_equal(tree.parent, [-1, 0, 1])


def test_the_walk_is_the_greedy_path():
    rng = np.random.default_rng(1)
    distances = cdist(rng.normal(scale=2, size=(100, 2)), POINTS)
    visited = [[] for _ in distances]
    for step in TREE.walk(distances):
        for row, node in zip(step.rows, step.node, strict=True):
            visited[row].append(int(node))
    assert visited == [greedy_path(TREE, row)[0] for row in distances]


# ------------------------------------------------------------------------------------ likelihoods


@pytest.fixture(scope="module")
def torch():
    torch = pytest.importorskip("torch")
    n_threads = torch.get_num_threads()
    torch.set_num_threads(1)  # the networks are small
    yield torch
    torch.set_num_threads(n_threads)


LIKELIHOODS = [(greedy_log_likelihood, reference_greedy), (full_log_likelihood, reference_full)]


@pytest.mark.parametrize(("likelihood", "reference"), LIKELIHOODS)
@pytest.mark.parametrize("sigma", [0.3, 1.0, 5.0])
def test_likelihoods_are_those_of_plain_loops(likelihood, reference, sigma, torch):
    rng = np.random.default_rng(0)
    distances = cdist(rng.normal(scale=2, size=(60, 2)), POINTS)
    for code in range(3):
        codes = np.full(60, code)
        found = likelihood(TREE, torch.from_numpy(distances), codes, sigma)
        expected = [reference(TREE, row, code, sigma) for row in distances]
        np.testing.assert_allclose(found.numpy(), expected, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize(("likelihood", "reference"), LIKELIHOODS)
def test_likelihoods_on_larger_trees(likelihood, reference, torch):
    rng = np.random.default_rng(3)
    points, labels = rng.normal(size=(200, 3)), rng.integers(5, size=200)
    tree = build_tree(points, labels)
    assert tree.node_depth.max() >= 4
    distances = cdist(rng.normal(size=(80, 3)), points[tree.example])
    codes = rng.integers(6, size=80)  # class 5 is not in the tree
    found = likelihood(tree, torch.from_numpy(distances), codes, 0.5)
    expected = [reference(tree, row, c, 0.5) for row, c in zip(distances, codes, strict=True)]
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-10, atol=1e-12)
    assert (found.numpy()[codes == 5] == 0).all()


def test_full_probabilities_sum_to_one(torch):
    distances = torch.rand(20, 6, dtype=torch.float64)
    parts = [full_log_likelihood(TREE, distances, np.full(20, c), 0.2).exp() for c in range(3)]
    np.testing.assert_allclose(sum(parts).numpy(), 1)


def test_the_last_choice_counts_all_options_of_the_class(torch):
    # one example that walks 0 -> 1 -> 2: choices at 0 and at 1, options 2, 3 and 1 at the last
    d = np.array([[3.0, 1.0, 0.5, 1.5, 4.0, 5.0]])
    first = np.exp(-d[0, [1, 4, 0]])
    last = np.exp(-d[0, [2, 3, 1]])
    to_1 = first[0] / first.sum()
    for code, option in ((0, 0), (2, 1), (1, 2)):
        found = greedy_log_likelihood(TREE, torch.from_numpy(d), np.array([code]), 1.0)
        assert found.item() == pytest.approx(np.log(to_1 * last[option] / last.sum()))


def test_a_class_that_is_no_last_option_is_counted_further_up(torch):
    # 0 -> 4 -> 5: neither 4 nor 5 has class 2, nor has any option at the root; class 1 is at 4
    d = np.array([[3.0, 6.0, 6.0, 6.0, 1.0, 0.5]])
    assert greedy_log_likelihood(TREE, torch.from_numpy(d), np.array([2]), 1.0).item() == 0
    tree = NumpyTree(TREE.example, TREE.parent, np.array([0, 2, 0, 1, 1, 0]))
    first = np.exp(-d[0, [1, 4, 0]])
    found = greedy_log_likelihood(tree, torch.from_numpy(d), np.array([2]), 1.0)
    assert found.item() == pytest.approx(np.log(first[0] / first.sum()))


@pytest.mark.parametrize("likelihood", [greedy_log_likelihood, full_log_likelihood])
def test_gradients_are_those_of_finite_differences(likelihood, torch):
    rng = np.random.default_rng(0)
    nodes = torch.from_numpy(POINTS.copy()).requires_grad_()
    queries = torch.from_numpy(rng.normal(scale=2, size=(12, 2))).requires_grad_()
    codes = rng.integers(3, size=12)

    def loss(queries, nodes):
        mode = "donot_use_mm_for_euclid_dist"
        return -likelihood(TREE, torch.cdist(queries, nodes, compute_mode=mode), codes, 0.8).sum()

    loss(queries, nodes).backward()
    step = 1e-6
    for tensor in (queries, nodes):
        values = tensor.detach()
        for place in itertools.product(*map(range, values.shape)):
            moved = []
            for sign in (1, -1):
                values[place] += sign * step
                moved.append(loss(queries.detach(), nodes.detach()).item())
                values[place] -= sign * step
            slope = (moved[0] - moved[1]) / (2 * step)
            assert tensor.grad[place].item() == pytest.approx(slope, rel=1e-5, abs=1e-7)


@pytest.mark.parametrize("likelihood", [greedy_log_likelihood, full_log_likelihood])
def test_an_example_on_a_node_has_a_finite_gradient(likelihood, torch):
    nodes = torch.from_numpy(POINTS.copy()).requires_grad_()
    distances = torch.cdist(nodes, nodes, compute_mode="donot_use_mm_for_euclid_dist")
    likelihood(TREE, distances, TREE.label, 1.0).sum().backward()
    assert torch.isfinite(nodes.grad).all()


# ------------------------------------------------------------------------------------- estimator


def small(**params):
    defaults = {
        "n_components": 2,
        "hidden": (30,),
        "n_epochs": 10,
        "batch_size": 32,
        "learning_rate": 0.01,
        "random_state": 0,
    }
    return mf.DifferentiableBoundaryTree(**(defaults | params))


@pytest.fixture(scope="module")
def moons():
    return make_moons(300, noise=0.15, random_state=0)


@pytest.fixture(scope="module")
def fitted(moons, torch):
    return small().fit(*moons)


@pytest.mark.parametrize(("paths", "noise"), [("greedy", 0.15), ("all", 0.2)])
def test_it_learns_moons_better_than_a_boundary_tree(paths, noise, torch):
    X, y = make_moons(300, noise=noise, random_state=0)
    X_test, y_test = make_moons(2000, noise=noise, random_state=1)
    learned = small(hidden=(50,), n_epochs=60, paths=paths).fit(X, y)
    raw = build_tree(X, y)
    node = np.zeros(len(X_test), dtype=int)
    for step in raw.walk(cdist(X_test, X[raw.example])):
        node[step.rows] = raw.options[step.node, step.choice]
    assert learned.score(X_test, y_test) > np.mean(raw.label[node] == y_test)
    assert learned.n_nodes_[0] < len(raw.parent)


@pytest.mark.parametrize("paths", ["greedy", "all"])
def test_probabilities_are_those_of_plain_loops(paths, moons, torch):
    X, y = moons
    fitted = small(paths=paths, n_epochs=5).fit(X, y)
    tree = fitted.trees_[0]
    nodes = fitted.transform(X[tree.example])
    proba = fitted.predict_proba(X[:50])
    for row, distances in zip(proba, cdist(fitted.transform(X[:50]), nodes), strict=True):
        last = probabilities(tree, distances, greedy_path(tree, distances)[0][-1], fitted.sigma)
        for code in range(2):
            if paths == "greedy":
                expected = sum(p for option, p in last.items() if tree.label[option] == code)
            else:
                expected = np.exp(reference_full(tree, distances, code, fitted.sigma))
            assert row[code] == pytest.approx(expected, abs=1e-6)
    np.testing.assert_allclose(proba.sum(axis=1), 1)
    np.testing.assert_array_equal(fitted.predict(X[:50]), fitted.classes_[proba.argmax(axis=1)])


def test_few_examples_are_shown_more_often(moons, torch, monkeypatch):
    monkeypatch.setattr(_differentiable_training, "_MIN_STEPS", 200)
    alone = small(n_epochs=None, hidden=(5,)).fit(*moons)
    assert len(alone.loss_curve_) == 23  # of 300 // 32 steps


def test_what_it_keeps(fitted, moons):
    X, y = moons
    (tree,) = fitted.trees_
    assert fitted.n_nodes_.tolist() == [len(tree.parent)]
    assert fitted.depth_.tolist() == [tree.depth]
    np.testing.assert_array_equal(fitted.stored_, np.sort(tree.example))
    examples, labels = fitted.stored_examples_
    np.testing.assert_allclose(examples, X[fitted.stored_], rtol=1e-6)
    np.testing.assert_array_equal(labels, y[fitted.stored_])
    np.testing.assert_array_equal(tree.label, y[tree.example])
    assert len(fitted.loss_curve_) == fitted.n_epochs
    assert fitted.loss_curve_[-1] < fitted.loss_curve_[0]


def test_the_same_seed_gives_the_same_tree(fitted, moons):
    again = small().fit(*moons)
    np.testing.assert_array_equal(again.transform(moons[0]), fitted.transform(moons[0]))
    np.testing.assert_array_equal(again.trees_[0].example, fitted.trees_[0].example)
    other = small(random_state=1).fit(*moons)
    assert not np.array_equal(other.transform(moons[0]), fitted.transform(moons[0]))


def test_fitting_leaves_the_streams_of_torch_alone(moons, torch):
    torch.manual_seed(3)
    expected = torch.rand(2)
    torch.manual_seed(3)
    small(n_epochs=1, noise=0.5).fit(*moons)
    assert torch.equal(torch.rand(2), expected)


def test_images_and_labels_of_any_type(torch):
    digits = load_digits(n_class=3)
    names = np.array(["zero", "one", "two"])[digits.target]
    tree = small(n_components=4, n_epochs=15).fit(digits.images[:400], names[:400])
    assert tree.score(digits.images[400:], names[400:]) > 0.9
    assert tree.feature_shape_ == (8, 8)
    np.testing.assert_array_equal(tree.trees_[0].label, names[tree.trees_[0].example])
    assert tree.stored_examples_[0].shape[1:] == (8, 8)
    flat = digits.images[400:].reshape(-1, 64)
    np.testing.assert_array_equal(tree.predict(flat), tree.predict(digits.images[400:]))


def test_bytes_are_as_good_as_floats(torch):
    digits = load_digits(n_class=3)
    floats = small(n_epochs=2).fit(digits.data, digits.target)
    whole = small(n_epochs=2).fit(digits.data.astype(np.uint8), digits.target)
    np.testing.assert_array_equal(
        floats.predict_proba(digits.data), whole.predict_proba(digits.data.astype(np.uint8))
    )


def test_units_of_the_features_do_not_matter(moons, torch):
    X, y = moons
    one = small(n_epochs=3).fit(X, y)
    other = small(n_epochs=3).fit(1024 * X, y)
    np.testing.assert_allclose(one.transform(X), other.transform(1024 * X), rtol=1e-6)


def test_one_class_and_few_examples(torch):
    alone = small().fit([[0.0], [1.0]], ["a", "a"])
    assert alone.predict([[5.0]]).tolist() == ["a"]
    assert alone.n_nodes_.tolist() == [1]
    two = small().fit([[0.0], [1.0]], [0, 1])
    assert two.predict([[0.0], [1.0]]).tolist() == [0, 1]


def test_no_hidden_layer_is_a_linear_map(moons, torch):
    tree = small(hidden=(), n_epochs=2).fit(*moons)
    X = moons[0][:3].astype(np.float32)
    middle = tree.transform((X[:1] + X[1:2]) / 2)
    np.testing.assert_allclose(middle, tree.transform(X[:2]).mean(axis=0)[None], atol=1e-5)


def test_pickle_and_clone(fitted, moons):
    copy = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(copy.predict_proba(moons[0]), fitted.predict_proba(moons[0]))
    fresh = clone(fitted)
    assert fresh.get_params() == fitted.get_params()
    with pytest.raises(NotFittedError):
        fresh.predict(moons[0])


def test_progress_goes_to_the_standard_error_stream(moons, capsys, torch):
    small(n_epochs=2, verbose=1).fit(*moons)
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("epoch 1 of 2: loss ")
    assert err.count("\n") == 2


def test_the_names_of_the_components(fitted):
    names = fitted.get_feature_names_out()
    assert names.tolist() == ["differentiableboundarytree0", "differentiableboundarytree1"]


def test_the_representation_serves_a_boundary_forest(fitted, moons):
    forest = mf.BoundaryForestClassifier(5, embedding=fitted.transform, random_state=0).fit(*moons)
    X, y = make_moons(500, noise=0.15, random_state=1)
    assert forest.score(X, y) > 0.9


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"n_components": 0}, "n_components must be an integer >= 1, got 0"),
        ({"hidden": (0,)}, r"hidden must be a sequence, each entry an integer >= 1, got \(0,\)"),
        ({"paths": "some"}, "paths must be one of 'greedy', 'all', got 'some'"),
        ({"sigma": 0}, r"sigma must be a number in \(0, inf\), got 0"),
        ({"n_tree_samples": 0}, "n_tree_samples must be an integer >= 1, got 0"),
        ({"n_epochs": 0}, "n_epochs must be an integer >= 1 or None, got 0"),
        ({"steps_per_tree": 0}, "steps_per_tree must be an integer >= 1, got 0"),
        ({"batch_size": 0}, "batch_size must be an integer >= 1, got 0"),
        ({"learning_rate": -1.0}, r"learning_rate must be a number in \(0, inf\), got -1.0"),
        ({"noise": -1.0}, r"noise must be a number in \[0, inf\), got -1.0"),
        ({"random_state": -1}, "random_state must be None"),
    ],
)
def test_bad_parameters(params, message):
    with pytest.raises(ValueError, match=message):
        small(**params).fit([[0.0], [1.0]], [0, 1])


@pytest.mark.parametrize("params", [{"hidden": 400}, {"hidden": (1.0,)}, {"random_state": "x"}])
def test_parameters_of_wrong_types(params):
    with pytest.raises(TypeError, match=f"{next(iter(params))} must be .* got"):
        small(**params).fit([[0.0], [1.0]], [0, 1])


def test_bad_input_leaves_the_estimator_as_it_was(moons, torch):
    X, y = moons
    tree = small(n_epochs=1).fit(X, y)
    before = tree.predict_proba(X)
    holes = X.copy()
    holes[3, 1] = np.nan
    for bad_X, bad_y, message in [
        (holes, y, "Input X contains NaN"),
        (X, y[:-1], "X and y must have equally many rows"),
        (X, np.stack([y, y], axis=1), "y must have one column, got 2"),
        (X[:, 0], y, "Expected 2D array"),
        (X, None, "requires y"),
    ]:
        with pytest.raises(ValueError, match=message):
            tree.fit(bad_X, bad_y)
    with pytest.raises(ValueError, match="Input X contains NaN"):
        tree.predict(holes)
    with pytest.raises(ValueError, match="features"):
        tree.predict(X[:, :1])
    np.testing.assert_array_equal(tree.predict_proba(X), before)


def test_without_torch_the_message_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ImportError, match=r"pip install 'manifoldforest\[torch\]'"):
        small().fit([[0.0], [1.0]], [0, 1])


def test_a_fitted_tree_does_without_torch(fitted, moons, monkeypatch):
    stored = pickle.dumps(fitted)
    expected = fitted.predict(moons[0])
    monkeypatch.setitem(sys.modules, "torch", None)
    np.testing.assert_array_equal(pickle.loads(stored).predict(moons[0]), expected)


@pytest.mark.filterwarnings("default")
@parametrize_with_checks([small(n_epochs=30)])
def test_estimator_passes_scikit_learns_checks(estimator, check, torch):
    check(estimator)
