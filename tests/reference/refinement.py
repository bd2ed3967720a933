"""Softmax regression on leaf indicators in plain Python, row by row, in the order of the core."""

from __future__ import annotations

import math

import numpy as np

_MASK = 2**64 - 1
_STREAM = 6  # Stream::refinement of cpp/core/base/rng.hpp


def _mix(z):
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & _MASK
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB & _MASK
    return z ^ (z >> 31)


def _combine(a, b):
    product = b * 0xD1342543DE82EF95 + 0x632BE59BD9B4E019 & _MASK
    return _mix(_mix(a + 0x9E3779B97F4A7C15 & _MASK) ^ product)


class _Random:
    """SplitMix64, and Lemire's whole numbers below a bound."""

    def __init__(self, seed):
        self.state = seed

    def below(self, bound):
        while True:
            self.state = self.state + 0x9E3779B97F4A7C15 & _MASK
            product = (_mix(self.state) >> 32) * bound
            if product % 2**32 >= 2**32 % bound:
                return product >> 32

    def shuffle(self, items):
        for i in range(len(items), 1, -1):
            j = self.below(i)
            items[i - 1], items[j] = items[j], items[i - 1]


def softmax(scores):
    powers = np.exp(scores - scores.max())
    return powers / powers.sum()


def refined(leaves, n_nodes, y, n_classes, weight, seed, *, n_passes=5, step=8.0, l2=3e-3):
    """Return values of nodes, nodes × classes; `leaves` (rows × trees) count through all trees."""
    n_trees = leaves.shape[1]
    share = np.asarray(weight) / (np.sum(weight) / np.count_nonzero(weight))
    visits = [i for i, w in enumerate(share) for _ in range(math.ceil(w))]
    part = [w / max(1, math.ceil(w)) for w in share]
    ends = np.cumsum(n_classes)
    values = np.zeros((n_nodes, ends[-1]))
    random = _Random(_combine(seed, _STREAM))
    done = 0
    for _ in range(n_passes):
        random.shuffle(visits)
        for i in visits:
            eta = step * (1 - done / (len(visits) * n_passes)) * part[i]
            scores = np.zeros(ends[-1])
            for leaf in leaves[i]:
                scores += values[leaf]
            blocks = np.split(scores, ends[:-1])
            truth = [np.arange(k) == label for k, label in zip(n_classes, y[i], strict=True)]
            gradient = np.concatenate(
                [one_hot - softmax(block) for one_hot, block in zip(truth, blocks, strict=True)]
            )
            for leaf in leaves[i]:
                values[leaf] += eta * (gradient / n_trees - l2 * values[leaf])
            done += 1
    return values


def loss(values, leaves, y, n_classes, weight, l2=3e-3):
    """Return what refinement makes small."""
    scores = values[leaves].sum(axis=1)
    total = 0.0
    for k, block in enumerate(np.split(scores, np.cumsum(n_classes)[:-1], axis=1)):
        shifted = block - block.max(axis=1, keepdims=True)
        log_sum = np.log(np.exp(shifted).sum(axis=1))
        total = total + log_sum - shifted[np.arange(len(y)), y[:, k]]
    penalty = l2 * leaves.shape[1] / 2 * (values[leaves] ** 2).sum(axis=(1, 2))
    return float(np.average(total + penalty, weights=weight))
