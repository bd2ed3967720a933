"""Differentiable boundary trees (Zoran, Lakshminarayanan and Blundell 2017, arXiv 1702.08833).

A small neural network learns a representation in which a boundary tree of a few dozen examples
classifies well. Walking down the tree is taken as a chain of random choices: at node i an example
y goes to j, one of the children of i or i itself, with probability

    P(i -> j | y) = softmax over j of -|f(x_j) - f(y)| / sigma,

which can be differentiated, where the nearest of them, the boundary tree's own choice, can not.
Training alternates: build a tree in the present representation, then follow the gradient of the
likelihood with the tree fixed (its nodes move with the representation, its edges stay). The tree
that is kept is built when a fifth of the steps is left.

Only `fit` needs torch. What it leaves behind is NumPy arrays.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist
from sklearn.base import (
    BaseEstimator,
    ClassifierMixin,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
)
from sklearn.utils import assert_all_finite
from sklearn.utils.validation import check_is_fitted

from .._fitted_state import of_one_fit, replace_fitted, snapshot
from .._probabilities import probabilities
from ..validation._inputs import read_examples, read_labels, read_training_examples
from ..validation._parameters import (
    Rule,
    boolean,
    check_parameters,
    integer,
    none,
    one_of,
    random_generator,
    real,
)
from ._boundary_tree import BoundaryTree
from ._differentiable_training import Training
from ._numpy_tree import NumpyTree

_BLOCK = 2**12  # examples that are transformed at a time

_RULES: dict[str, Rule] = {
    "n_components": integer(1),
    "hidden": Rule(
        "a sequence of integers >= 1",
        lambda value: (
            isinstance(value, Sequence)
            and not isinstance(value, str)
            and all(integer(1).accepts(width) for width in value)
        ),
    ),
    "paths": one_of("greedy", "all"),
    "sigma": real("(0, inf)"),
    "n_tree_samples": integer(1),
    "n_epochs": integer(1) | none,
    "steps_per_tree": integer(1),
    "batch_size": integer(1),
    "learning_rate": real("(0, inf)"),
    "noise": real("[0, inf)"),
    "verbose": integer(0) | boolean,
}


class DifferentiableBoundaryTree(
    ClassNamePrefixFeaturesOutMixin, ClassifierMixin, TransformerMixin, BaseEstimator
):
    """A boundary tree in a representation that a neural network learns for it.

    The tree keeps a few dozen training examples. An example walks from the root to whichever is
    nearest, the node or one of its children, until that is the node itself; distances are those of
    a learned representation. The nodes along the way explain the answer.

    Needs the extra ``manifoldforest[torch]`` to be fitted, and only for that.

    Parameters
    ----------
    n_components : int, default=20
        Number of dimensions of the representation.
    hidden : sequence of int, default=(400, 400)
        Widths of the hidden layers of the network, which are rectified linear units; none is a
        linear map.
    paths : {"all", "greedy"}, default="all"
        Which ways down the tree count, in training and prediction: all that an example may take,
        with their probabilities, or the one on which it always goes to the nearest, as in the
        paper. With all of them the network learns faster, and from classes that overlap as well.
    sigma : float, default=0.3
        Scale of distances: choices become random between distances that differ by less.
    n_tree_samples : int, default=1000
        Number of training examples from which a tree is built, the last one and those of the
        training. Only the ones that the tree would answer wrongly become nodes.
    n_epochs : int or None, default=None
        Number of times that training goes through all examples; None is 20, or as many as make
        2000 steps of few examples.
    steps_per_tree : int, default=4
        Number of steps of the optimiser between one tree and the next.
    batch_size : int, default=64
        Number of examples in a step, at most a quarter of all.
    learning_rate : float, default=0.001
        Length of the first steps of the optimiser (Adam); it falls to zero along a cosine.
    noise : float, default=0.0
        Standard deviation of the normal noise that is added to the features of the examples in a
        step, in units of the standard deviation of all features. On images, where much of it
        averages out, 0.5 to 1 is a good guard against learning them by heart.
    random_state : int, RandomState or None, default=None
        Seed of everything random.
    verbose : int, default=0
        Whether to write progress to the standard error stream.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Labels.
    n_features_in_ : int
        Number of features of an example, the product of its shape.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X was a table whose column names are all strings.
    feature_shape_ : tuple of int
        Shape of one example.
    trees_ : list of one BoundaryTree
        The tree. Its examples are numbers of rows of `X`.
    n_nodes_ : ndarray of int64, shape (1,)
        Number of nodes of the tree.
    depth_ : ndarray of int64, shape (1,)
        Depth of the tree; that of a root alone is 0.
    stored_ : ndarray of int64
        Rows of `X` that the tree keeps, ascending.
    stored_examples_ : tuple of ndarray
        These examples and their labels.
    layers_ : list of (weights, bias)
        The network.
    loss_curve_ : list of float
        Mean negative log-likelihood in each epoch.

    See Also
    --------
    manifoldforest.plot.boundary_tree : a picture of the tree with its examples.

    Notes
    -----
    With ``paths="greedy"``, let i be the last node at which an example with label c has a choice on
    its way. The likelihood is the product of the probabilities of the choices before, times the sum
    of those of all options at i with label c, whether the example takes them or not. If there is no
    such option, it is counted at the last node on the way that has one: the paper does not say what
    to do with the logarithm of zero, and to leave these examples out is to leave out the errors.
    `predict_proba` gives the sums at i. With ``paths="all"``, likelihood and `predict_proba` are
    the probability that a random walk ends at a node with label c.

    Features are centred and divided by one number for all of them; scale them before if they have
    different units.

    The learned representation serves other methods as well: pass the method `transform` as the
    ``embedding`` of a boundary forest or an index.

    References
    ----------
    Zoran, Lakshminarayanan and Blundell, "Learning deep nearest neighbor representations using
    differentiable boundary trees", arXiv 1702.08833, 2017.

    Examples
    --------
    >>> import manifoldforest as mf
    >>> from sklearn.datasets import make_moons
    >>> X, y = make_moons(400, noise=0.1, random_state=0)
    >>> tree = mf.DifferentiableBoundaryTree(2, hidden=(50,), n_epochs=50, random_state=0)
    >>> tree.fit(X[:300], y[:300]).score(X[300:], y[300:]) > 0.95
    True
    >>> tree.transform(X).shape
    (400, 2)
    """

    classes_: NDArray[Any]
    n_features_in_: int
    feature_shape_: tuple[int, ...]
    layers_: list[tuple[NDArray[np.float32], NDArray[np.float32]]]
    trees_: list[BoundaryTree]
    _tree: NumpyTree
    _node_points: NDArray[np.float64]
    _fitted_paths: str
    _fitted_sigma: float

    def __init__(
        self,
        n_components: int = 20,
        *,
        hidden: Sequence[int] = (400, 400),
        paths: str = "all",
        sigma: float = 0.3,
        n_tree_samples: int = 1000,
        n_epochs: int | None = None,
        steps_per_tree: int = 4,
        batch_size: int = 64,
        learning_rate: float = 1e-3,
        noise: float = 0.0,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_components = n_components
        self.hidden = hidden
        self.paths = paths
        self.sigma = sigma
        self.n_tree_samples = n_tree_samples
        self.n_epochs = n_epochs
        self.steps_per_tree = steps_per_tree
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.noise = noise
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any) -> DifferentiableBoundaryTree:
        """Learn a representation, and build a tree in it.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or (n_samples, ...)
            Training examples.
        y : array-like of shape (n_samples,)
            Labels.

        Returns
        -------
        self : DifferentiableBoundaryTree
            The fitted estimator.
        """
        check_parameters(self.get_params(deep=False), _RULES)
        rng = random_generator(self.random_state)
        examples = read_training_examples(self, X)
        rows = examples.rows
        assert_all_finite(rows, input_name="X")
        target = read_labels(y, len(rows))
        if not target.one_column:
            raise ValueError(f"y must have one column, got {target.values.shape[1]}")
        codes = target.values[:, 0].astype(np.int64)
        classes = target.classes[0]

        params = snapshot(self)  # parameters that are set during the training do not count
        training = Training(params, rows, codes, rng)
        loss_curve = training.run()
        layers = training.layers()
        drawn, tree = training.final_tree()
        kept = drawn[tree.example]
        stored = np.sort(kept)
        fitted = {
            "classes_": classes,
            "n_features_in_": rows.shape[1],
            "feature_shape_": examples.feature_shape,
            "layers_": layers,
            "loss_curve_": loss_curve,
            "trees_": [BoundaryTree(kept, tree.n_children, classes[tree.label])],
            "n_nodes_": np.array([len(tree.parent)]),
            "depth_": np.array([tree.node_depth.max()]),
            "stored_": stored,
            "stored_examples_": (
                rows[stored].reshape(-1, *examples.feature_shape),
                classes[codes[stored]],
            ),
            "_tree": tree,
            "_node_points": _embed(layers, rows[kept]),
            "_fitted_paths": params.paths,
            "_fitted_sigma": params.sigma,
        }
        if examples.feature_names is not None:
            fitted["feature_names_in_"] = examples.feature_names
        replace_fitted(self, fitted)
        return self

    @of_one_fit
    def transform(self, X: Any) -> NDArray[np.float32]:
        """Map examples to the learned representation.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or (n_samples, ...)
            Examples.

        Returns
        -------
        points : ndarray of float32, shape (n_samples, n_components)
            Their places.
        """
        return self._embedded(X).astype(np.float32)

    @of_one_fit
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probabilities of the classes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or (n_samples, ...)
            Examples.

        Returns
        -------
        proba : ndarray of shape (n_samples, n_classes)
            Probabilities, in the order of `classes_`.
        """
        points = self._embedded(X)
        tree = self._tree
        chances = tree.last_choice if self._fitted_paths == "greedy" else tree.ends
        nodes = chances(cdist(points, self._node_points), self._fitted_sigma)
        return probabilities(nodes @ np.eye(len(self.classes_))[tree.label])

    @of_one_fit
    def predict(self, X: Any) -> NDArray[Any]:
        """Return the most probable classes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or (n_samples, ...)
            Examples.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            Labels.
        """
        proba = self.predict_proba(X)
        labels: NDArray[Any] = self.classes_[proba.argmax(axis=1)]
        return labels

    def _embedded(self, X: Any) -> NDArray[np.float64]:
        check_is_fitted(self)
        rows = read_examples(self, X)
        assert_all_finite(rows, input_name="X")
        return _embed(self.layers_, rows)

    def __sklearn_tags__(self) -> Any:
        """Return scikit-learn's tags: points are float32."""
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float32"]
        return tags

    @property
    def _n_features_out(self) -> int:
        return len(self.layers_[-1][1])


def _embed(
    layers: list[tuple[NDArray[np.float32], NDArray[np.float32]]], rows: NDArray[Any]
) -> NDArray[np.float64]:
    """Apply a network: rectified linear units between linear maps.

    In double precision, so that a point does not depend on those beside it: how a product of
    matrices is rounded does.
    """
    points = np.empty((len(rows), len(layers[-1][1])))
    for first in range(0, len(rows), _BLOCK):
        values = rows[first : first + _BLOCK].astype(np.float64)
        for i, (weights, bias) in enumerate(layers):
            values = values @ weights.astype(np.float64) + bias
            if i < len(layers) - 1:
                np.maximum(values, 0, out=values)
        points[first : first + _BLOCK] = values
    return points
