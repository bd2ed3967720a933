"""What a split computes, written for people."""

import numpy as np
import pytest

import manifoldforest as mf
from manifoldforest import _core
from manifoldforest.projections import Patches
from reference.tree import DICTIONARY, PATCH, ROTATION, SPARSE

P = 24


def text_of(kind, ints, weights=()):
    """The text of one atom, in a tree of one split."""
    geometry = _core.Geometry(P)
    for shape, summed in (([4, 6], [1, 1]), ([24], [1]), ([2, 3, 4], [0, 1, 1]), ([4, 6], [0, 0])):
        geometry.add_grid(shape, [bool(axis) for axis in summed])
    geometry.add_dictionary(
        np.array([0, 2, 2], np.int64), np.array([3, 5], np.int32), np.array([0.5, -1], np.float32)
    )
    arrays = {
        "tree_offsets": np.array([0, 3], np.int64),
        "left": np.array([1, 0, 0], np.int32),
        "kind": np.array([1, 0, 0], np.uint8),
        "threshold": np.zeros(3),
        "missing_left": np.zeros(3, np.uint8),
        "gain": np.zeros(3, np.float32),
        "weight": np.ones(3),
        "value": np.zeros((3, 1)),
        "atom_kind": np.array([kind, 0, 0], np.uint8),
        "atom_offsets": np.array([0] + [len(ints)] * 3, np.int64),
        "atom_ints": np.array(ints, np.int32),
        "weight_offsets": np.array([0] + [len(weights)] * 3, np.int64),
        "atom_weights": np.array(weights, np.float32),
        "rotation_dims": np.array([[1, 2]], np.int32),
        "rotations": np.eye(2, dtype=np.float32)[None],
    }
    return _core.Predictor(arrays, geometry, [], False, np.zeros(1)).atom_text(0, 0)


@pytest.mark.parametrize(
    ("text", "atom"),
    [
        ("x[3]", (SPARSE, [3], [1])),
        ("-x[3]", (SPARSE, [3], [-1])),
        ("0.5*x[1] - x[7]", (SPARSE, [1, 7], [0.5, -1])),
        ("x[1] + 2*x[7] - 0.3333*x[9]", (SPARSE, [1, 7, 9], [1, 2, -1 / 3])),
        (
            "x[0] + x[1] + x[2] + x[3] + x[4] + x[5] + x[6] + x[7] + ... (3 more)",
            (SPARSE, list(range(11)), [1] * 11),
        ),
        ("sum of rows 1-2, columns 2-5", (PATCH, [0, 1, 2, 2, 4])),
        ("sum of row 3, columns 5 and 0-1", (PATCH, [0, 3, 1, 5, 3])),
        ("sum of axis 0: 20-23", (PATCH, [1, 20, 4])),
        ("sum of axis 0: 0 and 1, axis 1: 2, axis 2: 1-3", (PATCH, [2, 2, 0, 1, 2, 1, 1, 3])),
        ("sum of axis 0: 3, axis 1: 0 and 4", (PATCH, [3, 1, 3, 2, 0, 4])),
        ("0.5*x[3] - x[5]", (DICTIONARY, [0])),
        ("0", (DICTIONARY, [1])),
        ("rotated x[2]", (ROTATION, [2])),
    ],
)
def test_atoms_have_texts(text, atom):
    assert text_of(*atom) == text


def digits(**params):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 256, size=(200, 4, 6)).astype(np.uint8)
    y = X[:, 1:3, 2:4].sum(axis=(1, 2)) > 500
    return mf.ForestClassifier(3, random_state=0, **params).fit(X, y)


def test_the_text_of_a_split_has_its_threshold():
    tree = digits(projection=Patches(max_size=3)).trees_[0]
    for node in np.flatnonzero(tree.left):
        atom, threshold = tree.split_text(node).split(" <= ")
        assert float(threshold) == pytest.approx(tree.threshold[node], rel=1e-5)
        assert atom.startswith(("sum of row ", "sum of rows "))
        touched = np.zeros((4, 6), bool)
        places = [part.split(" ")[1] for part in atom.removeprefix("sum of ").split(", ")]
        rows, columns = ([int(end) for end in place.split("-")] for place in places)
        touched[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1] = True
        assert np.array_equal(tree.atoms()[[node]].toarray()[0] != 0, touched.ravel())


@pytest.mark.parametrize(
    ("node", "error"),
    [
        (-1, ValueError),
        (10**6, ValueError),
        (0.5, TypeError),
        ("root", TypeError),
        (None, TypeError),
    ],
)
def test_texts_of_what_is_no_split_are_refused(node, error):
    tree = digits().trees_[0]
    with pytest.raises(error, match="node must be the number of a split"):
        tree.split_text(node)


def test_texts_of_booleans_are_refused():
    tree = digits().trees_[0]
    assert tree.left[1] != 0
    with pytest.raises(TypeError, match="node must be the number of a split, .* got True"):
        tree.split_text(True)


def test_texts_of_leaves_are_refused():
    tree = digits().trees_[0]
    leaf = int(np.flatnonzero(tree.left == 0)[0])
    with pytest.raises(ValueError, match=f"node must be the number of a split, .* got {leaf}"):
        tree.split_text(leaf)


class OtherKind:
    """A predictor of which one tree splits on something else than weighted sums."""

    def nonlinear_kind(self, tree):
        return "shifted patch" if tree == 1 else None


@pytest.mark.parametrize("method", ["leaf_region", "TreeView.atoms"])
def test_what_needs_weighted_sums_refuses_other_splits(method):
    forest = digits()
    leaf = int(np.flatnonzero(forest.trees_[1].left == 0)[0])
    forest._model.__dict__["predictor"] = OtherKind()
    message = f"{method} needs splits on weighted sums .* tree 1 has splits of kind 'shifted patch'"
    with pytest.raises(ValueError, match=message):
        forest.leaf_region(1, leaf) if method == "leaf_region" else forest.trees_[1].atoms()
