"""Predictions of a local estimator for collections, computed block by block when asked for."""

from __future__ import annotations

import math
import uuid
from typing import Any

import dask.array as da
import numpy as np
from dask import delayed
from dask.array import Array
from numpy.typing import NDArray

from ..forests._base import BaseForest
from ._blocks import check_examples, row_blocks
from ._worker import threads_of_task


def lazy_result(forest: BaseForest, method: str, X: Any) -> Any:
    """Return what a method says of each example, as a dask array or a list of them.

    The method is asked for one example first: what is wrong with X is said at once.
    """
    check_examples(X)
    likeness = _one_example(X)
    empty = _empty(getattr(forest, method)(likeness))
    # under a name of its own, so that Dask does not hash all trees
    model = delayed(forest, name=f"forest-{uuid.uuid4().hex}", traverse=False)
    blocks = [
        delayed(_result_of_block, pure=False)(model, method, block, empty)
        for block in row_blocks(X)
    ]
    sizes = X.chunks[0] if isinstance(X, Array) else [math.nan] * len(blocks)
    if not isinstance(empty, list):
        return _joined(blocks, sizes, empty)
    return [_joined([block[k] for block in blocks], sizes, part) for k, part in enumerate(empty)]


def _joined(blocks: Any, sizes: Any, empty: NDArray[Any]) -> Array:
    parts = [
        da.from_delayed(block, shape=(size, *empty.shape[1:]), meta=empty)
        for block, size in zip(blocks, sizes, strict=True)
    ]
    return da.concatenate(parts, allow_unknown_chunksizes=True)


def _one_example(X: Any) -> Any:
    if isinstance(X, Array):
        return np.zeros((1, *X.shape[1:]), dtype=X.dtype)
    return X._meta_nonempty


def _empty(result: Any) -> Any:
    """Return a result without rows."""
    if isinstance(result, list) and len(result) and isinstance(result[0], np.ndarray):
        return [part[:0] for part in result]
    return _as_array(result)[:0]


def _as_array(result: Any) -> NDArray[Any]:
    """Return a list of objects as an array."""
    if not isinstance(result, list):
        return np.asarray(result)
    array = np.empty(len(result), dtype=object)
    array[:] = result
    return array


def _result_of_block(forest: BaseForest, method: str, block: Any, empty: Any) -> Any:
    """Return the result for the rows of one block, which may have none."""
    if not len(block):
        return empty
    with threads_of_task(1):
        result = getattr(forest, method)(block)
    return result if isinstance(empty, list) else _as_array(result)
