"""Pictures of boundary forests: what is drawn, and where."""

from dataclasses import dataclass
from types import SimpleNamespace

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import Circle, Rectangle
from sklearn.base import BaseEstimator
from sklearn.datasets import load_digits, make_moons
from sklearn.exceptions import NotFittedError
from sklearn.neighbors import KNeighborsClassifier

import manifoldforest as mf
from manifoldforest import plot
from manifoldforest.plot._style import CLASS_COLORS, class_colors
from manifoldforest.plot._tree_layout import tidy_layout

mpl.use("Agg")


@pytest.fixture
def ax():
    return Figure(figsize=(12, 6)).subplots()


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    import matplotlib.pyplot as plt

    plt.close("all")


@dataclass
class Tree:
    example: np.ndarray
    parent: np.ndarray
    label: np.ndarray


def forest_of(parent, examples, labels, *, classes=True, example=None):
    """A fitted forest of one tree with the attributes that boundary forests have."""
    example = np.arange(len(parent)) if example is None else np.asarray(example)
    stored = np.sort(example)
    labels = None if labels is None else np.asarray(labels)
    rows = np.searchsorted(stored, example)
    kept_examples, kept_labels = [None] * len(stored), [None] * len(stored)
    for node, row in enumerate(rows):
        kept_examples[row] = examples[node]
        kept_labels[row] = None if labels is None else labels[node]
    forest = SimpleNamespace(
        trees_=[Tree(example, np.asarray(parent), labels)],
        stored_=stored,
        stored_examples_=(
            kept_examples if isinstance(examples[0], str) else np.array(kept_examples),
            None if labels is None else np.array(kept_labels),
        ),
        n_seen_=int(stored[-1]) + 1,
        n_passes_=1,
    )
    if classes and labels is not None:
        forest.classes_ = np.unique(labels)
    return forest


#       0
#    1     4
#   2 3    5
PARENT = np.array([-1, 0, 1, 1, 0, 4])
LABELS = np.array(["a", "b", "a", "c", "c", "a"])
POINTS = np.arange(12.0).reshape(6, 2)


def centres(ax, kind):
    """Middles of the circles or the frames, in the order of the nodes."""
    if kind is Circle:
        return np.array([patch.center for patch in ax.patches if isinstance(patch, Circle)])
    return np.array([patch.get_center() for patch in ax.patches if isinstance(patch, Rectangle)])


# ----------------------------------------------------------------------------------- tidy_layout


def test_parents_are_centred_above_their_children():
    x, depth = tidy_layout(PARENT)
    np.testing.assert_array_equal(depth, [0, 1, 2, 2, 1, 2])
    assert x[1] == (x[2] + x[3]) / 2
    assert x[0] == (x[1] + x[4]) / 2
    assert x[4] == x[5]
    assert x.min() == 0


def test_a_node_alone_is_at_zero():
    x, depth = tidy_layout([-1])
    assert x.tolist() == [0]
    assert depth.tolist() == [0]


def test_a_star_is_as_wide_as_its_leaves():
    x, _ = tidy_layout([-1, 0, 0, 0, 0])
    np.testing.assert_array_equal(x, [1.5, 0, 1, 2, 3])


def random_tree(n_nodes, seed):
    """Parents in preorder."""
    rng = np.random.default_rng(seed)
    parent, path = [-1], [0]
    for node in range(1, n_nodes):
        del path[rng.integers(1, len(path) + 1) :]
        parent.append(path[-1])
        path.append(node)
    return np.array(parent)


@pytest.mark.parametrize("seed", range(20))
def test_nodes_of_a_level_keep_their_order_and_distance(seed):
    parent = random_tree(80, seed)
    x, depth = tidy_layout(parent)
    for level in range(depth.max() + 1):
        assert np.diff(x[depth == level]).min(initial=1.0) >= 1 - 1e-9
    for node in np.unique(parent[1:]):
        children = np.flatnonzero(parent == node)
        assert x[node] == pytest.approx((x[children[0]] + x[children[-1]]) / 2)


# --------------------------------------------------------------------------------- boundary_tree


def test_points_are_dots_in_the_colour_of_their_class(ax):
    assert plot.boundary_tree(forest_of(PARENT, POINTS, LABELS), ax) is ax
    x, depth = tidy_layout(PARENT)
    np.testing.assert_allclose(centres(ax, Circle), np.stack([x, -1.7 * depth], axis=1))
    colors = [patch.get_facecolor()[:3] for patch in ax.patches]
    expected = class_colors(3)[np.searchsorted(["a", "b", "c"], LABELS)]
    np.testing.assert_allclose(colors, expected)
    assert [text.get_text() for text in ax.texts] == LABELS.tolist()


def test_classes_may_be_in_any_order(ax):
    forest = forest_of(PARENT, POINTS, LABELS)
    forest.classes_ = np.array(["c", "a", "b"])
    plot.boundary_tree(forest, ax)
    colors = [patch.get_facecolor()[:3] for patch in ax.patches]
    expected = class_colors(3)[[["c", "a", "b"].index(label) for label in LABELS]]
    np.testing.assert_allclose(colors, expected)


def test_edges_join_children_to_their_parents(ax):
    plot.boundary_tree(forest_of(PARENT, POINTS, LABELS), ax)
    nodes = centres(ax, Circle)
    lines = np.array(ax.collections[0].get_segments())
    np.testing.assert_allclose(lines[:, 0], nodes[PARENT[1:]])
    np.testing.assert_allclose(lines[:, -1], nodes[1:])


def test_images_are_drawn_as_images_in_a_frame_of_the_class(ax):
    images = np.random.default_rng(0).integers(0, 256, (6, 4, 3), dtype=np.uint8)
    plot.boundary_tree(forest_of(PARENT, images, LABELS), ax)
    assert len(ax.images) == 6
    for drawn, image, (x, y), frame in zip(
        ax.images, images, centres(ax, Rectangle), ax.patches, strict=True
    ):
        np.testing.assert_array_equal(drawn.get_array(), image)
        left, right, bottom, top = drawn.get_extent()
        assert ((left + right) / 2, (bottom + top) / 2) == pytest.approx((x, y))
        assert (right - left) / (top - bottom) == pytest.approx(3 / 4)  # not distorted
        assert frame.get_facecolor()[3] == 0
    assert ax.get_aspect() == 1
    edges = [frame.get_edgecolor()[:3] for frame in ax.patches]
    np.testing.assert_allclose(edges, class_colors(3)[np.searchsorted(["a", "b", "c"], LABELS)])


def test_all_images_share_one_scale(ax):
    images = np.stack([np.full((2, 2), value) for value in (0, 10, 20, 30, 40, 50)])
    plot.boundary_tree(forest_of(PARENT, images, LABELS), ax)
    assert {image.get_clim() for image in ax.images} == {(0, 50)}


def test_flat_rows_become_images_by_their_shape(ax):
    rows = np.arange(6 * 12).reshape(6, 12)
    plot.boundary_tree(forest_of(PARENT, rows, LABELS), ax, shape=(3, 4))
    np.testing.assert_array_equal(ax.images[2].get_array(), rows[2].reshape(3, 4))


def test_coloured_images(ax):
    images = np.random.default_rng(0).random((6, 5, 5, 3))
    plot.boundary_tree(forest_of(PARENT, images, LABELS), ax)
    np.testing.assert_array_equal(ax.images[0].get_array(), images[0])


def test_texts_are_written_and_long_ones_cut(ax):
    words = ["ape", "bear", "extraordinary things", "cat", "dog", "eel"]
    plot.boundary_tree(forest_of(PARENT, words, LABELS), ax)
    written = [text.get_text() for text in ax.texts]
    assert written == ["ape", "bear", "extraordina…", "cat", "dog", "eel"]
    boxes = np.array([patch.get_extents().extents for patch in ax.patches])
    for one in range(6):  # no two boxes meet
        for other in range(one):
            apart = (boxes[one, :2] > boxes[other, 2:]) | (boxes[other, :2] > boxes[one, 2:])
            assert apart.any()


def test_arrival_indices_need_not_be_those_of_the_nodes(ax):
    forest = forest_of(PARENT, POINTS, LABELS, example=[50, 7, 31, 99, 8, 60])
    plot.boundary_tree(forest, ax)
    assert [text.get_text() for text in ax.texts] == LABELS.tolist()


def test_max_depth_hides_what_is_below_and_says_so(ax):
    plot.boundary_tree(forest_of(PARENT, POINTS, LABELS), ax, max_depth=1)
    assert len(centres(ax, Circle)) == 3
    assert ax.get_title() == "3 of 6 nodes, 3 hidden"
    assert [text.get_text() for text in ax.texts] == ["a", "b", "c", "+2", "+1"]


def test_max_nodes_draws_whole_levels_first(ax):
    plot.boundary_tree(forest_of(PARENT, POINTS, LABELS), ax, max_nodes=4)
    assert len(centres(ax, Circle)) == 4
    assert ax.get_title() == "4 of 6 nodes, 2 hidden"
    # the root and its children, and the first of the level below
    written = [text.get_text() for text in ax.texts]
    assert written == ["a", "b", "a", "c", "+1", "+1"]


def test_numbers_of_hidden_nodes_add_up(ax):
    parent = random_tree(300, 1)
    forest = forest_of(parent, np.zeros((300, 2)), np.arange(300) % 2)
    plot.boundary_tree(forest, ax, max_nodes=50)
    hidden = [text.get_text() for text in ax.texts if text.get_text().startswith("+")]
    if hidden:  # they are left out where they would be too small to read
        assert sum(map(int, hidden)) == 250
    assert ax.get_title() == "50 of 300 nodes, 250 hidden"


def test_a_whole_tree_has_no_title(ax):
    plot.boundary_tree(forest_of(PARENT, POINTS, LABELS), ax)
    assert ax.get_title() == ""


def test_a_root_alone(ax):
    plot.boundary_tree(forest_of([-1], POINTS[:1], LABELS[:1]), ax)
    assert len(centres(ax, Circle)) == 1
    assert not ax.collections[0].get_segments()


def test_the_legend_names_the_classes(ax):
    plot.boundary_tree(forest_of(PARENT, POINTS, LABELS), ax)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["a", "b", "c"]
    plot.boundary_tree(
        forest_of(PARENT, POINTS, LABELS), other := Figure().subplots(), legend=False
    )
    assert other.get_legend() is None


def test_numbers_as_labels_are_coloured_by_size(ax):
    values = np.array([0.0, 1.0, 0.5, 0.25, 2.0, 1.5])
    plot.boundary_tree(forest_of(PARENT, POINTS, values, classes=False), ax)
    viridis = mpl.colormaps["viridis"]
    colors = [patch.get_facecolor()[:3] for patch in ax.patches]
    np.testing.assert_allclose(colors, viridis(values / 2)[:, :3])
    assert [text.get_text() for text in ax.texts] == ["0", "1", "0.5", "0.25", "2", "1.5"]
    assert ax.get_legend() is None


def test_an_index_has_no_labels(ax):
    plot.boundary_tree(forest_of(PARENT, POINTS, None), ax)
    assert len(centres(ax, Circle)) == 6
    assert not ax.texts


@pytest.mark.parametrize(("n_nodes", "seed"), [(1, 0), (5, 0), (60, 0), (60, 1), (300, 2)])
def test_a_new_figure_has_room_for_the_letters(n_nodes, seed):
    labels = np.arange(n_nodes) % 10
    parent = random_tree(n_nodes, seed)
    ax = plot.boundary_tree(forest_of(parent, np.zeros((n_nodes, 2)), labels))
    assert isinstance(ax, Axes)
    ax.figure.canvas.draw()
    boxes = [text.get_window_extent() for text in ax.texts]
    for one, box in enumerate(boxes):
        for other in boxes[:one]:
            assert not box.overlaps(other)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"tree": 1}, r"tree must be an integer in \[0, 0\], got 1"),
        ({"max_nodes": 0}, "max_nodes must be an integer >= 1, got 0"),
        ({"max_depth": -1}, "max_depth must be an integer >= 0 or None, got -1"),
        ({"shape": (3, 3)}, r"shape must have 2 elements, got \(3, 3\)"),
    ],
)
def test_boundary_tree_refuses(params, message, ax):
    with pytest.raises(ValueError, match=message):
        plot.boundary_tree(forest_of(PARENT, POINTS, LABELS), ax, **params)


def test_boundary_tree_needs_a_fitted_boundary_forest(ax):
    with pytest.raises(NotFittedError):
        plot.boundary_tree(mf.BoundaryForestClassifier(), ax)
    with pytest.raises(
        TypeError, match="forest must be a fitted boundary forest .* got KNeighbors"
    ):
        plot.boundary_tree(KNeighborsClassifier().fit(POINTS, LABELS), ax)


def test_a_tree_of_a_boundary_forest(ax):
    digits = load_digits()
    forest = mf.BoundaryForestClassifier(3, random_state=0).fit(digits.images, digits.target)
    plot.boundary_tree(forest, ax, tree=2, max_nodes=30)
    tree = forest.trees_[2]
    x, depth = tidy_layout(tree.parent)
    assert ax.get_title() == f"30 of {len(x)} nodes, {len(x) - 30} hidden"
    np.testing.assert_array_equal(ax.images[0].get_array(), digits.images[tree.example[0]])
    drawn = np.sort(np.argsort(depth, kind="stable")[:30])
    colors = class_colors(10)[digits.target[tree.example[drawn]]]
    np.testing.assert_allclose([frame.get_edgecolor()[:3] for frame in ax.patches], colors)


def test_a_tree_of_a_regression_forest(ax):
    X = np.random.default_rng(0).random((100, 2))
    forest = mf.BoundaryForestRegressor(2, random_state=0).fit(X, X[:, 0])
    plot.boundary_tree(forest, ax)
    assert len(centres(ax, Circle)) == min(60, len(forest.trees_[0].parent))


def test_a_tree_of_words(ax):
    words = ["ape", "apple", "bee", "beet", "pear", "bear"]
    forest = mf.BoundaryForestClassifier(
        1, metric=lambda one, other: float(len(set(one) ^ set(other))), random_state=0
    ).fit(words, [0, 1, 0, 1, 1, 0])
    plot.boundary_tree(forest, ax)
    written = [text.get_text() for text in ax.texts]
    assert written == [words[row] for row in forest.trees_[0].example]


# ----------------------------------------------------------------------------- decision_boundary


class HalfPlanes(BaseEstimator):
    """Class "right" where x is positive, and surer of it the further."""

    classes_ = np.array(["left", "right"])
    n_features_in_ = 2

    def __init__(self, stored=None):
        self.stored = stored
        if stored is not None:
            self.stored_examples_ = stored

    def fit(self, X, y):
        return self

    def predict_proba(self, X):
        right = np.clip(0.5 + X[:, 0] / 2, 0, 1)
        return np.stack([1 - right, right], axis=1)

    def predict(self, X):
        return self.classes_[(X[:, 0] > 0).astype(int)]

    def __sklearn_is_fitted__(self):
        return True


LIMITS = (-1.0, 1.0, 0.0, 2.0)


def pale(color):
    return 1 - 0.32 * (1 - np.array(to_rgb(color)))


def test_regions_have_pale_colours_of_their_classes(ax):
    assert plot.decision_boundary(HalfPlanes(), ax=ax, limits=LIMITS, resolution=4) is ax
    image = ax.images[0]
    assert tuple(image.get_extent()) == LIMITS
    regions = image.get_array()
    np.testing.assert_allclose(regions[:, :2], np.broadcast_to(pale(CLASS_COLORS[0]), (4, 2, 3)))
    np.testing.assert_allclose(regions[:, 2:], np.broadcast_to(pale(CLASS_COLORS[1]), (4, 2, 3)))
    assert ax.get_xlim() == LIMITS[:2]
    assert ax.get_ylim() == LIMITS[2:]


def test_rows_of_the_picture_go_upward(ax):
    class Below(HalfPlanes):
        def predict(self, X):
            return self.classes_[(X[:, 1] > 0.5).astype(int)]  # the lowest quarter

    plot.decision_boundary(Below(), ax=ax, limits=LIMITS, resolution=4)
    assert ax.images[0].origin == "lower"
    np.testing.assert_allclose(ax.images[0].get_array()[0, 0], pale(CLASS_COLORS[0]))
    np.testing.assert_allclose(ax.images[0].get_array()[1, 0], pale(CLASS_COLORS[1]))


def test_probabilities_mix_colours(ax):
    plot.decision_boundary(HalfPlanes(), ax=ax, limits=LIMITS, resolution=4, kind="proba")
    right = 0.5 + np.array([-0.75, -0.25, 0.25, 0.75]) / 2  # at the centres of the pixels
    first, second = pale(CLASS_COLORS[0]), pale(CLASS_COLORS[1])
    expected = (1 - right)[:, None] * first + right[:, None] * second
    np.testing.assert_allclose(ax.images[0].get_array()[0], expected)


def test_points_are_faint_and_kept_ones_marked(ax):
    points = np.array([[-1.0, 0.0], [0.5, 1.0], [1.0, 2.0]])
    kept = (points[1:], np.array(["right", "left"]))
    plot.decision_boundary(HalfPlanes(kept), points, ["left", "right", "left"], ax)
    seen, marked = ax.collections
    np.testing.assert_allclose(seen.get_offsets(), points)
    np.testing.assert_allclose(marked.get_offsets(), points[1:])
    assert seen.get_alpha() < 0.6
    assert seen.get_sizes()[0] < marked.get_sizes()[0]
    expected = np.array([to_rgb(CLASS_COLORS[code]) for code in (1, 0)])
    np.testing.assert_allclose(marked.get_facecolors()[:, :3], expected)
    names = [text.get_text() for text in ax.get_legend().get_texts()]
    assert names == ["left", "right", "kept", "seen"]


def test_a_boundary_forest_in_the_plane(ax):
    X, y = make_moons(200, noise=0.1, random_state=0)
    forest = mf.BoundaryForestClassifier(3, random_state=0).fit(X, y)
    plot.decision_boundary(forest, X, y, ax, resolution=20)
    np.testing.assert_allclose(ax.collections[1].get_offsets(), X[forest.stored_], rtol=1e-6)


def test_kept_points_can_be_left_out(ax):
    kept = (np.array([[0.5, 0.5]]), np.array(["right"]))
    plot.decision_boundary(HalfPlanes(kept), ax=ax, limits=LIMITS, stored=False, legend=False)
    assert not ax.collections
    assert ax.get_legend() is None


def test_kept_points_of_another_space_are_not_drawn(ax):
    embedded = (np.zeros((3, 20)), np.array(["left", "right", "left"]))
    plot.decision_boundary(HalfPlanes(embedded), ax=ax, limits=LIMITS, resolution=4)
    assert not ax.collections


def test_the_plane_reaches_beyond_all_points(ax):
    kept = (np.array([[3.0, 0.5]]), np.array(["right"]))
    plot.decision_boundary(HalfPlanes(kept), [[-1.0, 0.0], [1.0, 1.0]], ax=ax, resolution=10)
    left, right, bottom, top = ax.images[0].get_extent()
    assert left < -1
    assert right > 3
    assert bottom < 0
    assert top > 1


def test_any_classifier_with_two_features(ax):
    X, y = make_moons(100, noise=0.1, random_state=0)
    neighbours = KNeighborsClassifier().fit(X, y)
    plot.decision_boundary(neighbours, X, y, ax, resolution=20)
    assert len(ax.collections) == 1  # it keeps nothing that it would tell
    assert ax.images[0].get_array().shape == (20, 20, 3)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({}, "limits or X must be given"),
        ({"limits": (1, 0, 0, 1)}, r"limits must be \(left, right, bottom, top\) .* got \(1, 0"),
        ({"limits": LIMITS, "kind": "label"}, "kind must be one of 'class', 'proba', got 'label'"),
        ({"limits": LIMITS, "resolution": 1}, "resolution must be an integer >= 2, got 1"),
        (
            {"X": np.zeros((3, 3))},
            r"X must be .* of shape \(n_samples, 2\), got the shape \(3, 3\)",
        ),
        ({"X": np.zeros((2, 2)), "y": ["left"]}, "y must have one label for each row of X"),
        ({"X": np.zeros((1, 2)), "y": ["top"]}, "y must hold labels that the classifier knows"),
        ({"y": ["left"]}, "y must have one label for each row of X"),
    ],
)
def test_decision_boundary_refuses(params, message, ax):
    with pytest.raises(ValueError, match=message):
        plot.decision_boundary(HalfPlanes(), ax=ax, **params)


def test_decision_boundary_needs_two_features_and_a_fit(ax):
    with pytest.raises(NotFittedError):
        plot.decision_boundary(KNeighborsClassifier(), ax=ax)
    three = KNeighborsClassifier(1).fit(np.zeros((2, 3)), [0, 1])
    with pytest.raises(ValueError, match="classifier must have 2 features, got 3"):
        plot.decision_boundary(three, ax=ax)


# ------------------------------------------------------------------------------- boundary_growth


class Grown(BaseEstimator):
    """A forest whose trees have kept given examples."""

    def __init__(self, examples, n_seen, n_passes=1):
        self.examples, self.n_seen, self.n_passes = examples, n_seen, n_passes
        self.trees_ = [Tree(np.asarray(example), None, None) for example in examples]
        self.n_seen_ = n_seen
        self.n_passes_ = n_passes

    def fit(self, X, y):
        return self

    def __sklearn_is_fitted__(self):
        return True


def square_numbers(n_seen, shift=0):
    return np.random.default_rng(0).permutation(np.arange(shift, int(n_seen**0.5)) ** 2)


def lines(ax):
    return dict(zip(*ax.get_legend_handles_labels()[::-1], strict=True))


def test_nodes_are_counted_as_they_came(ax):
    assert plot.boundary_growth(Grown([square_numbers(10_000)], n_seen=10_000), ax) is ax
    (line,) = ax.lines
    n_seen, n_nodes = line.get_data()
    np.testing.assert_array_equal(n_nodes, np.ceil(np.sqrt(n_seen)))
    assert n_seen[0] == 1
    assert n_seen[-1] == 10_000
    assert ax.get_xscale() == ax.get_yscale() == "log"


def test_the_slope_is_in_the_legend(ax):
    plot.boundary_growth({"squares": Grown([square_numbers(10**6)], n_seen=10**6)}, ax)
    assert list(lines(ax)) == ["squares, slope 0.50"]


def test_the_mean_of_the_trees_in_a_band(ax):
    few, many = np.arange(0, 100, 10), np.arange(100)
    plot.boundary_growth(Grown([few, many], n_seen=100), ax)
    n_seen, n_nodes = ax.lines[0].get_data()
    assert n_seen[0] == 2  # when both trees have a root
    assert n_nodes[-1] == (10 + 100) / 2
    band = ax.collections[0].get_paths()[0].vertices
    assert band[:, 1].min() == 1
    assert band[:, 1].max() == 100


def test_several_forests_have_their_own_colours(ax):
    one, other = Grown([np.arange(50)], n_seen=100), Grown([np.arange(20)], n_seen=100)
    plot.boundary_growth({"k=2": one, "k=50": other}, ax)
    assert len({line.get_color() for line in ax.lines}) == 2


def test_published_numbers_are_hollow_markers(ax):
    grown = Grown([square_numbers(100)], n_seen=100)
    plot.boundary_growth(grown, ax, published=[(10_000, 680), (100_000, 2220)])
    marks = lines(ax)["published"]
    np.testing.assert_array_equal(np.transpose(marks.get_data()), [[10_000, 680], [100_000, 2220]])
    assert marks.get_markerfacecolor() == "none"


def test_one_example_is_a_point_without_slope(ax):
    plot.boundary_growth(Grown([[0]], n_seen=1), ax)
    assert list(lines(ax)) == ["nodes"]


def test_the_growth_of_a_boundary_forest(ax):
    X = np.random.default_rng(0).random((3000, 2))
    y = X[:, 1] > 0.5 + 0.25 * np.sin(6 * X[:, 0])
    forest = mf.BoundaryForestClassifier(4, random_state=0)
    counts = {}
    for first in range(0, 3000, 100):
        forest.partial_fit(X[first : first + 100], y[first : first + 100], classes=[False, True])
        counts[first + 100] = forest.n_nodes_.mean()
    plot.boundary_growth(forest, ax)
    for n_seen, n_nodes in np.transpose(ax.lines[0].get_data()):
        if n_seen in counts:
            assert n_nodes == counts[n_seen]
    assert ax.lines[0].get_xdata()[-1] == 3000
    with pytest.raises(TypeError, match="forests must be a boundary forest .* got KNeighbors"):
        plot.boundary_growth(KNeighborsClassifier().fit(X, y), ax)


def test_growth_is_unknown_after_several_passes(ax):
    with pytest.raises(ValueError, match=r"one pass .* got n_passes_=3"):
        plot.boundary_growth(Grown([[0, 1]], n_seen=10, n_passes=3), ax)
    with pytest.raises(ValueError, match="published must be pairs"):
        plot.boundary_growth(Grown([[0]], n_seen=1), ax, published=[(1, 2, 3)])
