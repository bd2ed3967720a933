"""The base class of views."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import Any, ClassVar, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from manifoldforest import _core
from manifoldforest.validation._inputs import Examples, read_training_examples
from manifoldforest.validation._parameter_object import ParameterObject
from manifoldforest.validation._parameters import n_threads
from manifoldforest.validation._rules import check_argument, integer, none

Self = TypeVar("Self", bound="View")


class CellGrid(NamedTuple):
    """The grid on which the cells of a view lie."""

    shape: tuple[int, ...]
    channel_axis: int | None  # patches lie in one channel each


class View(ParameterObject, ABC):
    """Base class of the views of an example, on whose cells patches can be drawn.

    A view turns an example into cells on a grid of its own, before anything is drawn: the
    orientations of an image's gradients, the spectrum of a series. It only stores its parameters;
    they are checked when a forest is fitted, because only then the shape of the examples is known.
    Views of one class with equal parameters are equal. To make a view of your own, give a function
    or a transformer to :class:`FromTransformer`.

    Examples
    --------
    >>> import numpy as np
    >>> from manifoldforest.views import FromTransformer, Gradients, View
    >>> Gradients(orientations=12) == Gradients().set_params(orientations=12)
    True
    >>> changes = FromTransformer(np.diff)
    >>> isinstance(changes, View), changes.transform([[1, 4, 9, 16]]).tolist()
    (True, [[3.0, 5.0, 7.0]])
    """

    _kind: ClassVar[str]  # what the core calls it

    def fit(self: Self, X: Any, y: Any = None, *, channel_axis: int | None = None) -> Self:
        """Learn what the view keeps of training examples, such as whether they are bytes.

        Forests do this by themselves, on a copy. Views that are used alone, or as the embedding of
        an index, need it only if they are made of a transformer that has to be fitted.

        Parameters
        ----------
        X : array-like of shape (n_samples, ...)
            Examples in their own shape, such as images.
        y : object, default=None
            Ignored, as in scikit-learn's transformers.
        channel_axis : int or None, default=None
            Axis of the channels of an example, as in :meth:`transform`.

        Returns
        -------
        self : View
            This view, with what it has learned.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn.decomposition import PCA
        >>> from manifoldforest.views import FromTransformer
        >>> series = np.random.default_rng(0).normal(size=(20, 30))
        >>> view = FromTransformer(PCA(n_components=4)).fit(series)
        >>> view.transform(series[:5]).shape
        (5, 4)
        """
        unfitted: Self = clone(self)
        examples, axis = unfitted._read(X, channel_axis)
        learned = unfitted._learned(examples.rows, examples.feature_shape, axis)
        learned._cell_grid(examples.feature_shape, axis)
        fitted = {name: value for name, value in vars(learned).items() if name.endswith("_")}
        self.__dict__.update(fitted)
        return self

    def transform(self, X: Any, *, channel_axis: int | None = None) -> NDArray[Any]:
        """Return the cells of examples: the numbers that patches on this view add up.

        Parameters
        ----------
        X : array-like of shape (n_samples, ...)
            Examples in their own shape, such as images.
        channel_axis : int or None, default=None
            Axis of the channels of an example, counted from the end if negative, such as -1 for
            colour images. None means that there is none.

        Returns
        -------
        cells : ndarray of shape (n_samples, ...)
            Cells in the shape of the view's own grid; uint8 if the view makes bytes of bytes and X
            is uint8, otherwise float32.

        Examples
        --------
        >>> import numpy as np
        >>> from manifoldforest.views import Gradients
        >>> image = np.zeros((4, 5), dtype=np.uint8)
        >>> image[:, 3:] = 100  # a vertical edge: the image grows brighter to the right
        >>> cells = Gradients(orientations=4).transform(image[None])
        >>> cells.shape, cells[0, 0, 0].tolist()
        ((1, 4, 4, 5), [0, 0, 100, 100, 0])
        """
        examples, axis = self._read(X, channel_axis)
        shape = examples.feature_shape
        learned = self._as_it_is(examples.rows, shape, axis)
        geometry = _core.Geometry(math.prod(shape))
        number = learned._add_to(geometry, shape, axis)
        if number < 0:
            return examples.rows.reshape(len(examples.rows), *shape)
        rows = core_rows(examples.rows, geometry, [learned._columns(examples.rows, shape)])
        cells = geometry.cells(number, rows, n_threads(None))
        return cells.reshape(len(rows), *geometry.cell_shape(number))

    def _read(self, X: Any, channel_axis: Any) -> tuple[Examples, int | None]:
        """Check parameters and examples; the channel axis is counted from the front."""
        self._check_parameters()
        check_argument("channel_axis", channel_axis, integer() | none)
        examples = read_training_examples(self, X)
        return examples, checked_channel_axis("channel_axis", channel_axis, examples.feature_shape)

    def _learned(
        self: Self, rows: NDArray[Any], shape: tuple[int, ...], channel_axis: int | None
    ) -> Self:
        """Return the view with what it learns from training rows.

        That is itself if there is nothing to learn, or if it was learned before; otherwise a clone
        with fitted attributes.
        """
        return self

    def _as_it_is(
        self: Self, rows: NDArray[Any], shape: tuple[int, ...], channel_axis: int | None
    ) -> Self:
        """Return the view for rows that it shall not learn from, or raise a NotFittedError."""
        return self._learned(rows, shape, channel_axis)

    @abstractmethod
    def _cell_grid(self, shape: tuple[int, ...], channel_axis: int | None) -> CellGrid:
        """Return the grid of the cells of examples of one shape, or raise a ValueError.

        `channel_axis`, not negative, is that of the examples.
        """

    @abstractmethod
    def _add_to(
        self, geometry: _core.Geometry, shape: tuple[int, ...], channel_axis: int | None
    ) -> int:
        """Add the view to a geometry and return its number; -1 for the example itself."""

    def _columns(self, rows: NDArray[Any], shape: tuple[int, ...]) -> NDArray[np.float32] | None:
        """Return what Python computes of the view, to be appended to the rows; None if nothing."""
        return None


def checked_channel_axis(name: str, channel_axis: Any, shape: tuple[int, ...]) -> int | None:
    """Return the channel axis of examples counted from the front, or raise a ValueError."""
    if channel_axis is None:
        return None
    axis = int(channel_axis)
    if not -len(shape) <= axis < len(shape):
        raise ValueError(f"{name} must be an axis of examples of shape {shape}, got {axis}")
    if len(shape) == 1:
        raise ValueError(
            f"{name} must leave at least one axis for the patches, got examples of shape {shape}"
        )
    return axis % len(shape)


def core_rows(
    rows: NDArray[Any], geometry: _core.Geometry, columns: list[NDArray[np.float32] | None]
) -> NDArray[Any]:
    """Return rows as the core reads them.

    `columns` are appended; bytes become floats if some view makes no bytes of bytes.
    """
    if not geometry.takes_bytes and rows.dtype != np.float32:
        rows = rows.astype(np.float32)
    appended = [block for block in columns if block is not None]
    if appended:
        rows = np.ascontiguousarray(np.concatenate([rows, *appended], axis=1))
    return rows
