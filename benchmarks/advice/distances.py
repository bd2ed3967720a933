"""Forests that learn by distances: responses on manifolds, streams, and search."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.datasets import load_digits, make_blobs

import manifoldforest as mf

from .inputs import digits
from .trials import Array, mean_and_error


def directions(n: int, seed: int) -> tuple[Array, Array]:
    """Return five columns and an angle in degrees that goes all around, with noise of 20°."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 5))
    angle = np.degrees(np.arctan2(X[:, 1], X[:, 0])) + rng.normal(0, 20, size=n)
    return X, angle % 360


def degrees_apart(a: Array, b: Array) -> Array:
    """Return the shorter arc between angles."""
    return np.abs((a - b + 180) % 360 - 180)


def manifold_responses() -> None:
    """Angles by a plain forest, by one on sines and cosines, and by one on the circle."""
    circle = mf.spaces.Circle(360)
    results: dict[str, list[float]] = {"numbers": [], "sine, cosine": [], "circle": []}
    covered, radii = [], []
    for seed in range(10):
        X, y = directions(1500, seed)
        new, truth = X[500:], y[500:]
        X, y = X[:500], y[:500]
        turn = np.radians(y)
        plain = mf.ForestRegressor(min_samples_leaf=5, random_state=seed)
        results["numbers"].append(degrees_apart(plain.fit(X, y).predict(new), truth).mean())
        parts = plain.fit(X, np.column_stack([np.cos(turn), np.sin(turn)])).predict(new)
        angle = np.degrees(np.arctan2(parts[:, 1], parts[:, 0]))
        results["sine, cosine"].append(degrees_apart(angle, truth).mean())
        forest = mf.MetricForestRegressor(
            space=circle, projection="sporf", min_samples_leaf=5, oob_score=True, random_state=seed
        )
        centres, radius = forest.fit(X, y).predict_region(new, coverage=0.9)
        results["circle"].append(degrees_apart(centres, truth).mean())
        covered.append(float(np.mean(degrees_apart(centres, truth) <= radius)))
        radii.append(radius)
    print("500 rows, 10 training sets: mean error in degrees")
    for name, errors in results.items():
        print(f"  {name:<20}{mean_and_error(errors)}")
    print(f"  regions of coverage 0.9 hold {mean_and_error(covered)}, radius {np.mean(radii):.0f}")


def noisy_scores(n_noise: int, seed: int) -> tuple[float, float]:
    """Return accuracies on digits with columns of noise, as strong as pixels are."""
    X, y = digits(1797, seed)
    noise = np.random.default_rng(seed).normal(0, 6, size=(len(X), n_noise))
    X = np.hstack([X.reshape(len(X), -1), noise]).astype("float32")
    forests = (
        mf.BoundaryForestClassifier(random_state=seed),
        mf.ForestClassifier(projection="axis", random_state=seed),
    )
    boundary, axis = (f.fit(X[:1000], y[:1000]).score(X[1000:], y[1000:]) for f in forests)
    return boundary, axis


def streams() -> None:
    """Digits in a stream: what a boundary forest knows and keeps, beside forests fitted anew."""
    print("digits, 5 orders: accuracy on 500 others, share that is stored")
    for n in (100, 300, 1000):
        found: dict[str, list[float]] = {"boundary": [], "stored": [], "sporf": [], "image": []}
        for seed in range(5):
            X, y = digits(1797, seed)
            new, truth = X[1200:1700], y[1200:1700]
            forest = mf.BoundaryForestClassifier(random_state=seed).partial_fit(X[:n], y[:n])
            found["boundary"].append(forest.score(new, truth))
            found["stored"].append(len(forest.stored_) / n)
            others = {
                "sporf": mf.ForestClassifier(random_state=seed),
                "image": mf.named_forest("image", random_state=seed),
            }
            for name, other in others.items():
                found[name].append(other.fit(X[:n], y[:n]).score(new, truth))
        text = "   ".join(f"{name} {mean_and_error(values)}" for name, values in found.items())
        print(f"  {n:5} seen: {text}")
    print("1000 digits with columns of noise: accuracy of boundary forests, of random forests")
    for n_noise in (0, 64, 256):
        scores = [noisy_scores(n_noise, seed) for seed in range(5)]
        boundary, axis = (mean_and_error(list(column)) for column in zip(*scores, strict=True))
        print(f"  {n_noise:5} columns of noise: {boundary}   {axis}")
    X, y = load_digits(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(X))
    X, y, new, truth = X[order[:1200]], y[order[:1200]], X[order[1200:]], y[order[1200:]]
    by_class = np.argsort(y, kind="stable")
    orders: dict[str, tuple[Any, dict[str, Any]]] = {
        "shuffled": (slice(None), {}),
        "sorted by class": (by_class, {}),
        "sorted by class, passes=None": (by_class, {"passes": None}),
    }
    for name, (chosen, parameters) in orders.items():
        forest = mf.BoundaryForestClassifier(random_state=0, **parameters)
        print(f"  {name:<30}{forest.fit(X[chosen], y[chosen]).score(new, truth):.3f}")


def recall(index: Any, points: Array, queries: Array, k: int = 10) -> float:
    """Return the share of the nearest k points that the index finds."""
    exact = mf.boundary.BruteForceIndex()
    exact.add(points)
    index.add(points)
    found, nearest = index.query(queries, k)[1], exact.query(queries, k)[1]
    shared = [len(set(a) & set(b)) for a, b in zip(found, nearest, strict=True)]
    return float(np.mean(shared)) / k


def similarity_search() -> None:
    """Recall of the first ten over the number of trees, of points with and without structure."""
    print("5000 points of 32 features, 200 queries: recall of the first 10")
    clustered = make_blobs(5200, 32, centers=100, cluster_std=3.0, random_state=0)[0]
    noise = np.random.default_rng(0).normal(size=(5200, 32))
    for name, points in (("100 clusters", clustered), ("noise", noise)):
        points = points.astype("float32")
        for trees in (10, 50, 200):
            index = mf.BoundaryIndex(trees, random_state=0)
            print(f"  {name:<14}{trees:4} trees: {recall(index, points[200:], points[:200]):.3f}")


MEASUREMENTS = {f.__name__: f for f in (manifold_responses, streams, similarity_search)}
