"""A projection that draws from a list of given atoms."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from manifoldforest import _core

from ._base import Projection
from ._matrices import read_matrix


class Dictionary(Projection):
    """Candidates drawn uniformly from a list of given atoms.

    The way to bring a geometry of your own: write every sum of features that may be of use as one
    column of a sparse matrix.

    Parameters
    ----------
    atoms : sparse or dense matrix of shape (n_features, n_atoms)
        Column j holds the weights of atom j.

    Examples
    --------
    The two halves of a signal, and their difference:

    >>> import manifoldforest as mf
    >>> import numpy as np
    >>> left, right = [1, 1, 0, 0], [0, 0, 1, 1]
    >>> atoms = np.stack([left, right, np.subtract(left, right)], axis=1)
    >>> X = np.random.default_rng(0).normal(size=(100, 4))
    >>> y = X @ atoms[:, 2] > 0
    >>> projection = mf.projections.Dictionary(atoms)
    >>> forest = mf.ForestClassifier(1, projection=projection, max_features=3, random_state=0)
    >>> forest.fit(X, y).trees_[0].split_text(0).split(" <= ")[0]
    'x[0] + x[1] - x[2] - x[3]'
    """

    def __init__(self, atoms: Any) -> None:
        self.atoms = atoms

    def _build(self, geometry: _core.Geometry, feature_shape: tuple[int, ...]) -> _core.Sampler:
        atoms = read_matrix("Dictionary.atoms", self.atoms)
        if atoms.shape[0] != geometry.n_features or atoms.shape[1] == 0:
            raise ValueError(
                f"Dictionary.atoms must have shape ({geometry.n_features}, n_atoms) with at least "
                f"one atom, got {atoms.shape}"
            )
        # Weights are float32 in the core: what is not a usable weight there is refused here.
        with np.errstate(over="ignore", under="ignore"):
            atoms = read_matrix("Dictionary.atoms", atoms.astype(np.float32))
        empty = np.flatnonzero(np.diff(atoms.indptr) == 0)
        if empty.size:
            raise ValueError(
                f"Dictionary.atoms must have a nonzero weight in every column, got {empty.size} "
                f"without, the first of them column {empty[0]}"
            )
        return dictionary_sampler(geometry, atoms)


def dictionary_sampler(geometry: _core.Geometry, atoms: sparse.csc_array) -> _core.Sampler:
    """Register the columns of `atoms` with `geometry` and draw from them uniformly."""
    atoms.sort_indices()
    first = geometry.add_dictionary(
        atoms.indptr.astype(np.int64),
        atoms.indices.astype(np.int32),
        atoms.data.astype(np.float32),
    )
    return _core.dictionary_sampler(first, atoms.shape[1])
