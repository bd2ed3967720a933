"""Shapley values of the predictions of forests (path-dependent TreeSHAP)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from .._fitted_state import snapshot
from ..boosting import BoostedForestClassifier, BoostedForestRegressor
from ..boosting._losses import LOSSES
from ..forests import ForestClassifier, ForestRegressor
from ..forests._fitted_forest import FittedForest
from ..forests._forest_model import ForestModel
from ..validation._inputs import read_examples
from ..validation._rules import shown
from ._shap_values import Scale, ShapValues

_EXPLAINED = (
    ForestClassifier,
    ForestRegressor,
    BoostedForestClassifier,
    BoostedForestRegressor,
)
_BOOSTED = (BoostedForestClassifier, BoostedForestRegressor)


def shap_values(forest: Any, X: Any) -> ShapValues:
    """Divide the prediction of each example among its features, by their Shapley values.

    Exact path-dependent TreeSHAP (Lundberg et al. 2020): a feature that is not known is averaged
    over the training rows of each node. The sum over the features, plus the mean prediction of the
    forest, is the prediction of the example.

    Where splits look at several features at once the players of the game are the atoms of a tree,
    and splits on equal atoms are one player. What an atom gets is divided among its features by the
    sizes of their terms, ``|weight * feature|``, in equal parts if all of these are zero. If some
    are missing, or infinite, these get all of it. Atoms on a view divide equally among the features
    to which their cells belong. These divisions are a convention, not part of the game.

    Parameters
    ----------
    forest : fitted forest
        A `ForestClassifier`, `ForestRegressor`, `BoostedForestClassifier` or
        `BoostedForestRegressor`. Honest forests need another `empty_leaf` than ``"ignore"`` if they
        have empty leaves: a mean over other trees for each example is no sum over trees.
    X : array-like of shape (n_samples, n_features) or (n_samples, *feature_shape_)
        Examples. The result has 8 bytes for each example, feature and class or output: ask some
        examples at a time if there are many. `n_jobs` of the forest is the number of threads, on
        which nothing depends.

    Returns
    -------
    explained : ShapValues
        Arrays with the names of ``shap.Explanation``. Probabilities are explained for
        `ForestClassifier` (shares of votes with ``voting="hard"``), sums of scores with
        ``refine=True``; predictions for regression; scores, which are log odds, logarithms of rates
        or numbers whose softmax are probabilities, for boosted forests other than those for squared
        or absolute errors. Several outputs of classes lie side by side.

    See Also
    --------
    manifoldforest.plot.shap_map : draws the values of one example.

    References
    ----------
    S. M. Lundberg et al. (2020). From local explanations to global understanding with explainable
    AI for trees. *Nature Machine Intelligence* 2, 56-67.

    Examples
    --------
    >>> import manifoldforest as mf
    >>> X = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]
    >>> tree = mf.ForestRegressor(1, projection="axis", bootstrap=False).fit(X, [0, 1, 5, 6])
    >>> explained = mf.shap_values(tree, X)
    >>> explained.base_values.tolist()
    [3.0, 3.0, 3.0, 3.0]
    >>> explained.values.tolist()
    [[-2.5, -0.5], [-2.5, 0.5], [2.5, -0.5], [2.5, 0.5]]
    """
    _check_kind(forest)
    check_is_fitted(forest)
    forest = snapshot(forest)
    _check_leaves(forest._model)
    rows = forest._rows(X)
    values, base = _explained_rows(forest, rows)
    names = _output_names(forest)
    if names is None:
        values, base = values[..., 0], base[0]
    data = read_examples(forest, X)
    shape = (len(rows), *forest.feature_shape_)
    known = getattr(forest, "feature_names_in_", None)
    return ShapValues(
        values=values.reshape(shape + values.shape[2:]),
        base_values=np.repeat(base[None], len(rows), axis=0),
        data=data.reshape(shape),
        feature_names=None if known is None else [str(name) for name in known],
        output_names=names,
        scale=_scale(forest),
    )


def _explained_rows(
    forest: FittedForest, rows: NDArray[Any]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return values, rows × features × values of a leaf, and the base."""
    values, base = forest._model.shap_values(
        rows, aggregation=forest._aggregation, n_threads=forest._threads(rows)
    )
    return values, base + forest._model.fallback if isinstance(forest, _BOOSTED) else base


def _check_kind(forest: Any) -> None:
    if isinstance(forest, _EXPLAINED):
        return
    expected = ", ".join(kind.__name__ for kind in _EXPLAINED)
    reason = ""
    if isinstance(forest, FittedForest):
        reason = ", whose predictions are means in a space of responses, not sums over trees"
    elif type(forest).__name__.startswith("Boundary"):
        reason = ", whose trees compare whole examples and have no splits on features"
    raise TypeError(f"forest must be a fitted {expected}, got {shown(forest)}{reason}")


def _check_leaves(model: ForestModel) -> None:
    if model.empty_leaf == "ignore" and model.predictor.has_empty_leaves():
        raise ValueError(
            "forest must use all of its trees for every example, but it has honest trees with "
            "empty leaves and empty_leaf='ignore', which leaves a tree out for examples that fall "
            "there; the mean over other trees for each example has no values for features: fit "
            "with empty_leaf='prune', 'uniform' or 'empirical'"
        )


def _output_names(forest: Any) -> list[str] | None:
    """Return names for the last axis of values, or None if it has one entry and is left out."""
    if isinstance(forest, ForestRegressor | BoostedForestRegressor):
        n = forest.n_outputs_
        return None if n == 1 else [f"output {k}" for k in range(n)]
    per_output = [[str(label) for label in labels] for labels in forest._classes_by_output]
    if isinstance(forest, BoostedForestClassifier):
        # two classes have one score, the log odds of the second; of a single one it means nothing
        per_output = [labels if len(labels) > 2 else labels[-1:] for labels in per_output]
        if len(per_output) == len(per_output[0]) == 1:
            return None
    if len(per_output) == 1:
        return per_output[0]
    return [f"output {k}: {label}" for k, labels in enumerate(per_output) for label in labels]


def _scale(forest: Any) -> Scale:
    if isinstance(forest, ForestRegressor):
        return "response"
    if isinstance(forest, BoostedForestRegressor):
        return "score" if LOSSES[forest.loss_].logarithmic else "response"
    if isinstance(forest, BoostedForestClassifier) or forest._model.link != "identity":
        return "score"
    return "probability"
