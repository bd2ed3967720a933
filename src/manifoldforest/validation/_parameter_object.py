"""Parameter objects that are equal if their parameters are: projections and response spaces."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator

from ._rules import Rule, check_parameters


class ParameterObject(BaseEstimator):
    """An object that only holds parameters and equals others of its class with equal parameters."""

    _rules: ClassVar[Mapping[str, Rule]] = {}

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        mine, theirs = self.get_params(deep=False), other.get_params(deep=False)
        return all(same_value(value, theirs[name]) for name, value in mine.items())

    def _check_parameters(self) -> None:
        """Raise an error that names class and parameter, the first that breaks its rule."""
        kind = type(self).__name__
        params = self.get_params(deep=False)
        check_parameters(
            {f"{kind}.{name}": params[name] for name in self._rules},
            {f"{kind}.{name}": rule for name, rule in self._rules.items()},
        )

    def __hash__(self) -> int:
        # Parameters may change, the class may not: the only value a hash can safely depend on.
        return hash(type(self).__name__)


def same_value(a: Any, b: Any) -> bool:
    """Whether two parameters mean the same; how they are stored does not matter."""
    if a is b:  # a large matrix need not be compared with itself
        return True
    if sparse.issparse(a) or sparse.issparse(b):
        if not (sparse.issparse(a) and sparse.issparse(b)) or a.shape != b.shape:
            return False
        return bool((sparse.csc_array(a) != sparse.csc_array(b)).nnz == 0)
    if isinstance(a, BaseEstimator) and not isinstance(a, ParameterObject):
        return type(a) is type(b) and same_value(
            sorted(a.get_params(deep=False).items()), sorted(b.get_params(deep=False).items())
        )
    if hasattr(a, "__array__") or hasattr(b, "__array__"):
        return bool(np.array_equal(a, b))
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(map(same_value, a, b))
    return bool(a == b)
