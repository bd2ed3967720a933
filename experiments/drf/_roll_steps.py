"""The steps of dRF for one new input: what Figure 1 of the paper illustrates, with real numbers."""

from __future__ import annotations

import numpy as np

from manifoldforest.responses._new_distances import most_affine
from manifoldforest.responses._scaling import classical_scaling, out_of_sample
from manifoldforest.spaces import Isomap

from .._experiment import Outcome
from ._methods import Array, Forests, make_model, without_isomap_warnings
from ._roll import RollSplit, neighbour_edges, radius

N_QUERIES = 20  # inputs for which Algorithm 1 is followed literally
N_SHOWN = 120  # rows and columns of the matrix of distances that are drawn


def follow_steps(split: RollSplit, forests: Forests, leaf: int, seed: int) -> Outcome:
    """Go through the steps of section 2.3 for the test input whose error across the roll is median.

    The metrics tell how far the distances of Algorithm 1 are from those of the training response
    with the largest affinity, and which share of the inertia no embedding can hold.
    """
    with without_isomap_warnings():
        model = make_model("dRF", forests, leaf, seed).fit(split.X_train, split.Y_train)
        paths = Isomap(n_neighbors=forests.n_neighbors).split_distances(split.Y_train)
        scaling = classical_scaling(paths**2, forests.embedding_dim)
        predicted = model.predict(split.X_test)
    affinity = model.proximity(split.X_test)
    nearest = most_affine(affinity, model.forest_weights(split.X_test))
    errors = np.linalg.norm((predicted - split.Y_test)[:, [0, 2]], axis=1)  # those that are seen
    chosen = int(np.argsort(errors)[len(errors) // 2])
    distances = algorithm_1(nearest[chosen], paths)
    deviations = [_deviation_from_copy(row, paths) for row in nearest[:N_QUERIES]]

    position = radius(split.on_roll_train)
    shown = np.argsort(position)[np.linspace(0, len(position) - 1, N_SHOWN).astype(int)]
    arrays: dict[str, Array] = {
        "inputs": split.X_train[:, :2],
        "responses": split.Y_train,
        "position": position,
        "edges": neighbour_edges(split.Y_train, paths).astype(np.int16),
        "paths": paths[np.ix_(shown, shown)],
        "affinity": affinity[chosen].toarray()[0],
        "distances": distances,
        "embedding": scaling.coordinates[:, :2],
        "new_input": split.X_test[chosen, :2],
        "new_place": out_of_sample(scaling, distances[None] ** 2)[0, :2],
        "predicted": predicted[chosen],
        "truth": split.Y_test[chosen],
    }
    metrics = {
        "deviation": float(max(deviations)),
        "queries": float(len(deviations)),
        "negative_share": scaling.negative_share,
        "largest_affinity": float(arrays["affinity"].max()),
    }
    return Outcome(metrics, {name: _small(array) for name, array in arrays.items()})


def algorithm_1(nearest: int, distances: Array) -> Array:
    """Return the distances of the new response, literally as Algorithm 1 of the paper has them.

    The response of the largest affinity comes first; then the others, those far from it first.
    """
    off_diagonal = ~np.eye(len(distances), dtype=bool)
    found = np.full(len(distances), np.nan)
    found[nearest] = distances[off_diagonal].min()
    order = np.argsort(-distances[nearest], kind="stable")
    known = [nearest]
    for response in order[order != nearest]:
        found[response] = np.maximum(found[known], distances[known, response]).min()
        known.append(response)
    return found


def _deviation_from_copy(nearest: int, paths: Array) -> float:
    others = np.arange(len(paths)) != nearest
    return float(np.abs(algorithm_1(nearest, paths) - paths[nearest])[others].max())


def _small(array: Array) -> Array:
    return array.astype(np.float32) if array.dtype.kind == "f" else array
