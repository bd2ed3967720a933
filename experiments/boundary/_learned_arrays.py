"""What runs keep of trees and representations for their pictures."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.manifold import TSNE
from sklearn.metrics import silhouette_score

N_DRAWN = 40  # nodes whose images are kept


def nodes_near_root(
    images: NDArray[Any], parent: NDArray[Any], labels: NDArray[Any], side: int
) -> dict[str, NDArray[Any]]:
    """Return the nodes next to the root, level by level, in their old order."""
    depth = np.zeros(len(parent), dtype=np.int64)
    for node in range(1, len(parent)):
        depth[node] = depth[parent[node]] + 1
    kept = np.sort(np.argsort(depth, kind="stable")[:N_DRAWN])
    place = np.searchsorted(kept, parent[kept])
    return {
        "images": images[kept].reshape(-1, side, side),
        "parent": np.where(parent[kept] < 0, -1, place),
        "label": labels[kept],
    }


def projection(
    points: NDArray[Any], labels: NDArray[np.int64], n_shown: int, seed: int
) -> tuple[dict[str, float], dict[str, NDArray[Any]]]:
    """Return how well classes of points are apart in the plane, and the places of some there.

    Only the first seed has them. The silhouette is 1 if classes are far apart for their size, and
    0 if they overlap.
    """
    if seed > 0:
        return {}, {}
    shown = np.random.default_rng(0).permutation(len(points))[:n_shown]
    places = TSNE(random_state=0, n_jobs=1).fit_transform(points[shown].astype(np.float32))
    metrics = {"silhouette": float(silhouette_score(places, labels[shown]))}
    return metrics, {"tsne": places.astype(np.float32), "digit": labels[shown].astype(np.uint8)}
