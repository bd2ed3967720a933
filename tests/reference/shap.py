"""Shapley values of trees by going through all sets of players, as short as possible."""

from itertools import combinations
from math import factorial

import numpy as np


def conditional_mean(tree, goes_left, player, known, value, node=0):
    """Value of a tree at a row of which only the players of a set are known.

    A split on another player is averaged over its training rows; equally, if it has none.
    """
    left = tree.left[node]
    if left == 0:
        return value[node]
    children = [
        conditional_mean(tree, goes_left, player, known, value, child) for child in (left, left + 1)
    ]
    if player[node] in known:
        return children[0] if goes_left[node] else children[1]
    weight = tree.weight[node]
    shares = tree.weight[left : left + 2] / weight if weight > 0 else [0.5, 0.5]
    return shares[0] * children[0] + shares[1] * children[1]


def shapley_values(tree, goes_left, player, value):
    """Shapley values of all players of a tree, players × values, and the value of no player."""
    everyone = set(player[tree.left > 0].tolist())
    n = len(everyone)
    worth = {
        frozenset(known): conditional_mean(tree, goes_left, player, known, value)
        for size in range(n + 1)
        for known in combinations(everyone, size)
    }
    phi = np.zeros((n, value.shape[1]))
    for j in everyone:
        for known in worth:
            if j not in known:
                weight = factorial(len(known)) * factorial(n - len(known) - 1) / factorial(n)
                phi[j] += weight * (worth[known | {j}] - worth[known])
    return phi, worth[frozenset()]


def numbered(keys):
    """Numbers of players: equal keys are one player; leaves have the key None."""
    known = {}
    return np.array([-1 if key is None else known.setdefault(key, len(known)) for key in keys])


def linear_splits(tree, x):
    """Values of the atoms of all nodes at a row, their players, and shares of features in each."""
    atoms = tree.atoms().toarray().astype(np.float64)
    used = atoms != 0
    keys = [
        None if not row.any() else tuple(np.flatnonzero(row)) if row.sum() == 1 else atom.tobytes()
        for atom, row in zip(atoms, used, strict=True)
    ]
    terms = np.where(used, atoms * x, 0.0)
    shares = [feature_shares(*node) for node in zip(terms, used, strict=True)]
    return terms.sum(axis=1), numbered(keys), shares


def feature_shares(terms, used):
    """Shares by the sizes of terms; equal ones if all are 0; only of missing ones, if there are."""
    size = np.where(used, np.abs(terms), 0.0)
    if np.isnan(size).any():
        size = np.isnan(size).astype(float)
    elif not size.any():
        size = used.astype(float)
    return size / max(size.sum(), 1e-300)


def explained_row(trees, splits_of, x, leaf_values):
    """Sum over trees of the values of features (features × values), and of the bases."""
    total, base = 0.0, 0.0
    for number, tree in enumerate(trees):
        at, player, shares = splits_of(tree, x)
        goes_left = np.where(np.isnan(at), tree.missing_left, at <= tree.threshold)
        phi, nothing = shapley_values(tree, goes_left, player, leaf_values[number])
        base = base + nothing
        first = [int(np.flatnonzero(player == j)[0]) for j in range(len(phi))]
        of_features = np.zeros((len(shares[0]), len(nothing)))
        for j, node in enumerate(first):
            of_features += np.outer(shares[node], phi[j])
        total = total + of_features
    return total, base
