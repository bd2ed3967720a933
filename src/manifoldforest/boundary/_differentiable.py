"""Differentiable boundary trees (Zoran, Lakshminarayanan and Blundell 2017, arXiv 1702.08833).

A small neural network f learns a representation in which a boundary tree of a few dozen examples
classifies well. The walk down the tree is modelled as a chain of random choices: at node i an
example y goes to j, one of the children of i or i itself, with probability

    P(i -> j | y) = softmax over j of -|f(x_j) - f(y)| / sigma.

This can be differentiated; the choice of the nearest, as in a boundary tree, can not. Training
alternates: it builds a tree in the present representation, then follows the gradient of the
likelihood with the edges of the tree fixed. The final tree is built before the last fifth of the
steps.

Only `fit` needs torch. The fitted attributes are NumPy arrays.
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

from .._described import DescribedEstimator
from .._fitted_state import of_one_fit, replace_fitted, snapshot
from .._probabilities import probabilities
from ..validation._inputs import read_examples, read_labels, read_training_examples
from ..validation._parameters import RANDOM_STATE, random_generator
from ..validation._rules import (
    Rule,
    boolean,
    check_parameters,
    integer,
    none,
    one_of,
    real,
    sequence_of,
)
from ._boundary_tree import BoundaryTree
from ._differentiable_training import Training
from ._numpy_tree import NumpyTree

_BATCH = 2**12  # examples that are transformed at a time

_RULES: dict[str, Rule] = {
    "n_components": integer(1),
    "hidden": sequence_of(integer(1)),
    "paths": one_of("greedy", "all"),
    "sigma": real("(0, inf)"),
    "n_tree_samples": integer(1),
    "n_epochs": integer(1) | none,
    "steps_per_tree": integer(1),
    "batch_size": integer(1),
    "learning_rate": real("(0, inf)"),
    "noise": real("[0, inf)"),
    "random_state": RANDOM_STATE,
    "verbose": integer(0) | boolean,
}


class DifferentiableBoundaryTree(
    DescribedEstimator,
    ClassNamePrefixFeaturesOutMixin,
    ClassifierMixin,
    TransformerMixin,
    BaseEstimator,
):
    """A boundary tree in a representation that a neural network learns for it.

    The tree stores a few dozen training examples. The walk of an example goes from the root to the
    nearest child as long as a child is nearer than the node itself, by distances in the learned
    representation. The nodes along the walk explain the prediction.

    :meth:`fit` needs the extra ``manifoldforest[torch]``, other methods do not.

    Parameters
    ----------
    n_components : int, default=20
        Number of dimensions of the representation.
    hidden : sequence of int, default=(400, 400)
        Widths of the hidden layers of the network, with rectified linear units. An empty sequence
        is a linear map.
    paths : {"all", "greedy"}, default="all"
        Which paths down the tree count in training and prediction: all paths with their
        probabilities, or the one that always goes to the nearest, as in the paper. With all paths
        the network learns faster, and also from classes that overlap.
    sigma : float, default=0.3
        Scale of distances: choices between distances that differ by less are random.
    n_tree_samples : int, default=1000
        Number of training examples from which a tree is built, during the training and at its end.
        Only those that the tree predicts wrongly become nodes.
    n_epochs : int or None, default=None
        Number of passes of the training through all examples; None is 20, or more if these are
        fewer than 2000 steps.
    steps_per_tree : int, default=4
        Number of steps of the optimiser between two trees.
    batch_size : int, default=64
        Number of examples in a step; limited to a quarter of all examples.
    learning_rate : float, default=0.001
        Learning rate of the optimiser (Adam) at the first step; it decreases to 0 along a cosine.
    noise : float, default=0.0
        Standard deviation of the normal noise that is added to the features of the examples in a
        step, in units of the standard deviation of all features. For images, where much of it
        averages out, 0.5 to 1 reduces overfitting well.
    random_state : int, RandomState or None, default=None
        Seed of the initial network, the order of examples, the trees and the noise.
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
    feature_dims_ : tuple of str
        Names of the axes of one example, if X was an array of xarray.
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
    With ``paths="greedy"``, let i be the last node with a choice on the path of an example with
    label c. The likelihood is the product of the probabilities of the choices before i, times the
    sum of those of all options at i with label c, whether the path takes them or not. If there is
    no such option, the last node on the path that has one takes the place of i. The paper does not
    say what to do with the logarithm of zero, and leaving these examples out would leave out the
    errors. `predict_proba` gives the sums at i. With ``paths="all"``, likelihood and
    `predict_proba` are the probability that a random walk ends at a node with label c.

    Features are centred and divided by one number for all of them. Scale features of different
    units before.

    The learned representation can serve other methods: pass the method `transform` as the
    ``embedding`` of a boundary forest or an index.

    References
    ----------
    Zoran, Lakshminarayanan and Blundell, "Learning deep nearest neighbor representations using
    differentiable boundary trees", arXiv 1702.08833, 2017.

    Examples
    --------
    >>> import manifoldforest as mf
    >>> from sklearn.datasets import make_moons
    >>> X, y = make_moons(300, noise=0.1, random_state=0)
    >>> tree = mf.DifferentiableBoundaryTree(
    ...     2, hidden=(50,), n_epochs=20, learning_rate=0.01, random_state=0
    ... )
    >>> tree.fit(X[:200], y[:200]).score(X[200:], y[200:]) > 0.9
    True
    >>> tree.transform(X).shape
    (300, 2)
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

        Examples
        --------
        >>> import manifoldforest as mf
        >>> X, y = [[0.0], [1.0], [4.0], [5.0]], ["a", "a", "b", "b"]
        >>> tree = mf.DifferentiableBoundaryTree(1, hidden=(), n_epochs=5, random_state=0).fit(X, y)
        >>> tree.classes_.tolist(), tree.trees_
        (['a', 'b'], [BoundaryTree(2 nodes)])
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
        replace_fitted(self, fitted | examples.name_attributes)
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
            The examples in the learned representation.

        Examples
        --------
        >>> import manifoldforest as mf
        >>> X, y = [[0.0], [1.0], [4.0], [5.0]], ["a", "a", "b", "b"]
        >>> tree = mf.DifferentiableBoundaryTree(3, hidden=(), n_epochs=5, random_state=0).fit(X, y)
        >>> tree.transform([[0.5], [6.0]]).shape
        (2, 3)
        >>> index = mf.BoundaryIndex(embedding=tree.transform)  # neighbours in this representation
        >>> index.add(X)
        array([0, 1, 2, 3])
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

        Examples
        --------
        >>> import manifoldforest as mf
        >>> X, y = [[0.0], [1.0], [4.0], [5.0]], ["a", "a", "b", "b"]
        >>> tree = mf.DifferentiableBoundaryTree(1, hidden=(), n_epochs=5, random_state=0).fit(X, y)
        >>> proba = tree.predict_proba([[0.5], [6.0]])
        >>> proba.sum(axis=1).round(6).tolist(), (proba > 0.5).tolist()
        ([1.0, 1.0], [[True, False], [False, True]])
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

        Examples
        --------
        >>> import manifoldforest as mf
        >>> X, y = [[0.0], [1.0], [4.0], [5.0]], ["a", "a", "b", "b"]
        >>> tree = mf.DifferentiableBoundaryTree(1, hidden=(), n_epochs=5, random_state=0).fit(X, y)
        >>> tree.predict([[0.5], [6.0]]).tolist()
        ['a', 'b']
        """
        proba = self.predict_proba(X)
        labels: NDArray[Any] = self.classes_[proba.argmax(axis=1)]
        return labels

    def _embedded(self, X: Any) -> NDArray[np.float64]:
        check_is_fitted(self)
        rows = read_examples(self, X)
        assert_all_finite(rows, input_name="X")
        return _embed(self.layers_, rows)

    def __sklearn_is_fitted__(self) -> bool:
        """Return whether the tree is fitted."""
        return hasattr(self, "_tree")

    def __sklearn_tags__(self) -> Any:
        """Return scikit-learn's tags: transformed examples are float32."""
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float32"]
        return tags

    @property
    def _n_features_out(self) -> int:
        return len(self.layers_[-1][1])


def _embed(
    layers: list[tuple[NDArray[np.float32], NDArray[np.float32]]], rows: NDArray[Any]
) -> NDArray[np.float64]:
    """Apply a network: linear maps with rectified linear units between them.

    In double precision, as the rounding of a product of matrices depends on the other rows.
    """
    points = np.empty((len(rows), len(layers[-1][1])))
    for first in range(0, len(rows), _BATCH):
        values = rows[first : first + _BATCH].astype(np.float64)
        for i, (weights, bias) in enumerate(layers):
            values = values @ weights.astype(np.float64) + bias
            if i < len(layers) - 1:
                np.maximum(values, 0, out=values)
        points[first : first + _BATCH] = values
    return points
