"""Arrays of xarray, whose axes have names (dims): the first is that of the examples.

Nothing is guessed from a name: dims tell the order of axes, and at prediction they must be those
of the fit. xarray is not imported: what its arrays are, their attributes tell.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np


def has_dims(X: Any) -> bool:
    """Whether X is a DataArray of xarray."""
    return isinstance(getattr(X, "dims", None), tuple) and all(
        hasattr(X, name) for name in ("shape", "indexes", "transpose")
    )


def feature_dims_of(X: Any) -> tuple[str, ...] | None:
    """Return the dims of one example, None if X is no DataArray."""
    if not has_dims(X):
        return None
    dims = X.dims
    if not all(isinstance(dim, str) for dim in dims):
        raise TypeError(f"X must have dims that are strings, got {dims}: pass X.to_numpy()")
    if len(set(dims)) < len(dims):
        raise ValueError(f"X must have different dims, got {dims}: pass X.to_numpy()")
    return tuple(dims[1:])


def in_fitted_order(X: Any, feature_dims: tuple[str, ...] | None, first: str = "the fit") -> Any:
    """Return a DataArray with the dims of the first one in their order, all else as it is."""
    if feature_dims is None or not has_dims(X):
        return X
    others = [dim for dim in X.dims if dim not in feature_dims]
    if len(others) != 1 or len(X.dims) != len(feature_dims) + 1:
        hint = ""
        if set(X.dims) == set(feature_dims):
            hint = ": for one example pass X.expand_dims('sample')"
        elif len(X.dims) == len(feature_dims) + 1:
            hint = ": rename them, or pass X.to_numpy(), whose axes go by their order"
        expected = ", ".join(map(repr, feature_dims))
        raise ValueError(
            f"X must have the dims of {first}, {expected}, and one of examples, got {X.dims}{hint}"
        )
    return X.transpose(others[0], *feature_dims)


def without_dims(X: Any) -> Any:
    """Return a DataArray as an array, everything else as it is.

    One with two axes whose columns are named by strings becomes a table of pandas with these
    names.
    """
    if not has_dims(X):
        return X
    values = np.asarray(X)
    names = X.indexes.get(X.dims[1]) if values.ndim == 2 else None
    if names is None or not all(isinstance(name, str) for name in names):
        return values
    import pandas as pd

    return pd.DataFrame(values, columns=names)


def check_no_dataset(X: Any, name: str = "X") -> None:
    """Raise a TypeError for a Dataset of xarray, which is several arrays."""
    if hasattr(X, "data_vars") and hasattr(X, "to_array"):
        raise TypeError(
            f"{name} must be one array, got a Dataset of xarray: pass one of its variables, or "
            f"{name}.to_array() transposed such that the dim of the examples is the first"
        )


def stored_dims(content: Mapping[str, Any], shape: tuple[int, ...]) -> dict[str, tuple[str, ...]]:
    """Return the fitted attribute in what a model file holds, nothing if it holds no dims."""
    if "feature_dims" not in content:
        return {}
    dims = tuple(content["feature_dims"])
    different = len(dims) == len(set(dims)) == len(shape)
    if not different or not all(isinstance(dim, str) for dim in dims):
        raise ValueError("the dims of examples do not fit their shape")
    return {"feature_dims_": dims}
