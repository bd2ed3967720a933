"""Random rotations and scalings of the feature space."""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from manifoldforest.validation._rules import check_argument, one_of

from ._random_streams import Seed, child_stream
from ._tables import read_table

Kind = Literal["rotate", "scale", "affine"]
MAX_FACTOR = 10.0


def apply_random_map(
    X: ArrayLike, kind: Kind = "rotate", random_state: Seed = None
) -> NDArray[Any]:
    """Apply one random linear map to all examples.

    The map depends only on `kind`, the number of features and `random_state`: pass the same
    integer for training and test data, and both live in the same space afterwards.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The examples.
    kind : {"rotate", "scale", "affine"}, default="rotate"
        ``"rotate"`` multiplies by a rotation matrix that is uniform (Haar) over all rotations;
        ``"scale"`` multiplies each feature by a factor that is uniform on [0, 10];
        ``"affine"`` rotates and then scales, with the rotation and the factors that the other two
        draw from the same integer.
    random_state : int, RandomState or None, default=None
        Seed of the map. It may equal the seed of a generator: the two draws are unrelated.

    Returns
    -------
    ndarray of shape (n_samples, n_features)
        The mapped examples, float32 if `X` is float32 and float64 otherwise.

    Examples
    --------
    >>> import numpy as np
    >>> from manifoldforest.datasets import apply_random_map, make_trunk
    >>> X, _ = make_trunk(50, n_features=3, random_state=0)
    >>> rotated = apply_random_map(X, "rotate", random_state=1)
    >>> bool(np.allclose(np.linalg.norm(rotated, axis=1), np.linalg.norm(X, axis=1)))
    True
    >>> affine = apply_random_map(X, "affine", random_state=1)
    >>> bool(np.allclose(affine, apply_random_map(rotated, "scale", random_state=1)))
    True
    """
    table = read_table(X)
    check_argument("kind", kind, one_of(*get_args(Kind)))
    rng = child_stream(random_state)

    n_features = table.shape[1]
    factors = rng.uniform(0, MAX_FACTOR, size=n_features)
    mapped = table.astype(np.float64)
    if kind != "scale":
        mapped = mapped @ _random_rotation(n_features, rng)
    if kind != "rotate":
        mapped = mapped * factors
    return mapped.astype(np.float32 if table.dtype == np.float32 else np.float64, copy=False)


def _random_rotation(n: int, rng: np.random.RandomState) -> NDArray[np.float64]:
    """Draw a rotation matrix, Haar distributed on SO(n), in O(n^3)."""
    q, r = np.linalg.qr(rng.standard_normal((n, n)))
    # The signs of the diagonal of r are up to the QR routine; fixing them makes q Haar on O(n).
    q = q * np.where(np.diag(r) < 0, -1.0, 1.0)
    if np.linalg.det(q) < 0:
        q[:, 0] *= -1
    rotation: NDArray[np.float64] = q
    return rotation
