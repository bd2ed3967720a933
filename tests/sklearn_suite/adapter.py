"""Our forests under the names, parameters and attributes of scikit-learn's forests and trees.

A class here has all parameters of the scikit-learn class it stands for, with the same defaults, and
those of ours. A parameter that ours lacks is refused when it is used. A tree is a forest of one
tree without a bootstrap.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import numpy as np
import sklearn.ensemble
import sklearn.tree

import manifoldforest as mf
from manifoldforest.forests._fitted_forest import FittedForest
from manifoldforest.inspection._decision_paths import decision_path
from reference.criteria import class_shares, impurity

SPLITTERS = {"best": "exact"}  # scikit-learn's word -> ours

n_made = 0  # objects of these classes so far: a test that makes none says nothing about them


class Tree:
    """One tree in the words of ``sklearn.tree._tree.Tree``, as far as they mean something here.

    Nodes are numbered as there: depth first, the left child before the right one.
    """

    def __init__(self, forest: Any, number: int) -> None:
        view = forest.trees_[number]
        order = _depth_first(view)
        is_leaf = view.is_leaf[order]
        self._forest, self._number, self._view, self._order = forest, number, view, order
        self._rank = np.argsort(order)
        self.node_count, self.n_leaves = view.n_nodes, int(is_leaf.sum())
        self.max_depth = int(view.depth.max())
        self.n_features, self.n_outputs = forest.n_features_in_, forest.n_outputs_
        self.children_left = np.where(is_leaf, -1, self._rank[view.left[order]])
        self.children_right = np.where(is_leaf, -1, self._rank[view.right[order]])
        self.threshold = np.where(is_leaf, -2.0, view.threshold[order])
        self.weighted_n_node_samples = view.weight[order]
        self.value = view.value[order].reshape(view.n_nodes, self.n_outputs, -1)

    @property
    def feature(self) -> Any:
        column = np.asarray(self._view.atoms().argmax(axis=1)).ravel()[self._order]
        return np.where(self.children_left < 0, -2, column)

    @property
    def n_node_samples(self) -> Any:
        trees = self._forest._model.trees
        leaf, inbag = trees["leaf_of_row"][self._number], trees["inbag"][self._number]
        counts = np.bincount(self._rank[leaf[inbag > 0]], minlength=self.node_count)
        for node in np.flatnonzero(self.children_left >= 0)[::-1]:  # children before parents
            counts[node] = counts[self.children_left[node]] + counts[self.children_right[node]]
        return counts

    @property
    def impurity(self) -> Any:
        """Impurities of the training rows in each node, which our trees do not store."""
        trees, record = self._forest._model.trees, self._forest._model.record
        path, first = decision_path(trees, trees["leaf_of_row"].T)
        inside = path[:, first[self._number] + self._order].toarray() > 0
        drawn = np.abs(trees["inbag"][self._number])
        # without bootstrap the weight of a row holds its repetitions already
        weight = record.row_weight * (drawn if record.bootstrap else drawn > 0)
        criterion = self._forest.criterion
        if criterion in ("entropy", "log_loss"):
            criterion = _entropy_in_bits
        return np.array(
            [
                impurity(record.y[rows], weight[rows], criterion, self._forest._model.n_classes)
                for rows in inside.T
            ]
        )

    def apply(self, X: Any) -> Any:
        return self._rank[FittedForest.apply(self._forest, X)[:, self._number]]

    def decision_path(self, X: Any) -> Any:
        leaves = FittedForest.apply(self._forest, X)
        indicator, first = decision_path(self._forest._model.trees, leaves)
        return indicator[:, first[self._number] + self._order]

    def compute_feature_importances(self, normalize: bool = True) -> Any:
        inner = self.children_left >= 0
        gain = self._view.gain[self._order][inner].astype(float)
        amounts = np.bincount(self.feature[inner], gain, minlength=self.n_features)
        return amounts / amounts.sum() if normalize else amounts


def _entropy_in_bits(y: Any, weight: Any) -> float:
    shares = [class_shares(column, weight, int(column.max()) + 1) for column in y.T]
    return float(np.mean([-np.sum(p[p > 0] * np.log2(p[p > 0])) for p in shares]))


def _depth_first(view: Any) -> Any:
    order, waiting = [], [0]
    while waiting:
        node = waiting.pop()
        order.append(node)
        if view.left[node] > 0:
            waiting += [int(view.right[node]), int(view.left[node])]
    return np.array(order)


class TreeOfForest:
    """What tests read from ``forest.estimators_[i]``."""

    def __init__(self, forest: Any, number: int) -> None:
        self.tree_ = Tree(forest, number)
        self.min_impurity_decrease = forest.min_impurity_decrease

    def get_depth(self) -> int:
        return self.tree_.max_depth

    def get_n_leaves(self) -> int:
        return self.tree_.n_leaves


class _Adapted:
    """Refuses parameters that our class lacks, and counts objects."""

    _lacking: dict[str, Any]  # parameters of scikit-learn that ours lacks -> their defaults

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        global n_made
        n_made += 1
        given = inspect.signature(type(self)).bind(*args, **kwargs)
        given.apply_defaults()
        for name, value in given.arguments.items():
            setattr(self, name, SPLITTERS.get(value, value) if name == "splitter" else value)

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        for name, default in self._lacking.items():
            if getattr(self, name) != default:
                raise NotImplementedError(f"{name} is not a parameter of manifoldforest")
        return super().fit(X, y, sample_weight)

    @property
    def estimators_(self) -> list[TreeOfForest]:
        return [TreeOfForest(self, number) for number in range(len(self.trees_))]

    @property
    def _n_samples_bootstrap(self) -> int:
        return len(self.estimators_samples_[0])


class _AdaptedTree(_Adapted):
    """A forest of one tree that answers like a tree."""

    @property
    def tree_(self) -> Tree:
        return Tree(self, 0)

    def apply(self, X: Any) -> Any:
        return self.tree_.apply(X)

    def decision_path(self, X: Any) -> Any:
        return self.tree_.decision_path(X)

    def get_depth(self) -> int:
        return self.tree_.max_depth

    def get_n_leaves(self) -> int:
        return self.tree_.n_leaves


def adapted(theirs: type, ours: type, base: type = _Adapted, **fixed: Any) -> type:
    """Return `ours` with the signature of `theirs`; `fixed` are values of our other parameters."""
    wanted = inspect.signature(theirs).parameters
    known = inspect.signature(ours).parameters
    others = [
        known[name].replace(
            kind=inspect.Parameter.KEYWORD_ONLY, default=fixed.get(name, known[name].default)
        )
        for name in known
        if name not in wanted
    ]

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        base.__init__(self, *args, **kwargs)

    self = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    __init__.__signature__ = inspect.Signature([self, *wanted.values(), *others])
    lacking = {name: wanted[name].default for name in wanted if name not in known}
    body = {"__init__": __init__, "__module__": __name__, "_lacking": lacking}
    return type(theirs.__name__, (base, ours), body)


ENSEMBLE = {
    "RandomForestClassifier": (mf.ForestClassifier, "exact"),
    "RandomForestRegressor": (mf.ForestRegressor, "exact"),
    "ExtraTreesClassifier": (mf.ForestClassifier, "random"),
    "ExtraTreesRegressor": (mf.ForestRegressor, "random"),
}
TREE = {
    "DecisionTreeClassifier": mf.ForestClassifier,
    "DecisionTreeRegressor": mf.ForestRegressor,
    "ExtraTreeClassifier": mf.ForestClassifier,
    "ExtraTreeRegressor": mf.ForestRegressor,
}
FORESTS = {
    name: adapted(getattr(sklearn.ensemble, name), ours, projection="axis", splitter=splitter)
    for name, (ours, splitter) in ENSEMBLE.items()
}
TREES = {
    name: adapted(
        getattr(sklearn.tree, name),
        ours,
        _AdaptedTree,
        projection="axis",
        n_estimators=1,
        bootstrap=False,
    )
    for name, ours in TREE.items()
}
globals().update(FORESTS | TREES)  # pickles look for them here


@contextmanager
def substituted() -> Iterator[None]:
    """Let ``sklearn.ensemble`` and ``sklearn.tree`` offer these classes in place of their own."""
    with (
        patch.multiple(sklearn.ensemble, **FORESTS),
        patch.multiple(sklearn.tree, **TREES),
    ):
        yield
