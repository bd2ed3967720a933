"""Pictures of trees and atoms show what the forest has."""

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_rgb
from sklearn.exceptions import NotFittedError

import manifoldforest as mf
from manifoldforest.inspection._atoms import atom_of, leading_atoms
from manifoldforest.plot import COLORS

mpl.use("Agg")

RNG = np.random.default_rng(0)
ROWS = RNG.normal(size=(80, 6))
LABELS = (ROWS[:, 0] > 0).astype(int)
IMAGES = RNG.integers(0, 256, size=(80, 6, 6)).astype(np.uint8)
P = mf.projections


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


def forest(X=ROWS, y=LABELS, **params):
    return mf.ForestClassifier(10, random_state=0, **params).fit(X, y)


def splits(fitted):
    return [
        (t, int(node)) for t, tree in enumerate(fitted.trees_) for node in np.flatnonzero(tree.left)
    ]


# --------------------------------------------------------------------------------- atoms


@pytest.mark.parametrize(
    ("X", "projection"),
    [
        (ROWS, "sporf"),
        (ROWS, "axis"),
        (ROWS, "rotation"),
        (ROWS, P.Rotation(max_dims=3)),
        (ROWS, "mean_difference"),
        (ROWS, P.Dictionary(np.tri(6))),
        (ROWS, P.Patches(wrap=True)),
        (IMAGES, P.Patches(max_size=3)),
        (IMAGES, P.Patches(contiguous=(False, True))),
        (IMAGES.reshape(80, -1), P.Patches(shape=(6, 6))),
        (IMAGES, P.Patches(channel_axis=0)),
    ],
)
def test_weights_of_atoms_are_those_of_the_trees(X, projection):
    fitted = forest(X, projection=projection)
    for t, tree in enumerate(fitted.trees_[:3]):
        expected = tree.atoms().toarray()
        for node in np.flatnonzero(tree.left):
            found = atom_of(fitted._model, t, int(node)).weights.ravel()
            np.testing.assert_allclose(found, expected[node])


def test_atoms_of_views_lie_on_their_cells():
    fitted = forest(IMAGES, projection=P.Patches(view=mf.views.Gradients(orientations=4)))
    for t, node in splits(fitted)[:20]:
        atom = atom_of(fitted._model, t, node)
        assert atom.weights.shape == (4, 6, 6)
        assert atom.view == 0
        text = fitted._model.atom_text(t, node)
        used = np.flatnonzero(atom.weights.any(axis=(1, 2)))
        assert text.startswith(f"sum of orientation {used[0]}, row")


@pytest.mark.parametrize("kind", ["gain", "usage"])
@pytest.mark.parametrize("boosted", [False, True])
def test_shares_of_single_features_are_their_importances(kind, boosted):
    if boosted:
        fitted = mf.BoostedForestClassifier(5, projection="axis", random_state=0)
        fitted.fit(ROWS, LABELS)
    else:
        fitted = forest(projection="axis")
    expected = fitted.feature_importances_ if kind == "gain" else fitted.feature_usage_
    ranked = leading_atoms(fitted._model, 100, kind)
    shares = np.zeros(6)
    for one in ranked:
        shares[np.flatnonzero(atom_of(fitted._model, one.tree, one.node).weights)] = one.share
    np.testing.assert_allclose(shares, expected, rtol=1e-6)
    assert [one.share for one in ranked] == sorted(shares[shares > 0], reverse=True)


def test_splits_on_the_same_atom_count_together():
    fitted = forest(IMAGES, projection="patches")
    texts = [fitted._model.atom_text(*split) for split in splits(fitted)]
    for one in leading_atoms(fitted._model, 20):
        assert one.n_splits == texts.count(fitted._model.atom_text(one.tree, one.node))
    ranked = leading_atoms(fitted._model, 10**6)
    assert len(ranked) == len(set(texts))
    assert sum(one.share for one in ranked) == pytest.approx(1)


def test_rotations_of_two_trees_are_two_atoms():
    ranked = leading_atoms(forest(projection="rotation")._model, 10**6)
    assert len(ranked) > 6


def test_atoms_of_images_are_pictures_in_colours_of_their_signs():
    fitted = forest(IMAGES)
    (first,) = leading_atoms(fitted._model, 1)
    image = mf.plot.atoms(fitted, 1).images[0].get_array()
    weights = atom_of(fitted._model, first.tree, first.node).weights
    assert image.shape == (6, 6, 3)
    for sign, name in ((1, "SPORF"), (-1, "MORF")):
        full = np.sign(weights) == sign
        np.testing.assert_allclose(image[full], np.tile(to_rgb(COLORS[name]), (full.sum(), 1)))
    assert np.ptp(image[weights == 0]) == 0


def test_atoms_of_tables_are_sums_beside_bars():
    fitted = forest()
    ranked = leading_atoms(fitted._model, 4)
    axes = mf.plot.atoms(fitted, 4, feature_names=list("abcdef"))
    assert [bar.get_width() for bar in axes.patches] == [one.share for one in ranked]
    texts = [label.get_text() for label in axes.get_yticklabels()]
    expected = [
        fitted.trees_[one.tree].split_text(one.node, list("abcdef")).split(" <= ")[0]
        for one in ranked
    ]
    assert [text.replace("− ", "-") for text in texts] == [
        text.replace(" - ", " -") for text in expected
    ]


def test_a_forest_without_splits_has_no_atoms():
    fitted = forest(y=np.zeros(80))
    assert leading_atoms(fitted._model, 5) == []
    assert mf.plot.atoms(fitted).get_title() == "no tree has a split"


# --------------------------------------------------------------------------------- trees


def texts(axes):
    return [text.get_text() for text in axes.texts]


def test_leaves_show_the_shares_of_classes():
    fitted = forest(max_depth=1)
    tree = fitted.trees_[0]
    axes = mf.plot.tree(fitted)
    shown = texts(axes)
    for leaf in (1, 2):
        best = int(tree.value[leaf].argmax())
        assert any(text.startswith(f"{best}: ") for text in shown)
        assert f"{tree.weight[leaf]:.0f} rows" in shown
    widths = [part.get_width() for part in axes.patches if part.get_linewidth() == 0]
    assert sum(widths) == pytest.approx(2 * 0.94)
    assert [entry.get_text() for entry in axes.get_legend().get_texts()] == ["0", "1"]


def test_nodes_that_are_not_drawn_are_counted():
    fitted = forest(ROWS, RNG.integers(0, 2, 80))
    tree = fitted.trees_[0]
    axes = mf.plot.tree(fitted, max_depth=1)
    assert axes.get_title() == f"3 of {tree.n_nodes} nodes"
    below = [int(text.split("+ ")[1].split()[0]) for text in texts(axes) if "+ " in text]
    assert sum(below) == tree.n_nodes - 3
    whole = mf.plot.tree(fitted, max_depth=100)
    assert whole.get_title() == ""
    assert not any(text.startswith("+ ") for text in texts(whole))


def test_splits_are_pictures_or_sums_with_names():
    names = [f"column {letter}" for letter in "abcdef"]
    axes = mf.plot.tree(forest(), max_depth=2, feature_names=names)
    assert not axes.images
    assert any("column" in text for text in texts(axes))
    assert not any("x[" in text for text in texts(axes))
    drawn = forest(IMAGES, projection="patches")
    axes = mf.plot.tree(drawn, max_depth=2)
    tree = drawn.trees_[0]
    assert len(axes.images) == int(((tree.left > 0) & (tree.depth < 2)).sum())


def test_numbers_scores_and_rows_are_told_apart():
    numbers = mf.ForestRegressor(1, max_depth=1, random_state=0).fit(ROWS, ROWS[:, 0])
    value = numbers.trees_[0].value[1, 0]
    assert f"{value:.4g}" in texts(mf.plot.tree(numbers))
    second = mf.ForestRegressor(1, max_depth=1, random_state=0).fit(ROWS, ROWS[:, :2])
    assert f"{second.trees_[0].value[1, 1]:.4g}" in texts(mf.plot.tree(second, output=1))
    boosted = mf.BoostedForestClassifier(1, max_depth=1, random_state=0).fit(ROWS, LABELS)
    score = boosted.trees_[0].value[1, 0]
    assert f"1: {score:+.3g}" in texts(mf.plot.tree(boosted))
    refined = forest(max_depth=1, refine=True)
    scores = refined.trees_[0].value[1]
    assert f"{scores.argmax()}: {scores.max():+.3g}" in texts(mf.plot.tree(refined))
    angles = mf.MetricForestRegressor(1, max_depth=1, space="circle").fit(ROWS, ROWS[:, 0])
    assert len(texts(mf.plot.tree(angles))) == 5  # yes, no, the split, and two numbers of rows


def test_a_tree_without_a_split_is_a_leaf():
    axes = mf.plot.tree(forest(y=np.zeros(80)), legend=False)
    assert texts(axes) == ["0.0: 100 %", "80 rows"]


def test_other_axes_are_used_and_returned():
    given = plt.subplots()[1]
    assert mf.plot.tree(forest(), ax=given) is given
    given = plt.subplots()[1]
    assert mf.plot.atoms(forest(IMAGES), ax=given) is given


def test_dollar_signs_and_long_names_are_drawn():
    labels = np.array(["$x_{", "$\\frac"])[LABELS]
    names = ["$" * 40, "a_{", "\\b", "c" * 99, "d", "e"]
    axes = mf.plot.tree(forest(y=labels), feature_names=names)
    axes.figure.canvas.draw()
    mf.plot.atoms(forest(), feature_names=names).figure.canvas.draw()


@pytest.mark.parametrize("draw", [mf.plot.tree, mf.plot.atoms])
def test_what_is_no_forest_is_refused(draw):
    with pytest.raises(NotFittedError):
        draw(mf.ForestClassifier())
    for wrong in (None, mf.ForestClassifier, np.ones(3)):
        with pytest.raises(TypeError, match="forest must be a fitted forest"):
            draw(wrong)
    with pytest.raises(ValueError, match="one name for each of the 6 features, got 2"):
        draw(forest(), feature_names=["a", "b"])
    with pytest.raises(TypeError, match="feature_names must be a sequence of str"):
        draw(forest(), feature_names=range(6))


# --------------------------------------------------------------------------------- texts


def test_texts_of_splits_have_names():
    tree = mf.ForestClassifier(1, projection="axis", bootstrap=False).fit([[0.0], [1.0]], [0, 1])
    view = tree.trees_[0]
    assert view.split_text(0, ["x[0] of x[1]"]) == "x[0] of x[1] <= 0.5"
    with pytest.raises(ValueError, match="got 0 names and a split on feature 0"):
        view.split_text(0, [])
    with pytest.raises(TypeError, match="feature_names must be a sequence of str, got"):
        view.split_text(0, "age")


def test_one_tree_has_the_depths_that_it_has_among_all():
    model = forest()._model
    for t, tree in enumerate(model.tree_views()):
        np.testing.assert_array_equal(model.tree_view(t).depth, tree.depth)
        assert model.tree_view(t).split_text(0) == tree.split_text(0)
