"""Projections as JSON and arrays, for model files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from manifoldforest.io._parameter_codec import Arrays, ParameterCodec
from manifoldforest.validation._rules import any_mapping, check_argument
from manifoldforest.views._names import VIEW_CODEC

from ._base import Projection
from ._names import CLASSES

_CODEC: ParameterCodec[Projection] = ParameterCodec(
    "projection",
    Projection,  # type: ignore[type-abstract]  # mypy accepts no abstract class as a type
    CLASSES,
    parts=(VIEW_CODEC,),
)


def projection_to_dict(projection: Projection) -> tuple[dict[str, Any], Arrays]:
    """Turn a projection into a dictionary, ready for JSON, and arrays.

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
    return _CODEC.encode(projection, arrays), arrays


def projection_from_dict(config: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> Projection:
    """Make a projection from what :func:`projection_to_dict` returned.

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
    check_argument("config", config, any_mapping)
    check_argument("arrays", arrays, any_mapping)
    return _CODEC.decode(config, arrays)
