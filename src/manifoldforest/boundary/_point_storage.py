"""The interface between an index and the object that holds its points."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray


class PointStorage(Protocol):
    """What an index needs of the object that holds its points."""

    @property
    def shape(self) -> tuple[int, ...] | None:
        """Shape of one point; None for objects other than arrays."""
        ...

    @property
    def ids(self) -> NDArray[np.int64]:
        """Ids in order of arrival."""
        ...

    def __len__(self) -> int: ...

    def contains(self, point_id: int) -> bool:
        """Return whether there is a point with this id, which fits into 64 bits."""
        ...

    def read(self, X: Any, name: str) -> Any:
        """Return points to add or queries, in the form that `nearest` takes."""
        ...

    def points_of(self, ids: NDArray[np.int64]) -> Any:
        """Return the points with these ids: an array if they have a shape, else a list."""
        ...

    def nearest(
        self,
        points: Any,
        k: int,
        n_jobs: int | None,
        among: NDArray[np.int64] | None,
        *,
        effort: int | None,
        may_be_removed: bool,
    ) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Return distances and ids of the nearest points, nearest first."""
        ...

    def __getstate__(self) -> Any: ...

    def __setstate__(self, state: Any) -> None: ...
