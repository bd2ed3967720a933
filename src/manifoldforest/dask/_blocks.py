"""Collections as blocks of rows: on the client their names, on workers arrays and tables."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import dask
import numpy as np
from dask.array import Array
from dask.bag import Bag
from dask.delayed import Delayed
from dask.utils import is_dataframe_like, is_series_like

from ..validation._rules import shown

_EXPECTED = {
    "X": "a dask array or a dask dataframe",
    "y": "a dask array, a dask series or a dask dataframe",
    "sample_weight": "a dask array, a dask series or None",
}


def check_collections(X: Any, y: Any, sample_weight: Any, *, lists: bool) -> None:
    """Raise an error unless all three are collections of rows; `lists` allows y to be a bag."""
    if y is None:
        raise ValueError("This estimator requires y to be passed, but the target y is None.")
    for name, collection in (("X", X), ("y", y), ("sample_weight", sample_weight)):
        if collection is None and name == "sample_weight":
            continue
        if not _is_rows(collection) and not (name == "y" and lists and isinstance(collection, Bag)):
            in_memory = ": for data in memory use the estimators of manifoldforest itself"
            raise TypeError(
                f"{name} must be {_EXPECTED[name]}, got {shown(collection)}"
                + ("" if dask.is_dask_collection(collection) else in_memory)
            )
        if isinstance(collection, Array) and collection.ndim == 0:
            raise ValueError(f"{name} must have rows, got a dask array without axes")
    n_rows = {
        name: size
        for name, collection in (("X", X), ("y", y), ("sample_weight", sample_weight))
        if not math.isnan(size := _n_rows(collection))
    }
    if len(set(n_rows.values())) > 1:
        counts = " and ".join(f"{n} rows of {name}" for name, n in n_rows.items())
        raise ValueError(f"X, y and sample_weight must have equally many rows, got {counts}")


def check_examples(X: Any) -> None:
    """Raise an error unless X is a collection of examples to predict."""
    if not (dask.is_dask_collection(X) and (isinstance(X, Array) or is_dataframe_like(X))):
        raise TypeError(
            f"X must be {_EXPECTED['X']}, got {shown(X)}: to_local() predicts for data in memory"
        )


def _is_rows(collection: Any) -> bool:
    return dask.is_dask_collection(collection) and (
        isinstance(collection, Array) or is_dataframe_like(collection) or is_series_like(collection)
    )


def _n_rows(collection: Any) -> float:
    """Return the number of rows, NaN if the client does not know it."""
    return collection.shape[0] if isinstance(collection, Array) else math.nan


def row_blocks(collection: Any) -> list[Delayed]:
    """Return the blocks of a collection, each of which has all columns of its rows."""
    if isinstance(collection, Array):
        whole = {axis: -1 for axis in range(1, collection.ndim) if collection.numblocks[axis] > 1}
        collection = collection.rechunk(whole) if whole else collection
        return list(collection.to_delayed().reshape(-1))
    return list(collection.to_delayed())


def aligned(name: str, collection: Any, X: Any) -> Any:
    """Return a collection whose blocks have the rows of those of X, as far as that is known."""
    if isinstance(collection, Array) and isinstance(X, Array):
        sizes = X.chunks[0]
        known = not any(map(math.isnan, (*sizes, *collection.chunks[0])))
        if known and sizes != collection.chunks[0]:
            return collection.rechunk({0: sizes})
    n_blocks = [c.numblocks[0] if isinstance(c, Array) else c.npartitions for c in (X, collection)]
    if n_blocks[0] != n_blocks[1]:
        raise ValueError(
            f"{name} must have as many partitions as X, {n_blocks[0]}, as long as the sizes of "
            f"partitions are not known, got {n_blocks[1]}: call compute_chunk_sizes(), or make "
            "both from the same dataframe"
        )
    return collection


def joined(name: str, blocks: Sequence[Any]) -> Any:
    """Return the rows of blocks, one after the other, as an array, a table or a list."""
    if isinstance(blocks[0], np.ndarray):
        return _joined_arrays(name, blocks)
    if is_dataframe_like(blocks[0]) or is_series_like(blocks[0]):
        return _joined_tables(name, blocks)
    if name == "y" and isinstance(blocks[0], list | tuple):
        return [response for block in blocks for response in block]
    raise TypeError(
        f"{name} must have partitions that are NumPy arrays or pandas tables, got "
        f"{type(blocks[0]).__name__}"
    )


def _joined_arrays(name: str, blocks: Sequence[Any]) -> Any:
    for number, block in enumerate(blocks):
        if np.shape(block)[1:] != blocks[0].shape[1:]:
            raise ValueError(
                f"{name} must have partitions of rows of one shape, got {blocks[0].shape[1:]} in "
                f"partition 0 and {np.shape(block)[1:]} in partition {number}"
            )
    # an empty block has no say in the type
    filled = [block for block in blocks if len(block)] or blocks[:1]
    return filled[0] if len(filled) == 1 else np.concatenate(filled)


def _joined_tables(name: str, blocks: Sequence[Any]) -> Any:
    if is_dataframe_like(blocks[0]):
        names = list(blocks[0].columns)
        for number, block in enumerate(blocks):
            if list(block.columns) != names:
                raise ValueError(
                    f"{name} must have partitions with the same columns, got {names} in partition "
                    f"0 and {list(block.columns)} in partition {number}"
                )
    filled = [block for block in blocks if len(block)] or blocks[:1]
    if len(filled) == 1:
        return filled[0]
    import pandas as pd

    return pd.concat(filled, ignore_index=True)
