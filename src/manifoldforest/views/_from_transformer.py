"""Views made by transformers and functions."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.base import clone
from sklearn.utils.validation import NotFittedError

from manifoldforest import _core
from manifoldforest.validation._rules import Rule

from ._base import CellGrid, View

Self = TypeVar("Self", bound="FromTransformer")


def _is_transformer(value: Any) -> bool:
    return hasattr(value, "fit") and hasattr(value, "transform")


_TRANSFORMER = Rule(
    "a transformer with the methods fit and transform, or a callable",
    lambda value: not isinstance(value, type) and (_is_transformer(value) or callable(value)),
)


class FromTransformer(View):
    """What a transformer of scikit-learn, or any function, makes of the examples.

    It is computed in Python, for all training rows when a forest is fitted and for all rows that
    are predicted. Cells are float32; what splits on them gain is given back to all features of the
    example. A forest with such a view can be pickled, if its transformer can, but not saved to a
    model file, which holds no code.

    Parameters
    ----------
    transformer : transformer or callable
        A transformer gets flat rows, of shape (n_samples, n_features), and is fitted to those of
        training; the one that is given stays as it is. A function gets examples in their own shape,
        (n_samples, ...). Both return an array with one entry for each example, of one shape for
        all; NaN is a missing cell, other numbers must be finite. What they make of an example must
        not depend on the others.

    Attributes
    ----------
    transformer_ : transformer or callable
        The fitted transformer. Only in a fitted forest's ``projection_``, or after :meth:`fit`.
    cell_shape_ : tuple of int
        Shape of the cells of one example. As `transformer_`.

    Examples
    --------
    >>> import manifoldforest as mf
    >>> from sklearn.datasets import load_digits
    >>> from sklearn.decomposition import PCA
    >>> X, y = load_digits(return_X_y=True)
    >>> components = mf.views.FromTransformer(PCA(10, random_state=0))
    >>> projection = mf.projections.Patches(view=components, max_size=2)
    >>> forest = mf.ForestClassifier(20, projection=projection, random_state=0).fit(X, y)
    >>> forest.view_importances_[0].shape, forest.feature_importances_.shape
    ((10,), (64,))
    """

    _kind = "columns"
    _rules: ClassVar[Mapping[str, Rule]] = {"transformer": _TRANSFORMER}

    transformer_: Any
    cell_shape_: tuple[int, ...]

    def __init__(self, transformer: Any) -> None:
        self.transformer = transformer

    def _learned(
        self: Self, rows: NDArray[Any], shape: tuple[int, ...], channel_axis: int | None
    ) -> Self:
        if hasattr(self, "cell_shape_"):
            return self
        learned: Self = clone(self)
        learned.transformer_ = self.transformer
        if _is_transformer(self.transformer):
            learned.transformer_ = clone(self.transformer, safe=False).fit(rows)
        learned.cell_shape_ = learned._computed(rows[:1], shape).shape[1:]
        return learned

    def _as_it_is(
        self: Self, rows: NDArray[Any], shape: tuple[int, ...], channel_axis: int | None
    ) -> Self:
        if not hasattr(self, "cell_shape_") and _is_transformer(self.transformer):
            raise NotFittedError(
                "This FromTransformer instance is not fitted yet. Call 'fit' with appropriate "
                "arguments before using this view."
            )
        return self._learned(rows, shape, channel_axis)

    def _cell_grid(self, shape: tuple[int, ...], channel_axis: int | None) -> CellGrid:
        return CellGrid(self.cell_shape_, None)

    def _add_to(
        self, geometry: _core.Geometry, shape: tuple[int, ...], channel_axis: int | None
    ) -> int:
        before = geometry.row_width - geometry.n_features
        return geometry.add_view(self._kind, list(self.cell_shape_), [before])

    def _columns(self, rows: NDArray[Any], shape: tuple[int, ...]) -> NDArray[np.float32]:
        cells = self._computed(rows, shape)
        if cells.shape[1:] != self.cell_shape_:
            raise ValueError(
                f"the transformer of a view must make cells of one shape, {self.cell_shape_}, got "
                f"{cells.shape[1:]}"
            )
        return cells.reshape(len(rows), math.prod(self.cell_shape_))

    def _computed(self, rows: NDArray[Any], shape: tuple[int, ...]) -> NDArray[np.float32]:
        """Return the cells of rows in their own shape, after checking them."""
        transformer = self.transformer_
        if _is_transformer(transformer):
            cells = transformer.transform(rows)
        else:
            cells = transformer(rows.reshape(len(rows), *shape))
        if issparse(cells):
            cells = cells.toarray()
        try:
            with np.errstate(over="ignore"):  # what is too large becomes infinite
                array = np.asarray(cells).astype(np.float32)
        except (TypeError, ValueError) as error:
            raise TypeError(
                f"the transformer of a view must return an array of numbers: {error}"
            ) from error
        if array.ndim == 0 or len(array) != len(rows) or array.size == 0:
            raise ValueError(
                f"the transformer of a view must return one entry for each of {len(rows)} "
                f"examples, got an array of shape {array.shape}"
            )
        if np.isinf(array).any():
            raise ValueError(
                "the transformer of a view must return numbers that are finite in single "
                "precision, or NaN where they are missing, got infinite ones"
            )
        return array.reshape(len(array), -1) if array.ndim == 1 else array
