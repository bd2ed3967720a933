"""What `shap_values` returns."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

Scale: TypeAlias = Literal["probability", "response", "score"]


@dataclass(frozen=True, eq=False, repr=False)
class ShapValues:
    """Shapley values of predictions, with what is needed to read them.

    Names and shapes are those of ``shap.Explanation``.

    Attributes
    ----------
    values : ndarray of float64, shape (n_samples, *feature_shape[, n_values])
        How much each feature moves the prediction of each example away from `base_values`. The last
        axis, of classes, outputs or scores, is absent if one number is predicted.
    base_values : ndarray of float64, shape (n_samples[, n_values])
        What the forest predicts on average over its training rows; the same for all examples.
        ``base_values`` plus the sum of `values` over the features is the prediction.
    data : ndarray of shape (n_samples, *feature_shape)
        The examples, uint8 or float32.
    feature_names : list of str or None
        Names of the features, if the forest was fitted on a table that has them.
    output_names : list of str or None
        What the last axis counts: labels, or numbers of outputs; None if there is no such axis.
    scale : {"probability", "response", "score"}
        What is explained: probabilities of classes, predicted numbers, or scores, which a link
        turns into predictions: log odds, logarithms of rates, and numbers whose softmax are
        probabilities.

    See Also
    --------
    manifoldforest.shap_values : makes them.
    manifoldforest.plot.shap_map : draws those of one example.

    Examples
    --------
    >>> import manifoldforest as mf
    >>> X, y = [[0.0, 1.0], [1.0, 1.0], [2.0, 5.0], [3.0, 5.0]], ["a", "a", "b", "b"]
    >>> forest = mf.ForestClassifier(10, projection="axis", random_state=0).fit(X, y)
    >>> explained = mf.shap_values(forest, X)
    >>> explained.values.shape, explained.base_values.shape
    ((4, 2, 2), (4, 2))
    >>> explained
    <ShapValues of 4 examples of shape (2,), on the scale 'probability', for ['a', 'b']>
    """

    values: NDArray[np.float64]
    base_values: NDArray[np.float64]
    data: NDArray[Any]
    feature_names: list[str] | None
    output_names: list[str] | None
    scale: Scale

    def to_explanation(self) -> Any:
        """Return the same as an object of the shap library, for its plots (extra ``shap``).

        Returns
        -------
        explanation : shap.Explanation
            Values, base values, data and names; examples of several axes keep them.

        Examples
        --------
        >>> import manifoldforest as mf
        >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0.0, 0.0, 1.0, 1.0]
        >>> forest = mf.ForestRegressor(5, random_state=0).fit(X, y)
        >>> explained = mf.shap_values(forest, X)
        >>> bars = lambda: shap.plots.bar(explained.to_explanation())  # with `import shap`
        """
        try:
            shap = import_module("shap")
        except ModuleNotFoundError as missing:
            raise ModuleNotFoundError(
                f"to_explanation needs {missing.name}, which is not installed: "
                "pip install 'manifoldforest[shap]'",
                name=missing.name,
            ) from missing
        return shap.Explanation(
            values=self.values,
            base_values=self.base_values,
            data=self.data,
            feature_names=self.feature_names,
            output_names=self.output_names,
        )

    def __repr__(self) -> str:
        """Return the sizes in a line; the arrays may be large."""
        n, *shape = self.data.shape
        names = "" if self.output_names is None else f", for {_shortened(self.output_names)}"
        return (
            f"<ShapValues of {n} example{'' if n == 1 else 's'} of shape {tuple(shape)}, on the "
            f"scale {self.scale!r}{names}>"
        )


def _shortened(names: list[str]) -> str:
    most = 6
    return repr(names) if len(names) <= most else f"{repr(names[:most])[:-1]}, ...]"
