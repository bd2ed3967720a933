"""Distances and Fréchet means as their definitions say: one pair at a time, and by search.

Distances come from textbook formulas (or from a search over rotations), without any care for
rounding, and are good to about 1e-7. Means are found by a general minimiser that knows nothing but
the distance.
"""

import math
from itertools import permutations

import numpy as np
from scipy.linalg import eigh, eigvalsh, expm
from scipy.optimize import minimize
from scipy.spatial.transform import Rotation

# ---------------------------------------------------------------- distances


def circle(period):
    return lambda a, b: min(abs(a - b + k * period) for k in range(-3, 4))


def sphere(a, b):
    return math.acos(min(1.0, max(-1.0, float(np.dot(a, b)))))


def of_eigenvalues(function, a):
    values, vectors = eigh(a)
    return sum(function(x) * np.outer(v, v) for x, v in zip(values, vectors.T, strict=True))


def log_euclidean(a, b):
    return np.linalg.norm(of_eigenvalues(math.log, a) - of_eigenvalues(math.log, b))


def affine_invariant(a, b):
    return math.sqrt(sum(math.log(x) ** 2 for x in eigvalsh(b, a)))


def rotation(a, b):
    return math.acos(min(1.0, max(-1.0, (np.trace(a.T @ b) - 1) / 2)))


def quaternion(a, b):
    return rotation(Rotation.from_quat(a).as_matrix(), Rotation.from_quat(b).as_matrix())


def preshape(x):
    x = np.asarray(x, dtype=float)
    x = x - x.mean(axis=0)
    return x / np.linalg.norm(x)


def shape(a, b):
    """Search for the rotation that brings one configuration nearest to the other."""
    a, b = preshape(a), preshape(b)
    if a.shape[1] == 2:
        turns, starts = _turn, np.linspace(0, 2 * np.pi, 6)[:, None]
    else:
        turns = lambda v: Rotation.from_rotvec(v).as_matrix()
        starts = np.random.default_rng(0).normal(size=(8, 3))
    miss = lambda v: -np.sum(a * (b @ turns(v)))
    best = min(minimize(miss, start, tol=1e-14).fun for start in starts)
    return math.acos(min(1.0, -best))


def _turn(angle):
    c, s = math.cos(angle[0]), math.sin(angle[0])
    return np.array([[c, -s], [s, c]])


def wasserstein(a, b):
    """Order 2 between two samples: integrate the squared difference of quantile functions."""
    a, b = sorted(a), sorted(b)
    i = j = 0
    at = total = 0.0
    while i < len(a) and j < len(b):
        until = min((i + 1) / len(a), (j + 1) / len(b))
        total += (until - at) * (a[i] - b[j]) ** 2
        at = until
        if math.isclose((i + 1) / len(a), until):
            i += 1
        if math.isclose((j + 1) / len(b), until):
            j += 1
    return math.sqrt(total)


def optimal_assignment(a, b):
    """Wasserstein of order 2 between samples of one length, over all ways to pair them."""
    costs = (sum((x - y) ** 2 for x, y in zip(a, q, strict=True)) for q in permutations(b))
    return math.sqrt(min(costs) / len(a))


def matrix(distance, A, B):
    return np.array([[distance(a, b) for b in B] for a in A])


def shortest_paths(Y, n_neighbors):
    """Isomap: a graph of neighbours, components joined by the shortest edges, then Floyd."""
    points = [np.array(p) for p in sorted({tuple(y) for y in Y.tolist()})]
    n = len(points)
    far = matrix(lambda a, b: np.linalg.norm(a - b), points, points)
    edges = np.full((n, n), np.inf)
    np.fill_diagonal(edges, 0.0)
    for i in range(n):
        for j in sorted(range(n), key=lambda j: (j != i, far[i, j]))[1 : n_neighbors + 1]:
            edges[i, j] = edges[j, i] = far[i, j]
    n_components = 1
    while np.isinf(paths := floyd(edges)).any():
        i, j = min(zip(*np.nonzero(np.isinf(paths)), strict=True), key=lambda pair: far[pair])
        edges[i, j] = edges[j, i] = far[i, j]
        n_components += 1
    vertex = [next(k for k in range(n) if (points[k] == y).all()) for y in Y]
    return paths[np.ix_(vertex, vertex)], n_components


def floyd(edges):
    paths = edges.copy()
    for k in range(len(paths)):
        paths = np.minimum(paths, paths[:, k : k + 1] + paths[k : k + 1])
    return paths


# -------------------------------------------------------------------- means


def spread(distance, x, Y, w):
    """The weighted sum of squared distances, of which a mean is a minimum."""
    return sum(wi * distance(x, y) ** 2 for y, wi in zip(Y, w, strict=True) if wi > 0)


def search_mean(distance, chart, starts, Y, w):
    """The best point that a general minimiser finds from several starts, and its spread.

    `chart` makes a point of the space out of any vector.
    """
    found = [
        minimize(
            lambda v: spread(distance, chart(v), Y, w),
            start,
            method="Nelder-Mead",
            options={"xatol": 1e-7, "fatol": 1e-11, "maxiter": 20_000, "maxfev": 20_000},
        )
        for start in starts
    ]
    best = min(found, key=lambda result: result.fun)
    return chart(best.x), best.fun


def unit(v):
    return v / np.linalg.norm(v)


def positive_definite(d):
    def chart(v):
        symmetric = np.zeros((d, d))
        symmetric[np.triu_indices(d)] = v
        return expm(symmetric + np.triu(symmetric, 1).T)

    return chart


def rotation_matrix(v):
    return Rotation.from_rotvec(v).as_matrix()
