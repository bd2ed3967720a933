"""The laws of random projections, by enumeration, and the projections that data determine."""

from collections import defaultdict
from itertools import combinations, product
from math import comb, exp, factorial

import numpy as np


def intervals(length, kind, min_size, max_size, placement):
    """Law of the cells a patch takes along one axis: {tuple of cells: probability}."""
    law = defaultdict(float)
    if kind == "channel":
        for cell in range(length):
            law[(cell,)] += 1 / length
        return law
    sizes = range(min_size, max_size + 1)
    if kind == "free":
        for size in sizes:
            for cells in combinations(range(length), size):
                law[cells] += 1 / len(sizes) / comb(length, size)
    elif kind == "wrap":
        for size in sizes:
            for start in range(length):
                cells = {(start + step) % length for step in range(size)}
                law[tuple(sorted(cells))] += 1 / len(sizes) / length
    elif placement == "corner":
        starts = range(length - min_size + 1)
        for start in starts:
            fitting = range(min_size, min(max_size, length - start) + 1)
            for size in fitting:
                law[tuple(range(start, start + size))] += 1 / len(starts) / len(fitting)
    elif placement == "interior":
        for size in sizes:
            starts = range(length - size + 1)
            for start in starts:
                law[tuple(range(start, start + size))] += 1 / len(sizes) / len(starts)
    elif placement == "uniform":
        for size in sizes:
            ends = range(length + size - 1)
            for end in ends:
                cells = range(max(0, end - size + 1), min(length - 1, end) + 1)
                law[tuple(cells)] += 1 / len(sizes) / len(ends)
    else:
        raise ValueError(placement)
    return law


def patch_law(shape, axes, min_size, max_size, placement):
    """Law of the features under a patch: {tuple of ascending features: probability}."""
    laws = [
        intervals(*axis, placement).items()
        for axis in zip(shape, axes, min_size, max_size, strict=True)
    ]
    law = defaultdict(float)
    for choice in product(*laws):
        cells = np.ix_(*[cells for cells, _ in choice])
        features = np.arange(np.prod(shape)).reshape(shape)[cells]
        law[tuple(features.ravel().tolist())] += np.prod([probability for _, probability in choice])
    return dict(law)


def coverage(law, n_features):
    """Probability of every feature to lie in an atom drawn from a law."""
    covered = np.zeros(n_features)
    for features, probability in law.items():
        covered[list(features)] += probability
    return covered


def column_sizes_law(n_features, n_columns, n_nonzeros):
    """Law of the sizes of the columns, largest first and without the empty ones, when the nonzeros
    lie uniformly without replacement in a grid of n_features x n_columns cells."""
    law = defaultdict(float)
    for sizes in product(range(min(n_features, n_nonzeros) + 1), repeat=n_columns):
        if sum(sizes) == n_nonzeros:
            ways = np.prod([float(comb(n_features, size)) for size in sizes])
            kept = tuple(sorted((s for s in sizes if s > 0), reverse=True))
            law[kept] += ways / comb(n_features * n_columns, n_nonzeros)
    return dict(law)


def nonempty_columns_law(n_features, n_columns, n_nonzeros):
    """Law of the number of columns with a nonzero, by inclusion and exclusion."""
    law = {}
    cells = comb(n_features * n_columns, n_nonzeros)
    for filled in range(1, n_columns + 1):
        ways = sum(
            (-1) ** (filled - k) * comb(filled, k) * comb(n_features * k, n_nonzeros)
            for k in range(filled + 1)
        )
        law[filled] = comb(n_columns, filled) * ways / cells
    return law


def poisson_size_law(rate, n_features):
    """Law of min(Poisson(rate), n_features) given that it is not 0."""
    pmf = [exp(-rate) * rate**k / factorial(k) for k in range(n_features)]
    law = {k: pmf[k] / (1 - pmf[0]) for k in range(1, n_features)}
    law[n_features] = (1 - sum(pmf)) / (1 - pmf[0])
    return law


def multiplied(atom, factors):
    """An atom with each weight times the factor of its feature, in single precision; a single
    feature keeps its weight."""
    features, weights = atom
    if len(features) == 1:
        return atom
    products = np.float32(weights) * factors[list(features)]
    return features, tuple(products.tolist())


def edges_law(neighbours, min_edges, max_edges):
    """Law of a set of edges: a node uniformly, then a uniform number of its features."""
    law = defaultdict(float)
    for features in neighbours:
        for size in range(min_edges, max_edges + 1):
            for chosen in combinations(sorted(features), size):
                share = 1 / len(neighbours) / (max_edges - min_edges + 1)
                law[chosen] += share / comb(len(features), size)
    return dict(law)


def class_mean_differences(X, labels, weight):
    """Mean of every class present minus the mean of the heaviest, as rows in order of classes."""
    classes = np.unique(labels)
    weights = [weight[labels == k].sum() for k in classes]
    means = [np.average(X[labels == k], axis=0, weights=weight[labels == k]) for k in classes]
    heaviest = int(np.argmax(weights))
    return np.array([means[k] - means[heaviest] for k in range(len(classes)) if k != heaviest])


def principal_axes(X, weight):
    """Principal directions of weighted rows, leading first, as rows of unit length."""
    centred = X - np.average(X, axis=0, weights=weight)
    return np.linalg.svd(centred * np.sqrt(weight)[:, None], full_matrices=False)[2]
