"""Paths of cost-complexity pruning: from those of single trees to that of a forest."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Bunch

from .._units import Unit

if TYPE_CHECKING:
    from ..forests._flat_forest import FlatForest


def paths_in_unit(
    arrays: Mapping[str, NDArray[Any]], gain_unit: float, unit: Unit
) -> dict[str, NDArray[np.float64]]:
    """Return the paths of trees in the units of the user.

    The core has responses in `unit`, a power of two, and gains multiplied by `gain_unit`.
    """
    alphas = arrays["path_alphas"]
    prices = alphas / gain_unit
    # as ccp_alpha it must not be rounded below the alpha of the core, or nothing would be pruned
    prices = np.where(prices * gain_unit < alphas, np.nextafter(prices, np.inf), prices)
    with np.errstate(over="ignore", under="ignore"):  # squares of extreme responses
        return {
            "path_alphas": unit.up(prices),
            "path_impurities": unit.up(arrays["path_impurities"] / gain_unit),
        }


def path_of_forest(trees: FlatForest) -> Bunch:
    """Join the paths of all trees: every price at which one changes, and mean impurities."""
    alphas, impurities = trees["path_alphas"], trees["path_impurities"]
    joined = np.unique(alphas)
    total = np.zeros(len(joined))
    for start, stop in pairwise(trees["path_offsets"]):
        # the first alpha of each tree is 0
        step = np.searchsorted(alphas[start:stop], joined, side="right") - 1
        total += impurities[start:stop][step]
    return Bunch(ccp_alphas=joined, impurities=total / trees.n_trees)
