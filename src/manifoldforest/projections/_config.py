"""Projections as JSON and arrays, for model files.

A projection is written as its class name and its parameters. Values that JSON does not know are
objects with one key that says what they are: ``{"tuple": [...]}``, ``{"array": key}``,
``{"sparse": key}`` or ``{"projection": {...}}``. Arrays go to a dictionary of their own. Reading
makes objects of the classes in one table and nothing else: no file can run code.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import sparse

from ._base import Projection
from ._names import CLASSES

Arrays = dict[str, np.ndarray]


def projection_to_dict(projection: Projection) -> tuple[dict[str, Any], Arrays]:
    """Take a projection apart into what JSON can hold and arrays.

    Parameters
    ----------
    projection : Projection
        One of this package's projections.

    Returns
    -------
    config : dict
        Class name and parameters, ready for JSON.
    arrays : dict of str to ndarray
        The arrays among the parameters, under the keys that `config` mentions.

    Examples
    --------
    >>> from manifoldforest.projections import Patches, projection_to_dict
    >>> config, arrays = projection_to_dict(Patches(max_size=(3, 5)))
    >>> config["class"], config["params"]["max_size"], arrays
    ('Patches', {'tuple': [3, 5]}, {})
    """
    arrays: Arrays = {}
    return _projection_out(projection, "projection", arrays), arrays


def projection_from_dict(config: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> Projection:
    """Put together what :func:`projection_to_dict` took apart.

    Parameters
    ----------
    config : mapping
        Class name and parameters.
    arrays : mapping of str to ndarray
        The arrays that `config` mentions; others are ignored.

    Returns
    -------
    projection : Projection
        A projection equal to the original one. Sparse matrices come back in CSC form.

    Examples
    --------
    >>> from manifoldforest.projections import Patches, projection_from_dict, projection_to_dict
    >>> projection_from_dict(*projection_to_dict(Patches(max_size=(3, 5))))
    Patches(max_size=(3, 5))
    """
    try:
        return _projection_in(config, arrays)
    except (KeyError, TypeError, IndexError, AttributeError, RecursionError) as error:
        raise ValueError(f"damaged description of a projection: {error!r}") from error


def _projection_out(projection: Projection, key: str, arrays: Arrays) -> dict[str, Any]:
    name = type(projection).__name__
    if CLASSES.get(name) is not type(projection):
        raise TypeError(f"only projections of manifoldforest can be stored, got {projection!r}")
    params = projection.get_params(deep=False)
    return {
        "class": name,
        "params": {n: _value_out(value, f"{key}.{n}", arrays) for n, value in params.items()},
    }


def _value_out(value: Any, key: str, arrays: Arrays) -> Any:
    """Return `value` for JSON; `key`, its place in the projection, names its arrays."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, Projection):
        return {"projection": _projection_out(value, key, arrays)}
    if isinstance(value, (list, tuple)):
        items = [_value_out(item, f"{key}.{i}", arrays) for i, item in enumerate(value)]
        return {"tuple": items} if isinstance(value, tuple) else items
    if sparse.issparse(value):
        columns = sparse.csc_array(value)
        arrays[f"{key}.data"] = columns.data
        arrays[f"{key}.indices"] = columns.indices
        arrays[f"{key}.indptr"] = columns.indptr
        arrays[f"{key}.shape"] = np.array(columns.shape, dtype=np.int64)
        return {"sparse": key}
    if hasattr(value, "__array__") and (array := np.ascontiguousarray(value)).dtype.kind in "buif":
        arrays[key] = array
        return {"array": key}
    raise TypeError(f"{key} cannot be stored: got {value!r}")


def _projection_in(config: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> Projection:
    kind = CLASSES.get(config["class"])
    if kind is None:
        raise ValueError(f"unknown class of projection: {config['class']!r}")
    return kind(**{name: _value_in(value, arrays) for name, value in config["params"].items()})


def _value_in(value: Any, arrays: Mapping[str, np.ndarray]) -> Any:
    if isinstance(value, list):
        return [_value_in(item, arrays) for item in value]
    if not isinstance(value, dict):
        return value
    ((tag, content),) = value.items()
    if tag == "tuple":
        return tuple(_value_in(item, arrays) for item in content)
    if tag == "projection":
        return _projection_in(content, arrays)
    if tag == "array":
        return arrays[content]
    if tag == "sparse":
        data, indices, indptr, shape = (
            arrays[f"{content}.{part}"] for part in ("data", "indices", "indptr", "shape")
        )
        matrix = sparse.csc_array((data, indices, indptr), shape=tuple(shape.tolist()))
        matrix.check_format(full_check=True)  # indices out of range would be read unchecked later
        return matrix
    raise ValueError(f"unknown kind of value in the description of a projection: {tag!r}")
